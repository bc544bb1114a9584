#include "conformance/pattern.hpp"

#include <chrono>

#include "conformance/image.hpp"

namespace gadget::conformance {
namespace json = boost::json;
namespace {

// Longest text that $repeat makes: enough for every limit of the contract, and for what is beyond
// them.
constexpr std::int64_t kMaxRepeatBytes = 20 << 20;

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  Result<Pattern> whole() {
    auto pattern = value();
    if (!pattern) return pattern;
    skip_space();
    if (at_ < text_.size()) return wrong("text behind the value");
    return pattern;
  }

 private:
  tl::unexpected<Failure> wrong(std::string_view what) const {
    return fail(FailureCode::invalid_argument,
                std::string(what) + " at column " + std::to_string(at_ + 1));
  }
  void skip_space() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
  }
  bool take(char c) {
    skip_space();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  Result<Pattern> value() {
    skip_space();
    if (at_ >= text_.size()) return wrong("a value is missing");
    if (take('*')) return Pattern{};
    if (take('$')) return variable();
    if (take('{')) return object();
    if (take('[')) return list(Pattern::Kind::array, "", ']');
    return literal();
  }

  std::string word() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) != 0 ||
                                  text_[at_] == '_' || text_[at_] == '-')) {
      ++at_;
    }
    return std::string(text_.substr(begin, at_ - begin));
  }

  Result<Pattern> variable() {
    Pattern pattern{
        .kind = Pattern::Kind::variable, .name = word(), .literal = {}, .keys = {}, .parts = {}};
    if (pattern.name.empty()) return wrong("a name is missing behind $");
    if (!take('(')) return pattern;
    return list(Pattern::Kind::call, pattern.name, ')');
  }

  Result<Pattern> list(Pattern::Kind kind, std::string name, char end) {
    Pattern pattern{.kind = kind, .name = std::move(name), .literal = {}, .keys = {}, .parts = {}};
    if (take(end)) return pattern;
    for (;;) {
      auto part = value();
      if (!part) return part;
      pattern.parts.push_back(std::move(*part));
      if (take(end)) return pattern;
      if (!take(',')) return wrong("a comma is missing");
    }
  }

  Result<Pattern> object() {
    Pattern pattern{
        .kind = Pattern::Kind::object, .name = {}, .literal = {}, .keys = {}, .parts = {}};
    if (take('}')) return pattern;
    for (;;) {
      skip_space();
      auto key = literal();
      if (!key) return key;
      if (!key->literal.is_string() || !take(':')) return wrong("a key is missing");
      auto part = value();
      if (!part) return part;
      pattern.keys.emplace_back(key->literal.get_string());
      pattern.parts.push_back(std::move(*part));
      if (take('}')) return pattern;
      if (!take(',')) return wrong("a comma is missing");
    }
  }

  // A JSON scalar. Bare words are texts, so that $mac(kitchen, $n) needs no quotes.
  Result<Pattern> literal() {
    const std::size_t begin = at_;
    if (text_[at_] == '"') {
      ++at_;
      while (at_ < text_.size() && text_[at_] != '"') at_ += text_[at_] == '\\' ? 2U : 1U;
      if (at_ >= text_.size()) return wrong("a quote is missing");
      ++at_;
    } else {
      while (at_ < text_.size() &&
             std::string_view(",:]}) \t").find(text_[at_]) == std::string_view::npos)
        ++at_;
    }
    const std::string_view token = text_.substr(begin, at_ - begin);
    if (token.empty()) return wrong("a value is missing");
    Pattern pattern{
        .kind = Pattern::Kind::literal, .name = {}, .literal = {}, .keys = {}, .parts = {}};
    json::error_code failure;
    pattern.literal = json::parse(token, failure);
    if (failure && token.front() != '"') {
      pattern.literal = json::string(token);
    } else if (failure) {
      return wrong("not JSON: " + std::string(token));
    }
    return pattern;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

Result<std::vector<std::string>> texts(const Pattern& call, const Bindings& bindings,
                                       std::size_t count) {
  std::vector<std::string> out;
  for (const Pattern& part : call.parts) {
    auto value = evaluate(part, bindings);
    if (!value) return tl::unexpected<Failure>(value.error());
    out.push_back(value->is_string() ? std::string(value->get_string()) : json::serialize(*value));
  }
  if (out.size() != count) {
    return fail(FailureCode::invalid_argument,
                "$" + call.name + " takes " + std::to_string(count) + " arguments");
  }
  return out;
}

json::value text(std::string_view chars) { return json::value(json::string(chars)); }

Result<json::value> compute(const Pattern& call, const Bindings& bindings) {
  const std::string& name = call.name;
  const std::size_t count = name == "key" || name == "id" ? 1U
                            : name == "otamac"            ? 4U
                            : name == "imagesha"          ? 3U
                                                          : 2U;
  const auto arguments = texts(call, bindings, count);
  if (!arguments) return tl::unexpected<Failure>(arguments.error());
  const std::vector<std::string>& given = *arguments;
  if (name == "key") return text(protocol::view(protocol::key_text(key_of(given[0]))));
  if (name == "id") return text(id_of(given[0]).text());
  if (name == "mac" || name == "hubmac" || name == "otamac") {
    const protocol::Key key = key_of(given[0]);
    const std::string id(id_of(given[0]).text());
    if (name == "mac") return text(protocol::view(protocol::auth_mac(key, id, given[1])));
    if (name == "hubmac") return text(protocol::view(protocol::hub_mac(key, id, given[1])));
    return text(
        protocol::view(protocol::ota_mac(key, id, given[1], given[2], std::stoull(given[3]))));
  }
  if (name == "imagesha") {
    const std::int64_t bytes = std::atoll(given[2].c_str());
    if (bytes < 1 || bytes > kMaxRepeatBytes) {
      return fail(FailureCode::invalid_argument, "$imagesha: no such size");
    }
    return text(image_sha256(make_image(given[0], given[1], static_cast<std::size_t>(bytes))));
  }
  if (name == "repeat") {
    const std::int64_t times = std::atoll(given[1].c_str());
    if (times < 0 || times * static_cast<std::int64_t>(given[0].size()) > kMaxRepeatBytes) {
      return fail(FailureCode::invalid_argument, "$repeat: too long");
    }
    std::string out;
    for (std::int64_t i = 0; i < times; ++i) out += given[0];
    return text(out);
  }
  return fail(FailureCode::invalid_argument, "no such computed value: $" + name);
}

std::string object_mismatch(const Pattern& pattern, const json::value& value, Bindings& bindings) {
  if (!value.is_object()) return ": an object was expected";
  for (std::size_t i = 0; i < pattern.keys.size(); ++i) {
    const json::value* member = value.get_object().if_contains(pattern.keys[i]);
    if (member == nullptr) return "." + pattern.keys[i] + ": is missing";
    const std::string inside = mismatch(pattern.parts[i], *member, bindings);
    if (!inside.empty()) return "." + pattern.keys[i] + inside;
  }
  return {};
}

std::string array_mismatch(const Pattern& pattern, const json::value& value, Bindings& bindings) {
  if (!value.is_array() || value.get_array().size() != pattern.parts.size()) {
    return ": an array of " + std::to_string(pattern.parts.size()) + " was expected";
  }
  for (std::size_t i = 0; i < pattern.parts.size(); ++i) {
    const std::string inside = mismatch(pattern.parts[i], value.get_array()[i], bindings);
    if (!inside.empty()) return "[" + std::to_string(i) + "]" + inside;
  }
  return {};
}

}  // namespace

