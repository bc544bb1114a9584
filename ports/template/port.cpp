#include "ports/template/port.hpp"

#include <algorithm>
#include <utility>

namespace gadget::ports::port_template {
namespace {

// Sound is moved in pieces of this size, on the stack: 10 ms at 16 kHz.
constexpr std::size_t kSoundPiece = 160;
// And at most so many in one step, should samples have piled up.
constexpr int kSoundPieces = 8;

// From a restart that was asked for until it is done: the console's answer and the close frame go
// out meanwhile. The same as after an update.
constexpr device::Millis kRestartWaitMs = 500;

constexpr bool has(std::uint8_t button) { return (kButtons & button) != 0; }

device::GadgetConfig core_config(const PortConfig& config, device::Menu& menu) {
  device::GadgetConfig core;
  core.name = config.name;
  core.board = kBoardName;
  core.firmware = kFirmwareVersion;
  core.token = config.token;
  core.hub = config.hub;
  core.mic_hz = kMicHz;
  core.speaker_hz = kSpeakerHz;
  core.inputs = {
      .talk = has(kTalkBit), .cancel = has(kCancelBit), .up = has(kUpBit), .down = has(kDownBit)};
  if (kLongUpIsCancel) core.cancel_stand_in = "Long UP";
  core.max_message_bytes = kReceiveBytes;
  core.build_time_ms = config.build_time_ms;
  core.fonts = nullptr;
  if constexpr (kHasScreen) {
    core.fonts = &device::screen::kAsciiFonts;
    core.menu = &menu;
    core.shape = kScreenShape;
    const auto room = device::screen::room_of(kScreenWidth, kScreenHeight, kScreenShape);
    core.display = protocol::DisplayCaps{.width = kScreenWidth,
                                         .height = kScreenHeight,
                                         .color = true,
                                         .charset = protocol::Charset::ascii,
                                         .text_cols = room.text_cols,
                                         .text_rows = room.text_rows,
                                         .image = std::nullopt};
  }
  return core;
}

template <class Out>
device::Screen* screen_of(Out& out) {
  if constexpr (kHasScreen) return &out;
  return nullptr;
}

}  // namespace

Port::Port(Board& board, const PortConfig& config, PortMemory& memory)
    : board_(board),
      last_ticks_(board.ticks_ms()),
      store_(board, kFlashUnit),
      link_(board, memory.receive),
      screen_(board, memory.pixels, memory.stripe, kScreenWidth, kScreenHeight,
              device::screen::kAsciiFonts),
      gadget_(core_config(config, menu_),
              // PORT: null for a lamp or a light that your board lacks.
              {.link = link_,
               .store = store_,
               .entropy = *this,
               .screen = screen_of(screen_),
               .microphone = this,
               .speaker = this,
               .lamp = this,
               .backlight = this,
               .actions = config.actions,
               .firmware = board.firmware(),
               .watcher = this},
              memory.gadget.view()),
      console_(gadget_, *this) {
  link_.attach(gadget_);
}

device::Millis Port::now() {
  const std::uint32_t ticks = board_.ticks_ms();
  // Right across the wrap (B-50). Back, as a counter does that wraps earlier, is no time at all
  // instead of 48 days.
  const auto passed = static_cast<std::int32_t>(ticks - last_ticks_);
  if (passed > 0) now_ += passed;
  last_ticks_ = ticks;
  return now_;
}

bool Port::start() { return gadget_.start(now()); }

void Port::step() {
  board_.poll();
  const device::Millis time = now();
  if (const bool up = board_.network_up(); up != network_) {
    network_ = up;
    gadget_.network(time, up);
  }
  link_.run(time);
  run_console(time);
  run_buttons(time);
  run_microphone(time);
  run_speaker(time);
  gadget_.tick(time);
  console_.tick(time);
  run_restart(time);
}

void Port::run_console(device::Millis now) {
  std::array<char, 64> typed;  // NOLINT: filled by the board
  const std::size_t size = board_.console_read(typed);
  if (size > 0) console_.feed(now, {typed.data(), size});
}

void Port::run_buttons(device::Millis now) {
  const std::uint8_t raw = board_.buttons();
  if (raw != raw_buttons_) {
    raw_buttons_ = raw;
    buttons_since_ = now;
  }
  if constexpr (kLongUpIsCancel) run_long_up(now);
  if (raw == buttons_ || now - buttons_since_ < kDebounceMs) return;
  const auto changed = static_cast<std::uint8_t>(raw ^ buttons_);
  buttons_ = raw;
  using enum device::Button;
  constexpr std::array<std::pair<std::uint8_t, device::Button>, device::kButtons> kBits{
      {{kTalkBit, talk}, {kCancelBit, cancel}, {kUpBit, up}, {kDownBit, down}}};
  for (const auto& [bit, button] : kBits) {
    if ((changed & bit) != 0) gadget_.button(now, button, (raw & bit) != 0);
  }
}

void Port::run_long_up(device::Millis now) {
  const bool spoilt = (buttons_ & kDownBit) != 0;  // both open the settings
  const auto edge = long_up_.take(now, (buttons_ & kUpBit) != 0, spoilt, kLongPressMs);
  if (edge == LongPress::Edge::none) return;
  gadget_.button(now, device::Button::cancel, edge == LongPress::Edge::down);
}

void Port::listen(bool on) {
  listening_ = on;
  board_.microphone_on(on);
}

void Port::run_microphone(device::Millis now) {
  std::array<std::int16_t, kSoundPiece> samples;  // NOLINT: filled by the board
  for (int i = 0; listening_ && i < kSoundPieces; ++i) {
    const std::size_t size = board_.microphone_read(samples);
    if (size == 0) return;
    gadget_.microphone(now, std::span<const std::int16_t>{samples}.first(size));
  }
}

// The core has nothing more to play when it hands out the last samples: they are written after
// that, and heard later still. Then silence follows, and then the speaker is off.
void Port::wake(bool on) {
  awake_ = on;
  speaker_until_ = now_ + kSpeakerTailMs;
  if (on && !std::exchange(speaker_on_, true)) board_.speaker_on(true);
}

void Port::run_speaker(device::Millis now) {
  std::array<std::int16_t, kSoundPiece> samples;  // NOLINT: filled below
  for (int i = 0; speaker_on_ && i < kSoundPieces; ++i) {
    const std::size_t room = std::min(board_.speaker_room(), samples.size());
    if (room == 0) break;
    const auto piece = std::span{samples}.first(room);
    if (awake_) {
      (void)gadget_.play(now, piece);  // what is not voice is silence
    } else {
      std::fill(piece.begin(), piece.end(), std::int16_t{0});
    }
    board_.speaker_write(piece);
  }
  if (awake_ || !speaker_on_ || now < speaker_until_) return;
  speaker_on_ = false;
  board_.speaker_on(false);
}

bool Port::restart() {
  if (!board_.can_restart()) return false;
  restart_at_ = now_ + kRestartWaitMs;
  return true;
}

void Port::run_restart(device::Millis now) {
  if (restart_at_ == 0 || now < restart_at_) return;
  restart_at_ = 0;
  board_.restart();
}

void Port::noticed(device::Fact fact, std::string_view text, device::Millis) {
  console_.noticed(fact, text);
  board_.log(device::name(fact), text);
}

}  // namespace gadget::ports::port_template
