// backup.hpp - a store as one file to put away, and back.
//
// A backup is a store file itself, compacted: keys, approvals, questions, what waits, lists. It is
// as secret as the store (0600). Blocking calls, any thread; the hub that holds the store makes its
// backup with Store::begin_backup(), in pieces, and not compacted.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "base/failure.hpp"

namespace gadget::hub {

// Longest backup that is made or taken back: what is read into memory at once.
inline constexpr std::size_t kMaxBackupBytes = 1UL << 30U;

// The backup of a store that no hub holds. Errors: not_found, corrupt, unavailable (a hub holds
// it).
[[nodiscard]] Result<std::string> back_up_file(const std::filesystem::path& store);

struct Restored {
  std::int64_t devices = 0;
  std::filesystem::path set_aside;  // where the store that was there is now; empty: there was none
};

// Puts a backup in the place of the store. What was there is kept beside it, under a name that is
// free. All or nothing: an error leaves the store as it was. Errors: invalid_argument (no backup of
// ours), corrupt, refused (of a newer version, with the program that reads it), unavailable (a hub
// holds the store), io.
[[nodiscard]] Result<Restored> restore_file(const std::filesystem::path& store,
                                            std::string_view backup);

}  // namespace gadget::hub
