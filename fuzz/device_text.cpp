// What a device sends as text, as the hub parses it; what parses is written and must parse to the
// same again.
#include "fuzz/text_target.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  gadget::fuzz::check_text(data, size, gadget::protocol::parse_device_message);
  return 0;
}
