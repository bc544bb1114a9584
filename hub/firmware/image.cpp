#include "hub/firmware/image.hpp"

#include <array>
#include <cstdio>

#include "hub/connection/encode.hpp"
#include "hub/firmware/limits.hpp"
#include "protocol/identity.hpp"

namespace gadget::hub {
namespace {

// Where things are in an image (E29).
constexpr std::size_t kMinImageBytes = 288;
constexpr std::size_t kMarkOffset = 32;
constexpr std::size_t kVersionOffset = 48;
constexpr std::size_t kVersionBytes = 32;
constexpr std::size_t kProjectOffset = 80;
constexpr std::size_t kProjectBytes = 32;
constexpr char kMagic = '\xE9';
constexpr std::string_view kMark = "\x32\x54\xCD\xAB";  // ABCD5432, little endian
constexpr std::string_view kProject = "hermes_gadget";
constexpr std::string_view kBoardMarker = "HGBOARD=";
constexpr std::size_t kShortSha = 12;
constexpr std::size_t kMaxBoardBytes = 64;

constexpr const char* kWhichFile =
    "give the image that the build made for updates (a .bin), or --force if it is one";

bool is_printable(char c) { return c >= 0x20 && c < 0x7F; }

std::string hex_byte(char c) {
  std::array<char, 3> text{};
  (void)std::snprintf(text.data(), text.size(), "%02X", static_cast<unsigned char>(c));
  return text.data();
}

// A text of a fixed field: up to the first 0. Nothing when it is empty or not printable ASCII.
std::optional<std::string> field(std::string_view image, std::size_t offset, std::size_t bytes) {
  std::string_view text = image.substr(offset, bytes);
  text = text.substr(0, text.find('\0'));
  if (text.empty()) return std::nullopt;
  for (const char c : text) {
    if (!is_printable(c)) return std::nullopt;
  }
  return std::string(text);
}

// The first value that is not empty; it ends at a control character, or where blank flash begins.
std::string board_in(std::string_view image) {
  for (std::size_t at = image.find(kBoardMarker); at != std::string_view::npos;
       at = image.find(kBoardMarker, at + 1)) {
    std::string board;
    for (std::size_t i = at + kBoardMarker.size(); i < image.size(); ++i) {
      const auto byte = static_cast<unsigned char>(image[i]);
      if (byte < 0x20 || byte == 0xFF || board.size() >= kMaxBoardBytes) break;
      board += image[i];
    }
    // As a device's own name of its board is taken (E6), so that both can be compared.
    if (!board.empty()) return one_line(board, kMaxBoardBytes);
  }
  return {};
}

Failure no_image(std::string text, std::string hint = kWhichFile) {
  return {FailureCode::refused, "this is no firmware of this project: " + std::move(text),
          std::move(hint)};
}

std::optional<Failure> problem_of(std::string_view image) {
  if (image.size() < kMinImageBytes) {
    return no_image("it has " + std::to_string(image.size()) + " bytes, its header alone has " +
                    std::to_string(kMinImageBytes));
  }
  if (image[0] == '<') {
    return no_image("byte 0 is 3C, not E9; it looks like a web page",
                    "download it again, and look at what the server answers");
  }
  if (image.starts_with("\x7F"
                        "ELF")) {
    return no_image("byte 0 is 7F, not E9; it is the ELF file",
                    "give the .bin that the build makes from it");
  }
  if (image[0] != kMagic) return no_image("byte 0 is " + hex_byte(image[0]) + ", not E9");
  if (image.substr(kMarkOffset, kMark.size()) != kMark) {
    return no_image("the mark ABCD5432 is not at byte 32");
  }
  const auto project = field(image, kProjectOffset, kProjectBytes);
  if (!project || *project != kProject) {
    return no_image("the project at byte 80 is " + (project ? "\"" + *project + "\"" : "none") +
                    ", not \"hermes_gadget\"");
  }
  if (!field(image, kVersionOffset, kVersionBytes)) {
    return no_image("there is no version at byte 48", "set the project's version, and build again");
  }
  return std::nullopt;
}

}  // namespace

Result<std::shared_ptr<const FirmwareImage>> FirmwareImage::make(std::string bytes) {
  if (bytes.empty()) return fail(FailureCode::invalid_argument, "the file is empty");
  if (bytes.size() > limits::kFirmwareFileBytes) {
    return fail(FailureCode::invalid_argument, "the file has " + std::to_string(bytes.size()) +
                                                   " bytes; firmware has at most " +
                                                   std::to_string(limits::kFirmwareFileBytes));
  }
  auto image = std::shared_ptr<FirmwareImage>(new FirmwareImage);
  image->bytes_ = std::move(bytes);
  image->read();
  return image;
}

void FirmwareImage::read() {
  protocol::Sha256 hash;
  protocol::sha256_start(hash);
  protocol::sha256_update(hash, std::as_bytes(std::span(bytes_)));
  const auto digits = protocol::hex(protocol::sha256_finish(hash));
  sha256_.assign(digits.begin(), digits.end());
  problem_ = problem_of(bytes_);
  board_ = board_in(bytes_);
  auto version = problem_ ? std::nullopt : field(bytes_, kVersionOffset, kVersionBytes);
  version_known_ = version.has_value();
  version_ = version ? std::move(*version) : "image-" + sha256_.substr(0, kShortSha);
}

Result<void> fits_board(const FirmwareImage& image, std::string_view board) {
  if (image.problem()) return tl::unexpected(*image.problem());
  if (image.board().empty()) {
    return fail(FailureCode::refused, "the image does not say for which board it is",
                "it must hold HGBOARD=" + std::string(board) + "; --force skips this check");
  }
  if (image.board() == board) return {};
  return fail(FailureCode::refused,
              "the image is for the board \"" + image.board() + "\", the device is a \"" +
                  std::string(board) + "\"",
              "build it for that board; --force sends it all the same");
}

}  // namespace gadget::hub
