#include "speech/wyoming.hpp"

#include <algorithm>
#include <utility>

#include <boost/json.hpp>

namespace gadget::speech {
namespace {

namespace json = boost::json;

constexpr std::size_t kMaxDepth = 16;
constexpr std::size_t kMaxErrorText = 200;

Result<json::object> parse_object(std::string_view text) {
  json::parse_options options;
  options.max_depth = kMaxDepth;
  boost::system::error_code error;
  auto value = json::parse({text.data(), text.size()}, error, {}, options);
  if (error || !value.is_object()) {
    return fail(FailureCode::corrupt, "the voice worker sent something that is not a JSON object");
  }
  return std::move(value.as_object());
}

// A length that may be absent: 0 then. Anything else than a number in bounds is an error.
Result<std::size_t> length_of(const json::object& header, std::string_view name,
                              std::size_t limit) {
  const auto* const value = header.if_contains({name.data(), name.size()});
  if (value == nullptr || value->is_null()) return std::size_t{0};
  if (const auto* const number = value->if_int64();
      number != nullptr && *number >= 0 && static_cast<std::uint64_t>(*number) <= limit) {
    return static_cast<std::size_t>(*number);
  }
  return fail(FailureCode::corrupt,
              "the voice worker sent a bad " + std::string(name) + " in a header");
}

std::uint32_t small_number(const json::object& data, const char* name) {
  const auto* const value = data.if_contains(name);
  const auto* const number = value != nullptr ? value->if_int64() : nullptr;
  constexpr std::int64_t kLargest = 1'000'000;
  return number != nullptr && *number >= 0 && *number <= kLargest
             ? static_cast<std::uint32_t>(*number)
             : 0;
}

}  // namespace

std::string encode_wyoming(std::string_view type, std::string_view data, std::string_view payload) {
  json::object header;
  header["type"] = json::string(type.data(), type.size());
  if (!data.empty()) header["data_length"] = data.size();
  if (!payload.empty()) header["payload_length"] = payload.size();
  std::string out = json::serialize(header);
  out += '\n';
  out += data;
  out += payload;
  return out;
}

std::string wyoming_text(std::string_view text) {
  return json::serialize(json::object{{"text", json::string(text.data(), text.size())}});
}

void WyomingReader::push(std::string_view bytes) {
  if (used_ > 0) {
    buffer_.erase(0, used_);
    used_ = 0;
  }
  buffer_ += bytes;
}

Result<void> WyomingReader::read_header(std::string_view line) {
  auto header = parse_object(line);
  if (!header) return tl::unexpected<Failure>(std::move(header.error()));
  const auto* const type = header->if_contains("type");
  if (type == nullptr || !type->is_string()) {
    return fail(FailureCode::corrupt, "the voice worker sent an event without a type");
  }
  auto data = length_of(*header, "data_length", kMaxWyomingData);
  if (!data) return tl::unexpected<Failure>(std::move(data.error()));
  auto payload = length_of(*header, "payload_length", kMaxWyomingPayload);
  if (!payload) return tl::unexpected<Failure>(std::move(payload.error()));
  data_length_ = *data;
  payload_length_ = *payload;
  open_ = WyomingEvent{std::string(type->as_string()), "{}", {}};
  if (const auto* const inline_data = header->if_contains("data");
      inline_data != nullptr && inline_data->is_object()) {
    open_->data = json::serialize(*inline_data);
  }
  return {};
}

Result<std::optional<WyomingEvent>> WyomingReader::next() {
  if (!open_) {
    const auto rest = std::string_view(buffer_).substr(used_);
    const auto end = rest.find('\n');
    if (std::min(end, rest.size()) > kMaxWyomingHeader) {
      return fail(FailureCode::corrupt, "the voice worker sent a header that is too long");
    }
    if (end == std::string_view::npos) return std::nullopt;
    if (auto read = read_header(rest.substr(0, end)); !read) {
      return tl::unexpected<Failure>(std::move(read.error()));
    }
    used_ += end + 1;
  }
  const auto rest = std::string_view(buffer_).substr(used_);
  if (rest.size() < data_length_ + payload_length_) return std::nullopt;
  if (data_length_ > 0) open_->data = rest.substr(0, data_length_);
  open_->payload = rest.substr(data_length_, payload_length_);
  used_ += data_length_ + payload_length_;
  return std::exchange(open_, std::nullopt);
}

Result<WyomingAudio> wyoming_audio(const WyomingEvent& event) {
  auto data = parse_object(event.data);
  if (!data) return tl::unexpected<Failure>(std::move(data.error()));
  const WyomingAudio audio{small_number(*data, "rate"), small_number(*data, "width"),
                           small_number(*data, "channels")};
  if (audio.rate_hz == 0 || audio.width == 0 || audio.channels == 0) {
    return fail(FailureCode::corrupt, "the voice worker sent audio without its format");
  }
  return audio;
}

std::string wyoming_error(const WyomingEvent& event) {
  const auto data = parse_object(event.data);
  if (!data) return "unknown error";
  const auto* const text = data->if_contains("text");
  if (text == nullptr || !text->is_string()) return "unknown error";
  return std::string(text->as_string()).substr(0, kMaxErrorText);
}

int fuzz_wyoming(std::span<const std::uint8_t> data) {
  if (data.empty()) return 0;
  const std::size_t step = data[0] + std::size_t{1};
  WyomingReader reader;
  for (std::size_t at = 1; at < data.size(); at += step) {
    const auto chunk = data.subspan(at, std::min(step, data.size() - at));
    reader.push({reinterpret_cast<const char*>(chunk.data()), chunk.size()});
    while (true) {
      auto event = reader.next();
      if (!event) return 0;
      if (!*event) break;
      (void)wyoming_audio(**event);
      (void)wyoming_error(**event);
    }
  }
  return 0;
}

}  // namespace gadget::speech
