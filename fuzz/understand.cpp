// What people and strangers say to the built-in agent: an intent or `unknown`, in bounded time.
#include "hub/agent/builtin/understand.hpp"

#include <cstdint>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace gadget::hub::builtin;
  static const Context context = [] {
    Context made;
    made.actions = {action_shape(
        "led.set", "Sets the light",
        R"({"type":"object","properties":{"color":{"type":"string","enum":["off","red"]}}})")};
    made.sensors = {"temperature_c"};
    made.list_items = {"milk"};
    return made;
  }();
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (understand(text, context).name.empty()) __builtin_trap();
  (void)action_shape("x", "", text);
  return 0;
}
