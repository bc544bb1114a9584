// log.hpp - the daemon's log: one event a line in logfmt, on the standard error stream.
//
//   ts=2026-11-02T10:00:00.123Z level=info event=connection.welcome device=hg-... conn=4
//
// Values are cleaned here: whatever a device sends is one line and one value. A line that repeats
// is written once and counted (`repeated=12`), and an event that floods is cut to kLinesPerWindow a
// window. Safe from any thread: the loops' lines do not mix. No global logger.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "hub/core/hub.hpp"

namespace spdlog {
class logger;
}

namespace gadget::hub {

// Lines of one event in one window; the rest of the window is counted and told at its end.
inline constexpr std::uint64_t kLinesPerWindow = 50;
inline constexpr std::int64_t kLogWindowMs = 10'000;
// Longest value. Beyond: cut, with an ellipsis.
inline constexpr std::size_t kMaxLogValueBytes = 300;

class Log {
 public:
  // Where lines go; absent: the standard error stream. `now_ms` is monotonic.
  using Sink = std::function<void(LogFact::Level, std::string_view line)>;
  Log(std::string_view level, std::function<std::int64_t()> now_ms, Sink sink = {});
  ~Log();

  void write(const LogFact& fact);
  void write(LogFact::Level level, std::string_view event,
             std::vector<std::pair<std::string, std::string>> fields = {});
  // Called with every line that goes out, too: without its time and level. It must not log.
  void tee(Sink also) {
    const std::lock_guard lock(mutex_);
    also_ = std::move(also);
  }
  // Tells what was counted in windows that have ended.
  void sweep();
  void flush();
  void set_level(std::string_view level);  // of what is written from now on

  [[nodiscard]] bool wants(LogFact::Level level) const { return level >= least_.load(); }

 private:
  struct Window {
    std::int64_t begun_ms = 0;
    std::uint64_t lines = 0;
    std::uint64_t repeated = 0;    // of `last`
    std::uint64_t suppressed = 0;  // beyond kLinesPerWindow
    LogFact::Level level = LogFact::Level::info;
    std::string last;
  };
  void emit(LogFact::Level level, std::string_view line);
  void close(Window& window);

  std::mutex mutex_;  // of all but `least_`
  std::atomic<LogFact::Level> least_;
  std::function<std::int64_t()> now_ms_;
  Sink sink_, also_;
  std::shared_ptr<spdlog::logger> logger_;
  std::map<std::string, Window, std::less<>> windows_;  // by event: those of our own code
};

// `value` as logfmt takes it: in quotes when needed, control characters and what is no UTF-8
// escaped.
[[nodiscard]] std::string log_value(std::string_view value);

}  // namespace gadget::hub
