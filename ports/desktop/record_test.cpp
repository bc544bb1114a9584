// Records of real runs, played again: the same bytes, the same pictures, no secrets.
#include <sstream>

#include "base/files.hpp"
#include "device/core/test_store.hpp"
#include "ports/desktop/file_store.hpp"
#include "ports/desktop/heap_watch.hpp"
#include "ports/desktop/record_line.hpp"
#include "ports/desktop/record_writer.hpp"
#include "ports/desktop/replay.hpp"
#include "ports/desktop/sim_test_support.hpp"
#include "ports/desktop/stand_in.hpp"

namespace gadget::ports::desktop {
namespace {

using test::LittleHub;

TEST(RecordLine, AnyBytesComeBackFromATextAndFromBase64) {
  std::string every;
  for (int byte = 0; byte < 256; ++byte) every += static_cast<char>(byte);
  every += "\\x0a \"quoted\" \\";
  const std::string line = in_quotes(every) + " next " + in_quotes("");
  EXPECT_EQ(line.find('\n'), std::string::npos);
  LineReader reader{line};
  EXPECT_EQ(reader.text(), every);
  EXPECT_EQ(reader.word(), "next");
  EXPECT_EQ(reader.text(), "");
  EXPECT_TRUE(reader.at_end());
  for (const std::size_t size : {0U, 1U, 2U, 3U, 200U}) {
    const auto bytes = std::as_bytes(std::span{every}).first(size);
    const auto back = from_base64(base64(bytes));
    ASSERT_TRUE(back);
    EXPECT_TRUE(std::equal(bytes.begin(), bytes.end(), back->begin(), back->end()));
  }
}

TEST(RecordLine, WhatIsNoTextIsRefused) {
  for (const char* line : {"", "x", "\"", "\"abc", "\"abc\\", "\"\\x0", "\"\\xZZ\"", "\"a\"b"}) {
    EXPECT_FALSE(LineReader{line}.text()) << line;
  }
  for (const char* word : {"", "=", "abc", "ab=c", "====", "-="}) {
    EXPECT_FALSE(from_base64(word)) << word;
  }
  EXPECT_FALSE(LineReader{"12x"}.number(0, 100));
  EXPECT_FALSE(LineReader{"101"}.number(0, 100));
  EXPECT_EQ(LineReader{"100"}.number(0, 100), 100);
}

class Record : public test::SimTest {
 protected:
  Record() { options_.record = folder_ / "record"; }

