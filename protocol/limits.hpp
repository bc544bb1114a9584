// limits.hpp - every number of the contract that both sides share, with its unit, its reason and
// what happens beyond it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace gadget::protocol {

// ---- T: transport
// -----------------------------------------------------------------------------------------------------

inline constexpr std::int64_t kProtocolVersion = 1;          // V1; another: `protocol` (H15)
inline constexpr std::uint16_t kDefaultPort = 8765;          // T1
inline constexpr std::string_view kDefaultPath = "/gadget";  // T1; another: HTTP 404
inline constexpr std::string_view kSubprotocol = "hermes-gadget.v1";  // T3
inline constexpr std::size_t kFrameHeaderBytes = 4;   // T5; a shorter binary message is malformed
inline constexpr std::size_t kMaxBinaryBytes = 4100;  // E33: binary messages of the hub
inline constexpr std::size_t kMaxPayloadBytes = kMaxBinaryBytes - kFrameHeaderBytes;

// ---- JSON (E4)
// --------------------------------------------------------------------------------------------------------

inline constexpr std::size_t kMaxJsonDepth =
    32;  // the outermost object counts 1; beyond: malformed
inline constexpr std::size_t kMaxJsonMembers =
    256;  // of one object, so that finding duplicates stays cheap; beyond: malformed

// ---- Sizes (E6, E33)
// --------------------------------------------------------------------------------------------------

inline constexpr std::size_t kMaxMessageBytes =
    65'536;  // one message of a device; beyond: close 1009
inline constexpr std::size_t kMinMaxMessageBytes =
    4'096;  // the least that caps.max_message counts as (E33)
inline constexpr std::size_t kMaxDeviceMessageBytes =
    1'048'576;                                            // a device closes with 1009 beyond (E33)
inline constexpr std::size_t kMaxTextCodePoints = 4'000;  // `text` of a device; cut
inline constexpr std::size_t kMaxNameCodePoints =
    64;  // `name`, `board`, names of events, actions, sensors; cut
inline constexpr std::size_t kMaxFirmwareCodePoints = 32;  // `firmware`; cut
inline constexpr std::size_t kMaxIdCodePoints = 64;        // any id; beyond: malformed
inline constexpr std::size_t kMaxActions = 64;  // entries of hello.actions; beyond: `protocol`
inline constexpr std::size_t kMaxActionsBytes = 32'768;  // their JSON; beyond: `protocol`
inline constexpr std::size_t kMaxSensors =
    64;  // in all; beyond: `protocol` in hello, dropped in state
inline constexpr std::size_t kMaxSensorTextCodePoints =
    256;  // a reading that is a string; cut (S1)
inline constexpr std::size_t kMaxEventDataBytes =
    2'048;  // beyond: the event is dropped and counted

// ---- H: identity
// ------------------------------------------------------------------------------------------------------

inline constexpr std::size_t kKeyBytes = 32;       // H1
inline constexpr std::size_t kMacBytes = 32;       // H11
inline constexpr std::size_t kNonceBytes = 16;     // H8
inline constexpr std::size_t kDeviceIdChars = 19;  // "hg-" and 16 hex digits (H2, E7)
inline constexpr std::size_t kMaxNonceChars =
    64;  // what a device takes of a challenge, as text (H11)

// ---- H4: what caps may say; outside, the capability counts as absent
// ------------------------------------------------------

inline constexpr std::int64_t kMinRateHz = 4'000;
inline constexpr std::int64_t kMaxRateHz = 48'000;
inline constexpr std::int64_t kDefaultRateHz = 16'000;
inline constexpr std::int64_t kMaxDisplaySide = 4'096;
inline constexpr std::int64_t kMaxImageBytes = 4 * 1'048'576;  // width x height x 2
inline constexpr std::int64_t kMaxTextGrid = 500;              // text_cols, text_rows
inline constexpr std::int64_t kMaxOtaBytes = 2'147'483'647;    // 2^31-1

// ---- Streams (E20)
// ----------------------------------------------------------------------------------------------------

inline constexpr std::int64_t kMinHubStream = 1;
inline constexpr std::int64_t kMaxHubStream = 250;
inline constexpr std::int64_t kMaxDeviceStream = 255;

// ---- Times
// ------------------------------------------------------------------------------------------------------------

inline constexpr std::int64_t kDefaultHeartbeatS = 20;  // B1
inline constexpr std::int64_t kMinHubHeartbeatS = 5;    // E30
inline constexpr std::int64_t kMaxHubHeartbeatS =
    55;  // E30: proxies with a limit of 60 s never cut
inline constexpr std::int64_t kMaxDeviceHeartbeatS = 300;   // E30: what a device takes as told
inline constexpr std::int64_t kHeartbeatsUntilDead = 3;     // B3
inline constexpr std::int64_t kMaxTtlS = 86'400;            // E26; clamped
inline constexpr std::int64_t kHandshakeStepMs = 10'000;    // E3, E27: one step of a handshake
inline constexpr std::int64_t kAudioFrameMs = 40;           // A1, C2
inline constexpr std::int64_t kMinUtteranceHubMs = 250;     // C5; shorter: dropped with a notice
inline constexpr std::int64_t kMinUtteranceDeviceMs = 350;  // E39; shorter: `too_short`
inline constexpr std::int64_t kMaxAheadMs = 500;            // A4: audio written ahead of real time
inline constexpr std::int64_t kMaxGapFillMs = 1'000;        // E17: silence for lost frames
inline constexpr std::int64_t kPlaybackStartMs = 120;       // A5
inline constexpr std::int64_t kJitterBufferMs = 1'000;      // A5
inline constexpr std::int64_t kActionTimeoutMs = 18'000;    // X3, +-50

// ---- P: pairing
// -------------------------------------------------------------------------------------------------------

inline constexpr std::size_t kPairingCodeChars = 8;  // E14
inline constexpr std::string_view kPairingAlphabet =
    "ABCDEFGHJKLMNPQRSTUVWXYZ23456789";  // E14: no I O 0 1

// ---- O: updates (issue of its own; the numbers stand here from the start)
// -------------------------------------------------

inline constexpr std::size_t kOtaFrameBytes = 4'096;    // O3
inline constexpr std::size_t kOtaAckBytes = 16'384;     // O4, E38
inline constexpr std::size_t kOtaWindowBytes = 65'536;  // O4

}  // namespace gadget::protocol
