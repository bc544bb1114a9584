// The steps of the link and of the hub.
#include <algorithm>
#include <array>

#include "device/model/hub_lines.hpp"
#include "device/model/world.hpp"

namespace gadget::device::model {
namespace {

constexpr std::uint64_t bits_of(const Step& step) {
  return std::uint64_t{step.c} << 32U | std::uint64_t{step.b} << 16U | step.a;
}

}  // namespace

// ---- The link

void World::apply_link(const Step& step) {
  begin(Cause::none);
  const Epoch epoch = contract_.epoch();
  switch (step.op) {
    case Op::stale: return stale(step);
    case Op::transport: contract_.transported(); return gadget_->link_transport(now_, epoch);
    case Op::opened:
      // A link that is open opens no second time.
      if (!contract_.connected() || contract_.is_open()) return;
      contract_.opened();
      return gadget_->link_opened(now_, epoch);
    case Op::alive:
      if (contract_.is_open()) contract_.hub_sends();
      return gadget_->link_alive(now_, epoch);
    default: return close_link(step);
  }
}

void World::close_link(const Step& step) {
  static constexpr std::array<std::string_view, 8> kReasons{"",
                                                            "replaced by a newer connection",
                                                            "busy",
                                                            "auth_failed",
                                                            "protocol",
                                                            "timeout",
                                                            "server stopping",
                                                            "connection refused"};
  static constexpr std::array<std::uint16_t, 6> kCodes{0, 1000, 1001, 1006, 1008, 1013};
  LinkEnd end;
  end.close_code = kCodes[step.a % kCodes.size()];
  end.reason = kReasons[step.b % kReasons.size()];
  if (!contract_.is_open() && (step.c & 1U) != 0) {
    end = {.reason = "HTTP",
           .http_status = (step.c & 2U) != 0 ? 503U : 404U,
           .retry_after_s = step.c >> 2U};
  }
  if (!contract_.connected()) return;  // "No event of that connection follows"
  contract_.lost(end);
  gadget_->link_closed(now_, contract_.epoch(), end);
}

// Events of a connection that is over, or that never was: nothing may come of them.
void World::stale(const Step& step) {
  const Epoch epoch = contract_.epoch() + ((step.a & 1U) != 0 ? 1U : ~Epoch{0});
  std::string line = R"({"type":"action","id":"stale","name":"at_once"})";
  const std::array<std::byte, 8> frame{std::byte{1}, std::byte{1}};
  switch (step.b % 7) {
    case 0: return gadget_->link_opened(now_, epoch);
    case 1: return gadget_->link_closed(now_, epoch, {.close_code = 1008, .reason = "busy"});
    case 2: return gadget_->link_text(now_, epoch, line);
    case 3: return gadget_->link_binary(now_, epoch, frame);
    case 6: {
      std::string offer = R"({"type":"ota.offer","stream":1,"size":9,"version":"9","sha256":")" +
                          images()[1].sha256 + "\"}";
      return gadget_->link_text(now_, epoch, offer);
    }
    case 4: return gadget_->link_transport(now_, epoch);
    default: return gadget_->link_alive(now_, epoch);
  }
}

// ---- The hub

void World::hub_says(std::string_view text) {
  begin(Cause::hub);
  if (!contract_.connected()) return;
  // Exactly as many bytes as there are: a sanitizer sees a step beyond.
  if (text.size() > config_.max_message_bytes)
    return hub_cut(text.substr(0, config_.max_message_bytes));
  contract_.hub_says(text);
  if (firmware_ && contract_.online()) firmware_->welcomed();
  std::vector<char> bytes(text.begin(), text.end());
  gadget_->link_text(now_, contract_.epoch(), bytes);
}

void World::hub_cut(std::string_view beginning) {
  begin(Cause::hub);
  if (!contract_.connected()) return;
  contract_.hub_sends();
  std::vector<char> bytes(beginning.begin(), beginning.end());
  gadget_->link_cut_text(now_, contract_.epoch(), bytes);
}

