#include "ports/desktop/replay.hpp"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <limits>
#include <map>

#include "ports/desktop/record_line.hpp"
#include "ports/desktop/record_writer.hpp"

namespace gadget::ports::desktop {
namespace {

using device::Millis;

// 64 KiB of text that is all escapes, or 0.2 s at 48 kHz, with room. Beyond: no line of a record.
constexpr std::size_t kMaxLineBytes = std::size_t{1} << 20U;
constexpr std::size_t kShownBytes = 300;  // of a line, in a report
constexpr std::int64_t kMaxMillis = std::numeric_limits<std::int64_t>::max() / 4;
constexpr std::int64_t kMaxBuildTimeS = 1LL << 40U;  // far beyond any clock
constexpr std::int64_t kMaxU16 = 0xFFFF;
constexpr std::int64_t kMaxU32 = 0xFFFFFFFF;

std::string shown(std::string_view line) {
  if (line.size() <= kShownBytes) return std::string{line};
  return std::string{line.substr(0, kShownBytes)} + "... (" + std::to_string(line.size()) +
         " bytes)";
}

// Where two lines begin to differ, when they are too long to be shown whole.
std::string first_difference(std::string_view a, std::string_view b) {
  if (a.size() <= kShownBytes && b.size() <= kShownBytes) return {};
  const auto at = std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first - a.begin();
  return "\n  they differ from byte " + std::to_string(at) + " on";
}

// The world of a replay: there is none. All answers come from the record.
class Nowhere final : public device::Link,
                      public device::Store,
                      public device::Entropy,
                      public device::Microphone,
                      public device::Lamp,
                      public device::Backlight {
 public:
  void connect(device::Epoch) override {}
  bool send_text(std::string_view) override { return false; }
  bool send_binary(std::span<const std::byte>) override { return false; }
  void close(std::uint16_t, std::string_view) override {}
  bool secure() const override { return false; }
  std::optional<std::size_t> get(std::string_view, std::span<std::byte>) override {
    return std::nullopt;
  }
  bool put(std::string_view, std::span<const std::byte>) override { return false; }
  void fill(std::span<std::byte>) override {}
  void listen(bool) override {}
  void set(std::uint32_t) override {}
  void set(int) override {}
};

class Replay final : public Journal {
 public:
  Replay(std::istream& in, const ReplayOptions& options) : in_(in), options_(options) {}

  Result<ReplayEnd> run() {
    if (auto head = read_head(); !head) return tl::unexpected{head.error()};
    bool stopped = false;
    while (end_.same && take('<')) {
      LineReader line{std::string_view{line_}.substr(2)};
      const auto now = line.number(now_, kMaxMillis);
      if (!now) return broken("no time, or one that goes back");
      if (end_.calls++ == 0) started_ = *now;
      now_ = *now;
      end_.seconds = static_cast<double>(now_ - started_) / 1'000;
      stopped = options_.until_s && end_.seconds > *options_.until_s;
      if (stopped) break;
      told_ = line_;
      if (options_.trace) trace(line_);
      if (!call(line)) return broken("this is nothing that a core can be told: " + shown(told_));
    }
    if (end_.same && !ended_ && !stopped) {
      if (!next()) return broken("no end");
      if (line_[0] != '?' && line_[0] != '>') return broken("no line of a record: " + shown(line_));
      differs("nothing more");
    }
    if (!options_.screenshot.empty()) {
      if (auto saved = core_->panel().save(options_.screenshot); !saved) {
        return tl::unexpected{saved.error()};
      }
    }
    end_.allocations = core_->allocations();
    return end_;
  }

  // ---- Journal: the core that runs now

  void told(Millis, std::string_view) override {}

  std::string asked(std::string_view what, const std::function<std::string()>&) override {
    if (!expect('?', what, true)) return "nothing";
    const auto at = line_.rfind(" = ");
    return line_.substr(at + 3);
  }

  void did(std::string_view what) override { (void)expect('>', what, false); }

