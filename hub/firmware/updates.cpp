#include "hub/firmware/updates.hpp"

#include <algorithm>
#include <utility>

#include "hub/firmware/version.hpp"

namespace gadget::hub {
namespace {

using Level = LogFact::Level;

std::string key_of(const DeviceId& device) { return std::string(device.text()); }

// Phases that a hub which is started again has to know of.
bool is_kept(UpdatePhase phase) { return !is_try(phase) || phase == UpdatePhase::offered; }

}  // namespace

Updates::Updates(Context& context, ConnectionFinder& finder)
    : context_(context),
      finder_(finder),
      fleet_(context, static_cast<FleetHost&>(*this)),
      self_(std::make_shared<Updates*>(this)) {
  load();
}

Updates::~Updates() = default;

// ---- After a restart of the hub ----

void Updates::load() {
  auto records = context_.parts.store->open_updates();
  auto fleet = context_.parts.store->fleet();
  if (!records || !fleet) {
    const Failure& why = records ? fleet.error() : records.error();
    return context_.log(Level::error, "store.failed", {{"text", why.text}});
  }
  std::vector<std::shared_ptr<Update>> over;
  for (UpdateRecord& record : *records) {
    const auto update = adopt(std::move(record));
    const bool waits = update->record().phase == UpdatePhase::waiting;
    if (waits && update->record().tries >= limits::kUpdateTries) over.push_back(update);
  }
  fleet_.restore(std::move(*fleet));
  for (const auto& update : over) update->give_up();
  if (context_.parts.firmware == nullptr) return;
  context_.work([shelf = context_.parts.firmware, needed = needed()] { shelf->keep_only(needed); });
  if (!fleet_.running()) return;
  fetch(fleet_.record()->image, [this](const Result<Image>& image) {
    if (image) {
      fleet_.supply(*image);
    } else {
      fleet_.lacks_image(image.error());
    }
  });
}

std::shared_ptr<Update> Updates::adopt(UpdateRecord record) {
  const std::string key = key_of(record.device);
  auto update =
      std::make_shared<Update>(context_, static_cast<UpdateHost&>(*this), std::move(record));
  let_go(*update);  // of the one before, if there is one
  open_[key] = update;
  return update;
}

void Updates::let_go(Update& update) {
  const auto at = open_.find(key_of(update.record().device));
  if (at == open_.end()) return;
  context_.bury(std::move(at->second));
  open_.erase(at);
}

std::shared_ptr<Update> Updates::find(const DeviceId& device) const {
  const auto at = open_.find(key_of(device));
  return at == open_.end() ? nullptr : at->second;
}

// ---- Images ----

void Updates::take_in(std::string bytes, ImageDone done) {
  FirmwareShelf* const shelf = context_.parts.firmware;
  if (shelf == nullptr) return done(fail(FailureCode::unavailable, "this hub keeps no firmware"));
  if (taking_in_ >= limits::kFirmwareWaiting) {
    return done(
        fail(FailureCode::unavailable, "too many images are being read", "try again in a moment"));
  }
  ++taking_in_;
  auto file = std::make_shared<std::string>(std::move(bytes));
  context_.work([file, shelf, done = std::move(done), post = context_.environment.post,
                 self = std::weak_ptr(self_)] {
    auto image = std::make_shared<Result<Image>>(FirmwareImage::make(std::move(*file)));
    if (*image) {
      if (auto kept = shelf->keep(***image); !kept) *image = tl::unexpected(kept.error());
    }
    post([image, done, self] {
      const auto here = self.lock();
      if (!here) return;
      Updates& its = **here;
      --its.taking_in_;
      std::erase_if(its.images_, [](const auto& one) { return one.second.expired(); });
      if (*image) its.images_[(**image)->sha256()] = **image;
      done(*image);
      // What is not needed goes, unless an image comes that is not known here yet.
      if (its.taking_in_ > 0) return;
      its.context_.work([shelf = its.context_.parts.firmware, needed = its.needed()] {
        shelf->keep_only(needed);
      });
    });
  });
}

// One read for all that need it.
void Updates::fetch(const std::string& sha256, ImageDone done) {
  if (const auto known = images_.find(sha256); known != images_.end()) {
    if (auto image = known->second.lock()) return done(std::move(image));
  }
  FirmwareShelf* const shelf = context_.parts.firmware;
  if (shelf == nullptr) return done(fail(FailureCode::unavailable, "this hub keeps no firmware"));
  auto& waiting = fetching_[sha256];
  waiting.push_back(std::move(done));
  if (waiting.size() > 1) return;
  context_.work([shelf, sha256, post = context_.environment.post, self = std::weak_ptr(self_)] {
    auto image = std::make_shared<Result<Image>>(shelf->read(sha256));
    post([image, sha256, self] {
      const auto here = self.lock();
      if (!here) return;
      Updates& its = **here;
      if (*image) its.images_[sha256] = **image;
      const auto calls = its.fetching_.extract(sha256);
      for (const ImageDone& call : calls.mapped()) call(*image);
    });
  });
}

std::set<std::string> Updates::needed() const {
  std::set<std::string> all;
  for (const auto& [device, update] : open_) all.insert(update->record().image);
  if (fleet_.running()) all.insert(fleet_.record()->image);
  return all;
}

// ---- Twins ----

void Updates::connected(const DeviceId& device, Connection& connection, std::string_view firmware) {
  if (const auto update = find(device)) update->connected(connection, firmware);
}

void Updates::link_took(const DeviceId& device) {
  if (const auto update = find(device)) update->link_took();
}

void Updates::disconnected(const DeviceId& device) {
  if (const auto update = find(device)) update->disconnected();
}

void Updates::forgotten(const DeviceId& device) {
  const auto update = find(device);
  if (update && !update->cancel("the device was forgotten")) let_go(*update);
}

void Updates::stop() {
  stopped_ = true;
  const auto all = open_;
  for (const auto& [device, update] : all) update->suspend();
}

// ---- The gate ----

Result<bool> Updates::rolled_back_from(const DeviceId& device, std::string_view version) const {
  const auto versions = context_.parts.store->rolled_back(device);
  if (!versions) return tl::unexpected(versions.error());
  return std::any_of(versions->begin(), versions->end(), [version](const std::string& old) {
    return compare_versions(version, old) <= 0;
  });
}

Result<void> Updates::admits(const UpdateRecord& update, const DeviceRecord& device,
                             const FirmwareImage& image) const {
  if (update.forced) return {};
  if (auto fits = fits_board(image, device.board); !fits) return fits;
  const auto back = rolled_back_from(device.id, image.version());
  if (!back) return tl::unexpected(back.error());
  if (!*back) return {};
  return fail(FailureCode::refused,
              "the device went back from " + image.version() +
                  ", or from a newer version, to the one before",
              "build a newer version; --force sends this one again");
}

// H5, E43. Forcing does not help: the device would refuse it itself.
Result<void> Updates::takes(const Connection& connection, std::int64_t size) const {
  const auto& most = connection.caps().ota_max_size;
  if (!most) {
    return fail(FailureCode::refused, "the device takes no updates",
                "it announced no room for one (caps.ota): update it by cable");
  }
  if (size <= *most) return {};
  return fail(FailureCode::refused,
              "the image has " + std::to_string(size) + " bytes, the device has room for " +
                  std::to_string(*most),
              "make the image smaller");
}

void Updates::may_begin(Update& update) {
  if (stopped_ || !update.ready_to_begin()) return;
  if (update.record().fleet) return fleet_.may_begin(update);
  fetch(update.record().image,
        [this, weak = std::weak_ptr(find(update.record().device))](const Result<Image>& image) {
          const auto its = weak.lock();
          if (!its || stopped_ || !its->ready_to_begin()) return;
          if (image) {
            (void)offer(*its, *image);
          } else {
            its->refuse(image.error());
          }
        });
}

bool Updates::offer(Update& update, const Image& image) {
  if (stopped_) return false;
  const auto device = context_.parts.store->device(update.record().device);
  Result<void> allowed;
  if (!device) {
    allowed = tl::unexpected(device.error());
  } else if (!*device) {
    allowed = fail(FailureCode::not_found, "the device is not known any more");
  } else {
    allowed = admits(update.record(), **device, *image).and_then([&] {
      return takes(*update.connection(), image->size());
    });
  }
  if (!allowed) {
    update.refuse(allowed.error());
    return false;
  }
  update.begin(image);
  return true;
}

// ---- What becomes of them ----

void Updates::save(const UpdateRecord& record) const {
  const auto saved = context_.parts.store->put_update(record);
  if (!saved) context_.log(Level::error, "store.failed", {{"text", saved.error().text}});
}

// A try that broke off and comes again is counted too: many of them tell of a bad network.
void Updates::count(UpdatePhase phase, UpdatePhase from) const {
  CountsByName& counts = context_.counters.updates;
  if (phase == UpdatePhase::offered || is_told(phase)) counts.add(name(phase));
  if (phase == UpdatePhase::waiting && is_try(from)) counts.add("broken_off");
}

void Updates::moved(Update& update, UpdatePhase from) {
  const UpdateRecord& record = update.record();
  count(record.phase, from);
  if (is_kept(record.phase)) {
    save(record);
    const bool bad = record.phase == UpdatePhase::rolled_back ||
                     record.phase == UpdatePhase::mismatched || record.phase == UpdatePhase::failed;
    Context::Fields fields{{"device", key_of(record.device)},
                           {"version", record.version},
                           {"phase", std::string(name(record.phase))},
                           {"try", std::to_string(record.tries)}};
    if (!record.code.empty()) fields.emplace_back("code", record.code);
    if (!record.message.empty()) fields.emplace_back("text", record.message);
    context_.log(bad ? Level::warning : Level::info, "update.moved", std::move(fields));
  }
  Store& store = *context_.parts.store;
  Result<void> remembered;
  if (record.phase == UpdatePhase::rolled_back) {
    remembered = store.put_rolled_back(record.device, record.version, context_.wall());
  } else if (record.phase == UpdatePhase::installed) {
    remembered = store.drop_rolled_back(record.device, record.version);
  }
  if (!remembered) context_.log(Level::error, "store.failed", {{"text", remembered.error().text}});
  // A restored one may have been replaced; what is open under its name is not it then.
  if (!is_open(record.phase) && find(record.device).get() == &update) let_go(update);
  if (record.fleet) fleet_.moved(update, from);
}

void Updates::each_of_fleet(const std::function<void(Update&)>& call) {
  std::vector<std::shared_ptr<Update>> all;
  for (const auto& [device, update] : open_) {
    if (update->record().fleet) all.push_back(update);
  }
  for (const auto& update : all) call(*update);
}

std::shared_ptr<Update> Updates::of_fleet(const DeviceId& device) {
  auto update = find(device);
  return update && update->record().fleet ? update : nullptr;
}

}  // namespace gadget::hub
