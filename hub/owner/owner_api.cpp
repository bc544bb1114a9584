#include "hub/owner/owner_api.hpp"

#include <optional>

#include <boost/json/object.hpp>
#include <unistd.h>

#include "hub/owner/answers.hpp"
#include "hub/owner/json_text.hpp"
#include "hub/owner/rows.hpp"
#include "hub/owner/update_calls.hpp"

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

namespace {

// The longest jump of the test clock: a year.
constexpr double kMaxAdvanceS = 366.0 * 86'400.0;

json::object info_object(const OwnerApi::Parts& parts) {
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
  if (info.test_clock) out["test_clock"] = true;
  return out;
}

Result<void> show(const Fields& fields, const DeviceId& device, Hub& hub) {
  auto title = fields.text_or("title", "");
  if (!title) return tl::unexpected(std::move(title.error()));
  auto body = fields.text("body");
  if (!body) return tl::unexpected(std::move(body.error()));
  auto ttl = fields.milliseconds_or("ttl_s", kDefaultCardMs);
  if (!ttl) return tl::unexpected(std::move(ttl.error()));
  return hub.show(device, std::move(*title), std::move(*body), *ttl);
}

// Commands about one device that are done when they return.
Result<void> act_on(const std::string& path, const Fields& fields, const DeviceId& device,
                    Hub& hub) {
  if (path == "/v1/pairing/revoke") return hub.revoke(device);
  if (path == "/v1/forget") return hub.forget(device);
  if (path == "/v1/show") return show(fields, device, hub);
  if (path == "/v1/rename") {
    return fields.text("name").and_then(
        [&](const std::string& name) { return hub.rename(device, name); });
  }
  return fields.text("text").and_then(  // say
      [&](const std::string& text) { return hub.say(device, text); });
}

Answer act(const std::string& path, const Fields& fields, Hub& hub) {
  if (path == "/v1/pairing/approve") {
    return fields.text("code_or_id").and_then([&](const std::string& code) {
      return hub.approve(code).map([](const DeviceId& id) { return device_object(id); });
    });
  }
  if (path == "/v1/pairing/drop") {
    const std::size_t waiting = hub.pending().size();
    hub.drop_pending();
    return json::object{{"dropped", waiting}};
  }
  for (const std::string_view known :
       {"/v1/pairing/revoke", "/v1/forget", "/v1/show", "/v1/rename", "/v1/say"}) {
    if (path != known) continue;
    auto device = fields.device(hub);
    if (!device) return tl::unexpected(std::move(device.error()));
    auto done = act_on(path, fields, *device, hub);
    if (!done) return tl::unexpected(std::move(done.error()));
    return device_object(*device);
  }
  return no_such_call(path);
}

Result<QuestionSpec> question_of(const Fields& fields) {
  QuestionSpec question;
  auto text = fields.text("text");
  if (!text) return tl::unexpected(std::move(text.error()));
  auto title = fields.text_or("title", "");
  if (!title) return tl::unexpected(std::move(title.error()));
  auto ttl = fields.milliseconds_or("ttl_s", question.ttl_ms);
  if (!ttl) return tl::unexpected(std::move(ttl.error()));
  question.text = std::move(*text);
  question.title = std::move(*title);
  question.ttl_ms = *ttl;
  return question;
}

asio::awaitable<Answer> ask(Fields fields, const OwnerApi::Parts& parts) {
  auto device = fields.device(*parts.hub);
  if (!device) co_return tl::unexpected(std::move(device.error()));
  auto question = question_of(fields);
  if (!question) co_return tl::unexpected(std::move(question.error()));
  auto promise = std::make_shared<Promise<QuestionOutcome>>(parts.executor);
  parts.hub->ask(*device, std::move(*question), Promise<QuestionOutcome>::keeper(promise));
  parts.settle();
  auto outcome = co_await Promise<QuestionOutcome>::wait(std::move(promise));
  if (!outcome) co_return tl::unexpected(std::move(outcome.error()));
  co_return json::object{{"answer", name(*outcome)}};
}

Result<PictureSpec> picture_of(const Fields& fields, std::string file) {
  auto ttl = fields.milliseconds_or("ttl_s", kDefaultPictureMs);
  if (!ttl) return tl::unexpected(std::move(ttl.error()));
  const auto dither = fields.text_or("dither", "false");
  if (!dither) return tl::unexpected(dither.error());
  if (*dither != "true" && *dither != "false") {
    return fail(FailureCode::invalid_argument, "dither is true or false");
  }
  return PictureSpec{.file = std::move(file), .ttl_ms = *ttl, .dither = *dither == "true"};
}

asio::awaitable<Answer> image(wire::HttpRequest request, const OwnerApi::Parts& parts) {
  auto fields = Fields::parse_query(request.query(), {"ttl_s"});
  if (!fields) co_return tl::unexpected(std::move(fields.error()));
  auto device = fields->device(*parts.hub);
  if (!device) co_return tl::unexpected(std::move(device.error()));
  auto picture = picture_of(*fields, std::move(request.body));
  if (!picture) co_return tl::unexpected(std::move(picture.error()));
  auto promise = std::make_shared<Promise<PictureSent>>(parts.executor);
  parts.hub->image(*device, std::move(*picture), Promise<PictureSent>::keeper(promise));
  parts.settle();
  auto sent = co_await Promise<PictureSent>::wait(std::move(promise));
  if (!sent) co_return tl::unexpected(std::move(sent.error()));
  json::object answer = device_object(*device);
  answer["width"] = sent->width;
  answer["height"] = sent->height;
  co_return answer;
}

asio::awaitable<OwnerResponse> action(Fields fields, const OwnerApi::Parts& parts) {
  auto device = fields.device(*parts.hub);
  if (!device) co_return respond(device.error());
  auto name = fields.text("name");
  if (!name) co_return respond(name.error());
  auto args = fields.json_object_or("args", "{}");
  if (!args) co_return respond(args.error());
  auto promise = std::make_shared<Promise<std::string>>(parts.executor);
  parts.hub->action(*device, std::move(*name), std::move(*args),
                    Promise<std::string>::keeper(promise));
  parts.settle();
  auto result = co_await Promise<std::string>::wait(std::move(promise));
  if (!result) co_return respond(result.error());
  OwnerResponse response;  // the device's own text, numbers as it wrote them
  response.body = "{\"result\":" + (result->empty() ? std::string("null") : *result) + "}\n";
  co_return response;
}

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

asio::awaitable<OwnerResponse> OwnerApi::handle(wire::HttpRequest request) {
  const std::string path(request.path());
  if (is_update_call(path)) co_return co_await update_call(std::move(request), parts_);
  if (request.method == "GET") {
    if (path == "/v1/info") co_return respond(info_object(parts_));
    if (path == "/v1/backup") {
      auto bytes = parts_.backup();
      if (!bytes) co_return respond(bytes.error());
      OwnerResponse response;
      response.content_type = "application/vnd.sqlite3";
      response.body = std::move(*bytes);
      co_return response;
    }
    if (path == "/v1/devices") co_return respond(device_rows(*parts_.hub));
    if (path == "/v1/pairing") co_return respond(pairing_rows(*parts_.hub));
    co_return respond(Answer(no_such_call(path)));
  }
  if (request.method != "POST") {
    co_return respond(Answer(fail(FailureCode::invalid_argument, "only GET and POST are known")));
  }
  if (path == "/v1/image") co_return respond(co_await image(std::move(request), parts_));
  auto fields = Fields::parse(request.body);
  if (!fields) co_return respond(fields.error());
  if (path == "/v1/ask") co_return respond(co_await ask(std::move(*fields), parts_));
  if (path == "/v1/action") co_return co_await action(std::move(*fields), parts_);
  if (path == "/v1/test/advance") co_return respond(co_await advance(std::move(*fields), parts_));
  const Answer answer = act(path, *fields, *parts_.hub);
  parts_.settle();
  co_return respond(answer);
}

}  // namespace gadget::hub
