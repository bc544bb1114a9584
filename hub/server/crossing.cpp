#include "hub/server/crossing.hpp"

#include <algorithm>
#include <utility>

#include <boost/asio/post.hpp>

#include "hub/server/outbox.hpp"

namespace gadget::hub {

namespace asio = boost::asio;

// The hub's end of a socket that is on another loop. On the hub's loop.
class Crossing::FarLink final : public Link {
 public:
  FarLink(Crossing& crossing, ConnectionId id, std::shared_ptr<Meter> meter)
      : crossing_(crossing), id_(id), meter_(std::move(meter)) {}

  void send_text(std::string text, Kind kind) override {
    Command command;
    command.kind = Command::Kind::text;
    command.message = kind;
    command.text = std::move(text);
    send(std::move(command));
  }
  void send_binary(std::vector<std::byte> message, Kind kind, std::uint8_t stream) override {
    Command command;
    command.kind = Command::Kind::binary;
    command.message = kind;
    command.stream = stream;
    command.bytes = std::move(message);
    send(std::move(command));
  }
  void send_shared(std::array<std::byte, protocol::kFrameHeaderBytes> header,
                   std::span<const std::byte> payload, std::shared_ptr<const void> owner, Kind kind,
                   std::uint8_t stream) override {
    Command command;
    command.kind = Command::Kind::binary;
    command.message = kind;
    command.stream = stream;
    command.bytes.assign(header.begin(), header.end());
    command.shared = payload;
    command.owner = std::move(owner);
    send(std::move(command));
  }
  void tell_when_taken() override {
    if (closed_) return;
    Command command;
    command.kind = Command::Kind::tell;
    command.id = id_;
    crossing_.command(std::move(command));
  }
  void drop_stream(std::uint8_t stream) override {
    if (closed_) return;
    Command command;
    command.kind = Command::Kind::drop_stream;
    command.stream = stream;
    command.id = id_;
    crossing_.command(std::move(command));
  }
  void close(std::uint16_t code, std::string reason) override {
    if (std::exchange(closed_, true)) return;
    Command command;
    command.kind = Command::Kind::close;
    command.code = code;
    command.text = std::move(reason);
    command.id = id_;
    crossing_.command(std::move(command));
  }
  std::size_t waiting_bytes() const override {
    // In this order: what moves from the one to the other meanwhile counts twice, not never.
    const std::size_t on_the_way = meter_->on_the_way.load();
    return on_the_way + meter_->in_outbox.load();
  }
  bool open() const override { return !closed_ && meter_->open.load(); }

 private:
  void send(Command command) {
    if (closed_) return;
    command.id = id_;
    command.cost =
        command.text.size() + command.bytes.size() + command.shared.size() + kOutboxMessageBytes;
    // Its loop stands still, or takes less than the hub has to say.
    if (meter_->on_the_way.load() + command.cost > kOutboxBytes) {
      closed_ = true;
      command = Command{};
      command.kind = Command::Kind::too_slow;
      command.id = id_;
    }
    meter_->on_the_way += command.cost;
    crossing_.command(std::move(command));
  }

