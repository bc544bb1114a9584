// peer.hpp - one WebSocket connection of a scenario, driven step by step, either side.
//
// Sends whatever it is told; shows whatever comes. Answers the WebSocket's own pings, nothing else.
// Blocks; one thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include <boost/asio/io_context.hpp>

#include "base/failure.hpp"
#include "wire/raw.hpp"

namespace gadget::conformance {

using std::chrono::milliseconds;

struct Incoming {
  enum class Kind : std::uint8_t { text, binary, close };
  Kind kind = Kind::text;
  std::string bytes;        // of a message; of a close its reason
  std::uint16_t code = 0;   // of a close; 1006 when the connection ended without one
  std::uint64_t index = 0;  // in the order of arrival
};

struct OpenOptions {
  std::string host = "127.0.0.1";
  std::uint16_t port = 0;
  std::string path = "/gadget";
  std::vector<std::string> offers{"hermes-gadget.v1"};
  std::vector<wire::Header> headers;
};

struct Opened {
  unsigned status = 0;     // of the HTTP answer; 101 is an open connection
  std::string selected;    // the subprotocol; empty: none
  std::string extensions;  // what the answer says of extensions
};

class Peer {
 public:
  // As a device: connects and upgrades. A status other than 101 is no error: the connection is
  // closed then.
  [[nodiscard]] static Result<std::unique_ptr<Peer>> connect(boost::asio::io_context& loop,
                                                             const OpenOptions& options,
                                                             Opened& opened);
  // As a hub: takes the next connection of a listener and answers its upgrade.
  [[nodiscard]] static Result<std::unique_ptr<Peer>> accept(boost::asio::io_context& loop,
                                                            wire::RawListener& listener,
                                                            milliseconds wait);

  Result<void> send_text(std::string_view text);
  Result<void> send_binary(std::string_view bytes);
  Result<void> send_raw(std::string_view bytes);

  // The next message of this kind; messages of the other kind that come before wait for their own
  // call. Nothing: it did not come in time. A close ends the waiting for either.
  [[nodiscard]] std::optional<Incoming> next_text(milliseconds wait);
  [[nodiscard]] std::optional<Incoming> next_binary(milliseconds wait);
  // Whatever comes next.
  [[nodiscard]] std::optional<Incoming> next(milliseconds wait);
  // Drops binary messages that came and that no step has taken.
  void forget_binaries() { binaries_.clear(); }

  void drop();  // without a close frame

 private:
  Peer(boost::asio::io_context& loop, wire::RawConnection connection, bool client);
  [[nodiscard]] std::optional<Incoming> receive(milliseconds wait);
  [[nodiscard]] std::optional<Incoming> take(std::deque<Incoming>& mine, Incoming::Kind kind,
                                             milliseconds wait);
  Result<void> send_frame(std::uint8_t opcode, std::string_view payload);

  boost::asio::io_context& loop_;
  std::unique_ptr<wire::RawConnection> connection_;
  bool client_ = true;
  std::string fragments_;
  std::uint8_t fragments_opcode_ = 0;
  std::deque<Incoming> texts_, binaries_;
  std::optional<Incoming> close_;
  std::uint64_t received_ = 0;
};

}  // namespace gadget::conformance
