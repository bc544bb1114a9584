// What fits into a slot of each type.
#include <algorithm>

#include "hub/agent/builtin/arithmetic.hpp"
#include "hub/agent/builtin/pattern.hpp"
#include "hub/agent/builtin/time_phrases.hpp"
#include "hub/agent/builtin/units.hpp"

namespace gadget::hub::builtin {
namespace {

// A name of a timer is a few words at most ("the pasta", "uncle bob's cake").
constexpr std::size_t kMaxNameWords = 4;
constexpr std::size_t kMaxListNameWords = 3;

bool any(std::string_view word, std::span<const std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// Words that end a name: articles, prepositions, and what is named.
constexpr std::string_view kNotInNames[] = {
    "timer",   "timers",  "alarm", "alarms", "reminder", "reminders", "list",    "lists",
    "for",     "to",      "of",    "at",     "on",       "in",        "the",     "my",
    "a",       "an",      "all",   "both",   "every",    "and",       "called",  "named",
    "labeled", "it",      "that",  "this",   "is",       "are",       "another", "me",
    "set",     "how",     "what",  "when",   "minute",   "minutes",   "hour",    "hours",
    "second",  "seconds", "left",  "about",  "again",    "up",        "day",     "tomorrow",
    "today",   "until",   "from",  "off",    "not",      "do",        "with",    "if",
    "was",     "i",       "you",   "your",   "we",       "until",     "half",
};
constexpr std::string_view kNotInListNames[] = {
    "list", "lists", "to",   "on",   "from", "off",        "the",  "my",  "a",   "an",   "and",
    "all",  "it",    "that", "this", "of",   "in",         "new",  "our", "is",  "what", "for",
    "your", "any",   "i",    "you",  "me",   "everything", "with", "how", "was", "were",
};

std::size_t name_length(std::span<const Token> t, std::size_t at) {
  std::size_t n = 0;
  while (at + n < t.size() && t[at + n].kind == Token::Kind::word &&
         !any(t[at + n].text, kNotInNames)) {
    ++n;
  }
  return n <= kMaxNameWords ? n : 0;
}

std::size_t list_length(std::span<const Token> t, std::size_t at) {
  const auto word = [&](std::size_t i) {
    return i < t.size() ? std::string_view(t[i].text) : std::string_view{};
  };
  const auto w = word(at);
  if ((w == "to" || w == "two" || w == "too") && (word(at + 1) == "do" || word(at + 1) == "dos"))
    return 2;
  const bool ends = at + 1 == t.size();
  // A list may go without the word only when its name says enough: "to my groceries".
  if (ends) return w == "shopping" || w == "groceries" || w == "tasks" ? 1 : 0;
  std::size_t n = 0;
  while (at + n < t.size() && t[at + n].kind == Token::Kind::word &&
         !any(t[at + n].text, kNotInListNames)) {
    ++n;
  }
  return n <= kMaxListNameWords && (word(at + n) == "list" || word(at + n) == "lists") ? n : 0;
}

}  // namespace

std::size_t slot_length(SlotType type, std::span<const Token> tokens, std::size_t at) {
  switch (type) {
    case SlotType::text: return at < tokens.size() ? 1 : 0;
    case SlotType::name: return name_length(tokens, at);
    case SlotType::list: return list_length(tokens, at);
    case SlotType::number: return at < tokens.size() && tokens[at].number() ? 1 : 0;
    case SlotType::duration: return parse_duration(tokens, at).length;
    case SlotType::when: return parse_when(tokens, at, false).length;
    case SlotType::when_bare: return parse_when(tokens, at, true).length;
    case SlotType::expression: return parse_sum(tokens, at).length;
    case SlotType::quantity: return parse_quantity(tokens, at).length;
    case SlotType::unit: return parse_unit(tokens, at).length;
    case SlotType::date: return parse_day(tokens, at).length;
  }
  return 0;
}

}  // namespace gadget::hub::builtin
