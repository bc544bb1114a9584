#include "hub/twin/twin.hpp"

#include <algorithm>
#include <variant>

#include "hub/core/limits.hpp"
#include "hub/core/phrases.hpp"
#include "hub/firmware/updates.hpp"
#include "media/text.hpp"
#include "protocol/utf8.hpp"

namespace gadget::hub {
namespace {

template <class... Calls>
struct Overloaded : Calls... {
  using Calls::operator()...;
};
template <class... Calls>
Overloaded(Calls...) -> Overloaded<Calls...>;

constexpr std::uint16_t kCloseNormal = 1000;
constexpr std::string_view kOwnerNameKey = "hub.name";  // among the device's values in the store

}  // namespace

struct Twin::Replacement {
  struct Old {
    Connection::Id epoch = 0;
    Millis at = 0;
  };
  std::vector<Old> old;         // replaced within the last 3 s, and showed no life yet
  std::vector<Millis> counted;  // replacements of connections that still lived, within a minute
  Millis refused_until = 0;
};

Twin::Twin(Context& context, TwinHost& host, DeviceId id, Standing standing)
    : context_(context),
      host_(host),
      id_(id),
      standing_(standing),
      actions_(context, *this),
      questions_(context, *this),
      pictures_(context, *this),
      conversation_(context, *this) {
  if (auto name = context_.parts.store->value(id_, kOwnerNameKey); name && *name) {
    owner_name_ = std::move(**name);
  }
}

Twin::~Twin() = default;

Connection* Twin::outlet() const { return standing_ == Standing::approved ? connection_ : nullptr; }

std::string Twin::display_name() const { return owner_name_.empty() ? name_ : owner_name_; }

void Twin::abandon() {
  conversation_.abandon();
  pictures_.abandon();
}

bool Twin::idle() const {
  return connection_ == nullptr && conversation_.idle() && !questions_.awaited();
}

DeviceView Twin::view() const {
  return {.id = id_,
          .name = display_name(),
          .board = board_,
          .firmware = firmware_,
          .has_display = has_display_,
          .display_width = display_width_,
          .display_height = display_height_,
          .has_speaker = has_speaker_,
          .takes_pictures = takes_pictures_,
          .online = online(),
          .actions = manifest_,
          .sensors = sensors_};
}

void Twin::describe(const DeviceRecord& record) {
  name_ = record.name;
  board_ = record.board;
  firmware_ = record.firmware;
  address_ = record.address;
}

// ---- Connections ----

bool Twin::refuses_replacement() const {
  if (!replacement_ || connection_ == nullptr) return false;
  const Millis now = context_.now();
  const Millis fresh = limits::kAliveHeartbeats * context_.options.heartbeat_s * 1000;
  return now < replacement_->refused_until && now - connection_->last_frame_ms() <= fresh;
}

void Twin::attach(Connection& connection, Entry entry) {
  Connection* const old = std::exchange(connection_, nullptr);
  if (old != nullptr) lose_connection();
  Introduction& said = entry.introduction;
  name_ = std::move(said.name);
  board_ = std::move(said.board);
  firmware_ = std::move(said.firmware);
  address_ = connection.peer().address;
  has_display_ = said.caps.display.has_value();
  const auto pixels = [](std::int64_t said_pixels) {
    return static_cast<std::int32_t>(std::clamp<std::int64_t>(said_pixels, 0, limits::kMaxPixels));
  };
  display_width_ = has_display_ ? pixels(said.caps.display->width) : 0;
  display_height_ = has_display_ ? pixels(said.caps.display->height) : 0;
  has_speaker_ = said.caps.speaker.has_value();
  takes_pictures_ = said.caps.display && said.caps.display->image;
  manifest_ = std::move(said.actions);
  sensors_ = std::move(said.sensors);
  standing_ = entry.standing;
  pairing_again_ms_.reset();
  connection_ = &connection;
  connection.deliver_to(this);
  attached_ms_ = context_.now();
  connection.welcome(standing_ == Standing::approved, entry.key, entry.first);
  if (old != nullptr) {
    if (!replacement_) replacement_ = std::make_unique<Replacement>();
    replacement_->old.push_back({old->id(), context_.now()});
    old->close(kCloseNormal, "replaced by a newer connection");
  }
  if (standing_ == Standing::approved) {
    ready();
  } else if (entry.pairing) {
    offer_pairing(*entry.pairing, Show::always);
  }
  context_.changed(id_);
  if (connection_ == &connection) context_.updates->connected(id_, connection, firmware_);
}

void Twin::link_took() {
  pictures_.link_took();
  context_.updates->link_took(id_);
}

void Twin::still_lives(Connection::Id epoch) {
  if (!replacement_) return;
  const Millis now = context_.now();
  auto& old = replacement_->old;
  std::erase_if(old, [now](const auto& one) { return now - one.at > limits::kStillLivedMs; });
  const auto its =
      std::find_if(old.begin(), old.end(), [epoch](const auto& one) { return one.epoch == epoch; });
  if (its == old.end()) return;
  old.erase(its);
  auto& counted = replacement_->counted;
  std::erase_if(counted, [now](Millis at) { return now - at >= limits::kReplacementWindowMs; });
  counted.push_back(now);
  if (counted.size() <= limits::kReplacementsInWindow || now < replacement_->refused_until) return;
  replacement_->refused_until = now + limits::kRefuseReplacementMs;
  context_.log(LogFact::Level::warning, "device.key_cloned",
               {{"device", id_text()},
                {"hint", "two devices use one key: forget it, and let each enrol with its own"}});
}

void Twin::detach(Connection& connection) {
  if (connection_ != &connection) return;  // replaced before it ended
  connection_ = nullptr;
  lose_connection();
  if (standing_ == Standing::pending) {
    context_.parts.authority->disconnected(id_, context_.wall());
  } else if (context_.now() - attached_ms_ >= kContactGrainMs) {
    (void)context_.parts.store->touch(id_, context_.wall());
  }
  context_.changed(id_);
  host_.settled(*this);
}

void Twin::lose_connection() {
  code_timer_.clear();
  context_.updates->disconnected(id_);
  actions_.fail_all("the device went away");
  pictures_.fail_all("the device went away");
  conversation_.disconnected();
}

void Twin::ready() {
  conversation_.connected();
  questions_.connected();
}

// ---- From the device ----

void Twin::received(const protocol::BinaryFrame& frame) {
  if (outlet() == nullptr || frame.channel != protocol::Channel::audio) {
    if (connection_ != nullptr) connection_->count_dropped();
    return;
  }
  conversation_.frame(frame);
}

void Twin::received(const protocol::DeviceMessage& message) {
  if (take_update(message)) return;
  if (outlet() == nullptr) return take_pending(message);
  std::visit(
      Overloaded{
          [this](const protocol::Text& text) { conversation_.text(text.text); },
          [this](const protocol::UtteranceStart& start) { conversation_.start(start); },
          [this](const protocol::UtteranceEnd& end) { conversation_.end(end); },
          [this](const protocol::UtteranceCancel& gone) { conversation_.cancel_utterance(gone); },
          [this](const protocol::Cancel&) { conversation_.cancel(); },
          [this](const protocol::SessionNew&) { conversation_.new_session(); },
          [this](const protocol::PromptReply& reply) { questions_.reply(reply); },
          [this](const protocol::ActionResult& result) { actions_.result(result); },
          [this](const protocol::State& state) { merge(state.sensors); },
          [this](const protocol::Event& event) { take_event(event); },
          [this](const auto&) { connection_->count_dropped(); },
      },
      message);
}

// E40: of an unpaired device too. What is not expected now is dropped (E1). False: of no update.
bool Twin::take_update(const protocol::DeviceMessage& message) {
  if (connection_ == nullptr) return false;
  return std::visit(
      [this]<class Message>(const Message& its) {
        constexpr bool is_update = std::is_same_v<Message, protocol::OtaReady> ||
                                   std::is_same_v<Message, protocol::OtaAck> ||
                                   std::is_same_v<Message, protocol::OtaDone> ||
                                   std::is_same_v<Message, protocol::OtaError>;
        if constexpr (is_update) {
          if (!context_.updates->received(id_, its)) connection_->count_dropped();
        }
        return is_update;
      },
      message);
}

// E40: what an unpaired device may do, and what brings the code again.
void Twin::take_pending(const protocol::DeviceMessage& message) {
  if (connection_ == nullptr) return;
  if (const auto* state = std::get_if<protocol::State>(&message)) return merge(state->sensors);
  connection_->count_dropped();
  const bool conversation = std::holds_alternative<protocol::Text>(message) ||
                            std::holds_alternative<protocol::UtteranceEnd>(message) ||
                            std::holds_alternative<protocol::SessionNew>(message) ||
                            std::holds_alternative<protocol::Event>(message);
  if (conversation) pairing_again();
}

void Twin::merge(protocol::Json readings) {
  if (merge_sensors(readings, sensors_, context_.wall()) > 0) connection_->count_dropped();
  context_.changed(id_);
}

void Twin::take_event(const protocol::Event& event) {
  if (event.data.text.size() > protocol::kMaxEventDataBytes) return connection_->count_dropped();
  ++events_counted_;
  const Millis now = context_.now();
  std::erase_if(notified_, [now](Millis at) { return now - at >= limits::kNotifyWindowMs; });
  const bool notify = event.notify && notified_.size() < limits::kNotifyInWindow;
  const std::string name = one_line(event.name, protocol::kMaxNameCodePoints);
  const std::string data(event.data.text);
  recent_events_.push_back({name, data, context_.wall(), notify});
  if (recent_events_.size() > limits::kRecentEvents) recent_events_.erase(recent_events_.begin());
  context_.changed(id_);
  if (!notify) return;
  notified_.push_back(now);
  conversation_.event(name, data);
}

// ---- Pairing ----

void Twin::request_pairing(Show show) {
  if (connection_ == nullptr) return;
  const auto answer = context_.parts.authority->request(id_, address_, context_.wall());
  if (std::holds_alternative<PairingBusy>(answer)) {
    return connection_->refuse("busy", "too many devices await approval");
  }
  offer_pairing(answer, show);
}

void Twin::offer_pairing(const PairingAnswer& answer, Show show) {
  code_timer_.clear();
  const auto* offer = std::get_if<PairingOffer>(&answer);
  if (offer == nullptr) {
    connection_->notice(phrases::kWaitForCode);
    code_timer_.set(context_.scheduler, context_.now() + limits::kWaitForCodeMs,
                    [this] { request_pairing(Show::when_changed); });
    return;
  }
  if (show == Show::always || offer->code != shown_code_) {
    shown_code_ = offer->code;
    const std::string command = plain(offer->command, connection_->caps().charset());
    connection_->send(protocol::Pairing{.code = offer->code, .command = command});
  }
  // The device gets a new code when this one expires (E14). The wall clock may be set meanwhile, so
  // it is looked at every minute.
  const Millis left = offer->expires_wall_ms - context_.wall();
  const Millis wait = std::clamp<Millis>(left, 1000, limits::kCodeRecheckMs);
  code_timer_.set(context_.scheduler, context_.now() + wait,
                  [this] { request_pairing(Show::when_changed); });
}

// E15: at most every 30 s.
void Twin::pairing_again() {
  const Millis now = context_.now();
  if (pairing_again_ms_ && now - *pairing_again_ms_ < limits::kPairingAgainMs) return;
  pairing_again_ms_ = now;
  request_pairing(Show::always);
}

void Twin::offer_changed() {
  if (standing_ == Standing::pending) request_pairing(Show::always);
}

void Twin::approve() {
  if (standing_ == Standing::approved) return;
  standing_ = Standing::approved;
  context_.changed(id_);
  code_timer_.clear();
  if (connection_ == nullptr) return;
  connection_->send(protocol::Paired{});
  ready();
}

// E44: what it was doing ends while it may still be told so, then it is unpaired.
void Twin::revoke() {
  if (standing_ == Standing::pending) return;
  conversation_.revoke();
  actions_.fail_all("the device's approval was revoked");
  pictures_.fail_all("the device's approval was revoked");
  questions_.withdraw_all();
  standing_ = Standing::pending;
  context_.changed(id_);
  if (connection_ == nullptr) return;
  connection_->send(protocol::Unpaired{});
  request_pairing(Show::always);
}

void Twin::forget() {
  conversation_.revoke();
  actions_.fail_all("the device was forgotten");
  pictures_.fail_all("the device was forgotten");
  questions_.withdraw_all();
  standing_ = Standing::pending;
  if (connection_ != nullptr) connection_->close(kCloseNormal, "forgotten");
}

// ---- Cards ----

void Twin::send_card(Connection& connection, std::string_view title, std::string_view body,
                     Millis ttl_ms) {
  const auto charset = connection.caps().charset();
  const std::string shaped_title =
      media::cut_utf8(screen(title, charset), limits::kQuestionTitleBytes);
  const std::string shaped_body = screen(body, charset);
  const Millis ttl_s = std::clamp<Millis>(ttl_ms / 1000, 0, protocol::kMaxTtlS);
  const std::string ttl = std::to_string(ttl_s);
  connection.send_fitting(
      protocol::Display{.title = shaped_title, .body = shaped_body, .ttl_s = {ttl}},
      &protocol::Display::body);
}

Result<void> Twin::show(std::string_view title, std::string_view body, Millis ttl_ms) {
  Connection* const connection = outlet();
  if (connection == nullptr) {
    return fail(FailureCode::unavailable, id_text() + " is not connected");
  }
  send_card(*connection, title, body, ttl_ms);
  return {};
}

}  // namespace gadget::hub
