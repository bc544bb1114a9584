// Every state, drawn for five screens, must look like its reference picture in golden/, pixel by
// pixel. After a change that is meant, GADGET_UPDATE_GOLDEN=1 writes them anew (look at them before
// they are committed), and the sheets in docs/screens with them.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <ostream>

#include <gtest/gtest.h>

#include "device/screen/mono.hpp"
#include "device/screen/sample_models.hpp"
#include "device/screen/test_png.hpp"

namespace gadget::device::screen {
namespace {

using test::Picture;

const std::filesystem::path kSource = GADGET_SOURCE_DIR;
const std::filesystem::path kGolden = kSource / "device/screen/golden";

bool updating() { return std::getenv("GADGET_UPDATE_GOLDEN") != nullptr; }

// A screen that the pictures are drawn for.
struct Look {
  const char* name;
  int width;
  int height;
  Shape shape;
  bool mono;
  const FontSet* fonts;
};
void PrintTo(const Look& look, std::ostream* out) { *out << look.name; }

constexpr Look kReference{"320x240", 320, 240, Shape::rectangle, false, &kWideFonts};
constexpr Look kMono{"128x64-mono", 128, 64, Shape::rectangle, true, &kMonoFonts};
constexpr Look kSmallColour{"160x128", 160, 128, Shape::rectangle, false, &kAsciiFonts};
constexpr Look kSmallRound{"240x240-round", 240, 240, Shape::round, false, &kWideFonts};
constexpr Look kLargeRound{"480x480-round", 480, 480, Shape::round, false, &kWideFonts};

std::vector<samples::Sample> samples_of(const Look& look) {
  return samples::all(look.width, look.height, look.shape, look.mono, *look.fonts);
}

// What such a panel shows of it: through the page format, as a port sends it.
void make_mono(const Canvas& canvas, Tone tone, Picture& picture) {
  std::vector<std::uint8_t> page(static_cast<std::size_t>(canvas.width()));
  for (int i = 0; i < mono_pages(canvas.height()); ++i) {
    const auto columns = to_mono(canvas, i, tone, page);
    ASSERT_EQ(columns.size(), page.size());
    for (int row = 0; row < kPageRows && i * kPageRows + row < canvas.height(); ++row) {
      for (int x = 0; x < canvas.width(); ++x) {
        const bool lit = (columns[static_cast<std::size_t>(x)] >> row & 1) != 0;
        picture.pixels[static_cast<std::size_t>((i * kPageRows + row) * canvas.width() + x)] =
            lit ? rgb(255, 255, 255) : Colour{0};
      }
    }
  }
}

Picture render(const samples::Sample& sample, const Look& look) {
  Picture picture{look.width, look.height,
                  std::vector<Colour>(static_cast<std::size_t>(look.width) *
                                      static_cast<std::size_t>(look.height))};
  Canvas canvas(picture.pixels, look.width, look.height);
  draw(sample.model, canvas, sample.now_ms, *look.fonts);
  if (look.mono) make_mono(canvas, tone_of(sample.model.state), picture);
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

class Golden : public testing::TestWithParam<Look> {};

TEST_P(Golden, EveryStateLooksLikeItsReferencePicture) {
  for (const auto& sample : samples_of(GetParam())) {
    expect_same(render(sample, GetParam()),
                kGolden / GetParam().name / (std::string{sample.name} + ".png"));
  }
}

INSTANTIATE_TEST_SUITE_P(Looks, Golden,
                         testing::Values(kMono, kSmallColour, kSmallRound, kReference, kLargeRound),
                         [](const auto& look) {
                           std::string name = look.param.name;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(Golden, TheSamplesShowEveryState) {
  const auto samples = samples::all();
  for (std::size_t state = 0; state < kStates; ++state) {
    EXPECT_TRUE(std::any_of(samples.begin(), samples.end(), [&](const auto& sample) {
      return sample.model.state == static_cast<State>(state);
    })) << name(static_cast<State>(state));
  }
}

// All pictures of a screen on one sheet, `zoom` times as large; corners of round ones are left out.
Picture sheet_of(const Look& look, int columns, int zoom) {
  constexpr int kGap = 8;
  const auto samples = samples_of(look);
  const int width = look.width * zoom;
  const int height = look.height * zoom;
  const int rows = (static_cast<int>(samples.size()) + columns - 1) / columns;
  Picture sheet{columns * (width + kGap) + kGap, rows * (height + kGap) + kGap, {}};
  sheet.pixels.assign(static_cast<std::size_t>(sheet.width * sheet.height), rgb(72, 78, 92));
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const Picture one = render(samples[i], look);
    const int left = kGap + static_cast<int>(i) % columns * (width + kGap);
    const int top = kGap + static_cast<int>(i) / columns * (height + kGap);
    for (int y = 0; y < height; ++y) {
      for (int x = 0; x < width; ++x) {
        const int dx = 2 * x + 1 - width;
        const int dy = 2 * y + 1 - height;
        if (look.shape == Shape::round && dx * dx + dy * dy > width * width) continue;
        sheet.pixels[static_cast<std::size_t>((top + y) * sheet.width + left + x)] =
            one.pixels[static_cast<std::size_t>(y / zoom * look.width + x / zoom)];
      }
    }
  }
  return sheet;
}

TEST(Golden, TheSheetsOfTheDocumentationAreWhatIsDrawn) {
  const auto folder = kSource / "docs/screens";
  expect_same(sheet_of(kReference, 4, 1), folder / "overview.png");
  expect_same(sheet_of(kMono, 4, 2), folder / "mono.png");
  expect_same(sheet_of(kSmallColour, 6, 1), folder / "small.png");
  expect_same(sheet_of(kSmallRound, 5, 1), folder / "round.png");
}

}  // namespace
}  // namespace gadget::device::screen
