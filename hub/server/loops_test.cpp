// A whole hub in this process, on four loops, with devices that come and go at random, an owner who
// gives commands and settings that are read again: what ThreadSanitizer is to look at (label
// `threads`).
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <future>
#include <random>
#include <thread>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <gtest/gtest.h>
#include <unistd.h>

#include "hub/agent/echo.hpp"
#include "hub/server/daemon.hpp"
#include "protocol/identity.hpp"
#include "wire/client.hpp"
#include "wire/unix_socket.hpp"

namespace gadget::hub {
namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;

constexpr int kDevices = 200;
constexpr auto kUnrest = 4s;      // how long devices come and go
constexpr auto kPatience = 120s;  // longer than anything here takes, under a sanitizer too

// ---- The hub ----

class HubInProcess {
 public:
  HubInProcess() {
    std::string pattern = (std::filesystem::temp_directory_path() / "gadget-loops-XXXXXX").string();
    state_ = ::mkdtemp(pattern.data());
    DaemonOptions options;
    options.config.state = state_.string();
    options.config.port = 0;
    options.config.agent = "echo";
    options.config.hub_loops = 4;
    options.config.log_level = "error";
    options.config.max_unauthenticated_per_address = 2 * kDevices;
    options.make_agent = [](AgentHost&) { return std::make_unique<EchoAgent>(); };
    options.reload = [config = options.config, beat = 20]() mutable -> Result<Config> {
      config.heartbeat_s = beat == 20 ? 21 : 20;
      beat = static_cast<int>(config.heartbeat_s);
      return config;
    };
    options.ready = [this](const std::string& url) { ready_.set_value(url); };
    thread_ = std::thread(
        [this, options = std::move(options)]() mutable { ran_ = run_daemon(std::move(options)); });
    const std::string url = ready_.get_future().get();
    const auto colon = url.rfind(':');
    port_ = static_cast<std::uint16_t>(std::stoi(url.substr(colon + 1)));
  }
  ~HubInProcess() {
    if (thread_.joinable()) stop();
    std::error_code ignored;
    std::filesystem::remove_all(state_, ignored);
  }
  Result<void> stop() {
    ::kill(::getpid(), SIGTERM);
    thread_.join();
    return ran_;
  }
  [[nodiscard]] std::uint16_t port() const { return port_; }
  std::string owner(std::string_view method, std::string_view path, std::string_view body = {}) {
    const auto answer = wire::owner_request(state_, method, path, body, 60s);
    return answer ? answer->body : to_line(answer.error());
  }

 private:
  std::filesystem::path state_;
  std::promise<std::string> ready_;
  std::thread thread_;
  Result<void> ran_;
  std::uint16_t port_ = 0;
};

// ---- Devices ----

std::string member(std::string_view text, std::string_view name) {
  const auto at = text.find('"' + std::string(name) + "\":\"");
  if (at == std::string_view::npos) return {};
  const auto from = at + name.size() + 4;
  return std::string(text.substr(from, text.find('"', from) - from));
}

class Device {
 public:
  Device(int number, std::uint16_t port) : port_(port), random_(static_cast<unsigned>(number)) {
    std::array<std::byte, protocol::kKeyBytes> bytes{};
    bytes[0] = static_cast<std::byte>(number & 255);
    bytes[1] = static_cast<std::byte>(number >> 8);
    key_ = protocol::Key(bytes);
    id_ = protocol::device_id(key_);
  }

  [[nodiscard]] std::string id() const { return std::string(id_.text()); }

  // Comes, has turns, goes: by a close, without one, or by coming once more (E12).
  asio::awaitable<void> be_restless(std::chrono::steady_clock::time_point until) {
    while (std::chrono::steady_clock::now() < until) {
      auto socket = co_await come();
      if (!socket) continue;
      const int count = pick(3);
      for (int i = 0; i < count && socket; ++i) {
        if (!co_await turn(socket)) socket = {};
      }
      if (!socket) continue;
      const int how = pick(3);
      if (how == 0) co_await socket.close(1000, "leaving");
      if (how == 1) {  // a turn is in flight when it goes, its answer comes on another connection
        (void)co_await socket.write(R"({"type":"text","text":"bye"})");
      }
      if (how == 2 && replaced++ < kMostReplacements) {
        auto newer = co_await come();
        if (newer) turns += co_await turn(newer) ? 1 : 0;
      }
    }
    ended = true;
  }

  // Connects for good, and has one turn.
  asio::awaitable<void> settle_down() {
    for (int i = 0; i < 100 && !settled; ++i) {
      last_ = co_await come();
      if (last_) settled = co_await turn(last_);
    }
    if (settled) asio::co_spawn(co_await asio::this_coro::executor, await_end(), asio::detached);
  }

  int turns = 0;
  int replaced = 0;
  bool ended = false;
  bool settled = false;
  std::optional<wire::Closed> closed;

 private:
  // E12 refuses a seventh within a minute.
  static constexpr int kMostReplacements = 4;

  int pick(int below) { return static_cast<int>(random_() % static_cast<unsigned>(below)); }

  asio::awaitable<void> await_end() {
    for (;;) {
      auto message = co_await last_.read();
      if (message) continue;
      closed = message.error();
      co_return;
    }
  }

