// daemon.hpp - `hermes-gadget hub`: the hub's heart with sockets, clocks, a store and a log around
// it.
//
// run_daemon() blocks until SIGTERM or SIGINT (a second one ends it at once); SIGHUP reads settings
// and certificate again. One event loop on the calling thread owns the hub; devices' sockets are on
// it too, or with `hub_loops` on loops of their own (socket_loops.hpp); engines work on threads of
// their own and post back.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/failure.hpp"
#include "hub/agent/agent.hpp"
#include "hub/config/config.hpp"
#include "speech/recognizer.hpp"
#include "speech/synthesizer.hpp"

namespace gadget::hub {

inline constexpr const char* kStoreFileName = "hub.db";
inline constexpr const char* kFirmwareFolderName = "firmware";
// How long devices get to answer the close when the daemon stops (E2): a round trip on a bad
// network. It ends as soon as all have answered; whoever has not by then is cut off.
inline constexpr std::int64_t kStopMs = 1'000;

// Engines as the daemon holds them. Destroyed after the hub, before the loop.
struct SpeechParts {
  std::shared_ptr<void> keep;                        // what they run on
  std::unique_ptr<speech::Recognizer> recognizer;    // may be null
  std::unique_ptr<speech::Synthesizer> synthesizer;  // may be null
  std::string description;                           // one line for `info` and the log
};

struct DaemonOptions {
  Config config;
  std::string version;
  bool test_clock = false;  // the owner socket may move all clocks (POST /v1/test/advance)
  // SIGHUP: the settings read again. Absent: only the certificate is.
  std::function<Result<Config>()> reload;
  // Required. Who answers.
  std::function<std::unique_ptr<Agent>(AgentHost&)> make_agent;
  // Opens the engines, at once: what takes time happens behind. `post` runs a call on the loop,
  // from any thread; so may `log` be called. Absent: no speech.
  std::function<SpeechParts(std::function<void(std::function<void()>)> post,
                            std::function<void(const std::string&)> log)>
      open_speech;
  // Called once, on the loop, when devices and the owner can connect: "ws://127.0.0.1:8765/gadget".
  std::function<void(const std::string& url)> ready;
};

// Errors: unavailable (port or state folder in use), io, corrupt, invalid_argument, not_found (TLS
// files); each names what to do.
[[nodiscard]] Result<void> run_daemon(DaemonOptions options);

}  // namespace gadget::hub
