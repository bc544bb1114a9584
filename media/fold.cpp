// fold_ascii: first signs and emoji by our tables, then scripts by ICU, at last `?` for what is
// left.

#include <algorithm>
#include <array>
#include <memory>

#include <unicode/translit.h>
#include <unicode/uchar.h>
#include <unicode/unistr.h>
#include <unicode/uscript.h>

#include "media/symbols.hpp"
#include "media/text.hpp"
#include "media/utf8.hpp"

namespace gadget::media {
namespace {

constexpr char32_t kNotOverlay = 0x0338;
constexpr char32_t kSoftHyphen =
    0x00AD;  // shows only where a line breaks; ICU would always show it

// The overlay that makes = into U+2260 is not an accent: without it the meaning is the opposite.
constexpr const char* kRules = "Any-Latin; NFKD; [[:Mn:]-[\\u0338]] Remove; NFC; Latin-ASCII";

// Code points in one call of ICU: it replaces in place, so the cost of a call grows with the square
// of its length.
constexpr std::size_t kRunCodePoints = 128;

// Latin letters with accents are by far the most common, and each has one form whatever its
// neighbours: from a table.
constexpr char32_t kLatinFirst = 0x00C0;
constexpr char32_t kLatinEnd = 0x0250;

std::string transliterate(const icu::Transliterator& rules, std::u32string_view run) {
  icu::UnicodeString text;
  for (const char32_t c : run) text.append(static_cast<UChar32>(c));
  rules.transliterate(text);
  std::string out;
  text.toUTF8String(out);
  return out;
}

// ICU's rules, made once, and the table that they give for Latin.
class Folder {
 public:
  Folder() {
    UErrorCode status = U_ZERO_ERROR;
    rules_.reset(icu::Transliterator::createInstance(kRules, UTRANS_FORWARD, status));
    if (U_FAILURE(status)) rules_.reset();
    if (!rules_) return;
    for (char32_t c = kLatinFirst; c < kLatinEnd; ++c) {
      latin_[c - kLatinFirst] = transliterate(*rules_, std::u32string_view(&c, 1));
    }
  }

  // A copy for the calling thread, null if ICU has no data: then foreign letters become `?`.
  [[nodiscard]] std::unique_ptr<icu::Transliterator> copy() const {
    return rules_ ? std::unique_ptr<icu::Transliterator>(rules_->clone()) : nullptr;
  }
  [[nodiscard]] const std::string& latin(char32_t c) const { return latin_[c - kLatinFirst]; }

