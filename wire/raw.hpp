// raw.hpp - a connection byte by byte, either side: for scenarios that break the rules of WebSocket
// on purpose.
//
// RawConnection sends whatever it is told and shows whatever comes, in frames or in bytes. It
// verifies nothing and answers nothing by itself. One coroutine at a time. Thread: that of its
// executor.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include "base/failure.hpp"
#include "wire/client.hpp"

namespace gadget::wire {

// One frame as it stood on the wire, unmasked.
struct RawFrame {
  RawFrame() = default;
  RawFrame(std::uint8_t code, std::string bytes, bool last = true)
      : fin(last), opcode(code), payload(std::move(bytes)) {}
  bool fin = true;
  std::uint8_t rsv = 0;     // three bits
  std::uint8_t opcode = 1;  // 0 continuation, 1 text, 2 binary, 8 close, 9 ping, 10 pong
  bool masked = false;
  std::string payload;
  [[nodiscard]] std::uint16_t close_code() const;       // opcode 8; 1005 without one
  [[nodiscard]] std::string_view close_reason() const;  // opcode 8
};

// The bytes of a frame. With `mask` the payload is masked by it (a client must; any four bytes will
// do).
[[nodiscard]] std::string encode_frame(const RawFrame& frame,
                                       std::optional<std::uint32_t> mask = std::nullopt);

// Takes the first complete frame from `bytes`; none: not complete yet. A frame declaring more than
// 16 MiB: invalid_argument.
[[nodiscard]] Result<std::optional<RawFrame>> decode_frame(std::string& bytes);

struct RawHead {
  unsigned status = 0;     // of an answer
  std::string start_line;  // as it came
  std::vector<Header> headers;
  [[nodiscard]] std::string header(std::string_view name) const;
};

class RawConnection {
 public:
  RawConnection(RawConnection&&) noexcept;
  RawConnection& operator=(RawConnection&&) noexcept;
  ~RawConnection();

  [[nodiscard]] static boost::asio::awaitable<Result<RawConnection>> connect(
      ConnectOptions options);

  [[nodiscard]] boost::asio::awaitable<Result<void>> send(std::string_view bytes);
  [[nodiscard]] boost::asio::awaitable<Result<void>> send_frame(
      RawFrame frame, std::optional<std::uint32_t> mask = std::nullopt);

  // At least one byte, or io when the peer is gone ("end of stream"), timeout after `wait`.
  [[nodiscard]] boost::asio::awaitable<Result<std::string>> receive(std::chrono::milliseconds wait);
  // A whole request or answer head; what follows it stays for the next call.
  [[nodiscard]] boost::asio::awaitable<Result<RawHead>> receive_head(
      std::chrono::milliseconds wait);
  // The next whole frame.
  [[nodiscard]] boost::asio::awaitable<Result<RawFrame>> receive_frame(
      std::chrono::milliseconds wait);

  // Client: sends a correct upgrade request, checks the answer. Errors: refused with the status in
  // the text.
  [[nodiscard]] boost::asio::awaitable<Result<RawHead>> upgrade(UpgradeOptions options,
                                                                std::chrono::milliseconds wait);
  // Server: reads the request, answers 101; selects `subprotocol` when it was offered. `behind` is
  // sent in the same write as the answer (B-15).
  [[nodiscard]] boost::asio::awaitable<Result<RawHead>> accept_upgrade(
      std::string subprotocol, std::chrono::milliseconds wait, std::string behind = {});

  void close();  // FIN
  void reset();  // RST: the peer sees a reset connection

  struct State;
  explicit RawConnection(std::unique_ptr<State> state);

 private:
  std::unique_ptr<State> state_;
};

class RawListener {
 public:
  [[nodiscard]] static Result<std::unique_ptr<RawListener>> open(
      const boost::asio::any_io_executor& executor, const std::string& host, std::uint16_t port,
      std::shared_ptr<TlsServer> tls = nullptr);
  ~RawListener();
  [[nodiscard]] std::uint16_t port() const;
  [[nodiscard]] boost::asio::awaitable<Result<RawConnection>> accept(
      std::chrono::milliseconds wait);

 private:
  struct State;
  explicit RawListener(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace gadget::wire
