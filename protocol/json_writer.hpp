// json_writer.hpp - writes JSON into a caller's buffer, piece by piece: no heap.
//
// A writer that ran out of room stays `full` and writes nothing more, so that only the end needs a
// check.
//
// Names and words of the code's own are literals, which cost a caller half of what a string_view
// does; and texts go by reference: GCC hands a string_view on through memory on an ARM.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "protocol/error.hpp"

namespace gadget::protocol {

class JsonWriter {
 public:
  explicit JsonWriter(std::span<char> out) : out_(out) {}

  // A piece of JSON in the code's own words, as long as one likes: `{"type":"object","of":[`. What
  // comes before and after it is separated as if its parts had been written one by one.
  JsonWriter& part(const char* json);
  JsonWriter& begin_object() { return part("{"); }
  JsonWriter& end_object() { return part("}"); }
  JsonWriter& begin_array() { return part("["); }
  JsonWriter& end_array() { return part("]"); }
  JsonWriter& key(const std::string_view& text);
  JsonWriter& key(const char* text);
  JsonWriter& string(const std::string_view& text);  // invalid UTF-8 is written as U+FFFD
  JsonWriter& string(const char* text);
  JsonWriter& integer(std::int64_t value);
  JsonWriter& boolean(bool value);
  JsonWriter& raw(const std::string_view& json);  // a value that is JSON already

  [[nodiscard]] bool full() const { return full_; }
  // What was written. Error: `buffer_full`.
  [[nodiscard]] Expected<std::string_view> finish() const;

 private:
  void separate();
  void put(const std::string_view& text);
  void put(char c);
  void put_escaped(const std::string_view& text);

  std::span<char> out_;
  std::size_t size_ = 0;
  bool full_ = false;
  bool need_comma_ = false;
};

}  // namespace gadget::protocol
