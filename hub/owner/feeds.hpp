// feeds.hpp - what the owner can look back at and follow: the hub's log, its turns, its devices.
//
// In memory, bounded; gone when the hub stops. Facts may come from any thread.
#pragma once

#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>

#include "hub/core/hub.hpp"
#include "hub/owner/feed.hpp"

namespace gadget::hub {

// Lines of the log that are kept, and what they may take.
inline constexpr std::size_t kLogLinesKept = 2'000;
inline constexpr std::size_t kLogBytesKept = 1024 * 1024;
// What turns may take, texts included; how many is the setting `turns_kept`.
inline constexpr std::size_t kTurnBytesKept = 8UL * 1024 * 1024;
// Devices that changed since a follower was told last. Beyond: it is told to read the list again.
inline constexpr std::size_t kChangedDevices = 10'000;

struct LogLine {
  LogFact::Level level = LogFact::Level::info;
  Millis wall_ms = 0;
  std::string text;  // logfmt: "event=device.online device=hg-... conn=4"
};

// One follower of the list of devices.
class DeviceWatch {
 public:
  explicit DeviceWatch(std::shared_ptr<Bell> its_bell) : bell_(std::move(its_bell)) {}

  void changed(const DeviceId& device);
  struct Changes {
    std::set<DeviceId> devices;
    bool all = false;  // more than can be told one by one
  };
  // At most `limit` of them; the rest stays.
  [[nodiscard]] Changes take(std::size_t limit);
  [[nodiscard]] const std::shared_ptr<Bell>& bell() const { return bell_; }

 private:
  std::shared_ptr<Bell> bell_;
  std::mutex mutex_;
  Changes changes_;
};

class Feeds {
 public:
  explicit Feeds(std::size_t turns_kept)
      : logs(kLogLinesKept, kLogBytesKept), turns(turns_kept, kTurnBytesKept) {}

  Feed<LogLine> logs;
  Feed<TurnRecord> turns;

  void logged(LogFact::Level level, Millis wall_ms, std::string_view line) {
    logs.push({level, wall_ms, std::string(line)}, line.size());
  }
  void ended(TurnRecord turn);
  // H13: nothing that was said at a device outlives it.
  void forget(const DeviceId& device);
  // The owner does not want them any more: those that are kept go too.
  void forget_texts();
  void device_changed(const DeviceId& device);
  [[nodiscard]] std::shared_ptr<DeviceWatch> watch(const boost::asio::any_io_executor& executor);

 private:
  std::mutex mutex_;
  std::atomic<bool> watched_ = false;
  std::vector<std::weak_ptr<DeviceWatch>> watches_;
};

[[nodiscard]] std::string_view name(LogFact::Level level);
// False: there is no such level.
[[nodiscard]] bool parse_level(std::string_view name, LogFact::Level& level);
// The value of a field of a logfmt line, as it was before it was escaped for quotes; empty: none.
[[nodiscard]] std::string field_of(std::string_view line, std::string_view key);
// All fields of a line, in order.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> fields_of(std::string_view line);

}  // namespace gadget::hub
