// The owner's API over TCP, as its users meet it: the token, the environment, and what is refused.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "cli/owner_api_test_support.hpp"
#include "cli/owner_client.hpp"

namespace gadget::testing {
namespace {

class OwnerPort : public OwnerApiTest {
 protected:
  OwnerPort() {
    ::unsetenv("GADGET_HUB_URL");
    ::unsetenv("GADGET_OWNER_TOKEN");
  }
  void start_port(std::vector<std::string> further = {},
                  std::map<std::string, std::string> environment = {}) {
    further.insert(further.end(), {"--set", "owner_listen=127.0.0.1:0"});
    url_ = start(std::move(further), std::move(environment));
    api_url_ = std::string(get("/v1/info").at("owner_url").as_string());
    EXPECT_TRUE(api_url_.starts_with("http://127.0.0.1:")) << api_url_;
  }
  std::string token() { return file_text(fs::path(state()) / "owner.token").substr(0, 64); }
  wire::OwnerPlace place(std::string word) {
    const auto url = cli::parse_hub_url(api_url_);
    return {url->host, url->port, std::move(word)};
  }
  // Sends bytes as they are, and returns the whole answer.
  std::string raw(const std::string& request) {
    const auto url = cli::parse_hub_url(api_url_);
    const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(url->port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    (void)::send(fd, request.data(), request.size(), MSG_NOSIGNAL);
    std::string all;
    char piece[4096];
    for (ssize_t got = 0; (got = ::recv(fd, piece, sizeof piece, 0)) > 0;) {
      all.append(piece, static_cast<std::size_t>(got));
    }
    ::close(fd);
    return all;
  }
  std::string api_url_;
};

TEST_F(OwnerPort, TheTokenOpensItAndNothingElse) {
  start_port();
  EXPECT_EQ(fs::status(fs::path(state()) / "owner.token").permissions(),
            fs::perms::owner_read | fs::perms::owner_write);
  EXPECT_EQ(ask_at(place(token()), "GET", "/v1/info").status, 200U);
  for (const std::string& wrong : {std::string(), std::string("wrong"), token() + "x"}) {
    EXPECT_EQ(ask_at(place(wrong), "GET", "/v1/info").status, 401U);
    EXPECT_EQ(ask_at(place(wrong), "POST", "/v1/say", "{}").status, 401U);
  }
  // It stands in no log, and in no answer.
  EXPECT_FALSE(contains(ask("GET", "/v1/logs?limit=1000").body, token()));
  EXPECT_FALSE(contains(ask("GET", "/v1/info").body, token()));
  hub_->poll();
  EXPECT_FALSE(contains(hub_->err_text, token()));
  EXPECT_TRUE(contains(hub_->err_text, "event=owner.ready"));
}

TEST_F(OwnerPort, WebPagesAreRefused) {
  start_port();
  const std::string with_token = "Authorization: Bearer " + token() + "\r\n\r\n";
  const std::string rebound = raw("GET /v1/info HTTP/1.1\r\nHost: evil.example\r\n" + with_token);
  EXPECT_TRUE(rebound.starts_with("HTTP/1.1 421 ")) << rebound;
  const std::string page =
      raw("GET /v1/info HTTP/1.1\r\nHost: 127.0.0.1\r\nOrigin: http://127.0.0.1\r\n" + with_token);
  EXPECT_TRUE(page.starts_with("HTTP/1.1 403 ")) << page;
  const std::string preflight =
      raw("OPTIONS /v1/say HTTP/1.1\r\nHost: 127.0.0.1\r\nOrigin: https://a.example\r\n"
          "Access-Control-Request-Method: POST\r\n\r\n");
  EXPECT_TRUE(preflight.starts_with("HTTP/1.1 403 ")) << preflight;
  const std::string allowed = raw("GET /v1/info HTTP/1.1\r\nHost: localhost\r\n" + with_token);
  EXPECT_TRUE(allowed.starts_with("HTTP/1.1 200 ")) << allowed;
  for (const std::string* answer : {&rebound, &page, &preflight, &allowed}) {
    EXPECT_FALSE(contains(*answer, "Access-Control-")) << *answer;
  }
}

TEST_F(OwnerPort, CommandsUseItByOptionAndByEnvironment) {
  start_port();
  const std::map<std::string, std::string> with_token{{"GADGET_OWNER_TOKEN", token()}};
  Ran ran = run({kProgram, "devices", "--json", "--hub-url", api_url_}, with_token);
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(ran.out, "[]\n");
  ran = run({kProgram, "info"}, {{"GADGET_OWNER_TOKEN", token()}, {"GADGET_HUB_URL", api_url_}});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_TRUE(contains(ran.out, url_)) << ran.out;
  // Where the state folder is readable, the token need not be given.
  ran = run({kProgram, "info", "--hub-url", api_url_, "--state", state()});
  EXPECT_EQ(ran.code, 0) << ran.err;
  // Without a token, and with another hub's: refused.
  ran = run({kProgram, "info", "--hub-url", api_url_});
  EXPECT_EQ(ran.code, 4) << ran.err;
  EXPECT_TRUE(contains(ran.err, "token")) << ran.err;
  ran =
      run({kProgram, "info", "--hub-url", api_url_}, {{"GADGET_OWNER_TOKEN", "another-hubs-word"}});
  EXPECT_EQ(ran.code, 4) << ran.err;
  // --state says which hub; the environment does not overrule it.
  ran = run({kProgram, "info", "--state", state()}, {{"GADGET_HUB_URL", "http://127.0.0.1:9"}});
  EXPECT_EQ(ran.code, 0) << ran.err;
}

TEST_F(OwnerPort, WrongUrlsAndHubsThatAreNotThereAreSaid) {
  for (const char* url : {"127.0.0.1:1", "https://127.0.0.1:1", "http://127.0.0.1", "http://:1",
                          "http://127.0.0.1:1/x", "http://127.0.0.1:99999", "http://"}) {
    EXPECT_EQ(run({kProgram, "info", "--hub-url", url}).code, 2) << url;
  }
  EXPECT_EQ(run({kProgram, "info", "--hub-url", "http://192.0.2.1:80"}).code, 2);
  EXPECT_EQ(run({kProgram, "info", "--hub-url", "http://127.0.0.1:9"}).code, 3);
}

TEST_F(OwnerPort, AHubThatWouldServeOthersDoesNotStart) {
  for (const char* where : {"0.0.0.0:8780", "192.0.2.1:8780", "localhost:8780", "127.0.0.1", "8780",
                            "[::]:8780", "example.org:80", "127.0.0.1:x"}) {
    const std::string setting = std::string("owner_listen=") + where;
    refuses({"--state", state(), "--set", setting}, 2, "owner_listen");
    EXPECT_EQ(run({kProgram, "config", "check", "--set", setting}).code, 2) << where;
  }
  const std::string file = (folder_ / "token").string();
  std::ofstream(file) << "0123456789abcdef\n";
  fs::permissions(file, fs::perms(0644));
  const std::vector<std::string> words{
      "--state", state(), "--set", "owner_listen=127.0.0.1:0", "--set", "owner_token_file=" + file};
  refuses(words, 4, "others may read");
  fs::permissions(file, fs::perms(0600));
  start_port({"--set", "owner_token_file=" + file});
  EXPECT_EQ(ask_at(place("0123456789abcdef"), "GET", "/v1/info").status, 200U);
  EXPECT_FALSE(fs::exists(fs::path(state()) / "owner.token"));
}

TEST_F(OwnerPort, BodiesAndHeadsAreBounded) {
  start_port();
  const std::string body(1024 * 1024 + 1, 'x');
  const auto large = wire::owner_request(place(token()), "POST", "/v1/say", body);
  ASSERT_TRUE(large) << large.error().text;
  EXPECT_EQ(large->status, 413U);
  EXPECT_TRUE(large->body.starts_with("{\"error\":{\"code\":")) << large->body;
  EXPECT_TRUE(raw("GET / HTTP/1.1\r\nX: " + std::string(9000, 'x') + "\r\n\r\n")
                  .starts_with("HTTP/1.1 431 "));
  EXPECT_TRUE(raw("nonsense\r\n\r\n").starts_with("HTTP/1.1 400 "));
}

}  // namespace
}  // namespace gadget::testing
