#include "wire/raw.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/this_coro.hpp>
#include <openssl/evp.h>
#include <openssl/rand.h>
#include <openssl/sha.h>

#include "wire/connect.hpp"
#include "wire/deadline.hpp"
#include "wire/http_io.hpp"
#include "wire/link.hpp"

namespace gadget::wire {
namespace {

namespace asio = boost::asio;
using Tcp = asio::ip::tcp;

// More than any scenario sends; a length beyond is nonsense on the wire.
constexpr std::uint64_t kRawFrameBytes = 16 * 1024 * 1024;
constexpr std::size_t kRawHeadBytes = 64 * 1024;

std::string base64(const unsigned char* bytes, int size) {
  std::array<unsigned char, 64> out{};
  const int length = EVP_EncodeBlock(out.data(), bytes, size);
  return {reinterpret_cast<const char*>(out.data()), static_cast<std::size_t>(length)};
}

std::string accept_value(const std::string& key) {
  const auto text = key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
  std::array<unsigned char, SHA_DIGEST_LENGTH> digest{};
  SHA1(reinterpret_cast<const unsigned char*>(text.data()), text.size(), digest.data());
  return base64(digest.data(), SHA_DIGEST_LENGTH);
}

std::string_view trim(std::string_view text) {
  const auto begin = text.find_first_not_of(" \t\r");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

RawHead parse_head(std::string_view text) {
  RawHead head;
  bool first = true;
  while (!text.empty()) {
    const auto end = text.find('\n');
    const auto line = trim(text.substr(0, end));
    text = end == std::string_view::npos ? std::string_view{} : text.substr(end + 1);
    if (std::exchange(first, false)) {
      head.start_line = line;
      if (line.starts_with("HTTP/") && line.size() >= 12) {
        std::from_chars(line.data() + 9, line.data() + 12, head.status);
      }
    } else if (const auto colon = line.find(':'); colon != std::string_view::npos) {
      head.headers.push_back(
          {std::string{trim(line.substr(0, colon))}, std::string{trim(line.substr(colon + 1))}});
    }
  }
  return head;
}

std::uint64_t big_endian(const std::string& bytes, std::size_t at, std::size_t count) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < count; ++i) {
    value = value << 8U | static_cast<unsigned char>(bytes[at + i]);
  }
  return value;
}

}  // namespace

std::uint16_t RawFrame::close_code() const {
  if (payload.size() < 2) return close_code::no_code;
  return static_cast<std::uint16_t>(big_endian(payload, 0, 2));
}

std::string_view RawFrame::close_reason() const {
  return payload.size() < 2 ? std::string_view{} : std::string_view{payload}.substr(2);
}

std::string encode_frame(const RawFrame& frame, std::optional<std::uint32_t> mask) {
  std::string out;
  const auto put = [&out](std::uint64_t byte) { out += static_cast<char>(byte & 0xFFU); };
  put((frame.fin ? 0x80U : 0U) | static_cast<unsigned>(frame.rsv << 4U) | frame.opcode);
  const unsigned masked = mask ? 0x80U : 0U;
  const std::uint64_t size = frame.payload.size();
  if (size < 126) {
    put(masked | size);
  } else if (size < 65536) {
    put(masked | 126U);
    put(size >> 8U);
    put(size);
  } else {
    put(masked | 127U);
    for (unsigned shift = 64; shift > 0; shift -= 8) put(size >> (shift - 8));
  }
  if (!mask) return out + frame.payload;
  std::array<char, 4> key{};
  for (unsigned i = 0; i < 4; ++i) key[i] = static_cast<char>(*mask >> (24 - 8 * i) & 0xFFU);
  out.append(key.data(), key.size());
  for (std::size_t i = 0; i < frame.payload.size(); ++i) {
    out += static_cast<char>(frame.payload[i] ^ key[i % 4]);
  }
  return out;
}

Result<std::optional<RawFrame>> decode_frame(std::string& bytes) {
  std::optional<RawFrame> none;
  if (bytes.size() < 2) return none;
  const auto first = static_cast<unsigned char>(bytes[0]);
  const auto second = static_cast<unsigned char>(bytes[1]);
  RawFrame frame;
  frame.fin = (first & 0x80U) != 0;
  frame.rsv = static_cast<std::uint8_t>((first >> 4U) & 7U);
  frame.opcode = first & 0x0FU;
  frame.masked = (second & 0x80U) != 0;
  std::uint64_t size = second & 0x7FU;
  std::size_t at = 2;
  const std::size_t extra = size == 126 ? 2 : size == 127 ? 8 : 0;
  const std::size_t key_bytes = frame.masked ? 4 : 0;
  if (bytes.size() < at + extra + key_bytes) return none;
  if (extra > 0) size = big_endian(bytes, at, extra);
  if (size > kRawFrameBytes) {
    return fail(FailureCode::invalid_argument,
                "the frame declares " + std::to_string(size) + " bytes");
  }
  at += extra;
  const std::string key = bytes.substr(at, key_bytes);
  at += key_bytes;
  if (bytes.size() < at + size) return none;
  frame.payload = bytes.substr(at, static_cast<std::size_t>(size));
  for (std::size_t i = 0; frame.masked && i < frame.payload.size(); ++i) {
    frame.payload[i] = static_cast<char>(frame.payload[i] ^ key[i % 4]);
  }
  bytes.erase(0, at + static_cast<std::size_t>(size));
  return frame;
}

