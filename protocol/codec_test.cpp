#include "protocol/codec.hpp"

#include <string>
#include <vector>

#include <boost/json.hpp>
#include <gtest/gtest.h>

namespace gadget::protocol {
namespace {

namespace json = boost::json;

// One well-formed message of every type, all fields there. `required`: those that T11 does not
// except.
struct Sample {
  bool from_device;
  std::string text;
  std::vector<std::string> required;
};

const std::vector<Sample>& samples() {
  static const std::vector<Sample> rows{
      {true,
       R"({"type":"hello","proto":1,"device_id":"hg-0123456789abcdef","name":"Kitchen","board":"b","firmware":"1.0",
           "caps":{"display":{"width":320,"height":240,"color":true,"charset":"utf-8","text_cols":40,"text_rows":12,
           "image":{"width":320,"height":196,"format":"rgb565"}},"mic":{"rate":16000,"format":"pcm16"},
           "speaker":{"rate":24000,"format":"pcm16"},"inputs":["talk","cancel","up","down"],"talk_mode":"hold",
           "ota":{"max_size":1000},"max_message":8192},"actions":[{"name":"led.set","description":"d","params":{}}],
           "sensors":{"t":1.5},"nonce":"AAAAAAAAAAAAAAAAAAAAAA==","token":"secret"})",
       {"proto", "device_id"}},
      {true, R"({"type":"auth","key":"AA=="})", {}},
      {true, R"({"type":"text","id":"1","text":"hello"})", {"text"}},
      {true,
       R"({"type":"audio.start","id":"1","stream":0,"rate":16000,"format":"pcm16","mode":"hold"})",
       {"stream", "rate", "format"}},
      {true, R"({"type":"audio.end","id":"1","stream":255,"duration_ms":12.5})", {"stream"}},
      {true, R"({"type":"audio.cancel","id":"1","stream":3,"reason":"lost"})", {"stream"}},
      {true, R"({"type":"cancel"})", {}},
      {true, R"({"type":"session.new"})", {}},
      {true, R"({"type":"prompt.reply","id":"q1","answer":"yes"})", {"id", "answer"}},
      {true,
       R"({"type":"action.result","id":"a1","ok":true,"result":{"x":[null]},"error":"e"})",
       {"id", "ok"}},
      {true, R"({"type":"state","sensors":{"t":1,"gone":null,"s":"x","b":true}})", {"sensors"}},
      {true, R"({"type":"event","name":"door","data":{"x":null},"notify":true})", {"name"}},
      {true, R"({"type":"ota.ready","nonce":"AAAAAAAAAAAAAAAAAAAAAA=="})", {"nonce"}},
      {true, R"({"type":"ota.ack","offset":16384})", {"offset"}},
      {true, R"({"type":"ota.done","version":"2"})", {}},
      {true, R"({"type":"ota.error","code":"size","message":"m"})", {"code"}},
      {true, R"({"type":"ping","ts":17.0})", {}},
      {true, R"({"type":"pong","ts":1e3})", {}},
      {false, R"({"type":"challenge","nonce":"abc","enrolled":false})", {"nonce", "enrolled"}},
      {false,
       R"({"type":"welcome","session":"s","paired":true,"heartbeat_s":20,"server":"v","proto":1,"mac":"m","time":1,
           "utc_offset_s":3600})",
       {"paired", "heartbeat_s"}},
      {false, R"({"type":"pairing","code":"ABCD2345","command":"c"})", {"code"}},
      {false, R"({"type":"paired"})", {}},
      {false, R"({"type":"unpaired"})", {}},
      {false, R"({"type":"turn.start","turn":"t"})", {"turn"}},
      {false, R"({"type":"transcript","text":"x"})", {"text"}},
      {false, R"({"type":"status","text":""})", {"text"}},
      {false, R"({"type":"reply.delta","turn":"t","text":"x"})", {"text"}},
      {false, R"({"type":"reply","turn":"t","text":"x","interim":true})", {"text"}},
      {false, R"({"type":"turn.end","turn":"t","outcome":"success"})", {"turn", "outcome"}},
      {false, R"({"type":"notice","text":"x","ttl_s":8})", {"text"}},
      {false, R"({"type":"error","code":"busy","message":"m"})", {"code"}},
      {false,
       R"({"type":"audio.start","stream":1,"rate":16000,"format":"pcm16","turn":"t"})",
       {"stream", "rate", "format"}},
      {false, R"({"type":"audio.end","stream":1})", {"stream"}},
      {false, R"({"type":"audio.abort","stream":1})", {"stream"}},
      {false, R"({"type":"display","title":"t","body":"b","ttl_s":0})", {"body"}},
      {false,
       R"({"type":"image.start","stream":2,"width":10,"height":10,"format":"rgb565","ttl_s":1})",
       {"stream", "width", "height", "format"}},
      {false, R"({"type":"image.end","stream":2})", {"stream"}},
      {false, R"({"type":"prompt","id":"q","title":"t","text":"x","ttl_s":300})", {"id", "text"}},
      {false, R"({"type":"prompt.close","id":"q"})", {"id"}},
      {false,
       R"({"type":"action","id":"a","name":"led.set","args":{"color":"red"}})",
       {"id", "name"}},
      {false,
       R"({"type":"ota.offer","stream":5,"size":1,"sha256":
           "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855","version":"2"})",
       {"stream", "size", "sha256", "version"}},
      {false, R"({"type":"ota.begin","mac":"m"})", {"mac"}},
      {false, R"({"type":"ota.end"})", {}},
      {false, R"({"type":"ota.abort"})", {}},
      {false, R"({"type":"ping","ts":1})", {}},
      {false, R"({"type":"pong"})", {}},
  };
  return rows;
}

