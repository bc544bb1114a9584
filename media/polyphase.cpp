#include "media/polyphase.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <mutex>
#include <numbers>
#include <numeric>
#include <utility>

namespace gadget::media {
namespace {

// Filters are a table of so many at most: ratios of 24, 32, 48, 8, 12 and 96 kHz to 16, and back.
constexpr std::uint32_t kMaxUp = 8;
constexpr std::uint32_t kMaxDown = 12;
constexpr double kBaseTaps = 80;
constexpr double kBandwidth = 0.924;  // of half the lower rate
constexpr double kKaiserBeta = 10;    // side lobes 100 dB below
// Samples that are taken in at once: bounds the memory of a stream.
constexpr std::size_t kStepSamples = 1'024;
// Floats that one instruction multiplies: what the widest of usual processors takes at once.
constexpr std::size_t kLanes = 8;
using Lanes = float __attribute__((vector_size(kLanes * sizeof(float))));

std::size_t taps_of(std::uint32_t up, std::uint32_t down) {
  const double ratio = std::min(1.0, static_cast<double>(up) / down);
  return static_cast<std::size_t>(std::ceil(kBaseTaps / ratio / kLanes)) * kLanes;
}

// The modified Bessel function of order zero.
double bessel0(double x) {
  double sum = 1;
  double term = 1;
  for (int k = 1; term > sum * 1e-12; ++k) {
    term *= (x / (2 * k)) * (x / (2 * k));
    sum += term;
  }
  return sum;
}

// Vectors are passed by reference only: how they are passed by value depends on the target.

[[gnu::always_inline]] inline void load(Lanes& lanes, const float* from) {
  std::memcpy(&lanes, from, sizeof lanes);
}

[[gnu::always_inline]] inline void multiply_add(Lanes& sum, const Lanes& part, const float* line) {
  Lanes lanes;
  load(lanes, line);
  sum += part * lanes;
}

// Neighbours added up: four sums of pairs of `a` and four of `b`, in an order that is one
// instruction where processors have it.
[[gnu::always_inline]] inline void add_pairs(Lanes& sums, const Lanes& a, const Lanes& b) {
  sums = __builtin_shufflevector(a, b, 0, 2, 8, 10, 4, 6, 12, 14) +
         __builtin_shufflevector(a, b, 1, 3, 9, 11, 5, 7, 13, 15);
}

// Outputs that use one filter, so that a part of it is read once for all of them.
constexpr std::size_t kTogether = 4;
using Sums = float __attribute__((vector_size(kTogether * sizeof(float))));

// One sum for each of four; all come about in the same order, so that a sum is the same bits
// wherever it stands.
[[gnu::always_inline]] inline void add_up(Sums& sums, const Lanes& a, const Lanes& b,
                                          const Lanes& c, const Lanes& d) {
  Lanes ab, cd, halves;
  add_pairs(ab, a, b);
  add_pairs(cd, c, d);
  add_pairs(halves, ab, cd);
  sums = __builtin_shufflevector(halves, halves, 0, 1, 2, 3) +
         __builtin_shufflevector(halves, halves, 4, 5, 6, 7);
}

[[gnu::always_inline]] inline std::int16_t rounded(float value) {
  const float away = value + (value >= 0 ? 0.5F : -0.5F);
  return static_cast<std::int16_t>(std::clamp(away, -32768.0F, 32767.0F));
}

// Four as rounded() makes one. A minimum and a maximum each are one instruction.
using Wholes = std::int32_t __attribute__((vector_size(kTogether * sizeof(std::int32_t))));
[[gnu::always_inline]] inline void round_all(Wholes& wholes, const Sums& sums) {
  constexpr Sums kHalf{0.5F, 0.5F, 0.5F, 0.5F};
  constexpr Sums kLeast{-32768.0F, -32768.0F, -32768.0F, -32768.0F};
  constexpr Sums kMost{32767.0F, 32767.0F, 32767.0F, 32767.0F};
  Sums away = sums + (sums >= 0 ? kHalf : -kHalf);
  away = away < kLeast ? kLeast : away;
  away = away > kMost ? kMost : away;
  wholes = __builtin_convertvector(away, Wholes);
}

// Where the next output stands, and what it needs.
struct Walk {
  const float* filters;
  std::size_t taps;
  std::uint32_t up, down;
  std::size_t at;
  std::uint32_t phase;

