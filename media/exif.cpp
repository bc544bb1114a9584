#include "media/exif.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace gadget::media {
namespace {

using Bytes = std::span<const std::byte>;

constexpr std::size_t kPngSignatureBytes = 8;
constexpr std::uint32_t kOrientationTag = 0x0112;
constexpr std::uint32_t kShort = 3;  // the type of its value
constexpr std::size_t kEntryBytes = 12;

bool begins_with(Bytes bytes, std::string_view text) {
  return bytes.size() >= text.size() &&
         std::equal(text.begin(), text.end(), bytes.begin(), [](char c, std::byte byte) {
           return static_cast<std::byte>(static_cast<unsigned char>(c)) == byte;
         });
}

// Unsigned numbers of 2 and 4 bytes. REQUIRES: they lie within.
class Numbers {
 public:
  Numbers(Bytes bytes, bool little) : bytes_(bytes), little_(little) {}
  [[nodiscard]] std::uint32_t two(std::size_t at) const { return number(at, 2); }
  [[nodiscard]] std::uint32_t four(std::size_t at) const { return number(at, 4); }

 private:
  [[nodiscard]] std::uint32_t number(std::size_t at, std::size_t count) const {
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t next = little_ ? count - 1 - i : i;
      value = (value << 8U) | std::to_integer<std::uint32_t>(bytes_[at + next]);
    }
    return value;
  }
  Bytes bytes_;
  bool little_;
};

}  // namespace

Orientation exif_orientation(Bytes tiff) {
  constexpr std::size_t kHeaderBytes = 8;
  const bool little = begins_with(tiff, {"II*\0", 4});
  if (tiff.size() < kHeaderBytes || (!little && !begins_with(tiff, {"MM\0*", 4}))) {
    return Orientation::upright;
  }
  const Numbers numbers(tiff, little);
  const std::size_t directory = numbers.four(4);
  if (directory > tiff.size() - 2) return Orientation::upright;
  const std::size_t room = (tiff.size() - directory - 2) / kEntryBytes;
  const std::size_t entries = std::min<std::size_t>(numbers.two(directory), room);
  for (std::size_t i = 0; i < entries; ++i) {
    const std::size_t entry = directory + 2 + i * kEntryBytes;
    if (numbers.two(entry) != kOrientationTag) continue;
    const std::uint32_t value = numbers.two(entry + 8);
    if (numbers.two(entry + 2) != kShort || value < 1 || value > 8) break;
    return static_cast<Orientation>(value);
  }
  return Orientation::upright;
}

// Segments up to the first scan: FF, a marker, a length that counts itself.
Bytes exif_of_jpeg(Bytes file) {
  constexpr std::uint32_t kMarker = 0xFF, kApp1 = 0xE1, kScan = 0xDA, kEnd = 0xD9;
  constexpr std::string_view kName{"Exif\0\0", 6};
  const Numbers numbers(file, false);
  std::size_t at = 2;
  while (file.size() >= 4 && at <= file.size() - 4) {
    const std::uint32_t marker = numbers.two(at);
    if (marker >> 8U != kMarker) break;
    const std::uint32_t kind = marker & 0xFFU;
    if (kind == kMarker) {  // fill
      ++at;
      continue;
    }
    if (kind == kScan || kind == kEnd) break;
    const std::size_t length = numbers.two(at + 2);
    if (length < 2 || length > file.size() - at - 2) break;
    const Bytes content = file.subspan(at + 4, length - 2);
    if (kind == kApp1 && begins_with(content, kName)) return content.subspan(kName.size());
    at += 2 + length;
  }
  return {};
}

// Chunks: a length, a name, the content, a checksum.
Bytes exif_of_png(Bytes file) {
  constexpr std::size_t kAroundBytes = 12;
  const Numbers numbers(file, false);
  std::size_t at = kPngSignatureBytes;
  while (file.size() >= kAroundBytes && at <= file.size() - kAroundBytes) {
    const std::size_t length = numbers.four(at);
    if (length > file.size() - at - kAroundBytes) break;
    if (begins_with(file.subspan(at + 4), "eXIf")) return file.subspan(at + 8, length);
    at += kAroundBytes + length;
  }
  return {};
}

}  // namespace gadget::media
