// fleet.hpp - one image for many devices: a canary first, then so many at a time; it halts by
// itself when too many fail, or the canary goes back to what it ran before.
//
// Part of Updates. Sans-I/O. Its devices' updates are ordinary ones that only begin when their turn
// has come; its record is in the store, so that it goes on after the hub was restarted. Devices
// that are away have their turn when they come.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <set>

#include "hub/core/context.hpp"
#include "hub/firmware/update.hpp"
#include "hub/firmware/update_records.hpp"

namespace gadget::hub {

// What an end of one device's update means for the fleet.
enum class FleetEvent : std::uint8_t { installed, failed, went_back, cancelled };

// The stage after that; `failed` counts this one. A canary that went back halts, whatever the
// number says.
[[nodiscard]] constexpr FleetStage next(FleetStage stage, FleetEvent event, std::int64_t failed,
                                        std::int64_t stop_after_failures) {
  if (stage != FleetStage::canary && stage != FleetStage::rolling) return stage;
  switch (event) {
    case FleetEvent::installed: return FleetStage::rolling;
    case FleetEvent::cancelled: return stage;
    case FleetEvent::went_back:
      if (stage == FleetStage::canary) return FleetStage::halted;
      [[fallthrough]];
    case FleetEvent::failed: break;
  }
  return failed >= stop_after_failures ? FleetStage::halted : stage;
}

class FleetHost {
 public:
  virtual ~FleetHost() = default;
  // Offers it, or refuses the update for good. False: refused.
  virtual bool offer(Update& update, const std::shared_ptr<const FirmwareImage>& image) = 0;
  // The fleet's updates that are open. `call` may end them.
  virtual void each_of_fleet(const std::function<void(Update&)>& call) = 0;
  [[nodiscard]] virtual std::shared_ptr<Update> of_fleet(const DeviceId& device) = 0;
};

class Fleet {
 public:
  Fleet(Context& context, FleetHost& host) : context_(context), host_(host) {}

  // After a restart of the hub: before moved(), and when the fleet's updates are there.
  void restore(std::optional<FleetRecord> record);
  void start(FleetRecord record);
  // The image is in memory: devices can have their turn.
  void supply(std::shared_ptr<const FirmwareImage> image);
  void lacks_image(const Failure& why);
  void moved(const Update& update, UpdatePhase from);
  // One that waited could begin: its device came, or its pause is over.
  void may_begin(Update& update);
  // What waits is cancelled, and what has not restarted yet.
  void cancel();

  [[nodiscard]] bool running() const {
    return record_ &&
           (record_->stage == FleetStage::canary || record_->stage == FleetStage::rolling);
  }
  [[nodiscard]] const std::optional<FleetRecord>& record() const { return record_; }
  [[nodiscard]] std::int64_t busy() const { return busy_; }
  [[nodiscard]] std::int64_t waiting() const { return waiting_; }

 private:
  void count(UpdatePhase phase, std::int64_t more);
  [[nodiscard]] std::int64_t room() const;
  void pump();  // begins whatever may begin now
  void ended(const UpdateRecord& update);
  void end(FleetStage stage, std::string reason);
  void save() const;

  Context& context_;
  FleetHost& host_;
  std::optional<FleetRecord> record_;
  std::shared_ptr<const FirmwareImage> image_;
  // Counted, so that the end of one update costs the same among ten and ten thousand.
  std::int64_t busy_ = 0;     // tries in progress, and devices that restart
  std::int64_t waiting_ = 0;  // for their turn, their device, or the next try
  std::set<DeviceId> ready_;  // of those that wait: could begin when there is room
  bool pumping_ = false;
};

}  // namespace gadget::hub
