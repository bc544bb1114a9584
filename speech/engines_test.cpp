// The real engines, label "engines": Moonshine and hibari as `hermes-gadget speech install` left
// them.
#include "speech/engines.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <mutex>
#include <random>
#include <thread>

#include <gtest/gtest.h>
#include <signal.h>

#include "base/files.hpp"
#include "media/resampler.hpp"
#include "speech/check.hpp"
#include "speech/flite_voice.hpp"
#include "speech/installer.hpp"
#include "speech/manifest.hpp"
#include "speech/once.hpp"
#include "speech/pooled.hpp"
#include "speech/segmenter.hpp"
#include "speech/word_errors.hpp"

namespace gadget::speech {
namespace {

using namespace std::chrono_literals;

std::filesystem::path folder() {
  const char* const other = std::getenv("GADGET_SPEECH_FOLDER");
  return other != nullptr ? std::filesystem::path(other) : files::default_cache_folder() / "speech";
}

bool installed() { return read_manifest(folder() / "full").has_value(); }

#define NEEDS_ENGINES()                                                               \
  if (!installed()) {                                                                 \
    GTEST_SKIP() << "NOT TESTED: the speech models are not installed in " << folder() \
                 << "; run hermes-gadget speech install";                             \
  }

struct Lines {
  std::mutex mutex;
  std::string text;
  Log log() {
    return [this](const std::string& line) {
      const std::lock_guard lock(mutex);
      text += line + "\n";
    };
  }
  std::string get() {
    const std::lock_guard lock(mutex);
    return text;
  }
};

struct House {
  Lines lines;
  PlainLoop loop;
  std::shared_ptr<Workers> workers =
      std::make_shared<Workers>(Workers::Options{1, loop.executor()});
  Speech speech = open_speech(
      {.profile = Profile::full, .folder = folder(), .workers = workers, .log = lines.log()});
  std::unique_ptr<Synthesizer> flite = pooled_synthesizer(flite_voice(), workers);

  // One for all tests: loading takes a second.
  static House& get() {
    static House house;
    return house;
  }

