#include "hub/agent/builtin/numbers.hpp"

#include <cmath>
#include <optional>

#include "hub/agent/builtin/lexicon.hpp"

namespace gadget::hub::builtin {
namespace {

struct Found {
  double value = 0;
  std::size_t length = 0;  // tokens
  bool ordinal = false;
};

class Composer {
 public:
  explicit Composer(const std::vector<Token>& tokens) : tokens_(tokens) {}

  // The number that begins at `at`, if one does.
  [[nodiscard]] std::optional<Found> number(std::size_t at) const {
    auto found = cardinal(at);
    if (!found) found = special(at);
    if (!found || found->ordinal) return found;
    decimal(at, *found);
    mixed(at, *found);
    parts(at, *found);
    if (word(at + found->length) == "dozen") {
      found->value *= 12;
      ++found->length;
    }
    return found;
  }

 private:
  [[nodiscard]] std::string_view word(std::size_t at) const {
    return at < tokens_.size() ? std::string_view(tokens_[at].text) : std::string_view{};
  }
  [[nodiscard]] bool comma(std::size_t at) const {
    return at < tokens_.size() && tokens_[at].comma_before;
  }

  // 0 to 99, or digits as they stand; ordinals of one or two words too.
  [[nodiscard]] std::optional<Found> small(std::size_t at) const {
    if (at >= tokens_.size()) return std::nullopt;
    if (tokens_[at].number()) return Found{tokens_[at].value, 1};
    if (const auto tens = tens_number(word(at))) {
      if (!comma(at + 1)) {
        const auto ones = small_number(word(at + 1));
        if (ones && *ones >= 1 && *ones <= 9) return Found{double(*tens + *ones), 2};
        const auto nth = ordinal_number(word(at + 1));
        const bool seconds = word(at + 1) == "second" && word(at + 2) == "timer";
        if (nth && *nth <= 9 && !seconds) return Found{double(*tens + *nth), 2, true};
      }
      return Found{double(*tens), 1};
    }
    if (const auto ones = small_number(word(at))) return Found{double(*ones), 1};
    return std::nullopt;
  }

  // 0 to 999: [n] hundred [and] n
  [[nodiscard]] std::optional<Found> group(std::size_t at) const {
    auto found = small(at);
    if (!found && (word(at) == "a" || word(at) == "an") && word(at + 1) == "hundred") {
      found = Found{1, 1};
    }
    if (!found && word(at) == "hundred") return Found{100, 1};
    if (!found || found->ordinal || word(at + found->length) != "hundred") return found;
    Found out{found->value * 100, found->length + 1};
    auto next = at + out.length;
    if (word(next) == "and") ++next;
    if (const auto rest = small(next); rest && rest->value < 100 && !comma(next)) {
      out.value += rest->value;
      out.length = next + rest->length - at;
      out.ordinal = rest->ordinal;
    }
    return out;
  }

  [[nodiscard]] std::optional<Found> cardinal(std::size_t at) const {
    auto first = group(at);
    if (!first && (word(at) == "a" || word(at) == "an") && scale_number(word(at + 1))) {
      first = Found{1, 1};
    }
    if (!first || first->ordinal) return first;
    Found out = *first;
    auto scale = scale_number(word(at + out.length));
    if (!scale) return out;
    out.value *= *scale;
    ++out.length;
    double last = *scale;
    while (true) {
      auto next = at + out.length;
      const bool joined = word(next) == "and";
      if (joined) ++next;
      const auto more = group(next);
      if (!more || (comma(next) && !scale_number(word(next + more->length)))) return out;
      const auto its_scale = scale_number(word(next + more->length));
      if (its_scale && *its_scale < last) {
        out.value += more->value * *its_scale;
        out.length = next + more->length + 1 - at;
        last = *its_scale;
      } else {
        if (more->value >= last || tokens_[next].number()) return out;
        out.value += more->value;
        out.length = next + more->length - at;
        out.ordinal = more->ordinal;
        return out;
      }
    }
  }

