#include "device/core/clock.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

#include "device/core/stored.hpp"

namespace gadget::device {
namespace {

constexpr std::int64_t kDayMs = 24 * 3'600'000LL;
// Beyond the year 2200 or further from UTC than any zone: not a time.
constexpr std::int64_t kLatestMs = 7'258'118'400'000LL;
constexpr std::int32_t kFarthestZoneS = 18 * 3'600;
constexpr const char* kStoredAs = "time";

using Bytes = std::array<std::byte, 8>;  // little-endian

}  // namespace

void Clock::load(Store& store) {
  Bytes bytes;  // NOLINT: filled below
  if (!get_stored(store, kStoredAs, bytes)) return;
  std::uint64_t value = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) {
    value = value << 8U | std::to_integer<std::uint64_t>(bytes[i]);
  }
  if (value > static_cast<std::uint64_t>(kLatestMs)) return;
  stored_ms_ = static_cast<std::int64_t>(value);
  floor_ms_ = std::max(floor_ms_, stored_ms_);
}

void Clock::told(Millis now, const protocol::Welcome& welcome, Store& store) {
  if (welcome.time_ms.empty()) return;
  const std::int64_t unix_ms = welcome.time_ms.rounded();
  if (unix_ms <= 0 || unix_ms > kLatestMs) return;
  base_ms_ = unix_ms - now;
  offset_s_ = welcome.utc_offset_s.within(-kFarthestZoneS, kFarthestZoneS, 0);
  floor_ms_ = std::max(floor_ms_, unix_ms);
  if (floor_ms_ - stored_ms_ < kTimeFloorStepMs) return;
  Bytes bytes;  // NOLINT: filled below
  auto rest = static_cast<std::uint64_t>(floor_ms_);
  for (std::byte& byte : bytes) {
    byte = static_cast<std::byte>(rest);
    rest >>= 8U;
  }
  if (put_stored(store, kStoredAs, bytes)) stored_ms_ = floor_ms_;
}

std::optional<std::int64_t> Clock::unix_ms(Millis now) const {
  if (!base_ms_) return std::nullopt;
  return *base_ms_ + now;
}

std::optional<std::int64_t> Clock::local_day_ms(Millis now) const {
  if (!base_ms_) return std::nullopt;
  const std::int64_t local = *base_ms_ + now + offset_s_ * std::int64_t{1'000};
  return ((local % kDayMs) + kDayMs) % kDayMs;
}

}  // namespace gadget::device
