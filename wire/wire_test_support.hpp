// wire_test_support.hpp - for the tests of this room: a loop that runs one coroutine to its end, an
// echo server, and certificates made on the spot.
#pragma once

#include <chrono>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <functional>
#include <list>
#include <memory>
#include <string>
#include <vector>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <gtest/gtest.h>

#include "wire/client.hpp"
#include "wire/raw.hpp"
#include "wire/server.hpp"

namespace gadget::wire::test {

using namespace std::chrono_literals;
template <class T = void>
using Task = boost::asio::awaitable<T>;

// Longer than anything here takes, also under sanitizers on a busy machine.
inline constexpr auto kPatience = 20s;

class Loop {
 public:
  boost::asio::io_context context{1};

  // Runs the loop until `task` has ended.
  void run(std::function<Task<>()> task) {
    std::exception_ptr thrown;
    bool done = false;
    boost::asio::co_spawn(context, std::move(task), [&](std::exception_ptr error) {
      thrown = error;
      done = true;
      context.stop();
    });
    context.restart();
    context.run_for(60s);
    EXPECT_TRUE(done) << "the test's coroutine did not end";
    if (thrown) std::rethrow_exception(thrown);
  }
  static Task<> sleep(std::chrono::milliseconds time) {
    boost::asio::steady_timer timer{co_await boost::asio::this_coro::executor, time};
    co_await timer.async_wait(boost::asio::use_awaitable);
  }
};

// Echoes every message and keeps what it saw.
struct EchoServer {
  explicit EchoServer(boost::asio::io_context& context, ListenOptions options = {}) {
    options.port = 0;
    ListenerCalls calls;
    calls.decide = [this](const HttpRequest& request) { return decide(request); };
    calls.arrived = [this, &context](WebSocket socket, HttpRequest request, std::string protocol) {
      requests.push_back(std::move(request));
      protocols.push_back(std::move(protocol));
      sockets.push_back(std::move(socket));
      boost::asio::co_spawn(context, echo(this, &sockets.back()), boost::asio::detached);
    };
    calls.observe = [this](const ListenerEvent& event) {
      events.push_back(std::string{name(event.kind)});
    };
    auto opened = Listener::open(context.get_executor(), std::move(options), std::move(calls));
    if (!opened) throw std::runtime_error(opened.error().text);
    listener = std::move(*opened);
  }

  Decision decide(const HttpRequest& request) const {
    if (request.path() != "/gadget") return plain_response(404, "Not here.");
    if (!request.wants_websocket()) return upgrade_required();
    for (const auto& protocol : request.subprotocols()) {
      if (protocol == "hermes-gadget.v1") return Upgrade{protocol, forwarded};
    }
    return Upgrade{"", forwarded};
  }

  static Task<> echo(EchoServer* self, WebSocket* socket) {
    if (self->prepare) self->prepare(*socket);
    for (;;) {
      auto message = co_await socket->read();
      if (!message) {
        self->closed.push_back(message.error());
        co_return;
      }
      self->messages.push_back(std::string{message->text()});
      self->kinds.push_back(message->kind);
      if (self->silent) continue;
      auto written = co_await socket->write(message->kind, message->bytes);
      if (!written) {
        self->closed.push_back(written.error());
        co_return;
      }
    }
  }

  // Waits until `count` connections have ended.
  Task<> until_closed(std::size_t count) {
    for (int i = 0; i < 2000 && closed.size() < count; ++i) co_await Loop::sleep(5ms);
    EXPECT_GE(closed.size(), count);
  }

  ConnectOptions address() const {
    ConnectOptions options;
    options.port = listener->port();
    options.timeout = kPatience;
    return options;
  }

  std::unique_ptr<Listener> listener;
  std::list<WebSocket> sockets;
  std::vector<HttpRequest> requests;
  std::vector<std::string> protocols;
  std::vector<std::string> messages;
  std::vector<MessageKind> kinds;
  std::vector<Closed> closed;
  std::vector<std::string> events;
  std::function<void(WebSocket&)> prepare;
  std::string forwarded;
  bool silent = false;
};

inline std::string unhex(std::string_view hex) {
  std::string out;
  std::string digits;
  for (const char c : hex) {
    if (c == ' ') continue;
    digits += c;
    if (digits.size() == 2) {
      out += static_cast<char>(std::stoi(digits, nullptr, 16));
      digits.clear();
    }
  }
  return out;
}

// A folder of its own, removed at the end.
struct Folder {
  Folder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "gadget-wire-XXXXXX").string();
    path = ::mkdtemp(pattern.data());
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::filesystem::path path;
};

}  // namespace gadget::wire::test
