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

// The views point to constants: samples may be kept and copied.
[[nodiscard]] std::vector<Sample> all();

}  // namespace gadget::device::screen::samples
