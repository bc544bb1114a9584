#include "hub/store/sqlite_store.hpp"

#include <algorithm>
#include <utility>

#include "hub/store/live_backup.hpp"

namespace gadget::hub {
namespace {

using sqlite::Database;
using sqlite::Row;

constexpr std::string_view kProgram = "hermes-gadget " GADGET_VERSION;

// Up to this size the whole file is checked when it is opened: some 100,000 devices, a fraction of
// a second. A larger one is checked where it is read.
constexpr std::uintmax_t kCheckedWholeBytes = 64 * 1024 * 1024;

// What is deleted is overwritten, keys above all; one hub holds the file; the WAL is cut after use
// and moved to the file 1 MB at a time: the loop waits for the disk meanwhile, a quarter as long as
// with SQLite's usual 4 MB.
constexpr const char* kSetUp = R"sql(
PRAGMA locking_mode = EXCLUSIVE;
PRAGMA journal_mode = WAL;
PRAGMA synchronous = FULL;
PRAGMA secure_delete = ON;
PRAGMA journal_size_limit = 4194304;
PRAGMA trusted_schema = OFF;
PRAGMA wal_autocheckpoint = 250;
BEGIN EXCLUSIVE;
COMMIT;
)sql";

Result<void> check_whole(Database& database, const std::filesystem::path& file) {
  std::error_code ignored;
  if (std::filesystem::file_size(file, ignored) > kCheckedWholeBytes || ignored) return {};
  std::string verdict;
  auto checked = database.each("PRAGMA quick_check(1)", [&](const Row& row) {
    if (verdict.empty()) verdict = row.text(0);
  });
  if (!checked) return checked;
  if (verdict == "ok") return {};
  return fail(FailureCode::corrupt, "the store " + file.string() + " is damaged: " + verdict,
              "it was left as it is; move it away to start anew, devices then enrol again");
}

constexpr const char* kDeviceColumns =
    "SELECT id, key, enrolled_in_clear, approved, name, board, firmware, address, first_contact, "
    "last_contact FROM devices ";

DeviceRecord device_of(const Row& row) {
  DeviceRecord record;
  if (auto id = DeviceId::parse(row.text(0))) record.id = *id;
  const auto key = row.blob(1);  // its length is checked by the table
  if (key.size() == protocol::kKeyBytes) {
    record.key = protocol::Key(key.first<protocol::kKeyBytes>());
  }
  record.enrolled_in_clear = row.integer(2) != 0;
  record.approved = row.integer(3) != 0;
  record.name = row.text(4);
  record.board = row.text(5);
  record.firmware = row.text(6);
  record.address = row.text(7);
  record.first_contact_wall_ms = row.integer(8);
  record.last_contact_wall_ms = row.integer(9);
  return record;
}

}  // namespace

Result<std::unique_ptr<Store>> Store::open(const std::filesystem::path& file) {
  auto opened = SqliteStore::open(file);
  if (!opened) return tl::unexpected(std::move(opened.error()));
  return std::unique_ptr<Store>(std::move(*opened));
}

Result<std::unique_ptr<SqliteStore>> SqliteStore::open(const std::filesystem::path& file,
                                                       std::span<const sqlite::Migration> steps) {
  auto database = Database::open(file);
  if (!database) return tl::unexpected(std::move(database.error()));
  auto ready = (*database)
                   ->script(kSetUp)
                   .and_then([&] { return check_whole(**database, file); })
                   .and_then([&] { return sqlite::migrate(**database, file, steps, kProgram); });
  if (!ready) return tl::unexpected(std::move(ready.error()));
  if (file.has_parent_path()) remove_left_copies(file.parent_path());
  return std::unique_ptr<SqliteStore>(new SqliteStore(std::move(*database)));
}

Result<void> SqliteStore::sync_commits(bool yes) {
  if (yes == commits_synced_ || database_->in_transaction()) return {};
  auto set = database_->script(yes ? "PRAGMA synchronous = FULL" : "PRAGMA synchronous = NORMAL");
  if (set) commits_synced_ = yes;
  return set;
}

// ---- Devices -----------------------------------------------------------------------------------

Result<std::optional<DeviceRecord>> SqliteStore::device(const DeviceId& id) {
  static const std::string sql = std::string(kDeviceColumns) + "WHERE id = ?1";
  std::optional<DeviceRecord> record;
  auto found = first(
      sql.c_str(), [&](const Row& row) { record = device_of(row); }, id.text());
  if (!found) return tl::unexpected(std::move(found.error()));
  return record;
}

