#include "device/core/action_book.hpp"

namespace gadget::device {

ActionBook::Entry* ActionBook::find(const std::string_view& id) {
  for (auto& entry : entries_) {
    if (entry.slot != Slot::free && entry.id.is(id)) return &entry;
  }
  return nullptr;
}

ActionBook::Entry* ActionBook::find(ActionTicket ticket) {
  for (auto& entry : entries_) {
    if (entry.slot != Slot::free && entry.ticket == ticket) return &entry;
  }
  return nullptr;
}

ActionBook::Entry* ActionBook::open(std::string_view id) {
  Entry* chosen = nullptr;
  for (auto& entry : entries_) {
    if (entry.slot == Slot::running || entry.slot == Slot::unsent) continue;
    if (entry.slot == Slot::free) {
      chosen = &entry;
      break;
    }
    if (chosen == nullptr || entry.ticket < chosen->ticket) chosen = &entry;
  }
  if (chosen == nullptr) return nullptr;
  chosen->slot = Slot::running;
  chosen->ticket = ++last_ticket_;
  chosen->ok = false;
  chosen->id.set(id);
  chosen->answer.clear();
  return chosen;
}

ActionBook::Entry* ActionBook::unsent() {
  for (auto& entry : entries_) {
    if (entry.slot == Slot::unsent) return &entry;
  }
  return nullptr;
}

void ActionBook::forget() {
  for (auto& entry : entries_) entry.slot = Slot::free;
}

}  // namespace gadget::device
