// Not linked: its symbols are as long as the objects they are named after, for scripts/size.
#include "device/core/gadget.hpp"
#include "device/screen/canvas.hpp"
#include "device/websocket/client.hpp"
#include "ports/template/port.hpp"

extern const char size_of_gadget[sizeof(gadget::device::Gadget)];
extern const char size_of_websocket_client[sizeof(gadget::device::websocket::Client)];
extern const char size_of_canvas[sizeof(gadget::device::screen::Canvas)];
extern const char size_of_port[sizeof(gadget::ports::port_template::Port)];
extern const char size_of_port_memory[sizeof(gadget::ports::port_template::PortMemory)];

const char size_of_gadget[sizeof(gadget::device::Gadget)] = {};
const char size_of_websocket_client[sizeof(gadget::device::websocket::Client)] = {};
const char size_of_canvas[sizeof(gadget::device::screen::Canvas)] = {};
const char size_of_port[sizeof(gadget::ports::port_template::Port)] = {};
const char size_of_port_memory[sizeof(gadget::ports::port_template::PortMemory)] = {};