  // The next message of that type; empty: the connection ended.
  static asio::awaitable<std::string> next(wire::WebSocket& socket, std::string_view type) {
    for (;;) {
      auto message = co_await socket.read();
      if (!message) co_return std::string();
      const std::string text(message->text());
      if (member(text, "type") == type) co_return text;
    }
  }

  asio::awaitable<wire::WebSocket> come() {
    wire::ConnectOptions connect;
    connect.port = port_;
    auto opened = co_await wire::open_websocket(connect);
    if (!opened) co_return wire::WebSocket();
    wire::WebSocket socket = std::move(opened->socket);
    const std::string hello = R"({"type":"hello","proto":1,"device_id":")" + id() +
                              R"(","name":"d","board":"sim",)" + R"("firmware":"1.0.0"})";
    (void)co_await socket.write(hello);
    const std::string challenge = co_await next(socket, "challenge");
    std::string auth;
    if (challenge.find("\"enrolled\":true") != std::string::npos) {
      const auto mac = protocol::auth_mac(key_, id_.text(), member(challenge, "nonce"));
      auth = R"({"type":"auth","mac":")" + std::string(protocol::view(mac)) + R"("})";
    } else {
      auth = R"({"type":"auth","key":")" + std::string(protocol::view(protocol::key_text(key_))) +
             R"("})";
    }
    (void)co_await socket.write(auth);
    const std::string welcome = co_await next(socket, "welcome");
    if (welcome.empty()) co_return wire::WebSocket();
    co_return socket;
  }

  asio::awaitable<bool> turn(wire::WebSocket& socket) {
    const std::string mark = "m" + std::to_string(++said_);
    const std::string text = R"({"type":"text","text":")" + mark + R"("})";
    (void)co_await socket.write(text);
    for (;;) {  // turns that were in flight end before
      const std::string reply = co_await next(socket, "reply");
      if (reply.empty()) co_return false;
      if (member(reply, "text") == "You said: " + mark) break;
    }
    const std::string end = co_await next(socket, "turn.end");
    ++turns;
    co_return member(end, "outcome") == "success";
  }

  const std::uint16_t port_;
  std::minstd_rand random_;
  protocol::Key key_;
  DeviceId id_;
  wire::WebSocket last_;
  int said_ = 0;
};

// ---- The test ----

class Loops : public ::testing::Test {
 protected:
  // Runs the devices' loop until that holds.
  void run_until(const std::function<bool()>& done) {
    const auto end = std::chrono::steady_clock::now() + kPatience;
    while (!done() && std::chrono::steady_clock::now() < end) {
      devices_loop_.restart();
      devices_loop_.run_for(20ms);
    }
    ASSERT_TRUE(done()) << "it never came to that";
  }
  bool all(bool Device::*member) const {
    return std::all_of(devices_.begin(), devices_.end(),
                       [member](const auto& device) { return (*device).*member; });
  }

  HubInProcess hub_;
  asio::io_context devices_loop_{1};
  std::vector<std::unique_ptr<Device>> devices_;
};

TEST_F(Loops, DevicesThatComeAndGoOnAnyLoopLoseNothing) {
  for (int i = 0; i < kDevices; ++i) {
    devices_.push_back(std::make_unique<Device>(i, hub_.port()));
    const std::string body = R"({"code_or_id":")" + devices_.back()->id() + R"("})";
    ASSERT_NE(hub_.owner("POST", "/v1/pairing/approve", body).find("device"), std::string::npos);
  }
  const auto until = std::chrono::steady_clock::now() + kUnrest;
  for (const auto& device : devices_) {
    asio::co_spawn(devices_loop_, device->be_restless(until), asio::detached);
  }
  std::atomic<bool> quiet = false;
  std::thread owner([&] {
    for (int i = 0; !quiet; ++i) {
      const std::string one = devices_[static_cast<std::size_t>(i) % devices_.size()]->id();
      const auto call = [&](const char* path, const std::string& more) {
        EXPECT_NE(hub_.owner("POST", path, R"({"device":")" + one + '"' + more + "}"), "");
      };
      call("/v1/say", R"(,"text":"hello")");
      call("/v1/show", R"(,"title":"t","body":"b")");
      call("/v1/rename", R"(,"name":"n")");
      if (i % 8 == 0) {
        EXPECT_NE(hub_.owner("GET", "/v1/devices"), "");
      }
      if (i % 4 == 0) ::kill(::getpid(), SIGHUP);
    }
  });
  run_until([&] { return all(&Device::ended); });
  quiet = true;
  owner.join();

  for (const auto& device : devices_) {
    asio::co_spawn(devices_loop_, device->settle_down(), asio::detached);
  }
  run_until([&] { return all(&Device::settled); });
  int turns = 0;
  for (const auto& device : devices_) turns += device->turns;
  EXPECT_GT(turns, 2 * kDevices);
  EXPECT_NE(hub_.owner("GET", "/v1/info").find("\"online\":200"), std::string::npos)
      << hub_.owner("GET", "/v1/info");

  // E2: everybody hears why.
  auto stopped = std::async(std::launch::async, [&] { return hub_.stop(); });
  run_until([&] {
    return std::all_of(devices_.begin(), devices_.end(),
                       [](const auto& device) { return device->closed.has_value(); });
  });
  EXPECT_TRUE(stopped.get());
  for (const auto& device : devices_) {
    EXPECT_EQ(device->closed->code, 1001) << wire::to_line(*device->closed);
  }
}

}  // namespace
}  // namespace gadget::hub
