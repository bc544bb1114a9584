// What commands show on a real terminal: tables that fit it, colours unless they are not wanted, a
// list that redraws itself, and nothing that a device's name could do to it.
#include <sstream>

#include <pty.h>
#include <sys/ioctl.h>

#include "cli/owner_api_test_support.hpp"

namespace gadget::testing {
namespace {

class Terminal : public OwnerApiTest {
 protected:
  // Runs a command on a terminal of so many columns until `until` was shown, or to its end.
  std::string shown(std::vector<std::string> words, unsigned short columns,
                    std::map<std::string, std::string> environment = {},
                    std::string_view until = {}) {
    words.insert(words.begin(), kProgram);
    words.insert(words.end(), {"--state", state()});
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    winsize size{};
    size.ws_col = columns;
    size.ws_row = 10;
    int terminal = -1;
    const pid_t pid = ::forkpty(&terminal, nullptr, nullptr, &size);
    if (pid == 0) {
      ::setenv("TERM", "xterm", 1);
      ::unsetenv("COLUMNS");
      ::unsetenv("NO_COLOR");
      for (const auto& [name, value] : environment) ::setenv(name.c_str(), value.c_str(), 1);
      ::execv(arguments[0], arguments.data());
      ::_exit(127);
    }
    std::string all;
    const auto end = std::chrono::steady_clock::now() + kPatience;
    while (std::chrono::steady_clock::now() < end) {
      pollfd ready{terminal, POLLIN, 0};
      if (::poll(&ready, 1, 100) <= 0) continue;
      char piece[4096];
      const ssize_t got = ::read(terminal, piece, sizeof piece);
      if (got <= 0) break;
      all.append(piece, static_cast<std::size_t>(got));
      if (!until.empty() && contains(all, until)) break;
    }
    ::kill(pid, SIGTERM);
    ::waitpid(pid, nullptr, 0);
    ::close(terminal);
    return all;
  }
};

TEST_F(Terminal, TablesFitItAndHaveColoursUnlessTheyAreNotWanted) {
  url_ = start({"--set", "speech_profile=minimal"});
  start_device("wait ready 30\nsleep 60\n", "a name that is rather long \xe2\x80\xae for a table");
  for (int n = 0; n < 200; ++n) {
    if (get("/v1/devices?online=true").at("devices").as_array().size() == 1) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  const std::string plain = shown({"devices"}, 78, {{"NO_COLOR", "1"}});
  EXPECT_FALSE(contains(plain, "\x1b")) << plain;
  EXPECT_FALSE(contains(plain, "\xe2\x80\xae"));
  EXPECT_TRUE(contains(plain, "\xe2\x80\xa6")) << plain;  // something was cut
  std::istringstream lines(plain);
  for (std::string line; std::getline(lines, line);) {
    EXPECT_LE(std::count_if(line.begin(), line.end(),
                            [](char c) { return (c & '\xc0') != '\x80' && c != '\r'; }),
              78)
        << line;
  }
  EXPECT_TRUE(contains(shown({"devices"}, 78), "\x1b[32myes\x1b[0m"));
  EXPECT_FALSE(contains(shown({"devices"}, 78, {{"TERM", "dumb"}}), "\x1b"));
  EXPECT_FALSE(contains(owner({"devices"}).out, "\x1b"));  // no terminal
  EXPECT_FALSE(contains(shown({"devices", "--json"}, 78), "\x1b"));

  const std::string watched = shown({"devices", "--watch"}, 78, {}, "\x1b[32myes");
  EXPECT_TRUE(contains(watched, "\x1b[H\x1b[J")) << watched;
  EXPECT_TRUE(contains(shown({"logs", "--level", "info"}, 78), "device.online"));
}

}  // namespace
}  // namespace gadget::testing