void World::apply_hub(const Step& step) {
  Random random{bits_of(step)};
  switch (step.op) {
    case Op::help: return help(step);
    case Op::hub_frame: {
      auto& sound = contract_.sound();
      const bool right = (step.a & 7U) != 0 && sound.open();
      const auto stream = right ? sound.stream() : step.b % 4;
      auto sequence = sound.next_sequence();
      if ((step.a & 0x18U) == 0) sequence = static_cast<std::uint16_t>(sequence + step.b % 7 - 3);
      if (step.a == 0xFF) sequence = step.b;
      return hub_frame(stream, sequence, step.c % 1'200);
    }
    case Op::junk_frame: return junk_frame(step);
    case Op::update: return update(step);
    case Op::cut_line: {
      const auto& rows = hub_rows();
      const auto line = hub_line(rows[step.b % rows.size()], random, Harm::none, 0);
      return hub_cut(std::string_view{line}.substr(0, 1 + step.c % line.size()));
    }
    default: {
      const auto& rows = hub_rows();
      // A third is harmed in one of the ways.
      const auto harm = (step.a & 1U) != 0 && (step.a & 2U) != 0
                            ? static_cast<Harm>((step.a >> 2U) % kHarms)
                            : Harm::none;
      return hub_says(hub_line(rows[step.b % rows.size()], random, harm, step.c >> 24U));
    }
  }
}

void World::hub_frame(std::int64_t stream, std::uint16_t sequence, std::size_t samples) {
  begin(Cause::hub);
  contract_.hub_sends();
  if (!contract_.connected()) return;
  const bool counts = contract_.online() && contract_.is_open();
  const std::int16_t level =
      counts && samples > 0 ? contract_.sound().frame(stream, sequence, contract_.utterance_open())
                            : std::int16_t{-20'000};
  if (counts && samples == 0) return;  // what an empty one does to the numbers is left open
  const std::vector<std::int16_t> voice(samples, level);
  std::vector<std::byte> bytes(protocol::kFrameHeaderBytes + 2 * samples);
  protocol::encode_header(
      {protocol::Channel::audio, static_cast<std::uint8_t>(stream), sequence, {}}, bytes);
  protocol::encode_samples(voice, std::span{bytes}.subspan(protocol::kFrameHeaderBytes));
  gadget_->link_binary(now_, contract_.epoch(), bytes);
}

void World::junk_frame(const Step& step) {
  begin(Cause::hub);
  if (!contract_.connected()) return;
  std::vector<std::byte> bytes(step.c % ((step.a & 3U) == 0 ? 8U : 5'000U));
  Random random{bits_of(step)};
  for (auto& byte : bytes) byte = static_cast<std::byte>(random.below(4));
  // What would count as the voice that plays is hub_frame's.
  if (bytes.size() >= protocol::kFrameHeaderBytes && bytes[0] == std::byte{1})
    bytes[0] = std::byte{2};
  contract_.hub_frame(bytes);
  gadget_->link_binary(now_, contract_.epoch(), bytes);
}

std::string World::challenge_line(bool enrolled, std::uint32_t bits) const {
  return R"({"type":"challenge","nonce":"nonce-)" + std::to_string(bits) + R"(","enrolled":)" +
         (enrolled ? "true}" : "false}");
}

std::string World::welcome_line(bool proved, std::uint32_t bits) const {
  std::string line = R"({"type":"welcome","session":"s","paired":)";
  line += (bits & 15U) == 0 ? "false" : "true";
  line += R"(,"heartbeat_s":)" + std::to_string((bits & 16U) != 0 ? 20U : bits >> 24U);
  if (proved) {
    const auto mac =
        protocol::hub_mac(contract_.key(), contract_.id().text(), contract_.hello_nonce());
    line += R"(,"mac":")" + std::string{protocol::view(mac)} + "\"";
  }
  if ((bits & 32U) != 0) line += R"(,"time":1767270840000)";
  return line + "}";
}

// The hub does what comes next, mostly as it should.
void World::help(const Step& step) {
  if (!contract_.connected()) return pass(500 + step.b % 40'000);
  if (!contract_.is_open()) {
    begin(Cause::none);
    contract_.opened();
    return gadget_->link_opened(now_, contract_.epoch());
  }
  if (!contract_.greeted()) return;
  if (!contract_.proved()) {
    const bool enrolled = contract_.enrolled_key() != ((step.a & 15U) == 15);
    return hub_says(challenge_line(enrolled, step.c));
  }
  if (!contract_.online()) return hub_says(welcome_line((step.a & 15U) != 14, step.c));
  help_online(step);
}

void World::help_online(const Step& step) {
  const auto number = std::to_string(step.b % 3 + 1);
  const auto with = [&number](std::string_view before, std::string_view after) {
    return std::string{before} + number + std::string{after};
  };
  switch (step.a % 14) {
    case 0: return hub_says(with(R"({"type":"turn.start","turn":")", "\"}"));
    case 1: return hub_says(with(R"({"type":"reply.delta","turn":")", R"(","text":"Well"})"));
    case 2: {  // of one page or of many
      std::string text = "Well, well.";
      for (unsigned i = 0; i < (step.c & 63U); ++i) text += " And then some more of it.";
      return hub_says(with(R"({"type":"reply","turn":")", "\",\"text\":\"" + text + "\"}"));
    }
    case 3: return hub_says(with(R"({"type":"turn.end","turn":")", R"(","outcome":"success"})"));
    case 4:
    case 5:
      return hub_says(with(R"({"type":"audio.start","stream":)",
                           (step.c & 1U) != 0 ? R"(,"rate":16000,"format":"pcm16"})"
                                              : R"(,"rate":24000,"format":"pcm16","turn":"1"})"));
    case 6: return hub_says(with(R"({"type":"audio.end","stream":)", "}"));
    case 7: return hub_says(with(R"({"type":"audio.abort","stream":)", "}"));
    case 8:
      return hub_says(with(R"({"type":"prompt","id":")", (step.c & 1U) != 0
                                                             ? R"(","text":"Sure?"})"
                                                             : R"(","text":"Sure?","ttl_s":3})"));
    case 9: return hub_says(with(R"({"type":"prompt.close","id":")", "\"}"));
    case 10:
      return hub_says(R"({"type":"action","id":")" + std::to_string(step.b % 24) + R"(","name":")" +
                      std::string{list()[step.c % list().size()].name} + R"(","args":{"n":)" +
                      std::to_string(step.c >> 29U) + "}}");
    case 11: return hub_says(with(R"({"type":"display","title":"T","body":"B","ttl_s":)", "}"));
    case 12:
      return hub_says(
          with(R"({"type":"image.start","width":4,"height":2,"format":"rgb565","stream":)", "}"));
    default: return hub_says(with(R"({"type":"ping","ts":)", "}"));
  }
}

}  // namespace gadget::device::model
