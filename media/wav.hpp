// wav.hpp - recordings in and out: WAV files as mono 16-bit samples, the only form of sound inside
// the house.
//
// Reads RIFF/WAVE with PCM of 8, 16, 24 and 32 bits and IEEE float of 32 and 64 bits, any number of
// channels (mixed to one by their mean), plain and WAVE_FORMAT_EXTENSIBLE headers, chunks of odd
// size, and the headers of programs that stream (data size 0, 0xFFFFFFFF, or beyond the end of the
// file: everything that is there counts).
//
// Stateless; safe from any thread. Errors are Failures (invalid_argument) that say what the input
// is and what is wanted: "is an MP3 file; WAV is wanted", "is a WAV file with codec 0x0055 (MP3);
// PCM or float is wanted". Source: issue 3, "Bad input".
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/failure.hpp"

namespace gadget::media {

// The largest WAV file that is read: 35 minutes at 16 kHz mono, 5 minutes of 48 kHz stereo at 24
// bits. Beyond: invalid_argument.
inline constexpr std::size_t kMaxWavBytes = std::size_t{64} << 20;

// The sample rates that are taken, Hz: what the resampler converts. Beyond: invalid_argument.
inline constexpr std::uint32_t kMinRateHz = 4'000;
inline constexpr std::uint32_t kMaxRateHz = 192'000;

struct Recording {
  std::uint32_t rate_hz = 0;
  std::vector<std::int16_t> samples;  // mono
};

// Decodes a whole file that is already in memory.
[[nodiscard]] Result<Recording> decode_wav(std::string_view bytes);

// Reads and decodes a file; failures name the path. Errors: also not_found, io.
[[nodiscard]] Result<Recording> read_wav(const std::filesystem::path& path);

// A complete mono 16-bit WAV file.
[[nodiscard]] std::string encode_wav(std::span<const std::int16_t> samples, std::uint32_t rate_hz);

// Encodes and replaces `path` at once. Errors: io.
[[nodiscard]] Result<void> write_wav(const std::filesystem::path& path,
                                     std::span<const std::int16_t> samples, std::uint32_t rate_hz);

}  // namespace gadget::media
