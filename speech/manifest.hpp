// manifest.hpp - what `speech install` left in a profile's folder, and whether it is still all
// there.
//
//   SPEECH/PROFILE/manifest.json   written last, so a folder that has one is complete
//                  lib/            sherpa-onnx and its onnxruntime
//                  model/          encoder.onnx decoder.onnx (or .ort) tokens.txt
//                  detector/       silero_vad.onnx
//                  voice/          packages of the voice worker (full only)
//                  include/        the C header of lib/, for check_layout.py
//                  licences/       one folder a component
//
// Safe from any thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/failure.hpp"

namespace gadget::speech {

// The layout above. An installation of another version is no installation: `speech install`
// replaces it.
inline constexpr int kManifestVersion = 1;
inline constexpr std::size_t kMaxManifestBytes = 4U << 20;

struct InstalledFile {
  std::string path;  // relative to the profile's folder
  std::uint64_t size = 0;
  std::string sha256;  // hex
};

struct InstalledLicence {
  std::string component;  // "sherpa-onnx 2.0.1"
  std::string licence;    // "Apache-2.0"
  std::string path;       // relative
};

struct Manifest {
  std::string profile;
  std::string pins;    // sha256 of the pins that it was made from
  std::string python;  // absolute path of the interpreter that voice/ is for; "" without a voice
  std::vector<InstalledFile> files;
  std::vector<InstalledLicence> licences;
  [[nodiscard]] std::uint64_t total_bytes() const;
};

// Errors: not_found when nothing is installed, corrupt (damaged, or another version).
[[nodiscard]] Result<Manifest> read_manifest(const std::filesystem::path& folder);

enum class Depth { sizes, contents };
// The first file that is missing or damaged is named. `contents` reads everything: 0.3 s for the
// full profile.
[[nodiscard]] Result<void> verify(const std::filesystem::path& folder, const Manifest& manifest,
                                  Depth depth, std::string_view below = {});

// Hex. Errors: not_found, io.
[[nodiscard]] Result<std::string> sha256_of_file(const std::filesystem::path& path);
[[nodiscard]] std::string sha256_of(std::string_view bytes);

}  // namespace gadget::speech
