#include "device/model/firmware.hpp"

#include <algorithm>

namespace gadget::device::model {
namespace {

constexpr std::string_view kBoard = "model";
constexpr std::uint32_t kLargeSector = 8'192;
constexpr std::uint32_t kLargeSlot = 10 * kLargeSector;
constexpr std::size_t kLargeImage = 70'123;
constexpr Millis kProbation = 300'000;  // O9

Offered offered(std::string_view version, std::string_view board, std::size_t bytes) {
  Offered one{test::make_image(version, board, bytes), {}, board == kBoard};
  one.sha256 = test::sha256_hex(one.image);
  return one;
}

}  // namespace

const std::vector<Offered>& images() {
  static const std::vector<Offered> all = [] {
    std::vector<Offered> made;
    made.push_back(offered("1", kBoard, 3'000));
    made.push_back(offered("2", kBoard, 4'096));
    made.push_back(offered("3", kBoard, 1'000));
    made.push_back(offered("4", "another", 2'000));
    made.push_back(offered("5", kBoard, kLargeImage));
    made.push_back(offered("6", kBoard, kLargeImage + 4'000));
    return made;
  }();
  return all;
}

Firmware::Firmware(Verdict& verdict, UpdateRules& rules, bool large, std::uint32_t seed)
    : verdict_(verdict),
      rules_(rules),
      flash_(large ? std::make_unique<test::TestFlash>(kLargeSector, kLargeSlot)
                   : std::make_unique<test::TestFlash>()) {
  flash_->seed(seed);
  whole_[0] = &images()[0].image;
  flash_->load(0, *whole_[0]);
}

void Firmware::boot(Millis now) {
  flash_->power_up();
  flash_->cut_after(test::TestFlash::kNever, test::Tear::before);
  flash_->broken = flash_->stuck_bits = false;
  running_ = device::boot(*flash_);
  slots_ = std::make_unique<AbSlots>(*flash_, static_cast<std::uint8_t>(running_));
  verdict_.require(
      running_ < 2 && whole_[running_] != nullptr && flash_->holds(running_, *whole_[running_]),
      "O9 B-56: what boots is not whole, or was never authorized");
  if (running_ >= 2) return;
  if (!slots_->on_probation()) {
    verdict_.require(may_boot_[running_], "O9: new firmware is there to stay, unconfirmed");
    trying_ = false;
  } else {
    verdict_.require(trial_due_, "O9: new firmware is tried twice");
    trying_ = true;
    trial_due_ = false;
  }
  if (!trying_) may_boot_ = {running_ == 0, running_ == 1};  // a cut decided by now
  now_ = booted_ = now;
  welcomed_ = rolled_back_ = false;
}

void Firmware::check() { verdict_.require(flash_->misuses() == 0, "flash is used as it must not"); }

bool Firmware::begin() {
  rules_.touches();
  const bool ok = slots_->begin();
  if (ok) {
    whole_[1 - running_] = nullptr;
    trial_due_ = false;
  }
  return failed(ok);
}

FirmwareSlots::Erased Firmware::erase(std::uint32_t offset) {
  const Erased erased = slots_->erase(offset);
  if (erased == Erased::yes) rules_.blanked(offset + sector_bytes());
  failed(erased != Erased::failed);
  return erased;
}

bool Firmware::write(std::uint32_t offset, std::span<const std::byte> page) {
  const bool ok = slots_->write(offset, page);
  (void)failed(ok && !flash_->stuck_bits);
  return ok;
}

bool Firmware::read(std::uint32_t offset, std::span<std::byte> out) {
  return failed(slots_->read(offset, out));
}

bool Firmware::mark_pending() {
  std::vector<std::byte> slot(rules_.taken());
  const bool could_read = slots_->read(0, slot);
  const auto sent = rules_.bytes();
  const auto known = std::find_if(images().begin(), images().end(), [&](const Offered& one) {
    return std::equal(one.image.begin(), one.image.end(), sent.begin(), sent.end());
  });
  const bool good = known != images().end() && known->good;
  if (could_read) rules_.marks(slot, good);
  if (good) whole_[1 - running_] = &known->image;
  trial_due_ = true;  // also when it fails: a cut may come after it was written
  const bool ok = slots_->mark_pending();
  if (ok) rules_.marked();
  return failed(ok);
}

bool Firmware::confirm() {
  verdict_.require(trying_ && welcomed_, "O9: confirmed without a welcome");
  may_boot_[running_] = true;
  const bool ok = slots_->confirm();
  if (ok) {
    trying_ = false;
    may_boot_ = {running_ == 0, running_ == 1};
  }
  return ok;
}

void Firmware::roll_back() {
  verdict_.require(trying_ && !welcomed_ && now_ - booted_ >= kProbation,
                   "O9: rolled back before its time, or after a welcome");
  rolled_back_ = true;
  slots_->roll_back();
}

void Firmware::reboot() {
  verdict_.require(may_leave(), "O5: restarts without a reason");
  flash_->reboot();
}

}  // namespace gadget::device::model
