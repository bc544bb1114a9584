#include "hub/bridge/hermes_authority.hpp"

#include <algorithm>

#include "hub/bridge/frames.hpp"
#include "hub/bridge/hermes_agent.hpp"

namespace gadget::hub {
namespace {

namespace json = boost::json;

tl::unexpected<Failure> hermes_decides() {
  return fail(FailureCode::refused, "Hermes says who may talk",
              "hermes pairing approve gadget CODE, hermes pairing revoke gadget DEVICE");
}

}  // namespace

HermesAuthority::HermesAuthority(Store& store, Bridge& bridge, Parts parts)
    : store_(store), bridge_(bridge), parts_(std::move(parts)) {
  bridge_.pairing({.came = [this](const BridgeHello&) { came(); },
                   .went = [this] { told_.clear(); },
                   .frame = [this](std::string_view type,
                                   const json::object& frame) { return this->frame(type, frame); },
                   .device_changed = [this](const DeviceId& device) { changed(device); }});
}

HermesAuthority::~HermesAuthority() { bridge_.pairing({}); }

bool HermesAuthority::approved(const DeviceId& device) const {
  const auto record = store_.device(device);
  return record && *record && (*record)->approved;
}

// Once the hub has it whole.
void HermesAuthority::changed(const DeviceId& device) {
  if (!bridge_.connected()) return;
  changed_.insert(device);
  if (changed_.size() > 1) return;  // posted already
  parts_.post([this] {
    for (const DeviceId& one : std::exchange(changed_, {})) tell(one);
  });
}

void HermesAuthority::tell(const DeviceId& device) {
  if (!bridge_.connected()) return;
  const auto view = parts_.view(device);
  const auto at = told_.find(device);
  if (!view || !view->online) {
    if (at == told_.end()) return;
    bridge_.send(json::object{{"type", "device"},
                              {"device", device.text()},
                              {"name", at->second.name},
                              {"online", false},
                              {"paired", approved(device)}});
    told_.erase(at);
    return;
  }
  Told now{approved(device), view->name};
  if (at != told_.end() && at->second == now) return;
  bridge_.send(device_frame(*view, now.paired));
  told_.insert_or_assign(device, std::move(now));
}

PairingAnswer HermesAuthority::request(const DeviceId& device, std::string_view address,
                                       Millis wall_ms) {
  auto at = places_.find(device);
  if (at == places_.end()) {
    if (places_.size() >= kMaxAwaitingHermes) return PairingBusy{};
    at = places_.emplace(device, Place{}).first;
    at->second.first_contact_wall_ms = wall_ms;
  }
  Place& place = at->second;
  place.address = std::string(address);
  const bool came = !std::exchange(place.connected, true);
  if (came) {
    parts_.post([this, device] {
      tell(device);
      ask_for_code(device);
    });
  }
  if (place.code.empty() || wall_ms >= place.code_expires_wall_ms) {
    if (!came && !std::exchange(place.code, {}).empty()) ask_for_code(device);
    return PairingWait{};
  }
  return PairingOffer{place.code, place.command, place.code_expires_wall_ms};
}

void HermesAuthority::ask_for_code(const DeviceId& device) {
  const auto at = places_.find(device);
  if (at == places_.end() || !at->second.connected) return;
  json::object frame{{"type", "pair"}, {"device", device.text()}, {"address", at->second.address}};
  if (const auto view = parts_.view(device)) frame["name"] = view->name;
  bridge_.send(frame);
}

void HermesAuthority::disconnected(const DeviceId& device, Millis wall_ms) {
  // E11's hour counts from its last contact.
  (void)store_.touch(device, wall_ms);
  forget(device);
}

void HermesAuthority::forget(const DeviceId& device) {
  if (places_.erase(device) != 0) {
    bridge_.send(json::object{{"type", "unpair"}, {"device", device.text()}});
  }
}

Result<DeviceId> HermesAuthority::approve(std::string_view, Millis) { return hermes_decides(); }
Result<void> HermesAuthority::revoke(const DeviceId&) { return hermes_decides(); }
void HermesAuthority::drop_pending() {}  // those that wait are connected, and Hermes' to say

std::vector<PendingDevice> HermesAuthority::pending(Millis wall_ms) {
  std::vector<PendingDevice> devices;
  for (const auto& [device, place] : places_) {
    const bool valid = wall_ms < place.code_expires_wall_ms;
    devices.push_back({device, place.address, place.first_contact_wall_ms,
                       valid ? place.code : std::string(), place.connected});
  }
  return devices;
}

std::vector<DeviceId> HermesAuthority::expire(Millis wall_ms) {
  return forget_never_approved(store_, wall_ms,
                               [this](const DeviceId& device) { return places_.contains(device); });
}

// ---- The plugin --------------------------------------------------------------------------------

void HermesAuthority::came() {
  told_.clear();
  for (const DeviceId& device : parts_.online()) {
    tell(device);
    ask_for_code(device);
  }
}

bool HermesAuthority::frame(std::string_view type, const json::object& frame) {
  if (type != "pairing" && type != "authorized") return true;  // of a later version
  const auto device = DeviceId::parse(text_of(frame, "device").value_or(""));
  if (!device) return false;
  if (type == "pairing") return offered(*device, frame);
  const auto* yes = frame.if_contains("authorized");
  if (yes == nullptr || !yes->is_bool()) return false;
  authorized(*device, yes->get_bool());
  return true;
}

bool HermesAuthority::offered(const DeviceId& device, const json::object& frame) {
  const auto at = places_.find(device);
  if (flag_of(frame, "wait", false)) return true;  // it is told so by itself
  auto code = text_of(frame, "code");
  auto command = text_of(frame, "command");
  const auto expires_s = number_of(frame, "expires_s");
  constexpr double kLongestS = 86'400;
  if (!code || code->empty() || !command || !expires_s || *expires_s < 1 ||
      *expires_s > kLongestS) {
    return false;
  }
  if (at == places_.end()) return true;  // gone, or approved meanwhile
  at->second.code = std::move(*code);
  at->second.command = std::move(*command);
  at->second.code_expires_wall_ms = parts_.wall_now_ms() + static_cast<Millis>(*expires_s * 1000);
  if (events_.offer_changed) events_.offer_changed(device);
  return true;
}

void HermesAuthority::authorized(const DeviceId& device, bool yes) {
  const auto record = store_.device(device);
  if (!record || !*record || (*record)->approved == yes) return;
  if (!store_.set_approved(device, yes)) return;  // it is said again a second later
  if (yes) {
    places_.erase(device);
    if (events_.approved) events_.approved(device);
  } else if (events_.revoked) {
    events_.revoked(device);
  }
  changed(device);
}

}  // namespace gadget::hub
