#include "hub/connection/connection.hpp"

#include <algorithm>

#include "hub/core/phrases.hpp"

namespace gadget::hub {
namespace {

constexpr std::uint16_t kCloseNormal = 1000;
constexpr std::uint16_t kClosePolicy = 1008;
constexpr std::size_t kMessageChars = 200;  // of the `message` of an `error`
constexpr std::size_t kSessionBytes = 8;    // random part of `welcome.session`

using Level = LogFact::Level;

std::span<const std::byte> bytes_of(std::string_view text) {
  return {reinterpret_cast<const std::byte*>(text.data()), text.size()};
}

}  // namespace

Connection::Connection(Context& context, ConnectionHost& host, Id id, Hub::Peer peer,
                       std::shared_ptr<Link> link)
    : context_(context), host_(host), id_(id), peer_(std::move(peer)), link_(std::move(link)) {
  last_frame_ = context_.now();
  expect_within(protocol::kHandshakeStepMs, "no hello came within 10 s");
}

void Connection::move(PhaseEvent event) {
  if (const auto phase = next(phase_, event)) phase_ = *phase;
}

void Connection::expect_within(Millis ms, std::string_view what) {
  timer_.set(context_.scheduler, context_.now() + ms, [this, what] { refuse("timeout", what); });
}

// ---- Input ----

void Connection::on_text(std::span<char> message) {
  last_frame_ = context_.now();
  switch (phase_) {
    case Phase::hello: return take_hello(message);
    case Phase::auth: return take_auth(message);
    case Phase::online: return online_text(message);
    case Phase::closing: return host_.still_lives(*this);
  }
}

void Connection::on_binary(std::span<const std::byte> message) {
  last_frame_ = context_.now();
  if (phase_ == Phase::closing) return host_.still_lives(*this);
  if (phase_ != Phase::online) {
    return refuse("protocol", phase_ == Phase::hello ? "expected hello, got a binary message"
                                                     : "expected auth, got a binary message");
  }
  const auto frame = protocol::decode_frame(message);
  if (frame) {
    if (receiver_ != nullptr) receiver_->received(*frame);
    return;
  }
  if (frame.error().code == protocol::ErrorCode::unknown_channel) return count_dropped();
  count_malformed(frame.error());
}

void Connection::on_alive() {
  last_frame_ = context_.now();
  if (phase_ == Phase::closing) host_.still_lives(*this);
}

void Connection::on_gone() { end(); }

void Connection::end() {
  if (phase_ == Phase::closing) return;
  move(PhaseEvent::closed);
  timer_.clear();
  handshake_.reset();
  receiver_ = nullptr;
  host_.ended(*this);
}

// ---- Handshake ----

void Connection::protocol_fault(const protocol::Error& error) {
  std::array<char, kMessageChars> text{};
  refuse("protocol", protocol::describe(error, text));
}

bool Connection::token_fits(const protocol::Hello& hello) const {
  const std::string& expected = context_.options.access_token;
  if (expected.empty()) return true;
  if (!hello.token) return false;
  // Digests are compared, so that not even the length of the token shows in the time (H7).
  const auto digest = [](std::string_view text) {
    protocol::Sha256 hash;
    protocol::sha256_start(hash);
    protocol::sha256_update(hash, bytes_of(text));
    return protocol::sha256_finish(hash);
  };
  return protocol::equal_constant_time(digest(*hello.token), digest(expected));
}

void Connection::take_hello(std::span<char> message) {
  const auto parsed = protocol::parse_device_message(message);
  if (!parsed) return protocol_fault(parsed.error());
  const auto* hello = std::get_if<protocol::Hello>(&*parsed);
  if (hello == nullptr) return refuse("protocol", "type is not hello, which comes first");
  if (hello->proto != protocol::kProtocolVersion) {
    return refuse("protocol", "proto is not 1, the only version that this hub speaks");
  }
  caps_ = hello->caps;
  if (!token_fits(*hello)) return refuse("bad_token", "the access token is missing or wrong");
  auto introduction = introduce(*hello, context_.wall());
  if (!introduction) return refuse("protocol", introduction.error().text);
  const auto record = context_.parts.store->device(introduction->id);
  if (!record) {
    context_.log(Level::error, "store.failed", {{"text", record.error().text}});
    return refuse("busy", "the hub cannot read its store");
  }
  handshake_ = std::make_unique<Handshake>();
  handshake_->device_nonce = std::move(introduction->nonce);
  handshake_->introduction = std::move(*introduction);
  challenge(record->has_value());
}

void Connection::challenge(bool enrolled) {
  std::array<std::byte, protocol::kNonceBytes> random{};
  context_.environment.random(random);
  handshake_->nonce = protocol::nonce_text(random);
  handshake_->enrolled = enrolled;
  move(PhaseEvent::hello_taken);
  send(protocol::Challenge{.nonce = protocol::view(handshake_->nonce), .enrolled = enrolled});
  expect_within(protocol::kHandshakeStepMs, "no auth came within 10 s");
}

void Connection::take_auth(std::span<char> message) {
  const auto parsed = protocol::parse_device_message(message);
  if (!parsed) return protocol_fault(parsed.error());
  const auto* auth = std::get_if<protocol::Auth>(&*parsed);
  if (auth == nullptr) return refuse("protocol", "type is not auth, which answers the challenge");
  if (auth->key.has_value() == auth->mac.has_value()) {
    return refuse("protocol", "auth has to hold either key or mac");
  }
  check_proof(*auth);
}

// E10: what this connection's challenge said decides what is expected.
void Connection::check_proof(const protocol::Auth& auth) {
  constexpr std::string_view kFailed = "the device could not prove its identity";
  const DeviceId id = handshake_->introduction.id;
  const auto record = context_.parts.store->device(id);
  if (!record) return refuse("busy", "the hub cannot read its store");
  bool right = false;
  bool first = false;
  protocol::Key key;
  if (handshake_->enrolled) {
    if (auth.mac && record->has_value()) {
      key = (*record)->key;
      const auto expected = protocol::auth_mac(key, id.text(), protocol::view(handshake_->nonce));
      right = protocol::mac_matches(expected, *auth.mac);
    }
  } else if (auth.key) {
    if (const auto given = protocol::key_from_text(*auth.key)) {
      key = *given;
      first = !record->has_value();
      right = protocol::device_id(key) == id &&
              (first || protocol::equal_constant_time(key.reveal(), (*record)->key.reveal()));
    }
  }
  if (!right) {
    context_.log(Level::warning, "auth.failed",
                 {{"device", std::string(id.text())}, {"address", peer_.address}});
    return refuse("auth_failed", kFailed);
  }
  if (const auto refusal = host_.authenticated(*this, handshake_->introduction, key, first)) {
    return refuse(refusal->code, refusal->message);
  }
}

void Connection::welcome(bool paired, const protocol::Key& key, bool first) {
  const DeviceId id = handshake_->introduction.id;
  move(PhaseEvent::auth_taken);
  ++context_.counters.welcomes;
  if (first) ++context_.counters.enrolments;
  device_ = id;
  const std::string session = context_.random_hex(kSessionBytes);
  heartbeat_ms_ = context_.options.heartbeat_s * 1000;
  const std::string heartbeat = std::to_string(context_.options.heartbeat_s);
  const std::string server = plain(context_.options.server_name, caps_.charset());
  const std::string time = std::to_string(context_.wall());
  std::string offset;
  if (context_.environment.utc_offset_s) {
    offset =
        std::to_string(context_.environment.utc_offset_s(context_.timezone(id), context_.wall()));
  }
  protocol::Welcome welcome{.session = session,
                            .paired = paired,
                            .heartbeat_s = {heartbeat},
                            .server = server,
                            .proto = protocol::kProtocolVersion,
                            .mac = {},
                            .time_ms = {time},
                            .utc_offset_s = {offset}};
  protocol::MacText proof{};
  if (!handshake_->device_nonce.empty() &&
      !first) {  // N1: on a first contact there is none to check
    proof = protocol::hub_mac(key, id.text(), handshake_->device_nonce);
    welcome.mac = protocol::view(proof);
  }
  handshake_.reset();
  send(welcome);
  next_ping_ = context_.now() + heartbeat_ms_;
  beat();
}

// ---- Online ----

void Connection::online_text(std::span<char> message) {
  const auto parsed = protocol::parse_device_message(message);
  if (!parsed) return count_malformed(parsed.error());
  if (const auto* ping = std::get_if<protocol::Ping>(&*parsed)) {
    return send(protocol::Pong{ping->ts});
  }
  if (std::holds_alternative<protocol::Pong>(*parsed)) return;
  const bool out_of_place = std::holds_alternative<protocol::Unknown>(*parsed) ||
                            std::holds_alternative<protocol::Hello>(*parsed) ||
                            std::holds_alternative<protocol::Auth>(*parsed);
  if (out_of_place) return count_dropped();
  if (receiver_ != nullptr) receiver_->received(*parsed);
}

void Connection::count_malformed(const protocol::Error& error) {
  ++context_.counters.malformed;
  ++malformed_;
  if (!malformed_times_) malformed_times_ = std::make_unique<std::deque<Millis>>();
  auto& times = *malformed_times_;
  const Millis now = context_.now();
  while (!times.empty() && times.front() <= now - limits::kMalformedWindowMs) times.pop_front();
  times.push_back(now);
  if (times.size() == 1) {  // the first of a window stands for all of it
    std::array<char, kMessageChars> text{};
    context_.log(Level::warning, "message.malformed",
                 {{"device", std::string(device_->text())},
                  {"conn", std::to_string(id_)},
                  {"why", std::string(protocol::describe(error, text))}});
  }
  if (times.size() <= limits::kMalformedInWindow) return;
  refuse("protocol", "more than 100 malformed messages in 10 s");
}

void Connection::beat() {
  const Millis now = context_.now();
  const Millis dead = last_frame_ + protocol::kHeartbeatsUntilDead * heartbeat_ms_;
  if (now >= dead) return close(kCloseNormal, "heartbeat timeout");
  if (now >= next_ping_) {
    const std::string wall = std::to_string(context_.wall());
    send(protocol::Ping{{wall}});
    // Kept on its grid, unless the loop stood still for longer than a beat.
    next_ping_ = std::max(next_ping_ + heartbeat_ms_, now + 1);
  }
  timer_.set(context_.scheduler, std::min(next_ping_, dead), [this] { beat(); });
}

// ---- Output ----

void Connection::send_text(std::string text, Link::Kind kind) {
  if (phase_ == Phase::closing || text.empty()) return;
  link_->send_text(std::move(text), kind);
}

void Connection::send_binary(protocol::Channel channel, std::uint8_t stream, std::uint16_t sequence,
                             std::span<const std::byte> payload) {
  if (phase_ == Phase::closing) return;
  std::vector<std::byte> message(protocol::kFrameHeaderBytes + payload.size());
  protocol::encode_header({channel, stream, sequence, payload}, message);
  std::copy(payload.begin(), payload.end(), message.begin() + protocol::kFrameHeaderBytes);
  const auto kind = channel == protocol::Channel::audio   ? Link::Kind::audio
                    : channel == protocol::Channel::image ? Link::Kind::image
                                                          : Link::Kind::firmware;
  if (channel == protocol::Channel::audio) audio_stream_ = stream;
  link_->send_binary(std::move(message), kind, stream);
}

void Connection::send_firmware(std::uint8_t stream, std::uint16_t sequence,
                               std::span<const std::byte> payload,
                               std::shared_ptr<const void> owner) {
  if (phase_ == Phase::closing) return;
  std::array<std::byte, protocol::kFrameHeaderBytes> header{};
  protocol::encode_header({protocol::Channel::firmware, stream, sequence, payload}, header);
  link_->send_shared(header, payload, std::move(owner), Link::Kind::firmware, stream);
}

void Connection::drop_stream(std::uint8_t stream) {
  if (stream == audio_stream_) audio_stream_ = 0;
  if (phase_ != Phase::closing) link_->drop_stream(stream);
}

void Connection::drop_late_audio() {
  if (audio_stream_ != 0) drop_stream(audio_stream_);
}

void Connection::notice(std::string_view text) {
  const std::string shaped = plain(text, caps_.charset());
  const std::string ttl = std::to_string(limits::kNoticeTtlS);
  send_fitting(protocol::Notice{.text = shaped, .ttl_s = {ttl}}, &protocol::Notice::text);
}

std::uint8_t Connection::next_stream(protocol::Channel channel) {
  auto& newest = newest_streams_[static_cast<std::size_t>(channel) - 1];
  newest = 0;
  do {
    stream_ = stream_ == protocol::kMaxHubStream ? std::uint8_t{protocol::kMinHubStream}
                                                 : static_cast<std::uint8_t>(stream_ + 1);
  } while (std::find(newest_streams_.begin(), newest_streams_.end(), stream_) !=
           newest_streams_.end());
  newest = stream_;
  return stream_;
}

void Connection::close(std::uint16_t code, std::string_view reason) {
  if (phase_ == Phase::closing) return;
  context_.counters.closes.add(std::to_string(code));
  context_.log(Level::info, "connection.closed",
               {{"device", device_ ? std::string(device_->text()) : std::string("-")},
                {"conn", std::to_string(id_)},
                {"code", std::to_string(code)},
                {"reason", std::string(reason)}});
  const auto link = link_;
  end();
  link->close(code, std::string(reason));
}

void Connection::refuse(std::string_view code, std::string_view message) {
  context_.counters.refusals.add(code);
  const std::string text = plain(message, caps_.charset());
  send(protocol::ErrorMessage{.code = code, .message = text});
  close(kClosePolicy, code);
}

}  // namespace gadget::hub
