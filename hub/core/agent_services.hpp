// agent_services.hpp - what the hub offers its agent outside a turn: timers, speaking up, small
// durable values (AgentHost).
//
// Owned by the hub; on its loop.
#pragma once

#include <map>
#include <memory>
#include <utility>

#include "hub/core/context.hpp"

namespace gadget::hub {

class Twin;

// Finds twins for those who only know an id.
class TwinFinder {
 public:
  virtual ~TwinFinder() = default;
  // In memory, or made from the store; null: no such device.
  [[nodiscard]] virtual std::shared_ptr<Twin> twin(const DeviceId& device) = 0;
};

class AgentServices final : public AgentHost {
 public:
  AgentServices(Context& context, TwinFinder& twins) : context_(context), twins_(twins) {}

  [[nodiscard]] Millis now_ms() const override { return context_.now(); }
  [[nodiscard]] Millis wall_now_ms() const override { return context_.wall(); }
  [[nodiscard]] std::string timezone(const DeviceId& device) const override;
  TimerId at(Millis when_ms, std::function<void()> call) override;
  TimerId at_wall(Millis when_wall_ms, std::function<void()> call) override;
  void cancel(TimerId timer) override;
  void post(std::function<void()> call) override;
  void speak_up(const DeviceId& device, std::string text, std::string card_title,
                std::string card_body, Millis expires_ms) override;
  void show_picture(const DeviceId& device, PictureSpec picture,
                    std::function<void(Result<PictureSent>)> done) override;
  [[nodiscard]] std::optional<std::string> recall(const DeviceId& device,
                                                  std::string_view key) override;
  Result<void> remember(const DeviceId& device, std::string_view key,
                        std::string_view value) override;
  Result<void> erase(const DeviceId& device, std::string_view key) override;
  [[nodiscard]] std::vector<DeviceId> devices_with(std::string_view key) override;
  [[nodiscard]] std::optional<DeviceView> device(const DeviceId& device) override;

 private:
  void watch_wall();
  void run_wall();

  Context& context_;
  TwinFinder& twins_;
  TimerId next_id_ = 1;
  std::map<TimerId, Timer> timers_;
  std::map<std::pair<Millis, TimerId>, std::function<void()>> alarms_;  // by wall time
  std::map<TimerId, Millis> alarm_times_;
  Timer wall_timer_;
};

}  // namespace gadget::hub
