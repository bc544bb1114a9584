#include "media/wav.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdio>
#include <optional>

#include "base/files.hpp"

namespace gadget::media {
namespace {

constexpr std::size_t kRiffHeaderBytes = 12;
constexpr std::size_t kChunkHeaderBytes = 8;
constexpr std::size_t kPlainFormatBytes = 16;
constexpr std::size_t kExtensibleFormatBytes = 40;
constexpr std::uint32_t kUnknownSize =
    0xFFFFFFFF;  // what streaming writers put for "until the end"

constexpr std::uint16_t kCodecPcm = 0x0001;
constexpr std::uint16_t kCodecFloat = 0x0003;
constexpr std::uint16_t kCodecExtensible = 0xFFFE;

// What follows the codec in the sub-format GUID of an extensible header.
constexpr std::string_view kExtensibleGuidTail{
    "\x00\x00\x00\x00\x10\x00\x80\x00\x00\xAA\x00\x38\x9B\x71", 14};

constexpr const char* kConvertHint =
    "convert it, for example: ffmpeg -i INPUT -ac 1 -ar 16000 -c:a pcm_s16le OUTPUT.wav";

// Little-endian unsigned integer of `count` bytes at `offset`. REQUIRES: it lies inside `bytes`.
std::uint64_t read_le(std::string_view bytes, std::size_t offset, std::size_t count) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < count; ++i) {
    value |= std::uint64_t{static_cast<unsigned char>(bytes[offset + i])} << (8 * i);
  }
  return value;
}

std::uint16_t read_u16(std::string_view bytes, std::size_t offset) {
  return static_cast<std::uint16_t>(read_le(bytes, offset, 2));
}

std::uint32_t read_u32(std::string_view bytes, std::size_t offset) {
  return static_cast<std::uint32_t>(read_le(bytes, offset, 4));
}

tl::unexpected<Failure> refuse(std::string text) {
  return fail(FailureCode::invalid_argument, std::move(text), kConvertHint);
}

bool has_at(std::string_view bytes, std::size_t offset, std::string_view tag) {
  return bytes.size() >= offset && bytes.substr(offset).starts_with(tag);
}

// What a file that does not start as a WAV does is, by its first bytes.
std::string_view describe_other(std::string_view bytes) {
  struct Signature {
    std::size_t offset;
    std::string_view tag;
    std::string_view what;
  };
  static constexpr std::array kSignatures{
      Signature{0, "ID3", "an MP3 file"},
      Signature{0, "OggS", "an Ogg file (Vorbis or Opus)"},
      Signature{0, "fLaC", "a FLAC file"},
      Signature{4, "ftyp", "an MP4 or M4A file"},
      Signature{0, "\x1A\x45\xDF\xA3", "a WebM or Matroska file"},
      Signature{0, "FORM", "an AIFF file"},
      Signature{0, ".snd", "an AU file"},
      Signature{0, "#!AMR", "an AMR file"},
      Signature{0, "caff", "a Core Audio file"},
      Signature{0, "wvpk", "a WavPack file"},
      Signature{0, "RIFX", "a big-endian WAV file (RIFX)"},
      Signature{0, "RF64", "a WAV file of more than 4 GB (RF64)"},
      Signature{0, "RIFF", "a RIFF file without WAVE in it (perhaps AVI)"},
      Signature{0, "\x89PNG", "a PNG image"},
      Signature{0, "\xFF\xD8\xFF", "a JPEG image"},
      Signature{0, "PK\x03\x04", "a ZIP file"},
      Signature{0, "%PDF", "a PDF file"},
  };
  for (const auto& [offset, tag, what] : kSignatures) {
    if (has_at(bytes, offset, tag)) return what;
  }
  // MPEG audio without a tag: 11 bits of sync, then a layer that is not 0 (layer 0 is AAC in ADTS).
  if (bytes.size() >= 2 && bytes[0] == '\xFF' &&
      (static_cast<unsigned char>(bytes[1]) & 0xE0U) == 0xE0U) {
    return (static_cast<unsigned char>(bytes[1]) & 0x06U) == 0 ? "an AAC file" : "an MP3 file";
  }
  const auto head = bytes.substr(0, 256);
  const bool text = std::all_of(head.begin(), head.end(), [](char c) {
    return c == '\n' || c == '\r' || c == '\t' || (c >= ' ' && c != '\x7F');
  });
  return text ? "a text file" : "not a sound file that is known here";
}

