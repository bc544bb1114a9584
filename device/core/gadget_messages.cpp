// What every message of the hub does (T9, T11, E34). The order is that of protocol.md.
#include <algorithm>
#include <array>
#include <variant>

#include "device/core/gadget.hpp"
#include "device/core/gadget_send.hpp"
#include "protocol/codec.hpp"

namespace gadget::device {
namespace {

constexpr std::string_view kPcm16 = "pcm16";

// A bit for each type of message, by its place in HubMessage.
template <class... Messages>
constexpr std::uint32_t bits_of() {
  return ((std::uint32_t{1} << protocol::kPlace<Messages>) | ...);
}

// T9: before `welcome` only these.
constexpr std::uint32_t kEarly =
    bits_of<protocol::Unknown, protocol::Challenge, protocol::ErrorMessage, protocol::Ping,
            protocol::Welcome, protocol::Paired, protocol::Unpaired>();

}  // namespace

// What a message does. False: not at this time, or of a turn or stream that is over.
struct Gadget::Receiver {
  Gadget& g;

  // ---- What counts before `welcome` too

  bool operator()(const protocol::Unknown&) const {
    ++g.counters_.unknown;
    return true;
  }
  bool operator()(const protocol::Challenge& message) const {
    g.session_.challenge(g.now_, message);
    return true;
  }
  bool operator()(const protocol::ErrorMessage& message) const {
    g.session_.error(message);
    const auto text = message.message.empty() ? message.code : message.message;
    g.note(Fact::refused, text);
    if (g.session_.online()) g.notice(text);
    return true;
  }
  bool operator()(const protocol::Ping& message) const {
    (void)g.send(protocol::Pong{.ts = message.ts});
    return true;
  }
  bool operator()(const protocol::Welcome& message) const {
    if (g.session_.online()) return false;
    if (!g.session_.welcome(g.now_, message)) return true;
    g.online_epoch_ = g.session_.epoch();
    ++g.counters_.connections;
    g.paired_ = message.paired;
    g.server_.set(message.server);
    g.clock_.told(g.clock_ms_, message, g.platform_.store);
    g.changed(Fact::connection, std::string_view{"connected"});
    g.updater_.welcomed(g.now_);
    g.settle_update();
    if (g.paired_) g.note(Fact::paired);
    return true;
  }
  bool operator()(const protocol::Paired&) const { return trusted(true, Fact::paired); }
  bool operator()(const protocol::Unpaired&) const { return trusted(false, Fact::unpaired); }

  // ---- The rest

  bool operator()(const protocol::Pairing& message) const {
    g.paired_ = false;
    g.pairing_code_.set(message.code);
    g.pairing_command_.set(message.command);
    g.changed(Fact::pairing, g.pairing_code_.view());
    return true;
  }
  bool operator()(const protocol::TurnStart& message) const {
    // A card that came before stays (a reminder shows one and speaks).
    g.conversation_.start(message);
    g.pager_.text(false);
    g.changed(Fact::turn_start, message.turn);
    return true;
  }
  bool operator()(const protocol::Transcript& message) const {
    g.conversation_.transcript(message.text);
    g.changed(Fact::transcript, message.text);
    return true;
  }
  bool operator()(const protocol::Status& message) const {
    g.conversation_.status(message.text);
    g.changed(Fact::status, message.text);
    return true;
  }
  bool operator()(const protocol::ReplyDelta& message) const {
    const bool goes_on = g.conversation_.streaming();
    return g.conversation_.delta(message) && replied(goes_on, Fact::delta, message.text);
  }
  bool operator()(const protocol::Reply& message) const {
    const bool goes_on = g.conversation_.streaming();
    return g.conversation_.reply(message) && replied(goes_on, Fact::reply, message.text);
  }
  bool operator()(const protocol::TurnEnd& message) const {
    if (!g.conversation_.end(g.now_, message)) return false;
    g.changed(Fact::turn_end, message.outcome);
    return true;
  }
  bool operator()(const protocol::Notice& message) const {
    g.conversation_.give_up();
    g.notice(message.text, static_cast<Ticks>(protocol::ttl_ms(message.ttl_s, kNoticeMs)));
    return true;
  }
  bool operator()(const protocol::SpeechStart& message) const {
    const auto stream = static_cast<std::uint8_t>(message.stream);  // of a byte: see its field
    const bool ours = stream >= protocol::kMinHubStream && stream <= protocol::kMaxHubStream &&
                      message.rate_hz >= protocol::kMinRateHz &&
                      message.rate_hz <= protocol::kMaxRateHz && message.format == kPcm16 &&
                      g.conversation_.may_sound(message.turn);
    if (!ours) {
      // Its frames are then of no stream; what plays ends all the same (A6).
      g.playback_.stop();
      return false;
    }
    g.watch_playback();
    g.playback_.start(stream, static_cast<std::uint32_t>(message.rate_hz));
    g.sounded_ = false;
    return true;
  }
  bool operator()(const protocol::SpeechEnd& message) const {
    return g.playback_.end(static_cast<std::uint8_t>(message.stream));
  }
  bool operator()(const protocol::SpeechAbort& message) const {
    return g.playback_.abort(static_cast<std::uint8_t>(message.stream));
  }
  bool operator()(const protocol::Display& message) const {
    g.card_.shows = true;
    g.picture_above_ = false;
    g.card_.page = 0;
    g.card_.ttl = static_cast<Ticks>(protocol::ttl_ms(message.ttl_s, kCardMs));
    g.card_.timed = false;
    g.card_.title.set(message.title);
    g.card_body_.set(message.body);
    g.changed(Fact::card, message.title);
    return true;
  }
  bool operator()(const protocol::ImageStart& message) const {
    const auto start = g.picture_.start(message);
    if (start == Picture::Start::malformed) ++g.counters_.malformed;
    return start != Picture::Start::ignored;
  }
  bool operator()(const protocol::ImageEnd& message) const {
    if (!g.picture_.end(message.stream)) return false;
    g.picture_above_ = true;
    g.changed(Fact::image, std::string_view{});
    return true;
  }
  bool operator()(const protocol::Prompt& message) const {
    g.question_.ask(g.now_, message);
    // E36: CANCEL held during a question never means a new conversation.
    Held& cancel = g.held_[static_cast<std::size_t>(Button::cancel)];
    if (cancel.use == Use::cancel) cancel.use = Use::none;
    g.changed(Fact::question, message.text);
    return true;
  }
  bool operator()(const protocol::PromptClose& message) const {
    g.redraw_ = true;
    return g.question_.close(message.id);
  }
  bool operator()(const protocol::Action& message) const {
    g.run_action(message);
    return true;
  }
  bool operator()(const protocol::OtaOffer& message) const {
    g.offer_update(message);
    return true;
  }
  bool operator()(const protocol::OtaBegin& message) const {
    g.begin_update(message);
    return true;
  }
  bool operator()(const protocol::OtaEnd&) const {
    g.updater_.end(g.now_);
    g.settle_update();
    return true;
  }
  bool operator()(const protocol::OtaAbort&) const {
    g.updater_.abort();
    g.settle_update();
    return true;
  }
  bool operator()(const protocol::Pong&) const { return true; }

