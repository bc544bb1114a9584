#include "speech/check.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <optional>
#include <utility>

#include <boost/json.hpp>

#include "media/resampler.hpp"
#include "speech/flite_voice.hpp"
#include "speech/installed.hpp"
#include "speech/once.hpp"
#include "speech/pocketsphinx_engine.hpp"
#include "speech/pooled.hpp"
#include "speech/word_errors.hpp"

namespace gadget::speech {
namespace {

using Clock = std::chrono::steady_clock;

std::chrono::milliseconds since(Clock::time_point start) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - start);
}

// Three words of "Set a timer for nine minutes" wrong is not working.
constexpr std::size_t kWrongWordsAllowed = 2;
// A worker that is only just starting may take longer than a hub's patience.
constexpr auto kVoiceStart = std::chrono::seconds{30};

class Checker {
 public:
  explicit Checker(const CheckOptions& options)
      : options_(options),
        workers_(std::make_shared<Workers>(Workers::Options{1, loop_.executor()})) {}

  SpeechCheck run() {
    std::optional<Installed> full = look(Profile::full);
    std::optional<Installed> small = look(Profile::small);
    voice("hibari", full ? installed_voice(*full, nullptr, {}, workers_) : nullptr, Profile::full);
    voice("flite", pooled_synthesizer(flite_voice(), workers_), Profile::minimal);
    recognizer("moonshine-base", full ? installed_recognizer(*full) : nullptr, Profile::full);
    recognizer("moonshine-tiny", small ? installed_recognizer(*small) : nullptr, Profile::small);
    recognizer("pocketsphinx", pocketsphinx_engine(), Profile::minimal);
    listen_to_voices();
    result_.description = describe();
    result_.good = used_works();
    return std::move(result_);
  }

 private:
  std::optional<Installed> look(Profile profile) {
    auto found = find_installed(options_.folder, profile, Depth::contents);
    if (found) return std::move(*found);
    problems_[static_cast<std::size_t>(profile)] = std::move(found.error());
    return std::nullopt;
  }

  EngineCheck& add(const char* role, const char* engine, Profile profile, bool there) {
    auto& check = result_.engines.emplace_back();
    check.role = role;
    check.engine = engine;
    if (!there) {
      const auto& problem = problems_[static_cast<std::size_t>(profile)];
      check.installed = problem.code != FailureCode::not_found;
      check.problem = to_line(problem);
    } else {
      check.installed = true;
    }
    return check;
  }

  void voice(const char* engine, std::unique_ptr<Synthesizer> voice, Profile profile) {
    auto& check = add("voice", engine, profile, voice != nullptr);
    spoken_.emplace_back();
    if (voice == nullptr) return;
    const auto start = Clock::now();
    // The first sentence waits for loading; a worker's sentence may run out of patience once.
    Result<Spoken> first = fail(FailureCode::timeout, "the voice did not start");
    while (!first && since(start) < kVoiceStart) first = speak_once(loop_, *voice, "Ready.");
    check.load = since(start);
    auto said = first ? speak_once(loop_, *voice, kCheckSentence) : std::move(first);
    if (!said) {
      check.problem = to_line(said.error());
      return;
    }
    check.works = !said->samples.empty();
    check.took = std::chrono::duration_cast<std::chrono::milliseconds>(said->first_audio);
    auto samples = media::resample(said->samples, said->rate_hz, kRecognizerRateHz);
    if (samples) spoken_.back() = std::move(*samples);
  }

  void recognizer(const char* name, std::shared_ptr<RecognizerEngine> engine, Profile profile) {
    auto& check = add("recognizer", name, profile, engine != nullptr);
    if (engine == nullptr) return;
    const auto start = Clock::now();
    if (auto loaded = engine->load(); !loaded) {
      check.problem = to_line(loaded.error());
      return;
    }
    check.load = since(start);
    auto recognizer = pooled_recognizer(engine, workers_);
    const auto best = std::find_if(spoken_.begin(), spoken_.end(),
                                   [](const auto& samples) { return !samples.empty(); });
    if (best == spoken_.end()) {
      check.problem = "no voice works, so there is nothing to listen to";
      return;
    }
    auto heard = recognize_once(loop_, *recognizer, *best);
    if (!heard) {
      check.problem = to_line(heard.error());
      return;
    }
    check.took = std::chrono::duration_cast<std::chrono::milliseconds>(heard->after_finish);
    judge(check, heard->text);
    if (check.works && best_ == nullptr) best_ = std::move(recognizer);
  }

  // What the best recognizer makes of each voice.
  void listen_to_voices() {
    for (std::size_t i = 0; i < spoken_.size() && best_ != nullptr; ++i) {
      auto& check = result_.engines[i];
      if (!check.works) continue;
      auto heard = recognize_once(loop_, *best_, spoken_[i]);
      if (heard) judge(check, heard->text);
    }
  }

  static void judge(EngineCheck& check, const std::string& text) {
    check.text = text;
    check.words_wrong = count_word_errors(kCheckSentence, text).wrong;
    check.works = check.words_wrong <= kWrongWordsAllowed;
    if (!check.works) check.problem = "it understood \"" + text + "\"";
  }

  std::string describe() const {
    auto speech = open_speech({.profile = options_.profile,
                               .folder = options_.folder,
                               .workers = workers_,
                               .log = {},
                               .load_now = false});
    return std::move(speech.description);
  }

  bool used_works() const {
    return std::all_of(
        result_.engines.begin(), result_.engines.end(), [&](const EngineCheck& check) {
          const bool used = result_.description.find(" " + check.engine) != std::string::npos;
          return !used || check.works;
        });
  }

  const CheckOptions options_;
  PlainLoop loop_;
  std::shared_ptr<Workers> workers_;
  SpeechCheck result_;
  std::array<Failure, 4> problems_;                // by profile
  std::vector<std::vector<std::int16_t>> spoken_;  // by voice, in the order of result_.engines
  std::unique_ptr<Recognizer> best_;
};

}  // namespace

SpeechCheck check(const CheckOptions& options) { return Checker(options).run(); }

std::string to_json(const SpeechCheck& check) {
  boost::json::array engines;
  for (const auto& e : check.engines) {
    engines.push_back({{"role", e.role},
                       {"engine", e.engine},
                       {"installed", e.installed},
                       {"works", e.works},
                       {"problem", e.problem},
                       {"load_ms", e.load.count()},
                       {"took_ms", e.took.count()},
                       {"text", e.text},
                       {"words_wrong", e.words_wrong}});
  }
  return boost::json::serialize(boost::json::object{{"good", check.good},
                                                    {"uses", check.description},
                                                    {"sentence", kCheckSentence},
                                                    {"engines", std::move(engines)}});
}

std::string to_text(const SpeechCheck& check) {
  std::string out = "said: \"" + std::string(kCheckSentence) + "\"\n";
  for (const auto& e : check.engines) {
    std::array<char, 160> head{};
    std::snprintf(head.data(), head.size(), "%-10s %-15s ", e.role.c_str(), e.engine.c_str());
    out += head.data();
    if (e.works) {
      std::snprintf(head.data(), head.size(), "works  loaded in %.2f s, %s %.2f s: ",
                    static_cast<double>(e.load.count()) / 1000,
                    e.role == "voice" ? "first audio after" : "text after",
                    static_cast<double>(e.took.count()) / 1000);
      out += head.data() + ("\"" + e.text + "\"");
    } else {
      out += (e.installed ? "fails  " : "-      ") + e.problem;
    }
    out += "\n";
  }
  return out + "in use: " + check.description;
}

}  // namespace gadget::speech
