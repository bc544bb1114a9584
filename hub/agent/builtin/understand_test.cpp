// The everyday requests and our own table of phrasings, sentence by sentence.
#include "hub/agent/builtin/understand.hpp"

#include <chrono>
#include <fstream>
#include <random>
#include <sstream>
#include <utility>

#include <gtest/gtest.h>

#include "hub/agent/builtin/pattern.hpp"

namespace gadget::hub::builtin {
namespace {

// A device with a bit of everything.
Context device() {
  Context c;
  c.actions = {
      action_shape(
          "led.set", "Light the LED in a colour, or switch it off",
          R"({"type":"object","properties":{"color":{"type":"string","enum":["off","red","green","blue","yellow","white"]}},"required":["color"]})"),
      action_shape(
          "volume.set", "Loudness of the speaker",
          R"({"type":"object","properties":{"level":{"type":"integer","minimum":0,"maximum":100}},"required":["level"]})"),
      action_shape(
          "fan.set", "",
          R"({"type":"object","properties":{"speed":{"type":"string","enum":["off","low","medium","high"]}},"required":["speed"]})"),
      action_shape(
          "brightness.set", "",
          R"({"type":"object","properties":{"value":{"type":"integer","minimum":0,"maximum":255}},"required":["value"]})"),
      action_shape("relay.switch", "The relay of the water pump",
                   R"({"type":"object","properties":{"on":{"type":"boolean"}},"required":["on"]})"),
      action_shape("doorbell.ring", "", "{}"),
  };
  c.device_name = "Kitchen";
  c.sensors = {"temperature_c", "humidity_pct", "battery_v", "lux"};
  c.list_items = {"2 liters of milk", "eggs"};
  c.numbers = {{"volume.set.level", 50}, {"brightness.set.value", 100}};
  return c;
}

std::string trim(std::string text) {
  while (!text.empty() && text.back() == ' ') text.pop_back();
  while (!text.empty() && text.front() == ' ') text.erase(0, 1);
  return text;
}

struct Row {
  int line = 0;
  std::string sentence, intent;
  std::vector<std::pair<std::string, std::string>> slots;
};

std::vector<Row> table(const std::string& path) {
  std::ifstream file(std::string(GADGET_SOURCE_DIR) + "/" + path);
  EXPECT_TRUE(file.good()) << path;
  std::vector<Row> rows;
  std::string line;
  for (int n = 1; std::getline(file, line); ++n) {
    if (line.empty() || line[0] == '#') continue;
    std::stringstream parts(line);
    std::string part;
    Row row;
    row.line = n;
    std::getline(parts, part, '|');
    row.sentence = trim(part);
    std::getline(parts, part, '|');
    row.intent = trim(part);
    while (std::getline(parts, part, '|')) {
      const auto equals = part.find('=');
      row.slots.emplace_back(trim(part.substr(0, equals)), trim(part.substr(equals + 1)));
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

void check(const Row& row, const Context& context) {
  const auto intent = understand(row.sentence, context);
  std::string slots;
  for (const auto& [key, value] : intent.slots) slots += key + "=" + value + " ";
  EXPECT_EQ(intent.name, row.intent)
      << "line " << row.line << ": " << row.sentence << " -> " << slots;
  if (intent.name != row.intent) return;
  for (const auto& [key, value] : row.slots) {
    EXPECT_EQ(intent.slot(key), value)
        << "line " << row.line << ": " << row.sentence << " -> " << slots;
  }
}

TEST(Understand, EverydayRequestsAllTwenty) {
  const auto rows = table("tests/data/everyday_requests.txt");
  EXPECT_EQ(rows.size(), 20U);
  for (const auto& row : rows) check(row, device());
}

TEST(Understand, EverydayRequestsAsASmallRecogniserWritesThem) {
  for (auto row : table("tests/data/everyday_requests.txt")) {
    std::string plain;
    for (const char c : row.sentence) {
      if (c == '.' || c == '?' || c == ',') continue;
      plain += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    }
    row.sentence = plain;
    check(row, device());
  }
}

TEST(Understand, ManyPhrasings) {
  const auto rows = table("hub/agent/builtin/phrasings.txt");
  EXPECT_GE(rows.size(), 190U);
  for (const auto& row : rows) check(row, device());
}

// Hostile text: whatever it is, an answer comes soon, and it is the same one each time.
TEST(Understand, HostileTextIsBounded) {
  const auto context = device();
  const auto bounded = [&](const std::string& text) {
    const auto began = std::chrono::steady_clock::now();
    const auto first = understand(text, context);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
    EXPECT_LT(took.count(), 0.5) << text.substr(0, 80);  // generous: debug builds, busy machines
    EXPECT_EQ(first.slots, understand(text, context).slots);
    return first.name;
  };
  const auto many = [](std::string_view piece, std::size_t times) {
    std::string out;
    for (std::size_t i = 0; i < times; ++i) out += piece;
    return out;
  };
  EXPECT_EQ(bounded("what is " + many("(", 4'000)), "unknown");
  EXPECT_EQ(bounded("what is " + many("(", 90) + "1" + many(")", 90)), "unknown");
  EXPECT_EQ(bounded("what is " + many("(", 10) + "1+1" + many(")", 10)), "arithmetic");
  (void)bounded("what is " + many("minus ", 190) + "1");
  (void)bounded(many("square root of ", 66));
  (void)bounded(many("half of ", 99));
  (void)bounded(many("2 to the power of ", 40) + "2");
  (void)bounded(many("one hundred and ", 99));
  (void)bounded(many("1 hour and ", 66));
  (void)bounded("remind me to " + many("at 5 pm ", 66));
  (void)bounded("remind me " + many("tomorrow to ", 90));
  (void)bounded("add " + many("milk to my list and ", 39));
  (void)bounded(many("please ", 199));
  (void)bounded(many("the ", 4'000));
  (void)bounded(many("\xE2\x80\x99", 4'000));
  (void)bounded(many("\xFF\xC0\x80", 2'000));
  (void)bounded(many("9", 4'000));
  (void)bounded("what is " + many("9", 400) + " times 9");
  EXPECT_EQ(bounded(std::string("what time is it\0", 16)), "time");
  EXPECT_EQ(bounded(""), "unknown");
  EXPECT_EQ(bounded(" .,?! "), "unknown");
}

TEST(Understand, RandomWordsOfItsOwnLanguageNeverBreakIt) {
  std::vector<std::string> words = {"\xC2\xBD", "(",   ")",     "-",    "%",
                                    "6:30",     "3rd", "1,000", "p.m.", ".5"};
  for (const auto& rule : rules()) {
    std::string word;
    for (const char c : expand_classes(rule.pattern)) {
      if (std::string_view(" ()[]{}|").find(c) == std::string_view::npos) {
        word += c;
      } else if (!word.empty()) {
        words.push_back(std::exchange(word, {}));
      }
    }
  }
  auto context = device();
  std::mt19937 random(7);
  for (int round = 0; round < 4'000; ++round) {
    std::string text;
    const auto count = 1 + random() % 14;
    for (std::size_t i = 0; i < count; ++i) text += words[random() % words.size()] + " ";
    context.pending = static_cast<Pending>(random() % 7);
    const auto intent = understand(text, context);
    ASSERT_FALSE(intent.name.empty());
    if (intent.name == "timer" && intent.seconds && intent.slot("problem").empty()) {
      ASSERT_GE(*intent.seconds, 1) << text;
    }
    if (intent.name == "action") {
      ASSERT_TRUE(intent.action) << text;
    }
  }
}

// A device's schemas are hostile too.
TEST(Understand, X1_SchemasOfAnyShapeAreHarmless) {
  for (
      const auto* schema :
      {"", "[]", "{", R"({"properties":7})", R"({"properties":{"a":7},"required":7})",
       R"({"properties":{"a":{"enum":[1,"x",null,{}]}},"required":["a","b",3]})",
       R"({"properties":{"level":{"type":"integer","minimum":1e308,"maximum":-1e308}},"required":["level"]})",
       R"({"properties":{"":{"type":"string"}}})"}) {
    Context c;
    c.actions = {action_shape("volume.set", "", schema)};
    for (const auto* text :
         {"set the volume to 40", "volume up", "turn the volume off", "volume set", "x volume 1"}) {
      (void)understand(text, c);
    }
  }
}

}  // namespace
}  // namespace gadget::hub::builtin
