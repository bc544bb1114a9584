// conversation.hpp - the turns of one device, one at a time, and the messages that wait for theirs
// (E42).
//
// Part of a Twin, which owns it; outlives connections. Sans-I/O.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "hub/connection/connection.hpp"
#include "hub/core/context.hpp"
#include "hub/turn/message.hpp"
#include "hub/turn/turn.hpp"
#include "hub/turn/utterance.hpp"

namespace gadget::hub {

class Twin;

class Conversation {
 public:
  Conversation(Context& context, Twin& twin) : context_(context), twin_(twin) {}
  ~Conversation();

  // From a paired device that is online.
  void text(std::string_view text);
  void event(std::string name, std::string data_json);
  void start(const protocol::UtteranceStart& start);
  void frame(const protocol::BinaryFrame& frame);
  void end(const protocol::UtteranceEnd& end);
  void cancel_utterance(const protocol::UtteranceCancel& cancel);
  void cancel();       // C7
  void new_session();  // C8

  // From the hub: it is said when its turn comes, or waits in the outbox while the device is away.
  void announce(Message announcement);

  void connected();
  void disconnected();
  void stop();     // the hub goes down: announcements that were not made are stored
  void abandon();  // nothing is sent or called any more
  void revoke();   // E44: the turn ends cancelled, all that waits is dropped

  [[nodiscard]] bool idle() const { return !turn_ && waiting_.empty() && !utterance_; }
  [[nodiscard]] Twin& twin() { return twin_; }
  [[nodiscard]] const Turn* turn() const { return turn_.get(); }

  // From its turn.
  void ended(Turn& turn);
  void expired(Turn& turn);  // E41: the reply goes to the outbox
  // When the device's speaker has played what it got.
  [[nodiscard]] Millis speaker_free_at() const { return speaker_free_at_; }
  [[nodiscard]] bool person_speaks() const { return utterance_ != nullptr; }
  void clear_partial();  // what was shown while the person spoke is replaced by the transcript
  // E22 is about the device, not about one turn.
  Millis delta_sent_ms = 0;

 private:
  void add(Message message);
  [[nodiscard]] bool full_of_messages() const;
  [[nodiscard]] std::size_t held_audio_bytes() const;
  void start_next();
  void start_next_soon();
  void drop_messages();
  void drop_late_audio();
  void utterance_complete();
  void close_utterance();
  void discard_utterance(std::string_view notice);
  void watch_frames();
  void show_partial(std::string text);
  void to_outbox(const Message& announcement);
  void load_outbox();
  void notice(std::string_view text);

  Context& context_;
  Twin& twin_;
  std::shared_ptr<Turn> turn_;
  std::vector<Message> waiting_;  // short; in order
  std::unique_ptr<Utterance> utterance_;
  bool barged_in_ = false;  // by the open utterance, into the running turn (E42)
  Millis last_frame_ms_ = 0;
  Timer frame_timer_;
  Millis partial_sent_ms_ = 0;
  bool partial_shown_ = false;  // it is on the screen as status
  Millis speaker_free_at_ = 0;
};

}  // namespace gadget::hub
