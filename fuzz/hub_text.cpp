// What a hub sends as text, as the device parses it, whole and cut short (E33).
#include "fuzz/text_target.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  gadget::fuzz::check_text(data, size, gadget::protocol::parse_hub_message);
  std::vector<char> copy(data, data + size);
  const auto cut = gadget::protocol::parse_cut_hub_message(copy);
  if (cut) {
    const auto* reply = std::get_if<gadget::protocol::Reply>(&*cut);
    if (reply != nullptr && !gadget::protocol::is_utf8(reply->text)) __builtin_trap();
  }
  return 0;
}
