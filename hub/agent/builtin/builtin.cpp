#include "hub/agent/builtin/builtin.hpp"

#include <cstdlib>
#include <utility>

#include "hub/agent/builtin/answers.hpp"
#include "hub/agent/builtin/conversation.hpp"
#include "hub/agent/builtin/speakable.hpp"
#include "hub/agent/builtin/strings.hpp"
#include "hub/agent/builtin/understand.hpp"

namespace gadget::hub {
namespace builtin {
namespace {

// How long a card stays on the screen (D1).
constexpr Millis kCardMs = 20'000;
// How long what spoke up waits for a device that is away: a timer's end is soon of no use, a
// reminder stays worth telling for a day (E26 allows no more).
constexpr Millis kAlarmWaitsMs = 3'600'000;
constexpr Millis kReminderWaitsMs = 86'400'000;
// A yes/no question of the agent's own; after that nothing is changed.
constexpr Millis kQuestionMs = 60'000;

// A run's life: calls that come back later look here first.
using Alive = std::shared_ptr<bool>;

class Run final : public AgentRun {
 public:
  Run() : alive_(std::make_shared<bool>(true)) {}
  ~Run() override { *alive_ = false; }
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;
  [[nodiscard]] Alive alive() const { return alive_; }

 private:
  Alive alive_;
};

// What people and devices named may hold Markdown's marks; the agent itself writes none.
std::string as_markdown(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (std::string_view("\\*_`[]<>~|").find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

class BuiltinAgent final : public Agent {
 public:
  explicit BuiltinAgent(AgentHost& host)
      : host_(host),
        schedule_(
            host, [this](const DeviceId& id, const Entry& entry) { on_due(id, entry); },
            [this](const DeviceId& id, const std::vector<Entry>& entries) {
              on_missed(id, entries);
            }),
        lists_(host),
        schedule_answers_(host, schedule_),
        list_answers_(lists_),
        alive_(std::make_shared<bool>(true)) {
    host_.post([this, alive = alive_] {
      if (*alive) schedule_.restore_all();
    });
  }
  ~BuiltinAgent() override { *alive_ = false; }
  BuiltinAgent(const BuiltinAgent&) = delete;
  BuiltinAgent& operator=(const BuiltinAgent&) = delete;

  [[nodiscard]] std::string_view name() const override { return "built-in"; }
  [[nodiscard]] AgentFlags flags() const override { return {.keeps_history = true}; }

  [[nodiscard]] std::unique_ptr<AgentRun> start(AgentRequest request, const DeviceView& device,
                                                std::shared_ptr<TurnSink> sink) override {
    auto run = std::make_unique<Run>();
    // Posted, so that the caller holds the run before the first event of it comes.
    host_.post([this, agent = alive_, alive = run->alive(), request = std::move(request), device,
                sink = std::move(sink)] {
      if (*agent && *alive) answer(request, device, sink, alive);
    });
    return run;
  }

  void session_new(const DeviceId& device) override { talks_.erase(device); }

  void forgotten(const DeviceId& device) override {
    talks_.erase(device);
    schedule_.forget(device);
    lists_.forget(device);
  }

 private:
  using Sink = std::shared_ptr<TurnSink>;
  // What a sink keeps until somebody answers must not keep the sink.
  using WeakSink = std::weak_ptr<TurnSink>;

  void answer(const AgentRequest& request, const DeviceView& device, const Sink& sink,
              const Alive& alive) {
    if (request.source == AgentRequest::Source::event) {
      return finish(sink, device.id, answer_event(request));
    }
    auto& talk = conversation(device.id);
    const auto context = context_of(device, talk);
    auto intent = understand(request.text, context);
    complete(intent, talk);
    const auto& name = intent.name;
    if (name == "new_conversation") return ask_forget(device.id, sink, alive);
    if (name == "list_clear") return ask_clear(device.id, intent, sink, alive);
    if (name == "action") return act(device, context, intent, sink, alive);
    finish(sink, device.id, plain(device, intent, talk));
  }

  Answer plain(const DeviceView& device, const Intent& intent, Conversation& talk) {
    const auto& name = intent.name;
    if (ScheduleAnswers::takes(name)) return schedule_answers_.answer(device.id, intent, talk);
    if (ListAnswers::takes(name)) return list_answers_.answer(device.id, intent, talk);
    if (name == "time" || name == "date" || name == "days_until")
      return answer_time(host_, device.id, intent);
    if (name == "arithmetic") return answer_sum(intent);
    if (name == "conversion") return answer_conversion(intent);
    if (name == "sensor" || name == "sensors")
      return answer_sensor(device, intent, host_.wall_now_ms());
    if (name == "greeting") return {say(Say::hello)};
    if (name == "thanks") return {say(Say::thanks)};
    if (name == "goodbye") return {say(Say::goodbye)};
    if (name == "stop") return {say(Say::stopped)};
    if (name == "repeat")
      return {talk.last_reply.empty() ? say(Say::nothing_to_repeat) : talk.last_reply};
    if (name == "help") return help(device);
    if (name == "name") return {say(Say::name_is, {device.name})};
    if (name == "devices") return {say(Say::status_devices, {device.name})};
    if (name == "status") return status(device);
    return {say(Say::unknown)};
  }

  static Answer status(const DeviceView& device) {
    auto text = say(Say::status_is, {device.name});
    if (!device.firmware.empty()) text += " " + say(Say::status_firmware, {device.firmware});
    if (!device.board.empty()) text += " " + say(Say::status_board, {device.board});
    return {text};
  }

  static Answer help(const DeviceView& device) {
    auto card = say(Say::help_card);
    std::vector<std::string> actions;
    for (const auto& action : device.actions) {
      if (!action.description.empty() && actions.size() < 3)
        actions.push_back(cut_text(action.description, 40));
    }
    for (const auto& action : actions) card += "\n" + action;
    return {say(Say::help), say(Say::help_title), card};
  }

  // The end of a turn may destroy the run and the call that led here: nothing is touched after it.
  void finish(const Sink& sink, const DeviceId& id, const Answer& answer) {
    if (answer.forget) {
      talks_.erase(id);
    } else {
      auto& talk = talks_[id];
      talk.last_reply = answer.text;
      talk.last_ms = host_.now_ms();
    }
    if (!answer.card_title.empty()) sink->card(answer.card_title, answer.card_body, kCardMs);
    sink->final(as_markdown(answer.text));
    sink->end(TurnOutcome::success, {});
  }

  Conversation& conversation(const DeviceId& id) {
    auto& talk = talks_[id];
    if (host_.now_ms() - talk.last_ms > kMemoryMs) {
      Conversation fresh;
      fresh.last_reply = std::move(talk.last_reply);
      fresh.numbers = std::move(talk.numbers);
      talk = std::move(fresh);
    }
    talk.last_ms = host_.now_ms();
    return talk;
  }

  Context context_of(const DeviceView& device, const Conversation& talk) {
    Context context;
    context.device_name = device.name;
    for (const auto& action : device.actions) {
      context.actions.push_back(action_shape(action.name, action.description, action.params_json));
    }
    for (const auto& [name, reading] : device.sensors) {
      context.sensors.push_back(name);
      char* end = nullptr;
      const double value = std::strtod(reading.json.c_str(), &end);
      if (end != reading.json.c_str() && *end == '\0') context.numbers[name] = value;
    }
    for (const auto& [key, value] : talk.numbers) context.numbers[key] = value;
    for (const auto& list : lists_.of(device.id)) {
      context.list_items.insert(context.list_items.end(), list.items.begin(), list.items.end());
    }
    context.pending = talk.pending;
    context.last_action = talk.last_action;
    context.list_talk = !talk.last_list.empty();
    return context;
  }

  // The answer to "For how long?" gets what was said before it. Anything else closes that question.
  static void complete(Intent& intent, Conversation& talk) {
    const auto pending = std::exchange(talk.pending, Pending::none);
    if (pending == Pending::none || intent.name != talk.open.name) {
      if (!(pending == Pending::list_items && intent.name == "list_add")) return;
    }
    for (const auto& [key, value] : talk.open.slots) intent.slots.try_emplace(key, value);
    if (pending == Pending::alarm_time || pending == Pending::reminder_time) {
      // "tomorrow", then "at six"
      if (!intent.when.day && !intent.when.in_s) intent.when.day = talk.open.when.day;
      if (intent.when.repeat == 0) intent.when.repeat = talk.open.when.repeat;
    }
    if (pending == Pending::reminder_text && intent.when.empty()) intent.when = talk.open.when;
  }

  void ask_forget(const DeviceId& id, const Sink& sink, const Alive& alive) {
    sink->question(
        {say(Say::forget_title), say(Say::forget_question), kQuestionMs},
        [this, agent = alive_, alive, weak = WeakSink(sink), id](QuestionOutcome outcome) {
          const auto to = weak.lock();
          if (!*agent || !*alive || !to) return;
          const auto what = outcome == QuestionOutcome::yes  ? Say::forgotten
                            : outcome == QuestionOutcome::no ? Say::kept
                                                             : Say::not_answered;
          Answer answer{say(what)};
          answer.forget = outcome == QuestionOutcome::yes;
          finish(to, id, answer);
        });
  }

  void ask_clear(const DeviceId& id, const Intent& intent, const Sink& sink, const Alive& alive) {
    auto& talk = talks_[id];
    const auto name = ListAnswers::which(intent, talk);
    talk.last_list = name;
    const auto list = lists_.get(id, name);
    if (list.items.empty()) return finish(sink, id, {say(Say::list_empty, {name})});
    const auto count = plural(static_cast<std::int64_t>(list.items.size()), "item", "items");
    sink->question(
        {say(Say::list_clear_title, {name}), say(Say::list_clear_question, {name, count}),
         kQuestionMs},
        [this, agent = alive_, alive, weak = WeakSink(sink), id, name](QuestionOutcome outcome) {
          const auto to = weak.lock();
          if (!*agent || !*alive || !to) return;
          if (outcome == QuestionOutcome::yes) {
            const bool saved = lists_.put(id, {name, {}}) == Lists::Problem::none;
            return finish(to, id, {saved ? say(Say::list_cleared, {name}) : say(Say::not_saved)});
          }
          finish(to, id,
                 {outcome == QuestionOutcome::no ? say(Say::list_not_cleared, {name})
                                                 : say(Say::not_answered)});
        });
  }

  void act(const DeviceView& device, const Context& context, const Intent& intent, const Sink& sink,
           const Alive& alive) {
    const auto& match = *intent.action;
    auto& talk = talks_[device.id];
    talk.last_action = match.action;
    if (match.problem != ActionMatch::Problem::none) {
      talk.pending = Pending::action_value;
      talk.open = intent;
      for (const auto& shape : context.actions) {
        if (shape.name == match.action)
          return finish(sink, device.id, answer_action_problem(match, shape));
      }
    }
    sink->status(say(Say::action_status));
    sink->call_action(match.action, match.args_json,
                      [this, agent = alive_, alive, weak = WeakSink(sink), id = device.id,
                       match](Result<std::string> result) {
                        const auto to = weak.lock();
                        if (!*agent || !*alive || !to) return;
                        if (result) {
                          for (const auto& [key, value] : match.numbers)
                            talks_[id].numbers[key] = value;
                        }
                        to->status({});
                        finish(to, id, answer_action(match, result));
                      });
  }

  void on_due(const DeviceId& id, const Entry& entry) {
    const auto answer = schedule_answers_.due(id, entry);
    const auto waits = entry.kind == Entry::Kind::reminder ? kReminderWaitsMs : kAlarmWaitsMs;
    talks_[id].last_reply = answer.text;
    host_.speak_up(id, as_markdown(answer.text), answer.card_title, answer.card_body, waits);
  }

  void on_missed(const DeviceId& id, const std::vector<Entry>& entries) {
    const auto answer = schedule_answers_.missed(id, entries);
    host_.speak_up(id, as_markdown(answer.text), answer.card_title, answer.card_body,
                   kReminderWaitsMs);
  }

  AgentHost& host_;
  Schedule schedule_;
  Lists lists_;
  ScheduleAnswers schedule_answers_;
  ListAnswers list_answers_;
  std::map<DeviceId, Conversation> talks_;  // of devices that talked; small, gone with the device
  Alive alive_;
};

}  // namespace
}  // namespace builtin

std::unique_ptr<Agent> make_builtin_agent(AgentHost& host) {
  return std::make_unique<builtin::BuiltinAgent>(host);
}

}  // namespace gadget::hub
