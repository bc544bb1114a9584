// test_image.hpp - images as E29 wants them, for tests only.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/identity.hpp"

namespace gadget::device::test {

using Image = std::vector<std::byte>;

inline void put_text(Image& image, std::size_t offset, std::string_view text) {
  std::transform(text.begin(), text.end(), image.begin() + static_cast<std::ptrdiff_t>(offset),
                 [](char c) { return static_cast<std::byte>(c); });
}

// `bytes` of noise that depends on the version, with header, version and board.
inline Image make_image(std::string_view version, std::string_view board, std::size_t bytes) {
  Image image(bytes);
  std::uint32_t seed = 1;
  for (const char c : version) seed = seed * 31 + static_cast<unsigned char>(c);
  for (auto& byte : image) {
    seed = seed * 1'664'525 + 1'013'904'223;
    byte = static_cast<std::byte>(seed >> 24U);
  }
  std::fill_n(image.begin(), std::min<std::size_t>(bytes, 288), std::byte{0});
  if (bytes < 288) return image;
  image[0] = std::byte{0xE9};
  put_text(image, 32, "\x32\x54\xCD\xAB");
  put_text(image, 48, version);
  put_text(image, 80, "hermes_gadget");
  const std::string marker = "HGBOARD=" + std::string{board};
  if (bytes >= 288 + 10 + marker.size()) {
    put_text(image, 290, marker);
    image[290 + marker.size()] = std::byte{0};
  }
  return image;
}

inline std::string sha256_hex(std::span<const std::byte> image) {
  protocol::Sha256 hash;
  protocol::sha256_start(hash);
  protocol::sha256_update(hash, image);
  const auto digits = protocol::hex(protocol::sha256_finish(hash));
  return {digits.begin(), digits.end()};
}

}  // namespace gadget::device::test
