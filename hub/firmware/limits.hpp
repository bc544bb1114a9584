// limits.hpp - the numbers of firmware updates: unit, reason, and what happens beyond (hub/core has
// the others).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace gadget::hub::limits {

// The largest image that the owner may give. Beyond: invalid_argument. Boards of this class have
// 2 to 16 MB of flash.
inline constexpr std::size_t kFirmwareFileBytes = 32UL * 1024 * 1024;
// Images that wait for the worker, of all calls. Beyond: unavailable.
inline constexpr std::size_t kFirmwareWaiting = 4;

// ---- E43 ----
inline constexpr std::int64_t kUpdateAnswerMs = 45'000;    // `ota.ready`, a moving `ota.ack`
inline constexpr std::int64_t kUpdateDoneMs = 120'000;     // `ota.done`
inline constexpr std::int64_t kUpdateRestartMs = 600'000;  // a hello after `ota.done`
inline constexpr std::array<std::int64_t, 3> kUpdatePausesMs{60'000, 300'000, 900'000};
inline constexpr std::int64_t kUpdateTries = 1 + static_cast<std::int64_t>(kUpdatePausesMs.size());
// One try, however slowly its acks move: 2 MB at 300 bytes a second. Beyond: it timed out.
inline constexpr std::int64_t kUpdateTryMs = 7'200'000;
// How long a hello may take after a hub that was down comes back, when its time was over meanwhile.
inline constexpr std::int64_t kUpdateGraceMs = 60'000;

// How much may wait in a link when the next frame of an image is added: control, texts and audio
// overtake it in the outbox, and a slow link does not hold the whole window in memory.
inline constexpr std::size_t kFirmwareLinkBytes = 16 * 1024;

// What a device says of an error, in characters. Cut.
inline constexpr std::size_t kUpdateMessageCodePoints = 120;
inline constexpr std::size_t kUpdateCodeCodePoints = 32;

// ---- Fleets ----
inline constexpr std::int64_t kFleetBatch = 10;  // at a time, when the owner does not say
inline constexpr std::int64_t kMaxFleetBatch = 10'000;
inline constexpr std::int64_t kFleetStopAfter = 1;

}  // namespace gadget::hub::limits
