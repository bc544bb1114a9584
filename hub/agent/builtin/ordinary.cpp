#include "hub/agent/builtin/ordinary.hpp"

namespace gadget::hub::builtin {

const Context& ordinary_context() {
  static const Context context = [] {
    Context made;
    made.actions = {
        action_shape("led.set", "Sets the colour of the light, or turns it off.",
                     R"({"type":"object","properties":{"color":{"type":"string","enum":
                        ["off","red","green","blue","yellow","white","purple","orange"]}},"required":["color"]})"),
        action_shape(
            "speaker.volume", "Sets how loud the device speaks, in percent.",
            R"({"type":"object","properties":{"percent":{"type":"integer","minimum":0,"maximum":100}},
                        "required":["percent"]})")};
    made.sensors = {"temperature_c", "humidity_pct", "battery_pct"};
    made.list_items = {"milk", "eggs", "bread"};
    return made;
  }();
  return context;
}

bool understood(std::string_view text) {
  return understand(text, ordinary_context()).name != "unknown";
}

}  // namespace gadget::hub::builtin
