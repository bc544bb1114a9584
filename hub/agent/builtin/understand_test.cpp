// The everyday requests and our own table of phrasings, sentence by sentence.
#include "hub/agent/builtin/understand.hpp"

#include <chrono>
#include <fstream>
#include <random>
#include <sstream>

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace gadget::hub::builtin
