// questions.hpp - the yes/no questions of one device: durable, one at a time, asked again after a
// reconnect, answered once or never (Q, E24, E45).
//
// Part of a Twin. Sans-I/O. Silence is never consent: an expired or withdrawn question has its own
// outcome.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/failure.hpp"
#include "hub/agent/agent.hpp"
#include "hub/connection/connection.hpp"
#include "hub/core/context.hpp"

namespace gadget::hub {

class Twin;

class Questions {
 public:
  using Answered = std::function<void(QuestionOutcome)>;

  // Reads those that wait in the store: asked before the hub was started, or before the twin left
  // memory.
  Questions(Context& context, Twin& twin);

  // Its id. `asker` groups questions for withdraw(): a turn's id, or "". Errors: refused when too
  // many wait, io.
  Result<std::string> ask(QuestionSpec spec, std::string asker, Answered answered);
  void withdraw(std::string_view asker);
  void withdraw_all();

  void connected();  // sends the one that is open (Q6)
  void reply(const protocol::PromptReply& reply);

  // Whether somebody in this process waits for an answer.
  [[nodiscard]] bool awaited() const;
  [[nodiscard]] std::size_t size() const { return list_.size(); }

 private:
  struct Question {
    std::string id, title, text, asker;
    Millis expires_ms = 0;
    Answered answered;           // none: asked before the hub was started
    Connection::Id sent_on = 0;  // the connection on which it was sent
  };
  using List = std::vector<Question>;  // short; empty for most devices, and then without memory

  void send_front();
  void close(List::iterator question, QuestionOutcome outcome, bool tell_device);
  void expire();
  void set_timer();

  Context& context_;
  Twin& twin_;
  List list_;  // the first is the one that is open
  Timer timer_;
};

}  // namespace gadget::hub
