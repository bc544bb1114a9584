// The owner socket, from both ends, on short and on long paths.
#include "wire/unix_socket.hpp"

#include <fstream>
#include <thread>

#include <sys/stat.h>

#include "wire/wire_test_support.hpp"

namespace gadget::wire::test {
namespace {

// A hub's loop in a thread, so that the blocking client can be asked from here.
class Hub {
 public:
  explicit Hub(const std::filesystem::path& state_dir) {
    auto opened = OwnerServer::open(context.get_executor(), state_dir, [this](HttpRequest request) {
      return answer(std::move(request));
    });
    if (!opened) {
      failure = opened.error();
      return;
    }
    server = std::move(*opened);
    thread = std::thread{[this] { context.run(); }};
  }
  ~Hub() {
    if (!thread.joinable()) return;
    boost::asio::post(context, [this] { server.reset(); });
    boost::asio::post(context, [this] { context.stop(); });
    thread.join();
  }

  Task<OwnerResponse> answer(HttpRequest request) {
    OwnerResponse response;
    if (request.target == "/slow") co_await Loop::sleep(300ms);
    if (request.target == "/throw") throw std::runtime_error("a defect");
    if (request.target == "/stream") {
      response.content_type = "application/x-ndjson";
      response.body = "{\"n\":0}\n";
      response.more = [n = std::make_shared<int>(0)]() -> Task<std::optional<std::string>> {
        co_await Loop::sleep(5ms);
        if (++*n > 3) co_return std::nullopt;
        co_return "{\"n\":" + std::to_string(*n) + "}\n";
      };
      co_return response;
    }
    if (request.target == "/endless") {
      response.more = [this]() -> Task<std::optional<std::string>> {
        struct Leaving {
          std::atomic<bool>& left;
          ~Leaving() { left = true; }
        } leaving{cancelled};
        if (first_piece.exchange(false)) co_return "first";
        co_await Loop::sleep(1h);
        co_return std::nullopt;
      };
      co_return response;
    }
    response.status = request.target == "/teapot" ? 409 : 200;
    response.body = request.method + " " + request.target + " " + request.body;
    co_return response;
  }