  std::string content() const { return files::read(options_.record, kMaxRecordBytes).value_or(""); }
  // Plays a record that is a text.
  static Result<ReplayEnd> play(const std::string& record, ReplayOptions options = {}) {
    std::istringstream in{record};
    return replay(in, options);
  }
};

constexpr const char* kTurns =
    "wait ready\ntext hello there\nwait replying\nwait ready\n"
    "press talk\nsay what time is it\ndrain\nrelease talk\nwait replying\nwait ready\n"
    "text ask me\nwait question\nsleep 0.7\ntap cancel\nwait replying\nwait ready\n"
    "sensor door open\nevent! doorbell {\"n\":1}\nlink down\nwait offline\nlink up\nwait ready\n"
    "power cut\nwait ready\n";

TEST_F(Record, TheConsoleIsPlayedAgainWithoutItsSecrets) {
  LittleHub hub;
  ASSERT_EQ(run(hub.url(),
                "wait ready\nconsole log on\nconsole set   token  hunter2hunter2\nwait ready\n"
                "console get\nconsole check mic\nquit"),
            1);  // nothing comes from the microphone but silence
  EXPECT_EQ(hub.count("hunter2hunter2"), 1);
  EXPECT_EQ(content().find("hunter2"), std::string::npos);
  const auto end = play(content());
  ASSERT_TRUE(end) << to_line(end.error());
  EXPECT_TRUE(end->same) << end->difference;
}

TEST_F(Record, ReplayGivesTheSameBytesPicturesAndSamples) {
  LittleHub hub;
  ASSERT_EQ(run(hub.url(), kTurns), 0) << complaint_;
  const auto end = play(content());
  ASSERT_TRUE(end) << to_line(end.error());
  EXPECT_TRUE(end->same) << end->difference;
  EXPECT_GT(end->calls, 100U);
  EXPECT_GT(end->pictures, 20U);
  EXPECT_GT(end->messages, 10U);
  EXPECT_EQ(std::filesystem::status(options_.record).permissions(),
            std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
}

TEST_F(Record, AnyChangeIsFoundAndItsLineSaid) {
  LittleHub hub;
  ASSERT_EQ(run(hub.url(), "wait ready\ntext hello there\nwait replying\nwait ready\n"), 0)
      << complaint_;
  const std::string record = content();
  // Another answer to the first question for random bytes, another text typed, another picture.
  for (const auto& [what, by] : std::initializer_list<std::pair<const char*, const char*>>{
           {"type \"hello there\"", "type \"hello where\""},
           {"> screen ", "> screen 0"},
           {"\"text\\\":\\\"hello", "\"text\\\":\\\"hallo"},
           {"> voice 0 ", "> voice 1 "}}) {
    std::string changed = record;
    const auto at = changed.find(what);
    ASSERT_NE(at, std::string::npos) << what;
    changed.replace(at, std::strlen(what), by);
    const auto end = play(changed);
    ASSERT_TRUE(end) << to_line(end.error());
    EXPECT_FALSE(end->same) << what;
    EXPECT_NE(end->difference.find("line "), std::string::npos);
  }
}

TEST_F(Record, ARecordThatEndsWithinACallIsPlayedAsFarAsItGoes) {
  LittleHub hub;
  ASSERT_EQ(run(hub.url(), "wait ready\n"), 0) << complaint_;
  const std::string record = content();
  for (std::size_t size = 0; size < record.size(); size += 1 + size / 7) {
    const auto end = play(record.substr(0, size));
    if (end) {
      EXPECT_TRUE(end->same) << end->difference;
    }
  }
}

TEST_F(Record, WhatIsNoRecordIsRefusedWithItsLine) {
  EXPECT_FALSE(play(""));
  EXPECT_FALSE(play("hello\n"));
  const auto later = play("hermes-gadget-record 999\n");
  ASSERT_FALSE(later);
  EXPECT_NE(later.error().text.find("999"), std::string::npos);
  LittleHub hub;
  ASSERT_EQ(run(hub.url(), "wait ready\n"), 0) << complaint_;
  std::string record = content();
  const std::string head = record.substr(0, record.find("\n<") + 1);
  for (const char* line :
       {"< x tick\n", "< 5 fly\n", "< 5 start\n", "< 5 on\n< 4 tick\n", "nothing\n",
        "< 5 on\n< 6 button nose down\n", "< 5 on\n< 6 play 99999999\n",
        "< 5 on\n< 6 mic samples AAAA\n", "< 5 on\n< 6 message 1 \"abc\n"}) {
    const auto end = play(head + line);
    EXPECT_FALSE(end && end->same) << line;
  }
}

TEST_F(Record, HoldsNeitherTheKeyNorTheTokenAndTheHubNoticesNothing) {
  LittleHub hub;
  options_.token = "my \"secret\" token";
  ASSERT_EQ(run(hub.url(), "wait ready\npower cut\nwait ready\n"), 0) << complaint_;
  const auto stored = files::read(options_.state / "device.key", 64);
  ASSERT_TRUE(stored);
  const protocol::Key key{std::as_bytes(std::span{*stored}).first<protocol::kKeyBytes>()};
  const std::string key_text{protocol::view(protocol::key_text(key))};
  const std::string id{protocol::device_id(key).text()};
  const std::string record = content();
  EXPECT_EQ(record.find(key_text), std::string::npos);
  EXPECT_EQ(record.find("secret"), std::string::npos);
  // The hub met the real ones.
  EXPECT_EQ(hub.count("\"key\":\"" + key_text), 1);
  EXPECT_EQ(hub.count(id), 2);
  EXPECT_EQ(hub.count(R"("token":"my \"secret\" token")"), 2);
  EXPECT_EQ(hub.count(std::string{protocol::view(protocol::auth_mac(key, id, "abcd"))}), 1);
  const auto end = play(record);
  ASSERT_TRUE(end) << to_line(end.error());
  EXPECT_TRUE(end->same) << end->difference;
}

TEST_F(Record, ScreenshotTraceAndAnEndInTime) {
  LittleHub hub;
  ASSERT_EQ(run(hub.url(), "wait ready\ntext hello\nwait replying\nwait ready\nsleep 0.5\n"), 0)
      << complaint_;
  std::size_t lines = 0;
  ReplayOptions options;
  options.screenshot = (folder_ / "last.png").string();
  options.trace = [&lines](std::string_view) { ++lines; };
  const auto whole = replay_file(options_.record, options);
  ASSERT_TRUE(whole);
  EXPECT_EQ(lines + 8, whole->lines);  // all but the head
  EXPECT_TRUE(std::filesystem::exists(options.screenshot));
  options.until_s = 0.3;
  const auto part = replay_file(options_.record, options);
  ASSERT_TRUE(part);
  EXPECT_TRUE(part->same);
  EXPECT_LT(part->lines, whole->lines);
  EXPECT_FALSE(replay_file(folder_ / "nothing", {}));
}

TEST_F(Record, OneThatCannotBeWrittenIsSaid) {
  options_.record = folder_ / "no" / "folder";
  EXPECT_EQ(run("ws://127.0.0.1:1", "quit\n"), 1);
  EXPECT_NE(complaint_.find("folder"), std::string::npos) << complaint_;
}

// ---- The heap

TEST(HeapWatch, CountsWhatIsTakenWhileItIsOn) {
  if (!heap::available()) GTEST_SKIP() << "not in this build";
  const auto before = heap::count();
  const auto take = [] {
    volatile std::size_t size = 100;
    std::vector<char> some(size);
    some[0] = 1;
    return some[0];
  };
  EXPECT_EQ(take(), 1);
  EXPECT_EQ(heap::count(), before);
  {
    const heap::Watch watch;
    take();
    {
      const heap::Pause pause;
      take();
      const heap::Watch again;
      take();
    }
  }
  EXPECT_EQ(heap::count(), before + 2);
}

// A board that is never asked for anything.
struct NoBoard final : device::Link, device::Store, device::Entropy {
  void connect(device::Epoch) override {}
  bool send_text(std::string_view) override { return false; }
  bool send_binary(std::span<const std::byte>) override { return false; }
  void close(std::uint16_t, std::string_view) override {}
  bool secure() const override { return false; }
  std::optional<std::size_t> get(std::string_view, std::span<std::byte>) override { return {}; }
  bool put(std::string_view, std::span<const std::byte>) override { return false; }
  void fill(std::span<std::byte>) override {}
  [[nodiscard]] device::Platform platform() {
    return {.link = *this, .store = *this, .entropy = *this};
  }
};

// A call of the WebSocket client counts, what it calls of the port does not, and what it calls of
// the core counts once.
TEST(HeapWatch, CountsTheClientBeforeTheCoreToo) {
  if (!heap::available()) GTEST_SKIP() << "not in this build";
  const auto take = [] { EXPECT_EQ(std::make_unique<std::vector<char>>(100)->size(), 100U); };
  CoreOptions options;
  options.heap_check = true;
  NoBoard board;
  Core core{options, board.platform(), nullptr, nullptr};
  core.inside("websocket feed", [&] {
    const heap::Pause pause;
    take();
    core.inside("text", [&] {});
  });
  EXPECT_EQ(core.allocations(), 0U);
  core.inside("websocket feed", [&] {
    take();
    const heap::Pause pause;
    core.inside("text", take);
  });
  EXPECT_EQ(core.allocations(), 4U);
  EXPECT_EQ(core.first_allocation(), "text");
}

TEST_F(Record, TheCoreTakesNoMemoryNeitherLiveNorInAReplay) {
  LittleHub hub;
  options_.heap_check = true;
  ASSERT_EQ(run(hub.url(), kTurns), 0) << complaint_;
  ReplayOptions options;
  options.heap_check = true;
  const auto end = play(content(), options);
  ASSERT_TRUE(end);
  EXPECT_EQ(end->allocations, 0U);
}

// ---- The stand-in

template <class Message>
std::string message(const Message& what) {
  std::string room(4'096, '\0');
  return std::string{protocol::write_message(what, room).value_or("")};
}

// Also the store that the core sees.
class StandInTest : public testing::Test, public device::Store {
 protected:
  std::optional<std::size_t> get(std::string_view name, std::span<std::byte> out) override {
    return stand_in_.get(name, out);
  }
  bool put(std::string_view name, std::span<const std::byte> value) override {
    return stand_in_.put(name, value);
  }
  [[nodiscard]] protocol::Key real() const {
    return protocol::Key{std::span{store_.values.at("key")}.first<protocol::kKeyBytes>()};
  }
  [[nodiscard]] protocol::Key other() {
    std::array<std::byte, protocol::kKeyBytes> bytes{};
    EXPECT_EQ(stand_in_.get("key", bytes), bytes.size());
    return protocol::Key{bytes};
  }
  std::string inbound(std::string text) {
    const auto got = stand_in_.inbound(text);
    return {got.data(), got.size()};
  }

  device::test::BenchStore store_;
  StandIn stand_in_{store_, ""};
};

TEST_F(StandInTest, N1_ARightProofIsProvedAgainAndAWrongOneStays) {
  const auto mine = other();
  protocol::Hello hello;
  hello.proto = 1;
  hello.device_id = protocol::device_id(mine);
  hello.name = "n";
  hello.board = "b";
  hello.actions = {"[]"};
  hello.nonce = "AAAAAAAAAAAAAAAAAAAAAA==";
  const std::string sent{stand_in_.outbound(message(hello))};
  const std::string id{protocol::device_id(real()).text()};
  EXPECT_NE(sent.find(id), std::string::npos) << sent;
  const auto proof = protocol::hub_mac(real(), id, hello.nonce);
  protocol::Welcome welcome;
  welcome.session = "s";
  welcome.paired = true;
  welcome.mac = protocol::view(proof);
  const auto expected = protocol::hub_mac(mine, hello.device_id.text(), hello.nonce);
  EXPECT_NE(inbound(message(welcome)).find(protocol::view(expected)), std::string::npos);
  // Written in another way it is the same proof.
  std::string escaped = message(welcome);
  for (auto at = escaped.find('/'); at != std::string::npos; at = escaped.find('/', at + 2)) {
    escaped.replace(at, 1, "\\/");
  }
  EXPECT_NE(inbound(escaped).find(protocol::view(expected)), std::string::npos);
  const auto wrong = protocol::hub_mac(mine, id, hello.nonce);
  welcome.mac = protocol::view(wrong);
  EXPECT_EQ(inbound(message(welcome)), message(welcome));
}

TEST_F(StandInTest, O2_AnUpdateIsAuthorizedForBothOrForNeither) {
  const auto mine = other();
  const std::string sha(64, 'a');
  const std::string nonce = "AAAAAAAAAAAAAAAAAAAAAA==";
  (void)inbound(
      message(protocol::OtaOffer{.stream = 1, .size_bytes = 777, .sha256 = sha, .version = "2"}));
  (void)stand_in_.outbound(message(protocol::OtaReady{.nonce = nonce}));
  const std::string id{protocol::device_id(real()).text()};
  const auto right = protocol::ota_mac(real(), id, nonce, sha, 777);
  const auto expected = protocol::ota_mac(mine, protocol::device_id(mine).text(), nonce, sha, 777);
  EXPECT_EQ(inbound(message(protocol::OtaBegin{.mac = protocol::view(right)})),
            message(protocol::OtaBegin{.mac = protocol::view(expected)}));
  const auto wrong = message(protocol::OtaBegin{.mac = protocol::view(expected)});
  EXPECT_EQ(inbound(wrong), wrong);
}

TEST_F(StandInTest, H7_ATokenThatIsSetIsKeptAndSentButTheCoreNeverSeesIt) {
  device::Settings settings{*this, {}};
  settings.set(device::Setting::token, stand_in_.set_token("geheim"));
  EXPECT_EQ(std::string{settings.text(device::Setting::token)}.find("geheim"), std::string::npos);
  // What lies in the real store is the real one, and the core reads the other.
  device::Settings stored{store_, {}};
  stored.load({});
  EXPECT_EQ(stored.text(device::Setting::token), "geheim");
  device::Settings again{*this, {}};
  again.load({});
  EXPECT_EQ(again.damaged(), 0);
  EXPECT_EQ(again.text(device::Setting::token), settings.text(device::Setting::token));
  EXPECT_EQ(settings.set(device::Setting::token, stand_in_.set_token("a\nb")),
            device::Settings::Outcome::invalid);
  // Damaged is damaged, and not shown either.
  store_.values["token"][2] ^= std::byte{1};
  device::Settings damaged{*this, {}};
  damaged.load({});
  EXPECT_NE(damaged.damaged(), 0);
}

TEST_F(StandInTest, ANewKeyOfTheCoreIsNotTheOneThatIsKept) {
  const std::vector<std::byte> made(protocol::kKeyBytes, std::byte{7});
  const auto before = store_.values.at("key");
  EXPECT_TRUE(stand_in_.put("key", made));
  EXPECT_NE(store_.values.at("key"), made);
  EXPECT_NE(store_.values.at("key"), before);
  EXPECT_EQ(protocol::device_id(other()),
            protocol::device_id(protocol::Key{std::span{made}.first<protocol::kKeyBytes>()}));
}

}  // namespace
}  // namespace gadget::ports::desktop
