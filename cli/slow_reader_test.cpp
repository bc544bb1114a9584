// B-32, E2: a device that authenticates and then never reads costs the hub a bounded amount of
// memory and in the end its connection; another device does not notice.
#include <array>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <gtest/gtest.h>

#include "cli/process_test_support.hpp"
#include "protocol/identity.hpp"
#include "wire/client.hpp"

namespace gadget::testing {
namespace {

namespace asio = boost::asio;
namespace fs = std::filesystem;

// A sanitizer keeps what was freed.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kMemoryCounts = false;
#else
constexpr bool kMemoryCounts = true;
#endif

// A device as far as this test needs one. Every call blocks.
class Device {
 public:
  Device(std::uint16_t port, std::byte seed, int receive_buffer_bytes) {
    std::array<std::byte, protocol::kKeyBytes> bytes{};
    bytes.fill(seed);
    key_ = protocol::Key(bytes);
    const auto id = protocol::device_id(key_);
    id_ = std::string(id.text());
    wire::ConnectOptions connect;
    connect.port = port;
    connect.receive_buffer_bytes = receive_buffer_bytes;
    auto opened = await(wire::open_websocket(connect));
    EXPECT_TRUE(opened) << opened.error().failure.text;
    if (opened) socket_ = std::move(opened->socket);
  }
  void enrol() {
    send("{\"type\":\"hello\",\"proto\":1,\"device_id\":\"" + id_ +
         "\",\"caps\":{\"display\":{\"charset\":\"utf-8\"}}}");
    EXPECT_NE(receive().find("challenge"), std::string::npos);
    const auto key = protocol::key_text(key_);
    send("{\"type\":\"auth\",\"key\":\"" + std::string(protocol::view(key)) + "\"}");
    EXPECT_NE(receive().find("welcome"), std::string::npos);
  }
  void send(const std::string& text) { EXPECT_TRUE(await(socket_.write(std::string_view(text)))); }
  // The next message; empty when the connection has ended, closed() says how.
  std::string receive() {
    auto message = await(socket_.read());
    if (!message) {
      closed_ = message.error();
      return {};
    }
    return std::string(message->text());
  }
  [[nodiscard]] const std::string& id() const { return id_; }
  [[nodiscard]] const wire::Closed& closed() const { return closed_; }

 private:
  template <class T>
  T await(asio::awaitable<T> operation) {
    std::optional<T> result;
    asio::co_spawn(loop_, std::move(operation), [&](const std::exception_ptr& error, T value) {
      if (error) std::rethrow_exception(error);
      result = std::move(value);
    });
    loop_.restart();
    loop_.run_for(kPatience);
    if (!result) throw std::runtime_error("nothing came in time");
    return std::move(*result);
  }

  asio::io_context loop_{1};
  protocol::Key key_;
  std::string id_;
  wire::WebSocket socket_;
  wire::Closed closed_;
};

std::size_t resident_kb(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/statm");
  std::size_t pages = 0;
  std::size_t resident = 0;
  file >> pages >> resident;
  return resident * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)) / 1024;
}

TEST(SlowReader, E2_B32_IsClosedWith1013AndCostsTheOthersNothing) {
  std::string pattern = (fs::temp_directory_path() / "gadget-slow-XXXXXX").string();
  ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
  const std::string state = pattern + "/state";
  Process hub({GADGET_PROGRAM, "hub", "--agent", "echo", "--port", "0", "--state", state});
  const std::string ready = hub.line().value_or("");
  const auto colon = ready.rfind(':');
  ASSERT_NE(colon, std::string::npos) << hub.err_text;
  const auto port = static_cast<std::uint16_t>(std::stoi(ready.substr(colon + 1)));

  Device slow(port, std::byte{1}, 4096);
  Device other(port, std::byte{2}, 0);
  for (Device* device : {&slow, &other}) {
    const Ran approved =
        run({GADGET_PROGRAM, "pairing", "approve", "gadget", device->id(), "--state", state});
    ASSERT_EQ(approved.code, 0) << approved.err;
    device->enrol();
  }
  const std::size_t before_kb = resident_kb(hub.pid());

  // Some 60 kB a card. The kernel takes the first ones, the outbox 1 MiB, then it is enough.
  const std::string card(60'000, 'x');
  bool gone = false;
  for (int n = 0; n < 200 && !gone; ++n) {
    const Ran shown = run({GADGET_PROGRAM, "show", slow.id(), "card", card, "--state", state});
    gone = shown.code != 0;
    ASSERT_TRUE(!gone || shown.err.find("not connected") != std::string::npos) << shown.err;
  }
  hub.poll();
  EXPECT_NE(hub.err_text.find("too slow"), std::string::npos) << hub.err_text;
  EXPECT_TRUE(gone) << hub.err_text;
  if (kMemoryCounts) {
    EXPECT_LT(resident_kb(hub.pid()), before_kb + 24 * 1024);
  }

  // The other one is answered at once all the while.
  other.send("{\"type\":\"text\",\"text\":\"still there?\"}");
  std::string reply;
  while (reply.find("\"reply\"") == std::string::npos) {
    reply = other.receive();
    ASSERT_FALSE(reply.empty());
  }
  EXPECT_NE(reply.find("still there?"), std::string::npos);

  hub.signal(SIGTERM);
  while (!other.receive().empty()) {
  }
  EXPECT_EQ(other.closed().code, 1001);  // E2
  EXPECT_EQ(other.closed().reason, "server stopping");
  EXPECT_EQ(hub.wait(), 0) << hub.err_text;
  std::error_code ignored;
  fs::remove_all(pattern, ignored);
}

}  // namespace
}  // namespace gadget::testing
