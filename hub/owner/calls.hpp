// calls.hpp - the handlers behind the table of routes, by file. Private to hub/owner.
#pragma once

#include "hub/owner/routes.hpp"

namespace gadget::hub {

#define GADGET_OWNER_CALL(name)                                                             \
  [[nodiscard]] boost::asio::awaitable<wire::OwnerResponse> name(wire::HttpRequest request, \
                                                                 const OwnerApi::Parts& parts)

// hub_calls.cpp: the hub itself
GADGET_OWNER_CALL(get_info);
GADGET_OWNER_CALL(get_backup);
GADGET_OWNER_CALL(get_openapi);
GADGET_OWNER_CALL(post_advance);

// list_calls.cpp: who is there
GADGET_OWNER_CALL(get_devices);
GADGET_OWNER_CALL(get_device);
GADGET_OWNER_CALL(get_pairing);
GADGET_OWNER_CALL(stream_devices);

// device_calls.cpp: what the owner does with devices
GADGET_OWNER_CALL(post_approve);
GADGET_OWNER_CALL(post_revoke);
GADGET_OWNER_CALL(post_drop);
GADGET_OWNER_CALL(post_forget);
GADGET_OWNER_CALL(post_rename);
GADGET_OWNER_CALL(post_timezone);
GADGET_OWNER_CALL(post_say);
GADGET_OWNER_CALL(post_show);
GADGET_OWNER_CALL(post_image);
GADGET_OWNER_CALL(post_ask);
GADGET_OWNER_CALL(post_action);

// update_calls.cpp: firmware
GADGET_OWNER_CALL(get_updates);
GADGET_OWNER_CALL(post_update);
GADGET_OWNER_CALL(post_update_all);
GADGET_OWNER_CALL(post_update_status);
GADGET_OWNER_CALL(post_update_cancel);

// feed_calls.cpp: what was, and what comes
GADGET_OWNER_CALL(get_turns);
GADGET_OWNER_CALL(stream_turns);
GADGET_OWNER_CALL(get_logs);
GADGET_OWNER_CALL(stream_logs);

#undef GADGET_OWNER_CALL

}  // namespace gadget::hub
