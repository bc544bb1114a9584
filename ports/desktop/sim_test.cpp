// The virtual gadget against a hub of this test, over a real socket: scripts from the first line to
// the exit code, in real time.
#include "ports/desktop/sim.hpp"

#include <filesystem>
#include <fstream>
#include <future>
#include <iterator>
#include <list>
#include <mutex>
#include <thread>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <gtest/gtest.h>
#include <unistd.h>

#include "media/png.hpp"
#include "media/wav.hpp"
#include "protocol/audio_assembler.hpp"
#include "protocol/binary_frame.hpp"
#include "protocol/codec.hpp"
#include "wire/certificates_test_support.hpp"
#include "wire/server.hpp"

namespace gadget::ports::desktop {
namespace {

namespace asio = boost::asio;

// As much of a hub as a gadget needs: handshake, and a turn for each text and utterance, spoken.
class LittleHub {
 public:
  explicit LittleHub(std::shared_ptr<wire::TlsServer> tls = nullptr) {
    wire::ListenerCalls calls;
    calls.decide = [](const wire::HttpRequest& request) -> wire::Decision {
      if (request.path() != "/gadget") return wire::plain_response(404, "Not here.");
      return wire::Upgrade{.subprotocol = "hermes-gadget.v1", .lobby_address = {}};
    };
    calls.arrived = [this](wire::WebSocket socket, wire::HttpRequest, std::string) {
      sockets_.push_back(std::move(socket));
      asio::co_spawn(loop_, serve(sockets_.back()), asio::detached);
    };
    wire::ListenOptions options;
    options.port = 0;
    options.tls = std::move(tls);
    listener_ = *wire::Listener::open(loop_.get_executor(), options, calls);
    thread_ = std::thread([this] { loop_.run(); });
  }
  ~LittleHub() {
    asio::post(loop_, [this] {
      listener_->stop();
      loop_.stop();
    });
    thread_.join();
  }

  [[nodiscard]] std::string url(const char* scheme = "ws") const {
    return std::string{scheme} + "://127.0.0.1:" + std::to_string(listener_->port()) + "/gadget";
  }
  [[nodiscard]] std::vector<std::string> seen() {
    const std::scoped_lock lock{mutex_};
    return seen_;
  }
  [[nodiscard]] int count(std::string_view part) {
    int found = 0;
    for (const auto& one : seen()) found += one.find(part) != std::string::npos ? 1 : 0;
    return found;
  }
  [[nodiscard]] std::size_t samples() {
    const std::scoped_lock lock{mutex_};
    return samples_;
  }
  [[nodiscard]] std::int16_t loudest() {
    const std::scoped_lock lock{mutex_};
    return loudest_;
  }

  bool enrolled = false;
  bool paired = true;

 private:
  asio::awaitable<void> send(wire::WebSocket& socket, const std::string& text) {
    (void)co_await socket.write(text);
  }

