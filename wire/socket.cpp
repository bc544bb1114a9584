#include "wire/socket.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <vector>

#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/socket_base.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <sys/socket.h>

namespace gadget::wire {
namespace {

namespace asio = boost::asio;

// What may be unsent in the kernel before a socket counts as not writable. Small, so that an abort
// overtakes little (E21) and a stalled peer is noticed by what waits here (E2); 0.5 s of audio at
// 16 kHz.
constexpr int kUnsentBytes = 16 * 1024;

// So many bytes in one piece are sent from where they lie: a thousand devices that get one firmware
// image would hold 16 KB of it each.
constexpr std::size_t kBorrowedBytes = 1'024;

// The plain bytes of one TLS record.
constexpr std::size_t kTlsRecordBytes = 16 * 1024;

// Waits for the peer's end of stream after ours, with a limit, then closes.
class Lingering : public std::enable_shared_from_this<Lingering> {
 public:
  explicit Lingering(Socket::Native native)
      : native_(std::move(native)), timer_(native_.get_executor()) {}

  void run() {
    timer_.expires_after(kLinger);
    timer_.async_wait([self = shared_from_this()](ErrorCode error) {
      if (!error) self->end();
    });
    drain();
  }

 private:
  void drain() {
    native_.async_read_some(asio::buffer(trash_),
                            [self = shared_from_this()](ErrorCode error, std::size_t) {
                              if (error) {
                                self->end();
                              } else {
                                self->drain();
                              }
                            });
  }
  void end() {
    timer_.cancel();
    ErrorCode ignored;
    native_.close(ignored);
  }

