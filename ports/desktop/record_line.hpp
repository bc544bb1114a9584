// record_line.hpp - one line of a record (journal.hpp): words, numbers, quoted texts and base64.
//
//   < 4711 message 1 "{\"type\":\"ping\"}"
//
// A quoted text holds any bytes: `"`, `\` as \" and \\, control characters as \x0a, all else as it
// is. Reading is bounded by the line and says only whether it worked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gadget::ports::desktop {

[[nodiscard]] std::string in_quotes(std::string_view text);
[[nodiscard]] std::string base64(std::span<const std::byte> bytes);
[[nodiscard]] std::optional<std::vector<std::byte>> from_base64(std::string_view text);

// What a picture or samples are compared by: FNV-1a of 64 bits, as 16 hex digits.
[[nodiscard]] std::string fingerprint(std::span<const std::byte> bytes);

// Reads a line from its start, part by part.
class LineReader {
 public:
  explicit LineReader(std::string_view line) : rest_(line) {}

  // The next word, up to a space; empty at the end.
  [[nodiscard]] std::string_view word();
  // The next word as a whole number within the limits.
  [[nodiscard]] std::optional<std::int64_t> number(std::int64_t least, std::int64_t most);
  [[nodiscard]] std::optional<std::string> text();
  [[nodiscard]] std::optional<std::vector<std::byte>> bytes() { return from_base64(word()); }
  [[nodiscard]] bool at_end() const { return rest_.empty(); }

 private:
  std::string_view rest_;
};

}  // namespace gadget::ports::desktop
