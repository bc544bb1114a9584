// spoken_audio.hpp - what a voice gave and the device does not need yet, at the voice's own rate;
// made the device's (A3) shortly before it is written.
//
// So a sentence that is interrupted was not converted for nothing, and no engine that gives a whole
// sentence at once holds up the loop for all of it. The samples that come out do not depend on when
// they are asked for (B-44).
//
// Sans-I/O; one stream, one owner: its Speech. Memory: what was added and not yet moved.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "base/failure.hpp"
#include "hub/turn/pacer.hpp"
#include "media/resampler.hpp"

namespace gadget::hub {

class SpokenAudio {
 public:
  using Millis = Pacer::Millis;

  // Errors: invalid_argument for a rate that cannot be converted; nothing is added then.
  // REQUIRES: `to_hz` is the same in every call.
  Result<void> add(std::vector<std::int16_t> samples, std::uint32_t rate_hz, std::uint32_t to_hz);
  // The sentence is whole: its last samples do not wait for more. What is added next begins anew.
  void end_sentence();
  void clear() { pieces_.clear(); }

  // Moves samples on until `pacer` has `enough_ms` or nothing is left here. REQUIRES: a frame at
  // least, or the pacer waits for the rest of it.
  void feed(Pacer& pacer, Millis enough_ms);

  [[nodiscard]] bool empty() const { return pieces_.empty(); }
  [[nodiscard]] std::size_t pieces() const { return pieces_.size(); }
  [[nodiscard]] Millis waiting_ms() const;

 private:
  // Samples of one rate. The last of a sentence may have none.
  struct Piece {
    std::vector<std::int16_t> samples;
    std::uint32_t rate_hz;
    bool last = false;
    std::size_t moved = 0;
  };
  void convert(Piece& piece, Pacer& pacer, Millis want_ms);

  std::deque<Piece> pieces_;
  std::optional<media::Resampler> resampler_;
  std::uint32_t added_hz_ = 0;  // of the sentence that is being added; 0 between sentences
  std::vector<std::int16_t> converted_;
};

}  // namespace gadget::hub
