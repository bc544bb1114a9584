// files.hpp - small, safe file operations that every command needs, and where things live (XDG).
//
// Safe from any thread. Errors are Failures whose text names the path.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

#include "base/failure.hpp"

namespace gadget::files {

// The whole file, at most `limit_bytes` (beyond: invalid_argument). Errors: not_found, io.
[[nodiscard]] Result<std::string> read(const std::filesystem::path& path, std::size_t limit_bytes);

// Replaces `path` (what a link points to) at once: written beside it, synced, renamed. Never half
// written. Mode 0600 when `secret`. A device or a pipe is written to, not replaced.
[[nodiscard]] Result<void> write(const std::filesystem::path& path, std::string_view content,
                                 bool secret = false);

// Makes `path` (and its parents) a folder that only this user may enter (0700) and checks that it
// can be written.
[[nodiscard]] Result<void> make_private_folder(const std::filesystem::path& path);

// $XDG_STATE_HOME/hermes-gadget, or ~/.local/state/hermes-gadget: keys, approvals, lists.
[[nodiscard]] std::filesystem::path default_state_folder();

// Of the hub that the machine runs for all (packaging/hermes-gadget.service).
inline constexpr const char* kMachineStateFolder = "/var/lib/hermes-gadget";

// $XDG_CACHE_HOME/hermes-gadget, or ~/.cache/hermes-gadget: speech models and runtimes.
[[nodiscard]] std::filesystem::path default_cache_folder();

// $XDG_CONFIG_HOME/hermes-gadget/hub.toml, or ~/.config/hermes-gadget/hub.toml.
[[nodiscard]] std::filesystem::path default_config_file();

}  // namespace gadget::files
