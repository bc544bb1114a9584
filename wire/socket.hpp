// socket.hpp - inside wire/: one byte stream for TCP, TLS and Unix sockets, with its operations
// type-erased.
//
// TLS runs on the socket itself (no memory BIOs in between): 22 kB an idle connection instead of 73
// kB. One read and one write may be in progress. All calls from the thread of the executor;
// operations keep the Socket alive. Completions never run inside the call that started them.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/generic/stream_protocol.hpp>

#include "base/failure.hpp"
#include "wire/completion.hpp"
#include "wire/tls.hpp"
#include "wire/websocket.hpp"

namespace gadget::wire {

// How long a socket that was closed in good order waits for its peer's end, so that the last bytes
// sent are not destroyed by a reset (the peer may still be sending when it was refused).
inline constexpr auto kLinger = std::chrono::seconds{2};

class Socket : public std::enable_shared_from_this<Socket> {
 public:
  using Native = boost::asio::generic::stream_protocol::socket;
  // Beast writes a header, a payload and little else at once; further buffers wait for the next
  // call.
  static constexpr std::size_t kMaxBuffers = 8;
  struct Buffers {
    std::array<boost::asio::const_buffer, kMaxBuffers> list;
    std::size_t count = 0;
    using value_type = boost::asio::const_buffer;
    using const_iterator = const value_type*;
    [[nodiscard]] const_iterator begin() const { return list.data(); }
    [[nodiscard]] const_iterator end() const { return list.data() + count; }
  };

  // Non-blocking, closed on exec, and for TCP without Nagle's delay and with little unsent in the
  // kernel.
  [[nodiscard]] static std::shared_ptr<Socket> make(Native native);
  explicit Socket(Native native);
  ~Socket();
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;

  [[nodiscard]] boost::asio::any_io_executor executor() { return native_.get_executor(); }
  [[nodiscard]] bool is_open() const { return native_.is_open(); }
  [[nodiscard]] bool is_tls() const { return tls_ != nullptr; }
  [[nodiscard]] Native& native() { return native_; }

  void start_read(boost::asio::mutable_buffer into, Completion done);
  void start_write(const Buffers& from, Completion done);

  // TLS from here on. Completes after the handshake; tls_failure() says what was wrong.
  void start_server_tls(const std::shared_ptr<ssl_ctx_st>& context, Completion done);
  void start_client_tls(std::shared_ptr<TlsClient> client, const std::string& host,
                        Completion done);
  [[nodiscard]] const std::string& tls_failure() const { return tls_failure_; }

  // These bytes come first at the next reads (what was read beyond a request's head, B-16).
  void unread(std::string_view bytes) { unread_.insert(0, bytes); }

  // From cork() to flush() writes are gathered and succeed at once; flush() sends them together.
  void cork() { corked_ = true; }
  // Adds to what is gathered. The bytes stay where they are until the next flush() has completed:
  // many of them are sent from there. REQUIRES: corked.
  void gather(std::string_view bytes) { batch_.add(bytes); }
  // A write is in progress that neither cork() nor flush() knows of.
  [[nodiscard]] bool writes_alone() const { return alone_; }
  void flush(Completion done);

  // Cancels the read and the write in progress; the socket stays open.
  void cancel();
  // Closes now.
  void close();
  // Says end of stream, then waits in the background for the peer's, at most kLinger. The Socket
  // counts as closed.
  void retire();
  // Closes so that the peer sees a reset.
  void reset();

  [[nodiscard]] WriteProgress progress() const;

 private:
  enum class Want { nothing, read, write, failed };
  struct SslFree {
    void operator()(ssl_st* ssl) const;
  };

  // What is to be sent, in order: bytes of its own, and between them such as lie elsewhere.
  struct Gathered {
    struct Borrowed {
      std::size_t behind;  // so many bytes of `copied`
      std::string_view bytes;
    };
    std::string copied;
    std::vector<Borrowed> borrowed;
    std::size_t borrowed_bytes = 0;

    void add(std::string_view bytes);
    [[nodiscard]] std::size_t size() const { return copied.size() + borrowed_bytes; }
    [[nodiscard]] Buffers from(std::size_t at) const;  // as much of the rest as one write takes
    void clear();                                      // gives the memory back, too
  };

  void post(Completion done, ErrorCode error, std::size_t bytes);
  void write_now(const Buffers& from, Completion done);
  void took(std::size_t bytes);
  void flush_step();
  void end_flushes();
  void tls_read(boost::asio::mutable_buffer into, Completion done, bool inside_call);
  void tls_write(Completion done, bool inside_call);
  void tls_handshake(Completion done, bool inside_call);
  Want tls_outcome(int result, ErrorCode& error);
  template <class Next>
  void wait(Want want, Next next);
  bool begin_tls(const std::shared_ptr<ssl_ctx_st>& context);

  Native native_;
  std::unique_ptr<ssl_st, SslFree> tls_;
  std::shared_ptr<TlsClient> tls_client_;
  std::string tls_failure_;
  std::string tls_out_;  // the plain bytes of the TLS write in progress, at most one record
  std::string unread_;
  Gathered batch_;  // while corked or while a flush runs
  Gathered flushing_;
  std::size_t flushed_ = 0;
  std::vector<Completion> flush_done_;
  bool corked_ = false;
  bool alone_ = false;
  bool flush_runs_ = false;
  bool retire_after_flush_ = false;
  std::uint64_t taken_ = 0;
  std::size_t pending_ = 0;
  std::chrono::steady_clock::time_point stalled_since_{};
};

}  // namespace gadget::wire
