// What an action takes: the schema that is told and the check of what comes (H6, E37).
#include "device/core/action_args.hpp"

#include <array>
#include <string>

#include <boost/json.hpp>
#include <gtest/gtest.h>

namespace gadget::device {
namespace {

constexpr ArgSpec kArgs[] = {
    {.name = "count", .type = ArgType::integer, .description = "How many.", .min = -5, .max = 10},
    {.name = "ratio", .type = ArgType::number, .min = 0, .max = 1, .optional = true},
    {.name = "on", .type = ArgType::boolean, .optional = true},
    {.name = "label", .type = ArgType::text, .max_length = 4, .optional = true},
    {.name = "mode", .type = ArgType::choice, .words = "slow fast", .optional = true},
    {.name = "any", .type = ArgType::integer, .optional = true},
};
constexpr ArgTable kOpen{.args = kArgs};
constexpr ArgTable kClosed{.args = kArgs, .closed = true};

std::string fault(const ArgTable& table, std::string_view json) {
  std::array<char, 200> room{};
  return std::string{find_fault(table, {json}, room)};
}

std::string schema(const ArgTable& table) {
  std::array<char, 2'000> room{};
  protocol::JsonWriter out{room};
  write_schema(table, out);
  return std::string{out.finish().value()};
}

TEST(ActionSchema, H6_IsMadeOfTheTable) {
  EXPECT_EQ(schema({}), R"({"type":"object","properties":{}})");
  EXPECT_EQ(schema(kClosed),
            R"({"type":"object","properties":{"count":{"type":"integer","description":"How many.",)"
            R"("minimum":-5,"maximum":10},"ratio":{"type":"number","minimum":0,"maximum":1},)"
            R"("on":{"type":"boolean"},"label":{"type":"string","maxLength":4},)"
            R"("mode":{"type":"string","enum":["slow","fast"]},"any":{"type":"integer"}},)"
            R"("required":["count"],"additionalProperties":false})");
  EXPECT_TRUE(boost::json::parse(schema(kOpen)).is_object());
  EXPECT_EQ(schema(kOpen).find("additional"), std::string::npos);
}

TEST(ActionArguments, E37_WhatFits) {
  for (const char* json : {
           R"({"count":-5})",
           R"({"count":10,"ratio":0,"on":true,"label":"","mode":"fast","any":-9000000000})",
           R"({"ratio":1.0e0,"count":0,"on":false,"mode":"\u0066ast"})",
           R"({"count":1,"label":"äöü€"})",
           R"({"count":1,"label":"\ud83d\ude00\n\u00e9x"})",  // one pair is one character
           R"({"count":1,"co\u0075nts":[{"count":7}]})",
       }) {
    EXPECT_EQ(fault(kOpen, json), "") << json;
  }
}

TEST(ActionArguments, E37_WhatDoesNotFitIsSaid) {
  const std::string count = "count must be a whole number from -5 to 10";
  for (const char* json :
       {"", "{}", R"({"count":-6})", R"({"count":11})", R"({"count":1.0})", R"({"count":1e0})",
        R"({"count":"1"})", R"({"count":null})", R"({"count":[1]})", R"({"count":{}})",
        R"({"count":true})", R"({"count":99999999999999999999})", R"({"Count":1})"}) {
    EXPECT_EQ(fault(kOpen, json), count) << json;
  }
  for (const char* json : {"null", "[]", "7", R"("count")", "true"}) {
    EXPECT_EQ(fault(kOpen, json), "args must be an object") << json;
  }
  EXPECT_EQ(fault(kOpen, R"({"count":1,"ratio":1.01})"), "ratio must be a number from 0 to 1");
  EXPECT_EQ(fault(kOpen, R"({"count":1,"ratio":-0.01})"), "ratio must be a number from 0 to 1");
  EXPECT_EQ(fault(kOpen, R"({"count":1,"ratio":1e999})"), "ratio must be a number from 0 to 1");
  EXPECT_EQ(fault(kOpen, R"({"on":1,"count":1})"), "on must be true or false");
  const std::string label = "label must be text of at most 4 characters";
  for (const char* json :
       {R"({"count":1,"label":"12345"})", R"({"count":1,"label":"\u0031\n\\\"5"})",
        R"({"count":1,"label":"äöü€x"})", R"({"count":1,"label":7})",
        R"({"count":1,"label":"\ud83d\ud83d\ude00\u00e9\n!"})"}) {
    EXPECT_EQ(fault(kOpen, json), label) << json;
  }
  EXPECT_EQ(fault(kOpen, R"({"count":1,"mode":"medium"})"), "mode must be one of: slow fast");
  EXPECT_EQ(fault(kOpen, R"({"count":1,"mode":"slow fast"})"), "mode must be one of: slow fast");
  EXPECT_EQ(fault(kOpen, R"({"count":1,"mode":""})"), "mode must be one of: slow fast");
}

TEST(ActionArguments, E37_OtherNamesAreIgnoredUnlessTheTableIsClosed) {
  EXPECT_EQ(fault(kOpen, R"({"more":[[{}]],"count":1})"), "");
  EXPECT_EQ(fault(kClosed, R"({"more":1,"count":1})"), "there is an argument too many");
  EXPECT_EQ(fault({}, R"({"more":1})"), "");
  EXPECT_EQ(fault({}, ""), "");
  EXPECT_EQ(fault({}, "[]"), "args must be an object");
}

TEST(ActionArguments, ASentenceIsCutWhereItsRoomEnds) {
  std::array<char, 10> room{};
  EXPECT_EQ(find_fault(kOpen, {"{}"}, room), "count must");
}

TEST(ActionArguments, AreFoundByNameAndType) {
  const ActionArgs args{{R"({"count":7,"ratio":0.5,"on":true,"label":"a\u00e9\n","mode":"fast"})"}};
  EXPECT_EQ(args.integer("count"), 7);
  EXPECT_EQ(args.number("ratio"), 0.5);
  EXPECT_EQ(args.boolean("on"), true);
  EXPECT_EQ(args.choice("mode", "slow fast"), 1U);
  std::array<char, 24> room{};
  EXPECT_EQ(args.text("label", room), "a\xC3\xA9\n");
  EXPECT_FALSE(args.text("label", std::span{room}.first(8)));
  EXPECT_FALSE(args.integer("label"));
  EXPECT_FALSE(args.integer("none"));
  EXPECT_FALSE(ActionArgs{{}}.integer("count"));
}

}  // namespace
}  // namespace gadget::device
