#include "hub/server/device_sockets.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace gadget::hub {
namespace {

using Level = LogFact::Level;

}  // namespace

Result<void> DeviceSockets::listen(wire::ListenOptions options) {
  wire::ListenerCalls calls;
  calls.decide = [this](const wire::HttpRequest& request) { return decide(request); };
  calls.arrived = [this](wire::WebSocket socket, const wire::HttpRequest& request,
                         const std::string&) { arrived(std::move(socket), request); };
  calls.observe = [this](const wire::ListenerEvent& event) { observe(event); };
  auto listener = wire::Listener::open(parts_.loop, std::move(options), std::move(calls));
  if (!listener) return tl::unexpected(std::move(listener.error()));
  listener_ = std::move(*listener);
  return {};
}

// ---- Connections -------------------------------------------------------------------------------

wire::Decision DeviceSockets::decide(const wire::HttpRequest& request) {
  Admission admission = admit(request, admission_);
  if (!admission.refusal.empty()) {
    std::vector<std::pair<std::string, std::string>> fields{{"reason", admission.refusal},
                                                            {"address", admission.address}};
    if (admission.refusal == "origin") {
      fields.emplace_back("origin", admission.origin);
      fields.emplace_back("setting", "origins");
    }
    if (admission.refusal == "host") fields.emplace_back("setting", "hosts");
    parts_.log->write(admission.refusal == "origin" ? Level::warning : Level::info,
                      "request.refused", std::move(fields));
  }
  return std::move(admission.decision);
}

void DeviceSockets::arrived(wire::WebSocket socket, const wire::HttpRequest& request) {
  if (stopping_) {
    socket.start_close(wire::close_code::going_away, "server stopping");
    return;
  }
  const std::string address = peer_address(request, admission_);
  SocketLink::Parts parts;
  parts.gate = parts_.gate;
  parts.clock = parts_.clock;
  parts.pace = &pace_;
  parts.too_slow = [this](const SocketLink& link) {
    parts_.log->write(Level::warning, "socket.too_slow", {{"conn", std::to_string(link.id())}});
  };
  parts.ended = [this](SocketLink& link, const wire::Closed& closed) { ended(link, closed); };
  auto link = std::make_shared<SocketLink>(std::move(socket), std::move(parts));
  links_.emplace(link.get(), link);
  size_ = links_.size();
  link->start({.address = wire::address_group(address), .encrypted = request.tls});
}

void DeviceSockets::ended(SocketLink& link, const wire::Closed& closed) {
  parts_.log->write(Level::info, "socket.closed",
                    {{"conn", std::to_string(link.id())}, {"how", wire::to_line(closed)}});
  links_.erase(&link);
  size_ = links_.size();
}

void DeviceSockets::observe(const wire::ListenerEvent& event) {
  using Kind = wire::ListenerEvent::Kind;
  if (event.kind == Kind::answered) return;  // decide() said why
  const bool trouble = event.kind == Kind::accept_failed || event.kind == Kind::evicted ||
                       event.kind == Kind::refused_address_full;
  parts_.log->write(
      trouble ? Level::warning : Level::info, "socket." + std::string(wire::name(event.kind)),
      {{"address", std::string(event.peer_address)}, {"text", std::string(event.text)}});
}

// ---- Time --------------------------------------------------------------------------------------

void DeviceSockets::sweep() {
  const std::int64_t now_ms = parts_.clock->now_ms();
  late_ms_ = swept_ms_ == 0 ? 0 : std::max<std::int64_t>(0, now_ms - swept_ms_ - kSweepEveryMs);
  swept_ms_ = now_ms;
  sweep_links(links_.size() / kSweepParts + 1);
}

void DeviceSockets::sweep_links(std::size_t most) {
  // A link that ends takes itself out of the map.
  std::vector<std::shared_ptr<SocketLink>> links;
  links.reserve(most);
  auto at = links_.upper_bound(swept_);
  for (; at != links_.end() && links.size() < most; ++at) links.push_back(at->second);
  const bool round_ends = at == links_.end();
  for (const auto& link : links) {
    link->sweep();
    swept_waiting_ += link->waiting_bytes();
  }
  if (round_ends) waiting_bytes_ = std::exchange(swept_waiting_, 0);
  swept_ = round_ends ? nullptr : links.back().get();
}

void DeviceSockets::sweep_all() {
  if (listener_) listener_->sweep();
  swept_ = nullptr;
  swept_waiting_ = 0;
  sweep_links(links_.size() + 1);
}

bool DeviceSockets::idle() const {
  return std::all_of(links_.begin(), links_.end(),
                     [](const auto& entry) { return entry.second->idle(); });
}

// ---- Stopping ----------------------------------------------------------------------------------

void DeviceSockets::stop() {
  stopping_ = true;
  if (listener_) listener_->stop();
}

void DeviceSockets::abort() {
  const auto links = links_;  // one that ends takes itself out
  for (const auto& [key, link] : links) link->abort();
}

void DeviceSockets::clear() {
  listener_.reset();
  links_.clear();
}

}  // namespace gadget::hub
