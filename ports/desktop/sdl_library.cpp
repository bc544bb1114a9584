#include "ports/desktop/sdl_library.hpp"

#include <dlfcn.h>

namespace gadget::ports::desktop {

Result<const Sdl*> Sdl::load() {
  static Sdl sdl;
  if (sdl.GetError != nullptr) return &sdl;
  void* const library = dlopen("libSDL2-2.0.so.0", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    return fail(FailureCode::unavailable, "SDL2 is not installed",
                "on Debian: apt-get install libsdl2-2.0-0");
  }
  Sdl loaded;
  bool whole = true;
#define GADGET_SDL_LOOK_UP(name)                                                       \
  loaded.name = reinterpret_cast<decltype(&SDL_##name)>(dlsym(library, "SDL_" #name)); \
  whole = whole && loaded.name != nullptr;
  GADGET_SDL_FUNCTIONS(GADGET_SDL_LOOK_UP)
#undef GADGET_SDL_LOOK_UP
  if (!whole) return fail(FailureCode::unavailable, "this SDL2 is too old");
  sdl = loaded;
  return &sdl;
}

}  // namespace gadget::ports::desktop
