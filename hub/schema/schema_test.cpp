#include "hub/schema/schema.hpp"

#include <chrono>
#include <string>

#include <gtest/gtest.h>

namespace gadget::hub {
namespace {

constexpr std::string_view kLed = R"({"type":"object","properties":{
    "color":{"type":"string","enum":["red","green","blue"]},
    "percent":{"type":"integer","minimum":0,"maximum":100}},
    "required":["color"],"additionalProperties":false})";

std::string why(std::string_view schema, std::string_view args) {
  const auto checked = check_args(schema, args);
  return checked ? "" : checked.error().text;
}

std::string repeated(std::string_view text, std::size_t times) {
  std::string out;
  for (std::size_t i = 0; i < times; ++i) out += text;
  return out;
}

TEST(ActionSchema, ArgumentsThatFitPass) {
  ASSERT_TRUE(check_schema(kLed));
  EXPECT_EQ(why(kLed, R"({"color":"red"})"), "");
  EXPECT_EQ(why(kLed, R"({"color":"blue","percent":100})"), "");
  EXPECT_EQ(why("{}", R"({"anything":[1,2,{"x":null}]})"), "");
}

TEST(ActionSchema, X1_WhatDoesNotFitIsNamed) {
  EXPECT_NE(why(kLed, "{}").find("color"), std::string::npos) << why(kLed, "{}");
  const auto percent = why(kLed, R"({"color":"red","percent":101})");
  EXPECT_TRUE(percent.starts_with("percent: ")) << percent;
  EXPECT_TRUE(why(kLed, R"({"color":"pink"})").starts_with("color: "));
  EXPECT_NE(why(kLed, R"({"color":"red","speed":1})"), "");
  EXPECT_NE(why(kLed, R"({"color":"red","percent":"50"})"), "") << "a text is no number";
  EXPECT_NE(why(kLed, R"({"color":"red","percent":1.5})"), "");
  EXPECT_NE(why(kLed, "[]"), "");
}

TEST(ActionSchema, B86_WhatCanHangOrCrashAValidatorIsRefused) {
  const std::string deep = repeated(R"({"items":)", 200) + "{}" + repeated("}", 200);
  for (const std::string& schema : {
           std::string(R"({"$ref":"#"})"),
           std::string(R"({"$ref":"http://127.0.0.1:1/schema"})"),
           std::string(R"({"properties":{"a":{"$ref":"#/properties/a"}}})"),
           std::string(R"({"properties":{"a":{"pattern":"(a*)*b"}}})"),
           std::string(R"({"properties":{"a":{"pattern":"^(a|b)*$"}}})"),
           std::string(R"({"patternProperties":{"(a*)*b":{}}})"),
           std::string(R"({"items":[{"format":"email"}]})"),
           std::string(R"({"anyOf":[{},{"not":{"$ref":"#"}}]})"),
           std::string(R"({"additionalProperties":{"$ref":"#"}})"),
           std::string(R"({"type":"colour"})"),
           std::string(R"({"type":["string","colour"]})"),
           std::string(R"({"type":7})"),
           std::string(R"({"multipleOf":0})"),
           std::string(R"({"uniqueItems":true})"),
           std::string(R"({"id":"x"})"),
           std::string(R"({"properties":[]})"),
           std::string(R"({"properties":{"a":7}})"),
           std::string(R"({"required":"a"})"),
           std::string(R"({"minLength":"many"})"),
           std::string(R"({"enum":7})"),
           std::string("[]"),
           std::string("7"),
           std::string(""),
           std::string("{"),
           deep,
       }) {
    const auto checked = check_schema(schema);
    EXPECT_FALSE(checked) << schema.substr(0, 80);
    if (checked) continue;
    EXPECT_EQ(checked.error().code, FailureCode::invalid_argument);
  }
}

// Names that a device chose are no words of the schema.
TEST(ActionSchema, APropertyMayBeCalledPattern) {
  constexpr std::string_view schema =
      R"({"properties":{"pattern":{"type":"string"},"$ref":{"type":"integer"},"id":{}}})";
  ASSERT_TRUE(check_schema(schema));
  EXPECT_EQ(why(schema, R"({"pattern":"(a*)*b","$ref":1})"), "");
  EXPECT_NE(why(schema, R"({"pattern":1})"), "");
}

TEST(ActionSchema, B69_ArgumentsThatNestTooDeeplyAreRefused) {
  const std::string deep = R"({"a":)" + repeated("[", 200) + repeated("]", 200) + "}";
  EXPECT_NE(why(R"({"type":"object"})", deep), "");
}

// The largest manifest with the largest arguments takes a bounded time.
TEST(ActionSchema, TheWorkIsBounded) {
  std::string schema = R"({"anyOf":[)" + repeated(R"({"required":["b"]},)", 1'000) + "{}]}";
  ASSERT_TRUE(check_schema(schema));
  std::string args = R"({"a":[)" + repeated("1,", 20'000) + "1]}";
  const auto begun = std::chrono::steady_clock::now();
  const auto text = why(schema, args);
  EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds{2});
  EXPECT_EQ(text, "args has more values than can be checked");
}

}  // namespace
}  // namespace gadget::hub
