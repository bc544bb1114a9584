// hermes_agent.hpp - Hermes as the one who answers: turns go over the bridge to its plugin, what it
// says comes back into them.
//
// On the hub's loop, as every agent. A turn survives a broken bridge for 60 s, and a gateway that
// was restarted before it began with it (docs/bridge.md, "When the connection breaks").
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "hub/agent/agent.hpp"
#include "hub/bridge/bridge.hpp"

namespace gadget::hub {

// How long a turn waits for a plugin that is not there, and one that was given for one that is
// gone.
inline constexpr Millis kHermesAbsentMs = 20'000;
inline constexpr Millis kHermesGoneMs = 60'000;

class HermesAgent final : public Agent {
 public:
  // Both are borrowed and outlive this.
  HermesAgent(AgentHost& host, Bridge& bridge);
  ~HermesAgent() override;

  [[nodiscard]] std::string_view name() const override { return "hermes"; }
  [[nodiscard]] AgentFlags flags() const override { return {.keeps_history = true}; }
  [[nodiscard]] std::unique_ptr<AgentRun> start(AgentRequest request, const DeviceView& device,
                                                std::shared_ptr<TurnSink> sink) override;
  void session_new(const DeviceId& device) override;

 private:
  class Run;
  struct Going {  // a turn that Hermes has, or is to get
    AgentRequest request;
    std::shared_ptr<TurnSink> sink;
    bool given = false;  // over some bridge
    bool began = false;  // the model was asked
    std::optional<AgentHost::TimerId> timer;
  };

  void give(Going& turn);
  void came(const BridgeHello& hello);
  void went();
  bool frame(std::string_view type, const boost::json::object& frame);
  void wait(Going& turn, Millis for_ms, std::string why);
  void stop_waiting(Going& turn);
  void end(const std::string& turn, TurnOutcome outcome, std::string reason);
  void cancelled(const std::string& turn);

  AgentHost& host_;
  Bridge& bridge_;
  std::map<std::string, Going> turns_;
};

// What a device is, as the plugin is told.
[[nodiscard]] boost::json::object device_frame(const DeviceView& device, bool paired);

}  // namespace gadget::hub
