// `backup` and `restore`: the hub's store as one file to put away, and back.
#include <cstdio>

#include "base/files.hpp"
#include "cli/commands.hpp"
#include "cli/owner_options.hpp"
#include "cli/print.hpp"
#include "hub/server/daemon.hpp"
#include "hub/store/backup.hpp"

namespace gadget::cli {
namespace {

struct BackupArgs : OwnerArgs {
  std::string file;
  bool force = false;
};

// From the hub that runs, else from its file.
Result<std::string> backup_of(const BackupArgs& args) {
  auto answer = get_bytes(args, "/v1/backup");
  if (answer || answer.error().code != FailureCode::no_hub) return answer;
  return hub::back_up_file(args.folder() / hub::kStoreFileName);
}

int back_up(const BackupArgs& args) {
  std::error_code ignored;
  if (!args.force && std::filesystem::is_regular_file(args.file, ignored)) {
    return complain({FailureCode::refused, args.file + " is there already",
                     "choose another name, or give --force"});
  }
  const auto bytes = backup_of(args);
  if (!bytes) return complain(bytes.error());
  const auto written = files::write(args.file, *bytes, true);
  if (!written) return complain(written.error());
  if (args.json) {
    std::printf("%s\n", json_text({{"file", args.file}, {"size_bytes", bytes->size()}}).c_str());
  } else {
    std::printf("%s: %zu bytes. It holds the devices' keys: keep it as you keep a password.\n",
                args.file.c_str(), bytes->size());
  }
  return kDone;
}

int restore(const BackupArgs& args) {
  const auto bytes = files::read(args.file, hub::kMaxBackupBytes);
  if (!bytes) return complain(bytes.error());
  auto done = hub::restore_file(args.folder() / hub::kStoreFileName, *bytes);
  if (!done) {
    if (done.error().code == FailureCode::unavailable) {
      done.error().text = "a hub runs on " + args.folder().string();
      done.error().hint = "stop it first; then restore, then start it";
    }
    return complain(done.error());
  }
  const std::string aside = done->set_aside.string();
  if (args.json) {
    std::printf("%s\n", json_text({{"devices", done->devices}, {"set_aside", aside}}).c_str());
  } else {
    std::printf("%lld devices are restored.\n", static_cast<long long>(done->devices));
    if (!aside.empty()) std::printf("What was there before is in %s.\n", aside.c_str());
  }
  return kDone;
}

}  // namespace

void add_backup_commands(Command& root) {
  auto save = std::make_shared<BackupArgs>();
  Command backup = root.sub("backup", "Write keys, approvals, questions and lists into one file");
  backup.word("FILE", save->file, "where to; readable by you only");
  backup.flag("--force", save->force, "replace a file that is there");
  add_owner_options(backup, *save);
  backup.more(
      "The hub may go on running. Firmware images and speech models are not in it.\n"
      "\n"
      "  hermes-gadget backup gadget-$(date +%F).backup");
  backup.runs([save] { return back_up(*save); });

  auto load = std::make_shared<BackupArgs>();
  Command restores = root.sub("restore", "Put a backup in the place of what the hub knows");
  restores.word("FILE", load->file, "what `backup` wrote");
  add_owner_options(restores, *load);
  restores.more(
      "The hub must not run. What it knew is kept beside the new store, so that nothing is lost.\n"
      "\n"
      "  hermes-gadget restore gadget-2026-11-30.backup");
  restores.runs([load] { return restore(*load); });
}

}  // namespace gadget::cli
