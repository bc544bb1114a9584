// store_test_support.hpp - what the store's tests share: a folder that goes away, devices by
// number.
#pragma once

#include <array>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "hub/store/store.hpp"
#include "protocol/identity.hpp"

namespace gadget::hub::testing {

class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "gadget-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) std::abort();
    path_ = pattern;
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

// A key made of a number, and the record of the device that has it.
inline DeviceRecord device_number(std::uint32_t number) {
  std::array<std::byte, protocol::kKeyBytes> bytes{};
  for (std::size_t i = 0; i < 4; ++i) {
    bytes[i] = static_cast<std::byte>((number >> (8 * i)) & 0xffU);
  }
  DeviceRecord record;
  record.key = protocol::Key(bytes);
  record.id = protocol::device_id(record.key);
  return record;
}

}  // namespace gadget::hub::testing