struct Outcome {
  bool ok = false;
  bool known = false;
  Error failure;
  std::string written;  // the message, written again
};

template <class Variant>
Outcome outcome_of(Expected<Variant> parsed) {
  Outcome outcome;
  outcome.ok = parsed.has_value();
  if (!parsed) {
    outcome.failure = parsed.error();
    return outcome;
  }
  std::visit(
      [&outcome](const auto& message) {
        if constexpr (!std::is_same_v<std::decay_t<decltype(message)>, Unknown>) {
          outcome.known = true;
          std::string buffer(65'536, '\0');
          const auto text = write_message(message, buffer);
          if (text) outcome.written = std::string(*text);
        }
      },
      *parsed);
  return outcome;
}

Outcome parse(bool from_device, std::string text, Salvage* salvage = nullptr) {
  // A copy of exactly this size, so that a sanitizer sees a step beyond it.
  std::vector<char> bytes(text.begin(), text.end());
  Salvage found;
  const Outcome outcome = from_device ? outcome_of(parse_device_message(bytes, &found))
                                      : outcome_of(parse_hub_message(bytes, &found));
  static std::string id;
  id = std::string(found.id);
  if (salvage != nullptr) *salvage = Salvage{"", id};
  return outcome;
}

TEST(Codec, T4_EveryMessageThereAndBack) {
  for (const Sample& sample : samples()) {
    const Outcome outcome = parse(sample.from_device, sample.text);
    ASSERT_TRUE(outcome.ok) << sample.text << name(outcome.failure.code) << outcome.failure.field;
    ASSERT_TRUE(outcome.known) << sample.text;
    EXPECT_EQ(json::parse(outcome.written), json::parse(sample.text)) << outcome.written;
  }
}

TEST(Codec, T11_ARequiredFieldThatIsAbsentIsNamedAndAnOptionalOneIsNot) {
  for (const Sample& sample : samples()) {
    const json::object whole = json::parse(sample.text).as_object();
    for (const auto& [field, value] : whole) {
      if (field == "type") continue;
      json::object less = whole;
      less.erase(field);
      const Outcome outcome = parse(sample.from_device, json::serialize(less));
      const bool required =
          std::find(sample.required.begin(), sample.required.end(), field) != sample.required.end();
      EXPECT_EQ(outcome.ok, !required) << json::serialize(less);
      if (required) {
        EXPECT_EQ(outcome.failure.code, ErrorCode::missing_field);
        EXPECT_EQ(outcome.failure.field, field);
      }
    }
  }
}

TEST(Codec, E4_EveryFieldOfEveryOtherTypeIsMalformedAndNamed) {
  const json::value others[] = {nullptr, true, 1.5, "text", json::array{1}, json::object{{"a", 1}}};
  for (const Sample& sample : samples()) {
    const json::object whole = json::parse(sample.text).as_object();
    for (const auto& [field, value] : whole) {
      for (const json::value& other : others) {
        const bool opaque = field == "result" || field == "data";
        const bool number = value.is_number() && other.is_number();
        if (opaque || number || (other.kind() == value.kind() && !value.is_object())) continue;
        if (value.is_object() && other.is_object()) continue;
        json::object changed = whole;
        changed[field] = other;
        const Outcome outcome = parse(sample.from_device, json::serialize(changed));
        EXPECT_FALSE(outcome.ok) << json::serialize(changed);
        EXPECT_EQ(std::string_view(outcome.failure.field).substr(0, field.size()), field)
            << json::serialize(changed);
      }
    }
  }
}

TEST(Codec, T9_UnknownFieldsAndTypesAreNoErrors) {
  for (const Sample& sample : samples()) {
    json::object more = json::parse(sample.text).as_object();
    more["extra"] = json::object{{"deep", json::array{nullptr, 1, "x"}}};
    const Outcome outcome = parse(sample.from_device, json::serialize(more));
    EXPECT_TRUE(outcome.ok) << json::serialize(more);
    EXPECT_EQ(json::parse(outcome.written), json::parse(sample.text));
  }
  const Outcome unknown = parse(true, R"({"type":"no.such","text":null})");
  EXPECT_TRUE(unknown.ok);
  EXPECT_FALSE(unknown.known);
}

TEST(Codec, E4_EveryPrefixOfEveryMessageIsMalformed) {
  for (const Sample& sample : samples()) {
    for (std::size_t size = 0; size < sample.text.size(); ++size) {
      EXPECT_FALSE(parse(sample.from_device, sample.text.substr(0, size)).ok);
    }
  }
}

TEST(Codec, H7_TheFirstFaultByTheOrderOfTheRowIsNamed) {
  const std::pair<const char*, const char*> rows[] = {
      {R"([1,2)", ""},
      {R"([1,2])", ""},
      {R"("x")", ""},
      {R"({"proto":1})", "type"},
      {R"({"type":7})", "type"},
      {R"({"type":"hello","token":5,"name":5})", "proto"},
      {R"({"token":5,"name":5,"proto":1,"type":"hello"})", "device_id"},
      {R"({"token":5,"name":5,"proto":1,"type":"hello","device_id":"hg-0123456789abcdef"})",
       "name"},
      {R"({"token":5,"proto":1,"type":"hello","device_id":"hg-0123456789abcdef","caps":{"mic":{"rate":"x"}}})",
       "caps.mic.rate"},
      {R"({"token":5,"proto":1,"type":"hello","device_id":"hg-0123456789abcdef"})", "token"},
      {R"({"proto":1.0,"type":"hello","device_id":"hg-0123456789abcdef"})", "proto"},
      {R"({"proto":1,"type":"hello","device_id":"hg-0123456789ABCDEF"})", "device_id"},
  };
  for (const auto& [text, field] : rows) {
    const Outcome outcome = parse(true, text);
    EXPECT_FALSE(outcome.ok) << text;
    EXPECT_STREQ(outcome.failure.field, field) << text;
  }
}

Caps caps_of(std::string_view text) {
  EXPECT_TRUE(check_json(text)) << text;
  const auto caps = parse_caps(text);
  EXPECT_TRUE(caps) << text;
  return caps.value_or(Caps{});
}

TEST(Codec, H4_WhatIsOutOfRangeCountsAsAbsent) {
  EXPECT_FALSE(caps_of(R"({"mic":{"rate":3999}})").mic);
  EXPECT_TRUE(caps_of(R"({"mic":{"rate":4000}})").mic);
  EXPECT_TRUE(caps_of(R"({"mic":{"rate":48000}})").mic);
  EXPECT_FALSE(caps_of(R"({"speaker":{"rate":48001}})").speaker);
  EXPECT_FALSE(caps_of(R"({"speaker":{"rate":99999999999999999999}})").speaker);
  EXPECT_FALSE(caps_of(R"({"speaker":{"rate":16000,"format":"opus"}})").speaker);
  EXPECT_FALSE(caps_of(R"({"display":{"width":0}})").display);
  EXPECT_FALSE(caps_of(R"({"display":{"width":4097}})").display);
  EXPECT_TRUE(caps_of(R"({"display":{}})").display);
  EXPECT_EQ(caps_of(R"({"display":{"charset":"utf8"}})").charset(), Charset::utf8);
  EXPECT_EQ(caps_of(R"({"display":{"charset":"latin-1"}})").charset(), Charset::ascii);
  EXPECT_EQ(caps_of(R"({})").charset(), Charset::ascii);
  EXPECT_FALSE(caps_of(R"({"display":{"image":{"width":2048,"height":1025,"format":"rgb565"}}})")
                   .display->image);
  EXPECT_TRUE(caps_of(R"({"display":{"image":{"width":2048,"height":1024,"format":"rgb565"}}})")
                  .display->image);
  EXPECT_FALSE(
      caps_of(R"({"display":{"image":{"width":20,"height":20,"format":"jpeg"}}})").display->image);
  EXPECT_FALSE(caps_of(R"({"ota":{"max_size":0}})").ota_max_size);
  EXPECT_FALSE(caps_of(R"({"ota":{"max_size":2147483648}})").ota_max_size);
  EXPECT_TRUE(caps_of(R"({"ota":{"max_size":2147483647}})").ota_max_size);
  EXPECT_EQ(caps_of(R"({"max_message":1})").max_message_bytes, 4'096);
  EXPECT_EQ(caps_of(R"({"max_message":99999999})").max_message_bytes, 65'536);
  EXPECT_TRUE(caps_of(R"({"inputs":["talk","wheel"],"talk_mode":"psychic"})").inputs.talk);
}

TEST(Codec, E6_ActionsAndSensorsAreBounded) {
  const auto hello = [](const std::string& more) {
    return R"({"type":"hello","proto":1,"device_id":"hg-0123456789abcdef",)" + more + "}";
  };
  const auto actions = [&](std::size_t count, std::size_t size) {
    std::string list = "\"actions\":[";
    for (std::size_t i = 0; i < count; ++i) {
      list += (i ? "," : "") + (R"({"name":"a","description":")" + std::string(size, 'x') + "\"}");
    }
    return hello(list + "]");
  };
  EXPECT_TRUE(parse(true, actions(64, 10)).ok);
  EXPECT_FALSE(parse(true, actions(65, 10)).ok);
  EXPECT_FALSE(parse(true, actions(40, 1000)).ok);
  EXPECT_FALSE(parse(true, hello(R"("actions":[{"description":"no name"}])")).ok);
  EXPECT_FALSE(parse(true, hello(R"("actions":[{"name":"a","params":null}])")).ok);
  const auto sensors = [](std::size_t count) {
    std::string list = "\"sensors\":{";
    for (std::size_t i = 0; i < count; ++i) list += (i ? ",\"" : "\"") + std::to_string(i) + "\":1";
    return list + "}";
  };
  EXPECT_TRUE(parse(true, hello(sensors(64))).ok);
  EXPECT_FALSE(parse(true, hello(sensors(65))).ok);
  EXPECT_FALSE(parse(true, R"({"type":"state","sensors":{"a":[1]}})").ok);
  EXPECT_FALSE(
      parse(true, R"({"type":"text","text":"x","id":")" + std::string(65, 'i') + "\"}").ok);
  EXPECT_TRUE(parse(true, R"({"type":"text","text":"x","id":")" + std::string(64, 'i') + "\"}").ok);
}

