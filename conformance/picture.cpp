#include "conformance/picture.hpp"

#include <algorithm>
#include <string_view>

namespace gadget::conformance {
namespace {

std::string big_endian(std::uint32_t value) {
  std::string out;
  for (int shift = 24; shift >= 0; shift -= 8) out += static_cast<char>((value >> shift) & 0xFFU);
  return out;
}

std::uint32_t crc32(std::string_view bytes) {
  std::uint32_t crc = 0xFFFFFFFFU;
  for (const char byte : bytes) {
    crc ^= static_cast<unsigned char>(byte);
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1U) ^ ((crc & 1U) != 0 ? 0xEDB88320U : 0U);
  }
  return ~crc;
}

std::uint32_t adler32(std::string_view bytes) {
  constexpr std::uint32_t kPrime = 65521;
  std::uint32_t low = 1;
  std::uint32_t high = 0;
  for (const char byte : bytes) {
    low = (low + static_cast<unsigned char>(byte)) % kPrime;
    high = (high + low) % kPrime;
  }
  return (high << 16U) | low;
}

std::string chunk(std::string_view name, std::string_view content) {
  const std::string body = std::string(name) + std::string(content);
  return big_endian(static_cast<std::uint32_t>(content.size())) + body + big_endian(crc32(body));
}

// A zlib stream of blocks that are stored as they are.
std::string stored(std::string_view bytes) {
  constexpr std::size_t kBlockBytes = 65'535;
  std::string out{'\x78', '\x01'};
  const std::uint32_t sum = adler32(bytes);
  do {
    const std::string_view block = bytes.substr(0, kBlockBytes);
    bytes.remove_prefix(block.size());
    const auto size = static_cast<std::uint32_t>(block.size());
    out += static_cast<char>(bytes.empty() ? 1 : 0);
    for (const std::uint32_t value : {size, ~size}) {
      out += static_cast<char>(value & 0xFFU);
      out += static_cast<char>((value >> 8U) & 0xFFU);
    }
    out += block;
  } while (!bytes.empty());
  return out + big_endian(sum);
}

}  // namespace

std::string make_png(std::uint32_t width, std::uint32_t height, std::uint32_t rgb) {
  std::string row{'\0'};  // no filter
  for (std::uint32_t x = 0; x < width; ++x) row += big_endian(rgb).substr(1);
  std::string rows;
  for (std::uint32_t y = 0; y < height; ++y) rows += row;
  const std::string header =
      big_endian(width) + big_endian(height) + std::string("\x08\x02\0\0\0", 5);
  return "\x89PNG\r\n\x1A\n" + chunk("IHDR", header) + chunk("IDAT", stored(rows)) +
         chunk("IEND", {});
}

}  // namespace gadget::conformance
