// A hub under a supervisor (systemd): readiness, the watchdog, settings read again on SIGHUP.
#include <fstream>

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "cli/daemon_test_support.hpp"

namespace gadget::testing {
namespace {

using Supervised = Daemon;

// The socket on which systemd listens.
class NotifySocket {
 public:
  explicit NotifySocket(const fs::path& folder) : path_((folder / "notify").string()) {
    fd_ = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path_.copy(address.sun_path, sizeof address.sun_path - 1);
    EXPECT_EQ(::bind(fd_, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  }
  ~NotifySocket() { ::close(fd_); }
  NotifySocket(const NotifySocket&) = delete;
  NotifySocket& operator=(const NotifySocket&) = delete;

  // The next state that comes within ten seconds; empty: none.
  std::string next() const {
    pollfd ready{fd_, POLLIN, 0};
    if (::poll(&ready, 1, 10'000) != 1) return {};
    char text[256];
    const ssize_t size = ::recv(fd_, text, sizeof text, 0);
    return {text, static_cast<std::size_t>(std::max<ssize_t>(size, 0))};
  }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
  int fd_ = -1;
};

TEST_F(Supervised, SaysThatItIsReadyAliveAndStopping) {
  const NotifySocket socket(folder_);
  start({"--set", "hub.loops=4"}, {{"NOTIFY_SOCKET", socket.path()}, {"WATCHDOG_USEC", "3000000"}});
  std::vector<std::string> states;
  while (std::count(states.begin(), states.end(), "WATCHDOG=1") < 2) {
    states.push_back(socket.next());
    ASSERT_NE(states.back(), "");
  }
  EXPECT_EQ(std::count(states.begin(), states.end(), "READY=1"), 1);
  hub_->signal(SIGTERM);
  EXPECT_EQ(hub_->wait(), 0);
  std::string last = socket.next();
  while (last == "WATCHDOG=1") last = socket.next();
  EXPECT_EQ(last, "STOPPING=1");
}

TEST_F(Supervised, WithoutAWatchdogNothingIsSaidOfBeingAlive) {
  const NotifySocket socket(folder_);
  start({}, {{"NOTIFY_SOCKET", socket.path()}});
  EXPECT_EQ(socket.next(), "READY=1");
  hub_->signal(SIGTERM);
  EXPECT_EQ(socket.next(), "STOPPING=1");
}

class Reload : public Daemon {
 protected:
  void write(const std::string& text) const { std::ofstream(file()) << text; }
  std::string file() const { return (folder_ / "hub.toml").string(); }
  // Sends SIGHUP and returns the line that says what it did.
  std::string reload() {
    hub_->poll();
    const std::size_t before = hub_->err_text.size();
    hub_->signal(SIGHUP);
    for (int i = 0; i < 200; ++i) {
      hub_->poll();
      const auto at = hub_->err_text.find("event=config.reload", before);
      if (at != std::string::npos && hub_->err_text.find('\n', at) != std::string::npos) {
        return hub_->err_text.substr(at, hub_->err_text.find('\n', at) - at);
      }
      ::usleep(20'000);
    }
    return "no line about it";
  }
};

TEST_F(Reload, TakesOverWhatCanChangeAndNamesWhatWaits) {
  write("heartbeat_s = 20\n");
  start({"--config", file()});
  write("heartbeat_s = 30\nport = 9999\nspeak_replies = false\n");
  // The port of the command line counts, so the file's is no change.
  EXPECT_EQ(reload(),
            "event=config.reload changed=heartbeat_s,speak_replies waits_for_restart=nothing");
  write(
      "heartbeat_s = 30\nagent = \"builtin\"\nspeech_profile = \"minimal\"\nspeak_replies = "
      "true\n");
  EXPECT_EQ(reload(), "event=config.reload changed=speak_replies waits_for_restart=speech_profile");
  EXPECT_EQ(owner({"info"}).code, 0);
  // What waits is not taken over by the next reload either.
  EXPECT_EQ(reload(), "event=config.reload changed=nothing waits_for_restart=speech_profile");
}

TEST_F(Reload, AMistakeChangesNothing) {
  write("heartbeat_s = 20\n");
  start({"--config", file()});
  write("heartbeat_s = 600\n");
  EXPECT_TRUE(contains(reload(), "nothing changed"));
  write("timezone = \"Mars/Olympus\"\n");
  EXPECT_TRUE(contains(reload(), "Mars/Olympus"));
  fs::remove(file());
  EXPECT_TRUE(contains(reload(), "hub.toml"));
  EXPECT_EQ(owner({"info"}).code, 0);
  write("heartbeat_s = 21\n");
  EXPECT_EQ(reload(), "event=config.reload changed=heartbeat_s waits_for_restart=nothing");
}

TEST_F(Reload, ConfigCheckTriesAFile) {
  write("heartbeat_s = 20\n");
  const Ran good = run({kProgram, "config", "check", "--config", file()});
  EXPECT_EQ(good.code, 0) << good.err;
  EXPECT_EQ(good.out, "the settings are good\n");
  write("heartbeat_s = 600\n");
  const Ran bad = run({kProgram, "config", "check", "--config", file()});
  EXPECT_EQ(bad.code, 2);
  EXPECT_TRUE(contains(bad.err, "heartbeat_s")) << bad.err;
  EXPECT_EQ(bad.out, "");
  write("timezone = \"Mars/Olympus\"\n");
  EXPECT_EQ(run({kProgram, "config", "check", "--config", file()}).code, 2);
}

// The whole answer to a GET, as it came.
std::string http_get(const std::string& port, const std::string& path) {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(std::stoi(port)));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  std::string answer;
  if (::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) {
    const std::string request = "GET " + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n";
    (void)::send(fd, request.data(), request.size(), MSG_NOSIGNAL);
    char piece[4096];
    for (ssize_t got = 1; got > 0;) {
      got = ::recv(fd, piece, sizeof piece, 0);
      if (got > 0) answer.append(piece, static_cast<std::size_t>(got));
    }
  }
  ::close(fd);
  return answer;
}

TEST_F(Supervised, MetricsAndHealthHaveAPortOfTheirOwn) {
  start({"--set", "metrics_listen=127.0.0.1:0", "--set", "hub_loops=3"});
  std::string port;
  for (int i = 0; i < 200 && port.empty(); ++i, ::usleep(10'000)) {
    hub_->poll();
    const auto at = hub_->err_text.find("url=http://127.0.0.1:");
    const auto end = hub_->err_text.find("/metrics", at);
    if (end != std::string::npos) port = hub_->err_text.substr(at + 21, end - at - 21);
  }
  ASSERT_NE(port, "") << hub_->err_text;
  EXPECT_TRUE(http_get(port, "/healthz").starts_with("HTTP/1.1 200")) << http_get(port, "/healthz");
  const std::string page = http_get(port, "/metrics");
  EXPECT_TRUE(contains(page, "\ngadget_devices_enrolled 0\n")) << page;
  EXPECT_TRUE(contains(page, "\ngadget_loop_connections{loop=\"2\"} 0\n")) << page;
  EXPECT_TRUE(contains(page, "\nprocess_cpu_seconds_total ")) << page;
}

TEST_F(Supervised, APlaceForMetricsThatCannotBeIsSaid) {
  refuses({"--set", "metrics_listen=:", "--state", state()}, 2, "metrics_listen");
  refuses({"--set", "metrics_listen=203.0.113.7:9464", "--state", state()}, 2, "metrics_listen");
}

}  // namespace
}  // namespace gadget::testing
