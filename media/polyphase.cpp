#include "media/polyphase.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numbers>
#include <numeric>

namespace gadget::media {
namespace {

// Filters are a table of so many at most: ratios of 24, 32, 48, 8, 12 and 96 kHz to 16, and back.
constexpr std::uint32_t kMaxUp = 8;
constexpr std::uint32_t kMaxDown = 12;
constexpr double kBaseTaps = 80;
constexpr double kBandwidth = 0.924;  // of half the lower rate
constexpr double kKaiserBeta = 10;    // side lobes 100 dB below
// Floats that one step multiplies: what the widest of usual processors takes at once.
constexpr std::size_t kLanes = 8;
using Lanes = float __attribute__((vector_size(kLanes * sizeof(float))));

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

[[gnu::always_inline]] inline float dot_of(const float* a, const float* b, std::size_t count) {
  Lanes even{};
  Lanes odd{};
  std::size_t i = 0;
  for (; i + 2 * kLanes <= count; i += 2 * kLanes) {
    Lanes a0, a1, b0, b1;
    std::memcpy(&a0, a + i, sizeof a0);
    std::memcpy(&b0, b + i, sizeof b0);
    std::memcpy(&a1, a + i + kLanes, sizeof a1);
    std::memcpy(&b1, b + i + kLanes, sizeof b1);
    even += a0 * b0;
    odd += a1 * b1;
  }
  if (i < count) {
    Lanes a0, b0;
    std::memcpy(&a0, a + i, sizeof a0);
    std::memcpy(&b0, b + i, sizeof b0);
    even += a0 * b0;
  }
  even += odd;
  float sum = 0;
  for (std::size_t lane = 0; lane < kLanes; ++lane) sum += even[lane];
  return sum;
}

std::int16_t rounded(float value) {
  const float away = value + (value >= 0 ? 0.5F : -0.5F);
  return static_cast<std::int16_t>(std::clamp(away, -32768.0F, 32767.0F));
}

// Where the next output stands, and what it needs.
struct Walk {
  const float* filters;
  std::size_t taps;
  std::uint32_t up, down;
  std::size_t at;
  std::uint32_t phase;
};

[[gnu::always_inline]] inline std::size_t run(Walk& walk, std::span<const float> line,
                                              std::int16_t* out) {
  std::size_t given = 0;
  while (walk.at + walk.taps <= line.size()) {
    out[given++] =
        rounded(dot_of(line.data() + walk.at, walk.filters + walk.phase * walk.taps, walk.taps));
    walk.phase += walk.down;
    walk.at += walk.phase / walk.up;
    walk.phase %= walk.up;
  }
  return given;
}

std::size_t run_plain(Walk& walk, std::span<const float> line, std::int16_t* out) {
  return run(walk, line, out);
}

#if defined(__x86_64__)
[[gnu::target("avx2,fma")]] std::size_t run_wide(Walk& walk, std::span<const float> line,
                                                 std::int16_t* out) {
  return run(walk, line, out);
}
const bool kWide = __builtin_cpu_supports("avx2") > 0 && __builtin_cpu_supports("fma") > 0;
#else
constexpr auto& run_wide = run_plain;
constexpr bool kWide = false;
#endif

}  // namespace

std::optional<Polyphase> Polyphase::create(std::uint32_t from_hz, std::uint32_t to_hz) {
  const std::uint32_t common = std::gcd(from_hz, to_hz);
  if (common == 0 || to_hz / common > kMaxUp || from_hz / common > kMaxDown) return std::nullopt;
  return Polyphase(to_hz / common, from_hz / common);
}

Polyphase::Polyphase(std::uint32_t up, std::uint32_t down) : up_(up), down_(down) {
  const double ratio = std::min(1.0, static_cast<double>(up) / down);
  const auto steps = static_cast<std::size_t>(std::ceil(kBaseTaps / ratio / kLanes));
  taps_ = steps * kLanes;
  filters_.resize(up_ * taps_);
  const double half = static_cast<double>(taps_) / 2;
  const double cutoff = kBandwidth * ratio;  // of half the incoming rate
  for (std::uint32_t phase = 0; phase < up_; ++phase) {
    float* const filter = filters_.data() + phase * taps_;
    double sum = 0;
    std::vector<double> exact(taps_);
    for (std::size_t i = 0; i < taps_; ++i) {
      // From this sample to the moment of the output.
      const double distance = static_cast<double>(phase) / up_ + half - 1 - static_cast<double>(i);
      const double x = std::numbers::pi * distance * cutoff;
      const double sinc = x == 0 ? 1 : std::sin(x) / x;
      const double inside = std::max(0.0, 1 - (distance / half) * (distance / half));
      exact[i] = sinc * bessel0(kKaiserBeta * std::sqrt(inside));
      sum += exact[i];
    }
    for (std::size_t i = 0; i < taps_; ++i) filter[i] = static_cast<float>(exact[i] / sum);
  }
  reset();
}

void Polyphase::reset() {
  line_.assign(taps_ / 2 - 1, 0.0F);  // before the first sample there was silence
  at_ = 0;
  phase_ = 0;
}

void Polyphase::process(std::span<const std::int16_t> in, std::vector<std::int16_t>& out) {
  line_.insert(line_.end(), in.begin(), in.end());
  if (line_.size() < at_ + taps_) return;
  const std::size_t before = out.size();
  const std::size_t places = line_.size() - at_ - taps_ + 1;
  out.resize(before + places * up_ / down_ + up_ + 1);
  Walk walk{filters_.data(), taps_, up_, down_, at_, phase_};
  const std::size_t given = (kWide ? run_wide : run_plain)(walk, line_, out.data() + before);
  out.resize(before + given);
  phase_ = walk.phase;
  // The next output may begin beyond what came so far.
  const std::size_t used = std::min(walk.at, line_.size());
  line_.erase(line_.begin(), line_.begin() + static_cast<std::ptrdiff_t>(used));
  at_ = walk.at - used;
  if (line_.capacity() > 4 * taps_) {
    line_ = std::vector<float>(line_.begin(), line_.end());  // a long piece's room is given back
  }
}

}  // namespace gadget::media
