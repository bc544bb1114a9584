#include "hub/store/backup.hpp"

#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <unistd.h>

#include "base/files.hpp"
#include "hub/store/schema.hpp"
#include "hub/store/sqlite.hpp"
#include "hub/store/temporary.hpp"

namespace gadget::hub {
namespace {

namespace fs = std::filesystem;
using sqlite::Database;
using sqlite::Row;

// Takes the file for itself, as a hub does; whoever holds it is in the way.
constexpr const char* kTake = "PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; COMMIT;";

// The beginning of every SQLite file.
constexpr std::string_view kMagic{"SQLite format 3\0", 16};

Result<std::int64_t> number(Database& database, const char* sql) {
  std::int64_t value = 0;
  auto read = database.each(sql, [&](const Row& row) { value = row.integer(0); });
  if (!read) return tl::unexpected(std::move(read.error()));
  return value;
}

// Whether it is a store of ours, whole, and of a version that this program reads. Returns its
// devices.
Result<std::int64_t> examine(const fs::path& file) {
  auto database = Database::open(file);
  if (!database) return tl::unexpected(std::move(database.error()));
  std::string verdict;
  auto checked = (*database)->each("PRAGMA integrity_check(1)", [&](const Row& row) {
    if (verdict.empty()) verdict = row.text(0);
  });
  if (!checked || verdict != "ok") {
    return fail(FailureCode::corrupt, "the backup is damaged",
                "nothing was changed; try an older one");
  }
  auto tables = number(**database,
                       "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name IN "
                       "('devices', 'migrations', 'codes', 'questions')");
  if (!tables) return tables;
  if (*tables != 4) {
    return fail(FailureCode::invalid_argument,
                "the file is an SQLite file, but no backup of a hub");
  }
  if (auto fits = sqlite::check_version(**database, "(the backup)"); !fits) {
    return tl::unexpected(std::move(fits.error()));
  }
  return number(**database, "SELECT count(*) FROM devices");
}

// Nobody else writes to the store from here on, until `held` ends.
Result<std::unique_ptr<Database>> hold(const fs::path& store) {
  auto database = Database::open(store);
  if (!database) return database;
  // A store that is damaged is just what a backup is for.
  auto taken = (*database)->script(kTake);
  if (!taken && taken.error().code != FailureCode::corrupt) {
    return tl::unexpected(std::move(taken.error()));
  }
  return database;
}

Result<fs::path> set_aside(const fs::path& store) {
  constexpr int kMostNames = 1'000;
  for (int n = 1; n <= kMostNames; ++n) {
    const fs::path name = store.string() + ".before-restore-" + std::to_string(n);
    std::error_code error;
    if (fs::exists(name, error)) continue;
    fs::rename(store, name, error);
    if (error) break;
    for (const char* suffix : {"-wal", "-shm"}) {
      std::error_code ignored;
      fs::rename(store.string() + suffix, name.string() + suffix, ignored);
    }
    return name;
  }
  return fail(FailureCode::io, "cannot set the present store " + store.string() + " aside");
}

// `folder` holds a copy for a moment.
Result<std::string> backup_text(Database& database, const fs::path& folder) {
  const Temporary copy(folder / ("backup-" + std::to_string(::getpid())));
  // Made before SQLite writes into it, so that nobody else can ever read it.
  const int fd = ::open(copy.path().c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (fd < 0) {
    return fail(FailureCode::io,
                "cannot write in " + folder.string() + ": " + std::strerror(errno));
  }
  ::close(fd);
  const std::string name = copy.path().string();
  if (auto copied = database.run("VACUUM INTO ?1", std::string_view(name)); !copied) {
    return tl::unexpected(std::move(copied.error()));
  }
  return files::read(copy.path(), kMaxBackupBytes);
}

}  // namespace

Result<std::string> back_up_file(const fs::path& store) {
  std::error_code ignored;
  if (!fs::exists(store, ignored)) {
    return fail(FailureCode::not_found, "there is no store " + store.string(),
                "--state names the hub's state folder");
  }
  auto database = hold(store);
  if (!database) return tl::unexpected(std::move(database.error()));
  return backup_text(**database, store.parent_path());
}

Result<Restored> restore_file(const fs::path& store, std::string_view backup) {
  if (!backup.starts_with(kMagic)) {
    return fail(FailureCode::invalid_argument, "the file is no backup",
                "`hermes-gadget backup FILE` makes one");
  }
  const fs::path folder = store.parent_path();
  if (auto made = files::make_private_folder(folder); !made) {
    return tl::unexpected(std::move(made.error()));
  }
  const Temporary next(folder / ("restore-" + std::to_string(::getpid())));
  if (auto written = files::write(next.path(), backup, true); !written) {
    return tl::unexpected(std::move(written.error()));
  }
  auto devices = examine(next.path());
  if (!devices) return tl::unexpected(std::move(devices.error()));

  Restored restored;
  restored.devices = *devices;
  std::error_code error;
  std::unique_ptr<Database> held;
  if (fs::exists(store, error)) {
    auto taken = hold(store);
    if (!taken) return tl::unexpected(std::move(taken.error()));
    held = std::move(*taken);
    auto aside = set_aside(store);
    if (!aside) return tl::unexpected(std::move(aside.error()));
    restored.set_aside = std::move(*aside);
  }
  fs::rename(next.path(), store, error);
  if (error) {
    if (!restored.set_aside.empty()) {
      std::error_code ignored;
      fs::rename(restored.set_aside, store, ignored);
    }
    return fail(FailureCode::io, "cannot write " + store.string() + ": " + error.message());
  }
  return restored;
}

}  // namespace gadget::hub
