// board.hpp - the virtual board: the device core with a screen of pixels, a microphone and a
// speaker that run in real time: from files into a recording, and with the sound devices of this
// machine.
//
// One thread: that of the loop which also runs the link. tick() every 10 ms or so.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ports/desktop/core.hpp"
#include "ports/desktop/file_flash.hpp"

namespace gadget::ports::desktop {

// The network of a virtual board: a device::Link that can also be cut, and that is bound to the
// core which it tells what happens.
class BoardLink : public device::Link {
 public:
  virtual ~BoardLink() = default;
  // Events go to `core` from now on; null: nowhere, and what is open is gone without a word.
  virtual void attach(Core* core) = 0;
  // The network goes away: the connection breaks off, no event comes of it.
  virtual void cut() = 0;
};

// The microphone and the speaker of this machine, at the board's rates.
class Sound {
 public:
  virtual ~Sound() = default;
  [[nodiscard]] virtual bool has_microphone() const = 0;
  [[nodiscard]] virtual bool has_speaker() const = 0;
  // The core wants samples from now on, or no more.
  virtual void listen(bool on) = 0;
  // Takes samples that were heard into `out`; returns how many.
  virtual std::size_t hear(std::span<std::int16_t> out) = 0;
  // How many samples the speaker takes now, and here they are.
  [[nodiscard]] virtual std::size_t wanted() const = 0;
  virtual void play(std::span<const std::int16_t> samples) = 0;
};

struct BoardOptions {
  CoreOptions core;
  // All may be null, and live longer than the board.
  Journal* journal = nullptr;
  StandIn* stand_in = nullptr;
  Sound* sound = nullptr;
  FileFlash* flash = nullptr;
};

class Board final : private device::Entropy,
                    private device::Microphone,
                    private device::Lamp,
                    private device::Backlight,
                    private device::Watcher {
 public:
  using Watch = std::function<void(device::Fact, std::string_view)>;

  Board(BoardOptions options, BoardLink& link, device::Store& store, Watch watch);
  ~Board();

  // The device starts, from its store, with the firmware that its boot record chooses. False: the
  // store does not keep its key.
  bool power_on();
  // The device stops in the midst of whatever it does.
  void power_cut();
  void network(bool up);
  void tick();

  // Queues what the microphone will hear, at any rate. Errors: of media/resampler.
  [[nodiscard]] Result<void> hear(const std::vector<std::int16_t>& samples, std::uint32_t rate_hz);
  [[nodiscard]] bool heard_all() const { return to_hear_.empty(); }

  [[nodiscard]] Core& core() { return core_; }
  [[nodiscard]] const device::Gadget& gadget() const { return core_.look(); }
  [[nodiscard]] const Profile& profile() const { return core_.options().profile; }
  [[nodiscard]] device::Millis now() const;

  // ---- The screen
  [[nodiscard]] bool shows(std::string_view text) const { return core_.shows(now(), text); }
  [[nodiscard]] std::string screen_text() const { return core_.screen_text(now()); }
  [[nodiscard]] Result<void> screenshot(const std::string& path) const {
    return core_.screenshot(now(), path);
  }
  [[nodiscard]] std::optional<std::uint32_t> lamp() const { return lamp_; }
  [[nodiscard]] int backlight_percent() const { return backlight_; }

  // ---- The speaker. What was played so far; silence between voices is kept for kGapMs at most.
  [[nodiscard]] const std::vector<std::int16_t>& played() const { return played_; }
  [[nodiscard]] std::uint32_t speaker_hz() const { return profile().speaker_hz; }
  // Seconds of voice that were played in all.
  [[nodiscard]] double spoken_s() const;

 private:
  void fill(std::span<std::byte> out) override;
  void listen(bool on) override;
  void set(std::uint32_t rgb) override;
  void set(int percent) override;
  void noticed(device::Fact fact, std::string_view text, device::Millis now) override;

  [[nodiscard]] device::Platform platform(const Profile& profile, device::Store& store);
  void run_microphone(device::Millis now);
  void run_speaker(device::Millis now);
  void record(std::span<const std::int16_t> samples, bool voice);

  BoardLink& link_;
  Sound* sound_;
  FileFlash* flash_;  // null: no updates
  std::optional<device::AbSlots> slots_;
  Watch watch_;
  Core core_;
  bool network_ = true;
  device::Millis restart_at_ = 0;  // 0: no restart comes

  std::deque<std::int16_t> to_hear_;
  device::Millis started_ = 0;  // the clock of microphone and speaker
  std::uint64_t heard_ = 0;     // samples since then
  std::uint64_t sounded_ = 0;   // samples that the speaker asked for since then
  std::vector<std::int16_t> played_;
  std::size_t gap_ = 0;  // samples of silence at the end of it
  std::uint64_t voiced_ = 0;
  std::optional<std::uint32_t> lamp_;
  int backlight_ = 100;
};

}  // namespace gadget::ports::desktop
