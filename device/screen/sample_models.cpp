#include "device/screen/sample_models.hpp"

#include <array>

namespace gadget::device::screen::samples {
namespace {

constexpr std::string_view kReply =
    "The kettle takes about four minutes. I have set a timer for nine minutes, so your tea will "
    "have time to steep. Anything else?";
constexpr std::string_view kLongReply =
    "Here is what the week looks like.\n\nOn Monday it stays dry with some sun in the afternoon "
    "and up "
    "to 19 degrees. On Tuesday clouds come in from the west; take an umbrella after five o'clock. "
    "Wednesday and Thursday are rainy, with a fresh wind from the north-west and not more than 13 "
    "degrees. It clears up on Friday, and the weekend looks lovely: sunny, 21 degrees, hardly any "
    "wind. A good time for the garden, or for the long ride to the lake that you put on your list.";
constexpr std::string_view kCardBody =
    "- oat milk\n- two lemons\n- bread, the dark one\n- dishwasher salt\n- something nice for "
    "Sunday";

constexpr std::array<SettingView, 8> kSettings{{{"Volume", "70 %"},
                                                {"Brightness", "80 %"},
                                                {"Talk", "hold"},
                                                {"Screen off after", "2 min"},
                                                {"Name", "Kitchen"},
                                                {"Hub", "hub.local"},
                                                {"Check microphone", ""},
                                                {"Factory reset", ""}}};

// A sunset over hills, as an agent might send one.
const std::vector<Colour>& picture() {
  static const std::vector<Colour> pixels = [] {
    std::vector<Colour> out(280 * 180);
    for (int y = 0; y < 180; ++y) {
      for (int x = 0; x < 280; ++x) {
        const auto step = static_cast<unsigned>(y);
        Colour colour = rgb(40 + step, 30 + step / 2, 90 - step / 3);
        const int dx = x - 190;
        const int dy = y - 96;
        if (dx * dx + dy * dy < 26 * 26) colour = rgb(255, 214, 120);
        if (y > 120 + sine(x * 3) / 80) colour = rgb(44, 40, 70);
        if (y > 140 + sine(x * 2 + 300) / 60) colour = rgb(24, 24, 44);
        out[static_cast<std::size_t>(y * 280 + x)] = colour;
      }
    }
    return out;
  }();
  return pixels;
}

ScreenModel base(State state) {
  ScreenModel m;
  m.state = state;
  m.device_name = "Kitchen";
  m.clock = "14:05";
  m.connected = state != State::boot && state != State::setup && state != State::offline &&
                state != State::connecting;
  m.link = m.connected ? 3 : 0;
  m.hub = "hub.local";
  m.device_id = "hg-630dcd2966c43366";
  return m;
}

}  // namespace

std::vector<Sample> all() {
  std::vector<Sample> out;
  const auto add = [&out](const char* name, std::uint64_t now, const ScreenModel& model) {
    out.push_back({name, model, now});
  };
  ScreenModel m = base(State::boot);
  m.clock = {};
  add("boot", 1200, m);
  m = base(State::setup);
  m.clock = {};
  m.status = "Join the Wi-Fi \"gadget-c433\" with your phone and open http://192.168.4.1";
  add("setup", 9000, m);
  add("offline", 3000, base(State::offline));
  add("connecting", 3400, base(State::connecting));
  m = base(State::pairing);
  m.pairing_code = "KWXH 7M2P";
  m.pairing_command = "hermes-gadget pairing approve gadget KWXH7M2P";
  add("pairing", 9000, m);
  m = base(State::ready);
  m.battery = Battery{82, false};
  add("ready", 1400, m);
  m.led = 0xFF2020;
  m.volume = 0;
  m.battery = Battery{9, false};
  m.notice = "That was too short, please hold TALK while you speak.";
  add("ready-notice", 60000, m);
  m = base(State::ready);
  m.transcript = "set a timer for nine minutes";
  m.reply = kReply;
  add("ready-reply", 9000, m);
  m = base(State::listening);
  m.mic_level = 150;
  add("listening", 9000, m);
  m.transcript = "how long does the kettle take, and could you please set a timer for nine minutes";
  m.mic_level = 240;
  add("listening-words", 9000, m);
  m = base(State::thinking);
  m.transcript = "how long does the kettle take";
  m.status = "Looking at the sensors";
  add("thinking", 9300, m);
  m = base(State::replying);
  m.transcript = "how long does the kettle take, and could you set a timer for nine minutes";
  m.reply = kReply;
  m.speaker_level = 190;
  m.led = 0x20C040;
  add("replying", 9000, m);
  m.reply = kLongReply;
  m.transcript = "what will the weather be like this week";
  m.reply_page = 1;
  m.speaker_level = 0;
  add("replying-pages", 9000, m);
  m = base(State::card);
  m.card = {"Shopping list", kCardBody, 0};
  add("card", 9000, m);
  m = base(State::image);
  m.image = {picture(), 280, 180};
  add("image", 9000, m);
  m = base(State::question);
  m.question.title = "Restart the router?";
  m.question.text = "It did not answer for ten minutes. The network will be away for a moment.";
  m.question.seconds_left = 42;
  m.question.seconds_total = 60;
  add("question", 9000, m);
  m.question.title = "Delete all photos of the holidays in Norway?";
  m.question.text =
      "There are 412 of them on the shelf computer, and no copy elsewhere. Once they are deleted "
      "nobody can "
      "bring them back, not even with a good excuse and cake. Say yes only if you are sure.";
  m.question.guard = true;
  add("question-guard", 9000, m);
  m = base(State::question);
  m.question.reenrol = true;
  add("question-reenrol", 9000, m);
  m = base(State::updating);
  m.update_percent = 64;
  m.update_version = "0.3.1";
  add("updating", 9000, m);
  m = base(State::settings);
  m.settings = kSettings;
  m.setting_chosen = 1;
  add("settings", 9000, m);
  m = base(State::error);
  m.connected = false;
  m.error = "The hub does not accept my key. I will try again in a minute.";
  add("error", 9000, m);
  m = base(State::ready);
  m.hold_percent = 60;
  m.talk_button = "SPACE";
  add("ready-hold", 9000, m);
  m = base(State::replying);
  m.device_name =
      "K\xC3\xBC"
      "che";
  m.reply =
      "\xE2\x80\x9CGr\xC3\xBC\xC3\x9F Gott\xE2\x80\x9D \xE2\x80\x93 im B\xC3\xBCro sind es "
      "21,5\xC2\xA0\xC2\xB0"
      "C \xE2\x80\xA6 \xC5\xBB\xC3\xB3\xC5\x82w, \xC3\xA7"
      "a va\xC2\xA0? Not in this font: \xE6\x97\xA5\xE6\x9C\xAC \xF0\x9F\x98\x80.";
  add("replying-latin", 9000, m);
  return out;
}

}  // namespace gadget::device::screen::samples
