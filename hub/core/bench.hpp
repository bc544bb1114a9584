// bench.hpp - for tests of the hub's heart: a hub with a clock that the test moves, links that
// record, and devices that speak the protocol. The store and the authority are the real ones.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "hub/agent/echo.hpp"
#include "hub/authority/local_authority.hpp"
#include "hub/core/hub.hpp"
#include "hub/firmware/test_shelf.hpp"
#include "protocol/binary_frame.hpp"
#include "protocol/codec.hpp"

namespace gadget::hub::bench {

// What one link was given, in order.
struct Written {
  Millis at_ms = 0;
  std::string type;                      // "reply"; "frame"; "close"
  std::string text;                      // the JSON; a close's reason
  std::uint8_t stream = 0;               // of a frame
  std::uint16_t sequence = 0, code = 0;  // of a frame; of a close
  std::size_t samples = 0;               // of a frame
  Link::Kind kind = Link::Kind::control;
  std::string firmware;  // of a frame on channel 3

  // The value of a member of the outermost object: a string without its quotes, or the token.
  [[nodiscard]] std::string get(std::string_view member) const;
  [[nodiscard]] bool has(std::string_view member) const;
};

class RecordingLink final : public Link {
 public:
  explicit RecordingLink(const Millis& now) : now_(now) {}
  void send_text(std::string text, Kind kind) override;
  void send_binary(std::vector<std::byte> message, Kind kind, std::uint8_t stream) override;
  void send_shared(std::array<std::byte, protocol::kFrameHeaderBytes> header,
                   std::span<const std::byte> payload, std::shared_ptr<const void> owner, Kind kind,
                   std::uint8_t stream) override;
  void drop_stream(std::uint8_t stream) override { dropped_streams.push_back(stream); }
  void close(std::uint16_t code, std::string reason) override;
  [[nodiscard]] std::size_t waiting_bytes() const override { return waiting; }
  void tell_when_taken() override { tells_taken = true; }
  [[nodiscard]] bool open() const override { return !closed && !lost; }

  std::vector<Written> written;
  std::vector<std::uint8_t> dropped_streams;
  std::size_t waiting = 0;
  bool tells_taken = false;
  bool closed = false;
  bool lost = false;  // the test's: as a socket that is too slow

 private:
  const Millis& now_;
};

// How connections reach the hub when it is not called directly: a test of hub/server has them on
// other loops, and runs the tests of the hub's heart once more like that.
class Passage {
 public:
  virtual ~Passage() = default;
  [[nodiscard]] virtual Hub::ConnectionId connected(Hub::Peer peer,
                                                    std::shared_ptr<RecordingLink> link) = 0;
  virtual void text(Hub::ConnectionId id, std::string text) = 0;
  virtual void binary(Hub::ConnectionId id, std::span<const std::byte> bytes) = 0;
  virtual void disconnected(Hub::ConnectionId id) = 0;
  // Carries over what is on its way. False: nothing was.
  virtual bool pump() = 0;
};
// Makes one for every hub; not set: there is none. Set before the tests begin.
using MakePassage = std::unique_ptr<Passage> (*)(Hub& hub);
MakePassage& make_passage();

// A voice that needs `delay_ms` for each sentence and speaks `ms_per_char` of it; a recognizer that
// hears `text` after `delay_ms`. Both answer through the bench's queue, as real ones do.
class Bench;

class FakeSynthesizer final : public speech::Synthesizer {
 public:
  explicit FakeSynthesizer(Bench& bench) : bench_(bench) {}
  [[nodiscard]] std::string_view name() const override { return "fake"; }
  [[nodiscard]] std::unique_ptr<speech::SynthesizerSession> start(
      std::string text, speech::SynthesizerEvents events) override;

  std::vector<std::string> asked;
  std::uint32_t rate_hz = 24'000;
  Millis delay_ms = 0;
  Millis ms_per_char = 50;
  bool fails = false;
  bool hangs = false;

 private:
  Bench& bench_;
};

class FakeRecognizer final : public speech::Recognizer {
 public:
  explicit FakeRecognizer(Bench& bench) : bench_(bench) {}
  [[nodiscard]] std::string_view name() const override { return "fake"; }
  [[nodiscard]] std::unique_ptr<speech::RecognizerSession> start(
      speech::RecognizerEvents events) override;

  std::size_t samples = 0;  // of all sessions
  std::string text = "what time is it";
  std::string partial;  // given at the first samples, when not empty
  Millis delay_ms = 0;
  bool fails = false;
  bool hangs = false;

