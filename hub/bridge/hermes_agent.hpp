// hermes_agent.hpp - Hermes as the one who answers: turns go over the bridge to its plugin, what it
// says comes back into them.
//
// On the hub's loop, as every agent. A turn survives a broken bridge for 60 s, and a gateway that
// was restarted before it began with it (docs/bridge.md, "When the connection breaks").
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "hub/agent/agent.hpp"
#include "hub/bridge/bridge.hpp"

namespace gadget::hub {

// How long a turn waits for a plugin that is not there, and one that was given for one that is
// gone.
inline constexpr Millis kHermesAbsentMs = 20'000;
inline constexpr Millis kHermesGoneMs = 60'000;
// Cancelled turns that a plugin which is gone is still to be told of. Beyond: it says their
// answers.
inline constexpr std::size_t kHermesUntold = 256;
inline constexpr std::size_t kHermesEnded = 256;
// Samples of an utterance that Hermes recognizes: four minutes at 16 kHz. Beyond: the turn fails.
inline constexpr std::size_t kHermesHeardSamples = 4UL * 1024 * 1024;
// Samples in a frame.
inline constexpr std::size_t kHermesPieceSamples = 48UL * 1024;
inline constexpr std::uint32_t kHermesLowestHz = 8'000, kHermesHighestHz = 48'000;

class HermesAgent final : public Agent {
 public:
  // Both are borrowed and outlive this.
  HermesAgent(AgentHost& host, Bridge& bridge);
  ~HermesAgent() override;

  [[nodiscard]] std::string_view name() const override { return "hermes"; }
  // As the plugin that came last wants it.
  [[nodiscard]] AgentFlags flags() const override {
    return {.takes_audio = hears_, .speaks = speaks_, .keeps_history = true};
  }
  [[nodiscard]] std::unique_ptr<AgentRun> start(AgentRequest request, const DeviceView& device,
                                                std::shared_ptr<TurnSink> sink) override;
  void session_new(const DeviceId& device) override;

 private:
  class Run;
  struct Going {  // a turn that Hermes has, or is to get
    AgentRequest request;
    std::shared_ptr<TurnSink> sink;
    std::vector<std::int16_t> heard;  // of an utterance that Hermes recognizes; until it began
    bool listening = false;           // its utterance is still being heard
    bool given = false;               // over some bridge
    bool began = false;               // the model was asked
    std::optional<AgentHost::TimerId> timer;
  };

  void give_or_wait(Going& turn);
  void give(Going& turn);
  void give_audio(const Going& turn);
  void heard(const std::string& turn, std::span<const std::int16_t> samples);
  void heard_all(const std::string& turn);
  bool spoken(Going& turn, const boost::json::object& frame);
  [[nodiscard]] std::vector<std::string> known() const;
  void came(const BridgeHello& hello);
  void went();
  bool frame(std::string_view type, const boost::json::object& frame);
  void wait(Going& turn, Millis for_ms, std::string why);
  void stop_waiting(Going& turn);
  void end(const std::string& turn, TurnOutcome outcome, std::string reason);
  void cancelled(const std::string& turn, CancelCause cause);
  void tell_cancelled(const std::string& turn, const DeviceId& device, CancelCause cause);

  AgentHost& host_;
  Bridge& bridge_;
  bool hears_ = false, speaks_ = false;
  std::map<std::string, Going> turns_;
  // Cancelled while no plugin was there to be told.
  struct Cancelled {
    DeviceId device;
    CancelCause cause;
  };
  std::map<std::string, Cancelled> untold_;
  // That the plugin ended, newest last: when its connection breaks just then it may say them again.
  std::deque<std::string> ended_;
};

// What a device is, as the plugin is told.
[[nodiscard]] boost::json::object device_frame(const DeviceView& device, bool paired);

}  // namespace gadget::hub
