#include "hub/turn/turn.hpp"

#include <algorithm>

#include "hub/core/limits.hpp"
#include "hub/core/phrases.hpp"
#include "hub/turn/conversation.hpp"
#include "hub/twin/twin.hpp"
#include "protocol/utf8.hpp"

namespace gadget::hub {
namespace {

bool blank(std::string_view text) {
  return text.find_first_not_of(" \t\r\n") == std::string_view::npos;
}

void cut(std::string& text) {
  if (text.size() <= limits::kMaxReplyBytes) return;
  text = std::string(protocol::cut_bytes(text, limits::kMaxReplyBytes));
}

std::size_t common_prefix(std::string_view a, std::string_view b) {
  const auto end = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
  return static_cast<std::size_t>(end.first - a.begin());
}

TurnPhase first_phase(const Context& context, const Message& message) {
  const bool recognize =
      message.kind == Message::Kind::spoken && !context.agent->flags().takes_audio;
  return recognize ? TurnPhase::recognizing : TurnPhase::answering;
}

}  // namespace

std::string_view name(TurnOutcome outcome) {
  switch (outcome) {
    case TurnOutcome::success: return "success";
    case TurnOutcome::failure: return "failure";
    case TurnOutcome::cancelled: return "cancelled";
  }
  return "failure";
}

std::string_view name(Message::Kind kind) {
  switch (kind) {
    case Message::Kind::typed: return "typed";
    case Message::Kind::spoken: return "spoken";
    case Message::Kind::event: return "event";
    case Message::Kind::announcement: return "announcement";
  }
  return "typed";
}

Turn::Turn(Context& context, Conversation& conversation, std::string id, Message message)
    : context_(context),
      conversation_(&conversation),
      id_(std::move(id)),
      message_(std::move(message)),
      phase_(first_phase(context, message_)) {}

bool Turn::move(TurnEvent event) {
  const auto phase = next(phase_, event);
  if (phase) phase_ = *phase;
  return phase.has_value();
}

Connection* Turn::outlet() const {
  return conversation_ != nullptr ? conversation_->twin().outlet() : nullptr;
}

// ---- Its course ----

void Turn::begin() {
  marks_[static_cast<std::size_t>(Mark::end_of_speech)] =
      message_.heard ? message_.heard->end_of_speech_ms : message_.received_ms;
  if (message_.heard) marks_[static_cast<std::size_t>(Mark::finish)] = message_.heard->finish_ms;
  away_since_ = context_.now();
  announce();
  open_speech();
  if (announcement()) return make_announcement();
  if (phase_ == TurnPhase::answering) return start_agent();
  if (context_.parts.recognizer == nullptr) {
    move(TurnEvent::understood);
    return end(TurnOutcome::failure, std::string(phrases::kNoRecognizer));
  }
  if (message_.heard->text) return recognized();
  message_.heard->ready = [weak = weak_from_this()] {
    if (const auto self = weak.lock()) self->recognized();
  };
  stall_.set(context_.scheduler, context_.now() + limits::kRecognizerStallMs, [this] {
    message_.heard->text = fail(FailureCode::timeout, "the recognizer gave no result");
    recognized();
  });
}

void Turn::announce() {
  Connection* const connection = outlet();
  if (connection == nullptr) return;
  announced_on_ = connection->id();
  connection->send(protocol::TurnStart{.turn = id_});
}

void Turn::recognized() {
  if (phase_ != TurnPhase::recognizing) return;
  stall_.clear();
  const Result<std::string>& text = *message_.heard->text;
  if (message_.heard->recognized_ms == 0) message_.heard->recognized_ms = context_.now();
  marks_[static_cast<std::size_t>(Mark::recognized)] = message_.heard->recognized_ms;
  if (!text) {
    context_.log(LogFact::Level::error, "recognizer.failed",
                 {{"turn", id_}, {"text", text.error().text}});
    conversation_->clear_partial();
    move(TurnEvent::understood);
    return end(TurnOutcome::failure, std::string(phrases::kRecognitionFailed));
  }
  if (blank(*text)) {
    conversation_->clear_partial();
    if (Connection* const connection = outlet()) connection->notice(phrases::kHeardNothing);
    outcome_ = TurnOutcome::cancelled;
    move(TurnEvent::heard_nothing);
    return finish();
  }
  heard_text_ = *text;
  if (Connection* const connection = outlet()) {
    const std::string shaped = plain(heard_text_, connection->caps().charset());
    connection->send_fitting(protocol::Transcript{.text = shaped}, &protocol::Transcript::text);
  }
  conversation_->clear_partial();
  move(TurnEvent::understood);
  start_agent();
}

void Turn::start_agent() {
  AgentRequest request{.turn = id_,
                       .device = conversation_->twin().id(),
                       .source = AgentRequest::Source::typed,
                       .text = message_.text,
                       .event_name = message_.event_name,
                       .rate_hz = 0};
  if (message_.kind == Message::Kind::event) request.source = AgentRequest::Source::event;
  if (message_.heard) {
    request.source = AgentRequest::Source::spoken;
    request.text = heard_text_;
    request.rate_hz = message_.heard->rate_hz;
  }
  mark(Mark::handed_on);
  std::unique_ptr<AgentRun> run =
      context_.agent->start(std::move(request), conversation_->twin().view(), shared_from_this());
  if (phase_ == TurnPhase::answering) {
    run_ = std::move(run);
    if (run_ && context_.agent->flags().takes_audio && message_.heard) feed_audio(*run_);
    return;
  }
  context_.bury(std::shared_ptr<AgentRun>(std::move(run)));  // it answered at once
}

bool Turn::agent_speaks() const {
  return context_.agent->flags().speaks && (run_ == nullptr || run_->speaks());
}

void Turn::feed_audio(AgentRun& run) {
  const auto heard = std::move(message_.heard);
  for (const auto& piece : heard->audio) {
    if (!working()) return;
    run.audio(piece);
  }
  if (working()) run.audio_end();
}

void Turn::make_announcement() {
  Connection* const connection = outlet();
  const bool has_card = !message_.card_title.empty() || !message_.card_body.empty();
  if (connection != nullptr && has_card) {
    conversation_->twin().send_card(*connection, message_.card_title, message_.card_body,
                                    limits::kCardTtlMs);
  }
  final(message_.text);
  end(TurnOutcome::success, {});
}

// ---- The connection comes and goes (E41) ----

void Turn::connected() {
  if (phase_ == TurnPhase::ended) return;
  announce();
  Connection* const connection = outlet();
  if (connection == nullptr) return;
  if (!heard_text_.empty()) {
    const std::string shaped = plain(heard_text_, connection->caps().charset());
    connection->send_fitting(protocol::Transcript{.text = shaped}, &protocol::Transcript::text);
  }
  if (has_reply_) send_reply(reply_, false);
  if (phase_ == TurnPhase::kept) {
    move(TurnEvent::found);
    return finish();
  }
  if (!has_reply_ && !newest_.empty()) send_delta();
  open_speech();
}

void Turn::disconnected() {
  if (phase_ == TurnPhase::ended) return;
  away_since_ = context_.now();
  delta_timer_.clear();
  const bool complete = move(TurnEvent::lost);  // before its speech ends, which would end the turn
  if (const auto speech = std::exchange(speech_, nullptr)) {
    speech->silence(false);
    context_.bury(speech);
  }
  if (complete) keep();
}

void Turn::keep() {
  stall_.set(context_.scheduler, away_since_ + limits::kTurnAwayMs, [this] {
    if (!move(TurnEvent::expired)) return;
    conversation_->expired(*this);
    finish();
  });
}

// ---- Speech ----

void Turn::open_speech() {
  Connection* const connection = outlet();
  const bool can_speak = context_.parts.synthesizer != nullptr || context_.agent->flags().speaks;
  if (connection == nullptr || !connection->caps().speaker || !can_speak) return;  // H5
  if (!voice_allowed_ || !context_.options.speak_replies) return;
  speech_ = std::make_shared<Speech>(context_, static_cast<SpeechHost&>(*this), *connection, id_,
                                     conversation_->speaker_free_at());
  if (conversation_->person_speaks()) speech_->hold(true);
}

void Turn::hold_speech(bool held) {
  if (speech_) speech_->hold(held);
  if (!held) end_when_spoken();
}

bool Turn::barge_in() {
  if (!speech_ || speech_->phase() != SpeechPhase::playing) return false;
  voice_allowed_ = false;
  speech_->silence(true);
  return true;
}

void Turn::say(const std::vector<std::string>& sentences) {
  for (const std::string& sentence : sentences) {
    if (speech_) speech_->say(sentence);
  }
}

void Turn::speak_final(const std::string& text) {
  if (!speech_) return;
  if (!spoken_) spoken_.emplace();
  const std::size_t said = common_prefix(text, spoken_source_);
  auto sentences = spoken_->push(std::string_view(text).substr(said));
  const auto rest = spoken_->finish();
  sentences.insert(sentences.end(), rest.begin(), rest.end());
  spoken_.reset();
  spoken_source_.clear();
  if (!agent_speaks() || announcement()) say(sentences);
}

void Turn::speech_ended() { end_when_spoken(); }

void Turn::end_when_spoken() {
  if (phase_ != TurnPhase::speaking || (speech_ && !speech_->over())) return;
  // E42: what the person says now may yet cancel this turn.
  if (!voice_allowed_ && conversation_->person_speaks()) return;
  move(TurnEvent::spoken);
  finish();
}

// ---- The agent's sink ----

void Turn::status(std::string text) {
  Connection* const connection = outlet();
  if (!working() || connection == nullptr) return;
  const std::string shaped = plain(text, connection->caps().charset());
  connection->send_fitting(protocol::Status{.text = shaped}, &protocol::Status::text);
}

void Turn::delta(std::string cumulative) {
  if (!working()) return;
  mark(Mark::first_text);
  cut(cumulative);
  newest_ = std::move(cumulative);
  if (!spoken_) spoken_.emplace();
  if (newest_.starts_with(spoken_source_) && !agent_speaks()) {
    say(spoken_->push(std::string_view(newest_).substr(spoken_source_.size())));
    spoken_source_ = newest_;
  }
  send_delta();
}

void Turn::send_delta() {
  Connection* const connection = outlet();
  if (!working() || newest_.empty() || connection == nullptr) return;
  const Millis now = context_.now();
  Millis due = conversation_->delta_sent_ms + limits::kDeltaIntervalMs;
  if (connection->waiting_bytes() > limits::kDeltaLinkBytes) {
    due = std::max(due, now + limits::kDeltaIntervalMs);
  }
  if (now < due) {
    if (!delta_timer_.is_set()) {
      delta_timer_.set(context_.scheduler, due, [this] { send_delta(); });
    }
    return;
  }
  conversation_->delta_sent_ms = now;
  const std::string shaped = screen(newest_, connection->caps().charset());
  connection->send_fitting(protocol::ReplyDelta{.turn = id_, .text = shaped},
                           &protocol::ReplyDelta::text, Link::Kind::delta);
}

void Turn::interim(std::string text) {
  if (!working()) return;
  cut(text);
  send_reply(text, true);
}

void Turn::final(std::string text) {
  if (!working() || blank(text)) return;
  mark(Mark::first_text);
  mark(Mark::final_text);
  cut(text);
  delta_timer_.clear();
  newest_.clear();
  reply_ = std::move(text);
  has_reply_ = true;
  send_reply(reply_, false);
  speak_final(reply_);
}

void Turn::send_reply(std::string_view text, bool interim) {
  Connection* const connection = outlet();
  if (connection == nullptr) return;
  const std::string shaped = screen(text, connection->caps().charset());
  connection->send_fitting(protocol::Reply{.turn = id_, .text = shaped, .interim = interim},
                           &protocol::Reply::text);
}

void Turn::audio(std::vector<std::int16_t> samples, std::uint32_t rate_hz) {
  if (!working() || !speech_) return;
  mark(Mark::voice);
  speech_->audio(samples, rate_hz);
}

void Turn::card(std::string title, std::string body, Millis ttl_ms) {
  Connection* const connection = outlet();
  if (!working() || connection == nullptr) return;
  conversation_->twin().send_card(*connection, title, body, ttl_ms);
}

void Turn::question(QuestionSpec question, std::function<void(QuestionOutcome)> answered) {
  if (!working()) return;
  // The run that asked is gone when the turn is over: it is not called then.
  auto guarded = [weak = weak_from_this(), answered](QuestionOutcome outcome) {
    const auto self = weak.lock();
    if (self && self->working()) answered(outcome);
  };
  const auto asked = conversation_->twin().questions().ask(std::move(question), id_, guarded);
  if (!asked) answered(QuestionOutcome::withdrawn);
}

void Turn::call_action(std::string name, std::string args_json,
                       std::function<void(Result<std::string>)> done) {
  if (!working()) return;
  conversation_->twin().actions().call(name, args_json,
                                       [weak = weak_from_this(), done](Result<std::string> result) {
                                         const auto self = weak.lock();
                                         if (self && self->working()) done(std::move(result));
                                       });
}

void Turn::end(TurnOutcome outcome, std::string reason) {
  if (!working()) return;
  delta_timer_.clear();
  if (outcome == TurnOutcome::cancelled) return cancel(CancelCause::other);
  if (outcome == TurnOutcome::failure && !has_reply_) {
    final(reason.empty() ? std::string(phrases::kAgentFailed) : std::move(reason));
  } else if (!has_reply_ && !newest_.empty()) {
    final(newest_);
  }
  outcome_ = outcome;
  move(TurnEvent::answered);
  context_.bury(std::shared_ptr<AgentRun>(std::move(run_)));
  if (outlet() == nullptr) {
    move(TurnEvent::lost);
    return keep();
  }
  if (speech_) {
    speech_->finish();  // speech_ended() follows, perhaps within
  } else {
    end_when_spoken();
  }
}

void Turn::cancel(CancelCause cause) {
  if (!move(TurnEvent::cancelled)) return;
  if (run_) run_->cancelled(cause);
  outcome_ = TurnOutcome::cancelled;
  finish();
}

void Turn::abandon() {
  if (phase_ != TurnPhase::ended) move(TurnEvent::cancelled);
  conversation_ = nullptr;
  delta_timer_.clear();
  stall_.clear();
  if (const auto speech = std::exchange(speech_, nullptr)) {
    speech->silence(false);
    context_.bury(speech);
  }
  context_.bury(std::shared_ptr<AgentRun>(std::move(run_)));
}

// The phase is `ended` here: nothing of the agent or the engines comes through any more.
void Turn::finish() {
  delta_timer_.clear();
  stall_.clear();
  played_by_ = context_.now();
  if (const auto speech = std::exchange(speech_, nullptr)) {
    if (speech->phase() == SpeechPhase::ended) played_by_ = speech->played_by();
    speech->silence(true);
    context_.bury(speech);
  }
  context_.bury(std::shared_ptr<AgentRun>(std::move(run_)));
  if (message_.heard && message_.heard->session) {
    message_.heard->ready = nullptr;
    context_.bury(std::shared_ptr<speech::RecognizerSession>(std::move(message_.heard->session)));
  }
  conversation_->twin().questions().withdraw(id_);
  Connection* const connection = outlet();
  if (connection != nullptr && announced_on_ == connection->id()) {
    connection->send(protocol::TurnEnd{.turn = id_, .outcome = name(outcome_)});
  }
  mark(Mark::end);
  log_timeline();
  std::exchange(conversation_, nullptr)->ended(*this);
}

// ---- The time line ----

void Turn::mark(Mark mark) {
  Millis& at = marks_[static_cast<std::size_t>(mark)];
  if (at == 0) at = context_.now();
}

void Turn::speech_mark(SpeechHost::Mark point) {
  switch (point) {
    case SpeechHost::Mark::asked: return mark(Mark::voice_asked);
    case SpeechHost::Mark::first_samples: return mark(Mark::voice);
    case SpeechHost::Mark::first_frame: return mark(Mark::first_frame);
  }
}

namespace {

constexpr std::array<std::string_view, 10> kMarkNames{
    "end_of_speech_ms", "finish_ms",      "recognized_ms", "handed_on_ms",   "first_text_ms",
    "final_text_ms",    "voice_asked_ms", "voice_ms",      "first_frame_ms", "end_ms"};

}  // namespace

TurnRecord Turn::record(Millis ours_ms) const {
  static_assert(kMarkNames.size() == static_cast<std::size_t>(Mark::count));
  TurnRecord record;
  record.device = conversation_->twin().id();
  record.turn = id_;
  record.kind = name(message_.kind);
  record.outcome = outcome_;
  record.ended_wall_ms = context_.wall();
  record.ours_ms = ours_ms;
  const Millis begin = marks_[static_cast<std::size_t>(Mark::end_of_speech)];
  for (std::size_t i = 0; i < kMarkNames.size(); ++i) {
    if (marks_[i] != 0) record.timeline.emplace_back(kMarkNames[i], marks_[i] - begin);
  }
  record.has_texts = context_.options.turn_texts;
  if (!record.has_texts) return record;
  const bool is_event = message_.kind == Message::Kind::event;
  const bool is_spoken = message_.kind == Message::Kind::spoken;
  const std::string& asked = is_event    ? message_.event_name
                             : is_spoken ? heard_text_
                                         : message_.text;
  if (!announcement()) record.asked = protocol::cut_bytes(asked, kTurnTextBytes);
  record.answered = protocol::cut_bytes(reply_, kTurnTextBytes);
  return record;
}

// All in milliseconds since the message was complete. `ours_ms` is what the hub itself took between
// the engines: end of speech to the recognizer, its result to the agent, text to the voice, its
// audio to the wire.
void Turn::log_timeline() {
  const auto at = [this](Mark mark) { return marks_[static_cast<std::size_t>(mark)]; };
  const auto between = [&](Mark from, Mark to) {
    return at(from) == 0 || at(to) == 0 ? 0 : std::max<Millis>(0, at(to) - at(from));
  };
  const Millis ours =
      between(Mark::end_of_speech, Mark::finish) + between(Mark::recognized, Mark::handed_on) +
      between(Mark::first_text, Mark::voice_asked) + between(Mark::voice, Mark::first_frame);
  Context::Fields fields{{"device", conversation_->twin().id_text()},
                         {"turn", id_},
                         {"outcome", std::string(name(outcome_))},
                         {"ours_ms", std::to_string(ours)}};
  for (std::size_t i = 0; i < kMarkNames.size(); ++i) {
    if (marks_[i] == 0) continue;
    fields.emplace_back(kMarkNames[i], std::to_string(marks_[i] - at(Mark::end_of_speech)));
  }
  Counters& counters = context_.counters;
  counters.turns.add(name(outcome_));
  if (at(Mark::first_frame) != 0 && at(Mark::end_of_speech) != 0) {
    counters.first_audio_ms.add(between(Mark::end_of_speech, Mark::first_frame));
    counters.ours_ms.add(ours);
  }
  context_.log(LogFact::Level::info, "turn.timeline", std::move(fields));
  if (context_.parts.turn_ended) context_.parts.turn_ended(record(ours));
}

}  // namespace gadget::hub
