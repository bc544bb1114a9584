#include "speech/segmenter.hpp"

#include <vector>

#include <gtest/gtest.h>

namespace gadget::speech {
namespace {

constexpr std::size_t kWindow = 512;

// Speech and pauses, in milliseconds, in turn; starts with a pause.
struct Talk {
  std::vector<Piece> pieces;
  std::size_t position = 0;
  Segmenter segmenter;
  explicit Talk(const std::vector<std::size_t>& parts) {
    bool speech = false;
    for (const auto part : parts) {
      for (std::size_t i = 0; i < samples_of_ms(part) / kWindow; ++i) {
        position += kWindow;
        if (const auto piece = segmenter.window(position, speech, speech ? 1.0F : 0.0F)) {
          pieces.push_back(*piece);
        }
      }
      speech = !speech;
    }
    if (const auto piece = segmenter.finish(position)) pieces.push_back(*piece);
  }
};

TEST(Segmenter, SilenceHasNoPieces) { EXPECT_TRUE(Talk({5'000}).pieces.empty()); }

TEST(Segmenter, APieceBeginsBeforeSpeechAndEndsAfterIt) {
  const Talk run({1'000, 2'000, 1'000});
  ASSERT_EQ(run.pieces.size(), 1U);
  const auto begin = samples_of_ms(1'000) / kWindow * kWindow;
  EXPECT_EQ(run.pieces[0].begin, begin - kLead);
  EXPECT_NEAR(static_cast<double>(run.pieces[0].end),
              static_cast<double>(samples_of_ms(3'000) + kTrail), 2.0 * kWindow);
}

TEST(Segmenter, SpeechFromTheFirstSampleBeginsAtZero) {
  EXPECT_EQ(Talk({0, 1'000, 500}).pieces.at(0).begin, 0U);
}

TEST(Segmenter, AShortPauseStaysInsideAPiece) {
  EXPECT_EQ(Talk({500, 1'500, 800, 1'500, 500}).pieces.size(), 1U);
}

TEST(Segmenter, ALongPauseEndsAPiece) {
  const Talk run({500, 1'500, 2'500, 1'500, 500});
  ASSERT_EQ(run.pieces.size(), 2U);
  EXPECT_LE(run.pieces[0].end, run.pieces[1].begin);
}

TEST(Segmenter, ALongPieceEndsAtAnyPause) {
  EXPECT_EQ(Talk({200, 9'000, 600, 1'000, 500}).pieces.size(), 2U);
}

TEST(Segmenter, NoPieceIsLongerThanTheLimitAndNothingIsLost) {
  const Talk run({200, 60'000, 400});
  ASSERT_GE(run.pieces.size(), 3U);
  for (std::size_t i = 0; i < run.pieces.size(); ++i) {
    EXPECT_LE(run.pieces[i].end - run.pieces[i].begin, kMaxPiece);
    if (i == 0) continue;
    EXPECT_EQ(run.pieces[i].begin, run.pieces[i - 1].end) << "a gap in continuous speech";
  }
  EXPECT_GE(run.pieces.back().end, run.position - samples_of_ms(200));
}

TEST(Segmenter, ALongPieceIsCutAtItsQuietestMoment) {
  Segmenter segmenter;
  std::optional<Piece> piece;
  std::size_t position = 0;
  const std::size_t quiet = samples_of_ms(17'000) / kWindow * kWindow;
  while (!piece) {
    position += kWindow;
    piece = segmenter.window(position, true, position == quiet ? 0.1F : 1.0F);
  }
  EXPECT_EQ(piece->end, quiet);
}

}  // namespace
}  // namespace gadget::speech