  Crossing& crossing_;
  const ConnectionId id_;
  const std::shared_ptr<Meter> meter_;
  bool closed_ = false;
};

Crossing::Crossing(Parts parts) : parts_(std::move(parts)) {}

Crossing::~Crossing() = default;

// ---- The socket's loop: to the hub ----

Crossing::ConnectionId Crossing::connected(HubConnections::Peer peer,
                                           std::shared_ptr<SocketEnd> end) {
  const ConnectionId id = parts_.hub->next_id();
  Entry entry;
  entry.end = std::move(end);
  entry.meter = std::make_shared<Meter>();
  Event event;
  event.kind = Event::Kind::connected;
  event.id = id;
  event.peer = std::make_unique<HubConnections::Peer>(std::move(peer));
  event.meter = entry.meter;
  entries_.emplace(id, std::move(entry));
  tell(std::move(event));
  return id;
}

void Crossing::text(ConnectionId id, std::span<char> message) {
  this->message(Event::Kind::text, id, {message.data(), message.size()});
}

void Crossing::binary(ConnectionId id, std::span<const std::byte> message) {
  this->message(Event::Kind::binary, id,
                {reinterpret_cast<const char*>(message.data()), message.size()});
}

void Crossing::message(Event::Kind kind, ConnectionId id, std::string bytes) {
  const auto at = entries_.find(id);
  if (at == entries_.end()) return;
  const std::size_t cost = bytes.size() + kCrossingMessageBytes;
  at->second.on_the_way += cost;
  on_the_way_ += cost;
  // A message is a sign of life itself.
  const bool follows_alive =
      !events_.empty() && events_.back().id == id && events_.back().kind == Event::Kind::alive;
  if (follows_alive) events_.pop_back();
  Event event;
  event.kind = kind;
  event.in_lobby = at->second.in_lobby;
  event.id = id;
  event.bytes = std::move(bytes);
  tell(std::move(event));
}

// Once a batch is enough: it only says when.
void Crossing::alive(ConnectionId id) {
  const auto at = entries_.find(id);
  if (at == entries_.end() || at->second.alive_in == batch_) return;
  at->second.alive_in = batch_;
  Event event;
  event.id = id;
  tell(std::move(event));
}

void Crossing::crowded_out(ConnectionId id) {
  Event event;
  event.kind = Event::Kind::crowded_out;
  event.id = id;
  tell(std::move(event));
}

void Crossing::took(ConnectionId id) {
  Event event;
  event.kind = Event::Kind::took;
  event.id = id;
  tell(std::move(event));
}

void Crossing::disconnected(ConnectionId id) {
  const auto at = entries_.find(id);
  if (at == entries_.end()) return;
  const Entry gone = std::move(at->second);
  entries_.erase(at);
  gone.meter->open = false;
  Event event;
  event.kind = Event::Kind::gone;
  event.id = id;
  tell(std::move(event));
  if (gone.when_room) gone.when_room();
}

// What becomes ready together crosses together.
void Crossing::tell(Event event) {
  const bool first = events_.empty();
  events_.push_back(std::move(event));
  if (first) asio::post(parts_.socket_loop, [this] { flush_events(); });
}

void Crossing::flush_events() {
  if (events_.empty()) return;
  ++batch_;
  asio::post(parts_.hub_loop,
             [this, events = std::exchange(events_, {})]() mutable { arrived(events); });
}

// ---- The hub's loop ----

void Crossing::arrived(Events& events) {
  HubConnections& hub = *parts_.hub;
  for (Event& event : events) {
    switch (event.kind) {
      case Event::Kind::connected:
        hub.connected(event.id, std::move(*event.peer),
                      std::make_shared<FarLink>(*this, event.id, std::move(event.meter)));
        break;
      case Event::Kind::text:
        hub.text(event.id, event.bytes);
        if (event.in_lobby && hub.authenticated(event.id)) {
          Command command;
          command.kind = Command::Kind::let_in;
          command.id = event.id;
          this->command(std::move(command));
        }
        break;
      case Event::Kind::binary: hub.binary(event.id, std::as_bytes(std::span(event.bytes))); break;
      case Event::Kind::alive: hub.alive(event.id); break;
      case Event::Kind::crowded_out: hub.crowded_out(event.id); break;
      case Event::Kind::took: hub.link_took(event.id); break;
      case Event::Kind::gone: hub.disconnected(event.id); break;
    }
  }
  parts_.settle();
  asio::post(parts_.socket_loop, [this, events = std::move(events)] { returned(events); });
}

// The messages of one step cross together, and leave in one write.
void Crossing::command(Command command) {
  const bool first = commands_.empty();
  ++commanded_;
  commands_.push_back(std::move(command));
  if (first) asio::post(parts_.hub_loop, [this] { flush_commands(); });
}

void Crossing::flush_commands() {
  if (commands_.empty()) return;
  asio::post(parts_.socket_loop,
             [this, commands = std::exchange(commands_, {})]() mutable { apply(commands); });
}

// ---- The socket's loop: from the hub ----

void Crossing::returned(const Events& events) {
  for (const Event& event : events) {
    if (event.kind != Event::Kind::text && event.kind != Event::Kind::binary) continue;
    const std::size_t cost = event.bytes.size() + kCrossingMessageBytes;
    on_the_way_ -= cost;
    if (const auto at = entries_.find(event.id); at != entries_.end()) {
      at->second.on_the_way -= cost;
    }
  }
  for (const ConnectionId id : std::exchange(waiting_, {})) {
    const auto at = entries_.find(id);
    if (at == entries_.end() || !at->second.when_room) continue;
    if (has_room(id)) {
      const auto call = std::exchange(at->second.when_room, nullptr);
      call();
    } else {
      waiting_.push_back(id);
    }
  }
}

bool Crossing::has_room(ConnectionId id) const {
  const auto at = entries_.find(id);
  if (at == entries_.end()) return true;
  return at->second.on_the_way < kCrossingBytes && on_the_way_ < kLoopCrossingBytes;
}

void Crossing::when_room(ConnectionId id, std::function<void()> call) {
  const auto at = entries_.find(id);
  if (at == entries_.end()) return call();
  at->second.when_room = std::move(call);
  waiting_.push_back(id);
}

void Crossing::written(ConnectionId id) {
  const auto at = entries_.find(id);
  if (at != entries_.end()) at->second.meter->in_outbox = at->second.end->waiting_bytes();
}

void Crossing::apply(Commands& commands) {
  for (Command& command : commands) {
    const auto at = entries_.find(command.id);
    if (at == entries_.end()) continue;  // it ended meanwhile
    const auto& [end, meter] = std::tie(at->second.end, at->second.meter);
    if (command.kind == Command::Kind::let_in) at->second.in_lobby = false;
    apply(command, *end);
    meter->in_outbox = end->waiting_bytes();
    meter->open = end->open();
    meter->on_the_way -= command.cost;
    // It was all written while the wish was on its way.
    const bool wants_room = command.kind == Command::Kind::tell && end->open();
    if (wants_room && end->waiting_bytes() == 0) took(command.id);
  }
}

void Crossing::apply(Command& command, SocketEnd& end) {
  switch (command.kind) {
    case Command::Kind::text: return end.send_text(std::move(command.text), command.message);
    case Command::Kind::binary:
      if (command.owner) {
        std::array<std::byte, protocol::kFrameHeaderBytes> header{};
        std::copy(command.bytes.begin(), command.bytes.end(), header.begin());
        return end.send_shared(header, command.shared, std::move(command.owner), command.message,
                               command.stream);
      }
      return end.send_binary(std::move(command.bytes), command.message, command.stream);
    case Command::Kind::drop_stream: return end.drop_stream(command.stream);
    case Command::Kind::close: return end.close(command.code, std::move(command.text));
    case Command::Kind::let_in: return end.let_in();
    case Command::Kind::too_slow: return end.too_slow();
    case Command::Kind::tell: return end.tell_when_taken();
  }
}

}  // namespace gadget::hub
