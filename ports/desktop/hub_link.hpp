// hub_link.hpp - the virtual board's network: a WebSocket client (device/websocket) on TCP or TLS.
//
// Runs on one executor; the core that it is bound to is called from there only. Nothing blocks.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <vector>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/steady_timer.hpp>

#include "device/websocket/client.hpp"
#include "ports/desktop/board.hpp"
#include "ports/desktop/hub_url.hpp"
#include "wire/byte_stream.hpp"

namespace gadget::ports::desktop {

class HubLink final : public BoardLink, private device::websocket::Port {
 public:
  using MakeTls = std::function<Result<std::shared_ptr<wire::TlsClient>>()>;

  // Connects to `url`, or to the hub that is set on the device. `make_tls` is asked when that is a
  // wss one. `receive_bytes`: the longest message that is taken whole (E33).
  HubLink(const boost::asio::any_io_executor& executor, HubUrl url, MakeTls make_tls,
          std::size_t receive_bytes);
  ~HubLink() override;

  void attach(Core* core) override;
  void cut() override;

  // Nothing is open, or about to close.
  [[nodiscard]] bool idle() const;
  // What kept the last attempt from connecting, when it was a reason that trying again will not
  // cure: a certificate that is not trusted. Empty: none.
  [[nodiscard]] const std::string& hopeless() const { return hopeless_; }

  // ---- device::Link
  void connect(device::Epoch epoch) override;
  [[nodiscard]] bool send_text(std::string_view message) override;
  [[nodiscard]] bool send_binary(std::span<const std::byte> message) override;
  void close(std::uint16_t code, std::string_view reason) override;
  [[nodiscard]] bool secure() const override { return url_.tls; }

 private:
  // ---- device::websocket::Port
  void random(std::span<std::byte> out) override;
  [[nodiscard]] std::size_t room() const override;
  void send(std::span<const std::byte> bytes) override;
  void on_open(std::string_view subprotocol) override;
  void on_message(const device::websocket::Message& message) override;
  void on_closed(const device::websocket::Closed& closed) override;
  void on_refused(const device::websocket::Refused& refused) override;
  void on_sign_of_life() override;

  // A call of the client, its memory watched like the core's (Core::inside).
  template <class Call>
  auto watched(std::string_view what, Call call);
  // Which hub it is now.
  void look_up_hub();
  void stream_opened();
  void stream_ended(const Failure& failure);
  // Tells the core that the connection of `epoch_` is over; once.
  void tell_end(device::LinkEnd end);
  [[nodiscard]] device::Millis now() const;

  HubUrl url_;
  MakeTls make_tls_;
  std::shared_ptr<wire::TlsClient> tls_;
  Core* core_ = nullptr;
  device::Epoch epoch_ = 0;  // whose events are told; 0: nobody's
  std::string host_;
  std::vector<std::byte> buffer_;
  device::websocket::Client client_;
  wire::ByteStream stream_;
  boost::asio::steady_timer closing_;  // how long a close may take
  std::string hopeless_;
};

}  // namespace gadget::ports::desktop