Result<void> SqliteStore::enrol(const DeviceRecord& record) {
  return transaction([&] {
    auto ahead = drop_approval_ahead(record.id);
    if (!ahead) return Result<void>(tl::unexpected(std::move(ahead.error())));
    const bool approved = record.approved || *ahead;
    auto done = run_durably(
        "INSERT INTO devices (id, key, enrolled_in_clear, approved, ever_approved, name, board, "
        "firmware, address, first_contact, last_contact) "
        "VALUES (?1, ?2, ?3, ?4, ?4, ?5, ?6, ?7, ?8, ?9, ?10) ON CONFLICT (id) DO NOTHING",
        record.id.text(), std::span<const std::byte>(record.key.reveal()), record.enrolled_in_clear,
        approved, std::string_view(record.name), std::string_view(record.board),
        std::string_view(record.firmware), std::string_view(record.address),
        record.first_contact_wall_ms, record.last_contact_wall_ms);
    if (!done || !*ahead) return done;
    return set_approved(record.id, true);
  });
}

Result<void> SqliteStore::set_approved(const DeviceId& id, bool approved) {
  return run_durably(
      "UPDATE devices SET approved = ?2, ever_approved = max(ever_approved, ?2) WHERE id = ?1",
      id.text(), approved);
}

Result<void> SqliteStore::describe(const DeviceId& id, std::string_view name,
                                   std::string_view board, std::string_view firmware,
                                   std::string_view address, Millis wall_ms) {
  // A fleet that comes back as it was writes nothing: its contact is known to the minute.
  return run(
      "UPDATE devices SET name = ?2, board = ?3, firmware = ?4, address = ?5, last_contact = ?6 "
      "WHERE id = ?1 AND (name IS NOT ?2 OR board IS NOT ?3 OR firmware IS NOT ?4 "
      "OR address IS NOT ?5 OR last_contact NOT BETWEEN ?6 - ?7 AND ?6)",
      id.text(), name, board, firmware, address, wall_ms, kContactGrainMs);
}

Result<void> SqliteStore::touch(const DeviceId& id, Millis wall_ms) {
  return run("UPDATE devices SET last_contact = ?2 WHERE id = ?1", id.text(), wall_ms);
}

Result<bool> SqliteStore::forget(const DeviceId& id) {
  bool known = false;
  auto done = transaction([&]() -> Result<void> {
    for (const char* sql :
         {"DELETE FROM devices WHERE id = ?1", "DELETE FROM approvals_ahead WHERE device = ?1",
          "DELETE FROM codes WHERE device = ?1", "DELETE FROM questions WHERE device = ?1",
          "DELETE FROM waiting WHERE device = ?1", "DELETE FROM agent_values WHERE device = ?1",
          "DELETE FROM updates WHERE device = ?1", "DELETE FROM rolled_back WHERE device = ?1"}) {
      auto deleted = database_->run(sql, id.text());
      if (!deleted) return tl::unexpected(std::move(deleted.error()));
      known = known || *deleted > 0;
    }
    return {};
  });
  if (!done) return tl::unexpected(std::move(done.error()));
  return known;
}

Result<std::vector<DeviceId>> SqliteStore::ids(const char* sql, const auto& value) {
  std::vector<DeviceId> found;
  auto read = database_->each(
      sql,
      [&](const Row& row) {
        if (auto id = DeviceId::parse(row.text(0))) found.push_back(*id);
      },
      value);
  if (!read) return tl::unexpected(std::move(read.error()));
  return found;
}

Result<std::vector<DeviceId>> SqliteStore::never_approved_before(Millis wall_ms) {
  return ids("SELECT id FROM devices WHERE ever_approved = 0 AND last_contact < ?1", wall_ms);
}

Result<std::vector<DeviceRecord>> SqliteStore::devices() {
  static const std::string sql = std::string(kDeviceColumns) + "ORDER BY first_contact, id";
  std::vector<DeviceRecord> records;
  auto read =
      database_->each(sql.c_str(), [&](const Row& row) { records.push_back(device_of(row)); });
  if (!read) return tl::unexpected(std::move(read.error()));
  return records;
}

Result<std::vector<DeviceRecord>> SqliteStore::devices_after(const std::optional<DeviceId>& after,
                                                             std::size_t limit,
                                                             std::string_view name_key) {
  std::vector<DeviceRecord> records;
  auto read = database_->each(
      "SELECT id, key, enrolled_in_clear, approved, name, board, firmware, address, first_contact, "
      "last_contact, (SELECT value FROM agent_values WHERE device = id AND key = ?3) "
      "FROM devices WHERE id > ?1 ORDER BY id LIMIT ?2",
      [&](const Row& row) {
        records.push_back(device_of(row));
        if (auto given = row.text(10); !given.empty()) records.back().name = std::move(given);
      },
      after ? after->text() : std::string_view(), static_cast<std::int64_t>(limit), name_key);
  if (!read) return tl::unexpected(std::move(read.error()));
  return records;
}

