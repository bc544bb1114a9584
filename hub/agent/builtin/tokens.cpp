#include "hub/agent/builtin/tokens.hpp"

#include <cmath>
#include <cstdlib>
#include <utility>

#include "hub/agent/builtin/lexicon.hpp"
#include "hub/agent/builtin/numbers.hpp"

namespace gadget::hub::builtin {
namespace {

bool digit(char c) { return c >= '0' && c <= '9'; }
bool letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || static_cast<unsigned char>(c) >= 0x80;
}
char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

// How many bytes the well-formed UTF-8 character at `at` has; 0 when it is none.
std::size_t character(std::string_view s, std::size_t at) {
  const auto byte = [&](std::size_t i) {
    return at + i < s.size() ? static_cast<unsigned char>(s[at + i]) : 0U;
  };
  const auto tail = [&](std::size_t i) { return (byte(i) & 0xC0U) == 0x80U; };
  const auto first = byte(0);
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first < 0xE0) return tail(1) ? 2 : 0;
  if (first >= 0xE0 && first < 0xF0) {
    if (!tail(1) || !tail(2)) return 0;
    if (first == 0xE0 && byte(1) < 0xA0) return 0;
    if (first == 0xED && byte(1) >= 0xA0) return 0;
    return 3;
  }
  if (first >= 0xF0 && first < 0xF5) {
    if (!tail(1) || !tail(2) || !tail(3)) return 0;
    if (first == 0xF0 && byte(1) < 0x90) return 0;
    if (first == 0xF4 && byte(1) >= 0x90) return 0;
    return 4;
  }
  return 0;
}

std::string clean(std::string_view text) {
  std::string out;
  std::size_t points = 0;
  for (std::size_t i = 0; i < text.size() && points < kMaxCodePoints; ++points) {
    const auto length = character(text, i);
    if (length == 0) {
      out += '?';
      ++i;
    } else if (length == 1 && (static_cast<unsigned char>(text[i]) < 0x20 || text[i] == 0x7F)) {
      out += ' ';
      ++i;
    } else {
      out.append(text.substr(i, length));
      i += length;
    }
  }
  return out;
}

