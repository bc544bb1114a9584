// routes.hpp - every call of the owner API, in one table; docs/openapi.json describes the same, and
// a test holds them together. Private to hub/owner and its tests.
#pragma once

#include <span>
#include <string_view>

#include <boost/asio/awaitable.hpp>

#include "hub/owner/owner_api.hpp"
#include "wire/unix_socket.hpp"

namespace gadget::hub {

using Handler = boost::asio::awaitable<wire::OwnerResponse> (*)(wire::HttpRequest request,
                                                                const OwnerApi::Parts& parts);

struct Route {
  std::string_view method, path;
  Handler handle;
};

[[nodiscard]] std::span<const Route> routes();

// docs/openapi.json
[[nodiscard]] std::string_view openapi_text();

}  // namespace gadget::hub
