// A JSON Schema, as far as a sentence can fill it in. The schema is the device's: hostile, bounded.
#include <algorithm>

#include <boost/json.hpp>

#include "hub/agent/builtin/understand.hpp"

namespace gadget::hub::builtin {
namespace {

namespace json = boost::json;

constexpr std::size_t kMaxParams = 16;
constexpr std::size_t kMaxChoices = 64;

std::optional<double> number(const json::object& o, std::string_view key) {
  const auto* v = o.if_contains(key);
  if (v == nullptr || !v->is_number()) return std::nullopt;
  return v->to_number<double>();
}

Param param(std::string_view name, const json::value& value) {
  Param p;
  p.name = std::string(name);
  const auto* o = value.if_object();
  if (o == nullptr) return p;
  const auto* type_value = o->if_contains("type");
  const std::string_view type = type_value != nullptr && type_value->is_string()
                                    ? std::string_view(type_value->get_string())
                                    : "";
  if (const auto* choices = o->if_contains("enum"); choices != nullptr && choices->is_array()) {
    p.kind = Param::Kind::choice;
    for (const auto& c : choices->get_array()) {
      if (p.choices.size() >= kMaxChoices) break;
      if (c.is_string()) {
        p.choices.emplace_back(c.get_string());
      } else if (c.is_number()) {
        p.choices.push_back(json::serialize(c));
        p.numeric_choices = true;
      }
    }
    // One list of both kinds would need a type for each; such a schema is not spoken to.
    if (p.numeric_choices && type != "integer" && type != "number") p.kind = Param::Kind::other;
    return p;
  }
  if (type == "integer" || type == "number") {
    p.kind = Param::Kind::number;
    p.integer = type == "integer";
    p.minimum = number(*o, "minimum");
    p.maximum = number(*o, "maximum");
  } else if (type == "boolean") {
    p.kind = Param::Kind::boolean;
  }
  return p;
}

}  // namespace

ActionShape action_shape(std::string_view name, std::string_view description,
                         std::string_view params_json) {
  ActionShape shape;
  shape.name = std::string(name);
  shape.description = cut_text(description, 400);
  boost::system::error_code error;
  const auto schema = json::parse(params_json, error);
  if (error || !schema.is_object()) return shape;
  const auto* properties = schema.get_object().if_contains("properties");
  if (properties == nullptr || !properties->is_object()) return shape;
  for (const auto& [key, value] : properties->get_object()) {
    if (shape.params.size() >= kMaxParams) break;
    shape.params.push_back(param(key, value));
  }
  if (const auto* required = schema.get_object().if_contains("required");
      required != nullptr && required->is_array()) {
    for (const auto& r : required->get_array()) {
      if (!r.is_string()) continue;
      for (auto& p : shape.params) {
        if (p.name == std::string_view(r.get_string())) p.required = true;
      }
    }
  }
  return shape;
}

}  // namespace gadget::hub::builtin
