#include "hub/agent/builtin/arithmetic.hpp"

#include <cmath>
#include <initializer_list>
#include <optional>

#include "hub/agent/builtin/lexicon.hpp"
#include "hub/agent/builtin/speakable.hpp"

namespace gadget::hub::builtin {
namespace {

// Recursive descent with a depth that is counted; every step consumes a token or gives up.
class SumParser {
 public:
  SumParser(std::span<const Token> tokens, std::size_t at) : t_(tokens), at_(at) {}

  std::optional<double> sum() {
    auto left = product();
    while (left) {
      const auto mark = at_;
      const auto words = spoken_.size();
      char op = 0;
      if (accept({"plus", "+", "and"})) {
        op = '+';
      } else if (accept({"minus", "-", "take away", "less"})) {
        op = '-';
      } else {
        break;
      }
      say(op == '+' ? "plus" : "minus");
      const auto right = product();
      if (!right) return undo(mark, words, left);
      // "100 plus 10 percent" is 110
      const double term = percent_ ? *left * *right / 100 : *right;
      percent_ = false;
      operation_ = true;
      left = op == '+' ? *left + term : *left - term;
    }
    return left;
  }

  [[nodiscard]] std::size_t position() const { return at_; }
  [[nodiscard]] Sum::Problem problem() const { return problem_; }
  [[nodiscard]] bool operation() const { return operation_; }
  [[nodiscard]] std::string spoken() const { return spoken_; }
  [[nodiscard]] bool open_percent() const { return percent_; }

 private:
  [[nodiscard]] std::string_view word(std::size_t ahead = 0) const {
    return at_ + ahead < t_.size() ? std::string_view(t_[at_ + ahead].text) : std::string_view{};
  }

  bool accept(std::initializer_list<std::string_view> phrases) {
    for (const auto phrase : phrases) {
      std::size_t from = 0;
      std::size_t n = 0;
      bool same = true;
      while (same && from < phrase.size()) {
        const auto space = std::min(phrase.find(' ', from), phrase.size());
        same = word(n) == phrase.substr(from, space - from);
        ++n;
        from = space + 1;
      }
      if (same) {
        at_ += n;
        return true;
      }
    }
    return false;
  }

  void say(std::string_view words) {
    if (!spoken_.empty() && spoken_.back() != '(' && words != ")") spoken_ += ' ';
    spoken_ += words;
  }

  std::optional<double> undo(std::size_t mark, std::size_t words, std::optional<double> value) {
    at_ = mark;
    spoken_.resize(words);
    return value;
  }

  std::optional<double> product() {
    auto left = power();
    while (left) {
      const auto mark = at_;
      const auto words = spoken_.size();
      bool divide = false;
      bool modulo = false;
      if (accept({"times", "*", "multiplied by", "x"})) {
        say("times");
      } else if (accept({"divided by", "/", "over", "divide by"})) {
        divide = true;
        say("divided by");
      } else if (accept({"modulo", "mod"})) {
        modulo = true;
        say("modulo");
      } else {
        break;
      }
      const auto right = power();
      if (!right) return undo(mark, words, left);
      operation_ = true;
      if ((divide || modulo) && *right == 0) {
        problem_ = Sum::Problem::division_by_zero;
        left = 0;
      } else if (modulo) {
        left = std::fmod(*left, *right);
      } else {
        const double factor = percent_ ? *right / 100 : *right;
        percent_ = false;
        left = divide ? *left / factor : *left * factor;
      }
      bound(*left);
    }
    return left;
  }

  std::optional<double> power() {
    auto base = postfix();
    if (!base) return base;
    const auto mark = at_;
    const auto words = spoken_.size();
    if (accept({"to the power of", "raised to the power of", "^", "to the power"})) {
      say("to the power of");
      if (++depth_ > kMaxNesting) return std::nullopt;
      const auto exponent = power();
      --depth_;
      if (!exponent) return undo(mark, words, base);
      return raised(*base, *exponent);
    }
    if (accept({"to the"})) {  // two to the tenth
      if (at_ < t_.size() && t_[at_].kind == Token::Kind::ordinal) {
        say("to the power of " + speak_number(t_[at_].value));
        const double exponent = t_[at_].value;
        ++at_;
        (void)accept({"power"});
        return raised(*base, exponent);
      }
      at_ = mark;
    }
    return base;
  }

  double raised(double base, double exponent) {
    operation_ = true;
    if (base == 0 && exponent < 0) {
      problem_ = Sum::Problem::division_by_zero;
      return 0;
    }
    const double value = std::pow(base, exponent);
    if (std::isnan(value)) {
      problem_ = Sum::Problem::negative_root;
      return 0;
    }
    bound(value);
    return std::isfinite(value) ? value : 0;
  }

