#include "device/update/update_phase.hpp"

#include <array>

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

struct Words {
  const char* code;
  const char* sentence;
};

constexpr std::array<Words, kUpdateAnswers> kWords{{
    {"", ""},
    {"", ""},
    {"", ""},
    {"", ""},
    {"unsupported", "this device takes no updates"},
    {"bad_offer", "the offer is malformed"},
    {"too_large", "the image does not fit"},
    {"no_offer", "there is no offer"},
    {"unauthorized", "the MAC is wrong"},
    {"flash", "the flash failed"},
    {"sequence", "a frame is missing"},
    {"size", "another size was offered"},
    {"checksum", "the SHA-256 is another"},
    {"invalid", "not an image for this board"},
    {"timeout", "nothing came for 30 s"},
    {"no_update", "there is no update"},
}};

constexpr std::array<const char*, kUpdatePhases> kPhases{"idle",      "offered",   "receiving",
                                                         "verifying", "installed", "leaving"};

}  // namespace

std::string_view name(UpdatePhase phase) { return kPhases[static_cast<std::size_t>(phase)]; }

std::string_view code(UpdateAnswer answer) { return kWords[static_cast<std::size_t>(answer)].code; }

std::string_view sentence(UpdateAnswer answer) {
  return kWords[static_cast<std::size_t>(answer)].sentence;
}

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
