#include "media/resampler.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>

#include <speex/speex_resampler.h>

#include "media/wav.hpp"

namespace gadget::media {
namespace {

// SpeexDSP's scale is 0..10. 5 is transparent for 16-bit speech and runs 700 times faster than real
// time.
constexpr int kQuality = 5;

// Samples that are converted in one call of the library: its scratch buffers are of this order.
constexpr std::size_t kChunkSamples = 1024;

bool in_range(std::uint32_t rate_hz) { return rate_hz >= kMinRateHz && rate_hz <= kMaxRateHz; }

}  // namespace

void Resampler::Destroy::operator()(SpeexResamplerState_* state) const {
  speex_resampler_destroy(state);
}

Resampler::Resampler(std::uint32_t from_hz, std::uint32_t to_hz, State state)
    : from_hz_(from_hz), to_hz_(to_hz), state_(std::move(state)) {
  reset();
}

Result<Resampler> Resampler::create(std::uint32_t from_hz, std::uint32_t to_hz) {
  for (const std::uint32_t rate : {from_hz, to_hz}) {
    if (!in_range(rate)) {
      return fail(FailureCode::invalid_argument, "cannot convert a sample rate of " +
                                                     std::to_string(rate) +
                                                     " Hz; 4000 to 192000 Hz are possible");
    }
  }
  if (from_hz == to_hz) return Resampler(from_hz, to_hz, nullptr);
  if (auto table = Polyphase::create(from_hz, to_hz)) {
    Resampler resampler(from_hz, to_hz, nullptr);
    resampler.table_ = std::move(table);
    return resampler;
  }
  int error = RESAMPLER_ERR_SUCCESS;
  State state(speex_resampler_init(1, from_hz, to_hz, kQuality, &error));
  if (!state) {
    return fail(FailureCode::internal,
                std::string("the resampler cannot start: ") + speex_resampler_strerror(error));
  }
  return Resampler(from_hz, to_hz, std::move(state));
}

void Resampler::process(std::span<const std::int16_t> in, std::vector<std::int16_t>& out) {
  taken_ += in.size();
  if (passes()) {
    out.insert(out.end(), in.begin(), in.end());
    return;
  }
  const std::size_t before = out.size();
  convert(in, out);
  given_ += out.size() - before;
}

void Resampler::convert(std::span<const std::int16_t> in, std::vector<std::int16_t>& out) {
  if (table_) return table_->process(in, out);
  std::array<std::int16_t, kChunkSamples> room;
  while (!in.empty()) {
    auto in_count = static_cast<spx_uint32_t>(std::min(in.size(), kChunkSamples));
    auto out_count = static_cast<spx_uint32_t>(room.size());
    speex_resampler_process_int(state_.get(), 0, in.data(), &in_count, room.data(), &out_count);
    out.insert(out.end(), room.begin(), room.begin() + out_count);
    in = in.subspan(in_count);
    if (in_count == 0 && out_count == 0) return;  // cannot happen; would loop for ever
  }
}

std::uint64_t Resampler::look_ahead() const {
  if (table_) return table_->look_ahead();
  return static_cast<std::uint64_t>(speex_resampler_get_input_latency(state_.get())) +
         from_hz_ / to_hz_ + 1;
}

void Resampler::flush(std::vector<std::int16_t>& out) {
  if (!passes()) {
    static constexpr std::array<std::int16_t, kChunkSamples> kSilence{};
    const std::uint64_t target = (taken_ * to_hz_ + from_hz_ / 2) / from_hz_;
    std::vector<std::int16_t> tail;
    // The filter looks ahead by half its length; silence stands for the samples that never came.
    for (std::uint64_t left = look_ahead() + from_hz_ / to_hz_ + 1;
         left > 0 && given_ + tail.size() < target;) {
      const std::uint64_t count = std::min<std::uint64_t>(left, kSilence.size());
      convert(std::span(kSilence).first(static_cast<std::size_t>(count)), tail);
      left -= count;
    }
    const std::uint64_t wanted = target > given_ ? target - given_ : 0;
    tail.resize(static_cast<std::size_t>(std::min<std::uint64_t>(tail.size(), wanted)));
    out.insert(out.end(), tail.begin(), tail.end());
  }
  reset();
}

void Resampler::reset() {
  taken_ = 0;
  given_ = 0;
  if (table_) table_->reset();
  if (!state_) return;
  speex_resampler_reset_mem(state_.get());
  speex_resampler_skip_zeros(state_.get());
}

Result<std::vector<std::int16_t>> resample(std::span<const std::int16_t> in, std::uint32_t from_hz,
                                           std::uint32_t to_hz) {
  auto resampler = Resampler::create(from_hz, to_hz);
  if (!resampler) return tl::unexpected(resampler.error());
  std::vector<std::int16_t> out;
  out.reserve(in.size() * to_hz / from_hz + 1);
  resampler->process(in, out);
  resampler->flush(out);
  return out;
}

}  // namespace gadget::media
