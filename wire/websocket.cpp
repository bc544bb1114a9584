// The only file that knows Beast's WebSocket: compiled once, for one stream type.
#include "wire/websocket.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <utility>
#include <vector>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/websocket/rfc6455.hpp>
#include <boost/beast/websocket/stream.hpp>

#include "wire/deadline.hpp"
#include "wire/frame_header.hpp"
#include "wire/link.hpp"
#include "wire/websocket_stream.hpp"

namespace gadget::wire {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;

// How Beast ends a connection in good order: the rest goes on in the background.
template <class Handler>
void async_teardown(beast::role_type, Link& link, Handler&& handler) {
  link.socket().retire();
  asio::post(link.get_executor(),
             [h = std::forward<Handler>(handler)]() mutable { std::move(h)(ErrorCode{}); });
}

inline void beast_close_socket(Link& link) { link.socket().close(); }

namespace {

// The first piece of memory for a message; it doubles as bytes arrive, never as lengths are
// declared (B-06).
constexpr std::size_t kFirstBufferBytes = 256;
// A buffer larger than this is given back before the next message is awaited.
constexpr std::size_t kKeptBufferBytes = 4096;
// RFC 6455: a control frame carries 125 bytes, two of them the code.
constexpr std::size_t kReasonBytes = 123;
// How long a read may go on after a write failed, to find the peer's close frame.
constexpr auto kLastWords = std::chrono::milliseconds{500};
// How long a peer that sent half a character may take to answer the close.
constexpr auto kFaultWait = std::chrono::milliseconds{250};
// What a socket that was upgraded and then evicted from the lobby may take to say goodbye.
constexpr auto kEvictionWait = std::chrono::milliseconds{500};

// At most `limit` bytes of `text`, cut between characters.
std::string_view cut(std::string_view text, std::size_t limit) {
  if (text.size() <= limit) return text;
  while (limit > 0 && (static_cast<unsigned char>(text[limit]) & 0xC0U) == 0x80U) --limit;
  return text.substr(0, limit);
}

// Whether a text whose sequences are right so far ends within one. Beast misses that when the last
// fragment is empty.
bool ends_inside_character(std::span<const std::byte> text) {
  for (std::size_t back = 1; back <= 3 && back <= text.size(); ++back) {
    const auto byte = static_cast<unsigned>(text[text.size() - back]);
    if ((byte & 0xC0U) == 0x80U) continue;
    const std::size_t length = byte >= 0xF0U ? 4 : byte >= 0xE0U ? 3 : byte >= 0xC0U ? 2 : 1;
    return length > back;
  }
  return false;
}

using Stream = beast::websocket::stream<Link, false>;

}  // namespace

class WebSocketStream : public std::enable_shared_from_this<WebSocketStream> {
 public:
  explicit WebSocketStream(std::shared_ptr<Socket> socket)
      : socket_(std::move(socket)), stream_(Link{socket_}), ended_(socket_->executor()) {
    ended_.expires_at(std::chrono::steady_clock::time_point::max());
    beast::websocket::stream_base::timeout none{};
    none.handshake_timeout = beast::websocket::stream_base::none();
    none.idle_timeout = beast::websocket::stream_base::none();
    none.keep_alive_pings = false;
    stream_.set_option(none);
    stream_.auto_fragment(false);
    stream_.read_message_max(kMessageLimitBytes);
    stream_.control_callback([this](beast::websocket::frame_type, beast::string_view) { alive(); });
  }

  Stream& stream() { return stream_; }
  Socket& socket() { return *socket_; }

  static asio::awaitable<tl::expected<Message, Closed>> read(std::shared_ptr<WebSocketStream> self);
  static asio::awaitable<tl::expected<void, Closed>> write(std::shared_ptr<WebSocketStream> self,
                                                           Outgoing message);
  static asio::awaitable<tl::expected<void, Closed>> write_together(
      std::shared_ptr<WebSocketStream> self, std::span<const Outgoing> messages);
  static asio::awaitable<void> ping(std::shared_ptr<WebSocketStream> self);
  static asio::awaitable<Closed> close(std::shared_ptr<WebSocketStream> self, std::uint16_t code,
                                       std::string reason, std::chrono::milliseconds wait);
  void start_close(std::uint16_t code, std::string_view reason, std::chrono::milliseconds wait);
  void abort();
  void abandon();
  void limit(std::size_t bytes) {
    limit_ = bytes;
    stream_.read_message_max(bytes);
  }
  void on_sign_of_life(std::function<void()> callback) {
    alive_ = std::make_shared<const std::function<void()>>(std::move(callback));
  }
  [[nodiscard]] WriteProgress progress() const {
    auto progress = socket_->progress();
    if (write_until_ > progress.taken_bytes) {
      progress.pending_bytes = std::max<std::size_t>(
          progress.pending_bytes, static_cast<std::size_t>(write_until_ - progress.taken_bytes));
    }
    return progress;
  }
  void place(Lobby::Place place) { place_ = std::move(place); }
  void serve() { server_ = true; }
  void leave_lobby() {
    place_.leave();
    in_lobby_ = false;
    evicted_.reset();
  }
  void on_eviction(std::function<void()> callback) {
    evicted_ = std::make_shared<const std::function<void()>>(std::move(callback));
  }
  void evict();

