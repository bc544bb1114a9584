// bridge_test_support.hpp - a hub that Hermes answers for, and a plugin that the test plays frame
// by frame.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include "hub/bridge/bridge.hpp"
#include "hub/bridge/frame_schema_test_support.hpp"
#include "hub/bridge/hermes_agent.hpp"
#include "hub/bridge/hermes_authority.hpp"
#include "hub/core/bench.hpp"

namespace gadget::hub::testing {

// A text field of a frame; empty when there is none.
inline std::string field(const boost::json::object& frame, std::string_view key) {
  const auto* value = frame.if_contains(key);
  return value != nullptr && value->is_string() ? std::string(value->get_string()) : std::string();
}

class Plugin final : public BridgeLink {
 public:
  void send(std::string frame) override {
    const boost::json::value value = boost::json::parse(frame);
    EXPECT_EQ(wrong_with_frame(value), "");
    frames.push_back(value.as_object());
  }
  void close(std::uint16_t code, std::string reason) override {
    closed = code;
    why = std::move(reason);
  }
  // The last frame of that type; an empty object when there is none.
  [[nodiscard]] boost::json::object last(std::string_view type) const {
    for (auto frame = frames.rbegin(); frame != frames.rend(); ++frame) {
      if (field(*frame, "type") == type) return *frame;
    }
    return {};
  }
  [[nodiscard]] std::size_t count(std::string_view type) const {
    std::size_t found = 0;
    for (const auto& frame : frames) found += field(frame, "type") == type ? 1 : 0;
    return found;
  }

  std::vector<boost::json::object> frames;
  std::uint16_t closed = 0;
  std::string why;
};

class WithHermes : public ::testing::Test {
 protected:
  WithHermes() {
    bench.make_agent = [this](AgentHost& host) {
      return std::make_unique<HermesAgent>(host, bridge);
    };
    bench.device_changed = [this](const DeviceId& device) { bridge.device_changed(device); };
    bench.hub.reset();
    bench.authority = std::make_unique<HermesAuthority>(
        *bench.store, bridge,
        HermesAuthority::Parts{
            .post = [this](std::function<void()> call) { bench.later(0, std::move(call)); },
            .view = [this](const DeviceId& id) { return bench.hub->view(id); },
            .online = [this] { return bench.hub->online_devices(); },
            .wall_now_ms = [this] { return bench.wall; }});
    bench.start_hub();
    bridge.open({.version = "0.1.0",
                 .hub = bench.hub.get(),
                 .owner =
                     [this](std::string path, std::string body, Bridge::OwnerDone done) {
                       calls.push_back(path + " " + body);
                       if (answers_now) return done(true, R"({"api":1})");
                       waiting.push_back(std::move(done));
                     },
                 .log = {}});
  }
  ~WithHermes() override {
    bench.hub.reset();
    bench.authority.reset();
  }

  std::shared_ptr<Plugin> connect(std::string_view instance = "one", std::string_view turns = "",
                                  std::string_view more = "") {
    auto link = std::make_shared<Plugin>();
    bridge.attached(link);
    say(link,
        R"({"type":"hello","bridge":1,"plugin":"0.1.0","gateway":"hermes 0.19","instance":")" +
            std::string(instance) + R"(","turns":[)" + std::string(turns) + "]" +
            std::string(more) + "}");
    bench.settle();
    return link;
  }
  void say(const std::shared_ptr<Plugin>& link, const std::string& frame) {
    bridge.message(link, frame);
    bench.settle();
  }
  // A device that Hermes has approved.
  void approved(bench::Device& device, const std::shared_ptr<Plugin>& link) {
    device.come(bench::kSpeaker);
    bench.settle();
    say(link, R"({"type":"authorized","device":")" + std::string(device.id.text()) +
                  R"(","authorized":true})");
  }
  // Lets time pass for a device that answers its heartbeat.
  void pass(bench::Device& device, Millis ms) {
    for (; ms > 0; ms -= 10'000) {
      bench.advance(std::min<Millis>(ms, 10'000));
      device.send(R"({"type":"ping"})");
      bench.settle();
    }
  }
  static std::string about(std::string_view type, const std::string& turn, std::string_view more) {
    return R"({"type":")" + std::string(type) + R"(","turn":")" + turn + "\"" + std::string(more) +
           "}";
  }
  // Types something into the device; the id of the turn that the plugin is given.
  std::string typed(bench::Device& device, std::string_view text,
                    const std::shared_ptr<Plugin>& link) {
    device.send(R"({"type":"text","text":")" + std::string(text) + "\"}");
    bench.settle();
    return field(link->last("turn"), "turn");
  }

  Bridge bridge;
  bench::Bench bench{bench::Bench::AgentKind::scripted};
  std::vector<std::string> calls;
  bool answers_now = true;
  std::vector<Bridge::OwnerDone> waiting;
};

}  // namespace gadget::hub::testing
