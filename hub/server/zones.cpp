#include "hub/server/zones.hpp"

#include <memory>

#include <unicode/timezone.h>

namespace gadget::hub {
namespace {

std::unique_ptr<icu::TimeZone> zone_of(std::string_view name) {
  if (name.empty()) return std::unique_ptr<icu::TimeZone>(icu::TimeZone::createDefault());
  const icu::StringPiece piece(name.data(), static_cast<std::int32_t>(name.size()));
  return std::unique_ptr<icu::TimeZone>(
      icu::TimeZone::createTimeZone(icu::UnicodeString::fromUTF8(piece)));
}

}  // namespace

std::int64_t utc_offset_s(std::string_view zone, std::int64_t wall_ms) {
  const auto its = zone_of(zone);
  if (!its) return 0;
  std::int32_t raw_ms = 0;
  std::int32_t saving_ms = 0;
  UErrorCode status = U_ZERO_ERROR;
  its->getOffset(static_cast<UDate>(wall_ms), 0, raw_ms, saving_ms, status);
  if (U_FAILURE(status) != 0) return 0;
  return (raw_ms + saving_ms) / 1000;
}

bool is_zone(std::string_view zone) {
  const auto its = zone_of(zone);
  return its && *its != icu::TimeZone::getUnknown();
}

}  // namespace gadget::hub
