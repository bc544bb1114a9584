// json_text.hpp - JSON as people and scripts expect it: 21.5 stays 21.5 (Boost.JSON would write
// 2.15E1). Any thread.
#pragma once

#include <string>

#include <boost/json/value.hpp>

namespace gadget::hub {

[[nodiscard]] std::string json_text(const boost::json::value& value);

}  // namespace gadget::hub
