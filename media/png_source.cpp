#include <algorithm>
#include <array>
#include <csetjmp>
#include <cstring>
#include <string>
#include <vector>

#include <png.h>

#include "media/image_limits.hpp"
#include "media/picture_source.hpp"

namespace gadget::media {
namespace {

// What libpng is told about errors. Plain data: longjmp leaves from under it.
struct Guard {
  std::jmp_buf escape{};
  std::array<char, 160> text{};
  std::span<const std::byte> rest;
  bool ended_early = false;
};

[[noreturn]] void on_error(png_structp png, png_const_charp text) {
  auto& guard = *static_cast<Guard*>(png_get_error_ptr(png));
  std::strncpy(guard.text.data(), text, guard.text.size() - 1);
  std::longjmp(guard.escape, 1);
}

void on_warning(png_structp, png_const_charp) {}

void read_more(png_structp png, png_bytep into, std::size_t bytes) {
  auto& guard = *static_cast<Guard*>(png_get_io_ptr(png));
  if (bytes > guard.rest.size()) {
    guard.ended_early = true;
    png_error(png, "cut off");
  }
  std::memcpy(into, guard.rest.data(), bytes);
  guard.rest = guard.rest.subspan(bytes);
}

// Red, green, blue and how much of it is seen, to what is seen of it on black; in place.
void onto_black(std::span<std::uint8_t> row) {
  constexpr std::uint32_t kFull = 255;
  for (std::size_t from = 0, to = 0; from + 3 < row.size(); from += 4, to += 3) {
    const std::uint32_t seen = row[from + 3];
    for (std::size_t c = 0; c < 3; ++c) {
      row[to + c] = static_cast<std::uint8_t>((row[from + c] * seen + kFull / 2) / kFull);
    }
  }
}

class PngSource final : public PictureSource {
 public:
  PngSource(std::span<const std::byte> file, const std::atomic<bool>* stop)
      : file_(file), stop_(stop) {
    guard_.rest = file;
  }
  ~PngSource() override { png_destroy_read_struct(&png_, &info_, nullptr); }
  PngSource(const PngSource&) = delete;
  PngSource& operator=(const PngSource&) = delete;

  Result<void> open();
  PixelSize size() const override { return size_; }
  Orientation orientation() const override { return exif_orientation(exif_of_png(file_)); }
  Result<Plan> begin(PixelSize wanted) override;
  Result<void> rows(BoxFilter& into) override;

 private:
  // One of the seven passes of an interlaced picture, or the whole of another.
  struct Pass {
    std::uint32_t x, x_step, y, y_step;
  };

  // Runs calls of libpng; false when they left by longjmp. `step` makes no object with a
  // destructor.
  template <class Step>
  [[nodiscard]] bool guarded(Step step) {
    if (setjmp(guard_.escape) != 0) return false;
    step();
    return true;
  }
  [[nodiscard]] tl::unexpected<Failure> failure() const;
  [[nodiscard]] Result<void> read_pass(const Pass& pass, std::vector<std::uint8_t>& row,
                                       BoxFilter& into);
  void set_up();

