// owner_gate.hpp - who may use the owner's API over TCP: whoever has the token. Pure functions of a
// request; any thread.
//
// A web page of somewhere else can send requests to this machine, even under a name of its own (DNS
// rebinding): a request under another name than the hub's, or with an Origin, is refused before its
// token is looked at, and no answer allows another origin to read it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/failure.hpp"
#include "wire/http.hpp"

namespace gadget::hub {

// The environment variable that holds the owner's token, of the hub and of commands.
inline constexpr const char* kOwnerTokenVariable = "GADGET_OWNER_TOKEN";
// The file in the state folder that the hub makes where no other is named.
inline constexpr const char* kOwnerTokenFile = "owner.token";
// Shortest token: 96 random bits in base64. Beyond the longest, a file is no token.
inline constexpr std::size_t kMinOwnerTokenChars = 16;
inline constexpr std::size_t kMaxOwnerTokenChars = 512;

// owner_listen: "127.0.0.1:8780", "[::1]:0". Error (invalid_argument): no numeric loopback address
// with a port.
struct OwnerAddress {
  std::string host;
  std::uint16_t port = 0;  // 0: a free one
};
[[nodiscard]] Result<OwnerAddress> parse_owner_listen(const std::string& text);

// Wiped when it goes, compared in constant time, not printable.
class OwnerToken {
 public:
  explicit OwnerToken(std::string text) : text_(std::move(text)) {}
  OwnerToken(OwnerToken&&) = default;
  OwnerToken& operator=(OwnerToken&&) = delete;
  OwnerToken(const OwnerToken&) = delete;
  OwnerToken& operator=(const OwnerToken&) = delete;
  ~OwnerToken();
  bool operator==(const OwnerToken&) const = delete;

  [[nodiscard]] bool is(std::string_view offered) const;

 private:
  std::string text_;
};

// From the environment, else from `file`, else from STATE/owner.token, which is made (0600) when it
// is not there. Errors: refused (others may read the file), invalid_argument (too short, too long,
// other than printable ASCII), not_found, io.
[[nodiscard]] Result<OwnerToken> owner_token(
    const std::string& file, const std::filesystem::path& state_folder,
    const std::function<void(std::span<std::byte>)>& random);

// What a request is refused with; nothing: it is let in. `hosts`: further names of this hub.
[[nodiscard]] std::optional<wire::HttpResponse> refuse_owner(const wire::HttpRequest& head,
                                                             const OwnerToken& token,
                                                             const std::vector<std::string>& hosts);

}  // namespace gadget::hub
