// clock.hpp - the time of day of a device that may have none of its own (N2, T2).
//
// The hub tells the time in `welcome`. The latest time ever told is kept in the store as a floor
// for judging certificates; it only ever goes up, and is written at most once a day.
#pragma once

#include <cstdint>
#include <optional>

#include "device/core/platform.hpp"
#include "protocol/messages.hpp"

namespace gadget::device {

class Clock {
 public:
  // `build_time_ms` is the floor of a device that was never told (Unix milliseconds).
  explicit Clock(std::int64_t build_time_ms) : floor_ms_(build_time_ms) {}

  void load(Store& store);
  // The hub told the time. Values that no clock can have are ignored.
  void told(Millis now, const protocol::Welcome& welcome, Store& store);

  // Unix milliseconds, when it was told since the start.
  [[nodiscard]] std::optional<std::int64_t> unix_ms(Millis now) const;
  // Milliseconds of the local day, for a screen with the time.
  [[nodiscard]] std::optional<std::int64_t> local_day_ms(Millis now) const;
  // The latest time that is known to have passed (T2), never before the build.
  [[nodiscard]] std::int64_t floor_ms() const { return floor_ms_; }

 private:
  std::int64_t floor_ms_;
  std::int64_t stored_ms_ = 0;
  std::optional<std::int64_t> base_ms_;  // Unix time minus monotonic time
  std::int32_t offset_s_ = 0;            // of the local time
};

}  // namespace gadget::device
