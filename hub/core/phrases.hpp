// phrases.hpp - every sentence of the hub's heart that a person sees or hears, in one table
// (English).
#pragma once

#include <string_view>

namespace gadget::hub::phrases {

inline constexpr std::string_view kTooShort =
    "That was too short. Hold the button while you speak.";
inline constexpr std::string_view kTooLong = "That was long. I stopped listening there.";
inline constexpr std::string_view kNoFrames = "I heard nothing more and stopped listening.";
inline constexpr std::string_view kReplacedUtterance = "I dropped what you said before.";
inline constexpr std::string_view kBadAudio = "This hub cannot use that audio format.";
inline constexpr std::string_view kHeardNothing = "I did not hear anything.";
inline constexpr std::string_view kTooMany = "Please wait: too many messages are waiting already.";
inline constexpr std::string_view kNoRecognizer =
    "I cannot understand speech yet: no speech recognition is installed on the hub.";
inline constexpr std::string_view kRecognitionFailed =
    "I could not understand that: speech recognition did not work.";
inline constexpr std::string_view kAgentFailed = "Something went wrong. Please try again.";
inline constexpr std::string_view kQuestionExpired = "That question has expired";
inline constexpr std::string_view kQuestionTitle = "Question";
inline constexpr std::string_view kWaitForCode = "Waiting for a pairing code.";

}  // namespace gadget::hub::phrases
