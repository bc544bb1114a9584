// Binary messages: header, and the assembly of audio (E17). Input: repeated [length][message].
#include <cstdint>
#include <vector>

#include "protocol/audio_assembler.hpp"
#include "protocol/binary_frame.hpp"
#include "protocol/limits.hpp"

namespace p = gadget::protocol;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::uint32_t kRateHz = 16'000;
  p::AudioAssembler assembler(kRateHz);
  std::size_t taken = 0;
  std::size_t given = 0;
  for (std::size_t at = 0; at < size;) {
    const std::size_t length = std::min<std::size_t>(data[at], size - at - 1);
    std::vector<std::byte> message(length);
    for (std::size_t i = 0; i < length; ++i) message[i] = static_cast<std::byte>(data[at + 1 + i]);
    at += 1 + length;
    const auto frame = p::decode_frame(message);
    if (!frame) continue;
    std::vector<std::byte> header(p::kFrameHeaderBytes);
    p::encode_header(*frame, header);
    if (!std::equal(header.begin(), header.end(), message.begin())) __builtin_trap();
    const auto step = assembler.push(frame->sequence, frame->payload);
    if (step.silence_samples > kRateHz * p::kMaxGapFillMs / 1000) __builtin_trap();
    if (step.samples.size() % 2 != 0 || step.samples.size() > frame->payload.size())
      __builtin_trap();
    given += frame->payload.size();
    taken += step.samples.size() + (step.has_carried ? 2 : 0);
    if (taken > given) __builtin_trap();  // no sample comes from nowhere
  }
  assembler.finish();
  return 0;
}
