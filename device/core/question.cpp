#include "device/core/question.hpp"

#include "device/core/transitions.hpp"

namespace gadget::device {
namespace {

constexpr Transitions<QuestionPhase, QuestionEvent, QuestionPhase::open, QuestionEvent::closed>
    kTransitions;

}  // namespace

bool Question::step(QuestionEvent event) { return kTransitions.take(phase_, event); }

void Question::ask(Ticks now, const protocol::Prompt& prompt) {
  step(QuestionEvent::asked);
  guard_until_ = now + kQuestionGuardMs;
  asked_at_ = now;
  ttl_ms_ = static_cast<Ticks>(protocol::ttl_ms(prompt.ttl_s, kForever));
  id_.set(prompt.id);
  title_.set(prompt.title);
  text_.set(prompt.text);
}

void Question::guard(Ticks now) {
  if (step(QuestionEvent::guard_again)) guard_until_ = now + kQuestionGuardMs;
}

bool Question::close(const std::string_view& id) {
  if (!shows() || !id_.is(id)) return false;
  return step(QuestionEvent::closed);
}

void Question::answered() { step(QuestionEvent::answered); }

void Question::forget() { step(QuestionEvent::closed); }

bool Question::tick(Ticks now) {
  if (is_due(now, guard_until_)) step(QuestionEvent::guard_over);
  if (!shows() || ttl_ms_ == kForever || now - asked_at_ < ttl_ms_) return false;
  return step(QuestionEvent::closed);
}

Ticks Question::left_ms(Ticks now) const {
  if (ttl_ms_ == kForever) return 0;
  const Ticks age = now - asked_at_;
  return age < ttl_ms_ ? ttl_ms_ - age : 0;
}

}  // namespace gadget::device
