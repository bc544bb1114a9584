// Tests of the small parts: loudness, words wrong, pins, manifest.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>

#include <gtest/gtest.h>

#include "base/files.hpp"
#include "speech/embedded.hpp"
#include "speech/framing.hpp"
#include "speech/loudness.hpp"
#include "speech/manifest.hpp"
#include "speech/pins.hpp"
#include "speech/word_errors.hpp"

namespace gadget::speech {
namespace {

TEST(Loudness, RaisesQuietSoundBySevenDecibels) {
  std::vector<std::int16_t> samples{0, 1'000, -1'000};
  raise(samples);
  EXPECT_EQ(samples[0], 0);
  EXPECT_NEAR(20 * std::log10(samples[1] / 1'000.0), 7.0, 0.1);
  EXPECT_EQ(samples[1], -samples[2]);
}

TEST(Loudness, NeverClipsAndNeverFolds) {
  int last = -1;
  for (int in = 0; in <= 32'767; in += 7) {
    std::vector<std::int16_t> samples{static_cast<std::int16_t>(in),
                                      static_cast<std::int16_t>(-in - 1)};
    raise(samples);
    EXPECT_GE(samples[0], last) << in;
    EXPECT_LE(samples[0], 32'200);
    EXPECT_GE(samples[1], -32'200);
    last = samples[0];
  }
}

TEST(Framing, APieceIsLaidInSilenceAndAWordIsMadeAsLoudAsASentence) {
  const std::vector<std::int16_t> sentence(2 * kRecognizerRateHz, 6'554);  // a fifth of full scale
  const auto framed = frame_piece(sentence, false, Attempt::first);
  EXPECT_EQ(framed.size(), kSilenceBefore + sentence.size() + kSilenceAfter);
  EXPECT_NEAR(framed[kSilenceBefore], 0.2F, 0.001F);
  EXPECT_EQ(framed.front(), 0.0F);
  EXPECT_EQ(frame_piece(sentence, true, Attempt::first).size(), sentence.size() + kSilenceAfter);

  const std::vector<std::int16_t> word(samples_of_ms(400), 328);  // -40 dB
  const auto loud = frame_piece(word, false, Attempt::first);
  EXPECT_EQ(loud.size(), kSilenceBeforeShort + word.size() + kSilenceAfter);
  EXPECT_NEAR(loud[kSilenceBeforeShort], kRaisedPeak, 0.003F);
  EXPECT_EQ(frame_piece({}, false, Attempt::second).size(), kSilenceBefore + kSilenceAfter);
}

TEST(Framing, RepetitionIsInvention) {
  for (const auto* text : {"", " ", "...", "You.", "help help help", "So, so, so, so"}) {
    EXPECT_TRUE(looks_invented(text)) << text;
  }
  for (const auto* text : {"No.", "No, no.", "Yes yes no", "Thank you."}) {
    EXPECT_FALSE(looks_invented(text)) << text;
  }
}

TEST(WordErrors, WritingThatSoundsTheSameIsTheSame) {
  EXPECT_EQ(count_word_errors("Set a timer for nine minutes.", "set a timer for 9 minutes").wrong,
            0U);
  EXPECT_EQ(count_word_errors("What is seventeen times twenty three?", "What's 17 times 23?").wrong,
            0U);
  EXPECT_EQ(count_word_errors("fifteen percent of eighty", "15% of 80").wrong, 0U);
  EXPECT_EQ(count_word_errors("Call at three o'clock today", "Call at 3 o'clock to-day!").wrong,
            0U);
  EXPECT_EQ(count_word_errors("one thousand two hundred", "1,200").wrong, 0U);
  EXPECT_EQ(count_word_errors("half past six", "half-past 6").wrong, 0U);
}

TEST(WordErrors, CountsSubstitutionsInsertionsAndDeletions) {
  EXPECT_EQ(count_word_errors("turn the light red", "turn a light red").wrong, 1U);
  EXPECT_EQ(count_word_errors("turn the light red", "turn light red").wrong, 1U);
  EXPECT_EQ(count_word_errors("turn the light red", "please turn the light red now").wrong, 2U);
  const auto nothing = count_word_errors("turn the light red", "");
  EXPECT_EQ(nothing.wrong, 4U);
  EXPECT_EQ(nothing.words, 4U);
  EXPECT_DOUBLE_EQ(nothing.percent(), 100.0);
}

TEST(Pins, EveryPackageIsPinnedForBothMachines) {
  const auto pins = parse_pins(embedded::pins_txt());
  ASSERT_TRUE(pins) << to_line(pins.error());
  const auto hashes = [&](std::string_view name) {
    const auto pin =
        std::find_if(pins->begin(), pins->end(), [&](const Pin& p) { return p.name == name; });
    return pin == pins->end() ? 0U : pin->sha256.size();
  };
  EXPECT_EQ(hashes("sherpa-onnx-core"), 2U);  // two machines
  EXPECT_EQ(hashes("moonshine-cpp"), 1U);     // only data: one wheel for all
  EXPECT_EQ(hashes("numpy"), 6U);             // two machines, three Pythons
  EXPECT_EQ(hashes("onnxruntime"), 6U);
  for (const auto& pin : *pins) EXPECT_GT(pin.megabytes, 0U) << pin.name;
}

TEST(Pins, ABadListIsRefused) {
  const std::string hash(64, 'a');
  EXPECT_TRUE(parse_pins("# group: g\nx==1 --hash=sha256:" + hash + "  # 1 MB, MIT\n"));
  EXPECT_FALSE(parse_pins("x==1 --hash=sha256:" + hash + "  # 1 MB, MIT\n")) << "no group";
  EXPECT_FALSE(parse_pins("# group: g\nx==1  # 1 MB, MIT\n")) << "no hash";
  EXPECT_FALSE(parse_pins("# group: g\nx>=1 --hash=sha256:" + hash + "  # 1 MB, MIT\n"))
      << "no version";
  EXPECT_FALSE(parse_pins("# group: g\nx==1 --hash=sha256:aa  # 1 MB, MIT\n")) << "short hash";
}

class ManifestTest : public testing::Test {
 protected:
  ManifestTest() {
    std::string pattern = testing::TempDir() + "manifest-XXXXXX";
    folder_ = mkdtemp(pattern.data());
    (void)files::write(folder_ / "model.onnx", "weights");
    put(R"({"version":1,"profile":"small","pins":"p","python":"","files":[{"path":"model.onnx","size":7,"sha256":")" +
        sha256_of("weights") + R"("}],"licences":[]})");
  }
  ~ManifestTest() override { std::filesystem::remove_all(folder_); }
  void put(const std::string& text) { (void)files::write(folder_ / "manifest.json", text); }
  Result<void> look(Depth depth) const {
    return read_manifest(folder_).and_then(
        [&](const Manifest& m) { return verify(folder_, m, depth); });
  }
  std::filesystem::path folder_;
};

TEST_F(ManifestTest, WhatIsWholeIsWhole) {
  EXPECT_TRUE(look(Depth::sizes));
  EXPECT_TRUE(look(Depth::contents));
}

TEST_F(ManifestTest, ADamagedFileIsNamedWithWhatToDo) {
  (void)files::write(folder_ / "model.onnx", "weighty");  // the same length
  EXPECT_TRUE(look(Depth::sizes));
  const auto damaged = look(Depth::contents);
  ASSERT_FALSE(damaged);
  EXPECT_NE(to_line(damaged.error()).find("model.onnx is damaged"), std::string::npos);
  EXPECT_NE(to_line(damaged.error()).find("speech install"), std::string::npos);
}

TEST_F(ManifestTest, AMissingOrShortFileIsNamed) {
  (void)files::write(folder_ / "model.onnx", "weigh");
  EXPECT_NE(look(Depth::sizes).error().text.find("model.onnx is damaged"), std::string::npos);
  std::filesystem::remove(folder_ / "model.onnx");
  EXPECT_NE(look(Depth::sizes).error().text.find("model.onnx is missing"), std::string::npos);
}

TEST_F(ManifestTest, ABadManifestIsNoInstallation) {
  for (const std::string text : {"", "{", "[]", "{}", R"({"version":2,"files":[]})",
                                 R"({"version":1,"files":[{"path":"../../etc/passwd","size":1}]})",
                                 R"({"version":1,"files":[{"path":"/etc/passwd","size":1}]})"}) {
    put(text);
    const auto manifest = read_manifest(folder_);
    ASSERT_FALSE(manifest) << text;
    EXPECT_EQ(manifest.error().code, FailureCode::corrupt) << text;
  }
  std::filesystem::remove(folder_ / "manifest.json");
  EXPECT_EQ(read_manifest(folder_).error().code, FailureCode::not_found);
}

}  // namespace
}  // namespace gadget::speech
