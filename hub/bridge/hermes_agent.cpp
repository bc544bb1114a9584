#include "hub/bridge/hermes_agent.hpp"

#include <algorithm>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>

#include "hub/bridge/frames.hpp"
#include "protocol/base64.hpp"

namespace gadget::hub {
namespace {

namespace json = boost::json;

constexpr const char* kNotConnected = "Hermes is not connected";
constexpr const char* kTooLong = "That was too long for Hermes to hear";
constexpr const char* kRestarted = "Hermes was restarted";

std::string_view name_of(AgentRequest::Source source) {
  switch (source) {
    case AgentRequest::Source::typed: return "typed";
    case AgentRequest::Source::spoken: return "spoken";
    case AgentRequest::Source::event: return "event";
  }
  return "typed";
}

std::string_view name_of(CancelCause cause) {
  switch (cause) {
    case CancelCause::button: return "button";
    case CancelCause::speech: return "speech";
    case CancelCause::other: return "other";
  }
  return "other";
}

// A device's own JSON text; null when it does not parse.
json::value value_of(const std::string& text) {
  json::error_code error;
  json::value value = json::parse(text, error);
  return error ? json::value() : value;
}

json::value object_of(const std::string& text) {
  json::value value = value_of(text);
  return value.is_object() ? value : json::object();
}

std::optional<TurnOutcome> outcome_of(std::string_view text) {
  if (text == "success") return TurnOutcome::success;
  if (text == "failure") return TurnOutcome::failure;
  if (text == "cancelled") return TurnOutcome::cancelled;
  return std::nullopt;
}

}  // namespace

json::object device_frame(const DeviceView& device, bool paired) {
  json::object frame{{"type", "device"},
                     {"device", device.id.text()},
                     {"name", device.name},
                     {"board", device.board},
                     {"online", device.online},
                     {"paired", paired},
                     {"speaker", device.has_speaker}};
  if (device.has_display) {
    frame["display"] = json::object{{"width", device.display_width},
                                    {"height", device.display_height},
                                    {"pictures", device.takes_pictures}};
  }
  if (!paired) return frame;
  json::array actions;
  for (const ActionInfo& action : device.actions) {
    actions.push_back(json::object{{"name", action.name},
                                   {"description", action.description},
                                   {"params", object_of(action.params_json)}});
  }
  frame["actions"] = std::move(actions);
  json::object sensors;
  for (const auto& [name, reading] : device.sensors) {
    if (json::value value = value_of(reading.json); !value.is_null()) {
      sensors[name] = std::move(value);
    }
  }
  frame["sensors"] = std::move(sensors);
  return frame;
}

// ---- Runs --------------------------------------------------------------------------------------

class HermesAgent::Run final : public AgentRun {
 public:
  Run(HermesAgent& agent, std::string turn, bool spoken)
      : agent_(agent), turn_(std::move(turn)), spoken_(spoken) {}
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;
  ~Run() override { agent_.cancelled(turn_, cause_); }
  void cancelled(CancelCause cause) override { cause_ = cause; }
  void audio(std::span<const std::int16_t> samples) override { agent_.heard(turn_, samples); }
  void audio_end() override { agent_.heard_all(turn_); }
  // Hermes speaks after a voice message only.
  [[nodiscard]] bool speaks() const override { return spoken_; }

