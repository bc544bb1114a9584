#include "device/websocket/client.hpp"

#include <algorithm>

#include "protocol/utf8.hpp"

namespace gadget::device::websocket {
namespace {

constexpr std::uint16_t kNoCode = 1005;
constexpr std::uint16_t kNoCloseFrame = 1006;
constexpr std::uint16_t kProtocolError = 1002;
constexpr std::uint16_t kBadPayload = 1007;
constexpr std::uint16_t kTooBig = 1009;

// How much of a payload is masked at a time: on the stack, so small.
constexpr std::size_t kMaskPieceBytes = 256;
// A fragment smaller than this is not worth its header, unless the message ends with it.
constexpr std::size_t kFragmentBytes = 64;

// The request between what is given: path, host, key, subprotocol, further headers.
constexpr std::array<std::string_view, 6> kRequestLines{
    "GET ",
    " HTTP/1.1\r\nHost: ",
    "\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
    "Sec-WebSocket-Key: ",
    "\r\nSec-WebSocket-Protocol: ",
    "\r\n",
    "\r\n"};
constexpr std::size_t kProtocolLine = 3;

std::span<const std::byte> as_bytes(std::string_view text) {
  return {reinterpret_cast<const std::byte*>(text.data()), text.size()};
}

std::string_view as_text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::size_t header_bytes(std::size_t payload) {
  return payload < 126 ? 6 : payload < 65'536 ? 8 : 14;
}

}  // namespace

// GCC does not see that ~Watch takes the pointer to itself away again.
#pragma GCC diagnostic push
#if !defined(__clang__)
#pragma GCC diagnostic ignored "-Wdangling-pointer"
#endif

// Lives on the stack of a call that makes callbacks. The Client may be gone after one of them.
class Client::Watch {
 public:
  explicit Watch(Client& client)
      : client_(&client), outer_(client.watch_), generation_(client.generation_) {
    client.watch_ = this;
  }
  ~Watch() {
    if (client_ != nullptr) client_->watch_ = outer_;
  }
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;
  // Whether the Client still exists and is at the same connection.
  [[nodiscard]] bool holds() const {
    return client_ != nullptr && client_->generation_ == generation_;
  }
  void client_is_gone() {
    client_ = nullptr;
    if (outer_ != nullptr) outer_->client_is_gone();
  }

