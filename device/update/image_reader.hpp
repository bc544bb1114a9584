// image_reader.hpp - reads an image once, byte by byte as it comes, and says what it is (E29).
//
//   offset 0   u8      E9
//   offset 32  u32 LE  ABCD5432, where the description of the application begins
//   offset 48  version, 32 bytes; printable ASCII up to the first 0
//   offset 80  project, 32 bytes: "hermes_gadget"
//   anywhere   HGBOARD=name: the first that is not empty names the board
//
// No heap, no I/O. Keeps no bytes but the version: an image is megabytes, RAM is not.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "device/update/firmware_slots.hpp"

namespace gadget::device {

inline constexpr std::size_t kImageVersionBytes = 32;

class ImageReader {
 public:
  // `board` is what the image must name; borrowed.
  void start(std::string_view board);
  void feed(std::span<const std::byte> bytes);
  // After the last byte. The version is valid until start().
  [[nodiscard]] ImageFacts facts() const;

 private:
  enum class Search : std::uint8_t { marker, value, found };

  void read_header(std::uint8_t value);
  void read_marker(std::uint8_t value);

  std::string_view board_;
  std::uint32_t offset_ = 0;
  bool header_ = true;  // as far as it was read
  std::array<char, kImageVersionBytes> version_{};
  std::uint8_t version_size_ = 0;
  bool version_open_ = true;
  Search search_ = Search::marker;
  std::uint16_t matched_ = 0;  // bytes of the marker, or of the value
  bool same_ = true;           // the value so far is that of `board`
};

}  // namespace gadget::device
