#include "conformance/peer.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

namespace gadget::conformance {
namespace asio = boost::asio;
namespace {

constexpr std::uint8_t kContinuation = 0, kText = 1, kBinary = 2, kClose = 8, kPing = 9, kPong = 10;
constexpr std::uint16_t kLost = 1006;
constexpr std::uint32_t kMask = 0x01020304;  // any four bytes will do
constexpr milliseconds kUpgradeWait{5'000};

// Runs one operation to its end on this thread.
template <class T>
T await(asio::io_context& loop, asio::awaitable<T> operation) {
  std::optional<T> result;
  asio::co_spawn(
      loop, [&]() -> asio::awaitable<void> { result.emplace(co_await std::move(operation)); },
      asio::detached);
  loop.restart();
  loop.run();
  return std::move(*result);
}

std::string upgrade_request(const OpenOptions& options) {
  std::string offers;
  for (const std::string& offer : options.offers) offers += (offers.empty() ? "" : ", ") + offer;
  bool has_host = false;
  std::string headers;
  for (const wire::Header& header : options.headers) {
    has_host = has_host || header.name == "Host";
    headers += header.name + ": " + header.value + "\r\n";
  }
  if (!has_host) headers += "Host: " + options.host + ":" + std::to_string(options.port) + "\r\n";
  if (!offers.empty()) headers += "Sec-WebSocket-Protocol: " + offers + "\r\n";
  return "GET " + options.path +
         " HTTP/1.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
         "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n" +
         headers + "\r\n";
}

}  // namespace

Peer::Peer(asio::io_context& loop, wire::RawConnection connection, bool client)
    : loop_(loop),
      connection_(std::make_unique<wire::RawConnection>(std::move(connection))),
      client_(client) {}

Result<std::unique_ptr<Peer>> Peer::connect(asio::io_context& loop, const OpenOptions& options,
                                            Opened& opened) {
  wire::ConnectOptions to;
  to.host = options.host;
  to.port = options.port;
  auto connection = await(loop, wire::RawConnection::connect(to));
  if (!connection) return tl::unexpected<Failure>(connection.error());
  auto peer = std::unique_ptr<Peer>(new Peer(loop, std::move(*connection), true));
  if (auto sent = peer->send_raw(upgrade_request(options)); !sent)
    return tl::unexpected<Failure>(sent.error());
  const auto head = await(loop, peer->connection_->receive_head(kUpgradeWait));
  if (!head) return tl::unexpected<Failure>(head.error());
  opened.status = head->status;
  opened.selected = head->header("Sec-WebSocket-Protocol");
  opened.extensions = head->header("Sec-WebSocket-Extensions");
  return peer;
}

Result<std::unique_ptr<Peer>> Peer::accept(asio::io_context& loop, wire::RawListener& listener,
                                           milliseconds wait) {
  auto connection = await(loop, listener.accept(wait));
  if (!connection) return tl::unexpected<Failure>(connection.error());
  auto head = await(loop, connection->accept_upgrade("hermes-gadget.v1", wait));
  if (!head) return tl::unexpected<Failure>(head.error());
  return std::unique_ptr<Peer>(new Peer(loop, std::move(*connection), false));
}

Result<void> Peer::send_raw(std::string_view bytes) {
  return await(loop_, connection_->send(bytes));
}

Result<void> Peer::send_frame(std::uint8_t opcode, std::string_view payload) {
  wire::RawFrame frame;
  frame.opcode = opcode;
  frame.payload = std::string(payload);
  return send_raw(wire::encode_frame(frame, client_ ? std::optional(kMask) : std::nullopt));
}

Result<void> Peer::send_text(std::string_view text) { return send_frame(kText, text); }
Result<void> Peer::send_binary(std::string_view bytes) { return send_frame(kBinary, bytes); }

void Peer::drop() {
  connection_->reset();
  close_ = Incoming{Incoming::Kind::close, "dropped by the scenario", kLost, received_};
}

std::optional<Incoming> Peer::receive(milliseconds wait) {
  if (close_) return close_;
  const auto deadline = std::chrono::steady_clock::now() + wait;
  for (;;) {
    const auto left =
        std::max(milliseconds{1},
                 std::chrono::ceil<milliseconds>(deadline - std::chrono::steady_clock::now()));
    const auto frame = await(loop_, connection_->receive_frame(left));
    if (!frame) {
      if (frame.error().code == FailureCode::timeout) return std::nullopt;
      close_ = Incoming{Incoming::Kind::close, frame.error().text, kLost, received_++};
      return close_;
    }
    switch (frame->opcode) {
      case kPing: (void)send_frame(kPong, frame->payload); continue;
      case kPong: continue;
      case kClose:
        close_ = Incoming{Incoming::Kind::close, std::string(frame->close_reason()),
                          frame->close_code(), received_++};
        (void)send_frame(kClose, frame->payload);
        return close_;
      case kContinuation: fragments_ += frame->payload; break;
      default: fragments_opcode_ = frame->opcode; fragments_ = frame->payload;
    }
    if (!frame->fin) continue;
    const auto kind = fragments_opcode_ == kText ? Incoming::Kind::text : Incoming::Kind::binary;
    return Incoming{kind, std::move(fragments_), 0, received_++};
  }
}

std::optional<Incoming> Peer::take(std::deque<Incoming>& mine, Incoming::Kind kind,
                                   milliseconds wait) {
  const auto deadline = std::chrono::steady_clock::now() + wait;
  while (mine.empty()) {
    const auto left = std::chrono::ceil<milliseconds>(deadline - std::chrono::steady_clock::now());
    if (left.count() <= 0) return std::nullopt;
    auto came = receive(left);
    if (!came || came->kind == kind || came->kind == Incoming::Kind::close) return came;
    (came->kind == Incoming::Kind::text ? texts_ : binaries_).push_back(std::move(*came));
  }
  Incoming first = std::move(mine.front());
  mine.pop_front();
  return first;
}

std::optional<Incoming> Peer::next_text(milliseconds wait) {
  return take(texts_, Incoming::Kind::text, wait);
}
std::optional<Incoming> Peer::next_binary(milliseconds wait) {
  return take(binaries_, Incoming::Kind::binary, wait);
}

std::optional<Incoming> Peer::next(milliseconds wait) {
  const bool text_first =
      !texts_.empty() && (binaries_.empty() || texts_.front().index < binaries_.front().index);
  if (text_first) return take(texts_, Incoming::Kind::text, wait);
  if (!binaries_.empty()) return take(binaries_, Incoming::Kind::binary, wait);
  return receive(wait);
}

}  // namespace gadget::conformance
