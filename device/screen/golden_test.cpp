// Every state, drawn in three sizes, must look like its reference picture in golden/, pixel by
// pixel. After a change that is meant, GADGET_UPDATE_GOLDEN=1 writes them anew (look at them before
// they are committed), and docs/screens/overview.png with them.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <ostream>

#include <gtest/gtest.h>

#include "device/screen/sample_models.hpp"
#include "device/screen/test_png.hpp"

namespace gadget::device::screen {
namespace {

using test::Picture;

const std::filesystem::path kSource = GADGET_SOURCE_DIR;
const std::filesystem::path kGolden = kSource / "device/screen/golden";

bool updating() { return std::getenv("GADGET_UPDATE_GOLDEN") != nullptr; }

Picture render(const samples::Sample& sample, int width, int height) {
  Picture picture{
      width, height,
      std::vector<Colour>(static_cast<std::size_t>(width) * static_cast<std::size_t>(height))};
  Canvas canvas(picture.pixels, width, height);
  draw(sample.model, canvas, sample.now_ms, kLatinFonts);
  return picture;
}

void expect_same(const Picture& drawn, const std::filesystem::path& path) {
  if (updating()) {
    std::filesystem::create_directories(path.parent_path());
    ASSERT_TRUE(test::write_png(path, drawn)) << path;
    return;
  }
  const auto golden = test::read_png(path);
  ASSERT_TRUE(golden) << path << " is missing; GADGET_UPDATE_GOLDEN=1 writes it";
  ASSERT_EQ(golden->width, drawn.width) << path;
  ASSERT_EQ(golden->height, drawn.height) << path;
  const auto [at, other] =
      std::mismatch(drawn.pixels.begin(), drawn.pixels.end(), golden->pixels.begin());
  if (at == drawn.pixels.end()) return;
  const auto seen = std::filesystem::temp_directory_path() / ("seen-" + path.filename().string());
  (void)test::write_png(seen, drawn);
  const auto offset = static_cast<int>(at - drawn.pixels.begin());
  ADD_FAILURE() << path << " differs first at x " << offset % drawn.width << ", y "
                << offset / drawn.width << "; drawn: " << seen;
}

struct Size {
  int width;
  int height;
};
void PrintTo(const Size& size, std::ostream* out) { *out << size.width << "x" << size.height; }

class Golden : public testing::TestWithParam<Size> {};

TEST_P(Golden, EveryStateLooksLikeItsReferencePicture) {
  const auto [width, height] = GetParam();
  const auto folder = kGolden / (std::to_string(width) + "x" + std::to_string(height));
  for (const auto& sample : samples::all()) {
    expect_same(render(sample, width, height), folder / (sample.name + ".png"));
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, Golden,
                         testing::Values(Size{128, 64}, Size{320, 240}, Size{480, 480}),
                         [](const auto& size) {
                           return std::to_string(size.param.width) + "x" +
                                  std::to_string(size.param.height);
                         });

TEST(Golden, TheSamplesShowEveryState) {
  const auto samples = samples::all();
  for (std::size_t state = 0; state < kStates; ++state) {
    EXPECT_TRUE(std::any_of(samples.begin(), samples.end(), [&](const auto& sample) {
      return sample.model.state == static_cast<State>(state);
    })) << name(static_cast<State>(state));
  }
}

TEST(Golden, TheOverviewOfTheDocumentationIsWhatIsDrawn) {
  constexpr int kColumns = 4;
  constexpr int kWidth = 320;
  constexpr int kHeight = 240;
  constexpr int kGap = 8;
  const auto samples = samples::all();
  const int rows = (static_cast<int>(samples.size()) + kColumns - 1) / kColumns;
  Picture sheet{kColumns * (kWidth + kGap) + kGap, rows * (kHeight + kGap) + kGap, {}};
  sheet.pixels.assign(static_cast<std::size_t>(sheet.width * sheet.height), rgb(72, 78, 92));
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const Picture one = render(samples[i], kWidth, kHeight);
    const int x = kGap + static_cast<int>(i) % kColumns * (kWidth + kGap);
    const int y = kGap + static_cast<int>(i) / kColumns * (kHeight + kGap);
    for (int line = 0; line < kHeight; ++line) {
      std::copy_n(one.pixels.begin() + line * kWidth, kWidth,
                  sheet.pixels.begin() + (y + line) * sheet.width + x);
    }
  }
  expect_same(sheet, kSource / "docs/screens/overview.png");
}

}  // namespace
}  // namespace gadget::device::screen
