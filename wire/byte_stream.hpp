// byte_stream.hpp - a TCP or TLS connection as a stream of bytes, by callbacks: what
// device/websocket runs on.
//
// Event driven on one executor; nothing blocks (B-27). Callbacks come from that executor, never
// from inside a call of this object, and may call anything of it, destruction included (B-29).
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include <boost/asio/any_io_executor.hpp>

#include "base/failure.hpp"
#include "wire/tls.hpp"

namespace gadget::wire {

struct ByteStreamOptions {
  std::string host;
  std::uint16_t port = 0;
  std::shared_ptr<TlsClient> tls;  // absent: plain
  std::chrono::milliseconds connect_timeout =
      std::chrono::seconds{10};  // name, TCP and TLS together (E27)
  std::size_t queue_limit_bytes =
      256 * 1024;  // what may wait to be written; beyond: write() refuses
};

struct ByteStreamCalls {
  std::function<void()> opened;
  std::function<void(std::span<const std::byte>)> received;  // valid during the call
  std::function<void()> drained;                             // the queue is empty again; optional
  // Exactly once after connect() unless close() was called first. Connecting failed, or it ended:
  // "end of stream" (code io, text) when the peer closed.
  std::function<void(const Failure&)> ended;
};

class ByteStream {
 public:
  ByteStream(const boost::asio::any_io_executor& executor, ByteStreamCalls calls);
  ~ByteStream();  // closes; no callback comes afterwards

  // Begins. A connection that is open is closed first, without `ended`.
  void connect(ByteStreamOptions options);
  // Queues a copy. False: not open, or the queue would exceed its limit; nothing of it is sent
  // then.
  [[nodiscard]] bool write(std::span<const std::byte> bytes);
  // How much write() still takes now.
  [[nodiscard]] std::size_t room() const;
  [[nodiscard]] std::size_t queued() const;
  [[nodiscard]] bool is_open() const;
  // Sends what is queued (at most 1 s), then closes. `ended` does not come.
  void close();
  // Closes now, dropping what is queued: what a lost network does.
  void abort();

 private:
  struct State;
  std::shared_ptr<State> state_;
  boost::asio::any_io_executor executor_;
  std::shared_ptr<const ByteStreamCalls> calls_;
};

}  // namespace gadget::wire
