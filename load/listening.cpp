#include "load/listening.hpp"

#include <charconv>

#include "protocol/binary_frame.hpp"

namespace gadget::load {
namespace {

constexpr Micros kStartUs = 120 * kMilli;  // A5
constexpr Micros kMicrosOfTwoBytes = 62;   // 62.5 at 16 kHz; rounded down: the stricter way
constexpr Micros kHalfOfThem = 2;          // each second sample is half a microsecond longer

}  // namespace

bool PlayoutClock::add(std::size_t bytes, Micros now) {
  const auto samples = static_cast<Micros>(bytes / 2);
  const bool dry = began_ != 0 && now - began_ > received_;
  if (dry) *this = {};  // it waits for 120 ms again
  received_ += samples * kMicrosOfTwoBytes + samples / kHalfOfThem;
  if (began_ == 0 && received_ >= kStartUs) began_ = now;
  return dry;
}

void ListeningDevice::on_message(std::string_view type, std::string_view text) {
  if (type == "audio.start") {
    constexpr std::string_view kStream = "\"stream\":";
    const auto at = text.find(kStream);
    if (at == std::string_view::npos) return;
    std::from_chars(text.data() + at + kStream.size(), text.data() + text.size(), stream_);
    clock_.start();
  } else if (type == "audio.abort") {
    stream_ = 0;
    if (cancelled_us_ == 0) return;
    if (aborts_ != nullptr) aborts_->add(Loop::now_us() - cancelled_us_);
  } else if (type == "audio.end") {
    stream_ = 0;
  } else if (type == "turn.end") {
    if (cancelled_us_ != 0 && last_frames_ != nullptr) {
      last_frames_->add(last_frame_us_ == 0 ? 0 : last_frame_us_ - cancelled_us_);
    }
    cancelled_us_ = 0;
    ask();
  }
}

void ListeningDevice::on_frame(std::span<const std::byte> frame) {
  const auto decoded = protocol::decode_frame(frame);
  if (!decoded || decoded->channel != protocol::Channel::audio) return;
  const Micros now = Loop::now_us();
  // Also one that comes after audio.abort: it was written after the cancel.
  if (cancelled_us_ != 0) last_frame_us_ = now;
  if (decoded->stream != stream_) return;
  ++frames_;
  heard_ = true;
  if (clock_.add(decoded->payload.size(), now)) ++underruns_;
}

}  // namespace gadget::load
