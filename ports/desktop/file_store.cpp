#include "ports/desktop/file_store.hpp"

#include <algorithm>
#include <string>

#include "base/files.hpp"

namespace gadget::ports::desktop {
namespace {

constexpr std::size_t kMaxValueBytes = 4'096;  // far beyond what the core keeps

}  // namespace

std::filesystem::path FileStore::path(std::string_view name) const {
  return folder_ / ("device." + std::string{name});
}

std::optional<std::size_t> FileStore::get(std::string_view name, std::span<std::byte> out) {
  const auto content = files::read(path(name), kMaxValueBytes);
  if (!content || content->size() > out.size()) return std::nullopt;
  std::transform(content->begin(), content->end(), out.begin(),
                 [](char c) { return static_cast<std::byte>(c); });
  return content->size();
}

bool FileStore::put(std::string_view name, std::span<const std::byte> value) {
  const std::string_view bytes{reinterpret_cast<const char*>(value.data()), value.size()};
  return files::write(path(name), bytes, true).has_value();
}

}  // namespace gadget::ports::desktop
