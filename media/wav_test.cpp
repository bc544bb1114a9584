#include "media/wav.hpp"

#include <bit>
#include <filesystem>
#include <limits>
#include <random>

#include <gtest/gtest.h>
#include <unistd.h>

namespace gadget::media {
namespace {

std::string le(std::uint64_t value, int count) {
  std::string out;
  for (int i = 0; i < count; ++i) out += static_cast<char>((value >> (8 * i)) & 0xFFU);
  return out;
}

std::string chunk(const std::string& id, const std::string& body) {
  return id + le(body.size(), 4) + body + (body.size() % 2 == 1 ? std::string(1, '\0') : "");
}

std::string format(unsigned codec, unsigned channels, unsigned rate, unsigned bits) {
  const unsigned frame = channels * bits / 8;
  return le(codec, 2) + le(channels, 2) + le(rate, 4) + le(std::uint64_t{rate} * frame, 4) +
         le(frame, 2) + le(bits, 2);
}

std::string extensible(unsigned codec, unsigned channels, unsigned rate, unsigned bits) {
  return format(0xFFFE, channels, rate, bits) + le(22, 2) + le(bits, 2) + le(3, 4) + le(codec, 2) +
         std::string("\x00\x00\x00\x00\x10\x00\x80\x00\x00\xAA\x00\x38\x9B\x71", 14);
}

std::string wav(const std::string& chunks) {
  return "RIFF" + le(chunks.size() + 4, 4) + "WAVE" + chunks;
}

std::string simple(const std::string& fmt, const std::string& data) {
  return wav(chunk("fmt ", fmt) + chunk("data", data));
}

std::vector<std::int16_t> samples_of(const std::string& bytes) {
  const auto recording = decode_wav(bytes);
  EXPECT_TRUE(recording) << recording.error().text;
  return recording ? recording->samples : std::vector<std::int16_t>{};
}

std::string refusal_of(const std::string& bytes) {
  const auto recording = decode_wav(bytes);
  EXPECT_FALSE(recording) << "was taken";
  if (recording) return {};
  EXPECT_EQ(recording.error().code, FailureCode::invalid_argument);
  EXPECT_FALSE(recording.error().hint.empty());
  return recording.error().text;
}

using Samples = std::vector<std::int16_t>;

TEST(Wav, WhatWasWrittenIsReadBack) {
  const Samples samples{0, 1, -1, 32767, -32768, 1234};
  const auto recording = decode_wav(encode_wav(samples, 16000));
  ASSERT_TRUE(recording);
  EXPECT_EQ(recording->rate_hz, 16000U);
  EXPECT_EQ(recording->samples, samples);
  EXPECT_EQ(samples_of(encode_wav({}, 8000)), Samples{});
}

TEST(Wav, EveryWidthComesOutAtTheSameLevel) {
  EXPECT_EQ(samples_of(simple(format(1, 1, 8000, 8), std::string("\x80\xC0\x00\xFF", 4))),
            (Samples{0, 16384, -32768, 32512}));
  EXPECT_EQ(samples_of(simple(format(1, 1, 8000, 24),
                              le(0x400000, 3) + le(0x800000, 3) + le(0x7FFFFF, 3))),
            (Samples{16384, -32768, 32767}));
  EXPECT_EQ(samples_of(simple(format(1, 1, 8000, 32), le(0x40000000, 4) + le(0x80000000, 4))),
            (Samples{16384, -32768}));
  const auto f32 = [](float value) { return le(std::bit_cast<std::uint32_t>(value), 4); };
  const auto f64 = [](double value) { return le(std::bit_cast<std::uint64_t>(value), 8); };
  EXPECT_EQ(
      samples_of(simple(format(3, 1, 8000, 32), f32(0.5F) + f32(-1.0F) + f32(1.0F) + f32(7.0F) +
                                                    f32(std::numeric_limits<float>::quiet_NaN()))),
      (Samples{16384, -32768, 32767, 32767, 0}));
  EXPECT_EQ(samples_of(simple(format(3, 1, 8000, 64), f64(0.5) + f64(-1.0))),
            (Samples{16384, -32768}));
}

TEST(Wav, ChannelsAreMixedByTheirMean) {
  const std::string stereo =
      le(100, 2) + le(300, 2) + le(0x7FFF, 2) + le(0x7FFF, 2) + le(0x8000, 2) + le(0x7FFF, 2);
  EXPECT_EQ(samples_of(simple(format(1, 2, 8000, 16), stereo)), (Samples{200, 32767, -1}));
  EXPECT_EQ(samples_of(simple(format(1, 3, 8000, 16), le(3, 2) + le(6, 2) + le(9, 2))),
            (Samples{6}));
}

TEST(Wav, ExtensibleHeadersAreRead) {
  EXPECT_EQ(samples_of(simple(extensible(1, 1, 48000, 16), le(77, 2))), (Samples{77}));
  EXPECT_EQ(
      samples_of(simple(extensible(3, 1, 48000, 32), le(std::bit_cast<std::uint32_t>(0.5F), 4))),
      (Samples{16384}));
  EXPECT_NE(refusal_of(simple(extensible(0x55, 1, 48000, 16), le(77, 2))).find("0x0055 (MP3)"),
            std::string::npos);
}

TEST(Wav, OddChunksAndUnknownOnesAreSkipped) {
  const std::string data = chunk("data", le(5, 2));
  EXPECT_EQ(samples_of(wav(chunk("LIST", "odd") + chunk("fmt ", format(1, 1, 8000, 16)) +
                           chunk("junk", "x") + data)),
            (Samples{5}));
  // An 8-bit recording with an odd number of samples whose last padding byte is missing.
  EXPECT_EQ(
      samples_of(wav(chunk("fmt ", format(1, 1, 8000, 8)) + "data" + le(3, 4) + "\x80\x80\x80"))
          .size(),
      3U);
}

TEST(Wav, StreamingHeadersMeanUntilTheEnd) {
  const std::string fmt = chunk("fmt ", format(1, 1, 8000, 16));
  const std::string four = le(1, 2) + le(2, 2) + le(3, 2) + le(4, 2);
  for (const std::uint32_t size : {0U, 0xFFFFFFFFU, 0x7FFFF000U}) {
    const std::string streamed = "RIFF" + le(size, 4) + "WAVE" + fmt + "data" + le(size, 4) + four;
    EXPECT_EQ(samples_of(streamed), (Samples{1, 2, 3, 4})) << size;
  }
  // A file that is whole and truly has no samples stays empty, whatever follows.
  EXPECT_EQ(samples_of(wav(fmt + chunk("data", "") + chunk("LIST", "abcd"))), Samples{});
  // Cut off in the middle of a sample: what is whole counts.
  EXPECT_EQ(samples_of(wav(fmt + "data" + le(100, 4) + le(9, 2) + "x")), (Samples{9}));
}

TEST(Wav, OtherFilesAreNamed) {
  EXPECT_EQ(refusal_of(""), "is empty; WAV is wanted");
  EXPECT_EQ(refusal_of("ID3\x04 music"), "is an MP3 file; WAV is wanted");
  EXPECT_EQ(refusal_of("\xFF\xFB\x90\x64"), "is an MP3 file; WAV is wanted");
  EXPECT_EQ(refusal_of("\xFF\xF1\x50\x80"), "is an AAC file; WAV is wanted");
  EXPECT_EQ(refusal_of("OggS....OpusHead"), "is an Ogg file (Vorbis or Opus); WAV is wanted");
  EXPECT_EQ(refusal_of("fLaC...."), "is a FLAC file; WAV is wanted");
  EXPECT_EQ(refusal_of("....ftypM4A "), "is an MP4 or M4A file; WAV is wanted");
  EXPECT_EQ(refusal_of("hello, this is text\n"), "is a text file; WAV is wanted");
  EXPECT_EQ(refusal_of(std::string("\x00\x01\x02\x03", 4)),
            "is not a sound file that is known here; WAV is wanted");
  EXPECT_EQ(refusal_of("RIFF....AVI LIST"),
            "is a RIFF file without WAVE in it (perhaps AVI); WAV is wanted");
}

TEST(Wav, DamagedAndForeignWavsAreExplained) {
  EXPECT_EQ(refusal_of(simple(format(0x55, 1, 8000, 16), "")),
            "is a WAV file with codec 0x0055 (MP3); PCM or float is wanted");
  EXPECT_EQ(refusal_of(simple(format(7, 1, 8000, 8), "")),
            "is a WAV file with codec 0x0007 (mu-law); PCM or float is wanted");
  EXPECT_NE(refusal_of(simple(format(1, 1, 8000, 12), "")).find("12-bit PCM"), std::string::npos);
  EXPECT_NE(refusal_of(simple(format(3, 1, 8000, 16), "")).find("16-bit float"), std::string::npos);
  EXPECT_NE(refusal_of(simple(format(1, 0, 8000, 16), "")).find("no channels"), std::string::npos);
  EXPECT_NE(refusal_of(simple(format(1, 1, 3999, 16), "")).find("3999 Hz"), std::string::npos);
  EXPECT_NE(refusal_of(simple(format(1, 1, 192001, 16), "")).find("192001 Hz"), std::string::npos);
  EXPECT_NE(refusal_of(wav(chunk("data", "xx"))).find("no format chunk"), std::string::npos);
  EXPECT_NE(refusal_of(wav(chunk("fmt ", format(1, 1, 8000, 16)))).find("without a data chunk"),
            std::string::npos);
  EXPECT_NE(refusal_of(wav(chunk("fmt ", "short"))).find("format chunk has 5 bytes"),
            std::string::npos);
  EXPECT_NE(refusal_of(wav("")).find("without a format chunk"), std::string::npos);
  std::string wrong_frame = format(1, 2, 8000, 16);
  wrong_frame[12] = 3;
  EXPECT_NE(refusal_of(simple(wrong_frame, "")).find("frames"), std::string::npos);
}

TEST(Wav, AFileBeyondTheLimitIsRefused) {
  EXPECT_NE(refusal_of(std::string(kMaxWavBytes + 1, 'x')).find("larger than 64 MB"),
            std::string::npos);
}

// Whatever is damaged, the reader stays inside the bytes (UBSan and ASan watch) and gives no more
// samples than bytes.
TEST(WavProperty, DamageNeverLeadsOutside) {
  std::mt19937 random(42);
  const std::string good = wav(chunk("LIST", "odd") + chunk("fmt ", extensible(1, 2, 44100, 24)) +
                               chunk("data", std::string(60, 'd')));
  int taken = 0;
  for (int round = 0; round < 20000; ++round) {
    std::string bytes = good.substr(0, random() % (good.size() + 1));
    for (unsigned flips = random() % 4; flips > 0 && !bytes.empty(); --flips) {
      bytes[random() % bytes.size()] = static_cast<char>(random());
    }
    const auto recording = decode_wav(bytes);
    if (recording) {
      ++taken;
      EXPECT_LE(recording->samples.size(), bytes.size());
    }
  }
  EXPECT_GT(taken, 100);  // else the damage never got past the header
}

TEST(Wav, FilesAreNamedInFailures) {
  const auto folder =
      std::filesystem::temp_directory_path() / ("gadget-wav-" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder);
  const auto path = folder / "a.wav";
  ASSERT_TRUE(write_wav(path, Samples{1, 2, 3}, 22050));
  const auto recording = read_wav(path);
  ASSERT_TRUE(recording);
  EXPECT_EQ(recording->samples, (Samples{1, 2, 3}));
  EXPECT_EQ(recording->rate_hz, 22050U);
  std::filesystem::resize_file(path, 20);
  EXPECT_TRUE(read_wav(path).error().text.starts_with(path.string() + " is a WAV file without"));
  EXPECT_EQ(read_wav(folder / "none.wav").error().code, FailureCode::not_found);
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace gadget::media