std::string describe_codec(std::uint16_t codec) {
  struct Codec {
    std::uint16_t id;
    std::string_view what;
  };
  static constexpr std::array kCodecs{
      Codec{0x0002, "Microsoft ADPCM"},
      Codec{0x0006, "A-law"},
      Codec{0x0007, "mu-law"},
      Codec{0x0011, "IMA ADPCM"},
      Codec{0x0031, "GSM"},
      Codec{0x0050, "MPEG"},
      Codec{0x0055, "MP3"},
      Codec{0x00FF, "AAC"},
      Codec{0x0161, "WMA"},
  };
  char hex[8];
  std::snprintf(hex, sizeof hex, "0x%04X", codec);
  std::string text = std::string("codec ") + hex;
  for (const auto& [id, what] : kCodecs) {
    if (id == codec) text += " (" + std::string(what) + ")";
  }
  return text;
}

struct Format {
  std::uint16_t codec = 0;
  std::uint16_t channels = 0;
  std::uint32_t rate_hz = 0;
  std::uint16_t bits = 0;  // of the container: 8, 16, 24, 32 or 64
};

Result<Format> parse_format(std::string_view chunk) {
  if (chunk.size() < kPlainFormatBytes) {
    return refuse("is a damaged WAV file: its format chunk has " + std::to_string(chunk.size()) +
                  " bytes, 16 are the least");
  }
  Format format{read_u16(chunk, 0), read_u16(chunk, 2), read_u32(chunk, 4), read_u16(chunk, 14)};
  if (format.codec == kCodecExtensible) {
    if (chunk.size() < kExtensibleFormatBytes) {
      return refuse("is a damaged WAV file: its extensible format chunk is cut short");
    }
    if (chunk.substr(26, kExtensibleGuidTail.size()) != kExtensibleGuidTail) {
      return refuse("is a WAV file with a private sub-format; PCM or float is wanted");
    }
    format.codec = read_u16(chunk, 24);
  }
  if (format.codec != kCodecPcm && format.codec != kCodecFloat) {
    return refuse("is a WAV file with " + describe_codec(format.codec) +
                  "; PCM or float is wanted");
  }
  const bool known_bits = format.codec == kCodecPcm ? format.bits == 8 || format.bits == 16 ||
                                                          format.bits == 24 || format.bits == 32
                                                    : format.bits == 32 || format.bits == 64;
  if (!known_bits) {
    return refuse("is a WAV file with " + std::to_string(format.bits) +
                  (format.codec == kCodecPcm ? "-bit PCM; 8, 16, 24 or 32 bits are wanted"
                                             : "-bit float; 32 or 64 bits are wanted"));
  }
  if (format.channels == 0) return refuse("is a damaged WAV file: it says it has no channels");
  if (format.rate_hz < kMinRateHz || format.rate_hz > kMaxRateHz) {
    return refuse("is a WAV file at " + std::to_string(format.rate_hz) +
                  " Hz; 4000 to 192000 Hz are wanted");
  }
  const std::size_t frame_bytes = std::size_t{format.channels} * format.bits / 8;
  if (read_u16(chunk, 12) != frame_bytes) {
    return refuse("is a damaged WAV file: its frames are said to have " +
                  std::to_string(read_u16(chunk, 12)) + " bytes, but " +
                  std::to_string(format.channels) + " channels of " + std::to_string(format.bits) +
                  " bits need " + std::to_string(frame_bytes));
  }
  return format;
}

// One sample in units of a 16-bit step, not yet rounded.
double decode_sample(std::string_view bytes, std::size_t offset, const Format& format) {
  constexpr double kFullScale = 32768.0;
  if (format.codec == kCodecFloat) {
    const double value = format.bits == 32 ? double{std::bit_cast<float>(read_u32(bytes, offset))}
                                           : std::bit_cast<double>(read_le(bytes, offset, 8));
    if (!std::isfinite(value)) return 0;
    return std::clamp(value, -1.0, 1.0) * kFullScale;
  }
  if (format.bits == 8) return (static_cast<unsigned char>(bytes[offset]) - 128) * 256.0;
  // Shifted to the top of 32 bits, the sign comes out right for every width.
  const auto raw = static_cast<std::uint32_t>(read_le(bytes, offset, format.bits / 8U));
  const auto value = static_cast<std::int32_t>(raw << (32U - format.bits));
  return value / 65536.0;
}

