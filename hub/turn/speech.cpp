#include "hub/turn/speech.hpp"

#include <algorithm>
#include <array>

#include "hub/core/limits.hpp"
#include "protocol/audio_assembler.hpp"

namespace gadget::hub {
namespace {

std::uint32_t rate_of(const Connection& connection) {
  return static_cast<std::uint32_t>(connection.caps().speaker->rate_hz);
}

}  // namespace

Speech::Speech(Context& context, SpeechHost& host, Connection& connection, std::string turn,
               Millis not_before)
    : context_(context),
      host_(host),
      connection_(connection),
      turn_(std::move(turn)),
      pacer_(rate_of(connection)),
      not_before_(not_before) {}

void Speech::move(SpeechEvent event) {
  if (const auto phase = next(phase_, event)) phase_ = *phase;
}

Millis Speech::played_by() const {
  return pacer_.started() ? pacer_.played_by() + protocol::kPlaybackStartMs : context_.now();
}

// ---- What is to be said ----

void Speech::say(std::string sentence) {
  if (over() || complete_ || sentence.empty() || chars_ > limits::kMaxSpokenChars) return;
  if (context_.parts.synthesizer == nullptr) return;  // there is an agent that speaks itself
  chars_ += sentence.size();
  sentences_.push_back(std::move(sentence));
  pump();
}

void Speech::audio(std::span<const std::int16_t> samples, std::uint32_t rate_hz) {
  if (over() || complete_) return;
  if (waiting_ms() > limits::kMaxAgentAudioMs) return;
  add({samples.begin(), samples.end()}, rate_hz);
  pump();
}

void Speech::finish() {
  if (complete_) return;
  complete_ = true;
  if (over()) return host_.speech_ended();
  if (!piece_) waiting_.end_sentence();  // of an agent that speaks
  pump();
}

void Speech::hold(bool held) {
  held_ = held;
  if (!held) {
    not_before_ = 0;  // a device that recorded has stopped playing
    pump();
  }
}

void Speech::silence(bool connected) {
  if (over()) return;
  const bool playing = phase_ == SpeechPhase::playing;
  move(SpeechEvent::silenced);
  timer_.clear();
  end_piece();
  sentences_.clear();
  waiting_.clear();
  if (playing && connected) {
    connection_.drop_stream(stream_);
    connection_.send(protocol::SpeechAbort{.stream = stream_});
  }
  if (complete_) host_.speech_ended();
}

// ---- Synthesis ----

void Speech::begin_piece() {
  auto piece = std::make_shared<Piece>();
  piece_ = piece;
  host_.speech_mark(SpeechHost::Mark::asked);
  const std::weak_ptr<Piece> weak_piece = piece;
  const std::weak_ptr<Speech> weak = weak_from_this();
  std::string sentence = std::move(sentences_.front());
  sentences_.pop_front();
  watch();
  piece->session = context_.parts.synthesizer->start(
      std::move(sentence),
      {.audio =
           [weak, weak_piece](std::vector<std::int16_t> samples, std::uint32_t rate_hz) {
             const auto self = weak.lock();
             const auto its = weak_piece.lock();
             if (!self || !its || self->piece_ != its) return;
             self->piece_audio(std::move(samples), rate_hz);
           },
       .done =
           [weak, weak_piece](const Result<void>& result) {
             const auto self = weak.lock();
             const auto its = weak_piece.lock();
             if (self && its && self->piece_ == its) self->piece_done(result);
           }});
}

void Speech::piece_audio(std::vector<std::int16_t> samples, std::uint32_t rate_hz) {
  watch();
  if (!marked_samples_) host_.speech_mark(SpeechHost::Mark::first_samples);
  marked_samples_ = true;
  add(std::move(samples), rate_hz);
  pump();
}

void Speech::add(std::vector<std::int16_t> samples, std::uint32_t rate_hz) {
  if (auto added = waiting_.add(std::move(samples), rate_hz, pacer_.rate_hz()); !added) {
    context_.log(LogFact::Level::error, "speech.failed", {{"text", added.error().text}});
  }
}

void Speech::piece_done(const Result<void>& result) {
  if (!result) {  // the reply is on the screen; the next sentence may work again
    context_.log(LogFact::Level::warning, "speech.failed",
                 {{"turn", turn_}, {"text", result.error().text}});
  }
  waiting_.end_sentence();
  end_piece();
  pump();
}

// May be called by the piece itself.
void Speech::end_piece() {
  stall_.clear();
  context_.bury(std::exchange(piece_, nullptr));
}

void Speech::watch() {
  stall_.set(context_.scheduler, context_.now() + limits::kSynthesizerStallMs, [this] {
    if (piece_) piece_done(fail(FailureCode::timeout, "the voice gave no audio for 20 s"));
  });
}

// ---- To the device ----

void Speech::pump() {
  if (over()) return;
  if (!piece_ && !sentences_.empty() && waiting_ms() < limits::kSpeechAheadMs) {
    begin_piece();
    if (over()) return;  // an engine that answers at once may have ended it all
  }
  convert();
  if (phase_ == SpeechPhase::quiet) open();
  if (phase_ == SpeechPhase::playing) write_due();
  if (!pacer_.drained()) return set_timer();
  if (phase_ == SpeechPhase::playing) {
    connection_.send(protocol::SpeechEnd{.stream = stream_}, Link::Kind::audio_end);
  }
  move(SpeechEvent::drained);
  timer_.clear();
  host_.speech_ended();
}

// Some frames at once, and no more than that: the rest may never be heard.
void Speech::convert() {
  constexpr Millis kBelowMs = 2 * protocol::kAudioFrameMs;
  constexpr Millis kUpToMs = 7 * protocol::kAudioFrameMs;
  if (pacer_.waiting_ms() <= kBelowMs) waiting_.feed(pacer_, kUpToMs);
  if (complete_ && !piece_ && sentences_.empty() && waiting_.empty()) pacer_.finish();
}

Millis Speech::waiting_ms() const { return pacer_.waiting_ms() + waiting_.waiting_ms(); }

void Speech::open() {
  const Millis now = context_.now();
  const auto due = pacer_.next_due(now);
  if (held_ || !due || *due > now || now < not_before_) return;
  stream_ = connection_.next_stream(protocol::Channel::audio);
  connection_.send(protocol::SpeechStart{
      .stream = stream_, .rate_hz = pacer_.rate_hz(), .format = "pcm16", .turn = turn_});
  host_.speech_mark(SpeechHost::Mark::first_frame);
  move(SpeechEvent::opened);
}

void Speech::write_due() {
  const Millis now = context_.now();
  for (auto frame = pacer_.take(now); !frame.empty(); frame = pacer_.take(now)) {
    write(frame);
    convert();
  }
}

void Speech::write(std::span<const std::int16_t> samples) {
  std::array<std::byte, protocol::kMaxPayloadBytes> bytes;
  const std::span payload = std::span(bytes).first(samples.size() * sizeof(std::int16_t));
  protocol::encode_samples(samples, payload);
  connection_.send_binary(protocol::Channel::audio, stream_, sequence_++, payload);
}

void Speech::set_timer() {
  const Millis now = context_.now();
  auto due = pacer_.next_due(now);
  if (phase_ == SpeechPhase::quiet) {
    if (held_ || !due) return timer_.clear();
    due = std::max(*due, not_before_);
  }
  if (!due) return timer_.clear();
  timer_.set(context_.scheduler, *due, [this] { pump(); });
}

}  // namespace gadget::hub
