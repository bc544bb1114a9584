// echo.hpp - the agent for tests and load: says what it was told, and how long it heard (design
// section 7).
//
// A text is answered with `You said: TEXT`; an utterance, which it does not transcribe, with
// `I heard N.NNN seconds`; an event as a text of its name and data. At once, on the loop.
#pragma once

#include "hub/agent/agent.hpp"

namespace gadget::hub {

class EchoAgent final : public Agent {
 public:
  [[nodiscard]] std::string_view name() const override { return "echo"; }
  [[nodiscard]] AgentFlags flags() const override { return {.takes_audio = true}; }
  [[nodiscard]] std::unique_ptr<AgentRun> start(AgentRequest request, const DeviceView& device,
                                                std::shared_ptr<TurnSink> sink) override;
};

}  // namespace gadget::hub
