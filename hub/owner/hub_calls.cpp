// The calls about the hub itself.
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <unistd.h>

#include "hub/owner/answers.hpp"
#include "hub/owner/calls.hpp"
#include "hub/owner/rows.hpp"

namespace gadget::hub {

namespace asio = boost::asio;
namespace json = boost::json;
using wire::HttpRequest;
using wire::OwnerResponse;

namespace {

// The longest jump of the test clock: a year.
constexpr double kMaxAdvanceS = 366.0 * 86'400.0;

asio::awaitable<Answer> advance(Fields fields, const OwnerApi::Parts& parts) {
  if (!parts.advance) {
    co_return fail(FailureCode::refused, "this hub runs on the real clock",
                   "a test starts it with --test-clock");
  }
  auto seconds = fields.number("seconds");
  if (!seconds) co_return tl::unexpected(std::move(seconds.error()));
  if (!(*seconds >= 0 && *seconds <= kMaxAdvanceS)) {
    co_return fail(FailureCode::invalid_argument, "seconds is 0 to a year");
  }
  co_await parts.advance(*seconds);
  co_return json::object{{"advanced_s", *seconds}};
}

}  // namespace

asio::awaitable<OwnerResponse> get_info(HttpRequest request, const OwnerApi::Parts& parts) {
  (void)request;
  const OwnerInfo info = parts.info();
  json::object out{{"api", kOwnerApiVersion},
                   {"version", info.version},
                   {"url", info.url},
                   {"state", info.state},
                   {"agent", info.agent},
                   {"speech", info.speech},
                   {"devices", info.devices},
                   {"online", info.online},
                   {"pending", parts.hub->pending().size()},
                   {"pid", ::getpid()}};
  if (!info.pin.empty()) out["pin"] = info.pin;
  if (!info.owner_url.empty()) out["owner_url"] = info.owner_url;
  if (info.test_clock) out["test_clock"] = true;
  co_return respond(out);
}

asio::awaitable<OwnerResponse> get_backup(HttpRequest request, const OwnerApi::Parts& parts) {
  (void)request;
  auto backup = parts.begin_backup();
  if (!backup) co_return respond(backup.error());
  for (;;) {
    auto whole = (*backup)->step();
    if (!whole) co_return respond(whole.error());
    if (*whole) break;
    co_await asio::post(parts.executor, asio::use_awaitable);  // devices are served in between
  }
  OwnerResponse response;
  response.content_type = "application/vnd.sqlite3";
  response.body = (*backup)->take();
  co_return response;
}

asio::awaitable<OwnerResponse> get_openapi(HttpRequest request, const OwnerApi::Parts& parts) {
  (void)request;
  (void)parts;
  OwnerResponse response;
  response.body = openapi_text();
  co_return response;
}

asio::awaitable<OwnerResponse> post_advance(HttpRequest request, const OwnerApi::Parts& parts) {
  auto fields = Fields::parse(request.body);
  if (!fields) co_return respond(fields.error());
  co_return respond(co_await advance(std::move(*fields), parts));
}

}  // namespace gadget::hub
