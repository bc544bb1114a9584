#include "hub/bridge/frame_schema_test_support.hpp"

#include <fstream>
#include <iterator>
#include <memory>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

// The validator's own warnings are not ours to mend.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wconversion"
#include <valijson/adapters/boost_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validator.hpp>
#pragma GCC diagnostic pop

namespace gadget::hub::testing {

std::string wrong_with_frame(const boost::json::value& frame) {
  static const boost::json::value document = [] {
    std::ifstream file(GADGET_SOURCE_DIR "/docs/bridge.schema.json");
    const std::string text((std::istreambuf_iterator<char>(file)), {});
    return boost::json::parse(text);
  }();
  static const auto compiled = [] {
    auto schema = std::make_unique<valijson::Schema>();
    const valijson::adapters::BoostJsonAdapter adapter(document);
    valijson::SchemaParser(valijson::SchemaParser::kDraft7).populateSchema(adapter, *schema);
    return schema;
  }();
  valijson::Validator validator;
  const valijson::adapters::BoostJsonAdapter target(frame);
  if (validator.validate(*compiled, target, nullptr)) return {};
  return "no frame of docs/bridge.schema.json: " + boost::json::serialize(frame);
}

}  // namespace gadget::hub::testing
