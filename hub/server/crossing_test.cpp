// What crosses between two loops: its order, its bounds, and what is left when one side has gone.
#include "hub/server/crossing.hpp"

#include <boost/asio/io_context.hpp>
#include <gtest/gtest.h>

#include "hub/server/crossing_test_support.hpp"
#include "hub/server/outbox.hpp"

namespace gadget::hub {
namespace {

using Said = std::vector<std::string>;

class CrossingTest : public ::testing::Test {
 protected:
  CrossingTest()
      : crossing_({.hub = &hub_,
                   .hub_loop = hub_loop_.get_executor(),
                   .socket_loop = socket_loop_.get_executor(),
                   .settle = [this] { ++settled_; }}) {}

  static void run(boost::asio::io_context& loop) {
    loop.restart();
    (void)loop.poll();
  }
  void run_all() {
    for (int i = 0; i < 4; ++i) {
      run(socket_loop_);
      run(hub_loop_);
    }
    run(socket_loop_);
  }
  Hub::ConnectionId connect() {
    end_ = std::make_shared<TestEnd>();
    return crossing_.connected({"10.0.0.1", false}, end_);
  }
  void text(Hub::ConnectionId id, std::string text) { crossing_.text(id, text); }

  test::QuietHub hub_;
  boost::asio::io_context hub_loop_{1};
  boost::asio::io_context socket_loop_{1};
  int settled_ = 0;
  Crossing crossing_;
  using TestEnd = test::RecordingEnd;
  std::shared_ptr<TestEnd> end_;
};

TEST_F(CrossingTest, TheHubHearsEverythingInOrderAndOnceABatch) {
  const auto id = connect();
  text(id, "a");
  crossing_.binary(id, std::as_bytes(std::span("bc", 2)));
  crossing_.disconnected(id);
  EXPECT_TRUE(hub_.heard.empty());
  run(socket_loop_);
  EXPECT_TRUE(hub_.heard.empty());
  run(hub_loop_);
  EXPECT_EQ(hub_.heard, (Said{"connected 10.0.0.1", "text a", "binary bc", "gone"}));
  EXPECT_EQ(settled_, 1);
}

TEST_F(CrossingTest, E12_ASignOfLifeIsSaidOnceABatchAndNotBeforeAMessage) {
  const auto id = connect();
  run_all();
  hub_.heard.clear();
  for (int i = 0; i < 5; ++i) crossing_.alive(id);
  run_all();
  EXPECT_EQ(hub_.heard, Said{"alive"});
  hub_.heard.clear();
  crossing_.alive(id);
  text(id, "a");
  run_all();
  EXPECT_EQ(hub_.heard, Said{"text a"});
}

TEST_F(CrossingTest, WhatTheHubSaysInOneStepComesTogetherAndInOrder) {
  (void)connect();
  run_all();
  hub_.link->send_text("one", Link::Kind::control);
  hub_.link->send_binary({std::byte{'2'}}, Link::Kind::audio, 7);
  hub_.link->drop_stream(7);
  hub_.link->close(1000, "bye");
  hub_.link->send_text("too late", Link::Kind::control);
  hub_.link->close(1001, "twice");
  EXPECT_FALSE(hub_.link->open());
  EXPECT_TRUE(end_->did.empty());
  run_all();
  EXPECT_EQ(end_->did, (Said{"text one", "binary 7", "drop 7", "close 1000 bye"}));
}

TEST_F(CrossingTest, E3_ADeviceThatIsAuthenticatedLeavesTheLobbyOnce) {
  const auto id = connect();
  text(id, "hello");
  run_all();
  EXPECT_TRUE(end_->did.empty());
  hub_.is_authenticated = true;
  text(id, "auth");
  run_all();
  EXPECT_EQ(end_->did, Said{"let in"});
  text(id, "more");
  run_all();
  EXPECT_EQ(end_->did, Said{"let in"});
}

TEST_F(CrossingTest, WhatIsOnTheWayCountsAsWaiting) {
  (void)connect();
  run_all();
  hub_.link->send_text(std::string(1'000, 'x'), Link::Kind::control);
  EXPECT_GE(hub_.link->waiting_bytes(), 1'000U);
  end_->waiting = 1'064;  // in its outbox, once it has come there
  run_all();
  EXPECT_EQ(hub_.link->waiting_bytes(), 1'064U);
  end_->waiting = 0;
  crossing_.written(1);
  EXPECT_EQ(hub_.link->waiting_bytes(), 0U);
}

TEST_F(CrossingTest, WhoWantsToKnowWhenSomethingWasTakenIsTold) {
  const auto id = connect();
  run_all();
  end_->waiting = 1'000;
  hub_.link->tell_when_taken();
  run_all();
  EXPECT_EQ(end_->did, Said{"tell"});
  EXPECT_NE(hub_.heard.back(), "took");
  crossing_.took(id);  // as its socket says
  run_all();
  EXPECT_EQ(hub_.heard.back(), "took");
  // All was written while the wish was on its way: nothing would say so.
  hub_.heard.clear();
  end_->waiting = 0;
  hub_.link->tell_when_taken();
  run_all();
  EXPECT_EQ(hub_.heard, Said{"took"});
}

TEST_F(CrossingTest, WhatIsSharedIsKeptUntilItIsWritten) {
  (void)connect();
  run_all();
  auto image = std::make_shared<std::vector<std::byte>>(4'096);
  const std::weak_ptr<const void> watch = image;
  hub_.link->send_shared({}, *image, image, Link::Kind::firmware, 7);
  image.reset();
  EXPECT_GE(hub_.link->waiting_bytes(), 4'096U);
  run_all();
  EXPECT_EQ(end_->did, Said{"shared 7 4096"});
  EXPECT_FALSE(watch.expired());
  end_->kept.reset();
  EXPECT_TRUE(watch.expired());
}

TEST_F(CrossingTest, E2_ALoopThatStandsStillMakesItsDevicesTooSlowNotTheHubLarge) {
  (void)connect();
  run_all();
  std::size_t sent = 0;
  while (hub_.link->open() && sent < 100) {
    hub_.link->send_text(std::string(64 * 1024, 'x'), Link::Kind::control);
    ++sent;
  }
  EXPECT_FALSE(hub_.link->open());
  EXPECT_LE(hub_.link->waiting_bytes(), kOutboxBytes);
  EXPECT_EQ(sent, 16U);  // with what each costs besides, the sixteenth does not fit
  run_all();
  EXPECT_EQ(end_->did.back(), "too slow");
}

TEST_F(CrossingTest, AFloodIsNotReadUntilTheHubHasTakenWhatCame) {
  const auto flood = connect();
  const auto other = connect();
  run_all();
  std::size_t messages = 0;
  while (crossing_.has_room(flood) && messages < 10'000) {
    text(flood, std::string(100, 'x'));
    ++messages;
  }
  EXPECT_EQ(messages, kCrossingBytes / (100 + kCrossingMessageBytes) + 1);
  EXPECT_TRUE(crossing_.has_room(other)) << "one device costs another";
  int called = 0;
  crossing_.when_room(flood, [&] { ++called; });
  run(socket_loop_);
  EXPECT_EQ(called, 0);
  run_all();
  EXPECT_EQ(called, 1);
  EXPECT_TRUE(crossing_.has_room(flood));
  run_all();
  EXPECT_EQ(called, 1);
}

TEST_F(CrossingTest, TheConnectionsOfALoopAreBoundedTogetherToo) {
  std::vector<Hub::ConnectionId> ids;
  for (std::size_t bytes = 0; bytes < kLoopCrossingBytes; bytes += kCrossingBytes) {
    ids.push_back(connect());
    EXPECT_TRUE(crossing_.has_room(ids.back()));
    text(ids.back(), std::string(kCrossingBytes, 'x'));
  }
  EXPECT_FALSE(crossing_.has_room(connect()));
  run_all();
  for (const auto id : ids) EXPECT_TRUE(crossing_.has_room(id));
}

TEST_F(CrossingTest, ASocketThatEndsWhileItWaitsForRoomIsToldAndForgotten) {
  const auto id = connect();
  text(id, std::string(kCrossingBytes, 'x'));
  EXPECT_FALSE(crossing_.has_room(id));
  int called = 0;
  crossing_.when_room(id, [&] { ++called; });
  run(socket_loop_);
  run(hub_loop_);
  const std::weak_ptr<TestEnd> weak = end_;
  hub_.link->send_text("for nobody", Link::Kind::control);
  crossing_.disconnected(id);
  EXPECT_EQ(called, 1);
  EXPECT_FALSE(hub_.link->open());
  EXPECT_TRUE(end_->did.empty());
  run_all();
  EXPECT_TRUE(end_->did.empty());
  end_.reset();
  EXPECT_TRUE(weak.expired());
  EXPECT_EQ(hub_.heard.back(), "gone");
  // It has an end only once, and late calls mean nothing.
  crossing_.disconnected(id);
  crossing_.alive(id);
  text(id, "late");
  run_all();
  EXPECT_EQ(hub_.heard.back(), "gone");
  EXPECT_EQ(called, 1);
}

}  // namespace
}  // namespace gadget::hub
