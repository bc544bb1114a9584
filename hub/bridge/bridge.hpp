// bridge.hpp - the hub's side of the bridge to Hermes: one plugin, its hello, its frames and what
// it asks for (docs/bridge.md, version 1).
//
// Sans-I/O: the shell gives it connections and their messages and sends what it is told. One owner:
// the hub's loop. Turns are HermesAgent's, pairing is HermesAuthority's; both listen here.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/object.hpp>

#include "hub/agent/agent.hpp"

namespace gadget::hub {

class Hub;

inline constexpr std::int64_t kBridgeVersion = 1;
// Longest frame; texts of an answer are cut far below it (E33).
inline constexpr std::size_t kBridgeFrameBytes = 1024 * 1024;
// How long a connection may take to say hello.
inline constexpr Millis kBridgeHelloMs = 10'000;
// Requests that may wait for their answer at a time, and questions whose answer is kept for a
// plugin that asks again.
inline constexpr std::size_t kBridgeRequests = 256;
inline constexpr std::size_t kBridgeQuestions = 256;

// One connection of a plugin, as the shell has it. Calls return at once; after close() it is told
// nothing more.
class BridgeLink {
 public:
  virtual ~BridgeLink() = default;
  virtual void send(std::string frame) = 0;
  virtual void close(std::uint16_t code, std::string reason) = 0;
};

struct BridgeHello {
  std::string instance;         // of the gateway's process
  std::set<std::string> turns;  // that it works on
  bool hears = false;           // utterances go to Hermes as they are, not as the hub's transcript
  bool speaks = false;          // Hermes speaks the answers to them
};

class Bridge {
 public:
  // Who wants to know. `frame` gets each of its frames; false: it misses something.
  struct Listener {
    std::function<void(const BridgeHello&)> came;
    std::function<void()> went;
    std::function<bool(std::string_view type, const boost::json::object& frame)> frame;
    // What is shown of a device is another thing now; may be absent.
    std::function<void(const DeviceId&)> device_changed = {};
    // The turns that it knows, for `welcome`; may be absent.
    std::function<std::vector<std::string>()> known = {};
  };
  // A call of the owner API: `path` without "/v1/", the body as JSON. `done` may come at once.
  using OwnerDone = std::function<void(bool ok, std::string body)>;
  using OwnerCall = std::function<void(std::string path, std::string body, OwnerDone done)>;
  struct Parts {
    std::string version;  // of the hub
    Hub* hub = nullptr;   // borrowed
    OwnerCall owner;
    std::function<void(std::string_view event, std::string_view text)> log;
  };

  // Before anything else of it is called but the listeners.
  void open(Parts parts) { parts_ = std::move(parts); }
  void turns(Listener listener) { turns_ = std::move(listener); }
  void pairing(Listener listener) { pairing_ = std::move(listener); }

  // ---- The shell ----
  void attached(std::shared_ptr<BridgeLink> link);
  void message(const std::shared_ptr<BridgeLink>& link, std::string_view text);
  void detached(const std::shared_ptr<BridgeLink>& link);
  void device_changed(const DeviceId& device) {
    if (pairing_.device_changed) pairing_.device_changed(device);
  }

  // ---- Those who listen ----
  [[nodiscard]] bool connected() const { return plugin_ != nullptr; }
  // Dropped when there is no plugin.
  void send(const boost::json::object& frame);

 private:
  // A question of an approval or the like, which is asked once however often its plugin asks.
  struct Question {
    DeviceId device;
    std::string request;  // who gets the answer; empty: its connection broke
    std::string answer;   // kept for the next one who asks
  };

  void hello(const std::shared_ptr<BridgeLink>& link, const boost::json::object& frame);
  void fault(BridgeLink& link, std::string_view text);
  void request(const boost::json::object& frame);
  void ask(const std::string& id, const boost::json::object& frame);
  void answered(const std::string& ref, std::string_view answer);
  void withdraw(const std::string& ref);
  void withdraw_all();
  void respond(const std::string& id, bool ok, std::string_view body);
  void refuse(const std::string& id, const Failure& failure);

  Parts parts_;
  Listener turns_, pairing_;
  std::shared_ptr<BridgeLink> plugin_;  // that said hello
  std::set<std::shared_ptr<BridgeLink>> silent_;
  std::string instance_;
  std::uint64_t epoch_ = 0;  // of the connection: answers to an older one's requests are dropped
  std::size_t requests_ = 0;
  std::map<std::string, Question> questions_;  // by `ref`
  std::vector<std::string> answered_;          // refs whose answer is kept, oldest first
};

}  // namespace gadget::hub
