// record_writer.hpp - writes a record: everything that the core is told, asks and does.
//
// The file is readable by this user only: it holds no key and no token (stand_in.hpp), but what was
// said and shown. Each call of the core is in the file before it is made, so that the record of a
// crash ends with its cause. One thread.
#pragma once

#include <cstdio>
#include <filesystem>
#include <memory>

#include "base/failure.hpp"
#include "ports/desktop/core.hpp"

namespace gadget::ports::desktop {

inline constexpr int kRecordVersion = 1;
inline constexpr std::string_view kRecordMark = "hermes-gadget-record";
// Three hours of a quiet gadget, an hour and a half of talking. Beyond: the record ends there.
inline constexpr std::size_t kMaxRecordBytes = std::size_t{256} << 20U;

class RecordWriter final : public Journal {
 public:
  // Begins the file with its head: version and what the core is made of. `options.token` is the
  // stand-in's. Error: io.
  [[nodiscard]] static Result<std::unique_ptr<RecordWriter>> open(const std::filesystem::path& file,
                                                                  const CoreOptions& options);

  void told(device::Millis now, std::string_view what) override;
  std::string asked(std::string_view what, const std::function<std::string()>& outside) override;
  void did(std::string_view what) override;

  // Whether all of it is in the file. Error: io, or that it was too long.
  [[nodiscard]] Result<void> close();

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  explicit RecordWriter(std::FILE* file) : file_(file) {}
  void line(std::string_view head, std::string_view text, std::string_view tail = {});

  std::unique_ptr<std::FILE, Close> file_;
  std::size_t size_bytes_ = 0;
  bool full_ = false;
  bool failed_ = false;
};

}  // namespace gadget::ports::desktop
