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
  switch (end) {
    case Talk::End::too_short: return "too_short";
    case Talk::End::cancelled: return "cancelled";
    case Talk::End::lost: return "lost";
    default: return {};
  }
}

Talk::Talk(std::span<std::byte> frame, std::uint32_t rate_hz)
    : frame_(frame),
      rate_hz_(rate_hz),
      frame_samples_(std::min<std::size_t>(
          rate_hz * static_cast<std::uint32_t>(protocol::kAudioFrameMs) / 1'000,
          (frame.size() - std::min(frame.size(), protocol::kFrameHeaderBytes)) / 2)) {}

std::string_view Talk::id(std::span<char> room) const {
  protocol::DecimalRoom digits;
  const auto number = protocol::decimal(number_, digits);
  room[0] = 'u';
  std::copy(number.begin(), number.end(), room.begin() + 1);
  return {room.data(), number.size() + 1};
}

bool Talk::begin(Link& link) {
  const auto to = next(phase_, TalkEvent::press);
  if (!to || frame_samples_ == 0) return false;
  ++number_;
  sequence_ = 0;
  filled_ = 0;
  samples_ = 0;
  unsent_samples_ = 0;
  std::array<char, 16> room{};
  if (!send(link, protocol::UtteranceStart{.id = id(room),
                                           .stream = number_ & 0xFFU,
                                           .rate_hz = rate_hz_,
                                           .format = "pcm16",
                                           .mode = "hold"})) {
    return false;
  }
  phase_ = *to;
  return true;
}

bool Talk::feed(Link& link, std::span<const std::int16_t> samples) {
  if (!recording()) return true;
  std::int32_t peak = 0;
  for (const std::int16_t sample : samples) {
    peak = std::max(peak, std::abs(std::int32_t{sample}));
    const std::size_t at = protocol::kFrameHeaderBytes + 2 * filled_;
    protocol::encode_samples({&sample, 1}, frame_.subspan(at, 2));
    ++samples_;
    if (++filled_ == frame_samples_) send_frame(link);
  }
  level_ = static_cast<std::uint8_t>(std::min<std::int32_t>(255, peak >> 7));
  if (unsent_samples_ * 1'000 / rate_hz_ <= static_cast<std::uint64_t>(kMaxLostAudioMs))
    return true;
  cancel(link, End::lost);
  return false;
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
    unsent_samples_ += filled_;
  }
  filled_ = 0;
}

Talk::End Talk::release(Link& link) {
  if (!recording()) return End::none;
  if (recorded_ms() < protocol::kMinUtteranceDeviceMs) return cancel(link, End::too_short);
  if (filled_ > 0) send_frame(link);
  phase_ = *next(phase_, TalkEvent::release);
  level_ = 0;
  std::array<char, 16> room{};
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
  std::array<char, 16> room{};
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
