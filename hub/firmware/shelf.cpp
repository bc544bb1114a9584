#include "hub/firmware/shelf.hpp"

#include <algorithm>

#include "base/files.hpp"
#include "hub/firmware/limits.hpp"

namespace gadget::hub {
namespace {

constexpr std::string_view kSuffix = ".bin";

}  // namespace

std::filesystem::path FirmwareFolder::file(std::string_view sha256) const {
  return folder_ / (std::string(sha256) + std::string(kSuffix));
}

Result<void> FirmwareFolder::keep(const FirmwareImage& image) {
  if (auto made = files::make_private_folder(folder_); !made) return made;
  const auto bytes = image.bytes();
  return files::write(file(image.sha256()),
                      {reinterpret_cast<const char*>(bytes.data()), bytes.size()}, true);
}

Result<std::shared_ptr<const FirmwareImage>> FirmwareFolder::read(std::string_view sha256) {
  auto bytes = files::read(file(sha256), limits::kFirmwareFileBytes);
  if (!bytes) return tl::unexpected(std::move(bytes.error()));
  auto image = FirmwareImage::make(std::move(*bytes));
  if (!image || (*image)->sha256() != sha256) {
    return fail(FailureCode::corrupt, file(sha256).string() + " was changed",
                "start the update again with the image");
  }
  return image;
}

void FirmwareFolder::keep_only(const std::set<std::string>& sha256) {
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(folder_, ignored)) {
    const std::string name = entry.path().filename().string();
    const std::size_t stem = name.size() - std::min(name.size(), kSuffix.size());
    if (name.ends_with(kSuffix) && sha256.contains(name.substr(0, stem))) continue;
    std::filesystem::remove(entry.path(), ignored);
  }
}

}  // namespace gadget::hub
