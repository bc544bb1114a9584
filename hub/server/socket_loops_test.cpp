// Loops with real threads and sockets: who listens, and who notices when one stands still.
#include "hub/server/socket_loops.hpp"

#include <future>
#include <thread>

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

namespace gadget::hub {
namespace {

using namespace std::chrono_literals;

class SocketLoopsTest : public ::testing::Test {
 protected:
  SocketLoops make(std::int64_t loops) {
    return SocketLoops(loops, {.hub = nullptr,  // no WebSocket comes
                               .loop = &loop_,
                               .clock = &clock_,
                               .log = &log_,
                               .settle = [] {}});
  }
  // One that asks for a page, which is refused, and closes.
  static void ask(std::uint16_t port) {
    const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    ASSERT_EQ(::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    const std::string request =
        "GET / HTTP/1.1\r\nHost: 10.9.9.9:" + std::to_string(port) + "\r\n\r\n";
    EXPECT_EQ(::send(fd, request.data(), request.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(request.size()));
    ::close(fd);
  }

  boost::asio::io_context loop_{1};
  Clock clock_;
  Log log_{"error", [this] { return clock_.now_ms(); }, [](LogFact::Level, std::string_view) {}};
};

TEST_F(SocketLoopsTest, AllListenOnOnePortThatNobodyElseGets) {
  auto loops = make(4);
  wire::ListenOptions options;
  options.port = 0;
  ASSERT_TRUE(loops.listen(options));
  EXPECT_EQ(loops.loads().size(), 3U);
  options.port = loops.port();
  for (const std::int64_t count : {1, 4}) {
    auto others = make(count);
    const auto taken = others.listen(options);
    ASSERT_FALSE(taken) << count;
    EXPECT_EQ(taken.error().code, FailureCode::unavailable);
  }
}

TEST_F(SocketLoopsTest, OneLoopHasNoThreadAndNeverStalls) {
  auto loops = make(1);
  wire::ListenOptions options;
  options.port = 0;
  ASSERT_TRUE(loops.listen(options));
  loops.admit_by({});
  loops.start();
  EXPECT_EQ(loops.loads().size(), 1U);
  EXPECT_TRUE(loops.stalled().empty());
}

TEST_F(SocketLoopsTest, ALoopThatStandsStillIsNoticed) {
  auto loops = make(3);
  wire::ListenOptions options;
  options.host = "0.0.0.0";
  options.port = 0;
  ASSERT_TRUE(loops.listen(options));
  std::promise<void> release;
  const auto released = release.get_future().share();
  std::atomic<bool> blocked = false;
  AdmissionOptions admission;
  admission.host = "0.0.0.0";
  admission.port = loops.port();
  admission.own_addresses = [&] {
    if (!blocked.exchange(true)) released.wait();  // the first that is asked
    return std::vector<std::string>{};
  };
  loops.admit_by(admission);
  loops.start();
  ask(loops.port());
  while (!blocked) std::this_thread::sleep_for(1ms);
  EXPECT_TRUE(loops.stalled().empty());
  std::vector<std::size_t> stalled;
  for (int i = 0; i < 200 && stalled.empty(); ++i) {
    std::this_thread::sleep_for(50ms);
    stalled = loops.stalled();
  }
  ASSERT_EQ(stalled.size(), 1U);
  EXPECT_TRUE(stalled[0] == 2 || stalled[0] == 3);
  release.set_value();
  for (int i = 0; i < 200 && !loops.stalled().empty(); ++i) std::this_thread::sleep_for(50ms);
  EXPECT_TRUE(loops.stalled().empty());
}

}  // namespace
}  // namespace gadget::hub
