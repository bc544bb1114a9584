// authority.hpp - who may talk: the hub's own pairing now (local_authority.hpp), Hermes' later.
//
// One owner: the hub's loop. Devices are approved by their code or their id, never by name (E14).
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/failure.hpp"
#include "hub/agent/agent.hpp"

namespace gadget::hub {

// What an unpaired device is told (P1).
struct PairingOffer {
  std::string code;
  std::string command;         // what the owner runs
  Millis expires_wall_ms = 0;  // the device gets a new one then (E14)
};
struct PairingWait {};  // no code yet: the device is told so, its `pairing` follows
struct PairingBusy {};  // all places are taken by connected devices (E11)
using PairingAnswer = std::variant<PairingOffer, PairingWait, PairingBusy>;

struct PendingDevice {
  DeviceId id;
  std::string address;
  Millis first_contact_wall_ms = 0;
  std::string code;  // for the owner's list
  bool connected = false;
};

class Authority {
 public:
  struct Events {
    std::function<void(const DeviceId&)> approved;
    std::function<void(const DeviceId&)> revoked;
    std::function<void(const DeviceId&)> offer_changed;  // a place became free, a code is there now
  };
  virtual ~Authority() = default;
  virtual void listen(Events events) = 0;

  [[nodiscard]] virtual bool approved(const DeviceId& device) const = 0;
  // An unpaired device is connected and authenticated, and wants its code. Repeatable: the same
  // code while it is valid.
  [[nodiscard]] virtual PairingAnswer request(const DeviceId& device, std::string_view address,
                                              Millis wall_ms) = 0;
  virtual void disconnected(const DeviceId& device, Millis wall_ms) = 0;

  // The owner's commands. Errors: not_found (no such code, expired), refused (locked after wrong
  // codes).
  virtual Result<DeviceId> approve(std::string_view code_or_id, Millis wall_ms) = 0;
  virtual Result<void> revoke(const DeviceId& device) = 0;
  virtual void drop_pending() = 0;  // the owner clears all that wait (E11)
  virtual void forget(const DeviceId& device) = 0;
  [[nodiscard]] virtual std::vector<PendingDevice> pending(Millis wall_ms) = 0;
  // Never-approved devices whose last contact is an hour ago are forgotten (E11): their ids, once.
  [[nodiscard]] virtual std::vector<DeviceId> expire(Millis wall_ms) = 0;
};

class Store;

// E11: a device that was never approved is forgotten an hour after its last contact, unless it is
// connected.
inline constexpr Millis kNeverApprovedLifeMs = 3'600'000;
[[nodiscard]] std::vector<DeviceId> forget_never_approved(
    Store& store, Millis wall_ms, const std::function<bool(const DeviceId&)>& connected);

}  // namespace gadget::hub
