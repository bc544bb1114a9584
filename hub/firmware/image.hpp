// image.hpp - a firmware image: its bytes, its SHA-256, and what it says it is (E29).
//
// The bytes are in one buffer that all updates share, not mapped from the file: a file that is cut
// or changed while it is mapped would kill the hub (SIGBUS) or send bytes other than those that the
// MAC covers. An image is immutable, so it may be read from any thread.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/failure.hpp"

namespace gadget::hub {

class FirmwareImage {
 public:
  // Hashes and reads it, which takes long: beside the loop. Errors: invalid_argument (empty, larger
  // than limits::kFirmwareFileBytes). An image of another kind is none: see problem().
  [[nodiscard]] static Result<std::shared_ptr<const FirmwareImage>> make(std::string bytes);

  [[nodiscard]] std::span<const std::byte> bytes() const {
    return std::as_bytes(std::span(bytes_));
  }
  [[nodiscard]] std::int64_t size() const { return static_cast<std::int64_t>(bytes_.size()); }
  [[nodiscard]] const std::string& sha256() const { return sha256_; }  // lowercase hex
  // As it is offered; of an image that has none, made from its SHA-256.
  [[nodiscard]] const std::string& version() const { return version_; }
  [[nodiscard]] bool version_known() const { return version_known_; }
  [[nodiscard]] const std::string& board() const { return board_; }  // empty: it names none
  // Why it is no image of this project, naming the offset; none: it is one.
  [[nodiscard]] const std::optional<Failure>& problem() const { return problem_; }

 private:
  FirmwareImage() = default;
  void read();

  std::string bytes_;
  std::string sha256_, version_, board_;
  bool version_known_ = false;
  std::optional<Failure> problem_;
};

// E29: whether it may be offered to a device with that board. Errors: refused, saying what is wrong
// and what to do. An owner who forces it skips this.
[[nodiscard]] Result<void> fits_board(const FirmwareImage& image, std::string_view board);

}  // namespace gadget::hub
