#include "speech/second_opinion.hpp"

#include <string>
#include <utility>

#include <gtest/gtest.h>

namespace gadget::speech {
namespace {

class Says final : public RecognizerEngine {
 public:
  Says(std::string text, bool loads = true) : text_(std::move(text)), loads_(loads) {}
  std::string_view name() const override { return "says"; }
  Result<void> load() override {
    if (loads_) return {};
    return fail(FailureCode::unavailable, "missing");
  }
  Result<std::unique_ptr<Utterance>> open() override { return std::make_unique<Said>(*this); }

  std::size_t heard = 0;
  int asked = 0;

 private:
  struct Said final : Utterance {
    explicit Said(Says& of) : says(of) {}
    std::optional<std::string> feed(std::span<const std::int16_t> samples, bool) override {
      says.heard += samples.size();
      return says.text_;
    }
    Result<std::string> finish(const Cancelled&) override {
      ++says.asked;
      return says.text_;
    }
    Says& says;
  };
  std::string text_;
  bool loads_;
};

std::string heard_by(const std::shared_ptr<Says>& first, const std::shared_ptr<Says>& second) {
  const auto both = with_second_opinion(
      first, second, [](std::string_view text) { return text == "cancel the timer"; });
  EXPECT_TRUE(both->load());
  auto utterance = both->open();
  EXPECT_TRUE(utterance);
  const std::int16_t samples[160] = {};
  (*utterance)->feed(samples, false);
  const Cancelled cancelled{false};
  return (*utterance)->finish(cancelled).value_or("(failed)");
}

TEST(SecondOpinion, CountsWhenOnlyItIsUnderstood) {
  const auto second = std::make_shared<Says>("cancel the timer");
  EXPECT_EQ(heard_by(std::make_shared<Says>("can't solve the timer"), second), "cancel the timer");
  EXPECT_EQ(second->heard, 160U);
}

TEST(SecondOpinion, IsNotAskedWhenTheFirstIsUnderstoodOrHeardNothing) {
  const auto second = std::make_shared<Says>("cancel the timer");
  EXPECT_EQ(heard_by(std::make_shared<Says>("cancel the timer"), second), "cancel the timer");
  EXPECT_EQ(heard_by(std::make_shared<Says>(""), second), "");
  EXPECT_EQ(second->asked, 0);
}

TEST(SecondOpinion, WhatNobodyUnderstandsStaysAsItWasHeard) {
  EXPECT_EQ(
      heard_by(std::make_shared<Says>("who wrote Hamlet"), std::make_shared<Says>("what time")),
      "who wrote Hamlet");
  EXPECT_EQ(heard_by(std::make_shared<Says>("who wrote Hamlet"), std::make_shared<Says>("")),
            "who wrote Hamlet");
}

TEST(SecondOpinion, OneThatDoesNotLoadIsDoneWithout) {
  const auto second = std::make_shared<Says>("cancel the timer", false);
  EXPECT_EQ(heard_by(std::make_shared<Says>("can't solve the timer"), second),
            "can't solve the timer");
}

}  // namespace
}  // namespace gadget::speech
