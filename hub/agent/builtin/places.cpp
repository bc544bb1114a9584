#include <map>
#include <memory>
#include <utility>

#include <unicode/strenum.h>
#include <unicode/timezone.h>

#include "hub/agent/builtin/calendar.hpp"

namespace gadget::hub::builtin {
namespace {

// Places that the zone database has under another city, or not at all.
constexpr std::pair<std::string_view, std::string_view> kPlaces[] = {
    {"san francisco", "America/Los_Angeles"},
    {"seattle", "America/Los_Angeles"},
    {"california", "America/Los_Angeles"},
    {"la", "America/Los_Angeles"},
    {"las vegas", "America/Los_Angeles"},
    {"san diego", "America/Los_Angeles"},
    {"portland", "America/Los_Angeles"},
    {"boston", "America/New_York"},
    {"washington", "America/New_York"},
    {"washington dc", "America/New_York"},
    {"miami", "America/New_York"},
    {"atlanta", "America/New_York"},
    {"philadelphia", "America/New_York"},
    {"florida", "America/New_York"},
    {"new york city", "America/New_York"},
    {"houston", "America/Chicago"},
    {"dallas", "America/Chicago"},
    {"austin", "America/Chicago"},
    {"texas", "America/Chicago"},
    {"montreal", "America/Toronto"},
    {"ottawa", "America/Toronto"},
    {"rio", "America/Sao_Paulo"},
    {"rio de janeiro", "America/Sao_Paulo"},
    {"brazil", "America/Sao_Paulo"},
    {"england", "Europe/London"},
    {"uk", "Europe/London"},
    {"the uk", "Europe/London"},
    {"britain", "Europe/London"},
    {"edinburgh", "Europe/London"},
    {"manchester", "Europe/London"},
    {"ireland", "Europe/Dublin"},
    {"germany", "Europe/Berlin"},
    {"munich", "Europe/Berlin"},
    {"hamburg", "Europe/Berlin"},
    {"frankfurt", "Europe/Berlin"},
    {"cologne", "Europe/Berlin"},
    {"france", "Europe/Paris"},
    {"spain", "Europe/Madrid"},
    {"barcelona", "Europe/Madrid"},
    {"italy", "Europe/Rome"},
    {"milan", "Europe/Rome"},
    {"venice", "Europe/Rome"},
    {"switzerland", "Europe/Zurich"},
    {"geneva", "Europe/Zurich"},
    {"austria", "Europe/Vienna"},
    {"poland", "Europe/Warsaw"},
    {"greece", "Europe/Athens"},
    {"turkey", "Europe/Istanbul"},
    {"portugal", "Europe/Lisbon"},
    {"sweden", "Europe/Stockholm"},
    {"norway", "Europe/Oslo"},
    {"denmark", "Europe/Copenhagen"},
    {"finland", "Europe/Helsinki"},
    {"kiev", "Europe/Kiev"},
    {"ukraine", "Europe/Kiev"},
    {"netherlands", "Europe/Amsterdam"},
    {"the netherlands", "Europe/Amsterdam"},
    {"belgium", "Europe/Brussels"},
    {"japan", "Asia/Tokyo"},
    {"kyoto", "Asia/Tokyo"},
    {"osaka", "Asia/Tokyo"},
    {"china", "Asia/Shanghai"},
    {"beijing", "Asia/Shanghai"},
    {"india", "Asia/Kolkata"},
    {"mumbai", "Asia/Kolkata"},
    {"delhi", "Asia/Kolkata"},
    {"new delhi", "Asia/Kolkata"},
    {"bangalore", "Asia/Kolkata"},
    {"south korea", "Asia/Seoul"},
    {"korea", "Asia/Seoul"},
    {"thailand", "Asia/Bangkok"},
    {"vietnam", "Asia/Ho_Chi_Minh"},
    {"hanoi", "Asia/Ho_Chi_Minh"},
    {"bali", "Asia/Makassar"},
    {"abu dhabi", "Asia/Dubai"},
    {"israel", "Asia/Jerusalem"},
    {"tel aviv", "Asia/Jerusalem"},
    {"egypt", "Africa/Cairo"},
    {"kenya", "Africa/Nairobi"},
    {"nigeria", "Africa/Lagos"},
    {"south africa", "Africa/Johannesburg"},
    {"cape town", "Africa/Johannesburg"},
    {"new zealand", "Pacific/Auckland"},
    {"wellington", "Pacific/Auckland"},
    {"canberra", "Australia/Sydney"},
    {"hawaii", "Pacific/Honolulu"},
    {"alaska", "America/Anchorage"},
    {"utc", "Etc/UTC"},
    {"gmt", "Etc/GMT"},
    {"greenwich", "Etc/GMT"},
    {"z\xC3\xBCrich", "Europe/Zurich"},
    {"s\xC3\xA3o paulo", "America/Sao_Paulo"},
};

// "America/Argentina/Buenos_Aires" by "buenos aires"; read once from ICU.
std::map<std::string, std::string, std::less<>> cities() {
  std::map<std::string, std::string, std::less<>> out;
  UErrorCode status = U_ZERO_ERROR;
  const std::unique_ptr<icu::StringEnumeration> ids(
      icu::TimeZone::createTimeZoneIDEnumeration(UCAL_ZONE_TYPE_ANY, nullptr, nullptr, status));
  if (U_FAILURE(status) || !ids) return out;
  while (const char* id = ids->next(nullptr, status)) {
    const std::string_view zone = id;
    const auto slash = zone.rfind('/');
    if (slash == std::string_view::npos || zone.starts_with("Etc/") ||
        zone.starts_with("SystemV/")) {
      continue;
    }
    std::string city(zone.substr(slash + 1));
    for (auto& c : city) {
      if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
      if (c == '_' || c == '-') c = ' ';
    }
    out.emplace(std::move(city), zone);
  }
  return out;
}

}  // namespace

std::optional<std::string> zone_of_place(std::string_view place) {
  for (const auto& [name, zone] : kPlaces) {
    if (name == place) return std::string(zone);
  }
  static const auto kCities = cities();
  if (const auto found = kCities.find(place); found != kCities.end()) return found->second;
  return std::nullopt;
}

}  // namespace gadget::hub::builtin
