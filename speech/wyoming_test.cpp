#include "speech/wyoming.hpp"

#include <random>

#include <gtest/gtest.h>

namespace gadget::speech {
namespace {

std::vector<WyomingEvent> read_all(std::string_view bytes, std::size_t step) {
  WyomingReader reader;
  std::vector<WyomingEvent> events;
  for (std::size_t at = 0; at < bytes.size(); at += step) {
    reader.push(bytes.substr(at, step));
    while (true) {
      auto event = reader.next();
      if (!event) {
        ADD_FAILURE() << to_line(event.error());
        return events;
      }
      if (!*event) break;
      events.push_back(std::move(**event));
    }
  }
  return events;
}

Failure failure_of(std::string_view bytes) {
  WyomingReader reader;
  reader.push(bytes);
  while (true) {
    auto event = reader.next();
    if (!event) return event.error();
    if (!*event) return {};
  }
}

TEST(Wyoming, EventsSurviveHoweverTheStreamIsCut) {
  const std::string payload("\0\n{\"x\"}\xff", 8);
  const auto bytes =
      encode_wyoming("synthesize", wyoming_text("Say \"hi\"\nto Zoë")) +
      encode_wyoming("audio-chunk", R"({"rate":24000,"width":2,"channels":1})", payload) +
      encode_wyoming("audio-stop");
  for (std::size_t step = 1; step <= bytes.size(); ++step) {
    const auto events = read_all(bytes, step);
    ASSERT_EQ(events.size(), 3U) << "cut every " << step;
    EXPECT_EQ(events[0].data, R"({"text":"Say \"hi\"\nto Zoë"})");
    EXPECT_EQ(events[1].payload, payload);
    EXPECT_EQ(events[2].type, "audio-stop");
    EXPECT_EQ(events[2].data, "{}");
  }
}

TEST(Wyoming, DataMayStandInTheHeader) {
  const auto events =
      read_all("{\"type\":\"error\",\"data\":{\"text\":\"no\"},\"version\":\"1\"}\n", 7);
  ASSERT_EQ(events.size(), 1U);
  EXPECT_EQ(wyoming_error(events[0]), "no");
}

TEST(Wyoming, AudioFormatIsRead) {
  const auto form = wyoming_audio(
      {"audio-chunk", R"({"rate":24000,"width":2,"channels":1,"timestamp":null})", ""});
  ASSERT_TRUE(form);
  EXPECT_EQ(form->rate_hz, 24'000U);
  EXPECT_FALSE(wyoming_audio({"audio-chunk", R"({"rate":-1,"width":2,"channels":1})", ""}));
  EXPECT_FALSE(wyoming_audio({"audio-chunk", R"({"rate":"24000","width":2,"channels":1})", ""}));
  EXPECT_FALSE(wyoming_audio({"audio-chunk", "[]", ""}));
}

TEST(Wyoming, BadStreamsAreRefused) {
  for (const std::string bytes : {
           "not json\n",
           "[]\n",
           "{}\n",
           "{\"type\":1}\n",
           "{\"type\":\"a\",\"data_length\":-1}\n",
           "{\"type\":\"a\",\"payload_length\":1.5}\n",
           "{\"type\":\"a\",\"payload_length\":\"9\"}\n",
           "{\"type\":\"a\",\"payload_length\":1048577}\n",
           "{\"type\":\"a\",\"data_length\":65537}\n",
           "{\"type\":\"a\",\"data_length\":18446744073709551615}\n",
       }) {
    EXPECT_EQ(failure_of(bytes).code, FailureCode::corrupt) << bytes;
  }
  EXPECT_EQ(failure_of(std::string(kMaxWyomingHeader + 1, 'x')).code, FailureCode::corrupt);
  EXPECT_EQ(failure_of("{\"a\":" + std::string(100, '[') + "\n").code, FailureCode::corrupt);
}

TEST(Wyoming, RandomBytesNeverHurt) {
  std::mt19937 random(7);
  const std::string good = encode_wyoming("audio-chunk", R"({"rate":24000})", "payload") +
                           encode_wyoming("info", R"({"tts":[]})");
  for (int i = 0; i < 20'000; ++i) {
    std::string bytes = std::string(1, static_cast<char>(random())) + good;
    for (int n = static_cast<int>(random() % 6); n > 0; --n) {
      bytes[random() % bytes.size()] = static_cast<char>(random());
    }
    bytes.resize(random() % (bytes.size() + 1));
    fuzz_wyoming({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()});
  }
}

}  // namespace
}  // namespace gadget::speech
