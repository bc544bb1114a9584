#include <algorithm>
#include <array>
#include <csetjmp>
#include <cstdio>
#include <string>
#include <vector>

#include <jpeglib.h>
// After jpeglib.h, which it needs.
#include <jerror.h>

#include "media/image_limits.hpp"
#include "media/picture_source.hpp"

namespace gadget::media {
namespace {

// What libjpeg is told about errors, the limit of scans, and whether to stop. Plain data: longjmp
// leaves from under it.
struct Guard {
  jpeg_error_mgr errors{};
  jpeg_progress_mgr progress{};
  std::jmp_buf escape{};
  const std::atomic<bool>* stop = nullptr;
  bool stopped = false;
  bool too_many_scans = false;
  bool ended_early = false;
};

Guard& guard_of(j_common_ptr info) { return *static_cast<Guard*>(info->client_data); }

[[noreturn]] void leave(j_common_ptr info) { std::longjmp(guard_of(info).escape, 1); }

// Warnings: libjpeg goes on and invents what is missing; a person would be shown rubbish. So damage
// is an error. What only looks odd is not.
void on_message(j_common_ptr info, int level) {
  if (level >= 0) return;
  switch (info->err->msg_code) {
    case JWRN_EXTRANEOUS_DATA:
    case JWRN_ADOBE_XFORM:
    case JWRN_JFIF_MAJOR:
    case JWRN_TOO_MUCH_DATA: return;
    case JWRN_JPEG_EOF: guard_of(info).ended_early = true; return;  // matters if data is missing
    default: leave(info);
  }
}

// Called for every row of blocks, in every scan.
void on_progress(j_common_ptr info) {
  Guard& guard = guard_of(info);
  guard.stopped = guard.stop != nullptr && guard.stop->load(std::memory_order_relaxed);
  const auto* decompress = reinterpret_cast<const jpeg_decompress_struct*>(info);
  guard.too_many_scans = decompress->input_scan_number > limits::kJpegScans;
  if (guard.stopped || guard.too_many_scans) leave(info);
}

class JpegSource final : public PictureSource {
 public:
  JpegSource(std::span<const std::byte> file, const std::atomic<bool>* stop) : file_(file) {
    guard_.stop = stop;
    info_.err = jpeg_std_error(&guard_.errors);
    guard_.errors.error_exit = leave;
    guard_.errors.emit_message = on_message;
    guard_.errors.output_message = [](j_common_ptr) {};
    info_.client_data = &guard_;
  }
  ~JpegSource() override { jpeg_destroy_decompress(&info_); }
  JpegSource(const JpegSource&) = delete;
  JpegSource& operator=(const JpegSource&) = delete;

  Result<void> open();
  PixelSize size() const override { return {info_.image_width, info_.image_height}; }
  Orientation orientation() const override { return exif_orientation(exif_of_jpeg(file_)); }
  Result<Plan> begin(PixelSize wanted) override;
  Result<void> rows(BoxFilter& into) override;

 private:
  // Runs calls of libjpeg; false when they left by longjmp. `step` makes no object with a
  // destructor.
  template <class Step>
  [[nodiscard]] bool guarded(Step step) {
    if (setjmp(guard_.escape) != 0) return false;
    step();
    return true;
  }
  [[nodiscard]] tl::unexpected<Failure> failure();
  [[nodiscard]] Result<void> check_memory();
  void to_rgb(std::span<const std::uint8_t> cmyk, std::span<std::uint8_t> rgb) const;

