#include "device/update/image_reader.hpp"

#include <algorithm>
#include <new>

namespace gadget::device {
namespace {

constexpr std::uint32_t kMinImageBytes = 288;  // header and description
constexpr std::uint32_t kDescriptionOffset = 32;
constexpr std::uint32_t kVersionOffset = 48;
constexpr std::uint32_t kProjectOffset = 80;
constexpr std::uint8_t kImageMagic = 0xE9;
constexpr std::string_view kDescriptionMagic = "\x32\x54\xCD\xAB";
// With the 0 that ends it: not the beginning of a longer name.
constexpr std::string_view kProject{"hermes_gadget\0", 14};
// The 0 behind it matters: firmware that holds this code holds this text, and there it is empty.
constexpr std::string_view kMarker = "HGBOARD=";

constexpr std::uint16_t kLongestValue = 0xFFFF;

bool printable(std::uint8_t value) { return value >= 0x20 && value < 0x7F; }
// What ends the board's name: the 0 of a text, or blank flash.
bool ends_value(std::uint8_t value) { return value < 0x20 || value == 0xFF; }

std::uint8_t at(std::string_view text, std::size_t index) {
  return static_cast<std::uint8_t>(text[index]);
}

}  // namespace

void ImageReader::start(std::string_view board) {
  ::new (this) ImageReader;  // in place: an assignment would copy another one
  board_ = board;
}

void ImageReader::feed(std::span<const std::byte> bytes) {
  for (const std::byte byte : bytes) {
    const auto value = std::to_integer<std::uint8_t>(byte);
    if (offset_ < kMinImageBytes) read_header(value);
    if (search_ != Search::found) read_marker(value);
    ++offset_;
  }
}

void ImageReader::read_header(std::uint8_t value) {
  if (offset_ == 0) {
    header_ = value == kImageMagic;
  } else if (offset_ - kDescriptionOffset < kDescriptionMagic.size()) {
    header_ = header_ && value == at(kDescriptionMagic, offset_ - kDescriptionOffset);
  } else if (offset_ - kVersionOffset < kImageVersionBytes) {
    if (value == 0) version_open_ = false;
    if (!version_open_) return;
    header_ = header_ && printable(value);
    version_[version_size_++] = static_cast<char>(value);
  } else if (offset_ - kProjectOffset < kProject.size()) {
    header_ = header_ && value == at(kProject, offset_ - kProjectOffset);
  }
}

void ImageReader::read_marker(std::uint8_t value) {
  if (search_ == Search::marker) {
    // No beginning of the marker repeats inside it, so that a mismatch starts afresh.
    matched_ = value == at(kMarker, matched_)
                   ? static_cast<std::uint16_t>(matched_ + 1)
                   : static_cast<std::uint16_t>(value == at(kMarker, 0) ? 1 : 0);
    if (matched_ < kMarker.size()) return;
    search_ = Search::value;
    matched_ = 0;
    same_ = true;
    return;
  }
  if (ends_value(value)) {
    search_ = matched_ > 0 ? Search::found : Search::marker;
    same_ = same_ && matched_ == board_.size();
    if (search_ == Search::marker) matched_ = 0;
    return;
  }
  same_ = same_ && matched_ < board_.size() && value == at(board_, matched_);
  if (matched_ < kLongestValue) ++matched_;
}

ImageFacts ImageReader::facts() const {
  ImageFacts facts;
  facts.header = header_ && offset_ >= kMinImageBytes;
  // A name that only the end of the image ends counts too.
  facts.board =
      same_ && !board_.empty() &&
      (search_ == Search::found || (search_ == Search::value && matched_ == board_.size()));
  if (facts.header) facts.version = {version_.data(), version_size_};
  return facts;
}

}  // namespace gadget::device
