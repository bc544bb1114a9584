// owner_api.hpp - the owner's HTTP and JSON face of the hub, version 1, on STATE/owner.sock.
//
//   GET  /v1/info                                  who the hub is: its device URL, speech, counts
//   GET  /v1/devices                               {"devices": [...]}
//   GET  /v1/pairing                               {"pending": [...]}
//   POST /v1/pairing/approve  {code_or_id}         {"device": ID}
//   POST /v1/pairing/revoke   {device}             {"device": ID}
//   POST /v1/pairing/drop     {}                   {"dropped": N}
//   POST /v1/forget           {device}             {"device": ID}
//   POST /v1/rename           {device, name}       {"device": ID}
//   POST /v1/say              {device, text}       {"device": ID}
//   POST /v1/show             {device, title, body, ttl_s}
//   POST /v1/image?device=D&ttl_s=N&dither=true   the body is a JPEG or PNG file, its type
//                             application/octet-stream    {"device", "width", "height"}: waits
//                             until it is sent
//   POST /v1/ask              {device, text, title, ttl_s}   {"answer": "yes"}: waits for the
//   person POST /v1/action           {device, name, args} {"result": ...}: waits for the device
//   GET  /v1/updates                               {"updates": [...], "fleet": {...}}
//   POST /v1/update?device=D&force=true            the body is a firmware image, its type
//                             application/octet-stream    the update as in /v1/updates; at once
//   POST /v1/update/all?board=B&batch=N&stop_after_failures=K&force=true   the same: {"fleet"}
//   POST /v1/update/status    {device}             the update; without a device {"fleet"}
//   POST /v1/update/cancel    {device}             the same
//   POST /v1/test/advance     {seconds}            only with --test-clock
//
// `device` is an id, or a name that exactly one device has; `args` a JSON object, or a text that
// holds one. What failed is {"error": {"code", "text", "hint"}} with the HTTP status of its code. A
// face: it has no rules of its own, those are the hub's commands. One owner: the loop.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include "hub/core/hub.hpp"
#include "wire/unix_socket.hpp"

namespace gadget::hub {

inline constexpr std::int64_t kOwnerApiVersion = 1;

// What /v1/info tells besides what the hub knows.
struct OwnerInfo {
  std::string version;  // of the program
  std::string url;      // what devices connect to
  std::string pin;      // of the certificate's public key; empty: ws://
  std::string state;
  std::string agent;
  std::string speech;        // one line
  std::int64_t devices = 0;  // enrolled
  std::int64_t online = 0;
  bool test_clock = false;
};

class OwnerApi {
 public:
  struct Parts {
    boost::asio::any_io_executor executor;
    Hub* hub = nullptr;  // borrowed, outlives this
    std::function<OwnerInfo()> info;
    std::function<Result<std::string>()> backup;  // the store's bytes
    std::function<void()> settle;  // after every call of the hub: its next deadline may have moved
    // Moves the test clock; absent: there is none.
    std::function<boost::asio::awaitable<void>(double seconds)> advance;
  };
  explicit OwnerApi(Parts parts) : parts_(std::move(parts)) {}

  [[nodiscard]] boost::asio::awaitable<wire::OwnerResponse> handle(wire::HttpRequest request);

 private:
  Parts parts_;
};

// Unix milliseconds as "2026-11-02T10:00:00Z"; empty for 0.
[[nodiscard]] std::string iso_time(Millis wall_ms);

}  // namespace gadget::hub