TEST(Codec, B2_ThePongRepeatsTheTokenOfThePing) {
  for (const char* token : {"1", "1.0", "-0", "1e400", "123456789012345678901234567890", "0.10"}) {
    std::string text = std::string(R"({"type":"ping","ts":)") + token + "}";
    const auto ping = parse_device_message(text);
    ASSERT_TRUE(ping);
    char buffer[128];
    const auto pong = write_message(Pong{std::get<Ping>(*ping).ts}, buffer);
    EXPECT_EQ(*pong, std::string(R"({"type":"pong","ts":)") + token + "}");
  }
}

TEST(Codec, ActionsAndReadingsAreReadFromTheRawSlice) {
  std::string text = R"({"type":"hello","proto":1,"device_id":"hg-0123456789abcdef",
    "actions":[{"params":{"a":[1]},"name":"l\u0065d"},{"name":"x","description":"d\n"}],
    "sensors":{"t\u0065mp":1.50,"on":true,"s":"a\"b","gone":null}})";
  const auto message = parse_device_message(text);
  ASSERT_TRUE(message);
  const Hello& hello = std::get<Hello>(*message);
  char buffer[64];
  ActionReader actions(hello.actions);
  auto action = actions.next();
  ASSERT_TRUE(action);
  EXPECT_EQ(action->name.decode(buffer), "led");
  EXPECT_EQ(action->params.text, R"({"a":[1]})");
  action = actions.next();
  EXPECT_EQ(action->description.decode(buffer), "d\n");
  EXPECT_FALSE(actions.next());
  ReadingReader readings(hello.sensors);
  auto reading = readings.next();
  EXPECT_EQ(reading->name.decode(buffer), "temp");
  EXPECT_EQ(reading->value, "1.50");
  EXPECT_EQ(readings.next()->kind, Reading::Kind::boolean);
  EXPECT_EQ(readings.next()->kind, Reading::Kind::text);
  EXPECT_EQ(readings.next()->kind, Reading::Kind::removed);
  EXPECT_FALSE(readings.next());
}

