// unix_socket.hpp - the owner socket STATE/owner.sock: HTTP/1.1 between the hub and its owner's
// commands.
//
// Only this user may connect (0600). Long state paths work: the kernel's limit of 107 bytes for a
// socket's path is passed by way of /proc/self/fd. A socket that a dead hub left behind is
// replaced.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include "base/failure.hpp"
#include "wire/http.hpp"
#include "wire/websocket.hpp"

namespace gadget::wire {

inline constexpr std::string_view kOwnerSocketName = "owner.sock";
// Longest request body. Beyond: 413. Firmware is named by file, not sent.
inline constexpr std::size_t kOwnerBodyBytes = 1024 * 1024;
// The same for a body of kFileType, which is a file as it is: a picture. Larger than any that is
// taken, so that whoever takes it says what is wrong.
inline constexpr std::size_t kOwnerFileBytes = 40UL * 1024 * 1024;
inline constexpr std::string_view kJsonType = "application/json";
inline constexpr std::string_view kFileType = "application/octet-stream";

struct OwnerResponse {
  unsigned status = 200;
  std::string content_type = "application/json";
  std::string body;
  std::vector<Header> headers;  // further ones
  // For answers that go on (`logs --follow`): called after `body` for each further piece, sent as
  // it is, until it gives none. When the client leaves, the coroutine that waits inside is
  // cancelled (operation_aborted).
  std::function<boost::asio::awaitable<std::optional<std::string>>()> more;
  // Given: the answer is a WebSocket, if the request asks for one; this gets it. The rest counts
  // for nothing then.
  std::function<void(WebSocket)> upgrade;
};

// One request (`method`, `target`, `body`; no peer address). May take as long as it needs. When the
// client leaves meanwhile, it runs to its end and its answer is dropped.
using OwnerCall = std::function<boost::asio::awaitable<OwnerResponse>(HttpRequest)>;

class OwnerServer {
 public:
  // `state_dir` must exist. Errors: refused "another hub already runs on this state directory", io.
  [[nodiscard]] static Result<std::unique_ptr<OwnerServer>> open(
      const boost::asio::any_io_executor& executor, const std::filesystem::path& state_dir,
      OwnerCall call);
  ~OwnerServer();  // stops
  // Accepts no more, closes what is open, removes the socket file.
  void stop();

 private:
  struct State;
  explicit OwnerServer(std::shared_ptr<State> state);
  std::shared_ptr<State> state_;
};

// Where a hub's owner API is: its state folder's socket, or with a port an address of this machine
// and the token that is wanted there.
struct OwnerPlace {
  OwnerPlace(std::filesystem::path folder) : state_dir(std::move(folder)) {}  // NOLINT: the usual
  OwnerPlace(const std::string& folder) : state_dir(folder) {}                // NOLINT
  OwnerPlace(std::string numeric_host, std::uint16_t tcp_port, std::string word)
      : host(std::move(numeric_host)), port(tcp_port), token(std::move(word)) {}
  std::filesystem::path state_dir;
  std::string host;  // a numeric loopback address
  std::uint16_t port = 0;
  std::string token;
};

struct OwnerAnswer {
  unsigned status = 0;
  std::string content_type;
  std::string body;
};

// Asks the hub at `place` and waits for the whole answer. Blocks. `timeout` 0: for
// ever. Errors: no_hub "no hub runs on STATE", invalid_argument (no loopback address), io, timeout.
// An HTTP status is no error here.
[[nodiscard]] Result<OwnerAnswer> owner_request(
    const OwnerPlace& place, std::string_view method, std::string_view target,
    std::string_view body = {}, std::chrono::milliseconds timeout = std::chrono::milliseconds{0},
    std::string_view body_type = kJsonType);

// The same for an answer that goes on: `piece` gets it as it comes; false ends it. The answer's
// body stays empty when the status is 200.
[[nodiscard]] Result<OwnerAnswer> owner_stream(const OwnerPlace& place, std::string_view method,
                                               std::string_view target, std::string_view body,
                                               const std::function<bool(std::string_view)>& piece);

}  // namespace gadget::wire
