// The fallback recogniser's grammar (speech/requests.jsgf) and this agent must speak of the same
// things: sentences drawn from the grammar are understood.
#include <fstream>
#include <map>
#include <memory>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "hub/agent/builtin/understand.hpp"

namespace gadget::hub::builtin {
namespace {

// Just enough of JSGF for that file: rules, alternatives, groups, options.
struct Node {
  enum class Kind { words, choice, option, rule } kind = Kind::words;
  std::string text;
  std::vector<std::vector<Node>> choices;
};

class Grammar {
 public:
  explicit Grammar(const std::string& path) {
    std::ifstream file(path);
    std::string line;
    std::string all;
    while (std::getline(file, line)) all += line.substr(0, line.find("//")) + " ";
    std::stringstream statements(all);
    while (std::getline(statements, line, ';')) {
      const auto open = line.find('<');
      const auto equals = line.find('=');
      if (equals == std::string::npos || open > equals) continue;
      const auto name = line.substr(open + 1, line.find('>') - open - 1);
      text_ = line.substr(equals + 1);
      at_ = 0;
      rules_[name] = choice();
    }
  }

  [[nodiscard]] bool has(const std::string& rule) const { return rules_.contains(rule); }

  std::string sentence(const std::string& rule, std::mt19937& random) const {
    std::string out;
    const auto found = rules_.find(rule);
    if (found != rules_.end()) say(found->second, random, out);
    return out;
  }

 private:
  void blanks() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }

  Node choice() {
    Node node;
    node.kind = Node::Kind::choice;
    node.choices.emplace_back();
    for (blanks(); at_ < text_.size() && text_[at_] != ')' && text_[at_] != ']'; blanks()) {
      const char c = text_[at_];
      if (c == '|') {
        ++at_;
        node.choices.emplace_back();
      } else if (c == '(' || c == '[') {
        ++at_;
        auto inner = choice();
        ++at_;
        if (c == '[') inner.kind = Node::Kind::option;
        node.choices.back().push_back(std::move(inner));
      } else if (c == '<') {
        const auto end = text_.find('>', at_);
        node.choices.back().push_back({Node::Kind::rule, text_.substr(at_ + 1, end - at_ - 1), {}});
        at_ = end + 1;
      } else {
        const auto end = std::min(text_.find_first_of(" ()[]|<", at_), text_.size());
        node.choices.back().push_back({Node::Kind::words, text_.substr(at_, end - at_), {}});
        at_ = end;
      }
    }
    return node;
  }

  void say(const Node& node, std::mt19937& random, std::string& out) const {
    switch (node.kind) {
      case Node::Kind::words: out += (out.empty() ? "" : " ") + node.text; return;
      case Node::Kind::rule: say(rules_.at(node.text), random, out); return;
      case Node::Kind::option:
        if (random() % 2 == 0) return;
        [[fallthrough]];
      case Node::Kind::choice:
        for (const auto& part : node.choices[random() % node.choices.size()])
          say(part, random, out);
    }
  }

  std::string text_;
  std::size_t at_ = 0;
  std::map<std::string, Node> rules_;
};

TEST(RequestsGrammar, SentencesOfTheFallbackRecogniserAreUnderstood) {
  const Grammar grammar(std::string(GADGET_SOURCE_DIR) + "/speech/requests.jsgf");
  Context device;
  device.actions = {
      action_shape(
          "led.set", "",
          R"({"type":"object","properties":{"color":{"type":"string","enum":["off","red","green","blue"]}},"required":["color"]})"),
      action_shape(
          "volume.set", "",
          R"({"type":"object","properties":{"level":{"type":"integer","minimum":0,"maximum":100}},"required":["level"]})")};
  device.sensors = {"temperature_c", "humidity_pct", "battery_pct", "lux"};
  device.numbers = {{"volume.set.level", 50}};
  // The parts of the grammar that need no device of a certain kind, and how much of each is
  // understood: a grammar makes sentences too that nobody says ("a minus three hour timer").
  const std::map<std::string, double> parts = {
      {"clock", 1.0}, {"timer", 0.9},   {"alarm", 0.9}, {"reminder", 0.95}, {"list", 0.9},
      {"sum", 1.0},   {"convert", 1.0}, {"talk", 0.9},  {"sensor", 0.95}};
  std::mt19937 random(11);
  for (const auto& [part, share] : parts) {
    ASSERT_TRUE(grammar.has(part)) << part;
    int understood = 0;
    std::string missed;
    constexpr int kSentences = 300;
    for (int i = 0; i < kSentences; ++i) {
      const auto sentence = grammar.sentence(part, random);
      if (understand(sentence, device).name != "unknown") {
        ++understood;
      } else if (missed.size() < 600) {
        missed += "\n  " + sentence;
      }
    }
    EXPECT_GE(understood, share * kSentences) << part << missed;
  }
}

}  // namespace
}  // namespace gadget::hub::builtin
