#include "device/core/text.hpp"

namespace gadget::device {

void TextHead::set(const std::string_view& text, std::size_t capacity) {
  size_ = protocol::copy_cut(text, room(capacity));
}

[[gnu::noinline]] bool TextHead::is(const std::string_view& text) const { return view() == text; }

void TextHead::wipe(std::size_t capacity) {
  protocol::wipe(std::as_writable_bytes(room(capacity)));
  clear();
}

}  // namespace gadget::device
