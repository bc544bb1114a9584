#include "hub/owner/owner_api.hpp"

#include <algorithm>
#include <array>

#include <boost/json/object.hpp>

#include "hub/owner/answers.hpp"
#include "hub/owner/calls.hpp"
#include "hub/owner/json_text.hpp"
#include "hub/owner/rows.hpp"

namespace gadget::hub {

namespace asio = boost::asio;
namespace json = boost::json;
using wire::OwnerResponse;

OwnerResponse respond(const json::object& body, unsigned status) {
  OwnerResponse response;
  response.status = status;
  response.body = json_text(body) + "\n";
  return response;
}

OwnerResponse respond(const Failure& failure) {
  json::object error{{"code", name(failure.code)}, {"text", failure.text}};
  if (!failure.hint.empty()) error["hint"] = failure.hint;
  return respond(json::object{{"error", std::move(error)}},
                 static_cast<unsigned>(http_status(failure.code)));
}

OwnerResponse respond(const Answer& answer) {
  return answer ? respond(*answer) : respond(answer.error());
}

std::span<const Route> routes() {
  static constexpr std::array kRoutes{
      Route{"GET", "/openapi.json", get_openapi},
      Route{"GET", "/v1/info", get_info},
      Route{"GET", "/v1/backup", get_backup},
      Route{"GET", "/v1/devices", get_devices},
      Route{"GET", "/v1/devices/stream", stream_devices},
      Route{"GET", "/v1/device", get_device},
      Route{"GET", "/v1/turns", get_turns},
      Route{"GET", "/v1/turns/stream", stream_turns},
      Route{"GET", "/v1/logs", get_logs},
      Route{"GET", "/v1/logs/stream", stream_logs},
      Route{"GET", "/v1/pairing", get_pairing},
      Route{"POST", "/v1/pairing/approve", post_approve},
      Route{"POST", "/v1/pairing/revoke", post_revoke},
      Route{"POST", "/v1/pairing/drop", post_drop},
      Route{"POST", "/v1/forget", post_forget},
      Route{"POST", "/v1/rename", post_rename},
      Route{"POST", "/v1/timezone", post_timezone},
      Route{"POST", "/v1/say", post_say},
      Route{"POST", "/v1/show", post_show},
      Route{"POST", "/v1/image", post_image},
      Route{"POST", "/v1/ask", post_ask},
      Route{"POST", "/v1/action", post_action},
      Route{"GET", "/v1/updates", get_updates},
      Route{"POST", "/v1/update", post_update},
      Route{"POST", "/v1/update/all", post_update_all},
      Route{"POST", "/v1/update/status", post_update_status},
      Route{"POST", "/v1/update/cancel", post_update_cancel},
      Route{"POST", "/v1/test/advance", post_advance},
  };
  return kRoutes;
}

namespace {

OwnerResponse wrong_method(std::string_view allowed) {
  OwnerResponse response = respond(
      Failure{FailureCode::invalid_argument, "this call is made with " + std::string(allowed), {}});
  response.status = 405;
  response.headers.push_back({"Allow", std::string(allowed)});
  return response;
}

}  // namespace

asio::awaitable<OwnerResponse> OwnerApi::handle(wire::HttpRequest request) {
  const auto all = routes();
  const auto route = std::find_if(all.begin(), all.end(),
                                  [&](const Route& one) { return one.path == request.path(); });
  if (route == all.end()) co_return respond(Answer(no_such_call(request.path())));
  if (route->method != request.method) co_return wrong_method(route->method);
  co_return co_await route->handle(std::move(request), parts_);
}

}  // namespace gadget::hub
