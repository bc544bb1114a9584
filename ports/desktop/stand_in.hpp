// stand_in.hpp - keeps the device's key and token out of a record.
//
// A record has to hold every byte that the core reads, or it could not be played again. So while
// one is made, the core works with a key that was made for this record alone, and a token that says
// nothing. Here, between the core and the world, its MACs and its id are replaced by those of the
// real key, and what the hub proves with the real key (N1, O2) is proved again with the other one.
// Neither key nor token ever reaches the core, nor the record; the hub notices nothing. What is to
// be seen: screens show the stand-in's id where they show an id.
//
// A new key of the core's (factory reset) becomes the stand-in's, and the real store gets one that
// was made here. One thread, that of the core.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "device/core/platform.hpp"
#include "protocol/identity.hpp"

namespace gadget::ports::desktop {

class StandIn {
 public:
  // A store without a key gets one.
  StandIn(device::Store& store, std::string token);

  // What the core is given for a token: empty when there is none.
  [[nodiscard]] std::string_view token() const {
    return token_.empty() ? std::string_view{} : std::string_view{token_stand_in_};
  }
  // The person sets another token: what the core is told instead.
  [[nodiscard]] std::string_view set_token(std::string_view token);
  // The real id; none: the store does not keep a key.
  [[nodiscard]] std::optional<protocol::DeviceId> id() const;

  // The store as the core sees it.
  [[nodiscard]] std::optional<std::size_t> get(std::string_view name, std::span<std::byte> out);
  [[nodiscard]] bool put(std::string_view name, std::span<const std::byte> value);

  // What goes to the hub for this message of the core; valid until the next call.
  [[nodiscard]] std::string_view outbound(std::string_view message);
  // What the core gets for this message of the hub: the message itself, or another one that is
  // valid until the next call.
  [[nodiscard]] std::span<char> inbound(std::span<char> message);

 private:
  [[nodiscard]] std::span<char> welcome(std::span<char> message);
  [[nodiscard]] std::span<char> ota_begin(std::span<char> message);

  [[nodiscard]] std::optional<std::size_t> get_token(std::span<std::byte> out);

  device::Store& store_;
  std::string token_;
  std::string token_stand_in_;
  std::optional<protocol::Key> real_;
  protocol::Key other_;
  // Of this connection, as they went over the wire.
  std::string hello_nonce_;
  std::string challenge_nonce_;
  std::string ota_nonce_;
  std::string ota_sha256_;
  std::uint64_t ota_size_bytes_ = 0;
  std::string out_;
  std::string in_;
};

}  // namespace gadget::ports::desktop
