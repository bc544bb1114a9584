// device.hpp - a device as the hub sees one: upgrade, hello, challenge, auth, welcome, heartbeats.
//
// Not the device core: ten thousand of these fit on one core beside the hub that they load. What a
// scenario measures is in the methods that it overrides.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "load/client.hpp"
#include "protocol/identity.hpp"

namespace gadget::load {

// The key of the load generator's device number `index`: the same in every run.
[[nodiscard]] protocol::Key key_of(std::size_t index);

// The "type" of a message of a hub of ours, which writes it first; empty: something else.
[[nodiscard]] std::string_view type_of(std::string_view text);
// The text of a member that is a string without escapes; empty when there is none.
[[nodiscard]] std::string_view member(std::string_view text, std::string_view quoted_name);

struct DeviceTraits {
  bool speaker = false;  // 16 kHz
  bool ota = false;      // takes firmware updates
  std::string firmware = "1.0.0";
};

class Device : public Client {
 public:
  Device(Loop& loop, std::size_t index, DeviceTraits traits = {});

  // The time from connect() to `welcome`.
  void open(const Endpoint& endpoint, std::uint32_t source = 0) {
    began_ = Loop::now_us();
    welcomed_ = false;
    refusal_.clear();
    if (!connect(endpoint, source)) on_end(kLost, "no socket", {});
  }

  [[nodiscard]] bool welcomed() const { return welcomed_; }
  [[nodiscard]] std::size_t index() const { return index_; }
  [[nodiscard]] Micros began_us() const { return began_; }
  [[nodiscard]] std::string_view refusal() const { return refusal_; }  // the code of an `error`
  void set_firmware(std::string version) { traits_.firmware = std::move(version); }
  [[nodiscard]] const protocol::DeviceId& id() const { return id_; }

  void say(std::string_view text);  // a typed message
  void cancel() { send_text(R"({"type":"cancel"})"); }

 protected:
  virtual void on_welcome() {}
  // Everything after `welcome` but pings.
  virtual void on_message(std::string_view type, std::string_view text) { (void)type, (void)text; }
  virtual void on_frame(std::span<const std::byte> frame) { (void)frame; }
  virtual void on_end(std::uint16_t code, std::string_view reason, HttpStatus status) {
    (void)code, (void)reason, (void)status;
  }

  void on_open() override;
  void on_text(std::span<char> text) override;
  void on_binary(std::span<const std::byte> bytes) override {
    if (welcomed_) on_frame(bytes);
  }
  void on_closed(std::uint16_t code, std::string_view reason, HttpStatus status) override {
    welcomed_ = false;
    on_end(code, reason, status);
  }

 private:
  void authenticate(std::string_view challenge);

  std::size_t index_;
  DeviceTraits traits_;
  protocol::DeviceId id_;
  Micros began_ = 0;
  bool welcomed_ = false;
  std::string refusal_;
};

}  // namespace gadget::load
