// image.hpp - firmware images for scenarios, made from their name: header and marks as E29 wants
// them, noise for the rest. Nothing that could run.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace gadget::conformance {

// `bytes` of an image of that version for that board. Too small for a header: noise.
[[nodiscard]] std::string make_image(std::string_view board, std::string_view version,
                                     std::size_t bytes);
// Its SHA-256 as lowercase hex.
[[nodiscard]] std::string image_sha256(std::string_view image);

}  // namespace gadget::conformance
