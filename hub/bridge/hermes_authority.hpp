// hermes_authority.hpp - Hermes says who may talk: codes come from its pairing store, approvals and
// revocations from its gateway (docs/bridge.md).
//
// What Hermes said last is in the hub's store, so neither's restart locks anybody out. One owner:
// the hub's loop.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>

#include "hub/authority/authority.hpp"
#include "hub/bridge/bridge.hpp"
#include "hub/store/store.hpp"

namespace gadget::hub {

// Devices that may wait for their approval at a time. Hermes gives codes to three; the others are
// told to wait (Hermes' limit is no reason to turn a device away).
inline constexpr std::size_t kMaxAwaitingHermes = 1000;

class HermesAuthority final : public Authority {
 public:
  // Both are borrowed and outlive this. `post` runs a call soon, on the loop; `view` says what a
  // device is.
  struct Parts {
    std::function<void(std::function<void()>)> post;
    std::function<std::optional<DeviceView>(const DeviceId&)> view;  // of one that is in memory
    std::function<std::vector<DeviceId>()> online;
    std::function<Millis()> wall_now_ms;
  };
  HermesAuthority(Store& store, Bridge& bridge, Parts parts);
  ~HermesAuthority() override;

  void listen(Events events) override { events_ = std::move(events); }
  [[nodiscard]] bool approved(const DeviceId& device) const override;
  [[nodiscard]] PairingAnswer request(const DeviceId& device, std::string_view address,
                                      Millis wall_ms) override;
  void disconnected(const DeviceId& device, Millis wall_ms) override;
  Result<DeviceId> approve(std::string_view code_or_id, Millis wall_ms) override;
  Result<void> revoke(const DeviceId& device) override;
  void drop_pending() override;
  void forget(const DeviceId& device) override;
  [[nodiscard]] std::vector<PendingDevice> pending(Millis wall_ms) override;
  [[nodiscard]] std::vector<DeviceId> expire(Millis wall_ms) override;

 private:
  struct Place {
    std::string address;
    Millis first_contact_wall_ms = 0;
    std::string code, command;
    Millis code_expires_wall_ms = 0;
    bool connected = false;
  };

  void came();
  bool frame(std::string_view type, const boost::json::object& frame);
  bool offered(const DeviceId& device, const boost::json::object& frame);
  void authorized(const DeviceId& device, bool yes);
  void changed(const DeviceId& device);
  void tell(const DeviceId& device);
  void ask_for_code(const DeviceId& device);

  Store& store_;
  Bridge& bridge_;
  Parts parts_;
  Events events_;
  std::map<DeviceId, Place> places_;
  // What the plugin was told of each device that is online, but for what its turns say anyway.
  struct Told {
    bool paired = false;
    std::string name;
    bool operator==(const Told&) const = default;
  };
  std::map<DeviceId, Told> told_;
  std::set<DeviceId> changed_;  // looked at soon, all together
};

}  // namespace gadget::hub