std::vector<std::int16_t> decode_samples(std::string_view data, const Format& format) {
  const std::size_t sample_bytes = format.bits / 8U;
  const std::size_t frames = data.size() / (sample_bytes * format.channels);
  std::vector<std::int16_t> samples(frames);
  std::size_t offset = 0;
  for (auto& sample : samples) {
    double sum = 0;
    for (unsigned channel = 0; channel < format.channels; ++channel, offset += sample_bytes) {
      sum += decode_sample(data, offset, format);
    }
    sample =
        static_cast<std::int16_t>(std::clamp(std::lround(sum / format.channels), -32768L, 32767L));
  }
  return samples;
}

// Whether a data chunk of size 0 means "until the end": only when the RIFF size does not account
// for the file either.
bool is_streaming_header(std::string_view bytes) {
  const std::uint32_t riff_size = read_u32(bytes, 4);
  return riff_size == kUnknownSize || std::size_t{riff_size} + kChunkHeaderBytes < bytes.size();
}

void append_le(std::string& out, std::uint32_t value, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) out += static_cast<char>((value >> (8 * i)) & 0xFFU);
}

}  // namespace

Result<Recording> decode_wav(std::string_view bytes) {
  if (bytes.size() > kMaxWavBytes) {
    return refuse("is larger than " + std::to_string(kMaxWavBytes >> 20) + " MB");
  }
  if (bytes.empty()) return refuse("is empty; WAV is wanted");
  if (bytes.size() < kRiffHeaderBytes || !bytes.starts_with("RIFF") || !has_at(bytes, 8, "WAVE")) {
    if (bytes.starts_with("RIFF") && bytes.size() < kRiffHeaderBytes) {
      return refuse("is a WAV file cut off within its header");
    }
    return refuse("is " + std::string(describe_other(bytes)) + "; WAV is wanted");
  }
  std::optional<Format> format;
  std::size_t at = kRiffHeaderBytes;
  while (bytes.size() - at >= kChunkHeaderBytes) {
    const std::string_view id = bytes.substr(at, 4);
    const std::uint32_t size = read_u32(bytes, at + 4);
    at += kChunkHeaderBytes;
    if (id == "data") {
      if (!format) return refuse("is a damaged WAV file: no format chunk before the data");
      const bool until_end = size == kUnknownSize || (size == 0 && is_streaming_header(bytes));
      const std::string_view data = bytes.substr(at, until_end ? std::string_view::npos : size);
      return Recording{format->rate_hz, decode_samples(data, *format)};
    }
    if (size > bytes.size() - at) break;
    if (id == "fmt " && !format) {
      auto parsed = parse_format(bytes.substr(at, size));
      if (!parsed) return tl::unexpected(parsed.error());
      format = *parsed;
    }
    // Chunks are padded to an even length; the last one's padding may be missing.
    at = std::min(bytes.size(), at + size + (size & 1U));
  }
  return refuse(format ? "is a WAV file without a data chunk (cut off?)"
                       : "is a WAV file without a format chunk (cut off?)");
}

Result<Recording> read_wav(const std::filesystem::path& path) {
  const auto bytes = files::read(path, kMaxWavBytes);
  if (!bytes) return tl::unexpected(bytes.error());
  auto recording = decode_wav(*bytes);
  if (!recording) {
    Failure failure = recording.error();
    failure.text = path.string() + " " + failure.text;
    return tl::unexpected(std::move(failure));
  }
  return recording;
}

std::string encode_wav(std::span<const std::int16_t> samples, std::uint32_t rate_hz) {
  constexpr std::uint32_t kSampleBytes = 2;
  const auto data_bytes = static_cast<std::uint32_t>(samples.size() * kSampleBytes);
  std::string out;
  out.reserve(kRiffHeaderBytes + 2 * kChunkHeaderBytes + kPlainFormatBytes + data_bytes);
  out += "RIFF";
  append_le(out,
            static_cast<std::uint32_t>(4 + 2 * kChunkHeaderBytes + kPlainFormatBytes) + data_bytes,
            4);
  out += "WAVEfmt ";
  append_le(out, kPlainFormatBytes, 4);
  append_le(out, kCodecPcm, 2);
  append_le(out, 1, 2);
  append_le(out, rate_hz, 4);
  append_le(out, rate_hz * kSampleBytes, 4);
  append_le(out, kSampleBytes, 2);
  append_le(out, 16, 2);
  out += "data";
  append_le(out, data_bytes, 4);
  for (const std::int16_t sample : samples) append_le(out, static_cast<std::uint16_t>(sample), 2);
  return out;
}

Result<void> write_wav(const std::filesystem::path& path, std::span<const std::int16_t> samples,
                       std::uint32_t rate_hz) {
  return files::write(path, encode_wav(samples, rate_hz));
}

}  // namespace gadget::media
