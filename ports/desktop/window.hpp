// window.hpp - a virtual gadget as a window, and the microphone and the speaker of this machine
// (SDL2).
//
// Keys: Space is TALK (held), Esc or Backspace CANCEL, Up and Down are themselves; letters are
// typed, Enter sends them, and while something is typed Space is a space and Esc takes it away. The
// buttons beside the screen are pressed with the mouse; the right one keeps a button down until it
// is clicked again (for two at once). F2 saves the screen as gadget-N.png.
//
// One thread, the main one. Built without SDL2, open() says so.
#pragma once

#include <memory>
#include <string>

#include "ports/desktop/board.hpp"

namespace gadget::ports::desktop {

class Window {
 public:
  virtual ~Window() = default;
  // Takes what happened to the window and shows the gadget as it is now. False: it was closed.
  [[nodiscard]] virtual bool step() = 0;
  // What stands in the line below while nothing is typed: what a person should know.
  virtual void note(std::string text) = 0;
};

// Errors: unavailable: no display, no SDL2.
[[nodiscard]] Result<std::unique_ptr<Window>> open_window(Board& board);

// Opens what there is of microphone and speaker for such a board. `missing`: a sentence about what
// is not there, empty when all is. Null: nothing is.
[[nodiscard]] std::unique_ptr<Sound> open_sound(const Profile& profile, std::string& missing);

}  // namespace gadget::ports::desktop
