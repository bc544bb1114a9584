#include "hub/turn/utterance.hpp"

#include <algorithm>

#include "protocol/limits.hpp"

namespace gadget::hub {
namespace {

// Kept audio grows by pieces of so many samples: 1 s at 16 kHz.
constexpr std::size_t kPieceSamples = 16'000;

// Ends a session that may be the one that calls us.
void let_go(Context& context, Heard& heard) {
  if (heard.session)
    context.bury(std::shared_ptr<speech::RecognizerSession>(std::move(heard.session)));
}

void recognized(Context& context, Heard& heard, Result<std::string> text) {
  if (heard.text) return;
  heard.text = std::move(text);
  heard.recognized_ms = context.now();
  let_go(context, heard);
  if (heard.ready) heard.ready();
}

}  // namespace

Utterance::Utterance(Context& context, Options options)
    : context_(context),
      options_(std::move(options)),
      assembler_(options_.rate_hz),
      heard_(std::make_shared<Heard>()),
      most_samples_(context.options.max_utterance_s * static_cast<std::int64_t>(options_.rate_hz)) {
  heard_->rate_hz = options_.rate_hz;
  if (options_.keep_audio || context_.parts.recognizer == nullptr) return;
  if (auto made = media::Resampler::create(options_.rate_hz, speech::kRecognizerRateHz)) {
    resampler_.emplace(std::move(*made));
  }
  const std::weak_ptr<Heard> weak = heard_;
  heard_->session = context_.parts.recognizer->start({
      .partial =
          [weak, partial = options_.partial](std::string text) {
            const auto heard = weak.lock();
            if (heard && !heard->text && partial) partial(std::move(text));
          },
      .done =
          [weak, &context = context_](Result<std::string> text) {
            if (const auto heard = weak.lock()) recognized(context, *heard, std::move(text));
          },
  });
}

Utterance::Room Utterance::push(const protocol::BinaryFrame& frame) {
  if (!heard_) return Room::full;
  const auto step = assembler_.push(frame.sequence, frame.payload);
  samples_.assign(step.silence_samples, 0);
  if (step.has_carried) samples_.push_back(step.carried);
  const std::size_t at = samples_.size();
  samples_.resize(at + step.samples.size() / 2);
  protocol::decode_samples(step.samples, std::span(samples_).subspan(at));
  const auto room = static_cast<std::size_t>(most_samples_ - heard_->samples);
  const bool full = samples_.size() > room;
  take(std::span(samples_).first(std::min(samples_.size(), room)));
  return full ? Room::full : Room::more;
}

void Utterance::take(std::span<const std::int16_t> samples) {
  heard_->samples += static_cast<std::int64_t>(samples.size());
  if (options_.keep_audio) return keep(samples);
  if (!heard_->session || !resampler_) return;
  resampled_.clear();
  resampler_->process(samples, resampled_);
  if (!resampled_.empty()) heard_->session->push(resampled_);
}

void Utterance::keep(std::span<const std::int16_t> samples) {
  while (!samples.empty()) {
    if (heard_->audio.empty() || heard_->audio.back().size() == kPieceSamples) {
      heard_->audio.emplace_back().reserve(kPieceSamples);
    }
    auto& piece = heard_->audio.back();
    const std::size_t count = std::min(samples.size(), kPieceSamples - piece.size());
    piece.insert(piece.end(), samples.begin(),
                 samples.begin() + static_cast<std::ptrdiff_t>(count));
    samples = samples.subspan(count);
  }
}

bool Utterance::long_enough() const {
  return heard_ && heard_->samples * 1000 >=
                       protocol::kMinUtteranceHubMs * static_cast<std::int64_t>(options_.rate_hz);
}

std::shared_ptr<Heard> Utterance::finish() {
  assembler_.finish();
  auto heard = std::move(heard_);
  heard_ = nullptr;
  heard->end_of_speech_ms = context_.now();
  if (heard->session) {
    resampled_.clear();
    if (resampler_) resampler_->flush(resampled_);
    if (!resampled_.empty()) heard->session->push(resampled_);
    heard->session->finish();
  }
  heard->finish_ms = context_.now();
  return heard;
}

}  // namespace gadget::hub
