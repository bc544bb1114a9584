// speech_bench - what the speech engines do with everyday requests: words wrong, times, memory. For
// docs/numbers.md.
//
// usage: speech_bench [--profile P] [--folder DIR] [--voice hibari|flite|espeak]... [--noise DB]
// [--lines FILE]
//                     [--real-time] [--verbose] [--save DIR] [FILE.wav...]
//        speech_bench --install full|small | --check   [--folder DIR]     as hermes-gadget speech
//        does
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <random>

#include <sys/wait.h>
#include <unistd.h>

#include "base/files.hpp"
#include "media/resampler.hpp"
#include "media/wav.hpp"
#include "speech/check.hpp"
#include "speech/engines.hpp"
#include "speech/flite_voice.hpp"
#include "speech/installer.hpp"
#include "speech/once.hpp"
#include "speech/pooled.hpp"
#include "speech/word_errors.hpp"

namespace gadget::speech {
namespace {

struct Arguments {
  std::string profile = "auto";
  std::filesystem::path folder = files::default_cache_folder() / "speech";
  std::filesystem::path lines = GADGET_SOURCE_DIR "/tests/data/everyday_requests.txt";
  std::vector<std::string> voices;
  std::vector<std::string> recordings;
  double noise_db = 0;  // signal to noise; 0: none
  bool real_time = false;
  bool verbose = false;
  bool check = false;
  std::string install;
  std::string save;  // folder for what the voices said
};

std::vector<std::string> sentences_of(const std::filesystem::path& path) {
  std::ifstream in(path);
  std::vector<std::string> sentences;
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line[0] == '#') continue;
    auto sentence = line.substr(0, line.find('|'));
    sentence.erase(sentence.find_last_not_of(' ') + 1);
    sentences.push_back(std::move(sentence));
  }
  return sentences;
}

// espeak-ng only ever as a process: its licence (GPL) would otherwise be ours.
Result<media::Recording> espeak(const std::string& text) {
  const std::string path = "/tmp/speech_bench." + std::to_string(getpid()) + ".wav";
  const pid_t pid = fork();
  if (pid == 0) {
    execlp("espeak-ng", "espeak-ng", "-v", "en-us", "-w", path.c_str(), text.c_str(), nullptr);
    _exit(127);
  }
  int status = 0;
  if (pid < 0 || waitpid(pid, &status, 0) < 0 || status != 0) {
    return fail(FailureCode::unavailable, "espeak-ng did not work", "apt install espeak-ng");
  }
  auto recording = media::read_wav(path);
  std::filesystem::remove(path);
  return recording;
}

void add_noise(std::vector<std::int16_t>& samples, double db) {
  double power = 0;
  for (const auto s : samples) power += static_cast<double>(s) * s;
  power /= static_cast<double>(std::max<std::size_t>(1, samples.size()));
  std::mt19937 random(1);
  std::normal_distribution<double> noise(0.0, std::sqrt(power / std::pow(10.0, db / 10)));
  for (auto& s : samples) {
    s = static_cast<std::int16_t>(std::clamp(s + noise(random), -32768.0, 32767.0));
  }
}

long peak_kb() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmHWM:")) return std::strtol(line.c_str() + 6, nullptr, 10);
  }
  return 0;
}

double ms(std::chrono::microseconds time) { return static_cast<double>(time.count()) / 1000.0; }

class Bench {
 public:
  explicit Bench(Arguments arguments) : arguments_(std::move(arguments)) {
    workers_ = std::make_shared<Workers>(Workers::Options{1, loop_.executor()});
    const auto profile = parse_profile(arguments_.profile);
    if (!profile) std::exit((std::cerr << to_line(profile.error()) << "\n", 2));
    const auto start = std::chrono::steady_clock::now();
    speech_ = open_speech({.profile = *profile,
                           .folder = arguments_.folder,
                           .workers = workers_,
                           .log = [](const std::string& line) { std::cerr << line << "\n"; }});
    std::cout << speech_.description << "\n";
    // Both engines work once: what is measured below has nothing to load.
    const std::vector<std::int16_t> second(kRecognizerRateHz);
    (void)recognize_once(loop_, *speech_.recognizer, second);
    std::printf("recognizer ready after %.0f ms, ",
                ms(std::chrono::duration_cast<std::chrono::microseconds>(
                    std::chrono::steady_clock::now() - start)));
    (void)speak_once(loop_, *speech_.synthesizer, "Ready.");
    std::printf("voice after %.0f ms\n", ms(std::chrono::duration_cast<std::chrono::microseconds>(
                                             std::chrono::steady_clock::now() - start)));
    flite_ = pooled_synthesizer(flite_voice(), workers_);
  }

  void recordings() {
    for (const auto& path : arguments_.recordings) {
      const auto recording = media::read_wav(path);
      if (!recording) {
        std::cerr << to_line(recording.error()) << "\n";
        continue;
      }
      const auto heard = recognize(recording->samples, recording->rate_hz);
      std::printf("%s: %s\n", path.c_str(), heard ? heard->text.c_str() : "failed");
    }
  }

