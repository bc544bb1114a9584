// The virtual gadget against a hub of this test, over a real socket: scripts from the first line to
// the exit code, in real time.
#include "ports/desktop/sim.hpp"

#include "media/png.hpp"
#include "media/wav.hpp"
#include "ports/desktop/sim_test_support.hpp"
#include "wire/certificates_test_support.hpp"

namespace gadget::ports::desktop {
namespace {

using test::LittleHub;
class Sim : public test::SimTest {};

TEST_F(Sim, ATypedTurnWithPictureSoundAndTimeline) {
  LittleHub hub;
  options_.timeline = folder_ / "timeline";
  const auto png = (folder_ / "screen.png").string();
  const auto wav = (folder_ / "speaker.wav").string();
  EXPECT_EQ(run(hub.url(),
                "wait ready\ntext hello there\nwait replying\nwait ready\n"
                "expect You said: hello there\nexpect-spoken 0.47\nscreenshot " +
                    png + "\nspeaker " + wav + "\nquit\n"),
            0)
      << complaint_;
  std::ifstream picture{png};
  const auto image = media::decode_png(std::string{std::istreambuf_iterator<char>{picture}, {}});
  ASSERT_TRUE(image);
  EXPECT_EQ(image->width, 320U);
  const auto sound = media::read_wav(wav);
  ASSERT_TRUE(sound);
  EXPECT_GE(sound->samples.size(), 12U * 640U);
  EXPECT_EQ(*std::max_element(sound->samples.begin(), sound->samples.end()), 3'000);
  std::ifstream timeline{options_.timeline};
  const std::string lines{std::istreambuf_iterator<char>{timeline}, {}};
  for (const char* event : {"\"connected\"", "turn_start", "delta", "reply", "audio_first",
                            "played_first", "played_last", "turn_end"}) {
    EXPECT_NE(lines.find(event), std::string::npos) << event;
  }
  EXPECT_EQ(hub.count("closed"), 1);  // it left politely before it ended
}

TEST_F(Sim, ASpokenTurnReachesTheHubInRealTime) {
  LittleHub hub;
  EXPECT_EQ(run(hub.url(),
                "wait ready\npress talk\nsay what time is it\ndrain\nrelease talk\n"
                "wait replying\nwait ready\nexpect what was heard\nexpect-spoken 0.4\n"),
            0)
      << complaint_;
  EXPECT_GT(hub.samples(), 8'000U);  // more than half a second
  EXPECT_GT(hub.loudest(), 2'000);
  EXPECT_EQ(hub.count("audio.start"), 1);
  EXPECT_EQ(hub.count("audio.end"), 1);
}

TEST_F(Sim, ARecordingOfAnotherRateIsConverted) {
  LittleHub hub;
  const auto wav = folder_ / "in.wav";
  ASSERT_TRUE(media::write_wav(wav, std::vector<std::int16_t>(44'100, 500), 44'100));
  EXPECT_EQ(run(hub.url(), "wait ready\npress talk\nwav " + wav.string() +
                               "\ndrain\nrelease talk\nwait replying\nwait ready\n"),
            0)
      << complaint_;
  EXPECT_NEAR(static_cast<double>(hub.samples()), 16'000, 1'600);
}

TEST_F(Sim, PairingShowsTheCode) {
  LittleHub hub;
  hub.paired = false;
  EXPECT_EQ(run(hub.url(), "wait pairing\nexpect ABCD\nwait ready\n"), 0) << complaint_;
}

TEST_F(Sim, H1_APowerCutKeepsTheKeyAndALinkComesBack) {
  LittleHub hub;
  EXPECT_EQ(run(hub.url(),
                "wait ready\npower cut\nwait ready\nlink down\nwait offline\n"
                "link up\nwait ready\ntext still here\nwait ready 5\n"),
            0)
      << complaint_;
  EXPECT_EQ(hub.count("\"key\":"), 1);
  EXPECT_EQ(hub.count("\"mac\":"), 2);
  const auto key = options_.state / "device.key";
  EXPECT_EQ(std::filesystem::file_size(key), 32U);
  EXPECT_EQ(std::filesystem::status(key).permissions(),
            std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
}

TEST_F(Sim, E32_AnswerReenrol) {
  LittleHub hub;
  hub.enrolled = true;
  EXPECT_EQ(run(hub.url(), "wait ready\n"), 0) << complaint_;  // accepted by its MAC
  hub.enrolled = false;
  EXPECT_EQ(run(hub.url(), "answer-reenrol yes\nwait ready\n"), 0) << complaint_;
  EXPECT_EQ(hub.count("\"key\":"), 1);
}

TEST_F(Sim, WhatTheConsoleSetsCountsAtOnceAndAfterAPowerCut) {
  LittleHub hub;
  ASSERT_EQ(run(hub.url(),
                "wait ready\nconsole set volume 40\nconsole set name Kitchen\nwait ready\n"
                "console set token s3cret\nwait ready\npower cut\nwait ready\n"
                "press up\npress down\nwait settings\nrelease up\nrelease down\n"
                "expect Volume 40 %\ntap cancel\nwait ready"),
            0)
      << complaint_;
  EXPECT_EQ(hub.count(R"("name":"Kitchen")"), 3);  // after each set, and after the power cut
  EXPECT_EQ(hub.count(R"("token":"s3cret")"), 2);

  // A name of the command line goes before it, for that run only.
  options_.name = "Forced";
  ASSERT_EQ(run(hub.url(), "wait ready"), 0) << complaint_;
  EXPECT_EQ(hub.count(R"("name":"Forced")"), 1);
  options_.name.clear();
  ASSERT_EQ(run(hub.url(), "wait ready\nconsole restart\nsleep 1\nwait ready"), 0) << complaint_;
  EXPECT_EQ(hub.count(R"("name":"Kitchen")"), 5);
}

TEST_F(Sim, H1_AFactoryResetOnTheConsoleIsAnotherDevice) {
  LittleHub hub;
  ASSERT_EQ(run(hub.url(), "wait ready\nconsole set name Kitchen\nwait ready"), 0) << complaint_;
  hub.enrolled = false;
  ASSERT_EQ(run(hub.url(),
                "answer-reenrol yes\nwait ready 20\nconsole factory-reset yes\nwait connecting\n"
                "wait ready"),
            0)
      << complaint_;
  std::set<std::string> ids;
  for (const auto& one : hub.seen()) {
    const auto at = one.find(R"("device_id":")");
    if (at != std::string::npos) ids.insert(one.substr(at + 13, 19));
  }
  EXPECT_EQ(ids.size(), 2U);
}

TEST_F(Sim, AnErrorOfTheConsoleEndsTheScript) {
  LittleHub hub;
  EXPECT_EQ(run(hub.url(), "wait ready\nconsole set volume 400"), 1);
  EXPECT_NE(complaint_.find("line 2: the console says: error invalid_value"), std::string::npos)
      << complaint_;
}

TEST_F(Sim, TheTerminalForwardsLinesToTheConsole) {
  LittleHub hub;
  ASSERT_EQ(type(hub.url(), ":console get volume\n:console dance\n"), 0) << complaint_;
  EXPECT_NE(printed_.find("ok {\"volume\":100}"), std::string::npos) << printed_;
  EXPECT_NE(printed_.find("error unknown_command"), std::string::npos) << printed_;
}

TEST_F(Sim, SensorsAndEventsArrive) {
  LittleHub hub;
  EXPECT_EQ(run(hub.url(),
                "sensor door open\nwait ready\nevent! doorbell {\"n\":1}\n"
                "sleep 2.2\nsensor door closed\nsleep 2.2\n"),
            0)
      << complaint_;
  EXPECT_EQ(hub.count(R"("sensors":{"temperature_c":21.5)"), 1);
  EXPECT_EQ(hub.count(R"("door":"open")"), 1);
  EXPECT_EQ(hub.count(R"({"type":"event","name":"doorbell","data":{"n":1},"notify":true})"), 1);
  EXPECT_EQ(hub.count(R"({"type":"state","sensors":{"door":"closed"}})"), 1);
}

TEST_F(Sim, WhatDoesNotHappenEndsWithOneAndTheLine) {
  LittleHub hub;
  EXPECT_EQ(run(hub.url(), "wait ready\n\nwait card 0.2\n"), 1);
  EXPECT_NE(complaint_.find("line 3"), std::string::npos) << complaint_;
  EXPECT_EQ(run(hub.url(), "wait ready\nexpect nothing of that kind\n"), 1);
  EXPECT_NE(complaint_.find("line 2"), std::string::npos) << complaint_;
  EXPECT_EQ(run(hub.url(), "wait ready\nexpect-spoken 0.1\n"), 1);
  EXPECT_EQ(run(hub.url(), "wait ready\nwav /nonexistent.wav\n"), 1);
  EXPECT_NE(complaint_.find("/nonexistent.wav"), std::string::npos) << complaint_;
}

TEST_F(Sim, WrongUsageEndsWithTwo) {
  EXPECT_EQ(run("ws://127.0.0.1:1", "wait ready\nfly\n"), 2);
  EXPECT_NE(complaint_.find("line 2: there is no step \"fly\""), std::string::npos) << complaint_;
  options_.profile = "toaster";
  EXPECT_EQ(run("ws://127.0.0.1:1", "quit\n"), 2);
  options_.profile = "desktop";
  options_.ca_file = "/x.pem";
  EXPECT_EQ(run("ws://127.0.0.1:1", "quit\n"), 2);
}

TEST_F(Sim, NobodyThereOrABadUrlEndsWithOne) {
  EXPECT_EQ(run("http://hub", "quit\n"), 1);
  EXPECT_NE(complaint_.find("ws://"), std::string::npos) << complaint_;
  EXPECT_EQ(type("ws://127.0.0.1:1/gadget", "hello\n"), 1);
  EXPECT_NE(complaint_.find("ws://127.0.0.1:1/gadget"), std::string::npos) << complaint_;
  EXPECT_EQ(run("ws://127.0.0.1:1/gadget", "wait ready 0.5\n"), 1);
  EXPECT_NE(complaint_.find("line 1"), std::string::npos) << complaint_;
  LittleHub hub;
  auto elsewhere = hub.url();
  elsewhere.replace(elsewhere.find("/gadget"), 7, "/other");
  EXPECT_EQ(type(elsewhere, "hello\n"), 1);
  EXPECT_NE(complaint_.find("404"), std::string::npos) << complaint_;
}

TEST_F(Sim, T2_OverTlsTheHubIsVerifiedOrNotTalkedTo) {
  const auto made = wire::test::make_certificate(folder_, "server", {});
  auto tls = wire::TlsServer::load(made.certificate, made.key);
  ASSERT_TRUE(tls);
  LittleHub hub{*tls};
  const std::string script = "wait ready\ntext over tls\nwait replying\nwait ready\n";
  EXPECT_EQ(run(hub.url("wss"), script), 1);  // nobody vouches for it
  EXPECT_NE(complaint_.find("not trusted"), std::string::npos) << complaint_;
  options_.pin = (*tls)->pin();
  EXPECT_EQ(run(hub.url("wss"), script), 0) << complaint_;
  options_.pin[0] = options_.pin[0] == 'a' ? 'b' : 'a';
  EXPECT_EQ(run(hub.url("wss"), script), 1);
  EXPECT_NE(complaint_.find("not trusted"), std::string::npos) << complaint_;
  options_.pin.clear();
  options_.ca_file = made.certificate;
  EXPECT_EQ(run(hub.url("wss"), script), 0) << complaint_;
  options_.pin = "not hex";
  EXPECT_EQ(run(hub.url("wss"), script), 1);
  EXPECT_EQ(hub.count("\"type\":\"text\""), 2);
}

TEST_F(Sim, T2_WithoutAClockOnlyWhatHadExpiredByTheKnownTimeIsRefused) {
  constexpr long kYearS = 365L * 24 * 3'600;
  const auto meets = [this](const char* name, long from_s, long to_s) {
    wire::test::CertificateOptions made_like;
    made_like.from_s = from_s;
    made_like.to_s = to_s;
    const auto made = wire::test::make_certificate(folder_, name, made_like);
    auto tls = wire::TlsServer::load(made.certificate, made.key);
    if (!tls) return -1;
    LittleHub hub{*tls};
    options_.ca_file = made.certificate;
    options_.state = folder_ / name;
    return run(hub.url("wss"), "wait ready\n");
  };
  // B-80: valid from tomorrow on. With a clock that is a lie, without one it may well be.
  EXPECT_EQ(meets("tomorrow", 86'400, kYearS), 1);
  options_.no_clock = true;
  EXPECT_EQ(meets("tomorrow_no_clock", 86'400, kYearS), 0) << complaint_;
  // What had expired when this program was built is refused, clock or not.
  EXPECT_EQ(meets("old", -9 * kYearS, -8 * kYearS), 1);
  EXPECT_NE(complaint_.find("not trusted"), std::string::npos) << complaint_;
}

TEST_F(Sim, TypedOverAPipeEachLineIsAnswered) {
  LittleHub hub;
  EXPECT_EQ(type(hub.url(), "first\nsecond\n:screen\n"), 0) << complaint_;
  const auto first = printed_.find("You said: first");
  const auto second = printed_.find("You said: second");
  EXPECT_NE(first, std::string::npos) << printed_;
  EXPECT_NE(second, std::string::npos) << printed_;
  EXPECT_LT(first, second);
  EXPECT_EQ(hub.count("\"type\":\"text\""), 2);
}

TEST_F(Sim, Q3_AQuestionIsAnsweredByTypingOrByAPress) {
  LittleHub hub;
  EXPECT_EQ(type(hub.url(), "ask me\ny\n"), 0) << complaint_;
  EXPECT_NE(printed_.find("Restart it?"), std::string::npos) << printed_;
  EXPECT_NE(printed_.find("You said: yes"), std::string::npos) << printed_;
  EXPECT_EQ(run(hub.url(),
                "wait ready\ntext ask me\nwait question\nexpect Restart it?\n"
                "sleep 0.7\ntap cancel\nwait replying\nexpect You said: no\n"),
            0)
      << complaint_;
  EXPECT_EQ(hub.count("prompt.reply"), 2);
}

TEST_F(Sim, AStateFolderThatCannotBeWrittenIsSaid) {
  options_.state = "/proc/gadget";
  EXPECT_EQ(run("ws://127.0.0.1:1", "quit\n"), 1);
  EXPECT_NE(complaint_.find("/proc/gadget"), std::string::npos) << complaint_;
}

}  // namespace
}  // namespace gadget::ports::desktop
