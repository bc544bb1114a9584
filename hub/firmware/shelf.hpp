// shelf.hpp - where images are kept while updates need them, by their SHA-256.
//
// Calls read and write files, so they are made beside the loop, one at a time.
#pragma once

#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <string_view>

#include "hub/firmware/image.hpp"

namespace gadget::hub {

class FirmwareShelf {
 public:
  virtual ~FirmwareShelf() = default;
  // On the disk when it returns. Errors: io.
  virtual Result<void> keep(const FirmwareImage& image) = 0;
  // Errors: not_found, io, corrupt (it is not what its name says).
  [[nodiscard]] virtual Result<std::shared_ptr<const FirmwareImage>> read(
      std::string_view sha256) = 0;
  // Everything else goes.
  virtual void keep_only(const std::set<std::string>& sha256) = 0;
};

// The shelf that is a folder of its own: STATE/firmware, one file an image. Made when needed.
class FirmwareFolder final : public FirmwareShelf {
 public:
  explicit FirmwareFolder(std::filesystem::path folder) : folder_(std::move(folder)) {}
  Result<void> keep(const FirmwareImage& image) override;
  Result<std::shared_ptr<const FirmwareImage>> read(std::string_view sha256) override;
  void keep_only(const std::set<std::string>& sha256) override;

 private:
  [[nodiscard]] std::filesystem::path file(std::string_view sha256) const;
  std::filesystem::path folder_;
};

}  // namespace gadget::hub
