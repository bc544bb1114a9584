// json_writer.hpp - writes JSON into a caller's buffer, piece by piece: no heap.
//
// A writer that ran out of room stays `full` and writes nothing more, so that only the end needs a
// check.
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

  JsonWriter& begin_object();
  JsonWriter& end_object();
  JsonWriter& begin_array();
  JsonWriter& end_array();
  JsonWriter& key(std::string_view text);
  JsonWriter& string(std::string_view text);  // invalid UTF-8 is written as U+FFFD
  JsonWriter& integer(std::int64_t value);
  JsonWriter& boolean(bool value);
  JsonWriter& raw(std::string_view json);  // a value that is JSON already

  [[nodiscard]] bool full() const { return full_; }
  // What was written. Error: `buffer_full`.
  [[nodiscard]] Expected<std::string_view> finish() const;

 private:
  void separate();
  void put(std::string_view text);
  void put(char c);
  void put_escaped(std::string_view text);

  std::span<char> out_;
  std::size_t size_ = 0;
  bool full_ = false;
  bool need_comma_ = false;
};

}  // namespace gadget::protocol
