// Whatever a hub sends: nothing is acted upon in part, the connection lives, memory stays where it
// is (T9, T11, E4, E33, E34, B-68), and nothing is ever taken from the heap.
#include <atomic>
#include <cstdlib>
#include <new>

#include <gtest/gtest.h>

#include "device/core/test_bench.hpp"

namespace {

std::atomic<bool> counting{false};
std::atomic<long> allocations{0};

void* take(std::size_t size) {
  if (counting) ++allocations;
  if (void* const memory = std::malloc(size == 0 ? 1 : size)) return memory;
  std::abort();
}

}  // namespace

void* operator new(std::size_t size) { return take(size); }
void* operator new[](std::size_t size) { return take(size); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }

namespace gadget::device {
namespace {

using test::Bench;

struct FieldRow {
  const char* name;
  const char* good;  // a value that is right, as JSON
  bool required;
  char kind;  // s string, i integer, n number, b boolean, j any JSON
};
struct MessageRow {
  const char* type;
  std::vector<FieldRow> fields;
};

// Every message of the hub, by the rows of protocol.md.
const std::vector<MessageRow>& rows() {
  static const std::vector<MessageRow> all{
      {"challenge", {{"nonce", R"("abc")", true, 's'}, {"enrolled", "true", true, 'b'}}},
      {"welcome",
       {{"session", R"("s")", false, 's'},
        {"paired", "true", true, 'b'},
        {"heartbeat_s", "20", true, 'n'},
        {"server", R"("x")", false, 's'},
        {"proto", "1", false, 'i'},
        {"time", "1", false, 'n'},
        {"utc_offset_s", "1", false, 'n'}}},
      {"pairing", {{"code", R"("ABCD2345")", true, 's'}, {"command", R"("x")", false, 's'}}},
      {"paired", {}},
      {"unpaired", {}},
      {"turn.start", {{"turn", R"("1")", true, 's'}}},
      {"transcript", {{"text", R"("t")", true, 's'}}},
      {"status", {{"text", R"("t")", true, 's'}}},
      {"reply.delta", {{"turn", R"("1")", false, 's'}, {"text", R"("t")", true, 's'}}},
      {"reply",
       {{"turn", R"("1")", false, 's'},
        {"text", R"("t")", true, 's'},
        {"interim", "false", false, 'b'}}},
      {"turn.end", {{"turn", R"("1")", true, 's'}, {"outcome", R"("success")", true, 's'}}},
      {"notice", {{"text", R"("t")", true, 's'}, {"ttl_s", "1", false, 'n'}}},
      {"error", {{"code", R"("timeout")", true, 's'}, {"message", R"("m")", false, 's'}}},
      {"audio.start",
       {{"stream", "1", true, 'i'},
        {"rate", "16000", true, 'i'},
        {"format", R"("pcm16")", true, 's'},
        {"turn", R"("1")", false, 's'}}},
      {"audio.end", {{"stream", "1", true, 'i'}}},
      {"audio.abort", {{"stream", "1", true, 'i'}}},
      {"display",
       {{"title", R"("t")", false, 's'},
        {"body", R"("b")", true, 's'},
        {"ttl_s", "1", false, 'n'}}},
      {"image.start",
       {{"stream", "1", true, 'i'},
        {"width", "10", true, 'i'},
        {"height", "10", true, 'i'},
        {"format", R"("rgb565")", true, 's'},
        {"ttl_s", "1", false, 'n'}}},
      {"image.end", {{"stream", "1", true, 'i'}}},
      {"prompt",
       {{"id", R"("1")", true, 's'},
        {"title", R"("t")", false, 's'},
        {"text", R"("t")", true, 's'},
        {"ttl_s", "1", false, 'n'}}},
      {"prompt.close", {{"id", R"("1")", true, 's'}}},
      {"action",
       {{"id", R"("1")", true, 's'}, {"name", R"("x")", true, 's'}, {"args", "{}", false, 'j'}}},
      {"ota.offer",
       {{"stream", "1", true, 'i'},
        {"size", "1000", true, 'i'},
        {"sha256", R"("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa")", true,
         's'},
        {"version", R"("2")", true, 's'}}},
      {"ota.begin", {{"mac", R"("x")", true, 's'}}},
      {"ota.end", {}},
      {"ota.abort", {}},
      {"ping", {{"ts", "1", false, 'n'}}},
      {"pong", {{"ts", "1", false, 'n'}}},
  };
  return all;
}

// The message with field `wrong` (none: -1) given as `value`; empty: absent.
std::string message(const MessageRow& row, int wrong = -1, std::string_view value = "") {
  std::string text = std::string{R"({"type":")"} + row.type + "\"";
  for (int i = 0; i < static_cast<int>(row.fields.size()); ++i) {
    const auto& field = row.fields[static_cast<std::size_t>(i)];
    const std::string_view given = i == wrong ? value : std::string_view{field.good};
    if (!given.empty()) text += std::string{",\""} + field.name + "\":" + std::string{given};
  }
  return text + "}";
}

bool fits(char kind, std::string_view value) {
  const char c = value[0];
  switch (kind) {
    case 's': return c == '"';
    case 'b': return c == 't' || c == 'f';
    case 'n': return c == '-' || (c >= '0' && c <= '9');
    case 'i':
      return (c == '-' || (c >= '0' && c <= '9')) && value.find_first_of(".e") == value.npos;
    default: return true;
  }
}

TEST(Hostile, E34_T11_EveryFieldAbsentNullOrOfAnotherType) {
  constexpr std::string_view kValues[] = {"",    "null", "true",        "\"\"",  "\"text\"",
                                          "7",   "-1",   "1.0",         "1e400", "[]",
                                          "[1]", "{}",   "{\"a\":null}"};
  int checked = 0;
  for (const auto& row : rows()) {
    for (int i = 0; i < static_cast<int>(row.fields.size()); ++i) {
      const auto& field = row.fields[static_cast<std::size_t>(i)];
      for (const auto value : kValues) {
        const bool malformed = value.empty() ? field.required : !fits(field.kind, value);
        if (!malformed) continue;
        Bench bench;
        bench.go_online();
        const auto state = bench.state;
        bench.hub(message(row, i, value));
        SCOPED_TRACE(message(row, i, value));
        EXPECT_EQ(bench.gadget->counters().malformed, 1U);
        EXPECT_EQ(bench.state, state);
        EXPECT_TRUE(bench.gadget->session().online());
        EXPECT_TRUE(bench.closes.empty());
        // Answered all the same: an action whose id is good, and an offer.
        const bool answered = (std::string_view{row.type} == "action" && i != 0) ||
                              std::string_view{row.type} == "ota.offer";
        EXPECT_EQ(bench.sent.size(), answered ? 1U : 0U);
        ++checked;
      }
    }
  }
  EXPECT_GT(checked, 400);
}

TEST(Hostile, T9_UnknownFieldsAndTypesAreIgnored) {
  for (const auto& row : rows()) {
    Bench bench;
    bench.go_online();
    auto text = message(row);
    text.insert(text.size() - 1, R"(,"later":{"version":[null,1.5,"x"]},"z":null)");
    bench.hub(text);
    EXPECT_EQ(bench.gadget->counters().malformed, 0U) << text;
  }
  Bench bench;
  bench.go_online();
  bench.hub(R"({"type":"hologram","stream":"not even a number"})");
  EXPECT_EQ(bench.gadget->counters().unknown, 1U);
  EXPECT_EQ(bench.gadget->counters().malformed, 0U);
  EXPECT_TRUE(bench.sent.empty());
}

TEST(Hostile, E4_WhatIsNoStrictJsonIsDropped) {
  const std::string deep(100'000, '[');
  for (const std::string& text :
       {std::string{}, std::string{"{"}, std::string{"[]"}, std::string{"null"},
        std::string{"\"notice\""}, std::string{R"({"type":5})"}, std::string{R"({"type":null})"},
        std::string{R"({"text":"no type"})"}, std::string{R"({"type":"notice","text":"a"}x)"},
        std::string{R"({"type":"notice","text":"a","text":"b"})"},
        std::string{R"({"type":"notice","text":"a",})"},
        std::string{R"({"type":"notice","text":'a'})"},
        std::string{R"({"type":"notice","ttl_s":NaN,"text":"a"})"},
        std::string{"{\"type\":\"notice\",\"text\":\"\xC0\x80\"}"},
        std::string{"{\"type\":\"notice\",\"text\":\"\xED\xA0\x80\"}"},
        std::string{"{\"type\":\"notice\",\"text\":\"\n\"}"},
        R"({"type":"notice","text":"a","x":)" + deep + "}", deep}) {
    Bench bench;
    bench.go_online();
    bench.hub(text);
    EXPECT_EQ(bench.gadget->counters().malformed, 1U) << text.substr(0, 60);
    EXPECT_FALSE(bench.noted(Fact::notice)) << text.substr(0, 60);
    EXPECT_TRUE(bench.gadget->session().online());
  }
}

TEST(Hostile, E33_AReplyThatIsTooLongShowsAsFarAsItGoes) {
  Bench bench;
  bench.go_online();
  bench.hub(R"({"type":"turn.start","turn":"1"})");
  const std::string full =
      R"({"type":"reply","turn":"1","text":"first words )" + std::string(9'000, 'x') + "\"}";
  std::string beginning = full.substr(0, 8'192);
  bench.gadget->link_cut_text(bench.now, bench.epoch, beginning);
  EXPECT_EQ(bench.gadget->counters().cut, 1U);
  EXPECT_TRUE(bench.gadget->conversation().reply().starts_with("first words xxx"));
  for (const char* other :
       {R"({"type":"notice","text":"xxx)", R"({"type":"prompt","id":"1","te)",
        R"({"type":"action","id":"7","name":"led.set","args":{"x":")", "{", ""}) {
    std::string text = other;
    bench.gadget->link_cut_text(bench.now, bench.epoch, text);
  }
  EXPECT_EQ(bench.gadget->counters().too_long, 5U);
  EXPECT_TRUE(bench.gadget->session().online());
  EXPECT_TRUE(bench.sent.empty());
}

TEST(Hostile, TextsOfAnyLengthKeepTheirPlace) {
  Bench bench;
  bench.go_online();
  const std::string huge(60'000, 'y');
  const std::string wide = "\xC3\xA4";  // a character of two bytes, never cut in half
  std::string umlauts;
  for (int i = 0; i < 20'000; ++i) umlauts += wide;
  for (const auto& text : {huge, umlauts}) {
    bench.hub(R"({"type":"turn.start","turn":"1"})");
    for (const char* type : {"transcript", "status", "notice"}) {
      bench.hub(std::string{R"({"type":")"} + type + R"(","text":")" + text + "\"}");
    }
    bench.hub(R"({"type":"reply","turn":"1","text":")" + text + "\"}");
    bench.hub(R"({"type":"display","title":")" + text + R"(","body":")" + text + "\"}");
    bench.hub(R"({"type":"prompt","id":"q","title":")" + text + R"(","text":")" + text + "\"}");
    bench.hub(R"({"type":"pairing","code":")" + text + R"(","command":")" + text + "\"}");
    bench.hub(R"({"type":"error","code":")" + text + R"(","message":")" + text + "\"}");
    bench.hub(R"({"type":"paired"})");
    bench.pass(100);
    EXPECT_TRUE(protocol::is_utf8(bench.gadget->conversation().reply()));
    EXPECT_LE(bench.gadget->conversation().reply().size(), 4'096U);
    EXPECT_TRUE(protocol::is_utf8(bench.screen_now()));
  }
}

TEST(Hostile, AStreamThatNeverEndsStaysBounded) {
  Bench bench;
  bench.go_online();
  bench.hub(R"({"type":"audio.start","stream":1,"rate":16000,"format":"pcm16"})");
  for (int i = 0; i < 10'000; ++i) {
    bench.hub_frame(1, static_cast<std::uint16_t>(i), std::vector<std::int16_t>(2'048, 5));
  }
  EXPECT_LE(bench.gadget->playback().waiting(), 16'000U);
  EXPECT_GT(bench.gadget->playback().counters().dropped_samples, 20'000'000U);
  // It can still be left.
  bench.press(Button::cancel);
  EXPECT_EQ(bench.state, screen::State::ready);
}

TEST(Hostile, AFloodOfMessagesDrawsNoFasterThanItMust) {
  Bench bench;
  bench.go_online();
  bench.hub(R"({"type":"turn.start","turn":"1"})");
  bench.hub(R"({"type":"reply.delta","turn":"1","text":"0"})");
  const int shows = bench.shows;
  for (int i = 1; i < 5'000; ++i) {
    bench.hub(R"({"type":"reply.delta","turn":"1","text":")" + std::to_string(i) + "\"}");
  }
  EXPECT_EQ(bench.shows, shows);
  EXPECT_TRUE(bench.shows_text("4999"));
}

// ---- No heap (the brief of a microcontroller)

class FrugalPlatform final : public Link, public Store, public Entropy, public Screen, public Lamp {
 public:
  void connect(Epoch of) override { epoch = of; }
  bool send_text(std::string_view message) override {
    sent += message.size();
    return true;
  }
  bool send_binary(std::span<const std::byte> message) override {
    sent += message.size();
    return true;
  }
  void close(std::uint16_t, std::string_view) override {}
  bool secure() const override { return false; }
  std::optional<std::size_t> get(std::string_view, std::span<std::byte>) override { return {}; }
  bool put(std::string_view, std::span<const std::byte>) override { return true; }
  void fill(std::span<std::byte> out) override {
    for (auto& byte : out) byte = static_cast<std::byte>(++seed);
  }
  void show(const screen::ScreenModel& model, Millis now) override {
    screen::draw(model, canvas, static_cast<std::uint64_t>(now));
  }
  void set(std::uint32_t) override {}
  Epoch epoch = 0;
  std::size_t sent = 0;
  std::uint8_t seed = 0;
  std::array<screen::Colour, 320 * 240> pixels{};
  screen::Canvas canvas{pixels, 320, 240};
};

TEST(NoHeap, NothingIsTakenAfterConstruction) {
  static FrugalPlatform platform;
  static GadgetMemory<> memory;
  auto config = Bench::default_config();
  allocations = 0;
  counting = true;
  static Gadget gadget{config,
                       Platform{.link = platform,
                                .store = platform,
                                .entropy = platform,
                                .screen = &platform,
                                .microphone = nullptr,
                                .speaker = nullptr,
                                .lamp = &platform,
                                .actions = nullptr,
                                .watcher = nullptr},
                       memory.view()};
  Millis now = 0;
  static std::array<char, 8'192> room{};
  const auto hub = [&](std::string_view text) {
    std::copy(text.begin(), text.end(), room.begin());
    gadget.link_text(now, platform.epoch, std::span{room}.first(text.size()));
  };
  gadget.sensor(now, "temperature_c", "21.5");
  gadget.start(now);
  for (int round = 0; round < 3; ++round) {
    gadget.link_opened(now, platform.epoch);
    hub(R"({"type":"challenge","nonce":"abc","enrolled":true})");
    hub(R"({"type":"welcome","session":"s","paired":true,"heartbeat_s":20,"time":1767270840000})");
    gadget.text(now, "hello");
    hub(R"({"type":"turn.start","turn":"1"})");
    hub(R"({"type":"transcript","text":"hello"})");
    hub(R"({"type":"reply.delta","turn":"1","text":"You said"})");
    hub(R"({"type":"reply","turn":"1","text":"You said: hello"})");
    hub(R"({"type":"audio.start","stream":1,"rate":24000,"format":"pcm16","turn":"1"})");
    std::array<std::byte, 1'284> frame{};
    for (std::uint16_t i = 0; i < 20; ++i) {
      protocol::encode_header({protocol::Channel::audio, 1, i, {}}, frame);
      gadget.link_binary(now, platform.epoch, frame);
    }
    hub(R"({"type":"audio.end","stream":1})");
    hub(R"({"type":"turn.end","turn":"1","outcome":"success"})");
    std::array<std::int16_t, 320> samples{};
    for (int i = 0; i < 100; ++i) {
      now += 20;
      gadget.play(now, samples);
      gadget.tick(now);
    }
    hub(R"({"type":"prompt","id":"q","title":"Q","text":"Sure?","ttl_s":10})");
    for (const bool down : {true, false}) {
      now += 700;
      gadget.tick(now);
      gadget.button(now, Button::talk, down);
    }
    hub(R"({"type":"action","id":"a","name":"led.set","args":{"color":"red"}})");
    hub(R"({"type":"action","id":"a","name":"led.set","args":)");
    hub(R"({"type":"display","title":"T","body":"A card."})");
    gadget.button(now, Button::down, true);
    gadget.button(now, Button::down, false);
    gadget.button(now, Button::talk, true);
    for (int i = 0; i < 50; ++i) {
      now += 20;
      gadget.microphone(now, samples);
      gadget.tick(now);
    }
    gadget.button(now, Button::talk, false);
    gadget.event(now, "door", "{}", true);
    gadget.sensor(now, "temperature_c", round == 0 ? "22" : "23");
    now += 5'000;
    gadget.tick(now);
    gadget.link_closed(now, platform.epoch, {});
    now += 30'000;
    gadget.tick(now);
  }
  counting = false;
  EXPECT_EQ(allocations, 0);
  EXPECT_GT(platform.sent, 100'000U);
  EXPECT_EQ(gadget.counters().connections, 3U);
}

// ---- Anything, in any order

// 100,000 random steps: whatever happens, the invariants hold, and the gadget can still be reached.
TEST(Anything, B28_B29_InAnyOrderNothingSticks) {
  for (const std::uint64_t seed : {1ULL, 2ULL, 3ULL, 4ULL}) {
    std::uint64_t state = seed * 7'919;
    const auto random = [&state](std::uint32_t below) {
      state = state * 6364136223846793005ULL + 1442695040888963407ULL;
      return static_cast<std::uint32_t>((state >> 33U) % below);
    };
    Bench bench;
    bench.seed = seed;
    bench.start();
    auto& gadget = *bench.gadget;
    std::vector<std::int16_t> samples(640, 77);
    for (int i = 0; i < 25'000; ++i) {
      bench.link_full = random(20) == 0;
      switch (random(14)) {
        case 0: bench.open(); break;
        case 1: bench.challenge(random(2) == 0); break;
        case 2: bench.welcome(); break;
        case 3:
          if (random(10) == 0) bench.drop({.close_code = 1008, .reason = random(2) ? "busy" : ""});
          break;
        case 4: gadget.button(bench.now, static_cast<Button>(random(4)), random(2) == 0); break;
        case 5: gadget.microphone(bench.now, std::span{samples}.first(random(641))); break;
        case 6: {
          std::array<std::int16_t, 320> out{};
          gadget.play(bench.now, out);
          break;
        }
        case 7:
          bench.hub_frame(static_cast<std::uint8_t>(random(3)),
                          static_cast<std::uint16_t>(random(8)), samples);
          break;
        case 8: gadget.text(bench.now, "hi"); break;
        case 9:
          if (random(20) == 0) gadget.network(bench.now, random(3) != 0);
          break;
        case 10: gadget.answer(bench.now, random(2) == 0); break;
        case 11: bench.pass(random(random(50) == 0 ? 70'000U : 500U)); break;
        default: {
          const auto& row = rows()[random(static_cast<std::uint32_t>(rows().size()))];
          const int wrong = random(6) == 0 ? static_cast<int>(random(3)) : -1;
          bench.hub(message(row, wrong, random(2) == 0 ? "null" : ""));
          break;
        }
      }
      // What must always hold.
      ASSERT_LE(gadget.playback().waiting(), 16'000U);
      ASSERT_EQ(bench.listening,
                gadget.talk().recording() || gadget.menu().page() == MenuPage::microphone);
      ASSERT_EQ(bench.awake, !gadget.playback().idle());
      if (!gadget.session().online()) {
        ASSERT_TRUE(gadget.playback().idle());
        ASSERT_FALSE(gadget.talk().recording());
        ASSERT_EQ(gadget.conversation().phase(), TurnPhase::quiet);
        ASSERT_NE(gadget.state(), screen::State::ready);
      }
      if (bench.sent.size() > 1'000) bench.sent.clear();
      if (bench.frames.size() > 1'000) bench.frames.clear();
      if (bench.facts.size() > 1'000) bench.facts.clear();
    }
    // And it can be reached.
    bench.link_full = false;
    for (const Button button : {Button::talk, Button::cancel}) {
      gadget.button(bench.now, button, false);
    }
    gadget.leave_settings(bench.now);
    gadget.network(bench.now, false);
    gadget.network(bench.now, true);
    bench.pass(60'000);  // after a refusal the network changes nothing (E27)
    bench.until_connect();
    ASSERT_EQ(gadget.session().phase(), Phase::connecting);
    bench.go_online(true);
    EXPECT_EQ(bench.state, screen::State::ready);
    bench.pass(3'000);  // what waited for the hub is told first
    bench.sent.clear();
    EXPECT_TRUE(gadget.text(bench.now, "still there?"));
    EXPECT_EQ(bench.count("still there?"), 1);
  }
}

}  // namespace
}  // namespace gadget::device
