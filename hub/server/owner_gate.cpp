#include "hub/server/owner_gate.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>

#include <boost/asio/ip/address.hpp>
#include <sys/stat.h>

#include "base/address.hpp"
#include "base/files.hpp"
#include "protocol/identity.hpp"

namespace gadget::hub {
namespace {

constexpr std::size_t kMadeTokenBytes = 32;

std::string hex(std::span<const std::byte> bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string out;
  for (const std::byte byte : bytes) {
    out += kDigits[std::to_integer<std::size_t>(byte) >> 4U];
    out += kDigits[std::to_integer<std::size_t>(byte) & 15U];
  }
  return out;
}

Result<OwnerToken> checked_token(std::string text, const std::string& where) {
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.pop_back();
  const bool plain =
      std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c < '\x7f'; });
  if (plain && text.size() >= kMinOwnerTokenChars && text.size() <= kMaxOwnerTokenChars) {
    return OwnerToken(std::move(text));
  }
  return fail(FailureCode::invalid_argument,
              "the owner's token in " + where + " is not one word of " +
                  std::to_string(kMinOwnerTokenChars) + " to " +
                  std::to_string(kMaxOwnerTokenChars) + " ASCII characters",
              "remove the file, and the hub makes one");
}

Result<OwnerToken> token_of(const std::filesystem::path& file) {
  struct stat status {};
  constexpr mode_t kOthers = S_IRWXG | S_IRWXO;
  if (::stat(file.c_str(), &status) == 0 && (status.st_mode & kOthers) != 0) {
    return fail(FailureCode::refused, "others may read the owner's token in " + file.string(),
                "chmod 600 " + file.string());
  }
  auto text = files::read(file, kMaxOwnerTokenChars + 2);
  if (!text) return tl::unexpected(std::move(text.error()));
  return checked_token(std::move(*text), file.string());
}

std::optional<wire::HttpResponse> refusal(unsigned status, std::string_view code,
                                          std::string_view text, std::string_view hint) {
  wire::HttpResponse response;
  response.status = status;
  response.content_type = "application/json";
  response.body.append("{\"error\":{\"code\":\"").append(code).append("\",\"text\":\"");
  response.body.append(text).append("\",\"hint\":\"").append(hint).append("\"}}\n");
  return response;
}

// Loopback addresses, localhost, and what the owner calls this hub.
bool is_known(std::string_view header, const std::vector<std::string>& hosts) {
  std::string name, known;
  std::uint16_t port = 0;
  if (!gadget::split_host(header, name, port)) return false;
  boost::system::error_code no_number;
  const auto address = boost::asio::ip::make_address(name, no_number);
  if (!no_number) return address.is_loopback();
  return name == "localhost" ||
         std::any_of(hosts.begin(), hosts.end(), [&](const std::string& entry) {
           return gadget::split_host(entry, known, port) && known == name;
         });
}

// The word behind "Bearer"; empty: there is none.
std::string_view bearer(std::string_view header) {
  constexpr std::string_view kScheme = "bearer ";
  if (header.size() <= kScheme.size()) return {};
  const bool is_scheme =
      std::equal(kScheme.begin(), kScheme.end(), header.begin(), [](char wanted, char given) {
        return wanted == (given >= 'A' && given <= 'Z' ? static_cast<char>(given + 32) : given);
      });
  if (!is_scheme) return {};
  header.remove_prefix(kScheme.size());
  header.remove_prefix(std::min(header.find_first_not_of(' '), header.size()));
  return header;
}

}  // namespace

Result<OwnerAddress> parse_owner_listen(const std::string& text) {
  OwnerAddress where;
  const bool any_port = text.ends_with(":0");
  const std::string named = any_port ? text.substr(0, text.size() - 2) : text;
  boost::system::error_code no_number;
  if (gadget::split_host(named, where.host, where.port) && (where.port == 0) == any_port &&
      boost::asio::ip::make_address(where.host, no_number).is_loopback() && !no_number) {
    return where;
  }
  return fail(FailureCode::invalid_argument, "owner_listen cannot be \"" + text + "\"",
              "it is an address of this machine only, and a port, such as 127.0.0.1:8780");
}

OwnerToken::~OwnerToken() {
  protocol::wipe(std::as_writable_bytes(std::span(text_.data(), text_.size())));
}

bool OwnerToken::is(std::string_view offered) const {
  return protocol::equal_constant_time(std::as_bytes(std::span(text_)),
                                       std::as_bytes(std::span(offered)));
}

Result<OwnerToken> owner_token(const std::string& file, const std::filesystem::path& state_folder,
                               const std::function<void(std::span<std::byte>)>& random) {
  if (const char* word = std::getenv(kOwnerTokenVariable); word != nullptr && *word != '\0') {
    return checked_token(word, kOwnerTokenVariable);
  }
  if (!file.empty()) return token_of(file);
  const auto own = state_folder / kOwnerTokenFile;
  std::error_code ignored;
  if (!std::filesystem::exists(own, ignored)) {
    std::array<std::byte, kMadeTokenBytes> bytes{};
    random(bytes);
    const auto written = files::write(own, hex(bytes) + "\n", true);
    if (!written) return tl::unexpected(written.error());
  }
  return token_of(own);
}

std::optional<wire::HttpResponse> refuse_owner(const wire::HttpRequest& head,
                                               const OwnerToken& token,
                                               const std::vector<std::string>& hosts) {
  if (!is_known(head.header("Host"), hosts)) {
    return refusal(421, "refused", "this hub is not reached by that name",
                   "use 127.0.0.1, or add the name to the setting hosts");
  }
  if (head.has_header("Origin")) {
    return refusal(403, "refused", "the owner's API is not for web pages", "use a command");
  }
  if (token.is(bearer(head.header("Authorization")))) return std::nullopt;
  auto refused = refusal(401, "unauthorized", "the owner's token is missing or wrong",
                         "send Authorization: Bearer TOKEN; the hub's state folder has it in "
                         "owner.token");
  refused->headers.push_back({"WWW-Authenticate", "Bearer"});
  return refused;
}

}  // namespace gadget::hub
