// updates.hpp - the firmware updates of all devices: what the owner started, in which order devices
// get it, and what became of it (O, E29, E40, E43; B-51, B-58, B-64).
//
// One owner: the hub. Sans-I/O: images are hashed, read and written beside the loop
// (Context::work), and one that several updates need is in memory once. Every way to an offer goes
// through one gate. What is started is in the store before it is acknowledged.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "hub/firmware/fleet.hpp"
#include "hub/firmware/limits.hpp"
#include "hub/firmware/shelf.hpp"
#include "hub/firmware/update.hpp"

namespace gadget::hub {

// What the owner sees of an update.
struct UpdateView {
  UpdateRecord record;
  std::string device_name;
  bool online = false;
  std::int64_t taken_bytes = 0;  // acknowledged, of the try in progress
  Millis next_try_ms = 0;        // of one that waits: from now; 0: as soon as its device is there
};

struct FleetOrder {
  std::string board;  // empty: the image's
  std::int64_t batch = limits::kFleetBatch;
  std::int64_t stop_after_failures = limits::kFleetStopAfter;
  bool forced = false;
};

// The fleet's update as a whole.
struct FleetView {
  FleetRecord record;
  std::int64_t busy = 0;     // tries in progress, and devices that restart
  std::int64_t waiting = 0;  // for their turn or the next try
  std::int64_t away = 0;     // of those that wait
  // Only when it was started just now: devices that it leaves out.
  std::int64_t already = 0, other_board = 0, not_again = 0, unpaired = 0;
};

// Where a device is connected; null: away.
class ConnectionFinder {
 public:
  virtual ~ConnectionFinder() = default;
  [[nodiscard]] virtual Connection* attached(const DeviceId& device) = 0;
};

class Updates final : private UpdateHost, private FleetHost {
 public:
  Updates(Context& context, ConnectionFinder& finder);
  ~Updates() override;

  // ---- From twins ----
  void connected(const DeviceId& device, Connection& connection, std::string_view firmware);
  void disconnected(const DeviceId& device);
  void link_took(const DeviceId& device);
  // False: it is not expected now.
  template <class Message>
  bool received(const DeviceId& device, const Message& message) {
    const auto update = find(device);
    return update && update->received(message);
  }
  void forgotten(const DeviceId& device);
  void stop();  // the hub does: what is in progress goes on with the next one

  // ---- The command layer ----
  template <class T>
  using Done = std::function<void(Result<T>)>;
  // Keeps the image and starts, or waits for the device. A device that runs that version already
  // gives `installed` without a try. Errors: not_found, refused (E29, caps; an update is in
  // progress), invalid_argument, io, unavailable.
  void start(const DeviceId& device, std::string image, bool forced, Done<UpdateView> done);
  void start_fleet(std::string image, FleetOrder order, Done<FleetView> done);
  [[nodiscard]] Result<UpdateView> view(const DeviceId& device);
  [[nodiscard]] Result<std::vector<UpdateView>> all();  // the newest of each device
  [[nodiscard]] std::optional<FleetView> fleet();       // none: there never was one
  Result<UpdateView> cancel(const DeviceId& device);
  Result<FleetView> cancel_fleet();

 private:
  using Image = std::shared_ptr<const FirmwareImage>;
  using ImageDone = std::function<void(Result<Image>)>;

  // UpdateHost
  void moved(Update& update, UpdatePhase from) override;
  void may_begin(Update& update) override;
  // FleetHost
  bool offer(Update& update, const Image& image) override;
  void each_of_fleet(const std::function<void(Update&)>& call) override;
  std::shared_ptr<Update> of_fleet(const DeviceId& device) override;

  [[nodiscard]] std::shared_ptr<Update> find(const DeviceId& device) const;
  void load();
  std::shared_ptr<Update> adopt(UpdateRecord record);
  void let_go(Update& update);
  void take_in(std::string bytes, ImageDone done);
  void fetch(const std::string& sha256, ImageDone done);
  [[nodiscard]] std::set<std::string> needed() const;
  void started(const DeviceId& device, const Image& image, bool forced,
               const Done<UpdateView>& done);
  void fleet_started(const Image& image, const FleetOrder& order, const Done<FleetView>& done);
  [[nodiscard]] UpdateRecord record_of(const DeviceId& device, const FirmwareImage& image,
                                       bool forced) const;
  // The gate: whether this image may be offered to this device now (E29, H5, E43, B-58).
  [[nodiscard]] Result<void> admits(const UpdateRecord& update, const DeviceRecord& device,
                                    const FirmwareImage& image) const;
  [[nodiscard]] Result<bool> rolled_back_from(const DeviceId& device,
                                              std::string_view version) const;
  [[nodiscard]] Result<void> takes(const Connection& connection, std::int64_t size) const;
  [[nodiscard]] UpdateView view_of(const UpdateRecord& record, const Update* update) const;
  void save(const UpdateRecord& record) const;
  void count(UpdatePhase phase, UpdatePhase from) const;

  Context& context_;
  ConnectionFinder& finder_;
  std::unordered_map<std::string, std::shared_ptr<Update>> open_;  // by device id
  Fleet fleet_;
  // Images that somebody needs, and who waits for one that is being read.
  std::map<std::string, std::weak_ptr<const FirmwareImage>> images_;
  std::map<std::string, std::vector<ImageDone>> fetching_;
  std::size_t taking_in_ = 0;
  bool stopped_ = false;
  // What jobs beside the loop post their results to; gone with this object.
  std::shared_ptr<Updates*> self_;
};

}  // namespace gadget::hub
