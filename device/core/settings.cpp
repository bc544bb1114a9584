#include "device/core/settings.hpp"

#include <algorithm>

#include "device/core/stored.hpp"
#include "protocol/identity.hpp"
#include "protocol/json_reader.hpp"
#include "protocol/words.hpp"

namespace gadget::device {
namespace {

constexpr std::byte kVersion{1};
constexpr std::size_t kChecksumBytes = 2;
constexpr std::size_t kRecordBytes =
    1 + std::max({kNameBytes, kHubUrlBytes, kTokenBytes}) + kChecksumBytes;
constexpr const char* kResetMark = "reset";
constexpr std::array<std::string_view, 2> kTalkModes{"hold", "tap"};

using Record = std::array<std::byte, kRecordBytes>;

// CRC-16/CCITT, bit by bit: a few bytes a year.
std::uint16_t checksum(std::span<const std::byte> bytes) {
  std::uint32_t crc = 0xFFFF;
  for (const auto byte : bytes) {
    crc ^= std::to_integer<std::uint32_t>(byte) << 8U;
    for (int bit = 0; bit < 8; ++bit) crc = (crc & 0x8000U) != 0 ? crc << 1U ^ 0x1021U : crc << 1U;
  }
  return static_cast<std::uint16_t>(crc);
}

// Version, value, checksum; returns what of `room` that is. REQUIRES: the value fits.
std::span<const std::byte> seal(std::span<const std::byte> value, Record& room) {
  room[0] = kVersion;
  std::copy(value.begin(), value.end(), room.begin() + 1);
  const std::size_t end = 1 + value.size();
  const std::uint16_t sum = checksum(std::span{room}.first(end));
  room[end] = static_cast<std::byte>(sum & 0xFFU);
  room[end + 1] = static_cast<std::byte>(sum >> 8U);
  return std::span{room}.first(end + kChecksumBytes);
}

// The value of a record; nothing when it is damaged or of another version.
std::optional<std::span<const std::byte>> unseal(std::span<const std::byte> record) {
  if (record.size() < 1 + kChecksumBytes || record[0] != kVersion) return std::nullopt;
  const std::size_t end = record.size() - kChecksumBytes;
  const std::uint16_t sum = checksum(record.first(end));
  const bool whole = record[end] == static_cast<std::byte>(sum & 0xFFU) &&
                     record[end + 1] == static_cast<std::byte>(sum >> 8U);
  if (!whole) return std::nullopt;
  return record.subspan(1, end - 1);
}

struct Spec {
  const char* name;
  std::int16_t least;   // of a number
  std::int16_t most;    // of a number; bytes of a text
  std::int16_t normal;  // of a number: as long as nothing was set
};

constexpr std::array<Spec, kSettings> kSpecs{{
    {"volume", 0, kFullVolume, kFullVolume},
    {"brightness", kMinBrightness, kFullBrightness, kFullBrightness},
    {"talk_mode", 0, 1, 0},
    {"screen_timeout", 0, kMaxScreenTimeoutS, 0},  // the port's
    {"name", 0, kNameBytes, 0},
    {"hub", 0, kHubUrlBytes, 0},
    {"token", 0, kTokenBytes, 0},
}};

// What each may be, in words: a table of its own, which an image without a console does not hold.
constexpr std::array<const char*, kSettings> kRules{
    "a whole number from 0 to 100",
    "a whole number from 5 to 100",
    "hold or tap",
    "a number of seconds up to 3600, or never",
    "a text of up to 64 bytes",
    "an address like ws://hub.local:8765/gadget, up to 128 bytes",
    "a text of up to 128 bytes",
};

const Spec& spec_of(Setting setting) { return kSpecs[static_cast<std::size_t>(setting)]; }

constexpr bool is_number(Setting setting) {
  return static_cast<std::size_t>(setting) < kNumberSettings;
}

// No control character; and, in an address, nothing but printable ASCII without blanks.
bool is_clean(std::string_view text, bool address) {
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7F || (address && (byte == 0x20 || byte > 0x7F))) return false;
  }
  return protocol::is_utf8(text);
}

bool is_url(std::string_view text) {
  const std::string_view host = host_of(text);
  return (protocol::begins_with(text, "ws://") || protocol::begins_with(text, "wss://")) &&
         !host.empty() && host.front() != ':';
}

// What a console says for it; nothing: it is none.
std::optional<int> number_of(Setting setting, std::string_view text) {
  if (setting == Setting::talk_mode) {
    if (text == kTalkModes[0]) return 0;
    if (text == kTalkModes[1]) return 1;
    return std::nullopt;
  }
  if (setting == Setting::screen_timeout && text == "never") return 0;
  const auto value = protocol::integer_of(text);
  const Spec& spec = spec_of(setting);
  if (!value || *value < spec.least || *value > spec.most) return std::nullopt;
  return static_cast<int>(*value);
}

}  // namespace

std::string_view name(Setting setting) { return spec_of(setting).name; }

std::string_view rule(Setting setting) { return kRules[static_cast<std::size_t>(setting)]; }

std::optional<Setting> setting_named(std::string_view word) {
  for (std::size_t i = 0; i < kSettings; ++i) {
    if (kSpecs[i].name == word) return static_cast<Setting>(i);
  }
  return std::nullopt;
}