// Characters outside ASCII that mean something to the rules.
struct Sign {
  std::string_view bytes;
  std::string_view meaning;  // "" separates; a leading '=' makes a symbol; else a word
};
constexpr Sign kSigns[] = {
    {"\xE2\x80\x99", "'"},     {"\xE2\x80\x98", "'"},   {"\xE2\x80\x9C", ""},
    {"\xE2\x80\x9D", ""},      {"\xE2\x80\x93", "-"},   {"\xE2\x80\x94", ""},
    {"\xE2\x80\xA6", ","},     {"\xC2\xA0", ""},        {"\xE2\x88\x92", "-"},
    {"\xC3\x97", "=*"},        {"\xC3\xB7", "=/"},      {"\xC2\xB0", "degrees"},
    {"\xE2\x88\x9A", "=sqrt"}, {"\xC2\xBD", "#0.5"},    {"\xC2\xBC", "#0.25"},
    {"\xC2\xBE", "#0.75"},     {"\xC2\xB2", "squared"}, {"\xC2\xB3", "cubed"},
};

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}

  std::vector<Token> run() {
    while (at_ < text_.size() && out_.size() <= kMaxTokens * 2) step();
    return std::move(out_);
  }

 private:
  [[nodiscard]] char peek(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }
  [[nodiscard]] const Sign* sign(std::size_t at) const {
    for (const auto& s : kSigns) {
      if (text_.substr(at, s.bytes.size()) == s.bytes) return &s;
    }
    return nullptr;
  }

  Token& push(Token::Kind kind, std::string text, std::size_t begin, std::size_t end) {
    Token t;
    t.kind = kind;
    t.text = std::move(text);
    t.begin = begin;
    t.end = end;
    t.comma_before = std::exchange(comma_, false);
    out_.push_back(std::move(t));
    return out_.back();
  }

  void step() {
    const char c = peek();
    if (digit(c) || (c == '.' && digit(peek(1)) && (at_ == 0 || !letter(text_[at_ - 1])))) {
      return number();
    }
    if (const auto* s = static_cast<unsigned char>(c) >= 0x80 ? sign(at_) : nullptr) {
      return special(*s);
    }
    if (letter(c)) return word();
    punctuation(c);
  }

  void special(const Sign& s) {
    const auto begin = at_;
    at_ += s.bytes.size();
    if (s.meaning == ",") {
      comma_ = true;
    } else if (s.meaning == "-") {
      minus(begin);
    } else if (s.meaning.starts_with('=')) {
      push(Token::Kind::symbol, std::string(s.meaning.substr(1)), begin, at_);
    } else if (s.meaning.starts_with('#')) {
      fraction(std::strtod(s.meaning.data() + 1, nullptr), begin);
    } else if (!s.meaning.empty() && s.meaning != "'") {
      push(Token::Kind::word, std::string(s.meaning), begin, at_);
    }
  }

  void fraction(double value, std::size_t begin) {
    if (!out_.empty() && out_.back().number() && out_.back().end == begin) {
      out_.back().value += value;
      out_.back().end = at_;
      out_.back().text = std::string(text_.substr(out_.back().begin, at_ - out_.back().begin));
      return;
    }
    auto& t = push(Token::Kind::number, std::string(text_.substr(begin, at_ - begin)), begin, at_);
    t.value = value;
  }

  // A sign only between or before numbers; between words it is a hyphen, which separates.
  void minus(std::size_t begin) {
    auto next = at_;
    while (next < text_.size() && text_[next] == ' ') ++next;
    const bool before_number =
        next < text_.size() && (digit(text_[next]) || text_[next] == '(' || text_[next] == '.');
    if (before_number) push(Token::Kind::symbol, "-", begin, at_);
  }

  void punctuation(char c) {
    const auto begin = at_++;
    switch (c) {
      case ',':
      case ';':
      case '.':
      case '?':
      case '!':
      case ':': comma_ = true; return;
      case '%': push(Token::Kind::word, "percent", begin, at_); return;
      case '&': push(Token::Kind::word, "and", begin, at_); return;
      case '=': push(Token::Kind::word, "equals", begin, at_); return;
      case '-': minus(begin); return;
      case '+':
      case '*':
      case '/':
      case '^':
      case '(':
      case ')':
      case '$': push(Token::Kind::symbol, std::string(1, c), begin, at_); return;
      default: return;
    }
  }

  void number() {
    const auto begin = at_;
    std::string digits;
    while (digit(peek())) digits += text_[at_++];
    // 1,000,000
    while (peek() == ',' && digit(peek(1)) && digit(peek(2)) && digit(peek(3)) && !digit(peek(4))) {
      digits.append(text_.substr(at_ + 1, 3));
      at_ += 4;
    }
    if (peek() == ':' && digit(peek(1)) && digit(peek(2)) && !digit(peek(3)) &&
        digits.size() <= 2 && !digits.empty()) {
      const int hour = std::atoi(digits.c_str());
      const int minute = (peek(1) - '0') * 10 + (peek(2) - '0');
      if (hour < 24 && minute < 60) {
        at_ += 3;
        auto& t =
            push(Token::Kind::clock, std::string(text_.substr(begin, at_ - begin)), begin, at_);
        t.value = hour;
        t.minute = minute;
        return;
      }
    }
    if (peek() == '.' && digit(peek(1))) {
      digits += text_[at_++];
      while (digit(peek())) digits += text_[at_++];
    }
    const double value = digits.size() > 30 ? HUGE_VAL : std::strtod(digits.c_str(), nullptr);
    std::string tail;
    for (auto i = at_; i < text_.size() && letter(text_[i]) && tail.size() < 3; ++i) {
      tail += lower(text_[i]);
    }
    const bool ordinal = tail == "st" || tail == "nd" || tail == "rd" || tail == "th";
    if (ordinal) at_ += 2;
    auto& t = push(ordinal ? Token::Kind::ordinal : Token::Kind::number,
                   std::string(text_.substr(begin, at_ - begin)), begin, at_);
    t.value = value;
    if (!ordinal) t.text = digits;
  }

  void word() {
    const auto begin = at_;
    std::string w;
    while (at_ < text_.size()) {
      const char c = peek();
      if (static_cast<unsigned char>(c) >= 0x80) {
        const auto* s = sign(at_);
        if (s != nullptr && s->meaning != "'") break;
        if (s != nullptr) {
          at_ += s->bytes.size();
          w += '\'';
        } else {
          w += text_[at_++];
        }
      } else if (letter(c) || digit(c) || c == '\'') {
        w += lower(text_[at_++]);
      } else if (c == '.' && w.size() == 1 && letter(peek(1)) &&
                 (at_ + 2 >= text_.size() || !letter(text_[at_ + 2]))) {
        ++at_;  // p.m.
      } else {
        break;
      }
    }
    while (!w.empty() && w.back() == '\'') w.pop_back();
    auto end = at_;
    while (end > begin && text_[end - 1] == '\'') --end;
    if ((w == "am" || w == "pm") && peek() == '.') {
      ++at_;
      end = at_;
    }
    if (w == "x" && !out_.empty() && (out_.back().number() || out_.back().is(")"))) {
      push(Token::Kind::symbol, "*", begin, end);
      return;
    }
    add_word(w, begin, end);
  }

  void add_word(const std::string& w, std::size_t begin, std::size_t end) {
    if (w.empty()) return;
    const auto parts = expand_contraction(w);
    if (parts.empty()) {
      push(Token::Kind::word, w, begin, end);
      return;
    }
    std::size_t from = 0;
    while (from <= parts.size()) {
      const auto space = std::min(parts.find(' ', from), parts.size());
      push(Token::Kind::word, std::string(parts.substr(from, space - from)), begin, end);
      from = space + 1;
    }
  }

  std::string_view text_;
  std::size_t at_ = 0;
  bool comma_ = false;
  std::vector<Token> out_;
};

