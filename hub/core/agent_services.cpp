#include "hub/core/agent_services.hpp"

#include <algorithm>

#include "hub/core/limits.hpp"
#include "hub/twin/twin.hpp"

namespace gadget::hub {

std::string AgentServices::timezone(const DeviceId& device) const {
  return context_.timezone(device);
}

AgentServices::TimerId AgentServices::at(Millis when_ms, std::function<void()> call) {
  const TimerId id = next_id_++;
  timers_[id].set(context_.scheduler, when_ms, [this, id, call = std::move(call)] {
    timers_.erase(id);
    call();
  });
  return id;
}

AgentServices::TimerId AgentServices::at_wall(Millis when_wall_ms, std::function<void()> call) {
  const TimerId id = next_id_++;
  alarms_.emplace(std::pair{when_wall_ms, id}, std::move(call));
  alarm_times_.emplace(id, when_wall_ms);
  watch_wall();
  return id;
}

void AgentServices::cancel(TimerId timer) {
  timers_.erase(timer);
  const auto alarm = alarm_times_.find(timer);
  if (alarm == alarm_times_.end()) return;
  alarms_.erase({alarm->second, timer});
  alarm_times_.erase(alarm);
  watch_wall();
}

// The wall clock may be set: it is looked at again every few seconds while an alarm waits.
void AgentServices::watch_wall() {
  if (alarms_.empty()) return wall_timer_.clear();
  const Millis left = alarms_.begin()->first.first - context_.wall();
  const Millis wait = std::clamp<Millis>(left, 0, limits::kWallRecheckMs);
  wall_timer_.set(context_.scheduler, context_.now() + wait, [this] { run_wall(); });
}

void AgentServices::run_wall() {
  const Millis wall = context_.wall();
  const TimerId before = next_id_;  // what these calls set is left for the next time
  auto alarm = alarms_.begin();
  while (alarm != alarms_.end() && alarm->first.first <= wall) {
    if (alarm->first.second >= before) {
      ++alarm;
      continue;
    }
    const auto call = std::move(alarm->second);
    alarm_times_.erase(alarm->first.second);
    alarms_.erase(alarm);
    call();
    alarm = alarms_.begin();
  }
  watch_wall();
}

void AgentServices::post(std::function<void()> call) { context_.environment.post(std::move(call)); }

void AgentServices::speak_up(const DeviceId& device, std::string text, std::string card_title,
                             std::string card_body, Millis expires_ms) {
  const auto twin = twins_.twin(device);
  if (!twin) return;
  Message message;
  message.text = std::move(text);
  message.card_title = std::move(card_title);
  message.card_body = std::move(card_body);
  message.expires_wall_ms = context_.wall() + expires_ms;
  twin->conversation().announce(std::move(message));
}

void AgentServices::show_picture(const DeviceId& device, PictureSpec picture,
                                 std::function<void(Result<PictureSent>)> done) {
  const auto twin = twins_.twin(device);
  if (twin) return twin->pictures().show(std::move(picture), std::move(done));
  done(fail(FailureCode::not_found, "no device " + std::string(device.text())));
}

std::optional<std::string> AgentServices::recall(const DeviceId& device, std::string_view key) {
  auto value = context_.parts.store->value(device, key);
  if (value) return std::move(*value);
  context_.log(LogFact::Level::error, "store.failed", {{"text", value.error().text}});
  return std::nullopt;
}

Result<void> AgentServices::remember(const DeviceId& device, std::string_view key,
                                     std::string_view value) {
  return context_.parts.store->put_value(device, key, value);
}

Result<void> AgentServices::erase(const DeviceId& device, std::string_view key) {
  return context_.parts.store->drop_value(device, key);
}

std::vector<DeviceId> AgentServices::devices_with(std::string_view key) {
  auto devices = context_.parts.store->devices_with_value(key);
  return devices ? std::move(*devices) : std::vector<DeviceId>();
}

std::optional<DeviceView> AgentServices::device(const DeviceId& device) {
  const auto twin = twins_.twin(device);
  if (!twin) return std::nullopt;
  return twin->view();
}

}  // namespace gadget::hub
