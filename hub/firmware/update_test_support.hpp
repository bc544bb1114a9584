// update_test_support.hpp - images, and devices that take them, for tests of updates.
#pragma once

#include <optional>
#include <string>

#include "hub/core/bench.hpp"
#include "hub/firmware/report.hpp"
#include "hub/firmware/updates.hpp"

namespace gadget::hub::bench {

inline constexpr std::string_view kNonce = "AAECAwQFBgcICQoLDA0ODw==";
inline constexpr std::string_view kTakesUpdates = R"(,"caps":{"ota":{"max_size":300000}})";

// An image as E29 wants it; noise behind its marks.
inline std::string image_of(std::string_view version, std::size_t size = 100'000,
                            std::string_view board = "sim") {
  std::string image(size, '\0');
  std::uint32_t noise = 12345;
  for (char& byte : image) {
    noise = noise * 1'664'525U + 1'013'904'223U;
    byte = static_cast<char>(noise >> 24U);
  }
  const auto put = [&image](std::size_t at, std::string_view text) {
    image.replace(at, text.size(), text);
  };
  put(0, std::string(288, '\0'));
  put(0, "\xE9");
  put(32, "\x32\x54\xCD\xAB");
  put(48, version);
  put(80, "hermes_gadget");
  put(288, "HGBOARD=" + std::string(board) + std::string(1, '\0'));
  return image;
}

// A device on the bench that takes updates.
class UpdatedDevice : public Device {
 public:
  explicit UpdatedDevice(Bench& the_bench, int number = 1) : Device(the_bench, number) {}

  void introduce(std::string_view version, std::string_view caps = kTakesUpdates,
                 std::string_view board = "sim") {
    open();
    send(R"({"type":"hello","proto":1,"device_id":")" + std::string(id.text()) +
         R"(","name":"desk","board":")" + std::string(board) + R"(","firmware":")" +
         std::string(version) + '"' + std::string(caps) + "}");
    auth();
  }
  void pair_with(std::string_view version) {
    introduce(version);
    EXPECT_TRUE(bench.hub->approve(id.text()));
    bench.settle();
  }
  // Time goes by, and it shows that it lives.
  void stay(Millis ms) {
    constexpr Millis kStep = 10'000;
    for (Millis left = ms; left > 0; left -= std::min(left, kStep)) {
      bench.advance(std::min(left, kStep));
      send(R"({"type":"pong"})");
    }
  }
  void ready() { send(R"({"type":"ota.ready","nonce":")" + std::string(kNonce) + R"("})"); }
  void ack(std::int64_t offset) {
    send(R"({"type":"ota.ack","offset":)" + std::to_string(offset) + "}");
  }
  void done(std::string_view version = "2.0.0") {
    send(R"({"type":"ota.done","version":")" + std::string(version) + R"("})");
  }
  void error(std::string_view code) {
    send(R"({"type":"ota.error","code":")" + std::string(code) + R"(","message":"because"})");
  }
  // All that came on channel 3 since the last offer.
  [[nodiscard]] std::string received() const {
    std::string all;
    for (const Written& one : got()) {
      if (one.type == "ota.offer") all.clear();
      all += one.firmware;
    }
    return all;
  }
  // From the offer to `ota.done`, with acks as a device sends them.
  void take_all(std::string_view version = "2.0.0") {
    ready();
    ack(0);
    const auto size = static_cast<std::size_t>(std::stoll(need("ota.offer").get("size")));
    for (std::size_t acked = 0; acked < size;) {
      const std::size_t came = received().size();
      ASSERT_GT(came, acked);
      acked = came == size ? size : came - came % protocol::kOtaAckBytes;
      ack(static_cast<std::int64_t>(acked));
      bench.advance(10);
    }
    done(version);
  }
  // Restarts with that firmware, two seconds later.
  void restart_as(std::string_view version) {
    drop();
    bench.advance(2'000);
    introduce(version);
  }

  [[nodiscard]] Result<UpdateView> view() const { return bench.hub->updates().view(id); }
  [[nodiscard]] UpdatePhase phase() const {
    const auto its = view();
    EXPECT_TRUE(its) << (its ? "" : its.error().text);
    return its ? its->record.phase : UpdatePhase::cancelled;
  }
  Result<UpdateView> update(std::string image, bool forced = false) {
    std::optional<Result<UpdateView>> result;
    bench.hub->updates().start(id, std::move(image), forced,
                               [&](Result<UpdateView> view) { result = std::move(view); });
    bench.settle();
    EXPECT_TRUE(result);
    return result ? *result : fail(FailureCode::internal, "no answer");
  }
};

}  // namespace gadget::hub::bench