 private:
  static tl::unexpected<Failure> wrong(std::string text) {
    return fail(FailureCode::invalid_argument, std::move(text));
  }
  [[nodiscard]] tl::unexpected<Failure> broken(const std::string& why) const {
    return wrong("line " + std::to_string(end_.lines) + ": " + why);
  }

  // The next line into line_; false at the end.
  bool next() {
    if (!std::getline(in_, line_) || in_.eof()) {  // a line without its end was not written wholly
      ended_ = true;
      return false;
    }
    ++end_.lines;
    return true;
  }

  // Peeks whether the next line begins so, and takes it.
  bool take(char sign) {
    if (in_.peek() == std::istream::traits_type::eof()) ended_ = true;
    if (ended_ || in_.peek() != sign || !next()) return false;
    return line_.size() >= 2 && line_.size() <= kMaxLineBytes && line_[1] == ' ';
  }

  // The core does `what`. Whether the record says the same here.
  bool expect(char sign, std::string_view what, bool with_answer) {
    if (!end_.same || ended_) return false;
    const bool taken = take(sign);
    if (ended_) return false;  // cut off within a call: a crash
    if (taken) {
      std::string_view written = std::string_view{line_}.substr(2);
      if (with_answer) {
        const auto at = written.rfind(" = ");
        written = at == std::string_view::npos ? std::string_view{} : written.substr(0, at);
      }
      if (written == what) {
        count(what);
        if (options_.trace) trace(line_);
        return true;
      }
    } else if (!next()) {
      return false;
    }
    differs(std::string{sign} + " " + std::string{what});
    return false;
  }

  // line_ is not what the core does.
  void differs(const std::string& mine) {
    end_.same = false;
    char seconds[32];
    std::snprintf(seconds, sizeof seconds, "%.3f", end_.seconds);
    end_.difference = "line " + std::to_string(end_.lines) + ", at " + seconds +
                      " s, when the core was told\n    " + shown(told_) +
                      "\n  the record has\n    " + shown(line_) + "\n  the core now does\n    " +
                      shown(mine) + first_difference(line_, mine);
  }

  void count(std::string_view what) {
    if (what.starts_with("screen ")) ++end_.pictures;
    if (what.starts_with("text ") || what.starts_with("binary ")) ++end_.messages;
  }

  void trace(std::string_view line) const {
    char seconds[32];
    std::snprintf(seconds, sizeof seconds, "%10.3f  ", end_.seconds);
    options_.trace(seconds + std::string{line});
  }

  Result<void> read_head() {
    if (!next() || !line_.starts_with(std::string{kRecordMark} + " ")) {
      return wrong("this is no record of a gadget");
    }
    LineReader mark{line_};
    (void)mark.word();
    const auto version = mark.number(1, kMaxU32);
    if (!version) return broken("no version");
    if (*version > kRecordVersion) {
      return wrong("the record is of format " + std::to_string(*version) + ", this program reads " +
                   std::to_string(kRecordVersion));
    }
    CoreOptions core;
    core.heap_check = options_.heap_check;
    for (const std::string_view wanted :
         {"firmware", "built", "profile", "name", "token", "hub", "given"}) {
      if (!next()) return broken("the head ends too early");
      const auto space = line_.find(' ');
      if (line_.substr(0, space) != wanted || space == std::string::npos) {
        return broken("\"" + std::string{wanted} + "\" is missing");
      }
      const std::string rest = line_.substr(space + 1);
      if (wanted == "given") {
        LineReader line{rest};
        const auto name = line.number(0, 1);
        const auto token = line.number(0, 1);
        const auto hub = line.number(0, 1);
        if (!name || !token || !hub) return broken("no numbers");
        core.name_given = *name == 1;
        core.token_given = *token == 1;
        core.hub_given = *hub == 1;
        continue;
      }
      if (wanted == "built") {
        const auto seconds = LineReader{rest}.number(0, kMaxBuildTimeS);
        if (!seconds) return broken("no time");
        core.build_time_s = *seconds;
        continue;
      }
      if (wanted == "profile") {
        auto profile = profile_of_words(rest);
        if (!profile) return broken(profile.error().text);
        core.profile = *profile;
        continue;
      }
      const auto text = LineReader{rest}.text();
      if (!text) return broken("no text");
      (wanted == "firmware" ? core.firmware
       : wanted == "name"   ? core.name
       : wanted == "token"  ? core.token
                            : core.hub) = *text;
    }
    end_.version = core.firmware;
    platform_.microphone = &nowhere_;
    platform_.backlight = core.profile.display ? &nowhere_ : nullptr;
    platform_.lamp = core.profile.lamp ? &nowhere_ : nullptr;
    platform_.firmware = core.profile.slot_bytes > 0 ? &no_slots_ : nullptr;
    core_ = std::make_unique<Core>(std::move(core), platform_, this, nullptr);
    return {};
  }

