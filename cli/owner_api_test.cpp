// The owner API of the real daemon, with a real device beside it: every answer is what
// docs/openapi.json says.
#include "cli/owner_api_test_support.hpp"

namespace gadget::testing {
namespace {

namespace json = boost::json;

TEST_F(OwnerApiTest, AnswersOfAnEmptyHub) {
  url_ = start();
  EXPECT_EQ(get("/v1/info").at("url").as_string(), url_);
  EXPECT_TRUE(get("/v1/devices").at("devices").as_array().empty());
  EXPECT_TRUE(get("/v1/pairing").at("pending").as_array().empty());
  EXPECT_TRUE(get("/v1/turns").at("turns").as_array().empty());
  EXPECT_FALSE(get("/v1/logs").at("lines").as_array().empty());
  EXPECT_TRUE(get("/v1/updates").at("fleet").is_null());
  EXPECT_EQ(ask("GET", "/v1/backup").body.substr(0, 15), "SQLite format 3");
  EXPECT_EQ(ask("GET", "/openapi.json").body,
            file_text(fs::path(GADGET_SOURCE_DIR) / "docs/openapi.json"));
  EXPECT_EQ(post("/v1/pairing/drop", "{}").at("dropped").as_int64(), 0);
  post("/v1/pairing/approve", "{\"code_or_id\":\"hg-0123456789abcdef\"}");
}

TEST_F(OwnerApiTest, ErrorsAreDescribedToo) {
  url_ = start();
  const auto code = [&](const std::string& target, const std::string& body, unsigned status) {
    return std::string(post(target, body, status).at("error").at("code").as_string());
  };
  for (const char* call : {"/v1/say", "/v1/show", "/v1/forget", "/v1/rename", "/v1/ask",
                           "/v1/action", "/v1/timezone", "/v1/pairing/revoke"}) {
    EXPECT_EQ(
        code(call, "{\"device\":\"nobody\",\"text\":\"x\",\"body\":\"x\",\"name\":\"x\"}", 404),
        "not_found");
    EXPECT_EQ(code(call, "{}", 400), "invalid_argument");
    EXPECT_EQ(code(call, "[", 400), "invalid_argument");
  }
  EXPECT_EQ(code("/v1/pairing/approve", "{\"code_or_id\":\"AAAAAAAA\"}", 404), "not_found");
  EXPECT_EQ(code("/v1/update/status", "{\"device\":\"hg-0123456789abcdef\"}", 404), "not_found");
  EXPECT_EQ(code("/v1/test/advance", "{\"seconds\":1}", 409), "refused");
  for (const char* target :
       {"/v1/device?device=x", "/v1/turns?device=x", "/v1/logs/stream?device=x"}) {
    EXPECT_EQ(ask("GET", target).status, 404U) << target;
  }
  for (const char* target :
       {"/v1/device", "/v1/devices?limit=x", "/v1/devices?after=x", "/v1/devices?online=1",
        "/v1/logs?level=loud", "/v1/turns?after=-1", "/v1/turns?limit=-1", "/v1/turns?device=%"}) {
    EXPECT_EQ(ask("GET", target).status, 400U) << target;
  }
  for (const char* target : {"/v1/image?device=x", "/v1/update?device=x"}) {
    EXPECT_EQ(ask("POST", target, "x", wire::kFileType).status, 404U) << target;
  }
  EXPECT_EQ(ask("POST", "/v1/update/all", "x", wire::kFileType).status, 409U);
}

TEST_F(OwnerApiTest, UnknownPathsAndMethodsAreSaid) {
  start();
  const auto status = [&](std::string_view method, std::string_view target) {
    const auto answer = wire::owner_request(state(), method, target);
    EXPECT_TRUE(answer && answer->body.starts_with("{\"error\":{\"code\":")) << target;
    return answer ? answer->status : 0;
  };
  EXPECT_EQ(status("GET", "/"), 404U);
  EXPECT_EQ(status("GET", "/v2/info"), 404U);
  EXPECT_EQ(status("GET", "/v1/info/"), 404U);
  EXPECT_EQ(status("POST", "/v1/info"), 405U);
  EXPECT_EQ(status("GET", "/v1/say"), 405U);
  EXPECT_EQ(status("DELETE", "/v1/devices"), 405U);
}

TEST_F(OwnerApiTest, S2_AnswersAboutADeviceThatIsThere) {
  url_ = start({"--set", "turn_texts=true", "--set", "speech_profile=minimal"});
  start_device(
      "wait ready 30\nsensor temp 21.5\nevent door {\"open\":true}\ntext hello\nwait ready 20\n"
      "sleep 60\n");
  json::array turns;
  for (int n = 0; n < 400 && turns.empty(); ++n) {
    turns = get("/v1/turns?device=kitchen").at("turns").as_array();
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  ASSERT_EQ(turns.size(), 1U);
  EXPECT_EQ(turns[0].at("asked").as_string(), "hello");
  EXPECT_EQ(turns[0].at("answered").as_string(), "You said: hello");
  EXPECT_EQ(turns[0].at("outcome").as_string(), "success");

  wait_for_sensor();
  const json::object device = get("/v1/device?device=" + id_);
  EXPECT_EQ(device.at("name").as_string(), "kitchen");
  EXPECT_EQ(device.at("sensors").at("temp").as_double(), 21.5);
  EXPECT_FALSE(device.at("sensor_times").at("temp").as_string().empty());
  EXPECT_EQ(device.at("recent_events").at(0).at("name").as_string(), "door");
  EXPECT_TRUE(get("/v1/devices?online=true&text=KITCH").at("devices").as_array().size() == 1);
  EXPECT_TRUE(get("/v1/devices?text=bedroom").at("devices").as_array().empty());

  post("/v1/rename", "{\"device\":\"kitchen\",\"name\":\"K\\u00fcche \\u202e\"}");
  post("/v1/timezone", "{\"device\":\"" + id_ + "\",\"timezone\":\"Asia/Tokyo\"}");
  EXPECT_EQ(get("/v1/device?device=" + id_).at("timezone").as_string(), "Asia/Tokyo");
  post("/v1/timezone", "{\"device\":\"" + id_ + "\",\"timezone\":\"Mars/Olympus\"}", 400);
  post("/v1/say", "{\"device\":\"" + id_ + "\",\"text\":\"dinner\"}");
  post("/v1/show", "{\"device\":\"" + id_ + "\",\"title\":\"t\",\"body\":\"b\",\"ttl_s\":1}");
  post("/v1/ask", "{\"device\":\"" + id_ + "\",\"text\":\"well?\",\"ttl_s\":1}");
  post("/v1/action", "{\"device\":\"" + id_ + "\",\"name\":\"no.such\"}", 404);
  EXPECT_EQ(ask("POST", "/v1/image?device=" + id_, "no picture", wire::kFileType).status, 400U);
  EXPECT_EQ(ask("POST", "/v1/update?device=" + id_, std::string(600, 'x'), wire::kFileType).status,
            409U);
  const json::array logged = get("/v1/logs?device=" + id_).at("lines").as_array();
  ASSERT_FALSE(logged.empty());
  for (const json::value& line : logged) {
    EXPECT_EQ(line.at("fields").at("device").as_string(), id_);
  }
  post("/v1/pairing/revoke", "{\"device\":\"" + id_ + "\"}");
  post("/v1/forget", "{\"device\":\"" + id_ + "\"}");
}

TEST_F(OwnerApiTest, WithoutTheSettingNoTextOfPeopleIsKept) {
  url_ = start({"--set", "speech_profile=minimal"});
  start_device("wait ready 30\ntext xyzzy\nwait ready 20\nsleep 60\n");
  json::array turns;
  for (int n = 0; n < 400 && turns.empty(); ++n) {
    turns = get("/v1/turns").at("turns").as_array();
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  ASSERT_EQ(turns.size(), 1U);
  EXPECT_FALSE(turns[0].as_object().contains("asked"));
  EXPECT_FALSE(turns[0].as_object().contains("answered"));
  EXPECT_FALSE(contains(ask("GET", "/v1/logs?limit=1000").body, "xyzzy"));
  EXPECT_TRUE(contains(owner({"turns"}).out, "(not kept)"));
}

// Whatever is streamed is what the file says; the list read after `ready` and the changes together
// miss nothing.
TEST_F(OwnerApiTest, StreamsTellWhatChanges) {
  url_ = start({"--set", "speech_profile=minimal"});
  std::vector<std::string> told;
  std::atomic<bool> ready = false;
  std::thread watcher([&] {
    (void)wire::owner_stream(state(), "GET", "/v1/devices/stream", {}, [&](std::string_view piece) {
      for (auto at = piece.find("data: "); at != std::string_view::npos;
           at = piece.find("data: ", at + 1)) {
        told.emplace_back(piece.substr(at + 6, piece.find('\n', at) - at - 6));
        EXPECT_EQ(api_.wrong_with_event("/v1/devices/stream", told.back()), "");
      }
      ready = true;
      return told.empty() || !contains(told.back(), "\"gone\":true");
    });
  });
  while (!ready) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  start_device("wait ready 30\nsensor temp 21.5\ntext hello\nwait ready 20\nsleep 60\n");
  std::vector<std::string> turns;
  (void)wire::owner_stream(state(), "GET", "/v1/turns/stream", {}, [&](std::string_view piece) {
    const auto at = piece.find("data: ");
    if (at == std::string_view::npos) return true;
    turns.emplace_back(piece.substr(at + 6, piece.find('\n', at) - at - 6));
    return false;
  });
  ASSERT_EQ(turns.size(), 1U);
  EXPECT_EQ(api_.wrong_with_event("/v1/turns/stream", turns[0]), "");
  wait_for_sensor();
  post("/v1/forget", "{\"device\":\"" + id_ + "\"}");
  watcher.join();
  EXPECT_EQ(told.front(), "{\"ready\":true}");
  EXPECT_TRUE(std::any_of(told.begin(), told.end(), [](const std::string& row) {
    return contains(row, "\"online\":true") && contains(row, "\"paired\":true") &&
           contains(row, "\"temp\":21.5");
  }));
}

TEST_F(OwnerApiTest, CommandsFollow) {
  url_ = start({"--set", "speech_profile=minimal"});
  const auto command = [&](std::vector<std::string> words) {
    words.insert(words.begin(), kProgram);
    words.insert(words.end(), {"--state", state()});
    return std::make_unique<Process>(std::move(words));
  };
  const auto until = [](Process& process, std::string_view part) {
    while (const auto line = process.line()) {
      if (contains(*line, part)) return *line;
    }
    ADD_FAILURE() << "no line has " << part << ": " << process.out_text << process.err_text;
    return std::string();
  };
  const auto log = command({"logs", "--follow", "--json"});
  until(*log, "hub.ready");
  const auto watch = command({"devices", "--watch"});
  const auto turns = command({"turns", "--follow", "--json"});
  start_device("wait ready 30\ntext hello\nwait ready 20\nsleep 60\n", "kit\x1b[31mchen");
  until(*watch, "online");
  EXPECT_FALSE(contains(watch->out_text, "\x1b"));  // what a device is called moves no cursor
  const std::string line = until(*log, "device.online");
  EXPECT_EQ(api_.wrong_with_event("/v1/logs/stream", line), "");
  EXPECT_EQ(api_.wrong_with_event("/v1/turns/stream", until(*turns, "typed")), "");
  hub_->signal(SIGTERM);
  EXPECT_EQ(watch->wait(), 1);
  EXPECT_TRUE(contains(watch->err_text, "broke off")) << watch->err_text;
}

}  // namespace
}  // namespace gadget::testing
