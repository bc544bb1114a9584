#include "load/device.hpp"

#include <array>

#include "protocol/codec.hpp"
#include "protocol/sha256.hpp"

namespace gadget::load {
namespace {

constexpr std::size_t kMessageBytes = 4096;  // the longest that is written here

template <class Message>
std::string written(const Message& message) {
  std::array<char, kMessageBytes> buffer;
  const auto text = protocol::write_message(message, buffer);
  return text ? std::string(*text) : std::string();
}

}  // namespace

protocol::Key key_of(std::size_t index) {
  const std::string name = "hermes-gadget load generator " + std::to_string(index);
  protocol::Sha256 hash;
  protocol::sha256_start(hash);
  protocol::sha256_update(hash, std::as_bytes(std::span(name)));
  return protocol::Key(protocol::sha256_finish(hash));
}

std::string_view type_of(std::string_view text) {
  constexpr std::string_view kBegin = R"({"type":")";
  if (!text.starts_with(kBegin)) return {};
  text.remove_prefix(kBegin.size());
  return text.substr(0, text.find('"'));
}

std::string_view member(std::string_view text, std::string_view quoted_name) {
  const auto at = text.find(quoted_name);
  if (at == std::string_view::npos) return {};
  text.remove_prefix(at + quoted_name.size());
  if (!text.starts_with(":\"")) return {};
  text.remove_prefix(2);
  return text.substr(0, text.find('"'));
}

Device::Device(Loop& loop, std::size_t index, DeviceTraits traits)
    : Client(loop),
      index_(index),
      traits_(std::move(traits)),
      id_(protocol::device_id(key_of(index))) {}

void Device::on_open() {
  protocol::Hello hello;
  hello.proto = protocol::kProtocolVersion;
  hello.device_id = id_;
  const std::string name = "load-" + std::to_string(index_);
  hello.name = name;
  hello.board = "bench";
  hello.firmware = traits_.firmware;
  protocol::DisplayCaps display;
  display.charset = protocol::Charset::utf8;
  hello.caps.display = display;
  hello.caps.mic = protocol::AudioCaps{};
  if (traits_.speaker) hello.caps.speaker = protocol::AudioCaps{};
  if (traits_.ota) hello.caps.ota_max_size = protocol::kMaxOtaBytes;
  send_text(written(hello));
}

void Device::authenticate(std::string_view challenge) {
  const auto mac = protocol::auth_mac(key_of(index_), id_.text(), member(challenge, R"("nonce")"));
  send_text(written(protocol::Auth{.key = {}, .mac = protocol::view(mac)}));
}

void Device::say(std::string_view text) {
  send_text(written(protocol::Text{.id = "1", .text = text}));
}

void Device::on_text(std::span<char> bytes) {
  const std::string_view text(bytes.data(), bytes.size());
  const std::string_view type = type_of(text);
  if (type == "ping") {
    std::string pong(text);
    pong.replace(pong.find("ping"), 4, "pong");
    return send_text(pong);
  }
  if (type == "error") refusal_ = member(text, R"("code")");
  if (welcomed_) return on_message(type, text);
  if (type == "challenge") return authenticate(text);
  if (type != "welcome") return;
  welcomed_ = true;
  on_welcome();
}

}  // namespace gadget::load