 private:
  Bench& bench_;
};

// An agent that the test plays: it keeps its requests and sinks.
class ScriptedAgent final : public Agent {
 public:
  struct Turn {
    AgentRequest request;
    DeviceView device;
    std::shared_ptr<TurnSink> sink;
    std::shared_ptr<bool> alive;  // false once the run was destroyed
  };
  [[nodiscard]] std::string_view name() const override { return "scripted"; }
  [[nodiscard]] AgentFlags flags() const override { return its_flags; }
  [[nodiscard]] std::unique_ptr<AgentRun> start(AgentRequest request, const DeviceView& device,
                                                std::shared_ptr<TurnSink> sink) override;
  void session_new(const DeviceId&) override { ++sessions; }
  void forgotten(const DeviceId&) override { ++forgets; }

  AgentFlags its_flags;
  std::vector<Turn> turns;
  int sessions = 0;
  int forgets = 0;
};

// One device on the bench: its key, and its newest connection.
class Device {
 public:
  explicit Device(Bench& bench, int number = 1);

  void open(std::string_view address = "10.0.0.1", bool encrypted = false);
  void send(std::string text);
  void frame(std::uint8_t stream, std::uint16_t sequence, std::size_t samples);
  void binary(std::vector<std::byte> bytes);
  void drop();                             // the socket goes away
  void link_takes();                       // all that waited; who asked is told
  void hello(std::string_view more = {});  // `more`: further members, from a comma on
  void auth();                             // by key or MAC, as the challenge says
  void come(std::string_view more = {}, std::string_view address = "10.0.0.1");
  void pair();  // come() and the owner's approval
  // 40 ms frames at 16 kHz from `sequence` on.
  void speak(std::uint8_t stream, Millis ms, std::uint16_t sequence = 0);
  // A whole utterance: start, frames, end.
  void utter(Millis ms, std::uint8_t stream = 7);

  [[nodiscard]] const std::vector<Written>& got() const;
  [[nodiscard]] std::vector<std::string> types() const;  // without pings; frames as one "frames"
  [[nodiscard]] std::size_t count(std::string_view type) const;
  [[nodiscard]] const Written* last(std::string_view type) const;
  [[nodiscard]] Written need(std::string_view type) const;  // the last one; fails the test if none
  void forget_all();

  Bench& bench;
  protocol::Key key;
  DeviceId id;
  std::shared_ptr<RecordingLink> link;
  Hub::ConnectionId connection = 0;
};

inline constexpr std::string_view kSpeaker =
    R"(,"caps":{"speaker":{"rate":16000,"format":"pcm16"},"mic":{"rate":16000,"format":"pcm16"}})";

class Bench {
 public:
  enum class AgentKind { echo, scripted };
  explicit Bench(AgentKind kind = AgentKind::echo, HubOptions options = {});
  ~Bench();

  void start_hub();  // also again: as after a restart, with the same store
  void settle();     // runs what was posted, and carries over what is on its way
  bool pump() { return passage && passage->pump(); }
  // Moves the clock in steps of what is due.
  void advance(Millis ms);
  void later(Millis ms, std::function<void()> call);
  [[nodiscard]] std::size_t facts(std::string_view event) const;
  [[nodiscard]] std::string fact(std::string_view event, std::string_view field) const;

  Millis now = 1'000'000;
  Millis wall = 1'800'000'000'000;
  HubOptions options;
  AgentKind kind;
  std::unique_ptr<Store> store;
  std::unique_ptr<Authority> authority;  // LocalAuthority
  // Another agent than those of AgentKind: set it, and start the hub again.
  std::function<std::unique_ptr<Agent>(AgentHost&)> make_agent;
  std::function<void(const DeviceId&)> device_changed = {};  // for Hub::Parts
  MemoryShelf shelf;
  FakeSynthesizer synthesizer{*this};
  FakeRecognizer recognizer{*this};
  Millis work_ms = 0;  // when work beside the loop begins; it takes no time itself
  bool has_recognizer = true;
  bool has_synthesizer = true;
  ScriptedAgent* agent = nullptr;  // of AgentKind::scripted
  AgentHost* host = nullptr;
  std::unique_ptr<Hub> hub;
  std::unique_ptr<Passage> passage;  // may be null
  std::vector<LogFact> log;

 private:
  std::uint64_t random_ = 1;
  std::deque<std::function<void()>> posted_;
  std::multimap<Millis, std::function<void()>> later_;
};

}  // namespace gadget::hub::bench
