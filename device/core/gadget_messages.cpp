// What every message of the hub does (T9, T11, E34). The order is that of protocol.md.
#include <algorithm>
#include <variant>

#include "device/core/gadget.hpp"
#include "device/core/gadget_send.hpp"
#include "protocol/codec.hpp"

namespace gadget::device {
namespace {

constexpr std::string_view kPcm16 = "pcm16";

}  // namespace

struct Gadget::Receiver {
  Gadget& g;
  Millis now;

  // ---- What counts before `welcome` too

  void operator()(const protocol::Unknown&) const { ++g.counters_.unknown; }
  void operator()(const protocol::Challenge& message) const { g.session_.challenge(now, message); }
  void operator()(const protocol::ErrorMessage& message) const {
    g.session_.error(message);
    const auto text = message.message.empty() ? message.code : message.message;
    g.note(Fact::refused, text, now);
    if (g.session_.online()) g.notice(now, text, kNoticeMs);
  }
  void operator()(const protocol::Ping& message) const {
    (void)g.send(protocol::Pong{.ts = message.ts});
  }
  void operator()(const protocol::Welcome& message) const {
    if (g.session_.online()) {
      ++g.counters_.untimely;
      return;
    }
    if (!g.session_.welcome(now, message)) return;
    g.online_epoch_ = g.session_.epoch();
    ++g.counters_.connections;
    g.paired_ = message.paired;
    g.server_.set(message.server);
    g.clock_.told(now, message, g.platform_.store);
    g.redraw_ = true;
    g.note(Fact::connection, "connected", now);
    g.updater_.welcomed(now);
    g.settle_update(now);
    if (g.paired_) g.note(Fact::paired, {}, now);
  }
  void operator()(const protocol::Paired&) const {
    g.paired_ = true;
    g.pairing_code_.clear();
    g.pairing_command_.clear();
    g.redraw_ = true;
    if (g.session_.online()) g.note(Fact::paired, {}, now);
  }
  void operator()(const protocol::Unpaired&) const {
    g.paired_ = false;
    g.redraw_ = true;
    if (g.session_.online()) g.note(Fact::unpaired, {}, now);
  }

  // ---- The rest

  void operator()(const protocol::Pairing& message) const {
    g.paired_ = false;
    g.pairing_code_.set(message.code);
    g.pairing_command_.set(message.command);
    g.redraw_ = true;
    g.note(Fact::pairing, g.pairing_code_.view(), now);
  }
  void operator()(const protocol::TurnStart& message) const {
    // A card that came before stays (a reminder shows one and speaks).
    g.conversation_.start(message);
    g.pager_.text(false);
    g.redraw_ = true;
    g.note(Fact::turn_start, message.turn, now);
  }
  void operator()(const protocol::Transcript& message) const {
    g.conversation_.transcript(message.text);
    g.redraw_ = true;
    g.note(Fact::transcript, message.text, now);
  }
  void operator()(const protocol::Status& message) const {
    g.conversation_.status(message.text);
    g.redraw_ = true;
    g.note(Fact::status, message.text, now);
  }
  void operator()(const protocol::ReplyDelta& message) const {
    const bool goes_on = g.conversation_.streaming();
    if (!g.conversation_.delta(message)) {
      ++g.counters_.untimely;
      return;
    }
    g.pager_.text(goes_on);
    g.redraw_ = true;
    g.note(Fact::delta, message.text, now);
  }
  void operator()(const protocol::Reply& message) const {
    const bool goes_on = g.conversation_.streaming();
    if (!g.conversation_.reply(message)) {
      ++g.counters_.untimely;
      return;
    }
    g.pager_.text(goes_on);
    g.redraw_ = true;
    g.note(Fact::reply, message.text, now);
  }
  void operator()(const protocol::TurnEnd& message) const {
    if (!g.conversation_.end(now, message)) {
      ++g.counters_.untimely;
      return;
    }
    g.redraw_ = true;
    g.note(Fact::turn_end, message.outcome, now);
  }
  void operator()(const protocol::Notice& message) const {
    g.conversation_.give_up();
    g.notice(now, message.text, protocol::ttl_ms(message.ttl_s, kNoticeMs));
  }
  void operator()(const protocol::SpeechStart& message) const {
    const bool ours =
        message.stream >= protocol::kMinHubStream && message.stream <= protocol::kMaxHubStream &&
        message.rate_hz >= protocol::kMinRateHz && message.rate_hz <= protocol::kMaxRateHz &&
        message.format == kPcm16 && g.conversation_.may_sound(message.turn);
    if (!ours) {
      // Its frames are then of no stream; what plays ends all the same (A6).
      ++g.counters_.untimely;
      g.playback_.stop();
      return;
    }
    g.watch_playback(now);
    g.playback_.start(static_cast<std::uint8_t>(message.stream),
                      static_cast<std::uint32_t>(message.rate_hz));
    g.sounded_ = false;
  }
  void operator()(const protocol::SpeechEnd& message) const {
    if (!g.playback_.end(static_cast<std::uint8_t>(message.stream))) ++g.counters_.untimely;
  }
  void operator()(const protocol::SpeechAbort& message) const {
    if (!g.playback_.abort(static_cast<std::uint8_t>(message.stream))) ++g.counters_.untimely;
  }
  void operator()(const protocol::Display& message) const {
    g.card_.shows = true;
    g.picture_above_ = false;
    g.card_.page = 0;
    g.card_.ttl = protocol::ttl_ms(message.ttl_s, kCardMs);
    g.card_.until = kForever;
    g.card_.title.set(message.title);
    g.card_body_.set(message.body);
    g.redraw_ = true;
    g.note(Fact::card, message.title, now);
  }
  void operator()(const protocol::ImageStart& message) const {
    switch (g.picture_.start(message)) {
      case Picture::Start::begun: break;
      case Picture::Start::malformed: ++g.counters_.malformed; break;
      case Picture::Start::ignored: ++g.counters_.untimely; break;
    }
  }
  void operator()(const protocol::ImageEnd& message) const {
    if (!g.picture_.end(message.stream)) {
      ++g.counters_.untimely;
      return;
    }
    g.picture_above_ = true;
    g.redraw_ = true;
    g.note(Fact::image, {}, now);
  }
  void operator()(const protocol::Prompt& message) const {
    g.question_.ask(now, message);
    // E36: CANCEL held during a question never means a new conversation.
    Held& cancel = g.held_[static_cast<std::size_t>(Button::cancel)];
    if (cancel.use == Use::cancel) cancel.use = Use::none;
    g.redraw_ = true;
    g.note(Fact::question, message.text, now);
  }
  void operator()(const protocol::PromptClose& message) const {
    if (!g.question_.close(message.id)) ++g.counters_.untimely;
    g.redraw_ = true;
  }
  void operator()(const protocol::Action& message) const { g.run_action(now, message); }
  void operator()(const protocol::OtaOffer& message) const { g.offer_update(now, message); }
  void operator()(const protocol::OtaBegin& message) const { g.begin_update(now, message); }
  void operator()(const protocol::OtaEnd&) const {
    g.updater_.end(now);
    g.settle_update(now);
  }
  void operator()(const protocol::OtaAbort&) const {
    g.updater_.abort();
    g.settle_update(now);
  }
  void operator()(const protocol::Pong&) const {}

