#include "hub/agent/echo.hpp"

namespace gadget::hub {
namespace {

// Seconds with three decimals, rounded: 12,345 samples at 16 kHz are "0.772".
std::string seconds(std::uint64_t samples, std::uint32_t rate_hz) {
  const std::uint64_t ms = rate_hz == 0 ? 0 : (samples * 1000 + rate_hz / 2) / rate_hz;
  return std::to_string(ms / 1000) + "." + std::to_string(1000 + ms % 1000).substr(1);
}

class Listening final : public AgentRun {
 public:
  Listening(std::uint32_t rate_hz, std::shared_ptr<TurnSink> sink)
      : rate_hz_(rate_hz), sink_(std::move(sink)) {}

  void audio(std::span<const std::int16_t> samples) override { samples_ += samples.size(); }

  void audio_end() override {
    sink_->final("I heard " + seconds(samples_, rate_hz_) + " seconds");
    sink_->end(TurnOutcome::success, {});
  }

 private:
  std::uint32_t rate_hz_;
  std::uint64_t samples_ = 0;
  std::shared_ptr<TurnSink> sink_;
};

}  // namespace

std::unique_ptr<AgentRun> EchoAgent::start(AgentRequest request, const DeviceView& device,
                                           std::shared_ptr<TurnSink> sink) {
  (void)device;
  if (request.source == AgentRequest::Source::spoken) {
    return std::make_unique<Listening>(request.rate_hz, std::move(sink));
  }
  std::string said = std::move(request.text);
  if (request.source == AgentRequest::Source::event) {
    said = said.empty() ? request.event_name : request.event_name + " " + said;
  }
  sink->final("You said: " + said);
  sink->end(TurnOutcome::success, {});
  return nullptr;
}

}  // namespace gadget::hub
