#include "media/fit_image.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "media/image_limits.hpp"
#include "media/picture_source.hpp"

namespace gadget::media {
namespace {

using Bytes = std::span<const std::byte>;

std::string sides(PixelSize size) {
  return std::to_string(size.width) + " x " + std::to_string(size.height);
}

// ---- What it is ----

bool has(Bytes file, std::size_t at, std::string_view text) {
  if (file.size() < at + text.size()) return false;
  return std::equal(text.begin(), text.end(), file.begin() + static_cast<std::ptrdiff_t>(at),
                    [](char c, std::byte byte) {
                      return static_cast<std::byte>(static_cast<unsigned char>(c)) == byte;
                    });
}

// What people send that is no JPEG or PNG; empty: nothing known.
std::string_view other_format(Bytes file) {
  struct Mark {
    std::size_t at;
    std::string_view text;
    std::string_view name;
  };
  constexpr std::array kMarks{
      Mark{0, "GIF8", "a GIF"},       Mark{8, "WEBP", "a WebP picture"},
      Mark{4, "ftyphei", "a HEIC"},   Mark{4, "ftypmif1", "a HEIF"},
      Mark{4, "ftypavif", "an AVIF"}, Mark{0, "BM", "a BMP"},
      Mark{0, "II*", "a TIFF"},       Mark{0, "MM\0*", "a TIFF"},
      Mark{0, "%PDF", "a PDF"},       Mark{0, "<svg", "an SVG"},
      Mark{0, "<?xml", "an SVG"},     Mark{0, "\xFF\x0A", "a JPEG XL"},
  };
  for (const Mark& mark : kMarks) {
    if (has(file, mark.at, mark.text)) return mark.name;
  }
  return {};
}

Result<std::unique_ptr<PictureSource>> open(Bytes file, const std::atomic<bool>* stop) {
  if (file.size() > limits::kImageFileBytes) {
    return fail(FailureCode::invalid_argument,
                "a picture of " + std::to_string(file.size() >> 20U) + " MB is too large",
                "at most " + std::to_string(limits::kImageFileBytes >> 20U) + " MB are taken");
  }
  if (has(file, 0, "\xFF\xD8\xFF")) return open_jpeg(file, stop);
  if (has(file, 0, "\x89PNG\r\n\x1A\n")) return open_png(file, stop);
  const std::string_view other = other_format(file);
  const std::string found = file.empty()    ? "the file is empty"
                            : other.empty() ? "this is no picture that is understood"
                                            : "this is " + std::string(other);
  return fail(FailureCode::invalid_argument, found, "JPEG and PNG are understood");
}

// ---- How large it becomes ----

// Inside the box, with its own proportions, never enlarged.
PixelSize fitted(PixelSize size, PixelSize box) {
  if (size.width <= box.width && size.height <= box.height) return size;
  const auto scaled = [](std::uint64_t side, std::uint64_t to, std::uint64_t from) {
    return static_cast<std::uint32_t>(std::max<std::uint64_t>(1, (side * to + from / 2) / from));
  };
  const bool wide =
      std::uint64_t{box.width} * size.height <= std::uint64_t{box.height} * size.width;
  if (wide) return {box.width, scaled(size.height, box.width, size.width)};
  return {scaled(size.width, box.height, size.height), box.height};
}

PixelSize swapped_if(bool swap, PixelSize size) {
  return swap ? PixelSize{size.height, size.width} : size;
}

// ---- Its pixels ----

// Where a stored pixel is seen. REQUIRES: `at` within `stored`.
PixelSize seen_at(PixelSize at, PixelSize stored, Orientation orientation) {
  const std::uint32_t right = stored.width - 1 - at.width;
  const std::uint32_t below = stored.height - 1 - at.height;
  switch (orientation) {
    case Orientation::upright: break;
    case Orientation::mirrored: return {right, at.height};
    case Orientation::turned: return {right, below};
    case Orientation::mirrored_turned: return {at.width, below};
    case Orientation::transposed: return {at.height, at.width};
    case Orientation::turned_right: return {below, at.width};
    case Orientation::transposed_other: return {below, right};
    case Orientation::turned_left: return {at.height, right};
  }
  return at;
}

// What is added before a value is cut to whole levels, of `kFull`: a half rounds; with dithering it
// is another part at each place of a square of 8 x 8, spread as evenly as can be.
constexpr std::uint32_t kFull = 255 * BoxFilter::kOne;

std::uint32_t threshold(std::uint32_t x, std::uint32_t y, bool dither) {
  if (!dither) return kFull / 2;
  std::uint32_t rank = 0;  // 0 to 63: the bits of x ^ y and y, reversed and interleaved
  for (std::uint32_t bit = 0; bit < 3; ++bit) {
    rank = (rank << 2U) | ((((x ^ y) >> bit) & 1U) << 1U) | ((y >> bit) & 1U);
  }
  return (2 * rank + 1) * kFull / 128;
}

std::uint32_t level(std::uint32_t value, std::uint32_t highest, std::uint32_t added) {
  return (value * highest + added) / kFull;
}

class Canvas {
 public:
  Canvas(PixelSize stored, Orientation orientation, bool dither)
      : stored_(stored), orientation_(orientation), dither_(dither) {
    const PixelSize seen = swapped_if(swaps_sides(orientation), stored);
    image_.width = seen.width;
    image_.height = seen.height;
    image_.rgb565.resize(std::size_t{2} * seen.width * seen.height);
  }

