#include "ports/template/hub_link.hpp"

#include <algorithm>
#include <utility>

#include "ports/template/hub_address.hpp"

namespace gadget::ports::port_template {
namespace {

namespace websocket = device::websocket;

// How long the hub may take to answer a close before the stream is closed all the same.
constexpr device::Millis kCloseWaitMs = 1'000;
// How much is taken from the stream at a time, on the stack.
constexpr std::size_t kPieceBytes = 256;
// And how much in one step, so that a flood of bytes does not keep buttons and sound waiting.
constexpr std::size_t kStepBytes = 16 * 1'024;

std::string_view text_of(const websocket::Refused& refused) {
  using enum websocket::Refusal;
  switch (refused.why) {
    case http_status: return "the address answers with an HTTP error";
    case not_http:
    case head_too_long: return "what answers there is no hub";
    case no_upgrade:
    case wrong_accept: return "what answers there does not speak WebSocket";
    case extension: return "the hub selected an extension that was not offered";
    case subprotocol: return "the hub selected a subprotocol that was not offered";
    case connection_ended: return "the connection ended during the upgrade";
  }
  return "refused";
}

}  // namespace

HubLink::HubLink(Board& board, std::span<std::byte> receive)
    : board_(board), receive_(receive), client_(receive, *this) {}

void HubLink::run(device::Millis now) {
  now_ = now;
  if (phase_ == Phase::wanted) open_stream();
  if (phase_ == Phase::opening) begin_talking();
  if (phase_ != Phase::talking && phase_ != Phase::closing) return;
  const bool drained = receive();
  client_.pump();
  // A new connection may have been asked for meanwhile: then this one is over already.
  if (phase_ != Phase::talking && phase_ != Phase::closing) return;
  const bool late = phase_ == Phase::closing && now - closing_since_ >= kCloseWaitMs;
  // What the hub sent before it closed is heard to the end, however many steps that takes.
  if (late || (drained && board_.stream_state() == StreamState::closed)) {
    client_.stream_ended();  // leads to on_closed or on_refused, and so to end()
    if (phase_ == Phase::closing) end({});
  }
}

void HubLink::open_stream() {
  const bool gone = board_.stream_state() == StreamState::closed;
  if (!gone && now_ - closing_since_ < kDrainMs) return;
  phase_ = Phase::opening;
  const auto hub = parse_hub_address(gadget_->settings().text(device::Setting::hub));
  if (!hub) return end({.close_code = 0, .reason = "the hub's address is none"});
  const std::size_t size = std::min(hub->host.size(), host_.size() - 1);
  std::copy_n(hub->host.begin(), size, host_.begin());
  host_[size] = '\0';
  if (!board_.stream_open({host_.data(), size}, hub->port, hub->tls)) {
    end({.close_code = 0, .reason = "no connection can be opened"});
  }
}

void HubLink::begin_talking() {
  switch (board_.stream_state()) {
    case StreamState::opening: return;
    case StreamState::closed: return end({.close_code = 0, .reason = "the hub does not answer"});
    case StreamState::open: break;
  }
  phase_ = Phase::talking;
  gadget_->link_transport(now_, epoch_);
  if (phase_ != Phase::talking) return;
  const auto hub = parse_hub_address(gadget_->settings().text(device::Setting::hub));
  if (!hub || !client_.start({.host = hub->authority, .path = hub->path})) {
    end({.close_code = 0, .reason = "the send buffer is too small"});
  }
}

bool HubLink::receive() {
  std::array<std::byte, kPieceBytes> piece;  // NOLINT: filled by the board
  for (std::size_t taken = 0; taken < kStepBytes;) {
    if (phase_ != Phase::talking && phase_ != Phase::closing) return false;
    const std::size_t size = board_.stream_receive(piece);
    if (size == 0) return true;
    taken += size;
    client_.feed(std::span<const std::byte>{piece}.first(size));
  }
  return false;
}

void HubLink::close_stream() {
  closing_since_ = now_;
  board_.stream_close();
}

void HubLink::end(const device::LinkEnd& how) {
  if (phase_ == Phase::idle) return;
  phase_ = Phase::idle;
  close_stream();
  // The core may ask for the next connection from inside this call.
  const device::Epoch epoch = std::exchange(epoch_, device::Epoch{0});
  if (epoch != 0) gadget_->link_closed(now_, epoch, how);
}

// ---- device::Link: called from inside the Gadget, so nothing is told from here

void HubLink::connect(device::Epoch epoch) {
  epoch_ = 0;
  if (phase_ != Phase::idle && phase_ != Phase::wanted) {
    // The client forgets its connection at the next start().
    close_stream();
  }
  epoch_ = epoch;
  phase_ = Phase::wanted;
}

bool HubLink::send_text(std::string_view message) {
  return phase_ == Phase::talking && client_.send(message);
}

bool HubLink::send_binary(std::span<const std::byte> message) {
  return phase_ == Phase::talking && client_.send(websocket::Kind::binary, message);
}

void HubLink::close(std::uint16_t code, std::string_view reason) {
  epoch_ = 0;
  if (phase_ == Phase::talking && client_.is_open()) {
    client_.close(code, reason);
    phase_ = Phase::closing;
    closing_since_ = now_;
  } else if (phase_ != Phase::closing) {
    if (phase_ != Phase::idle && phase_ != Phase::wanted) close_stream();
    phase_ = Phase::idle;
  }
}

// ---- device::websocket::Port

void HubLink::on_open(std::string_view) {
  if (tells()) gadget_->link_opened(now_, epoch_);
}

void HubLink::on_message(const websocket::Message& message) {
  if (!tells()) return;
  if (message.kind == websocket::Kind::binary) {
    if (!message.is_cut()) gadget_->link_binary(now_, epoch_, message.bytes);
    return;
  }
  // The bytes are the beginning of our buffer, where the core decodes strings in place.
  const std::span<char> text{reinterpret_cast<char*>(receive_.data()), message.bytes.size()};
  if (message.is_cut()) {
    gadget_->link_cut_text(now_, epoch_, text);
  } else {
    gadget_->link_text(now_, epoch_, text);
  }
}

void HubLink::on_closed(const websocket::Closed& closed) {
  // The core looks for the code of a refusal in the reason of a 1008 (E2).
  const bool by_hub = closed.by == websocket::ClosedBy::peer;
  end({.close_code = closed.code,
       .reason = by_hub ? closed.reason : std::string_view{"connection lost"}});
}

void HubLink::on_refused(const websocket::Refused& refused) {
  end({.close_code = 0,
       .reason = text_of(refused),
       .http_status = refused.http_status,
       .retry_after_s = refused.retry_after_s});
}

void HubLink::on_sign_of_life() {
  if (tells()) gadget_->link_alive(now_, epoch_);
}

}  // namespace gadget::ports::port_template
