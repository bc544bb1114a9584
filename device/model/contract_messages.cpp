// The messages' half of the contract: what may be said when, and what must follow.
#include <algorithm>
#include <variant>

#include "device/core/action_book.hpp"
#include "device/model/contract.hpp"

namespace gadget::device::model {
namespace {

constexpr std::size_t kLongestFrameMs = 40;

}  // namespace

// ---- What the hub says

struct Contract::Here {
  Contract& c;

  template <class Other>
  void operator()(const Other&) const {}

  void operator()(const protocol::Challenge& message) const {
    if (c.challenge_nonce_ || c.auth_) return;
    c.challenge_nonce_ = message.nonce;
    c.challenge_enrolled_ = message.enrolled;
    c.step_since_ = c.now_;
  }
  void operator()(const protocol::Welcome& message) const {
    if (c.online_ || !c.auth_) return;
    if (!c.auth_key_) {
      const auto expected = protocol::hub_mac(*c.key_, c.id_.text(), c.hello_nonce_);
      const bool right = message.mac == protocol::view(expected);
      if (c.proved_ && !right) {
        c.must_close_ = true;
        return;
      }
      c.mac_ever_ = true;
      c.proved_ = right;
    } else {
      c.proved_ = false;
    }
    c.key_given_ = true;
    c.online_ = true;
    c.paired_ = message.paired;
    c.online_since_ = c.now_;
    const auto told = message.heartbeat_s.rounded();
    c.heartbeat_ms_ = std::clamp<std::int64_t>(told, 5, 300) * 1'000;
  }
  void operator()(const protocol::ErrorMessage& message) const {
    const auto code = message.code;
    if (code == "auth_failed" || code == "bad_token" || code == "protocol" || code == "busy") {
      c.refused_ = true;
    }
  }
  void operator()(const protocol::Ping& message) const {
    c.pongs_due_ = 1;
    c.ping_token_ = message.ts.token;
  }
  void operator()(const protocol::SpeechStart& message) const {
    if (!c.online_) return;
    c.sound_.cut();
    if (message.stream >= 1 && message.stream <= 250 && message.rate_hz >= 4'000 &&
        message.rate_hz <= 48'000 && message.format == "pcm16") {
      c.sound_.start(message.stream);
    }
  }
  void operator()(const protocol::SpeechEnd& message) const { c.sound_.end(message.stream); }
  void operator()(const protocol::SpeechAbort& message) const { c.sound_.abort(message.stream); }
  void operator()(const protocol::Prompt& message) const {
    if (!c.online_) return;
    c.question_ = Asked{std::string{message.id}, c.now_, protocol::ttl_ms(message.ttl_s, kForever)};
    c.cancel_spoilt_ = true;
  }
  void operator()(const protocol::PromptClose& message) const {
    if (c.question_ && c.question_->id == message.id) c.question_.reset();
  }
  void operator()(const protocol::Paired&) const { c.paired_ = c.online_; }
  void operator()(const protocol::Unpaired&) const { c.paired_ = false; }
  void operator()(const protocol::Pairing&) const { c.paired_ = false; }
  void operator()(const protocol::OtaOffer& message) const {
    if (c.online_) c.update_.offer(message);
  }
  void operator()(const protocol::OtaBegin& message) const {
    if (c.online_) c.update_.begins(message, *c.key_, c.id_.text());
  }
  void operator()(const protocol::OtaEnd&) const {
    if (c.online_) c.update_.ends();
  }
  void operator()(const protocol::OtaAbort&) const {
    if (c.online_) c.update_.aborts();
  }
  void operator()(const protocol::Action& message) const {
    if (!c.online_) return;
    c.action_id_ = message.id;
    c.results_due_ = 1;
    if (message.id.size() > kActionIdBytes) return;
    if (const Act* const known = c.find(message.id)) {
      if (known->state != Act::State::answered) c.results_due_ = 0;
      return;
    }
    if (c.open_act(message.id) != nullptr) c.runs_due_ = 1;
  }
};

void Contract::hub_says(std::string_view text) {
  if (wire_ != Wire::open) return;
  last_inbound_ = now_;
  std::string copy{text};
  protocol::Salvage salvage;
  const auto message = protocol::parse_hub_message(copy, &salvage);
  if (message) return std::visit(Here{*this}, *message);
  // E34: answered all the same.
  if (online_ && salvage.type == "ota.offer") update_.bad_offer();
  if (online_ && salvage.type == "action" && !salvage.id.empty()) {
    action_id_ = salvage.id;
    may_be_mute_ = salvage.id.size() > protocol::kMaxIdCodePoints;  // no hub takes it back (E6)
    const Act* const known = find(salvage.id);
    results_due_ = known != nullptr && known->state != Act::State::answered ? 0 : 1;
  }
}

// ---- Actions

Contract::Act* Contract::find(std::string_view id) {
  const auto found =
      std::find_if(acts_.begin(), acts_.end(), [&](const Act& one) { return one.id == id; });
  return found == acts_.end() ? nullptr : &*found;
}

// E37: sixteen are remembered, those that still run before all others.
Contract::Act* Contract::open_act(std::string_view id) {
  if (acts_.size() == kRememberedActions) {
    const auto oldest = std::find_if(acts_.begin(), acts_.end(), [](const Act& one) {
      return one.state == Act::State::answered;
    });
    if (oldest == acts_.end()) return nullptr;
    acts_.erase(oldest);
  }
  acts_.emplace_back().id = id;
  return &acts_.back();
}

void Contract::runs(std::string_view, ActionTicket ticket, bool completes) {
  require(online_, "T9: an action is done before welcome");
  require(runs_due_-- > 0, "E37: an action is done again");
  Act* const act = find(action_id_.value_or(""));
  if (act == nullptr) return require(false, "an action is done that nobody asked for");
  require(++act->runs == 1, "E37: an action is done twice");
  act->ticket = ticket;
  if (!completes) results_due_ = 0;
}

void Contract::finishes(ActionTicket ticket) {
  for (auto& act : acts_) {
    if (act.state == Act::State::running && act.runs == 1 && act.ticket == ticket) {
      action_id_ = act.id;
      results_due_ = 1;
    }
  }
}

std::vector<ActionTicket> Contract::running() const {
  std::vector<ActionTicket> tickets;
  for (const auto& act : acts_) {
    if (act.state == Act::State::running) tickets.push_back(act.ticket);
  }
  return tickets;
}

void Contract::said_result(const protocol::ActionResult& result, std::string_view text,
                           bool taken) {
  if (result.id == action_id_) ++results_;
  Act* const act = find(result.id);
  if (act == nullptr) {
    require(result.id == action_id_ && !result.ok,
            "X2: an answer to an action that was not asked for");
    return;
  }
  if (act->state == Act::State::answered) {
    require(result.id == action_id_, "X2: an answer of its own accord comes twice");
    require(act->answer == text, "E37: another answer than before");
    if (!taken) act->state = Act::State::unsent;  // it goes out later
    return;
  }
  require(act->state == Act::State::running || act->answer == text,
          "X2: the answer changed while it waited");
  act->answer = text;
  act->state = taken ? Act::State::answered : Act::State::unsent;
}

// ---- What the device says

struct Contract::There {
  Contract& c;
  std::string_view text;
  bool taken;

