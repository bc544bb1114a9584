#include "hub/store/live_backup.hpp"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <string_view>
#include <vector>

#include <unistd.h>

#include "hub/store/temporary.hpp"

namespace gadget::hub {
namespace {

namespace fs = std::filesystem;

// A piece: pages of 4 KB that are copied, bytes of the copy that are read.
constexpr int kPagesAStep = 64;
constexpr std::size_t kBytesAStep = 512 * 1024;

// Beginning of a copy's name in the folder of the store.
constexpr std::string_view kCopyName = ".hub-copy-";

class Pieces final : public LiveBackup {
 public:
  Pieces(fs::path path, std::unique_ptr<sqlite::Copy> copy)
      : file_(std::move(path)), copy_(std::move(copy)) {}

  Result<bool> step() override {
    if (copy_) {
      auto whole = copy_->step(kPagesAStep);
      if (!whole) return whole;
      if (*whole) copy_.reset();
      return false;
    }
    return read();
  }
  std::string take() override { return std::move(bytes_); }

 private:
  Result<bool> read() {
    if (!reader_.is_open()) reader_.open(file_.path(), std::ios::binary);
    const std::size_t before = bytes_.size();
    bytes_.resize(before + kBytesAStep);
    reader_.read(bytes_.data() + before, static_cast<std::streamsize>(kBytesAStep));
    bytes_.resize(before + static_cast<std::size_t>(reader_.gcount()));
    if (reader_.eof()) return true;
    if (!reader_) {
      return fail(FailureCode::io,
                  "cannot read the copy of the store: " + std::string(std::strerror(errno)));
    }
    if (bytes_.size() > kMaxBackupBytes) {
      return fail(FailureCode::invalid_argument, "the store is larger than a backup may be");
    }
    return false;
  }

  Temporary file_;  // after the copy, which has it open
  std::unique_ptr<sqlite::Copy> copy_;
  std::ifstream reader_;
  std::string bytes_;
};

}  // namespace

Result<std::unique_ptr<LiveBackup>> begin_backup(sqlite::Database& database,
                                                 const fs::path& folder) {
  static int number = 0;  // of the one thread that has the store
  fs::path path = folder / (std::string(kCopyName) + std::to_string(::getpid()) + "-" +
                            std::to_string(++number));
  auto copy = database.copy_to(path);
  if (!copy) {
    const Temporary gone(path);
    return tl::unexpected(std::move(copy.error()));
  }
  return std::make_unique<Pieces>(std::move(path), std::move(*copy));
}

void remove_left_copies(const fs::path& folder) {
  std::error_code error;
  std::vector<fs::path> left;
  for (fs::directory_iterator at(folder, error); !error && at != fs::directory_iterator();
       at.increment(error)) {
    if (at->path().filename().string().starts_with(kCopyName)) left.push_back(at->path());
  }
  for (const fs::path& path : left) fs::remove(path, error);
}

}  // namespace gadget::hub
