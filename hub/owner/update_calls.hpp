// update_calls.hpp - the owner API's calls about firmware updates (owner_api.hpp lists them).
// Private to hub/owner.
#pragma once

#include <string_view>

#include <boost/asio/awaitable.hpp>

#include "hub/owner/owner_api.hpp"
#include "wire/unix_socket.hpp"

namespace gadget::hub {

[[nodiscard]] bool is_update_call(std::string_view path);
[[nodiscard]] boost::asio::awaitable<wire::OwnerResponse> update_call(wire::HttpRequest request,
                                                                      const OwnerApi::Parts& parts);

}  // namespace gadget::hub
