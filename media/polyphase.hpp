// polyphase.hpp - the resampler for rates in a small ratio, such as a voice's 24 kHz to a device's
// 16 kHz: a table of a few filters (docs/numbers.md says what that saves). Behind
// media/resampler.hpp.
//
// A windowed sinc (Kaiser, 100 dB) of 80 samples of the lower rate, as the general one has at its
// quality. Without delay: output n is the signal at input n * from / to. One stream; one owner.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace gadget::media {

class Polyphase {
 public:
  // Nothing: their ratio is not small.
  [[nodiscard]] static std::optional<Polyphase> create(std::uint32_t from_hz, std::uint32_t to_hz);

  // Appends what can be known by now. The same bits whatever the pieces.
  void process(std::span<const std::int16_t> in, std::vector<std::int16_t>& out);
  void reset();
  // So many samples after one must be known before its output is.
  [[nodiscard]] std::size_t look_ahead() const { return taps_ / 2; }

 private:
  Polyphase(std::uint32_t up, std::uint32_t down);
  void step(std::span<const std::int16_t> in, std::vector<std::int16_t>& out);

  std::uint32_t up_, down_;
  std::size_t taps_;  // of one phase, a multiple of kLanes
  // up_ phases, one after the other; all streams of this ratio share them.
  std::shared_ptr<const std::vector<float>> filters_;
  std::vector<float> line_;  // samples that outputs to come need, the oldest first
  std::size_t at_ = 0;       // in line_: where the next output's first sample is
  std::uint32_t phase_ = 0;
};

}  // namespace gadget::media
