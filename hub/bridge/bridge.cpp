#include "hub/bridge/bridge.hpp"

#include <algorithm>

#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include "hub/bridge/frames.hpp"
#include "hub/core/hub.hpp"
#include "hub/owner/rows.hpp"

namespace gadget::hub {
namespace {

namespace json = boost::json;

constexpr std::uint16_t kPolicy = 1008;  // RFC 6455 7.4.1
// Deeper than any frame needs; actions' arguments are the deepest.
constexpr std::size_t kFrameDepth = 40;
constexpr std::string_view kAsker = "bridge:";

// The frame, or an object without anything.
json::object parsed(std::string_view text) {
  json::error_code error;
  json::parse_options options;
  options.max_depth = kFrameDepth;
  const json::value value = json::parse(text, error, {}, options);
  return error || !value.is_object() ? json::object() : value.get_object();
}

std::string error_body(const Failure& failure) {
  json::object error{{"code", name(failure.code)}, {"text", failure.text}};
  if (!failure.hint.empty()) error["hint"] = failure.hint;
  return json::serialize(error);
}

// What only Hermes, or whoever sits at the machine, may do.
bool is_reserved(std::string_view call) {
  return call.starts_with("pairing/") || call.starts_with("test/") || call == "backup" ||
         call.find("..") != std::string_view::npos;
}

}  // namespace

// ---- Connections -------------------------------------------------------------------------------

void Bridge::attached(std::shared_ptr<BridgeLink> link) { silent_.insert(std::move(link)); }

void Bridge::detached(const std::shared_ptr<BridgeLink>& link) {
  silent_.erase(link);
  if (link != plugin_) return;
  plugin_.reset();
  ++epoch_;
  requests_ = 0;
  for (auto& [ref, question] : questions_) question.request.clear();
  if (parts_.log) parts_.log("bridge.lost", "the Hermes plugin is gone");
  if (turns_.went) turns_.went();
  if (pairing_.went) pairing_.went();
}

void Bridge::message(const std::shared_ptr<BridgeLink>& link, std::string_view text) {
  const json::object frame = parsed(text);
  const auto type = text_of(frame, "type");
  if (!type) return fault(*link, "a frame is a JSON object with a type");
  if (silent_.contains(link)) {
    if (*type != "hello") return fault(*link, "the first frame is hello");
    return hello(link, frame);
  }
  if (link != plugin_) return;  // replaced; what it still sends is not heard
  if (*type == "hello") return fault(*link, "hello was said already");
  if (*type == "request") return request(frame);
  if (*type == "withdraw") {
    const auto ref = text_of(frame, "ref");
    return ref ? withdraw(*ref) : fault(*link, "withdraw needs ref");
  }
  const Listener& listener = type->starts_with("turn.") ? turns_ : pairing_;
  if (listener.frame && !listener.frame(*type, frame)) {
    fault(*link, *type + " misses a field that it needs, or has one of another type");
  }
}

void Bridge::hello(const std::shared_ptr<BridgeLink>& link, const json::object& frame) {
  if (number_of(frame, "bridge") != static_cast<double>(kBridgeVersion)) {
    silent_.erase(link);
    link->send(json::serialize(
        json::object{{"type", "refused"},
                     {"code", "bridge_version"},
                     {"text",
                      "this hub speaks version 1 of the bridge; use the plugin of its own "
                      "version"},
                     {"bridge", json::array{kBridgeVersion}}}));
    return link->close(kPolicy, "bridge_version");
  }
  BridgeHello hello;
  hello.instance = text_of(frame, "instance").value_or("");
  if (hello.instance.empty()) return fault(*link, "hello needs instance");
  if (const auto* turns = frame.if_contains("turns"); turns != nullptr && turns->is_array()) {
    for (const json::value& turn : turns->get_array()) {
      if (turn.is_string()) hello.turns.emplace(turn.get_string());
    }
  }
  hello.hears = flag_of(frame, "hears", false);
  hello.speaks = flag_of(frame, "speaks", false);
  silent_.erase(link);
  if (const auto old = plugin_) {
    detached(old);
    old->close(kPolicy, "replaced");
  }
  plugin_ = link;
  if (hello.instance != instance_) withdraw_all();
  instance_ = hello.instance;
  if (parts_.log) parts_.log("bridge.connected", text_of(frame, "gateway").value_or(""));
  json::array known;
  if (turns_.known) {
    for (std::string& turn : turns_.known()) known.emplace_back(std::move(turn));
  }
  send(json::object{{"type", "welcome"},
                    {"bridge", kBridgeVersion},
                    {"hub", parts_.version},
                    {"turns", std::move(known)}});
  if (pairing_.came) pairing_.came(hello);
  if (turns_.came) turns_.came(hello);
}

void Bridge::fault(BridgeLink& link, std::string_view text) {
  link.send(json::serialize(json::object{{"type", "fault"}, {"text", text}}));
}

void Bridge::send(const json::object& frame) {
  if (plugin_) plugin_->send(json::serialize(frame));
}

// ---- Requests ----------------------------------------------------------------------------------

void Bridge::respond(const std::string& id, bool ok, std::string_view body) {
  if (!plugin_) return;
  std::string frame = "{\"type\":\"response\",\"id\":" + json::serialize(json::string(id));
  frame.append(ok ? ",\"ok\":true,\"result\":" : ",\"ok\":false,\"error\":")
      .append(body)
      .append("}");
  plugin_->send(std::move(frame));
}

void Bridge::refuse(const std::string& id, const Failure& failure) {
  respond(id, false, error_body(failure));
}

void Bridge::request(const json::object& frame) {
  const auto id = text_of(frame, "id");
  if (!id) return fault(*plugin_, "a request needs an id");
  const auto call = text_of(frame, "call");
  if (!call) return refuse(*id, {FailureCode::invalid_argument, "call is needed", {}});
  if (is_reserved(*call)) {
    return refuse(*id, {FailureCode::refused, *call + " is not for the bridge",
                        "who may talk is Hermes' to say: hermes pairing approve gadget CODE"});
  }
  if (*call == "image" || *call == "update" || *call == "update/all") {
    return refuse(*id, {FailureCode::invalid_argument, *call + " takes a file",
                        "send it to the owner API: POST /v1/" + *call});
  }
  if (requests_ >= kBridgeRequests) {
    return refuse(*id, {FailureCode::unavailable, "too many requests wait for their answers", {}});
  }
  if (*call == "ask") return ask(*id, frame);
  const auto* args = frame.if_contains("args");
  ++requests_;
  parts_.owner(*call, args == nullptr ? "{}" : json::serialize(*args),
               [this, id = *id, epoch = epoch_](bool ok, const std::string& body) {
                 if (epoch != epoch_) return;
                 --requests_;
                 respond(id, ok, body);
               });
}

void Bridge::ask(const std::string& id, const json::object& frame) {
  const auto* args = frame.if_contains("args");
  auto fields = Fields::parse(args == nullptr ? "{}" : json::serialize(*args));
  if (!fields) return refuse(id, fields.error());
  auto device = fields->device(*parts_.hub);
  if (!device) return refuse(id, device.error());
  QuestionSpec question;
  auto text = fields->text("text");
  if (!text) return refuse(id, text.error());
  auto title = fields->text_or("title", "");
  if (!title) return refuse(id, title.error());
  auto ttl = fields->milliseconds_or("ttl_s", question.ttl_ms);
  if (!ttl) return refuse(id, ttl.error());
  const std::string ref = text_of(frame, "ref").value_or("request-" + id);
  if (const auto known = questions_.find(ref); known != questions_.end()) {
    known->second.request = id;
    if (!known->second.answer.empty()) answered(ref, known->second.answer);
    return;
  }
  if (questions_.size() - answered_.size() >= kBridgeQuestions) {
    return refuse(id, {FailureCode::unavailable, "too many questions wait", {}});
  }
  questions_[ref] = Question{*device, id, {}};
  question.text = std::move(*text);
  question.title = std::move(*title);
  question.ttl_ms = *ttl;
  question.asker = std::string(kAsker) + ref;
  parts_.hub->ask(*device, std::move(question),
                  [this, ref](const Result<QuestionOutcome>& outcome) {
                    if (outcome) return answered(ref, name(*outcome));
                    const auto its = questions_.find(ref);
                    if (its == questions_.end()) return;
                    const std::string request = its->second.request;
                    questions_.erase(its);
                    if (!request.empty()) refuse(request, outcome.error());
                  });
}

// Whoever asked hears it; while its connection is broken the answer is kept.
void Bridge::answered(const std::string& ref, std::string_view answer) {
  const auto its = questions_.find(ref);
  if (its == questions_.end()) return;
  Question& question = its->second;
  if (question.answer.empty()) {
    question.answer = answer;
    answered_.push_back(ref);
    if (answered_.size() > kBridgeQuestions) {
      if (answered_.front() != ref) questions_.erase(answered_.front());
      answered_.erase(answered_.begin());
    }
  }
  if (question.request.empty()) return;
  const std::string request = std::exchange(question.request, {});
  respond(request, true, json::serialize(json::object{{"answer", answer}}));
}

void Bridge::withdraw(const std::string& ref) {
  const auto its = questions_.find(ref);
  if (its == questions_.end() || !its->second.answer.empty()) return;
  parts_.hub->withdraw_questions(its->second.device, std::string(kAsker) + ref);
}

// A gateway's process is gone, and with it all that it wanted to know.
void Bridge::withdraw_all() {
  std::vector<std::string> open;
  for (const auto& [ref, question] : questions_) open.push_back(ref);
  for (const std::string& ref : open) withdraw(ref);
  questions_.clear();
  answered_.clear();
}

}  // namespace gadget::hub
