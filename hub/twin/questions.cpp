#include "hub/twin/questions.hpp"

#include <algorithm>

#include "hub/core/limits.hpp"
#include "hub/core/phrases.hpp"
#include "hub/twin/twin.hpp"
#include "media/text.hpp"

namespace gadget::hub {
namespace {

constexpr Millis kDefaultTtlMs = 300'000;  // E45

// Seconds as JSON: "300", or "12.345".
std::string seconds(Millis ms) {
  std::string text = std::to_string(ms / 1000);
  if (ms % 1000 == 0) return text;
  const std::string thousandths = std::to_string(1000 + ms % 1000);
  return text + "." + thousandths.substr(1);
}

}  // namespace

std::string_view name(QuestionOutcome outcome) {
  switch (outcome) {
    case QuestionOutcome::yes: return "yes";
    case QuestionOutcome::no: return "no";
    case QuestionOutcome::expired: return "expired";
    case QuestionOutcome::withdrawn: break;
  }
  return "withdrawn";
}

Questions::Questions(Context& context, Twin& twin) : context_(context), twin_(twin) {
  auto stored = context_.parts.store->questions(twin_.id());
  if (!stored) return;
  for (QuestionRecord& record : *stored) {
    const Millis left = record.expires_wall_ms - context_.wall();
    if (left <= 0) {
      (void)context_.parts.store->drop_question(record.id);
      continue;
    }
    Question question;
    question.id = std::move(record.id);
    question.title = std::move(record.title);
    question.text = std::move(record.text);
    question.expires_ms = context_.now() + std::min(left, limits::kMaxQuestionTtlMs);
    list_.push_back(std::move(question));
  }
  set_timer();
}

Result<std::string> Questions::ask(QuestionSpec spec, std::string asker, Answered answered) {
  if (list_.size() >= limits::kMaxQuestions) {
    return fail(FailureCode::refused, "too many questions wait for that device already");
  }
  Millis ttl = spec.ttl_ms > 0 ? spec.ttl_ms : kDefaultTtlMs;
  ttl = std::min(ttl, limits::kMaxQuestionTtlMs);
  Question question;
  question.id = context_.fresh_id("q");
  question.title =
      spec.title.empty() ? std::string(phrases::kQuestionTitle) : std::move(spec.title);
  question.text = std::move(spec.text);
  question.asker = std::move(asker);
  question.expires_ms = context_.now() + ttl;
  question.answered = std::move(answered);
  auto stored = context_.parts.store->put_question({.id = question.id,
                                                    .device = twin_.id(),
                                                    .title = question.title,
                                                    .text = question.text,
                                                    .expires_wall_ms = context_.wall() + ttl});
  if (!stored) return tl::unexpected(std::move(stored.error()));
  const std::string id = question.id;
  list_.push_back(std::move(question));
  send_front();
  set_timer();
  return id;
}

void Questions::connected() { send_front(); }

void Questions::send_front() {
  Connection* const connection = twin_.outlet();
  if (connection == nullptr || list_.empty()) return;
  Question& question = list_.front();
  if (question.sent_on == connection->id()) return;
  question.sent_on = connection->id();
  const auto charset = connection->caps().charset();
  const std::string title =
      media::cut_middle(screen(question.title, charset), limits::kQuestionTitleBytes);
  const std::string text =
      media::cut_middle(screen(question.text, charset), limits::kQuestionTextBytes);
  const std::string ttl = seconds(std::max<Millis>(0, question.expires_ms - context_.now()));
  connection->send_fitting(
      protocol::Prompt{.id = question.id, .title = title, .text = text, .ttl_s = {ttl}},
      &protocol::Prompt::text);
}

// E24: from the device that was asked, on a connection on which the question was sent.
void Questions::reply(const protocol::PromptReply& reply) {
  Connection* const connection = twin_.outlet();
  if (connection == nullptr) return;
  const bool counts =
      !list_.empty() && list_.front().id == reply.id && list_.front().sent_on == connection->id();
  if (!counts) {
    connection->count_dropped();
    return connection->notice(phrases::kQuestionExpired);
  }
  const bool yes = reply.answer == protocol::Answer::yes;
  close(list_.begin(), yes ? QuestionOutcome::yes : QuestionOutcome::no, false);
}

void Questions::close(List::iterator question, QuestionOutcome outcome, bool tell_device) {
  const Question closed = std::move(*question);
  context_.counters.questions.add(name(outcome));
  list_.erase(question);
  (void)context_.parts.store->drop_question(closed.id);
  Connection* const connection = twin_.outlet();
  const bool shown = connection != nullptr && closed.sent_on == connection->id();
  if (tell_device && shown) connection->send(protocol::PromptClose{.id = closed.id});
  set_timer();
  send_front();
  if (closed.answered) {
    closed.answered(outcome);
  } else {
    context_.log(LogFact::Level::info, "question.closed_without_asker",
                 {{"device", twin_.id_text()}, {"id", closed.id}});
  }
  twin_.settle();
}

void Questions::withdraw(std::string_view asker) {
  const auto theirs = [&](const Question& question) { return question.asker == asker; };
  // From the back, so that none of theirs is sent in between.
  for (auto at = list_.size(); at-- > 0;) {
    if (at >= list_.size() || !theirs(list_[at])) continue;
    close(list_.begin() + static_cast<std::ptrdiff_t>(at), QuestionOutcome::withdrawn, true);
  }
}

void Questions::withdraw_all() {
  while (!list_.empty()) close(list_.end() - 1, QuestionOutcome::withdrawn, true);
}

void Questions::expire() {
  const Millis now = context_.now();
  const auto old = [now](const Question& question) { return question.expires_ms <= now; };
  for (auto at = std::find_if(list_.begin(), list_.end(), old); at != list_.end();
       at = std::find_if(list_.begin(), list_.end(), old)) {
    close(at, QuestionOutcome::expired, true);
  }
  set_timer();
}

void Questions::set_timer() {
  if (list_.empty()) return timer_.clear();
  const auto first = std::min_element(list_.begin(), list_.end(), [](const auto& a, const auto& b) {
    return a.expires_ms < b.expires_ms;
  });
  timer_.set(context_.scheduler, first->expires_ms, [this] { expire(); });
}

bool Questions::awaited() const {
  return std::any_of(list_.begin(), list_.end(),
                     [](const Question& question) { return question.answered != nullptr; });
}

}  // namespace gadget::hub
