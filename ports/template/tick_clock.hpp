// tick_clock.hpp - milliseconds from a counter of any rate and any width: a 32,768 Hz RTC, a timer
// of 24 bits. For Board::ticks_ms().
//
//   TickClock clock_{32'768, 32};
//   std::uint32_t ticks_ms() override { return clock_.ms(RTC->COUNT); }
//
// `count * 1000 / rate` would wrap where the counter does, not at 2^32.
#pragma once

#include <cstdint>

namespace gadget::ports::port_template {

class TickClock {
 public:
  // The counter counts `rate_hz` a second up to 2^bits - 1, then from 0 again; 1 to 32 bits.
  constexpr TickClock(std::uint32_t rate_hz, unsigned bits)
      : rate_hz_(rate_hz), mask_(0xFFFFFFFFU >> (32 - bits)) {}

  // Milliseconds since the counter was 0 the first time. `count`: as it stands now. Asked more
  // often than the counter wraps around.
  [[nodiscard]] constexpr std::uint32_t ms(std::uint32_t count) {
    const std::uint64_t passed = std::uint64_t{(count - last_) & mask_} + rest_;
    last_ = count;
    // Whole seconds first: no product outgrows 64 bits, however long it runs.
    seconds_ += static_cast<std::uint32_t>(passed / rate_hz_);
    rest_ = static_cast<std::uint32_t>(passed % rate_hz_);
    return seconds_ * 1'000 + static_cast<std::uint32_t>(std::uint64_t{rest_} * 1'000 / rate_hz_);
  }

 private:
  std::uint32_t rate_hz_;
  std::uint32_t mask_;
  std::uint32_t last_ = 0;
  std::uint32_t rest_ = 0;  // ticks of a second that is not full
  std::uint32_t seconds_ = 0;
};

}  // namespace gadget::ports::port_template
