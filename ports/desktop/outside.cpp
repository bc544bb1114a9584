#include "ports/desktop/outside.hpp"

#include <algorithm>

#include "ports/desktop/heap_watch.hpp"
#include "ports/desktop/record_line.hpp"

namespace gadget::ports::desktop {
namespace {

constexpr std::string_view kYes = "yes";

std::string yes_no(bool yes) { return yes ? "yes" : "no"; }

}  // namespace

device::Platform Outside::platform() {
  device::Platform all = real_;
  return {.link = *this,
          .store = *this,
          .entropy = *this,
          .screen = this,
          .microphone = all.microphone != nullptr ? this : nullptr,
          .speaker = all.speaker,
          .lamp = all.lamp != nullptr ? this : nullptr,
          .backlight = all.backlight != nullptr ? this : nullptr,
          .actions = all.actions,
          .firmware = all.firmware != nullptr ? &slots_ : nullptr,
          .watcher = this};
}

// ---- device::Link

void Outside::connect(device::Epoch epoch) {
  const heap::Pause pause;
  if (journal_ != nullptr) journal_->did("connect " + std::to_string(epoch));
  real_.link.connect(epoch);
}

bool Outside::send_text(std::string_view message) {
  const heap::Pause pause;
  const auto send = [this, message] {
    return real_.link.send_text(stand_in_ != nullptr ? stand_in_->outbound(message) : message);
  };
  if (journal_ == nullptr) return send();
  return journal_->asked("text " + in_quotes(message), [&send] { return yes_no(send()); }) == kYes;
}

bool Outside::send_binary(std::span<const std::byte> message) {
  const heap::Pause pause;
  if (journal_ == nullptr) return real_.link.send_binary(message);
  return journal_->asked("binary " + base64(message), [this, message] {
    return yes_no(real_.link.send_binary(message));
  }) == kYes;
}

void Outside::close(std::uint16_t code, std::string_view reason) {
  const heap::Pause pause;
  if (journal_ != nullptr) {
    journal_->did("close " + std::to_string(code) + " " + in_quotes(reason));
  }
  real_.link.close(code, reason);
}

bool Outside::secure() const {
  const heap::Pause pause;
  if (journal_ == nullptr) return real_.link.secure();
  return journal_->asked("secure", [this] { return yes_no(real_.link.secure()); }) == kYes;
}

// ---- device::Store

std::optional<std::size_t> Outside::get(std::string_view name, std::span<std::byte> out) {
  const heap::Pause pause;
  const auto read = [this, name](std::span<std::byte> into) {
    return stand_in_ != nullptr ? stand_in_->get(name, into) : real_.store.get(name, into);
  };
  if (journal_ == nullptr) return read(out);
  const std::string answer = journal_->asked(
      "get " + in_quotes(name) + " " + std::to_string(out.size()), [&read, out]() -> std::string {
        const auto size = read(out);
        return size ? base64(out.first(*size)) : "nothing";
      });
  const auto bytes = from_base64(answer);
  if (!bytes || bytes->size() > out.size()) return std::nullopt;
  std::copy(bytes->begin(), bytes->end(), out.begin());
  return bytes->size();
}

bool Outside::put(std::string_view name, std::span<const std::byte> value) {
  const heap::Pause pause;
  const auto write = [this, name, value] {
    return stand_in_ != nullptr ? stand_in_->put(name, value) : real_.store.put(name, value);
  };
  if (journal_ == nullptr) return write();
  return journal_->asked("put " + in_quotes(name) + " " + base64(value),
                         [&write] { return yes_no(write()); }) == kYes;
}

// ---- The others

void Outside::fill(std::span<std::byte> out) {
  const heap::Pause pause;
  if (journal_ == nullptr) return real_.entropy.fill(out);
  const auto bytes =
      from_base64(journal_->asked("random " + std::to_string(out.size()), [this, out] {
        real_.entropy.fill(out);
        return base64(out);
      }));
  if (bytes && bytes->size() == out.size()) std::copy(bytes->begin(), bytes->end(), out.begin());
}

void Outside::show(const device::screen::ScreenModel& model, device::Millis now) {
  const heap::Pause pause;
  panel_.draw(model, now);
  if (journal_ != nullptr) journal_->did("screen " + panel_.fingerprint());
  if (real_.screen != nullptr) real_.screen->show(model, now);
}

void Outside::listen(bool on) {
  const heap::Pause pause;
  if (journal_ != nullptr) journal_->did("listen " + yes_no(on));
  real_.microphone->listen(on);
}

void Outside::set(std::uint32_t rgb) {
  const heap::Pause pause;
  if (journal_ != nullptr) journal_->did("lamp " + std::to_string(rgb));
  real_.lamp->set(rgb);
}

void Outside::set(int percent) {
  const heap::Pause pause;
  if (journal_ != nullptr) journal_->did("backlight " + std::to_string(percent));
  real_.backlight->set(percent);
}

void Outside::noticed(device::Fact fact, std::string_view text, device::Millis now) {
  const heap::Pause pause;
  if (journal_ != nullptr) {
    journal_->did("fact " + std::string{name(fact)} + " " + in_quotes(text));
  }
  if (real_.watcher != nullptr) real_.watcher->noticed(fact, text, now);
  if (console_ != nullptr) console_->noticed(fact, text);
}

}  // namespace gadget::ports::desktop