TEST(Codec, E34_AMalformedActionIsSalvagedWithItsId) {
  for (const char* id : {"a1", "\\u0061\\u0031"}) {
    Salvage salvage;
    const Outcome outcome =
        parse(false, std::string(R"({"type":"action","id":")") + id + R"(","name":7})", &salvage);
    EXPECT_FALSE(outcome.ok);
    EXPECT_EQ(salvage.id, "a1");
  }
}

TEST(Codec, E33_AsMuchOfAReplyAsFitsIsShown) {
  const std::string whole =
      R"({"type":"reply","turn":"t1","text":"gr\u00fc\u00df \"dich\" 😀 end","interim":false})";
  const std::string shown = "grüß \"dich\" 😀 end";
  for (std::size_t size = 0; size < whole.size(); ++size) {
    std::vector<char> bytes(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
    const auto message = parse_cut_hub_message(bytes);
    if (!message) {
      EXPECT_LT(size, whole.find("gr\\"));
      continue;
    }
    const Reply& reply = std::get<Reply>(*message);
    EXPECT_EQ(reply.turn, "t1");
    EXPECT_EQ(shown.substr(0, reply.text.size()), reply.text) << size;
  }
  std::string card = R"({"type":"display","body":"a long bo)";
  EXPECT_FALSE(parse_cut_hub_message(card));
  std::string cut_type = R"({"text":"all of it","type":"reply)";  // of "reply.delta", or of another
  EXPECT_FALSE(parse_cut_hub_message(cut_type));
}

TEST(Codec, E26_TimesToLiveAreClamped) {
  EXPECT_EQ(ttl_ms(Number{"-5"}, 8'000), 0);
  EXPECT_EQ(ttl_ms(Number{"0.25"}, 8'000), 250);
  EXPECT_EQ(ttl_ms(Number{"86400"}, 8'000), 86'400'000);
  EXPECT_EQ(ttl_ms(Number{"1e300"}, 8'000), 86'400'000);
  EXPECT_EQ(ttl_ms(Number{}, 8'000), 8'000);
}

TEST(Codec, AnErrorIsASentenceThatNamesTheField) {
  char buffer[64];
  EXPECT_EQ(describe(Error{ErrorCode::missing_field, "device_id", 0}, buffer),
            "device_id is missing");
  EXPECT_EQ(describe(Error{ErrorCode::syntax, "", 0}, buffer), "the message is not JSON");
  EXPECT_EQ(describe(Error{ErrorCode::syntax, "", 0}, std::span(buffer, 5)), "the m");
}

}  // namespace
}  // namespace gadget::protocol