  // T9: before `welcome` only these.
  template <class Message>
  static constexpr bool kEarly =
      std::is_same_v<Message, protocol::Unknown> || std::is_same_v<Message, protocol::Challenge> ||
      std::is_same_v<Message, protocol::ErrorMessage> || std::is_same_v<Message, protocol::Ping> ||
      std::is_same_v<Message, protocol::Welcome> || std::is_same_v<Message, protocol::Paired> ||
      std::is_same_v<Message, protocol::Unpaired>;

  void receive(const protocol::HubMessage& message) const {
    std::visit(
        [this](const auto& one) {
          if (!g.session_.online() && !kEarly<std::decay_t<decltype(one)>>) {
            ++g.counters_.untimely;
          } else {
            (*this)(one);
          }
        },
        message);
  }
};

void Gadget::link_text(Millis now, Epoch epoch, std::span<char> message) {
  now = clocked(now);
  if (!session_.alive(now, epoch)) return;
  protocol::Salvage salvage;
  const auto parsed = protocol::parse_hub_message(message, &salvage);
  if (parsed) {
    Receiver{*this, now}.receive(*parsed);
  } else {
    ++counters_.malformed;
    if (session_.online()) malformed(now, salvage.type, salvage.id);
  }
  settle(now);
}

void Gadget::link_cut_text(Millis now, Epoch epoch, std::span<char> beginning) {
  now = clocked(now);
  if (!session_.alive(now, epoch)) return;
  const auto parsed = session_.online() ? protocol::parse_cut_hub_message(beginning) : std::nullopt;
  if (parsed) {
    ++counters_.cut;
    Receiver{*this, now}.receive(*parsed);
  } else {
    ++counters_.too_long;
  }
  settle(now);
}

void Gadget::malformed(Millis now, std::string_view type, std::string_view id) {
  if (type == protocol::type_of(protocol::Action{}) && !id.empty()) {
    if (auto* const known = actions_.find(id)) {
      if (known->slot == ActionBook::Slot::answered) answer_action(*known);
      return;
    }
    note(Fact::action, "malformed", now);
    refuse_action(id, "the action is malformed");
  }
  if (type == protocol::type_of(protocol::OtaOffer{})) {
    updater_.malformed_offer();
    settle_update(now);
  }
}

}  // namespace gadget::device
