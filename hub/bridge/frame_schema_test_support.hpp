// frame_schema_test_support.hpp - holds every frame of the hub against docs/bridge.schema.json.
#pragma once

#include <string>

#include <boost/json/value.hpp>

namespace gadget::hub::testing {

// Empty when it is a frame of the bridge; else what is wrong with it.
[[nodiscard]] std::string wrong_with_frame(const boost::json::value& frame);

}  // namespace gadget::hub::testing
