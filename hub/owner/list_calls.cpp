// The calls that tell who is there.
#include <boost/json/array.hpp>

#include "hub/owner/answers.hpp"
#include "hub/owner/calls.hpp"
#include "hub/owner/events.hpp"
#include "hub/owner/feeds.hpp"
#include "hub/owner/rows.hpp"

namespace gadget::hub {

namespace asio = boost::asio;
namespace json = boost::json;
using wire::HttpRequest;
using wire::OwnerResponse;

namespace {

// How often a follower is told of changes at most: people read no faster, and a fleet that comes
// back is told in a few pieces.
constexpr auto kTellEvery = std::chrono::milliseconds{100};
// Rows of one piece: what more changed comes with the next.
constexpr std::size_t kRowsAPiece = 100;

Result<DeviceQuery> query_of(std::string_view query) {
  auto fields = Fields::parse_query(query, {});
  if (!fields) return tl::unexpected(std::move(fields.error()));
  DeviceQuery wanted;
  auto after = fields->text_or("after", "");
  if (!after) return tl::unexpected(std::move(after.error()));
  if (!after->empty()) {
    const auto id = DeviceId::parse(*after);
    if (!id) return fail(FailureCode::invalid_argument, "after is no device id");
    wanted.after = *id;
  }
  const auto limit = fields->whole_or("limit", static_cast<std::int64_t>(wanted.limit));
  if (!limit) return tl::unexpected(limit.error());
  const auto online = fields->yes_or_no("online");
  if (!online) return tl::unexpected(online.error());
  auto text = fields->text_or("text", "");
  if (!text) return tl::unexpected(std::move(text.error()));
  wanted.limit = static_cast<std::size_t>(*limit);
  wanted.online_only = *online;
  wanted.text = std::move(*text);
  return wanted;
}

Answer device_page(const DeviceQuery& query, Hub& hub) {
  const auto page = hub.devices(query);
  if (!page) return tl::unexpected(page.error());
  json::array rows;
  for (const DeviceStatus& device : page->rows) rows.push_back(device_row(device));
  json::object out{{"devices", std::move(rows)}};
  if (page->next) out["next"] = page->next->text();
  return out;
}

std::string piece_of(const DeviceWatch::Changes& changes, Hub& hub) {
  std::string piece;
  if (changes.all) piece += event_text(json::object{{"reset", true}});
  for (const DeviceId& id : changes.devices) {
    const auto device = hub.device(id);
    piece +=
        event_text(device ? device_row(*device) : json::object{{"id", id.text()}, {"gone", true}});
  }
  return piece;
}

asio::awaitable<std::optional<std::string>> next_changes(std::shared_ptr<DeviceWatch> watch,
                                                         const OwnerApi::Parts& parts) {
  asio::steady_timer pause(parts.executor, kTellEvery);
  co_await pause.async_wait(asio::use_awaitable);
  for (;;) {
    std::string piece = piece_of(watch->take(kRowsAPiece), *parts.hub);
    if (!piece.empty()) co_return piece;
    const auto since = std::chrono::steady_clock::now();
    co_await Bell::wait(watch->bell(), kStillThere);
    if (std::chrono::steady_clock::now() - since >= kStillThere) co_return still_there();
  }
}

}  // namespace

asio::awaitable<OwnerResponse> get_devices(HttpRequest request, const OwnerApi::Parts& parts) {
  const auto query = query_of(request.query());
  if (!query) co_return respond(query.error());
  co_return respond(device_page(*query, *parts.hub));
}

asio::awaitable<OwnerResponse> get_device(HttpRequest request, const OwnerApi::Parts& parts) {
  const auto fields = Fields::parse_query(request.query(), {});
  if (!fields) co_return respond(fields.error());
  const auto id = fields->device(*parts.hub);
  if (!id) co_return respond(id.error());
  const auto device = parts.hub->device(*id);
  if (!device) co_return respond(device.error());
  co_return respond(device_details(*device));
}

asio::awaitable<OwnerResponse> get_pairing(HttpRequest request, const OwnerApi::Parts& parts) {
  (void)request;
  co_return respond(pairing_rows(*parts.hub));
}

asio::awaitable<OwnerResponse> stream_devices(HttpRequest request, const OwnerApi::Parts& parts) {
  (void)request;
  OwnerResponse response = event_stream();
  auto watch = parts.feeds->watch(parts.executor);
  // What changes from here on is told: whoever has this reads the list, and misses nothing.
  response.body += event_text(json::object{{"ready", true}});
  response.more = [watch, &parts] { return next_changes(watch, parts); };
  co_return response;
}

}  // namespace gadget::hub
