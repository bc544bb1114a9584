#include "cli/agents.hpp"

#include "base/files.hpp"
#include "hub/agent/builtin/builtin.hpp"
#include "hub/agent/builtin/ordinary.hpp"
#include "hub/agent/echo.hpp"
#include "speech/engines.hpp"
#include "speech/recorded_voice.hpp"

namespace gadget::cli {

std::function<std::unique_ptr<hub::Agent>(hub::AgentHost&)> agent_named(std::string_view name) {
  if (name == "echo") {
    return [](hub::AgentHost&) { return std::make_unique<hub::EchoAgent>(); };
  }
  return [](hub::AgentHost& host) { return hub::make_builtin_agent(host); };
}

decltype(hub::DaemonOptions::open_speech) speech_of(const hub::Config& config) {
  const auto profile = speech::parse_profile(config.speech_profile);
  speech::SpeechOptions options;
  options.profile = profile.value_or(speech::Profile::automatic);
  options.folder = files::default_cache_folder() / "speech";
  // Echo transcribes nothing, and tests start many hubs: what it needs loads when it is used.
  options.load_now = config.agent != "echo";
  if (config.agent == "builtin") options.understood = hub::builtin::understood;
  return [options](std::function<void(std::function<void()>)> post,
                   std::function<void(const std::string&)> log) mutable {
    auto workers = std::make_shared<speech::Workers>(
        speech::Workers::Options{.threads = 0, .executor = std::move(post)});
    options.workers = workers;
    options.log = std::move(log);
    speech::Speech opened = speech::open_speech(std::move(options));
    return hub::SpeechParts{.keep = std::move(workers),
                            .recognizer = std::move(opened.recognizer),
                            .synthesizer = std::move(opened.synthesizer),
                            .description = std::move(opened.description)};
  };
}

decltype(hub::DaemonOptions::open_speech) recorded_speech(media::Recording recording) {
  return [recording = std::move(recording)](std::function<void(std::function<void()>)> post,
                                            const std::function<void(const std::string&)>&) {
    return hub::SpeechParts{.keep = {},
                            .recognizer = {},
                            .synthesizer = speech::recorded_voice(recording, std::move(post)),
                            .description = "no recognizer, voice recorded"};
  };
}

}  // namespace gadget::cli
