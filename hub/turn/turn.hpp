// turn.hpp - one message and all that answers it: recognition, the agent's run, the reply on the
// screen and its speech (R, A, E21, E41).
//
// A Turn outlives its device's connection (E41). It is the sink of its agent's run; what comes
// after its end is dropped by its phase. One owner: the device's Conversation, whose loop it runs
// on.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "hub/agent/agent.hpp"
#include "hub/core/context.hpp"
#include "hub/turn/message.hpp"
#include "hub/turn/speech.hpp"
#include "media/sentences.hpp"

namespace gadget::hub {

class Twin;
class Conversation;

// ---- The state machine ----

enum class TurnPhase : std::uint8_t {
  recognizing,  // speech is becoming text
  answering,    // the agent works
  speaking,     // the reply is complete; its speech is not all written yet
  kept,         // the reply is complete; its device is away (E41)
  ended,
};
enum class TurnEvent : std::uint8_t {
  understood,     // there is something to answer
  heard_nothing,  // the utterance had no words
  answered,       // the agent has nothing more to say
  spoken,         // the last frame was written, or there is nothing to speak
  lost,           // the connection is gone
  found,          // the device is back
  expired,        // it stayed away too long
  cancelled,
};

[[nodiscard]] constexpr std::optional<TurnPhase> next(TurnPhase phase, TurnEvent event) {
  using enum TurnPhase;
  if (phase == ended) return std::nullopt;
  if (event == TurnEvent::cancelled) return ended;
  switch (phase) {
    case recognizing:
      if (event == TurnEvent::understood) return answering;
      if (event == TurnEvent::heard_nothing) return ended;
      break;
    case answering:
      if (event == TurnEvent::answered) return speaking;
      break;
    case speaking:
      if (event == TurnEvent::spoken) return ended;
      if (event == TurnEvent::lost) return kept;
      break;
    case kept:
      if (event == TurnEvent::found || event == TurnEvent::expired) return ended;
      break;
    case ended: break;
  }
  return std::nullopt;
}

class Turn final : public TurnSink, private SpeechHost, public std::enable_shared_from_this<Turn> {
 public:
  Turn(Context& context, Conversation& conversation, std::string id, Message message);

  void begin();
  void connected();     // on a connection of its device, after it was away (E41)
  void disconnected();  // what was being spoken is not resumed
  void hold_speech(bool held);
  // The person began to speak: what is being spoken stops for good (E21, E42). False: nothing was.
  bool barge_in();
  void cancel(CancelCause cause);
  // Gone with its Conversation: nothing is sent or called any more.
  void abandon();

  [[nodiscard]] TurnPhase phase() const { return phase_; }
  [[nodiscard]] const std::string& id() const { return id_; }
  [[nodiscard]] const Message& message() const { return message_; }
  [[nodiscard]] bool announcement() const { return message_.kind == Message::Kind::announcement; }
  // Everything of it reached the device: an announcement needs no second time.
  [[nodiscard]] TurnOutcome outcome() const { return outcome_; }
  [[nodiscard]] const std::string& reply() const { return reply_; }
  [[nodiscard]] Millis played_by() const { return played_by_; }

  // TurnSink
  void status(std::string text) override;
  void delta(std::string cumulative) override;
  void interim(std::string text) override;
  void final(std::string text) override;
  void audio(std::vector<std::int16_t> samples, std::uint32_t rate_hz) override;
  void card(std::string title, std::string body, Millis ttl_ms) override;
  void question(QuestionSpec question, std::function<void(QuestionOutcome)> answered) override;
  void call_action(std::string name, std::string args_json,
                   std::function<void(Result<std::string>)> done) override;
  void end(TurnOutcome outcome, std::string reason) override;

 private:
  // The points of the time line, in the order in which they come.
  enum class Mark : std::uint8_t {
    end_of_speech,  // the message was complete
    finish,         // the recognizer was told so
    recognized,     // it gave its text
    handed_on,      // the agent has it
    first_text,     // first delta or reply
    final_text,
    voice_asked,  // first sentence to the synthesizer
    voice,        // its first samples
    first_frame,  // written
    end,
    count,
  };

  void speech_mark(SpeechHost::Mark mark) override;
  void speech_ended() override;

  bool move(TurnEvent event);
  [[nodiscard]] TurnRecord record(Millis ours_ms) const;
  void announce();
  void recognized();
  void start_agent();
  void feed_audio(AgentRun& run);
  [[nodiscard]] bool agent_speaks() const;
  void make_announcement();
  void open_speech();
  void say(const std::vector<std::string>& sentences);
  void speak_final(const std::string& text);
  void end_when_spoken();
  void keep();
  void finish();
  void send_delta();
  void send_reply(std::string_view text, bool interim);
  void mark(Mark mark);
  void log_timeline();
  [[nodiscard]] bool working() const { return phase_ == TurnPhase::answering; }
  [[nodiscard]] Connection* outlet() const;

  Context& context_;
  Conversation* conversation_;  // null once it let go of this turn
  const std::string id_;
  Message message_;
  TurnPhase phase_;
  TurnOutcome outcome_ = TurnOutcome::success;
  std::unique_ptr<AgentRun> run_;
  std::shared_ptr<Speech> speech_;
  std::optional<media::SpokenReply> spoken_;  // sentences of the reply as it streams
  std::string spoken_source_;                 // what of the reply it was given
  Connection::Id announced_on_ = 0;           // the connection that got turn.start (R6)
  bool voice_allowed_ = true;                 // not after a barge-in (E42)
  std::string heard_text_;                    // the transcript
  std::string newest_;                        // the newest delta
  std::string reply_;                         // the final answer
  bool has_reply_ = false;
  Timer delta_timer_;
  Timer stall_;  // a recognizer that gives no result; how long a kept turn waits
  Millis away_since_ = 0;
  Millis played_by_ = 0;
  std::array<Millis, static_cast<std::size_t>(Mark::count)> marks_{};
};

}  // namespace gadget::hub
