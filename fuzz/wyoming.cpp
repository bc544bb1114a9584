// The voice worker's side of its socket, in pieces of any size.
#include "speech/wyoming.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  gadget::speech::fuzz_wyoming({data, size});
  return 0;
}
