#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "media/resampler.hpp"
#include "speech/flite_voice.hpp"
#include "speech/once.hpp"
#include "speech/pocketsphinx_engine.hpp"
#include "speech/pooled.hpp"

namespace gadget::speech {
namespace {

// One decoder for all of these: it takes a second to load.
struct House {
  PlainLoop loop;
  std::shared_ptr<Workers> workers =
      std::make_shared<Workers>(Workers::Options{1, loop.executor()});
  std::unique_ptr<Recognizer> recognizer = pooled_recognizer(pocketsphinx_engine(), workers);
  std::unique_ptr<Synthesizer> voice = pooled_synthesizer(flite_voice(), workers);
  static House& get() {
    static House house;
    return house;
  }
  std::string hear(std::span<const std::int16_t> samples) {
    auto heard = recognize_once(loop, *recognizer, samples);
    return heard ? heard->text : to_line(heard.error());
  }
  std::vector<std::int16_t> say(const std::string& text) {
    auto spoken = speak_once(loop, *voice, text);
    return spoken ? spoken->samples : std::vector<std::int16_t>{};
  }
};

TEST(PocketSphinx, UnderstandsTheGrammar) {
  for (const std::string text :
       {"set a timer for nine minutes", "add milk and eggs to my shopping list",
        "turn the light red", "stop", "yes"}) {
    EXPECT_EQ(House::get().hear(House::get().say(text)), text);
  }
}

TEST(PocketSphinx, WhatIsNotInTheGrammarIsNotForcedIntoIt) {
  const auto heard = House::get().hear(House::get().say("What is the capital of Australia?"));
  EXPECT_NE(heard.find("capital"), std::string::npos) << heard;
}

TEST(PocketSphinx, NoiseIsNoText) {
  std::mt19937 random(1);
  std::normal_distribution<double> white(0, 1'500);
  std::vector<std::int16_t> silence(16'000);
  std::vector<std::int16_t> noise(48'000);
  std::vector<std::int16_t> hum(48'000);
  for (auto& s : noise) s = static_cast<std::int16_t>(white(random));
  for (std::size_t i = 0; i < hum.size(); ++i) {
    hum[i] = static_cast<std::int16_t>(
        4'000 * std::sin(2 * 3.14159265 * 100 * static_cast<double>(i) / 16'000));
  }
  EXPECT_EQ(House::get().hear(silence), "");
  EXPECT_EQ(House::get().hear(noise), "");
  EXPECT_EQ(House::get().hear(hum), "");
  EXPECT_EQ(House::get().hear({}), "");
}

}  // namespace
}  // namespace gadget::speech
