#include "ports/desktop/core.hpp"

#include <algorithm>
#include <array>
#include <type_traits>
#include <vector>

#include "ports/desktop/heap_watch.hpp"
#include "ports/desktop/record_line.hpp"

namespace gadget::ports::desktop {
namespace {

using device::Button;
using device::Epoch;
using device::Millis;
using device::Settings;

constexpr std::uint32_t kMaxRateHz = 48'000;
constexpr std::size_t kScreenTextBytes = 8'192;
// What of a console waits to be read. Beyond: what follows is lost, as on a serial port.
constexpr std::size_t kMaxConsoleLines = 1'000;

std::string samples_text(std::span<const std::int16_t> samples) {
  const bool silent =
      std::all_of(samples.begin(), samples.end(), [](std::int16_t s) { return s == 0; });
  return silent ? "silence " + std::to_string(samples.size())
                : "samples " + base64(std::as_bytes(samples));
}

// Where the token stands in a line that sets it: as secret there as anywhere. Else the line's end.
std::size_t token_at(std::string_view line) {
  std::size_t at = 0;
  for (const std::string_view word : {std::string_view{"set"}, name(device::Setting::token)}) {
    at = std::min(line.find_first_not_of(' ', at), line.size());
    if (line.substr(at, word.size()) != word) return line.size();
    at += word.size();
    if (at < line.size() && line[at] != ' ') return line.size();
  }
  return std::min(line.find_first_not_of(' ', at), line.size());
}

}  // namespace

struct Core::Memory
    : device::GadgetMemory<kMaxRateHz, 4 + kMaxRateHz / 25 * 2, 40'960, 16'384, 4'096> {
  std::vector<device::screen::Colour> picture;
};

Core::Core(CoreOptions options, const device::Platform& platform, Journal* journal,
           StandIn* stand_in)
    : options_(std::move(options)),
      journal_(journal),
      stand_in_(stand_in),
      panel_(options_.profile),
      outside_(platform, panel_, journal, stand_in) {}

Core::~Core() = default;

// A line of the record, made only when there is one. The core's answer goes behind it.
#define TOLD(now, text) \
  if (journal_ != nullptr) journal_->told(now, text)

Core::Tally::~Tally() {
  const std::uint64_t taken = heap::count() - before_ - (core_.allocations_ - within_);
  if (taken == 0) return;
  const heap::Pause pause;
  if (core_.allocations_ == 0) core_.first_allocation_ = what_;
  core_.allocations_ += taken;
}

bool Core::yes_no(bool answer) {
  if (journal_ != nullptr) journal_->did(answer ? "yes" : "no");
  return answer;
}

void Core::power_on(Millis now, const std::string& firmware) {
  TOLD(now, firmware.empty() ? "on" : "on " + in_quotes(firmware));
  firmware_ = firmware.empty() ? options_.firmware : firmware;
  auto config = config_of(options_.profile);
  config.name = options_.name;
  config.token = options_.token;
  config.hub = options_.hub;
  if (options_.name_given) config.forced.name = options_.name;
  if (options_.token_given) config.forced.token = options_.token;
  if (options_.hub_given) config.forced.hub = options_.hub;
  config.firmware = firmware_;
  config.menu = &menu_;
  config.build_time_ms = options_.build_time_s * 1'000;
  memory_ = std::make_unique<Memory>();
  device::GadgetBuffers buffers = memory_->view();
  if (config.display && config.display->image) {
    const auto& box = *config.display->image;
    memory_->picture.resize(static_cast<std::size_t>(box.width * box.height));
    buffers.image = memory_->picture;
  }
  gadget_ = std::make_unique<device::Gadget>(config, outside_.platform(), buffers);
  console_ = std::make_unique<device::Console>(*gadget_, static_cast<device::ConsolePort&>(*this));
  outside_.log_to(console_.get());
}

void Core::power_off(Millis now) {
  if (!gadget_) return;
  TOLD(now, "off");
  outside_.log_to(nullptr);
  console_.reset();
  gadget_.reset();
}

