#include "ports/desktop/timeline.hpp"

#include <cerrno>
#include <cstring>
#include <system_error>

#include "protocol/json_writer.hpp"

namespace gadget::ports::desktop {

using device::Fact;

std::string printable(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\n' || c == '\t') {
      out += ' ';
    } else if (static_cast<unsigned char>(c) >= 0x20 && c != 0x7F) {
      out += c;
    }
  }
  return out;
}

Result<Timeline> Timeline::open(bool people, const std::filesystem::path& file) {
  Timeline timeline;
  timeline.people_ = people;
  if (!file.empty()) {
    timeline.file_.reset(std::fopen(file.c_str(), "w"));
    if (!timeline.file_) {
      return fail(FailureCode::io,
                  "cannot write " + file.string() + ": " + std::generic_category().message(errno));
    }
  }
  return timeline;
}

void Timeline::note(Fact fact, std::string_view text) {
  const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(
                      std::chrono::steady_clock::now() - start_)
                      .count();
  if (file_) {
    std::string room(6 * text.size() + 128, '\0');
    protocol::JsonWriter json{room};
    json.begin_object().key("ms").integer(ms).key("event").string(name(fact));
    if (!text.empty()) json.key("text").string(text);
    json.end_object();
    const auto line = json.finish().value_or("");
    std::fprintf(file_.get(), "%.*s\n", static_cast<int>(line.size()), line.data());
    std::fflush(file_.get());
  }
  const bool further_delta = fact == Fact::delta && in_reply_;
  if (fact == Fact::delta) in_reply_ = true;
  if (fact == Fact::reply || fact == Fact::turn_end) in_reply_ = false;
  if (!people_ || further_delta) return;
  const std::string what{name(fact)};
  const std::string shown = printable(text);
  std::printf("[%6lld ms] %s%s%s\n", static_cast<long long>(ms), what.c_str(),
              shown.empty() ? "" : ": ", shown.c_str());
  std::fflush(stdout);
}

}  // namespace gadget::ports::desktop
