// replay.hpp - plays a record again: the real core is told what it was told, answered what it was
// answered, and must do what it did: the same bytes, the same pictures, the same samples. Says
// where it first does not.
//
// A record may come from a stranger: every line is checked before it is used, and nothing of it
// leaves the process. One thread.
#pragma once

#include <filesystem>
#include <functional>
#include <istream>
#include <memory>
#include <optional>
#include <string>

#include "base/failure.hpp"
#include "ports/desktop/core.hpp"

namespace gadget::ports::desktop {

struct ReplayOptions {
  std::string screenshot;                       // PNG of the last picture; empty: none
  std::optional<double> until_s;                // stops there, in seconds from the beginning
  std::function<void(std::string_view)> trace;  // every line, with its seconds; may be empty
  bool heap_check = false;
};

// What came of it. `same`: all was as in the record, as far as it went.
struct ReplayEnd {
  bool same = true;
  std::size_t lines = 0;     // that were played
  double seconds = 0;        // of the gadget's time
  std::size_t calls = 0;     // of the core
  std::size_t pictures = 0;  // that were compared
  std::size_t messages = 0;  // sent, that were compared
  std::string version;       // of the program that wrote it
  std::string difference;    // where and what, for people; empty when same
  std::uint64_t allocations = 0;
};

// Errors: not_found, io; invalid_argument "line 7: ..." when it is no record, or of a later
// version; and of writing the picture.
[[nodiscard]] Result<ReplayEnd> replay(std::istream& record, const ReplayOptions& options);
[[nodiscard]] Result<ReplayEnd> replay_file(const std::filesystem::path& file,
                                            const ReplayOptions& options);

}  // namespace gadget::ports::desktop
