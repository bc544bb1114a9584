#include "speech/word_errors.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <utility>

namespace gadget::speech {
namespace {

constexpr std::array<std::string_view, 20> kSmall{
    "zero",     "one",     "two",     "three",     "four",     "five",    "six",
    "seven",    "eight",   "nine",    "ten",       "eleven",   "twelve",  "thirteen",
    "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"};
constexpr std::array<std::string_view, 10> kTens{"",      "",      "twenty",  "thirty", "forty",
                                                 "fifty", "sixty", "seventy", "eighty", "ninety"};

void add_number(std::uint64_t n, std::vector<std::string>& out) {
  if (n >= 1000) {
    add_number(n / 1000, out);
    out.emplace_back("thousand");
    if ((n %= 1000) == 0) return;
  }
  if (n >= 100) {
    add_number(n / 100, out);
    out.emplace_back("hundred");
    if ((n %= 100) == 0) return;
  }
  if (n >= 20) {
    out.emplace_back(kTens[n / 10]);
    if ((n %= 10) == 0) return;
  }
  out.emplace_back(kSmall[n]);
}

// One word of letters, digits and apostrophes, as it is spoken.
void add_word(const std::string& word, std::vector<std::string>& out) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kSame{
      {{"o'clock", "oclock"},
       {"what's", "what is"},
       {"ok", "okay"},
       {"kilometres", "kilometers"},
       {"colour", "color"},
       {"litres", "liters"}}};
  constexpr std::size_t kLongestNumber = 9;
  if (std::all_of(word.begin(), word.end(), [](unsigned char c) { return std::isdigit(c); }) &&
      word.size() <= kLongestNumber) {
    return add_number(std::stoull(word), out);
  }
  for (const auto& [from, to] : kSame) {
    if (word != from) continue;
    const auto space = to.find(' ');
    out.emplace_back(to.substr(0, space));
    if (space != std::string_view::npos) out.emplace_back(to.substr(space + 1));
    return;
  }
  out.push_back(word);
}

}  // namespace

std::vector<std::string> spoken_words(std::string_view text) {
  std::vector<std::string> out;
  std::string word;
  const auto end_word = [&] {
    while (!word.empty() && word.back() == '\'') word.pop_back();
    if (!word.empty()) add_word(word, out);
    word.clear();
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    const bool digit = std::isdigit(c) != 0;
    const bool after_digit = !word.empty() && std::isdigit(static_cast<unsigned char>(word.back()));
    // "9min" and "3:00" are words of their own; the comma of "1,000" is nothing.
    if (c == ',' && after_digit && i + 1 < text.size() &&
        std::isdigit(static_cast<unsigned char>(text[i + 1]))) {
      continue;
    }
    if (!word.empty() && digit != after_digit && (std::isalnum(c) != 0)) end_word();
    if (c == '-' && word == "to") continue;  // "to-day"
    if (std::isalnum(c) != 0 || (c == '\'' && !word.empty())) {
      word += static_cast<char>(std::tolower(c));
    } else {
      end_word();
      if (c == '%') out.emplace_back("percent");
    }
  }
  end_word();
  return out;
}

WordErrors count_word_errors(std::string_view said, std::string_view heard) {
  const auto a = spoken_words(said);
  const auto b = spoken_words(heard);
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t best =
          std::min({row[j] + 1, row[j - 1] + 1, diagonal + (a[i - 1] == b[j - 1] ? 0 : 1)});
      diagonal = std::exchange(row[j], best);
    }
  }
  return {row[b.size()], a.size()};
}

}  // namespace gadget::speech
