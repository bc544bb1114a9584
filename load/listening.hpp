// listening.hpp - a device that asks for speech again and again, and checks by a clock of its own
// that it never runs dry. Shared by downlink, cancel, hostile and soak.
#pragma once

#include "load/scenario.hpp"

namespace gadget::load {

// The buffer of a device as A5 describes it: starts at 120 ms, plays at 16 kHz, in microseconds of
// sound.
class PlayoutClock {
 public:
  void start() { *this = {}; }
  // A frame came. True: the sound had run out before it did.
  bool add(std::size_t bytes, Micros now);
  [[nodiscard]] bool playing() const { return began_ != 0; }

 private:
  Micros received_ = 0;
  Micros began_ = 0;
};

class ListeningDevice : public CountedDevice {
 public:
  ListeningDevice(Loop& loop, std::size_t index, Tally& tally)
      : CountedDevice(loop, index, tally, {.speaker = true}) {}

  // Also by itself when it is online, and when an answer has ended.
  void ask() {
    if (welcomed()) say("please say it");
  }
  // Times count from here; of its audio only what comes now.
  void cancel_now() {
    cancelled_us_ = Loop::now_us();
    last_frame_us_ = 0;
    cancel();
  }
  void forget_counts() { underruns_ = frames_ = 0; }
  [[nodiscard]] std::uint64_t underruns() const { return underruns_; }
  [[nodiscard]] std::uint64_t frames() const { return frames_; }
  [[nodiscard]] bool heard() const { return heard_; }  // anything, ever
  [[nodiscard]] bool hears() const { return stream_ != 0; }
  void collect(Times* last_frames, Times* aborts) {
    last_frames_ = last_frames;
    aborts_ = aborts;
  }

 protected:
  void on_message(std::string_view type, std::string_view text) override;
  void on_frame(std::span<const std::byte> frame) override;
  void on_online() override { ask(); }
  void on_offline(std::uint16_t, std::string_view, HttpStatus) override { stream_ = 0; }

 private:
  PlayoutClock clock_;
  int stream_ = 0;
  bool heard_ = false;
  std::uint64_t underruns_ = 0, frames_ = 0;
  Micros cancelled_us_ = 0, last_frame_us_ = 0;
  Times* last_frames_ = nullptr;
  Times* aborts_ = nullptr;
};

}  // namespace gadget::load
