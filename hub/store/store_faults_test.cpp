// What the store does with a file that is damaged, newer, held, read-only, and with a hub that is
// killed.
#include <csignal>
#include <cstdio>
#include <fstream>

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/files.hpp"
#include "hub/store/sqlite_store.hpp"
#include "hub/store/store_test_support.hpp"

namespace gadget::hub {
namespace {

namespace fs = std::filesystem;
using testing::device_number;
using testing::TemporaryFolder;

unsigned mode_of(const fs::path& file) {
  struct stat status {};
  EXPECT_EQ(::stat(file.c_str(), &status), 0) << file;
  return status.st_mode & 0777U;
}

TEST(StoreFile, IsForThisUserOnlyWalIncluded) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "hub.db";
  std::ofstream(file).close();
  ASSERT_EQ(::chmod(file.c_str(), 0644), 0);
  auto store = Store::open(file);
  ASSERT_TRUE(store) << to_line(store.error());
  ASSERT_TRUE((*store)->enrol(device_number(1)));
  std::size_t files = 0;
  for (const auto& entry : fs::directory_iterator(folder.path())) {
    EXPECT_EQ(mode_of(entry.path()), 0600U) << entry.path();
    ++files;
  }
  EXPECT_GE(files, 2U);  // the WAL is there
}

TEST(StoreFile, HeldByAnotherHubIsSaid) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "hub.db";
  auto first = Store::open(file);
  ASSERT_TRUE(first);
  const auto second = Store::open(file);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, FailureCode::unavailable);
  EXPECT_NE(second.error().text.find("another hub"), std::string::npos);
  EXPECT_TRUE((*first)->enrol(device_number(1)));
}

TEST(StoreFile, DamagedIsReportedAndLeftAsItIs) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "hub.db";
  const std::string nonsense(5000, 'x');
  ASSERT_TRUE(files::write(file, nonsense, true));
  const auto opened = Store::open(file);
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code, FailureCode::corrupt);
  EXPECT_NE(opened.error().text.find(file.string()), std::string::npos);
  EXPECT_EQ(*files::read(file, 10'000), nonsense);
}

TEST(StoreFile, DamageInsideIsFoundWhenItIsOpened) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "hub.db";
  {
    auto store = SqliteStore::open(file);
    ASSERT_TRUE(store);
    ASSERT_TRUE((*store)->transaction([&]() -> Result<void> {
      for (std::uint32_t n = 0; n < 500; ++n) {
        if (auto done = (*store)->enrol(device_number(n)); !done) return done;
      }
      return {};
    }));
  }
  std::string content = *files::read(file, 10'000'000);
  ASSERT_GT(content.size(), 80'000U);
  for (std::size_t at = 65'536; at < 65'536 + 8'192; ++at) content[at] = '\x5a';
  ASSERT_TRUE(files::write(file, content, true));
  const auto opened = Store::open(file);
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code, FailureCode::corrupt);
  EXPECT_EQ(*files::read(file, 10'000'000), content);
}

TEST(StoreFile, InAFolderThatIsNoneIsSaid) {
  const auto opened = Store::open("/proc/nowhere/hub.db");
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code, FailureCode::io);
  EXPECT_NE(opened.error().text.find("/proc/nowhere/hub.db"), std::string::npos);
  EXPECT_FALSE(opened.error().hint.empty());
}

TEST(StoreFile, ANewerOneIsRefusedNamingTheProgramThatReadsIt) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "hub.db";
  {
    auto store = SqliteStore::open(file);
    ASSERT_TRUE(store);
    ASSERT_TRUE((*store)->database().script(
        "INSERT INTO migrations VALUES (99, 'hermes-gadget 7.8', 0); PRAGMA user_version = 99"));
  }
  const auto opened = Store::open(file);
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code, FailureCode::refused);
  EXPECT_NE(opened.error().text.find("version 99"), std::string::npos);
  EXPECT_NE(opened.error().hint.find("hermes-gadget 7.8"), std::string::npos);
}

std::vector<sqlite::Migration> with(const char* sql) {
  std::vector<sqlite::Migration> steps(sqlite::migrations().begin(), sqlite::migrations().end());
  steps.push_back({steps.back().to_version + 1, sql});
  return steps;
}

TEST(StoreMigration, KeepsACopyAndTheData) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "hub.db";
  { ASSERT_TRUE((*Store::open(file))->enrol(device_number(1))); }
  const std::string copy =
      file.string() + ".v" + std::to_string(sqlite::migrations().back().to_version);
  EXPECT_FALSE(fs::exists(copy));
  {
    auto migrated = SqliteStore::open(file, with("ALTER TABLE devices ADD COLUMN zone TEXT"));
    ASSERT_TRUE(migrated) << to_line(migrated.error());
    EXPECT_TRUE(*(*migrated)->device(device_number(1).id));
  }
  EXPECT_EQ(mode_of(copy), 0600U);
  auto old = Store::open(copy);
  ASSERT_TRUE(old) << to_line(old.error());
  EXPECT_TRUE(*(*old)->device(device_number(1).id));
}

TEST(StoreMigration, AStepThatFailsLeavesTheOldVersion) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "hub.db";
  { ASSERT_TRUE((*Store::open(file))->enrol(device_number(1))); }
  EXPECT_FALSE(SqliteStore::open(file, with("CREATE TABLE t (a); DROP TABLE no_such_table")));
  auto store = SqliteStore::open(file);
  ASSERT_TRUE(store) << to_line(store.error());
  EXPECT_TRUE(*(*store)->device(device_number(1).id));
  EXPECT_TRUE((*store)->database().script("CREATE TABLE t (a)"));  // nothing of the step is there
}

// Enrols devices for ever and prints each number once its key must survive.
[[noreturn]] void enrol_for_ever(const fs::path& file, int out) {
  auto store = Store::open(file);
  if (!store) ::_exit(1);
  for (std::uint32_t n = 0;; ++n) {
    if (!(*store)->enrol(device_number(n))) ::_exit(2);
    if (n % 3 == 0 && !(*store)->set_approved(device_number(n).id, true)) ::_exit(3);
    if (::write(out, &n, sizeof n) != static_cast<ssize_t>(sizeof n)) ::_exit(4);
  }
}

TEST(StoreDurability, H10_EveryEnrolmentThatReturnedIsThereAfterKill9) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "hub.db";
  int pipe_ends[2];
  ASSERT_EQ(::pipe(pipe_ends), 0);
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) enrol_for_ever(file, pipe_ends[1]);
  ::close(pipe_ends[1]);
  std::uint32_t last = 0;
  const auto read_one = [&] {
    return ::read(pipe_ends[0], &last, sizeof last) == static_cast<ssize_t>(sizeof last);
  };
  while (read_one() && last < 200) {
  }
  ASSERT_EQ(last, 200U);
  ASSERT_EQ(::kill(child, SIGKILL), 0);
  while (read_one()) {  // what it printed before it died counts too
  }
  ::close(pipe_ends[0]);
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status));
  auto store = Store::open(file);
  ASSERT_TRUE(store) << to_line(store.error());
  for (std::uint32_t n = 0; n <= last; ++n) {
    const auto record = (*store)->device(device_number(n).id);
    ASSERT_TRUE(record && *record) << n;
    ASSERT_TRUE(
        protocol::equal_constant_time((*record)->key.reveal(), device_number(n).key.reveal()));
    ASSERT_EQ((*record)->approved, n % 3 == 0) << n;
  }
}

}  // namespace
}  // namespace gadget::hub