  std::span<const std::byte> file_;
  Guard guard_;
  jpeg_decompress_struct info_{};
};

tl::unexpected<Failure> JpegSource::failure() {
  if (guard_.stopped) return fail(FailureCode::cancelled, "the picture is not wanted any more");
  if (guard_.too_many_scans) {
    return fail(FailureCode::corrupt, "a JPEG of more than " + std::to_string(limits::kJpegScans) +
                                          " scans is no picture");
  }
  if (guard_.ended_early) {
    return fail(FailureCode::corrupt, "the JPEG ends too early", "copy or download it again");
  }
  std::array<char, JMSG_LENGTH_MAX> text{};
  guard_.errors.format_message(reinterpret_cast<j_common_ptr>(&info_), text.data());
  return fail(FailureCode::corrupt, "a JPEG that cannot be decoded: " + std::string(text.data()));
}

Result<void> JpegSource::open() {
  const bool done = guarded([this] {
    jpeg_create_decompress(&info_);
    // jpeg_create_decompress() clears all but these two.
    info_.mem->max_memory_to_use =
        static_cast<long>(limits::kJpegCoefficientBytes + limits::kJpegWorkBytes);
    jpeg_mem_src(&info_, reinterpret_cast<const unsigned char*>(file_.data()),
                 static_cast<unsigned long>(file_.size()));
    (void)jpeg_read_header(&info_, TRUE);
  });
  if (!done) return failure();
  info_.progress = &guard_.progress;
  guard_.progress.progress_monitor = on_progress;
  return check_source_size(size());
}

// A JPEG in one scan is decoded as it is read; in several it is first kept as coefficients.
Result<void> JpegSource::check_memory() {
  if (jpeg_has_multiple_scans(&info_) == FALSE) return {};
  std::uint64_t bytes = 0;
  for (int i = 0; i < info_.num_components; ++i) {
    const auto& component = info_.comp_info[i];
    bytes += std::uint64_t{component.width_in_blocks} * component.height_in_blocks * sizeof(JBLOCK);
  }
  if (bytes <= limits::kJpegCoefficientBytes) return {};
  return fail(FailureCode::invalid_argument,
              "a progressive JPEG of this size needs " + std::to_string(bytes >> 20U) +
                  " MB to decode, and has " + std::to_string(limits::kJpegCoefficientBytes >> 20U),
              "make it smaller, or save it as baseline");
}

Result<PictureSource::Plan> JpegSource::begin(PixelSize wanted) {
  if (auto fits = check_memory(); !fits) return tl::unexpected(std::move(fits.error()));
  switch (info_.jpeg_color_space) {
    case JCS_GRAYSCALE:
    case JCS_RGB:
    case JCS_YCbCr: info_.out_color_space = JCS_RGB; break;
    case JCS_CMYK:
    case JCS_YCCK: info_.out_color_space = JCS_CMYK; break;
    default:
      return fail(FailureCode::invalid_argument,
                  "a JPEG of " + std::to_string(info_.num_components) +
                      " components is in no known colours",
                  "save it as grey, RGB or CMYK");
  }
  // The decoder shrinks to eighths while it decodes: most of the work is not done at all. The box
  // filter does the rest.
  constexpr std::uint32_t kEighths = 8;
  std::uint32_t scale = 1;
  const auto scaled = [&](std::uint32_t side) {
    return static_cast<std::uint32_t>((std::uint64_t{side} * scale + kEighths - 1) / kEighths);
  };
  while (scale < kEighths &&
         (scaled(info_.image_width) < wanted.width || scaled(info_.image_height) < wanted.height)) {
    scale *= 2;
  }
  info_.scale_num = scale;
  info_.scale_denom = kEighths;
  info_.do_fancy_upsampling = scale == kEighths ? TRUE : FALSE;
  if (!guarded([this] { (void)jpeg_start_decompress(&info_); })) return failure();
  if (guard_.ended_early && jpeg_has_multiple_scans(&info_) != FALSE) return failure();
  return Plan{{info_.output_width, info_.output_height}, BoxFilter::Order::rows_from_top};
}

Result<void> JpegSource::rows(BoxFilter& into) {
  const bool cmyk = info_.out_color_space == JCS_CMYK;
  const std::size_t width = info_.output_width;
  std::vector<std::uint8_t> row(width * static_cast<std::size_t>(info_.output_components));
  std::vector<std::uint8_t> rgb(cmyk ? width * BoxFilter::kChannels : 0);
  for (std::uint32_t y = 0; y < info_.output_height; ++y) {
    const bool done = guarded([this, &row] {
      JSAMPROW line = row.data();
      (void)jpeg_read_scanlines(&info_, &line, 1);
    });
    if (!done) return failure();
    if (cmyk) to_rgb(row, rgb);
    into.add_row(y, cmyk ? rgb : row);
  }
  return {};
}

// Adobe's programs write the inks inverted: 255 is none.
void JpegSource::to_rgb(std::span<const std::uint8_t> cmyk, std::span<std::uint8_t> rgb) const {
  constexpr std::uint32_t kFull = 255;
  const bool inverted = info_.saw_Adobe_marker != FALSE;
  const auto light = [inverted](std::uint8_t ink) {
    return inverted ? std::uint32_t{ink} : kFull - ink;
  };
  for (std::size_t from = 0, to = 0; from + 3 < cmyk.size(); from += 4, to += 3) {
    const std::uint32_t key = light(cmyk[from + 3]);
    for (std::size_t c = 0; c < 3; ++c) {
      rgb[to + c] = static_cast<std::uint8_t>((light(cmyk[from + c]) * key + kFull / 2) / kFull);
    }
  }
}

}  // namespace

Result<std::unique_ptr<PictureSource>> open_jpeg(std::span<const std::byte> file,
                                                 const std::atomic<bool>* stop) {
  auto source = std::make_unique<JpegSource>(file, stop);
  if (auto opened = source->open(); !opened) return tl::unexpected(std::move(opened.error()));
  return source;
}

}  // namespace gadget::media
