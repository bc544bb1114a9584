// Steps about firmware: an image that is made from its words, sent as a hub does, or expected from
// one, to the byte.
#include <cstdlib>
#include <map>
#include <span>

#include "conformance/image.hpp"
#include "conformance/pattern.hpp"
#include "conformance/player.hpp"
#include "protocol/binary_frame.hpp"
#include "protocol/limits.hpp"

namespace gadget::conformance {
namespace {

constexpr std::size_t kMaxImageBytes = 16UL << 20U;  // of an image in a scenario

tl::unexpected<Failure> broken(std::string text) {
  return fail(FailureCode::invalid_argument, std::move(text));
}
tl::unexpected<Failure> failed(std::string text) {
  return fail(FailureCode::refused, std::move(text));
}

struct Part {
  std::string image;
  std::size_t from = 0, to = 0, frame = 0;
  std::uint16_t first = 0;
};

// BOARD VERSION SIZE [from=BYTE] [to=BYTE] [frame=BYTES] [first=SEQUENCE], from the second word on.
Result<Part> part_of(const std::vector<std::string>& words, bool counts_from_zero) {
  constexpr std::size_t kPlain = 4;
  const auto number = [](const std::string& word) {
    return static_cast<std::size_t>(std::strtoull(word.c_str(), nullptr, 10));
  };
  if (words.size() < kPlain) return broken("firmware STREAM BOARD VERSION SIZE [from= to= ..]");
  if (number(words[3]) > kMaxImageBytes) return broken("firmware: too long an image");
  Part part;
  part.image = make_image(words[1], words[2], number(words[3]));
  std::map<std::string, std::size_t> option{
      {"from", 0}, {"to", part.image.size()}, {"frame", protocol::kOtaFrameBytes}};
  for (std::size_t i = kPlain; i < words.size(); ++i) {
    const std::size_t equals = words[i].find('=');
    const std::string key = words[i].substr(0, equals);
    if (equals == std::string::npos || (key != "first" && !option.contains(key))) {
      return broken("firmware does not know " + words[i]);
    }
    option[key] = number(words[i].substr(equals + 1));
  }
  part.from = option["from"];
  part.to = option["to"];
  part.frame = option["frame"];
  if (part.frame == 0 || part.to > part.image.size()) return broken("firmware: beyond the image");
  const std::size_t first = counts_from_zero ? 0 : part.from / part.frame;
  part.first = static_cast<std::uint16_t>(option.contains("first") ? option["first"] : first);
  return part;
}

}  // namespace

// firmware STREAM ..: that part of the image, as fast as it goes.
Result<void> Player::send_firmware(Peer& peer, const std::vector<std::string>& words) {
  const auto part = part_of(words, true);
  if (!part) return tl::unexpected<Failure>(part.error());
  const auto stream = static_cast<std::uint8_t>(std::atoi(words[0].c_str()));
  std::uint16_t sequence = part->first;
  for (std::size_t at = part->from; at < part->to; at += part->frame, ++sequence) {
    std::string frame(protocol::kFrameHeaderBytes, '\0');
    protocol::encode_header({protocol::Channel::firmware, stream, sequence, {}},
                            std::as_writable_bytes(std::span(frame.data(), frame.size())));
    frame += part->image.substr(at, std::min(part->frame, part->to - at));
    if (auto sent = peer.send_binary(frame); !sent) return sent;
  }
  return {};
}

// firmware STREAM ..: exactly these frames come next.
Result<void> Player::expect_firmware(Peer& peer, const std::vector<std::string>& words) {
  const auto part = part_of(words, false);
  if (!part) return tl::unexpected<Failure>(part.error());
  const auto pattern = parse_pattern(words[0]);
  if (!pattern) return tl::unexpected<Failure>(pattern.error());
  const auto stream = evaluate(*pattern, bindings_);
  if (!stream) return tl::unexpected<Failure>(stream.error());
  std::uint16_t sequence = part->first;
  for (std::size_t at = part->from; at < part->to; at += part->frame, ++sequence) {
    const std::string which = "frame " + std::to_string(sequence) + ": ";
    const auto came = peer.next_binary(wait_);
    if (!came) return failed(which + "nothing came in time");
    if (came->kind != Incoming::Kind::binary) return failed(which + "no binary message");
    const auto frame =
        protocol::decode_frame(std::as_bytes(std::span(came->bytes.data(), came->bytes.size())));
    if (!frame || frame->channel != protocol::Channel::firmware) {
      return failed(which + "of another channel");
    }
    if (*stream != static_cast<std::int64_t>(frame->stream))
      return failed(which + "another stream");
    if (frame->sequence != sequence) {
      return failed(which + "has the number " + std::to_string(frame->sequence));
    }
    const std::string_view payload =
        std::string_view(came->bytes).substr(protocol::kFrameHeaderBytes);
    if (payload != std::string_view(part->image).substr(at, std::min(part->frame, part->to - at))) {
      return failed(which + "other bytes, or another length");
    }
  }
  note("<-", "", "(firmware up to byte " + std::to_string(part->to) + ")");
  return {};
}

}  // namespace gadget::conformance
