// The vectors of protocol/vectors/v1.json through the device: what it makes of each key, nonce and
// frame (H2, H11, N1, T5). The hub's tests pin the same file.
#include <fstream>
#include <iterator>

#include <boost/json.hpp>
#include <gtest/gtest.h>

#include "device/core/test_bench.hpp"

namespace gadget::device {
namespace {

using test::Bench;
using test::BenchStore;

const boost::json::object& vectors() {
  static const boost::json::value all = [] {
    std::ifstream file{GADGET_SOURCE_DIR "/protocol/vectors/v1.json"};
    return boost::json::parse(std::string{std::istreambuf_iterator<char>{file}, {}});
  }();
  return all.as_object();
}

std::string text(const boost::json::value& row, const char* name) {
  return std::string{row.at(name).as_string()};
}

std::vector<std::byte> from_hex(std::string_view hex) {
  std::vector<std::byte> bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
    bytes.push_back(static_cast<std::byte>(std::stoi(std::string{hex.substr(i, 2)}, nullptr, 16)));
  }
  return bytes;
}

// A device whose key is the vector's.
std::shared_ptr<BenchStore> store_with(const std::string& key_text) {
  auto store = std::make_shared<BenchStore>();
  const auto key = protocol::key_from_text(key_text);
  EXPECT_TRUE(key);
  const auto bytes = key->reveal();
  store->values["key"].assign(bytes.begin(), bytes.end());
  return store;
}

TEST(DeviceVectors, H2_Identity) {
  const auto& rows = vectors().at("identity").as_array();
  ASSERT_FALSE(rows.empty());
  for (const auto& row : rows) {
    Bench bench{Bench::default_config(), nullptr, store_with(text(row, "key"))};
    bench.start();
    EXPECT_EQ(bench.gadget->id().text(), text(row, "device_id"));
    bench.open();
    EXPECT_EQ(Bench::field(bench.last(), "device_id"), text(row, "device_id"));
    bench.challenge(false);
    EXPECT_EQ(Bench::field(bench.last(), "key"), text(row, "key"));
  }
}

TEST(DeviceVectors, H11_Auth) {
  const auto& rows = vectors().at("auth").as_array();
  ASSERT_FALSE(rows.empty());
  for (const auto& row : rows) {
    Bench bench{Bench::default_config(), nullptr, store_with(text(row, "key"))};
    bench.start();
    bench.open();
    bench.hub(R"({"type":"challenge","enrolled":true,"nonce":")" + text(row, "nonce") + "\"}");
    EXPECT_EQ(Bench::field(bench.last(), "mac"), text(row, "mac"));
  }
}

// A bench whose random bytes are the vector's, so that hello.nonce is.
class NonceBench final : public Entropy {
 public:
  void fill(std::span<std::byte> out) override {
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = bytes[i % bytes.size()];
  }
  std::vector<std::byte> bytes;
};

TEST(DeviceVectors, N1_HubProof) {
  const auto& rows = vectors().at("hub_proof").as_array();
  ASSERT_FALSE(rows.empty());
  int checked = 0;
  for (const auto& row : rows) {
    std::array<std::byte, protocol::kNonceBytes> nonce{};
    if (!protocol::base64_decode(text(row, "nonce"), nonce)) continue;  // no nonce of ours
    for (const bool right : {true, false}) {
      const auto store = store_with(text(row, "key"));
      store->values["trust"] = {std::byte{3}};  // a hub proved itself before
      Bench bench{Bench::default_config(), nullptr, store};
      NonceBench entropy;
      entropy.bytes.assign(nonce.begin(), nonce.end());
      GadgetMemory<> memory;
      Gadget gadget{bench.config,
                    Platform{.link = bench,
                             .store = *store,
                             .entropy = entropy,
                             .screen = nullptr,
                             .microphone = nullptr,
                             .speaker = nullptr,
                             .lamp = nullptr,
                             .actions = nullptr,
                             .watcher = nullptr},
                    memory.view()};
      gadget.start(bench.now);
      gadget.link_opened(bench.now, bench.epoch);
      EXPECT_EQ(Bench::field(bench.last(), "nonce"), text(row, "nonce"));
      std::string challenge = R"({"type":"challenge","enrolled":true,"nonce":"abc"})";
      gadget.link_text(bench.now, bench.epoch, challenge);
      std::string mac = text(row, "mac");
      if (!right) mac[3] = mac[3] == 'A' ? 'B' : 'A';
      std::string welcome =
          R"({"type":"welcome","session":"s","paired":true,"heartbeat_s":20,"mac":")" + mac + "\"}";
      gadget.link_text(bench.now, bench.epoch, welcome);
      EXPECT_EQ(gadget.session().online(), right) << text(row, "mac");
      ++checked;
    }
  }
  EXPECT_GE(checked, 2);
}

TEST(DeviceVectors, T5_Frames) {
  const auto& rows = vectors().at("frames").as_array();
  ASSERT_FALSE(rows.empty());
  for (const auto& row : rows) {
    Bench bench;
    bench.go_online();
    const auto stream = row.at("stream").to_number<int>();
    const bool ours = text(row, "channel") == "audio" && stream >= 1 && stream <= 250;
    const auto payload = from_hex(text(row, "payload"));
    bench.hub(R"({"type":"audio.start","rate":16000,"format":"pcm16","stream":)" +
              std::to_string(ours ? stream : 1) + "}");
    bench.gadget->link_binary(bench.now, bench.epoch, from_hex(text(row, "frame")));
    EXPECT_EQ(bench.gadget->playback().waiting(), ours ? payload.size() / 2 : 0U)
        << text(row, "frame");
    EXPECT_EQ(bench.gadget->counters().foreign_frames, ours ? 0U : 1U) << text(row, "frame");
    EXPECT_EQ(bench.gadget->counters().malformed, 0U);
  }
}

TEST(DeviceVectors, T5_BadFrames) {
  const auto& rows = vectors().at("bad_frames").as_array();
  ASSERT_FALSE(rows.empty());
  for (const auto& row : rows) {
    Bench bench;
    bench.go_online();
    bench.hub(R"({"type":"audio.start","rate":16000,"format":"pcm16","stream":1})");
    const std::string hex{row.is_string() ? std::string{row.as_string()} : text(row, "frame")};
    bench.gadget->link_binary(bench.now, bench.epoch, from_hex(hex));
    EXPECT_EQ(bench.gadget->playback().waiting(), 0U) << hex;
    EXPECT_EQ(bench.gadget->counters().malformed + bench.gadget->counters().foreign_frames, 1U)
        << hex;
    EXPECT_TRUE(bench.gadget->session().online());
  }
}

}  // namespace
}  // namespace gadget::device
