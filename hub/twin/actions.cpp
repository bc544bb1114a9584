#include "hub/twin/actions.hpp"

#include <algorithm>

#include "hub/core/limits.hpp"
#include "hub/schema/schema.hpp"
#include "hub/twin/twin.hpp"
#include "protocol/json_reader.hpp"

namespace gadget::hub {

void Actions::call(std::string_view action, std::string_view args_json, Done done) {
  done = [&counters = context_.counters, done = std::move(done)](Result<std::string> result) {
    counters.actions.add(result ? "done" : name(result.error().code));
    done(std::move(result));
  };
  Connection* const connection = twin_.outlet();
  if (connection == nullptr) {
    return done(fail(FailureCode::unavailable, twin_.id_text() + " is not connected"));
  }
  const auto& manifest = twin_.manifest();
  const auto known = std::find_if(manifest.begin(), manifest.end(),
                                  [&](const ActionInfo& its) { return its.name == action; });
  if (known == manifest.end()) {
    return done(fail(FailureCode::not_found, "the device has no action of that name"));
  }
  const std::string_view args = args_json.empty() ? "{}" : args_json;
  const auto root = protocol::check_json(args);
  if (!root || *root != protocol::Token::begin_object) {
    return done(fail(FailureCode::invalid_argument, "args is not a JSON object"));
  }
  if (auto fits = check_args(known->params_json, args); !fits) {
    return done(tl::unexpected(std::move(fits.error())));
  }
  if (open_.size() >= limits::kMaxOpenActions) {
    return done(fail(FailureCode::refused, "too many actions of that device are in progress"));
  }
  const std::string id = context_.fresh_id("a");
  std::string text =
      encode(protocol::Action{.id = id, .name = action, .args = {args}}, context_.buffer);
  // One level deeper than the arguments, and as long as the device can take (E4, E33).
  if (text.empty() || text.size() > connection->max_message() || !protocol::check_json(text)) {
    return done(
        fail(FailureCode::invalid_argument, "args is too long or too deep for that device"));
  }
  Open& open = open_[id];
  open.done = std::move(done);
  open.timeout.set(context_.scheduler, context_.now() + protocol::kActionTimeoutMs, [this, id] {
    auto late = open_.extract(id);
    late.mapped().done(fail(FailureCode::timeout, "the device did not answer within 18 s"));
  });
  connection->send_text(std::move(text), Link::Kind::control);
}

void Actions::result(const protocol::ActionResult& result) {
  const auto at = open_.find(result.id);
  if (at == open_.end()) {  // late, repeated or foreign (E25)
    if (Connection* const connection = twin_.outlet()) connection->count_dropped();
    return;
  }
  const auto answered = open_.extract(at);
  if (result.ok) {
    return answered.mapped().done(result.result.empty() ? std::string("null")
                                                        : std::string(result.result.text));
  }
  const std::string why = one_line(result.error, protocol::kMaxSensorTextCodePoints);
  answered.mapped().done(
      fail(FailureCode::refused, why.empty() ? "the device could not do it" : why));
}

void Actions::fail_all(std::string_view why) {
  while (!open_.empty()) {
    const auto first = open_.extract(open_.begin());
    first.mapped().done(fail(FailureCode::unavailable, std::string(why)));
  }
}

}  // namespace gadget::hub
