// Updates from end to end: the owner's command, a real hub, the virtual gadget with its two slots.
#include <fstream>

#include <gtest/gtest.h>

#include "cli/daemon_test_support.hpp"
#include "cli/progress.hpp"
#include "conformance/image.hpp"
#include "wire/unix_socket.hpp"

namespace gadget::testing {
namespace {

class Updated : public Daemon {
 protected:
  [[nodiscard]] std::string at(const std::string& name) const { return (folder_ / name).string(); }

  std::string image(const std::string& version, const std::string& board = "desktop",
                    std::size_t size = 300'000) {
    const std::string file = at(board + "-" + version + ".bin");
    std::ofstream(file, std::ios::binary) << conformance::make_image(board, version, size);
    return file;
  }
  void start_gadget(const std::string& script) {
    std::ofstream(at("script")) << script;
    gadget_.emplace(std::vector<std::string>{kProgram, "sim", "--headless", "--url", url_,
                                             "--state", at("sim"), "--name", "kitchen", "--script",
                                             at("script")});
  }
  // A hub, and a gadget that is paired with it and goes on with `script`.
  void begin(const std::string& script, std::vector<std::string> further = {}) {
    further.insert(further.end(), {"--set", "speech_profile=minimal"});
    url_ = start(std::move(further));
    start_gadget("wait ready 30\n" + script);
    while (const auto line = gadget_->line()) {
      if (const auto code = line->find("pairing: "); code != std::string::npos) {
        const Ran approved = owner({"pairing", "approve", "gadget", line->substr(code + 9)});
        EXPECT_EQ(approved.code, 0) << approved.err;
      }
      if (contains(*line, "state: ready")) return;
    }
    FAIL() << gadget_->err_text;
  }
  std::string devices() { return owner({"devices", "--json"}).out; }
  // The address stays, so that the gadget finds the hub again.
  void restart_hub(int signal) {
    const auto colon = url_.rfind(':');
    const std::string port = url_.substr(colon + 1, url_.find('/', colon) - colon - 1);
    hub_->signal(signal);
    (void)hub_->wait();
    hub_.emplace(std::vector<std::string>{kProgram, "hub", "--agent", "echo", "--port", port,
                                          "--state", state(), "--set", "speech_profile=minimal"});
    EXPECT_TRUE(hub_->line().value_or("").starts_with("ready ")) << hub_->err_text;
  }
  // An owner's command that goes on while the test does something else.
  std::unique_ptr<Process> command(std::vector<std::string> words) {
    words.insert(words.begin(), kProgram);
    words.insert(words.end(), {"--state", state()});
    return std::make_unique<Process>(std::move(words));
  }
  static bool says(Process& process, std::string_view part) {
    while (const auto line = process.line()) {
      if (contains(*line, part)) return true;
    }
    return false;
  }

