// B-32, E2: a device that authenticates and then never reads costs the hub a bounded amount of
// memory and in the end its connection; another device does not notice.
#include <array>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <gtest/gtest.h>

#include "base/files.hpp"
#include "cli/process_test_support.hpp"
#include "media/png.hpp"
#include "protocol/identity.hpp"
#include "wire/client.hpp"
#include "wire/unix_socket.hpp"

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
  // How another connection is turned away.
  static wire::UpgradeRefused refused(std::uint16_t port) {
    Device device;
    wire::ConnectOptions connect;
    connect.port = port;
    auto opened = device.await(wire::open_websocket(connect));
    return opened ? wire::UpgradeRefused{} : opened.error();
  }
  void enrol() {
    send("{\"type\":\"hello\",\"proto\":1,\"device_id\":\"" + id_ +
         "\",\"caps\":{\"display\":{\"charset\":\"utf-8\",\"image\":"
         "{\"width\":1400,\"height\":1400,\"format\":\"rgb565\"}}}}");
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
  Device() = default;
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

// Its parameter is `hub_loops`.
class RealSocket : public ::testing::TestWithParam<int> {
 protected:
  RealSocket() {
    std::string pattern = (fs::temp_directory_path() / "gadget-socket-XXXXXX").string();
    EXPECT_NE(::mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
    state_ = (folder_ / "state").string();
  }
  ~RealSocket() override {
    hub_.reset();
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }
  // Starts a hub and returns its port.
  std::uint16_t start(std::vector<std::string> further = {}) {
    std::vector<std::string> words{GADGET_PROGRAM, "hub", "--agent", "echo",
                                   "--port",       "0",   "--state", state_};
    words.insert(words.end(), further.begin(), further.end());
    words.insert(words.end(), {"--set", "hub_loops=" + std::to_string(GetParam())});
    hub_.emplace(std::move(words));
    const std::string ready = hub_->line().value_or("");
    const auto colon = ready.rfind(':');
    if (colon == std::string::npos) throw std::runtime_error("no hub: " + hub_->err_text);
    return static_cast<std::uint16_t>(std::stoi(ready.substr(colon + 1)));
  }
  Ran owner(std::vector<std::string> words) {
    words.insert(words.begin(), GADGET_PROGRAM);
    words.insert(words.end(), {"--state", state_});
    return run(std::move(words));
  }

  fs::path folder_;
  std::string state_;
  std::optional<Process> hub_;
};

INSTANTIATE_TEST_SUITE_P(OnLoops, RealSocket, ::testing::Values(1, 4));

TEST_P(RealSocket, E3_AtTheCapOfAnAddressANewcomerGets503) {
  const std::uint16_t port = start({"--set", "max_unauthenticated_per_address=2"});
  Device first(port, std::byte{1}, 0);
  Device second(port, std::byte{2}, 0);
  const auto third = Device::refused(port);
  EXPECT_EQ(third.status, 503U);
  EXPECT_GT(third.retry_after_s, 0);
  // Whoever has authenticated holds no place.
  ASSERT_EQ(owner({"pairing", "approve", "gadget", first.id()}).code, 0);
  first.enrol();
  Device fourth(port, std::byte{3}, 0);
  EXPECT_EQ(Device::refused(port).status, 503U);
}

// E2, B-32: a device that authenticates and then never reads costs the hub a bounded amount of
// memory and in the end its connection; another device does not notice.
TEST_P(RealSocket, E2_B32_ASlowReaderIsClosedAndCostsTheOthersNothing) {
  const std::uint16_t port = start();
  Device slow(port, std::byte{1}, 4096);
  Device other(port, std::byte{2}, 0);
  for (Device* device : {&slow, &other}) {
    const Ran approved = owner({"pairing", "approve", "gadget", device->id()});
    ASSERT_EQ(approved.code, 0) << approved.err;
    device->enrol();
  }
  const std::size_t before_kb = resident_kb(hub_->pid());

  // Some 60 kB a card. The kernel takes the first ones, the outbox 1 MiB, then it is enough.
  const std::string card(60'000, 'x');
  bool gone = false;
  for (int n = 0; n < 200 && !gone; ++n) {
    const Ran shown = owner({"show", slow.id(), "card", card});
    gone = shown.code != 0;
    ASSERT_TRUE(!gone || shown.err.find("not connected") != std::string::npos) << shown.err;
  }
  hub_->poll();
  EXPECT_NE(hub_->err_text.find("socket.too_slow"), std::string::npos) << hub_->err_text;
  EXPECT_TRUE(gone) << hub_->err_text;
  if (kMemoryCounts) {
    EXPECT_LT(resident_kb(hub_->pid()), before_kb + 24 * 1024);
  }

  // The other one is answered at once all the while.
  other.send("{\"type\":\"text\",\"text\":\"still there?\"}");
  std::string reply;
  while (reply.find("\"reply\"") == std::string::npos) {
    reply = other.receive();
    ASSERT_FALSE(reply.empty());
  }
  EXPECT_NE(reply.find("still there?"), std::string::npos);

  hub_->signal(SIGTERM);
  while (!other.receive().empty()) {
  }
  EXPECT_EQ(other.closed().code, 1001);  // E2
  EXPECT_EQ(other.closed().reason, "server stopping");
  EXPECT_EQ(hub_->wait(), 0) << hub_->err_text;
}

// E2: whoever does not answer the close gets a second for it, nobody waits longer.
TEST_P(RealSocket, E2_StoppingWaitsASecondForADeviceThatDoesNotAnswer) {
  const std::uint16_t port = start();
  Device silent(port, std::byte{1}, 0);
  ASSERT_EQ(owner({"pairing", "approve", "gadget", silent.id()}).code, 0);
  silent.enrol();  // and from here on its loop does not run
  const auto before = std::chrono::steady_clock::now();
  hub_->signal(SIGTERM);
  EXPECT_EQ(hub_->wait(), 0) << hub_->err_text;
  const auto took = std::chrono::steady_clock::now() - before;
  EXPECT_GE(took, std::chrono::milliseconds(900));
  if (kMemoryCounts) {  // not under a sanitizer, which ends slowly
    EXPECT_LT(took, std::chrono::milliseconds(2'500));
  }
  while (!silent.receive().empty()) {
  }
  EXPECT_EQ(silent.closed().code, 1001);
}

// The largest box's worth of pixels: 3.9 MB, more than kernel and outbox take.
std::string large_picture(const fs::path& folder) {
  const std::string path = (folder / "large.png").string();
  const auto png = media::encode_png({1400, 1400, std::vector<std::uint8_t>(3UL * 1400 * 1400, 9)});
  EXPECT_TRUE(png && files::write(path, *png));
  return path;
}

TEST_P(RealSocket, D2_WhatIsSaidOvertakesAPictureOnASlowLink) {
  const std::uint16_t port = start();
  Device device(port, std::byte{1}, 4096);
  ASSERT_EQ(owner({"pairing", "approve", "gadget", device.id()}).code, 0);
  device.enrol();
  Process image({GADGET_PROGRAM, "image", device.id(), large_picture(folder_), "--state", state_});
  while (device.receive().find("image.start") == std::string::npos) {
  }
  ASSERT_EQ(owner({"show", device.id(), "card", "now"}).code, 0);
  std::size_t before_card = 0;
  std::size_t in_all = 0;
  bool shown = false;
  for (std::string message = device.receive();; message = device.receive()) {
    ASSERT_FALSE(message.empty());
    if (message.find("image.end") != std::string::npos) break;
    if (message.find("\"display\"") != std::string::npos) shown = true;
    if (message.front() == '{') continue;
    in_all += message.size() - 4;
    if (!shown) before_card += message.size() - 4;
  }
  EXPECT_EQ(in_all, 2UL * 1400 * 1400);
  EXPECT_TRUE(shown);
  EXPECT_LT(before_card, in_all / 2);  // what the kernel had already
  EXPECT_EQ(image.wait(), 0) << image.err_text;
}

TEST_P(RealSocket, E2_B32_APictureForADeviceThatNeverReadsEnds) {
  const std::uint16_t port = start({"--test-clock"});
  Device device(port, std::byte{1}, 4096);
  ASSERT_EQ(owner({"pairing", "approve", "gadget", device.id()}).code, 0);
  device.enrol();
  const std::string picture = large_picture(folder_);
  const std::size_t before_kb = resident_kb(hub_->pid());
  Process image({GADGET_PROGRAM, "image", device.id(), picture, "--state", state_});
  std::string start;
  while (start.find("image.start") == std::string::npos) start = device.receive();
  // From here on it reads nothing: 10 s without a byte taken, and it is too slow.
  for (int step = 0; step < 100 && hub_->err_text.find("socket.too_slow") == std::string::npos;
       ++step) {
    const auto moved = wire::owner_request(state_, "POST", "/v1/test/advance", "{\"seconds\":4}");
    ASSERT_TRUE(moved && moved->status == 200);
    hub_->poll();
  }
  EXPECT_EQ(image.wait(), 1);
  EXPECT_NE(image.err_text.find("the device went away"), std::string::npos) << image.err_text;
  EXPECT_NE(hub_->err_text.find("socket.too_slow"), std::string::npos) << hub_->err_text;
  if (kMemoryCounts) {
    EXPECT_LT(resident_kb(hub_->pid()), before_kb + 24 * 1024);
  }
}

}  // namespace
}  // namespace gadget::testing
