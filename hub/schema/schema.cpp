#include "hub/schema/schema.hpp"

#include <algorithm>
#include <array>
#include <exception>
#include <span>
#include <string>
#include <string_view>

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>

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

namespace gadget::hub {
namespace {

namespace json = boost::json;
using Words = std::span<const std::string_view>;

// E4's depth, and one level for the object that the arguments are in.
constexpr std::size_t kMaxArgsDepth = 33;

// Words whose value holds schemas under names, and those whose value is a schema or a list of them.
constexpr std::array<std::string_view, 5> kNamed{"properties", "definitions", "$defs",
                                                 "dependencies", "dependentSchemas"};
constexpr std::array<std::string_view, 12> kSchemas{
    "items", "additionalItems", "additionalProperties", "not",   "if",    "then",
    "else",  "contains",        "propertyNames",        "allOf", "anyOf", "oneOf"};

bool is_one_of(std::string_view word, Words words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

tl::unexpected<Failure> refused(std::string text) {
  return fail(FailureCode::invalid_argument, std::move(text));
}

Result<json::value> parse(std::string_view text, std::size_t depth, std::string_view what) {
  json::parse_options options;
  options.max_depth = depth;
  boost::system::error_code error;
  json::value value = json::parse(text, error, {}, options);
  if (error) return refused(std::string(what) + " is no JSON, or nested too deeply");
  return value;
}

std::size_t count_values(const json::value& value) {
  std::size_t count = 1;
  if (const auto* object = value.if_object()) {
    for (const auto& member : *object) count += count_values(member.value());
  } else if (const auto* array = value.if_array()) {
    for (const auto& element : *array) count += count_values(element);
  }
  return count;
}

// References can be endless or reach out; patterns can take for ever (B-86); `uniqueItems` compares
// each with each; `multipleOf` divides by what the device says.
Result<void> check_word(std::string_view word) {
  constexpr std::array<std::string_view, 13> kRefused{"$ref",
                                                      "$id",
                                                      "id",
                                                      "$recursiveRef",
                                                      "$dynamicRef",
                                                      "pattern",
                                                      "patternProperties",
                                                      "format",
                                                      "uniqueItems",
                                                      "multipleOf",
                                                      "divisibleBy",
                                                      "extends",
                                                      "disallow"};
  if (is_one_of(word, kRefused)) return refused(std::string(word) + " is not supported");
  return {};
}

Result<void> check_type(const json::value& type) {
  constexpr std::array<std::string_view, 7> kTypes{"array",  "boolean", "integer", "null",
                                                   "number", "object",  "string"};
  const auto known = [&](const json::value& name) {
    return name.is_string() && is_one_of(name.get_string(), kTypes);
  };
  const auto* const list = type.if_array();
  const bool fits = list != nullptr
                        ? !list->empty() && std::all_of(list->begin(), list->end(), known)
                        : known(type);
  if (!fits) return refused("type is none that JSON Schema knows");
  return {};
}

Result<void> walk(const json::value& schema);

Result<void> walk_all(const json::value& schemas) {
  if (const auto* list = schemas.if_array()) {
    for (const auto& one : *list) {
      if (auto fits = walk(one); !fits) return fits;
    }
    return {};
  }
  return walk(schemas);
}

// An object whose members are schemas under names of the device's own.
Result<void> walk_named(const json::value& schemas) {
  const auto* const object = schemas.if_object();
  if (object == nullptr) return refused("properties is no object");
  for (const auto& member : *object) {
    if (member.value().is_array()) continue;  // `dependencies`: names
    if (auto fits = walk(member.value()); !fits) return fits;
  }
  return {};
}

Result<void> walk(const json::value& schema) {
  if (schema.is_bool()) return {};
  const auto* const object = schema.if_object();
  if (object == nullptr) return refused("a schema is neither an object nor true or false");
  for (const auto& member : *object) {
    const std::string_view word = member.key();
    Result<void> fits = check_word(word);
    if (!fits) return fits;
    if (word == "type") fits = check_type(member.value());
    if (is_one_of(word, kNamed)) {
      fits = walk_named(member.value());
    }
    if (is_one_of(word, kSchemas)) {
      fits = walk_all(member.value());
    }
    if (!fits) return fits;
  }
  return {};
}

// What the validator reads of a schema; it throws where a word has a value of another kind.
Result<void> populate(const json::value& from, valijson::Schema& into) {
  try {
    valijson::SchemaParser parser(valijson::SchemaParser::kDraft7);
    parser.populateSchema(valijson::adapters::BoostJsonAdapter(from), into);
    return {};
  } catch (const std::exception& problem) {
    return refused("the schema is malformed: " + std::string(problem.what()));
  }
}

// "<root>[color]" as "color", "<root>" as "args".
std::string place(const std::vector<std::string>& context) {
  std::string out;
  for (std::size_t i = 1; i < context.size(); ++i) {
    std::string_view step = context[i];
    if (step.size() >= 2 && step.front() == '[') step = step.substr(1, step.size() - 2);
    out += (out.empty() ? "" : ".") + std::string(step);
  }
  return out.empty() ? "args" : out;
}

}  // namespace

Result<void> check_schema(std::string_view schema_json) {
  const auto schema = parse(schema_json, kMaxSchemaDepth, "the schema");
  if (!schema) return tl::unexpected(schema.error());
  if (!schema->is_object()) return refused("the schema is no object");
  if (auto fits = walk(*schema); !fits) return fits;
  valijson::Schema ready;
  return populate(*schema, ready);
}

Result<void> check_args(std::string_view schema_json, std::string_view args_json) {
  if (schema_json == "{}") return {};
  const auto schema = parse(schema_json, kMaxSchemaDepth, "the schema");
  if (!schema) return tl::unexpected(schema.error());
  const auto args = parse(args_json, kMaxArgsDepth, "args");
  if (!args) return tl::unexpected(args.error());
  if (count_values(*schema) * count_values(*args) > kMaxSchemaWork) {
    return refused("args has more values than can be checked");
  }
  valijson::Schema ready;
  if (auto fits = populate(*schema, ready); !fits) return fits;
  valijson::ValidationResults results;
  try {
    valijson::Validator validator(valijson::Validator::kStrongTypes);
    if (validator.validate(ready, valijson::adapters::BoostJsonAdapter(*args), &results)) return {};
  } catch (const std::exception& problem) {
    return refused("args cannot be checked: " + std::string(problem.what()));
  }
  valijson::ValidationResults::Error error;
  if (!results.popError(error)) return refused("args does not fit the action's schema");
  return refused(place(error.context) + ": " + error.description);
}

}  // namespace gadget::hub
