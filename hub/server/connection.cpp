#include "hub/server/connection.hpp"

#include <utility>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace gadget::hub {

namespace asio = boost::asio;

SocketLink::SocketLink(wire::WebSocket socket, Parts parts)
    : socket_(std::move(socket)),
      parts_(std::move(parts)),
      wake_(socket_.executor(), asio::steady_timer::time_point::max()) {}

void SocketLink::start(Hub::Peer peer) {
  auto self = shared_from_this();
  id_ = parts_.gate->connected(std::move(peer), self);
  // The socket is ours, so what it calls does not outlive us.
  socket_.on_sign_of_life([this] {
    if (phase_ != Phase::ended) parts_.gate->alive(id_);
  });
  socket_.on_eviction([this] {
    if (phase_ == Phase::open) parts_.gate->crowded_out(id_);
  });
  asio::co_spawn(socket_.executor(), read(self), asio::detached);
  asio::co_spawn(socket_.executor(), write(self), asio::detached);
}

asio::awaitable<void> SocketLink::read(std::shared_ptr<SocketLink> self) {
  for (;;) {
    auto message = co_await self->socket_.read();
    if (!message) {
      self->end(message.error());
      co_return;
    }
    if (self->in_lobby_) co_await self->parts_.pace->turn();
    if (self->phase_ == Phase::open) {
      self->take(*message);
    } else if (self->phase_ != Phase::ended) {
      self->parts_.gate->alive(self->id_);  // E12: a connection that is being closed still lives
    }
    if (!self->parts_.gate->has_room(self->id_)) co_await wait_for_room(self);
  }
}

// What is not read waits in the kernel, and then at the device.
asio::awaitable<void> SocketLink::wait_for_room(std::shared_ptr<SocketLink> self) {
  asio::steady_timer room(self->socket_.executor(), asio::steady_timer::time_point::max());
  bool called = false;
  self->parts_.gate->when_room(self->id_, [&] {
    called = true;
    room.cancel();
  });
  boost::system::error_code ignored;
  if (!called) co_await room.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
}

void SocketLink::take(const wire::Message& message) {
  if (message.kind == wire::MessageKind::text) {
    parts_.gate->text(id_, {reinterpret_cast<char*>(message.bytes.data()), message.bytes.size()});
  } else {
    parts_.gate->binary(id_, message.bytes);
  }
  if (in_lobby_ && parts_.gate->authenticated(id_)) let_in();
}

void SocketLink::let_in() {
  if (std::exchange(in_lobby_, false)) socket_.leave_lobby();
}

// Wakes after the step that added something is over, so that its messages leave together.
asio::awaitable<void> SocketLink::write(std::shared_ptr<SocketLink> self) {
  std::vector<wire::Outgoing> write;
  while (self->phase_ != Phase::ended) {
    if (self->outbox_.empty()) {
      if (self->phase_ != Phase::open) break;
      boost::system::error_code ignored;
      co_await self->wake_.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
      continue;
    }
    write.clear();
    for (const Outbox::Message& message : self->outbox_.take()) {
      write.push_back({message.is_text ? wire::MessageKind::text : wire::MessageKind::binary,
                       message.bytes, message.shared});
    }
    self->writing_ = true;
    self->taken_bytes_ = self->socket_.progress().taken_bytes;
    self->moved_ms_ = self->parts_.clock->now_ms();
    const auto written = co_await self->socket_.write(write);
    self->writing_ = false;
    self->outbox_.written();
    self->parts_.gate->written(self->id_);
    if (!written) {
      self->end(written.error());
      co_return;
    }
    if (self->phase_ == Phase::open && std::exchange(self->tells_taken_, false)) {
      self->parts_.gate->took(self->id_);
    }
  }
  if (self->phase_ == Phase::ended) co_return;
  self->phase_ = Phase::closing;
  const auto closed = co_await self->socket_.close(self->farewell_.code, self->farewell_.reason);
  self->end(closed);
}

void SocketLink::send_text(std::string text, Kind kind) {
  if (phase_ == Phase::open) added(outbox_.add_text(text, kind));
}

void SocketLink::send_binary(std::vector<std::byte> message, Kind kind, std::uint8_t stream) {
  if (phase_ == Phase::open) added(outbox_.add_binary(std::move(message), kind, stream));
}

void SocketLink::send_shared(std::array<std::byte, protocol::kFrameHeaderBytes> header,
                             std::span<const std::byte> payload, std::shared_ptr<const void> owner,
                             Kind kind, std::uint8_t stream) {
  if (phase_ != Phase::open) return;
  added(
      outbox_.add_shared({header.begin(), header.end()}, payload, std::move(owner), kind, stream));
}

void SocketLink::added(Outbox::Added added) {
  if (added == Outbox::Added::too_slow) {
    too_slow();
  } else {
    wake();
  }
}

void SocketLink::close(std::uint16_t code, std::string reason) {
  if (phase_ != Phase::open) return;
  phase_ = Phase::draining;
  farewell_ = {code, std::move(reason), parts_.clock->now_ms() + kDrainMs};
  outbox_.drop_media();
  wake();
}

// E2: what waits is lost, the reason goes out as soon as the socket takes anything.
void SocketLink::too_slow() {
  if (phase_ != Phase::open) return;
  outbox_.clear();
  phase_ = Phase::closing;
  farewell_ = {wire::close_code::try_again, "too slow", 0};
  socket_.start_close(farewell_.code, farewell_.reason);
  wake();
  // The hub may be in the middle of a call that sends. Its device is away from here on, however
  // long the socket takes to end.
  asio::post(socket_.executor(), [self = shared_from_this()] {
    self->leave_hub();
    self->parts_.too_slow(*self);
  });
}

void SocketLink::leave_hub() {
  if (std::exchange(left_hub_, true)) return;
  parts_.gate->disconnected(id_);
}

void SocketLink::sweep() {
  if (phase_ == Phase::draining && parts_.clock->now_ms() >= farewell_.drained_by_ms) {
    phase_ = Phase::closing;
    outbox_.clear();
    socket_.start_close(farewell_.code, farewell_.reason);
    return;
  }
  if (phase_ != Phase::open || !writing_) return;
  const std::uint64_t taken = socket_.progress().taken_bytes;
  if (taken != taken_bytes_) {
    taken_bytes_ = taken;
    moved_ms_ = parts_.clock->now_ms();
  } else if (parts_.clock->now_ms() - moved_ms_ >= kStalledMs) {
    too_slow();
  }
}

void SocketLink::end(const wire::Closed& closed) {
  if (phase_ == Phase::ended) return;
  phase_ = Phase::ended;
  outbox_.clear();
  // E12: an old connection that answers its close still lived.
  if (closed.answered) parts_.gate->alive(id_);
  leave_hub();
  wake();
  parts_.ended(*this, closed);
}

}  // namespace gadget::hub
