#include "ports/desktop/file_flash.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "device/update/image_reader.hpp"

namespace gadget::ports::desktop {
namespace {

namespace fs = std::filesystem;

// A block of serial flash: what one erase blanks.
constexpr std::uint32_t kSectorBytes = 65'536;
constexpr std::size_t kHeaderBytes = 288;

// What was never written reads as blank flash.
bool read_at(const fs::path& path, std::uint32_t offset, std::span<std::byte> out) {
  std::fill(out.begin(), out.end(), std::byte{0xFF});
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return errno == ENOENT;
  const auto size = ::pread(file, out.data(), out.size(), static_cast<off_t>(offset));
  ::close(file);
  return size >= 0;
}

bool write_at(const fs::path& path, std::uint32_t offset, std::span<const std::byte> bytes,
              bool durable) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, S_IRUSR | S_IWUSR);
  if (file < 0) return false;
  const auto size = ::pwrite(file, bytes.data(), bytes.size(), static_cast<off_t>(offset));
  const bool kept = size == static_cast<ssize_t>(bytes.size()) && (!durable || ::fsync(file) == 0);
  ::close(file);
  return kept;
}

void sync(const fs::path& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return;
  (void)::fsync(file);
  ::close(file);
}

}  // namespace

fs::path FileFlash::file(std::string_view what, unsigned number) const {
  return folder_ / ("device." + std::string{what} + std::to_string(number));
}

std::string FileFlash::version_in(unsigned slot) const {
  std::array<std::byte, kHeaderBytes> header{};
  if (slot_bytes_ == 0 || !read_at(file("slot", slot), 0, header)) return {};
  device::ImageReader reader;
  reader.start({});
  reader.feed(header);
  return std::string{reader.facts().version};
}

bool FileFlash::take_reboot() { return std::exchange(reboot_, false); }

std::uint32_t FileFlash::sector_bytes() const { return std::min(kSectorBytes, slot_bytes_); }

bool FileFlash::read_record(unsigned sector, std::uint32_t offset, std::span<std::byte> out) {
  return read_at(file("boot", sector), offset, out);
}

bool FileFlash::erase_record(unsigned sector) {
  // A record must never be there before the image that it names.
  for (unsigned slot = 0; slot < 2; ++slot) sync(file("slot", slot));
  std::array<std::byte, device::kRecordBytes> blank{};
  blank.fill(std::byte{0xFF});
  return write_at(file("boot", sector), 0, blank, true);
}

bool FileFlash::write_record(unsigned sector, std::uint32_t offset,
                             std::span<const std::byte> bytes) {
  return write_at(file("boot", sector), offset, bytes, true);
}

device::FirmwareSlots::Erased FileFlash::erase(unsigned slot, std::uint32_t offset) {
  const std::vector<std::byte> blank(sector_bytes(), std::byte{0xFF});
  return write_at(file("slot", slot), offset, blank, false) ? device::FirmwareSlots::Erased::yes
                                                            : device::FirmwareSlots::Erased::failed;
}

bool FileFlash::write(unsigned slot, std::uint32_t offset, std::span<const std::byte> page) {
  return write_at(file("slot", slot), offset, page, false);
}

bool FileFlash::read(unsigned slot, std::uint32_t offset, std::span<std::byte> out) {
  return read_at(file("slot", slot), offset, out);
}

}  // namespace gadget::ports::desktop