Result<std::vector<DeviceId>> SqliteStore::devices_named(std::string_view name,
                                                         std::string_view name_key) {
  std::vector<DeviceId> found;
  auto read = database_->each(
      "SELECT device FROM agent_values WHERE key = ?2 AND value = CAST(?1 AS BLOB) "
      "UNION ALL SELECT id FROM devices WHERE name = ?1 AND NOT EXISTS "
      "(SELECT 1 FROM agent_values WHERE device = id AND key = ?2) LIMIT 2",
      [&](const Row& row) {
        if (auto id = DeviceId::parse(row.text(0))) found.push_back(*id);
      },
      name, name_key);
  if (!read) return tl::unexpected(std::move(read.error()));
  return found;
}

Result<std::int64_t> SqliteStore::device_count() {
  std::int64_t count = 0;
  auto read =
      first("SELECT count(*) FROM devices", [&](const Row& row) { count = row.integer(0); });
  if (!read) return tl::unexpected(std::move(read.error()));
  return count;
}

// ---- Approvals ahead, codes --------------------------------------------------------------------

Result<void> SqliteStore::approve_ahead(const DeviceId& id) {
  return run_durably("INSERT INTO approvals_ahead (device) VALUES (?1) ON CONFLICT DO NOTHING",
                     id.text());
}

Result<bool> SqliteStore::approved_ahead(const DeviceId& id) {
  return first(
      "SELECT 1 FROM approvals_ahead WHERE device = ?1", [](const Row&) {}, id.text());
}

Result<bool> SqliteStore::drop_approval_ahead(const DeviceId& id) {
  if (auto set = sync_commits(true); !set) return tl::unexpected(std::move(set.error()));
  auto deleted = database_->run("DELETE FROM approvals_ahead WHERE device = ?1", id.text());
  if (!deleted) return tl::unexpected(std::move(deleted.error()));
  return *deleted > 0;
}

Result<void> SqliteStore::put_code(const CodeRecord& code) {
  return run("INSERT OR REPLACE INTO codes (device, code, expires) VALUES (?1, ?2, ?3)",
             code.device.text(), std::string_view(code.code), code.expires_wall_ms);
}

Result<void> SqliteStore::drop_code(const DeviceId& device) {
  return run("DELETE FROM codes WHERE device = ?1", device.text());
}

Result<std::vector<CodeRecord>> SqliteStore::codes() {
  std::vector<CodeRecord> records;
  auto read = database_->each("SELECT device, code, expires FROM codes", [&](const Row& row) {
    if (auto id = DeviceId::parse(row.text(0))) {
      records.push_back({*id, row.text(1), row.integer(2)});
    }
  });
  if (!read) return tl::unexpected(std::move(read.error()));
  return records;
}

// ---- Questions, outbox -------------------------------------------------------------------------

Result<void> SqliteStore::put_question(const QuestionRecord& question) {
  return run(
      "INSERT INTO questions (id, device, title, text, expires) VALUES (?1, ?2, ?3, ?4, ?5) "
      "ON CONFLICT (id) DO UPDATE SET title = ?3, text = ?4, expires = ?5",
      std::string_view(question.id), question.device.text(), std::string_view(question.title),
      std::string_view(question.text), question.expires_wall_ms);
}

Result<void> SqliteStore::drop_question(std::string_view id) {
  return run("DELETE FROM questions WHERE id = ?1", id);
}

Result<std::vector<QuestionRecord>> SqliteStore::questions(const DeviceId& device) {
  std::vector<QuestionRecord> records;
  auto read = database_->each(
      "SELECT id, title, text, expires FROM questions WHERE device = ?1 ORDER BY number",
      [&](const Row& row) {
        records.push_back({row.text(0), device, row.text(1), row.text(2), row.integer(3)});
      },
      device.text());
  if (!read) return tl::unexpected(std::move(read.error()));
  return records;
}

Result<void> SqliteStore::put_waiting(const WaitingRecord& record) {
  return run(
      "INSERT INTO waiting (device, text, card_title, card_body, created, expires) "
      "VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
      record.device.text(), std::string_view(record.text), std::string_view(record.card_title),
      std::string_view(record.card_body), record.created_wall_ms, record.expires_wall_ms);
}

