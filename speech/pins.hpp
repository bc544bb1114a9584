// pins.hpp - reads pins.txt: which packages a profile needs, and by which hashes they are known.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/failure.hpp"

namespace gadget::speech {

struct Pin {
  std::string group;  // "runtime", "model-full", "model-small", "voice", "tools"
  std::string name;
  std::string version;
  std::vector<std::string> sha256;  // any of them: one for each machine and Python
  unsigned megabytes = 0;           // to fetch
  std::string licence;              // SPDX
};

// Errors: internal, with the line: the list is ours.
[[nodiscard]] Result<std::vector<Pin>> parse_pins(std::string_view text);
// As one line of a requirements file.
[[nodiscard]] std::string requirement(const Pin& pin);
// How wheels and Python spell the package: "sherpa_onnx_core".
[[nodiscard]] std::string wheel_name(const Pin& pin);

}  // namespace gadget::speech
