// The owner API's JSON: what a request may hold, how answers are written.
#include "hub/owner/rows.hpp"

#include <boost/json/parse.hpp>
#include <gtest/gtest.h>

#include "hub/owner/json_text.hpp"
#include "hub/owner/owner_api.hpp"

namespace gadget::hub {
namespace {

Fields fields(std::string_view body) {
  auto parsed = Fields::parse(body);
  EXPECT_TRUE(parsed) << body;
  return std::move(*parsed);
}

TEST(OwnerFields, AWrongRequestNamesTheField) {
  for (const char* bad : {"[]", "1", "{", "{\"a\":1}x", "{\"a\":NaN}"}) {
    const auto parsed = Fields::parse(bad);
    ASSERT_FALSE(parsed) << bad;
    EXPECT_EQ(parsed.error().code, FailureCode::invalid_argument);
  }
  EXPECT_FALSE(Fields::parse("{\"a\":" + std::string(1000, '[') + std::string(1000, ']') + "}"));
  EXPECT_EQ(fields("").text("device").error().text, "device is missing");
  EXPECT_EQ(fields("{\"device\":1}").text("device").error().text, "device is not a text");
  EXPECT_EQ(fields("{\"seconds\":\"1\"}").number("seconds").error().text,
            "seconds is not a number");
  EXPECT_EQ(fields("{\"ttl_s\":-1}").milliseconds_or("ttl_s", 0).error().text,
            "ttl_s is out of range");
  EXPECT_EQ(fields("{\"args\":[]}").json_object_or("args", "{}").error().text,
            "args is no JSON object");
  EXPECT_FALSE(fields("{\"args\":\"[]\"}").json_object_or("args", "{}"));
  EXPECT_FALSE(fields("{\"args\":\"{\"}").json_object_or("args", "{}"));
}

TEST(OwnerFields, ValuesAreTaken) {
  const Fields given = fields("{\"ttl_s\":1.5,\"args\":{\"x\":21.5},\"raw\":\"{\\\"y\\\":1.50}\"}");
  EXPECT_EQ(*given.milliseconds_or("ttl_s", 0), 1500);
  EXPECT_EQ(*given.milliseconds_or("absent", 7), 7);
  EXPECT_EQ(*given.text_or("absent", "x"), "x");
  EXPECT_EQ(*given.json_object_or("args", "{}"), "{\"x\":21.5}");
  EXPECT_EQ(*given.json_object_or("raw", "{}"), "{\"y\":1.50}");  // as it was written
  EXPECT_EQ(*given.json_object_or("absent", "{}"), "{}");
}

TEST(OwnerFields, AQueryIsTextsAndTheNumbersThatAreNamed) {
  const auto given =
      Fields::parse_query("device=K%C3%BCche+2%26&ttl_s=2.5&dither=true&&=&bare", {"ttl_s"});
  ASSERT_TRUE(given);
  EXPECT_EQ(*given->text("device"), "K\u00FCche 2&");
  EXPECT_EQ(*given->milliseconds_or("ttl_s", 0), 2500);
  EXPECT_EQ(*given->text("dither"), "true");
  EXPECT_EQ(*given->text("bare"), "");
  EXPECT_EQ(*Fields::parse_query("device=12", {"ttl_s"})->text("device"), "12");
  EXPECT_TRUE(Fields::parse_query("", {}));
  for (const char* bad : {"a=%", "a=%4", "a=%4g", "%zz=1", "ttl_s=", "ttl_s=1x", "ttl_s=one"}) {
    const auto parsed = Fields::parse_query(bad, {"ttl_s"});
    ASSERT_FALSE(parsed) << bad;
    EXPECT_EQ(parsed.error().code, FailureCode::invalid_argument);
  }
  EXPECT_FALSE(Fields::parse_query("ttl_s=inf", {"ttl_s"})->milliseconds_or("ttl_s", 0));
  EXPECT_FALSE(Fields::parse_query("ttl_s=nan", {"ttl_s"})->milliseconds_or("ttl_s", 0));
}

TEST(OwnerJson, NumbersStayReadable) {
  for (const char* text : {"21.5", "-0.25", "0.1", "1e+300", "12345678901234", "true", "null",
                           "[1,[2.5],{}]", "{\"a\":{\"b\":0.5,\"c\":[]},\"d\":\"\\u0001\\\"\"}"}) {
    EXPECT_EQ(json_text(boost::json::parse(text)), text);
  }
}

TEST(OwnerJson, TimesAreIso) {
  EXPECT_EQ(iso_time(0), "");
  EXPECT_EQ(iso_time(1'800'000'000'000), "2027-01-15T08:00:00Z");
}

}  // namespace
}  // namespace gadget::hub
