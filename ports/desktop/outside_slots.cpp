#include "ports/desktop/outside_slots.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <string>

#include "ports/desktop/heap_watch.hpp"
#include "ports/desktop/record_line.hpp"

namespace gadget::ports::desktop {
namespace {

constexpr std::array<std::string_view, 3> kErased{"yes", "not_yet", "failed"};

}  // namespace

template <class Ask>
bool OutsideSlots::yes_no(std::string_view what, Ask ask) const {
  if (journal_ == nullptr) return ask();
  return journal_->asked(what, [&ask]() -> std::string { return ask() ? "yes" : "no"; }) == "yes";
}

template <class Ask>
std::uint32_t OutsideSlots::number(std::string_view what, Ask ask) const {
  if (journal_ == nullptr) return ask();
  const std::string answer = journal_->asked(what, [&ask] { return std::to_string(ask()); });
  std::uint32_t value = 0;
  const auto read = std::from_chars(answer.data(), answer.data() + answer.size(), value);
  return read.ec == std::errc{} ? value : 0;
}

std::uint32_t OutsideSlots::max_bytes() const {
  const heap::Pause pause;
  return number("slot.size", [this] { return real_->max_bytes(); });
}

std::uint32_t OutsideSlots::sector_bytes() const {
  const heap::Pause pause;
  return number("slot.sector", [this] { return real_->sector_bytes(); });
}

bool OutsideSlots::begin() {
  const heap::Pause pause;
  return yes_no("slot.begin", [this] { return real_->begin(); });
}

device::FirmwareSlots::Erased OutsideSlots::erase(std::uint32_t offset) {
  const heap::Pause pause;
  if (journal_ == nullptr) return real_->erase(offset);
  const std::string answer =
      journal_->asked("slot.erase " + std::to_string(offset), [this, offset] {
        return std::string{kErased[static_cast<std::size_t>(real_->erase(offset))]};
      });
  if (answer == kErased[0]) return Erased::yes;
  return answer == kErased[1] ? Erased::not_yet : Erased::failed;
}

bool OutsideSlots::write(std::uint32_t offset, std::span<const std::byte> page) {
  const heap::Pause pause;
  if (journal_ == nullptr) return real_->write(offset, page);
  // The bytes themselves came in by `binary`.
  return yes_no("slot.write " + std::to_string(offset) + " " + fingerprint(page),
                [&] { return real_->write(offset, page); });
}

bool OutsideSlots::read(std::uint32_t offset, std::span<std::byte> out) {
  const heap::Pause pause;
  if (journal_ == nullptr) return real_->read(offset, out);
  const std::string answer = journal_->asked(
      "slot.read " + std::to_string(offset) + " " + std::to_string(out.size()),
      [&]() -> std::string { return real_->read(offset, out) ? base64(out) : "none"; });
  const auto bytes = from_base64(answer);
  if (!bytes || bytes->size() != out.size()) return false;
  std::copy(bytes->begin(), bytes->end(), out.begin());
  return true;
}

bool OutsideSlots::mark_pending() {
  const heap::Pause pause;
  return yes_no("slot.mark", [this] { return real_->mark_pending(); });
}

bool OutsideSlots::on_probation() const {
  const heap::Pause pause;
  return yes_no("slot.probation", [this] { return real_->on_probation(); });
}

bool OutsideSlots::confirm() {
  const heap::Pause pause;
  return yes_no("slot.confirm", [this] { return real_->confirm(); });
}

void OutsideSlots::roll_back() {
  const heap::Pause pause;
  if (journal_ != nullptr) journal_->did("slot.roll_back");
  real_->roll_back();
}

void OutsideSlots::reboot() {
  const heap::Pause pause;
  if (journal_ != nullptr) journal_->did("slot.reboot");
  real_->reboot();
}

}  // namespace gadget::ports::desktop
