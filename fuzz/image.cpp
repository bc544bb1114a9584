// Picture files of strangers (`hermes-gadget image`, agents): pixels inside the box, or a failure
// that says something. The first byte chooses the box and whether to dither.
#include <cstdint>

#include "media/fit_image.hpp"
#include "media/image_limits.hpp"

namespace {
// Larger pictures are within the limits too, but slow to fuzz: what their headers ask for is tested
// in media/fit_image_test.cpp.
constexpr std::size_t kMaxFileBytes = 64 * 1024;
}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace gadget::media;
  if (size == 0 || size > kMaxFileBytes) return 0;
  FitOptions box;
  box.width = 1 + (data[0] & 63U);
  box.height = 1 + (data[0] >> 3U);
  box.dither = (data[0] & 1U) != 0;
  const auto image = fit_image(std::as_bytes(std::span(data + 1, size - 1)), box);
  if (!image) {
    if (image.error().text.empty() || image.error().code == gadget::FailureCode::internal) {
      __builtin_trap();
    }
    return 0;
  }
  if (image->width < 1 || image->width > box.width) __builtin_trap();
  if (image->height < 1 || image->height > box.height) __builtin_trap();
  if (image->rgb565.size() != std::size_t{2} * image->width * image->height) __builtin_trap();
  return 0;
}
