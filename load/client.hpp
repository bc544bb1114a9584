// client.hpp - one WebSocket client of the load generator: plain or TLS, some hundred bytes while
// it is idle.
//
// What a hub sends is taken as it is and given to the methods below; nothing is checked that a
// measurement does not need (RFC 6455 of the hub is tested in wire/). Everything is masked with one
// key: what a mask protects, a loopback does not have. Owner and thread: the scenario. Methods may
// call drop() and connect(), not destroy the object.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include <netinet/in.h>

#include "load/loop.hpp"

struct ssl_st;
struct ssl_ctx_st;

namespace gadget::load {

// A TLS context of clients that take any certificate: the hub's was made a moment ago, by us.
class ClientTls {
 public:
  ClientTls();
  ~ClientTls();
  ClientTls(const ClientTls&) = delete;
  ClientTls& operator=(const ClientTls&) = delete;
  [[nodiscard]] ssl_ctx_st* context() const { return context_; }

 private:
  ssl_ctx_st* context_;
};

struct Endpoint {
  std::uint16_t port = 0;
  std::string path = "/gadget";
  const ClientTls* tls = nullptr;  // borrowed; absent: ws://
};

inline constexpr std::uint16_t kLost = 1006;  // it ended without a close frame

// How the HTTP answer to an upgrade was.
struct HttpStatus {
  unsigned code = 0;
  unsigned retry_after_s = 0;
};

class Client : public Watcher {
 public:
  explicit Client(Loop& loop) : loop_(loop) {}
  ~Client() override { drop(); }
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  // `source`: the last octets of 127.x.y.z to come from; 0: any. False: no socket, or refused at
  // once; on_closed() is not called then.
  bool connect(const Endpoint& endpoint, std::uint32_t source = 0);
  void send_text(std::string_view text) { send_frame(1, std::as_bytes(std::span(text))); }
  void send_binary(std::span<const std::byte> bytes) { send_frame(2, bytes); }
  // Bytes that are a frame already, or nonsense on purpose.
  void send_raw(std::span<const std::byte> bytes);
  void send_close(std::uint16_t code);
  // With RST, so that no port waits; nothing is called.
  void drop();
  // Half of it: what we send ends, what comes is still read.
  void shut_down_writing();
  // A reader that does not read.
  void pause(bool paused);

  enum class State : std::uint8_t { closed, connecting, tls, upgrading, open };
  [[nodiscard]] State state() const { return state_; }
  [[nodiscard]] bool is_open() const { return state_ == State::open; }
  // What the kernel has not taken yet.
  [[nodiscard]] std::size_t unsent_bytes() const { return out_.size() - sent_; }
  [[nodiscard]] int fd() const { return fd_; }

  void ready(std::uint32_t events) final;

 protected:
  virtual void on_connected() {}  // TCP, and TLS where there is
  virtual void on_open() = 0;
  virtual void on_text(std::span<char> text) = 0;  // valid during the call; may be changed
  virtual void on_binary(std::span<const std::byte> bytes) = 0;
  // It is closed already. `status.code` of what answered something else than 101.
  virtual void on_closed(std::uint16_t code, std::string_view reason, HttpStatus status) = 0;

  // Sends the upgrade's request by itself when it is connected; false for those that shall not.
  bool upgrades_ = true;
  [[nodiscard]] Loop& loop() const { return loop_; }

 private:
  void send_frame(std::uint8_t opcode, std::span<const std::byte> payload);
  void flush();
  void watch();
  void connected();
  void shake_hands();
  void read();
  // How many bytes it used up.
  std::size_t take(std::span<char> bytes);
  std::size_t take_head(std::span<char> bytes);
  // 0: the frame is not complete.
  std::size_t take_frame(std::span<char> bytes);
  void end(std::uint16_t code, std::string_view reason, HttpStatus status = {});
  long receive(std::span<char> into);

  Loop& loop_;
  const Endpoint* endpoint_ = nullptr;
  ssl_st* ssl_ = nullptr;
  int fd_ = -1;
  State state_ = State::closed;
  bool paused_ = false;
  std::uint32_t watched_ = 0;
  std::uint32_t generation_ = 0;  // of the connection: methods may drop it and begin another
  std::string out_;
  std::size_t sent_ = 0;
  std::string rest_;  // of a message that has not come whole
};

// The bytes of a masked frame as send_frame() makes it: for those that send the same a thousand
// times.
[[nodiscard]] std::string masked_frame(std::uint8_t opcode, std::span<const std::byte> payload);
// Writes the 2 bytes at `offset` of the payload of such a frame anew.
void change_masked(std::string& frame, std::size_t header_bytes, std::size_t offset,
                   std::span<const std::byte> bytes);

}  // namespace gadget::load
