// openapi_test_support.hpp - holds what the daemon answers against docs/openapi.json.
#pragma once

#include <string>
#include <string_view>

#include <boost/json/object.hpp>

#include "wire/unix_socket.hpp"

namespace gadget::testing {

class OpenApi {
 public:
  explicit OpenApi(std::string_view text);

  // What is wrong with an answer to METHOD TARGET: empty when the file describes it just so.
  [[nodiscard]] std::string wrong_with(std::string_view method, std::string_view target,
                                       const wire::OwnerAnswer& answer) const;
  // The same for the data of one server-sent event, and for the body of a request.
  [[nodiscard]] std::string wrong_with_event(std::string_view target, std::string_view data) const;
  [[nodiscard]] std::string wrong_with_request(std::string_view target,
                                               std::string_view body) const;
  [[nodiscard]] const boost::json::object& document() const { return document_; }

 private:
  [[nodiscard]] const boost::json::object* operation(std::string_view method,
                                                     std::string_view target) const;
  [[nodiscard]] std::string check(const boost::json::value& schema, std::string_view text) const;

  boost::json::object document_;
};

}  // namespace gadget::testing
