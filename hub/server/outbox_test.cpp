// What waits for one device: its bound, its order, what goes first when it is full.
#include "hub/server/outbox.hpp"

#include <deque>
#include <string>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace gadget::hub {
namespace {

using Kind = Link::Kind;
using Added = Outbox::Added;

std::vector<std::byte> bytes(std::size_t size) { return std::vector<std::byte>(size); }

// Everything that one write takes, as "text" or "[stream]".
std::string next_write(Outbox& outbox) {
  std::string all;
  for (const auto& message : outbox.take()) {
    if (!all.empty()) all += ' ';
    if (message.is_text) {
      all += std::string(reinterpret_cast<const char*>(message.bytes.data()), message.bytes.size());
    } else {
      all += "[" + std::to_string(message.stream) + "]";
    }
  }
  outbox.written();
  return all;
}

TEST(Outbox, MessagesOfOneStepLeaveInOneWriteInTheirOrder) {
  Outbox outbox;
  outbox.add_text("a", Kind::control);
  outbox.add_text("b", Kind::control);
  outbox.add_text("c", Kind::control);
  EXPECT_EQ(next_write(outbox), "a b c");
  EXPECT_TRUE(outbox.empty());
  EXPECT_EQ(next_write(outbox), "");
}

TEST(Outbox, ControlOvertakesMediaWhichKeepsItsOrder) {
  Outbox outbox;
  outbox.add_binary(bytes(1), Kind::firmware, 3);
  outbox.add_binary(bytes(1), Kind::image, 2);
  outbox.add_text("{\"type\":\"audio.start\",\"stream\":1}", Kind::audio);
  outbox.add_binary(bytes(1), Kind::audio, 1);
  outbox.add_text("{\"type\":\"audio.end\",\"stream\":1}", Kind::audio);
  outbox.add_text("ping", Kind::control);
  EXPECT_EQ(next_write(outbox),
            "ping {\"type\":\"audio.start\",\"stream\":1} [1] "
            "{\"type\":\"audio.end\",\"stream\":1} [2] [3]");
}

TEST(Outbox, B48_TheEndOfAStreamComesAfterItsLastFrameAndBeforeTheEndOfTheTurn) {
  Outbox outbox;
  outbox.add_binary(bytes(1), Kind::audio, 1);
  outbox.add_text("{\"stream\":1}", Kind::audio_end);
  outbox.add_text("turn.end", Kind::control);
  outbox.add_text("{\"stream\":2}", Kind::control);
  outbox.add_binary(bytes(1), Kind::audio, 2);
  outbox.add_binary(bytes(1), Kind::image, 3);
  EXPECT_EQ(next_write(outbox), "[1] {\"stream\":1} turn.end {\"stream\":2} [2] [3]");
}

TEST(Outbox, B48_AnEndHoldsControlNoLongerThanItsAudioWaits) {
  Outbox outbox;
  outbox.add_binary(bytes(kOutboxBatchBytes), Kind::image, 3);
  outbox.add_binary(bytes(1), Kind::audio, 1);
  outbox.add_text("{\"stream\":1}", Kind::audio_end);
  outbox.drop_stream(1);
  outbox.add_text("ping", Kind::control);
  EXPECT_EQ(next_write(outbox), "{\"stream\":1} ping");
  EXPECT_EQ(next_write(outbox), "[3]");
}

// E22
TEST(Outbox, E22_ANewerDeltaReplacesTheOneThatWaits) {
  Outbox outbox;
  outbox.add_text("d1", Kind::delta);
  outbox.add_text("turn.end", Kind::control);
  outbox.add_text("turn.start", Kind::control);
  outbox.add_text("d2", Kind::delta);
  EXPECT_EQ(next_write(outbox), "turn.end turn.start d2");  // not before its turn began
}

TEST(Outbox, E21_AStreamThatWasAbortedIsNotWrittenItsStartNeither) {
  Outbox outbox;
  outbox.add_text("{\"type\":\"audio.start\",\"stream\":12,\"rate\":16000}", Kind::audio);
  outbox.add_binary(bytes(1280), Kind::audio, 12);
  outbox.add_binary(bytes(1280), Kind::audio, 1);
  outbox.add_text("{\"type\":\"audio.end\",\"stream\":12}", Kind::audio);
  outbox.drop_stream(12);
  outbox.add_text("{\"type\":\"audio.abort\",\"stream\":12}", Kind::control);
  EXPECT_EQ(next_write(outbox), "{\"type\":\"audio.abort\",\"stream\":12} [1]");
}

TEST(Outbox, WhatIsBeingWrittenCountsUntilItIsWritten) {
  Outbox outbox;
  outbox.add_binary(bytes(kOutboxBytes - kOutboxMessageBytes), Kind::firmware, 1);
  EXPECT_EQ(outbox.take().size(), 1U);
  EXPECT_EQ(outbox.waiting_bytes(), kOutboxBytes);
  EXPECT_EQ(outbox.add_text("", Kind::control), Added::too_slow);
  outbox.written();
  EXPECT_EQ(outbox.waiting_bytes(), 0U);
  EXPECT_EQ(outbox.add_text("", Kind::control), Added::queued);
}

TEST(Outbox, E2_ImagesGoFirstThenAudioThenTheConnection) {
  Outbox outbox;
  const std::size_t quarter = kOutboxBytes / 4 - kOutboxMessageBytes;
  EXPECT_EQ(outbox.add_binary(bytes(quarter), Kind::audio, 1), Added::queued);
  EXPECT_EQ(outbox.add_binary(bytes(quarter / 2), Kind::image, 2), Added::queued);
  EXPECT_EQ(outbox.add_binary(bytes(quarter / 2), Kind::image, 2), Added::queued);
  EXPECT_EQ(outbox.add_binary(bytes(quarter), Kind::firmware, 3), Added::queued);
  const std::string text(quarter, 'x');
  EXPECT_EQ(outbox.add_text(text, Kind::control), Added::queued);  // the image is gone, all of it
  EXPECT_EQ(outbox.waiting_bytes(), 3 * kOutboxBytes / 4);
  EXPECT_EQ(outbox.add_text(text, Kind::control), Added::queued);
  EXPECT_EQ(outbox.add_text(text, Kind::control), Added::queued);  // the audio is gone
  EXPECT_EQ(outbox.add_text("", Kind::control), Added::too_slow);  // firmware has its window
  EXPECT_EQ(outbox.waiting_bytes(), kOutboxBytes);
}

TEST(Outbox, AMessageThatAloneIsTooLargeIsRefused) {
  Outbox outbox;
  EXPECT_EQ(outbox.add_binary(bytes(kOutboxBytes), Kind::audio, 1), Added::too_slow);
  EXPECT_TRUE(outbox.empty());
  EXPECT_EQ(outbox.waiting_bytes(), 0U);
}

TEST(Outbox, OneWriteIsSmallWhenMuchWaits) {
  Outbox outbox;
  for (int n = 0; n < 100; ++n) outbox.add_binary(bytes(4096), Kind::firmware, 1);
  std::size_t total = 0;
  for (const auto& message : outbox.take()) total += message.bytes.size();
  EXPECT_LE(total, kOutboxBatchBytes);
  EXPECT_GE(total, 4096U);
}

struct Step {
  int act;
  std::size_t size;
  std::uint8_t stream;
};

void apply(const Step& step, Outbox& outbox, bool& writing) {
  constexpr Kind kinds[] = {Kind::control, Kind::delta, Kind::audio, Kind::image, Kind::firmware};
  const Kind kind = kinds[step.size % 5];
  switch (step.act) {
    case 0:
      if (!writing) writing = !outbox.take().empty();
      break;
    case 1:
      if (writing) outbox.written();
      writing = false;
      break;
    case 2: outbox.drop_stream(step.stream); break;
    case 3:
    case 4: outbox.add_text(std::string(step.size, 'x'), kind); break;
    default: outbox.add_binary(bytes(step.size), kind, step.stream); break;
  }
}

// B-32: the cap holds for whatever is done, the message being added included, and nothing leaks
// from the count: emptied, it is zero again.
RC_GTEST_PROP(OutboxProperty, B32_NeverMoreThanItsBoundAndNothingLeaks, ()) {
  const auto seeds = *rc::gen::container<std::vector<std::uint32_t>>(
      300, rc::gen::inRange<std::uint32_t>(0, 1'000'000'000));
  Outbox outbox;
  bool writing = false;
  for (const std::uint32_t seed : seeds) {
    apply({static_cast<int>(seed % 9), seed / 9 % 60'000, static_cast<std::uint8_t>(seed % 4)},
          outbox, writing);
    RC_ASSERT(outbox.waiting_bytes() <= kOutboxBytes);
  }
  if (writing) outbox.written();
  while (!outbox.empty()) {
    RC_ASSERT(!outbox.take().empty());
    outbox.written();
  }
  RC_ASSERT(outbox.waiting_bytes() == 0U);
}

// Control messages are never lost, and come in the order in which they were added.
RC_GTEST_PROP(OutboxProperty, ControlIsNeverLostNorReordered, ()) {
  const auto seeds = *rc::gen::container<std::vector<std::uint32_t>>(
      200, rc::gen::inRange<std::uint32_t>(0, 1'000'000'000));
  Outbox outbox;
  std::deque<std::string> expected;
  std::uint32_t number = 0;
  const auto drain = [&] {
    for (const auto& message : outbox.take()) {
      if (message.kind != Kind::control) continue;
      const std::string text(reinterpret_cast<const char*>(message.bytes.data()),
                             message.bytes.size());
      RC_ASSERT(!expected.empty() && expected.front() == text);
      expected.pop_front();
    }
    outbox.written();
  };
  for (const std::uint32_t seed : seeds) {
    if (seed % 3 == 0) {
      const std::string text = std::to_string(++number);
      if (outbox.add_text(text, Kind::control) == Added::queued) expected.push_back(text);
    } else if (seed % 3 == 1) {
      outbox.add_binary(bytes(seed / 3 % 60'000), seed % 2 == 0 ? Kind::audio : Kind::image, 1);
    } else if (seed % 5 == 0) {
      drain();
    }
  }
  while (!outbox.empty()) drain();
  RC_ASSERT(expected.empty());
}

}  // namespace
}  // namespace gadget::hub
