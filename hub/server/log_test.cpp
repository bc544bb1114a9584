// The log: one event a line whatever a device sends, repeated lines once.
#include "hub/server/log.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace gadget::hub {
namespace {

using Level = LogFact::Level;

class LogTest : public ::testing::Test {
 protected:
  Log make(std::string_view level = "info") {
    return Log(
        level, [this] { return now_; },
        [this](Level, std::string_view line) { lines_.emplace_back(line); });
  }
  std::int64_t now_ = 1'000'000;
  std::vector<std::string> lines_;
};

TEST_F(LogTest, AFactIsOneLine) {
  Log log = make();
  log.write(Level::info, "connection.closed", {{"device", "hg-0123"}, {"reason", "too slow"}});
  EXPECT_EQ(lines_,
            std::vector<std::string>{"event=connection.closed device=hg-0123 reason=\"too slow\""});
}

TEST_F(LogTest, E6_WhatADeviceSendsStaysOneValue) {
  EXPECT_EQ(log_value("kitchen"), "kitchen");
  EXPECT_EQ(log_value(""), "\"\"");
  EXPECT_EQ(log_value("a b"), "\"a b\"");
  EXPECT_EQ(log_value("x level=error"), "\"x level=error\"");
  EXPECT_EQ(log_value("a=b"), "\"a=b\"");
  EXPECT_EQ(log_value("a\nevent=fake"), "\"a\\x0aevent=fake\"");
  EXPECT_EQ(log_value("\x1b[2J"), "\"\\x1b[2J\"");
  EXPECT_EQ(log_value("q\"\\"), "\"q\\\"\\\\\"");
  EXPECT_EQ(log_value("\xff\xfe"), "\"\\xff\\xfe\"");
  EXPECT_EQ(log_value("\xc2\x9b"), "\"\\xc2\\x9b\"");           // a control of C1
  EXPECT_EQ(log_value("\xe2\x80\xae"), "\"\\xe2\\x80\\xae\"");  // right-to-left override
  EXPECT_EQ(log_value("K\xc3\xbc"
                      "che"),
            "\"K\xc3\xbc"
            "che\"");
  EXPECT_LE(log_value(std::string(10'000, 'x')).size(), kMaxLogValueBytes + 8);
}

TEST_F(LogTest, BelowItsLevelNothingIsWritten) {
  Log log = make("warning");
  log.write(Level::info, "a");
  log.write(Level::debug, "a");
  EXPECT_TRUE(lines_.empty());
  log.write(Level::warning, "a");
  log.write(Level::error, "a.b");
  EXPECT_EQ(lines_.size(), 2U);
}

TEST_F(LogTest, ALineThatRepeatsIsWrittenOnceAndCounted) {
  Log log = make();
  for (int n = 0; n < 5; ++n) log.write(Level::info, "message.malformed", {{"conn", "1"}});
  EXPECT_EQ(lines_.size(), 1U);
  log.write(Level::info, "message.malformed", {{"conn", "2"}});
  ASSERT_EQ(lines_.size(), 3U);
  EXPECT_EQ(lines_[1], "event=message.malformed conn=1 repeated=4");
  EXPECT_EQ(lines_[2], "event=message.malformed conn=2");
}

TEST_F(LogTest, RepeatsAreToldWhenTheWindowEnds) {
  Log log = make();
  log.write(Level::info, "a");
  log.write(Level::info, "a");
  log.sweep();
  EXPECT_EQ(lines_.size(), 1U);
  now_ += kLogWindowMs;
  log.sweep();
  ASSERT_EQ(lines_.size(), 2U);
  EXPECT_EQ(lines_[1], "event=a repeated=1");
  log.sweep();
  EXPECT_EQ(lines_.size(), 2U);
  log.write(Level::info, "a");
  EXPECT_EQ(lines_.size(), 3U);
}

TEST_F(LogTest, AnEventThatFloodsIsCutAndOthersAreNot) {
  Log log = make();
  for (std::uint64_t n = 0; n < kLinesPerWindow + 7; ++n) {
    log.write(Level::info, "flood", {{"conn", std::to_string(n)}});
  }
  EXPECT_EQ(lines_.size(), kLinesPerWindow);
  log.write(Level::info, "other");
  EXPECT_EQ(lines_.back(), "event=other");
  now_ += kLogWindowMs;
  log.write(Level::info, "flood", {{"conn", "x"}});
  EXPECT_EQ(lines_[lines_.size() - 2], "event=flood suppressed=7");
  EXPECT_EQ(lines_.back(), "event=flood conn=x");
}

}  // namespace
}  // namespace gadget::hub
