#include "protocol/audio_assembler.hpp"

#include <vector>

#include <gtest/gtest.h>

namespace gadget::protocol {
namespace {

std::vector<std::byte> bytes(std::initializer_list<int> values) {
  std::vector<std::byte> out;
  for (const int value : values) out.push_back(static_cast<std::byte>(value));
  return out;
}

// What a player hears of one frame.
std::vector<std::int16_t> heard(AudioAssembler& assembler, std::uint16_t sequence,
                                std::span<const std::byte> payload) {
  const AudioAssembler::Step step = assembler.push(sequence, payload);
  std::vector<std::int16_t> out(step.silence_samples, 0);
  if (step.has_carried) out.push_back(step.carried);
  for (std::size_t i = 0; i < step.samples.size() / 2; ++i)
    out.push_back(sample_at(step.samples, i));
  return out;
}

TEST(AudioAssembler, T6_SamplesAreLittleEndian) {
  AudioAssembler assembler(16'000);
  EXPECT_EQ(heard(assembler, 9, bytes({0x34, 0x12, 0xFF, 0xFF})),
            (std::vector<std::int16_t>{0x1234, -1}));
}

TEST(AudioAssembler, E17_AnOddByteWaitsForTheNextFrame) {
  AudioAssembler assembler(16'000);
  EXPECT_EQ(heard(assembler, 0, bytes({1, 0, 2})), (std::vector<std::int16_t>{1}));
  EXPECT_EQ(heard(assembler, 0, bytes({9, 9, 9})).size(), 0U);  // a repeat does not disturb it
  EXPECT_EQ(heard(assembler, 1, bytes({0, 3, 0})), (std::vector<std::int16_t>{2, 3}));
  EXPECT_EQ(assembler.counters().odd_bytes, 0U);
}

TEST(AudioAssembler, E17_AGapIsSilenceAndDiscardsTheOddByte) {
  AudioAssembler assembler(16'000);
  (void)heard(assembler, 0, bytes({1, 0, 2}));
  EXPECT_EQ(heard(assembler, 3, bytes({5, 0, 6, 0})),
            (std::vector<std::int16_t>{0, 0, 0, 0, 5, 6}));
  EXPECT_EQ(assembler.counters().lost, 2U);
  EXPECT_EQ(assembler.counters().odd_bytes, 1U);
  EXPECT_EQ(assembler.counters().filled_samples, 4U);
}

TEST(AudioAssembler, E17_SilenceIsAtMostOneSecond) {
  AudioAssembler assembler(16'000);
  const std::vector<std::byte> frame(1280);
  (void)assembler.push(0, frame);
  EXPECT_EQ(assembler.push(32'767, frame).silence_samples, 16'000U);
}

TEST(AudioAssembler, E17_RepeatsLateFramesAndWildJumpsAreDropped) {
  AudioAssembler assembler(16'000);
  (void)heard(assembler, 100, bytes({1, 0}));
  EXPECT_TRUE(heard(assembler, 100, bytes({2, 0})).empty());
  EXPECT_TRUE(heard(assembler, 99, bytes({2, 0})).empty());
  EXPECT_TRUE(heard(assembler, static_cast<std::uint16_t>(100 + 32'768), bytes({2, 0})).empty());
  EXPECT_EQ(heard(assembler, 101, bytes({3, 0})), (std::vector<std::int16_t>{3}));
  EXPECT_EQ(assembler.counters().repeated, 1U);
  EXPECT_EQ(assembler.counters().late, 2U);
}

TEST(AudioAssembler, E17_NumberingStartsAnywhereAndWraps) {
  AudioAssembler assembler(16'000);
  EXPECT_EQ(heard(assembler, 65'535, bytes({1, 0})), (std::vector<std::int16_t>{1}));
  EXPECT_EQ(heard(assembler, 0, bytes({2, 0})), (std::vector<std::int16_t>{2}));
  EXPECT_EQ(assembler.counters().lost, 0U);
}

TEST(AudioAssembler, B35_AnEmptyFrameMeansNothing) {
  AudioAssembler assembler(16'000);
  (void)heard(assembler, 0, bytes({1, 0, 2}));
  EXPECT_TRUE(heard(assembler, 1, {}).empty());
  EXPECT_EQ(heard(assembler, 2, bytes({0})),
            (std::vector<std::int16_t>{2}));  // the odd byte still waits
}

TEST(AudioAssembler, SamplesThereAndBack) {
  const std::vector<std::int16_t> samples{0, 1, -1, 32'767, -32'768, 0x1234};
  std::vector<std::byte> encoded(2 * samples.size());
  encode_samples(samples, encoded);
  for (std::size_t i = 0; i < samples.size(); ++i) EXPECT_EQ(sample_at(encoded, i), samples[i]);
  EXPECT_EQ(encoded[10], std::byte{0x34});  // the low byte first
  std::vector<std::int16_t> decoded(samples.size());
  decode_samples(encoded, decoded);
  EXPECT_EQ(decoded, samples);
  // An odd byte at the end is no sample, and what lies behind the samples stays.
  decoded.assign(samples.size(), 7);
  decode_samples(std::span<const std::byte>(encoded).first(5), decoded);
  EXPECT_EQ(decoded, (std::vector<std::int16_t>{0, 1, 7, 7, 7, 7}));
  decode_samples({}, {});
}

}  // namespace
}  // namespace gadget::protocol
