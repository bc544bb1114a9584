// sqlite.hpp - SQLite as values: a connection, statements that are prepared once, errors as
// Failures.
//
// Private to hub/store. One owner, one thread. Every text that goes into a statement is bound,
// never pasted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/failure.hpp"

struct sqlite3;
struct sqlite3_backup;
struct sqlite3_stmt;

namespace gadget::hub::sqlite {

// One row of an answer, valid until the next step.
class Row {
 public:
  explicit Row(sqlite3_stmt* statement) : statement_(statement) {}
  [[nodiscard]] std::int64_t integer(int column) const;
  [[nodiscard]] std::string text(int column) const;
  [[nodiscard]] std::span<const std::byte> blob(int column) const;

 private:
  sqlite3_stmt* statement_;
};

class Database {
 public:
  // Opens or creates `file`, readable by this user only. ":memory:" for one that lives in memory.
  // Errors: io (cannot be opened or written), corrupt (no SQLite file).
  [[nodiscard]] static Result<std::unique_ptr<Database>> open(const std::filesystem::path& file);
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  // Runs SQL text of ours, several statements too; nothing is bound.
  Result<void> script(const char* sql);

  // Runs one statement. Returns how many rows it changed.
  template <class... Values>
  Result<int> run(const char* sql, const Values&... values) {
    auto statement = prepare(sql);
    if (!statement) return tl::unexpected(std::move(statement.error()));
    bind_all(*statement, values...);
    return run_prepared(*statement);
  }

  // Calls `take(Row)` for every row.
  template <class Take, class... Values>
  Result<void> each(const char* sql, Take take, const Values&... values) {
    auto statement = prepare(sql);
    if (!statement) return tl::unexpected(std::move(statement.error()));
    bind_all(*statement, values...);
    for (;;) {
      auto more = step(*statement);
      if (!more) return tl::unexpected(std::move(more.error()));
      if (!*more) return {};
      take(Row(*statement));
    }
  }

  [[nodiscard]] const std::string& name() const { return name_; }  // its file
  [[nodiscard]] std::int64_t last_row() const;
  [[nodiscard]] bool in_transaction() const;

  // Begins to copy all of it into `file`, which is made, readable by this user only. Errors: as
  // open(), and unavailable while a transaction is open.
  [[nodiscard]] Result<std::unique_ptr<class Copy>> copy_to(const std::filesystem::path& file);

  // What the failure of a call just now was, as a Failure that names the file.
  [[nodiscard]] Failure failure(int code) const;

  // The work of all statements so far, in steps of SQLite's machine: what a test counts to see that
  // nothing is searched row by row. Returns the steps since the last call.
  [[nodiscard]] std::uint64_t take_steps();

 private:
  explicit Database(std::string name) : name_(std::move(name)) {}

  Result<sqlite3_stmt*> prepare(const char* sql);
  Result<int> run_prepared(sqlite3_stmt* statement);
  Result<bool> step(sqlite3_stmt* statement);  // true: a row is there

  void bind(sqlite3_stmt* statement, int index, std::int64_t value);
  void bind(sqlite3_stmt* statement, int index, bool value) {
    bind(statement, index, static_cast<std::int64_t>(value));
  }
  void bind(sqlite3_stmt* statement, int index, std::string_view value);
  void bind(sqlite3_stmt* statement, int index, std::span<const std::byte> value);

  template <class... Values>
  void bind_all([[maybe_unused]] sqlite3_stmt* statement, const Values&... values) {
    [[maybe_unused]] int index = 0;
    (bind(statement, ++index, values), ...);
  }

  std::string name_;  // of the file, for messages
  sqlite3* handle_ = nullptr;
  std::unordered_map<std::string_view, sqlite3_stmt*> statements_;  // keys are literals
};

// A copy in the making. The database goes on being used by its own connection meanwhile, between
// two steps; what is written then is in the copy, too.
class Copy {
 public:
  Copy(std::unique_ptr<Database> into, sqlite3_backup* backup)
      : into_(std::move(into)), backup_(backup) {}
  ~Copy();  // may outlive the database
  Copy(const Copy&) = delete;
  Copy& operator=(const Copy&) = delete;

  // So many pages more. True: that was all, and the file is whole and closed.
  Result<bool> step(int pages);

 private:
  std::unique_ptr<Database> into_;
  sqlite3_backup* backup_;
};

}  // namespace gadget::hub::sqlite