 private:
  void alive() {
    const auto callback = alive_;  // it may replace itself
    if (callback && *callback) (*callback)();
  }
  void finish(Closed closed);
  [[nodiscard]] Closed cause(ErrorCode error);
  static asio::awaitable<Closed> end(std::shared_ptr<WebSocketStream> self, ErrorCode error);
  static asio::awaitable<Closed> write_failed(std::shared_ptr<WebSocketStream> self,
                                              ErrorCode error);
  static asio::awaitable<void> run_close(std::shared_ptr<WebSocketStream> self,
                                         std::chrono::milliseconds wait);
  static asio::awaitable<Closed> wait_for_end(std::shared_ptr<WebSocketStream> self);
  void grow();
  // Whether frames may be written beside Beast: nothing of its own is half written, and nothing
  // ends the connection.
  [[nodiscard]] bool writes_frames() const {
    return server_ && !closed_ && !closing_ && stream_.is_open() && !socket_->writes_alone();
  }
  void gather(const Outgoing& message);

  std::shared_ptr<Socket> socket_;
  Stream stream_;
  asio::steady_timer ended_;  // cancelled when closed_ is there
  std::optional<Closed> closed_;
  std::optional<Closed> closing_;  // what close() was told
  std::vector<std::byte> buffer_;
  std::size_t filled_ = 0;
  std::size_t limit_ = kMessageLimitBytes;
  std::shared_ptr<const std::function<void()>> alive_;
  std::shared_ptr<const std::function<void()>> evicted_;
  bool reading_ = false;
  bool in_lobby_ = true;
  bool server_ = false;
  std::uint64_t write_until_ =
      0;  // the socket will have taken so much when the write in progress ends
  Lobby::Place place_;
};

void WebSocketStream::finish(Closed closed) {
  if (closed_) return;
  closed_ = std::move(closed);
  place_.leave();
  ended_.cancel();
}

// What an error of a read or write says about how the connection ended.
Closed WebSocketStream::cause(ErrorCode error) {
  namespace ws = beast::websocket;
  if (error == ws::error::closed) {
    const auto& reason = stream_.reason();
    const std::uint16_t code = reason.code == ws::close_code::none
                                   ? close_code::no_code
                                   : static_cast<std::uint16_t>(reason.code);
    return {ClosedBy::peer, code, std::string{reason.reason.data(), reason.reason.size()}, false};
  }
  if (error == ws::error::message_too_big) {
    return {ClosedBy::fault, close_code::too_big, error.message(), false};
  }
  if (error == ws::error::bad_frame_payload) {
    return {ClosedBy::fault, close_code::bad_payload, error.message(), false};
  }
  if (error.category() == make_error_code(ws::error::closed).category()) {
    return {ClosedBy::fault, close_code::protocol_error, error.message(), false};
  }
  return {ClosedBy::lost, close_code::lost, error.message(), false};
}

// A write failed. A read in progress may still find the peer's close frame, which says more than a
// broken pipe.
asio::awaitable<Closed> WebSocketStream::write_failed(std::shared_ptr<WebSocketStream> self,
                                                      ErrorCode error) {
  if (!self->closed_ && !self->closing_ && self->reading_) {
    const Deadline deadline{self->socket_->executor(), kLastWords,
                            [socket = self->socket_] { socket->close(); }};
    co_return co_await wait_for_end(self);
  }
  co_return co_await end(self, error);
}

// A read or write failed: the first cause stands; during close() its end is awaited.
asio::awaitable<Closed> WebSocketStream::end(std::shared_ptr<WebSocketStream> self,
                                             ErrorCode error) {
  if (self->closed_) co_return *self->closed_;
  auto found = self->cause(error);
  if (self->closing_) {
    if (found.by == ClosedBy::lost) co_return co_await wait_for_end(self);
    auto closed = *self->closing_;
    closed.answered = found.by == ClosedBy::peer;
    self->finish(std::move(closed));
  } else {
    if (found.by == ClosedBy::lost) self->socket_->close();
    self->finish(std::move(found));
  }
  co_return *self->closed_;
}

asio::awaitable<Closed> WebSocketStream::wait_for_end(std::shared_ptr<WebSocketStream> self) {
  while (!self->closed_) {
    auto [error] = co_await self->ended_.async_wait(kAwait);
    static_cast<void>(error);
  }
  co_return *self->closed_;
}

void WebSocketStream::grow() {
  if (filled_ < buffer_.size()) return;
  const auto wanted = std::max(kFirstBufferBytes, buffer_.size() * 2);
  // One byte beyond the limit: a read into no room at all would not end.
  buffer_.resize(std::max(filled_ + 1, std::min(wanted, limit_ + 1)));
}

asio::awaitable<tl::expected<Message, Closed>> WebSocketStream::read(
    std::shared_ptr<WebSocketStream> self) {
  if (self->closed_) co_return tl::unexpected(*self->closed_);
  if (self->buffer_.size() > kKeptBufferBytes) std::vector<std::byte>{}.swap(self->buffer_);
  self->filled_ = 0;
  do {
    self->grow();
    const asio::mutable_buffer room{self->buffer_.data() + self->filled_,
                                    self->buffer_.size() - self->filled_};
    self->reading_ = true;
    auto [error, bytes] = co_await self->stream_.async_read_some(room, kAwait);
    self->reading_ = false;
    if (error) {
      auto closed = co_await end(self, error);
      co_return tl::unexpected(std::move(closed));
    }
    self->filled_ += bytes;
    if (!self->stream_.is_message_done()) self->alive();  // else the message says it
  } while (!self->stream_.is_message_done());
  const std::span<std::byte> bytes{self->buffer_.data(), self->filled_};
  if (!self->stream_.got_text()) co_return Message{MessageKind::binary, bytes};
  if (ends_inside_character(bytes)) {
    self->start_close(close_code::bad_payload, "", kFaultWait);
    Closed fault{ClosedBy::fault, close_code::bad_payload, "incomplete character", false};
    self->finish(fault);
    co_return tl::unexpected(std::move(fault));
  }
  co_return Message{MessageKind::text, bytes};
}

asio::awaitable<tl::expected<void, Closed>> WebSocketStream::write(
    std::shared_ptr<WebSocketStream> self, Outgoing message) {
  if (self->closed_) co_return tl::unexpected(*self->closed_);
  self->stream_.text(message.kind == MessageKind::text);
  const std::array<asio::const_buffer, 2> buffer{
      asio::const_buffer{message.bytes.data(), message.bytes.size()},
      asio::const_buffer{message.rest.data(), message.rest.size()}};
  self->write_until_ =
      self->socket_->progress().taken_bytes + message.bytes.size() + message.rest.size();
  auto [error, bytes] = co_await self->stream_.async_write(buffer, kAwait);
  self->write_until_ = 0;
  if (error) {
    auto closed = co_await write_failed(self, error);
    co_return tl::unexpected(std::move(closed));
  }
  co_return tl::expected<void, Closed>{};
}

// A server's frame is a header and the message as it is: made here it costs nothing, in Beast some
// rounds through the loop.
void WebSocketStream::gather(const Outgoing& message) {
  const FrameHeader header(message.kind, message.bytes.size() + message.rest.size());
  socket_->gather(header.text());
  for (const auto part : {message.bytes, message.rest}) {
    socket_->gather({reinterpret_cast<const char*>(part.data()), part.size()});
  }
}

asio::awaitable<tl::expected<void, Closed>> WebSocketStream::write_together(
    std::shared_ptr<WebSocketStream> self, std::span<const Outgoing> messages) {
  tl::expected<void, Closed> result;
  if (self->writes_frames()) {
    self->socket_->cork();
    for (const auto& message : messages) self->gather(message);
  } else {
    if (messages.size() == 1) co_return co_await write(self, messages.front());
    self->socket_->cork();
    for (const auto& message : messages) {
      result = co_await write(self, message);
      if (!result) break;
    }
  }
  const auto socket = self->socket_;
  auto started = await_completion([socket](Completion done) { socket->flush(std::move(done)); });
  auto [error, bytes] = co_await std::move(started);
  if (result && error) {
    auto closed = co_await write_failed(self, error);
    co_return tl::unexpected(std::move(closed));
  }
  co_return result;
}

asio::awaitable<void> WebSocketStream::ping(std::shared_ptr<WebSocketStream> self) {
  if (self->closed_) co_return;
  auto [error] = co_await self->stream_.async_ping({}, kAwait);
  static_cast<void>(error);
}

void WebSocketStream::start_close(std::uint16_t code, std::string_view reason,
                                  std::chrono::milliseconds wait) {
  if (closed_ || closing_) return;
  closing_ = Closed{ClosedBy::us, code, std::string{cut(reason, kReasonBytes)}, false};
  asio::co_spawn(socket_->executor(), run_close(shared_from_this(), wait), asio::detached);
}

asio::awaitable<void> WebSocketStream::run_close(std::shared_ptr<WebSocketStream> self,
                                                 std::chrono::milliseconds wait) {
  const Deadline deadline{self->socket_->executor(), wait,
                          [socket = self->socket_] { socket->close(); }};
  const beast::websocket::close_reason reason{
      static_cast<beast::websocket::close_code>(self->closing_->code), self->closing_->reason};
  auto [error] = co_await self->stream_.async_close(reason, kAwait);
  if (error) self->socket_->close();
  auto closed = *self->closing_;
  closed.answered = !error;
  self->finish(std::move(closed));
}

asio::awaitable<Closed> WebSocketStream::close(std::shared_ptr<WebSocketStream> self,
                                               std::uint16_t code, std::string reason,
                                               std::chrono::milliseconds wait) {
  self->start_close(code, reason, wait);
  return wait_for_end(std::move(self));
}

void WebSocketStream::abort() {
  socket_->close();
  finish(closing_ ? *closing_ : Closed{ClosedBy::us, close_code::lost, "aborted", false});
}

// The owner is gone: a close that was started goes on, all else ends now.
void WebSocketStream::abandon() {
  alive_.reset();
  evicted_.reset();
  if (!closing_) abort();
}

void WebSocketStream::evict() {
  const auto callback = std::exchange(evicted_, nullptr);
  if (!callback || !*callback) return start_close(close_code::policy, "busy", kEvictionWait);
  (*callback)();
  auto timer = std::make_shared<asio::steady_timer>(socket_->executor(), kEvictionWait);
  timer->async_wait([timer, weak = weak_from_this()](ErrorCode) {
    const auto live = weak.lock();
    if (live && live->in_lobby_ && !live->closed_) live->abort();
  });
}

std::string to_line(const Closed& closed) {
  constexpr const char* kBy[] = {"closed by the peer", "closed by us", "broke the rules",
                                 "connection lost"};
  std::string line = kBy[static_cast<std::size_t>(closed.by)];
  line += ": " + std::to_string(closed.code);
  if (!closed.reason.empty()) line += " " + closed.reason;
  return line;
}

WebSocket::WebSocket() = default;
WebSocket::WebSocket(std::shared_ptr<WebSocketStream> stream) : stream_(std::move(stream)) {}
WebSocket::WebSocket(WebSocket&&) noexcept = default;
WebSocket& WebSocket::operator=(WebSocket&& other) noexcept {
  if (this != &other) {
    if (stream_) stream_->abandon();
    stream_ = std::move(other.stream_);
  }
  return *this;
}
WebSocket::~WebSocket() {
  if (stream_) stream_->abandon();
}

asio::any_io_executor WebSocket::executor() const { return stream_->socket().executor(); }

asio::awaitable<tl::expected<Message, Closed>> WebSocket::read() {
  return WebSocketStream::read(stream_);
}

asio::awaitable<tl::expected<void, Closed>> WebSocket::write(MessageKind kind,
                                                             std::span<const std::byte> bytes) {
  return WebSocketStream::write(stream_, Outgoing{kind, bytes});
}

asio::awaitable<tl::expected<void, Closed>> WebSocket::write(std::string_view text) {
  return WebSocketStream::write(
      stream_, Outgoing{MessageKind::text, std::as_bytes(std::span{text.data(), text.size()})});
}

asio::awaitable<tl::expected<void, Closed>> WebSocket::write(std::span<const Outgoing> messages) {
  return WebSocketStream::write_together(stream_, messages);
}

asio::awaitable<void> WebSocket::ping() { return WebSocketStream::ping(stream_); }

asio::awaitable<Closed> WebSocket::close(std::uint16_t code, std::string_view reason,
                                         std::chrono::milliseconds wait) {
  return WebSocketStream::close(stream_, code, std::string{reason}, wait);
}

void WebSocket::start_close(std::uint16_t code, std::string_view reason,
                            std::chrono::milliseconds wait) {
  stream_->start_close(code, reason, wait);
}

void WebSocket::abort() { stream_->abort(); }
void WebSocket::set_message_limit(std::size_t bytes) { stream_->limit(bytes); }
void WebSocket::on_sign_of_life(std::function<void()> callback) {
  stream_->on_sign_of_life(std::move(callback));
}
WriteProgress WebSocket::progress() const { return stream_->progress(); }
void WebSocket::leave_lobby() { stream_->leave_lobby(); }
void WebSocket::on_eviction(std::function<void()> callback) {
  stream_->on_eviction(std::move(callback));
}

asio::awaitable<std::shared_ptr<WebSocketStream>> accept_websocket(std::shared_ptr<Socket> socket,
                                                                   std::string key,
                                                                   std::string subprotocol) {
  // The listener has judged the client's request, repeated and listed headers included (B-17).
  // Beast gets the plain form of it, without the extensions that were offered (T10).
  http::request<http::empty_body> request{http::verb::get, "/", 11};
  request.set(http::field::host, "hub");
  request.set(http::field::upgrade, "websocket");
  request.set(http::field::connection, "Upgrade");
  request.set(http::field::sec_websocket_key, key);
  request.set(http::field::sec_websocket_version, "13");
  auto stream = std::make_shared<WebSocketStream>(std::move(socket));
  stream->stream().set_option(beast::websocket::stream_base::decorator(
      [subprotocol](beast::websocket::response_type& response) {
        response.set(http::field::server, "hub");  // Beast would tell its version
        if (!subprotocol.empty()) response.set(http::field::sec_websocket_protocol, subprotocol);
      }));
  auto [error] = co_await stream->stream().async_accept(request, kAwait);
  if (error) co_return nullptr;
  stream->serve();
  // The decorator holds memory that is needed only once.
  stream->stream().set_option(
      beast::websocket::stream_base::decorator([](beast::websocket::response_type&) {}));
  co_return stream;
}

void keep_place(WebSocketStream& stream, Lobby::Place place) { stream.place(std::move(place)); }

std::function<void()> eviction(const std::shared_ptr<WebSocketStream>& stream) {
  return [weak = std::weak_ptr{stream}] {
    if (const auto live = weak.lock()) {
      live->evict();
    }
  };
}

namespace {

UpgradeRefused refused(FailureCode code, std::string text, unsigned status = 0) {
  return {Failure{code, std::move(text), {}}, status, 0};
}

// Whole seconds of a Retry-After; dates are not understood (0).
int retry_after(const beast::websocket::response_type& response) {
  const auto value = response[http::field::retry_after];
  int seconds = 0;
  std::from_chars(value.data(), value.data() + value.size(), seconds);
  return std::max(seconds, 0);
}

std::string joined(const std::vector<std::string>& list) {
  std::string out;
  for (const auto& element : list) {
    if (!out.empty()) out += ", ";
    out += element;
  }
  return out;
}

}  // namespace

asio::awaitable<tl::expected<Upgraded, UpgradeRefused>> request_websocket(
    std::shared_ptr<Socket> socket, std::string host, UpgradeOptions options) {
  auto stream = std::make_shared<WebSocketStream>(std::move(socket));
  const auto offered = joined(options.subprotocols);
  stream->stream().set_option(beast::websocket::stream_base::decorator(
      [&offered, &options](beast::websocket::request_type& request) {
        if (!offered.empty()) request.set(http::field::sec_websocket_protocol, offered);
        for (const auto& header : options.headers) request.insert(header.name, header.value);
      }));
  beast::websocket::response_type response;
  auto [error] = co_await stream->stream().async_handshake(response, host, options.target, kAwait);
  stream->stream().set_option(
      beast::websocket::stream_base::decorator([](beast::websocket::request_type&) {}));
  if (error == beast::websocket::error::upgrade_declined) {
    auto answer = refused(FailureCode::refused,
                          "the server answered HTTP " + std::to_string(response.result_int()),
                          response.result_int());
    answer.retry_after_s = retry_after(response);
    co_return tl::unexpected(std::move(answer));
  }
  if (error) {
    co_return tl::unexpected(refused(FailureCode::io, "the upgrade failed: " + error.message()));
  }
  const std::string selected{response[http::field::sec_websocket_protocol]};
  if (!selected.empty() && std::find(options.subprotocols.begin(), options.subprotocols.end(),
                                     selected) == options.subprotocols.end()) {
    co_return tl::unexpected(refused(
        FailureCode::refused, "the server selected a subprotocol that was not offered", 101));
  }
  if (response.count(http::field::sec_websocket_extensions) > 0) {
    co_return tl::unexpected(refused(
        FailureCode::refused, "the server negotiates an extension that was not offered", 101));
  }
  stream->limit(options.message_limit);
  co_return Upgraded{WebSocket{std::move(stream)}, selected};
}

}  // namespace gadget::wire
