#include "load/nonsense.hpp"

#include <array>

namespace gadget::load {
namespace {

constexpr std::size_t kStrangers = 200;
constexpr std::size_t kMadmen = 12;
// Below the hub's places for one address, so that all kinds get through; some come from elsewhere.
constexpr std::size_t kAddresses = 3;
constexpr std::size_t kUnsentBytes = 256 * 1024;
constexpr Micros kPatienceUs = 3 * kSecond;

std::span<const std::byte> bytes(std::string_view text) {
  return {reinterpret_cast<const std::byte*>(text.data()), text.size()};
}

std::string nested(std::size_t depth) {
  std::string text = R"({"type":"hello","x":)";
  text.append(depth, '[');
  return text;
}

// One of the texts that no hub can like.
std::string bad_text(std::size_t which) {
  switch (which % 10) {
    case 0: return "{";
    case 1: return nested(30'000);
    case 2: return R"({"type":"hello","proto":1,"device_id":"hg-XYZ"})";
    case 3: return R"({"type":"hello","proto":1e400,"device_id":12})";
    case 4: return std::string(60'000, '"');
    case 5: {
      std::string text = R"({"type":"state","sensors":{)";
      for (int i = 0; i < 3'000; ++i) {
        text += (i > 0 ? ",\"s" : "\"s") + std::to_string(i) + "\":1";
      }
      return text + "}}";
    }
    case 6: return R"({"type":"hello","type":"hello"})";
    case 7: return "\xff\xfe\x80";
    case 8: return R"({"type":"auth","key":"AAAA","mac":"AAAA"})";
    default: return R"({"type":"audio.start","stream":999,"rate":-1,"format":7})";
  }
}

// A hello whose actions have the nastiest schemas.
std::string nasty_hello(const protocol::DeviceId& id) {
  std::string text =
      R"({"type":"hello","proto":1,"device_id":")" + std::string(id.text()) + R"(","actions":[)";
  for (int i = 0; i < 60; ++i) {
    if (i > 0) text += ',';
    text +=
        R"({"name":"a)" + std::to_string(i) +
        R"(","params":{"type":"object","$ref":"#","properties":{"x":{"pattern":"(a*)*b",)"
        R"("allOf":[{"anyOf":[{"not":{"type":"string"}},{"minLength":3}]},{"enum":[1,2,3]}]}}}})";
  }
  return text + "]}";
}

}  // namespace

// One that is not known.
class Hostile::Stranger : public Client {
 public:
  Stranger(Loop& loop, Hostile& all, std::size_t number)
      : Client(loop), all_(all), number_(number) {}

  void begin(const Endpoint& endpoint) {
    kind_ = all_.turn_++ % kKinds;
    upgrades_ = kind_ >= kUpgrading;
    began_ = Loop::now_us();
    ++all_.begun_;
    (void)connect(endpoint, source_of(number_, kAddresses));
  }
  // Some go on; who has waited long enough goes.
  void poke() {
    if (state() == State::closed) return;
    if (kind_ == 1) send_raw(bytes("G"));
    if (Loop::now_us() - began_ > kPatienceUs) drop();
  }

 protected:
  void on_connected() override {
    switch (kind_) {
      case 0: break;                         // half open: says nothing
      case 1: send_raw(bytes("GE")); break;  // slow loris: goes on letter by letter
      case 2: send_raw(bytes("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03")); break;  // TLS
      case 3: send_raw(bytes(std::string(20'000, 'A'))); break;  // no end of a line
      case 4: send_raw(bytes("GET /../../etc/passwd HTTP/1.1\r\n\r\n")); break;
      case 5: shut_down_writing(); break;
      default: break;
    }
  }
  void on_open() override {
    const auto which = static_cast<std::size_t>(all_.random_());
    switch (kind_) {
      case 6: break;  // upgraded, and silent
      case 7: send_text(bad_text(which)); break;
      case 8: send_raw(bytes("\x82\xff\x7f\xff\xff\xff\xff\xff\xff\xff 1234")); break;  // 2^63
      case 9: send_raw(bytes(std::string("\xf3\x00\xff\x81\x81", 5))); break;  // reserved bits
      case 10: send_binary(bytes(std::string(60'000, 'B'))); break;
      case 11: {  // a known way to say hello, and a wrong proof
        const auto id = protocol::device_id(key_of(number_));
        send_text(nasty_hello(id));
        break;
      }
      default:  // fragments without an end
        for (int i = 0; i < 50; ++i)
          send_raw(bytes(std::string("\x00\x81\x01\x02\x03\x04\x61", 7)));
        break;
    }
  }
  void on_text(std::span<char> text) override {
    if (type_of({text.data(), text.size()}) == "challenge") {
      send_text(R"({"type":"auth","mac":"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="})");
    }
  }
  void on_binary(std::span<const std::byte>) override {}
  void on_closed(std::uint16_t code, std::string_view reason, HttpStatus status) override {
    const std::string what = status.code != 0 ? "HTTP " + std::to_string(status.code)
                                              : std::to_string(code) + " " + std::string(reason);
    ++all_.ends_[what];
  }

 private:
  static constexpr std::size_t kKinds = 13;
  static constexpr std::size_t kUpgrading = 6;
  Hostile& all_;
  std::size_t number_;
  std::size_t kind_ = 0;
  Micros began_ = 0;
};

// One that is enrolled and approved, and has gone mad.
class Hostile::Madman : public Device {
 public:
  Madman(Loop& loop, Hostile& all, std::size_t index)
      : Device(loop, index, {.speaker = true}), all_(all) {}

  void poke(const Endpoint& endpoint) {
    if (state() == State::closed) {
      ++all_.begun_;
      kind_ = all_.turn_++ % kKinds;
      return open(endpoint, source_of(index(), kAddresses));
    }
    if (!welcomed() || unsent_bytes() > kUnsentBytes) return;
    switch (kind_) {
      case 0: send_text(bad_text(all_.turn_++)); break;  // until it is closed, and again
      case 1:
        for (int i = 0; i < 8; ++i) say("again and again");
        break;
      case 2:
        for (int i = 0; i < 8; ++i) cancel();
        break;
      case 3:
        send_text(
            R"({"type":"audio.start","id":"1","stream":1,"rate":48000,"format":"pcm16","mode":"hold"})");
        for (int i = 0; i < 8; ++i) send_binary(frame());
        break;
      case 4:
        for (int i = 0; i < 16; ++i) send_raw(masked_frame_of(9, "ping"));
        break;
      case 5:  // asks, and never reads
        pause(true);
        say("Tell me all of it. And again. And once more, please.");
        break;
      case 6: send_text(R"({"type":"event","name":"e","notify":true,"data":{}})"); break;
      case 7: send_text(R"({"type":"session.new"})"); break;
      case 8: send_text(R"({"type":"text","id":"1","text":")" + long_text_ + "\"}"); break;
      default: send_text(R"({"type":"action.result","id":"nobody","ok":true,"result":[]})"); break;
    }
  }

 protected:
  void on_end(std::uint16_t code, std::string_view reason, HttpStatus) override {
    ++all_.ends_[std::to_string(code) + " " + std::string(reason)];
  }

 private:
  static std::span<const std::byte> frame() {
    static const auto kFrame = [] {
      std::array<std::byte, 4'100> bytes_of_it{};
      bytes_of_it[0] = std::byte{1};
      bytes_of_it[1] = std::byte{1};
      return bytes_of_it;
    }();
    return kFrame;
  }
  std::span<const std::byte> masked_frame_of(std::uint8_t opcode, std::string_view text) {
    frame_ = masked_frame(opcode, bytes(text));
    return bytes(frame_);
  }

  static constexpr std::size_t kKinds = 10;
  Hostile& all_;
  std::size_t kind_ = 0;
  std::string frame_;
  std::string long_text_ = std::string(16'000, '*') + std::string(16'000, '|');
};

Hostile::Hostile(Loop& loop, const Endpoint& endpoint, std::size_t first_known)
    : endpoint_(endpoint) {
  for (std::size_t i = 0; i < kStrangers; ++i) {
    strangers_.push_back(std::make_unique<Stranger>(loop, *this, first_known + kMadmen + i));
  }
  for (std::size_t i = 0; i < kMadmen; ++i) {
    madmen_.push_back(std::make_unique<Madman>(loop, *this, first_known + i));
  }
}

Hostile::~Hostile() { stop(); }

void Hostile::act() {
  const auto now = static_cast<std::size_t>(Loop::now_us() / kMilli);
  Stranger& one = *strangers_[now % kStrangers];
  if (one.state() == Client::State::closed) one.begin(endpoint_);
  strangers_[(now * 7) % kStrangers]->poke();
  madmen_[now % kMadmen]->poke(endpoint_);
}

void Hostile::stop() {
  for (auto& one : strangers_) one->drop();
  for (auto& one : madmen_) one->drop();
}

}  // namespace gadget::load
