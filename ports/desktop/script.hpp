// script.hpp - what a virtual gadget is to do, one step a line, `#` comments.
//
//   wait SCREEN [SECONDS]    until the screen shows that state, 10 s unless said otherwise;
//                            `ready,card` is either
//   sleep SECONDS
//   text TEXT...             types the rest of the line and sends it
//   press B, release B, tap B   B is talk, cancel, up or down
//   wav FILE, say TEXT...    starts feeding the microphone in real time
//   drain                    until all of that was heard by the microphone
//   sensor NAME VALUE        a number, true, false, null (removes it) or text
//   event NAME [JSON], event! NAME [JSON]   the second with `notify`
//   expect TEXT...           the screen contains it now
//   expect-spoken SECONDS    so much was played since the last one
//   screenshot FILE.png, speaker FILE.wav
//   link down, link up, power cut
//   answer-reenrol yes, answer-reenrol no   answers E32's question when it comes
//   console LINE...          a line on the board's console; an `error` ends the script
//   quit                     so does the end of the script
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/failure.hpp"
#include "device/core/gadget.hpp"
#include "device/screen/model.hpp"

namespace gadget::ports::desktop {

enum class StepKind : std::uint8_t {
  wait,
  sleep,
  text,
  press,
  release,
  tap,
  wav,
  say,
  drain,
  sensor,
  event,
  event_notify,
  expect,
  expect_spoken,
  screenshot,
  speaker,
  link_down,
  link_up,
  power_cut,
  answer_reenrol,
  console,
  quit,
};

struct Step {
  StepKind kind = StepKind::quit;
  int line = 0;
  std::vector<device::screen::State> states;     // wait
  double seconds = 0;                            // wait, sleep, expect-spoken
  device::Button button = device::Button::talk;  // press, release, tap
  std::string name;                              // sensor, event
  std::string text;  // the rest of the line; of a sensor or event its JSON
  bool yes = false;  // answer-reenrol
};

// Errors: invalid_argument "line 3: ..." for anything that is none of the above.
[[nodiscard]] Result<std::vector<Step>> parse_script(std::string_view text);

// A value as somebody types it, as JSON: 21.5, true, null as they are, anything else as a string.
[[nodiscard]] std::string json_of(std::string_view value);

}  // namespace gadget::ports::desktop
