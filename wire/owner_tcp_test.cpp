// The owner's API over TCP: only on loopback, only for whom the gate lets in, and nobody can fill
// it.
#include "wire/owner_tcp.hpp"

#include <atomic>
#include <thread>

#include <arpa/inet.h>
#include <boost/asio/post.hpp>
#include <netinet/in.h>
#include <sys/socket.h>

#include "wire/wire_test_support.hpp"

namespace gadget::wire::test {
namespace {

constexpr const char* kToken = "0123456789abcdef";

class Port {
 public:
  explicit Port(const std::string& host = "127.0.0.1", std::uint16_t port = 0) {
    auto opened = OwnerTcpServer::open(
        context.get_executor(), host, port,
        [](const HttpRequest& head) -> std::optional<HttpResponse> {
          if (head.header("Authorization") == std::string("Bearer ") + kToken) return std::nullopt;
          return plain_response(401, "no");
        },
        [this](HttpRequest request) -> Task<OwnerResponse> {
          ++calls;
          OwnerResponse response;
          response.body = request.method + " " + request.target + " " + request.body + " " +
                          request.peer_address;
          co_return response;
        });
    if (!opened) {
      failure = opened.error();
      return;
    }
    server = std::move(*opened);
    thread = std::thread{[this] { context.run(); }};
  }
  ~Port() {
    if (!thread.joinable()) return;
    boost::asio::post(context, [this] { server.reset(); });
    boost::asio::post(context, [this] { context.stop(); });
    thread.join();
  }
  OwnerPlace place(std::string token = kToken) const {
    return {"127.0.0.1", server->port(), std::move(token)};
  }

  boost::asio::io_context context;
  std::unique_ptr<OwnerTcpServer> server;
  std::thread thread;
  std::optional<Failure> failure;
  std::atomic<int> calls = 0;
};

int connect_to(std::uint16_t port) {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  EXPECT_EQ(::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  const timeval patience{20, 0};
  ::setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  return fd;
}

TEST(OwnerTcp, AsksAndAnswersWithTheToken) {
  Port port;
  const auto answer = owner_request(port.place(), "POST", "/v1/say", "{}");
  ASSERT_TRUE(answer) << answer.error().text;
  EXPECT_EQ(answer->status, 200U);
  EXPECT_EQ(answer->body, "POST /v1/say {} 127.0.0.1");
}

TEST(OwnerTcp, WhoeverTheGateRefusesIsNotHeard) {
  Port port;
  const auto refused = owner_request(port.place("wrong"), "POST", "/v1/say", "{}");
  ASSERT_TRUE(refused) << refused.error().text;
  EXPECT_EQ(refused->status, 401U);
  // A body that is announced, and large, is not read.
  const std::string file(kOwnerFileBytes / 2, 'x');
  const auto large = owner_request(port.place("wrong"), "POST", "/v1/image", file, {}, kFileType);
  ASSERT_TRUE(large) << large.error().text;
  EXPECT_EQ(large->status, 401U);
  EXPECT_EQ(port.calls, 0);
}

TEST(OwnerTcp, OnlyLoopbackIsListenedOnAndAsked) {
  for (const char* host : {"0.0.0.0", "::", "192.0.2.1", "localhost", "127.0.0.1.example", ""}) {
    const Port port(host);
    ASSERT_TRUE(port.failure) << host;
    EXPECT_EQ(port.failure->code, FailureCode::invalid_argument) << host;
  }
  const auto far = owner_request(OwnerPlace{"192.0.2.1", 80, kToken}, "GET", "/");
  ASSERT_FALSE(far);
  EXPECT_EQ(far.error().code, FailureCode::invalid_argument);
}

TEST(OwnerTcp, APortInUseAndNobodyThereAreSaid) {
  std::uint16_t number = 0;
  {
    Port port;
    number = port.server->port();
    const Port second("127.0.0.1", number);
    ASSERT_TRUE(second.failure);
    EXPECT_EQ(second.failure->code, FailureCode::unavailable);
  }
  const auto nobody = owner_request(OwnerPlace{"127.0.0.1", number, kToken}, "GET", "/");
  ASSERT_FALSE(nobody);
  EXPECT_EQ(nobody.error().code, FailureCode::no_hub);
}

TEST(OwnerTcp, TheLimitsOfAHeadAreKept) {
  Port port;
  const int fd = connect_to(port.server->port());
  const std::string head = "GET / HTTP/1.1\r\nX: " + std::string(9000, 'x') + "\r\n\r\n";
  ASSERT_EQ(::send(fd, head.data(), head.size(), MSG_NOSIGNAL), static_cast<ssize_t>(head.size()));
  char text[64] = {};
  ASSERT_GT(::recv(fd, text, sizeof text - 1, 0), 12);
  EXPECT_EQ(std::string(text, 12), "HTTP/1.1 431");
  ::close(fd);
}

TEST(OwnerTcp, SocketsThatSayNothingMakeRoom) {
  Port port;
  std::vector<int> silent;
  for (std::size_t i = 0; i < kOwnerWaitingSockets + 8; ++i) {
    silent.push_back(connect_to(port.server->port()));
  }
  EXPECT_TRUE(owner_request(port.place(), "GET", "/"));
  char byte = 0;
  EXPECT_EQ(::recv(silent.front(), &byte, 1, 0), 0);  // the oldest was closed
  for (const int fd : silent) ::close(fd);
}

}  // namespace
}  // namespace gadget::wire::test