  void operator()(const protocol::Unknown&) const {
    c.require(false, "a message of no known type");
  }

  void operator()(const protocol::Hello& message) const {
    c.require(!c.hello_, "E31: a second hello");
    c.require(message.device_id == c.id_, "H2: another device_id");
    c.hello_ = true;
    c.hello_nonce_ = message.nonce;
  }
  void operator()(const protocol::Auth& message) const {
    c.require(c.hello_ && c.challenge_nonce_.has_value(), "H9: auth without a challenge");
    c.require(!c.auth_, "E32: a second auth");
    c.auth_ = true;
    if (!c.challenge_nonce_) return;
    if (message.key) {
      c.auth_key_ = true;
      c.require(!c.challenge_enrolled_, "E32: the key without a literal enrolled:false");
      c.require(!c.mac_ever_ || c.consent_ || !c.asks_,
                "E32: the key is revealed again without its person");
      c.require(*message.key == protocol::view(protocol::key_text(*c.key_)), "H9: a wrong key");
      c.consent_ = false;
    } else {
      const auto right = protocol::auth_mac(*c.key_, c.id_.text(), *c.challenge_nonce_);
      c.require(c.challenge_enrolled_, "H9: a MAC for a hub that does not know us");
      c.require(message.mac == protocol::view(right), "H11: a wrong MAC");
    }
  }
  void operator()(const protocol::Pong& message) const {
    c.require(c.pongs_due_-- == 1, "B1: a pong without a ping");
    c.require(message.ts.token == c.ping_token_, "B2: another ts");
  }
  void operator()(const protocol::Ping&) const { online(); }
  void online() const { c.require(c.online_, "T9: said before welcome"); }