  std::string url_;
  std::optional<Process> gadget_;
};

TEST_F(Updated, O5_TheGadgetRunsTheNewVersionAndTheCommandSaysSo) {
  begin("wait updating 30\nwait ready 30\nwait updating 30\nwait ready 30\n");
  const Ran ran = owner({"update", "kitchen", image("9.1.0")});
  EXPECT_EQ(ran.code, 0) << ran.out << ran.err;
  EXPECT_TRUE(contains(ran.out, "kitchen runs 9.1.0 now.\n")) << ran.out;
  EXPECT_TRUE(contains(devices(), "\"firmware\":\"9.1.0\""));
  // Once more: nothing is sent.
  const Ran again = owner({"update", "kitchen", image("9.1.0")});
  EXPECT_EQ(again.code, 0);
  EXPECT_EQ(again.out, "kitchen runs 9.1.0 already.\n");
  // As JSON, and another one.
  const Ran json = owner({"update", "kitchen", image("9.2.0"), "--json"});
  EXPECT_EQ(json.code, 0) << json.err;
  EXPECT_EQ(std::count(json.out.begin(), json.out.end(), '\n'), 1);
  EXPECT_TRUE(contains(json.out, R"("phase":"installed")")) << json.out;
  EXPECT_EQ(gadget_->wait(), 0) << gadget_->err_text;
  const Ran status = owner({"update", "--status"});
  EXPECT_TRUE(contains(status.out, "9.2.0") && contains(status.out, "installed")) << status.out;
  std::error_code ignored;
  for (int i = 0; i < 100 && !fs::is_empty(fs::path(state()) / "firmware", ignored); ++i) {
    ::usleep(20'000);
    (void)owner({"update", "kitchen", image("9.2.0"), "--no-wait"});
  }
  EXPECT_TRUE(fs::is_empty(fs::path(state()) / "firmware"));  // nobody needs an image any more
}

TEST_F(Updated, E29_WhatCannotBeRightIsRefusedAndSaid) {
  begin("sleep 60\n");
  const auto refused = [this](const std::string& file, int code, std::string_view part) {
    const Ran ran = owner({"update", "kitchen", file});
    EXPECT_EQ(ran.code, code) << ran.err;
    EXPECT_TRUE(contains(ran.err, part)) << ran.err;
    EXPECT_EQ(std::count(ran.err.begin(), ran.err.end(), '\n'), 1) << ran.err;
    EXPECT_EQ(ran.out, "");
  };
  refused(image("9.1.0", "watch"), 4, "for the board \"watch\", the device is a \"desktop\"");
  refused(kProgram, 2, "larger than");
  std::ofstream(at("page.html")) << "<html>" << std::string(1000, ' ');
  refused(at("page.html"), 4, "web page");
  std::ofstream(at("empty.bin"));
  refused(at("empty.bin"), 2, "is empty");
  refused(at("nothing.bin"), 1, "nothing.bin");
  EXPECT_EQ(owner({"update", "bathroom", image("9.1.0")}).code, 1);
  EXPECT_EQ(owner({"update", "kitchen"}).code, 2);
  EXPECT_EQ(owner({"update", "--all", "--status"}).code, 2);
  // Forced: the device has the last word.
  const Ran forced = owner({"update", "kitchen", image("9.1.0", "watch"), "--force"});
  EXPECT_EQ(forced.code, 4) << forced.out;
  EXPECT_TRUE(contains(forced.err, "kitchen refused 9.1.0: invalid")) << forced.err;
  const Ran nobody = run({kProgram, "update", "kitchen", image("9.1.0"), "--state", at("no-hub")});
  EXPECT_EQ(nobody.code, 3) << nobody.err;
}

TEST_F(Updated, E43_ItGoesOnAfterTheHubWasKilledInTheMiddle) {
  begin("wait updating 30\nwait ready 60\nwait updating 60\nwait ready 60\n");
  // Long enough on its way.
  const auto update = command({"update", "kitchen", image("9.1.0", "desktop", 1'900'000)});
  ASSERT_TRUE(says(*update, "on its way")) << update->err_text;
  restart_hub(SIGKILL);
  EXPECT_EQ(update->wait(), 0) << update->out_text << update->err_text;
  EXPECT_TRUE(contains(update->out_text, "kitchen runs 9.1.0 now.")) << update->out_text;
}

// On the test clock, so that the minute before the next try takes no minute.
TEST_F(Updated, E43_ALinkThatDropsInTheMiddleIsTriedAgain) {
  begin(
      "wait updating 30\nlink down\nsleep 0.5\nlink up\nwait ready 60\n"
      "wait updating 60\nwait ready 60\n",
      {"--test-clock"});
  const auto update = command({"update", "kitchen", image("9.1.0", "desktop", 1'900'000)});
  ASSERT_TRUE(says(*update, "broke off (the connection dropped)")) << update->out_text;
  for (int i = 0; i < 200 && !contains(devices(), "\"online\":true"); ++i) ::usleep(50'000);
  for (int i = 0; i < 7; ++i) {
    const auto moved = wire::owner_request(state(), "POST", "/v1/test/advance", "{\"seconds\":10}");
    ASSERT_TRUE(moved && moved->status == 200U);
  }
  EXPECT_EQ(update->wait(), 0) << update->out_text << update->err_text;
  EXPECT_TRUE(contains(update->out_text, "kitchen runs 9.1.0 now.")) << update->out_text;
  EXPECT_TRUE(contains(owner({"update", "--status", "kitchen", "--json"}).out, "\"tries\":2"));
}

TEST_F(Updated, E43_ADeviceThatIsAwayGetsItWhenItComes) {
  begin("quit\n");
  EXPECT_EQ(gadget_->wait(), 0);
  const auto update = command({"update", "kitchen", image("9.1.0")});
  ASSERT_TRUE(says(*update, "kitchen is away"));
  start_gadget("wait updating 60\nwait ready 60\n");
  EXPECT_EQ(update->wait(), 0) << update->out_text << update->err_text;
  EXPECT_EQ(gadget_->wait(), 0) << gadget_->err_text;
}

TEST_F(Updated, UpdateAllAndCancel) {
  begin("wait updating 30\nwait ready 60\nquit\n");
  const Ran all = owner({"update", "--all", image("9.1.0")});
  EXPECT_EQ(all.code, 0) << all.out << all.err;
  EXPECT_TRUE(contains(all.out, "1 of 1 run 9.1.0.")) << all.out;
  EXPECT_EQ(gadget_->wait(), 0);
  const Ran none = owner({"update", "--all", image("9.1.0")});
  EXPECT_EQ(none.code, 0);
  EXPECT_TRUE(contains(none.out, "No device needs it.")) << none.out;
  // It is away now: the command does not wait for it.
  const Ran away = owner({"update", "--all", image("9.2.0")});
  EXPECT_EQ(away.code, 0) << away.err;
  EXPECT_TRUE(contains(away.out, "1 is away and gets it when it comes")) << away.out;
  EXPECT_EQ(owner({"update", "--cancel"}).code, 0);
  EXPECT_EQ(owner({"update", "--cancel"}).code, 1);
  const Ran status = owner({"update", "--status", "kitchen"});
  EXPECT_TRUE(contains(status.out, "ended")) << status.out;
}

// The hub stands still while the new firmware waits for its welcome, and the power goes.
TEST_F(Updated, E29_ARollBackIsToldAndNotSentAgain) {
  begin("wait updating 30\nwait connecting 30\nsleep 0.5\npower cut\nwait ready 90\n");
  const auto update = command({"update", "kitchen", image("9.1.0")});
  ASSERT_TRUE(says(*update, "restarts into 9.1.0")) << update->out_text;
  hub_->signal(SIGSTOP);
  int connecting = 0;
  while (connecting < 2) {  // before the power cut, and after it
    const auto line = gadget_->line();
    ASSERT_TRUE(line) << gadget_->err_text;
    connecting += contains(*line, "state: connecting") ? 1 : 0;
  }
  hub_->signal(SIGCONT);
  EXPECT_EQ(update->wait(), 1) << update->out_text << update->err_text;
  EXPECT_TRUE(contains(update->err_text, "kitchen went back from 9.1.0")) << update->err_text;
  EXPECT_EQ(gadget_->wait(), 0) << gadget_->err_text;
  const Ran again = owner({"update", "kitchen", image("9.1.0")});
  EXPECT_EQ(again.code, 4);
  EXPECT_TRUE(contains(again.err, "went back from 9.1.0")) << again.err;
  restart_hub(SIGTERM);
  EXPECT_EQ(owner({"update", "kitchen", image("9.0.0")}).code, 4);
  EXPECT_TRUE(contains(owner({"update", "kitchen", image("9.1.1"), "--no-wait"}).out, "is away"));
}

TEST(ProgressLine, IsABarWithAPartAndNeverTooLong) {
  EXPECT_EQ(cli::progress_line("text", 0.5, 80), "[##########..........]  50 %  text");
  EXPECT_EQ(cli::progress_line("text", 1.0, 80), "[####################] 100 %  text");
  EXPECT_EQ(cli::progress_line("text", -1.0, 80), "[....................]   0 %  text");
  EXPECT_EQ(cli::progress_line("text", 0.999, 80), "[###################.]  99 %  text");
  EXPECT_EQ(cli::progress_line("text", std::nullopt, 80), "text");
  EXPECT_EQ(cli::progress_line("text", std::nullopt, 2), "te");
  EXPECT_EQ(cli::progress_line("a\u00e9", std::nullopt, 2), "a");
  EXPECT_EQ(cli::progress_line("text", 0.5, 5), "[####");
}

}  // namespace
}  // namespace gadget::testing
