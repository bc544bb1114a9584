// limits.hpp - the numbers of the device core that the wire does not share, each with its unit and
// its reason. Those of the contract are in protocol/limits.hpp.
#pragma once

#include <cstddef>
#include <cstdint>

#include "device/update/ticks.hpp"

namespace gadget::device {

using Millis = std::int64_t;  // monotonic milliseconds, from any beginning (design, rule 13)

// The end of the gadget's clock, in 285,000 years: later counts as this, so that no sum of a time
// and a pause overflows, whatever a port says.
inline constexpr Millis kMaxClockMs = Millis{1} << 53;
[[nodiscard]] constexpr Millis clocked(Millis now) {
  return now < 0 ? 0 : now > kMaxClockMs ? kMaxClockMs : now;
}

// ---- Reconnecting (E27)

inline constexpr std::uint8_t kBackoffS[] = {1, 2, 4, 8, 15, 30};  // times a random 0.5-1.0
inline constexpr Ticks kLongSessionMs = 30'000;  // counted from `welcome`: the next pause is 1 s
inline constexpr Ticks kRefusedPauseMinMs = 30'000;  // after auth_failed and its like
inline constexpr Ticks kRefusedPauseMaxMs = 60'000;
inline constexpr std::uint32_t kMaxRetryAfterS = 60;  // of a 503; beyond: as 60

// ---- Buttons

inline constexpr Ticks kQuestionGuardMs = 600;     // Q3, E36, E32: earlier presses do nothing
inline constexpr Ticks kNewSessionHoldMs = 2'000;  // C8

// ---- What the screen shows, and for how long (E35)

inline constexpr Ticks kNoticeMs = 8'000;
inline constexpr Ticks kNoticeMinMs = 1'000;
inline constexpr Ticks kCardMs = 15'000;
inline constexpr Ticks kImageMs = 30'000;
inline constexpr Ticks kForever = 0;  // a ttl of 0: until dismissed
// How long a page of a reply stays before the next one comes by itself: about as long as it takes
// to say it, 15 letters or 6 ideographs or kana a second; never less than kReadPageMs.
inline constexpr Ticks kReadLetterMs = 66;
inline constexpr Ticks kReadIdeographMs = 166;
inline constexpr Ticks kReadPageMs = 2'000;
// How long `thinking` shows for a message that no turn follows (the hub dropped it without a word).
inline constexpr Ticks kAwaitTurnMs = 20'000;
// How often the picture is drawn anew: faces move, bars shrink.
inline constexpr Ticks kFrameMs = 40;
// And how seldom at least, when something changed: a flood of messages costs 50 pictures a second.
inline constexpr Ticks kMinFrameMs = 20;

// Bytes of the texts that are kept; longer ones are cut at a character. Sizes of what a screen of
// 320x240 can hold.
inline constexpr std::size_t kTurnIdBytes = 256;  // 64 code points (E6)
inline constexpr std::size_t kPromptIdBytes = 256;
inline constexpr std::size_t kTranscriptBytes = 512;
inline constexpr std::size_t kStatusBytes = 160;
inline constexpr std::size_t kNoticeBytes = 240;
inline constexpr std::size_t kTitleBytes = 128;
inline constexpr std::size_t kQuestionBytes = 640;
inline constexpr std::size_t kPairingCodeBytes = 32;
inline constexpr std::size_t kPairingCommandBytes = 128;
inline constexpr std::size_t kErrorBytes = 240;
inline constexpr std::size_t kServerBytes = 64;

// ---- Actions (X1, E37)

inline constexpr std::size_t kRememberedActions = 16;
// Longest result or error of an action: 16 of them are remembered, which is most of the core's
// memory. Beyond: the action fails.
inline constexpr std::size_t kActionAnswerBytes = 160;

// ---- Sensors (S1, E39)

inline constexpr std::size_t kSensors = 16;  // of one board; beyond: refused
inline constexpr std::size_t kSensorNameBytes = 32;
inline constexpr std::size_t kSensorValueBytes = 72;  // as JSON, quotes included
inline constexpr Ticks kSensorChangeMs = 2'000;       // between two `state`
inline constexpr Ticks kSensorRepeatMs = 300'000;     // at least so often

// ---- What waits for the hub (backlog.hpp)

inline constexpr Ticks kTextMaxAgeMs = 60'000;    // as a hub keeps a turn (E41)
inline constexpr Ticks kEventMaxAgeMs = 300'000;  // the hub takes it as of now: S2 has no time

// ---- Recording

// Audio that could not be sent, in all, before an utterance is given up (`lost`): with more holes
// than this nobody would understand it.
inline constexpr Ticks kMaxLostAudioMs = 1'000;

// Longest utterance: as long as hubs take by default (C6). Beyond: it ends there and is sent.
inline constexpr Ticks kMaxUtteranceMs = 60'000;
// After a tap: silence that ends an utterance. Longer than a breath, shorter than patience.
inline constexpr Ticks kSpeechPauseMs = 900;
// After a tap: how long nobody need speak before it is given up (`no_speech`).
inline constexpr Ticks kNoSpeechMs = 5'000;

// ---- Playing

inline constexpr Ticks kFadeMs = 5;  // a cut voice sinks to silence for so long instead of clicking
inline constexpr int kFullVolume = 100;

// Drift (B-43). What waits in the jitter buffer, in the mean of some seconds, in sixteenths of it
// (of 1 s: 62 ms). A hub is at most 500 ms ahead (A4), so that more than the high mark is a
// speaker's clock that is slow; less than the low one is a clock that is fast, or a hub that just
// keeps up.
inline constexpr std::uint32_t kJitterBufferParts = 16;
inline constexpr std::uint32_t kHighMarkParts = 10;  // 625 ms
inline constexpr std::uint32_t kLowMarkParts = 1;    // 62 ms
// Longest silence that a board can ask for before a voice (B-47): with the 500 ms that a hub is
// ahead it fits into the jitter buffer. Beyond: as this.
inline constexpr Ticks kMaxWarmupMs = 400;

// ---- Settings

inline constexpr Ticks kSettingsHoldMs = 1'000;  // UP and DOWN held: the settings open
inline constexpr Ticks kMenuIdleMs = 60'000;     // without a press they close
inline constexpr Ticks kLeaveHoldMs = 1'000;     // CANCEL held leaves the check of the buttons
inline constexpr Ticks kEraseHoldMs = 3'000;     // TALK held erases: longer than any mistake
inline constexpr Ticks kToneMs = 500;            // of the speaker's check
inline constexpr int kFullBrightness = 100;      // percent
inline constexpr int kMinBrightness = 5;         // of the setting: below, nobody finds the way back
inline constexpr int kScreenTimeoutS = 300;      // unless the port or its person says otherwise
inline constexpr int kMaxScreenTimeoutS = 3'600;
inline constexpr Ticks kDimMs = 10'000;  // from dim to dark: time to press something
inline constexpr int kDimDivisor = 4;    // how much darker dim is
// Bytes of the texts; longer ones are refused. A name of 64 characters beyond ASCII is cut by hubs
// anyway (E6), a host name has at most 253, in practice 60.
inline constexpr std::size_t kNameBytes = 64;
inline constexpr std::size_t kHubUrlBytes = 128;
inline constexpr std::size_t kTokenBytes = 128;

// ---- The clock (T2, N2)

// How much later than the stored one a time must be to be written: a flash block lasts 100,000
// writes.
inline constexpr std::int64_t kTimeFloorStepMs = 24 * 3'600'000LL;

}  // namespace gadget::device
