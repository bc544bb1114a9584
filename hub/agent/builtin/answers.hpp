// answers.hpp - from intents to sentences, one class a concern. All of it on the agent's loop.
#pragma once

#include <string>
#include <vector>

#include "hub/agent/agent.hpp"
#include "hub/agent/builtin/conversation.hpp"
#include "hub/agent/builtin/lists.hpp"
#include "hub/agent/builtin/schedule.hpp"

namespace gadget::hub::builtin {

// Timers, alarms, reminders.
class ScheduleAnswers {
 public:
  ScheduleAnswers(AgentHost& host, Schedule& schedule) : host_(host), schedule_(schedule) {}

  [[nodiscard]] static bool takes(std::string_view intent);
  [[nodiscard]] Answer answer(const DeviceId& id, Intent intent, Conversation& talk);

  // What is said when its time has come, and on start for what was missed.
  [[nodiscard]] Answer due(const DeviceId& id, const Entry& entry) const;
  [[nodiscard]] Answer missed(const DeviceId& id, const std::vector<Entry>& entries) const;

 private:
  Answer set_timer(const DeviceId& id, const Intent& intent, Conversation& talk);
  Answer set_alarm(const DeviceId& id, const Intent& intent, Conversation& talk);
  Answer set_reminder(const DeviceId& id, Intent intent, Conversation& talk);
  Answer more(const DeviceId& id, const Intent& intent);
  Answer read(const DeviceId& id, Entry::Kind kind, const Intent& intent);
  Answer read_timers(const std::vector<Entry>& timers, const Intent& intent);
  Answer cancel(const DeviceId& id, Entry::Kind kind, const Intent& intent, bool all);
  Answer cancel_it(const DeviceId& id, Conversation& talk);
  Answer cancelled(const DeviceId& id, const std::vector<Entry>& entries);
  Answer keep(const DeviceId& id, Entry entry, Conversation& talk, Answer done);
  [[nodiscard]] std::vector<Entry> matching(const std::vector<Entry>& entries,
                                            const Intent& intent) const;
  [[nodiscard]] std::string title(const Entry& entry) const;  // "pasta", "10 minute"
  [[nodiscard]] std::string moment(const DeviceId& id,
                                   const Entry& entry) const;  // "7:15 tomorrow"
  [[nodiscard]] std::string line(const DeviceId& id,
                                 const Entry& entry) const;  // for cards and lists

  AgentHost& host_;
  Schedule& schedule_;
};

// Shopping, to-do and other lists; clearing one asks first and is the agent's own.
class ListAnswers {
 public:
  explicit ListAnswers(Lists& lists) : lists_(lists) {}

  [[nodiscard]] static bool takes(std::string_view intent);
  [[nodiscard]] Answer answer(const DeviceId& id, const Intent& intent, Conversation& talk);
  // The list that is meant: named, talked about, or the shopping list.
  [[nodiscard]] static std::string which(const Intent& intent, const Conversation& talk);

 private:
  Answer add(const DeviceId& id, const Intent& intent, const std::string& name);
  Answer remove(const DeviceId& id, const Intent& intent, std::string name);
  Answer read(const DeviceId& id, const std::string& name);
  Answer check(const DeviceId& id, const Intent& intent, const std::string& name);
  Answer names(const DeviceId& id);

  Lists& lists_;
};

[[nodiscard]] Answer answer_time(AgentHost& host, const DeviceId& id, const Intent& intent);
[[nodiscard]] Answer answer_sum(const Intent& intent);
[[nodiscard]] Answer answer_conversion(const Intent& intent);
[[nodiscard]] Answer answer_sensor(const DeviceView& device, const Intent& intent,
                                   Millis wall_now_ms);
[[nodiscard]] Answer answer_event(const AgentRequest& request);
// After an action: its result (JSON) or failure in words.
[[nodiscard]] Answer answer_action(const ActionMatch& match, const Result<std::string>& result);
// Instead of an action that lacks something, or asks too much.
[[nodiscard]] Answer answer_action_problem(const ActionMatch& match, const ActionShape& shape);

}  // namespace gadget::hub::builtin
