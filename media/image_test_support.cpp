#include "media/image_test_support.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include <jpeglib.h>
#include <png.h>

namespace gadget::media::test {
namespace {

std::uint8_t byte(int value) { return static_cast<std::uint8_t>(value); }

}  // namespace

std::string jpeg(std::uint32_t width, std::uint32_t height, const Painting& paint,
                 const JpegOptions& options) {
  jpeg_compress_struct info{};
  jpeg_error_mgr errors{};
  info.err = jpeg_std_error(&errors);  // errors end the test program
  jpeg_create_compress(&info);
  unsigned char* bytes = nullptr;
  unsigned long size = 0;
  jpeg_mem_dest(&info, &bytes, &size);
  info.image_width = width;
  info.image_height = height;
  const int channels = options.colours == Colours::grey  ? 1
                       : options.colours == Colours::rgb ? 3
                                                         : 4;
  info.input_components = channels;
  info.in_color_space = options.colours == Colours::grey  ? JCS_GRAYSCALE
                        : options.colours == Colours::rgb ? JCS_RGB
                                                          : JCS_CMYK;
  jpeg_set_defaults(&info);
  jpeg_set_quality(&info, options.quality, TRUE);
  if (!options.halved) info.comp_info[0].h_samp_factor = info.comp_info[0].v_samp_factor = 1;
  if (options.progressive) jpeg_simple_progression(&info);
  constexpr jpeg_scan_info kOneByOne[3] = {
      {1, {0}, 0, 63, 0, 0}, {1, {1}, 0, 63, 0, 0}, {1, {2}, 0, 63, 0, 0}};
  if (options.one_by_one) {
    info.scan_info = kOneByOne;
    info.num_scans = 3;
  }
  if (options.colours == Colours::cmyk) info.write_Adobe_marker = options.adobe ? TRUE : FALSE;
  jpeg_start_compress(&info, TRUE);
  if (!options.exif.empty()) {
    const std::string block = std::string("Exif\0\0", 6) + options.exif;
    jpeg_write_marker(&info, JPEG_APP0 + 1, reinterpret_cast<const JOCTET*>(block.data()),
                      static_cast<unsigned>(block.size()));
  }
  std::vector<std::uint8_t> row(std::size_t{width} * static_cast<std::size_t>(channels));
  for (std::uint32_t y = 0; y < height; ++y) {
    for (std::uint32_t x = 0; x < width; ++x) {
      const Rgb is = paint(x, y);
      std::uint8_t* const at = row.data() + std::size_t{x} * static_cast<std::size_t>(channels);
      at[0] = byte(is.red);
      if (channels == 1) continue;
      at[1] = byte(is.green);
      at[2] = byte(is.blue);
      if (channels == 3) continue;
      // No black ink: what is not red, green or blue is ink. Adobe inverts.
      for (int c = 0; c < 3; ++c) at[c] = options.adobe ? at[c] : byte(255 - at[c]);
      at[3] = byte(options.adobe ? 255 : 0);
    }
    JSAMPROW line = row.data();
    jpeg_write_scanlines(&info, &line, 1);
  }
  jpeg_finish_compress(&info);
  jpeg_destroy_compress(&info);
  std::string file(reinterpret_cast<const char*>(bytes), size);
  std::free(bytes);
  return file;
}

std::string png(std::uint32_t width, std::uint32_t height, const Painting& paint,
                const PngOptions& options) {
  std::string file;
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, nullptr, nullptr);
  png_infop info = png_create_info_struct(png);
  png_set_write_fn(
      png, &file,
      [](png_structp of, png_bytep bytes, std::size_t size) {
        static_cast<std::string*>(png_get_io_ptr(of))
            ->append(reinterpret_cast<const char*>(bytes), size);
      },
      nullptr);
  const int type = options.colour_type;
  png_set_IHDR(png, info, width, height, options.bit_depth, type,
               options.interlaced ? PNG_INTERLACE_ADAM7 : PNG_INTERLACE_NONE,
               PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  if (type == PNG_COLOR_TYPE_PALETTE) {
    png_color colours[8];
    png_byte seen[8];
    for (int i = 0; i < 8; ++i) {
      colours[i] = {byte((i & 4) != 0 ? 255 : 0), byte((i & 2) != 0 ? 255 : 0),
                    byte((i & 1) != 0 ? 255 : 0)};
      seen[i] = byte(options.alpha ? options.alpha(static_cast<std::uint32_t>(i), 0) : 255);
    }
    png_set_PLTE(png, info, colours, 8);
    if (options.alpha) png_set_tRNS(png, info, seen, 8, nullptr);
  }
  if (!options.exif.empty()) {
    std::string copy = options.exif;
    png_set_eXIf_1(png, info, static_cast<png_uint_32>(copy.size()),
                   reinterpret_cast<png_bytep>(copy.data()));
  }
  if (!options.text.empty()) {
    std::string copy = options.text;
    png_text text{};
    text.compression = PNG_TEXT_COMPRESSION_zTXt;
    std::string key = "Comment";
    text.key = key.data();
    text.text = copy.data();
    text.text_length = copy.size();
    png_set_text(png, info, &text, 1);
  }
  png_write_info(png, info);
  if (options.bit_depth < 8) png_set_packing(png);
  const std::size_t bytes_a_pixel =
      png_get_channels(png, info) * (options.bit_depth == 16 ? 2U : 1U);
  std::vector<std::vector<std::uint8_t>> rows(height);
  std::vector<png_bytep> pointers;
  for (std::uint32_t y = 0; y < height; ++y) {
    auto& row = rows[y];
    const auto put = [&](int value) {
      row.push_back(byte(value));
      if (options.bit_depth == 16) row.push_back(byte(value));
    };
    for (std::uint32_t x = 0; x < width; ++x) {
      const Rgb is = paint(x, y);
      if (type == PNG_COLOR_TYPE_PALETTE) {
        put((is.red >> 7) * 4 + (is.green >> 7) * 2 + (is.blue >> 7));
        continue;
      }
      if ((type & PNG_COLOR_MASK_COLOR) != 0) {
        put(is.red);
        put(is.green);
        put(is.blue);
      } else {
        put(options.bit_depth < 8 ? is.red >> (8 - options.bit_depth) : is.red);
      }
      if ((type & PNG_COLOR_MASK_ALPHA) != 0) put(options.alpha ? options.alpha(x, y) : 255);
    }
    row.resize(width * bytes_a_pixel);
    pointers.push_back(row.data());
  }
  png_write_image(png, pointers.data());
  png_write_end(png, nullptr);
  png_destroy_write_struct(&png, &info);
  return file;
}

std::string tiff(int orientation, bool little_endian) {
  const auto two = [little_endian](int value) {
    const char high = static_cast<char>(value >> 8);
    const char low = static_cast<char>(value & 0xFF);
    return little_endian ? std::string{low, high} : std::string{high, low};
  };
  const auto four = [&](int value) {
    return little_endian ? two(value) + two(0) : two(0) + two(value);
  };
  return (little_endian ? std::string("II") : std::string("MM")) + two(42) + four(8) + two(2) +
         two(0x0100) + two(3) + four(1) + two(640) + two(0) +          // a width, not looked at
         two(0x0112) + two(3) + four(1) + two(orientation) + two(0) +  // the orientation
         four(0);
}

Result<FittedImage> fit(const std::string& file, std::uint32_t width, std::uint32_t height,
                        bool dither) {
  return fit_image(std::as_bytes(std::span(file)),
                   {.width = width, .height = height, .dither = dither, .stop = nullptr});
}

Rgb pixel(const FittedImage& image, std::uint32_t x, std::uint32_t y) {
  const std::size_t at = 2 * (std::size_t{y} * image.width + x);
  const int value = std::to_integer<int>(image.rgb565.at(at)) |
                    std::to_integer<int>(image.rgb565.at(at + 1)) << 8;
  const int red = value >> 11;
  const int green = (value >> 5) & 63;
  const int blue = value & 31;
  return {red << 3 | red >> 2, green << 2 | green >> 4, blue << 3 | blue >> 2};
}

int distance(const Rgb& a, const Rgb& b) {
  return std::max(
      {std::abs(a.red - b.red), std::abs(a.green - b.green), std::abs(a.blue - b.blue)});
}

}  // namespace gadget::media::test
