// T2: who is trusted, and what is said when somebody is not.
#include "wire/tls.hpp"

#include <fstream>

#include "wire/certificates_test_support.hpp"
#include "wire/wire_test_support.hpp"

namespace gadget::wire::test {
namespace {

class Tls : public testing::Test {
 protected:
  std::shared_ptr<TlsServer> server_with(const CertificateOptions& options) {
    const auto made = make_certificate(folder.path, "server", options);
    auto loaded = TlsServer::load(made.certificate, made.key);
    EXPECT_TRUE(loaded) << (loaded ? "" : loaded.error().text);
    return loaded.value_or(nullptr);
  }
  std::filesystem::path ca() const { return folder.path / "server.crt"; }

  // Connects to an echo server with `server`'s certificate by `host`; gives what went wrong, or "".
  std::string visit(const std::shared_ptr<TlsServer>& server, const TlsClientOptions& options,
                    const std::string& host = "127.0.0.1") {
    Loop loop;
    ListenOptions listen;
    listen.tls = server;
    EchoServer echo{loop.context, listen};
    auto client = TlsClient::make(options);
    EXPECT_TRUE(client) << (client ? "" : client.error().text);
    if (!client) return client.error().text;
    std::string failure;
    loop.run([&]() -> Task<> {
      auto address = echo.address();
      address.tls = *client;
      address.host = host;
      auto opened = co_await open_websocket(address);
      if (!opened) {
        failure = opened.error().failure.text;
        co_return;
      }
      const std::string text(50'000, 't');
      co_await opened->socket.write(text);
      auto back = co_await opened->socket.read();
      EXPECT_TRUE(back);
      if (back) {
        EXPECT_EQ(back->text(), text);
      }
      EXPECT_TRUE(echo.requests.at(0).tls);
      auto closed = co_await opened->socket.close(1000, "done");
      EXPECT_TRUE(closed.answered);
    });
    return failure;
  }

  Folder folder;
};

TEST_F(Tls, T2_AGoodChainIsTrustedByNameAndByAddress) {
  const auto server = server_with(CertificateOptions{});
  EXPECT_EQ(visit(server, {ca(), "", {}}), "");
  EXPECT_EQ(visit(server, {ca(), "", {}}, "localhost"), "");
}

TEST_F(Tls, T2_AnUnknownChainIsRefused) {
  const auto server = server_with(CertificateOptions{});
  EXPECT_NE(visit(server, {"", "", {}}).find("not trusted"), std::string::npos);
}

TEST_F(Tls, T2_AnotherHostIsRefused) {
  CertificateOptions other;
  other.alternatives = "DNS:elsewhere.example,IP:127.0.0.9";
  const auto server = server_with(other);
  EXPECT_NE(visit(server, {ca(), "", {}}).find("IP address mismatch"), std::string::npos);
  EXPECT_NE(visit(server, {ca(), "", {}}, "localhost").find("hostname mismatch"),
            std::string::npos);
}

TEST_F(Tls, T2_AnExpiredCertificateIsRefused) {
  CertificateOptions expired;
  expired.from_s = -7200;
  expired.to_s = -3600;
  const auto server = server_with(expired);
  EXPECT_NE(visit(server, {ca(), "", {}}).find("expired"), std::string::npos);
}

TEST_F(Tls, T2_ACertificateOfTheFutureIsRefusedByAClock) {
  CertificateOptions future;
  future.from_s = 3600;
  future.to_s = 7200;
  const auto server = server_with(future);
  EXPECT_NE(visit(server, {ca(), "", {}}).find("not yet valid"), std::string::npos);
}

TEST_F(Tls, B80_WithoutAClockOnlyWhatHadExpiredByTheKnownTimeIsRefused) {
  const auto now = std::chrono::duration_cast<std::chrono::seconds>(
                       std::chrono::system_clock::now().time_since_epoch())
                       .count();
  const auto server = server_with(CertificateOptions{});
  EXPECT_EQ(visit(server, {ca(), "", now - 10 * 365 * 86'400}), "");
  EXPECT_EQ(visit(server, {ca(), "", now}), "");
  EXPECT_NE(visit(server, {ca(), "", now + 7200}).find("expired"), std::string::npos);
}

TEST_F(Tls, T2_APinnedKeyDecidesAlone) {
  CertificateOptions expired;
  expired.to_s = -1;
  expired.alternatives = "DNS:elsewhere.example";
  const auto server = server_with(expired);
  EXPECT_EQ(server->pin().size(), 64U);
  EXPECT_EQ(visit(server, {"", server->pin(), {}}), "");
  auto upper = server->pin();
  for (auto& c : upper) c = static_cast<char>(std::toupper(c));
  EXPECT_EQ(visit(server, {"", upper, {}}), "");
  auto wrong = server->pin();
  wrong[0] = wrong[0] == '0' ? '1' : '0';
  EXPECT_NE(visit(server, {"", wrong, {}}).find("pinned"), std::string::npos);
}

TEST_F(Tls, T2_PinAndCaMustBothHold) {
  CertificateOptions other;
  other.alternatives = "DNS:elsewhere.example";
  const auto server = server_with(other);
  EXPECT_NE(visit(server, {ca(), server->pin(), {}}), "");
}

TEST_F(Tls, FilesThatAreWrongAreNamed) {
  const auto one = make_certificate(folder.path, "one", {});
  const auto two = make_certificate(folder.path, "two", {});
  const auto text = [](const auto& result) { return result ? "" : result.error().text; };
  const auto nothing = folder.path / "nothing";
  EXPECT_EQ(text(TlsServer::load(nothing, one.key)),
            "the certificate " + nothing.string() + " does not exist");
  EXPECT_EQ(text(TlsServer::load(one.certificate, nothing)),
            "the key " + nothing.string() + " does not exist");
  EXPECT_EQ(text(TlsServer::load(one.certificate, two.key)),
            "the key " + two.key.string() + " does not belong to the certificate " +
                one.certificate.string());
  EXPECT_NE(text(TlsServer::load(one.key, one.key)).find(one.key.string()), std::string::npos);
  EXPECT_NE(text(TlsServer::load(one.certificate, one.certificate)).find("is not usable"),
            std::string::npos);
  EXPECT_NE(text(TlsClient::make({nothing, "", {}})).find(nothing.string()), std::string::npos);
  EXPECT_NE(text(TlsClient::make({one.key, "", {}})).find(one.key.string()), std::string::npos);
  EXPECT_NE(text(TlsClient::make({"", "12ab", {}})).find("64 hex digits"), std::string::npos);
}

TEST_F(Tls, AReloadShowsTheNewCertificateAndAFailedOneKeepsTheOld) {
  const auto server = server_with(CertificateOptions{});
  const auto before = server->pin();
  make_certificate(folder.path, "server", {});
  EXPECT_EQ(server->pin(), before);
  EXPECT_TRUE(server->reload());
  const auto after = server->pin();
  EXPECT_NE(after, before);
  std::ofstream{folder.path / "server.crt"} << "damaged";
  EXPECT_FALSE(server->reload());
  EXPECT_EQ(server->pin(), after);
}

TEST_F(Tls, E3_ASilentSocketIsCutOffAndAPlainRequestIsNoTls) {
  Loop loop;
  std::int64_t now = 0;
  ListenOptions listen;
  listen.tls = server_with(CertificateOptions{});
  listen.now_ms = [&now] { return now; };
  EchoServer echo{loop.context, listen};
  loop.run([&]() -> Task<> {
    auto plain = co_await RawConnection::connect(echo.address());
    co_await plain->send("GET /gadget HTTP/1.1\r\n\r\n");
    for (;;) {
      auto answer = co_await plain->receive(kPatience);  // an alert at most
      if (!answer) break;
    }
    auto silent = co_await RawConnection::connect(echo.address());
    co_await Loop::sleep(20ms);
    now = 10'000;
    echo.listener->sweep();
    auto end = co_await silent->receive(kPatience);
    EXPECT_FALSE(end);
  });
  EXPECT_EQ(echo.events, (std::vector<std::string>{"tls_failed", "timeout"}));
}

TEST_F(Tls, AStalledPeerBehindTlsIsVisibleToo) {
  Loop loop;
  ListenOptions listen;
  listen.tls = server_with(CertificateOptions{});
  EchoServer echo{loop.context, listen};
  echo.silent = true;
  auto client = TlsClient::make({ca(), "", {}});
  loop.run([&]() -> Task<> {
    auto address = echo.address();
    address.tls = *client;
    address.receive_buffer_bytes = 2048;
    auto opened = co_await open_websocket(address);
    EXPECT_TRUE(opened);
    co_await Loop::sleep(20ms);
    auto& socket = echo.sockets.front();
    const std::string large(8 * 1024 * 1024, 'x');
    bool ended = false;
    const auto write = [&]() -> Task<> {
      auto written = co_await socket.write(large);
      EXPECT_FALSE(written);
      ended = true;
    };
    boost::asio::co_spawn(loop.context, write, boost::asio::detached);
    co_await Loop::sleep(200ms);
    EXPECT_GT(socket.progress().pending_bytes, 1U << 20);
    EXPECT_FALSE(ended);
    socket.abort();
    for (int i = 0; i < 400 && !ended; ++i) co_await Loop::sleep(5ms);
    EXPECT_TRUE(ended);
  });
}

}  // namespace
}  // namespace gadget::wire::test
