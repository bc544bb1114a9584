#include "device/update/update_phase.hpp"

#include <cstddef>

#include "protocol/words.hpp"

namespace gadget::device {

UpdateStep next(UpdatePhase phase, UpdateEvent event) {
  using enum UpdatePhase;
  using Answer = UpdateAnswer;
  const UpdateStep stay{phase, Answer::none};
  if (event == UpdateEvent::restart) return {leaving, Answer::none};
  if (phase >= installed) return stay;
  const bool takes_bytes = phase == receiving || phase == verifying;
  switch (event) {
    case UpdateEvent::offer: return {offered, Answer::ready};
    case UpdateEvent::bad_offer: return {idle, Answer::bad_offer};
    case UpdateEvent::too_large: return {idle, Answer::too_large};
    case UpdateEvent::begin:
      // Its ack of 0 follows when there is room for what may come (see Updater).
      if (phase == offered) return {receiving, Answer::none};
      return {idle, Answer::no_offer};
    case UpdateEvent::bad_mac:
      return {idle, phase == offered ? Answer::unauthorized : Answer::no_offer};
    case UpdateEvent::bytes: return stay;
    case UpdateEvent::gap:
      if (takes_bytes) return {idle, Answer::sequence};
      break;
    case UpdateEvent::overrun:
      if (takes_bytes) return {idle, Answer::size};
      break;
    case UpdateEvent::end:
    case UpdateEvent::short_end:
      if (phase == verifying) return stay;  // said twice
      if (phase != receiving) return {idle, Answer::no_update};
      if (event == UpdateEvent::short_end) return {idle, Answer::size};
      return {verifying, Answer::none};
    case UpdateEvent::flash_failed:
      if (takes_bytes) return {idle, Answer::flash};
      break;
    case UpdateEvent::wrong_sum:
      if (phase == verifying) return {idle, Answer::checksum};
      break;
    case UpdateEvent::wrong_image:
      if (phase == verifying) return {idle, Answer::invalid};
      break;
    case UpdateEvent::verified:
      if (phase == verifying) return {installed, Answer::done};
      break;
    case UpdateEvent::abort:
    case UpdateEvent::lost: return {idle, Answer::none};
    case UpdateEvent::timeout:
      if (phase == offered || phase == receiving) return {idle, Answer::timeout};
      break;
    case UpdateEvent::restart: break;
  }
  return stay;
}

namespace {

// The code of each error and its sentence, in the order of UpdateAnswer.
constexpr std::size_t kNoErrors = 4;  // answers before them, that are none
constexpr char kWords[] =
    "unsupported\0this device takes no updates\0"
    "bad_offer\0the offer is malformed\0"
    "too_large\0the image does not fit\0"
    "no_offer\0there is no offer\0"
    "unauthorized\0the MAC is wrong\0"
    "flash\0the flash failed\0"
    "sequence\0a frame is missing\0"
    "size\0another size was offered\0"
    "checksum\0the SHA-256 is another\0"
    "invalid\0not an image for this board\0"
    "timeout\0nothing came for 30 s\0"
    "no_update\0there is no update\0";
static_assert(protocol::texts_in(kWords) == 2 * (kUpdateAnswers - kNoErrors));

constexpr char kPhases[] = "idle\0offered\0receiving\0verifying\0installed\0leaving\0";
static_assert(protocol::texts_in(kPhases) == kUpdatePhases);

const char* words(UpdateAnswer answer, std::size_t which) {
  const auto at = static_cast<std::size_t>(answer);
  return at < kNoErrors ? "" : protocol::text_at(kWords, 2 * (at - kNoErrors) + which);
}

}  // namespace

const char* name(UpdatePhase phase) {
  return protocol::text_at(kPhases, static_cast<std::size_t>(phase));
}

const char* code(UpdateAnswer answer) { return words(answer, 0); }

const char* sentence(UpdateAnswer answer) { return words(answer, 1); }

Probation next(Probation probation, ProbationEvent event) {
  switch (event) {
    case ProbationEvent::boot: return Probation::waiting;
    case ProbationEvent::welcome:
      if (probation == Probation::waiting) return Probation::proven;
      break;
    case ProbationEvent::confirmed:
      if (probation == Probation::proven) return Probation::none;
      break;
    case ProbationEvent::expired:
      if (probation == Probation::waiting) return Probation::failed;
      break;
  }
  return probation;
}

}  // namespace gadget::device
