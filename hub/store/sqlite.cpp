#include "hub/store/sqlite.hpp"

#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

namespace gadget::hub::sqlite {
namespace {

// How long a statement waits for another process that holds the file for a moment (a backup). A
// second hub holds it for good, and is told so.
constexpr int kBusyTimeoutMs = 200;

// Makes the file before SQLite does, so that nobody else can ever read it; SQLite gives its -wal
// and -shm the mode of the file.
Result<void> make_private(const std::filesystem::path& file) {
  const int fd = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (fd < 0) {
    return fail(FailureCode::io,
                "cannot open the store " + file.string() + ": " + std::strerror(errno),
                "choose another folder with --state, or change its owner");
  }
  struct stat status {};
  const bool closed_to_others =
      ::fstat(fd, &status) == 0 && ((status.st_mode & 0077U) == 0 || ::fchmod(fd, 0600) == 0);
  ::close(fd);
  if (!closed_to_others) {
    return fail(FailureCode::io, "the store " + file.string() + " can be read by others",
                "run chmod 600 on it");
  }
  return {};
}

}  // namespace

std::int64_t Row::integer(int column) const { return sqlite3_column_int64(statement_, column); }

std::string Row::text(int column) const {
  const auto bytes = blob(column);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::span<const std::byte> Row::blob(int column) const {
  const void* data = sqlite3_column_blob(statement_, column);
  const int size = sqlite3_column_bytes(statement_, column);
  if (data == nullptr || size <= 0) return {};
  return {static_cast<const std::byte*>(data), static_cast<std::size_t>(size)};
}

Result<std::unique_ptr<Database>> Database::open(const std::filesystem::path& file) {
  const bool in_memory = file == ":memory:";
  if (!in_memory) {
    if (auto made = make_private(file); !made) return tl::unexpected(std::move(made.error()));
  }
  std::unique_ptr<Database> database(new Database(file.string()));
  const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
  const int code = sqlite3_open_v2(file.c_str(), &database->handle_, flags, nullptr);
  if (code != SQLITE_OK) return tl::unexpected(database->failure(code));
  sqlite3_extended_result_codes(database->handle_, 1);
  sqlite3_busy_timeout(database->handle_, kBusyTimeoutMs);
  return database;
}

Database::~Database() {
  for (const auto& [sql, statement] : statements_) sqlite3_finalize(statement);
  sqlite3_close_v2(handle_);
}

Result<void> Database::script(const char* sql) {
  const int code = sqlite3_exec(handle_, sql, nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) return tl::unexpected(failure(code));
  return {};
}

Result<sqlite3_stmt*> Database::prepare(const char* sql) {
  if (const auto known = statements_.find(sql); known != statements_.end()) {
    sqlite3_reset(known->second);
    sqlite3_clear_bindings(known->second);
    return known->second;
  }
  sqlite3_stmt* statement = nullptr;
  const int code =
      sqlite3_prepare_v3(handle_, sql, -1, SQLITE_PREPARE_PERSISTENT, &statement, nullptr);
  if (code != SQLITE_OK) return tl::unexpected(failure(code));
  statements_.emplace(sql, statement);
  return statement;
}

Result<int> Database::run_prepared(sqlite3_stmt* statement) {
  for (;;) {
    auto more = step(statement);
    if (!more) return tl::unexpected(std::move(more.error()));
    if (!*more) return sqlite3_changes(handle_);
  }
}

Result<bool> Database::step(sqlite3_stmt* statement) {
  const int code = sqlite3_step(statement);
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) {
    sqlite3_reset(statement);
    return false;
  }
  Failure reported = failure(code);
  sqlite3_reset(statement);
  return tl::unexpected(std::move(reported));
}

void Database::bind(sqlite3_stmt* statement, int index, std::int64_t value) {
  sqlite3_bind_int64(statement, index, value);
}

// A null pointer would bind NULL, so an empty text is bound as one.
void Database::bind(sqlite3_stmt* statement, int index, std::string_view value) {
  sqlite3_bind_text64(statement, index, value.empty() ? "" : value.data(), value.size(),
                      SQLITE_TRANSIENT, SQLITE_UTF8);
}

void Database::bind(sqlite3_stmt* statement, int index, std::span<const std::byte> value) {
  sqlite3_bind_blob64(statement, index, value.empty() ? "" : static_cast<const void*>(value.data()),
                      value.size(), SQLITE_TRANSIENT);
}

std::int64_t Database::last_row() const { return sqlite3_last_insert_rowid(handle_); }

bool Database::in_transaction() const { return sqlite3_get_autocommit(handle_) == 0; }

Result<std::unique_ptr<Copy>> Database::copy_to(const std::filesystem::path& file) {
  auto into = open(file);
  if (!into) return tl::unexpected(std::move(into.error()));
  // Nobody reads it before it is whole: what is half written is thrown away.
  auto ready = (*into)->script("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;");
  if (!ready) return tl::unexpected(std::move(ready.error()));
  sqlite3_backup* const backup = sqlite3_backup_init((*into)->handle_, "main", handle_, "main");
  if (backup == nullptr) {
    return tl::unexpected((*into)->failure(sqlite3_errcode((*into)->handle_)));
  }
  return std::make_unique<Copy>(std::move(*into), backup);
}

Copy::~Copy() {
  if (backup_ != nullptr) sqlite3_backup_finish(backup_);
}

Result<bool> Copy::step(int pages) {
  const int code = sqlite3_backup_step(backup_, pages);
  if (code == SQLITE_OK) return false;
  // The code of the step that failed, if one did: of the copy's file, or of the database.
  const int finished = sqlite3_backup_finish(std::exchange(backup_, nullptr));
  if (finished != SQLITE_OK) return tl::unexpected(into_->failure(finished));
  if (code != SQLITE_DONE) return tl::unexpected(into_->failure(code));  // busy, which passes
  // A file of its own, not one that begins with a log.
  auto alone = into_->script("PRAGMA journal_mode = DELETE;");
  into_.reset();
  if (!alone) return tl::unexpected(std::move(alone.error()));
  return true;
}

Failure Database::failure(int code) const {
  const std::string about = "the store " + name_;
  switch (code & 0xff) {
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      return {FailureCode::corrupt, about + " is damaged or no store of ours",
              "it was left as it is; move it away to start anew, devices then enrol again"};
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return {FailureCode::unavailable, about + " is in use by another hub",
              "stop that one, or choose another folder with --state"};
    case SQLITE_FULL:
      return {FailureCode::io, about + " cannot grow: the disk is full", "make room on the disk"};
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_CANTOPEN:
      return {FailureCode::io, about + " cannot be written",
              "choose another folder with --state, or change its owner"};
    default: {
      const char* said = handle_ != nullptr ? sqlite3_errmsg(handle_) : sqlite3_errstr(code);
      return {FailureCode::io, about + " failed: " + said, {}};
    }
  }
}

std::uint64_t Database::take_steps() {
  std::uint64_t steps = 0;
  for (const auto& [sql, statement] : statements_) {
    steps +=
        static_cast<std::uint64_t>(sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_VM_STEP, 1));
  }
  return steps;
}

}  // namespace gadget::hub::sqlite
