#include <ctime>
#include <limits>
#include <string>

#include <boost/json.hpp>
#include <gtest/gtest.h>

#include "protocol/json_reader.hpp"
#include "protocol/json_writer.hpp"
#include "protocol/utf8.hpp"

namespace gadget::protocol {
namespace {

std::string error_of(std::string_view text) {
  const auto checked = check_json(text);
  return checked ? "" : std::string(name(checked.error().code));
}

TEST(Json, E4_TakesWhatRfc8259Allows) {
  for (const char* text :
       {"{}", "[]", " {\"a\" : [1, -0, 0.5, 1e9, 1E+2, -1.25e-3] } ", "\"\"", "null", "true",
        "false", "0", "[[],{}]", "{\"\":0}", "\"\\u0041\\n\\/\\\\\\\"\"",
        "\"\xC3\xA9\xF0\x9F\x98\x80\"", "\"\\ud83d\\ude00\"", "\"\\ud800\"", "{\"a\":1,\"A\":2}",
        "123456789012345678901234567890", "\t\r\n[1]"}) {
    EXPECT_EQ(error_of(text), "") << text;
  }
}

TEST(Json, E4_RefusesEverythingElseByName) {
  const std::pair<const char*, const char*> rows[] = {
      {"", "truncated"},
      {"{", "truncated"},
      {"[1", "truncated"},
      {"\"abc", "truncated"},
      {"tru", "truncated"},
      {"{\"a\"", "truncated"},
      {"-", "truncated"},
      {"1.", "truncated"},
      {"1e", "truncated"},
      {"{\"a\":1,}", "syntax"},
      {"[1,]", "syntax"},
      {"[,1]", "syntax"},
      {"{,}", "syntax"},
      {"{a:1}", "syntax"},
      {"{'a':1}", "syntax"},
      {"{\"a\" 1}", "syntax"},
      {"{\"a\":}", "syntax"},
      {"[1 2]", "syntax"},
      {"NaN", "syntax"},
      {"Infinity", "syntax"},
      {"-Infinity", "syntax"},
      {"+1", "syntax"},
      {".5", "syntax"},
      {"1.e5", "syntax"},
      {"True", "syntax"},
      {"nul!", "syntax"},
      {"/* c */ 1", "syntax"},
      {"[1}", "syntax"},
      {"{\"a\":1]", "syntax"},
      {"\"\x01\"", "syntax"},
      {"\"\t\"", "syntax"},
      {"\"\\x41\"", "syntax"},
      {"\"\\u00g0\"", "syntax"},
      {"\"\\'\"", "syntax"},
      {"01", "trailing_text"},
      {"1 2", "trailing_text"},
      {"{} {}", "trailing_text"},
      {"{}\x0b", "trailing_text"},
      {"[]]", "trailing_text"},
      {"0x10", "trailing_text"},
      {"{\"a\":1,\"a\":2}", "duplicate_key"},
      {"{\"a\":1,\"\\u0061\":2}", "duplicate_key"},
      {"[{\"x\":{\"b\":{\"c\":1},\"d\":2,\"b\":3}}]", "duplicate_key"},
      {"{\"\":1,\"\":1}", "duplicate_key"},
      {"{\"\\ud800\":1,\"\\udfff\":1}", "duplicate_key"},  // both decode to U+FFFD
      {"\"\x80\"", "invalid_utf8"},
      {"\"\xC0\xAF\"", "invalid_utf8"},
      {"\"\xED\xA0\x80\"", "invalid_utf8"},
      {"\"\xF5\x80\x80\x80\"", "invalid_utf8"},
      {"\"\xC3(\"", "invalid_utf8"},
      {"\xEF\xBB\xBF{}", "syntax"},
      {"\xC3\xA9", "syntax"},
  };
  for (const auto& [text, code] : rows) EXPECT_EQ(error_of(text), code) << text;
}

TEST(Json, E4_DepthOf32IsTheLast) {
  const auto nested = [](std::size_t depth) {
    return std::string(depth, '[') + std::string(depth, ']');
  };
  EXPECT_EQ(error_of(nested(32)), "");
  EXPECT_EQ(error_of(nested(33)), "too_deep");
  EXPECT_EQ(error_of(std::string(100'000, '[')), "too_deep");  // B-68
  std::string objects;
  for (int i = 0; i < 100'000; ++i) objects += "{\"a\":";
  EXPECT_EQ(error_of(objects), "too_deep");
}

std::string object_of(std::size_t members) {
  std::string text = "{";
  for (std::size_t i = 0; i < members; ++i) {
    text += (i ? ",\"" : "\"") + std::to_string(i) + "\":0";
  }
  return text + "}";
}

TEST(Json, E4_MembersOf256AreTheLast) {
  EXPECT_EQ(error_of(object_of(256)), "");
  EXPECT_EQ(error_of(object_of(257)), "too_many_members");
  EXPECT_EQ(error_of(object_of(7'763)), "too_many_members");  // B-85
}

// B-85: finding duplicates stays cheap whatever the shape. Measured against a text of the same size
// without objects.
TEST(Json, B85_FindingDuplicatesIsLinearEnough) {
  const auto cost = [](const std::string& text) {
    std::clock_t best = std::numeric_limits<std::clock_t>::max();
    for (int i = 0; i < 5; ++i) {
      const std::clock_t begin = std::clock();  // the processor's: others may be at work here
      EXPECT_EQ(error_of(text), "");
      best = std::min(best, std::clock() - begin);
    }
    return static_cast<double>(best) / CLOCKS_PER_SEC;
  };
  const std::string plain = "[\"" + std::string(65'000, 'x') + "\"]";
  std::string wide = "[";
  while (wide.size() < 62'000) wide += (wide.size() > 1 ? "," : "") + object_of(256);
  wide += "]";
  std::string deep;  // every level walks over the whole rest
  for (int i = 0; i < 31; ++i) deep += "{\"a\":0,\"b\":";
  deep += "\"" + std::string(64'000, 'x') + "\"";
  deep += std::string(31, '}');
  EXPECT_LT(cost(wide), 200 * cost(plain) + 0.001);
  EXPECT_LT(cost(deep), 200 * cost(plain) + 0.001);
}

TEST(Json, E4_LoneSurrogatesBecomeTheReplacementCharacter) {
  std::string text = R"("a\ud800b\udc00\ud83d\ude00\ud83dx\ud83d\u0041")";
  ASSERT_EQ(error_of(text), "");
  const auto decoded = decode_in_place(std::string_view(text).substr(1, text.size() - 2), text);
  EXPECT_EQ(decoded,
            "a\xEF\xBF\xBD"
            "b\xEF\xBF\xBD\xF0\x9F\x98\x80\xEF\xBF\xBDx\xEF\xBF\xBD"
            "A");
}

TEST(Json, ATextThatWasCutYieldsItsItemsUpToTheCut) {
  const std::string whole = R"({"type":"reply","n":[1,{"a":"b"}],"text":"gr\u00fc\u00df dich"})";
  for (std::size_t cut = 0; cut < whole.size(); ++cut) {
    JsonReader reader(std::string_view(whole).substr(0, cut));
    auto item = reader.next();
    while (item && item->token != Token::end) item = reader.next();
    ASSERT_FALSE(item) << cut;
    ASSERT_EQ(item.error().code, ErrorCode::truncated) << cut;
  }
}

TEST(Json, Integers) {
  EXPECT_EQ(integer_of("0"), 0);
  EXPECT_EQ(integer_of("-9223372036854775808"), INT64_MIN);
  EXPECT_EQ(integer_of("9223372036854775807"), INT64_MAX);
  EXPECT_EQ(integer_of("9223372036854775808"), std::nullopt);
  EXPECT_EQ(integer_of("1.0"), std::nullopt);
  EXPECT_EQ(integer_of("1e3"), std::nullopt);
  EXPECT_EQ(integer_of("99999999999999999999999"), std::nullopt);
}

TEST(Json, Numbers) {
  EXPECT_DOUBLE_EQ(number_of("1.5"), 1.5);
  EXPECT_DOUBLE_EQ(number_of("-0.25e2"), -25);
  EXPECT_DOUBLE_EQ(number_of("86400"), 86400);
  EXPECT_DOUBLE_EQ(number_of("1764460800000"), 1764460800000.0);
  EXPECT_DOUBLE_EQ(number_of("0.000000000000000000000000000001"), 1e-30);
  EXPECT_TRUE(number_of("1e999999999999999999999") > 1e300);
  EXPECT_EQ(number_of("1e-99999999999"), 0);
  EXPECT_TRUE(number_of("-1e400") < -1e300);
  EXPECT_DOUBLE_EQ(number_of(std::string(300, '9')), 1e300);
}

TEST(JsonWriter, WhatItWritesIsJsonThatReadsBack) {
  char buffer[512];
  JsonWriter writer(buffer);
  writer.begin_object().key("a\"b").string("line\nend \x01 \xFF caf\xC3\xA9 \x7f \\");
  writer.key("n").integer(INT64_MIN).key("t").boolean(true);
  writer.key("list")
      .begin_array()
      .integer(1)
      .raw("{\"x\":null}")
      .begin_array()
      .end_array()
      .end_array();
  writer.end_object();
  const auto text = writer.finish();
  ASSERT_TRUE(text);
  EXPECT_EQ(error_of(*text), "") << *text;
  const auto value = boost::json::parse(*text);
  EXPECT_EQ(value.at("a\"b").as_string(), "line\nend \x01 \xEF\xBF\xBD caf\xC3\xA9 \x7f \\");
  EXPECT_EQ(value.at("n").as_int64(), INT64_MIN);
  EXPECT_EQ(value.at("list").as_array().size(), 3U);
}

TEST(JsonWriter, ABufferThatIsTooSmallIsAnErrorAndNothingMore) {
  for (std::size_t size = 0; size < 21; ++size) {
    std::string buffer(size + 1, '#');
    JsonWriter writer(std::span(buffer.data(), size));
    writer.begin_object().key("type").string("0123456789").end_object();
    EXPECT_FALSE(writer.finish());
    EXPECT_EQ(buffer.back(), '#');
  }
}

TEST(Utf8, CutsAtCharacters) {
  const std::string_view text = "a\xC3\xA9\xF0\x9F\x98\x80z";
  EXPECT_EQ(code_points(text), 4U);
  EXPECT_EQ(cut_code_points(text, 2), "a\xC3\xA9");
  EXPECT_EQ(cut_code_points(text, 9), text);
  for (std::size_t max = 0; max <= text.size(); ++max) {
    EXPECT_TRUE(is_utf8(cut_bytes(text, max)));
    EXPECT_LE(cut_bytes(text, max).size(), max);
  }
}

}  // namespace
}  // namespace gadget::protocol
