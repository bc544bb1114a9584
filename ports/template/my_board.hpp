// my_board.hpp - PORT: your board. As it stands it is a bare Cortex-M with nothing on it: it has a
// clock (SysTick) and remembers its store until the power goes. It compiles and links, and
// once random() is filled in it runs and says "offline".
//
// Fill in one part after the other, in the order of the file; docs/porting.md says how to check
// each before the next.
#pragma once

#include <array>

#include "ports/template/board.hpp"

namespace gadget::ports::port_template {

class MyBoard final : public Board {
 public:
  MyBoard();

  std::uint32_t ticks_ms() override;
  void random(std::span<std::byte> out) override;

  [[nodiscard]] std::span<const std::byte> page(unsigned index) const override;
  [[nodiscard]] bool erase(unsigned index) override;
  [[nodiscard]] bool write(unsigned index, std::size_t offset,
                           std::span<const std::byte> bytes) override;

  bool network_up() override;
  bool stream_open(std::string_view host, std::uint16_t port, bool tls) override;
  StreamState stream_state() override;
  std::size_t stream_room() override;
  void stream_send(std::span<const std::byte> bytes) override;
  std::size_t stream_receive(std::span<std::byte> out) override;
  void stream_close() override;

 private:
  // PORT: goes away when page() looks at real flash.
  static constexpr std::size_t kPageBytes = 2'048;
  std::array<std::array<std::byte, kPageBytes>, kPages> pages_;
};

}  // namespace gadget::ports::port_template
