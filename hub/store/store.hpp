// store.hpp - what survives: keys, approvals, codes, questions, what waits, and an agent's small
// values, in one SQLite file.
//
// One owner: the hub's loop; calls are synchronous and short. Keys and approvals are durable when a
// call returns (FULL); the rest is in the WAL. The file is 0600. A store of a newer version is
// refused, naming the version that reads it; a damaged one is reported and left as it is. Times are
// Unix milliseconds.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/failure.hpp"
#include "hub/agent/agent.hpp"
#include "hub/firmware/update_records.hpp"
#include "protocol/identity.hpp"

namespace gadget::hub {

struct DeviceRecord {
  DeviceId id;
  protocol::Key key;
  bool enrolled_in_clear = false;  // H17
  bool approved = false;
  std::string name, board, firmware, address;
  Millis first_contact_wall_ms = 0;
  Millis last_contact_wall_ms = 0;
};

struct CodeRecord {  // a pairing code (E14)
  DeviceId device;
  std::string code;
  Millis expires_wall_ms = 0;
};

struct QuestionRecord {  // a question that is open or waits (Q6, E24)
  std::string id;
  DeviceId device;
  std::string title, text;
  Millis expires_wall_ms = 0;
};

struct WaitingRecord {  // what waits for a device that is away (outbox)
  std::int64_t row = 0;
  DeviceId device;
  std::string text, card_title, card_body;
  Millis created_wall_ms = 0, expires_wall_ms = 0;
};

// How exact the time of the last contact is kept when nothing else about a device changed: a write
// for each handshake would cost more than the rest of what the store does for it.
inline constexpr Millis kContactGrainMs = 60'000;

// The backup of a store that is in use, made on its owner's thread between other work: what is
// written meanwhile is in it, too.
class LiveBackup {
 public:
  virtual ~LiveBackup() = default;  // may outlive the store
  // The next piece, some hundred kilobytes. True: that was all, take() has it. After an error:
  // none.
  [[nodiscard]] virtual Result<bool> step() = 0;
  [[nodiscard]] virtual std::string take() = 0;
};

class Store {
 public:
  // Opens or creates `file` (":memory:" for tests). Errors: io, corrupt, refused (newer version).
  // Also unavailable: another hub holds it.
  [[nodiscard]] static Result<std::unique_ptr<Store>> open(const std::filesystem::path& file);
  virtual ~Store() = default;

  // Devices. Looking one up does not slow down with their number.
  [[nodiscard]] virtual Result<std::optional<DeviceRecord>> device(const DeviceId& id) = 0;
  // A device that was approved ahead is approved by this (E11). Of one that is enrolled already the
  // key is kept as it is and `record` is ignored. Durable on return.
  virtual Result<void> enrol(const DeviceRecord& record) = 0;
  virtual Result<void> set_approved(const DeviceId& id, bool approved) = 0;  // durable on return
  virtual Result<void> describe(const DeviceId& id, std::string_view name, std::string_view board,
                                std::string_view firmware, std::string_view address,
                                Millis wall_ms) = 0;  // of the newest hello; see kContactGrainMs
  // The newest contact, when nothing else about it changed.
  virtual Result<void> touch(const DeviceId& id, Millis wall_ms) = 0;
  virtual Result<bool> forget(const DeviceId& id) = 0;  // key, approval, code, questions, outbox,
                                                        // values, updates; false: unknown
  // Devices that were never approved and were last seen before `wall_ms` (E11).
  [[nodiscard]] virtual Result<std::vector<DeviceId>> never_approved_before(Millis wall_ms) = 0;
  [[nodiscard]] virtual Result<std::vector<DeviceRecord>> devices() = 0;
  // At most `limit` devices whose id comes after `after`, by id. The value `name_key` of a device,
  // where it has one, stands for its name. Takes no longer for more devices in the store.
  [[nodiscard]] virtual Result<std::vector<DeviceRecord>> devices_after(
      const std::optional<DeviceId>& after, std::size_t limit, std::string_view name_key) = 0;
  // Devices of that name, two at most; names as above.
  [[nodiscard]] virtual Result<std::vector<DeviceId>> devices_named(std::string_view name,
                                                                    std::string_view name_key) = 0;
  [[nodiscard]] virtual Result<std::int64_t> device_count() = 0;

  // Approvals that the owner gave before the device ever came (E11).
  virtual Result<void> approve_ahead(const DeviceId& id) = 0;
  [[nodiscard]] virtual Result<bool> approved_ahead(const DeviceId& id) = 0;
  virtual Result<bool> drop_approval_ahead(const DeviceId& id) = 0;  // false: there was none

  // Pairing codes.
  virtual Result<void> put_code(const CodeRecord& code) = 0;
  virtual Result<void> drop_code(const DeviceId& device) = 0;
  [[nodiscard]] virtual Result<std::vector<CodeRecord>> codes() = 0;

  // Questions.
  virtual Result<void> put_question(const QuestionRecord& question) = 0;
  virtual Result<void> drop_question(std::string_view id) = 0;
  [[nodiscard]] virtual Result<std::vector<QuestionRecord>> questions(const DeviceId& device) = 0;

  // Outbox.
  virtual Result<void> put_waiting(const WaitingRecord& record) = 0;
  virtual Result<void> drop_waiting(std::int64_t row) = 0;
  [[nodiscard]] virtual Result<std::vector<WaitingRecord>> waiting(const DeviceId& device) = 0;

  // An agent's values (AgentHost::remember).
  virtual Result<void> put_value(const DeviceId& device, std::string_view key,
                                 std::string_view value) = 0;  // durable on return
  virtual Result<void> drop_value(const DeviceId& device, std::string_view key) = 0;
  [[nodiscard]] virtual Result<std::optional<std::string>> value(const DeviceId& device,
                                                                 std::string_view key) = 0;
  [[nodiscard]] virtual Result<std::vector<DeviceId>> devices_with_value(std::string_view key) = 0;

  // Firmware updates: the newest of each device, versions that devices went back from (E29), the
  // newest update of many.
  virtual Result<void> put_update(const UpdateRecord& update) = 0;
  [[nodiscard]] virtual Result<std::optional<UpdateRecord>> update(const DeviceId& device) = 0;
  [[nodiscard]] virtual Result<std::vector<UpdateRecord>> updates() = 0;  // the newest first
  [[nodiscard]] virtual Result<std::vector<UpdateRecord>> open_updates() = 0;
  virtual Result<void> put_rolled_back(const DeviceId& device, std::string_view version,
                                       Millis wall_ms) = 0;  // durable on return
  virtual Result<void> drop_rolled_back(const DeviceId& device, std::string_view version) = 0;
  [[nodiscard]] virtual Result<std::vector<std::string>> rolled_back(const DeviceId& device) = 0;
  virtual Result<void> put_fleet(const FleetRecord& fleet) = 0;
  [[nodiscard]] virtual Result<std::optional<FleetRecord>> fleet() = 0;

  // Small values of the hub itself.
  virtual Result<void> put_setting(std::string_view key, std::string_view value) = 0;
  [[nodiscard]] virtual Result<std::optional<std::string>> setting(std::string_view key) = 0;

  // Ids that are never reused, restarts included (E24, E25): the next of a named series.
  [[nodiscard]] virtual Result<std::int64_t> next_id(std::string_view series) = 0;

  // All of it as a file's bytes, a piece at a time (backup.hpp).
  [[nodiscard]] virtual Result<std::unique_ptr<LiveBackup>> begin_backup() = 0;

  // All calls inside are one transaction.
  virtual Result<void> transaction(const std::function<Result<void>()>& work) = 0;
};

}  // namespace gadget::hub
