// update_rules.hpp - what must hold of a firmware update (O1-O8, E34, E38), told what the hub says,
// what the gadget answers and what it does to its flash. For tests and fuzz targets only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "device/core/limits.hpp"
#include "device/model/verdict.hpp"
#include "protocol/binary_frame.hpp"
#include "protocol/identity.hpp"
#include "protocol/messages.hpp"

namespace gadget::device::model {

class UpdateRules {
 public:
  enum class Phase : std::uint8_t { none, offered, receiving, complete, installed };

  explicit UpdateRules(Verdict& verdict) : verdict_(verdict) {}

  // `most`: of `caps.ota`; 0: no updates. A start.
  void powers(std::int64_t most);
  // A call of the gadget begins.
  void begin(Millis now) {
    now_ = now;
    due_ = {};
    ready_due_ = false;
  }
  void connection_lost();

  // ---- The hub's messages, after `welcome`
  void offer(const protocol::OtaOffer& message);
  void bad_offer();
  void begins(const protocol::OtaBegin& message, const protocol::Key& key, std::string_view id);
  void ends();
  void aborts();
  void frame(std::span<const std::byte> message);

  // ---- The gadget's
  void says(const protocol::OtaReady& message, bool taken);
  void says(const protocol::OtaAck& message);
  void says(const protocol::OtaDone& message, bool taken);
  void says(const protocol::OtaError& message, bool taken);

  // ---- Its flash
  void touches();  // the spare slot becomes meaningless
  void blanked(std::uint32_t end);
  void flash_failed() { flash_failed_ = true; }
  // `slot`: what the spare one holds. `good`: such an image may start here.
  void marks(std::span<const std::byte> slot, bool good);
  void marked() { marked_ = true; }

  // After a call. `ticked`: it was tick().
  void end(bool ticked);

  [[nodiscard]] Phase phase() const { return phase_; }
  [[nodiscard]] bool was_marked() const { return marked_; }
  [[nodiscard]] std::size_t taken() const { return bytes_.size(); }
  [[nodiscard]] std::int64_t acknowledged() const { return acked_; }
  // As far as the hub heard it.
  [[nodiscard]] std::string_view nonce() const { return ready_again_ ? "" : nonce_.c_str(); }
  [[nodiscard]] const std::string& sha256() const { return sha256_; }
  [[nodiscard]] std::int64_t size() const { return size_; }
  [[nodiscard]] std::int64_t stream() const { return stream_; }
  [[nodiscard]] std::uint16_t next_sequence() const { return sequence_; }
  [[nodiscard]] std::span<const std::byte> bytes() const { return bytes_; }

 private:
  void fail(std::string_view code) {
    phase_ = Phase::none;
    due_ = code;
  }
  [[nodiscard]] bool may_say(std::string_view code) const;
  [[nodiscard]] bool sum_is_right() const;

  Verdict& verdict_;
  Millis now_ = 0;
  std::int64_t most_ = 0;
  Phase phase_ = Phase::none;
  std::int64_t stream_ = 0;
  std::int64_t size_ = 0;
  std::string sha256_;
  std::string nonce_;  // that was said for this offer; empty: none yet
  std::vector<std::string> nonces_;
  std::vector<std::byte> bytes_;
  std::uint16_t sequence_ = 0;
  std::int64_t acked_ = -1;
  std::int64_t blank_ = 0;  // of the spare slot, from its beginning
  Millis last_ = 0;         // something happened
  std::string_view due_;    // the error that this call must end with
  bool ready_due_ = false;
  bool ready_again_ = false;  // the link did not take it
  std::string retry_;         // an error that the link did not take
  bool done_retry_ = false;   // the same of ota.done
  bool flash_failed_ = false;
  bool marked_ = false;
};

}  // namespace gadget::device::model
