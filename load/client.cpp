#include "load/client.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <utility>

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <openssl/ssl.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "protocol/limits.hpp"

namespace gadget::load {
namespace {

constexpr std::array<unsigned char, 4> kMask{0x5a, 0x17, 0xc3, 0x88};
constexpr std::size_t kSmallPayload = 125;
constexpr std::size_t kMediumPayload = 65'535;
constexpr std::uint8_t kOpText = 1, kOpBinary = 2, kOpClose = 8, kOpPing = 9, kOpPong = 10;

std::string upgrade_request(const Endpoint& endpoint) {
  std::string text = "GET " + endpoint.path + " HTTP/1.1\r\nHost: 127.0.0.1:";
  text += std::to_string(endpoint.port);
  text +=
      "\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
      "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: ";
  text += protocol::kSubprotocol;
  return text + "\r\n\r\n";
}

void append_masked(std::string& out, std::uint8_t opcode, std::span<const std::byte> payload) {
  const std::size_t size = payload.size();
  out += static_cast<char>(0x80U | opcode);
  const auto put = [&](std::size_t value, int bytes) {
    for (int i = bytes - 1; i >= 0; --i) out += static_cast<char>(value >> (8 * i));
  };
  if (size <= kSmallPayload) {
    out += static_cast<char>(0x80U | size);
  } else if (size <= kMediumPayload) {
    out += static_cast<char>(0x80U | 126U);
    put(size, 2);
  } else {
    out += static_cast<char>(0x80U | 127U);
    put(size, 8);
  }
  out.append(reinterpret_cast<const char*>(kMask.data()), kMask.size());
  const std::size_t at = out.size();
  out.resize(at + size);
  const auto* in = reinterpret_cast<const unsigned char*>(payload.data());
  for (std::size_t i = 0; i < size; ++i) out[at + i] = static_cast<char>(in[i] ^ kMask[i % 4]);
}

}  // namespace

ClientTls::ClientTls() : context_(SSL_CTX_new(TLS_client_method())) {
  SSL_CTX_set_mode(context_, SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ENABLE_PARTIAL_WRITE |
                                 SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  SSL_CTX_set_session_cache_mode(context_, SSL_SESS_CACHE_OFF);
}

ClientTls::~ClientTls() { SSL_CTX_free(context_); }

std::string masked_frame(std::uint8_t opcode, std::span<const std::byte> payload) {
  std::string frame;
  append_masked(frame, opcode, payload);
  return frame;
}

void change_masked(std::string& frame, std::size_t header_bytes, std::size_t offset,
                   std::span<const std::byte> bytes) {
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    frame[header_bytes + offset + i] =
        static_cast<char>(static_cast<unsigned char>(bytes[i]) ^ kMask[(offset + i) % 4]);
  }
}

bool Client::connect(const Endpoint& endpoint, std::uint32_t source) {
  drop();
  endpoint_ = &endpoint;
  fd_ = ::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (fd_ < 0) return false;
  const int one = 1;
  ::setsockopt(fd_, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  const linger hard{1, 0};
  ::setsockopt(fd_, SOL_SOCKET, SO_LINGER, &hard, sizeof hard);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  if (source != 0) {
    ::setsockopt(fd_, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &one, sizeof one);
    address.sin_addr.s_addr = htonl(0x7f000000U | (source & 0xffffffU));
    if (::bind(fd_, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) {
      drop();
      return false;
    }
  }
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(endpoint.port);
  const int made = ::connect(fd_, reinterpret_cast<sockaddr*>(&address), sizeof address);
  if (made != 0 && errno != EINPROGRESS) {
    drop();
    return false;
  }
  state_ = State::connecting;
  watched_ = EPOLLOUT;
  loop_.add(fd_, *this, watched_);
  return true;
}

void Client::drop() {
  ++generation_;
  state_ = State::closed;
  if (ssl_ != nullptr) SSL_free(std::exchange(ssl_, nullptr));
  if (fd_ >= 0) {
    loop_.remove(fd_);
    ::close(std::exchange(fd_, -1));
  }
  out_ = {};
  rest_ = {};
  sent_ = 0;
  paused_ = false;
}

void Client::shut_down_writing() {
  if (fd_ >= 0) ::shutdown(fd_, SHUT_WR);
}

void Client::pause(bool paused) {
  paused_ = paused;
  watch();
}

void Client::watch() {
  if (fd_ < 0) return;
  std::uint32_t wanted = paused_ ? 0U : static_cast<std::uint32_t>(EPOLLIN);
  if (state_ == State::connecting || unsent_bytes() > 0) wanted |= EPOLLOUT;
  if (wanted == watched_) return;
  watched_ = wanted;
  loop_.change(fd_, *this, wanted);
}

void Client::end(std::uint16_t code, std::string_view reason, HttpStatus status) {
  const std::string said(reason);  // it may lie in what is dropped
  drop();
  on_closed(code, said, status);
}

// ---- Out ----

void Client::send_raw(std::span<const std::byte> bytes) {
  if (fd_ < 0) return;
  if (out_.empty() && ssl_ == nullptr) {
    const ssize_t took = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (took == static_cast<ssize_t>(bytes.size())) return;
    if (took < 0 && errno != EAGAIN) return;  // the reading side finds out why
    bytes = bytes.subspan(took > 0 ? static_cast<std::size_t>(took) : 0);
  }
  out_.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  flush();
}

void Client::send_frame(std::uint8_t opcode, std::span<const std::byte> payload) {
  const std::string frame = masked_frame(opcode, payload);
  send_raw(std::as_bytes(std::span(frame)));
}

void Client::send_close(std::uint16_t code) {
  const std::array<std::byte, 2> payload{static_cast<std::byte>(code >> 8U),
                                         static_cast<std::byte>(code & 0xffU)};
  send_frame(kOpClose, payload);
}

void Client::flush() {
  while (sent_ < out_.size()) {
    const char* const from = out_.data() + sent_;
    const std::size_t size = out_.size() - sent_;
    long took = 0;
    if (ssl_ != nullptr) {
      took = SSL_write(ssl_, from, static_cast<int>(std::min<std::size_t>(size, 1U << 30U)));
      if (took <= 0) break;
    } else {
      took = ::send(fd_, from, size, MSG_NOSIGNAL);
      if (took < 0) break;
    }
    sent_ += static_cast<std::size_t>(took);
  }
  if (sent_ == out_.size()) {
    out_.clear();
    sent_ = 0;
    if (out_.capacity() > 4096) out_ = {};
  }
  watch();
}

// ---- In ----

void Client::ready(std::uint32_t events) {
  if (fd_ < 0) return;
  const auto mine = generation_;
  if (state_ == State::connecting) {
    int error = 0;
    socklen_t size = sizeof error;
    ::getsockopt(fd_, SOL_SOCKET, SO_ERROR, &error, &size);
    if (error != 0) return end(kLost, std::strerror(error));
    connected();
  } else if (state_ == State::tls) {
    shake_hands();
  } else {
    if ((events & EPOLLOUT) != 0) flush();
    if (mine == generation_ && (events & (EPOLLIN | EPOLLHUP | EPOLLERR)) != 0) read();
  }
}

void Client::connected() {
  if (endpoint_->tls != nullptr) {
    state_ = State::tls;
    ssl_ = SSL_new(endpoint_->tls->context());
    SSL_set_fd(ssl_, fd_);
    return shake_hands();
  }
  state_ = State::upgrading;
  watch();
  const auto mine = generation_;
  on_connected();
  if (mine == generation_ && upgrades_) {
    const std::string request = upgrade_request(*endpoint_);
    send_raw(std::as_bytes(std::span(request)));
  }
}

void Client::shake_hands() {
  const int done = SSL_connect(ssl_);
  if (done == 1) {
    state_ = State::upgrading;
    on_connected();
    const std::string request = upgrade_request(*endpoint_);
    return send_raw(std::as_bytes(std::span(request)));
  }
  const int error = SSL_get_error(ssl_, done);
  if (error != SSL_ERROR_WANT_READ && error != SSL_ERROR_WANT_WRITE) {
    return end(kLost, "TLS failed");
  }
  watched_ = error == SSL_ERROR_WANT_WRITE ? EPOLLOUT : EPOLLIN;
  loop_.change(fd_, *this, watched_);
}

long Client::receive(std::span<char> into) {
  if (ssl_ == nullptr) return ::recv(fd_, into.data(), into.size(), 0);
  const int got = SSL_read(ssl_, into.data(), static_cast<int>(into.size()));
  if (got > 0) return got;
  const int error = SSL_get_error(ssl_, got);
  if (error != SSL_ERROR_WANT_READ && error != SSL_ERROR_WANT_WRITE) return 0;
  errno = EAGAIN;
  return -1;
}

void Client::read() {
  const std::span<char> buffer = loop_.buffer();
  for (;;) {
    const std::size_t kept = rest_.size();
    if (kept > buffer.size() / 2) return end(kLost, "a message is longer than the buffer");
    std::memcpy(buffer.data(), rest_.data(), kept);
    const std::span<char> room = buffer.subspan(kept);
    const long got = receive(room);
    if (got < 0 && errno == EAGAIN) return;
    if (got <= 0) return end(kLost, got == 0 ? "end of stream" : std::strerror(errno));
    const std::size_t have = kept + static_cast<std::size_t>(got);
    std::size_t used = 0;
    const auto mine = generation_;
    while (used < have) {
      const std::size_t took = take(buffer.subspan(used, have - used));
      if (mine != generation_) return;
      if (took == 0) break;
      used += took;
    }
    if (used == have) {
      if (!rest_.empty()) rest_ = {};
    } else {
      rest_.assign(buffer.data() + used, have - used);
    }
    // TLS may hold more than the socket shows.
    if (ssl_ == nullptr || paused_) return;
  }
}

std::size_t Client::take(std::span<char> bytes) {
  return state_ == State::upgrading ? take_head(bytes) : take_frame(bytes);
}

std::size_t Client::take_head(std::span<char> bytes) {
  const std::string_view text(bytes.data(), bytes.size());
  const auto head_end = text.find("\r\n\r\n");
  if (head_end == std::string_view::npos) return 0;
  constexpr std::string_view kVersion = "HTTP/1.1 ";
  HttpStatus status;
  if (text.starts_with(kVersion)) {
    std::from_chars(text.data() + kVersion.size(), text.data() + head_end, status.code);
  }
  if (status.code != 101) {
    constexpr std::string_view kRetry = "\r\nRetry-After: ";
    const auto at = text.substr(0, head_end).find(kRetry);
    if (at != std::string_view::npos) {
      std::from_chars(text.data() + at + kRetry.size(), text.data() + head_end,
                      status.retry_after_s);
    }
    end(kLost, "no upgrade", status);
    return 0;
  }
  state_ = State::open;
  on_open();
  return head_end + 4;
}

std::size_t Client::take_frame(std::span<char> bytes) {
  const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(bytes[at]); };
  if (bytes.size() < 2) return 0;
  std::size_t size = byte(1) & 0x7fU;
  std::size_t header = 2;
  const std::size_t extended = size == 126 ? 2 : size == 127 ? 8 : 0;
  if (bytes.size() < header + extended) return 0;
  if (extended > 0) {
    size = 0;
    for (std::size_t i = 0; i < extended; ++i) size = size << 8U | byte(header + i);
    header += extended;
  }
  if (size > bytes.size() - header) return 0;
  const std::span<char> payload = bytes.subspan(header, size);
  switch (byte(0) & 0x0fU) {
    case kOpText: on_text(payload); break;
    case kOpBinary: on_binary(std::as_bytes(payload)); break;
    case kOpPing: send_frame(kOpPong, std::as_bytes(payload)); break;
    case kOpClose: {
      const bool says = payload.size() >= 2;
      const auto code = static_cast<std::uint16_t>(
          says ? static_cast<unsigned>(byte(header)) << 8U | byte(header + 1) : 1005U);
      send_close(says ? code : 1000);
      end(code, {payload.data() + (says ? 2 : 0), payload.size() - (says ? 2 : 0)});
      break;
    }
    default: break;
  }
  return header + size;
}

}  // namespace gadget::load
