// What the store keeps of firmware updates (update_records.hpp).
#include "hub/store/sqlite_store.hpp"

namespace gadget::hub {
namespace {

using sqlite::Row;

constexpr std::string_view kUpdateColumns =
    "SELECT device, image, version, version_known, previous, size, phase, tries, forced, fleet, "
    "started, due, code, message FROM updates ";

// Nothing: a row that only another program can have written.
std::optional<UpdateRecord> update_of(const Row& row) {
  const auto device = DeviceId::parse(row.text(0));
  const auto phase = update_phase(row.text(6));
  if (!device || !phase) return std::nullopt;
  UpdateRecord record;
  record.device = *device;
  record.image = row.text(1);
  record.version = row.text(2);
  record.version_known = row.integer(3) != 0;
  record.previous = row.text(4);
  record.size_bytes = row.integer(5);
  record.phase = *phase;
  record.tries = row.integer(7);
  record.forced = row.integer(8) != 0;
  record.fleet = row.integer(9) != 0;
  record.started_wall_ms = row.integer(10);
  record.due_wall_ms = row.integer(11);
  record.code = row.text(12);
  record.message = row.text(13);
  return record;
}

FleetStage stage_of(std::string_view text) {
  for (const FleetStage stage : {FleetStage::canary, FleetStage::rolling, FleetStage::finished,
                                 FleetStage::halted, FleetStage::cancelled}) {
    if (name(stage) == text) return stage;
  }
  return FleetStage::halted;  // of another program: nothing goes on by itself
}

Result<std::vector<UpdateRecord>> read_updates(sqlite::Database& database, const char* sql) {
  std::vector<UpdateRecord> records;
  auto read = database.each(sql, [&](const Row& row) {
    if (auto record = update_of(row)) records.push_back(std::move(*record));
  });
  if (!read) return tl::unexpected(std::move(read.error()));
  return records;
}

}  // namespace

Result<void> SqliteStore::put_update(const UpdateRecord& update) {
  return run(
      "INSERT OR REPLACE INTO updates (device, image, version, version_known, previous, size, "
      "phase, open, tries, forced, fleet, started, due, code, message) "
      "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)",
      update.device.text(), std::string_view(update.image), std::string_view(update.version),
      update.version_known, std::string_view(update.previous), update.size_bytes,
      name(update.phase), is_open(update.phase), update.tries, update.forced, update.fleet,
      update.started_wall_ms, update.due_wall_ms, std::string_view(update.code),
      std::string_view(update.message));
}

Result<std::optional<UpdateRecord>> SqliteStore::update(const DeviceId& device) {
  static const std::string sql = std::string(kUpdateColumns) + "WHERE device = ?1";
  std::optional<UpdateRecord> record;
  auto read = first(
      sql.c_str(), [&](const Row& row) { record = update_of(row); }, device.text());
  if (!read) return tl::unexpected(std::move(read.error()));
  return record;
}

Result<std::vector<UpdateRecord>> SqliteStore::updates() {
  static const std::string sql = std::string(kUpdateColumns) + "ORDER BY started DESC, device";
  return read_updates(*database_, sql.c_str());
}

Result<std::vector<UpdateRecord>> SqliteStore::open_updates() {
  static const std::string sql = std::string(kUpdateColumns) + "WHERE open = 1 ORDER BY device";
  return read_updates(*database_, sql.c_str());
}

Result<void> SqliteStore::put_rolled_back(const DeviceId& device, std::string_view version,
                                          Millis wall_ms) {
  return run_durably(
      "INSERT OR REPLACE INTO rolled_back (device, version, wall_ms) VALUES (?1, ?2, ?3)",
      device.text(), version, wall_ms);
}

Result<void> SqliteStore::drop_rolled_back(const DeviceId& device, std::string_view version) {
  return run("DELETE FROM rolled_back WHERE device = ?1 AND version = ?2", device.text(), version);
}

Result<std::vector<std::string>> SqliteStore::rolled_back(const DeviceId& device) {
  std::vector<std::string> versions;
  auto read = database_->each(
      "SELECT version FROM rolled_back WHERE device = ?1 ORDER BY version",
      [&](const Row& row) { versions.push_back(row.text(0)); }, device.text());
  if (!read) return tl::unexpected(std::move(read.error()));
  return versions;
}

Result<void> SqliteStore::put_fleet(const FleetRecord& fleet) {
  return run(
      "INSERT OR REPLACE INTO fleet (number, image, version, board, stage, batch, stop_after, "
      "forced, total, installed, failed, started, reason) "
      "VALUES (1, ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)",
      std::string_view(fleet.image), std::string_view(fleet.version), std::string_view(fleet.board),
      name(fleet.stage), fleet.batch, fleet.stop_after_failures, fleet.forced, fleet.total,
      fleet.installed, fleet.failed, fleet.started_wall_ms, std::string_view(fleet.reason));
}

Result<std::optional<FleetRecord>> SqliteStore::fleet() {
  std::optional<FleetRecord> record;
  auto read = first(
      "SELECT image, version, board, stage, batch, stop_after, forced, total, installed, failed, "
      "started, reason FROM fleet",
      [&](const Row& row) {
        record = FleetRecord{.image = row.text(0),
                             .version = row.text(1),
                             .board = row.text(2),
                             .stage = stage_of(row.text(3)),
                             .batch = row.integer(4),
                             .stop_after_failures = row.integer(5),
                             .forced = row.integer(6) != 0,
                             .total = row.integer(7),
                             .installed = row.integer(8),
                             .failed = row.integer(9),
                             .started_wall_ms = row.integer(10),
                             .reason = row.text(11)};
      });
  if (!read) return tl::unexpected(std::move(read.error()));
  return record;
}

}  // namespace gadget::hub