 private:
  HermesAgent& agent_;
  std::string turn_;
  bool spoken_;
  CancelCause cause_ = CancelCause::other;
};

HermesAgent::HermesAgent(AgentHost& host, Bridge& bridge) : host_(host), bridge_(bridge) {
  bridge_.turns({.came = [this](const BridgeHello& hello) { came(hello); },
                 .went = [this] { went(); },
                 .frame = [this](std::string_view type,
                                 const json::object& frame) { return this->frame(type, frame); },
                 .known = [this] { return known(); }});
}

HermesAgent::~HermesAgent() {
  bridge_.turns({});
  for (auto& [id, turn] : turns_) stop_waiting(turn);
}

std::unique_ptr<AgentRun> HermesAgent::start(AgentRequest request, const DeviceView& device,
                                             std::shared_ptr<TurnSink> sink) {
  (void)device;  // the plugin is told just before the turn, and so always what holds now
  const std::string id = request.turn;
  Going& turn = turns_[id];
  turn.request = std::move(request);
  turn.sink = std::move(sink);
  const bool spoken = turn.request.source == AgentRequest::Source::spoken;
  turn.listening = hears_ && spoken && turn.request.text.empty();
  if (!turn.listening) give_or_wait(turn);
  return std::make_unique<Run>(*this, id, spoken);
}

void HermesAgent::give_or_wait(Going& turn) {
  if (bridge_.connected()) return give(turn);
  turn.sink->status("Waiting for Hermes");
  wait(turn, kHermesAbsentMs, kNotConnected);
}

void HermesAgent::heard(const std::string& id, std::span<const std::int16_t> samples) {
  const auto at = turns_.find(id);
  if (at == turns_.end() || !at->second.listening) return;
  std::vector<std::int16_t>& heard = at->second.heard;
  heard.insert(heard.end(), samples.begin(), samples.end());
  if (heard.size() > kHermesHeardSamples) end(id, TurnOutcome::failure, kTooLong);
}

void HermesAgent::heard_all(const std::string& id) {
  const auto at = turns_.find(id);
  if (at == turns_.end() || !std::exchange(at->second.listening, false)) return;
  give_or_wait(at->second);
}

void HermesAgent::session_new(const DeviceId& device) {
  bridge_.send(json::object{{"type", "session.new"}, {"device", device.text()}});
}

void HermesAgent::give(Going& turn) {
  const AgentRequest& request = turn.request;
  turn.given = true;
  if (const auto device = host_.device(request.device)) bridge_.send(device_frame(*device, true));
  json::object frame{{"type", "turn"},
                     {"turn", request.turn},
                     {"device", request.device.text()},
                     {"source", name_of(request.source)},
                     {"text", request.text}};
  if (!request.event_name.empty()) frame["event"] = request.event_name;
  give_audio(turn);
  bridge_.send(frame);
}

void HermesAgent::give_audio(const Going& turn) {
  std::string text;
  for (std::size_t at = 0; at < turn.heard.size(); at += kHermesPieceSamples) {
    const auto piece =
        std::span(turn.heard).subspan(at, std::min(kHermesPieceSamples, turn.heard.size() - at));
    const auto bytes = std::as_bytes(piece);
    text.resize(protocol::base64_chars(bytes.size()));
    (void)protocol::base64_encode(bytes, text);
    bridge_.send(json::object{{"type", "turn.audio"},
                              {"turn", turn.request.turn},
                              {"rate_hz", turn.request.rate_hz},
                              {"pcm", text}});
  }
}

// A piece of Hermes' own voice. False: it is none.
bool HermesAgent::spoken(Going& turn, const json::object& frame) {
  const auto pcm = text_of(frame, "pcm");
  const auto rate = number_of(frame, "rate_hz");
  if (!pcm || !rate || *rate < kHermesLowestHz || *rate > kHermesHighestHz) return false;
  const std::size_t padding = pcm->ends_with("==") ? 2 : (pcm->ends_with('=') ? 1 : 0);
  const std::size_t bytes = pcm->size() / 4 * 3 - std::min(padding, pcm->size());
  if (pcm->empty() || pcm->size() % 4 != 0 || bytes % sizeof(std::int16_t) != 0) return false;
  std::vector<std::int16_t> samples(bytes / sizeof(std::int16_t));
  if (!protocol::base64_decode(*pcm, std::as_writable_bytes(std::span(samples)))) return false;
  const std::shared_ptr<TurnSink> sink = turn.sink;
  sink->audio(std::move(samples), static_cast<std::uint32_t>(*rate));
  return true;
}

// The person does not want it any more, or the hub ends.
void HermesAgent::cancelled(const std::string& id, CancelCause cause) {
  const auto at = turns_.find(id);
  if (at == turns_.end()) return;  // it had ended
  stop_waiting(at->second);
  const DeviceId device = at->second.request.device;
  const bool given = at->second.given;
  turns_.erase(at);
  if (!given) return;
  if (bridge_.connected()) return tell_cancelled(id, device, cause);
  if (untold_.size() < kHermesUntold) untold_.insert_or_assign(id, Cancelled{device, cause});
}

void HermesAgent::tell_cancelled(const std::string& id, const DeviceId& device, CancelCause cause) {
  bridge_.send(json::object{{"type", "turn.cancel"},
                            {"turn", id},
                            {"device", device.text()},
                            {"because", name_of(cause)}});
}

void HermesAgent::end(const std::string& id, TurnOutcome outcome, std::string reason) {
  const auto at = turns_.find(id);
  if (at == turns_.end()) return;
  stop_waiting(at->second);
  const std::shared_ptr<TurnSink> sink = std::move(at->second.sink);
  turns_.erase(at);  // first: `end` destroys the run
  sink->end(outcome, std::move(reason));
}

void HermesAgent::wait(Going& turn, Millis for_ms, std::string why) {
  stop_waiting(turn);
  turn.timer =
      host_.at(host_.now_ms() + for_ms, [this, id = turn.request.turn, why = std::move(why)] {
        if (const auto at = turns_.find(id); at != turns_.end()) {
          at->second.timer.reset();
        }
        end(id, TurnOutcome::failure, why);
      });
}

void HermesAgent::stop_waiting(Going& turn) {
  if (turn.timer) host_.cancel(*turn.timer);
  turn.timer.reset();
}

// ---- The plugin comes and goes -----------------------------------------------------------------

void HermesAgent::went() {
  for (auto& [id, turn] : turns_) wait(turn, kHermesGoneMs, kNotConnected);
}

std::vector<std::string> HermesAgent::known() const {
  std::vector<std::string> ids;
  for (const auto& [id, turn] : turns_) ids.push_back(id);
  for (const auto& [id, turn] : untold_) ids.push_back(id);
  ids.insert(ids.end(), ended_.begin(), ended_.end());
  return ids;
}

void HermesAgent::came(const BridgeHello& hello) {
  hears_ = hello.hears;
  speaks_ = hello.speaks;
  for (const auto& [id, turn] : std::exchange(untold_, {})) {
    if (hello.turns.contains(id)) tell_cancelled(id, turn.device, turn.cause);
  }
  std::vector<std::string> lost;
  for (auto& [id, turn] : turns_) {
    stop_waiting(turn);
    if (turn.listening) continue;
    if (turn.given && hello.turns.contains(id)) continue;
    if (turn.began) {
      lost.push_back(id);
    } else {
      turn.sink->status({});
      give(turn);
    }
  }
  for (const std::string& id : lost) end(id, TurnOutcome::failure, kRestarted);
}

// ---- What it says ------------------------------------------------------------------------------

bool HermesAgent::frame(std::string_view type, const json::object& frame) {
  const auto id = text_of(frame, "turn");
  if (!id) return false;
  const auto at = turns_.find(*id);
  if (at == turns_.end()) return true;  // cancelled meanwhile: nothing of it is wanted
  Going& turn = at->second;
  if (type == "turn.taken") return true;
  if (type == "turn.began") {
    turn.began = true;
    turn.heard = {};  // it is not given again
    return true;
  }
  if (type == "turn.end") {
    const auto outcome = outcome_of(text_of(frame, "outcome").value_or(""));
    if (!outcome) return false;
    ended_.push_back(*id);
    if (ended_.size() > kHermesEnded) ended_.pop_front();
    end(*id, *outcome, text_of(frame, "reason").value_or(""));
    return true;
  }
  if (type == "turn.audio") return spoken(turn, frame);
  auto text = text_of(frame, "text");
  if (!text) return false;
  const std::shared_ptr<TurnSink> sink = turn.sink;
  if (type == "turn.status") sink->status(std::move(*text));
  if (type == "turn.delta") sink->delta(std::move(*text));
  if (type == "turn.interim") sink->interim(std::move(*text));
  if (type == "turn.final") {
    if (flag_of(frame, "speak", true)) {
      sink->final(std::move(*text));
    } else {
      sink->interim(std::move(*text));
    }
  }
  return true;
}

}  // namespace gadget::hub