  std::vector<std::int16_t> say(Synthesizer& voice, const std::string& text) {
    auto spoken = speak_once(loop, voice, text);
    EXPECT_TRUE(spoken) << to_line(spoken.error());
    if (!spoken) return {};
    return media::resample(spoken->samples, spoken->rate_hz, kRecognizerRateHz)
        .value_or(std::vector<std::int16_t>{});
  }
  std::string hear(std::span<const std::int16_t> samples) {
    auto heard = recognize_once(loop, *speech.recognizer, samples);
    return heard ? heard->text : to_line(heard.error());
  }
};

std::vector<std::string> requests() {
  std::ifstream in(GADGET_SOURCE_DIR "/tests/data/everyday_requests.txt");
  std::vector<std::string> sentences;
  for (std::string line; std::getline(in, line);) {
    if (!line.empty() && line[0] != '#') sentences.push_back(line.substr(0, line.find(" |")));
  }
  EXPECT_EQ(sentences.size(), 20U);
  return sentences;
}

double percent_wrong(Synthesizer& voice) {
  WordErrors all;
  for (const auto& sentence : requests()) {
    const auto heard = House::get().hear(House::get().say(voice, sentence));
    const auto errors = count_word_errors(sentence, heard);
    if (errors.wrong > 0) std::cout << "  " << sentence << " -> " << heard << "\n";
    all.words += errors.words;
    all.wrong += errors.wrong;
  }
  std::cout << voice.name() << ": " << all.percent() << " % of words wrong\n";
  return all.percent();
}

TEST(Engines, TheNaturalVoiceIsUnderstood) {
  NEEDS_ENGINES();
  EXPECT_EQ(House::get().speech.recognizer->name(), "moonshine-base");
  EXPECT_LE(percent_wrong(*House::get().speech.synthesizer), 3.0);
}

TEST(Engines, FliteIsUnderstood) {
  NEEDS_ENGINES();
  EXPECT_LE(percent_wrong(*House::get().flite), 10.0);
}

// Hold-to-talk for a third of a second: cut to the sound, and quiet.
TEST(Engines, ShortQuietWordsAreNotLost) {
  NEEDS_ENGINES();
  for (const std::string word : {"Yes.", "No.", "Stop.", "Okay."}) {
    auto samples = House::get().say(*House::get().speech.synthesizer, word);
    const auto loud = [](std::int16_t s) { return std::abs(s) > 1'000; };
    const auto begin = std::find_if(samples.begin(), samples.end(), loud);
    const auto end = std::find_if(samples.rbegin(), samples.rend(), loud).base();
    std::vector<std::int16_t> cut(begin, end);
    EXPECT_LT(cut.size(), samples_of_ms(700));
    EXPECT_EQ(count_word_errors(word, House::get().hear(cut)).wrong, 0U) << word;
    for (auto& s : cut) s = static_cast<std::int16_t>(s / 10);
    EXPECT_EQ(count_word_errors(word, House::get().hear(cut)).wrong, 0U) << word << " at -20 dB";
  }
}

TEST(Engines, NobodySaysNothing) {
  NEEDS_ENGINES();
  std::mt19937 random(1);
  std::normal_distribution<double> white(0, 1);
  for (const double level : {0.0, 10.0, 100.0, 1'500.0}) {
    for (const std::size_t length :
         {std::size_t{0}, samples_of_ms(50), samples_of_ms(400), samples_of_ms(3'000)}) {
      std::vector<std::int16_t> noise(length);
      std::vector<std::int16_t> tone(length);
      for (std::size_t i = 0; i < length; ++i) {
        noise[i] = static_cast<std::int16_t>(level * white(random));
        tone[i] = static_cast<std::int16_t>(level * std::sin(0.17 * static_cast<double>(i)));
      }
      EXPECT_EQ(House::get().hear(noise), "") << level << " " << length;
      EXPECT_EQ(House::get().hear(tone), "") << level << " " << length;
    }
  }
}

TEST(Engines, TextComesWhileThePersonStillSpeaks) {
  NEEDS_ENGINES();
  auto& house = House::get();
  const auto samples = house.say(*house.speech.synthesizer,
                                 "Remind me in twenty minutes to take the bread out of the oven.");
  const auto heard = recognize_once(house.loop, *house.speech.recognizer, samples, Pace::real_time);
  ASSERT_TRUE(heard);
  EXPECT_GE(heard->partials.size(), 1U);
  EXPECT_NE(heard->text.find("oven"), std::string::npos) << heard->text;
  std::cout << heard->partials.size() << " partial texts, text "
            << heard->after_finish.count() / 1000 << " ms after the end\n";
}

TEST(Engines, ALongSpeechIsUnderstoodInPieces) {
  NEEDS_ENGINES();
  auto& house = House::get();
  std::string said;
  std::vector<std::int16_t> samples;
  for (const auto& sentence : requests()) {
    said += sentence + " ";
    const auto part = house.say(*house.speech.synthesizer, sentence);
    samples.insert(samples.end(), part.begin(), part.end());
  }
  const auto errors = count_word_errors(said, house.hear(samples));
  std::cout << samples.size() / kRecognizerRateHz << " s: " << errors.percent()
            << " % of words wrong\n";
  EXPECT_LE(errors.percent(), 5.0);
}

// E21, B-39 with the real engines.
TEST(Engines, B39_ACancelledSessionDeliversNothing) {
  NEEDS_ENGINES();
  auto& house = House::get();
  const auto samples = house.say(*house.flite, "Set a timer for nine minutes.");
  std::mt19937 random(39);
  std::size_t delivered = 0;
  for (int round = 0; round < 40; ++round) {
    auto alive = std::make_shared<bool>(true);
    const auto event = [alive, &delivered] {
      EXPECT_TRUE(*alive);
      ++delivered;
    };
    auto listening =
        house.speech.recognizer->start({.partial = [event](const std::string&) { event(); },
                                        .done = [event](const Result<std::string>&) { event(); }});
    auto speaking = house.speech.synthesizer->start(
        "It is half past nine.", {.audio = [event](auto, auto) { event(); },
                                  .done = [event](const Result<void>&) { event(); }});
    listening->push(std::span(samples).first(random() % samples.size()));
    if (random() % 2 == 0) listening->finish();
    std::this_thread::sleep_for(std::chrono::milliseconds{random() % 300});
    if (random() % 2 == 0) house.loop.run_until([] { return false; }, 5ms);
    *alive = false;
    listening.reset();
    speaking.reset();
    house.loop.run_until([] { return false; }, 1ms);
  }
  house.loop.run_until([] { return false; }, 300ms);
  EXPECT_GT(delivered, 10U);
}

TEST(Engines, AVoiceWorkerThatIsKilledCostsNoAnswer) {
  NEEDS_ENGINES();
  auto& house = House::get();
  auto& voice = dynamic_cast<HibariSynthesizer&>(*house.speech.synthesizer);
  ASSERT_TRUE(speak_once(house.loop, voice, "Ready."));
  ASSERT_GT(voice.worker_pid(), 0);
  kill(voice.worker_pid(), SIGKILL);
  const auto spoken = speak_once(house.loop, voice, "It is half past nine.");
  ASSERT_TRUE(spoken) << to_line(spoken.error());
  EXPECT_GT(spoken->samples.size(), spoken->rate_hz);
  // Back within the backoff and its loading time.
  const auto end = std::chrono::steady_clock::now() + 30s;
  std::uint32_t rate = 0;
  while (rate != 24'000 && std::chrono::steady_clock::now() < end) {
    std::this_thread::sleep_for(200ms);
    if (const auto again = speak_once(house.loop, voice, "Hello.")) rate = again->rate_hz;
  }
  EXPECT_EQ(rate, 24'000U);
}

// A folder like the installed one, of links, in which one file is damaged.
class DamagedTest : public testing::Test {
 protected:
  DamagedTest() {
    std::string pattern = testing::TempDir() + "damaged-XXXXXX";
    folder_ = mkdtemp(pattern.data());
  }
  ~DamagedTest() override { std::filesystem::remove_all(folder_); }
  void damage(const std::string& file) {
    namespace fs = std::filesystem;
    const auto target = folder_ / "full";
    fs::create_directories(target);
    for (const auto& entry : fs::directory_iterator(folder() / "full")) {
      if (entry.path().filename() != fs::path(file).begin()->string()) {
        fs::create_symlink(entry.path(), target / entry.path().filename());
        continue;
      }
      fs::create_directories(target / entry.path().filename());
      for (const auto& inner : fs::directory_iterator(entry.path())) {
        fs::create_symlink(inner.path(),
                           target / entry.path().filename() / inner.path().filename());
      }
    }
    const auto size = fs::file_size(target / file);
    fs::remove(target / file);
    std::ofstream(target / file) << std::string(size, 'x');  // as long as it was
  }
  std::filesystem::path folder_;
};

TEST_F(DamagedTest, ADamagedModelIsNamedAndTheNextBestRecognizerListens) {
  NEEDS_ENGINES();
  damage("model/decoder.onnx");
  Lines lines;
  PlainLoop loop;
  auto workers = std::make_shared<Workers>(Workers::Options{1, loop.executor()});
  auto speech = open_speech(
      {.profile = Profile::full, .folder = folder_, .workers = workers, .log = lines.log()});
  auto flite = pooled_synthesizer(flite_voice(), workers);
  const auto spoken = speak_once(loop, *flite, "Set a timer for nine minutes.");
  ASSERT_TRUE(spoken);
  const auto heard = recognize_once(loop, *speech.recognizer, spoken->samples);
  ASSERT_TRUE(heard) << to_line(heard.error());
  EXPECT_EQ(heard->text, "set a timer for nine minutes");
  EXPECT_EQ(speech.recognizer->name(), "pocketsphinx");
  EXPECT_NE(lines.get().find("model/decoder.onnx is damaged (run hermes-gadget speech install"),
            std::string::npos)
      << lines.get();
}

TEST_F(DamagedTest, CheckNamesTheFile) {
  NEEDS_ENGINES();
  damage("model/encoder.onnx");
  const auto result = check({.profile = Profile::full, .folder = folder_});
  EXPECT_FALSE(result.good);
  const auto base = std::find_if(result.engines.begin(), result.engines.end(),
                                 [](const EngineCheck& e) { return e.engine == "moonshine-base"; });
  ASSERT_NE(base, result.engines.end());
  EXPECT_FALSE(base->works);
  EXPECT_NE(base->problem.find("encoder.onnx is damaged"), std::string::npos) << base->problem;
}

TEST(Engines, CheckIsContent) {
  NEEDS_ENGINES();
  const auto result = check({.profile = Profile::full, .folder = folder()});
  EXPECT_TRUE(result.good) << to_text(result);
}

TEST(Engines, EveryLicenceIsThere) {
  NEEDS_ENGINES();
  const auto licences = installed_licences(folder());
  for (const std::string component :
       {"sherpa-onnx", "silero-vad", "moonshine", "hibari", "wyoming", "numpy", "onnxruntime"}) {
    const auto found = std::find_if(licences.begin(), licences.end(), [&](const LicenceFile& l) {
      return l.component.starts_with(component);
    });
    ASSERT_NE(found, licences.end()) << component;
    EXPECT_GT(std::filesystem::file_size(found->path), 500U) << found->path;
  }
}

TEST(Engines, TheStructsFitTheInstalledLibrary) {
  NEEDS_ENGINES();
  const std::string command = "python3 " GADGET_SOURCE_DIR "/speech/check_layout.py " +
                              (folder() / "full" / "include").string() + " " GADGET_SOURCE_DIR;
  EXPECT_EQ(std::system(command.c_str()), 0);
}

}  // namespace
}  // namespace gadget::speech
