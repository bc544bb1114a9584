// In place of window.cpp and sound.cpp where the headers of SDL2 are not there.
#include "ports/desktop/window.hpp"

namespace gadget::ports::desktop {

Result<std::unique_ptr<Window>> open_window(Board&) {
  return fail(FailureCode::unavailable, "this program was built without SDL2");
}

std::unique_ptr<Sound> open_sound(const Profile&, std::string& missing) {
  missing = "no microphone, no speaker: this program was built without SDL2";
  return nullptr;
}

}  // namespace gadget::ports::desktop
