#include "hub/core/hub_core.hpp"

#include <algorithm>

#include "hub/core/limits.hpp"

namespace gadget::hub {

std::unique_ptr<Hub> Hub::make(HubOptions options, Environment environment, Parts parts) {
  return std::make_unique<HubCore>(std::move(options), std::move(environment), std::move(parts));
}

HubCore::HubCore(HubOptions options, Environment environment, Parts parts)
    : context_(std::move(options), std::move(environment), std::move(parts)),
      updates_(context_, static_cast<ConnectionFinder&>(*this)),
      services_(context_, *this) {
  context_.updates = &updates_;
  context_.parts.authority->listen({
      .approved =
          [this](const DeviceId& device) {
            if (Twin* const twin = known_twin(device)) twin->approve();
          },
      .revoked =
          [this](const DeviceId& device) {
            if (Twin* const twin = known_twin(device)) twin->revoke();
          },
      .offer_changed =
          [this](const DeviceId& device) {
            if (Twin* const twin = known_twin(device)) twin->offer_changed();
          },
  });
  load_zones();
  agent_ = context_.parts.make_agent(services_);
  context_.agent = agent_.get();
  expire_pending();
}

HubCore::~HubCore() {
  context_.parts.authority->listen({});
  last_ = nullptr;
  connections_.clear();  // before the twins that they point to
  for (auto& [device, twin] : twins_) twin->abandon();
  twins_.clear();
  context_.end_burials();  // runs end before their agent does
}

// ---- Connections ----

void HubCore::connected(ConnectionId id, Peer peer, std::shared_ptr<Link> link) {
  ++context_.counters.connections;
  connections_.emplace(
      id, std::make_unique<Connection>(context_, static_cast<ConnectionHost&>(*this), id,
                                       std::move(peer), std::move(link)));
}

Connection* HubCore::connection(ConnectionId id) {
  if (last_ != nullptr && last_->id() == id) return last_;
  const auto at = connections_.find(id);
  return last_ = at == connections_.end() ? nullptr : at->second.get();
}

void HubCore::text(ConnectionId id, std::span<char> message) {
  ++context_.counters.text_messages;
  context_.counters.received_bytes += message.size();
  if (Connection* const its = connection(id)) its->on_text(message);
}

void HubCore::binary(ConnectionId id, std::span<const std::byte> message) {
  ++context_.counters.binary_messages;
  context_.counters.received_bytes += message.size();
  if (Connection* const its = connection(id)) its->on_binary(message);
}

void HubCore::alive(ConnectionId id) {
  if (Connection* const its = connection(id)) its->on_alive();
}

void HubCore::link_took(ConnectionId id) {
  Connection* const its = connection(id);
  if (its == nullptr || !its->device()) return;
  Twin* const twin = known_twin(*its->device());
  if (twin != nullptr && twin->connection() == its) twin->link_took();
}

void HubCore::disconnected(ConnectionId id) {
  if (Connection* const its = connection(id)) its->on_gone();
  last_ = nullptr;
  connections_.erase(id);
}

bool HubCore::authenticated(ConnectionId id) const {
  const auto at = connections_.find(id);
  return at != connections_.end() && at->second->phase() == Phase::online;
}

void HubCore::crowded_out(ConnectionId id) {
  Connection* const its = connection(id);
  if (its == nullptr || its->phase() == Phase::online) return;
  its->refuse("busy", "too many connections wait to be let in");
}

std::size_t HubCore::online() const {
  return static_cast<std::size_t>(
      std::count_if(connections_.begin(), connections_.end(),
                    [](const auto& entry) { return entry.second->phase() == Phase::online; }));
}

void HubCore::stop() {
  constexpr std::uint16_t kGoingAway = 1001;
  updates_.stop();
  for (auto& [device, twin] : twins_) twin->conversation().stop();
  for (auto& [id, connection] : connections_) connection->close(kGoingAway, "server stopping");
}

std::optional<Refusal> HubCore::authenticated(Connection& connection, Introduction introduction,
                                              const protocol::Key& key, bool first) {
  const DeviceId id = introduction.id;
  Twin* const known = known_twin(id);
  if (known != nullptr && known->refuses_replacement()) {
    return Refusal{"busy", "this device is connected already, and was replaced too often"};
  }
  Twin::Entry entry;
  entry.key = key;
  entry.first = first;
  if (context_.parts.authority->approved(id)) {
    entry.standing = Standing::approved;
  } else {
    entry.pairing =
        context_.parts.authority->request(id, connection.peer().address, context_.wall());
    if (std::holds_alternative<PairingBusy>(*entry.pairing)) {
      return Refusal{"busy", "too many devices await approval"};
    }
  }
  if (const auto stored = store_hello(connection, introduction, key, first); !stored) {
    context_.log(LogFact::Level::error, "store.failed", {{"text", stored.error().text}});
    return Refusal{"busy", "the hub cannot write its store"};
  }
  context_.log(LogFact::Level::info, "device.online",
               {{"device", std::string(id.text())},
                {"conn", std::to_string(connection.id())},
                {"address", connection.peer().address},
                {"paired", entry.standing == Standing::approved ? "yes" : "no"},
                {"first", first ? "yes" : "no"}});
  for (const std::string& why : introduction.ignored_schemas) {
    context_.log(LogFact::Level::warning, "action.schema_ignored",
                 {{"device", std::string(id.text())}, {"text", why}});
  }
  entry.introduction = std::move(introduction);
  const std::shared_ptr<Twin> twin = make_twin(id, entry.standing);
  twin->attach(connection, std::move(entry));
  settled(*twin);
  return std::nullopt;
}

Result<void> HubCore::store_hello(const Connection& connection, const Introduction& said,
                                  const protocol::Key& key, bool first) {
  Store& store = *context_.parts.store;
  const Millis wall = context_.wall();
  const std::string& address = connection.peer().address;
  if (first) {
    return store.enrol({.id = said.id,
                        .key = key,
                        .enrolled_in_clear = !connection.peer().encrypted,
                        .approved = false,
                        .name = said.name,
                        .board = said.board,
                        .firmware = said.firmware,
                        .address = address,
                        .first_contact_wall_ms = wall,
                        .last_contact_wall_ms = wall});
  }
  return store.describe(said.id, said.name, said.board, said.firmware, address, wall);
}

void HubCore::ended(Connection& connection) {
  if (!connection.device()) return;
  if (Twin* const twin = known_twin(*connection.device())) twin->detach(connection);
}

void HubCore::still_lives(Connection& connection) {
  if (!connection.device()) return;
  if (Twin* const twin = known_twin(*connection.device())) twin->still_lives(connection.id());
}

// ---- The registry ----

Twin* HubCore::known_twin(const DeviceId& device) {
  const auto at = twins_.find(device);
  return at == twins_.end() ? nullptr : at->second.get();
}

Connection* HubCore::attached(const DeviceId& device) {
  Twin* const twin = known_twin(device);
  return twin == nullptr ? nullptr : twin->connection();
}

std::shared_ptr<Twin> HubCore::make_twin(const DeviceId& device, Standing standing) {
  auto& twin = twins_[device];
  if (!twin)
    twin = std::make_shared<Twin>(context_, static_cast<TwinHost&>(*this), device, standing);
  return twin;
}

std::shared_ptr<Twin> HubCore::twin(const DeviceId& device) {
  if (const auto at = twins_.find(device); at != twins_.end()) return at->second;
  auto record = context_.parts.store->device(device);
  if (!record || !*record) return nullptr;
  auto made = make_twin(device, (*record)->approved ? Standing::approved : Standing::pending);
  made->describe(**record);
  settled(*made);
  return made;
}

// Twins that are away stay up to a number; the one away longest that has nothing to do goes first.
void HubCore::settled(Twin& twin) {
  const DeviceId id = twin.id();
  const auto since = away_since_.find(id);
  if (twin.online()) {
    if (since == away_since_.end()) return;
    away_.erase({since->second, id});
    away_since_.erase(since);
    return;
  }
  if (since == away_since_.end() && twins_.contains(id)) {
    away_since_.emplace(id, context_.now());
    away_.emplace(context_.now(), id);
  }
  auto oldest = away_.begin();
  while (away_.size() > limits::kMaxAwayTwins && oldest != away_.end()) {
    const DeviceId its = (oldest++)->second;
    if (twins_.at(its)->idle()) let_go(its);
  }
}

void HubCore::let_go(const DeviceId& device) {
  if (const auto since = away_since_.find(device); since != away_since_.end()) {
    away_.erase({since->second, device});
    away_since_.erase(since);
  }
  const auto at = twins_.find(device);
  if (at == twins_.end()) return;
  if (Connection* const its = at->second->connection()) its->deliver_to(nullptr);
  context_.bury(std::move(at->second));
  twins_.erase(at);
}

// E11: a device never approved is forgotten an hour after its last contact.
void HubCore::expire_pending() {
  for (const DeviceId& device : context_.parts.authority->expire(context_.wall())) {
    context_.agent->forgotten(device);
    updates_.forgotten(device);
    let_go(device);
  }
  expire_timer_.set(context_.scheduler, context_.now() + limits::kExpirePendingMs,
                    [this] { expire_pending(); });
}

}  // namespace gadget::hub
