#include "hub/firmware/report.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace gadget::hub {
namespace {

struct CodeHint {
  std::string_view code;
  std::string_view hint;
};

// What a device's `ota.error` means for the owner (O6).
constexpr std::array<CodeHint, 12> kHints{{
    {"unsupported", "it has no spare slot: update it by cable"},
    {"bad_offer", "its firmware understands another protocol: update it by cable once"},
    {"too_large", "its slot is smaller than the image: make the image smaller"},
    {"no_offer", "it lost the offer: try again"},
    {"unauthorized", "its key is not the one that this hub has: forget it, and let it enrol again"},
    {"flash",
     "its flash could not be written, or its firmware is still on probation: wait five "
     "minutes, restart it, try again"},
    {"sequence", "bytes were lost on the way: try again"},
    {"size", "it counted other bytes than were sent: try again"},
    {"checksum", "what it wrote is not what was sent: try again; if it stays, its flash is worn"},
    {"invalid", "it does not take this image: is it for this board, and signed as it wants?"},
    {"timeout", "try again where the network is better"},
    {"no_update", "it lost the update: try again"},
}};

std::string hint_of(std::string_view code) {
  const auto known = std::find_if(kHints.begin(), kHints.end(),
                                  [code](const CodeHint& one) { return one.code == code; });
  return known == kHints.end() ? "its console may say more" : std::string(known->hint);
}

std::string in_time(Millis ms) {
  const Millis seconds = (ms + 999) / 1000;
  return seconds < 120 ? std::to_string(seconds) + " s"
                       : std::to_string((seconds + 59) / 60) + " min";
}

Report of_waiting(const UpdateView& update, const std::string& name) {
  const UpdateRecord& record = update.record;
  const std::string& version = record.version;
  std::string text;
  if (record.tries > 0 && !record.message.empty()) {
    text = "the update to " + version + " broke off (" + record.message + "); ";
  }
  if (!update.online) {
    return {text + name + " is away: " +
                (text.empty() ? "the update to " + version + " begins" : "the next try begins") +
                " when it is back",
            {}};
  }
  if (update.next_try_ms > 0) {
    return {text + "the next try begins in " + in_time(update.next_try_ms), {}};
  }
  return {text + name + " waits for its turn to get " + version, {}};
}

Report of_refused(const UpdateRecord& record, const std::string& name) {
  if (record.code == "hub")
    return {name + " does not get " + record.version + ": " + record.message, {}};
  const std::string said = record.message.empty() ? "" : " (" + record.message + ")";
  return {name + " refused " + record.version + ": " + record.code + said, hint_of(record.code)};
}

}  // namespace

Report report(const UpdateView& update) {
  const UpdateRecord& record = update.record;
  const std::string name =
      update.device_name.empty() ? std::string(record.device.text()) : update.device_name;
  const std::string& version = record.version;
  switch (record.phase) {
    case UpdatePhase::waiting: return of_waiting(update, name);
    case UpdatePhase::offered:
    case UpdatePhase::begun: return {name + " makes ready for " + version, {}};
    case UpdatePhase::sending: return {version + " is on its way to " + name, {}};
    case UpdatePhase::ended: return {name + " checks " + version, {}};
    case UpdatePhase::restarting: return {name + " restarts into " + version, {}};
    case UpdatePhase::unknown:
      return {name + " has " + version + ", but what it runs is not known: " + record.message,
              "look at it; when it comes back, `hermes-gadget update --status` says what it runs"};
    case UpdatePhase::installed:
      return {name + " runs " + version + (record.tries == 0 ? " already" : " now"), {}};
    case UpdatePhase::rolled_back:
      return {name + " went back from " + version + " to " + record.previous,
              version +
                  " crashed, or did not reach this hub within five minutes; it is not "
                  "offered to this device again (--force does)"};
    case UpdatePhase::mismatched:
      return {name + " should run " + version + ", but " + record.message,
              "the version in the image is not the one that its firmware reports: make them the "
              "same"};
    case UpdatePhase::refused: return of_refused(record, name);
    case UpdatePhase::failed:
      return {version + " did not get to " + name + " in " + std::to_string(record.tries) +
                  " tries: " + record.message,
              hint_of("timeout")};
    case UpdatePhase::cancelled:
      return {"the update of " + name + " to " + version + " ended: " + record.message, {}};
  }
  return {};
}

Report report(const FleetView& fleet) {
  const FleetRecord& record = fleet.record;
  const std::string count = std::to_string(record.installed) + " of " +
                            std::to_string(record.total) + " run " + record.version;
  const std::string failed =
      record.failed > 0 ? ", " + std::to_string(record.failed) + " failed" : std::string();
  std::string away;
  if (fleet.away == 1) away = ", 1 is away and gets it when it comes";
  if (fleet.away > 1) {
    away = ", " + std::to_string(fleet.away) + " are away and get it when they come";
  }
  switch (record.stage) {
    case FleetStage::canary:
      return {"one device tries " + record.version + " before the others" + failed + away, {}};
    case FleetStage::rolling:
      return {count + ", " + std::to_string(fleet.busy) + " in progress" + failed + away, {}};
    case FleetStage::finished: return {count + failed, {}};
    case FleetStage::halted:
      return {"halted: " + record.reason + "; " + count + failed,
              "see `hermes-gadget update --status`; start again when it is mended"};
    case FleetStage::cancelled: return {record.reason + "; " + count + failed, {}};
  }
  return {};
}

}  // namespace gadget::hub