Result<void> SqliteStore::drop_waiting(std::int64_t row) {
  return run("DELETE FROM waiting WHERE number = ?1", row);
}

Result<std::vector<WaitingRecord>> SqliteStore::waiting(const DeviceId& device) {
  std::vector<WaitingRecord> records;
  auto read = database_->each(
      "SELECT number, text, card_title, card_body, created, expires FROM waiting "
      "WHERE device = ?1 ORDER BY number",
      [&](const Row& row) {
        records.push_back({row.integer(0), device, row.text(1), row.text(2), row.text(3),
                           row.integer(4), row.integer(5)});
      },
      device.text());
  if (!read) return tl::unexpected(std::move(read.error()));
  return records;
}

// ---- Values, settings, series ------------------------------------------------------------------

Result<void> SqliteStore::put_value(const DeviceId& device, std::string_view key,
                                    std::string_view value) {
  if (value.size() > kMaxValueBytes) {
    return fail(FailureCode::invalid_argument, "the value " + std::string(key) +
                                                   " is longer than " +
                                                   std::to_string(kMaxValueBytes) + " bytes");
  }
  return run_durably(
      "INSERT INTO agent_values (device, key, value) VALUES (?1, ?2, ?3) "
      "ON CONFLICT (device, key) DO UPDATE SET value = ?3",
      device.text(), key, std::as_bytes(std::span(value)));
}

Result<void> SqliteStore::drop_value(const DeviceId& device, std::string_view key) {
  return run_durably("DELETE FROM agent_values WHERE device = ?1 AND key = ?2", device.text(), key);
}

Result<std::optional<std::string>> SqliteStore::value(const DeviceId& device,
                                                      std::string_view key) {
  std::optional<std::string> value;
  auto read = first(
      "SELECT value FROM agent_values WHERE device = ?1 AND key = ?2",
      [&](const Row& row) { value = row.text(0); }, device.text(), key);
  if (!read) return tl::unexpected(std::move(read.error()));
  return value;
}

Result<std::vector<DeviceId>> SqliteStore::devices_with_value(std::string_view key) {
  return ids("SELECT device FROM agent_values WHERE key = ?1 ORDER BY device", key);
}

Result<void> SqliteStore::put_setting(std::string_view key, std::string_view value) {
  return run(
      "INSERT INTO settings (key, value) VALUES (?1, ?2) ON CONFLICT (key) DO UPDATE SET value = "
      "?2",
      key, value);
}

Result<std::optional<std::string>> SqliteStore::setting(std::string_view key) {
  std::optional<std::string> value;
  auto read = first(
      "SELECT value FROM settings WHERE key = ?1", [&](const Row& row) { value = row.text(0); },
      key);
  if (!read) return tl::unexpected(std::move(read.error()));
  return value;
}

Result<std::int64_t> SqliteStore::next_id(std::string_view name) {
  auto known = series_.find(name);
  if (known == series_.end()) {
    std::int64_t next = 1;
    auto read = first(
        "SELECT next FROM series WHERE name = ?1", [&](const Row& row) { next = row.integer(0); },
        name);
    if (!read) return tl::unexpected(std::move(read.error()));
    known = series_.emplace(std::string(name), Series{next, next}).first;
  }
  Series& series = known->second;
  if (series.next >= series.reserved_until) {
    const std::int64_t until = series.next + kIdsReservedAtOnce;
    auto reserved = run_durably(
        "INSERT INTO series (name, next) VALUES (?1, ?2) ON CONFLICT (name) DO UPDATE SET next = "
        "?2",
        name, until);
    if (!reserved) return tl::unexpected(std::move(reserved.error()));
    series.reserved_until = until;
  }
  return series.next++;
}

Result<std::unique_ptr<LiveBackup>> SqliteStore::begin_backup() {
  const std::filesystem::path file = database_->name();
  return hub::begin_backup(*database_, file.has_parent_path()
                                           ? file.parent_path()
                                           : std::filesystem::temp_directory_path());
}

Result<void> SqliteStore::transaction(const std::function<Result<void>()>& work) {
  if (database_->in_transaction()) return work();
  return sync_commits(true)
      .and_then([&] { return database_->script("BEGIN IMMEDIATE"); })
      .and_then(work)
      .and_then([&] { return database_->script("COMMIT"); })
      .map_error([&](Failure failure) {
        if (database_->in_transaction()) (void)database_->script("ROLLBACK");
        series_.clear();  // what was reserved inside is not on the disk: read it again
        return failure;
      });
}

}  // namespace gadget::hub
