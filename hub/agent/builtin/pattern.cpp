#include "hub/agent/builtin/pattern.hpp"

#include <cstdio>
#include <cstdlib>
#include <utility>

namespace gadget::hub::builtin {
namespace {

[[noreturn]] void wrong(std::string_view source, const char* why) {
  std::fprintf(stderr, "template \"%.*s\": %s\n", static_cast<int>(source.size()), source.data(),
               why);
  std::abort();
}

SlotType type_of(std::string_view name, std::string_view source) {
  constexpr std::pair<std::string_view, SlotType> kTypes[] = {
      {"text", SlotType::text},         {"name", SlotType::name},
      {"list", SlotType::list},         {"number", SlotType::number},
      {"duration", SlotType::duration}, {"when", SlotType::when},
      {"bare", SlotType::when_bare},    {"expression", SlotType::expression},
      {"quantity", SlotType::quantity}, {"unit", SlotType::unit},
      {"date", SlotType::date},
  };
  for (const auto& [key, type] : kTypes) {
    if (key == name) return type;
  }
  wrong(source, "unknown slot type");
}

}  // namespace

// Recursive descent over our own templates; the steps that it writes are walked by Matcher.
class Pattern::Parser {
 public:
  Parser(std::string_view source, Pattern& out) : source_(source), out_(out) {}

  void run() {
    alternatives();
    if (at_ != source_.size()) wrong(source_, "unbalanced");
    out_.ops_.push_back({});
  }

 private:
  Op& emit(Op::Kind kind) {
    out_.ops_.push_back({});
    out_.ops_.back().kind = kind;
    return out_.ops_.back();
  }
  [[nodiscard]] std::size_t here() const { return out_.ops_.size(); }
  [[nodiscard]] bool more() const { return at_ < source_.size(); }

  void alternatives() {
    std::vector<std::size_t> ends;
    while (true) {
      // split -> this alternative, or the next one
      const auto split = here();
      emit(Op::Kind::split);
      sequence();
      const bool another = more() && source_[at_] == '|';
      if (!another) {
        out_.ops_[split].target = split + 1;  // the last: no other choice
        break;
      }
      ++at_;
      ends.push_back(here());
      emit(Op::Kind::jump);
      out_.ops_[split].target = here();
    }
    for (const auto end : ends) out_.ops_[end].target = here();
  }

  void sequence() {
    while (more() && source_[at_] != '|' && source_[at_] != ')' && source_[at_] != ']') {
      const char c = source_[at_];
      if (c == ' ') {
        ++at_;
      } else if (c == '(') {
        group(')');
      } else if (c == '[') {
        const auto split = here();
        emit(Op::Kind::split);
        group(']');
        out_.ops_[split].target = here();
      } else if (c == '{') {
        slot();
      } else {
        const auto end = std::min(source_.find_first_of(" ()[]{}|", at_), source_.size());
        emit(Op::Kind::word).word = std::string(source_.substr(at_, end - at_));
        at_ = end;
      }
    }
  }

  void group(char close) {
    ++at_;
    alternatives();
    if (!more() || source_[at_] != close) wrong(source_, "unbalanced");
    ++at_;
  }

  void slot() {
    const auto colon = source_.find(':', at_);
    const auto close = source_.find('}', at_);
    if (colon >= close || close == std::string_view::npos) wrong(source_, "a slot is {name:type}");
    const auto type = type_of(source_.substr(colon + 1, close - colon - 1), source_);
    auto& op = emit(type == SlotType::text ? Op::Kind::text : Op::Kind::slot);
    op.type = type;
    op.slot = slot_index(source_.substr(at_ + 1, colon - at_ - 1));
    at_ = close + 1;
  }

  std::size_t slot_index(std::string_view name) {
    for (std::size_t i = 0; i < out_.slots_.size(); ++i) {
      if (out_.slots_[i] == name) return i;
    }
    out_.slots_.emplace_back(name);
    return out_.slots_.size() - 1;
  }

  std::string_view source_;
  Pattern& out_;
  std::size_t at_ = 0;
};

// A backtracking walk that never enters the same (step, token) twice: what failed once from there
// fails again. The depth is bounded by the steps and the tokens, both small.
class Pattern::Matcher {
 public:
  Matcher(const Pattern& pattern, std::span<const Token> tokens)
      : pattern_(pattern),
        tokens_(tokens),
        seen_(pattern.ops_.size() * (tokens.size() + 1)),
        found_(pattern.slots_.size(), Captured{1, 0}) {}

  bool walk(std::size_t step, std::size_t at) {
    while (true) {
      const auto& op = pattern_.ops_[step];
      const auto key = step * (tokens_.size() + 1) + at;
      if (seen_[key]) return false;
      seen_[key] = true;
      switch (op.kind) {
        case Op::Kind::done: return at == tokens_.size();
        case Op::Kind::word:
          if (at >= tokens_.size() || tokens_[at].text != op.word) return false;
          ++at;
          ++step;
          break;
        case Op::Kind::jump: step = op.target; break;
        case Op::Kind::split:
          if (op.target != step + 1 && walk(step + 1, at)) return true;
          step = op.target;
          break;
        case Op::Kind::slot: {
          const auto length = slot_length(op.type, tokens_, at);
          return length > 0 && keep(op.slot, at, at + length, step + 1);
        }
        case Op::Kind::text:  // the fewest words first
          for (auto last = at + 1; last <= tokens_.size(); ++last) {
            if (keep(op.slot, at, last, step + 1)) return true;
          }
          return false;
      }
    }
  }

  [[nodiscard]] Captures captures() const {
    Captures out;
    for (std::size_t i = 0; i < found_.size(); ++i) {
      if (found_[i].first < found_[i].last) out.emplace(pattern_.slots_[i], found_[i]);
    }
    return out;
  }

 private:
  bool keep(std::size_t slot, std::size_t first, std::size_t last, std::size_t step) {
    const auto before = std::exchange(found_[slot], Captured{first, last});
    if (walk(step, last)) return true;
    found_[slot] = before;
    return false;
  }

  const Pattern& pattern_;
  std::span<const Token> tokens_;
  std::vector<bool> seen_;
  std::vector<Captured> found_;
};

Pattern::Pattern(std::string_view source) {
  const auto expanded = expand_classes(source);
  Parser(expanded, *this).run();
}

std::optional<Captures> Pattern::match(std::span<const Token> tokens) const {
  if (tokens.empty()) return std::nullopt;
  Matcher matcher(*this, tokens);
  if (!matcher.walk(0, 0)) return std::nullopt;
  return matcher.captures();
}

}  // namespace gadget::hub::builtin
