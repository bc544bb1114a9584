// owner_api.hpp - the owner's HTTP and JSON face of the hub, version 1, on STATE/owner.sock
// and, where the setting `owner_listen` says so, on a TCP port of this machine.
//
// What there is: the table in owner_api.cpp; what it takes and answers: docs/openapi.json, which
// the hub serves as GET /openapi.json, and docs/owner-api.md.
//
// `device` is an id, or a name that exactly one device has. What failed is {"error": {"code",
// "text", "hint"}} with the HTTP status of its code. A face: it has no rules of its own, those are
// the hub's commands. One owner: the loop.
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
  std::string version;    // of the program
  std::string url;        // what devices connect to
  std::string owner_url;  // of this API over TCP; empty: it is on the socket only
  std::string pin;        // of the certificate's public key; empty: ws://
  std::string state;
  std::string agent;
  std::string speech;        // one line
  std::int64_t devices = 0;  // enrolled
  std::int64_t online = 0;
  bool test_clock = false;
};

class Feeds;

class OwnerApi {
 public:
  struct Parts {
    boost::asio::any_io_executor executor;
    Hub* hub = nullptr;  // borrowed, outlives this
    std::shared_ptr<Feeds> feeds;
    std::function<OwnerInfo()> info;
    std::function<Result<std::unique_ptr<LiveBackup>>()> begin_backup;  // of the store
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
