// question.hpp - the yes/no question that shows (Q1-Q4, E35, E36).
//
// A press counts when it begins after the guard, so that a finger that was on its way answers
// nothing. Silence is never an answer. Sans-I/O; owned by Gadget.
#pragma once

#include <cstdint>
#include <optional>

#include "device/core/limits.hpp"
#include "device/core/text.hpp"
#include "protocol/messages.hpp"

namespace gadget::device {

enum class QuestionPhase : std::uint8_t { none, guarded, open };

enum class QuestionEvent : std::uint8_t {
  asked,
  guard_again,  // TALK was let go: the eyes were elsewhere
  guard_over,
  answered,
  closed,  // withdrawn, expired, forgotten
};

[[nodiscard]] constexpr std::optional<QuestionPhase> next(QuestionPhase phase,
                                                          QuestionEvent event) {
  using enum QuestionPhase;
  switch (event) {
    case QuestionEvent::asked: return guarded;
    case QuestionEvent::guard_again:
      if (phase != none) return guarded;
      break;
    case QuestionEvent::guard_over:
      if (phase == guarded) return open;
      break;
    case QuestionEvent::answered:
      if (phase == open) return none;
      break;
    case QuestionEvent::closed:
      if (phase != none) return none;
      break;
  }
  return std::nullopt;
}

class Question {
 public:
  // Shows it; one that shows is replaced and gets no answer (E36).
  void ask(Ticks now, const protocol::Prompt& prompt);
  // The guard starts afresh.
  void guard(Ticks now);
  // prompt.close. False: it is not the one that shows.
  bool close(const std::string_view& id);
  // It was answered with what presses may do now. REQUIRES: open().
  void answered();
  void forget();
  // True when it just expired.
  bool tick(Ticks now);

  [[nodiscard]] QuestionPhase phase() const { return phase_; }
  [[nodiscard]] bool shows() const { return phase_ != QuestionPhase::none; }
  [[nodiscard]] bool open() const { return phase_ == QuestionPhase::open; }
  [[nodiscard]] std::string_view id() const { return id_.view(); }
  [[nodiscard]] std::string_view title() const { return title_.view(); }
  [[nodiscard]] std::string_view text() const { return text_.view(); }
  // Milliseconds until it expires, and in all; 0: it does not.
  [[nodiscard]] Ticks left_ms(Ticks now) const;
  [[nodiscard]] Ticks ttl_ms() const { return ttl_ms_; }

 private:
  bool step(QuestionEvent event);

  QuestionPhase phase_ = QuestionPhase::none;
  Ticks guard_until_ = 0;
  Ticks asked_at_ = 0;
  Ticks ttl_ms_ = kForever;
  FixedText<kPromptIdBytes> id_;
  FixedText<kTitleBytes> title_;
  FixedText<kQuestionBytes> text_;
};

}  // namespace gadget::device
