// sqlite_store.hpp - the Store on one SQLite file. Private to hub/store; others use store.hpp.
//
// Keys, approvals, agents' values and id series are synced to the disk before a call returns
// (synchronous=FULL); the rest reaches the WAL and survives a crash of the hub, not a power cut.
#pragma once

#include <map>

#include "hub/store/schema.hpp"
#include "hub/store/sqlite.hpp"
#include "hub/store/store.hpp"

namespace gadget::hub {

// How many ids one durable write reserves. After a crash what was reserved and not used is skipped.
inline constexpr std::int64_t kIdsReservedAtOnce = 64;
// The longest value of an agent (AgentHost::remember). Beyond: invalid_argument.
inline constexpr std::size_t kMaxValueBytes = 64 * 1024;

class SqliteStore final : public Store {
 public:
  [[nodiscard]] static Result<std::unique_ptr<SqliteStore>> open(
      const std::filesystem::path& file,
      std::span<const sqlite::Migration> steps = sqlite::migrations());

  Result<std::optional<DeviceRecord>> device(const DeviceId& id) override;
  Result<void> enrol(const DeviceRecord& record) override;
  Result<void> set_approved(const DeviceId& id, bool approved) override;
  Result<void> describe(const DeviceId& id, std::string_view name, std::string_view board,
                        std::string_view firmware, std::string_view address,
                        Millis wall_ms) override;
  Result<void> touch(const DeviceId& id, Millis wall_ms) override;
  Result<bool> forget(const DeviceId& id) override;
  Result<std::vector<DeviceId>> never_approved_before(Millis wall_ms) override;
  Result<std::vector<DeviceRecord>> devices() override;
  Result<std::vector<DeviceRecord>> devices_after(const std::optional<DeviceId>& after,
                                                  std::size_t limit,
                                                  std::string_view name_key) override;
  Result<std::vector<DeviceId>> devices_named(std::string_view name,
                                              std::string_view name_key) override;
  Result<std::int64_t> device_count() override;

  Result<void> approve_ahead(const DeviceId& id) override;
  Result<bool> approved_ahead(const DeviceId& id) override;
  Result<bool> drop_approval_ahead(const DeviceId& id) override;

  Result<void> put_code(const CodeRecord& code) override;
  Result<void> drop_code(const DeviceId& device) override;
  Result<std::vector<CodeRecord>> codes() override;

  Result<void> put_question(const QuestionRecord& question) override;
  Result<void> drop_question(std::string_view id) override;
  Result<std::vector<QuestionRecord>> questions(const DeviceId& device) override;

  Result<void> put_waiting(const WaitingRecord& record) override;
  Result<void> drop_waiting(std::int64_t row) override;
  Result<std::vector<WaitingRecord>> waiting(const DeviceId& device) override;

  Result<void> put_value(const DeviceId& device, std::string_view key,
                         std::string_view value) override;
  Result<void> drop_value(const DeviceId& device, std::string_view key) override;
  Result<std::optional<std::string>> value(const DeviceId& device, std::string_view key) override;
  Result<std::vector<DeviceId>> devices_with_value(std::string_view key) override;

  Result<void> put_update(const UpdateRecord& update) override;
  Result<std::optional<UpdateRecord>> update(const DeviceId& device) override;
  Result<std::vector<UpdateRecord>> updates() override;
  Result<std::vector<UpdateRecord>> open_updates() override;
  Result<void> put_rolled_back(const DeviceId& device, std::string_view version,
                               Millis wall_ms) override;
  Result<void> drop_rolled_back(const DeviceId& device, std::string_view version) override;
  Result<std::vector<std::string>> rolled_back(const DeviceId& device) override;
  Result<void> put_fleet(const FleetRecord& fleet) override;
  Result<std::optional<FleetRecord>> fleet() override;

  Result<void> put_setting(std::string_view key, std::string_view value) override;
  Result<std::optional<std::string>> setting(std::string_view key) override;

  Result<std::int64_t> next_id(std::string_view series) override;
  [[nodiscard]] Result<std::unique_ptr<LiveBackup>> begin_backup() override;
  Result<void> transaction(const std::function<Result<void>()>& work) override;

  [[nodiscard]] sqlite::Database& database() { return *database_; }  // for tests

 private:
  struct Series {
    std::int64_t next = 0;
    std::int64_t reserved_until = 0;  // exclusive
  };

  explicit SqliteStore(std::unique_ptr<sqlite::Database> database)
      : database_(std::move(database)) {}

  // Makes commits durable, or not, from now on. Inside a transaction it stays as that began.
  Result<void> sync_commits(bool yes);

  // One statement whose effect is on the disk when this returns.
  template <class... Values>
  Result<void> run_durably(const char* sql, const Values&... values) {
    return run_synced(true, sql, values...);
  }
  template <class... Values>
  Result<void> run(const char* sql, const Values&... values) {
    return run_synced(false, sql, values...);
  }
  template <class... Values>
  Result<void> run_synced(bool durable, const char* sql, const Values&... values) {
    if (auto set = sync_commits(durable); !set) return set;
    auto done = database_->run(sql, values...);
    if (!done) return tl::unexpected(std::move(done.error()));
    return {};
  }
  template <class Take, class... Values>
  Result<bool> first(const char* sql, Take take, const Values&... values) {
    bool found = false;
    auto read = database_->each(
        sql,
        [&](const sqlite::Row& row) {
          take(row);
          found = true;
        },
        values...);
    if (!read) return tl::unexpected(std::move(read.error()));
    return found;
  }
  Result<std::vector<DeviceId>> ids(const char* sql, const auto& value);

  std::unique_ptr<sqlite::Database> database_;
  bool commits_synced_ = true;
  std::map<std::string, Series, std::less<>> series_;
};

}  // namespace gadget::hub