 private:
  Client* client_;
  Watch* outer_;
  std::uint32_t generation_;
};

Client::Client(std::span<std::byte> receive_buffer, Port& port)
    : buffer_(receive_buffer), port_(port) {
  reset();
}

Client::~Client() {
  if (watch_ != nullptr) watch_->client_is_gone();
}

void Client::reset() {
  ++generation_;
  phase_ = Phase::idle;
  reading_ = Reading::header;
  head_size_ = 0;
  header_reader_.reset();
  frame_left_ = 0;
  in_message_ = false;
  utf8_ = {};
  outgoing_ = false;
  outgoing_left_ = 0;
  waits_ = false;
}

bool Client::start(const Request& request) {
  reset();
  std::array<std::byte, 16> random;  // NOLINT: filled by the port
  port_.random(random);
  key_ = key_text(random);
  offered_ = request.subprotocol;

  // Put together in the receive buffer, which nothing else needs yet, and sent in one piece.
  std::size_t size = 0;
  const std::array<std::string_view, kRequestLines.size()> given{
      request.path, request.host, {key_.data(), key_.size()}, offered_, request.headers, {}};
  for (std::size_t i = 0; i < kRequestLines.size(); ++i) {
    if (i == kProtocolLine && offered_.empty()) continue;
    for (const std::string_view text : {kRequestLines[i], given[i]}) {
      if (text.size() > buffer_.size() - size) return false;
      const auto bytes = as_bytes(text);
      std::copy(bytes.begin(), bytes.end(), buffer_.data() + size);
      size += bytes.size();
    }
  }
  if (size > port_.room()) return false;
  port_.send(buffer_.first(size));
  phase_ = Phase::upgrade;
  return true;
}

void Client::feed(std::span<const std::byte> received) {
  const Watch watch{*this};
  for (const auto byte : received) {
    if (!watch.holds() || phase_ == Phase::idle) return;
    if (phase_ == Phase::upgrade) {
      take_head(byte);
    } else if (reading_ == Reading::header) {
      take_header(byte);
    } else {
      take_payload(byte);
    }
  }
}

// The head is gathered in the receive buffer; what follows it in the same segment is frames (B-15).
void Client::take_head(std::byte byte) {
  if (head_size_ == std::min(buffer_.size(), kHeadBytes)) {
    return refuse({.why = Refusal::head_too_long});
  }
  buffer_[head_size_++] = byte;
  const auto head = as_text(buffer_.first(head_size_));
  if (!head.ends_with("\r\n\r\n")) return;
  const Answer answer = judge(head, key_, offered_);
  if (!answer.accepted) return refuse(answer.refused);
  phase_ = Phase::open;
  port_.on_open(answer.subprotocol);
}

void Client::take_header(std::byte byte) {
  const auto step = header_reader_.take(byte);
  if (step == HeaderReader::Step::more) return;
  if (step == HeaderReader::Step::fault) return fault(kProtocolError);
  if (begin_frame() && frame_left_ == 0) end_frame();
}

// Judges a header in the light of the message so far. False: the connection has ended.
bool Client::begin_frame() {
  const Watch watch{*this};
  port_.on_sign_of_life();
  if (!watch.holds()) return false;
  reading_ = Reading::payload;
  if (is_control(frame().opcode)) {
    frame_left_ = static_cast<std::uint32_t>(frame().size);
    control_size_ = 0;
    return true;
  }
  const bool continues = frame().opcode == Opcode::continuation;
  if (continues != in_message_) {  // an orphan (B-07), or a new message inside an open one (B-03)
    fault(kProtocolError);
    return false;
  }
  if (!continues) {
    in_message_ = true;
    kind_ = frame().opcode == Opcode::text ? Kind::text : Kind::binary;
    message_size_ = 0;
    kept_ = 0;
    kept_partial_ = 0;
    utf8_ = {};
  }
  if (frame().size > kMessageBytes - message_size_) {
    fault(kTooBig);
    return false;
  }
  frame_left_ = static_cast<std::uint32_t>(frame().size);
  return true;
}

void Client::take_payload(std::byte byte) {
  --frame_left_;
  if (is_control(frame().opcode)) {
    control_[control_size_++] = byte;
  } else {
    const bool text = kind_ == Kind::text;
    if (text && !utf8_.take(byte)) return fault(kBadPayload);
    ++message_size_;
    if (kept_ < buffer_.size()) {
      buffer_[kept_++] = byte;
      kept_partial_ = text ? utf8_.partial() : 0;
    }
  }
  if (frame_left_ == 0) end_frame();
}

void Client::end_frame() {
  reading_ = Reading::header;
  if (is_control(frame().opcode)) return end_control();
  if (!frame().fin) return;
  in_message_ = false;
  if (kind_ == Kind::text && !utf8_.at_boundary()) return fault(kBadPayload);
  if (phase_ != Phase::open) return;  // after close() nothing more is told
  const bool cut = message_size_ > kept_;
  const auto bytes = buffer_.first(cut ? kept_ - kept_partial_ : kept_);
  port_.on_message({kind_, bytes, message_size_});
}

void Client::end_control() {
  const auto payload = std::span<const std::byte>{control_}.first(control_size_);
  switch (frame().opcode) {
    case Opcode::ping:
      if (phase_ != Phase::open) return;
      // Only the newest ping needs its pong (RFC 6455, 5.5.3); it waits when there is no room.
      waiting_ = control_;
      waiting_size_ = payload.size();
      waiting_opcode_ = Opcode::pong;
      waits_ = true;
      return pump();
    case Opcode::close: return end_close(payload);
    default: return;  // a pong, asked for or not
  }
}

void Client::end_close(std::span<const std::byte> payload) {
  if (payload.size() == 1) return fault(kProtocolError);
  std::uint16_t code = kNoCode;
  auto reason = payload;
  if (!payload.empty()) {
    code = static_cast<std::uint16_t>(static_cast<unsigned>(payload[0]) << 8U |
                                      static_cast<unsigned>(payload[1]));
    if (!is_close_code(code)) return fault(kProtocolError);
    reason = payload.subspan(2);
    if (!protocol::is_utf8(as_text(reason))) return fault(kBadPayload);
  }
  // Without room the answer is dropped: the stream is closed next anyway.
  queue_close(code == kNoCode ? 1000 : code, {});
  finish(ClosedBy::peer, code, as_text(reason));
}

void Client::fault(std::uint16_t code) {
  queue_close(code, {});
  finish(ClosedBy::fault, code);
}

// After our close frame it is we who closed, however it ends.
void Client::finish(ClosedBy by, std::uint16_t code, std::string_view reason) {
  Closed closed{by, code, reason, false};
  if (phase_ == Phase::closing) closed = {ClosedBy::us, our_code_, {}, by == ClosedBy::peer};
  reset();
  port_.on_closed(closed);
}

void Client::refuse(const Refused& refused) {
  reset();
  port_.on_refused(refused);
}

void Client::stream_ended() {
  if (phase_ == Phase::idle) return;
  if (phase_ == Phase::upgrade) return refuse({.why = Refusal::connection_ended});
  finish(ClosedBy::lost, kNoCloseFrame);
}

bool Client::send(Kind kind, std::span<const std::byte> message) {
  if (phase_ != Phase::open || outgoing_) return false;
  pump();
  return send_frame(kind == Kind::text ? Opcode::text : Opcode::binary, true, message);
}

bool Client::begin(Kind kind, std::size_t total) {
  if (phase_ != Phase::open || outgoing_) return false;
  if (total == 0) return send(kind, {});
  outgoing_ = true;
  outgoing_first_ = true;
  outgoing_kind_ = kind;
  outgoing_left_ = total;
  return true;
}

std::size_t Client::more(std::span<const std::byte> piece) {
  if (phase_ != Phase::open || !outgoing_) return 0;
  pump();
  const std::size_t room = port_.room();
  if (room <= kMaxHeaderBytes) return 0;
  piece = piece.first(std::min(piece.size(), outgoing_left_));
  const std::size_t size = std::min(piece.size(), room - kMaxHeaderBytes);
  const bool last = size == outgoing_left_;
  if (size == 0 || (size < std::min(piece.size(), kFragmentBytes) && !last)) return 0;
  const Opcode opcode = !outgoing_first_               ? Opcode::continuation
                        : outgoing_kind_ == Kind::text ? Opcode::text
                                                       : Opcode::binary;
  if (!send_frame(opcode, last, piece.first(size))) return 0;
  outgoing_first_ = false;
  outgoing_left_ -= size;
  outgoing_ = !last;
  return size;
}

// One frame, whole or not at all. Masked in pieces, with a mask of its own.
bool Client::send_frame(Opcode opcode, bool fin, std::span<const std::byte> payload) {
  if (payload.size() + header_bytes(payload.size()) > port_.room()) return false;
  std::array<std::byte, 4> mask;  // NOLINT: filled by the port
  port_.random(mask);
  std::array<std::byte, kMaxHeaderBytes + kMaskPieceBytes> piece;  // NOLINT: filled below
  std::size_t filled =
      encode_header(opcode, fin, payload.size(), mask, std::span{piece}.first<kMaxHeaderBytes>());
  for (std::size_t i = 0; i < payload.size(); ++i) {
    piece[filled++] = payload[i] ^ mask[i % 4];
    if (filled == piece.size()) {
      port_.send(piece);
      filled = 0;
    }
  }
  if (filled > 0) port_.send(std::span<const std::byte>{piece}.first(filled));
  return true;
}

// The first one only.
void Client::queue_close(std::uint16_t code, std::string_view reason) {
  if (phase_ == Phase::closing) return;
  waiting_[0] = static_cast<std::byte>(code >> 8U);
  waiting_[1] = static_cast<std::byte>(code & 0xFFU);
  const std::span text{reinterpret_cast<char*>(waiting_.data()) + 2, kControlBytes - 2};
  waiting_size_ = 2 + protocol::copy_cut(reason, text);
  waiting_opcode_ = Opcode::close;
  waits_ = true;
  pump();
}

void Client::close(std::uint16_t code, std::string_view reason) {
  if (phase_ == Phase::upgrade) return reset();
  if (phase_ != Phase::open) return;
  our_code_ = code;
  queue_close(code, reason);
  phase_ = Phase::closing;
}

void Client::pump() {
  if (waits_ && send_frame(waiting_opcode_, true, std::span{waiting_}.first(waiting_size_))) {
    waits_ = false;
  }
}

}  // namespace gadget::device::websocket

#pragma GCC diagnostic pop
