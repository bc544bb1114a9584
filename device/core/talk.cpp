#include "device/core/talk.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>

#include "protocol/audio_assembler.hpp"
#include "protocol/binary_frame.hpp"
#include "protocol/codec.hpp"
#include "protocol/decimal.hpp"
#include "protocol/limits.hpp"

namespace gadget::device {
namespace {

constexpr std::size_t kControlBytes = 192;  // audio.start, audio.end, audio.cancel

bool send_any(Link& link, const protocol::MessageInfo& info, const void* message) {
  std::array<char, kControlBytes> room;  // NOLINT: filled below
  const auto text = protocol::write_message(info, message, room);
  return text && link.send_text(*text);
}

template <class Message>
bool send(Link& link, const Message& message) {
  return send_any(link, protocol::info_of<Message>(), &message);
}

}  // namespace

std::string_view reason(Talk::End end) {
  // In the order of Talk::End.
  static constexpr std::array kReasons{"", "", "too_short", "no_speech", "cancelled", "lost"};
  static_assert(kReasons.size() == static_cast<std::size_t>(Talk::End::lost) + 1);
  return kReasons[static_cast<std::size_t>(end)];
}

// Never inlined: near to `this` its members are cheaper (of an ARM).
[[gnu::noinline]] Talk::Talk(std::span<std::byte> frame, std::uint32_t rate_hz)
    : frame_(frame),
      rate_hz_(rate_hz),
      frame_samples_(std::min<std::size_t>(
          rate_hz * static_cast<std::uint32_t>(protocol::kAudioFrameMs) / 1'000,
          (frame.size() - std::min(frame.size(), protocol::kFrameHeaderBytes)) / 2)),
      ear_(rate_hz) {}

std::string_view Talk::id(std::span<char> room) const {
  protocol::DecimalRoom digits;
  const auto number = protocol::decimal(number_, digits);
  room[0] = 'u';
  std::copy(number.begin(), number.end(), room.begin() + 1);
  return {room.data(), number.size() + 1};
}

bool Talk::begin(Link& link, bool tapped) {
  const auto to = next(phase_, TalkEvent::press);
  if (!to || frame_samples_ == 0) return false;
  ++number_;
  sequence_ = 0;
  filled_ = 0;
  samples_ = 0;
  unsent_samples_ = 0;
  std::array<char, 16> room;  // NOLINT: filled below
  if (!send(link, protocol::UtteranceStart{.id = id(room),
                                           .stream = number_ & 0xFFU,
                                           .rate_hz = rate_hz_,
                                           .format = "pcm16",
                                           .mode = tapped ? "tap" : "hold"})) {
    return false;
  }
  tapped_ = tapped;
  ear_.begin();
  phase_ = *to;
  return true;
}

Talk::End Talk::feed(Link& link, std::span<const std::int16_t> samples) {
  if (!recording()) return End::none;
  constexpr std::uint32_t kMaxUtteranceS = kMaxUtteranceMs / 1'000;
  const std::uint32_t most = rate_hz_ * kMaxUtteranceS;
  samples = samples.first(std::min<std::size_t>(samples.size(), most - samples_));
  samples_ += static_cast<std::uint32_t>(samples.size());
  if (tapped_) (void)ear_.feed(samples);
  std::int32_t peak = 0;
  for (const std::int16_t sample : samples) peak = std::max(peak, std::abs(std::int32_t{sample}));
  level_ = static_cast<std::uint8_t>(std::min<std::int32_t>(255, peak >> 7));
  while (!samples.empty()) {
    const std::size_t size = std::min(samples.size(), frame_samples_ - filled_);
    const std::size_t at = protocol::kFrameHeaderBytes + 2 * filled_;
    protocol::encode_samples(samples.first(size), frame_.subspan(at, 2 * size));
    samples = samples.subspan(size);
    filled_ += size;
    if (filled_ == frame_samples_) send_frame(link);
  }
  constexpr std::uint32_t kMaxLostAudioS = kMaxLostAudioMs / 1'000;
  if (unsent_samples_ > rate_hz_ * kMaxLostAudioS) {
    return cancel(link, End::lost);
  }
  if (tapped_ && ear_.phase() == SpeechPhase::nothing) return cancel(link, End::no_speech);
  if (samples_ >= most || (tapped_ && ear_.phase() == SpeechPhase::ended)) return release(link);
  return End::none;
}

void Talk::send_frame(Link& link) {
  const auto message = frame_.first(protocol::kFrameHeaderBytes + 2 * filled_);
  protocol::encode_header({.channel = protocol::Channel::audio,
                           .stream = static_cast<std::uint8_t>(number_ & 0xFFU),
                           .sequence = sequence_,
                           .payload = {}},
                          message);
  // The number goes on when the link is full: the hub fills the gap with silence (E17), and what
  // follows stays in time.
  ++sequence_;
  if (!link.send_binary(message)) {
    ++counters_.unsent_frames;
    unsent_samples_ += static_cast<std::uint32_t>(filled_);
  }
  filled_ = 0;
}

Talk::End Talk::release(Link& link) {
  if (!recording()) return End::none;
  if (recorded_ms() < protocol::kMinUtteranceDeviceMs) return cancel(link, End::too_short);
  if (filled_ > 0) send_frame(link);
  phase_ = *next(phase_, TalkEvent::release);
  level_ = 0;
  std::array<char, 16> room;  // NOLINT: filled below
  protocol::DecimalRoom digits;
  const auto duration = protocol::decimal(static_cast<std::uint64_t>(recorded_ms()), digits);
  if (!send(link, protocol::UtteranceEnd{
                      .id = id(room), .stream = number_ & 0xFFU, .duration_ms = {duration}})) {
    ++counters_.cancelled;
    return End::lost;
  }
  ++counters_.utterances;
  return End::sent;
}

Talk::End Talk::cancel(Link& link, End why) {
  if (!recording()) return End::none;
  phase_ = *next(phase_, why == End::lost ? TalkEvent::lost : TalkEvent::cancel);
  level_ = 0;
  ++counters_.cancelled;
  std::array<char, 16> room;  // NOLINT: filled below
  // A link that does not take it is about to be gone, and the utterance with it.
  (void)send(link, protocol::UtteranceCancel{
                       .id = id(room), .stream = number_ & 0xFFU, .reason = reason(why)});
  return why;
}

void Talk::drop() {
  if (!recording()) return;
  phase_ = *next(phase_, TalkEvent::lost);
  level_ = 0;
  ++counters_.cancelled;
}

}  // namespace gadget::device
