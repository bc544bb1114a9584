// live_backup.hpp - the backup of an open database. Private to hub/store.
#pragma once

#include <filesystem>
#include <memory>

#include "hub/store/backup.hpp"
#include "hub/store/sqlite.hpp"
#include "hub/store/store.hpp"

namespace gadget::hub {

// `folder` holds the copy until the backup has been taken or given up.
[[nodiscard]] Result<std::unique_ptr<LiveBackup>> begin_backup(sqlite::Database& database,
                                                               const std::filesystem::path& folder);

// What a hub that was killed meanwhile has left behind: copies hold every key.
void remove_left_copies(const std::filesystem::path& folder);

}  // namespace gadget::hub
