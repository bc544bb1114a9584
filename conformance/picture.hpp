// picture.hpp - PNG files for scenarios: one colour, not compressed. Readable by any decoder.
#pragma once

#include <cstdint>
#include <string>

namespace gadget::conformance {

// REQUIRES: sides of at least 1.
[[nodiscard]] std::string make_png(std::uint32_t width, std::uint32_t height, std::uint32_t rgb);

}  // namespace gadget::conformance
