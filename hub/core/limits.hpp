// limits.hpp - the hub's own numbers: unit, reason, and what happens beyond. Those that the
// contract shares with devices stand in protocol/limits.hpp.
#pragma once

#include <cstddef>
#include <cstdint>

namespace gadget::hub::limits {

// ---- Connections ----
inline constexpr std::int64_t kMalformedWindowMs = 10'000;  // E1
inline constexpr std::size_t kMalformedInWindow = 100;  // E1; more: error `protocol`, close 1008
// E12: an old connection that shows life so long after it was replaced makes the replacement count.
inline constexpr std::int64_t kStillLivedMs = 3'000;
inline constexpr std::int64_t kReplacementWindowMs = 60'000;  // E12
inline constexpr std::size_t kReplacementsInWindow = 6;       // E12; more: `busy` for a while
inline constexpr std::int64_t kRefuseReplacementMs = 60'000;  // E12: that while
inline constexpr std::int64_t kAliveHeartbeats = 2;  // E12: the present one sent a frame within

// ---- Pairing ----
inline constexpr std::int64_t kPairingAgainMs = 30'000;   // E15: the code again, at most so often
inline constexpr std::int64_t kExpirePendingMs = 60'000;  // E11: how often the hub looks for
                                                          // devices that were never approved
inline constexpr std::int64_t kCodeRecheckMs =
    60'000;  // E14: whether the code shown is still valid
inline constexpr std::int64_t kWaitForCodeMs = 30'000;  // how often a device hears that it waits
inline constexpr std::int64_t kMaxPixels = 100'000;     // of a screen's side, as it says
// ---- Conversation ----
inline constexpr std::size_t kMaxWaitingMessages = 8;  // E42; the next gets a notice
// What speaks up by itself and waits for its turn on a device that is there. Beyond: the oldest is
// dropped, logged.
inline constexpr std::size_t kMaxWaitingAnnouncements = 16;
inline constexpr std::size_t kMaxOutbox = 32;  // what waits in the store for one device; the same
// Audio of messages that wait for an agent which takes audio (E19). Beyond: notice, dropped.
inline constexpr std::size_t kMaxHeldAudioBytes = 8 * 1024 * 1024;
inline constexpr std::int64_t kTurnAwayMs = 60'000;  // E41: how long a turn waits for its device
inline constexpr std::int64_t kOutboxTtlMs = 86'400'000;  // E41: a reply that nobody fetched, 1 day
inline constexpr std::int64_t kDeltaIntervalMs = 100;     // E22: 10 a second
// E22: a delta is not given to a link that still has so much to write; the newest text comes later.
inline constexpr std::size_t kDeltaLinkBytes = 16 * 1024;
inline constexpr std::int64_t kPartialIntervalMs = 250;    // partial transcripts on the screen
inline constexpr std::size_t kMaxReplyBytes = 256 * 1024;  // an agent's text; cut
inline constexpr std::int64_t kNoticeTtlS = 8;             // T11, E35
inline constexpr std::int64_t kCardTtlMs = 15'000;         // E35

// ---- Utterances ----
inline constexpr std::int64_t kNoFrameMs = 10'000;  // E18: discarded with a notice
inline constexpr std::int64_t kRecognizerStallMs =
    60'000;  // no result so long after the end: failed

// ---- Speech ----
// The next sentence is synthesized when less than this waits to be written: hides the engine's
// time, bounds memory to this and one sentence.
inline constexpr std::int64_t kSpeechAheadMs = 4'000;
inline constexpr std::int64_t kMaxAgentAudioMs =
    120'000;  // of an agent that speaks; beyond: dropped
inline constexpr std::int64_t kSynthesizerStallMs = 20'000;  // silent so long: that sentence failed
inline constexpr std::size_t kMaxSpokenChars =
    8'000;  // of one turn: ten minutes; the rest is shown

// ---- Pictures ----
// Files that wait for the worker or are with it, of all devices: two of the largest, hundreds of
// usual ones. Beyond: unavailable.
inline constexpr std::size_t kPictureWaitingBytes = 64 * 1024 * 1024;
inline constexpr std::size_t kPictureJobBytes = 64 * 1024;  // what each counts for besides its file
// How much may wait in a link when the next frame of a picture is added: three frames. Below
// kDeltaLinkBytes, so that a picture never holds up the text of an answer.
inline constexpr std::size_t kPictureLinkBytes = 12 * 1024;

// ---- Events (S2) ----
inline constexpr std::int64_t kNotifyWindowMs = 60'000;
inline constexpr std::size_t kNotifyInWindow = 6;  // beyond: stored and counted only
inline constexpr std::size_t kRecentEvents = 8;    // kept for the owner to see, a device

// ---- Questions and actions ----
inline constexpr std::size_t kMaxQuestions = 16;        // of one device; the next is refused
inline constexpr std::size_t kQuestionTextBytes = 480;  // Q7, E45: cut in its middle
inline constexpr std::size_t kQuestionTitleBytes = 80;
inline constexpr std::int64_t kMaxQuestionTtlMs = 86'400'000;  // E45
inline constexpr std::size_t kMaxOpenActions = 16;             // of one device; the next is refused

// ---- The owner's lists ----
// Rows of `devices` that one request looks at, so that other work goes between. Beyond: the next
// page.
inline constexpr std::size_t kDevicePage = 250;

// ---- The loop ----
// Of what is due, so much is done before sockets are read again: a millisecond's work when it is
// frames of speech. A cancel waits for no more than that (control before media).
inline constexpr std::size_t kTimersAtOnce = 32;

// ---- Twins ----
// Devices that are away and idle stay in memory (their sensors, for `devices`) up to this many; the
// one away longest goes first.
inline constexpr std::size_t kMaxAwayTwins = 256;
// Wall-clock timers look again at least so often, in case the clock was set.
inline constexpr std::int64_t kWallRecheckMs = 10'000;

}  // namespace gadget::hub::limits
