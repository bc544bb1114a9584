// sim_test_support.hpp - a little hub on a real socket, and a folder in which gadgets run.
#pragma once

#include <filesystem>
#include <fstream>
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

#include "ports/desktop/sim.hpp"
#include "protocol/audio_assembler.hpp"
#include "protocol/binary_frame.hpp"
#include "protocol/codec.hpp"
#include "wire/server.hpp"

namespace gadget::ports::desktop::test {

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

class SimTest : public testing::Test {
 protected:
  SimTest() {
    std::string folder = (std::filesystem::temp_directory_path() / "gadget-sim-XXXXXX").string();
    folder_ = mkdtemp(folder.data());
    options_.state = folder_ / "state";
    options_.quiet = true;
  }
  ~SimTest() override { std::filesystem::remove_all(folder_); }

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

}  // namespace gadget::ports::desktop::test
