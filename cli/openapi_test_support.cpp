#include "cli/openapi_test_support.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

// The validator's own warnings are not ours to mend.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wconversion"
#include <valijson/adapters/boost_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validation_results.hpp>
#include <valijson/validator.hpp>
#pragma GCC diagnostic pop

namespace gadget::testing {

namespace json = boost::json;

namespace {

const json::object* member(const json::object* object, std::string_view key) {
  const json::value* const value = object == nullptr ? nullptr : object->if_contains(key);
  return value == nullptr ? nullptr : value->if_object();
}

}  // namespace

OpenApi::OpenApi(std::string_view text) : document_(json::parse(text).as_object()) {}

const json::object* OpenApi::operation(std::string_view method, std::string_view target) const {
  const std::string_view path = target.substr(0, target.find('?'));
  const json::object* const calls = member(member(&document_, "paths"), path);
  return member(calls, method == "GET" ? "get" : "post");
}

std::string OpenApi::check(const json::value& schema, std::string_view text) const {
  boost::system::error_code error;
  const json::value value = json::parse(text, error);
  if (error) return "no JSON: " + std::string(text);
  json::object root = schema.as_object();
  root["components"] = document_.at("components");
  const json::value whole = std::move(root);
  try {
    const valijson::adapters::BoostJsonAdapter adapter(whole);
    valijson::Schema compiled;
    valijson::SchemaParser(valijson::SchemaParser::kDraft7).populateSchema(adapter, compiled);
    valijson::Validator validator;
    valijson::ValidationResults results;
    const valijson::adapters::BoostJsonAdapter target(value);
    if (validator.validate(compiled, target, &results)) return {};
    std::string all;
    valijson::ValidationResults::Error one;
    while (results.popError(one)) {
      for (const std::string& step : one.context) all += step;
      all += ": " + one.description + "; ";
    }
    return all + std::string(text);
  } catch (const std::exception& thrown) {
    return std::string("the schema: ") + thrown.what();
  }
}

std::string OpenApi::wrong_with(std::string_view method, std::string_view target,
                                const wire::OwnerAnswer& answer) const {
  const json::object* const its = operation(method, target);
  if (its == nullptr) return std::string(target) + " is not in the file";
  const json::object* response = member(member(its, "responses"), std::to_string(answer.status));
  if (response == nullptr) return "status " + std::to_string(answer.status) + ": " + answer.body;
  if (const json::value* const to = response->if_contains("$ref")) {
    constexpr std::string_view kResponses = "#/components/responses/";
    response = member(member(member(&document_, "components"), "responses"),
                      std::string_view(to->as_string()).substr(kResponses.size()));
  }
  const json::object* const content = member(member(response, "content"), answer.content_type);
  if (content == nullptr) return "a body of type " + answer.content_type;
  if (answer.content_type != wire::kJsonType) return {};
  return check(content->at("schema"), answer.body);
}

std::string OpenApi::wrong_with_event(std::string_view target, std::string_view data) const {
  const json::object* const ok = member(member(operation("GET", target), "responses"), "200");
  const json::object* const stream = member(member(ok, "content"), "text/event-stream");
  if (stream == nullptr) return std::string(target) + " is no stream";
  return check(stream->at("x-event-schema"), data);
}

std::string OpenApi::wrong_with_request(std::string_view target, std::string_view body) const {
  const json::object* const asked = member(operation("POST", target), "requestBody");
  const json::object* const content = member(member(asked, "content"), wire::kJsonType);
  if (content == nullptr) return std::string(target) + " takes no JSON";
  return check(content->at("schema"), body);
}

}  // namespace gadget::testing
