// The calls about firmware updates.
#include <boost/json/array.hpp>

#include "hub/firmware/report.hpp"
#include "hub/firmware/updates.hpp"
#include "hub/owner/answers.hpp"
#include "hub/owner/calls.hpp"
#include "hub/owner/rows.hpp"

namespace gadget::hub {

namespace asio = boost::asio;
namespace json = boost::json;
using wire::HttpRequest;
using wire::OwnerResponse;

namespace {

json::object update_object(const UpdateView& view) {
  const UpdateRecord& record = view.record;
  const Report said = report(view);
  json::object out{{"device", record.device.text()},
                   {"name", view.device_name},
                   {"phase", name(record.phase)},
                   {"told", is_told(record.phase)},
                   {"text", said.text},
                   {"version", record.version},
                   {"previous", record.previous},
                   {"size", record.size_bytes},
                   {"taken", view.taken_bytes},
                   {"tries", record.tries},
                   {"online", view.online},
                   {"forced", record.forced},
                   {"fleet", record.fleet},
                   {"sha256", record.image},
                   {"started", iso_time(record.started_wall_ms)}};
  if (!said.hint.empty()) out["hint"] = said.hint;
  if (!record.code.empty()) out["code"] = record.code;
  if (!record.message.empty()) out["message"] = record.message;
  if (view.next_try_ms > 0) out["next_try_s"] = (view.next_try_ms + 999) / 1000;
  return out;
}

json::object fleet_object(const FleetView& view) {
  const FleetRecord& record = view.record;
  const Report said = report(view);
  json::object out{{"stage", name(record.stage)},
                   {"text", said.text},
                   {"version", record.version},
                   {"board", record.board},
                   {"batch", record.batch},
                   {"stop_after_failures", record.stop_after_failures},
                   {"forced", record.forced},
                   {"total", record.total},
                   {"installed", record.installed},
                   {"failed", record.failed},
                   {"busy", view.busy},
                   {"waiting", view.waiting},
                   {"away", view.away},
                   {"started", iso_time(record.started_wall_ms)}};
  if (!said.hint.empty()) out["hint"] = said.hint;
  if (!record.reason.empty()) out["reason"] = record.reason;
  return out;
}

json::object answer_of(const std::optional<FleetView>& view) {
  return {{"fleet", view ? json::value(fleet_object(*view)) : json::value(nullptr)}};
}

Answer answer_of(const Result<UpdateView>& view) {
  if (!view) return tl::unexpected(view.error());
  return update_object(*view);
}

asio::awaitable<Answer> start(HttpRequest request, const OwnerApi::Parts& parts) {
  auto fields = Fields::parse_query(request.query(), {});
  if (!fields) co_return tl::unexpected(std::move(fields.error()));
  auto device = fields->device(*parts.hub);
  if (!device) co_return tl::unexpected(std::move(device.error()));
  const auto forced = fields->yes_or_no("force");
  if (!forced) co_return tl::unexpected(forced.error());
  auto promise = std::make_shared<Promise<UpdateView>>(parts.executor);
  parts.hub->updates().start(*device, std::move(request.body), *forced,
                             Promise<UpdateView>::keeper(promise));
  parts.settle();
  co_return answer_of(co_await Promise<UpdateView>::wait(std::move(promise)));
}

Result<FleetOrder> order_of(const Fields& fields) {
  FleetOrder order;
  auto board = fields.text_or("board", "");
  if (!board) return tl::unexpected(std::move(board.error()));
  const auto forced = fields.yes_or_no("force");
  if (!forced) return tl::unexpected(forced.error());
  const auto batch = fields.whole_or("batch", order.batch);
  if (!batch) return tl::unexpected(batch.error());
  const auto failures = fields.whole_or("stop_after_failures", order.stop_after_failures);
  if (!failures) return tl::unexpected(failures.error());
  return FleetOrder{std::move(*board), *batch, *failures, *forced};
}

asio::awaitable<Answer> start_all(HttpRequest request, const OwnerApi::Parts& parts) {
  auto fields = Fields::parse_query(request.query(), {});
  if (!fields) co_return tl::unexpected(std::move(fields.error()));
  auto order = order_of(*fields);
  if (!order) co_return tl::unexpected(std::move(order.error()));
  auto promise = std::make_shared<Promise<FleetView>>(parts.executor);
  parts.hub->updates().start_fleet(std::move(request.body), std::move(*order),
                                   Promise<FleetView>::keeper(promise));
  parts.settle();
  const auto view = co_await Promise<FleetView>::wait(std::move(promise));
  if (!view) co_return tl::unexpected(view.error());
  json::object out = answer_of(*view);
  out["left_out"] = json::object{{"already", view->already},
                                 {"other_board", view->other_board},
                                 {"not_again", view->not_again},
                                 {"unpaired", view->unpaired}};
  co_return out;
}

Answer rows(Updates& updates) {
  const auto all = updates.all();
  if (!all) return tl::unexpected(all.error());
  json::array list;
  for (const UpdateView& view : *all) list.push_back(update_object(view));
  json::object out = answer_of(updates.fleet());
  out["updates"] = std::move(list);
  return out;
}

enum class Call : std::uint8_t { status, cancel };

// Of a device, or of the fleet.
Answer of_one(Call call, const std::string& body, Hub& hub) {
  const auto fields = Fields::parse(body);
  if (!fields) return tl::unexpected(fields.error());
  const auto said = fields->text_or("device", "");
  if (!said) return tl::unexpected(said.error());
  Updates& updates = hub.updates();
  if (said->empty()) {
    if (call == Call::status) return answer_of(updates.fleet());
    const auto ended = updates.cancel_fleet();
    if (!ended) return tl::unexpected(ended.error());
    return answer_of(*ended);
  }
  const auto device = fields->device(hub);
  if (!device) return tl::unexpected(device.error());
  return answer_of(call == Call::cancel ? updates.cancel(*device) : updates.view(*device));
}

}  // namespace

asio::awaitable<OwnerResponse> get_updates(HttpRequest request, const OwnerApi::Parts& parts) {
  (void)request;
  co_return respond(rows(parts.hub->updates()));
}

asio::awaitable<OwnerResponse> post_update(HttpRequest request, const OwnerApi::Parts& parts) {
  co_return respond(co_await start(std::move(request), parts));
}

asio::awaitable<OwnerResponse> post_update_all(HttpRequest request, const OwnerApi::Parts& parts) {
  co_return respond(co_await start_all(std::move(request), parts));
}

asio::awaitable<OwnerResponse> post_update_status(HttpRequest request,
                                                  const OwnerApi::Parts& parts) {
  const Answer answer = of_one(Call::status, request.body, *parts.hub);
  parts.settle();
  co_return respond(answer);
}

asio::awaitable<OwnerResponse> post_update_cancel(HttpRequest request,
                                                  const OwnerApi::Parts& parts) {
  const Answer answer = of_one(Call::cancel, request.body, *parts.hub);
  parts.settle();
  co_return respond(answer);
}

}  // namespace gadget::hub
