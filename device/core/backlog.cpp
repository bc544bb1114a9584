#include "device/core/backlog.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

namespace gadget::device {

Backlog::Header Backlog::header(std::size_t at) const {
  Header out;
  std::memcpy(&out, room_.data() + at, sizeof(Header));
  return out;
}

bool Backlog::add(Ticks now, const Item& item) {
  if (item.name.size() > std::numeric_limits<std::uint8_t>::max() ||
      sizeof(Header) + item.name.size() + item.body.size() > room_.size() ||
      item.body.size() > std::numeric_limits<std::uint16_t>::max()) {
    ++(item.kind == Kind::text ? lost_.texts : lost_.events);
    return false;
  }
  const Header made{.at = now,
                    .body_bytes = static_cast<std::uint16_t>(item.body.size()),
                    .name_bytes = static_cast<std::uint8_t>(item.name.size()),
                    .kind = item.kind};
  while (size_ + bytes(made) > room_.size()) lose(0);
  char* out = room_.data() + size_;
  std::memcpy(out, &made, sizeof(Header));
  out = std::copy(item.name.begin(), item.name.end(), out + sizeof(Header));
  std::copy(item.body.begin(), item.body.end(), out);
  size_ += bytes(made);
  return true;
}

std::optional<Backlog::Item> Backlog::oldest() const {
  if (empty()) return std::nullopt;
  const Header first = header(0);
  const char* const name = room_.data() + sizeof(Header);
  return Item{first.kind, {name, first.name_bytes}, {name + first.name_bytes, first.body_bytes}};
}

void Backlog::drop_oldest() {
  if (!empty()) erase(0);
}

void Backlog::erase(std::size_t at) {
  const std::size_t gone = bytes(header(at));
  std::memmove(room_.data() + at, room_.data() + at + gone, size_ - at - gone);
  size_ -= gone;
}

void Backlog::lose(std::size_t at) {
  ++(header(at).kind == Kind::text ? lost_.texts : lost_.events);
  erase(at);
}

bool Backlog::expire(Ticks now) {
  const std::uint32_t before = lost_.texts;
  for (std::size_t at = 0; at < size_;) {
    const Header one = header(at);
    if (now - one.at >= (one.kind == Kind::text ? kTextMaxAgeMs : kEventMaxAgeMs)) {
      lose(at);
    } else {
      at += bytes(one);
    }
  }
  return lost_.texts != before;
}

bool Backlog::forget_texts() {
  bool any = false;
  for (std::size_t at = 0; at < size_;) {
    const Header one = header(at);
    if (one.kind == Kind::text) {
      erase(at);
      any = true;
    } else {
      at += bytes(one);
    }
  }
  return any;
}

}  // namespace gadget::device
