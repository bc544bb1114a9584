#include "ports/desktop/hub_link.hpp"

#include <algorithm>
#include <random>

namespace gadget::ports::desktop {
namespace {

namespace websocket = device::websocket;

// How long the hub may take to answer a close before the stream is closed all the same.
constexpr auto kCloseWait = std::chrono::seconds{1};

std::string text_of(const websocket::Refused& refused) {
  using enum websocket::Refusal;
  switch (refused.why) {
    case http_status: return "the address answers with HTTP " + std::to_string(refused.http_status);
    case not_http: return "what answers there is no HTTP server";
    case head_too_long: return "the answer's head is too long";
    case no_upgrade:
    case wrong_accept: return "what answers there does not speak WebSocket";
    case extension: return "the hub selected an extension that was not offered";
    case subprotocol: return "the hub selected a subprotocol that was not offered";
    case connection_ended: return "the connection ended during the upgrade";
  }
  return "refused";
}

std::string text_of(const websocket::Closed& closed) {
  if (closed.by == websocket::ClosedBy::lost) return "connection lost";
  if (closed.by == websocket::ClosedBy::fault) {
    return "the hub broke the WebSocket protocol (" + std::to_string(closed.code) + ")";
  }
  std::string text = "closed " + std::to_string(closed.code);
  if (!closed.reason.empty()) text += " " + std::string{closed.reason};
  return text;
}

}  // namespace

template <class Call>
auto HubLink::watched(std::string_view what, Call call) {
  return core_ == nullptr ? call() : core_->inside(what, call);
}

HubLink::HubLink(const boost::asio::any_io_executor& executor, HubUrl url, MakeTls make_tls,
                 std::size_t receive_bytes)
    : url_(std::move(url)),
      make_tls_(std::move(make_tls)),
      host_(url_.authority()),
      buffer_(std::max(receive_bytes, protocol::kMaxBinaryBytes)),
      client_(buffer_, *this),
      stream_(executor,
              wire::ByteStreamCalls{
                  .opened = [this] { stream_opened(); },
                  .received =
                      [this](std::span<const std::byte> bytes) {
                        watched("websocket feed", [&] { client_.feed(bytes); });
                      },
                  .drained = [this] { watched("websocket pump", [&] { client_.pump(); }); },
                  .ended = [this](const Failure& failure) { stream_ended(failure); }}),
      closing_(executor) {}

HubLink::~HubLink() = default;

device::Millis HubLink::now() const {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

void HubLink::attach(Core* core) {
  if (core == nullptr) cut();
  core_ = core;
}

void HubLink::cut() {
  epoch_ = 0;
  closing_.cancel();
  stream_.abort();
}

bool HubLink::idle() const { return !stream_.is_open(); }

// ---- device::Link

void HubLink::connect(device::Epoch epoch) {
  epoch_ = epoch;
  closing_.cancel();
  look_up_hub();
  if (url_.tls && !tls_) return;  // never in clear instead; hopeless() says why
  wire::ByteStreamOptions options;
  options.host = url_.host;
  options.port = url_.port;
  options.tls = url_.tls ? tls_ : nullptr;
  stream_.connect(std::move(options));
}

void HubLink::look_up_hub() {
  if (core_ != nullptr) {
    const auto set = parse_hub_url(core_->look().settings().text(device::Setting::hub));
    if (set) url_ = *set;  // what cannot be read: the one before
  }
  host_ = url_.authority();
  if (!url_.tls || tls_) return;
  if (auto made = make_tls_()) {
    tls_ = std::move(*made);
  } else {
    hopeless_ = to_line(made.error());
  }
}

bool HubLink::send_text(std::string_view message) {
  return watched("websocket send", [&] { return client_.send(message); });
}

bool HubLink::send_binary(std::span<const std::byte> message) {
  return watched("websocket send", [&] { return client_.send(websocket::Kind::binary, message); });
}

void HubLink::close(std::uint16_t code, std::string_view reason) {
  epoch_ = 0;
  if (!client_.is_open()) return stream_.abort();
  watched("websocket close", [&] { client_.close(code, reason); });
  closing_.expires_after(kCloseWait);
  closing_.async_wait([this](const boost::system::error_code& error) {
    if (!error) stream_.close();
  });
}

// ---- What the stream says

void HubLink::stream_opened() {
  if (epoch_ == 0) return stream_.abort();
  const bool begun = watched("websocket start", [&] {
    return client_.start(
        {.host = host_, .path = url_.path, .subprotocol = protocol::kSubprotocol, .headers = {}});
  });
  if (!begun) {
    stream_.abort();
    return tell_end({.close_code = 0, .reason = "the address is too long", .http_status = 0});
  }
  if (core_ != nullptr) core_->link_transport(now(), epoch_);
}

void HubLink::stream_ended(const Failure& failure) {
  closing_.cancel();
  if (failure.code == FailureCode::refused) hopeless_ = to_line(failure);
  // Leads to on_closed or on_refused when it had begun.
  watched("websocket end", [&] { client_.stream_ended(); });
  tell_end({.close_code = 0, .reason = failure.text, .http_status = 0});
}

void HubLink::tell_end(device::LinkEnd end) {
  const device::Epoch epoch = std::exchange(epoch_, device::Epoch{0});
  if (epoch != 0 && core_ != nullptr) core_->link_closed(now(), epoch, end);
}

// ---- device::websocket::Port

void HubLink::random(std::span<std::byte> out) {
  const heap::Pause pause;
  static std::random_device device;
  for (auto& byte : out) byte = static_cast<std::byte>(device());
}

std::size_t HubLink::room() const {
  const heap::Pause pause;
  return stream_.room();
}

void HubLink::send(std::span<const std::byte> bytes) {
  const heap::Pause pause;
  (void)stream_.write(bytes);
}

void HubLink::on_open(std::string_view) {
  const heap::Pause pause;
  hopeless_.clear();
  if (epoch_ != 0 && core_ != nullptr) core_->link_opened(now(), epoch_);
}

void HubLink::on_message(const websocket::Message& message) {
  const heap::Pause pause;
  if (epoch_ == 0 || core_ == nullptr) return;
  if (message.kind == websocket::Kind::binary) {
    if (!message.is_cut()) core_->link_binary(now(), epoch_, message.bytes);
    return;
  }
  // The bytes lie in our buffer, where the core decodes strings in place.
  const auto offset = static_cast<std::size_t>(message.bytes.data() - buffer_.data());
  const std::span<char> text{reinterpret_cast<char*>(buffer_.data()) + offset,
                             message.bytes.size()};
  if (message.is_cut()) {
    core_->link_cut_text(now(), epoch_, text);
  } else {
    core_->link_text(now(), epoch_, text);
  }
}

void HubLink::on_closed(const websocket::Closed& closed) {
  const heap::Pause pause;
  closing_.cancel();
  stream_.close();
  // The core looks for the code of a refusal in the reason of a 1008 (E2).
  const std::string text = text_of(closed);
  const bool refusal = closed.by == websocket::ClosedBy::peer && closed.code == 1008;
  tell_end({.close_code = closed.code,
            .reason = refusal ? closed.reason : std::string_view{text},
            .http_status = 0});
}

void HubLink::on_refused(const websocket::Refused& refused) {
  const heap::Pause pause;
  stream_.close();
  const std::string text = text_of(refused);
  tell_end({.close_code = 0,
            .reason = text,
            .http_status = refused.http_status,
            .retry_after_s = refused.retry_after_s});
}

void HubLink::on_sign_of_life() {
  const heap::Pause pause;
  if (epoch_ != 0 && core_ != nullptr) core_->link_alive(now(), epoch_);
}

}  // namespace gadget::ports::desktop
