// wyoming.hpp - the framing of the Wyoming protocol, as the voice worker speaks it on its Unix
// socket.
//
//   one line of JSON {"type", "data"?, "data_length"?, "payload_length"?}, "\n", then data_length
//   bytes of JSON, then payload_length bytes.
//
// The other side is a process of ours, but the reader trusts nothing: every length is bounded, JSON
// is at most 16 deep. No I/O; not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/failure.hpp"

namespace gadget::speech {

inline constexpr std::size_t kMaxWyomingHeader = 8 * 1024;  // the line; ours are under 200 bytes
inline constexpr std::size_t kMaxWyomingData = 64 * 1024;   // the worker's `info` has 600
inline constexpr std::size_t kMaxWyomingPayload = 1024 * 1024;  // a chunk of audio: ours have 9,600

struct WyomingEvent {
  std::string type;
  std::string data;  // a JSON object, as text; "{}" when there is none
  std::string payload;
};

// The bytes of one event. `data` must be a JSON object or empty.
[[nodiscard]] std::string encode_wyoming(std::string_view type, std::string_view data = {},
                                         std::string_view payload = {});
// {"text": TEXT}
[[nodiscard]] std::string wyoming_text(std::string_view text);

class WyomingReader {
 public:
  // Takes bytes as they come. Memory: never more than one event's limits plus `bytes`.
  void push(std::string_view bytes);
  // The next complete event, nothing yet, or `corrupt`: then the stream is of no use any more.
  [[nodiscard]] Result<std::optional<WyomingEvent>> next();

 private:
  Result<void> read_header(std::string_view line);

  std::string buffer_;
  std::size_t used_ = 0;              // of buffer_, given out already
  std::optional<WyomingEvent> open_;  // its header was read
  std::size_t data_length_ = 0;
  std::size_t payload_length_ = 0;
};

struct WyomingAudio {
  std::uint32_t rate_hz = 0;
  std::uint32_t width = 0;  // bytes a sample
  std::uint32_t channels = 0;
};
// Of `audio-start` and `audio-chunk`. Errors: corrupt.
[[nodiscard]] Result<WyomingAudio> wyoming_audio(const WyomingEvent& event);
// Of `error`: its text, bounded.
[[nodiscard]] std::string wyoming_error(const WyomingEvent& event);

// For fuzz/: reads `data` as a stream, cut in chunks of a size that it gives itself.
int fuzz_wyoming(std::span<const std::uint8_t> data);

}  // namespace gadget::speech
