// sample_models.hpp - for tests: a model for every state, and more for what states can look like.
#pragma once

#include <string>
#include <vector>

#include "device/screen/model.hpp"

namespace gadget::device::screen::samples {

struct Sample {
  std::string name;  // of the reference picture
  ScreenModel model;
  std::uint64_t now_ms = 0;
};

// As on such a screen. The views point to constants: samples may be kept and copied.
[[nodiscard]] std::vector<Sample> all(int width = 320, int height = 240,
                                      Shape shape = Shape::rectangle, bool mono = false,
                                      const FontSet& fonts = kWideFonts);

}  // namespace gadget::device::screen::samples