  Socket::Native native_;
  asio::steady_timer timer_;
  std::array<char, 2048> trash_;
};

std::string openssl_failure() {
  const auto code = ERR_get_error();
  if (code == 0) return "the connection ended during the TLS handshake";
  const char* reason = ERR_reason_error_string(code);
  return reason != nullptr ? std::string{"TLS: "} + reason : "TLS failed";
}

}  // namespace

void Socket::SslFree::operator()(ssl_st* ssl) const { SSL_free(ssl); }

std::shared_ptr<Socket> Socket::make(Native native) {
  return std::make_shared<Socket>(std::move(native));
}

Socket::Socket(Native native) : native_(std::move(native)) {
  const int fd = native_.native_handle();
  ::fcntl(fd, F_SETFD, FD_CLOEXEC);
  ErrorCode ignored;
  native_.non_blocking(true, ignored);
  native_.native_non_blocking(true, ignored);
  const int one = 1;
  // On a Unix socket these two fail, which is fine.
  ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  ::setsockopt(fd, IPPROTO_TCP, TCP_NOTSENT_LOWAT, &kUnsentBytes, sizeof kUnsentBytes);
}

Socket::~Socket() {
  ErrorCode ignored;
  native_.close(ignored);
}

void Socket::post(Completion done, ErrorCode error, std::size_t bytes) {
  asio::post(native_.get_executor(),
             [done = std::move(done), error, bytes]() mutable { done(error, bytes); });
}

void Socket::start_read(asio::mutable_buffer into, Completion done) {
  if (into.size() == 0) return post(std::move(done), {}, 0);
  if (!unread_.empty()) {
    const auto bytes = std::min(into.size(), unread_.size());
    std::memcpy(into.data(), unread_.data(), bytes);
    unread_.erase(0, bytes);
    if (unread_.empty()) std::string{}.swap(unread_);
    return post(std::move(done), {}, bytes);
  }
  if (tls_) return tls_read(into, std::move(done), true);
  native_.async_read_some(into,
                          [self = shared_from_this(), done = std::move(done)](
                              ErrorCode error, std::size_t bytes) mutable { done(error, bytes); });
}

void Socket::start_write(const Buffers& from, Completion done) {
  if (!corked_ && !flush_runs_) {
    alone_ = true;
    return write_now(from, Completion{[self = shared_from_this(), done = std::move(done)](
                                          ErrorCode error, std::size_t bytes) mutable {
                       self->alone_ = false;
                       done(error, bytes);
                     }});
  }
  if (!native_.is_open()) return post(std::move(done), asio::error::bad_descriptor, 0);
  const auto before = batch_.size();
  for (const auto& buffer : from) {
    batch_.copied.append(static_cast<const char*>(buffer.data()), buffer.size());
  }
  post(std::move(done), {}, batch_.size() - before);
}

void Socket::took(std::size_t bytes) {
  taken_ += bytes;
  pending_ -= std::min(pending_, bytes);
  if (bytes > 0) stalled_since_ = std::chrono::steady_clock::now();
}

void Socket::write_now(const Buffers& from, Completion done) {
  const auto size = asio::buffer_size(from);
  if (size == 0) return post(std::move(done), {}, 0);
  if (pending_ == 0) stalled_since_ = std::chrono::steady_clock::now();
  pending_ = size;
  if (tls_) {
    tls_out_.clear();
    for (const auto& buffer : from) {
      const auto room = kTlsRecordBytes - tls_out_.size();
      tls_out_.append(static_cast<const char*>(buffer.data()), std::min(room, buffer.size()));
    }
    return tls_write(std::move(done), true);
  }
  native_.async_write_some(from, [self = shared_from_this(), done = std::move(done)](
                                     ErrorCode error, std::size_t bytes) mutable {
    self->took(bytes);
    self->pending_ = 0;
    done(error, bytes);
  });
}

void Socket::Gathered::add(std::string_view bytes) {
  if (bytes.size() < kBorrowedBytes) {
    copied += bytes;
    return;
  }
  borrowed.push_back({copied.size(), bytes});
  borrowed_bytes += bytes.size();
}

Socket::Buffers Socket::Gathered::from(std::size_t at) const {
  Buffers list;
  const auto add = [&list, &at](const char* data, std::size_t size) {
    if (at >= size) {
      at -= size;
    } else if (list.count < kMaxBuffers) {
      list.list[list.count++] = asio::buffer(data + at, size - at);
      at = 0;
    }
  };
  std::size_t copied_until = 0;
  for (const Borrowed& one : borrowed) {
    add(copied.data() + copied_until, one.behind - copied_until);
    copied_until = one.behind;
    add(one.bytes.data(), one.bytes.size());
  }
  add(copied.data() + copied_until, copied.size() - copied_until);
  return list;
}

void Socket::Gathered::clear() {
  Gathered empty;
  std::swap(*this, empty);  // an assigned string would keep its memory
}

void Socket::flush(Completion done) {
  corked_ = false;
  flush_done_.push_back(std::move(done));
  if (!flush_runs_) {
    flush_runs_ = true;
    flush_step();
  }
}

// Sends what was gathered, and what is gathered meanwhile, until nothing is left.
void Socket::flush_step() {
  if (flushed_ == flushing_.size()) {
    flushing_.clear();
    flushed_ = 0;
    std::swap(flushing_, batch_);
  }
  const auto finish = [this](ErrorCode error) {
    flush_runs_ = false;
    flushing_.clear();
    flushed_ = 0;
    if (error) batch_.clear();
    for (auto& done : std::exchange(flush_done_, {})) post(std::move(done), error, 0);
    if (std::exchange(retire_after_flush_, false)) retire();
  };
  if (flushing_.size() == 0) return finish({});
  // Who lent bytes was told that all is over when the socket was closed.
  if (!native_.is_open()) return finish(asio::error::bad_descriptor);
  write_now(flushing_.from(flushed_),
            Completion{[self = shared_from_this(), finish](ErrorCode error, std::size_t bytes) {
              self->flushed_ += bytes;
              if (error) {
                finish(error);
              } else {
                self->flush_step();
              }
            }});
}

bool Socket::begin_tls(const std::shared_ptr<ssl_ctx_st>& context) {
  ignore_broken_pipes();
  tls_.reset(SSL_new(context.get()));
  return tls_ && SSL_set_fd(tls_.get(), native_.native_handle()) == 1;
}

void Socket::start_server_tls(const std::shared_ptr<ssl_ctx_st>& context, Completion done) {
  if (!native_.is_open() || !begin_tls(context)) {
    tls_failure_ = openssl_failure();
    return post(std::move(done), asio::error::connection_aborted, 0);
  }
  SSL_set_accept_state(tls_.get());
  tls_handshake(std::move(done), true);
}

void Socket::start_client_tls(std::shared_ptr<TlsClient> client, const std::string& host,
                              Completion done) {
  tls_client_ = std::move(client);
  if (!native_.is_open() || !begin_tls(tls_client_->context())) {
    tls_failure_ = openssl_failure();
    return post(std::move(done), asio::error::connection_aborted, 0);
  }
  if (const auto armed = tls_client_->arm(tls_.get(), host); !armed) {
    tls_failure_ = armed.error().text;
    return post(std::move(done), asio::error::invalid_argument, 0);
  }
  SSL_set_connect_state(tls_.get());
  tls_handshake(std::move(done), true);
}

// Turns the result of an OpenSSL call on a non-blocking socket into what to do next.
Socket::Want Socket::tls_outcome(int result, ErrorCode& error) {
  const int saved = errno;
  switch (SSL_get_error(tls_.get(), result)) {
    case SSL_ERROR_NONE: return Want::nothing;
    case SSL_ERROR_WANT_READ: return Want::read;
    case SSL_ERROR_WANT_WRITE: return Want::write;
    case SSL_ERROR_ZERO_RETURN: error = asio::error::eof; return Want::failed;
    case SSL_ERROR_SYSCALL:
      error = saved != 0 ? ErrorCode{saved, boost::system::system_category()}
                         : ErrorCode{asio::error::eof};
      return Want::failed;
    default: error = asio::error::connection_aborted; return Want::failed;
  }
}

template <class Next>
void Socket::wait(Want want, Next next) {
  native_.async_wait(want == Want::read ? Native::wait_read : Native::wait_write, std::move(next));
}

void Socket::tls_read(asio::mutable_buffer into, Completion done, bool inside_call) {
  if (!native_.is_open()) return post(std::move(done), asio::error::bad_descriptor, 0);
  ERR_clear_error();
  errno = 0;
  std::size_t bytes = 0;
  const int result = SSL_read_ex(tls_.get(), into.data(), into.size(), &bytes);
  ErrorCode error;
  const Want want = result == 1 ? Want::nothing : tls_outcome(result, error);
  if (want == Want::nothing || want == Want::failed) {
    if (inside_call) return post(std::move(done), error, bytes);
    return done(error, bytes);
  }
  wait(want, [self = shared_from_this(), into, done = std::move(done)](ErrorCode waited) mutable {
    if (waited) return done(waited, 0);
    self->tls_read(into, std::move(done), false);
  });
}

void Socket::tls_write(Completion done, bool inside_call) {
  if (!native_.is_open()) {
    pending_ = 0;
    return post(std::move(done), asio::error::bad_descriptor, 0);
  }
  ERR_clear_error();
  errno = 0;
  std::size_t bytes = 0;
  const int result = SSL_write_ex(tls_.get(), tls_out_.data(), tls_out_.size(), &bytes);
  ErrorCode error;
  const Want want = result == 1 ? Want::nothing : tls_outcome(result, error);
  if (want == Want::nothing || want == Want::failed) {
    std::string{}.swap(tls_out_);
    took(bytes);
    pending_ = 0;
    if (inside_call) return post(std::move(done), error, bytes);
    return done(error, bytes);
  }
  wait(want, [self = shared_from_this(), done = std::move(done)](ErrorCode waited) mutable {
    if (waited) {
      self->pending_ = 0;
      return done(waited, 0);
    }
    self->tls_write(std::move(done), false);
  });
}

void Socket::tls_handshake(Completion done, bool inside_call) {
  ErrorCode error;
  Want want = Want::failed;
  if (!native_.is_open()) {
    error = asio::error::bad_descriptor;
  } else {
    ERR_clear_error();
    errno = 0;
    const int result = SSL_do_handshake(tls_.get());
    want = result == 1 ? Want::nothing : tls_outcome(result, error);
    if (want == Want::failed) {
      const long verified = SSL_get_verify_result(tls_.get());
      tls_failure_ = verified != X509_V_OK && tls_client_
                         ? std::string{"the certificate is not trusted: "} +
                               X509_verify_cert_error_string(verified)
                         : openssl_failure();
    } else if (want == Want::nothing && tls_client_ && !tls_client_->pin_holds(tls_.get())) {
      tls_failure_ = "the server's public key is not the pinned one";
      error = asio::error::connection_aborted;
    }
  }
  if (want == Want::nothing || want == Want::failed) {
    if (inside_call) return post(std::move(done), error, 0);
    return done(error, 0);
  }
  wait(want, [self = shared_from_this(), done = std::move(done)](ErrorCode waited) mutable {
    if (waited) return done(waited, 0);
    self->tls_handshake(std::move(done), false);
  });
}

void Socket::cancel() {
  ErrorCode ignored;
  native_.cancel(ignored);
}

void Socket::close() {
  ErrorCode ignored;
  native_.close(ignored);
  end_flushes();
}

// Whoever waits for a flush holds this socket. Should the loop end before its write does, both
// would stay for ever; what was posted goes with the loop.
void Socket::end_flushes() {
  for (auto& done : std::exchange(flush_done_, {})) {
    post(std::move(done), asio::error::operation_aborted, 0);
  }
}

void Socket::retire() {
  if (!native_.is_open()) return;
  if (flush_runs_) {
    retire_after_flush_ = true;
    return;
  }
  if (tls_) {
    ERR_clear_error();
    SSL_shutdown(tls_.get());  // best effort: says "end" to the peer
  }
  ErrorCode ignored;
  native_.shutdown(Native::shutdown_send, ignored);
  std::make_shared<Lingering>(std::move(native_))->run();
}

void Socket::reset() {
  if (!native_.is_open()) return;
  ErrorCode ignored;
  native_.set_option(asio::socket_base::linger(true, 0), ignored);
  close();
}

WriteProgress Socket::progress() const {
  const auto pending =
      flush_runs_ ? batch_.size() + flushing_.size() - flushed_ : pending_ + batch_.size();
  return {taken_, pending, stalled_since_};
}

}  // namespace gadget::wire
