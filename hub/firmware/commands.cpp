// The command layer of updates (design rule 11): what the owner can start, see and cancel.
#include <algorithm>

#include "hub/firmware/updates.hpp"

namespace gadget::hub {
namespace {

constexpr std::string_view kOwnerNameKey = "hub.name";

tl::unexpected<Failure> unknown(const DeviceId& device) {
  return fail(FailureCode::not_found, "no device " + std::string(device.text()),
              "see: hermes-gadget devices");
}

}  // namespace

// ---- One device ----

UpdateRecord Updates::record_of(const DeviceId& device, const FirmwareImage& image,
                                bool forced) const {
  UpdateRecord record;
  record.device = device;
  record.image = image.sha256();
  record.version = image.version();
  record.version_known = image.version_known();
  record.size_bytes = image.size();
  record.forced = forced;
  record.started_wall_ms = context_.wall();
  return record;
}

void Updates::start(const DeviceId& device, std::string image, bool forced, Done<UpdateView> done) {
  take_in(std::move(image), [this, device, forced, done](const Result<Image>& taken) {
    if (!taken) return done(tl::unexpected(taken.error()));
    started(device, *taken, forced, done);
  });
}

void Updates::started(const DeviceId& device, const Image& image, bool forced,
                      const Done<UpdateView>& done) {
  const auto known = context_.parts.store->device(device);
  if (!known) return done(tl::unexpected(known.error()));
  if (!*known) return done(unknown(device));
  UpdateRecord record = record_of(device, *image, forced);
  if (const auto old = find(device)) {
    const UpdatePhase phase = old->record().phase;
    const bool in_progress = is_try(phase) || phase == UpdatePhase::restarting;
    if (in_progress && old->record().image == image->sha256()) {
      return done(view_of(old->record(), old.get()));
    }
    if (in_progress) {
      return done(fail(FailureCode::refused,
                       "the device is being updated to " + old->record().version,
                       "wait for it, or: hermes-gadget update --cancel"));
    }
  }
  const bool already = !forced && image->version_known() && (*known)->firmware == image->version();
  if (already) {
    record.phase = UpdatePhase::installed;
    return done(view_of(record, nullptr));
  }
  Connection* const connection = finder_.attached(device);
  auto allowed = admits(record, **known, *image).and_then([&]() -> Result<void> {
    if (connection == nullptr) return {};
    return takes(*connection, image->size());
  });
  if (!allowed) return done(tl::unexpected(std::move(allowed.error())));
  if (const auto old = find(device)) (void)old->cancel("a newer update was started");
  auto stored =
      context_.parts.store->transaction([&] { return context_.parts.store->put_update(record); });
  if (!stored) return done(tl::unexpected(std::move(stored.error())));
  const auto update = adopt(std::move(record));
  if (connection != nullptr) update->connected(*connection, (*known)->firmware);
  done(view_of(update->record(), update.get()));
}

Result<UpdateView> Updates::cancel(const DeviceId& device) {
  const auto update = find(device);
  if (!update) {
    return fail(FailureCode::not_found, "no update of that device is in progress");
  }
  if (!update->cancel("cancelled by the owner")) {
    return fail(FailureCode::refused, "the device has the whole image and restarts into it");
  }
  return view_of(update->record(), update.get());
}

// ---- What there is to see ----

UpdateView Updates::view_of(const UpdateRecord& record, const Update* update) const {
  UpdateView view;
  view.record = record;
  view.online = finder_.attached(record.device) != nullptr;
  if (update != nullptr && is_try(record.phase)) view.taken_bytes = update->taken_bytes();
  if (record.phase == UpdatePhase::waiting) {
    view.next_try_ms = std::max<Millis>(0, record.due_wall_ms - context_.wall());
  }
  Store& store = *context_.parts.store;
  if (const auto name = store.value(record.device, kOwnerNameKey); name && *name) {
    view.device_name = **name;
  } else if (const auto device = store.device(record.device); device && *device) {
    view.device_name = (*device)->name;
  }
  return view;
}

Result<UpdateView> Updates::view(const DeviceId& device) {
  if (const auto update = find(device)) return view_of(update->record(), update.get());
  const auto record = context_.parts.store->update(device);
  if (!record) return tl::unexpected(record.error());
  if (!*record) return fail(FailureCode::not_found, "that device was never updated by this hub");
  return view_of(**record, nullptr);
}

Result<std::vector<UpdateView>> Updates::all() {
  const auto records = context_.parts.store->updates();
  if (!records) return tl::unexpected(records.error());
  std::vector<UpdateView> views;
  views.reserve(records->size());
  for (const UpdateRecord& record : *records) {
    const auto update = find(record.device);
    views.push_back(update ? view_of(update->record(), update.get()) : view_of(record, nullptr));
  }
  return views;
}

// ---- The fleet ----

void Updates::start_fleet(std::string image, FleetOrder order, Done<FleetView> done) {
  if (order.batch < 1 || order.batch > limits::kMaxFleetBatch) {
    return done(fail(FailureCode::invalid_argument,
                     "batch is 1 to " + std::to_string(limits::kMaxFleetBatch)));
  }
  if (order.stop_after_failures < 1) {
    return done(fail(FailureCode::invalid_argument, "stop_after_failures is 1 or more"));
  }
  take_in(std::move(image), [this, order = std::move(order), done](const Result<Image>& taken) {
    if (!taken) return done(tl::unexpected(taken.error()));
    fleet_started(*taken, order, done);
  });
}

void Updates::fleet_started(const Image& image, const FleetOrder& order,
                            const Done<FleetView>& done) {
  if (fleet_.running()) {
    return done(fail(FailureCode::refused,
                     "the fleet is being updated to " + fleet_.record()->version,
                     "wait for it, or: hermes-gadget update --cancel"));
  }
  const std::string board = order.board.empty() ? image->board() : order.board;
  if (board.empty()) {
    return done(fail(FailureCode::refused, "the image does not say for which board it is",
                     "say it: --board NAME --force"));
  }
  if (!order.forced) {
    if (auto fits = fits_board(*image, board); !fits) {
      return done(tl::unexpected(std::move(fits.error())));
    }
  }
  const auto devices = context_.parts.store->devices();
  if (!devices) return done(tl::unexpected(devices.error()));
  FleetView view;
  std::vector<UpdateRecord> records;
  for (const DeviceRecord& device : *devices) {
    const auto old = find(device.id);
    const bool in_progress =
        old && (is_try(old->record().phase) || old->record().phase == UpdatePhase::restarting);
    if (device.board != board) {
      ++view.other_board;
    } else if (!device.approved) {
      ++view.unpaired;
    } else if (in_progress || (!order.forced && device.firmware == image->version())) {
      ++view.already;
    } else if (!order.forced && rolled_back_from(device.id, image->version()).value_or(true)) {
      ++view.not_again;
    } else {
      records.push_back(record_of(device.id, *image, order.forced));
      records.back().fleet = true;
    }
  }
  view.record = {.image = image->sha256(),
                 .version = image->version(),
                 .board = board,
                 .stage = records.empty() ? FleetStage::finished : FleetStage::canary,
                 .batch = order.batch,
                 .stop_after_failures = order.stop_after_failures,
                 .forced = order.forced,
                 .total = static_cast<std::int64_t>(records.size()),
                 .started_wall_ms = context_.wall(),
                 .reason = {}};
  if (records.empty()) return done(view);
  for (const UpdateRecord& record : records) {
    if (const auto old = find(record.device)) (void)old->cancel("the fleet's update was started");
  }
  auto stored = context_.parts.store->transaction([&]() -> Result<void> {
    for (const UpdateRecord& record : records) {
      if (auto put = context_.parts.store->put_update(record); !put) return put;
    }
    return context_.parts.store->put_fleet(view.record);
  });
  if (!stored) return done(tl::unexpected(std::move(stored.error())));
  std::vector<std::shared_ptr<Update>> its;
  for (UpdateRecord& record : records) its.push_back(adopt(std::move(record)));
  fleet_.start(view.record);
  for (const auto& update : its) {
    const DeviceId device = update->record().device;
    Connection* const connection = finder_.attached(device);
    const auto known = context_.parts.store->device(device);
    if (connection != nullptr && known && *known) {
      update->connected(*connection, (*known)->firmware);
    }
  }
  fleet_.supply(image);
  FleetView now = fleet().value_or(FleetView{});
  now.already = view.already;
  now.other_board = view.other_board;
  now.not_again = view.not_again;
  now.unpaired = view.unpaired;
  done(now);
}

std::optional<FleetView> Updates::fleet() {
  if (!fleet_.record()) return std::nullopt;
  FleetView view;
  view.record = *fleet_.record();
  view.busy = fleet_.busy();
  view.waiting = fleet_.waiting();
  for (const auto& [device, update] : open_) {
    if (!update->record().fleet || update->record().phase != UpdatePhase::waiting) continue;
    if (update->connection() == nullptr) ++view.away;
  }
  return view;
}

Result<FleetView> Updates::cancel_fleet() {
  if (!fleet_.running()) {
    return fail(FailureCode::not_found, "no update of the fleet is in progress");
  }
  fleet_.cancel();
  return *fleet();
}

}  // namespace gadget::hub
