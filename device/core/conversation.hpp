// conversation.hpp - one turn at a time, as the person sees it: what was heard, what is being done,
// what is answered (R1-R6, E31).
//
// A turn is named by its id. What comes for another than the present one is of an earlier
// generation and is dropped. Sans-I/O; owned by Gadget.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "device/core/limits.hpp"
#include "device/core/text.hpp"
#include "protocol/messages.hpp"

namespace gadget::device {

enum class TurnPhase : std::uint8_t {
  quiet,
  awaiting,   // something was sent, its turn has not begun
  working,    // a turn, no text yet
  answering,  // a turn with text
};

enum class TurnMove : std::uint8_t { sent, start, text, end, give_up };

[[nodiscard]] constexpr std::optional<TurnPhase> next(TurnPhase phase, TurnMove move) {
  using enum TurnPhase;
  switch (move) {
    case TurnMove::sent:
      if (phase == quiet) return awaiting;
      break;
    case TurnMove::start: return working;  // a new one replaces (E41: it may begin again)
    case TurnMove::text:
      if (phase == working) return answering;
      break;
    case TurnMove::end:
      if (phase == working || phase == answering) return quiet;
      break;
    case TurnMove::give_up:
      if (phase == awaiting) return quiet;
      break;
  }
  return std::nullopt;
}

class Conversation {
 public:
  explicit Conversation(std::span<char> reply_room) : reply_(reply_room) {}

  // The person said something: what was shown goes.
  void sent(Ticks now);
  // A notice while nothing else came of what was sent: it will not be answered.
  void give_up();

  void start(const protocol::TurnStart& message);
  // These return whether they counted.
  bool delta(const protocol::ReplyDelta& message);
  bool reply(const protocol::Reply& message);
  bool end(Ticks now, const protocol::TurnEnd& message);
  void transcript(std::string_view text) { transcript_.set(text); }
  void status(std::string_view text) { status_.set(text); }

  // The present turn makes no sound any more: it was cancelled, or talked over (E21, E42).
  void silence() { silenced_ = has_turn(); }
  // Whether speech of `turn` may be played. Empty: the hub did not say.
  [[nodiscard]] bool may_sound(const std::string_view& turn) const;

  void tick(Ticks now);
  // Nothing of an earlier connection survives (E31); nor of an earlier conversation (C8).
  void forget();

  [[nodiscard]] TurnPhase phase() const { return phase_; }
  [[nodiscard]] bool has_turn() const {
    return phase_ == TurnPhase::working || phase_ == TurnPhase::answering;
  }
  [[nodiscard]] std::string_view turn() const { return turn_.view(); }
  [[nodiscard]] std::string_view transcript() const { return transcript_.view(); }
  [[nodiscard]] std::string_view status() const { return status_.view(); }
  [[nodiscard]] std::string_view reply() const { return reply_.view(); }
  // The text still grows.
  [[nodiscard]] bool streaming() const { return streaming_; }

 private:
  bool step(TurnMove move);
  // A text without a turn counts always, one of a turn only while that turn is the present one.
  [[nodiscard]] bool is_present(const std::string_view& turn) const {
    return turn.empty() || (has_turn() && turn_.is(turn));
  }

  TurnPhase phase_ = TurnPhase::quiet;
  Ticks await_until_ = 0;
  FixedText<kTurnIdBytes> turn_;
  bool awaits_ = false;  // something that was sent has no turn yet, until await_until_
  bool silenced_ = false;
  bool streaming_ = false;
  FixedText<kTranscriptBytes> transcript_;
  FixedText<kStatusBytes> status_;
  BorrowedText reply_;
};

}  // namespace gadget::device
