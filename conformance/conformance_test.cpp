// The runner itself: what it cannot read or cannot match is never a pass.
#include <gtest/gtest.h>

#include "conformance/pattern.hpp"
#include "conformance/scenario.hpp"

namespace gadget::conformance {
namespace {

namespace json = boost::json;

std::string difference(std::string_view pattern, std::string_view value, Bindings& bindings) {
  const auto parsed = parse_pattern(pattern);
  EXPECT_TRUE(parsed) << pattern;
  return mismatch(*parsed, json::parse(value), bindings);
}

TEST(Pattern, TheFieldsGivenMustMatchOthersAreFree) {
  Bindings b;
  EXPECT_EQ(difference(R"({"type":"x","n":*})", R"({"type":"x","n":[1],"more":2})", b), "");
  EXPECT_EQ(difference(R"({"a":{"b":[1,*]}})", R"({"a":{"b":[1,{"c":2}],"d":0}})", b), "");
  EXPECT_NE(difference(R"({"type":"x"})", R"({"type":"y"})", b), "");
  EXPECT_NE(difference(R"({"n":*})", R"({})", b), "");
  EXPECT_NE(difference(R"({"a":[1]})", R"({"a":[1,2]})", b), "");
  EXPECT_NE(difference(R"({"a":1})", R"({"a":"1"})", b), "");
}

TEST(Pattern, AVariableBindsOnceAndMustBeEqualLater) {
  Bindings b;
  EXPECT_EQ(difference(R"({"id":$q})", R"({"id":"7"})", b), "");
  EXPECT_EQ(difference(R"({"id":$q})", R"({"id":"7"})", b), "");
  EXPECT_NE(difference(R"({"id":$q})", R"({"id":"8"})", b), "");
}

TEST(Pattern, ComputesMacsOfNamedDevices) {
  Bindings b{{"n", json::value("abc")}};
  const auto value = evaluate(*parse_pattern(R"({"mac":$mac(kitchen,$n),"id":$id(kitchen)})"), b);
  ASSERT_TRUE(value);
  const auto expected = protocol::auth_mac(key_of("kitchen"), id_of("kitchen").text(), "abc");
  EXPECT_EQ(value->at("mac").as_string(), protocol::view(expected));
  EXPECT_FALSE(evaluate(*parse_pattern("$unbound"), b));
  EXPECT_FALSE(evaluate(*parse_pattern("*"), b));
  EXPECT_FALSE(evaluate(*parse_pattern("$nosuch(a,b)"), b));
}

TEST(Scenario, WhatCannotBeReadIsAnErrorWithItsLine) {
  EXPECT_FALSE(parse_scenario("-> {}\n", "f"));            // no ids
  EXPECT_FALSE(parse_scenario("# H1\n-> {}\n", "f"));      // no sentence
  EXPECT_FALSE(parse_scenario("# H1 x\n", "f"));           // no steps
  EXPECT_FALSE(parse_scenario("# H1 x\nsleep 3\n", "f"));  // an unknown word
  EXPECT_FALSE(parse_scenario("# H1 x\n->\n", "f"));       // nothing behind the arrow
  EXPECT_FALSE(parse_scenario("# H1 x\nA: open B\n", "f"));
  const auto fault = parse_scenario("# H1 x\n-> {}\nexpect {}\n", "f");
  ASSERT_FALSE(fault);
  EXPECT_NE(fault.error().text.find("f:3:"), std::string::npos);
}

TEST(Scenario, Lines) {
  const auto scenario = parse_scenario(
      "# H1 E12 B-35 a sentence\n\n# more\nopen A kitchen {\"a\": 1}\nA: <- close 1000\n"
      "within 50\n! ask kitchen \"Restart it?\" 30\n",
      "f");
  ASSERT_TRUE(scenario);
  EXPECT_EQ(scenario->ids, (std::vector<std::string>{"H1", "E12", "B-35"}));
  EXPECT_EQ(scenario->title, "a sentence");
  ASSERT_EQ(scenario->steps.size(), 4U);
  EXPECT_EQ(scenario->steps[1].connection, "A");
  EXPECT_EQ(split_words(scenario->steps[0].text),
            (std::vector<std::string>{"A", "kitchen", "{\"a\": 1}"}));
  EXPECT_EQ(split_words(scenario->steps[3].text),
            (std::vector<std::string>{"ask", "kitchen", "Restart it?", "30"}));
}

}  // namespace
}  // namespace gadget::conformance
