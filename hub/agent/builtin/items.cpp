#include <algorithm>

#include "hub/agent/builtin/lexicon.hpp"
#include "hub/agent/builtin/understand.hpp"

namespace gadget::hub::builtin {
namespace {

// One item of a list as it is kept; longer ones are cut.
constexpr std::size_t kMaxItemBytes = 120;
// More at once is no shopping list that somebody said.
constexpr std::size_t kMaxItemsAtOnce = 30;

bool article(std::string_view w) {
  return w == "a" || w == "an" || w == "the" || w == "some" || w == "my" || w == "our" ||
         w == "more" || w == "also" || w == "any";
}

// Words that say how much, not what: "two loaves of bread" is bread.
std::vector<std::string> core_words(std::string_view text) {
  std::vector<std::string> out;
  for (const auto& w : plain_words(text)) {
    if (article(w) || w == "and") continue;
    out.push_back(singular(w));
  }
  return out;
}

}  // namespace

std::vector<std::string> split_items(const Utterance& said, std::size_t first, std::size_t last) {
  std::vector<std::string> out;
  const auto& t = said.tokens;
  const auto add = [&](std::size_t from, std::size_t to) {
    while (from < to && (article(t[from].text) || t[from].is("and"))) ++from;
    while (to > from && (t[to - 1].is("too") || t[to - 1].is("as") || t[to - 1].is("please"))) --to;
    if (from >= to || out.size() >= kMaxItemsAtOnce) return;
    // "milk eggs bread" without commas, as a small recogniser writes it.
    const bool row = to - from > 1 &&
                     std::all_of(t.begin() + std::ptrdiff_t(from), t.begin() + std::ptrdiff_t(to),
                                 [](const Token& w) { return known_grocery(w.text); });
    if (row) {
      for (auto i = from; i < to; ++i) out.push_back(said.said(i, i + 1));
      return;
    }
    const auto heard = to - from == 1 ? heard_item(t[from].text) : std::string_view{};
    out.push_back(heard.empty() ? cut_text(said.said(from, to), kMaxItemBytes)
                                : std::string(heard));
  };
  auto from = first;
  for (auto i = first; i < last; ++i) {
    const bool comma = i > from && t[i].comma_before;
    const bool joined =
        i > first && i + 1 < last && t[i].is("and") && !one_item(t[i - 1].text, t[i + 1].text);
    if (comma) {
      add(from, i);
      from = i;
    }
    if (joined) {
      add(from, i);
      from = i + 1;
    }
  }
  add(from, last);
  return out;
}

std::string list_name(std::string_view words) {
  if (words == "shopping" || words == "grocery" || words == "groceries" || words == "food" ||
      words == "market" || words == "supermarket" || words == "store" || words == "buying") {
    return "shopping";
  }
  if (words == "to do" || words == "two do" || words == "too do" || words == "to dos" ||
      words == "task" || words == "tasks" || words == "chore" || words == "chores" ||
      words == "things to do" || words == "do") {
    return "to-do";
  }
  return cut_text(words, 40);
}

bool same_item(std::string_view item, std::string_view said) {
  const auto have = core_words(item);
  const auto want = core_words(said);
  if (want.empty()) return false;
  return std::all_of(want.begin(), want.end(), [&](const std::string& w) {
    return std::find(have.begin(), have.end(), w) != have.end();
  });
}

}  // namespace gadget::hub::builtin