 private:
  std::unique_ptr<icu::Transliterator> rules_;
  std::array<std::string, kLatinEnd - kLatinFirst> latin_;
};

const Folder& folder() {
  static const Folder instance;
  return instance;
}

const icu::Transliterator* rules_of_this_thread() {
  thread_local const std::unique_ptr<icu::Transliterator> rules = folder().copy();
  return rules.get();
}

bool is_digit(char32_t c) { return c >= '0' && c <= '9'; }
bool is_alphanumeric(char32_t c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool is_invisible(char32_t c) {
  const auto code = static_cast<UChar32>(c);
  return u_hasBinaryProperty(code, UCHAR_DEFAULT_IGNORABLE_CODE_POINT) != 0 ||
         u_charType(code) == U_FORMAT_CHAR;
}

bool is_mark(char32_t c) { return (U_GET_GC_MASK(static_cast<UChar32>(c)) & U_GC_M_MASK) != 0; }

// Alone, of Celsius, of Fahrenheit.
bool is_degree(char32_t c) { return c == 0x00B0 || c == 0x2103 || c == 0x2109; }

bool is_han(char32_t c) {
  UErrorCode status = U_ZERO_ERROR;
  return c >= 0x2E80 && uscript_getScript(static_cast<UChar32>(c), &status) == USCRIPT_HAN;
}

std::string_view fraction(char32_t c) {
  switch (c) {
    case 0x00BC: return "1/4";
    case 0x00BD: return "1/2";
    case 0x00BE: return "3/4";
    case 0x2153: return "1/3";
    case 0x2154: return "2/3";
    case 0x2155: return "1/5";
    case 0x215B: return "1/8";
    case 0x215C: return "3/8";
    case 0x215D: return "5/8";
    case 0x215E: return "7/8";
    default: return {};
  }
}

// What is left after the rules had their turn.
void append_last_resort(std::string& out, char32_t c) {
  if (c < 0x80) {
    out += static_cast<char>(c);
    return;
  }
  if (const auto sign = ascii_for(c); !sign.empty()) {
    out += sign;
  } else if (c >= 0x02B0 && c <= 0x02FF) {
    out += '\'';  // modifier letters: glottal stops and the like
  } else if (u_isUWhiteSpace(static_cast<UChar32>(c)) != 0) {
    out += ' ';
  } else if (is_invisible(c) || is_mark(c)) {
    return;
  } else if ((U_GET_GC_MASK(static_cast<UChar32>(c)) &
              (U_GC_SO_MASK | U_GC_SM_MASK | U_GC_SC_MASK)) != 0 &&
             c != kReplacement) {
    const std::string name = character_name(c);
    out += name.empty() ? "?" : "[" + name + "]";
  } else {
    out += '?';
  }
}

// Punctuation that is as wide as an ideograph: it brings its own space.
char wide_punctuation(char32_t c) {
  switch (c) {
    case 0x3001:
    case 0xFF0C: return ',';
    case 0x3002:
    case 0xFF61: return '.';
    case 0xFF01: return '!';
    case 0xFF1F: return '?';
    case 0xFF1A: return ':';
    case 0xFF1B: return ';';
    default: return 0;
  }
}

class Fold {
 public:
  explicit Fold(std::u32string_view text) : text_(text) { out_.reserve(text.size() * 2); }

  std::string run() {
    while (at_ < text_.size()) step();
    return std::move(out_);
  }

 private:
  [[nodiscard]] char32_t peek(std::size_t ahead) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : char32_t{0};
  }
  [[nodiscard]] bool after_digit() const {
    return !out_.empty() && is_digit(static_cast<unsigned char>(out_.back()));
  }
  void space_unless_one() {
    if (!out_.empty() && out_.back() != ' ' && out_.back() != '\n') out_ += ' ';
  }

  void step() {
    const char32_t c = text_[at_];
    if (c == kSoftHyphen) {
      ++at_;
      return;
    }
    if (c < 0x80 && peek(1) == kNotOverlay) {
      out_ += '!';
      out_ += static_cast<char>(c);
      at_ += 2;
      return;
    }
    if (c < 0x80 && (!is_keycap_base(c) || peek(1) < 0x80)) {
      out_ += static_cast<char>(c);
      ++at_;
      return;
    }
    if (sign(c)) return;
    if (const auto emoji = emoji_at(text_, at_)) {
      out_ += emoji->name.empty() ? "?" : "[" + emoji->name + "]";
      at_ += emoji->length;
      return;
    }
    if (c < 0x80) {
      out_ += static_cast<char>(c);
      ++at_;
      return;
    }
    script();
  }

  static bool is_keycap_base(char32_t c) { return is_digit(c) || c == '#' || c == '*'; }

  // Signs that take words or spaces, then those of the table.
  bool sign(char32_t c) {
    if (is_degree(c)) {
      const char32_t scale = c == 0x2103 ? 'C' : c == 0x2109 ? 'F' : peek(1);
      space_unless_one();
      out_ += "deg";
      if (c != 0x00B0 || scale == 'C' || scale == 'F') {
        out_ += ' ';
        out_ += static_cast<char>(scale);
        at_ += c == 0x00B0 ? 2 : 1;
      } else {
        ++at_;
      }
      return true;
    }
    if (const auto code = currency_code(c); !code.empty()) {
      if (after_digit()) out_ += ' ';
      out_ += code;
      if (is_digit(peek(1))) out_ += ' ';
      ++at_;
      return true;
    }
    if (const auto part = fraction(c); !part.empty()) {
      if (after_digit()) out_ += ' ';
      out_ += part;
      ++at_;
      return true;
    }
    if (const char mark = wide_punctuation(c); mark != 0) {
      out_ += mark;
      ++at_;
      if (u_isalnum(static_cast<UChar32>(peek(0))) != 0) out_ += ' ';
      return true;
    }
    const auto known = ascii_for(c);
    if (known.empty()) return false;
    out_ += known;
    // A style selector belongs to the sign.
    at_ += peek(1) == 0xFE0F || peek(1) == 0xFE0E ? 2 : 1;
    return true;
  }

  // The run of foreign characters from here on, at most kRunCodePoints of them, never cut before a
  // combining mark.
  void script() {
    std::size_t end = at_;
    bool latin = true;
    while (
        end < text_.size() && text_[end] >= 0x80 && text_[end] != kSoftHyphen &&
        ascii_for(text_[end]).empty() && fraction(text_[end]).empty() && !is_degree(text_[end]) &&
        wide_punctuation(text_[end]) == 0 && (end == at_ || !emoji_at(text_, end)) &&
        (end - at_ < kRunCodePoints || (is_mark(text_[end]) && end - at_ < 2 * kRunCodePoints))) {
      latin = latin && text_[end] >= kLatinFirst && text_[end] < kLatinEnd;
      ++end;
    }
    const auto run = text_.substr(at_, end - at_);
    at_ = end;
    std::string ascii;
    if (latin) {
      for (const char32_t c : run) ascii += folder().latin(c);
    } else if (const auto* rules = rules_of_this_thread()) {
      ascii = transliterate(*rules, run);
    } else {
      ascii = to_utf8(run);
    }
    // Syllables of Chinese are set apart; so they are from Latin words at either side.
    if (is_han(run.front()) && !out_.empty() &&
        is_alphanumeric(static_cast<unsigned char>(out_.back()))) {
      out_ += ' ';
    }
    for (std::size_t i = 0; i < ascii.size();) append_last_resort(out_, next_code_point(ascii, i));
    if (is_han(run.back()) && is_alphanumeric(peek(0))) out_ += ' ';
  }

  std::u32string_view text_;
  std::size_t at_ = 0;
  std::string out_;
};

}  // namespace

std::string fold_ascii(std::string_view text) {
  std::string cleaned = clean(text);
  if (is_ascii(cleaned)) return cleaned;
  return Fold(to_code_points(cleaned)).run();
}

void warm_up() {
  // One word of each common script: ICU parses the rules of a script when it first meets it.
  for (const char* word : {"\u4f60\u597d", "\u043c\u0438\u0440", "\u0645\u0631\u062d\u0628\u0627",
                           "\u3053\u3093", "\u30ab\u30bf", "\uc548\ub155", "\u0e2a\u0e27",
                           "\u05e9\u05dc", "\u0391\u03b8", "\u0928\u092e"}) {
    (void)fold_ascii(word);
  }
}

}  // namespace gadget::media