std::string_view host_of(std::string_view url) {
  const auto scheme = url.find("://");
  if (scheme == std::string_view::npos) return url;
  url.remove_prefix(scheme + 3);
  // Not substr: it links the machinery of exceptions.
  return {url.data(), std::min(url.find_first_of("/?#"), url.size())};
}

Settings::~Settings() { token_.wipe(); }

void Settings::load(const Forced& forced) {
  for (std::size_t i = 0; i < kSettings; ++i) {
    const auto setting = static_cast<Setting>(i);
    take_default(setting);
    Record room;  // NOLINT: filled below, as far as it is read
    const auto size = store_.get(name(setting), room);
    if (!size || *size == 0) continue;
    const auto value = unseal(std::span{room}.first(*size));
    if (!value || !take(setting, *value)) damaged_ |= static_cast<std::uint8_t>(1U << i);
    protocol::wipe(room);
  }
  if (forced.name) take_text(Setting::name, *forced.name);
  if (forced.hub) take_text(Setting::hub, *forced.hub);
  if (forced.token) take_text(Setting::token, *forced.token);
}

void Settings::take_default(Setting setting) {
  switch (setting) {
    case Setting::screen_timeout: return preview(setting, defaults_.screen_timeout_s);
    case Setting::name: return take_text(setting, defaults_.name);
    case Setting::hub: return take_text(setting, defaults_.hub);
    case Setting::token: return take_text(setting, defaults_.token);
    default: return preview(setting, spec_of(setting).normal);
  }
}

TextHead& Settings::kept_text(Setting setting) {
  if (setting == Setting::name) return name_;
  return setting == Setting::hub ? static_cast<TextHead&>(hub_) : token_;
}

void Settings::take_text(Setting setting, const std::string_view& text) {
  const auto capacity = static_cast<std::size_t>(spec_of(setting).most);
  TextHead& kept = kept_text(setting);
  kept.wipe(capacity);  // one of them is a secret
  kept.set(text, capacity);
}

bool Settings::take(Setting setting, std::span<const std::byte> value) {
  const Spec& spec = spec_of(setting);
  if (is_number(setting)) {
    if (value.size() != 2) return false;
    const int number = std::to_integer<int>(value[0]) | std::to_integer<int>(value[1]) << 8;
    if (number < spec.least || number > spec.most) return false;
    preview(setting, number);
    return true;
  }
  const std::string_view text{reinterpret_cast<const char*>(value.data()), value.size()};
  const bool address = setting == Setting::hub;
  if (text.size() > static_cast<std::size_t>(spec.most) || !is_clean(text, address)) return false;
  if (address && !text.empty() && !is_url(text)) return false;
  if (text.empty()) {
    take_default(setting);
  } else {
    take_text(setting, text);
  }
  return true;
}

Settings::Outcome Settings::keep(Setting setting, std::span<const std::byte> value) {
  Record room;   // NOLINT: both are filled below, as far as they are read
  Record there;  // NOLINT
  // An empty text is the default: nothing is kept of it.
  const auto record = value.empty() ? std::span<const std::byte>{} : seal(value, room);
  const auto size = store_.get(name(setting), there);
  const bool same =
      size.value_or(0) == record.size() && std::equal(record.begin(), record.end(), there.begin());
  const bool kept = same || put_stored(store_, spec_of(setting).name, record);
  protocol::wipe(room);
  protocol::wipe(there);
  if (kept) damaged_ &= static_cast<std::uint8_t>(~(1U << static_cast<unsigned>(setting)));
  return kept ? Outcome::kept : Outcome::unkept;
}

Settings::Outcome Settings::set(Setting setting, std::string_view text) {
  if (is_number(setting)) {
    const auto value = number_of(setting, text);
    return value ? set(setting, *value) : Outcome::invalid;
  }
  const auto value = std::as_bytes(std::span{text});
  if (!take(setting, value)) return Outcome::invalid;
  return keep(setting, value);
}

Settings::Outcome Settings::set(Setting setting, int value) {
  if (!is_number(setting)) return Outcome::invalid;
  preview(setting, value);
  const int kept = number(setting);
  const std::array<std::byte, 2> bytes{static_cast<std::byte>(kept & 0xFF),
                                       static_cast<std::byte>(kept >> 8)};
  return keep(setting, bytes);
}

void Settings::preview(Setting setting, int value) {
  if (!is_number(setting)) return;
  const Spec& spec = spec_of(setting);
  numbers_[static_cast<std::size_t>(setting)] =
      static_cast<std::int16_t>(std::clamp<int>(value, spec.least, spec.most));
}

std::string_view Settings::text(Setting setting) const {
  if (is_number(setting)) return kTalkModes[number(Setting::talk_mode) != 0 ? 1 : 0];
  return const_cast<Settings*>(this)->kept_text(setting).view();
}

bool Settings::reset_pending() const {
  std::array<std::byte, 1> mark;  // NOLINT: filled below
  return get_stored(store_, kResetMark, mark);
}

bool Settings::begin_reset() {
  const std::array<std::byte, 1> mark{kVersion};
  return put_stored(store_, kResetMark, mark);
}

bool Settings::forget() {
  bool forgotten = true;
  for (std::size_t i = 0; i < kSettings; ++i) {
    take_default(static_cast<Setting>(i));
    forgotten = keep(static_cast<Setting>(i), {}) == Outcome::kept && forgotten;
  }
  return forgotten;
}

void Settings::end_reset() { (void)put_stored(store_, kResetMark, {}); }

}  // namespace gadget::device
