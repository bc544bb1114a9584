// file_store.hpp - the device's non-volatile memory as small files of a state folder: device.key,
// device.trust, device.time, device.volume; readable by this user only.
#pragma once

#include <filesystem>

#include "device/core/platform.hpp"

namespace gadget::ports::desktop {

class FileStore final : public device::Store {
 public:
  // `folder` exists and can be written.
  explicit FileStore(std::filesystem::path folder) : folder_(std::move(folder)) {}

  [[nodiscard]] std::optional<std::size_t> get(std::string_view name,
                                               std::span<std::byte> out) override;
  [[nodiscard]] bool put(std::string_view name, std::span<const std::byte> value) override;

 private:
  [[nodiscard]] std::filesystem::path path(std::string_view name) const;
  std::filesystem::path folder_;
};

}  // namespace gadget::ports::desktop
