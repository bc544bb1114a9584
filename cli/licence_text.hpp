// licence_text.hpp - the file LICENSE of the tree, inside the program (made by CMake).
#pragma once

namespace gadget::cli {

extern const char* const kLicenceText;

}  // namespace gadget::cli
