#include "ports/template/port.hpp"

#include <algorithm>

namespace gadget::ports::port_template {
namespace {

// Sound is moved in pieces of this size, on the stack: 10 ms at 16 kHz.
constexpr std::size_t kSoundPiece = 160;
// And at most so many in one step, should samples have piled up.
constexpr int kSoundPieces = 8;

device::GadgetConfig core_config(const PortConfig& config, [[maybe_unused]] PortMemory& memory) {
  device::GadgetConfig core;
  core.name = config.name;
  core.board = config.board;
  core.firmware = config.firmware;
  core.token = config.token;
  core.hub = config.hub;
  core.mic_hz = kMicHz;
  core.speaker_hz = kSpeakerHz;
  core.max_message_bytes = kReceiveBytes;
  core.build_time_ms = config.build_time_ms;
#ifdef GADGET_TEMPLATE_NO_SCREEN
  core.fonts = nullptr;
#else
  core.menu = &memory.menu;
  // PORT: `text_cols` and `text_rows` are what fits: count them on a screenshot.
  core.display = protocol::DisplayCaps{.width = kScreenWidth,
                                       .height = kScreenHeight,
                                       .color = true,
                                       .charset = protocol::Charset::ascii,
                                       .text_cols = 24,
                                       .text_rows = 6,
                                       .image = std::nullopt};
#endif
  return core;
}

}  // namespace

Port::Port(Board& board, const PortConfig& config, PortMemory& memory)
    : board_(board),
      last_ticks_(board.ticks_ms()),
      store_(board),
      link_(board, memory.receive),
#ifndef GADGET_TEMPLATE_NO_SCREEN
      screen_(board, memory.pixels, memory.stripe, kScreenWidth, kScreenHeight,
              device::screen::kAsciiFonts),
#endif
      gadget_(core_config(config, memory),
              // PORT: leave out (null) what your board lacks.
              {.link = link_,
               .store = store_,
               .entropy = *this,
#ifndef GADGET_TEMPLATE_NO_SCREEN
               .screen = &screen_,
#endif
               .microphone = this,
               .speaker = this,
               .lamp = this,
               .backlight = this,
               .actions = nullptr,  // PORT: what your board can do for the agent
               .firmware = board.firmware(),
               .watcher = this},
              memory.gadget.view()),
      console_(gadget_, *this) {
  link_.attach(gadget_);
}

device::Millis Port::now() {
  const std::uint32_t ticks = board_.ticks_ms();
  now_ += static_cast<std::uint32_t>(ticks - last_ticks_);  // right across the wrap (B-50)
  last_ticks_ = ticks;
  return now_;
}

bool Port::start() { return gadget_.start(now()); }

void Port::step() {
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

void Port::wake(bool on) {
  awake_ = on;
  board_.speaker_on(on);
}

void Port::run_speaker(device::Millis now) {
  std::array<std::int16_t, kSoundPiece> samples;  // NOLINT: filled by the core
  for (int i = 0; awake_ && i < kSoundPieces; ++i) {
    const std::size_t room = std::min(board_.speaker_room(), samples.size());
    if (room == 0) return;
    const auto piece = std::span{samples}.first(room);
    (void)gadget_.play(now, piece);  // what is not voice is silence
    board_.speaker_write(piece);
  }
}

void Port::noticed(device::Fact fact, std::string_view text, device::Millis) {
  console_.noticed(fact, text);
  board_.log(device::name(fact), text);
}

}  // namespace gadget::ports::port_template
