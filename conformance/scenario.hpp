// scenario.hpp - a scenario file as its steps: conformance/README.md describes the lines.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/failure.hpp"

namespace gadget::conformance {

struct Step {
  enum class Kind : std::uint8_t {
    to_hub,     // ->
    to_device,  // <-
    open,       // open NAME [DEVICE] [key=value..] [{hello fields}]
    drop,       // drop NAME
    hook,       // ! WORDS..
    within,     // within MS: for the step that follows
    needs,      // needs CAP
  };
  Kind kind = Kind::hook;
  std::string connection;  // "" is the connection that needs no name
  std::string text;        // what follows the arrow or the word
  std::size_t line = 0;
  std::string source;  // the line as it stands
};

struct Scenario {
  std::filesystem::path file;
  std::vector<std::string> ids;  // the requirements of the first line
  std::string title;
  std::vector<Step> steps;
};

// Errors: invalid_argument "FILE:LINE: what", not_found.
[[nodiscard]] Result<Scenario> read_scenario(const std::filesystem::path& file);
[[nodiscard]] Result<Scenario> parse_scenario(std::string_view text,
                                              const std::filesystem::path& file);

// Words separated by blanks; "..." holds blanks, and {...} is one word.
[[nodiscard]] std::vector<std::string> split_words(std::string_view text);

}  // namespace gadget::conformance