std::string RawHead::header(std::string_view name) const {
  HttpRequest lookup;
  lookup.headers = headers;
  return lookup.header(name);
}

struct RawConnection::State {
  std::shared_ptr<Socket> socket;
  std::string received;
  std::array<char, 4096> piece{};
};

RawConnection::RawConnection(std::unique_ptr<State> state) : state_(std::move(state)) {}
RawConnection::RawConnection(RawConnection&&) noexcept = default;
RawConnection& RawConnection::operator=(RawConnection&& other) noexcept {
  if (this != &other) {
    close();
    state_ = std::move(other.state_);
  }
  return *this;
}
RawConnection::~RawConnection() { close(); }

asio::awaitable<Result<RawConnection>> RawConnection::connect(ConnectOptions options) {
  auto socket = co_await connect_socket(std::move(options));
  if (!socket) co_return tl::unexpected(socket.error());
  auto state = std::make_unique<State>();
  state->socket = std::move(*socket);
  co_return RawConnection{std::move(state)};
}

asio::awaitable<Result<void>> RawConnection::send(std::string_view bytes) {
  const auto socket = state_->socket;
  std::string copy{bytes};
  if (co_await write_all(socket, std::move(copy))) co_return Result<void>{};
  co_return fail(FailureCode::io, "the peer is gone");
}

asio::awaitable<Result<void>> RawConnection::send_frame(RawFrame frame,
                                                        std::optional<std::uint32_t> mask) {
  const auto bytes = encode_frame(frame, mask);
  co_return co_await send(bytes);
}

// Reads once, appending to `received`. A timeout leaves the connection usable.
asio::awaitable<Result<void>> receive_more(RawConnection::State& state,
                                           std::chrono::milliseconds wait) {
  const auto socket = state.socket;
  const Deadline deadline{socket->executor(), wait, [socket] { socket->cancel(); }};
  Link link{socket};
  auto [error, bytes] = co_await link.async_read_some(asio::buffer(state.piece), kAwait);
  if (!error) {
    state.received.append(state.piece.data(), bytes);
    co_return Result<void>{};
  }
  if (deadline.passed()) co_return fail(FailureCode::timeout, "nothing came in time");
  if (error == asio::error::eof) co_return fail(FailureCode::io, "end of stream");
  co_return fail(FailureCode::io, error.message());
}

asio::awaitable<Result<std::string>> RawConnection::receive(std::chrono::milliseconds wait) {
  if (state_->received.empty()) {
    auto more = co_await receive_more(*state_, wait);
    if (!more) co_return tl::unexpected(more.error());
  }
  co_return std::exchange(state_->received, {});
}

asio::awaitable<Result<RawHead>> RawConnection::receive_head(std::chrono::milliseconds wait) {
  const auto until = std::chrono::steady_clock::now() + wait;
  for (;;) {
    auto& bytes = state_->received;
    if (const auto end = bytes.find("\r\n\r\n"); end != std::string::npos) {
      auto head = parse_head(std::string_view{bytes}.substr(0, end));
      bytes.erase(0, end + 4);
      co_return head;
    }
    if (bytes.size() > kRawHeadBytes) {
      co_return fail(FailureCode::invalid_argument, "the head does not end");
    }
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        until - std::chrono::steady_clock::now());
    auto more = co_await receive_more(*state_, std::max(left, std::chrono::milliseconds{0}));
    if (!more) co_return tl::unexpected(more.error());
  }
}

asio::awaitable<Result<RawFrame>> RawConnection::receive_frame(std::chrono::milliseconds wait) {
  const auto until = std::chrono::steady_clock::now() + wait;
  for (;;) {
    auto frame = decode_frame(state_->received);
    if (!frame) co_return tl::unexpected(frame.error());
    if (frame->has_value()) co_return std::move(**frame);
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        until - std::chrono::steady_clock::now());
    auto more = co_await receive_more(*state_, std::max(left, std::chrono::milliseconds{0}));
    if (!more) co_return tl::unexpected(more.error());
  }
}

