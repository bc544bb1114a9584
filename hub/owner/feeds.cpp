#include "hub/owner/feeds.hpp"

#include <array>

namespace gadget::hub {
namespace {

using Level = LogFact::Level;

constexpr std::array kLevels{std::pair{Level::debug, std::string_view("debug")},
                             std::pair{Level::info, std::string_view("info")},
                             std::pair{Level::warning, std::string_view("warning")},
                             std::pair{Level::error, std::string_view("error")}};

// Takes one `key=value` off the line. The log writes values with nothing else escaped than the
// quote and the backslash; \xNN stays as it is, so that it is as harmless as in the log.
std::pair<std::string, std::string> take_field(std::string_view& line) {
  while (line.starts_with(' ')) line.remove_prefix(1);
  const auto equals = std::min(line.find('='), line.size());
  std::pair<std::string, std::string> field;
  field.first = line.substr(0, equals);
  line.remove_prefix(std::min(equals + 1, line.size()));
  if (!line.starts_with('"')) {
    const auto end = std::min(line.find(' '), line.size());
    field.second = line.substr(0, end);
    line.remove_prefix(end);
    return field;
  }
  std::size_t at = 1;
  for (; at < line.size() && line[at] != '"'; ++at) {
    const bool escaped =
        line[at] == '\\' && at + 1 < line.size() && (line[at + 1] == '"' || line[at + 1] == '\\');
    if (escaped) ++at;
    field.second += line[at];
  }
  line.remove_prefix(std::min(at + 1, line.size()));
  return field;
}

}  // namespace

std::string_view name(Level level) { return kLevels[static_cast<std::size_t>(level)].second; }

bool parse_level(std::string_view name, Level& level) {
  for (const auto& [its, text] : kLevels) {
    if (text != name) continue;
    level = its;
    return true;
  }
  return false;
}

std::vector<std::pair<std::string, std::string>> fields_of(std::string_view line) {
  std::vector<std::pair<std::string, std::string>> fields;
  while (!line.empty()) fields.push_back(take_field(line));
  return fields;
}

std::string field_of(std::string_view line, std::string_view key) {
  while (!line.empty()) {
    auto field = take_field(line);
    if (field.first == key) return std::move(field.second);
  }
  return {};
}

void DeviceWatch::changed(const DeviceId& device) {
  {
    const std::lock_guard lock(mutex_);
    if (changes_.all) return;
    changes_.devices.insert(device);
    changes_.all = changes_.devices.size() > kChangedDevices;
    if (changes_.all) changes_.devices.clear();
  }
  bell_->ring();
}

DeviceWatch::Changes DeviceWatch::take(std::size_t limit) {
  const std::lock_guard lock(mutex_);
  Changes taken;
  taken.all = std::exchange(changes_.all, false);
  while (!changes_.devices.empty() && taken.devices.size() < limit) {
    taken.devices.insert(changes_.devices.extract(changes_.devices.begin()));
  }
  return taken;
}

void Feeds::ended(TurnRecord turn) {
  const std::size_t bytes = turn.turn.size() + turn.asked.size() + turn.answered.size() +
                            turn.timeline.size() * sizeof(turn.timeline.front());
  turns.push(std::move(turn), bytes);
}

void Feeds::forget(const DeviceId& device) {
  turns.erase_if([&](const TurnRecord& turn) { return turn.device == device; });
}

void Feeds::forget_texts() {
  turns.change_all([](TurnRecord& turn) {
    turn.has_texts = false;
    turn.asked = {};
    turn.answered = {};
  });
}

// Most of the time nobody watches.
void Feeds::device_changed(const DeviceId& device) {
  if (!watched_) return;
  const std::lock_guard lock(mutex_);
  std::erase_if(watches_, [&](const auto& weak) {
    const auto watch = weak.lock();
    if (watch) watch->changed(device);
    return watch == nullptr;
  });
  watched_ = !watches_.empty();
}

std::shared_ptr<DeviceWatch> Feeds::watch(const boost::asio::any_io_executor& executor) {
  auto made = std::make_shared<DeviceWatch>(std::make_shared<Bell>(executor));
  const std::lock_guard lock(mutex_);
  watches_.push_back(made);
  watched_ = true;
  return made;
}

}  // namespace gadget::hub
