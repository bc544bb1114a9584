// The steps of a firmware update: a hub that does what it should, and sometimes not.
#include <algorithm>
#include <array>

#include "device/model/world.hpp"

namespace gadget::device::model {
namespace {

constexpr std::size_t kFrameBytes = 4'096;  // O3
constexpr std::int64_t kWindow = 65'536;    // O4

}  // namespace

void World::offer_update(const Step& step) {
  offered_ = step.b % images().size();
  const Offered& one = images()[offered_];
  std::string sha256 = one.sha256;
  std::size_t size = one.image.size();
  switch ((step.b >> 8U) % 16) {
    case 0: sha256[step.c % sha256.size()] ^= 1; break;  // may be no hexadecimal digit either
    case 1: ++size; break;
    case 2: --size; break;
    default: break;
  }
  hub_says(R"({"type":"ota.offer","stream":)" + std::to_string(step.c % 3 + 1) + R"(,"size":)" +
           std::to_string(size) + R"(,"sha256":")" + sha256 + R"(","version":"2"})");
}

void World::firmware_frame(std::uint16_t sequence, std::size_t bytes) {
  begin(Cause::hub);
  if (!contract_.connected()) return;
  const UpdateRules& rules = contract_.update();
  const auto& image = images()[offered_].image;
  std::vector<std::byte> message(protocol::kFrameHeaderBytes + bytes);
  protocol::encode_header(
      {protocol::Channel::firmware, static_cast<std::uint8_t>(rules.stream()), sequence, {}},
      message);
  const std::size_t from = std::min(rules.taken(), image.size());
  std::copy_n(image.begin() + static_cast<std::ptrdiff_t>(from),
              std::min(bytes, image.size() - from), message.begin() + protocol::kFrameHeaderBytes);
  contract_.hub_frame(message);
  gadget_->link_binary(now_, contract_.epoch(), message);
}

void World::update(const Step& step) {
  if (!contract_.online()) {
    // O9: sometimes no hub comes while new firmware is on probation.
    const bool on_trial = gadget_->updater().probation() == Probation::waiting;
    return on_trial && step.b % 4 == 0 ? pass(300'000) : help(step);
  }
  const UpdateRules& rules = contract_.update();
  const auto begin_line = [&](bool right) {
    auto mac = protocol::ota_mac(contract_.key(), contract_.id().text(), rules.nonce(),
                                 rules.sha256(), static_cast<std::uint32_t>(rules.size()));
    if (!right) mac[0] = mac[0] == 'A' ? 'B' : 'A';
    return R"({"type":"ota.begin","mac":")" + std::string{protocol::view(mac)} + "\"}";
  };
  switch (step.a % 32) {
    case 0: return hub_says(R"({"type":"ota.abort"})");
    case 1: return offer_update(step);
    case 2: return hub_says(R"({"type":"ota.end"})");
    case 3:
      return firmware_frame(static_cast<std::uint16_t>(rules.next_sequence() + step.b % 3),
                            step.c % 5'000);
    case 4: return hub_says(begin_line(false));
    case 5: return hub_says(begin_line(true));
    default: break;
  }
  const auto left = rules.size() - static_cast<std::int64_t>(rules.taken());
  switch (rules.phase()) {
    case UpdateRules::Phase::none: return offer_update(step);
    case UpdateRules::Phase::offered: return hub_says(begin_line(true));
    case UpdateRules::Phase::complete: return pass(20);
    case UpdateRules::Phase::installed: return pass(1'000);
    case UpdateRules::Phase::receiving: break;
  }
  if (left <= 0) return hub_says(R"({"type":"ota.end"})");
  if (rules.acknowledged() < 0) return pass(20);
  // Up to eight frames, as far as the window goes.
  for (unsigned i = 0; i <= step.c % 8; ++i) {
    const auto room = rules.acknowledged() + kWindow - static_cast<std::int64_t>(rules.taken());
    const auto most =
        std::min<std::int64_t>(rules.size() - static_cast<std::int64_t>(rules.taken()),
                               std::min<std::int64_t>(room, kFrameBytes));
    if (rules.phase() != UpdateRules::Phase::receiving || most <= 0) return;
    const bool odd = (step.b & 15U) == 15;  // frames of any length
    firmware_frame(rules.next_sequence(), odd ? step.c % static_cast<std::size_t>(most) + 1
                                              : static_cast<std::size_t>(most));
    check();
  }
}

void World::break_flash(const Step& step) {
  begin(Cause::none);
  if (!firmware_) return;
  switch (step.a % 8) {
    case 4: return firmware_->breaks((step.b & 1U) != 0);
    case 5: return firmware_->sticks((step.b & 1U) != 0);
    case 6: return firmware_->slow(step.b % 5);
    case 7:
      firmware_->breaks(false);
      firmware_->sticks(false);
      firmware_->slow(0);
      return firmware_->cut_after(test::TestFlash::kNever, test::Tear::before);
    default: return firmware_->cut_after(step.c % 30, test::kTears[step.b % test::kTears.size()]);
  }
}

}  // namespace gadget::device::model
