#include <algorithm>

#include "hub/agent/builtin/answers.hpp"
#include "hub/agent/builtin/speakable.hpp"
#include "hub/agent/builtin/strings.hpp"

namespace gadget::hub::builtin {
namespace {

std::string problem_text(Lists::Problem problem) {
  switch (problem) {
    case Lists::Problem::full: return say(Say::list_full, {std::to_string(kMaxItems)});
    case Lists::Problem::newer: return say(Say::newer_store);
    default: return say(Say::not_saved);
  }
}

std::string card_body(const List& list) {
  std::string body;
  for (const auto& item : list.items) body += (body.empty() ? "" : "\n") + capital(item);
  return body;
}

}  // namespace

bool ListAnswers::takes(std::string_view intent) {
  return intent.starts_with("list_") && intent != "list_clear";
}

std::string ListAnswers::which(const Intent& intent, const Conversation& talk) {
  auto named = intent.slot("list");
  if (!named.empty()) return named;
  return talk.last_list.empty() ? "shopping" : talk.last_list;
}

Answer ListAnswers::answer(const DeviceId& id, const Intent& intent, Conversation& talk) {
  const auto name = which(intent, talk);
  if (intent.name == "list_names") return names(id);
  talk.last_list = name;
  if (intent.name == "list_add") return add(id, intent, name);
  if (intent.name == "list_remove") return remove(id, intent, name);
  if (intent.name == "list_check") return check(id, intent, name);
  if (intent.name == "list_new") {
    const auto list = lists_.get(id, name);
    if (!list.items.empty()) return read(id, name);
    if (const auto problem = lists_.put(id, list); problem != Lists::Problem::none)
      return {problem_text(problem)};
    talk.pending = Pending::list_items;
    talk.open = intent;
    return {say(Say::list_new, {name})};
  }
  return read(id, name);
}

Answer ListAnswers::add(const DeviceId& id, const Intent& intent, const std::string& name) {
  auto list = lists_.get(id, name);
  std::vector<std::string> added;
  std::vector<std::string> known;
  for (const auto& item : intent.items) {
    const bool there = std::any_of(
        list.items.begin(), list.items.end(),
        [&](const std::string& have) { return same_item(have, item) && same_item(item, have); });
    (there ? known : added).push_back(item);
    if (!there) list.items.push_back(item);
  }
  if (added.empty()) return {say(Say::list_already, {capital(speak_list(known)), name})};
  if (const auto problem = lists_.put(id, list); problem != Lists::Problem::none)
    return {problem_text(problem)};
  const auto text = known.empty()
                        ? say(Say::list_added, {speak_list(added), name})
                        : say(Say::list_added_some, {speak_list(added), name, speak_list(known)});
  return {text, say(Say::list_title, {capital(name)}), card_body(list)};
}

Answer ListAnswers::remove(const DeviceId& id, const Intent& intent, std::string name) {
  std::vector<std::string> removed;
  std::vector<std::string> absent;
  // Without a name ("I bought the milk") it is the list that has it.
  if (intent.slot("list").empty()) {
    for (const auto& list : lists_.of(id)) {
      const bool here =
          std::any_of(list.items.begin(), list.items.end(), [&](const std::string& have) {
            return !intent.items.empty() && same_item(have, intent.items.front());
          });
      if (here) {
        name = list.name;
        break;
      }
    }
  }
  auto list = lists_.get(id, name);
  for (const auto& item : intent.items) {
    const auto found = std::find_if(list.items.begin(), list.items.end(),
                                    [&](const std::string& have) { return same_item(have, item); });
    if (found == list.items.end()) {
      absent.push_back(item);
    } else {
      removed.push_back(*found);
      list.items.erase(found);
    }
  }
  if (removed.empty()) return {say(Say::list_not_there, {capital(speak_list(absent)), name})};
  if (const auto problem = lists_.put(id, list); problem != Lists::Problem::none)
    return {problem_text(problem)};
  auto text = say(Say::list_removed, {speak_list(removed), name});
  if (!absent.empty()) text += " " + say(Say::list_not_there, {capital(speak_list(absent)), name});
  return {text, say(Say::list_title, {capital(name)}), card_body(list)};
}

Answer ListAnswers::read(const DeviceId& id, const std::string& name) {
  const auto list = lists_.get(id, name);
  if (list.items.empty()) return {say(Say::list_empty, {name})};
  const auto text =
      list.items.size() == 1
          ? say(Say::list_one, {name, list.items[0]})
          : say(Say::list_many, {name, std::to_string(list.items.size()), speak_list(list.items)});
  return {text, say(Say::list_title, {capital(name)}), card_body(list)};
}

Answer ListAnswers::check(const DeviceId& id, const Intent& intent, const std::string& name) {
  const auto list = lists_.get(id, name);
  const bool all =
      std::all_of(intent.items.begin(), intent.items.end(), [&](const std::string& item) {
        return std::any_of(list.items.begin(), list.items.end(),
                           [&](const std::string& have) { return same_item(have, item); });
      });
  return {say(all ? Say::list_has : Say::list_has_not, {speak_list(intent.items), name})};
}

Answer ListAnswers::names(const DeviceId& id) {
  std::vector<std::string> lines;
  for (const auto& list : lists_.of(id)) {
    lines.push_back(list.name + " with " +
                    plural(static_cast<std::int64_t>(list.items.size()), "item", "items"));
  }
  if (lines.empty()) return {say(Say::list_no_lists)};
  return {say(Say::list_names, {plural(static_cast<std::int64_t>(lines.size()), "list", "lists"),
                                speak_list(lines)})};
}

}  // namespace gadget::hub::builtin
