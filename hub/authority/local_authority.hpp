// local_authority.hpp - the hub's own pairing: codes that the owner approves on this machine (E11,
// E14).
//
// Codes and approvals are in the store, so a restart changes nothing; who is connected is known
// here only. One owner: the hub's loop. Time and randomness are passed in.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>

#include "hub/authority/authority.hpp"
#include "hub/store/store.hpp"

namespace gadget::hub {

// How many devices may await approval, in all and of one address (E11). When full, the one that is
// longest not connected makes room; if all are connected the next gets `busy`.
inline constexpr std::size_t kMaxPending = 16;
inline constexpr std::size_t kMaxPendingPerAddress = 4;
// How long a code is valid (E14). A device that is connected then gets a new one.
inline constexpr Millis kCodeLifeMs = 3'600'000;
// Wrong codes until approval by code is locked, and for how long (E14). 5 guesses an hour among
// 32^8 codes are hopeless.
inline constexpr std::int64_t kMaxWrongCodes = 5;
inline constexpr Millis kWrongCodeLockMs = 3'600'000;
class LocalAuthority final : public Authority {
 public:
  using Random = std::function<void(std::span<std::byte>)>;

  // `store` is borrowed and outlives this. Errors: of the store.
  [[nodiscard]] static Result<std::unique_ptr<LocalAuthority>> make(Store& store, Random random);

  void listen(Events events) override { events_ = std::move(events); }
  [[nodiscard]] bool approved(const DeviceId& device) const override;
  [[nodiscard]] PairingAnswer request(const DeviceId& device, std::string_view address,
                                      Millis wall_ms) override;
  void disconnected(const DeviceId& device, Millis wall_ms) override;
  // By id, also one that has never come (it is approved ahead) or is approved already.
  Result<DeviceId> approve(std::string_view code_or_id, Millis wall_ms) override;
  Result<void> revoke(const DeviceId& device) override;
  void drop_pending() override;
  void forget(const DeviceId& device) override;
  [[nodiscard]] std::vector<PendingDevice> pending(Millis wall_ms) override;
  // They are gone from the store when this returns.
  [[nodiscard]] std::vector<DeviceId> expire(Millis wall_ms) override;

 private:
  // A device that awaits approval: one of the 16 places.
  struct Place {
    std::string address;
    Millis first_contact_wall_ms = 0;
    Millis last_contact_wall_ms = 0;
    std::string code;
    Millis code_expires_wall_ms = 0;
    bool connected = false;

    [[nodiscard]] bool code_is_valid(Millis wall_ms) const;
  };
  using Places = std::map<DeviceId, Place>;

  LocalAuthority(Store& store, Random random) : store_(store), random_(std::move(random)) {}

  Result<void> load();
  bool make_room(std::string_view address);
  [[nodiscard]] std::size_t places_of(std::string_view address) const;
  [[nodiscard]] Places::iterator longest_gone(std::optional<std::string_view> address);
  void give_up(Places::iterator place);
  void renew_code(const DeviceId& device, Place& place, Millis wall_ms);
  [[nodiscard]] std::string fresh_code();
  Result<DeviceId> approve_id(const DeviceId& device);
  Result<DeviceId> approve_code(std::string_view code, Millis wall_ms);
  Result<DeviceId> wrong_code(Millis wall_ms);
  void note_wrong_codes();

  Store& store_;
  Random random_;
  Events events_;
  Places places_;
  std::int64_t wrong_codes_ = 0;          // since the last right one, or for an hour
  Millis wrong_codes_since_wall_ms_ = 0;  // the newest of them
};

}  // namespace gadget::hub
