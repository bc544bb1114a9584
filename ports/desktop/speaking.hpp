// speaking.hpp - a voice for the person in front of a virtual gadget (`say`): not the hub's.
//
// Blocks for some ten milliseconds a sentence. One thread at a time (Flite shares state).
#pragma once

#include <string>
#include <string_view>

#include "base/failure.hpp"
#include "media/wav.hpp"

namespace gadget::ports::desktop {

// `voice`: rms, slt, awb or kal (Flite), or espeak (the program espeak-ng, which must be
// installed). Errors: invalid_argument for another voice, unavailable when it does not work.
[[nodiscard]] Result<media::Recording> speak(std::string_view voice, const std::string& text);

}  // namespace gadget::ports::desktop
