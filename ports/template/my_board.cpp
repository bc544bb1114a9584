#include "ports/template/my_board.hpp"

#include <algorithm>

#include "ports/template/startup.hpp"

namespace gadget::ports::port_template {

MyBoard::MyBoard() {
  // PORT: clocks, pins, display, sound, network. What takes long (joining a Wi-Fi) only begins
  // here.
  for (auto& page : pages_) page.fill(std::byte{0xFF});
}

// ---- 1. Time: everything else is checked by it

std::uint32_t MyBoard::ticks_ms() {
  // PORT: HAL_GetTick(), millis(), xTaskGetTickCount() * portTICK_PERIOD_MS, ...
  return systick_ms();
}

// ---- 2. Random bytes

void MyBoard::random(std::span<std::byte> out) {
  // PORT: your chip's true random generator. Stay here until it has delivered: a key made of
  // anything else is one that somebody can guess (H1). Until you have filled this in, the board
  // stops here.
  if (!out.empty()) halt();
}

// ---- 3. Flash: two pages that your linker script keeps free

std::span<const std::byte> MyBoard::page(unsigned index) const {
  // PORT: {reinterpret_cast<const std::byte*>(kStoreAddress + index * kPageBytes), kPageBytes}
  return pages_[index];
}

bool MyBoard::erase(unsigned index) {
  // PORT: unlock, erase the page, wait, lock; whether it worked.
  pages_[index].fill(std::byte{0xFF});
  return true;
}

bool MyBoard::write(unsigned index, std::size_t offset, std::span<const std::byte> bytes) {
  // PORT: unlock, program word by word, lock; whether it worked. FlashStore reads it back.
  std::copy(bytes.begin(), bytes.end(),
            pages_[index].begin() + static_cast<std::ptrdiff_t>(offset));
  return true;
}

// ---- 4. Network: the byte stream

bool MyBoard::network_up() {
  // PORT: Wi-Fi joined and an address there.
  return false;
}

bool MyBoard::stream_open(std::string_view host, std::uint16_t port, bool tls) {
  // PORT: look the name up and connect, without waiting: lwip tcp_connect, a socket with
  // O_NONBLOCK, your modem's command. Switch Nagle's algorithm off (TCP_NODELAY): frames of sound
  // are small.
  (void)host;
  (void)port;
  (void)tls;
  return false;
}

StreamState MyBoard::stream_state() { return StreamState::closed; }

std::size_t MyBoard::stream_room() {
  // PORT: tcp_sndbuf(), or what is free of your own ring of 4 KB or more.
  return 0;
}

void MyBoard::stream_send(std::span<const std::byte> bytes) { (void)bytes; }

std::size_t MyBoard::stream_receive(std::span<std::byte> out) {
  // PORT: what your receive interrupt or callback put into its ring.
  (void)out;
  return 0;
}

void MyBoard::stream_close() {}

// ---- 5. PORT: then, of board.hpp, what your board has: buttons(), screen_pixels(), log(),
// speaker_*(), microphone_*(), lamp().

}  // namespace gadget::ports::port_template
