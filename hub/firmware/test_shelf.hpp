// test_shelf.hpp - a shelf in memory, for tests.
#pragma once

#include <map>

#include "hub/firmware/shelf.hpp"

namespace gadget::hub {

class MemoryShelf final : public FirmwareShelf {
 public:
  Result<void> keep(const FirmwareImage& image) override {
    if (full) return fail(FailureCode::io, "the disk is full");
    const auto bytes = image.bytes();
    files[image.sha256()] = {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
    return {};
  }
  Result<std::shared_ptr<const FirmwareImage>> read(std::string_view sha256) override {
    ++reads;
    const auto at = files.find(std::string(sha256));
    if (at == files.end()) return fail(FailureCode::not_found, "the image is gone");
    return FirmwareImage::make(at->second);
  }
  void keep_only(const std::set<std::string>& sha256) override {
    std::erase_if(files, [&](const auto& file) { return !sha256.contains(file.first); });
  }

  std::map<std::string, std::string> files;
  int reads = 0;
  bool full = false;
};

}  // namespace gadget::hub
