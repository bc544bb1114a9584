// sdl_library.hpp - SDL2, loaded when a window or a sound device is wanted: a hub on a server needs
// no graphics, and `sim --headless` no display. Included only where SDL's headers are there.
#pragma once

#define SDL_DISABLE_ANALYZE_MACROS  // under clang-tidy they would make SDL_free another function
#include <SDL.h>

#include "base/failure.hpp"

namespace gadget::ports::desktop {

// Version 14 formats a list like this anew each time.
// clang-format off
#define GADGET_SDL_FUNCTIONS(X)                                                                 \
  X(GetError)                                                                                   \
  X(InitSubSystem)                                                                              \
  X(QuitSubSystem)                                                                              \
  X(SetHint)                                                                                    \
  X(CreateWindow) X(DestroyWindow) X(SetWindowTitle) X(SetWindowMinimumSize) X(CreateRenderer)  \
      X(DestroyRenderer) X(GetRendererOutputSize) X(GetWindowSize) X(CreateTexture)             \
          X(DestroyTexture) X(UpdateTexture) X(SetRenderDrawColor) X(RenderClear) X(RenderCopy) \
              X(RenderPresent) X(PollEvent) X(StartTextInput) X(GetClipboardText) X(free)       \
                  X(OpenAudioDevice) X(CloseAudioDevice) X(PauseAudioDevice) X(QueueAudio)      \
                      X(DequeueAudio) X(GetQueuedAudioSize) X(ClearQueuedAudio)                 \
                          X(GetNumAudioDevices)
// clang-format on

// The functions that are used, by their names without SDL_.
struct Sdl {
// NOLINTNEXTLINE(bugprone-macro-parentheses): a declaration has none
#define GADGET_SDL_MEMBER(name) decltype(&SDL_##name) name = nullptr;
  GADGET_SDL_FUNCTIONS(GADGET_SDL_MEMBER)
#undef GADGET_SDL_MEMBER

  // Once; the library stays loaded. Error: unavailable.
  [[nodiscard]] static Result<const Sdl*> load();
};

}  // namespace gadget::ports::desktop