bool Core::start(Millis now) {
  TOLD(now, "start");
  return yes_no(inside("start", [&] { return gadget_->start(now); }));
}

void Core::tick(Millis now) {
  TOLD(now, "tick");
  inside("tick", [&] {
    gadget_->tick(now);
    console_->tick(now);
  });
}

void Core::network(Millis now, bool up) {
  TOLD(now, up ? "network up" : "network down");
  inside("network", [&] { gadget_->network(now, up); });
}

void Core::stop(Millis now, std::uint16_t code, std::string_view reason) {
  TOLD(now, "stop " + std::to_string(code) + " " + in_quotes(reason));
  inside("stop", [&] { gadget_->stop(now, code, reason); });
}

// ---- Link events

void Core::link_transport(Millis now, Epoch epoch) {
  TOLD(now, "transport " + std::to_string(epoch));
  inside("transport", [&] { gadget_->link_transport(now, epoch); });
}

void Core::link_opened(Millis now, Epoch epoch) {
  TOLD(now, "opened " + std::to_string(epoch));
  inside("opened", [&] { gadget_->link_opened(now, epoch); });
}

void Core::link_text(Millis now, Epoch epoch, std::span<char> message) {
  if (stand_in_ != nullptr) message = stand_in_->inbound(message);
  TOLD(now, "message " + std::to_string(epoch) + " " + in_quotes({message.data(), message.size()}));
  inside("message", [&] { gadget_->link_text(now, epoch, message); });
}

void Core::link_cut_text(Millis now, Epoch epoch, std::span<char> beginning) {
  TOLD(now, "cut " + std::to_string(epoch) + " " + in_quotes({beginning.data(), beginning.size()}));
  inside("cut", [&] { gadget_->link_cut_text(now, epoch, beginning); });
}

void Core::link_binary(Millis now, Epoch epoch, std::span<const std::byte> message) {
  TOLD(now, "binary " + std::to_string(epoch) + " " + base64(message));
  inside("binary", [&] { gadget_->link_binary(now, epoch, message); });
}

void Core::link_alive(Millis now, Epoch epoch) {
  TOLD(now, "alive " + std::to_string(epoch));
  inside("alive", [&] { gadget_->link_alive(now, epoch); });
}

void Core::link_closed(Millis now, Epoch epoch, const device::LinkEnd& end) {
  TOLD(now, "closed " + std::to_string(epoch) + " " + std::to_string(end.close_code) + " " +
                std::to_string(end.http_status) + " " + std::to_string(end.retry_after_s) + " " +
                in_quotes(end.reason));
  inside("closed", [&] { gadget_->link_closed(now, epoch, end); });
}

// ---- The person

void Core::button(Millis now, Button button, bool down) {
  TOLD(now, "button " + std::string{name(button)} + (down ? " down" : " up"));
  inside("button", [&] { gadget_->button(now, button, down); });
}

bool Core::text(Millis now, std::string_view text) {
  TOLD(now, "type " + in_quotes(text));
  return yes_no(inside("type", [&] { return gadget_->text(now, text); }));
}

void Core::cancel(Millis now) {
  TOLD(now, "cancel");
  inside("cancel", [&] { gadget_->cancel(now); });
}

void Core::new_session(Millis now) {
  TOLD(now, "new");
  inside("new", [&] { gadget_->new_session(now); });
}

bool Core::answer(Millis now, bool yes) {
  TOLD(now, yes ? "answer yes" : "answer no");
  return yes_no(inside("answer", [&] { return gadget_->answer(now, yes); }));
}

void Core::allow_reenrol(Millis now) {
  TOLD(now, "reenrol");
  inside("reenrol", [&] { gadget_->allow_reenrol(now); });
}

// ---- The board

void Core::microphone(Millis now, std::span<const std::int16_t> samples) {
  TOLD(now, "mic " + samples_text(samples));
  inside("mic", [&] { gadget_->microphone(now, samples); });
}

