#include "hub/server/log.hpp"

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include "protocol/utf8.hpp"

namespace gadget::hub {
namespace {

using Level = LogFact::Level;

Level parse_level(std::string_view name) {
  if (name == "debug") return Level::debug;
  if (name == "warning") return Level::warning;
  if (name == "error") return Level::error;
  return Level::info;
}

spdlog::level::level_enum spd(Level level) {
  switch (level) {
    case Level::debug: return spdlog::level::debug;
    case Level::info: return spdlog::level::info;
    case Level::warning: return spdlog::level::warn;
    case Level::error: return spdlog::level::err;
  }
  return spdlog::level::info;
}

bool is_plain(char c) {
  return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
         std::string_view("-_.:/+@,;#%()[]*").find(c) != std::string_view::npos;
}

void append_escaped(std::string& out, std::string_view character) {
  constexpr std::string_view hex = "0123456789abcdef";
  for (const char c : character) {
    const auto byte = static_cast<unsigned char>(c);
    out += "\\x";
    out += hex[byte >> 4U];
    out += hex[byte & 0xfU];
  }
}

// C0, DEL and C1 controls, line separators and bidirectional overrides could draw a false line.
bool is_harmful(std::string_view character) {
  if (character.size() == 1) {
    return static_cast<unsigned char>(character[0]) < 0x20 || character[0] == 0x7f;
  }
  if (character.size() == 2) {
    return (character[0] == '\xc2' && character[1] < '\xa0') || character == "\xd8\x9c";
  }
  if (character == "\xef\xbb\xbf") return true;
  return character >= "\xe2\x80\x8b" && character <= "\xe2\x81\xaf";  // U+200B to U+206F
}

}  // namespace

std::string log_value(std::string_view value) {
  std::string out;
  bool plain = !value.empty();
  bool cut = false;
  while (!value.empty()) {
    if (out.size() >= kMaxLogValueBytes) {
      cut = true;
      break;
    }
    const std::size_t size = protocol::utf8_character_bytes(value);
    const std::string_view character = value.substr(0, size == 0 ? 1 : size);
    value.remove_prefix(character.size());
    if (size == 0 || is_harmful(character)) {
      append_escaped(out, character);
      plain = false;
    } else if (character == "\"" || character == "\\") {
      out += '\\';
      out += character;
      plain = false;
    } else {
      out += character;
      plain = plain && size == 1 && is_plain(character[0]);
    }
  }
  if (cut) out += "...";
  return plain ? out : '"' + out + '"';
}

Log::Log(std::string_view level, std::function<std::int64_t()> now_ms, Sink sink)
    : least_(parse_level(level)), now_ms_(std::move(now_ms)), sink_(std::move(sink)) {
  if (sink_) return;
  logger_ =
      std::make_shared<spdlog::logger>("hub", std::make_shared<spdlog::sinks::stderr_sink_st>());
  logger_->set_level(spd(least_.load()));
  logger_->flush_on(spdlog::level::trace);
  logger_->set_pattern("ts=%Y-%m-%dT%H:%M:%S.%eZ level=%l %v", spdlog::pattern_time_type::utc);
}

Log::~Log() { flush(); }

void Log::write(Level level, std::string_view event,
                std::vector<std::pair<std::string, std::string>> fields) {
  write(LogFact{level, std::string(event), std::move(fields)});
}

void Log::write(const LogFact& fact) {
  if (!wants(fact.level)) return;
  const std::lock_guard lock(mutex_);
  Window& window = windows_[fact.event];
  if (now_ms_() - window.begun_ms >= kLogWindowMs || window.lines == 0) {
    close(window);
    window.begun_ms = now_ms_();
  }
  if (window.lines >= kLinesPerWindow && window.repeated == 0) {
    // In a flood nobody reads it, and it is not made: what repeats the last line counts here too.
    ++window.suppressed;
    return;
  }
  std::string line = "event=" + fact.event;
  for (const auto& [key, value] : fact.fields) line += " " + key + "=" + log_value(value);
  if (window.last == line && window.lines > 0) {
    ++window.repeated;
    return;
  }
  if (window.lines >= kLinesPerWindow) {
    ++window.suppressed;
    return;
  }
  if (window.repeated > 0) {
    emit(window.level, window.last + " repeated=" + std::to_string(window.repeated));
    window.repeated = 0;
  }
  ++window.lines;
  window.level = fact.level;
  window.last = std::move(line);
  emit(fact.level, window.last);
}

void Log::close(Window& window) {
  if (window.repeated > 0) {
    emit(window.level, window.last + " repeated=" + std::to_string(window.repeated));
  }
  if (window.suppressed > 0) {
    const auto event = std::string_view(window.last).substr(0, window.last.find(' '));
    emit(window.level, std::string(event) + " suppressed=" + std::to_string(window.suppressed));
  }
  window = Window{};
}

void Log::sweep() {
  const std::lock_guard lock(mutex_);
  for (auto& [event, window] : windows_) {
    if (window.lines > 0 && now_ms_() - window.begun_ms >= kLogWindowMs) close(window);
  }
}

void Log::set_level(std::string_view level) {
  least_ = parse_level(level);
  const std::lock_guard lock(mutex_);
  if (logger_) logger_->set_level(spd(least_.load()));
}

void Log::flush() {
  const std::lock_guard lock(mutex_);
  for (auto& [event, window] : windows_) close(window);
  if (logger_) logger_->flush();
}

void Log::emit(Level level, std::string_view line) {
  if (also_) also_(level, line);
  if (sink_) {
    sink_(level, line);
  } else {
    logger_->log(spd(level), spdlog::string_view_t(line.data(), line.size()));
  }
}

}  // namespace gadget::hub
