// backup_text.hpp - the bytes of a backup, from an open database. Private to hub/store.
#pragma once

#include <filesystem>
#include <string>

#include "base/failure.hpp"
#include "hub/store/sqlite.hpp"

namespace gadget::hub {

// `folder` holds a copy for a moment.
[[nodiscard]] Result<std::string> backup_text(sqlite::Database& database,
                                              const std::filesystem::path& folder);

}  // namespace gadget::hub
