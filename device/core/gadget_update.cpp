// Firmware updates: what the hub says goes to the Updater, what it owes goes to the hub (O1-O9).
#include <array>

#include "device/core/gadget.hpp"
#include "device/core/gadget_send.hpp"
#include "protocol/codec.hpp"

namespace gadget::device {
namespace {

constexpr std::uint16_t kCloseRestart = 1001;  // E27
constexpr std::string_view kRestart = "restart";

}  // namespace

void Gadget::offer_update(const protocol::OtaOffer& offer) {
  std::array<std::byte, protocol::kNonceBytes> random;  // NOLINT: filled below
  platform_.entropy.fill(random);
  updater_.offer(now_, offer, random);
  settle_update();
}

void Gadget::begin_update(const protocol::OtaBegin& begin) {
  const bool authorized =
      updater_.phase() == UpdatePhase::offered &&
      session_.authorizes_update(begin.mac, updater_.nonce(), updater_.sha256(), updater_.size());
  updater_.begin(now_, authorized);
  settle_update();
}

void Gadget::tick_update() {
  const bool leave = updater_.tick(now_);
  settle_update();
  if (leave) session_.stop(kCloseRestart, kRestart);
}

void Gadget::settle_update() {
  const UpdateAnswer answer = updater_.owed();
  bool sent = false;
  switch (answer) {
    case UpdateAnswer::none: break;
    case UpdateAnswer::ready: sent = send(protocol::OtaReady{.nonce = updater_.nonce()}); break;
    case UpdateAnswer::ack: sent = send(protocol::OtaAck{.offset = updater_.acknowledged()}); break;
    case UpdateAnswer::done: sent = send(protocol::OtaDone{.version = updater_.version()}); break;
    default:
      sent = send(protocol::OtaError{.code = code(answer), .message = sentence(answer)});
      if (sent) note(Fact::update, code(answer));
  }
  if (sent) updater_.told();  // else the next tick tries again
  if (updater_.phase() != update_seen_) {
    update_seen_ = updater_.phase();
    redraw_ = true;
    note(Fact::update, device::name(update_seen_));
  }
  if (updater_.probation() != probation_seen_) {
    probation_seen_ = updater_.probation();
    if (probation_seen_ == Probation::waiting) note(Fact::update, "on probation");
    if (probation_seen_ == Probation::none) note(Fact::update, "confirmed");
    if (probation_seen_ == Probation::failed) note(Fact::update, "rolled back");
  }
}

}  // namespace gadget::device
