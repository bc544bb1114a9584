// player.hpp - plays one scenario against a bench, step by step.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include <boost/asio/io_context.hpp>

#include "conformance/bench.hpp"
#include "conformance/pattern.hpp"
#include "conformance/peer.hpp"
#include "conformance/scenario.hpp"

namespace gadget::conformance {

// Which side the runner plays: the other one is under test.
enum class Role : std::uint8_t { device, hub };

struct Verdict {
  enum class Kind : std::uint8_t {
    passed,
    failed,
    skipped,
    broken
  };  // broken: the scenario itself is wrong
  Kind kind = Kind::passed;
  std::string text;                   // why
  std::size_t line = 0;               // of the step
  std::vector<std::string> exchange;  // what was sent and what came, with milliseconds
};

class Player {
 public:
  Player(Role role, Bench& bench) : role_(role), bench_(bench) {}
  [[nodiscard]] Verdict play(const Scenario& scenario);

 private:
  Result<void> run(const Step& step);
  Result<void> hook(const Step& step);
  Result<void> open(const Step& step);
  Result<void> listen();
  Result<void> accept(const std::vector<std::string>& words);
  Result<void> welcome(Peer& peer, const std::string& connection, bool paired, const Pattern& more);
  Result<void> handshake(Peer& peer, const std::string& connection, const std::string& device,
                         const Pattern& more);
  Result<Peer*> peer_of(const std::string& connection);
  Result<void> send(const Step& step);
  Result<void> send_audio(Peer& peer, const std::vector<std::string>& words);
  Result<void> send_firmware(Peer& peer, const std::vector<std::string>& words);
  Result<void> expect_firmware(Peer& peer, const std::vector<std::string>& words);
  Result<void> expect(const Step& step);
  Result<void> expect_text(Peer& peer, const Step& step);
  Result<void> expect_literal(Peer& peer, std::string_view literal);
  Result<void> expect_binary(Peer& peer, std::string_view pattern);
  Result<void> expect_audio(Peer& peer, const std::vector<std::string>& words);
  Result<void> expect_close(Peer& peer, std::string_view rest);
  Result<void> expect_none(Peer& peer, std::string_view rest);
  Result<Incoming> text_in_time(Peer& peer);
  void note(std::string_view arrow, std::string_view connection, std::string_view what);

  Role role_;
  Bench& bench_;
  boost::asio::io_context loop_;
  Bindings bindings_;
  std::map<std::string, std::unique_ptr<Peer>> peers_;
  std::unique_ptr<wire::RawListener> listener_;
  milliseconds wait_{0};
  bool skip_ = false;
  std::vector<std::string> exchange_;
  std::chrono::steady_clock::time_point begun_{};
};

}  // namespace gadget::conformance
