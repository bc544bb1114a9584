#include "hub/authority/local_authority.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include "protocol/identity.hpp"
#include "protocol/limits.hpp"

namespace gadget::hub {
namespace {

constexpr std::string_view kCommandBeforeCode = "hermes-gadget pairing approve gadget ";
constexpr std::string_view kWrongCodesSetting = "pairing.wrong_codes";

// A code as people type it: small letters, and the blanks and dashes that they read into it.
std::string normal_code(std::string_view typed) {
  std::string code;
  for (const char c : typed) {
    if (c == ' ' || c == '-') continue;
    code += c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  }
  return code;
}

bool same_code(std::string_view a, std::string_view b) {
  return a.size() == b.size() &&
         protocol::equal_constant_time(std::as_bytes(std::span(a)), std::as_bytes(std::span(b)));
}

}  // namespace

// A clock that was set back does not lengthen a code's life.
bool LocalAuthority::Place::code_is_valid(Millis wall_ms) const {
  return !code.empty() && wall_ms < code_expires_wall_ms &&
         code_expires_wall_ms - wall_ms <= kCodeLifeMs;
}

Result<std::unique_ptr<LocalAuthority>> LocalAuthority::make(Store& store, Random random) {
  std::unique_ptr<LocalAuthority> authority(new LocalAuthority(store, std::move(random)));
  if (auto loaded = authority->load(); !loaded) return tl::unexpected(std::move(loaded.error()));
  return authority;
}

Result<void> LocalAuthority::load() {
  auto codes = store_.codes();
  if (!codes) return tl::unexpected(std::move(codes.error()));
  for (const CodeRecord& code : *codes) {
    auto record = store_.device(code.device);
    if (!record) return tl::unexpected(std::move(record.error()));
    if (!*record || (*record)->approved) continue;
    places_[code.device] = Place{.address = (*record)->address,
                                 .first_contact_wall_ms = (*record)->first_contact_wall_ms,
                                 .last_contact_wall_ms = (*record)->last_contact_wall_ms,
                                 .code = code.code,
                                 .code_expires_wall_ms = code.expires_wall_ms,
                                 .connected = false};
  }
  auto wrong = store_.setting(kWrongCodesSetting);
  if (!wrong) return tl::unexpected(std::move(wrong.error()));
  if (*wrong) {
    const std::string& text = **wrong;  // "COUNT WALL_MS"
    const auto count = std::from_chars(text.data(), text.data() + text.size(), wrong_codes_);
    if (count.ptr < text.data() + text.size()) {
      std::from_chars(count.ptr + 1, text.data() + text.size(), wrong_codes_since_wall_ms_);
    }
  }
  return {};
}

bool LocalAuthority::approved(const DeviceId& device) const {
  const auto record = store_.device(device);
  if (record && *record && (*record)->approved) return true;
  const auto ahead = store_.approved_ahead(device);
  return ahead && *ahead;
}

PairingAnswer LocalAuthority::request(const DeviceId& device, std::string_view address,
                                      Millis wall_ms) {
  auto place = places_.find(device);
  if (place == places_.end()) {
    if (!make_room(address)) return PairingBusy{};
    const auto record = store_.device(device);
    const bool known = record && *record;
    place = places_.emplace(device, Place{}).first;
    place->second.first_contact_wall_ms = known ? (*record)->first_contact_wall_ms : wall_ms;
  }
  place->second.address = std::string(address);
  place->second.last_contact_wall_ms = wall_ms;
  place->second.connected = true;
  if (!place->second.code_is_valid(wall_ms)) renew_code(device, place->second, wall_ms);
  return PairingOffer{place->second.code, std::string(kCommandBeforeCode) + place->second.code,
                      place->second.code_expires_wall_ms};
}

// E11: at most 16 in all, 4 an address. False: all that could make room are connected.
bool LocalAuthority::make_room(std::string_view address) {
  if (places_of(address) >= kMaxPendingPerAddress) {
    const auto gone = longest_gone(address);
    if (gone == places_.end()) return false;
    give_up(gone);
  }
  if (places_.size() >= kMaxPending) {
    const auto gone = longest_gone(std::nullopt);
    if (gone == places_.end()) return false;
    give_up(gone);
  }
  return true;
}

std::size_t LocalAuthority::places_of(std::string_view address) const {
  return static_cast<std::size_t>(
      std::count_if(places_.begin(), places_.end(),
                    [&](const auto& entry) { return entry.second.address == address; }));
}

LocalAuthority::Places::iterator LocalAuthority::longest_gone(
    std::optional<std::string_view> address) {
  auto longest = places_.end();
  for (auto place = places_.begin(); place != places_.end(); ++place) {
    if (place->second.connected) continue;
    if (address && place->second.address != *address) continue;
    if (longest == places_.end() ||
        place->second.last_contact_wall_ms < longest->second.last_contact_wall_ms) {
      longest = place;
    }
  }
  return longest;
}

void LocalAuthority::give_up(Places::iterator place) {
  (void)store_.drop_code(place->first);
  places_.erase(place);
}

void LocalAuthority::renew_code(const DeviceId& device, Place& place, Millis wall_ms) {
  place.code = fresh_code();
  place.code_expires_wall_ms = wall_ms + kCodeLifeMs;
  // A disk that fails costs this code its survival of a restart, nothing else.
  (void)store_.put_code({device, place.code, place.code_expires_wall_ms});
}

std::string LocalAuthority::fresh_code() {
  static_assert(protocol::kPairingAlphabet.size() == 32);  // so that 5 bits of a byte are even
  for (;;) {
    std::array<std::byte, protocol::kPairingCodeChars> random{};
    random_(random);
    std::string code;
    for (const std::byte b : random) {
      code += protocol::kPairingAlphabet[std::to_integer<std::size_t>(b & std::byte{31})];
    }
    const bool taken = std::any_of(places_.begin(), places_.end(),
                                   [&](const auto& entry) { return entry.second.code == code; });
    if (!taken) return code;
  }
}

void LocalAuthority::disconnected(const DeviceId& device, Millis wall_ms) {
  // Of a device without a place too: E11's hour counts from its last contact.
  if (const auto record = store_.device(device); record && *record && !(*record)->approved) {
    (void)store_.touch(device, wall_ms);
  }
  const auto place = places_.find(device);
  if (place == places_.end()) return;
  place->second.connected = false;
  place->second.last_contact_wall_ms = wall_ms;
}

Result<DeviceId> LocalAuthority::approve(std::string_view code_or_id, Millis wall_ms) {
  if (code_or_id.empty()) {
    return fail(FailureCode::invalid_argument, "a code or a device id is needed");
  }
  if (const auto id = DeviceId::parse(code_or_id)) return approve_id(*id);
  return approve_code(normal_code(code_or_id), wall_ms);
}

Result<DeviceId> LocalAuthority::approve_id(const DeviceId& device) {
  auto record = store_.device(device);
  if (!record) return tl::unexpected(std::move(record.error()));
  if (!*record) {
    if (auto ahead = store_.approve_ahead(device); !ahead) {
      return tl::unexpected(std::move(ahead.error()));
    }
    return device;
  }
  if ((*record)->approved) return device;
  auto stored = store_.transaction([&] {
    return store_.set_approved(device, true).and_then([&] { return store_.drop_code(device); });
  });
  if (!stored) return tl::unexpected(std::move(stored.error()));
  places_.erase(device);
  if (events_.approved) events_.approved(device);
  return device;
}

Result<DeviceId> LocalAuthority::approve_code(std::string_view code, Millis wall_ms) {
  const Millis since_wrong = wall_ms - wrong_codes_since_wall_ms_;
  if (wrong_codes_ > 0 && (since_wrong >= kWrongCodeLockMs || since_wrong < 0)) {
    wrong_codes_ = 0;
    note_wrong_codes();
  }
  if (wrong_codes_ >= kMaxWrongCodes) {
    const Millis minutes = (kWrongCodeLockMs - since_wrong + 59'999) / 60'000;
    return fail(FailureCode::refused,
                "approval by code is locked after " + std::to_string(kMaxWrongCodes) +
                    " wrong codes, for " + std::to_string(minutes) + " more min",
                "approve by the id on the device's screen instead");
  }
  const auto place = std::find_if(places_.begin(), places_.end(), [&](const auto& entry) {
    return same_code(entry.second.code, code);
  });
  if (place == places_.end()) return wrong_code(wall_ms);
  if (!place->second.code_is_valid(wall_ms)) {
    return fail(FailureCode::not_found, "that code has expired",
                "the device shows a new one when it is connected");
  }
  const DeviceId device = place->first;
  auto done = approve_id(device);
  if (done && wrong_codes_ > 0) {
    wrong_codes_ = 0;
    note_wrong_codes();
  }
  return done;
}

Result<DeviceId> LocalAuthority::wrong_code(Millis wall_ms) {
  ++wrong_codes_;
  wrong_codes_since_wall_ms_ = wall_ms;
  note_wrong_codes();
  return fail(
      FailureCode::not_found, "no device shows that code",
      "the code or the id on the device's screen is needed; see: hermes-gadget pairing list");
}

void LocalAuthority::note_wrong_codes() {
  (void)store_.put_setting(kWrongCodesSetting, std::to_string(wrong_codes_) + " " +
                                                   std::to_string(wrong_codes_since_wall_ms_));
}

Result<void> LocalAuthority::revoke(const DeviceId& device) {
  auto record = store_.device(device);
  if (!record) return tl::unexpected(std::move(record.error()));
  if (*record && (*record)->approved) {
    if (auto stored = store_.set_approved(device, false); !stored) return stored;
    if (events_.revoked) events_.revoked(device);
    return {};
  }
  auto ahead = store_.drop_approval_ahead(device);
  if (!ahead) return tl::unexpected(std::move(ahead.error()));
  if (*ahead) return {};
  return fail(FailureCode::not_found, std::string(device.text()) + " is not approved",
              "see: hermes-gadget devices");
}

void LocalAuthority::drop_pending() {
  while (!places_.empty()) give_up(places_.begin());
}

void LocalAuthority::forget(const DeviceId& device) {
  (void)store_.drop_code(device);
  places_.erase(device);
}

std::vector<PendingDevice> LocalAuthority::pending(Millis wall_ms) {
  std::vector<PendingDevice> devices;
  for (const auto& [device, place] : places_) {
    devices.push_back({device, place.address, place.first_contact_wall_ms,
                       place.code_is_valid(wall_ms) ? place.code : std::string(), place.connected});
  }
  std::stable_sort(devices.begin(), devices.end(), [](const auto& a, const auto& b) {
    return a.first_contact_wall_ms < b.first_contact_wall_ms;
  });
  return devices;
}

std::vector<DeviceId> LocalAuthority::expire(Millis wall_ms) {
  std::vector<DeviceId> forgotten =
      forget_never_approved(store_, wall_ms, [this](const DeviceId& device) {
        const auto place = places_.find(device);
        return place != places_.end() && place->second.connected;
      });
  for (const DeviceId& device : forgotten) places_.erase(device);
  return forgotten;
}

std::vector<DeviceId> forget_never_approved(Store& store, Millis wall_ms,
                                            const std::function<bool(const DeviceId&)>& connected) {
  const auto old = store.never_approved_before(wall_ms - kNeverApprovedLifeMs + 1);
  std::vector<DeviceId> forgotten;
  if (!old) return forgotten;
  for (const DeviceId& device : *old) {
    if (!connected(device) && store.forget(device)) forgotten.push_back(device);
  }
  return forgotten;
}

}  // namespace gadget::hub
