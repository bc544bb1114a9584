// model.hpp - everything that the screen shows, as one plain struct, and the functions that draw
// it.
//
// The core fills a ScreenModel whenever something changes; views point into the core's own buffers
// and must stay valid during the call only. `draw` is a pure function of model, canvas size and
// time: call it about every 40 ms (faces move) and after each change; a picture that did not change
// costs a few hashes and leaves dirty() empty.
//
// No heap, no I/O, no clock; one thread. Source: D1, D2, Q3, R2-R7, P1-P3, E14, E32; states:
// interfaces of scripts.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string_view>

#include "device/screen/canvas.hpp"
#include "device/screen/font.hpp"

namespace gadget::device::screen {

enum class State : std::uint8_t {
  boot,
  setup,
  offline,
  connecting,
  pairing,
  ready,
  listening,
  thinking,
  replying,
  card,
  image,
  question,
  updating,
  settings,
  error,
};
inline constexpr std::size_t kStates = 15;

// The word that scripts use: "boot", "setup" ...; and back.
[[nodiscard]] std::string_view name(State state);
[[nodiscard]] std::optional<State> state_named(std::string_view word);

// `reply_page` and `card_page`: the last page, whichever that is; for text that still streams in.
inline constexpr std::uint16_t kLastPage = std::numeric_limits<std::uint16_t>::max();
inline constexpr std::uint8_t kLinkBars = 4;

struct Battery {
  std::uint8_t percent = 100;
  bool charging = false;
};

// A yes/no question (Q1), or the device's own about its key (E32).
struct QuestionView {
  std::string_view title;
  std::string_view text;
  std::optional<std::uint32_t> seconds_left;  // none: it does not expire
  std::uint32_t seconds_total = 0;            // for the bar that shrinks; 0: no bar
  bool guard = false;                         // the first 0.6 s, in which presses do nothing (Q3)
  bool reenrol =
      false;  // "This hub does not know me. Send my key again?"; title and text may be empty
};

struct CardView {
  std::string_view title;
  std::string_view body;
  std::uint16_t page = 0;
};

struct ImageView {
  std::span<const Colour> pixels;  // RGB565 in the machine's byte order, row by row
  int width = 0;
  int height = 0;
  std::uint32_t revision = 0;  // another one for other pixels: the same is not drawn again
};

struct SettingView {
  std::string_view label;
  std::string_view value;
};

// On a round screen (its circle the largest one in the middle) nothing is drawn in the corners.
enum class Shape : std::uint8_t { rectangle, round };

inline constexpr std::uint8_t kTestPatterns = 5;

struct ScreenModel {
  State state = State::boot;
  Shape shape = Shape::rectangle;
  bool mono = false;  // pixels are black or white (mono.hpp): no greys, nothing said by colour

  // Top bar.
  std::string_view device_name;
  std::string_view clock;         // "14:05"; empty: not known
  bool connected = false;         // welcome has come
  std::uint8_t link = kLinkBars;  // 0..kLinkBars, for a radio
  std::optional<Battery> battery;
  std::optional<std::uint32_t> led;  // 0xRRGGBB of the board's lamp, shown where there is none
  std::uint8_t volume = 100;         // percent; 0 shows as muted

  // Conversation.
  std::string_view transcript;  // what was heard (R2)
  std::string_view status;  // working phrase (R3); in boot, setup, offline, connecting, updating
                            // what is going on
  std::string_view reply;   // R4, R5
  std::uint16_t reply_page = 0;
  std::string_view notice;         // R7: over the bottom line, up to three lines
  std::uint8_t mic_level = 0;      // 0..255, loudness in the last 50 ms or so
  std::uint8_t speaker_level = 0;  // the same of what is being played; 0: silent

  std::string_view hub;        // its name or host, to look for or to talk to
  std::string_view device_id;  // for pairing (E14)
  std::string_view pairing_code;
  std::string_view pairing_command;

  // What the buttons are called on this board, in hints; empty: it has none, and no hint speaks of
  // it. And a hint of the core's own instead of the state's: `hint`, or when `cancel_does` says
  // something ("goes back"), `hint`, CANCEL's name and that.
  std::string_view talk_button = "TALK";
  std::string_view cancel_button = "CANCEL";
  std::string_view hint;
  std::string_view cancel_does;
  bool hears = true;         // there is a microphone
  bool tap_to_talk = false;  // TALK is tapped, not held

  QuestionView question;
  CardView card;
  ImageView image;
  std::uint8_t update_percent = 0;
  std::string_view update_version;
  std::string_view error;
  std::span<const SettingView> settings;
  std::uint16_t setting_chosen = 0;
  std::uint8_t test_pattern = 0;  // state settings: 1..kTestPatterns instead of the list
  std::uint8_t hold_percent = 0;  // CANCEL is being held for a new conversation (C8); 0: it is not
};

// What fits on such a screen, for `caps.display` (H4): lines of a reply, and the box in which a
// picture is seen whole.
struct Room {
  int text_cols = 0;
  int text_rows = 0;
  int image_width = 0;
  int image_height = 0;
};
[[nodiscard]] Room room_of(int width, int height, Shape shape, const FontSet& fonts = kAsciiFonts);

// Draws the picture of `model` at `now_ms` (any clock that goes on; pictures depend on nothing
// else).
void draw(const ScreenModel& model, Canvas& canvas, std::uint64_t now_ms,
          const FontSet& fonts = kAsciiFonts);

// Pages that the reply (states replying and ready) or the card's body has on such a screen; at
// least 1.
[[nodiscard]] std::uint16_t page_count(const ScreenModel& model, int width, int height,
                                       const FontSet& fonts = kAsciiFonts);

// Bytes of the reply up to the end of its page `page` (from 0).
[[nodiscard]] std::size_t page_end(const ScreenModel& model, int width, int height,
                                   std::uint16_t page, const FontSet& fonts = kAsciiFonts);

// The text that `draw` would show now, the current page only, with single spaces and line feeds
// between the parts, into `out`. Returns the part of `out` that was written; what does not fit is
// left out, never half a character.
[[nodiscard]] std::string_view text_of(const ScreenModel& model, int width, int height,
                                       std::span<char> out, const FontSet& fonts = kAsciiFonts);

// Whether `needle` is to be read on the screen now; white space of any kind and amount counts as
// one space. An empty needle is visible.
[[nodiscard]] bool visible(const ScreenModel& model, int width, int height, std::string_view needle,
                           const FontSet& fonts = kAsciiFonts);

}  // namespace gadget::device::screen