  std::span<const std::byte> file_;
  const std::atomic<bool>* stop_;
  Guard guard_;
  png_structp png_ = nullptr;
  png_infop info_ = nullptr;
  PixelSize size_;
  bool interlaced_ = false;
  std::size_t channels_ = 0;
};

tl::unexpected<Failure> PngSource::failure() const {
  if (guard_.ended_early) {
    return fail(FailureCode::corrupt, "the PNG ends too early", "copy or download it again");
  }
  return fail(FailureCode::corrupt,
              "a PNG that cannot be decoded: " + std::string(guard_.text.data()));
}

// The first chunk is read here: libpng allocates nothing before we know how large it says to be.
Result<void> PngSource::open() {
  constexpr std::size_t kHeaderAt = 8, kWidthAt = 16, kHeaderEnd = 33;
  if (file_.size() < kHeaderEnd) {
    guard_.ended_early = true;
    return failure();
  }
  const auto number = [this](std::size_t at) {
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < 4; ++i) {
      value = (value << 8U) | std::to_integer<std::uint32_t>(file_[at + i]);
    }
    return value;
  };
  constexpr std::uint32_t kHeaderName = 0x49484452;  // IHDR
  if (number(kHeaderAt + 4) != kHeaderName) {
    return fail(FailureCode::corrupt, "a PNG that cannot be decoded: it has no header");
  }
  size_ = {number(kWidthAt), number(kWidthAt + 4)};
  return check_source_size(size_);
}

void PngSource::set_up() {
  png_set_user_limits(png_, limits::kImageSide, limits::kImageSide);
  png_set_chunk_malloc_max(png_, limits::kPngChunkBytes);
  // All chunks but those that make up the picture are skipped: texts and colour profiles come
  // compressed, and could be of any size.
  constexpr int kAllAncillary = -1;
  png_set_keep_unknown_chunks(png_, PNG_HANDLE_CHUNK_NEVER, nullptr, kAllAncillary);
  png_set_read_fn(png_, &guard_, read_more);
  png_read_info(png_, info_);
  // Whatever it is: 8 bits of red, green, blue, and how much of it is seen.
  png_set_expand(png_);
  png_set_scale_16(png_);
  png_set_gray_to_rgb(png_);
  png_read_update_info(png_, info_);
}

Result<PictureSource::Plan> PngSource::begin(PixelSize wanted) {
  (void)wanted;
  const bool made = guarded([this] {
    png_ = png_create_read_struct(PNG_LIBPNG_VER_STRING, &guard_, on_error, on_warning);
    if (png_ != nullptr) info_ = png_create_info_struct(png_);
  });
  if (!made || info_ == nullptr) {
    return fail(FailureCode::internal, "there is no memory for a PNG");
  }
  if (!guarded([this] { set_up(); })) return failure();
  channels_ = png_get_channels(png_, info_);
  if (channels_ < BoxFilter::kChannels || png_get_bit_depth(png_, info_) != 8) {
    return fail(FailureCode::internal, "libpng made no RGB of a PNG");
  }
  interlaced_ = png_get_interlace_type(png_, info_) == PNG_INTERLACE_ADAM7;
  return Plan{size_, interlaced_ ? BoxFilter::Order::any : BoxFilter::Order::rows_from_top};
}

Result<void> PngSource::rows(BoxFilter& into) {
  std::vector<std::uint8_t> row(std::size_t{size_.width} * channels_);
  if (!interlaced_) return read_pass({0, 1, 0, 1}, row, into);
  // The passes are summed up as they come: the whole picture is never in memory.
  constexpr std::array<Pass, 7> kAdam7{{{0, 8, 0, 8},
                                        {4, 8, 0, 8},
                                        {0, 4, 4, 8},
                                        {2, 4, 0, 4},
                                        {0, 2, 2, 4},
                                        {1, 2, 0, 2},
                                        {0, 1, 1, 2}}};
  for (const Pass& its : kAdam7) {
    if (its.x >= size_.width || its.y >= size_.height) continue;  // libpng leaves it out too
    if (auto done = read_pass(its, row, into); !done) return done;
  }
  return {};
}

Result<void> PngSource::read_pass(const Pass& pass, std::vector<std::uint8_t>& row,
                                  BoxFilter& into) {
  const std::size_t pixels = (size_.width - pass.x + pass.x_step - 1) / pass.x_step;
  for (std::uint32_t y = pass.y; y < size_.height; y += pass.y_step) {
    if (stop_ != nullptr && stop_->load(std::memory_order_relaxed)) {
      return fail(FailureCode::cancelled, "the picture is not wanted any more");
    }
    if (!guarded([this, &row] { png_read_row(png_, row.data(), nullptr); })) return failure();
    if (channels_ > BoxFilter::kChannels) onto_black(std::span(row).first(pixels * channels_));
    const auto rgb = std::span<const std::uint8_t>(row).first(pixels * BoxFilter::kChannels);
    if (interlaced_) {
      into.add_pixels(y, pass.x, pass.x_step, rgb);
    } else {
      into.add_row(y, rgb);
    }
  }
  return {};
}

}  // namespace

Result<std::unique_ptr<PictureSource>> open_png(std::span<const std::byte> file,
                                                const std::atomic<bool>* stop) {
  auto source = std::make_unique<PngSource>(file, stop);
  if (auto opened = source->open(); !opened) return tl::unexpected(std::move(opened.error()));
  return source;
}

}  // namespace gadget::media
