// image_header.cpp - what an image is, at the places where an update looks for it (E29). Linked
// when a boot loader starts the image; template.ld puts it first, and the vector table behind it.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "ports/template/port_config.hpp"

namespace gadget::ports::port_template {
namespace {

constexpr std::string_view kProject = "hermes_gadget";
constexpr std::string_view kMark = "HGBOARD=";

struct ImageHeader {
  std::uint8_t magic = 0xE9;
  std::array<std::uint8_t, 31> loader{};  // a vendor's boot loader may have fields here
  std::uint32_t description = 0xABCD5432;
  std::array<std::uint8_t, 12> unused{};
  std::array<char, 32> version{};
  std::array<char, 32> project{};
  std::array<char, kMark.size() + kBoardName.size() + 1> board{};  // with the 0 that ends it
};
static_assert(offsetof(ImageHeader, description) == 32);
static_assert(offsetof(ImageHeader, version) == 48);
static_assert(offsetof(ImageHeader, project) == 80);
static_assert(kFirmwareVersion.size() < 32 && !kBoardName.empty());

constexpr ImageHeader make_header() {
  ImageHeader header;
  std::copy(kFirmwareVersion.begin(), kFirmwareVersion.end(), header.version.begin());
  std::copy(kProject.begin(), kProject.end(), header.project.begin());
  const auto name = std::copy(kMark.begin(), kMark.end(), header.board.begin());
  std::copy(kBoardName.begin(), kBoardName.end(), name);
  return header;
}

[[gnu::section(".image_header"), gnu::used]] constexpr ImageHeader kImageHeader = make_header();

}  // namespace
}  // namespace gadget::ports::port_template