  void draw(std::uint32_t y, std::span<const std::uint16_t> row) {
    for (std::uint32_t x = 0; x < stored_.width; ++x) {
      const PixelSize seen = seen_at({x, y}, stored_, orientation_);
      const std::uint32_t added = threshold(seen.width, seen.height, dither_);
      const std::uint16_t* const rgb = row.data() + std::size_t{x} * BoxFilter::kChannels;
      const std::uint32_t pixel = (level(rgb[0], 31, added) << 11U) |
                                  (level(rgb[1], 63, added) << 5U) | level(rgb[2], 31, added);
      const std::size_t at = 2 * (std::size_t{seen.height} * image_.width + seen.width);
      image_.rgb565[at] = static_cast<std::byte>(pixel & 0xFFU);
      image_.rgb565[at + 1] = static_cast<std::byte>(pixel >> 8U);
    }
  }

  [[nodiscard]] FittedImage take() { return std::move(image_); }

 private:
  PixelSize stored_;
  Orientation orientation_;
  bool dither_;
  FittedImage image_;
};

}  // namespace

Result<void> check_source_size(PixelSize size) {
  const std::uint64_t pixels = std::uint64_t{size.width} * size.height;
  if (pixels > 0 && std::max(size.width, size.height) <= limits::kImageSide &&
      pixels <= limits::kImagePixels) {
    return {};
  }
  return fail(FailureCode::invalid_argument,
              "a picture of " + sides(size) + " pixels cannot be shown",
              "at most " + std::to_string(limits::kImagePixels / 1'000'000) +
                  " megapixels are taken, and " + std::to_string(limits::kImageSide) + " a side");
}

Result<FittedImage> fit_image(Bytes file, FitOptions options) {
  const PixelSize box{options.width, options.height};
  if (box.width == 0 || box.height == 0 || std::max(box.width, box.height) > limits::kFitSide ||
      std::uint64_t{box.width} * box.height > limits::kFitPixels) {
    return fail(FailureCode::invalid_argument, "no picture fits into " + sides(box) + " pixels");
  }
  auto source = open(file, options.stop);
  if (!source) return tl::unexpected(std::move(source.error()));
  PictureSource& picture = **source;
  const Orientation orientation = picture.orientation();
  const PixelSize wanted = fitted(picture.size(), swapped_if(swaps_sides(orientation), box));
  const auto plan = picture.begin(wanted);
  if (!plan) return tl::unexpected(plan.error());
  Canvas canvas(wanted, orientation, options.dither);
  BoxFilter filter(
      plan->size, wanted, plan->order,
      [&canvas](std::uint32_t y, std::span<const std::uint16_t> row) { canvas.draw(y, row); });
  if (auto done = picture.rows(filter); !done) return tl::unexpected(std::move(done.error()));
  filter.finish();
  return canvas.take();
}

}  // namespace gadget::media
