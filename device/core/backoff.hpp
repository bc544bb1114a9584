// backoff.hpp - how long to wait before connecting again (E27).
#pragma once

#include <cstddef>
#include <cstdint>

#include "device/core/limits.hpp"

namespace gadget::device {

class Backoff {
 public:
  // The next pause. `random` is any 32 random bits: it makes a random 0.5-1.0 of the step, so that
  // a thousand devices whose hub restarted do not come back in one step.
  [[nodiscard]] Ticks next(std::uint32_t random);

  // After `auth_failed` and its like: 30-60 s. The steps stay where they are.
  [[nodiscard]] static Ticks refused(std::uint32_t random);

  // A session was long enough: the next pause is the first again.
  void reset() { step_ = 0; }

 private:
  std::size_t step_ = 0;
};

}  // namespace gadget::device
