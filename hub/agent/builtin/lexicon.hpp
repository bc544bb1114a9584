// lexicon.hpp - the words of the language that the agent speaks, as tables. English is
// lexicon_en.cpp.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace gadget::hub::builtin {

// "what's" -> "what is"; empty when `word` is none.
[[nodiscard]] std::string_view expand_contraction(std::string_view word);

// Politeness before and after a request; longest first.
[[nodiscard]] std::span<const std::string_view> leading_filler();
[[nodiscard]] std::span<const std::string_view> trailing_filler();

[[nodiscard]] std::optional<int> small_number(std::string_view word);     // zero ... nineteen
[[nodiscard]] std::optional<int> tens_number(std::string_view word);      // twenty ... ninety
[[nodiscard]] std::optional<double> scale_number(std::string_view word);  // thousand ...
[[nodiscard]] std::optional<int> ordinal_number(std::string_view word);   // first ... thirtieth
[[nodiscard]] std::optional<int> fraction_parts(std::string_view word);   // half 2, thirds 3 ...

[[nodiscard]] std::optional<int> weekday_number(std::string_view word);  // sunday 0 ... saturday 6
[[nodiscard]] std::optional<int> month_number(std::string_view word);    // january 1 ...

// A thing that people buy and that is one word, so that "milk eggs and bread" is three items.
[[nodiscard]] bool known_grocery(std::string_view word);
// "mac and cheese" is one item: whether the words around an "and" belong together.
[[nodiscard]] bool one_item(std::string_view before, std::string_view after);
// What a recogniser makes of a thing to buy ("ex" for eggs); empty when it is right as it is.
[[nodiscard]] std::string_view heard_item(std::string_view word);

// "kitchen", "living room".
[[nodiscard]] bool known_room(std::string_view words);
// "purple": a color, whether the device has it or not.
[[nodiscard]] bool known_color(std::string_view word);

// What people call a thing that a device does or measures: "lamp", "lights" and "led" are "light".
[[nodiscard]] std::string_view thing(std::string_view word);

}  // namespace gadget::hub::builtin