protocol::Key key_of(std::string_view name) {
  if (auto given = protocol::key_from_text(name)) return *given;
  protocol::Sha256 hash;
  protocol::sha256_start(hash);
  protocol::sha256_update(hash, std::as_bytes(std::span(name.data(), name.size())));
  return protocol::Key(protocol::sha256_finish(hash));
}

protocol::DeviceId id_of(std::string_view name) { return protocol::device_id(key_of(name)); }

Result<Pattern> parse_pattern(std::string_view text) { return Parser(text).whole(); }

std::string mismatch(const Pattern& pattern, const json::value& value, Bindings& bindings) {
  switch (pattern.kind) {
    case Pattern::Kind::any: return {};
    case Pattern::Kind::object: return object_mismatch(pattern, value, bindings);
    case Pattern::Kind::array: return array_mismatch(pattern, value, bindings);
    case Pattern::Kind::variable:
      if (pattern.name != "now" && !bindings.contains(pattern.name)) {
        bindings[pattern.name] = value;
        return {};
      }
      break;
    case Pattern::Kind::call:
    case Pattern::Kind::literal: break;
  }
  const auto expected = evaluate(pattern, bindings);
  if (!expected) return ": " + expected.error().text;
  if (*expected == value) return {};
  return ": " + json::serialize(*expected) + " was expected";
}

Result<json::value> evaluate(const Pattern& pattern, const Bindings& bindings) {
  switch (pattern.kind) {
    case Pattern::Kind::any: return fail(FailureCode::invalid_argument, "* cannot be sent");
    case Pattern::Kind::literal: return pattern.literal;
    case Pattern::Kind::call: return compute(pattern, bindings);
    case Pattern::Kind::variable: {
      if (pattern.name == "now") {
        const auto now = std::chrono::system_clock::now().time_since_epoch();
        return json::value(std::chrono::duration_cast<std::chrono::milliseconds>(now).count());
      }
      const auto bound = bindings.find(pattern.name);
      if (bound == bindings.end())
        return fail(FailureCode::invalid_argument, "$" + pattern.name + " is not bound");
      return bound->second;
    }
    case Pattern::Kind::array: {
      json::array out;
      for (const Pattern& part : pattern.parts) {
        auto value = evaluate(part, bindings);
        if (!value) return value;
        out.push_back(std::move(*value));
      }
      return json::value(std::move(out));
    }
    case Pattern::Kind::object: {
      json::object out;
      for (std::size_t i = 0; i < pattern.keys.size(); ++i) {
        auto value = evaluate(pattern.parts[i], bindings);
        if (!value) return value;
        out[pattern.keys[i]] = std::move(*value);
      }
      return json::value(std::move(out));
    }
  }
  return fail(FailureCode::internal, "no such pattern");
}

}  // namespace gadget::conformance