  void operator()(const protocol::Text& message) const {
    online();
    c.require(c.cause_ == Cause::text || c.cause_ == Cause::time, "C1: a text that nobody typed");
    c.waiting_.says(Waiting::Kind::text, message.text, taken, c.paired_);
  }
  void operator()(const protocol::UtteranceStart& message) const {
    online();
    c.require(!c.utterance_, "C2: an utterance inside another");
    c.require(c.cause_ == Cause::talk_down, "C2: an utterance that nobody began");
    c.require(message.mode == "hold" || message.mode == "tap", "C2: another mode");
    if (!taken) return;
    c.sound_.cut();  // barge-in
    c.utterance_ = Utterance{
        std::string{message.id}, message.stream, static_cast<std::uint32_t>(message.rate_hz), 0, 0,
        message.mode == "tap"};
    c.fed_ = 0;
  }
  void operator()(const protocol::UtteranceEnd& message) const {
    close(message.id, message.stream);
    if (!c.utterance_) return;
    c.require(!c.utterance_->tap || c.cause_ != Cause::other_button,
              "a tapped utterance ends when TALK is let go");
    const auto rate = c.utterance_->rate;
    const auto told = message.duration_ms.rounded();
    c.require(told >= 350, "E39: a complete utterance of less than 0.35 s");
    c.require(static_cast<std::uint64_t>(told) * rate / 1'000 <= c.fed_,
              "C3: longer than what was heard");
    c.require(c.utterance_->samples <= c.fed_ &&
                  static_cast<std::uint64_t>(told) == c.utterance_->samples * 1'000 / rate,
              "C3: the duration is not that of the frames");
    c.utterance_.reset();
  }
  void operator()(const protocol::UtteranceCancel& message) const {
    close(message.id, message.stream);
    c.utterance_.reset();
  }
  void close(std::string_view id, std::int64_t stream) const {
    online();
    c.require(c.utterance_.has_value(), "C3 C4: the end of no utterance");
    if (!c.utterance_) return;
    c.require(id == c.utterance_->id && stream == c.utterance_->stream,
              "C3 C4: the end of another utterance");
  }
  void operator()(const protocol::Cancel&) const {
    online();
    c.require(c.cause_ == Cause::cancel_down || c.cause_ == Cause::cancel, "C7: nobody cancelled");
    c.waiting_.withdraw_texts(true);
    c.sound_.cut();
  }
  void operator()(const protocol::SessionNew&) const {
    online();
    c.waiting_.withdraw_texts(true);
    if (c.cause_ != Cause::new_session) {
      c.require(c.cancel_since_ && c.now_ - *c.cancel_since_ >= 2'000,
                "C8: CANCEL was not held for 2 s");
      c.require(!c.cancel_spoilt_, "E36: CANCEL held during a question");
    }
    if (taken) c.sound_.cut();
  }
  void operator()(const protocol::PromptReply& message) const {
    online();
    const bool yes = message.answer == protocol::Answer::yes;
    const bool said = yes ? c.cause_ == Cause::talk_down || c.cause_ == Cause::yes
                          : c.cause_ == Cause::cancel_down || c.cause_ == Cause::no;
    c.require(said, "Q3: nobody answered so");
    if (!c.question_) return c.require(false, "Q4: a reply to no open question");
    const auto& asked = *c.question_;
    c.require(message.id == asked.id, "Q4: a reply to another question");
    c.require(c.now_ - asked.at >= 600, "Q3 E36: a reply within the guard");
    c.require(asked.ttl == kForever || c.now_ - asked.at < asked.ttl,
              "Q4: a reply after it expired");
    if (taken) c.question_.reset();
  }
  void operator()(const protocol::ActionResult& message) const {
    online();
    c.said_result(message, text, taken);
  }
  void operator()(const protocol::State&) const {
    online();
    c.require(!c.last_state_ || c.now_ - *c.last_state_ >= 2'000,
              "E39: state within 2 s of the last one");
    if (taken) c.last_state_ = c.now_;
  }
  void operator()(const protocol::Event& message) const {
    online();
    c.require(c.cause_ == Cause::event || c.cause_ == Cause::time,
              "S2: an event that did not happen");
    c.waiting_.says(Waiting::Kind::event, message.name, taken, c.paired_);
  }
  void operator()(const protocol::OtaReady& message) const {
    online();
    c.update_.says(message, taken);
  }
  void operator()(const protocol::OtaAck& message) const {
    online();
    c.update_.says(message);
  }
  void operator()(const protocol::OtaDone& message) const {
    online();
    c.update_.says(message, taken);
  }
  void operator()(const protocol::OtaError& message) const {
    online();
    c.update_.says(message, taken);
  }
};

void Contract::says(std::string_view text, bool taken) {
  require(wire_ == Wire::open, "said on a connection that is not open");
  require(text.size() <= protocol::kMaxMessageBytes, "E6: a message of more than 64 KiB");
  std::string copy{text};
  const auto message = protocol::parse_device_message(copy);
  if (!message && may_be_mute_) return void(++results_);
  if (!message)
    return require(false, "said what no hub takes: " + std::string{text.substr(0, 200)});
  require(hello_ || std::holds_alternative<protocol::Hello>(*message) ||
              std::holds_alternative<protocol::Pong>(*message),
          "hello is not the first message");
  std::visit(There{*this, text, taken}, *message);
}

void Contract::sends(std::span<const std::byte> message, bool) {
  require(wire_ == Wire::open && online_, "T9: audio before welcome");
  const auto frame = protocol::decode_frame(message);
  if (!frame || frame->channel != protocol::Channel::audio || !utterance_) {
    return require(false, "C2: a frame outside of an utterance");
  }
  require(frame->stream == utterance_->stream, "C2: a frame of another stream");
  require(frame->sequence == utterance_->sequence,
          "T5: frames are not numbered one after the other");
  ++utterance_->sequence;
  require(!frame->payload.empty() && frame->payload.size() % 2 == 0, "T6: half a sample");
  require(frame->payload.size() / 2 <= utterance_->rate * kLongestFrameMs / 1'000,
          "C2: a frame of more than 40 ms");
  utterance_->samples += frame->payload.size() / 2;
}

}  // namespace gadget::device::model
