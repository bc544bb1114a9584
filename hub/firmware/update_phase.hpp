// update_phase.hpp - the life of one firmware update of one device, as a table (O1-O9, E43).
//
//   waiting ─offer→ offered ─ready→ begun ─taken→ sending ─all_written→ ended ─done→ restarting
//      ↑               └──────────┴───── broken_off ──┴──────────────────┘          │
//      └─ after 1, 5, 15 min                                 installed, rolled_back, mismatched
//
// `unknown` is told to the owner like an end, but a later hello still decides it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace gadget::hub {

enum class UpdatePhase : std::uint8_t {
  waiting,      // for its device, for its turn, or for the next try
  offered,      // `ota.offer` was written; `ota.ready` is expected
  begun,        // `ota.begin` was written; `ota.ack` 0 is expected
  sending,      // frames go out
  ended,        // all frames and `ota.end` were written; `ota.done` is expected
  restarting,   // `ota.done` came; the next hello tells what runs
  unknown,      // no hello within ten minutes
  installed,    // a later hello has the version
  rolled_back,  // a later hello has the version from before, or an older one
  mismatched,   // a later hello has yet another one (B-64)
  refused,      // the device, or a check of the hub, said no
  failed,       // all tries broke off
  cancelled,    // by the owner, or with the fleet's update
};
inline constexpr std::size_t kUpdatePhases = 13;

enum class UpdateEvent : std::uint8_t {
  offer,             // a try begins
  ready,             // `ota.ready`
  taken,             // `ota.ack` 0: the device is ready for bytes
  all_written,       // the last frame and `ota.end`
  done,              // `ota.done`
  broken_off,        // the connection dropped or time was over; there is another try
  given_up,          // there is no other try
  refused,           // `ota.error`, or a check
  silent,            // no hello in time
  reports_offered,   // a hello with the version
  reports_previous,  // a hello with the one from before, or an older one
  reports_other,     // a hello with yet another one
  cancel,
};
inline constexpr std::size_t kUpdateEvents = 13;

// A try is in progress.
[[nodiscard]] constexpr bool is_try(UpdatePhase phase) {
  return phase >= UpdatePhase::offered && phase <= UpdatePhase::ended;
}
// Something may still happen to it.
[[nodiscard]] constexpr bool is_open(UpdatePhase phase) { return phase <= UpdatePhase::unknown; }
// The owner need not wait any longer.
[[nodiscard]] constexpr bool is_told(UpdatePhase phase) { return phase >= UpdatePhase::unknown; }

// Nothing: that event has no place in that phase.
[[nodiscard]] constexpr std::optional<UpdatePhase> next(UpdatePhase phase, UpdateEvent event) {
  using enum UpdatePhase;
  const auto from = [phase](UpdatePhase only, UpdatePhase to) {
    return phase == only ? std::optional(to) : std::nullopt;
  };
  const bool before_restart = phase == waiting || is_try(phase);
  const bool after_done = phase == restarting || phase == unknown;
  switch (event) {
    case UpdateEvent::offer: return from(waiting, offered);
    case UpdateEvent::ready: return from(offered, begun);
    case UpdateEvent::taken: return from(begun, sending);
    case UpdateEvent::all_written: return from(sending, ended);
    case UpdateEvent::done: return from(ended, restarting);
    case UpdateEvent::silent: return from(restarting, unknown);
    case UpdateEvent::broken_off: return is_try(phase) ? std::optional(waiting) : std::nullopt;
    case UpdateEvent::given_up: return before_restart ? std::optional(failed) : std::nullopt;
    case UpdateEvent::refused: return before_restart ? std::optional(refused) : std::nullopt;
    case UpdateEvent::cancel: return before_restart ? std::optional(cancelled) : std::nullopt;
    // A try may have succeeded although its `ota.done` was lost.
    case UpdateEvent::reports_offered:
      return after_done || phase == waiting ? std::optional(installed) : std::nullopt;
    case UpdateEvent::reports_previous:
      return after_done ? std::optional(rolled_back) : std::nullopt;
    case UpdateEvent::reports_other: return after_done ? std::optional(mismatched) : std::nullopt;
  }
  return std::nullopt;
}

// The stable names, for the store, --json and logs.
inline constexpr std::array<std::string_view, kUpdatePhases> kUpdatePhaseNames{
    "waiting",   "offered",     "begun",      "sending", "ended",  "restarting", "unknown",
    "installed", "rolled_back", "mismatched", "refused", "failed", "cancelled"};
[[nodiscard]] constexpr std::string_view name(UpdatePhase phase) {
  return kUpdatePhaseNames[static_cast<std::size_t>(phase)];
}
[[nodiscard]] constexpr std::optional<UpdatePhase> update_phase(std::string_view text) {
  for (std::size_t i = 0; i < kUpdatePhases; ++i) {
    if (kUpdatePhaseNames[i] == text) return static_cast<UpdatePhase>(i);
  }
  return std::nullopt;
}

}  // namespace gadget::hub
