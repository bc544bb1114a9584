// The vectors that hub and device share (protocol/vectors/v1.json): the hub's suite pins them here,
// the device's in device/core.
#include <fstream>
#include <iterator>

#include <boost/json.hpp>
#include <gtest/gtest.h>

#include "protocol/binary_frame.hpp"
#include "protocol/identity.hpp"

namespace gadget::protocol {
namespace {

namespace json = boost::json;

const json::object& vectors() {
  static const json::value file = [] {
    std::ifstream in(GADGET_SOURCE_DIR "/protocol/vectors/v1.json");
    return json::parse(std::string(std::istreambuf_iterator<char>(in), {}));
  }();
  return file.as_object();
}

std::string text(const json::value& row, std::string_view field) {
  return std::string(row.as_object().at(field).as_string());
}

std::vector<std::byte> bytes(std::string_view hex) {
  std::vector<std::byte> out;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
    out.push_back(static_cast<std::byte>(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16)));
  }
  return out;
}

TEST(Vectors, H2_Identity) {
  for (const auto& row : vectors().at("identity").as_array()) {
    const auto key = key_from_text(text(row, "key"));
    ASSERT_TRUE(key);
    EXPECT_EQ(device_id(*key).text(), text(row, "device_id"));
    EXPECT_EQ(view(key_text(*key)), text(row, "key"));
  }
}

TEST(Vectors, H11_Auth) {
  for (const auto& row : vectors().at("auth").as_array()) {
    const auto key = key_from_text(text(row, "key"));
    const MacText mac = auth_mac(*key, text(row, "device_id"), text(row, "nonce"));
    EXPECT_EQ(view(mac), text(row, "mac"));
    EXPECT_TRUE(mac_matches(mac, text(row, "mac")));
  }
}

TEST(Vectors, N1_HubProof) {
  for (const auto& row : vectors().at("hub_proof").as_array()) {
    const auto key = key_from_text(text(row, "key"));
    EXPECT_EQ(view(hub_mac(*key, text(row, "device_id"), text(row, "nonce"))), text(row, "mac"));
  }
}

TEST(Vectors, O2_Update) {
  for (const auto& row : vectors().at("ota").as_array()) {
    const auto key = key_from_text(text(row, "key"));
    const auto size = row.as_object().at("size").to_number<std::uint64_t>();
    EXPECT_EQ(
        view(ota_mac(*key, text(row, "device_id"), text(row, "nonce"), text(row, "sha256"), size)),
        text(row, "mac"));
  }
}

TEST(Vectors, T5_Frames) {
  for (const auto& row : vectors().at("frames").as_array()) {
    const std::vector<std::byte> whole = bytes(text(row, "frame"));
    const auto frame = decode_frame(whole);
    ASSERT_TRUE(frame);
    const std::string channel = text(row, "channel");
    EXPECT_EQ(frame->channel, channel == "audio"   ? Channel::audio
                              : channel == "image" ? Channel::image
                                                   : Channel::firmware);
    EXPECT_EQ(frame->stream, row.as_object().at("stream").to_number<int>());
    EXPECT_EQ(frame->sequence, row.as_object().at("sequence").to_number<int>());
    const std::vector<std::byte> payload = bytes(text(row, "payload"));
    EXPECT_TRUE(
        std::equal(frame->payload.begin(), frame->payload.end(), payload.begin(), payload.end()));
    std::vector<std::byte> written(kFrameHeaderBytes);
    encode_header(*frame, written);
    written.insert(written.end(), payload.begin(), payload.end());
    EXPECT_EQ(written, whole);
  }
}

TEST(Vectors, T5_BadFrames) {
  for (const auto& row : vectors().at("bad_frames").as_array()) {
    EXPECT_FALSE(decode_frame(bytes(std::string(row.as_string())))) << row;
  }
}

}  // namespace
}  // namespace gadget::protocol
