// What the agent can have the device do (X1, X2, E37): the board's own actions and two of ours.
#include <array>
#include <charconv>
#include <optional>

#include "device/core/gadget.hpp"
#include "device/core/gadget_send.hpp"
#include "protocol/codec.hpp"
#include "protocol/json_reader.hpp"

namespace gadget::device {
namespace {

constexpr ActionSpec kLedSet{
    .name = "led.set",
    .description = "Sets the colour of the device's lamp, or turns it off.",
    .params = R"({"type":"object","properties":{"color":{"type":"string","enum":["off","red",)"
              R"("green","blue","yellow","white","purple","orange"]}},"required":["color"]})"};

constexpr ActionSpec kSpeakerVolume{
    .name = "speaker.volume",
    .description = "Sets how loud the device speaks, in percent; 0 is silent.",
    .params = R"({"type":"object","properties":{"percent":{"type":"integer","minimum":0,)"
              R"("maximum":100}},"required":["percent"]})"};

struct Colour {
  std::string_view name;
  std::uint32_t rgb;
};
constexpr std::array kColours{Colour{"off", 0x000000},    Colour{"red", 0xFF0000},
                              Colour{"green", 0x00C000},  Colour{"blue", 0x0000FF},
                              Colour{"yellow", 0xFFD000}, Colour{"white", 0xFFFFFF},
                              Colour{"purple", 0x9000C0}, Colour{"orange", 0xFF7000}};

// The member `name` of the object `args`; nothing when it is no object or has no such member.
std::optional<protocol::Item> member(protocol::Json args, std::string_view name) {
  auto reader = protocol::JsonReader::checked(args.text);
  const auto begin = reader.next();
  if (!begin || begin->token != protocol::Token::begin_object) return std::nullopt;
  for (;;) {
    const auto key = reader.next();
    if (!key || key->token != protocol::Token::key) return std::nullopt;
    if (protocol::raw_equals(key->text, name)) {
      const auto value = reader.next();
      if (!value) return std::nullopt;
      return *value;
    }
    if (!reader.skip()) return std::nullopt;
  }
}

ActionOutcome fail_with(ActionAnswer& answer, std::string_view text) {
  answer.text(text);
  return ActionOutcome::failed;
}

void write_action(protocol::JsonWriter& out, const ActionSpec& action) {
  out.begin_object();
  out.key("name").string(action.name);
  out.key("description").string(action.description);
  out.key("params").raw(action.params.empty() ? std::string_view{"{}"} : action.params);
  out.end_object();
}

}  // namespace

void Gadget::write_actions(protocol::JsonWriter& out) const {
  out.begin_array();
  // The board's come first: of two of one name the first counts (H6), so a board may replace ours.
  if (platform_.actions != nullptr) {
    for (const auto& action : platform_.actions->list()) write_action(out, action);
  }
  if (platform_.lamp != nullptr) write_action(out, kLedSet);
  if (config_.speaker_hz != 0) write_action(out, kSpeakerVolume);
  out.end_array();
}

ActionOutcome Gadget::run_builtin(std::string_view name, protocol::Json args, ActionAnswer& answer,
                                  bool& known) {
  known = true;
  if (name == kLedSet.name && platform_.lamp != nullptr) {
    const auto colour = member(args, "color");
    if (colour && colour->token == protocol::Token::string) {
      for (const auto& one : kColours) {
        if (!protocol::raw_equals(colour->text, one.name)) continue;
        platform_.lamp->set(one.rgb);
        lamp_ = one.rgb;
        lamp_known_ = true;
        std::array<char, 32> room{};
        protocol::JsonWriter json{room};
        json.begin_object().key("color").string(one.name).end_object();
        answer.json(json.finish().value_or("{}"));
        return ActionOutcome::done;
      }
    }
    return fail_with(answer,
                     "color must be off, red, green, blue, yellow, white, purple or orange");
  }
  if (name == kSpeakerVolume.name && config_.speaker_hz != 0) {
    const auto percent = member(args, "percent");
    const auto value = percent && percent->token == protocol::Token::number
                           ? protocol::integer_of(percent->text)
                           : std::nullopt;
    if (!value || *value < 0 || *value > kFullVolume) {
      return fail_with(answer, "percent must be a whole number from 0 to 100");
    }
    set_volume(static_cast<int>(*value));
    std::array<char, 32> room{};
    protocol::JsonWriter json{room};
    json.begin_object().key("percent").integer(*value).end_object();
    answer.json(json.finish().value_or("{}"));
    return ActionOutcome::done;
  }
  known = false;
  return ActionOutcome::failed;
}

void Gadget::run_action(Millis now, const protocol::Action& action) {
  if (action.id.size() > kActionIdBytes) return refuse_action(action.id, "the id is too long");
  if (auto* const known = actions_.find(action.id)) {
    if (known->slot == ActionBook::Slot::answered) answer_action(*known);
    return;
  }
  auto* const entry = actions_.open(action.id);
  if (entry == nullptr) return refuse_action(action.id, "too many actions are running");
  note(Fact::action, action.name, now);

  std::array<char, kActionAnswerBytes> room{};
  ActionAnswer answer{room};
  ActionOutcome outcome = ActionOutcome::failed;
  bool known = false;
  if (platform_.actions != nullptr) {
    for (const auto& spec : platform_.actions->list()) {
      if (spec.name != action.name) continue;
      outcome = platform_.actions->run(spec, action.args, entry->ticket, answer);
      known = true;
      break;
    }
  }
  if (!known) outcome = run_builtin(action.name, action.args, answer, known);
  if (!known) answer.text("this device has no such action");
  redraw_ = true;
  if (outcome == ActionOutcome::running) return;
  (void)finish_action(now, entry->ticket, outcome == ActionOutcome::done && !answer.overflow(),
                      answer.overflow() ? "the result is too long" : answer.view());
}

bool Gadget::finish_action(Millis now, ActionTicket ticket, bool ok, std::string_view answer) {
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
  (void)now;
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

void Gadget::refuse_action(std::string_view id, std::string_view why) {
  protocol::ActionResult result;
  result.id = id;
  result.ok = false;
  result.error = why;
  (void)send(result);
}

}  // namespace gadget::device
