// The board under the gadget, and what is checked after every step.
#include "device/model/world.hpp"

#include <algorithm>
#include <cstring>

#include "device/screen/canvas.hpp"

namespace gadget::device::model {
namespace {

constexpr ArgSpec kPickyArgs[] = {
    {.name = "n", .type = ArgType::integer, .min = 1, .max = 9},
    {.name = "word", .type = ArgType::text, .max_length = 8, .optional = true}};
constexpr std::array<ActionSpec, 5> kActions{{{.name = "at_once"},
                                              {.name = "later"},
                                              {.name = "fails"},
                                              {.name = "too_much"},
                                              {.name = "picky", .args = {.args = kPickyArgs}}}};
constexpr std::string_view kKey = "key";
constexpr std::string_view kTrust = "trust";
constexpr std::string_view kResetMark = "reset";

// What is drawn now and then: as small as a screen can be, so that it costs little.
constexpr int kCanvasWidth = 128;
constexpr int kCanvasHeight = 64;

// What waits for a hub: few, so that the oldest have to make room.
constexpr std::size_t kBacklogBytes = 300;

}  // namespace

World::World(std::uint8_t profile) {
  config_.name = "model";
  config_.board = "model";
  config_.firmware = "0.1.0";
  config_.max_message_bytes = (profile & 64U) != 0 ? protocol::kMaxMessageBytes : 8'192;
  config_.hub = "127.0.0.1";
  config_.mic_hz = (profile & 7U) == 1 ? 0 : (profile & 8U) != 0 ? 16'000 : 8'000;
  config_.speaker_hz = (profile & 7U) == 2 ? 0 : (profile & 16U) != 0 ? 16'000 : 8'000;
  config_.reenrol = (profile & 7U) == 3 ? ReenrolPolicy::allow : ReenrolPolicy::ask;
  if ((profile & 7U) == 4) config_.token = "open sesame";
  secure_ = (profile & 7U) == 5;
  if ((profile & 7U) != 6) {
    config_.display = protocol::DisplayCaps{.width = kCanvasWidth,
                                            .height = kCanvasHeight,
                                            .color = (profile & 32U) == 0,
                                            .charset = protocol::Charset::utf8,
                                            .text_cols = 20,
                                            .text_rows = 6,
                                            .image = protocol::ImageBox{.width = 32, .height = 32}};
  }
  entropy_ = profile;
  if ((profile & 128U) != 0) {
    firmware_ = std::make_unique<Firmware>(contract_.verdict(), contract_.update(),
                                           (profile & 24U) == 24, profile);
  }
  build();
}

void World::build() {
  playback_room_.emplace(config_.speaker_hz);
  microphone_room_.emplace(4 + config_.mic_hz / 25 * 2);
  outgoing_room_.emplace(4'096);
  reply_room_.emplace(1'024);
  card_room_.emplace(256);
  backlog_room_.emplace(kBacklogBytes);
  image_room_.emplace(32 * 32);
  canvas_room_.emplace(kCanvasWidth * kCanvasHeight);
  config_.menu = &menu_;
  if (firmware_) firmware_->boot(now_);
  gadget_ = std::make_unique<Gadget>(
      config_,
      Platform{.link = *this,
               .store = *this,
               .entropy = *this,
               .screen = this,
               .microphone = config_.mic_hz != 0 ? this : nullptr,
               .speaker = this,
               .lamp = this,
               .backlight = this,
               .actions = this,
               .firmware = firmware_.get(),
               .watcher = this},
      GadgetBuffers{.playback = playback_room_->room(),
                    .microphone = std::as_writable_bytes(microphone_room_->room()),
                    .outgoing = outgoing_room_->room(),
                    .reply = reply_room_->room(),
                    .card = card_room_->room(),
                    .image = image_room_->room(),
                    .backlog = backlog_room_->room()});
  contract_.sound() = Sound{config_.speaker_hz};
  held_ = {};
  tickets_.clear();
  before_ = {};
  awake_ = stopped_ = powered_ = false;
  doubt_seen_ = Doubt::none;
}

void World::power_on() {
  begin(Cause::none);
  resets_ = stored_.contains(kResetMark);
  contract_.powers(!secure_ && config_.reenrol == ReenrolPolicy::ask);
  contract_.update().powers(firmware_ ? firmware_->max_bytes() : 0);
  // The power went during a factory reset: it goes on with it.
  if (const auto mark = stored_.find(kResetMark); mark != stored_.end() && !mark->second.empty()) {
    contract_.loses_key();
  }
  powered_ = gadget_->start(now_);
  take_key();
  resets_ = false;
}

// What the store holds after a start, or a reset.
void World::take_key() {
  if (!powered_) {
    contract_.require(!contract_.connected(), "H1: connects without a key that is kept");
    contract_.stops();
    return;
  }
  const auto trust = stored_.find(kTrust);
  contract_.has_key(stored_[std::string{kKey}],
                    trust == stored_.end() ? 0 : std::to_integer<unsigned>(trust->second[0]),
                    store_doubtful_);
}

// ---- Link

bool World::send_text(std::string_view message) {
  contract_.says(message, !link_full_);
  return !link_full_;
}

bool World::send_binary(std::span<const std::byte> message) {
  contract_.sends(message, !link_full_);
  return !link_full_;
}

// ---- Store

std::optional<std::size_t> World::get(std::string_view name, std::span<std::byte> out) {
  const auto found = stored_.find(name);
  if (found == stored_.end() || found->second.size() > out.size()) return std::nullopt;
  std::copy(found->second.begin(), found->second.end(), out.begin());
  return found->second.size();
}

bool World::put(std::string_view name, std::span<const std::byte> value) {
  const bool begins_reset = name == kResetMark && !value.empty();
  if (begins_reset) {
    resets_ = true;
    contract_.waiting().clear();
  }
  if (store_broken_) {
    store_doubtful_ = true;
    return false;
  }
  if (begins_reset) contract_.loses_key();
  contract_.require(name != kKey || !stored_.contains(kKey) || resets_, "H1: the key is replaced");
  stored_.insert_or_assign(std::string{name}, std::vector<std::byte>(value.begin(), value.end()));
  return true;
}

// ---- The rest of the board

void World::fill(std::span<std::byte> out) {
  for (auto& byte : out) {
    entropy_ = entropy_ * 6364136223846793005ULL + 1442695040888963407ULL;
    byte = static_cast<std::byte>(entropy_ >> 56U);
  }
}

void World::show(const screen::ScreenModel& model, Millis) { check_screen(model); }

void World::wake(bool on) {
  contract_.require(on != awake_, "the speaker is told twice the same");
  awake_ = on;
}

void World::set(std::uint32_t rgb) {
  contract_.require(rgb <= 0xFFFFFF, "a colour of more than 24 bits");
}

void World::set(int percent) {
  contract_.require(percent >= 0 && percent <= kFullBrightness, "brightness out of range");
}

std::span<const ActionSpec> World::list() const { return kActions; }

ActionOutcome World::run(const ActionSpec& action, const ActionArgs& args, ActionTicket ticket,
                         ActionAnswer& answer) {
  const bool waits = action.name == "later";
  contract_.runs(action.name, ticket, !waits);
  if (waits) {
    tickets_.push_back(ticket);
    return ActionOutcome::running;
  }
  if (action.name == "picky") {
    const auto n = args.integer("n");
    contract_.require(n && *n >= 1 && *n <= 9, "E37: arguments that do not fit come through");
  }
  if (action.name == "too_much") {
    const std::string json = "\"" + std::string(kActionAnswerBytes, 'x') + "\"";
    answer.json(json);
    return ActionOutcome::done;
  }
  if (action.name == "fails") {
    answer.text("out of \"paper\"\n");
    return ActionOutcome::failed;
  }
  answer.json(R"({"n":1})");
  return ActionOutcome::done;
}

void World::noticed(Fact fact, std::string_view text, Millis) {
  contract_.require(!name(fact).empty(), "a fact without a name");
  contract_.require(protocol::is_utf8(text), "a fact that is no UTF-8");
}

// ---- What must hold after every step

void World::check_screen(const screen::ScreenModel& model) {
  for (const std::string_view text :
       {model.device_name, model.clock, model.transcript, model.status, model.reply, model.notice,
        model.hub, model.pairing_code, model.pairing_command, model.question.title,
        model.question.text, model.card.title, model.card.body, model.error}) {
    contract_.require(protocol::is_utf8(text), "text on the screen that is no UTF-8");
  }
  contract_.require(model.connected == gadget_->session().online(),
                    "the screen errs about the link");
}

namespace {

// Counters only count up.
bool grew(const Gadget::Counters& from, const Gadget::Counters& to) {
  return to.malformed >= from.malformed && to.unknown >= from.unknown &&
         to.untimely >= from.untimely && to.cut >= from.cut && to.too_long >= from.too_long &&
         to.foreign_frames >= from.foreign_frames && to.unsent >= from.unsent &&
         to.connections >= from.connections && to.lost_events >= from.lost_events &&
         to.lost_texts >= from.lost_texts;
}

}  // namespace

// The restart that an update ends with, and the end of one that went wrong.
void World::check_firmware() {
  firmware_->check();
  if (gadget_->updater().phase() == UpdatePhase::leaving) {
    contract_.require(firmware_->may_leave(), "O5 O9: leaves for no restart");
    contract_.stops();
  }
}

void World::restart_machine() {
  if (!firmware_ || (!firmware_->dead() && !firmware_->wants_restart())) return;
  contract_.require(firmware_->dead() || !contract_.connected(),
                    "E27: restarts before it left the hub");
  contract_.power_lost();
  build();
  power_on();
  contract_.begin(Cause::none, now_);
}

void World::check() {
  if (firmware_) check_firmware();
  const auto& session = gadget_->session();
  if (resets_) {  // to the state of a new one
    resets_ = false;
    powered_ = session.phase() != Phase::off;
    take_key();
  }
  tone_ = !gadget_->playback().idle() && (tone_ || gadget_->menu().page() == MenuPage::speaker);
  const bool tested = gadget_->menu().page() == MenuPage::microphone;
  const auto state = gadget_->state();
  const bool online = session.online();
  const bool recording = gadget_->talk().recording();
  if (now_ < kEndOfClock && powered_ && !stopped_) {
    contract_.end(online, recording, tested, gadget_->pause_ends(),
                  session.phase() == Phase::pausing);
  }
  contract_.require(grew(before_, gadget_->counters()), "a counter counts backwards");
  before_ = gadget_->counters();
  contract_.waiting().count({before_.lost_texts, before_.lost_events});
  if (session.doubt() != doubt_seen_) {
    doubt_seen_ = session.doubt();
    doubt_since_ = clocked(now_);
  }
  contract_.require(awake_ == !gadget_->playback().idle(), "the speaker is not told");
  contract_.require(gadget_->playback().waiting() <= config_.speaker_hz,
                    "A5: more than a second waits");
  using enum screen::State;
  if (!online) {
    contract_.require((tone_ || gadget_->playback().idle()) && !recording,
                      "E31: sound without a connection");
    contract_.require(gadget_->conversation().phase() == TurnPhase::quiet,
                      "E31: a turn without a connection");
    contract_.require(gadget_->picture().phase() != PicturePhase::receiving,
                      "E31: a picture without its hub");
    contract_.require(state == boot || state == offline || state == connecting || state == error ||
                          state == question || state == setup || state == updating ||
                          state == settings,
                      "a state that needs a hub");
  } else {
    contract_.require(state != boot && state != offline && state != connecting,
                      "a state without a hub");
  }
  contract_.require(state != listening || recording, "listening without a microphone");
  for (const bool intact :
       {playback_room_->intact(), microphone_room_->intact(), outgoing_room_->intact(),
        reply_room_->intact(), card_room_->intact(), backlog_room_->intact(), image_room_->intact(),
        canvas_room_->intact()}) {
    contract_.require(intact, "written beyond a buffer");
  }
  restart_machine();
}

}  // namespace gadget::device::model
