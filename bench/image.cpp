// A photo of 12 megapixels to the pixels of a screen: time, and memory beside file and result
// (docs/numbers.md).
//
//   bench_image [FILE [WIDTH HEIGHT]]      without FILE: pictures that it makes itself
//
// Memory is what malloc has given out at its highest: both libraries allocate by it.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <vector>

#include <jpeglib.h>
#include <malloc.h>

#include "base/files.hpp"
#include "media/fit_image.hpp"
#include "media/image_limits.hpp"
#include "media/png.hpp"

// ---- Every allocation of the process, counted ----

namespace {
std::atomic<std::size_t> allocated{0};
std::atomic<std::size_t> highest{0};

void* counted(void* block) {
  const std::size_t now = allocated += malloc_usable_size(block);
  std::size_t before = highest;
  while (now > before && !highest.compare_exchange_weak(before, now)) {
  }
  return block;
}
}  // namespace

// NOLINTBEGIN(bugprone-reserved-identifier): what glibc calls its own malloc
extern "C" {
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* block, std::size_t size);
void __libc_free(void* block);

void* malloc(std::size_t size) { return counted(__libc_malloc(size)); }
void* calloc(std::size_t count, std::size_t size) { return counted(__libc_calloc(count, size)); }
void* realloc(void* block, std::size_t size) {
  allocated -= malloc_usable_size(block);
  return counted(__libc_realloc(block, size));
}
void free(void* block) {
  allocated -= malloc_usable_size(block);
  __libc_free(block);
}
}
// NOLINTEND(bugprone-reserved-identifier)

namespace {

constexpr std::uint32_t kWidth = 4000, kHeight = 3000;  // 12 megapixels
constexpr int kRounds = 21;

// As detailed as a photo of a telephone: slopes, edges and grain; 2.8 MB at quality 90.
std::vector<std::uint8_t> scene() {
  std::vector<std::uint8_t> rgb;
  rgb.reserve(std::size_t{3} * kWidth * kHeight);
  std::uint32_t random = 1;
  for (std::uint32_t y = 0; y < kHeight; ++y) {
    for (std::uint32_t x = 0; x < kWidth; ++x) {
      random = random * 1664525U + 1013904223U;
      const double wave = 60 * std::sin(x / 90.0) * std::cos(y / 70.0);
      const int grain = static_cast<int>(random >> 28U) - 8;
      const int edge = ((x / 200 + y / 150) % 3) == 0 ? 40 : 0;
      for (const int base : {90, 110, 130}) {
        const int value = base + static_cast<int>(wave) + grain + edge;
        rgb.push_back(static_cast<std::uint8_t>(std::clamp(value, 0, 255)));
      }
    }
  }
  return rgb;
}

std::string jpeg_of(const std::vector<std::uint8_t>& rgb, int quality, bool progressive) {
  jpeg_compress_struct info{};
  jpeg_error_mgr errors{};
  info.err = jpeg_std_error(&errors);
  jpeg_create_compress(&info);
  unsigned char* bytes = nullptr;
  unsigned long size = 0;
  jpeg_mem_dest(&info, &bytes, &size);
  info.image_width = kWidth;
  info.image_height = kHeight;
  info.input_components = 3;
  info.in_color_space = JCS_RGB;
  jpeg_set_defaults(&info);
  jpeg_set_quality(&info, quality, TRUE);
  if (progressive) jpeg_simple_progression(&info);
  jpeg_start_compress(&info, TRUE);
  for (std::uint32_t y = 0; y < kHeight; ++y) {
    auto* row = const_cast<JSAMPROW>(rgb.data() + std::size_t{3} * kWidth * y);
    jpeg_write_scanlines(&info, &row, 1);
  }
  jpeg_finish_compress(&info);
  jpeg_destroy_compress(&info);
  std::string file(reinterpret_cast<const char*>(bytes), size);
  std::free(bytes);
  return file;
}

// Of this thread: what others do on the machine does not count.
double processor_ms() {
  timespec now{};
  (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
}

int measure(const char* name, const std::string& file, gadget::media::FitOptions box) {
  std::vector<double> times_ms;
  std::size_t peak = 0;
  std::string result;
  for (int round = 0; round < kRounds; ++round) {
    const std::size_t before = allocated;
    highest = before;
    const double begin_ms = processor_ms();
    const auto image = gadget::media::fit_image(std::as_bytes(std::span(file)), box);
    const double end_ms = processor_ms();
    if (!image) {
      std::fprintf(stderr, "bench_image: %s\n", gadget::to_line(image.error()).c_str());
      return 1;
    }
    times_ms.push_back(end_ms - begin_ms);
    peak = std::max(peak, highest - before - image->rgb565.size());
    result = std::to_string(image->width) + "x" + std::to_string(image->height);
  }
  std::sort(times_ms.begin(), times_ms.end());
  std::printf(
      "%-21s %5.2f MB to %s: %.1f ms (best), %.1f ms (median) of processor time, %.2f MB more\n",
      name, static_cast<double>(file.size()) / 1e6, result.c_str(), times_ms.front(),
      times_ms[times_ms.size() / 2], static_cast<double>(peak) / 1e6);
  return 0;
}

}  // namespace

int main(int count, char** words) {
  gadget::media::FitOptions box{.width = 320, .height = 196};
  if (count >= 2) {
    const auto file = gadget::files::read(words[1], gadget::media::limits::kImageFileBytes);
    if (!file) {
      std::fprintf(stderr, "bench_image: %s\n", gadget::to_line(file.error()).c_str());
      return 1;
    }
    if (count >= 4) {
      box.width = static_cast<std::uint32_t>(std::atoi(words[2]));
      box.height = static_cast<std::uint32_t>(std::atoi(words[3]));
    }
    return measure(words[1], *file, box);
  }
  const std::vector<std::uint8_t> rgb = scene();
  int failed = measure("JPEG, quality 80", jpeg_of(rgb, 80, false), box);
  failed |= measure("JPEG, quality 90", jpeg_of(rgb, 90, false), box);
  failed |= measure("the same, progressive", jpeg_of(rgb, 90, true), box);
  const auto png = gadget::media::encode_png({kWidth, kHeight, rgb});
  if (!png) return 1;
  return failed | measure("PNG", *png, box);
}