  asio::awaitable<void> turn(wire::WebSocket& socket, const std::string& said) {
    co_await send(socket, R"({"type":"turn.start","turn":"t"})");
    co_await send(socket, R"({"type":"reply.delta","turn":"t","text":"You said"})");
    co_await send(socket, R"({"type":"reply","turn":"t","text":"You said: )" + said + R"("})");
    co_await send(socket,
                  R"({"type":"audio.start","stream":1,"rate":16000,"format":"pcm16","turn":"t"})");
    std::vector<std::byte> frame(4 + 1'280);
    for (std::uint16_t i = 0; i < 12; ++i) {  // 0.48 s, all within what may be ahead (A4)
      protocol::encode_header({protocol::Channel::audio, 1, i, {}}, frame);
      const std::vector<std::int16_t> samples(640, 3'000);
      protocol::encode_samples(samples, std::span{frame}.subspan(4));
      (void)co_await socket.write(wire::MessageKind::binary, frame);
    }
    co_await send(socket, R"({"type":"audio.end","stream":1})");
    co_await send(socket, R"({"type":"turn.end","turn":"t","outcome":"success"})");
  }

  asio::awaitable<void> serve(wire::WebSocket& socket) {
    for (;;) {
      auto message = co_await socket.read();
      if (!message) break;
      if (message->kind == wire::MessageKind::binary) {
        const auto frame = protocol::decode_frame(message->bytes);
        const std::scoped_lock lock{mutex_};
        for (std::size_t i = 0; frame && i < frame->payload.size() / 2; ++i) {
          ++samples_;
          loudest_ = std::max(loudest_, protocol::sample_at(frame->payload, i));
        }
        continue;
      }
      const std::string text{message->text()};
      {
        const std::scoped_lock lock{mutex_};
        seen_.push_back(text);
      }
      const auto has = [&text](const char* type) {
        return text.find(std::string{"\"type\":\""} + type + "\"") != std::string::npos;
      };
      if (has("hello")) {
        co_await send(socket, std::string{R"({"type":"challenge","nonce":"abcd","enrolled":)"} +
                                  (enrolled ? "true}" : "false}"));
      } else if (has("auth")) {
        enrolled = true;
        co_await send(socket, std::string{R"({"type":"welcome","session":"s","heartbeat_s":20,)"} +
                                  (paired ? R"("paired":true})" : R"("paired":false})"));
        if (!paired) {
          co_await send(socket, R"({"type":"pairing","code":"ABCD2345","command":"approve it"})");
          asio::steady_timer timer{loop_, std::chrono::milliseconds{300}};
          co_await timer.async_wait(asio::use_awaitable);
          co_await send(socket, R"({"type":"paired"})");
        }
      } else if (has("prompt.reply")) {
        co_await turn(socket, text.find("yes") != std::string::npos ? "yes" : "no");
      } else if (has("text") && text.find("ask me") != std::string::npos) {
        co_await send(socket,
                      R"({"type":"prompt","id":"q1","title":"Router","text":"Restart it?"})");
      } else if (has("text")) {
        const auto at = text.rfind("\"text\":\"") + 8;
        co_await turn(socket, text.substr(at, text.find('"', at) - at));
      } else if (has("audio.end")) {
        co_await send(socket, R"({"type":"transcript","text":"what was heard"})");
        co_await turn(socket, "something");
      }
    }
    const std::scoped_lock lock{mutex_};
    seen_.push_back("closed");
  }

  asio::io_context loop_{1};
  std::unique_ptr<wire::Listener> listener_;
  std::list<wire::WebSocket> sockets_;
  std::mutex mutex_;
  std::vector<std::string> seen_;
  std::size_t samples_ = 0;
  std::int16_t loudest_ = 0;
  std::thread thread_;
};

class Sim : public testing::Test {
 protected:
  Sim() {
    std::string folder = (std::filesystem::temp_directory_path() / "gadget-sim-XXXXXX").string();
    folder_ = mkdtemp(folder.data());
    options_.state = folder_ / "state";
    options_.quiet = true;
  }
  ~Sim() override { std::filesystem::remove_all(folder_); }

  int run(const std::string& url, const std::string& script) {
    options_.url = url;
    options_.script = folder_ / "script";
    std::ofstream{options_.script} << script;
    testing::internal::CaptureStderr();
    const int code = run_sim(options_);
    complaint_ = testing::internal::GetCapturedStderr();
    return code;
  }
  // Typed by a pipe instead of a script.
  int type(const std::string& url, const std::string& input) {
    options_.url = url;
    options_.script.clear();
    int pipe_ends[2];
    EXPECT_EQ(pipe(pipe_ends), 0);
    EXPECT_EQ(write(pipe_ends[1], input.data(), input.size()), static_cast<ssize_t>(input.size()));
    close(pipe_ends[1]);
    const int before = dup(STDIN_FILENO);
    dup2(pipe_ends[0], STDIN_FILENO);
    close(pipe_ends[0]);
    testing::internal::CaptureStderr();
    testing::internal::CaptureStdout();
    const int code = run_sim(options_);
    printed_ = testing::internal::GetCapturedStdout();
    complaint_ = testing::internal::GetCapturedStderr();
    dup2(before, STDIN_FILENO);
    close(before);
    return code;
  }

  std::filesystem::path folder_;
  SimOptions options_;
  std::string complaint_;
  std::string printed_;
};

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
