#include "ports/desktop/stand_in.hpp"

#include <algorithm>
#include <array>
#include <random>
#include <variant>
#include <vector>

#include "device/core/settings.hpp"
#include "protocol/codec.hpp"
#include "protocol/json_writer.hpp"

namespace gadget::ports::desktop {
namespace {

constexpr std::string_view kKey = "key";
constexpr std::string_view kToken = "token";
constexpr std::string_view kNoToken = "\n";  // as invalid as what it stands for
constexpr std::string_view kTokenStandIn = "not-the-real-token-";

protocol::Key random_key() {
  static std::random_device device;  // the kernel's generator
  std::array<std::byte, protocol::kKeyBytes> bytes{};
  for (auto& byte : bytes) byte = static_cast<std::byte>(device());
  const protocol::Key key{bytes};
  protocol::wipe(bytes);
  return key;
}

// Names that cannot occur by chance: an id, a MAC, a token of its own.
void replace(std::string& text, std::string_view what, std::string_view by) {
  if (what.empty()) return;
  for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size())) {
    text.replace(at, what.size(), by);
  }
}

// A store with room for one value: to read and write one as the core's settings do.
class OneValue final : public device::Store {
 public:
  std::optional<std::size_t> get(std::string_view name, std::span<std::byte> out) override {
    if (name != kToken || value.size() > out.size()) return std::nullopt;
    std::copy(value.begin(), value.end(), out.begin());
    return value.size();
  }
  bool put(std::string_view, std::span<const std::byte> bytes) override {
    value.assign(bytes.begin(), bytes.end());
    return true;
  }
  std::vector<std::byte> value;
};

// A token as it lies in a store; empty: that is none.
std::vector<std::byte> sealed(std::string_view token) {
  OneValue store;
  device::Settings settings{store, {}};
  if (settings.set(device::Setting::token, token) == device::Settings::Outcome::invalid) return {};
  return store.value;
}

template <class Message>
std::span<char> write(const Message& message, std::string& room) {
  room.resize(protocol::kMaxMessageBytes);
  const auto text = protocol::write_message(message, room);
  room.resize(text ? text->size() : 0);
  return room;
}

// A string as it stands in JSON, with its quotes; empty for an empty one.
std::string json_text(std::string_view text) {
  if (text.empty()) return {};
  std::string room(6 * text.size() + 2, '\0');  // every byte as \u00XX
  protocol::JsonWriter writer{room};
  writer.string(text);
  return std::string{writer.finish().value_or("")};
}

bool is(std::string_view message, std::string_view type) {
  return message.find(type) != std::string_view::npos;
}

}  // namespace

StandIn::StandIn(device::Store& store, std::string token)
    : store_(store), token_(std::move(token)) {
  std::array<std::byte, protocol::kKeyBytes> bytes{};
  if (store_.get(kKey, bytes) == bytes.size()) {
    real_ = protocol::Key{bytes};
  } else if (const auto made = random_key(); store_.put(kKey, made.reveal())) {
    real_ = made;
  }
  protocol::wipe(bytes);
  other_ = random_key();
  token_stand_in_ = kTokenStandIn;
  token_stand_in_ += protocol::device_id(random_key()).text().substr(3);
}

std::optional<protocol::DeviceId> StandIn::id() const {
  if (!real_) return std::nullopt;
  return protocol::device_id(*real_);
}

// ---- The store

std::string_view StandIn::set_token(std::string_view token) {
  if (token.empty()) return token;
  if (sealed(token).empty()) return kNoToken;
  token_ = token;
  return token_stand_in_;
}

// A token that was set on the device lies in the store as the core's settings write it.
std::optional<std::size_t> StandIn::get_token(std::span<std::byte> out) {
  const auto size = store_.get(kToken, out);
  if (!size || *size == 0) return size;
  OneValue kept;
  kept.value.assign(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(*size));
  device::Settings settings{kept, {}};
  settings.load({});
  const std::string real{settings.text(device::Setting::token)};
  kept.value = sealed(real.empty() ? real : token_stand_in_);
  if (kept.value.empty() || kept.value.size() > out.size()) {  // damaged: what is there stays here
    out[0] = std::byte{0};
    return 1;
  }
  token_ = real;
  std::copy(kept.value.begin(), kept.value.end(), out.begin());
  return kept.value.size();
}

std::optional<std::size_t> StandIn::get(std::string_view name, std::span<std::byte> out) {
  if (name == kToken) return get_token(out);
  if (name != kKey) return store_.get(name, out);
  if (!real_ || out.size() < protocol::kKeyBytes) return std::nullopt;
  std::copy(other_.reveal().begin(), other_.reveal().end(), out.begin());
  return protocol::kKeyBytes;
}

