#include "device/core/question.hpp"

namespace gadget::device {

bool Question::step(QuestionEvent event) {
  const auto to = next(phase_, event);
  if (!to) return false;
  phase_ = *to;
  return true;
}

void Question::ask(Millis now, const protocol::Prompt& prompt) {
  step(QuestionEvent::asked);
  guard_until_ = now + kQuestionGuardMs;
  asked_at_ = now;
  ttl_ms_ = protocol::ttl_ms(prompt.ttl_s, kForever);
  id_.set(prompt.id);
  title_.set(prompt.title);
  text_.set(prompt.text);
}

void Question::guard(Millis now) {
  if (step(QuestionEvent::guard_again)) guard_until_ = now + kQuestionGuardMs;
}

bool Question::close(std::string_view id) {
  if (!shows() || id != id_.view()) return false;
  return step(QuestionEvent::closed);
}

void Question::answered() { step(QuestionEvent::answered); }

void Question::forget() { step(QuestionEvent::closed); }

bool Question::tick(Millis now) {
  if (now >= guard_until_) step(QuestionEvent::guard_over);
  if (!shows() || ttl_ms_ == kForever || now - asked_at_ < ttl_ms_) return false;
  return step(QuestionEvent::closed);
}

Millis Question::left_ms(Millis now) const {
  if (ttl_ms_ == kForever) return 0;
  return asked_at_ + ttl_ms_ - now;
}

}  // namespace gadget::device