  boost::asio::io_context context;
  std::unique_ptr<OwnerServer> server;
  std::thread thread;
  std::optional<Failure> failure;
  std::atomic<bool> first_piece = true;
  std::atomic<bool> cancelled = false;
};

TEST(OwnerSocket, AsksAndAnswers) {
  Folder folder;
  Hub hub{folder.path};
  const auto answer = owner_request(folder.path, "POST", "/say", "{\"text\":\"hi\"}");
  ASSERT_TRUE(answer) << answer.error().text;
  EXPECT_EQ(answer->status, 200U);
  EXPECT_EQ(answer->content_type, "application/json");
  EXPECT_EQ(answer->body, "POST /say {\"text\":\"hi\"}");
  EXPECT_EQ(owner_request(folder.path, "GET", "/teapot")->status, 409U);
  EXPECT_EQ(owner_request(folder.path, "GET", "/throw")->status, 500U);
}

TEST(OwnerSocket, OnlyThisUserMayConnect) {
  Folder folder;
  Hub hub{folder.path};
  struct stat status {};
  ASSERT_EQ(::stat((folder.path / "owner.sock").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0600U);
}

TEST(OwnerSocket, LongPathsWork) {
  Folder folder;
  const auto deep = folder.path / std::string(200, 'a') / std::string(200, 'b');
  std::filesystem::create_directories(deep);
  Hub hub{deep};
  ASSERT_FALSE(hub.failure) << hub.failure->text;
  EXPECT_TRUE(std::filesystem::exists(deep / "owner.sock"));
  const auto answer = owner_request(deep, "GET", "/devices");
  ASSERT_TRUE(answer) << answer.error().text;
  EXPECT_EQ(answer->body, "GET /devices ");
}

TEST(OwnerSocket, NoHubSaysSo) {
  Folder folder;
  const auto none = owner_request(folder.path, "GET", "/");
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, FailureCode::no_hub);
  EXPECT_EQ(none.error().text, "no hub runs on " + folder.path.string());
  EXPECT_EQ(owner_request(folder.path / "nowhere", "GET", "/").error().code, FailureCode::no_hub);
}

TEST(OwnerSocket, ASecondHubIsRefusedAndADeadOnesSocketReplaced) {
  Folder folder;
  {
    Hub hub{folder.path};
    Hub second{folder.path};
    ASSERT_TRUE(second.failure);
    EXPECT_EQ(second.failure->code, FailureCode::refused);
    EXPECT_EQ(second.failure->text, "another hub already runs on this state directory");
    EXPECT_TRUE(owner_request(folder.path, "GET", "/"));  // the first is unharmed
  }
  EXPECT_FALSE(std::filesystem::exists(folder.path / "owner.sock"));
  // A socket whose process died: the file is there, nobody listens.
  {
    boost::asio::io_context context;
    auto server = OwnerServer::open(context.get_executor(), folder.path, {});
    ASSERT_TRUE(server);
    std::filesystem::rename(folder.path / "owner.sock", folder.path / "kept");
  }
  std::filesystem::rename(folder.path / "kept", folder.path / "owner.sock");
  EXPECT_EQ(owner_request(folder.path, "GET", "/").error().code, FailureCode::no_hub);
  Hub next{folder.path};
  EXPECT_FALSE(next.failure);
  EXPECT_TRUE(owner_request(folder.path, "GET", "/"));
}

TEST(OwnerSocket, AStateDirectoryThatIsNotThereIsNamed) {
  Folder folder;
  Hub hub{folder.path / "nowhere"};
  ASSERT_TRUE(hub.failure);
  EXPECT_NE(hub.failure->text.find("nowhere"), std::string::npos);
}

TEST(OwnerSocket, BodiesAreBounded) {
  Folder folder;
  Hub hub{folder.path};
  const std::string most(kOwnerBodyBytes, 'x');
  EXPECT_EQ(owner_request(folder.path, "POST", "/", most)->status, 200U);
  const auto beyond = owner_request(folder.path, "POST", "/", most + "x");
  ASSERT_TRUE(beyond) << beyond.error().text;
  EXPECT_EQ(beyond->status, 413U);
}

TEST(OwnerSocket, AFileMayBeLargerThanWhatIsJson) {
  Folder folder;
  Hub hub{folder.path};
  const auto send = [&folder](const std::string& body) {
    return owner_request(folder.path, "POST", "/", body, {}, kFileType);
  };
  const std::string file(kOwnerBodyBytes + 1, '\0');
  const auto answer = send(file);
  ASSERT_TRUE(answer) << answer.error().text;
  EXPECT_EQ(answer->status, 200U);
  EXPECT_TRUE(answer->body.ends_with(file));
  const auto beyond = send(std::string(kOwnerFileBytes + 1, '\0'));
  ASSERT_TRUE(beyond) << beyond.error().text;
  EXPECT_EQ(beyond->status, 413U);
}

TEST(OwnerSocket, SlowAnswersAreAwaitedUnlessTheCallerSaysOtherwise) {
  Folder folder;
  Hub hub{folder.path};
  EXPECT_TRUE(owner_request(folder.path, "GET", "/slow"));
  const auto late = owner_request(folder.path, "GET", "/slow", {}, 50ms);
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().code, FailureCode::timeout);
}

TEST(OwnerSocket, StreamsArePassedOnAsTheyCome) {
  Folder folder;
  Hub hub{folder.path};
  std::string all;
  const auto whole = owner_stream(folder.path, "GET", "/stream", {}, [&](std::string_view piece) {
    all += piece;
    return true;
  });
  ASSERT_TRUE(whole) << whole.error().text;
  EXPECT_EQ(whole->content_type, "application/x-ndjson");
  EXPECT_EQ(all, "{\"n\":0}\n{\"n\":1}\n{\"n\":2}\n{\"n\":3}\n");
  EXPECT_EQ(owner_request(folder.path, "GET", "/stream")->body, all);
}

TEST(OwnerSocket, AStreamEndsWhenItsClientLeaves) {
  Folder folder;
  Hub hub{folder.path};
  const auto left =
      owner_stream(folder.path, "GET", "/endless", {}, [](std::string_view) { return false; });
  EXPECT_TRUE(left);
  for (int i = 0; i < 1000 && !hub.cancelled; ++i) std::this_thread::sleep_for(5ms);
  EXPECT_TRUE(hub.cancelled);
}

}  // namespace
}  // namespace gadget::wire::test
