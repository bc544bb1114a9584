// speakable: signs in words. Engines read what is left: numbers, times, dates, common
// abbreviations.

#include <algorithm>
#include <array>
#include <cstdint>

#include <unicode/uchar.h>

#include "media/sentences.hpp"
#include "media/symbols.hpp"
#include "media/utf8.hpp"

namespace gadget::media {
namespace {

bool is_digit(char32_t c) { return c >= '0' && c <= '9'; }
bool is_letter(char32_t c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= 0xC0 && c < 0x2000);
}
bool is_alphanumeric(char32_t c) { return is_digit(c) || is_letter(c); }
bool is_space(char32_t c) { return c == ' ' || c == '\n' || c == '\t' || c == 0xA0 || c == 0x202F; }

struct Currency {
  char32_t sign;
  std::string_view one;
  std::string_view many;
};
constexpr Currency kCurrencies[] = {
    {'$', "dollar", "dollars"},     {0xA2, "cent", "cents"},  {0xA3, "pound", "pounds"},
    {0xA5, "yen", "yen"},           {0x20A9, "won", "won"},   {0x20AC, "euro", "euros"},
    {0x20B9, "rupee", "rupees"},    {0x20BA, "lira", "lira"}, {0x20BD, "ruble", "rubles"},
    {0x20BF, "bitcoin", "bitcoin"},
};

const Currency* currency_of(char32_t c) {
  const auto* found = std::find_if(std::begin(kCurrencies), std::end(kCurrencies),
                                   [c](const Currency& currency) { return currency.sign == c; });
  return found != std::end(kCurrencies) ? found : nullptr;
}

// Signs that are one word wherever they stand.
std::string_view word_for(char32_t c) {
  switch (c) {
    case '&': return " and ";
    case 0x00D7: return " times ";
    case 0x00F7: return " divided by ";
    case 0x00B1: return " plus or minus ";
    case 0x2260: return " is not ";
    case 0x2264: return " at most ";
    case 0x2265: return " at least ";
    case 0x2248: return " about ";
    case 0x00B2: return " squared";
    case 0x00B3: return " cubed";
    case 0x221E: return " infinity ";
    case 0x221A: return " square root of ";
    case 0x2030: return " per mille";
    case 0x2192:
    case 0x21D2: return " to ";
    case 0x2190:
    case 0x2022:
    case 0x00B7:
    case 0x2014:
    case '|': return ", ";
    case 0x2026: return "...";
    case 0x2018:
    case 0x2019: return "'";
    case 0x201C:
    case 0x201D:
    case 0x201E:
    case 0x00AB:
    case 0x00BB: return "\"";
    case '_': return " ";
    default: return {};
  }
}

std::string_view fraction_for(char32_t c) {
  switch (c) {
    case 0x00BC: return "a quarter";
    case 0x00BD: return "a half";
    case 0x00BE: return "three quarters";
    case 0x2153: return "a third";
    case 0x2154: return "two thirds";
    default: return {};
  }
}

class Speaker {
 public:
  explicit Speaker(std::u32string_view text) : text_(text) { out_.reserve(text.size() + 32); }

  std::string run() {
    while (at_ < text_.size()) step();
    return std::move(out_);
  }

 private:
  [[nodiscard]] char32_t peek(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : char32_t{0};
  }
  [[nodiscard]] char32_t previous() const { return at_ > 0 ? text_[at_ - 1] : char32_t{0}; }
  [[nodiscard]] bool at_word_start() const {
    return at_ == 0 || is_space(previous()) || previous() == '(';
  }

  // The next character that is not a space, from `ahead` on.
  [[nodiscard]] char32_t next_visible(std::size_t ahead) const {
    while (is_space(peek(ahead))) ++ahead;
    return peek(ahead);
  }
  [[nodiscard]] char32_t last_visible() const {
    const auto end = out_.find_last_not_of(' ');
    return end == std::string::npos ? char32_t{0} : static_cast<unsigned char>(out_[end]);
  }
  // Whether the number that was just said is 1: "1 degree".
  [[nodiscard]] bool after_one() const {
    auto end = out_.find_last_not_of(' ');
    if (end == std::string::npos || out_[end] != '1') return false;
    return end == 0 || (!is_digit(static_cast<unsigned char>(out_[end - 1])) &&
                        out_[end - 1] != '.' && out_[end - 1] != ',');
  }

  [[nodiscard]] bool starts_with(std::string_view ascii) const {
    for (std::size_t i = 0; i < ascii.size(); ++i) {
      const char32_t c = peek(i);
      const char32_t lower = c >= 'A' && c <= 'Z' ? c | 0x20U : c;
      if (lower != static_cast<unsigned char>(ascii[i])) return false;
    }
    return true;
  }

