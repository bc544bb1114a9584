// board.hpp - the virtual board: the device core with a screen of pixels, a microphone that is fed
// in real time and a speaker that plays into a recording.
//
// One thread: that of the loop which also runs the link. tick() every 10 ms or so.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "device/core/gadget.hpp"
#include "ports/desktop/profile.hpp"

namespace gadget::ports::desktop {

// The network of a virtual board: a device::Link that can also be cut, and that is bound to the
// Gadget which it tells what happens.
class BoardLink : public device::Link {
 public:
  virtual ~BoardLink() = default;
  // Events go to `gadget` from now on; null: nowhere, and what is open is gone without a word.
  virtual void attach(device::Gadget* gadget) = 0;
  // The network goes away: the connection breaks off, no event comes of it.
  virtual void cut() = 0;
};

struct BoardOptions {
  Profile profile;
  std::string name;
  std::string token;
  std::string hub;  // for the screen
};

class Board final : private device::Entropy,
                    private device::Screen,
                    private device::Microphone,
                    private device::Lamp,
                    private device::Watcher {
 public:
  using Watch = std::function<void(device::Fact, std::string_view)>;

  Board(BoardOptions options, BoardLink& link, device::Store& store, Watch watch);
  ~Board();

  // The device starts, from its store. False: the store does not keep its key.
  bool power_on();
  // The device stops in the midst of whatever it does.
  void power_cut();
  void network(bool up);
  void tick();

  // Queues what the microphone will hear, at any rate. Errors: of media/resampler.
  [[nodiscard]] Result<void> hear(const std::vector<std::int16_t>& samples, std::uint32_t rate_hz);
  [[nodiscard]] bool heard_all() const { return to_hear_.empty(); }

  [[nodiscard]] device::Gadget& gadget() { return *gadget_; }
  [[nodiscard]] device::Millis now() const;

  // ---- The screen
  [[nodiscard]] bool shows(std::string_view text) const;
  [[nodiscard]] std::string screen_text() const;
  [[nodiscard]] Result<void> screenshot(const std::string& path);
  [[nodiscard]] std::optional<std::uint32_t> lamp() const { return lamp_; }

  // ---- The speaker. What was played so far; silence between voices is kept for kGapMs at most.
  [[nodiscard]] const std::vector<std::int16_t>& played() const { return played_; }
  [[nodiscard]] std::uint32_t speaker_hz() const { return options_.profile.speaker_hz; }
  // Seconds of voice that were played in all.
  [[nodiscard]] double spoken_s() const;

 private:
  void fill(std::span<std::byte> out) override;
  void show(const device::screen::ScreenModel& model, device::Millis now) override;
  void listen(bool on) override;
  void set(std::uint32_t rgb) override;
  void noticed(device::Fact fact, std::string_view text, device::Millis now) override;

  void run_microphone(device::Millis now);
  void run_speaker(device::Millis now);
  void record(std::span<const std::int16_t> samples, bool voice);

  struct Memory;  // what the Gadget works in

  BoardOptions options_;
  BoardLink& link_;
  device::Store& store_;
  Watch watch_;
  std::unique_ptr<Memory> memory_;
  std::unique_ptr<device::Gadget> gadget_;
  bool network_ = true;

  std::vector<device::screen::Colour> pixels_;
  device::screen::Canvas canvas_;

  std::deque<std::int16_t> to_hear_;
  device::Millis started_ = 0;  // the clock of microphone and speaker
  std::uint64_t heard_ = 0;     // samples since then
  std::uint64_t sounded_ = 0;   // samples that the speaker asked for since then
  std::vector<std::int16_t> played_;
  std::size_t gap_ = 0;  // samples of silence at the end of it
  std::uint64_t voiced_ = 0;
  std::optional<std::uint32_t> lamp_;
};

}  // namespace gadget::ports::desktop
