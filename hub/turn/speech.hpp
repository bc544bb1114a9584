// speech.hpp - the spoken part of a turn: sentences to the synthesizer, its samples to the device's
// rate (A3), those in paced frames to the link (A1, A4, E28).
//
// The next sentence is synthesized while the one before plays; how far ahead is bounded. One object
// speaks on one connection, as one stream: when the connection is gone, so is it. Silencing is
// final. Sans-I/O; one owner: its Turn.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "hub/connection/connection.hpp"
#include "hub/core/context.hpp"
#include "hub/turn/pacer.hpp"
#include "hub/turn/spoken_audio.hpp"

namespace gadget::hub {

enum class SpeechPhase : std::uint8_t {
  quiet,    // no frame was written yet
  playing,  // `audio.start` was written
  ended,    // all was written and `audio.end` with it; or there was nothing to say
  silenced,
};
enum class SpeechEvent : std::uint8_t { opened, drained, silenced };

[[nodiscard]] constexpr std::optional<SpeechPhase> next(SpeechPhase phase, SpeechEvent event) {
  using enum SpeechPhase;
  if (phase == ended || phase == silenced) return std::nullopt;
  switch (event) {
    case SpeechEvent::opened: return phase == quiet ? std::optional(playing) : std::nullopt;
    case SpeechEvent::drained: return ended;
    case SpeechEvent::silenced: return silenced;
  }
  return std::nullopt;
}

class SpeechHost {
 public:
  virtual ~SpeechHost() = default;
  enum class Mark : std::uint8_t { asked, first_samples, first_frame };
  virtual void speech_mark(Mark mark) = 0;
  // Everything was written, or it was silenced after finish(). May destroy the Speech after the
  // call.
  virtual void speech_ended() = 0;
};

class Speech : public std::enable_shared_from_this<Speech> {
 public:
  // REQUIRES: a connection whose device has a speaker. `not_before`: when the device has played
  // what it got before, so that its end is not cut off (A6).
  Speech(Context& context, SpeechHost& host, Connection& connection, std::string turn,
         Millis not_before);

  void say(std::string sentence);
  void audio(std::span<const std::int16_t> samples, std::uint32_t rate_hz);  // an agent that speaks
  void finish();  // nothing more is to be said; speech_ended() follows
  // While the person speaks nothing begins (A5).
  void hold(bool held);
  // For good: within this call the last frame is out (E21). `connected`: the device is told.
  void silence(bool connected);

  [[nodiscard]] SpeechPhase phase() const { return phase_; }
  [[nodiscard]] bool over() const {
    return phase_ == SpeechPhase::ended || phase_ == SpeechPhase::silenced;
  }
  // When the device has played all that was written.
  [[nodiscard]] Millis played_by() const;

 private:
  // One sentence in the synthesizer. The callbacks find it by a weak pointer.
  struct Piece {
    std::unique_ptr<speech::SynthesizerSession> session;
  };

  void move(SpeechEvent event);
  void begin_piece();
  void piece_audio(std::vector<std::int16_t> samples, std::uint32_t rate_hz);
  void piece_done(const Result<void>& result);
  void add(std::vector<std::int16_t> samples, std::uint32_t rate_hz);
  void end_piece();
  void watch();
  void pump();
  void convert();
  void open();
  void write_due();
  [[nodiscard]] Millis waiting_ms() const;
  void write(std::span<const std::int16_t> samples);
  void set_timer();

  Context& context_;
  SpeechHost& host_;
  Connection& connection_;
  std::string turn_;
  SpeechPhase phase_ = SpeechPhase::quiet;
  std::deque<std::string> sentences_;
  std::size_t chars_ = 0;         // taken so far, bounded
  std::shared_ptr<Piece> piece_;  // being synthesized
  SpokenAudio waiting_;
  Pacer pacer_;
  bool complete_ = false;
  bool held_ = false;
  bool marked_samples_ = false;
  Millis not_before_;
  std::uint8_t stream_ = 0;
  std::uint16_t sequence_ = 0;
  Timer timer_;
  Timer stall_;
};

}  // namespace gadget::hub
