#include "hub/store/schema.hpp"

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <string>

#include <fcntl.h>
#include <unistd.h>

namespace gadget::hub::sqlite {
namespace {

// Version 1. Times are Unix milliseconds. `ever_approved` tells a device whose approval was revoked
// from one that never had it (E11).
constexpr const char* kVersion1 = R"sql(
CREATE TABLE migrations (
  version INTEGER PRIMARY KEY,
  program TEXT NOT NULL,
  wall_ms INTEGER NOT NULL
);
CREATE TABLE devices (
  id TEXT PRIMARY KEY,
  key BLOB NOT NULL CHECK (length(key) = 32),
  enrolled_in_clear INTEGER NOT NULL,
  approved INTEGER NOT NULL,
  ever_approved INTEGER NOT NULL,
  name TEXT NOT NULL,
  board TEXT NOT NULL,
  firmware TEXT NOT NULL,
  address TEXT NOT NULL,
  first_contact INTEGER NOT NULL,
  last_contact INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX never_approved ON devices (last_contact) WHERE ever_approved = 0;
CREATE TABLE approvals_ahead (device TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE TABLE codes (
  device TEXT PRIMARY KEY,
  code TEXT NOT NULL UNIQUE,
  expires INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE questions (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  device TEXT NOT NULL,
  title TEXT NOT NULL,
  text TEXT NOT NULL,
  expires INTEGER NOT NULL
);
CREATE INDEX questions_of_device ON questions (device);
CREATE TABLE waiting (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  device TEXT NOT NULL,
  text TEXT NOT NULL,
  card_title TEXT NOT NULL,
  card_body TEXT NOT NULL,
  created INTEGER NOT NULL,
  expires INTEGER NOT NULL
);
CREATE INDEX waiting_of_device ON waiting (device);
CREATE TABLE agent_values (
  device TEXT NOT NULL,
  key TEXT NOT NULL,
  value BLOB NOT NULL,
  PRIMARY KEY (device, key)
) WITHOUT ROWID;
CREATE INDEX agent_values_of_key ON agent_values (key);
CREATE TABLE series (name TEXT PRIMARY KEY, next INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE settings (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
)sql";

// Version 2: firmware updates. `fleet` has one row at most.
constexpr const char* kVersion2 = R"sql(
CREATE TABLE updates (
  device TEXT PRIMARY KEY,
  image TEXT NOT NULL,
  version TEXT NOT NULL,
  version_known INTEGER NOT NULL,
  previous TEXT NOT NULL,
  size INTEGER NOT NULL,
  phase TEXT NOT NULL,
  open INTEGER NOT NULL,
  tries INTEGER NOT NULL,
  forced INTEGER NOT NULL,
  fleet INTEGER NOT NULL,
  started INTEGER NOT NULL,
  due INTEGER NOT NULL,
  code TEXT NOT NULL,
  message TEXT NOT NULL
) WITHOUT ROWID;
CREATE INDEX open_updates ON updates (device) WHERE open = 1;
CREATE TABLE rolled_back (
  device TEXT NOT NULL,
  version TEXT NOT NULL,
  wall_ms INTEGER NOT NULL,
  PRIMARY KEY (device, version)
) WITHOUT ROWID;
CREATE TABLE fleet (
  number INTEGER PRIMARY KEY CHECK (number = 1),
  image TEXT NOT NULL,
  version TEXT NOT NULL,
  board TEXT NOT NULL,
  stage TEXT NOT NULL,
  batch INTEGER NOT NULL,
  stop_after INTEGER NOT NULL,
  forced INTEGER NOT NULL,
  total INTEGER NOT NULL,
  installed INTEGER NOT NULL,
  failed INTEGER NOT NULL,
  started INTEGER NOT NULL,
  reason TEXT NOT NULL
);
)sql";

// Version 3: a device is found by its name without a look at all of them.
constexpr const char* kVersion3 = "CREATE INDEX devices_of_name ON devices (name);";

constexpr std::array kMigrations{Migration{1, kVersion1}, Migration{2, kVersion2},
                                 Migration{3, kVersion3}};

Result<std::int64_t> version_of(Database& database) {
  std::int64_t version = 0;
  auto read =
      database.each("PRAGMA user_version", [&](const Row& row) { version = row.integer(0); });
  if (!read) return tl::unexpected(std::move(read.error()));
  return version;
}

tl::unexpected<Failure> newer(Database& database, const std::filesystem::path& file,
                              std::int64_t version, std::int64_t ours) {
  std::string program;
  // A file so new that it has no such table is refused all the same.
  (void)database.each("SELECT program FROM migrations ORDER BY version DESC LIMIT 1",
                      [&](const Row& row) { program = row.text(0); });
  return fail(
      FailureCode::refused,
      "the store " + file.string() + " is of version " + std::to_string(version) +
          "; this program reads up to version " + std::to_string(ours),
      program.empty() ? "use the newer program that wrote it" : program + " or later reads it");
}

Result<void> keep_copy(Database& database, const std::filesystem::path& file,
                       std::int64_t version) {
  const std::string copy = file.string() + ".v" + std::to_string(version);
  const int fd = ::open(copy.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (fd < 0) {
    return fail(FailureCode::io, "cannot write " + copy + ": " + std::strerror(errno),
                "a copy is kept before the store is brought to a newer version");
  }
  ::close(fd);
  auto copied = database.run("VACUUM INTO ?1", std::string_view(copy));
  if (!copied) return tl::unexpected(std::move(copied.error()));
  return {};
}

Result<void> apply(Database& database, const Migration& step, std::string_view program) {
  const auto now = std::chrono::duration_cast<std::chrono::milliseconds>(
                       std::chrono::system_clock::now().time_since_epoch())
                       .count();
  const std::string set_version = "PRAGMA user_version = " + std::to_string(step.to_version);
  return database.script("BEGIN IMMEDIATE")
      .and_then([&] { return database.script(step.sql); })
      .and_then([&] {
        return database.run(
            "INSERT INTO migrations (version, program, wall_ms) VALUES (?1, ?2, ?3)",
            step.to_version, program, static_cast<std::int64_t>(now));
      })
      .and_then([&](int) { return database.script(set_version.c_str()); })
      .and_then([&] { return database.script("COMMIT"); })
      .map_error([&](Failure failure) {
        if (database.in_transaction()) (void)database.script("ROLLBACK");
        return failure;
      });
}

}  // namespace

std::span<const Migration> migrations() { return kMigrations; }

Result<void> migrate(Database& database, const std::filesystem::path& file,
                     std::span<const Migration> steps, std::string_view program) {
  auto version = version_of(database);
  if (!version) return tl::unexpected(std::move(version.error()));
  const std::int64_t newest = steps.empty() ? 0 : steps.back().to_version;
  if (*version > newest) return newer(database, file, *version, newest);
  if (*version > 0 && *version < newest) {
    if (auto kept = keep_copy(database, file, *version); !kept) return kept;
  }
  for (const Migration& step : steps) {
    if (step.to_version <= *version) continue;
    if (auto done = apply(database, step, program); !done) return done;
  }
  return {};
}

Result<void> check_version(Database& database, const std::filesystem::path& file) {
  auto version = version_of(database);
  if (!version) return tl::unexpected(std::move(version.error()));
  const std::int64_t newest = migrations().back().to_version;
  if (*version > newest) return newer(database, file, *version, newest);
  return {};
}

}  // namespace gadget::hub::sqlite
