#include "conformance/image.hpp"

#include <algorithm>
#include <cstdint>
#include <span>

#include "protocol/identity.hpp"

namespace gadget::conformance {
namespace {

constexpr std::size_t kHeaderBytes = 288;  // E29
constexpr std::size_t kVersionOffset = 48;
constexpr std::size_t kVersionBytes = 32;

}  // namespace

std::string make_image(std::string_view board, std::string_view version, std::size_t bytes) {
  std::string image(bytes, '\0');
  std::uint32_t noise = 0x9E3779B9U ^ static_cast<std::uint32_t>(bytes);
  for (const char c : version) noise = noise * 31U + static_cast<unsigned char>(c);
  for (char& byte : image) {
    noise = noise * 1'664'525U + 1'013'904'223U;
    byte = static_cast<char>(noise >> 24U);
  }
  const std::string marker = "HGBOARD=" + std::string(board) + '\0';
  if (bytes < kHeaderBytes + marker.size()) return image;
  const auto put = [&image](std::size_t offset, std::string_view text) {
    image.replace(offset, text.size(), text);
  };
  put(0, std::string(kHeaderBytes, '\0'));
  put(0, "\xE9");
  put(32, "\x32\x54\xCD\xAB");
  put(kVersionOffset, version.substr(0, kVersionBytes));
  put(80, "hermes_gadget");
  put(kHeaderBytes, marker);
  return image;
}

std::string image_sha256(std::string_view image) {
  protocol::Sha256 hash;
  protocol::sha256_start(hash);
  protocol::sha256_update(hash, std::as_bytes(std::span(image.data(), image.size())));
  const auto digits = protocol::hex(protocol::sha256_finish(hash));
  return std::string(digits.begin(), digits.end());
}

}  // namespace gadget::conformance
