#include "device/screen/sample_models.hpp"

#include <algorithm>
#include <array>
#include <map>

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

// The pages of the settings as device/core/settings_menu fills them.
constexpr std::array<SettingView, 10> kSettings{{{"Volume", "70 %"},
                                                 {"Brightness", "80 %"},
                                                 {"Talk mode", "hold"},
                                                 {"Screen off after", "2 min"},
                                                 {"Microphone...", ""},
                                                 {"Speaker...", ""},
                                                 {"Display...", ""},
                                                 {"Buttons...", ""},
                                                 {"This device...", ""},
                                                 {"Factory reset...", ""}}};
constexpr std::array<SettingView, 4> kSettingsEdit{{{"Volume", "< 70 % >"},
                                                    {"Brightness", "80 %"},
                                                    {"Talk mode", "hold"},
                                                    {"Screen off after", "2 min"}}};
constexpr std::array<SettingView, 11> kSettingsInfo{{{"Id", "hg-72cd6e8422c407fb"},
                                                     {"Name", "Kitchen"},
                                                     {"Hub", "hub.local"},
                                                     {"State", "ready"},
                                                     {"Firmware", "0.3.0"},
                                                     {"Board", "template"},
                                                     {"Protocol", "1"},
                                                     {"On since", "132 min"},
                                                     {"Connections", "3"},
                                                     {"Lost messages", "0"},
                                                     {"Voice gaps", "0"}}};
constexpr std::array<SettingView, 2> kSettingsMicrophone{
    {{"#########", "46 %"}, {"Loudest", "81 %"}}};
constexpr std::array<SettingView, 2> kSettingsErase{
    {{"Forget key and settings?", ""}, {"Yes: hold TALK", "2 s"}}};

// A sunset over hills, as an agent might send one.
std::vector<Colour> picture_of(int width, int height) {
  std::vector<Colour> out;
  for (int at_y = 0; at_y < height; ++at_y) {
    for (int at_x = 0; at_x < width; ++at_x) {
      const int x = at_x * 280 / width;
      const int y = at_y * 180 / height;
      const auto step = static_cast<unsigned>(y);
      Colour colour = rgb(40 + step, 30 + step / 2, 90 - step / 3);
      const int dx = (at_x - width * 68 / 100) * 180 / height;
      const int dy = (at_y - height * 53 / 100) * 180 / height;
      if (dx * dx + dy * dy < 26 * 26) colour = rgb(255, 214, 120);
      if (y > 120 + sine(x * 3) / 80) colour = rgb(44, 40, 70);
      if (y > 140 + sine(x * 2 + 300) / 60) colour = rgb(24, 24, 44);
      out.push_back(colour);
    }
  }
  return out;
}

// The picture that fits such a box, in the shape of a photograph; made once for each.
ImageView picture(int box_width, int box_height) {
  const int width = std::min(box_width, box_height * 14 / 9);
  const int height = width * 9 / 14;
  static std::map<int, std::vector<Colour>> made;
  auto& pixels = made[width];
  if (pixels.empty()) pixels = picture_of(width, height);
  return {pixels, width, height, 1};
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

std::vector<Sample> all(int width, int height, Shape shape, bool mono, const FontSet& fonts) {
  std::vector<Sample> out;
  const auto add = [&](const char* name, std::uint64_t now, ScreenModel model) {
    model.shape = shape;
    model.mono = mono;
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
  const Room room = room_of(width, height, shape, fonts);
  m.image = picture(room.image_width, room.image_height);
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
  m.settings = kSettingsEdit;
  m.setting_chosen = 0;
  m.hint = "UP, DOWN; TALK keeps";
  add("settings-edit", 9000, m);
  m.hint = {};
  m.cancel_does = " goes back";
  m.settings = kSettingsInfo;
  m.setting_chosen = 4;
  add("settings-info", 9000, m);
  m.settings = kSettingsMicrophone;
  m.setting_chosen = 0;
  add("settings-microphone", 9000, m);
  m.cancel_does = ": no";
  m.settings = kSettingsErase;
  m.setting_chosen = 1;
  add("settings-erase", 9000, m);
  m = base(State::error);
  m.connected = false;
  m.error = "The hub does not accept my key. I will try again in a minute.";
  add("error", 9000, m);
  m = base(State::ready);
  m.hold_percent = 60;
  m.talk_button = "SPACE";
  add("ready-hold", 9000, m);
  m = base(State::replying);
  m.device_name = "K\u00FCche";
  m.reply =
      "\u201CGr\u00FC\u00DF Gott\u201D \u2013 im B\u00FCro sind es 21,5\u00A0\u00B0C \u2026 "
      "\u017B\u00F3\u0142w, \u00E7a va\u00A0? \u041F\u0440\u0438\u0432\u0435\u0442! "
      "\u0393\u03B5\u03B9\u03AC \u03C3\u03BF\u03C5! e\u0301 = \u00E9. Not in any font: "
      "\uD55C \U0001F468\u200D\U0001F469\u200D\U0001F467 \U0001F1EF\U0001F1F5.";
  add("replying-letters", 9000, m);
  m = base(State::replying);
  m.device_name = "\u53F0\u6240";
  m.transcript = "\u304A\u8336\u306F\u4F55\u5206\uFF1F";
  m.reply =
      "\u304A\u6E6F\u304C\u6CB8\u304F\u307E\u3067\u56DB\u5206\u307B\u3069\u304B\u304B\u308A"
      "\u307E\u3059\u3002\u300C\u4E5D\u5206\u300D\u306E\u30BF\u30A4\u30DE\u30FC\u3092\u30BB"
      "\u30C3\u30C8\u3057\u307E\u3057\u305F\u3002\n\u70E7\u6C34\u5927\u7EA6\u9700\u8981\u56DB"
      "\u5206\u949F\uFF0C\u6211\u5DF2\u8BBE\u7F6E\u4E5D\u5206\u949F\u7684\u8BA1\u65F6\u5668\u3002"
      "\n\u9418\u8072\u97FF\u8D77\u6642\u8336\u5C31\u597D\u4E86\u3002";
  add("replying-cjk", 9000, m);
  return out;
}

}  // namespace gadget::device::screen::samples
