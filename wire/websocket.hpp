// websocket.hpp - one established WebSocket connection, either side of it.
//
// Owner: whoever holds the WebSocket object. Thread: every call from the thread that runs
// `executor()`. At any time one read(), one write() and one close() may be in progress. Destroying
// the object closes the socket hard; operations that still wait then end with Closed{lost}, and
// touch nothing borrowed.
//
// RFC 6455 without extensions (T10). Faults of the peer close at once with 1002, 1007 or 1009, the
// last one already on the header that declares too much (B-06). Pings are answered by themselves.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <tl/expected.hpp>

namespace gadget::wire {

namespace close_code {
inline constexpr std::uint16_t normal = 1000;
inline constexpr std::uint16_t going_away = 1001;
inline constexpr std::uint16_t protocol_error = 1002;
inline constexpr std::uint16_t no_code = 1005;  // the close frame had none; never sent
inline constexpr std::uint16_t lost = 1006;     // no close frame came; never sent
inline constexpr std::uint16_t bad_payload = 1007;
inline constexpr std::uint16_t policy = 1008;
inline constexpr std::uint16_t too_big = 1009;
inline constexpr std::uint16_t try_again = 1013;
}  // namespace close_code

// Longest message that is taken unless told otherwise (E6). Beyond: 1009.
inline constexpr std::size_t kMessageLimitBytes = 64 * 1024;

// How long close() waits for the peer's close frame before it closes hard.
inline constexpr auto kCloseWait = std::chrono::seconds{3};

enum class MessageKind : std::uint8_t { text, binary };

// A complete message. `bytes` may be changed and is valid until the next read().
struct Message {
  MessageKind kind = MessageKind::text;
  std::span<std::byte> bytes;

  [[nodiscard]] std::string_view text() const {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }
};

// A message to write; borrowed until the write has ended.
struct Outgoing {
  MessageKind kind = MessageKind::text;
  std::span<const std::byte> bytes;
  std::span<const std::byte> rest{};  // of the same message, where it lies in two places
};

enum class ClosedBy : std::uint8_t {
  peer,   // it sent a close frame first; `code` and `reason` are its own
  us,     // close() or abort()
  fault,  // it broke RFC 6455 or the message limit; `code` is what it was sent
  lost,   // the connection ended without a close frame; `reason` says what the system said
};

// How a connection ended. The first cause counts; every later call gets the same.
struct Closed {
  ClosedBy by = ClosedBy::lost;
  std::uint16_t code = close_code::lost;
  std::string reason;
  bool answered = false;  // by == us: the peer answered the close in time (E12)
};

// "closed by peer: 1000 leaving", for logs. `reason` may hold anything the peer wrote: the logger
// escapes it.
[[nodiscard]] std::string to_line(const Closed& closed);

// What has gone out, for "too slow" (E2).
struct WriteProgress {
  std::uint64_t taken_bytes =
      0;  // the socket took so many bytes since the beginning, framing included
  std::size_t pending_bytes = 0;  // of the write in progress, not yet taken
  std::chrono::steady_clock::time_point
      stalled_since{};  // last byte taken, or when the write began
};

class WebSocketStream;  // Beast lives behind it

class WebSocket {
 public:
  WebSocket();  // none: only assignment and operator bool
  explicit WebSocket(std::shared_ptr<WebSocketStream> stream);
  WebSocket(WebSocket&&) noexcept;
  WebSocket& operator=(WebSocket&&) noexcept;
  ~WebSocket();
  explicit operator bool() const { return stream_ != nullptr; }

  [[nodiscard]] boost::asio::any_io_executor executor() const;

  // The next complete message, or how the connection ended. Control frames before it are dealt with
  // inside.
  [[nodiscard]] boost::asio::awaitable<tl::expected<Message, Closed>> read();

  // One message as one frame. Ends when the kernel has taken it all, or the connection has ended.
  [[nodiscard]] boost::asio::awaitable<tl::expected<void, Closed>> write(
      MessageKind kind, std::span<const std::byte> bytes);
  [[nodiscard]] boost::asio::awaitable<tl::expected<void, Closed>> write(std::string_view text);

  // Several messages, in order, in one write to the socket (the messages of one step leave
  // together).
  [[nodiscard]] boost::asio::awaitable<tl::expected<void, Closed>> write(
      std::span<const Outgoing> messages);

  // An empty ping frame (the protocol's own heartbeat is a message; this is for tests and proxies).
  [[nodiscard]] boost::asio::awaitable<void> ping();

  // Sends a close frame after the write in progress, waits at most `wait` for the peer's, then
  // closes hard. A read() in progress ends too. `reason`: at most 123 bytes are sent. Called again:
  // waits for the same end.
  [[nodiscard]] boost::asio::awaitable<Closed> close(std::uint16_t code, std::string_view reason,
                                                     std::chrono::milliseconds wait = kCloseWait);

  // The same in the background: the connection lives on by itself until it is closed. The object
  // may be destroyed.
  void start_close(std::uint16_t code, std::string_view reason,
                   std::chrono::milliseconds wait = kCloseWait);

  // Closes the socket now, without a close frame. Safe at any point, from callbacks too.
  void abort();

  // Messages longer than this close with 1009; counts from the next message header on.
  void set_message_limit(std::size_t bytes);

  // Called for every inbound control frame, and for every piece of a message but the last: that one
  // shows as read() gives the message (E30). It may call anything of this object but read(),
  // write() and close().
  void on_sign_of_life(std::function<void()> callback);

  [[nodiscard]] WriteProgress progress() const;

  // Called when the lobby has to make room and this is the socket that goes (E3): it may still say
  // why. Half a second later it is closed hard, unless it left the lobby meanwhile. Not set: it is
  // closed with 1008 `busy`.
  void on_eviction(std::function<void()> callback);

  // Gives back the place among the sockets that are not authenticated (E3). Call it once
  // authenticated.
  void leave_lobby();

 private:
  std::shared_ptr<WebSocketStream> stream_;
};

}  // namespace gadget::wire
