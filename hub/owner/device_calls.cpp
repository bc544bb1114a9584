// The calls that do something with a device.
#include "hub/owner/answers.hpp"
#include "hub/owner/calls.hpp"
#include "hub/owner/feeds.hpp"
#include "hub/owner/rows.hpp"

namespace gadget::hub {

namespace asio = boost::asio;
namespace json = boost::json;
using wire::HttpRequest;
using wire::OwnerResponse;

namespace {

// ---- Those that are done when they return ----

Result<void> revoke(const Fields&, const DeviceId& device, Hub& hub) { return hub.revoke(device); }
Result<void> forget(const Fields&, const DeviceId& device, Hub& hub) { return hub.forget(device); }

Result<void> rename(const Fields& fields, const DeviceId& device, Hub& hub) {
  return fields.text("name").and_then(
      [&](const std::string& name) { return hub.rename(device, name); });
}

Result<void> set_zone(const Fields& fields, const DeviceId& device, Hub& hub) {
  return fields.text("timezone").and_then([&](const std::string& zone) {
    return hub.set_timezone(device, zone);
  });
}

Result<void> say(const Fields& fields, const DeviceId& device, Hub& hub) {
  return fields.text("text").and_then(
      [&](const std::string& text) { return hub.say(device, text); });
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

Answer approve(const Fields& fields, Hub& hub) {
  return fields.text("code_or_id").and_then([&](const std::string& code) {
    return hub.approve(code).map([](const DeviceId& id) { return device_object(id); });
  });
}

Answer drop(const Fields&, Hub& hub) {
  const std::size_t waiting = hub.pending().size();
  hub.drop_pending();
  return json::object{{"dropped", waiting}};
}

Answer act(const std::string& body, Hub& hub, Answer (*call)(const Fields&, Hub&)) {
  const auto fields = Fields::parse(body);
  if (!fields) return tl::unexpected(fields.error());
  return call(*fields, hub);
}

Answer act_on(const std::string& body, Hub& hub,
              Result<void> (*call)(const Fields&, const DeviceId&, Hub&)) {
  const auto fields = Fields::parse(body);
  if (!fields) return tl::unexpected(fields.error());
  const auto device = fields->device(hub);
  if (!device) return tl::unexpected(device.error());
  auto done = call(*fields, *device, hub);
  if (!done) return tl::unexpected(std::move(done.error()));
  return device_object(*device);
}

OwnerResponse settled(const Answer& answer, const OwnerApi::Parts& parts) {
  parts.settle();
  return respond(answer);
}

// ---- Those that wait for a person or a device ----

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
  const auto dither = fields.yes_or_no("dither");
  if (!dither) return tl::unexpected(dither.error());
  return PictureSpec{.file = std::move(file), .ttl_ms = *ttl, .dither = *dither};
}

asio::awaitable<Answer> image(HttpRequest request, const OwnerApi::Parts& parts) {
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

}  // namespace

asio::awaitable<OwnerResponse> post_approve(HttpRequest request, const OwnerApi::Parts& parts) {
  co_return settled(act(request.body, *parts.hub, approve), parts);
}
asio::awaitable<OwnerResponse> post_drop(HttpRequest request, const OwnerApi::Parts& parts) {
  co_return settled(act(request.body, *parts.hub, drop), parts);
}
asio::awaitable<OwnerResponse> post_revoke(HttpRequest request, const OwnerApi::Parts& parts) {
  co_return settled(act_on(request.body, *parts.hub, revoke), parts);
}
asio::awaitable<OwnerResponse> post_forget(HttpRequest request, const OwnerApi::Parts& parts) {
  const Answer done = act_on(request.body, *parts.hub, forget);
  if (done) {
    if (const auto id = DeviceId::parse(done->at("device").as_string())) parts.feeds->forget(*id);
  }
  co_return settled(done, parts);
}
asio::awaitable<OwnerResponse> post_rename(HttpRequest request, const OwnerApi::Parts& parts) {
  co_return settled(act_on(request.body, *parts.hub, rename), parts);
}
asio::awaitable<OwnerResponse> post_timezone(HttpRequest request, const OwnerApi::Parts& parts) {
  co_return settled(act_on(request.body, *parts.hub, set_zone), parts);
}
asio::awaitable<OwnerResponse> post_say(HttpRequest request, const OwnerApi::Parts& parts) {
  co_return settled(act_on(request.body, *parts.hub, say), parts);
}
asio::awaitable<OwnerResponse> post_show(HttpRequest request, const OwnerApi::Parts& parts) {
  co_return settled(act_on(request.body, *parts.hub, show), parts);
}

asio::awaitable<OwnerResponse> post_image(HttpRequest request, const OwnerApi::Parts& parts) {
  co_return respond(co_await image(std::move(request), parts));
}

asio::awaitable<OwnerResponse> post_ask(HttpRequest request, const OwnerApi::Parts& parts) {
  auto fields = Fields::parse(request.body);
  if (!fields) co_return respond(fields.error());
  co_return respond(co_await ask(std::move(*fields), parts));
}

asio::awaitable<OwnerResponse> post_action(HttpRequest request, const OwnerApi::Parts& parts) {
  auto fields = Fields::parse(request.body);
  if (!fields) co_return respond(fields.error());
  co_return co_await action(std::move(*fields), parts);
}

}  // namespace gadget::hub
