// test_updater.hpp - an Updater with its flash and a hub that the test plays. For tests only.
#pragma once

#include <gtest/gtest.h>

#include "device/update/test_flash.hpp"
#include "device/update/test_image.hpp"
#include "device/update/updater.hpp"

namespace gadget::device::test {

using Answer = UpdateAnswer;

struct Device {
  explicit Device(std::uint8_t running = 0) : slots(flash, running) {}

  void offer(const Image& of, std::string_view version = "2", std::int64_t size = -1) {
    image = of;
    const std::string sum = sha256_hex(of);
    protocol::OtaOffer message;
    message.stream = 7;
    message.size_bytes = size < 0 ? static_cast<std::int64_t>(of.size()) : size;
    message.sha256 = sum;
    message.version = version;
    std::array<std::byte, 16> random{};
    random.fill(static_cast<std::byte>(++offers));
    updater.offer(now, message, random);
  }
  // Until the first ack, as a hub does.
  void begin() {
    updater.begin(now, true);
    for (int i = 0; i < 1'000 && updater.owed() == Answer::none; ++i) pass(20);
  }
  void start(const Image& of) {
    offer(of);
    take();
    begin();
  }
  bool frame(std::span<const std::byte> bytes, std::uint8_t stream = 7) {
    return updater.frame(now, stream, sequence++, bytes);
  }
  // Sends [from, to) in frames of `step`; notes each ack.
  void send(std::size_t from, std::size_t to, std::size_t step = 4'096) {
    for (std::size_t at = from; at < to; at += step) {
      EXPECT_TRUE(frame(std::span{image}.subspan(at, std::min(step, to - at))));
      if (updater.owed() == Answer::ack) acks.push_back(updater.acknowledged());
      if (updater.owed() != Answer::none && updater.owed() != Answer::ack) return;
      take();
    }
  }
  Answer take() {
    const Answer answer = updater.owed();
    updater.told();
    return answer;
  }
  Answer pass(Ticks ms) {
    for (const Ticks end = now + ms; now < end;) {
      now += 20;
      left = updater.tick(now) || left;
      if (updater.owed() != Answer::none) break;
    }
    return updater.owed();
  }

  Ticks now = 1'000;
  TestFlash flash;
  AbSlots slots;
  Updater updater{&slots, "bench"};
  Image image;
  std::uint16_t sequence = 0;
  int offers = 0;
  std::vector<std::int64_t> acks;
  bool left = false;
};

// Flash without a limit, for images of megabytes: keeps what was written.
struct BigSlots final : FirmwareSlots {
  std::uint32_t max_bytes() const override { return 8U << 20U; }
  std::uint32_t sector_bytes() const override { return 4'096; }
  bool begin() override { return true; }
  Erased erase(std::uint32_t offset) override {
    if (polls++ < slow) return Erased::not_yet;
    polls = 0;
    std::fill_n(bytes.begin() + offset, sector_bytes(), std::byte{0xFF});
    ++erases;
    return Erased::yes;
  }
  bool write(std::uint32_t offset, std::span<const std::byte> page) override {
    std::copy(page.begin(), page.end(), bytes.begin() + offset);
    return true;
  }
  bool read(std::uint32_t offset, std::span<std::byte> out) override {
    std::copy_n(bytes.begin() + offset, out.size(), out.begin());
    return true;
  }
  bool mark_pending() override { return marked = true; }
  bool on_probation() const override { return probation; }
  bool confirm() override {
    ++confirms;
    return confirm_works;
  }
  void roll_back() override { ++roll_backs; }
  void reboot() override { ++reboots; }

  std::vector<std::byte> bytes = std::vector<std::byte>(8U << 20U);
  int slow = 0, polls = 0, erases = 0, confirms = 0, roll_backs = 0, reboots = 0;
  bool marked = false, probation = false, confirm_works = true;
};

}  // namespace gadget::device::test