  // Makes the call that the line tells. False: it tells none.
  bool call(LineReader& line) {
    const auto what = line.word();
    if (what == "on") {
      if (core_->is_on()) return false;
      const auto firmware = line.at_end() ? std::string{} : line.text();
      if (!firmware || !line.at_end()) return false;
      core_->power_on(now_, *firmware);
      return true;
    }
    if (!core_->is_on()) return false;
    const bool done = call_power(what, line) || call_link(what, line) || call_person(what, line) ||
                      call_board(what, line);
    return done && line.at_end();
  }

  bool call_power(std::string_view what, LineReader& line) {
    if (what == "off") {
      core_->power_off(now_);
    } else if (what == "start") {
      (void)core_->start(now_);
    } else if (what == "tick") {
      core_->tick(now_);
    } else if (what == "network") {
      const auto which = line.word();
      if (which != "up" && which != "down") return false;
      core_->network(now_, which == "up");
    } else if (what == "stop") {
      const auto code = line.number(0, kMaxU16);
      const auto reason = line.text();
      if (!code || !reason) return false;
      core_->stop(now_, static_cast<std::uint16_t>(*code), *reason);
    } else {
      return false;
    }
    return true;
  }

  bool call_link(std::string_view what, LineReader& line) {
    static const std::map<std::string_view, int> kinds{
        {"transport", 0}, {"opened", 1}, {"alive", 2}, {"message", 3},
        {"cut", 4},       {"binary", 5}, {"closed", 6}};
    const auto kind = kinds.find(what);
    if (kind == kinds.end()) return false;
    const auto number = line.number(0, kMaxU32);
    if (!number) return false;
    const auto epoch = static_cast<device::Epoch>(*number);
    if (kind->second == 0) {
      core_->link_transport(now_, epoch);
    } else if (kind->second == 1) {
      core_->link_opened(now_, epoch);
    } else if (kind->second == 2) {
      core_->link_alive(now_, epoch);
    } else if (kind->second <= 4) {
      auto text = line.text();
      if (!text) return false;
      kind->second == 3 ? core_->link_text(now_, epoch, *text)
                        : core_->link_cut_text(now_, epoch, *text);
    } else if (kind->second == 5) {
      const auto bytes = line.bytes();
      if (!bytes) return false;
      core_->link_binary(now_, epoch, *bytes);
    } else {
      const auto code = line.number(0, kMaxU16);
      const auto status = line.number(0, kMaxU16);
      const auto retry = line.number(0, kMaxU32);
      const auto reason = line.text();
      if (!code || !status || !retry || !reason) return false;
      core_->link_closed(now_, epoch,
                         {.close_code = static_cast<std::uint16_t>(*code),
                          .reason = *reason,
                          .http_status = static_cast<unsigned>(*status),
                          .retry_after_s = static_cast<std::uint32_t>(*retry)});
    }
    return true;
  }

