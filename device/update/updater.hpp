// updater.hpp - takes new firmware from the hub into the spare slot, and judges it after the
// restart (O1-O9, E38).
//
// Why it is safe: nothing that runs is ever written. The spare slot is marked only after it was
// read back whole and its SHA-256, which the hub's MAC covers, is right; and what it starts is
// on probation until a hub has welcomed it.
//
// Flow control (B-62): flash is erased a sector a tick, ahead of what the hub may send. An
// `ota.ack` waits until the window that it opens (64 KB) is blank, so that a slow erase slows the
// hub and never blocks this thread.
//
// Owned and driven by Gadget; sans-I/O: what the hub is to be told is owed(). One thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "device/update/firmware_slots.hpp"
#include "device/update/image_reader.hpp"
#include "device/update/ticks.hpp"
#include "device/update/update_phase.hpp"
#include "protocol/identity.hpp"
#include "protocol/limits.hpp"
#include "protocol/messages.hpp"

namespace gadget::device {

inline constexpr Ticks kUpdateSilenceMs = 30'000;   // O8, E38: an offer, too, waits so long
inline constexpr Ticks kRestartAfterMs = 1'000;     // O5: from `ota.done` to the restart
inline constexpr Ticks kCloseBeforeRebootMs = 500;  // for the close frame to leave
inline constexpr Ticks kProbationMs = 5 * 60'000;   // O9
inline constexpr Ticks kConfirmAgainMs = 1'000;     // when flash did not take the confirmation
// Read back a tick: with SHA-256 in software some 10 ms of a 100 MHz core, 2 MB in 5 s.
inline constexpr std::uint32_t kVerifyBytesPerTick = 8'192;

class Updater {
 public:
  // `slots` null: no updates. `board` is what an image must name; borrowed.
  Updater(FirmwareSlots* slots, std::string_view board);
  ~Updater();
  Updater(const Updater&) = delete;
  Updater& operator=(const Updater&) = delete;

  // What `caps.ota.max_size` says; 0: no updates.
  [[nodiscard]] std::int64_t max_bytes() const;
  // Once, when the device starts: from now on probation runs, if it is on it.
  void start(Ticks now);

  // ---- The hub's messages, after `welcome`. What comes of each is owed().
  void offer(Ticks now, const protocol::OtaOffer& offer,
             std::span<const std::byte, protocol::kNonceBytes> random);
  void malformed_offer();
  // `authorized`: the MAC over nonce(), sha256() and size() is right (O2).
  void begin(Ticks now, bool authorized);
  // False: of no update; dropped.
  bool frame(Ticks now, std::uint8_t stream, std::uint16_t sequence,
             std::span<const std::byte> payload);
  void end(Ticks now);
  void abort();

  void welcomed(Ticks now);
  void link_lost();
  // True, once: close the connection (1001), the machine restarts kCloseBeforeRebootMs later.
  [[nodiscard]] bool tick(Ticks now);

  // ---- What the hub is to be told; a later answer replaces one that could not be sent.
  [[nodiscard]] UpdateAnswer owed() const { return owed_; }
  void told() { owed_ = UpdateAnswer::none; }
  [[nodiscard]] std::string_view nonce() const { return protocol::view(nonce_); }
  [[nodiscard]] std::int64_t acknowledged() const { return acked_; }

  [[nodiscard]] UpdatePhase phase() const { return phase_; }
  [[nodiscard]] Probation probation() const { return probation_; }
  [[nodiscard]] std::string_view sha256() const { return {sha256_.data(), sha256_.size()}; }
  [[nodiscard]] std::uint32_t size() const { return size_; }
  [[nodiscard]] std::string_view version() const { return {version_.data(), version_size_}; }
  [[nodiscard]] std::uint8_t percent() const;
  // The screen shows it: from the first byte to the restart.
  [[nodiscard]] bool shows() const { return phase_ >= UpdatePhase::receiving; }

 private:
  void apply(UpdateEvent event);
  void set_version(std::string_view version);
  bool take(std::span<const std::byte> payload);
  bool write_page();
  void erase_ahead(Ticks now);
  void acknowledge(Ticks now);
  void verify(Ticks now);
  void judge(Ticks now);
  void try_confirm(Ticks now);
  [[nodiscard]] std::uint32_t window_end() const;
  [[nodiscard]] bool owes_ack() const;

  FirmwareSlots* slots_;
  std::string_view board_;
  UpdatePhase phase_ = UpdatePhase::idle;
  Probation probation_ = Probation::none;
  UpdateAnswer owed_ = UpdateAnswer::none;
  Ticks deadline_ = 0;  // of the phase
  Ticks probation_ends_ = 0;

  // The offer.
  std::uint8_t stream_ = 0;
  std::uint8_t version_size_ = 0;
  std::uint32_t size_ = 0;
  protocol::NonceText nonce_{};
  std::array<char, 2 * protocol::kSha256Bytes> sha256_{};
  std::array<char, 64> version_;  // version_size_ of them; longer ones are cut (E6: 32 characters)

  // The image.
  std::uint16_t sequence_ = 0;  // of the next frame
  bool opened_ = false;         // the ack of 0 was given
  bool hashing_ = false;
  bool rebooted_ = false;
  std::uint32_t taken_ = 0;                      // bytes that came
  std::uint32_t acked_ = 0;                      // that the hub knows of
  std::uint32_t erased_ = 0;                     // blank, or written, up to here
  std::uint32_t done_ = 0;                       // written; later: read back
  std::array<std::byte, kFlashPageBytes> page_;  // as far as taken_ or done_ say
  protocol::Sha256 hash_;
  ImageReader reader_;
};

}  // namespace gadget::device