  void voice(const std::string& name) {
    WordErrors errors;
    std::vector<double> decode;
    std::vector<double> first;
    for (const auto& sentence : sentences_of(arguments_.lines)) {
      std::vector<std::int16_t> samples;
      std::uint32_t rate = 0;
      if (name == "espeak") {
        auto recording = espeak(sentence);
        if (!recording) return void(std::cerr << to_line(recording.error()) << "\n");
        samples = std::move(recording->samples);
        rate = recording->rate_hz;
      } else {
        auto& voice = name == "flite" ? *flite_ : *speech_.synthesizer;
        auto spoken = speak_once(loop_, voice, sentence);
        if (!spoken) return void(std::cerr << to_line(spoken.error()) << "\n");
        first.push_back(ms(spoken->first_audio));
        samples = std::move(spoken->samples);
        rate = spoken->rate_hz;
      }
      if (!arguments_.save.empty()) {
        const auto file = name + std::to_string(decode.size()) + ".wav";
        (void)media::write_wav(std::filesystem::path(arguments_.save) / file, samples, rate);
      }
      const auto heard = recognize(samples, rate);
      if (!heard) return void(std::cerr << to_line(heard.error()) << "\n");
      const auto wrong = count_word_errors(sentence, heard->text);
      errors.words += wrong.words;
      errors.wrong += wrong.wrong;
      decode.push_back(ms(heard->after_finish));
      if (arguments_.verbose || wrong.wrong > 0) {
        std::printf("  %zu/%zu  %s  ->  %s  (%.0f ms, %zu partials)\n", wrong.wrong, wrong.words,
                    sentence.c_str(), heard->text.c_str(), ms(heard->after_finish),
                    heard->partials.size());
      }
    }
    std::printf(
        "%-8s words wrong %.1f %% (%zu of %zu), text after end of speech %.0f ms (worst %.0f)",
        name.c_str(), errors.percent(), errors.wrong, errors.words, median(decode),
        *std::max_element(decode.begin(), decode.end()));
    if (!first.empty()) {
      std::printf(", first audio %.0f ms (worst %.0f)", median(first),
                  *std::max_element(first.begin(), first.end()));
    }
    std::printf("\n");
  }

  void memory() const {
    std::printf("peak memory of this process %.0f MB\n", static_cast<double>(peak_kb()) / 1024);
  }

 private:
  static double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
  }

  Result<Heard> recognize(const std::vector<std::int16_t>& samples, std::uint32_t rate) {
    auto at_16k = media::resample(samples, rate, kRecognizerRateHz);
    if (!at_16k) return tl::unexpected<Failure>(std::move(at_16k.error()));
    if (arguments_.noise_db > 0) add_noise(*at_16k, arguments_.noise_db);
    return recognize_once(loop_, *speech_.recognizer, *at_16k,
                          arguments_.real_time ? Pace::real_time : Pace::at_once);
  }

  const Arguments arguments_;
  PlainLoop loop_;
  std::shared_ptr<Workers> workers_;
  Speech speech_;
  std::unique_ptr<Synthesizer> flite_;
};

int install_profile(const Arguments& arguments) {
  const auto profile = parse_profile(arguments.install);
  const auto done = profile.and_then([&](Profile which) {
    return install({.profile = which, .folder = arguments.folder}, [](const InstallProgress& at) {
      std::cerr << "[" << at.step << "/" << at.steps << "] " << at.text << std::endl;
    });
  });
  if (!done) std::cerr << to_line(done.error()) << "\n";
  if (done)
    std::cout << done->folder.string() << (done->already ? " was installed" : " installed") << "\n";
  return done ? 0 : exit_code(done.error().code);
}

int run(int count, char** words) {
  Arguments arguments;
  for (int i = 1; i < count; ++i) {
    const std::string word = words[i];
    const auto value = [&] { return ++i < count ? std::string(words[i]) : std::string{}; };
    if (word == "--profile")
      arguments.profile = value();
    else if (word == "--folder")
      arguments.folder = value();
    else if (word == "--voice")
      arguments.voices.push_back(value());
    else if (word == "--noise")
      arguments.noise_db = std::strtod(value().c_str(), nullptr);
    else if (word == "--lines")
      arguments.lines = value();
    else if (word == "--real-time")
      arguments.real_time = true;
    else if (word == "--save")
      arguments.save = value();
    else if (word == "--check")
      arguments.check = true;
    else if (word == "--install")
      arguments.install = value();
    else if (word == "--verbose")
      arguments.verbose = true;
    else
      arguments.recordings.push_back(word);
  }
  if (!arguments.install.empty()) return install_profile(arguments);
  if (arguments.check) {
    const auto result = check({.folder = arguments.folder});
    std::cout << to_text(result) << "\n";
    return result.good ? 0 : 1;
  }
  if (arguments.voices.empty() && arguments.recordings.empty()) {
    arguments.voices = {"hibari", "flite", "espeak"};
  }
  Bench bench(arguments);
  bench.recordings();
  for (const auto& voice : arguments.voices) bench.voice(voice);
  bench.memory();
  return 0;
}

}  // namespace
}  // namespace gadget::speech

int main(int count, char** words) { return gadget::speech::run(count, words); }
