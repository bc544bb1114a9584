// hub_core.hpp - the hub's heart put together: connections, the registry of twins, the command
// layer.
//
// Private to hub/core; hub.hpp is what others see.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <unordered_map>

#include "hub/connection/connection.hpp"
#include "hub/core/agent_services.hpp"
#include "hub/core/context.hpp"
#include "hub/core/hub.hpp"
#include "hub/core/limits.hpp"
#include "hub/firmware/updates.hpp"
#include "hub/twin/twin.hpp"

namespace gadget::hub {

class HubCore final : public Hub,
                      private ConnectionHost,
                      private TwinHost,
                      private TwinFinder,
                      private ConnectionFinder {
 public:
  HubCore(HubOptions options, Environment environment, Parts parts);
  ~HubCore() override;

  using Hub::connected;
  [[nodiscard]] ConnectionId next_id() override { return next_connection_.fetch_add(1); }
  void connected(ConnectionId id, Peer peer, std::shared_ptr<Link> link) override;
  void text(ConnectionId id, std::span<char> message) override;
  void binary(ConnectionId id, std::span<const std::byte> message) override;
  void alive(ConnectionId id) override;
  void link_took(ConnectionId id) override;
  void disconnected(ConnectionId id) override;
  [[nodiscard]] bool authenticated(ConnectionId id) const override;
  void crowded_out(ConnectionId id) override;

  [[nodiscard]] Millis next_deadline_ms() const override { return context_.scheduler.next(); }
  void tick() override { context_.scheduler.run(context_.now(), limits::kTimersAtOnce); }
  void stop() override;
  [[nodiscard]] const Counters& counters() const override { return context_.counters; }
  [[nodiscard]] std::size_t online() const override;
  [[nodiscard]] std::vector<DeviceId> online_devices() const override;
  [[nodiscard]] std::optional<DeviceView> view(const DeviceId& device) override;
  void withdraw_questions(const DeviceId& device, std::string_view asker) override;
  void reconfigure(HubOptions options) override { context_.options = std::move(options); }

  Result<DeviceId> approve(std::string_view code_or_id) override;
  Result<void> revoke(const DeviceId& device) override;
  Result<void> forget(const DeviceId& device) override;
  Result<void> rename(const DeviceId& device, std::string_view name) override;
  Result<void> say(const DeviceId& device, std::string text) override;
  Result<void> show(const DeviceId& device, std::string title, std::string body,
                    Millis ttl_ms) override;
  void image(const DeviceId& device, PictureSpec picture,
             std::function<void(Result<PictureSent>)> done) override;
  void ask(const DeviceId& device, QuestionSpec question,
           std::function<void(Result<QuestionOutcome>)> answered) override;
  void action(const DeviceId& device, std::string name, std::string args_json,
              std::function<void(Result<std::string>)> done) override;
  [[nodiscard]] Updates& updates() override { return updates_; }
  [[nodiscard]] Result<std::vector<DeviceStatus>> devices() override;
  [[nodiscard]] Result<DevicePage> devices(const DeviceQuery& query) override;
  [[nodiscard]] Result<DeviceStatus> device(const DeviceId& device) override;
  Result<void> set_timezone(const DeviceId& device, std::string_view zone) override;
  [[nodiscard]] std::vector<PendingDevice> pending() override;
  void drop_pending() override;
  [[nodiscard]] Result<DeviceId> find(std::string_view id_or_name) override;

 private:
  // ConnectionHost
  std::optional<Refusal> authenticated(Connection& connection, Introduction introduction,
                                       const protocol::Key& key, bool first) override;
  void ended(Connection& connection) override;
  void still_lives(Connection& connection) override;
  // TwinHost
  void settled(Twin& twin) override;
  // ConnectionFinder
  Connection* attached(const DeviceId& device) override;
  // TwinFinder
  std::shared_ptr<Twin> twin(const DeviceId& device) override;

  [[nodiscard]] Connection* connection(ConnectionId id);
  [[nodiscard]] Twin* known_twin(const DeviceId& device);
  [[nodiscard]] std::shared_ptr<Twin> make_twin(const DeviceId& device, Standing standing);
  [[nodiscard]] Result<std::shared_ptr<Twin>> paired_twin(const DeviceId& device);
  Result<void> store_hello(const Connection& connection, const Introduction& said,
                           const protocol::Key& key, bool first);
  void let_go(const DeviceId& device);
  [[nodiscard]] DeviceStatus status_of(DeviceRecord record);
  void load_zones();
  void expire_pending();

  struct HashId {
    std::size_t operator()(const DeviceId& id) const {
      return std::hash<std::string_view>{}(id.text());
    }
  };

  Context context_;
  Updates updates_;  // before what uses it, after what it uses
  std::unordered_map<ConnectionId, std::unique_ptr<Connection>> connections_;
  Connection* last_ = nullptr;  // of connections_: found last, and most often asked for next
  std::atomic<ConnectionId> next_connection_ = 1;
  std::unordered_map<DeviceId, std::shared_ptr<Twin>, HashId> twins_;
  std::set<std::pair<Millis, DeviceId>> away_;  // twins without a connection, by when they lost it
  std::unordered_map<DeviceId, Millis, HashId> away_since_;
  AgentServices services_;
  std::unique_ptr<Agent> agent_;
  Timer expire_timer_;
};

}  // namespace gadget::hub
