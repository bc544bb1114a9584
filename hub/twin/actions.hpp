// actions.hpp - calls of one device's own actions: checked, sent, answered once or given up (X,
// E25).
//
// Part of a Twin. Sans-I/O. A call belongs to the connection it was sent on and fails with it.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "base/failure.hpp"
#include "hub/connection/connection.hpp"
#include "hub/core/context.hpp"

namespace gadget::hub {

class Twin;

class Actions {
 public:
  using Done = std::function<void(Result<std::string>)>;

  Actions(Context& context, Twin& twin) : context_(context), twin_(twin) {}

  // `done` gets the result as JSON text ("null" when there was none), or: not_found (no such
  // action), invalid_argument (args), unavailable (not connected), refused (too many at a time, the
  // device said no), timeout. Always called, at once or later.
  void call(std::string_view action, std::string_view args_json, Done done);
  void result(const protocol::ActionResult& result);
  void fail_all(std::string_view why);

 private:
  struct Open {
    Timer timeout;
    Done done;
  };

  Context& context_;
  Twin& twin_;
  std::map<std::string, Open, std::less<>> open_;
};

}  // namespace gadget::hub
