#include "media/png.hpp"

#include <cstring>

#include <png.h>

namespace gadget::media {
namespace {

constexpr std::size_t kBytesPerPixel = 3;

// libpng's simplified reader and writer, which report by value; this frees what they hold.
class PngImage {
 public:
  PngImage() {
    std::memset(&image_, 0, sizeof image_);
    image_.version = PNG_IMAGE_VERSION;
  }
  PngImage(const PngImage&) = delete;
  PngImage& operator=(const PngImage&) = delete;
  ~PngImage() { png_image_free(&image_); }

  png_image* operator->() { return &image_; }
  png_image* get() { return &image_; }

 private:
  png_image image_;
};

Result<void> check_sides(std::uint32_t width, std::uint32_t height) {
  if (width > 0 && height > 0 && width <= kMaxPngSide && height <= kMaxPngSide) return {};
  return fail(FailureCode::invalid_argument,
              "a picture of " + std::to_string(width) + " x " + std::to_string(height) +
                  " pixels is not possible; sides of 1 to " + std::to_string(kMaxPngSide) + " are");
}

}  // namespace

Result<std::string> encode_png(const Image& image) {
  if (auto sides = check_sides(image.width, image.height); !sides) {
    return tl::unexpected(sides.error());
  }
  if (image.rgb.size() != kBytesPerPixel * image.width * image.height) {
    return fail(FailureCode::invalid_argument, "the picture's bytes do not match its sides");
  }
  PngImage png;
  png->width = image.width;
  png->height = image.height;
  png->format = PNG_FORMAT_RGB;
  std::string out(PNG_IMAGE_PNG_SIZE_MAX(*png.get()), '\0');
  png_alloc_size_t size = out.size();
  if (png_image_write_to_memory(png.get(), out.data(), &size, 0, image.rgb.data(), 0, nullptr) ==
      0) {
    return fail(FailureCode::internal, std::string("cannot encode the picture: ") + png->message);
  }
  out.resize(size);
  return out;
}

Result<std::string> encode_png_rgb565(std::span<const std::uint16_t> pixels, std::uint32_t width,
                                      std::uint32_t height) {
  if (auto sides = check_sides(width, height); !sides) return tl::unexpected(sides.error());
  if (pixels.size() != std::size_t{width} * height) {
    return fail(FailureCode::invalid_argument, "the picture's pixels do not match its sides");
  }
  Image image{width, height, {}};
  image.rgb.reserve(pixels.size() * kBytesPerPixel);
  for (const std::uint16_t pixel : pixels) {
    const unsigned red = (pixel >> 11) & 0x1FU;
    const unsigned green = (pixel >> 5) & 0x3FU;
    const unsigned blue = pixel & 0x1FU;
    // The high bits repeated below: full stays full (31 is 255), black stays black.
    image.rgb.push_back(static_cast<std::uint8_t>((red << 3) | (red >> 2)));
    image.rgb.push_back(static_cast<std::uint8_t>((green << 2) | (green >> 4)));
    image.rgb.push_back(static_cast<std::uint8_t>((blue << 3) | (blue >> 2)));
  }
  return encode_png(image);
}

Result<Image> decode_png(std::string_view bytes) {
  if (bytes.size() > kMaxPngBytes) {
    return fail(
        FailureCode::invalid_argument,
        "a PNG file of more than " + std::to_string(kMaxPngBytes >> 20) + " MB is not read");
  }
  if (!bytes.starts_with("\x89PNG")) {
    return fail(FailureCode::invalid_argument, "this is no PNG file");
  }
  PngImage png;
  if (png_image_begin_read_from_memory(png.get(), bytes.data(), bytes.size()) == 0) {
    return fail(FailureCode::corrupt, std::string("a damaged PNG file: ") + png->message);
  }
  if (auto sides = check_sides(png->width, png->height); !sides) {
    return tl::unexpected(sides.error());
  }
  png->format = PNG_FORMAT_RGB;
  Image image{png->width, png->height, {}};
  image.rgb.resize(PNG_IMAGE_SIZE(*png.get()));
  png_color black{0, 0, 0};
  if (png_image_finish_read(png.get(), &black, image.rgb.data(), 0, nullptr) == 0) {
    return fail(FailureCode::corrupt, std::string("a damaged PNG file: ") + png->message);
  }
  return image;
}

}  // namespace gadget::media