  std::optional<double> postfix() {
    auto value = primary();
    while (value) {
      if (accept({"squared"})) {
        say("squared");
        value = raised(*value, 2);
      } else if (accept({"cubed"})) {
        say("cubed");
        value = raised(*value, 3);
      } else if (accept({"factorial"})) {
        say("factorial");
        value = factorial(*value);
      } else if (word() == "percent") {
        ++at_;
        say("percent");
        if (word() == "of" || word() == "off") {
          const bool off = word() == "off";
          ++at_;
          say(off ? "off" : "of");
          if (++depth_ > kMaxNesting) return std::nullopt;
          const auto whole = power();
          --depth_;
          if (!whole) return std::nullopt;
          operation_ = true;
          value = off ? *whole - *value / 100 * *whole : *value / 100 * *whole;
          bound(*value);
        } else {
          percent_ = true;
          return value;
        }
      } else {
        break;
      }
    }
    return value;
  }

  std::optional<double> primary() {
    if (++depth_ > kMaxNesting) return std::nullopt;
    const auto value = inner();
    --depth_;
    return value;
  }

  std::optional<double> inner() {
    if (accept({"minus", "negative", "-"})) {
      say("minus");
      const auto value = primary();
      return value ? std::optional(-*value) : value;
    }
    if (accept({"("})) {
      say("(");
      const auto value = sum();
      if (!value || !accept({")"})) return std::nullopt;
      say(")");
      return value;
    }
    if (accept({"the square root of", "square root of", "root of", "sqrt of", "sqrt",
                "the square root", "square root"})) {
      say("the square root of");
      return root(2);
    }
    if (accept({"the cube root of", "cube root of"})) {
      say("the cube root of");
      return root(3);
    }
    if (const auto shared = share()) return shared;
    if (accept({"pi"})) {
      say("pi");
      return 3.14159265358979323846;
    }
    if (at_ < t_.size() && t_[at_].number()) return number();
    return std::nullopt;
  }

  std::optional<double> number() {
    const double value = t_[at_].value;
    if (std::fabs(value) > kMaxResult) {
      problem_ = Sum::Problem::too_large;
    }
    const bool part = t_[at_].text.find(' ') != std::string::npos && value < 1 && word(1) == "of";
    say(part ? t_[at_].text : speak_number(value));
    ++at_;
    if (part || (value < 1 && word() == "of")) {  // "a third of", "three quarters of"
      const auto mark = at_;
      const auto words = spoken_.size();
      ++at_;
      say("of");
      const auto whole = power();
      if (!whole) return undo(mark, words, value);
      operation_ = true;
      return value * *whole;
    }
    return value;
  }

  // half [of] 90, double 16, twice 21, a quarter of 80
  std::optional<double> share() {
    const auto mark = at_;
    const auto words = spoken_.size();
    double factor = 0;
    if (accept({"half of", "half"})) {
      say("half of");
      factor = 0.5;
    } else if (accept({"double", "twice"})) {
      say("twice");
      factor = 2;
    } else if (accept({"triple"})) {
      say("three times");
      factor = 3;
    } else if (accept({"quarter of"})) {
      say("a quarter of");
      factor = 0.25;
    } else {
      return std::nullopt;
    }
    const auto whole = power();
    if (!whole) return undo(mark, words, std::nullopt);
    operation_ = true;
    bound(*whole * factor);
    return *whole * factor;
  }

  std::optional<double> root(int degree) {
    const auto value = postfix();
    if (!value) return std::nullopt;
    operation_ = true;
    if (degree == 3) return std::cbrt(*value);
    if (*value < 0) {
      problem_ = Sum::Problem::negative_root;
      return 0;
    }
    return std::sqrt(*value);
  }

  std::optional<double> factorial(double n) {
    operation_ = true;
    if (n < 0 || n != std::floor(n) || n > 17) {
      problem_ = Sum::Problem::too_large;
      return 0;
    }
    double value = 1;
    for (double k = 2; k <= n; ++k) value *= k;
    return value;
  }

  void bound(double value) {
    if ((!std::isfinite(value) || std::fabs(value) > kMaxResult) &&
        problem_ == Sum::Problem::none) {
      problem_ = Sum::Problem::too_large;
    }
  }

  std::span<const Token> t_;
  std::size_t at_;
  int depth_ = 0;
  bool operation_ = false;
  bool percent_ = false;
  Sum::Problem problem_ = Sum::Problem::none;
  std::string spoken_;
};

}  // namespace

Phrase<Sum> parse_sum(std::span<const Token> tokens, std::size_t at) {
  SumParser parser(tokens, at);
  const auto value = parser.sum();
  if (!value || parser.position() == at) return {};
  Sum sum;
  sum.value = *value;
  sum.problem = parser.problem();
  sum.operation = parser.operation();
  sum.spoken = parser.spoken();
  if (sum.problem == Sum::Problem::none && std::fabs(sum.value) > kMaxResult) {
    sum.problem = Sum::Problem::too_large;
  }
  return {sum, parser.position() - at};
}

}  // namespace gadget::hub::builtin
