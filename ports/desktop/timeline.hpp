// timeline.hpp - what happened and when, in milliseconds since the start: for people as
// `[  1234 ms] transcript: what time is it`, for programs as JSON lines.
#pragma once

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "base/failure.hpp"
#include "device/core/platform.hpp"

namespace gadget::ports::desktop {

class Timeline {
 public:
  // `people`: prints lines on stdout. `file` empty: no JSON. Error: io.
  [[nodiscard]] static Result<Timeline> open(bool people, const std::filesystem::path& file);

  // Every delta goes to the file; people get the first of a reply.
  void note(device::Fact fact, std::string_view text);

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  bool people_ = false;
  bool in_reply_ = false;
  std::unique_ptr<std::FILE, Close> file_;
};

// Without control characters: what a hub wrote must not move the cursor.
[[nodiscard]] std::string printable(std::string_view text);

}  // namespace gadget::ports::desktop