 private:
  // The owner said yes, or no more.
  bool trusted(bool yes, Fact fact) const {
    g.paired_ = yes;
    if (yes) {
      g.pairing_code_.clear();
      g.pairing_command_.clear();
    }
    g.redraw_ = true;
    if (g.session_.online()) g.note(fact);
    return true;
  }
  // A text that is shown as the reply; `goes_on`: the one that was there.
  bool replied(bool goes_on, Fact fact, std::string_view text) const {
    g.pager_.text(goes_on);
    g.changed(fact, text);
    return true;
  }
};

// What is done with each type of message, in the order of HubMessage.
template <class... Messages>
struct Gadget::Receivers<std::variant<Messages...>> {
  using Receive = bool (*)(Gadget&, const protocol::HubMessageRoom&);

  template <class Message>
  static bool receive(Gadget& gadget, const protocol::HubMessageRoom& room) {
    return Receiver{gadget}(room.get<Message>());
  }
  static constexpr std::array<Receive, sizeof...(Messages)> kAll{receive<Messages>...};
};

void Gadget::receive(const protocol::HubMessageRoom& message) {
  const bool early = (kEarly >> message.index() & 1U) != 0;
  const bool timely = (session_.online() || early) &&
                      Receivers<protocol::HubMessage>::kAll[message.index()](*this, message);
  if (!timely) ++counters_.untimely;
}

void Gadget::link_text(Millis now, Epoch epoch, std::span<char> message) {
  begin(now);
  if (!session_.alive(now_, epoch)) return;
  protocol::Salvage salvage;
  protocol::HubMessageRoom parsed;
  if (!protocol::read_hub_message(message, parsed, &salvage)) {
    receive(parsed);
  } else {
    ++counters_.malformed;
    if (session_.online()) malformed(salvage.type, salvage.id);
  }
  settle();
}

void Gadget::link_cut_text(Millis now, Epoch epoch, std::span<char> beginning) {
  begin(now);
  if (!session_.alive(now_, epoch)) return;
  protocol::HubMessageRoom parsed;
  if (session_.online() && protocol::read_cut_hub_message(beginning, parsed)) {
    ++counters_.cut;
    receive(parsed);
  } else {
    ++counters_.too_long;
  }
  settle();
}

void Gadget::malformed(std::string_view type, std::string_view id) {
  if (type == protocol::type_of(protocol::Action{}) && !id.empty()) {
    if (auto* const known = actions_.find(id)) {
      if (known->slot == ActionBook::Slot::answered) answer_action(*known);
      return;
    }
    note(Fact::action, "malformed");
    refuse_action(id, "the action is malformed");
  }
  if (type == protocol::type_of(protocol::OtaOffer{})) {
    updater_.malformed_offer();
    settle_update();
  }
}

}  // namespace gadget::device