  void next() {
    phase += down;
    at += phase / up;
    phase %= up;
  }
};

[[gnu::always_inline]] inline void four_of(Sums& sums, const float* filter, const float* line,
                                           std::size_t apart, std::size_t taps) {
  Lanes a{}, b{}, c{}, d{}, part;
  for (std::size_t i = 0; i < taps; i += kLanes) {
    load(part, filter + i);
    multiply_add(a, part, line + i);
    multiply_add(b, part, line + apart + i);
    multiply_add(c, part, line + 2 * apart + i);
    multiply_add(d, part, line + 3 * apart + i);
  }
  add_up(sums, a, b, c, d);
}

[[gnu::always_inline]] inline float one_of(const float* filter, const float* line,
                                           std::size_t taps) {
  Lanes lanes{}, part;
  for (std::size_t i = 0; i < taps; i += kLanes) {
    load(part, filter + i);
    multiply_add(lanes, part, line + i);
  }
  Sums sums;
  add_up(sums, lanes, lanes, lanes, lanes);
  return sums[0];
}

[[gnu::always_inline]] inline std::size_t run(Walk& walk, std::span<const float> line,
                                              std::int16_t* out) {
  const std::int16_t* const begin = out;
  // The filter of an output is that of the one `up` before it, whose first sample is `down` before.
  const std::size_t block = kTogether * walk.down;
  while (walk.at + block + walk.taps <= line.size()) {
    for (std::uint32_t i = 0; i < walk.up; ++i) {
      Sums sums;
      Wholes wholes;
      four_of(sums, walk.filters + walk.phase * walk.taps, line.data() + walk.at, walk.down,
              walk.taps);
      round_all(wholes, sums);
      for (std::size_t k = 0; k < kTogether; ++k) {
        out[i + k * walk.up] = static_cast<std::int16_t>(wholes[k]);
      }
      walk.next();
    }
    walk.at += block - walk.down;
    out += kTogether * walk.up;
  }
  while (walk.at + walk.taps <= line.size()) {
    *out++ =
        rounded(one_of(walk.filters + walk.phase * walk.taps, line.data() + walk.at, walk.taps));
    walk.next();
  }
  return static_cast<std::size_t>(out - begin);
}

[[gnu::always_inline]] inline void widen(std::span<const std::int16_t> in, float* out) {
  using Narrow = std::int16_t __attribute__((vector_size(kLanes * sizeof(std::int16_t))));
  std::size_t i = 0;
  for (; i + kLanes <= in.size(); i += kLanes) {
    Narrow narrow;
    std::memcpy(&narrow, in.data() + i, sizeof narrow);
    const Lanes wide = __builtin_convertvector(narrow, Lanes);
    std::memcpy(out + i, &wide, sizeof wide);
  }
  for (; i < in.size(); ++i) out[i] = in[i];
}

// `line` ends with room for `in`.
[[gnu::always_inline]] inline std::size_t work(Walk& walk, std::span<const std::int16_t> in,
                                               std::span<float> line, std::int16_t* out) {
  widen(in, line.data() + line.size() - in.size());
  return run(walk, line, out);
}

std::size_t work_plain(Walk& walk, std::span<const std::int16_t> in, std::span<float> line,
                       std::int16_t* out) {
  return work(walk, in, line, out);
}

#if defined(__x86_64__)
[[gnu::target("avx2,fma")]] std::size_t work_wide(Walk& walk, std::span<const std::int16_t> in,
                                                  std::span<float> line, std::int16_t* out) {
  return work(walk, in, line, out);
}
const bool kWide = __builtin_cpu_supports("avx2") > 0 && __builtin_cpu_supports("fma") > 0;
#else
constexpr auto& work_wide = work_plain;
constexpr bool kWide = false;
#endif

std::vector<float> make_filters(std::uint32_t up, std::uint32_t down) {
  const double ratio = std::min(1.0, static_cast<double>(up) / down);
  const std::size_t taps = taps_of(up, down);
  std::vector<float> filters(up * taps);
  const double half = static_cast<double>(taps) / 2;
  const double cutoff = kBandwidth * ratio;  // of half the incoming rate
  std::vector<double> exact(taps);
  for (std::uint32_t phase = 0; phase < up; ++phase) {
    double sum = 0;
    for (std::size_t i = 0; i < taps; ++i) {
      // From this sample to the moment of the output.
      const double distance = static_cast<double>(phase) / up + half - 1 - static_cast<double>(i);
      const double x = std::numbers::pi * distance * cutoff;
      const double sinc = x == 0 ? 1 : std::sin(x) / x;
      const double inside = std::max(0.0, 1 - (distance / half) * (distance / half));
      exact[i] = sinc * bessel0(kKaiserBeta * std::sqrt(inside));
      sum += exact[i];
    }
    float* const filter = filters.data() + phase * taps;
    for (std::size_t i = 0; i < taps; ++i) filter[i] = static_cast<float>(exact[i] / sum);
  }
  return filters;
}

// One table for all streams of a ratio, kept as long as one of them uses it.
std::shared_ptr<const std::vector<float>> filters_of(std::uint32_t up, std::uint32_t down) {
  static std::mutex mutex;
  static std::map<std::pair<std::uint32_t, std::uint32_t>, std::weak_ptr<const std::vector<float>>>
      known;
  const std::scoped_lock lock(mutex);
  auto& place = known[{up, down}];
  auto filters = place.lock();
  if (!filters)
    place = filters = std::make_shared<const std::vector<float>>(make_filters(up, down));
  return filters;
}

}  // namespace

std::optional<Polyphase> Polyphase::create(std::uint32_t from_hz, std::uint32_t to_hz) {
  const std::uint32_t common = std::gcd(from_hz, to_hz);
  if (common == 0 || to_hz / common > kMaxUp || from_hz / common > kMaxDown) return std::nullopt;
  return Polyphase(to_hz / common, from_hz / common);
}

Polyphase::Polyphase(std::uint32_t up, std::uint32_t down)
    : up_(up), down_(down), taps_(taps_of(up, down)), filters_(filters_of(up, down)) {
  reset();
}

void Polyphase::reset() {
  line_.assign(taps_ / 2 - 1, 0.0F);  // before the first sample there was silence
  at_ = 0;
  phase_ = 0;
}

void Polyphase::process(std::span<const std::int16_t> in, std::vector<std::int16_t>& out) {
  while (!in.empty()) {
    const auto part = in.first(std::min(in.size(), kStepSamples));
    step(part, out);
    in = in.subspan(part.size());
  }
}

void Polyphase::step(std::span<const std::int16_t> in, std::vector<std::int16_t>& out) {
  line_.resize(line_.size() + in.size());
  const std::size_t places = line_.size() < at_ + taps_ ? 0 : line_.size() - at_ - taps_ + 1;
  const std::size_t before = out.size();
  out.resize(before + places * up_ / down_ + up_ + 1);
  Walk walk{filters_->data(), taps_, up_, down_, at_, phase_};
  const std::size_t given = (kWide ? work_wide : work_plain)(walk, in, line_, out.data() + before);
  out.resize(before + given);
  phase_ = walk.phase;
  // The next output may begin beyond what came so far.
  const std::size_t used = std::min(walk.at, line_.size());
  line_.erase(line_.begin(), line_.begin() + static_cast<std::ptrdiff_t>(used));
  at_ = walk.at - used;
}

}  // namespace gadget::media
