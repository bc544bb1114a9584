#include "hub/owner/update_calls.hpp"

#include <boost/json/array.hpp>

#include "hub/firmware/report.hpp"
#include "hub/firmware/updates.hpp"
#include "hub/owner/answers.hpp"
#include "hub/owner/rows.hpp"

namespace gadget::hub {
namespace {

namespace asio = boost::asio;
namespace json = boost::json;

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

Result<bool> yes_or_no(const Fields& fields, std::string_view key) {
  auto text = fields.text_or(key, "false");
  if (!text) return tl::unexpected(std::move(text.error()));
  if (*text == "true" || *text == "false") return *text == "true";
  return fail(FailureCode::invalid_argument, std::string(key) + " is true or false");
}

// A whole number of the query; `absent` when it does not say.
Result<std::int64_t> whole_or(const Fields& fields, std::string_view key, std::int64_t absent) {
  const auto text = fields.text_or(key, std::to_string(absent));
  if (!text) return tl::unexpected(text.error());
  constexpr std::size_t kMaxDigits = 9;
  const bool digits = !text->empty() && text->size() <= kMaxDigits &&
                      text->find_first_not_of("0123456789") == std::string::npos;
  if (digits) return std::stoll(*text);
  return fail(FailureCode::invalid_argument, std::string(key) + " is a whole number");
}

asio::awaitable<Answer> start(wire::HttpRequest request, const OwnerApi::Parts& parts) {
  auto fields = Fields::parse_query(request.query(), {});
  if (!fields) co_return tl::unexpected(std::move(fields.error()));
  auto device = fields->device(*parts.hub);
  if (!device) co_return tl::unexpected(std::move(device.error()));
  const auto forced = yes_or_no(*fields, "force");
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
  const auto forced = yes_or_no(fields, "force");
  if (!forced) return tl::unexpected(forced.error());
  const auto batch = whole_or(fields, "batch", order.batch);
  if (!batch) return tl::unexpected(batch.error());
  const auto failures = whole_or(fields, "stop_after_failures", order.stop_after_failures);
  if (!failures) return tl::unexpected(failures.error());
  return FleetOrder{std::move(*board), *batch, *failures, *forced};
}

asio::awaitable<Answer> start_all(wire::HttpRequest request, const OwnerApi::Parts& parts) {
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

// `status` and `cancel`: of a device, or of the fleet.
Answer of_one(const std::string& path, const std::string& body, Hub& hub) {
  const auto fields = Fields::parse(body);
  if (!fields) return tl::unexpected(fields.error());
  const auto said = fields->text_or("device", "");
  if (!said) return tl::unexpected(said.error());
  Updates& updates = hub.updates();
  const bool cancel = path == "/v1/update/cancel";
  if (said->empty()) {
    if (!cancel) return answer_of(updates.fleet());
    const auto ended = updates.cancel_fleet();
    if (!ended) return tl::unexpected(ended.error());
    return answer_of(*ended);
  }
  const auto device = fields->device(hub);
  if (!device) return tl::unexpected(device.error());
  return answer_of(cancel ? updates.cancel(*device) : updates.view(*device));
}

}  // namespace

bool is_update_call(std::string_view path) {
  return path == "/v1/updates" || path == "/v1/update" || path.starts_with("/v1/update/");
}

asio::awaitable<wire::OwnerResponse> update_call(wire::HttpRequest request,
                                                 const OwnerApi::Parts& parts) {
  const std::string path(request.path());
  const bool post = request.method == "POST";
  if (path == "/v1/updates" && request.method == "GET") {
    co_return respond(rows(parts.hub->updates()));
  }
  if (path == "/v1/update" && post) co_return respond(co_await start(std::move(request), parts));
  if (path == "/v1/update/all" && post) {
    co_return respond(co_await start_all(std::move(request), parts));
  }
  if ((path == "/v1/update/status" || path == "/v1/update/cancel") && post) {
    const Answer answer = of_one(path, request.body, *parts.hub);
    parts.settle();
    co_return respond(answer);
  }
  co_return respond(Answer(no_such_call(path)));
}

}  // namespace gadget::hub
