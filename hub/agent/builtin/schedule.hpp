// schedule.hpp - the timers, alarms and reminders of all devices: kept, restored, due.
//
// Timers (and what was set "in twenty minutes") run on the monotonic clock and are stored with
// their wall time; alarms are times on the wall of the device's zone. Stored through AgentHost as
// JSON with a version, before an entry counts as set. One owner: the loop of the agent.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "hub/agent/agent.hpp"
#include "hub/agent/builtin/calendar.hpp"

namespace gadget::hub::builtin {

// Timers, alarms and reminders of one device together. Beyond: a sentence that says so. Their texts
// are at most kMaxTextBytes each, so that all of them fit into one value of 64 KiB even when
// escaped.
inline constexpr std::size_t kMaxEntries = 50;
inline constexpr std::size_t kMaxTextBytes = 300;

struct Entry {
  enum class Kind : std::uint8_t { timer, alarm, reminder };
  std::uint64_t id = 0;
  Kind kind = Kind::timer;
  std::string text;           // name of a timer or alarm, text of a reminder; may be empty
  bool relative = false;      // counts monotonic time
  std::int64_t length_s = 0;  // relative: as it was set
  Repeat repeat = 0;
  Date date;  // not relative: when it comes next, in the zone of the device
  int hour = 0;
  int minute = 0;
  Millis due_wall_ms = 0;
  Millis due_ms = 0;  // relative: monotonic
};

enum class SetProblem : std::uint8_t { none, full, not_saved, newer };

class Schedule {
 public:
  // `due` is called on the loop when an entry's time has come; it is already gone from the store,
  // or set to its next time. `missed` gets at once all that came due while the hub was down.
  using Due = std::function<void(const DeviceId&, const Entry&)>;
  using Missed = std::function<void(const DeviceId&, const std::vector<Entry>&)>;

  Schedule(AgentHost& host, Due due, Missed missed);
  ~Schedule();
  Schedule(const Schedule&) = delete;
  Schedule& operator=(const Schedule&) = delete;

  void restore_all();                // every device that has something stored; once, at start
  void restore(const DeviceId& id);  // does nothing when it was done before

  [[nodiscard]] std::vector<Entry> entries(const DeviceId& id, Entry::Kind kind);  // soonest first
  // Sets the id of `entry`.
  [[nodiscard]] SetProblem add(const DeviceId& id, Entry& entry);
  [[nodiscard]] SetProblem remove(const DeviceId& id, const std::vector<std::uint64_t>& ids);
  [[nodiscard]] SetProblem extend(const DeviceId& id, std::uint64_t entry, std::int64_t seconds);
  void forget(const DeviceId& id);

  // Seconds until it is due, at least 0, rounded up.
  [[nodiscard]] std::int64_t left_s(const Entry& entry) const;

 private:
  struct Armed {
    Entry entry;
    AgentHost::TimerId timer = 0;
  };
  struct Device {
    std::vector<Armed> armed;
    std::uint64_t next_id = 1;
    bool newer = false;  // stored by a newer version: left alone
  };

  void arm(const DeviceId& id, Armed& armed);
  void disarm(Armed& armed);
  void on_due(const DeviceId& id, std::uint64_t entry);
  [[nodiscard]] SetProblem save(const DeviceId& id, const Device& device);
  [[nodiscard]] static std::string to_json(const Device& device);
  static void from_json(const std::string& text, Device& device);

  AgentHost& host_;
  Due due_;
  Missed missed_;
  std::map<DeviceId, Device> devices_;
};

}  // namespace gadget::hub::builtin
