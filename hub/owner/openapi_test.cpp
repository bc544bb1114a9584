// The table of routes and docs/openapi.json say the same.
#include <set>

#include <boost/json/parse.hpp>
#include <gtest/gtest.h>

#include "hub/owner/routes.hpp"

namespace gadget::hub {
namespace {

namespace json = boost::json;

std::set<std::string> described() {
  std::set<std::string> calls;
  const json::value document = json::parse(openapi_text());
  for (const auto& [path, methods] : document.at("paths").as_object()) {
    for (const auto& [method, operation] : methods.as_object()) {
      calls.insert((method == "get" ? "GET " : "POST ") + std::string(path));
    }
  }
  return calls;
}

TEST(OwnerOpenApi, EveryRouteIsDescribedAndEveryDescriptionIsRouted) {
  std::set<std::string> routed;
  for (const Route& route : routes()) {
    EXPECT_TRUE(routed.insert(std::string(route.method) + " " + std::string(route.path)).second)
        << route.path;
    EXPECT_NE(route.handle, nullptr);
  }
  EXPECT_EQ(routed, described());
}

TEST(OwnerOpenApi, EveryReferenceLeadsSomewhere) {
  const json::value document = json::parse(openapi_text());
  const auto walk = [&](const auto& self, const json::value& value) -> void {
    if (const auto* object = value.if_object()) {
      for (const auto& [key, inner] : *object) {
        if (key != "$ref") {
          self(self, inner);
          continue;
        }
        boost::system::error_code error;
        const std::string pointer(inner.as_string().subview(1));
        EXPECT_NE(document.find_pointer(pointer, error), nullptr) << pointer;
      }
    } else if (const auto* array = value.if_array()) {
      for (const json::value& inner : *array) self(self, inner);
    }
  };
  walk(walk, document);
  EXPECT_EQ(document.at("openapi").as_string(), "3.1.0");
}

// What a JSON Schema validator would let pass by mistake: an object that takes any further member.
TEST(OwnerOpenApi, ObjectsAreClosed) {
  const json::value document = json::parse(openapi_text());
  for (const auto& [name, schema] : document.at("components").at("schemas").as_object()) {
    const auto* object = schema.if_object();
    if (object == nullptr || !object->contains("properties")) continue;
    EXPECT_TRUE(object->contains("additionalProperties")) << name;
  }
}

}  // namespace
}  // namespace gadget::hub
