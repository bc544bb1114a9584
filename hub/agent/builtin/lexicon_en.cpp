#include <algorithm>
#include <array>
#include <utility>

#include "hub/agent/builtin/lexicon.hpp"
#include "hub/agent/builtin/tokens.hpp"

namespace gadget::hub::builtin {
namespace {

using Pair = std::pair<std::string_view, std::string_view>;
using Count = std::pair<std::string_view, int>;

constexpr Pair kContractions[] = {
    {"what's", "what is"},
    {"whats", "what is"},
    {"who's", "who is"},
    {"where's", "where is"},
    {"when's", "when is"},
    {"how's", "how is"},
    {"that's", "that is"},
    {"it's", "it is"},
    {"there's", "there is"},
    {"here's", "here is"},
    {"let's", "let us"},
    {"i'm", "i am"},
    {"i've", "i have"},
    {"i'd", "i would"},
    {"i'll", "i will"},
    {"we're", "we are"},
    {"we've", "we have"},
    {"you're", "you are"},
    {"don't", "do not"},
    {"dont", "do not"},
    {"can't", "can not"},
    {"cannot", "can not"},
    {"isn't", "is not"},
    {"won't", "will not"},
    {"doesn't", "does not"},
    {"o'clock", "oclock"},
    {"todo", "to do"},
    {"todos", "to do"},
    {"a.m", "am"},
    {"p.m", "pm"},
    {"nevermind", "never mind"},
    {"mins", "minutes"},
    {"min", "minutes"},
    {"secs", "seconds"},
    {"sec", "seconds"},
    {"hrs", "hours"},
    {"hr", "hours"},
    {"colour", "color"},
    {"gonna", "going to"},
    {"wanna", "want to"},
    {"kilometres", "kilometers"},
    {"kilometre", "kilometer"},
    {"metres", "meters"},
    {"metre", "meter"},
    {"litres", "liters"},
    {"litre", "liter"},
    {"centimetres", "centimeters"},
    {"centimetre", "centimeter"},
    {"millimetres", "millimeters"},
    {"millimetre", "millimeter"},
    {"millilitres", "milliliters"},
    {"millilitre", "milliliter"},
    {"grammes", "grams"},
    {"what're", "what are"},
};

constexpr std::string_view kLeading[] = {
    "i would like you to",
    "do you happen to know",
    "could you please tell me",
    "can you please tell me",
    "could you tell me",
    "can you tell me",
    "would you tell me",
    "would you mind telling me",
    "will you please",
    "would you please",
    "could you please",
    "can you please",
    "i want you to",
    "i need you to",
    "do you know",
    "please tell me",
    "tell me",
    "i would like to know",
    "i want to know",
    "let me know what",
    "would you",
    "could you",
    "can you",
    "will you",
    "go ahead and",
    "hey gadget",
    "hey hermes",
    "hi gadget",
    "hello gadget",
    "okay gadget",
    "ok gadget",
    "hello there",
    "hey there",
    "gadget",
    "hermes",
    "hey",
    "hi",
    "hello",
    "okay",
    "ok",
    "please",
    "um",
    "uh",
    "er",
    "erm",
    "well",
    "so",
    "now",
    "just",
    "alright",
    "all right",
    "right",
    "also",
    "then",
    "and",
    "oh",
    "quickly",
    "kindly",
};
constexpr std::string_view kTrailing[] = {
    "if you do not mind",
    "if you would",
    "if you can",
    "if you could",
    "thank you very much",
    "thank you",
    "for me please",
    "right now",
    "would you",
    "could you",
    "will you",
    "can you",
    "for me",
    "please",
    "thanks",
    "now",
    "gadget",
    "hermes",
    "then",
    "okay",
    "ok",
    "at the moment",
    "currently",
    "quickly",
};

constexpr Count kSmall[] = {
    {"zero", 0},      {"nought", 0},   {"one", 1},      {"two", 2},        {"three", 3},
    {"four", 4},      {"five", 5},     {"six", 6},      {"seven", 7},      {"eight", 8},
    {"nine", 9},      {"ten", 10},     {"eleven", 11},  {"twelve", 12},    {"thirteen", 13},
    {"fourteen", 14}, {"fifteen", 15}, {"sixteen", 16}, {"seventeen", 17}, {"eighteen", 18},
    {"nineteen", 19},
};
constexpr Count kTens[] = {{"twenty", 20},  {"thirty", 30}, {"forty", 40},
                           {"fourty", 40},  {"fifty", 50},  {"sixty", 60},
                           {"seventy", 70}, {"eighty", 80}, {"ninety", 90}};
constexpr Count kOrdinals[] = {
    {"first", 1},        {"second", 2},      {"third", 3},       {"fourth", 4},
    {"fifth", 5},        {"sixth", 6},       {"seventh", 7},     {"eighth", 8},
    {"ninth", 9},        {"tenth", 10},      {"eleventh", 11},   {"twelfth", 12},
    {"thirteenth", 13},  {"fourteenth", 14}, {"fifteenth", 15},  {"sixteenth", 16},
    {"seventeenth", 17}, {"eighteenth", 18}, {"nineteenth", 19}, {"twentieth", 20},
    {"thirtieth", 30},
};
constexpr Count kFractions[] = {
    {"half", 2},     {"halves", 2}, {"third", 3},   {"thirds", 3},   {"quarter", 4},
    {"quarters", 4}, {"fourth", 4}, {"fourths", 4}, {"fifth", 5},    {"fifths", 5},
    {"sixth", 6},    {"sixths", 6}, {"seventh", 7}, {"sevenths", 7}, {"eighth", 8},
    {"eighths", 8},  {"ninth", 9},  {"ninths", 9},  {"tenth", 10},   {"tenths", 10},
};
constexpr Count kWeekdays[] = {
    {"sunday", 0},     {"monday", 1},    {"tuesday", 2}, {"wednesday", 3}, {"thursday", 4},
    {"friday", 5},     {"saturday", 6},  {"sundays", 0}, {"mondays", 1},   {"tuesdays", 2},
    {"wednesdays", 3}, {"thursdays", 4}, {"fridays", 5}, {"saturdays", 6},
};
constexpr Count kMonths[] = {
    {"january", 1},   {"february", 2},  {"march", 3},  {"april", 4},     {"may", 5},
    {"june", 6},      {"july", 7},      {"august", 8}, {"september", 9}, {"october", 10},
    {"november", 11}, {"december", 12}, {"jan", 1},    {"feb", 2},       {"aug", 8},
    {"sept", 9},      {"oct", 10},      {"nov", 11},   {"dec", 12},
};

constexpr std::string_view kGroceries[] = {
    "paper",   "towels",   "pizza",      "cake",      "sausages", "grapes",  "strawberries",
    "ice",     "milk",     "eggs",       "bread",     "butter",   "cheese",  "flour",
    "sugar",   "salt",     "pepper",     "rice",      "pasta",    "apples",  "bananas",
    "oranges", "lemons",   "tomatoes",   "potatoes",  "onions",   "garlic",  "carrots",
    "coffee",  "tea",      "juice",      "water",     "yogurt",   "yoghurt", "cream",
    "chicken", "beef",     "ham",        "bacon",     "fish",     "honey",   "jam",
    "cereal",  "oats",     "oil",        "vinegar",   "mustard",  "ketchup", "beans",
    "lettuce", "spinach",  "cucumber",   "mushrooms", "peas",     "corn",    "nuts",
    "soap",    "shampoo",  "toothpaste", "batteries", "napkins",  "tissues", "detergent",
    "wine",    "beer",     "soda",       "crackers",  "biscuits", "cookies", "chocolate",
    "flowers", "avocados",
};
constexpr Pair kTogether[] = {{"mac", "cheese"}, {"macaroni", "cheese"}, {"salt", "vinegar"},
                              {"fish", "chips"}, {"butter", "jelly"},    {"oil", "vinegar"},
                              {"sweet", "sour"}, {"cream", "onion"},     {"black", "white"},
                              {"gin", "tonic"},  {"ben", "jerry's"},     {"head", "shoulders"},
                              {"half", "half"},  {"pros", "cons"}};
constexpr Pair kHeardItems[] = {{"ex", "eggs"},     {"serial", "cereal"}, {"flower", "flour"},
                                {"leaks", "leeks"}, {"beats", "beets"},   {"bred", "bread"}};

constexpr std::string_view kRooms[] = {
    "kitchen", "bedroom", "bathroom", "living room", "office",  "hall",    "hallway",
    "garage",  "garden",  "basement", "attic",       "nursery", "study",   "dining room",
    "cellar",  "balcony", "yard",     "workshop",    "fridge",  "freezer", "oven",
};
constexpr std::string_view kColors[] = {
    "red",   "green",  "blue", "yellow",  "white",     "orange", "purple",
    "pink",  "violet", "cyan", "magenta", "turquoise", "brown",  "gold",
    "black", "gray",   "grey", "lime",    "teal",      "amber",
};

constexpr Pair kThings[] = {
    {"louder", "volume"},
    {"quieter", "volume"},
    {"softer", "volume"},
    {"mute", "volume"},
    {"brighter", "brightness"},
    {"dimmer", "brightness"},
    {"led", "light"},
    {"leds", "light"},
    {"lamp", "light"},
    {"lamps", "light"},
    {"lights", "light"},
    {"bulb", "light"},
    {"lighting", "light"},
    {"fans", "fan"},
    {"ventilator", "fan"},
    {"sound", "volume"},
    {"loudness", "volume"},
    {"speaker", "volume"},
    {"temp", "temperature"},
    {"warmth", "temperature"},
    {"heat", "temperature"},
    {"warm", "temperature"},
    {"warmer", "temperature"},
    {"hot", "temperature"},
    {"cold", "temperature"},
    {"cool", "temperature"},
    {"chilly", "temperature"},
    {"humid", "humidity"},
    {"damp", "humidity"},
    {"dry", "humidity"},
    {"moist", "moisture"},
    {"rh", "humidity"},
    {"hum", "humidity"},
    {"lux", "brightness"},
    {"illuminance", "brightness"},
    {"bright", "brightness"},
    {"dark", "brightness"},
    {"luminosity", "brightness"},
    {"charge", "battery"},
    {"charged", "battery"},
    {"batt", "battery"},
    {"batteries", "battery"},
    {"loud", "noise"},
    {"noisy", "noise"},
    {"quiet", "noise"},
    {"barometer", "pressure"},
    {"colour", "color"},
    {"wifi", "signal"},
    {"rssi", "signal"},
    {"blinds", "blind"},
    {"shutters", "shutter"},
    {"curtains", "curtain"},
    {"displays", "display"},
    {"backlight", "brightness"},
    {"buzzer", "buzzer"},
    {"beeper", "buzzer"},
    {"carbon", "co2"},
    {"televisions", "tv"},
    {"television", "tv"},
    {"outlet", "socket"},
    {"plug", "socket"},
    {"people", "presence"},
    {"occupancy", "presence"},
};

template <class Table>
std::optional<int> find(const Table& table, std::string_view word) {
  for (const auto& [key, value] : table) {
    if (key == word) return value;
  }
  return std::nullopt;
}

template <class Table>
std::string_view find_word(const Table& table, std::string_view word) {
  for (const auto& [key, value] : table) {
    if (key == word) return value;
  }
  return {};
}

}  // namespace

std::string_view expand_contraction(std::string_view word) {
  return find_word(kContractions, word);
}
std::span<const std::string_view> leading_filler() { return kLeading; }
std::span<const std::string_view> trailing_filler() { return kTrailing; }
std::optional<int> small_number(std::string_view word) { return find(kSmall, word); }
std::optional<int> tens_number(std::string_view word) { return find(kTens, word); }

std::optional<double> scale_number(std::string_view word) {
  if (word == "thousand") return 1e3;
  if (word == "million") return 1e6;
  if (word == "billion") return 1e9;
  return std::nullopt;
}

std::optional<int> ordinal_number(std::string_view word) { return find(kOrdinals, word); }
std::optional<int> fraction_parts(std::string_view word) { return find(kFractions, word); }
std::optional<int> weekday_number(std::string_view word) { return find(kWeekdays, word); }
std::optional<int> month_number(std::string_view word) { return find(kMonths, word); }

bool known_grocery(std::string_view word) {
  const auto one = singular(word);
  return std::any_of(std::begin(kGroceries), std::end(kGroceries),
                     [&](std::string_view g) { return g == word || singular(g) == one; });
}

bool one_item(std::string_view before, std::string_view after) {
  return std::any_of(std::begin(kTogether), std::end(kTogether),
                     [&](const Pair& p) { return p.first == before && p.second == after; });
}

std::string_view heard_item(std::string_view word) { return find_word(kHeardItems, word); }

bool known_room(std::string_view words) {
  return std::find(std::begin(kRooms), std::end(kRooms), words) != std::end(kRooms);
}

bool known_color(std::string_view word) {
  return std::find(std::begin(kColors), std::end(kColors), word) != std::end(kColors);
}

std::string_view thing(std::string_view word) {
  const auto known = find_word(kThings, word);
  return known.empty() ? word : known;
}

}  // namespace gadget::hub::builtin