bool StandIn::put(std::string_view name, std::span<const std::byte> value) {
  if (name == kToken && !value.empty()) return store_.put(kToken, sealed(token_));
  if (name != kKey || value.size() != protocol::kKeyBytes) return store_.put(name, value);
  const protocol::Key made = random_key();
  if (!store_.put(kKey, made.reveal())) return false;
  real_ = made;
  other_ = protocol::Key{value.first<protocol::kKeyBytes>()};
  return true;
}

// ---- Messages

std::string_view StandIn::outbound(std::string_view message) {
  const bool hello = is(message, R"("hello")");
  const bool auth = is(message, R"("auth")");
  const bool ready = is(message, R"("ota.ready")");
  if (!real_ || !(hello || auth || ready)) return message;
  out_ = message;
  const auto parsed = protocol::parse_device_message(out_);
  if (!parsed) return message;
  const auto id = protocol::device_id(*real_);
  const auto other_id = protocol::device_id(other_);
  if (const auto* const said = std::get_if<protocol::OtaReady>(&*parsed)) ota_nonce_ = said->nonce;
  if (const auto* const said = std::get_if<protocol::Hello>(&*parsed)) {
    hello_nonce_ = said->nonce;
    out_ = message;  // parsing decoded it in place
    replace(out_, other_id.text(), id.text());
    if (!token_.empty()) replace(out_, json_text(token_stand_in_), json_text(token_));
    return out_;
  }
  if (std::get_if<protocol::Auth>(&*parsed) != nullptr) {
    out_ = message;
    replace(out_, protocol::view(protocol::key_text(other_)),
            protocol::view(protocol::key_text(*real_)));
    replace(out_, protocol::view(protocol::auth_mac(other_, other_id.text(), challenge_nonce_)),
            protocol::view(protocol::auth_mac(*real_, id.text(), challenge_nonce_)));
    return out_;
  }
  return message;
}

std::span<char> StandIn::inbound(std::span<char> message) {
  const std::string_view text{message.data(), message.size()};
  if (!real_) return message;
  if (is(text, "welcome")) return welcome(message);
  if (is(text, "ota.begin")) return ota_begin(message);
  if (!is(text, "challenge") && !is(text, "ota.offer")) return message;
  std::string copy{text};
  const auto parsed = protocol::parse_hub_message(copy);
  if (!parsed) return message;
  if (const auto* const said = std::get_if<protocol::Challenge>(&*parsed)) {
    challenge_nonce_ = said->nonce;
  } else if (const auto* const offer = std::get_if<protocol::OtaOffer>(&*parsed)) {
    ota_sha256_ = offer->sha256;
    ota_size_bytes_ = static_cast<std::uint64_t>(offer->size_bytes);
  }
  return message;
}

// A proof that is right becomes a right one for the stand-in; a wrong one stays, and is wrong for
// both.
std::span<char> StandIn::welcome(std::span<char> message) {
  std::string copy{message.data(), message.size()};
  const auto parsed = protocol::parse_hub_message(copy);
  if (!parsed) return message;
  const auto* const said = std::get_if<protocol::Welcome>(&*parsed);
  if (said == nullptr) return message;
  const auto right = protocol::hub_mac(*real_, protocol::device_id(*real_).text(), hello_nonce_);
  if (!protocol::mac_matches(right, said->mac)) return message;
  const auto mac = protocol::hub_mac(other_, protocol::device_id(other_).text(), hello_nonce_);
  protocol::Welcome mine = *said;
  mine.mac = protocol::view(mac);
  return write(mine, in_);
}

std::span<char> StandIn::ota_begin(std::span<char> message) {
  std::string copy{message.data(), message.size()};
  const auto parsed = protocol::parse_hub_message(copy);
  if (!parsed) return message;
  const auto* const said = std::get_if<protocol::OtaBegin>(&*parsed);
  if (said == nullptr) return message;
  const auto right = protocol::ota_mac(*real_, protocol::device_id(*real_).text(), ota_nonce_,
                                       ota_sha256_, ota_size_bytes_);
  if (!protocol::mac_matches(right, said->mac)) return message;
  const auto mac = protocol::ota_mac(other_, protocol::device_id(other_).text(), ota_nonce_,
                                     ota_sha256_, ota_size_bytes_);
  return write(protocol::OtaBegin{.mac = protocol::view(mac)}, in_);
}

}  // namespace gadget::ports::desktop
