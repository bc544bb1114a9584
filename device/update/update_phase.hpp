// update_phase.hpp - the life of an update as pure tables (O1-O9, E38).
//
//   idle -> offered -> receiving -> verifying -> installed -> leaving -> (another boot) probation
//
// Every error leaves neither offer nor update: it leads to `idle`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace gadget::device {

enum class UpdatePhase : std::uint8_t {
  idle,
  offered,    // `ota.ready` was said, `ota.begin` must come
  receiving,  // authorized; the spare slot is erased and written
  verifying,  // all bytes came; the slot is read back
  installed,  // `ota.done`: marked, the restart comes
  leaving,    // the connection is being closed, then the machine restarts
};
inline constexpr std::size_t kUpdatePhases = 6;
// "offered", "receiving" ... for logs and the screen.
[[nodiscard]] const char* name(UpdatePhase phase);

enum class UpdateEvent : std::uint8_t {
  offer,
  bad_offer,     // a field is missing, mistyped or out of range (E34)
  too_large,     // more than the slot holds
  begin,         // with the right MAC
  bad_mac,       // `ota.begin` with any other
  bytes,         // the next frame
  gap,           // a frame with any number but the next
  overrun,       // more bytes than were offered
  end,           // `ota.end` after all bytes
  short_end,     // `ota.end` before them
  flash_failed,  // erase, write, read or mark
  wrong_sum,     // what was read back has another SHA-256
  wrong_image,   // or is no image for this board
  verified,      // it is the one, and is marked
  abort,         // `ota.abort`
  lost,          // the connection is gone
  timeout,       // nothing came for 30 s
  restart,       // it is time
};
inline constexpr std::size_t kUpdateEvents = 18;

// What the hub is told. The errors carry the names of O6.
enum class UpdateAnswer : std::uint8_t {
  none,
  ready,
  ack,
  done,
  unsupported,
  bad_offer,
  too_large,
  no_offer,
  unauthorized,
  flash,
  sequence,
  size,
  checksum,
  invalid,
  timeout,
  no_update,
};
inline constexpr std::size_t kUpdateAnswers = 16;

struct UpdateStep {
  UpdatePhase to;
  UpdateAnswer answer;
  bool operator==(const UpdateStep&) const = default;
};

// Once installed nothing is answered any more: the restart is the answer.
[[nodiscard]] UpdateStep next(UpdatePhase phase, UpdateEvent event);

// `ota.error.code`, and a sentence for `message`. Empty for what is no error.
[[nodiscard]] const char* code(UpdateAnswer answer);
[[nodiscard]] const char* sentence(UpdateAnswer answer);

// ---- New firmware on probation (O9)

enum class Probation : std::uint8_t {
  none,     // this firmware is confirmed
  waiting,  // for a `welcome`
  proven,   // it came; confirming is tried until flash takes it
  failed,   // the previous firmware boots next
};
inline constexpr std::size_t kProbations = 4;

enum class ProbationEvent : std::uint8_t { boot, welcome, confirmed, expired };
inline constexpr std::size_t kProbationEvents = 4;

[[nodiscard]] Probation next(Probation probation, ProbationEvent event);

}  // namespace gadget::device
