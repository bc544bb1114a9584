// twin.hpp - the hub's half of a device: what outlives its connections.
//
// One owner: the hub, whose loop it runs on. At any time it has the newest authenticated
// connection, or none (E12). What the device may do is checked here, for every message (H16, E40).
// Sans-I/O.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "hub/connection/connection.hpp"
#include "hub/core/context.hpp"
#include "hub/turn/conversation.hpp"
#include "hub/twin/actions.hpp"
#include "hub/twin/pictures.hpp"
#include "hub/twin/questions.hpp"

namespace gadget::hub {

enum class Standing : std::uint8_t { pending, approved };

class TwinHost {
 public:
  virtual ~TwinHost() = default;
  // It may have become idle while its device is away: the hub may let go of it.
  virtual void settled(Twin& twin) = 0;
};

class Twin final : public std::enable_shared_from_this<Twin>, public Receiver {
 public:
  Twin(Context& context, TwinHost& host, DeviceId id, Standing standing);
  ~Twin();

  // ---- Connections ----
  // E12: whether a further replacement is refused for now.
  [[nodiscard]] bool refuses_replacement() const;
  struct Entry {
    Introduction introduction;
    protocol::Key key;
    bool first = false;  // its first contact ever
    Standing standing = Standing::pending;
    std::optional<PairingAnswer> pairing;  // of a pending device
  };
  // The connection becomes the twin's: it is welcomed, the one before is closed behind it.
  void attach(Connection& connection, Entry entry);
  void detach(Connection& connection);     // it has ended
  void still_lives(Connection::Id epoch);  // a connection that was replaced showed life (E12)

  // ---- From the device ----
  void received(const protocol::DeviceMessage& message) override;
  void received(const protocol::BinaryFrame& frame) override;

  void link_took();  // something of what waited (Connection::tell_when_taken)

  // ---- From the authority ----
  void approve();
  void revoke();
  void offer_changed();

  // ---- From the owner ----
  void forget();
  void rename(std::string name) { owner_name_ = std::move(name); }
  Result<void> show(std::string_view title, std::string_view body, Millis ttl_ms);

  // ---- For its parts ----
  [[nodiscard]] Connection* outlet() const;  // null: away, or not paired (E40)
  [[nodiscard]] Connection* connection() const { return connection_; }  // paired or not
  [[nodiscard]] const DeviceId& id() const { return id_; }
  [[nodiscard]] std::string id_text() const { return std::string(id_.text()); }
  [[nodiscard]] Conversation& conversation() { return conversation_; }
  [[nodiscard]] Questions& questions() { return questions_; }
  [[nodiscard]] Actions& actions() { return actions_; }
  [[nodiscard]] Pictures& pictures() { return pictures_; }
  [[nodiscard]] const std::vector<ActionInfo>& manifest() const { return manifest_; }
  [[nodiscard]] DeviceView view() const;
  void send_card(Connection& connection, std::string_view title, std::string_view body,
                 Millis ttl_ms);
  void settle() { host_.settled(*this); }

  // ---- For the hub ----
  void describe(const DeviceRecord& record);  // made while its device is away
  void abandon();                             // the hub goes: nothing is sent or called any more
  [[nodiscard]] bool online() const { return connection_ != nullptr; }
  [[nodiscard]] bool idle() const;
  [[nodiscard]] Standing standing() const { return standing_; }
  [[nodiscard]] const SensorMap& sensors() const { return sensors_; }
  [[nodiscard]] const std::string& address() const { return address_; }
  [[nodiscard]] std::string display_name() const;
  [[nodiscard]] const std::vector<RecentEvent>& recent_events() const { return recent_events_; }
  [[nodiscard]] std::uint64_t events_counted() const { return events_counted_; }

 private:
  struct Replacement;  // E12: the bookkeeping of a key that may be cloned; made when needed

  bool take_update(const protocol::DeviceMessage& message);
  void take_pending(const protocol::DeviceMessage& message);
  void take_event(const protocol::Event& event);
  void merge(protocol::Json readings);
  enum class Show : std::uint8_t { always, when_changed };
  void offer_pairing(const PairingAnswer& answer, Show show);
  void request_pairing(Show show);
  void pairing_again();
  void ready();
  void lose_connection();

  Context& context_;
  TwinHost& host_;
  const DeviceId id_;
  Connection* connection_ = nullptr;
  Millis attached_ms_ = 0;  // since when
  Standing standing_ = Standing::pending;
  std::string name_, board_ = "unknown", firmware_ = "unknown", address_;
  std::string owner_name_;  // what the owner calls it; empty: its own name counts
  bool has_display_ = false;
  std::int32_t display_width_ = 0, display_height_ = 0;  // pixels; 0: not said
  bool has_speaker_ = false;
  bool takes_pictures_ = false;
  std::vector<ActionInfo> manifest_;
  SensorMap sensors_;
  std::vector<RecentEvent> recent_events_;  // at most kRecentEvents
  std::vector<Millis> notified_;            // when events last reached the agent (S2)
  std::uint64_t events_counted_ = 0;
  std::optional<Millis> pairing_again_ms_;  // when the code was last sent again (E15)
  std::string shown_code_;                  // of the newest `pairing`
  Timer code_timer_;                        // its code expires (E14)
  std::unique_ptr<Replacement> replacement_;
  Actions actions_;
  Questions questions_;
  Pictures pictures_;
  Conversation conversation_;
};

}  // namespace gadget::hub