// "p m" and "o clock" as a small recogniser writes them.
void join_letters(std::vector<Token>& tokens) {
  std::vector<Token> out;
  for (auto& t : tokens) {
    const bool m = t.is("m") && !out.empty() && (out.back().is("a") || out.back().is("p"));
    const bool clock = t.is("clock") && !out.empty() && (out.back().is("o") || out.back().is("oh"));
    const bool cent = t.is("cent") && !out.empty() && out.back().is("per");
    if (m || clock || cent) {
      out.back().text = m ? out.back().text + "m" : clock ? "oclock" : "percent";
      out.back().end = t.end;
      continue;
    }
    out.push_back(std::move(t));
  }
  tokens = std::move(out);
}

bool starts_with(const std::vector<Token>& tokens, std::size_t at, std::string_view phrase) {
  std::size_t from = 0;
  while (from < phrase.size()) {
    const auto space = std::min(phrase.find(' ', from), phrase.size());
    if (at >= tokens.size() || tokens[at].text != phrase.substr(from, space - from)) return false;
    ++at;
    from = space + 1;
  }
  return true;
}

std::size_t count_words(std::string_view phrase) {
  std::size_t n = 1;
  for (const char c : phrase) n += c == ' ' ? 1 : 0;
  return n;
}

// Politeness at both ends carries no meaning; what would leave nothing is kept ("thank you").
void strip_filler(std::vector<Token>& tokens) {
  std::size_t first = 0;
  std::size_t last = tokens.size();
  for (bool again = true; again;) {
    again = false;
    for (const auto phrase : trailing_filler()) {
      const auto n = count_words(phrase);
      if (first + n < last && starts_with(tokens, last - n, phrase)) {
        last -= n;
        again = true;
        break;
      }
    }
  }
  for (bool again = true; again;) {
    again = false;
    for (const auto phrase : leading_filler()) {
      const auto n = count_words(phrase);
      if (first + n < last && starts_with(tokens, first, phrase)) {
        first += n;
        again = true;
        break;
      }
    }
  }
  tokens.erase(tokens.begin() + static_cast<std::ptrdiff_t>(last), tokens.end());
  tokens.erase(tokens.begin(), tokens.begin() + static_cast<std::ptrdiff_t>(first));
}

}  // namespace

bool Token::whole() const {
  return kind == Kind::number && value == std::floor(value) && std::fabs(value) < 1e9;
}

std::string Utterance::said(std::size_t first, std::size_t last) const {
  if (first >= last || last > tokens.size()) return {};
  const auto begin = tokens[first].begin;
  const auto end = tokens[last - 1].end;
  return text.substr(begin, end - begin);
}

std::string Utterance::words(std::size_t first, std::size_t last) const {
  std::string out;
  for (auto i = first; i < last && i < tokens.size(); ++i) {
    if (!out.empty()) out += ' ';
    out += tokens[i].text;
  }
  return out;
}

Utterance normalise(std::string_view text) {
  Utterance u;
  u.text = clean(text);
  u.tokens = Lexer(u.text).run();
  join_letters(u.tokens);
  strip_filler(u.tokens);
  compose_numbers(u.tokens);
  if (u.tokens.size() > kMaxTokens) {
    u.tokens.clear();
    u.too_long = true;
  }
  return u;
}

std::vector<std::string> plain_words(std::string_view text) {
  std::vector<std::string> out;
  std::string w;
  for (const char c : text) {
    if (letter(c) || digit(c)) {
      w += lower(c);
    } else if (!w.empty()) {
      out.push_back(std::move(w));
      w.clear();
    }
  }
  if (!w.empty()) out.push_back(std::move(w));
  return out;
}

std::string singular(std::string_view word) {
  const auto n = word.size();
  if (n > 4 && word.ends_with("ies")) return std::string(word.substr(0, n - 3)) + "y";
  if (n > 4 && (word.ends_with("oes") || word.ends_with("shes") || word.ends_with("ches") ||
                word.ends_with("xes") || word.ends_with("sses"))) {
    return std::string(word.substr(0, n - 2));
  }
  if (n > 3 && word.ends_with("s") && !word.ends_with("ss") && !word.ends_with("us")) {
    return std::string(word.substr(0, n - 1));
  }
  return std::string(word);
}

std::string cut_text(std::string_view text, std::size_t max_bytes) {
  if (text.size() <= max_bytes) return std::string(text);
  auto end = max_bytes;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
  return std::string(text.substr(0, end));
}

}  // namespace gadget::hub::builtin