  void say(std::string_view words, std::size_t taken) {
    out_ += words;
    at_ += taken;
  }

  void step() {
    const char32_t c = peek();
    if (c < 0x80 && peek(1) >= 0x80 && keycap()) return;
    if (address() || bracket(c) || degrees(c) || money(c) || dash(c) || ascii_sign(c)) return;
    if (const auto words = word_for(c); !words.empty()) return say(words, 1);
    if (const auto words = fraction_for(c); !words.empty()) {
      if (is_digit(last_visible())) out_ += " and ";
      return say(words, 1);
    }
    if (const auto emoji = emoji_at(text_, at_)) {
      say(" ", emoji->length);
      return;
    }
    plain(c);
  }

  bool keycap() {
    const auto emoji = emoji_at(text_, at_);
    if (!emoji) return false;
    say(emoji->name == "#" ? "hash" : emoji->name == "*" ? "star" : emoji->name, emoji->length);
    return true;
  }

  void plain(char32_t c) {
    ++at_;
    if (u_hasBinaryProperty(static_cast<UChar32>(c), UCHAR_DEFAULT_IGNORABLE_CODE_POINT) != 0)
      return;
    if (is_space(c) || c == 0x3000) {
      out_ += ' ';
    } else if (c < 0x80) {
      out_ += static_cast<char>(c);
    } else {
      const auto mask = U_GET_GC_MASK(static_cast<UChar32>(c));
      const bool said =
          (mask & (U_GC_SO_MASK | U_GC_SM_MASK | U_GC_SK_MASK | U_GC_C_MASK | U_GC_Z_MASK)) == 0;
      if (said) {
        append_utf8(out_, c);
      } else {
        out_ += ' ';
      }
    }
  }

  // "https://..." and "www...." are long and say nothing: "link".
  bool address() {
    if (is_alphanumeric(previous())) return false;
    if (!starts_with("http://") && !starts_with("https://") && !starts_with("www.")) return false;
    std::size_t end = at_;
    while (end < text_.size() && !is_space(text_[end]) && text_[end] != ')' && text_[end] != '>' &&
           text_[end] != '"')
      ++end;
    while (end > at_ &&
           std::u32string_view(U".,;:!?").find(text_[end - 1]) != std::u32string_view::npos)
      --end;
    say("link", end - at_);
    return true;
  }

  // Brackets are not said, nor numbers of sources "[1]", nor the target that was left behind a link
  // "[text][target]".
  bool bracket(char32_t c) {
    if (c != '[' && c != ']') return false;
    constexpr std::size_t kMaxTarget = 64;
    const auto close = text_.substr(at_, kMaxTarget).find(U']');
    if (c == '[' && close != std::u32string_view::npos) {
      const auto inside = text_.substr(at_ + 1, close - 1);
      if (previous() == ']' || std::all_of(inside.begin(), inside.end(), is_digit)) {
        at_ += close + 1;
        return true;
      }
    }
    ++at_;
    return true;
  }

  bool degrees(char32_t c) {
    if (c != 0xB0 && c != 0x2103 && c != 0x2109) return false;
    out_ += after_one() ? " degree" : " degrees";
    char32_t scale = c == 0x2103 ? 'C' : c == 0x2109 ? 'F' : char32_t{0};
    ++at_;
    if (scale == 0 && (peek() == 'C' || peek() == 'F') && !is_alphanumeric(peek(1))) {
      scale = peek();
      ++at_;
    }
    if (scale != 0) out_ += scale == 'C' ? " Celsius" : " Fahrenheit";
    if (is_alphanumeric(peek())) out_ += ' ';
    return true;
  }

  // "$5", "$1.5 million", "5 EUR-sign": the number first, then what it counts.
  bool money(char32_t c) {
    const Currency* currency = currency_of(c);
    if (currency == nullptr) return false;
    std::size_t start = at_ + 1;
    if (start < text_.size() && text_[start] == ' ' && !is_digit(last_visible())) ++start;
    std::size_t end = start;
    while (end < text_.size() &&
           (is_digit(text_[end]) || ((text_[end] == '.' || text_[end] == ',') &&
                                     end + 1 < text_.size() && is_digit(text_[end + 1])))) {
      ++end;
    }
    if (end == start) {
      const bool counted = is_digit(last_visible());
      out_ += ' ';
      out_ += counted && after_one() ? currency->one : currency->many;
      ++at_;
      return true;
    }
    const auto number = text_.substr(start, end - start);
    const bool one = number == U"1";
    out_ += to_utf8(number);
    at_ = end;
    bool magnitude = false;
    for (const std::string_view word : {" thousand", " million", " billion", " trillion"}) {
      if (!starts_with(word) || is_letter(peek(word.size()))) continue;
      say(word, word.size());
      magnitude = true;
    }
    out_ += ' ';
    out_ += one && !magnitude ? currency->one : currency->many;
    if (is_alphanumeric(peek())) out_ += ' ';
    return true;
  }