  // Numbers that begin with another word.
  [[nodiscard]] std::optional<Found> special(std::size_t at) const {
    const auto w = word(at);
    if (w == "point" && (small_number(word(at + 1)) || one_digit(at + 1))) return Found{0, 0};
    if (w == "half" && word(at + 1) == "a" && word(at + 2) == "dozen") return Found{6, 3};
    if ((w == "a" || w == "an") && word(at + 1) == "dozen") return Found{12, 2};
    if (w == "dozen") return Found{12, 1};
    if (w == "a" && word(at + 1) == "couple") {
      return Found{2, word(at + 2) == "of" ? std::size_t{3} : std::size_t{2}};
    }
    if ((w == "a" || w == "an" || w == "one") && word(at + 2) == "of") {
      if (const auto n = fraction_parts(word(at + 1))) return Found{1.0 / *n, 2};
    }
    if (const auto nth = ordinal_number(w)) {
      const bool unit_of_time = w == "second" && (at == 0 || word(at - 1) != "the");
      if (!unit_of_time) return Found{double(*nth), 1, true};
    }
    return std::nullopt;
  }

  [[nodiscard]] bool one_digit(std::size_t at) const {
    return at < tokens_.size() && tokens_[at].whole() && tokens_[at].value < 10;
  }

  // three point one four; 3 point 14
  void decimal(std::size_t at, Found& found) const {
    if (word(at + found.length) != "point") return;
    auto next = at + found.length + 1;
    double place = 0.1;
    double sum = 0;
    const auto first = next;
    while (next < tokens_.size() && next - first < 15) {
      const auto ones = word(next) == "oh" ? std::optional<int>(0) : small_number(word(next));
      if (ones && *ones <= 9) {
        sum += *ones * place;
        place /= 10;
      } else if (next == first && tokens_[next].whole()) {
        sum = tokens_[next].value / std::pow(10.0, double(tokens_[next].text.size()));
        ++next;
        break;
      } else {
        break;
      }
      ++next;
    }
    if (next == first) return;
    found.value += sum;
    found.length = next - at;
    found.value = std::round(found.value * 1e12) / 1e12;
  }

  // two and a half, one and three quarters
  void mixed(std::size_t at, Found& found) const {
    auto next = at + found.length;
    if (word(next) != "and") return;
    ++next;
    double count = 0;
    std::size_t used = 1;
    if (word(next) == "a" || word(next) == "one") {
      count = 1;
    } else if (const auto n = small_number(word(next)); n && *n < 10) {
      count = *n;
    } else {
      return;
    }
    const auto n = fraction_parts(word(next + used));
    const auto after = word(next + used + 1);
    if (!n || after == "past" || after == "to" || after == "of") return;
    found.value += count / *n;
    found.length = next + 2 - at;
  }

  // two thirds, three quarters
  void parts(std::size_t at, Found& found) const {
    const auto w = word(at + found.length);
    const auto n = fraction_parts(w);
    const bool one = found.value == 1;
    const bool plural = w.ends_with("s");
    if (!n || found.length != 1 || found.value < 1 || found.value > 9 || one == plural) return;
    if (found.value != std::floor(found.value)) return;
    if (one && (word(at + 2) == "past" || word(at + 2) == "to")) return;
    found.value /= *n;
    ++found.length;
  }

  const std::vector<Token>& tokens_;
};

}  // namespace

void compose_numbers(std::vector<Token>& tokens) {
  const Composer composer(tokens);
  std::vector<Token> out;
  out.reserve(tokens.size());
  for (std::size_t i = 0; i < tokens.size();) {
    const auto found = composer.number(i);
    if (!found || found->length == 0) {
      out.push_back(tokens[i++]);
      continue;
    }
    Token t = tokens[i];
    if (found->length > 1 || !t.number()) {
      t.kind = found->ordinal ? Token::Kind::ordinal : Token::Kind::number;
      t.value = found->value;
      t.end = tokens[i + found->length - 1].end;
      t.text.clear();
      for (std::size_t k = i; k < i + found->length; ++k) {
        if (!t.text.empty()) t.text += ' ';
        t.text += tokens[k].text;
      }
    }
    out.push_back(std::move(t));
    i += found->length;
  }
  tokens = std::move(out);
}

}  // namespace gadget::hub::builtin
