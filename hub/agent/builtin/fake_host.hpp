// fake_host.hpp - an AgentHost and a TurnSink for tests: clocks that a test moves, a store in
// memory that outlives the agent, and everything that was said.
#pragma once

#include <algorithm>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "hub/agent/agent.hpp"

namespace gadget::hub::builtin {

struct Spoken {
  std::string text, title, body;
  Millis expires_ms = 0;
};

class FakeHost final : public AgentHost {
 public:
  Millis now = 1'000'000;
  Millis wall = 0;
  std::string zone = "Europe/Berlin";
  bool disk_full = false;
  std::map<DeviceId, std::map<std::string, std::string, std::less<>>> store;
  std::vector<Spoken> spoken;

  Millis now_ms() const override { return now; }
  Millis wall_now_ms() const override { return wall; }
  std::string timezone(const DeviceId&) const override { return zone; }
  TimerId at(Millis when, std::function<void()> call) override {
    timers_[++next_] = {when, false, std::move(call)};
    return next_;
  }
  TimerId at_wall(Millis when, std::function<void()> call) override {
    timers_[++next_] = {when, true, std::move(call)};
    return next_;
  }
  void cancel(TimerId timer) override { timers_.erase(timer); }
  void post(std::function<void()> call) override { posted_.push_back(std::move(call)); }
  void speak_up(const DeviceId&, std::string text, std::string title, std::string body,
                Millis expires) override {
    spoken.push_back({std::move(text), std::move(title), std::move(body), expires});
  }
  void show_picture(const DeviceId&, PictureSpec,
                    std::function<void(Result<PictureSent>)> done) override {
    done(fail(FailureCode::unavailable, "no screen here"));
  }
  std::optional<std::string> recall(const DeviceId& id, std::string_view key) override {
    const auto found = store[id].find(key);
    return found == store[id].end() ? std::nullopt : std::optional(found->second);
  }
  Result<void> remember(const DeviceId& id, std::string_view key, std::string_view value) override {
    if (disk_full) return fail(FailureCode::io, "the disk is full");
    if (value.size() > 65'536) return fail(FailureCode::invalid_argument, "value too large");
    store[id][std::string(key)] = value;
    return {};
  }
  Result<void> erase(const DeviceId& id, std::string_view key) override {
    if (disk_full) return fail(FailureCode::io, "the disk is full");
    store[id].erase(std::string(key));
    return {};
  }
  std::vector<DeviceId> devices_with(std::string_view key) override {
    std::vector<DeviceId> out;
    for (const auto& [id, values] : store) {
      if (values.find(key) != values.end()) out.push_back(id);
    }
    return out;
  }
  std::optional<DeviceView> device(const DeviceId&) override { return std::nullopt; }

  void settle() {
    while (!posted_.empty()) {
      auto call = std::move(posted_.front());
      posted_.pop_front();
      call();
    }
  }
  // Both clocks move on, second by second where something is due.
  void advance_s(std::int64_t seconds) {
    const auto end = now + seconds * 1000;
    while (true) {
      settle();
      auto next = timers_.end();
      for (auto it = timers_.begin(); it != timers_.end(); ++it) {
        if (due_in(it->second) <= end - now &&
            (next == timers_.end() || due_in(it->second) < due_in(next->second))) {
          next = it;
        }
      }
      if (next == timers_.end()) break;
      const auto step = std::max<Millis>(0, due_in(next->second));
      now += step;
      wall += step;
      auto call = std::move(next->second.call);
      timers_.erase(next);
      call();
    }
    wall += end - now;
    now = end;
    settle();
  }
  [[nodiscard]] std::size_t armed() const { return timers_.size(); }

 private:
  struct Timer {
    Millis when = 0;
    bool by_wall = false;
    std::function<void()> call;
  };
  [[nodiscard]] Millis due_in(const Timer& timer) const {
    return timer.when - (timer.by_wall ? wall : now);
  }

  std::map<TimerId, Timer> timers_;
  TimerId next_ = 0;
  std::deque<std::function<void()>> posted_;
};

struct FakeSink final : TurnSink {
  std::vector<std::string> statuses, finals;
  std::vector<std::pair<std::string, std::string>> cards;
  std::vector<std::pair<std::string, std::string>> actions;
  std::vector<QuestionSpec> questions;
  std::function<void(QuestionOutcome)> answered;
  std::function<void(Result<std::string>)> done;
  int ends = 0;

  void status(std::string text) override { statuses.push_back(std::move(text)); }
  void delta(std::string) override {}
  void interim(std::string) override {}
  void final(std::string text) override { finals.push_back(std::move(text)); }
  void audio(std::vector<std::int16_t>, std::uint32_t) override {}
  void card(std::string title, std::string body, Millis) override {
    cards.emplace_back(std::move(title), std::move(body));
  }
  void question(QuestionSpec question, std::function<void(QuestionOutcome)> call) override {
    questions.push_back(std::move(question));
    answered = std::move(call);
  }
  void call_action(std::string name, std::string args,
                   std::function<void(Result<std::string>)> call) override {
    actions.emplace_back(std::move(name), std::move(args));
    done = std::move(call);
  }
  void end(TurnOutcome, std::string) override { ++ends; }
};

}  // namespace gadget::hub::builtin
