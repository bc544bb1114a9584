// pattern.hpp - what people say, as templates: "(set|start) [a] timer for {for:duration}".
//
//   word       that word              (a|b c)    one of them
//   [x]        x or nothing           {name:type} a slot; its type says what fits (slots.hpp)
//   @name      a word class by name, from the language's table
//
// A template matches a whole sentence or nothing. Matching visits each (step, token) pair once, so
// it is linear in the sentence for any template and any input. Immutable once made; any thread.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hub/agent/builtin/tokens.hpp"

namespace gadget::hub::builtin {

enum class SlotType : std::uint8_t {
  text,
  name,
  list,
  number,
  duration,
  when,
  when_bare,
  expression,
  quantity,
  unit,
  date
};

struct Captured {
  std::size_t first = 0;  // tokens, half open
  std::size_t last = 0;
};
using Captures = std::map<std::string, Captured, std::less<>>;

// How many tokens from `at` a value of this type takes; 0: none fits. The longest that fits.
[[nodiscard]] std::size_t slot_length(SlotType type, std::span<const Token> tokens, std::size_t at);

class Pattern {
 public:
  // `source` is ours: a template that is wrong stops the program at once, in the tests too.
  explicit Pattern(std::string_view source);

  [[nodiscard]] std::optional<Captures> match(std::span<const Token> tokens) const;

  [[nodiscard]] std::size_t steps() const { return ops_.size(); }

 private:
  struct Op {
    enum class Kind : std::uint8_t { word, split, jump, text, slot, done };
    Kind kind = Kind::done;
    std::string word;
    std::size_t target = 0;  // split: the second choice
    SlotType type = SlotType::text;
    std::size_t slot = 0;
  };
  class Parser;
  class Matcher;

  std::vector<Op> ops_;
  std::vector<std::string> slots_;
};

// The template with its @classes written out.
[[nodiscard]] std::string expand_classes(std::string_view source);

}  // namespace gadget::hub::builtin
