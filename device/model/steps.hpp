// steps.hpp - a sequence of events as bytes: drawn from a seed, taken from a fuzzer, cut smaller,
// and written down. The same bytes make the same sequence everywhere. For tests and fuzz targets
// only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace gadget::device::model {

enum class Op : std::uint8_t {
  help,  // the hub does what comes next: upgrade, challenge, welcome, conversation
  hub_line,
  hub_frame,
  junk_frame,
  cut_line,
  stale,  // an event of an earlier connection
  transport,
  opened,
  alive,
  closed,
  button,
  text,
  person,  // cancel, new session, answer, reenrol, volume, brightness: the console's calls
  microphone,
  play,
  sensor,
  event,
  finish,
  tick,
  jump,
  network,
  restart,
  break_store,
  update,       // the hub does what comes next of a firmware update, or something else of it
  break_flash,  // power goes within the next operations, or the flash fails, or is slow
  fill_link,
  look,
  count_,
};
inline constexpr std::size_t kOps = static_cast<std::size_t>(Op::count_);

// One event. What `a`, `b` and `c` mean depends on the event and on the state in which it comes:
// "answer the challenge that was sent last".
struct Step {
  Op op = Op::tick;
  std::uint8_t a = 0;
  std::uint16_t b = 0;
  std::uint32_t c = 0;
};
inline constexpr std::size_t kStepBytes = 8;

// A small generator that is the same on every machine (splitmix64).
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next();
  std::uint32_t below(std::uint32_t bound) {
    return static_cast<std::uint32_t>((next() >> 32U) % bound);
  }

 private:
  std::uint64_t state_;
};

struct Sequence {
  std::uint8_t profile = 0;  // which board
  std::vector<Step> steps;
};

// Sequences of a seed: mostly short, some long, weighted so that most get as far as a conversation.
[[nodiscard]] Sequence draw(std::uint64_t seed);
// The first byte is the board, every eight that follow are a step; a rest is dropped.
[[nodiscard]] Sequence from_bytes(std::span<const std::uint8_t> bytes);
[[nodiscard]] std::vector<std::uint8_t> to_bytes(const Sequence& sequence);
[[nodiscard]] std::string describe(const Sequence& sequence);

}  // namespace gadget::device::model