  bool call_person(std::string_view what, LineReader& line) {
    if (what == "button") {
      const auto button = button_named(line.word());
      const auto how = line.word();
      if (!button || (how != "down" && how != "up")) return false;
      core_->button(now_, *button, how == "down");
    } else if (what == "type") {
      const auto text = line.text();
      if (!text) return false;
      (void)core_->text(now_, *text);
    } else if (what == "cancel") {
      core_->cancel(now_);
    } else if (what == "new") {
      core_->new_session(now_);
    } else if (what == "reenrol") {
      core_->allow_reenrol(now_);
    } else if (what == "answer") {
      const auto answer = line.word();
      if (answer != "yes" && answer != "no") return false;
      (void)core_->answer(now_, answer == "yes");
    } else {
      return false;
    }
    return true;
  }

  bool call_board(std::string_view what, LineReader& line) {
    if (what == "mic") return call_mic(line);
    if (what == "play") {
      const auto count = line.number(0, kMaxStepSamples);
      if (!count) return false;
      std::vector<std::int16_t> room(static_cast<std::size_t>(*count));
      (void)core_->play(now_, room);
    } else if (what == "set" || what == "number") {
      const auto setting = device::setting_named(line.word());
      if (!setting) return false;
      if (what == "set") {
        const auto value = line.text();
        if (!value) return false;
        (void)core_->set(now_, *setting, *value);
      } else {
        const auto value = line.number(-kMaxU16, kMaxU16);
        if (!value || static_cast<std::size_t>(*setting) >= device::kNumberSettings) return false;
        (void)core_->set(now_, *setting, static_cast<int>(*value));
      }
    } else if (what == "console") {
      const auto text = line.text();
      if (!text) return false;
      core_->console(now_, *text);
      while (core_->console_line()) continue;
    } else if (what == "reset") {
      (void)core_->factory_reset(now_);
    } else if (what == "sensor" || what == "event") {
      const auto name = line.text();
      const auto json = line.text();
      if (!name || !json) return false;
      if (what == "sensor") {
        (void)core_->sensor(now_, *name, *json);
        return true;
      }
      const auto how = line.word();
      if (how != "notify" && how != "quiet") return false;
      (void)core_->event(now_, *name, *json, how == "notify");
    } else {
      return false;
    }
    return true;
  }

  bool call_mic(LineReader& line) {
    const auto how = line.word();
    std::vector<std::int16_t> samples;
    if (how == "silence") {
      const auto count = line.number(0, kMaxStepSamples);
      if (!count) return false;
      samples.resize(static_cast<std::size_t>(*count));
    } else {
      const auto bytes = line.bytes();
      if (how != "samples" || !bytes || bytes->size() % 2 != 0) return false;
      samples.resize(bytes->size() / 2);
      if (samples.size() > kMaxStepSamples) return false;
      if (!bytes->empty()) std::memcpy(samples.data(), bytes->data(), bytes->size());
    }
    core_->microphone(now_, samples);
    return true;
  }

  std::istream& in_;
  const ReplayOptions& options_;
  Nowhere nowhere_;
  NoSlots no_slots_;
  device::Platform platform_{.link = nowhere_, .store = nowhere_, .entropy = nowhere_};
  std::unique_ptr<Core> core_;
  ReplayEnd end_;
  std::string line_;
  std::string told_;
  bool ended_ = false;
  Millis now_ = 0;
  Millis started_ = 0;
};

}  // namespace

Result<ReplayEnd> replay(std::istream& record, const ReplayOptions& options) {
  return Replay{record, options}.run();
}

Result<ReplayEnd> replay_file(const std::filesystem::path& file, const ReplayOptions& options) {
  std::ifstream in{file, std::ios::binary};
  if (!in) return fail(FailureCode::not_found, "cannot read " + file.string());
  std::error_code ignored;
  if (std::filesystem::file_size(file, ignored) > kMaxRecordBytes + kMaxLineBytes && !ignored) {
    return fail(FailureCode::invalid_argument, file.string() + " is too long for a record");
  }
  return replay(in, options);
}

}  // namespace gadget::ports::desktop
