// WAV files of strangers (`sim` scripts, `make demo WAV=...`): a recording, or a failure that says
// something.
#include "media/wav.hpp"

#include <cstdint>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace gadget::media;
  const auto recording = decode_wav({reinterpret_cast<const char*>(data), size});
  if (!recording) {
    if (recording.error().text.empty()) __builtin_trap();
    return 0;
  }
  if (recording->rate_hz < kMinRateHz || recording->rate_hz > kMaxRateHz) __builtin_trap();
  if (recording->samples.size() > size) __builtin_trap();  // no sample comes from nowhere
  return 0;
}
