// firmware.hpp - two slots of simulated flash under the gadget, and what must hold of them (O5, O9,
// B-56): what boots is whole and was authorized, a trial is one start, and nothing is confirmed
// without a welcome. For tests and fuzz targets only.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "device/model/update_rules.hpp"
#include "device/update/ab_slots.hpp"
#include "device/update/test_flash.hpp"
#include "device/update/test_image.hpp"

namespace gadget::device::model {

// What a hub may offer: index 0 boots from the factory.
struct Offered {
  test::Image image;
  std::string sha256;
  bool good = false;  // for this board
};
// Small ones for small slots; the last are larger than the window (O4).
[[nodiscard]] const std::vector<Offered>& images();

class Firmware final : public FirmwareSlots {
 public:
  // `large`: slots of more than a window.
  Firmware(Verdict& verdict, UpdateRules& rules, bool large, std::uint32_t seed);

  // The boot loader runs, and what it starts is judged. Power was cut, or the machine restarts.
  void boot(Millis now);
  void begin(Millis now) { now_ = now; }
  void welcomed() { welcomed_ = true; }
  // Power goes in the midst of a flash operation that comes.
  void cut_after(std::size_t operations, test::Tear tear) { flash_->cut_after(operations, tear); }
  void slow(int polls) { flash_->erase_polls = polls; }
  void breaks(bool broken) { flash_->broken = broken; }
  void sticks(bool stuck) { flash_->stuck_bits = stuck; }

  [[nodiscard]] bool dead() const { return flash_->dead(); }
  [[nodiscard]] bool wants_restart() const { return flash_->reboots() > 0; }
  // Why it may leave the hub for a restart.
  [[nodiscard]] bool may_leave() const { return rules_.was_marked() || rolled_back_; }
  void check();

  [[nodiscard]] std::uint32_t max_bytes() const override { return slots_->max_bytes(); }
  [[nodiscard]] std::uint32_t sector_bytes() const override { return slots_->sector_bytes(); }
  [[nodiscard]] bool begin() override;
  [[nodiscard]] Erased erase(std::uint32_t offset) override;
  [[nodiscard]] bool write(std::uint32_t offset, std::span<const std::byte> page) override;
  [[nodiscard]] bool read(std::uint32_t offset, std::span<std::byte> out) override;
  [[nodiscard]] bool mark_pending() override;
  [[nodiscard]] bool on_probation() const override { return slots_->on_probation(); }
  [[nodiscard]] bool confirm() override;
  void roll_back() override;
  void reboot() override;

 private:
  bool failed(bool ok) {
    if (!ok) rules_.flash_failed();
    return ok;
  }

  Verdict& verdict_;
  UpdateRules& rules_;
  std::unique_ptr<test::TestFlash> flash_;
  std::unique_ptr<AbSlots> slots_;
  Millis now_ = 0;
  Millis booted_ = 0;
  unsigned running_ = 0;
  std::array<const test::Image*, 2> whole_{};  // what a slot holds; null: nothing to be started
  // What may boot: the confirmed slot, after a cut in a change either of two.
  std::array<bool, 2> may_boot_{true, false};
  bool trial_due_ = false;  // the spare slot was, or may be, marked: one start
  bool trying_ = false;     // the one that runs is that start
  bool welcomed_ = false;   // since the start
  bool rolled_back_ = false;
};

}  // namespace gadget::device::model
