// test_png.hpp - for tests: RGB565 pictures as PNG files, by libpng's simple interface.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "device/screen/canvas.hpp"

namespace gadget::device::screen::test {

struct Picture {
  int width = 0;
  int height = 0;
  std::vector<Colour> pixels;
};

// False: the file could not be written.
[[nodiscard]] bool write_png(const std::string& path, const Picture& picture);
// Nothing: no such file, or no PNG. Colours are those that write_png wrote.
[[nodiscard]] std::optional<Picture> read_png(const std::string& path);

}  // namespace gadget::device::screen::test
