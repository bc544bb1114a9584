#include "hub/firmware/fleet.hpp"

namespace gadget::hub {
namespace {

// Holds one of the fleet's places.
bool is_busy(UpdatePhase phase) { return is_try(phase) || phase == UpdatePhase::restarting; }

FleetEvent event_of(UpdatePhase phase) {
  switch (phase) {
    case UpdatePhase::installed: return FleetEvent::installed;
    case UpdatePhase::cancelled: return FleetEvent::cancelled;
    case UpdatePhase::rolled_back: return FleetEvent::went_back;
    default: return FleetEvent::failed;
  }
}

}  // namespace

void Fleet::restore(std::optional<FleetRecord> record) {
  record_ = std::move(record);
  busy_ = waiting_ = 0;
  ready_.clear();
  host_.each_of_fleet([this](const Update& update) { count(update.record().phase, 1); });
}

void Fleet::start(FleetRecord record) {
  restore(std::move(record));
  save();
}

void Fleet::count(UpdatePhase phase, std::int64_t more) {
  if (is_busy(phase)) busy_ += more;
  if (phase == UpdatePhase::waiting) waiting_ += more;
}

void Fleet::supply(std::shared_ptr<const FirmwareImage> image) {
  if (!running()) return;
  image_ = std::move(image);
  pump();
}

void Fleet::lacks_image(const Failure& why) {
  if (running()) end(FleetStage::halted, why.text);
}

std::int64_t Fleet::room() const {
  const std::int64_t most = record_->stage == FleetStage::canary ? 1 : record_->batch;
  return most - busy_;
}

void Fleet::may_begin(Update& update) {
  if (!running()) return;
  ready_.insert(update.record().device);
  pump();
}

void Fleet::pump() {
  if (pumping_ || !running() || !image_) return;
  pumping_ = true;
  // A refusal counts as a failure, which may halt all of it.
  while (running() && room() > 0 && !ready_.empty()) {
    const auto update = host_.of_fleet(ready_.extract(ready_.begin()).value());
    if (update && update->ready_to_begin()) (void)host_.offer(*update, image_);
  }
  pumping_ = false;
  if (running() && waiting_ == 0 && busy_ == 0) end(FleetStage::finished, {});
}

void Fleet::moved(const Update& update, UpdatePhase from) {
  const UpdatePhase to = update.record().phase;
  count(from, -1);
  count(to, 1);
  if (!running()) return;
  const bool its = update.record().image == record_->image;
  if (its && is_told(to) && !is_told(from)) ended(update.record());
  if (!is_busy(to)) pump();
}

void Fleet::ended(const UpdateRecord& update) {
  const FleetEvent event = event_of(update.phase);
  if (event == FleetEvent::installed) ++record_->installed;
  if (event == FleetEvent::failed || event == FleetEvent::went_back) ++record_->failed;
  const FleetStage stage =
      next(record_->stage, event, record_->failed, record_->stop_after_failures);
  if (stage == FleetStage::halted) {
    const std::string device(update.device.text());
    return end(stage, event == FleetEvent::went_back && record_->stage == FleetStage::canary
                          ? "the first device, " + device + ", went back to its old firmware"
                          : std::to_string(record_->failed) + " failed, the last one " + device);
  }
  record_->stage = stage;
  save();
}

void Fleet::end(FleetStage stage, std::string reason) {
  record_->stage = stage;
  record_->reason = std::move(reason);
  image_ = nullptr;
  ready_.clear();
  save();
  context_.log(stage == FleetStage::halted ? LogFact::Level::warning : LogFact::Level::info,
               "fleet.ended",
               {{"stage", std::string(name(stage))},
                {"version", record_->version},
                {"installed", std::to_string(record_->installed)},
                {"failed", std::to_string(record_->failed)},
                {"reason", record_->reason}});
  if (stage == FleetStage::finished) return;
  host_.each_of_fleet([](Update& update) { (void)update.cancel("the fleet's update ended"); });
}

void Fleet::cancel() {
  if (running()) end(FleetStage::cancelled, "cancelled by the owner");
}

void Fleet::save() const {
  const auto saved = context_.parts.store->put_fleet(*record_);
  if (!saved) context_.log(LogFact::Level::error, "store.failed", {{"text", saved.error().text}});
}

}  // namespace gadget::hub
