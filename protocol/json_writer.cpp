#include "protocol/json_writer.hpp"

#include <array>
#include <cstring>

#include "protocol/decimal.hpp"
#include "protocol/utf8.hpp"

namespace gadget::protocol {

void JsonWriter::put(const std::string_view& text) {
  if (full_ || text.size() > out_.size() - size_) {
    full_ = true;
    return;
  }
  if (text.empty()) return;  // an absent text may point nowhere
  std::memcpy(out_.data() + size_, text.data(), text.size());
  size_ += text.size();
}

void JsonWriter::put(char c) { put(std::string_view(&c, 1)); }

void JsonWriter::separate() {
  if (need_comma_) put(',');
  need_comma_ = false;
}

JsonWriter& JsonWriter::part(const char* json) {
  const std::string_view text(json);
  if (text.front() == '}' || text.front() == ']') need_comma_ = false;
  raw(text);
  const char last = text.back();
  need_comma_ = last != '{' && last != '[' && last != ':';
  return *this;
}

JsonWriter& JsonWriter::key(const std::string_view& text) {
  separate();
  put_escaped(text);
  put(':');
  return *this;
}

JsonWriter& JsonWriter::string(const std::string_view& text) {
  separate();
  put_escaped(text);
  need_comma_ = true;
  return *this;
}

JsonWriter& JsonWriter::key(const char* text) { return key(std::string_view(text)); }
JsonWriter& JsonWriter::string(const char* text) { return string(std::string_view(text)); }

std::string_view decimal(std::uint64_t value, DecimalRoom& room) {
  std::size_t at = room.size();
  do {
    room[--at] = static_cast<char>('0' + value % 10);
    value /= 10;
  } while (value != 0);
  return {room.data() + at, room.size() - at};
}

JsonWriter& JsonWriter::integer(std::int64_t value) {
  DecimalRoom room;
  const auto magnitude = static_cast<std::uint64_t>(value);
  separate();
  if (value < 0) put('-');
  return raw(decimal(value < 0 ? 0U - magnitude : magnitude, room));
}

JsonWriter& JsonWriter::boolean(bool value) { return part(value ? "true" : "false"); }

JsonWriter& JsonWriter::raw(const std::string_view& json) {
  separate();
  put(json);
  need_comma_ = true;
  return *this;
}

void JsonWriter::put_escaped(const std::string_view& text) {
  put('"');
  std::size_t plain = 0;  // characters that stand for themselves and were not written yet
  const auto flush = [&](std::size_t end) {
    put({text.data() + plain, end - plain});
    plain = end;
  };
  for (std::size_t i = 0; i < text.size() && !full_;) {
    const auto c = static_cast<unsigned char>(text[i]);
    if (c >= 0x20 && c < 0x80 && c != '"' && c != '\\' && c != 0x7F) {
      ++i;
      continue;
    }
    if (c >= 0x80) {
      const std::size_t size = utf8_character_bytes({text.data() + i, text.size() - i});
      if (size != 0) {
        i += size;
        continue;
      }
      flush(i);
      put("\xEF\xBF\xBD");
      plain = ++i;
      continue;
    }
    flush(i);
    // Each character that has a short escape, and that escape's letter.
    constexpr std::string_view kShort = "\"\"\\\\\nn\rr\tt";
    std::size_t at = 0;
    while (at < kShort.size() && kShort[at] != text[i]) at += 2;
    put('\\');
    if (at < kShort.size()) {
      put(kShort[at + 1]);
    } else {
      constexpr std::string_view kHex = "0123456789abcdef";
      put("u00");
      put(kHex[c >> 4U]);
      put(kHex[c & 15U]);
    }
    plain = ++i;
  }
  flush(text.size());
  put('"');
}

Expected<std::string_view> JsonWriter::finish() const {
  if (full_) return error(ErrorCode::buffer_full);
  return std::string_view(out_.data(), size_);
}

}  // namespace gadget::protocol
