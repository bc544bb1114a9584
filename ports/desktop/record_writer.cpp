#include "ports/desktop/record_writer.hpp"

#include <cerrno>
#include <system_error>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ports/desktop/record_line.hpp"

namespace gadget::ports::desktop {
namespace {

Failure cannot(const std::filesystem::path& file) {
  return {FailureCode::io,
          "cannot write " + file.string() + ": " + std::generic_category().message(errno), ""};
}

}  // namespace

Result<std::unique_ptr<RecordWriter>> RecordWriter::open(const std::filesystem::path& file,
                                                         const CoreOptions& options) {
  const int descriptor =
      ::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, S_IRUSR | S_IWUSR);
  if (descriptor < 0) return tl::unexpected{cannot(file)};
  (void)fchmod(descriptor, S_IRUSR | S_IWUSR);  // one that was there already; fails on a pipe
  std::FILE* const stream = fdopen(descriptor, "w");
  if (stream == nullptr) {
    ::close(descriptor);
    return tl::unexpected{cannot(file)};
  }
  std::unique_ptr<RecordWriter> writer{new RecordWriter{stream}};
  writer->line(kRecordMark, " ", std::to_string(kRecordVersion));
  writer->line("firmware ", in_quotes(options.firmware));
  writer->line("built ", std::to_string(options.build_time_s));
  writer->line("profile ", to_words(options.profile));
  writer->line("name ", in_quotes(options.name));
  writer->line("token ", in_quotes(options.token));
  writer->line("hub ", in_quotes(options.hub));
  const auto bit = [](bool yes) { return yes ? "1" : "0"; };
  writer->line("given ",
               std::string{bit(options.name_given)} + " " + bit(options.token_given) + " ",
               bit(options.hub_given));
  return writer;
}

void RecordWriter::told(device::Millis now, std::string_view what) {
  if (size_bytes_ > kMaxRecordBytes) full_ = true;
  line("< ", std::to_string(now) + " ", what);
  std::fflush(file_.get());
}

std::string RecordWriter::asked(std::string_view what,
                                const std::function<std::string()>& outside) {
  std::string answer = outside();
  line("? ", what, " = " + answer);
  return answer;
}

void RecordWriter::did(std::string_view what) { line("> ", what); }

void RecordWriter::line(std::string_view head, std::string_view text, std::string_view tail) {
  if (full_) return;
  for (const auto part : {head, text, tail, std::string_view{"\n"}}) {
    if (std::fwrite(part.data(), 1, part.size(), file_.get()) != part.size()) failed_ = true;
    size_bytes_ += part.size();
  }
}

Result<void> RecordWriter::close() {
  if (std::fflush(file_.get()) != 0) failed_ = true;
  file_.reset();
  if (failed_) return fail(FailureCode::io, "the record could not be written to its end");
  if (full_) return fail(FailureCode::io, "the record became too long and ends before the run did");
  return {};
}

}  // namespace gadget::ports::desktop
