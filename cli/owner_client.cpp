#include "cli/owner_client.hpp"

#include <cstdlib>

#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include "base/address.hpp"
#include "base/files.hpp"
#include "hub/server/owner_gate.hpp"
#include "wire/unix_socket.hpp"

namespace gadget::cli {
namespace {

namespace json = boost::json;

FailureCode code_named(std::string_view name) {
  for (int code = 0; code <= static_cast<int>(FailureCode::cancelled); ++code) {
    if (gadget::name(static_cast<FailureCode>(code)) == name) return static_cast<FailureCode>(code);
  }
  return name == "unauthorized" ? FailureCode::refused : FailureCode::internal;
}

// STATE/owner.token, where it is readable: the hub's own machine and user.
std::string token_of(const OwnerArgs& owner) {
  if (const char* word = std::getenv(hub::kOwnerTokenVariable)) return word;
  auto text = files::read(owner.folder() / hub::kOwnerTokenFile, hub::kMaxOwnerTokenChars + 2);
  if (!text) return {};
  while (!text->empty() && (text->back() == '\n' || text->back() == '\r')) text->pop_back();
  return std::move(*text);
}

Result<wire::OwnerPlace> place_of(const OwnerArgs& owner) {
  std::string url = owner.hub_url;
  const char* const usual = std::getenv(kHubUrlVariable);
  if (url.empty() && owner.state.empty() && usual != nullptr) url = usual;
  if (url.empty()) return wire::OwnerPlace(owner.folder());
  auto parsed = parse_hub_url(url);
  if (!parsed) return tl::unexpected(std::move(parsed.error()));
  return wire::OwnerPlace(std::move(parsed->host), parsed->port, token_of(owner));
}

Result<Answer> read(const wire::OwnerAnswer& answer) {
  boost::system::error_code error;
  json::value value = json::parse(answer.body, error);
  if (error || !value.is_object()) {
    return fail(FailureCode::internal,
                "the hub answered with status " + std::to_string(answer.status) +
                    " and something that is no JSON",
                "is it of another version?");
  }
  json::object object = std::move(value.get_object());
  if (answer.status < 400) return Answer{answer.body, std::move(object)};
  const json::value* failure = object.if_contains("error");
  if (failure == nullptr || !failure->is_object()) {
    return fail(FailureCode::internal,
                "the hub answered with status " + std::to_string(answer.status));
  }
  const json::object& its = failure->get_object();
  return fail(code_named(text_of(its, "code")), text_of(its, "text"), text_of(its, "hint"));
}

Result<Answer> ask(const OwnerArgs& owner, std::string_view method, std::string_view target,
                   std::string_view body, std::chrono::milliseconds timeout) {
  return place_of(owner)
      .and_then([&](const wire::OwnerPlace& place) {
        return wire::owner_request(place, method, target, body, timeout);
      })
      .and_then(read);
}

}  // namespace

std::filesystem::path OwnerArgs::folder() const {
  if (!state.empty()) return state;
  std::filesystem::path own = files::default_state_folder();
  // Nobody's hub of their own here, but the machine's (the Debian package's unit).
  std::error_code ignored;
  const bool is_there = std::filesystem::exists(own / std::string(wire::kOwnerSocketName), ignored);
  const std::filesystem::path machine = files::kMachineStateFolder;
  return !is_there && std::filesystem::exists(machine, ignored) ? machine : own;
}

Result<Answer> get(const OwnerArgs& owner, std::string_view target) {
  return ask(owner, "GET", target, {}, kAnswerTimeout);
}

Result<std::string> get_bytes(const OwnerArgs& owner, std::string_view target) {
  auto answer = place_of(owner).and_then([&](const wire::OwnerPlace& place) {
    return wire::owner_request(place, "GET", target, {}, kAnswerTimeout);
  });
  if (!answer) return tl::unexpected(std::move(answer.error()));
  if (answer->status < 400) return std::move(answer->body);
  auto failure = read(*answer);
  return tl::unexpected(std::move(failure.error()));
}

Result<Answer> post(const OwnerArgs& owner, std::string_view target, const json::object& body,
                    std::chrono::milliseconds timeout) {
  return ask(owner, "POST", target, json::serialize(body), timeout);
}

Result<Answer> post_file(const OwnerArgs& owner, std::string_view target, std::string_view file,
                         std::chrono::milliseconds timeout) {
  return place_of(owner)
      .and_then([&](const wire::OwnerPlace& place) {
        return wire::owner_request(place, "POST", target, file, timeout, wire::kFileType);
      })
      .and_then(read);
}

Result<void> follow(const OwnerArgs& owner, std::string_view target,
                    const std::function<bool(const json::object&)>& event) {
  const auto place = place_of(owner);
  if (!place) return tl::unexpected(place.error());
  std::string rest;
  const auto piece = [&](std::string_view bytes) {
    rest += bytes;
    for (auto end = rest.find('\n'); end != std::string::npos; end = rest.find('\n')) {
      const std::string line = rest.substr(0, end);
      rest.erase(0, end + 1);
      constexpr std::string_view kData = "data: ";
      if (!line.starts_with(kData)) continue;  // comments and numbers
      boost::system::error_code error;
      const json::value value = json::parse(std::string_view(line).substr(kData.size()), error);
      if (!error && value.is_object() && !event(value.get_object())) return false;
    }
    return true;
  };
  const auto answer = wire::owner_stream(*place, "GET", target, {}, piece);
  if (!answer) return tl::unexpected(answer.error());
  if (answer->status == 200) return {};
  auto failure = read(*answer);
  return tl::unexpected(std::move(failure.error()));
}

Result<HubUrl> parse_hub_url(std::string_view text) {
  const auto wrong = [&] {
    return fail(FailureCode::invalid_argument, "\"" + std::string(text) + "\" is no hub's URL",
                "it is http://127.0.0.1:PORT; the hub's setting owner_listen says which port");
  };
  constexpr std::string_view kScheme = "http://";
  std::string_view rest = text;
  if (!rest.starts_with(kScheme)) return wrong();
  rest.remove_prefix(kScheme.size());
  if (rest.ends_with('/')) rest.remove_suffix(1);
  HubUrl url;
  if (!gadget::split_host(rest, url.host, url.port) || url.port == 0) return wrong();
  if (url.host == "localhost") url.host = "127.0.0.1";
  return url;
}

std::string percent_encoded(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                       c == '-' || c == '_' || c == '.';
    if (plain) {
      out += c;
    } else {
      out += {'%', kDigits[byte >> 4U], kDigits[byte & 15U]};
    }
  }
  return out;
}

std::string text_of(const json::object& object, std::string_view key) {
  const json::value* value = object.if_contains(key);
  return value != nullptr && value->is_string() ? std::string(value->get_string()) : std::string();
}

bool flag_of(const json::object& object, std::string_view key) {
  const json::value* value = object.if_contains(key);
  return value != nullptr && value->is_bool() && value->get_bool();
}

std::int64_t number_of(const json::object& object, std::string_view key) {
  const json::value* value = object.if_contains(key);
  boost::system::error_code error;
  const std::int64_t number = value == nullptr ? 0 : value->to_number<std::int64_t>(error);
  return error ? 0 : number;
}

std::vector<json::object> rows_of(const json::object& object, std::string_view key) {
  std::vector<json::object> rows;
  const json::value* value = object.if_contains(key);
  if (value == nullptr || !value->is_array()) return rows;
  for (const json::value& row : value->get_array()) {
    if (row.is_object()) rows.push_back(row.get_object());
  }
  return rows;
}

}  // namespace gadget::cli