  bool dash(char32_t c) {
    if (c == '-' && peek(1) == '>') {
      say(" to ", 2);
      return true;
    }
    if (c == 0x2212 || (c == '-' && at_word_start() && is_digit(peek(1)))) {
      say(" minus ", 1);
      return true;
    }
    if (c != '-' && c != 0x2013 && c != 0x2010 && c != 0x2011) return false;
    if (c == 0x2013 && is_digit(previous()) && is_digit(peek(1))) {
      say(" to ", 1);
    } else if (is_alphanumeric(previous()) && is_alphanumeric(peek(1))) {
      say("-", 1);
    } else {
      while (peek() == '-') ++at_;
      if (c != '-') ++at_;
      out_ += is_space(previous()) || is_space(peek()) ? ", " : " ";
    }
    return true;
  }

  // Signs of ASCII whose meaning depends on what stands beside them.
  bool ascii_sign(char32_t c) {
    const char32_t left = last_visible();
    const char32_t right = next_visible(1);
    switch (c) {
      case '%': say(" percent", 1); return true;
      case '*':
        if (peek(1) == '*' && is_alphanumeric(left) && is_digit(peek(2))) {
          say(" to the power of ", 2);
          return true;
        }
        say(is_alphanumeric(left) && (is_alphanumeric(right) || right == '(') && previous() != '*'
                ? " times "
                : "",
            1);
        return true;
      case '+':
        say(is_alphanumeric(right) || right == '+' || is_letter(previous()) ? " plus " : " ", 1);
        return true;
      case '=':
        out_ += peek(1) == '>' ? " to " : " equals ";
        while (peek() == '=' || peek() == '>') ++at_;
        return true;
      case '<': say(peek(1) == ' ' || is_digit(peek(1)) ? " less than " : " ", 1); return true;
      case '>':
        say(previous() == ' ' && (peek(1) == ' ' || is_digit(peek(1))) ? " greater than " : " ", 1);
        return true;
      case '~': say(is_digit(right) ? " about " : "", 1); return true;
      case '#': say(is_digit(peek(1)) ? "number " : "", 1); return true;
      case '@': say(is_alphanumeric(left) || is_alphanumeric(right) ? " at " : " ", 1); return true;
      case '^':
        say(is_alphanumeric(left) && is_alphanumeric(right) ? " to the power of " : " ", 1);
        return true;
      case '\\':
      case '`':
      case '{':
      case '}': say(" ", 1); return true;
      case 'k':
        if (starts_with("km/h") && !is_letter(previous()) && !is_letter(peek(4))) {
          say(" kilometers per hour", 4);
          return true;
        }
        return false;
      case 'm':
        if (starts_with("m/s") && (is_digit(left) && !is_letter(previous())) &&
            !is_letter(peek(3))) {
          say(" meters per second", 3);
          return true;
        }
        return false;
      default: return false;
    }
  }

  std::u32string_view text_;
  std::size_t at_ = 0;
  std::string out_;
};

// One space between words, none before a comma or full stop, no commas in a row or at the
// beginning, no empty brackets.
std::string tidy(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    const bool pause =
        c == ',' || c == '.' || c == '!' || c == '?' || c == ';' || c == ':' || c == ')';
    if (c == ' ') {
      if (!out.empty() && out.back() != ' ' && out.back() != '(') out += ' ';
      continue;
    }
    if (pause) {
      const bool apart = out.ends_with(' ');
      if (apart) out.pop_back();
      if (c == ')' && out.ends_with('(')) {
        out.pop_back();
        continue;
      }
      const bool repeated =
          out.empty() || out.back() == ',' || out.back() == ';' || out.back() == ':';
      const bool ended = apart && (out.ends_with('.') || out.ends_with('!') || out.ends_with('?'));
      if (c == ',' && (repeated || ended)) continue;
      if (c != ')' && !out.empty() && out.back() == ',') out.pop_back();
    }
    out += c;
  }
  while (!out.empty() && (out.back() == ' ' || out.back() == ',')) out.pop_back();
  return out;
}

}  // namespace

std::string speakable(std::string_view plain) { return tidy(Speaker(to_code_points(plain)).run()); }

}  // namespace gadget::media
