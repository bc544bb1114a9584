// port_config.hpp - PORT: what your board is and has. The one place for it: every file of the port
// includes this one, nothing is set on a compiler's command line.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "device/core/limits.hpp"
#include "device/screen/flush.hpp"
#include "device/screen/model.hpp"

namespace gadget::ports::port_template {

// What `hello` says, and the header of the image (image_header.cpp): an update must name this
// board (E29).
inline constexpr std::string_view kBoardName = "my-board";
inline constexpr std::string_view kFirmwareVersion = "0.1.0";

// Samples a second, 16 bit, mono. 0: it has no microphone, no speaker.
inline constexpr std::uint32_t kMicHz = 16'000;
inline constexpr std::uint32_t kSpeakerHz = 16'000;
// How long silence is written behind the last syllable before the speaker is switched off: longer
// than what your DMA has queued.
inline constexpr device::Millis kSpeakerTailMs = 100;

// Which buttons are down, one bit each.
inline constexpr std::uint8_t kTalkBit = 1;
inline constexpr std::uint8_t kCancelBit = 2;
inline constexpr std::uint8_t kUpBit = 4;
inline constexpr std::uint8_t kDownBit = 8;
// Those that there are. Without CANCEL, UP held for kLongPressMs does its work: it says no, stops a
// reply, closes a card and leaves the settings; the hints on the screen call it "Long UP".
inline constexpr std::uint8_t kButtons = kTalkBit | kCancelBit | kUpBit | kDownBit;
inline constexpr bool kLongUpIsCancel = (kButtons & kCancelBit) == 0 && (kButtons & kUpBit) != 0;
inline constexpr device::Millis kLongPressMs = 700;
// They count as pressed or released when they were so for this long.
inline constexpr device::Millis kDebounceMs = 20;

// The display. Width 0: there is none, and all drawing and the fonts stay out of the image.
inline constexpr int kScreenWidth = 160;
inline constexpr int kScreenHeight = 128;
inline constexpr bool kHasScreen = kScreenWidth > 0;
inline constexpr device::screen::Shape kScreenShape = device::screen::Shape::rectangle;
// Rows of pixels that you have memory for: all, or a band of 8 or more (screen_out.hpp).
inline constexpr int kScreenRows = 32;
// With all of them, rows that are sent at a time.
inline constexpr int kStripeRows = kScreenRows < kScreenHeight ? 0 : 8;
// `bytes_swapped` for a panel that takes the high byte of a pixel first.
inline constexpr device::screen::PixelOrder kPixelOrder = device::screen::PixelOrder::as_is;
// 2 or 4 for a panel that takes rectangles only whose x and width are multiples of that.
inline constexpr int kAlignX = 1;
static_assert(kScreenWidth % kAlignX == 0);

// A serial console (docs/device-console.md); false: it stays out of the image.
inline constexpr bool kHasConsole = true;

// The longest message of the hub that is taken whole; 4,096 to 65,536 (E33).
inline constexpr std::size_t kReceiveBytes = 8'192;

// What the store's flash writes at once, and never twice after an erase: 8, or 16 or 32.
inline constexpr std::size_t kFlashUnit = 8;

}  // namespace gadget::ports::port_template
