#include <cstddef>

#include "hub/agent/builtin/strings.hpp"

namespace gadget::hub::builtin {
namespace {

std::string_view text(Say what) {
  switch (what) {
    case Say::hello: return "Hello! What can I do for you?";
    case Say::thanks: return "You're welcome.";
    case Say::goodbye: return "Goodbye.";
    case Say::stopped: return "Okay.";
    case Say::nothing_to_repeat: return "I have not said anything yet.";
    case Say::help:
      return "I can tell the time, set timers, alarms and reminders, keep your lists, do sums, "
             "convert units, "
             "and run this device. Try: set a timer for ten minutes.";
    case Say::help_title: return "What you can say";
    case Say::help_card:
      return "Set a timer for ten minutes\nWake me at half past six\nRemind me at five to call "
             "Anna\n"
             "Add milk and eggs to my shopping list\nWhat is 15 percent of 80?\n"
             "How many grams are in five ounces?\nHow many days until Christmas?\nForget this "
             "conversation";
    case Say::unknown:
      return "I can't answer that by myself. Connect Hermes Agent or an OpenAI-compatible server "
             "in the hub's "
             "settings to ask me anything.";
    case Say::too_long: return "That was too long for me. Please say it in one short sentence.";
    case Say::name_is: return "I am {0}.";
    case Say::status_is: return "I am {0}, and I am online.";
    case Say::status_firmware: return "My firmware is {0}.";
    case Say::status_board: return "My board is {0}.";
    case Say::status_devices:
      return "You are talking to {0}. The hub's owner sees all devices with hermes-gadget devices.";
    case Say::forget_title: return "New conversation";
    case Say::forget_question: return "Forget this conversation and start a new one?";
    case Say::forgotten: return "Done. We start afresh.";
    case Say::kept: return "Okay, I keep it.";
    case Say::not_answered: return "I got no answer, so I changed nothing.";
    case Say::event: return "{0} happened.";
    case Say::event_data: return "{0} happened: {1}.";

    case Say::time_now: return "It's {0}.";
    case Say::time_in: return "In {0} it's {1}.";
    case Say::time_in_other_day: return "In {0} it's {1} on {2}.";
    case Say::place_unknown: return "I don't know the time zone of {0}.";
    case Say::today_is: return "Today is {0}, {1}.";
    case Say::day_is: return "{0} is {1}, {2}.";
    case Say::no_such_day: return "There is no such day.";
    case Say::days_until: return "{0} until {1}, {2}.";
    case Say::days_today: return "That is today.";

    case Say::timer_set: return "Timer set for {0}.";
    case Say::timer_set_named: return "{1} timer set for {0}.";
    case Say::timer_how_long: return "For how long?";
    case Say::alarm_set: return "Alarm set for {0} {1}.";
    case Say::alarm_set_in: return "I'll wake you in {0}.";
    case Say::alarm_repeats: return "Alarm set for {0} {1}.";
    case Say::alarm_when: return "For what time?";
    case Say::reminder_set: return "I'll remind you {1} at {0}: {2}.";
    case Say::reminder_set_in: return "I'll remind you in {0}: {1}.";
    case Say::reminder_repeats: return "I'll remind you {1} at {0}: {2}.";
    case Say::reminder_what: return "What shall I remind you of?";
    case Say::reminder_when: return "When shall I remind you?";
    case Say::time_passed: return "That time has already passed.";
    case Say::too_far: return "I can do that for one second up to one year.";
    case Say::schedule_full:
      return "You already have {0} timers, alarms and reminders, and I can keep no more. Cancel "
             "one first.";
    case Say::not_saved: return "I could not save that, so I did not do it.";
    case Say::newer_store:
      return "Your saved data is from a newer version of the hub, so I leave it alone.";
    case Say::timer_left_one: return "{0} left.";
    case Say::timer_left_named: return "{0} left on the {1} timer";
    case Say::timer_left_title: return "Timers";
    case Say::timer_none: return "You have no timers running.";
    case Say::timer_none_named: return "You have no {0} timer.";
    case Say::timer_more: return "Done, {0} left on the timer.";
    case Say::timer_cancelled: return "Your {0} timer is cancelled.";
    case Say::timers_cancelled: return "All {0} timers are cancelled.";
    case Say::timer_which: return "Which timer: {0}?";
    case Say::alarm_none: return "You have no alarms set.";
    case Say::alarm_none_that: return "You have no such alarm.";
    case Say::alarm_one: return "Your alarm is set for {0}.";
    case Say::alarm_many: return "You have {0} alarms: {1}.";
    case Say::alarm_title: return "Alarms";
    case Say::alarm_cancelled: return "Your alarm for {0} is cancelled.";
    case Say::alarms_cancelled: return "All {0} alarms are cancelled.";
    case Say::alarm_which: return "Which alarm: {0}?";
    case Say::reminder_none: return "You have no reminders.";
    case Say::reminder_none_that: return "You have no such reminder.";
    case Say::reminder_one: return "You have one reminder: {0}.";
    case Say::reminder_many: return "You have {0} reminders: {1}.";
    case Say::reminder_title: return "Reminders";
    case Say::reminder_cancelled: return "I won't remind you: {0}.";
    case Say::reminders_cancelled: return "All {0} reminders are cancelled.";
    case Say::reminder_which: return "Which reminder: {0}?";
    case Say::nothing_to_cancel: return "There is nothing to cancel.";
    case Say::timer_due: return "Your {0} timer is done.";
    case Say::timer_due_named: return "Your {0} timer is done.";
    case Say::timer_due_title: return "Timer";
    case Say::alarm_due: return "It's {0}. Time to wake up.";
    case Say::alarm_due_named: return "It's {0}. This is your {1} alarm.";
    case Say::alarm_due_title: return "Alarm";
    case Say::reminder_due: return "A reminder: {0}.";
    case Say::reminder_due_title: return "Reminder";
    case Say::away: return "While I was away: {0}.";
    case Say::away_title: return "While I was away";
    case Say::away_timer: return "your {0} timer ended {1} ago";
    case Say::away_timer_named: return "your {0} timer ended {1} ago";
    case Say::away_alarm: return "your alarm for {0} was due {1} ago";
    case Say::away_reminder: return "I should have reminded you {1} ago: {0}";

    case Say::list_title: return "{0} list";
    case Say::list_added: return "I added {0} to your {1} list.";
    case Say::list_already: return "{0} is already on your {1} list.";
    case Say::list_added_some: return "I added {0} to your {1} list; {2} was already there.";
    case Say::list_what: return "What shall I put on your {0} list?";
    case Say::list_full: return "Your lists are full: {0} items in all. Remove something first.";
    case Say::list_removed: return "I took {0} off your {1} list.";
    case Say::list_not_there: return "{0} is not on your {1} list.";
    case Say::list_empty: return "Your {0} list is empty.";
    case Say::list_one: return "One thing is on your {0} list: {1}.";
    case Say::list_many: return "Your {0} list has {1} things: {2}.";
    case Say::list_clear_title: return "Clear the {0} list";
    case Say::list_clear_question: return "Remove {1} from your {0} list?";
    case Say::list_cleared: return "Your {0} list is empty now.";
    case Say::list_not_cleared: return "Okay, your {0} list stays as it is.";
    case Say::list_new: return "Your {0} list is ready. What shall I put on it?";
    case Say::list_has: return "Yes, {0} is on your {1} list.";
    case Say::list_has_not: return "No, {0} is not on your {1} list.";
    case Say::list_names: return "You have {0}: {1}.";
    case Say::list_no_lists: return "You have no lists yet.";

    case Say::sum_is: return "{0} is {1}.";
    case Say::sum_is_about: return "{0} is about {1}.";
    case Say::sum_zero: return "Nothing can be divided by zero.";
    case Say::sum_root: return "That has no real result.";
    case Say::sum_large: return "That number is too large for me to say.";
    case Say::conversion_is: return "{0} is {1}.";
    case Say::conversion_is_about: return "{0} is about {1}.";
    case Say::conversion_of: return "{0} of {2} is {1}.";
    case Say::conversion_of_about: return "{0} of {2} is about {1}.";
    case Say::conversion_not: return "{0} can't be converted to {1}.";
    case Say::conversion_needs_what:
      return "That depends on what it is. Ask for example: {0} of flour in {1}.";

    case Say::action_status: return "Asking the device";
    case Say::action_done: return "Done.";
    case Say::action_is: return "The {0} is now {1}.";
    case Say::action_failed: return "That did not work: {0}.";
    case Say::action_which: return "What shall I set the {0} to: {1}?";
    case Say::action_which_level: return "What shall I set the {0} to?";
    case Say::action_range: return "The {0} goes from {1} to {2}.";
    case Say::action_level:
      return "I don't know how it is set now. Say for example: set the {0} to {1}.";
    case Say::action_on_off: return "Shall I turn the {0} on or off?";
    case Say::sensor_is: return "The {0} is {1}.";
    case Say::sensor_old: return "{0} ago the {1} was {2}.";
    case Say::sensor_yes: return "yes";
    case Say::sensor_no: return "no";
    case Say::sensor_missing: return "I can't measure that here. I have: {0}.";
    case Say::sensor_none: return "This device has no sensors.";
    case Say::sensor_title: return "Sensors";
    case Say::sensors_are: return "{0}.";
  }
  return "";
}

}  // namespace

std::string say(Say what, std::initializer_list<std::string_view> values) {
  const auto pattern = text(what);
  std::string out;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    const bool place = pattern[i] == '{' && i + 2 < pattern.size() && pattern[i + 2] == '}';
    if (!place) {
      out += pattern[i];
      continue;
    }
    const auto index = static_cast<std::size_t>(pattern[i + 1] - '0');
    if (index < values.size()) out += *(values.begin() + index);
    i += 2;
  }
  return out;
}

}  // namespace gadget::hub::builtin