std::size_t Core::play(Millis now, std::span<std::int16_t> out) {
  TOLD(now, "play " + std::to_string(out.size()));
  const std::size_t voice = inside("play", [&] { return gadget_->play(now, out); });
  if (journal_ != nullptr) {
    journal_->did("voice " + std::to_string(voice) + " " + fingerprint(std::as_bytes(out)));
  }
  return voice;
}

bool Core::sensor(Millis now, std::string_view name, std::string_view json) {
  TOLD(now, "sensor " + in_quotes(name) + " " + in_quotes(json));
  return yes_no(inside("sensor", [&] { return gadget_->sensor(now, name, json); }));
}

bool Core::event(Millis now, std::string_view name, std::string_view data, bool notify) {
  TOLD(now, "event " + in_quotes(name) + " " + in_quotes(data) + (notify ? " notify" : " quiet"));
  return yes_no(inside("event", [&] { return gadget_->event(now, name, data, notify); }));
}

Settings::Outcome Core::set(Millis now, device::Setting setting, std::string_view value) {
  if (stand_in_ != nullptr && setting == device::Setting::token)
    value = stand_in_->set_token(value);
  TOLD(now, "set " + std::string{device::name(setting)} + " " + in_quotes(value));
  return outcome(inside("set", [&] { return gadget_->set(now, setting, value); }));
}

Settings::Outcome Core::set(Millis now, device::Setting setting, int value) {
  TOLD(now, "number " + std::string{device::name(setting)} + " " + std::to_string(value));
  return outcome(inside("set", [&] { return gadget_->set(now, setting, value); }));
}

Settings::Outcome Core::outcome(Settings::Outcome outcome) {
  if (journal_ != nullptr) journal_->did("outcome " + std::to_string(static_cast<int>(outcome)));
  return outcome;
}

bool Core::factory_reset(Millis now) {
  TOLD(now, "reset");
  return yes_no(inside("reset", [&] { return gadget_->factory_reset(now); }));
}

// ---- The console

void Core::console(Millis now, std::string_view line) {
  std::string told{line};
  const std::size_t secret = token_at(line);
  if (stand_in_ != nullptr && secret < line.size()) {
    told.replace(secret, std::string::npos, stand_in_->set_token(line.substr(secret)));
  }
  TOLD(now, "console " + in_quotes(told));
  inside("console", [&] { console_->run(now, told); });
}

void Core::write_line(std::string_view line) {
  const heap::Pause pause;
  if (journal_ != nullptr) journal_->did("line " + in_quotes(line));
  if (console_lines_.size() < kMaxConsoleLines) console_lines_.emplace_back(line);
}

bool Core::restart() {
  restart_ = true;
  return true;
}

std::optional<std::string> Core::console_line() {
  if (console_lines_.empty()) return std::nullopt;
  std::string line = std::move(console_lines_.front());
  console_lines_.pop_front();
  return line;
}

#undef TOLD

// ---- To look at

bool Core::shows(Millis now, std::string_view text) const {
  device::screen::ScreenModel model;
  gadget_->fill(now, model);
  return device::screen::visible(model, panel_.width(), panel_.height(), text,
                                 *fonts_of(options_.profile));
}

std::string Core::screen_text(Millis now) const {
  device::screen::ScreenModel model;
  gadget_->fill(now, model);
  std::array<char, kScreenTextBytes> room{};
  return std::string{device::screen::text_of(model, panel_.width(), panel_.height(), room,
                                             *fonts_of(options_.profile))};
}

// On a panel of its own: what the core shows is the core's to say.
Result<void> Core::screenshot(Millis now, const std::string& path) const {
  device::screen::ScreenModel model;
  gadget_->fill(now, model);
  Panel panel{options_.profile};
  panel.draw(model, now);
  return panel.save(path);
}

std::string_view name(Button button) {
  switch (button) {
    case Button::talk: return "talk";
    case Button::cancel: return "cancel";
    case Button::up: return "up";
    case Button::down: return "down";
  }
  return "talk";
}

std::optional<Button> button_named(std::string_view word) {
  for (const auto button : {Button::talk, Button::cancel, Button::up, Button::down}) {
    if (word == name(button)) return button;
  }
  return std::nullopt;
}

}  // namespace gadget::ports::desktop
