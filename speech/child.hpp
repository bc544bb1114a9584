// child.hpp - runs another program and waits for it: pip and Python, for the installer.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/failure.hpp"

namespace gadget::speech {

// What is kept of each stream of a child; of more, the last part.
inline constexpr std::size_t kMaxChildOutput = 256 * 1024;

struct Ran {
  int exit_code = 0;  // 128 + signal when it was killed
  std::string out;
  std::string err;
};

// `arguments[0]` is looked up in PATH; `environment` ("NAME=value") is added to ours. Its standard
// input is empty. Blocks. Errors: unavailable when it cannot be run at all.
[[nodiscard]] Result<Ran> run_child(const std::vector<std::string>& arguments,
                                    const std::vector<std::string>& environment = {});

}  // namespace gadget::speech
