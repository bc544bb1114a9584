// update.hpp - the firmware update of one device: offer, authorization, a window that is kept full,
// and what the device says it runs afterwards (O1-O9, E20, E43).
//
// One owner: Updates. Sans-I/O. It outlives connections, and with its record the hub.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "hub/connection/connection.hpp"
#include "hub/core/context.hpp"
#include "hub/firmware/image.hpp"
#include "hub/firmware/update_records.hpp"

namespace gadget::hub {

class Update;

class UpdateHost {
 public:
  virtual ~UpdateHost() = default;
  // Its phase moved. The update stays where it is until the call that made it move returns.
  virtual void moved(Update& update, UpdatePhase from) = 0;
  // It waits, its device is there, and the time has come.
  virtual void may_begin(Update& update) = 0;
};

class Update {
 public:
  Update(Context& context, UpdateHost& host, UpdateRecord record);
  Update(const Update&) = delete;
  Update& operator=(const Update&) = delete;

  // ---- From the device's twin ----
  void connected(Connection& connection, std::string_view firmware);  // once it was welcomed
  void disconnected();
  // False: it is not expected now, and was dropped.
  bool received(const protocol::OtaReady& ready);
  bool received(const protocol::OtaAck& ack);
  bool received(const protocol::OtaDone& done);
  bool received(const protocol::OtaError& error);

  void link_took();

  // ---- From Updates ----
  // Whether a try could begin at once.
  [[nodiscard]] bool ready_to_begin() const;
  // Begins a try. REQUIRES: ready_to_begin(), and that the image may be offered.
  void begin(std::shared_ptr<const FirmwareImage> image);
  void refuse(const Failure& why);
  // Its last try ended with the hub before.
  void give_up() { (void)move(UpdateEvent::given_up); }
  // False: it is too late, the device has all of it.
  bool cancel(std::string_view why);
  // The hub goes: what is in progress goes on with the next hub, at once.
  void suspend();

  [[nodiscard]] const UpdateRecord& record() const { return record_; }
  [[nodiscard]] Connection* connection() const { return connection_; }
  // What the device has acknowledged of this try.
  [[nodiscard]] std::int64_t taken_bytes() const { return acked_; }

 private:
  bool move(UpdateEvent event);
  void look_at(std::string_view firmware);
  void expect_answer(Millis ms);
  void timed_out();
  void broken_off(std::string_view code, std::string_view message);
  void abort();
  void end_try();
  void fill();
  void wait_for_start();

  Context& context_;
  UpdateHost& host_;
  UpdateRecord record_;
  Connection* connection_ = nullptr;
  std::string firmware_;  // of the connection's hello

  // Of a try.
  std::shared_ptr<const FirmwareImage> image_;
  std::uint8_t stream_ = 0;
  std::uint16_t sequence_ = 0;
  std::int64_t written_ = 0, acked_ = 0;  // bytes
  Millis try_ends_ms_ = 0;
  Timer timer_;  // an answer; the next try; a hello
};

}  // namespace gadget::hub
