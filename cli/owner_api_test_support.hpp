// owner_api_test_support.hpp - a real hub with a real device beside it, for tests of the owner API:
// every answer is held against docs/openapi.json.
#pragma once

#include <fstream>
#include <thread>

#include <boost/json/parse.hpp>

#include "cli/daemon_test_support.hpp"
#include "cli/openapi_test_support.hpp"

namespace gadget::testing {

class OwnerApiTest : public Daemon {
 protected:
  static std::string file_text(const fs::path& path) {
    std::ifstream in(path);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  // Asks over the socket; the answer is what the file says it is.
  wire::OwnerAnswer ask(std::string_view method, const std::string& target,
                        std::string_view body = {}, std::string_view type = wire::kJsonType) {
    return ask_at(wire::OwnerPlace(state()), method, target, body, type);
  }
  wire::OwnerAnswer ask_at(const wire::OwnerPlace& place, std::string_view method,
                           const std::string& target, std::string_view body = {},
                           std::string_view type = wire::kJsonType) {
    auto answer = wire::owner_request(place, method, target, body, kPatience, type);
    if (!answer) {
      ADD_FAILURE() << target << ": " << answer.error().text;
      return {};
    }
    EXPECT_EQ(api_.wrong_with(method, target, *answer), "") << method << " " << target;
    return *answer;
  }
  boost::json::object get(const std::string& target) {
    const auto answer = ask("GET", target);
    EXPECT_EQ(answer.status, 200U) << answer.body;
    return boost::json::parse(answer.body).as_object();
  }
  boost::json::object post(const std::string& target, const std::string& body,
                           unsigned status = 200) {
    if (status == 200) {
      EXPECT_EQ(api_.wrong_with_request(target, body), "");
    }
    const auto answer = ask("POST", target, body);
    EXPECT_EQ(answer.status, status) << answer.body;
    return boost::json::parse(answer.body).as_object();
  }

  // Starts a device that runs `script`, approves it, and waits until it is ready.
  void start_device(const std::string& script, const std::string& name = "kitchen") {
    const fs::path file = folder_ / (name + ".sim");
    std::ofstream(file) << script;
    device_.emplace(std::vector<std::string>{kProgram, "sim", "--headless", "--url", url_,
                                             "--state", (folder_ / name).string(), "--script",
                                             file.string(), "--name", name});
    for (int n = 0; n < 600; ++n) {
      const auto pending = get("/v1/pairing").at("pending").as_array();
      if (!pending.empty()) {
        id_ = std::string(pending.front().at("id").as_string());
        post("/v1/pairing/approve", "{\"code_or_id\":\"" + id_ + "\"}");
        return;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    device_->poll();
    ADD_FAILURE() << "no device came: " << device_->err_text << device_->out_text;
  }

  // A device reports what its sensors read every 2 s.
  void wait_for_sensor() {
    for (int n = 0; n < 600; ++n) {
      if (get("/v1/device?device=" + id_).at("sensors").as_object().contains("temp")) return;
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    ADD_FAILURE() << "no reading came";
  }

  OpenApi api_{file_text(fs::path(GADGET_SOURCE_DIR) / "docs/openapi.json")};
  std::string url_, id_;
  std::optional<Process> device_;
};

}  // namespace gadget::testing
