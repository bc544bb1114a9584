// What the agent can have the device do (X1, X2, E37): the board's own actions and three of ours.
#include <array>

#include "device/core/gadget.hpp"
#include "device/core/gadget_send.hpp"
#include "protocol/codec.hpp"

namespace gadget::device {
namespace {

constexpr std::string_view kColourWords = "off red green blue yellow white purple orange";
constexpr std::array<std::uint32_t, 8> kColours{0x000000, 0xFF0000, 0x00C000, 0x0000FF,
                                                0xFFD000, 0xFFFFFF, 0x9000C0, 0xFF7000};

constexpr ArgSpec kLedArgs[] = {{.name = "color", .type = ArgType::choice, .words = kColourWords}};
constexpr ArgSpec kVolumeArgs[] = {
    {.name = "percent", .type = ArgType::integer, .min = 0, .max = kFullVolume}};
constexpr ArgSpec kBrightnessArgs[] = {
    {.name = "percent", .type = ArgType::integer, .min = kMinBrightness, .max = kFullBrightness}};

// What every board with such a part can do.
constexpr ActionSpec kLedSet{
    .name = "led.set",
    .description = "Sets the colour of the device's lamp, or turns it off.",
    .args = {.args = kLedArgs}};
constexpr ActionSpec kSpeakerVolume{
    .name = "speaker.volume",
    .description = "Sets how loud the device speaks, in percent; 0 is silent.",
    .args = {.args = kVolumeArgs}};
constexpr ActionSpec kScreenBrightness{
    .name = "screen.brightness",
    .description = "Sets how bright the device's screen is, in percent.",
    .args = {.args = kBrightnessArgs}};

}  // namespace

const ActionSpec* Gadget::action_at(std::size_t index) const {
  // The board's come first: of two of one name the first counts (H6), so a board may replace ours.
  if (platform_.actions != nullptr) {
    const auto list = platform_.actions->list();
    if (index < list.size()) return &list[index];
    index -= list.size();
  }
  if (platform_.lamp != nullptr && index-- == 0) return &kLedSet;
  if (config_.speaker_hz != 0 && index-- == 0) return &kSpeakerVolume;
  if (platform_.backlight != nullptr && index == 0) return &kScreenBrightness;
  return nullptr;
}

void Gadget::write_actions(protocol::JsonWriter& out) const {
  out.begin_array();
  for (std::size_t i = 0; const ActionSpec* const action = action_at(i); ++i) {
    out.part(R"({"name":)").string(action->name);
    out.part(R"("description":)").string(action->description);
    out.part(R"("params":)");
    write_schema(action->args, out);
    out.end_object();
  }
  out.end_array();
}

ActionOutcome Gadget::run_builtin(const ActionSpec& action, const ActionArgs& args,
                                  ActionAnswer& answer) {
  std::array<char, 32> room;  // NOLINT: filled below
  protocol::JsonWriter json{room};
  if (&action == &kLedSet) {
    const std::size_t colour = args.choice("color", kColourWords).value_or(0);
    platform_.lamp->set(kColours[colour]);
    lamp_ = kColours[colour];
    lamp_known_ = true;
    json.part(R"({"color":)").string(word_at(kColourWords, colour));
  } else {
    const auto percent = static_cast<int>(args.integer("percent").value_or(0));
    const bool volume = &action == &kSpeakerVolume;
    (void)set(clock_ms_, volume ? Setting::volume : Setting::brightness, percent);
    json.part(R"({"percent":)").integer(percent);
  }
  json.end_object();
  answer.json(json.finish().value_or("{}"));
  return ActionOutcome::done;
}

void Gadget::run_action(const protocol::Action& action) {
  if (action.id.size() > kActionIdBytes) return refuse_action(action.id, "the id is too long");
  if (auto* const known = actions_.find(action.id)) {
    if (known->slot == ActionBook::Slot::answered) answer_action(*known);
    return;
  }
  auto* const entry = actions_.open(action.id);
  if (entry == nullptr) return refuse_action(action.id, "too many actions are running");
  note(Fact::action, action.name);
  redraw_ = true;

  std::size_t at = 0;
  const ActionSpec* spec = action_at(at);
  while (spec != nullptr && spec->name != action.name) spec = action_at(++at);
  std::array<char, kActionAnswerBytes> room;  // NOLINT: filled below
  const std::string_view fault = spec == nullptr
                                     ? std::string_view{"this device has no such action"}
                                     : find_fault(spec->args, action.args, room);
  if (!fault.empty()) {
    (void)finish_action(clock_ms_, entry->ticket, false, fault);
    return;
  }
  ActionAnswer answer{room};
  const ActionArgs args{action.args};
  const bool of_board = platform_.actions != nullptr && at < platform_.actions->list().size();
  const ActionOutcome outcome = of_board
                                    ? platform_.actions->run(*spec, args, entry->ticket, answer)
                                    : run_builtin(*spec, args, answer);
  if (outcome == ActionOutcome::running) return;
  (void)finish_action(clock_ms_, entry->ticket,
                      outcome == ActionOutcome::done && !answer.overflow(),
                      answer.overflow() ? "the result is too long" : answer.view());
}

bool Gadget::finish_action(Millis, ActionTicket ticket, bool ok, std::string_view answer) {
  auto* const entry = actions_.find(ticket);
  if (entry == nullptr || entry->slot != ActionBook::Slot::running) return false;
  entry->ok = ok && answer.size() <= kActionAnswerBytes &&
              (answer.empty() || protocol::check_json(answer).has_value());
  if (ok && !entry->ok) {
    entry->answer.set("the result cannot be told");
  } else {
    entry->answer.set(answer);
  }
  answer_action(*entry);
  redraw_ = true;
  return true;
}

void Gadget::answer_action(ActionBook::Entry& entry) {
  protocol::ActionResult result;
  result.id = entry.id.view();
  result.ok = entry.ok;
  if (entry.ok) {
    result.result = {entry.answer.view()};
  } else {
    result.error = entry.answer.empty() ? std::string_view{"it did not work"} : entry.answer.view();
  }
  // A link that is full now is tried again with the next tick: an answer is never lost (X2).
  entry.slot = send(result) ? ActionBook::Slot::answered : ActionBook::Slot::unsent;
}

void Gadget::refuse_action(const std::string_view& id, const char* why) {
  protocol::ActionResult result;
  result.id = id;
  result.ok = false;
  result.error = why;
  (void)send(result);
}

}  // namespace gadget::device
