// schema.hpp - the versions of the store's file, and how an older one becomes the newest.
//
// Private to hub/store. PRAGMA user_version holds the version; the table `migrations` says which
// program made each step. A newer file is refused, naming the program that reads it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string_view>

#include "base/failure.hpp"
#include "hub/store/sqlite.hpp"

namespace gadget::hub::sqlite {

struct Migration {
  std::int64_t to_version;  // from the one before
  const char* sql;
};

// All of ours, oldest first.
[[nodiscard]] std::span<const Migration> migrations();

// Brings `database` to the newest of `steps`, each step one transaction. Before the first step on a
// file that has data, a copy is kept beside it: FILE.vVERSION, 0600. Errors: refused (newer), io,
// corrupt.
[[nodiscard]] Result<void> migrate(Database& database, const std::filesystem::path& file,
                                   std::span<const Migration> steps, std::string_view program);

// Whether this program reads it. Error: refused (newer), with the program that does.
[[nodiscard]] Result<void> check_version(Database& database, const std::filesystem::path& file);

}  // namespace gadget::hub::sqlite