asio::awaitable<Result<RawHead>> RawConnection::upgrade(UpgradeOptions options,
                                                        std::chrono::milliseconds wait) {
  std::array<unsigned char, 16> random{};
  RAND_bytes(random.data(), static_cast<int>(random.size()));
  const auto key = base64(random.data(), static_cast<int>(random.size()));
  std::string request = "GET " + options.target + " HTTP/1.1\r\n";
  const auto line = [&request](std::string_view name, std::string_view value) {
    request.append(name).append(": ").append(value).append("\r\n");
  };
  ErrorCode ignored;
  const auto remote = state_->socket->native().remote_endpoint(ignored);
  Tcp::endpoint tcp;
  if (remote.size() <= tcp.capacity()) {
    std::copy_n(reinterpret_cast<const char*>(remote.data()), remote.size(),
                reinterpret_cast<char*>(tcp.data()));
  }
  HttpRequest given;
  given.headers = options.headers;
  if (!given.has_header("Host")) line("Host", host_header(tcp.address().to_string(), tcp.port()));
  line("Upgrade", "websocket");
  line("Connection", "Upgrade");
  line("Sec-WebSocket-Key", key);
  line("Sec-WebSocket-Version", "13");
  std::string offered;
  for (const auto& protocol : options.subprotocols) {
    offered += (offered.empty() ? "" : ", ") + protocol;
  }
  if (!offered.empty()) line("Sec-WebSocket-Protocol", offered);
  for (const auto& header : options.headers) line(header.name, header.value);
  request += "\r\n";
  if (auto sent = co_await send(request); !sent) co_return tl::unexpected(sent.error());
  auto head = co_await receive_head(wait);
  if (!head) co_return head;
  if (head->status != 101) {
    co_return fail(FailureCode::refused, "the server answered " + head->start_line);
  }
  if (head->header("Sec-WebSocket-Accept") != accept_value(key)) {
    co_return fail(FailureCode::refused, "the server's Sec-WebSocket-Accept is wrong");
  }
  co_return head;
}

asio::awaitable<Result<RawHead>> RawConnection::accept_upgrade(std::string subprotocol,
                                                               std::chrono::milliseconds wait,
                                                               std::string behind) {
  auto head = co_await receive_head(wait);
  if (!head) co_return head;
  HttpRequest request;
  request.headers = head->headers;
  std::string answer =
      "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n"
      "Connection: Upgrade\r\nSec-WebSocket-Accept: ";
  answer += accept_value(request.header("Sec-WebSocket-Key"));
  if (request.has_token("Sec-WebSocket-Protocol", subprotocol)) {
    answer += "\r\nSec-WebSocket-Protocol: " + subprotocol;
  }
  answer += "\r\n\r\n" + behind;
  if (auto sent = co_await send(answer); !sent) co_return tl::unexpected(sent.error());
  co_return head;
}

void RawConnection::close() {
  if (state_) state_->socket->retire();
}

void RawConnection::reset() {
  if (state_) state_->socket->reset();
}

struct RawListener::State {
  explicit State(const asio::any_io_executor& executor) : acceptor(executor) {}
  Tcp::acceptor acceptor;
  std::shared_ptr<TlsServer> tls;
};

RawListener::RawListener(std::unique_ptr<State> state) : state_(std::move(state)) {}
RawListener::~RawListener() = default;

Result<std::unique_ptr<RawListener>> RawListener::open(const asio::any_io_executor& executor,
                                                       const std::string& host, std::uint16_t port,
                                                       std::shared_ptr<TlsServer> tls) {
  auto state = std::make_unique<State>(executor);
  state->tls = std::move(tls);
  ErrorCode error;
  const auto address = asio::ip::make_address(host, error);
  if (error) return fail(FailureCode::invalid_argument, "\"" + host + "\" is no numeric address");
  const Tcp::endpoint endpoint{address, port};
  state->acceptor.open(endpoint.protocol(), error);
  if (!error) state->acceptor.set_option(asio::socket_base::reuse_address(true), error);
  if (!error) state->acceptor.bind(endpoint, error);
  if (!error) state->acceptor.listen(asio::socket_base::max_listen_connections, error);
  if (error) {
    return fail(FailureCode::unavailable,
                "port " + std::to_string(port) + " on " + host + ": " + error.message());
  }
  return std::unique_ptr<RawListener>{new RawListener{std::move(state)}};
}

std::uint16_t RawListener::port() const {
  ErrorCode ignored;
  return state_->acceptor.local_endpoint(ignored).port();
}

asio::awaitable<Result<RawConnection>> RawListener::accept(std::chrono::milliseconds wait) {
  std::shared_ptr<Socket> socket;
  const Deadline deadline{state_->acceptor.get_executor(), wait, [this, &socket] {
                            ErrorCode ignored;
                            state_->acceptor.cancel(ignored);
                            if (socket) socket->close();
                          }};
  auto [error, native] = co_await state_->acceptor.async_accept(kAwait);
  if (error) {
    if (deadline.passed()) co_return fail(FailureCode::timeout, "nobody connected in time");
    co_return fail(FailureCode::io, error.message());
  }
  socket = Socket::make(Socket::Native{std::move(native)});
  if (state_->tls) {
    const auto context = state_->tls->context();
    auto started = await_completion(
        [socket, context](Completion done) { socket->start_server_tls(context, std::move(done)); });
    auto [failed, bytes] = co_await std::move(started);
    if (failed) co_return fail(FailureCode::refused, socket->tls_failure());
  }
  auto state = std::make_unique<RawConnection::State>();
  state->socket = std::move(socket);
  co_return RawConnection{std::move(state)};
}

}  // namespace gadget::wire
