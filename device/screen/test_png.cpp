#include "device/screen/test_png.hpp"

#include <cstring>

#include <png.h>

namespace gadget::device::screen::test {
namespace {

// Five or six bits to eight so that full stays full; rgb() cuts the added bits off again.
std::uint8_t widen(unsigned value, unsigned bits) {
  return static_cast<std::uint8_t>(value << (8 - bits) | value >> (2 * bits - 8));
}

png_image header() {
  png_image image;
  std::memset(&image, 0, sizeof image);
  image.version = PNG_IMAGE_VERSION;
  return image;
}

}  // namespace

bool write_png(const std::string& path, const Picture& picture) {
  std::vector<std::uint8_t> bytes;
  bytes.reserve(picture.pixels.size() * 3);
  for (const Colour pixel : picture.pixels) {
    bytes.push_back(widen(pixel >> 11U, 5));
    bytes.push_back(widen(pixel >> 5U & 63U, 6));
    bytes.push_back(widen(pixel & 31U, 5));
  }
  png_image image = header();
  image.width = static_cast<png_uint_32>(picture.width);
  image.height = static_cast<png_uint_32>(picture.height);
  image.format = PNG_FORMAT_RGB;
  return png_image_write_to_file(&image, path.c_str(), 0, bytes.data(), 0, nullptr) != 0;
}

std::optional<Picture> read_png(const std::string& path) {
  png_image image = header();
  if (png_image_begin_read_from_file(&image, path.c_str()) == 0) return std::nullopt;
  image.format = PNG_FORMAT_RGB;
  std::vector<std::uint8_t> bytes(PNG_IMAGE_SIZE(image));
  if (png_image_finish_read(&image, nullptr, bytes.data(), 0, nullptr) == 0) return std::nullopt;
  Picture picture{static_cast<int>(image.width), static_cast<int>(image.height), {}};
  for (std::size_t i = 0; i + 2 < bytes.size(); i += 3) {
    picture.pixels.push_back(rgb(bytes[i], bytes[i + 1], bytes[i + 2]));
  }
  return picture;
}

}  // namespace gadget::device::screen::test
