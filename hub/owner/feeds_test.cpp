// What the owner can look back at: bounded, numbered, in order; and who is told of what.
#include "hub/owner/feeds.hpp"

#include <boost/asio/io_context.hpp>
#include <gtest/gtest.h>

namespace gadget::hub {
namespace {

constexpr auto kAll = [](const auto&) { return true; };

DeviceId device(int n) {
  char text[20];
  std::snprintf(text, sizeof text, "hg-%016x", n);
  return *DeviceId::parse(text);
}

std::string texts(const Feed<std::string>::Found& found) {
  std::string all;
  for (const auto& [number, text] : found.entries) all += std::to_string(number) + text + " ";
  return all;
}

TEST(OwnerFeed, KeepsTheNewest) {
  Feed<std::string> feed(3, 1 << 20);
  for (const char* text : {"a", "b", "c", "d", "e"}) feed.push(text, 1);
  EXPECT_EQ(texts(feed.latest(10, kAll)), "3c 4d 5e ");
  EXPECT_EQ(texts(feed.latest(2, kAll)), "4d 5e ");
  EXPECT_EQ(feed.latest(2, kAll).seen, 5U);
  EXPECT_EQ(texts(feed.latest(10, [](const std::string& text) { return text != "d"; })), "3c 5e ");
  EXPECT_EQ(texts(feed.latest(0, kAll)), "");
}

TEST(OwnerFeed, GoesOnAfterANumberWithoutALossOrARepeat) {
  Feed<std::string> feed(100, 1 << 20);
  for (const char* text : {"a", "b", "c", "d"}) feed.push(text, 1);
  auto found = feed.after(1, 2, kAll);
  EXPECT_EQ(texts(found), "2b 3c ");
  EXPECT_EQ(found.seen, 3U);
  found = feed.after(found.seen, 2, kAll);
  EXPECT_EQ(texts(found), "4d ");
  EXPECT_EQ(found.seen, 4U);
  EXPECT_EQ(texts(feed.after(4, 2, kAll)), "");
  // What it does not take is not looked at again.
  EXPECT_EQ(feed.after(0, 2, [](const std::string&) { return false; }).seen, 4U);
  // A number of an earlier run of the hub, beyond the newest: all of this run is new.
  EXPECT_EQ(texts(feed.after(77, 2, kAll)), "1a 2b ");
}

TEST(OwnerFeed, BytesAreBounded) {
  constexpr std::size_t kMost = 10'000;
  Feed<std::string> feed(1'000'000, kMost);
  for (int n = 0; n < 1'000; ++n) feed.push(std::string(100, 'x'), 100);
  const auto kept = feed.latest(1'000'000, kAll).entries.size();
  EXPECT_GT(kept, 10U);
  EXPECT_LE(kept * (100 + sizeof(Feed<std::string>::Entry)), kMost);
  feed.push(std::string(2 * kMost, 'y'), 2 * kMost);  // one that is too large stands alone
  EXPECT_EQ(feed.latest(10, kAll).entries.size(), 1U);
}

TEST(OwnerFeed, NoneAreKeptWhereNoneAreWanted) {
  Feed<std::string> feed(0, 1 << 20);
  feed.push("a", 1);
  EXPECT_TRUE(feed.latest(10, kAll).entries.empty());
}

TEST(OwnerFeed, H13_NothingOutlivesItsDeviceNorTheSetting) {
  Feeds feeds(10);
  for (int n = 0; n < 4; ++n) {
    TurnRecord turn;
    turn.device = device(n % 2);
    turn.has_texts = true;
    turn.asked = "secret";
    feeds.ended(std::move(turn));
  }
  feeds.forget(device(0));
  const auto left = feeds.turns.latest(10, kAll);
  ASSERT_EQ(left.entries.size(), 2U);
  EXPECT_EQ(left.entries.front().first, 2U);  // its number stays
  EXPECT_EQ(left.entries.front().second.asked, "secret");
  feeds.forget_texts();
  for (const auto& [number, turn] : feeds.turns.latest(10, kAll).entries) {
    EXPECT_FALSE(turn.has_texts);
    EXPECT_EQ(turn.asked, "");
  }
}

TEST(OwnerFeed, ABellWakesOnceHoweverOftenItIsRung) {
  boost::asio::io_context context;
  Feed<std::string> feed(10, 1 << 20);
  const auto bell = std::make_shared<Bell>(context.get_executor());
  feed.tell(bell);
  for (int n = 0; n < 100; ++n) feed.push("a", 1);
  EXPECT_EQ(context.poll(), 1U);
}

TEST(OwnerWatch, TellsEachDeviceOnceAndAllWhenItIsTooMuch) {
  boost::asio::io_context context;
  Feeds feeds(10);
  feeds.device_changed(device(1));  // nobody watches
  const auto watch = feeds.watch(context.get_executor());
  for (int n = 0; n < 3; ++n) feeds.device_changed(device(7));
  feeds.device_changed(device(8));
  EXPECT_EQ(watch->take(1).devices, std::set<DeviceId>{device(7)});
  EXPECT_EQ(watch->take(100).devices, std::set<DeviceId>{device(8)});
  EXPECT_TRUE(watch->take(100).devices.empty());
  for (int n = 0; n <= static_cast<int>(kChangedDevices); ++n) feeds.device_changed(device(n));
  const auto much = watch->take(100);
  EXPECT_TRUE(much.all);
  EXPECT_TRUE(much.devices.empty());
  feeds.device_changed(device(1));
  EXPECT_FALSE(watch->take(100).all);
}

TEST(OwnerLog, ALineIsReadBackAsItWasWritten) {
  const auto fields = fields_of(
      "event=device.online device=hg-0123456789abcdef text=\"a \\\"b\\\" c\\\\ \\x1b=\" conn=4 "
      "bare");
  ASSERT_EQ(fields.size(), 5U);
  EXPECT_EQ(fields[0].second, "device.online");
  EXPECT_EQ(fields[2].second, "a \"b\" c\\ \\x1b=");
  EXPECT_EQ(fields[3], (std::pair<std::string, std::string>{"conn", "4"}));
  EXPECT_EQ(fields[4].first, "bare");
  EXPECT_EQ(field_of("a=\"device=x\" device=y", "device"), "y");
  EXPECT_TRUE(fields_of("").empty());
  EXPECT_EQ(fields_of("a=\"open").size(), 1U);
}

TEST(OwnerLog, LevelsHaveNames) {
  LogFact::Level level{};
  for (const char* text : {"debug", "info", "warning", "error"}) {
    ASSERT_TRUE(parse_level(text, level));
    EXPECT_EQ(name(level), text);
  }
  EXPECT_FALSE(parse_level("trace", level));
}

}  // namespace
}  // namespace gadget::hub
