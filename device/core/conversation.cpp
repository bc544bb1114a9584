#include "device/core/conversation.hpp"

#include "device/core/transitions.hpp"

namespace gadget::device {
namespace {

constexpr Transitions<TurnPhase, TurnMove, TurnPhase::answering, TurnMove::give_up> kTransitions;

}  // namespace

bool Conversation::step(TurnMove move) { return kTransitions.take(phase_, move); }

void Conversation::sent(Ticks now) {
  awaits_ = true;
  await_until_ = now + kAwaitTurnMs;
  if (!step(TurnMove::sent)) return;
  transcript_.clear();
  status_.clear();
  reply_.clear();
}

void Conversation::give_up() {
  if (step(TurnMove::give_up)) awaits_ = false;
}

void Conversation::start(const protocol::TurnStart& message) {
  const bool again = turn_.is(message.turn);
  if (!(again && has_turn())) {
    // What was heard may have come before its turn; a turn of its own accord has heard nothing.
    if (phase_ != TurnPhase::awaiting) transcript_.clear();
    status_.clear();
    reply_.clear();
    streaming_ = false;
    silenced_ = false;
  }
  turn_.set(message.turn);
  awaits_ = false;
  step(TurnMove::start);
}

bool Conversation::delta(const protocol::ReplyDelta& message) {
  if (!is_present(message.turn)) return false;
  reply_.set(message.text);
  streaming_ = true;
  step(TurnMove::text);
  return true;
}

bool Conversation::reply(const protocol::Reply& message) {
  // A reply of a turn that this connection never saw begin is shown all the same; one that is not
  // the present turn's is not.
  if (!is_present(message.turn) && has_turn()) return false;
  reply_.set(message.text);
  streaming_ = false;
  step(TurnMove::text);
  return true;
}

bool Conversation::end(Ticks now, const protocol::TurnEnd& message) {
  if (!has_turn() || message.turn != turn_.view()) return false;
  step(TurnMove::end);
  status_.clear();
  streaming_ = false;
  silenced_ = true;  // late sound of it stays silent
  if (awaits_ && !is_due(now, await_until_)) phase_ = *next(phase_, TurnMove::sent);
  return true;
}

bool Conversation::may_sound(const std::string_view& turn) const {
  if (turn.empty()) return !(silenced_ && has_turn());
  return !(silenced_ && turn_.is(turn));
}

void Conversation::tick(Ticks now) {
  if (awaits_ && is_due(now, await_until_)) {
    awaits_ = false;
    step(TurnMove::give_up);
  }
}

void Conversation::forget() {
  phase_ = TurnPhase::quiet;
  awaits_ = false;
  turn_.clear();
  silenced_ = false;
  streaming_ = false;
  transcript_.clear();
  status_.clear();
  reply_.clear();
}

}  // namespace gadget::device
