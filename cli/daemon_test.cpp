// The real program as its owner meets it: a hub that starts, answers, stops, and says in one line
// what is wrong. What devices meet is in conformance/scenarios.
#include <chrono>
#include <fstream>

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "cli/daemon_test_support.hpp"
#include "conformance/pattern.hpp"
#include "hub/store/store.hpp"
#include "protocol/identity.hpp"

namespace gadget::testing {
namespace {

TEST_F(Daemon, StartsAnswersItsOwnerAndStops) {
  const std::string url = start();
  EXPECT_TRUE(url.ends_with("/gadget")) << url;

  const Ran info = owner({"info"});
  EXPECT_EQ(info.code, 0) << info.err;
  EXPECT_TRUE(contains(info.out, url)) << info.out;
  EXPECT_TRUE(contains(owner({"info", "--json"}).out, "\"url\":\"" + url + "\""));
  EXPECT_EQ(owner({"devices", "--json"}).out, "[]\n");
  EXPECT_EQ(owner({"pairing", "list", "--json"}).out, "[]\n");

  hub_->signal(SIGTERM);
  EXPECT_EQ(hub_->wait(), 0) << hub_->err_text;
  EXPECT_EQ(hub_->out_text, "ready " + url + "\n");  // once, and nothing else
  EXPECT_TRUE(contains(hub_->err_text, "event=hub.stopped")) << hub_->err_text;
  EXPECT_FALSE(fs::exists(fs::path(state()) / "owner.sock"));
  EXPECT_EQ(owner({"info"}).code, 3);
}

TEST_F(Daemon, CtrlCStopsItToo) {
  start();
  hub_->signal(SIGINT);
  EXPECT_EQ(hub_->wait(), 0) << hub_->err_text;
}

// B-82: it waits for none of them.
TEST_F(Daemon, IsReadyWithinASecondWith1000EnrolledAndNoneThere) {
  fs::create_directories(state());
  {
    auto store = hub::Store::open(fs::path(state()) / "hub.db");
    ASSERT_TRUE(store) << store.error().text;
    ASSERT_TRUE((*store)->transaction([&]() -> Result<void> {
      for (int i = 0; i < 1000; ++i) {
        hub::DeviceRecord record;
        record.key = conformance::key_of("gadget " + std::to_string(i));
        record.id = protocol::device_id(record.key);
        record.approved = true;
        if (auto enrolled = (*store)->enrol(record); !enrolled) return enrolled;
      }
      return {};
    }));
  }
  const auto begin = std::chrono::steady_clock::now();
  (void)start();
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(1));
  EXPECT_TRUE(contains(owner({"info", "--json"}).out, "1000")) << owner({"info", "--json"}).out;
}

TEST_F(Daemon, AHubThatWasKilledLeavesNothingInTheWay) {
  start();
  hub_->signal(SIGKILL);
  EXPECT_EQ(hub_->wait(), 128 + SIGKILL);
  start();
  EXPECT_EQ(owner({"info"}).code, 0);
}

TEST_F(Daemon, ItsStateIsForThisUserOnly) {
  start();
  EXPECT_EQ(fs::status(state()).permissions(), fs::perms::owner_all);
  for (const auto& entry : fs::directory_iterator(state())) {
    EXPECT_EQ(entry.status().permissions() & (fs::perms::group_all | fs::perms::others_all),
              fs::perms::none)
        << entry.path();
  }
}

TEST_F(Daemon, TellsSystemdThatItIsReadyAndThatItStops) {
  const std::string path = (folder_ / "notify").string();
  const int listener = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  ASSERT_EQ(::bind(listener, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  const timeval patience{30, 0};
  ::setsockopt(listener, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  start({}, {{"NOTIFY_SOCKET", path}});
  const auto received = [listener] {
    char text[64];
    const ssize_t got = ::recv(listener, text, sizeof text, 0);
    return std::string(text, got > 0 ? static_cast<std::size_t>(got) : 0);
  };
  EXPECT_EQ(received(), "READY=1");
  hub_->signal(SIGTERM);
  EXPECT_EQ(received(), "STOPPING=1");
  ::close(listener);
}

TEST_F(Daemon, E11_ApprovesAheadById) {
  start();
  const Ran approved = owner({"pairing", "approve", "gadget", "hg-0123456789abcdef"});
  EXPECT_EQ(approved.code, 0) << approved.err;
  EXPECT_EQ(owner({"pairing", "revoke", "hg-0123456789abcde"}).code, 1);
}

TEST_F(Daemon, E14_WrongCodesAreRefusedAndThenLocked) {
  start();
  for (int n = 0; n < 5; ++n) {
    const Ran wrong = owner({"pairing", "approve", "gadget", "AAAAAAAA"});
    EXPECT_EQ(wrong.code, 1) << wrong.err;
  }
  const Ran locked = owner({"pairing", "approve", "gadget", "AAAAAAAA"});
  EXPECT_EQ(locked.code, 4) << locked.err;
  EXPECT_TRUE(contains(locked.err, "locked"));
}

TEST_F(Daemon, UnknownDevicesAreSaid) {
  start();
  for (const auto& words :
       std::vector<std::vector<std::string>>{{"forget", "nobody"},
                                             {"rename", "nobody", "x"},
                                             {"say", "nobody", "hello"},
                                             {"show", "nobody", "a", "b"},
                                             {"ask", "nobody", "well?"},
                                             {"action", "hg-0123456789abcdef", "led.set", "{}"},
                                             {"pairing", "revoke", "nobody"}}) {
    const Ran ran = owner(words);
    EXPECT_EQ(ran.code, 1) << words.front() << ran.err;
    EXPECT_TRUE(ran.err.starts_with("hermes-gadget: ")) << ran.err;
    EXPECT_EQ(std::count(ran.err.begin(), ran.err.end(), '\n'), 1) << ran.err;
  }
}

TEST_F(Daemon, APortInUseIsSaid) {
  const std::string url = start();
  const auto colon = url.rfind(':');
  const std::string port = url.substr(colon + 1, url.rfind('/') - colon - 1);
  const std::vector<std::string> words{"--state", (folder_ / "other").string(), "--port", port};
  refuses(words, 1, "port " + port + " on 127.0.0.1 is in use");
}

TEST_F(Daemon, AnotherHubOnTheSameStateIsSaid) {
  start();
  refuses({"--state", state()}, 4, "another hub");
  EXPECT_EQ(owner({"info"}).code, 0);  // and the first one did not notice
}

TEST_F(Daemon, BadInputIsSaidInOneLine) {
  refuses({"--state", "/proc/nowhere"}, 1, "/proc/nowhere");
  refuses({"--config", (folder_ / "none.toml").string()}, 1, "none.toml");
  refuses({"--set", "heartbeat_s=60"}, 2, "5 to 55");
  refuses({"--set", "heartbeet_s=20"}, 2, "did you mean heartbeat_s?");
  refuses({"--set", "nonsense"}, 2, "KEY=VALUE");
  refuses({"--port", "70000"}, 2, "0 to 65535");
  refuses({"--port", "x"}, 2, "whole number");
  refuses({"--nonsense"}, 2, "--nonsense");
  refuses({"surplus"}, 2, "surplus");
  refuses({"--agent", "nobody"}, 2, "builtin, echo, hermes");
  refuses({"--path", "gadget"}, 2, "slash");
  refuses({"--set", "timezone=Mars/Olympus", "--state", state()}, 2, "Mars/Olympus");
  refuses({"--host", "203.0.113.7", "--state", state()}, 2, "203.0.113.7");
  const std::string none = (folder_ / "none.pem").string();
  refuses({"--set", "tls_cert=" + none, "--state", state()}, 2, "tls_key");
  refuses({"--set", "tls_cert=" + none, "--set", "tls_key=" + none, "--state", state()}, 1,
          "none.pem");
}

TEST_F(Daemon, AConfigurationThatIsNoTomlIsSaidWithItsLine) {
  const fs::path file = folder_ / "hub.toml";
  std::ofstream(file) << "port = 1\nhost = oops\n";
  refuses({"--config", file.string()}, 2, "hub.toml:2");
}

TEST_F(Daemon, ADamagedStoreIsSaidAndLeftAsItIs) {
  fs::create_directory(state());
  const fs::path file = fs::path(state()) / "hub.db";
  std::ofstream(file) << std::string(4096, 'x');
  refuses({"--state", state()}, 1, "hub.db is damaged");
  EXPECT_EQ(fs::file_size(file), 4096U);
}

TEST_F(Daemon, WithoutAHubOwnerCommandsEndWith3) {
  for (const auto& words : std::vector<std::vector<std::string>>{
           {"info"}, {"devices"}, {"pairing", "list"}, {"forget", "x"}, {"ask", "x", "y"}}) {
    const Ran ran = owner(words);
    EXPECT_EQ(ran.code, 3) << ran.err;
    EXPECT_TRUE(contains(ran.err, "no hub runs on")) << ran.err;
    EXPECT_EQ(ran.out, "");
  }
}

TEST_F(Daemon, WrongUsageEndsWith2AndHelpWith0) {
  for (const auto& words :
       std::vector<std::vector<std::string>>{{},
                                             {"bogus"},
                                             {"pairing"},
                                             {"pairing", "approve"},
                                             {"forget"},
                                             {"say", "x"},
                                             {"pairing", "approve", "telegram", "ABCD2345"},
                                             {"info", "--bogus"}}) {
    std::vector<std::string> all{kProgram};
    all.insert(all.end(), words.begin(), words.end());
    const Ran ran = run(all);
    EXPECT_EQ(ran.code, 2) << ran.err;
    EXPECT_EQ(std::count(ran.err.begin(), ran.err.end(), '\n'), 1) << ran.err;
  }
  for (const auto& words : std::vector<std::vector<std::string>>{{"--help"},
                                                                 {"--version"},
                                                                 {"hub", "--help"},
                                                                 {"pairing", "--help"},
                                                                 {"pairing", "approve", "--help"},
                                                                 {"ask", "--help"},
                                                                 {"speech", "install", "--help"},
                                                                 {"config"},
                                                                 {"config", "--json"},
                                                                 {"licenses"}}) {
    std::vector<std::string> all{kProgram};
    all.insert(all.end(), words.begin(), words.end());
    const Ran ran = run(all);
    EXPECT_EQ(ran.code, 0) << words.front() << ran.err;
    EXPECT_FALSE(ran.out.empty());
    EXPECT_EQ(ran.err, "");
  }
}

TEST_F(Daemon, TheTestClockIsOnlyThereWhenAsked) {
  start();
  EXPECT_FALSE(contains(owner({"info", "--json"}).out, "test_clock"));
  hub_.reset();
  start({"--test-clock"});
  EXPECT_TRUE(contains(owner({"info", "--json"}).out, "\"test_clock\":true"));
  EXPECT_FALSE(contains(run({kProgram, "hub", "--help"}).out, "test-clock"));
}

TEST_F(Daemon, ASettingMayBeRepeatedAndTheLastWins) {
  start({"--set", "server_name=a", "--set", "path=/x", "--set", "path=/y"});
  EXPECT_TRUE(contains(owner({"info"}).out, "/y\n"));
}

TEST_F(Daemon, ABackupOfARunningHubComesBack) {
  start();
  const std::string device = "hg-0123456789abcdef";
  ASSERT_EQ(owner({"pairing", "approve", "gadget", device}).code, 0);
  const std::string file = (folder_ / "saved.backup").string();
  const Ran saved = owner({"backup", file});
  EXPECT_EQ(saved.code, 0) << saved.err;
  EXPECT_EQ(fs::status(file).permissions() & fs::perms::all,
            fs::perms::owner_read | fs::perms::owner_write);
  EXPECT_EQ(owner({"backup", file}).code, 4);  // it is there already
  EXPECT_EQ(owner({"backup", file, "--force"}).code, 0);

  const Ran running = owner({"restore", file});
  EXPECT_EQ(running.code, 1) << running.err;
  EXPECT_TRUE(contains(running.err, "a hub runs on")) << running.err;
  hub_->signal(SIGTERM);
  EXPECT_EQ(hub_->wait(), 0);
  const Ran restored = owner({"restore", file});
  EXPECT_EQ(restored.code, 0) << restored.err;
  EXPECT_TRUE(contains(restored.out, "before-restore-1")) << restored.out;
  EXPECT_EQ(owner({"backup", file, "--force"}).code, 0);  // without a hub too
  EXPECT_EQ(owner({"restore", (folder_ / "none").string()}).code, 1);
  start();
  EXPECT_EQ(owner({"info"}).code, 0);
}

}  // namespace
}  // namespace gadget::testing
