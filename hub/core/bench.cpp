#include "hub/core/bench.hpp"

#include <algorithm>

#include "protocol/json_reader.hpp"

namespace gadget::hub::bench {

// ---- Links ----

bool Written::has(std::string_view member) const {
  return text.find("\"" + std::string(member) + "\":") != std::string::npos;
}

std::string Written::get(std::string_view member) const {
  protocol::JsonReader reader{text};
  (void)reader.next();
  for (auto key = reader.next(); key && key->token == protocol::Token::key; key = reader.next()) {
    const bool wanted = key->text == member;
    if (!reader.skip()) break;
    if (!wanted) continue;
    std::string value(reader.value());
    if (value.size() >= 2 && value.front() == '"') value = value.substr(1, value.size() - 2);
    std::string copy = value;
    return std::string(protocol::decode_in_place(copy, copy));
  }
  return {};
}

void RecordingLink::send_text(std::string text, Kind kind) {
  EXPECT_FALSE(closed) << "written after close: " << text;
  Written one;
  one.at_ms = now_;
  one.text = std::move(text);
  one.type = one.get("type");
  one.kind = kind;
  EXPECT_TRUE(protocol::check_json(one.text)) << one.text;
  written.push_back(std::move(one));
}

void RecordingLink::send_binary(std::vector<std::byte> message, Kind kind, std::uint8_t stream) {
  EXPECT_FALSE(closed);
  const auto frame = protocol::decode_frame(message);
  ASSERT_TRUE(frame);
  EXPECT_EQ(frame->stream, stream);
  Written one;
  one.at_ms = now_;
  one.type = "frame";
  one.stream = frame->stream;
  one.sequence = frame->sequence;
  one.samples = frame->payload.size() / 2;
  one.kind = kind;
  if (frame->channel == protocol::Channel::firmware) {
    one.firmware = {reinterpret_cast<const char*>(frame->payload.data()), frame->payload.size()};
  }
  written.push_back(std::move(one));
}

void RecordingLink::send_shared(std::array<std::byte, protocol::kFrameHeaderBytes> header,
                                std::span<const std::byte> payload, std::shared_ptr<const void>,
                                Kind kind, std::uint8_t stream) {
  std::vector<std::byte> message(header.begin(), header.end());
  message.insert(message.end(), payload.begin(), payload.end());
  send_binary(std::move(message), kind, stream);
}

void RecordingLink::close(std::uint16_t code, std::string reason) {
  EXPECT_FALSE(closed) << "closed twice";
  closed = true;
  Written one;
  one.at_ms = now_;
  one.type = "close";
  one.text = std::move(reason);
  one.code = code;
  written.push_back(std::move(one));
}

// ---- Engines ----

namespace {

class VoiceSession final : public speech::SynthesizerSession {
 public:
  std::shared_ptr<bool> alive = std::make_shared<bool>(true);
  ~VoiceSession() override { *alive = false; }
};

class EarSession final : public speech::RecognizerSession {
 public:
  EarSession(Bench& bench, FakeRecognizer& ears, speech::RecognizerEvents events)
      : bench_(bench), ears_(ears), events_(std::move(events)) {}
  ~EarSession() override { *alive_ = false; }

  void push(std::span<const std::int16_t> samples) override {
    if (ears_.samples == 0 && !ears_.partial.empty()) {
      bench_.later(0, [alive = alive_, partial = events_.partial, text = ears_.partial] {
        if (*alive) partial(text);
      });
    }
    ears_.samples += samples.size();
  }
  void finish() override {
    if (ears_.hangs) return;
    bench_.later(ears_.delay_ms,
                 [alive = alive_, done = events_.done, fails = ears_.fails, text = ears_.text] {
                   if (!*alive) return;
                   if (fails) return done(fail(FailureCode::unavailable, "broken ears"));
                   done(text);
                 });
  }

 private:
  Bench& bench_;
  FakeRecognizer& ears_;
  speech::RecognizerEvents events_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

class Run final : public AgentRun {
 public:
  explicit Run(std::shared_ptr<bool> alive) : alive_(std::move(alive)) {}
  ~Run() override { *alive_ = false; }

 private:
  std::shared_ptr<bool> alive_;
};

}  // namespace

std::unique_ptr<speech::SynthesizerSession> FakeSynthesizer::start(
    std::string text, speech::SynthesizerEvents events) {
  asked.push_back(text);
  auto session = std::make_unique<VoiceSession>();
  if (hangs) return session;
  const auto samples = static_cast<std::size_t>(static_cast<Millis>(text.size()) * ms_per_char *
                                                static_cast<Millis>(rate_hz) / 1000);
  bench_.later(delay_ms, [alive = session->alive, events, samples, rate = rate_hz, broken = fails] {
    if (!*alive) return;
    if (broken) return events.done(fail(FailureCode::unavailable, "broken voice"));
    events.audio(std::vector<std::int16_t>(samples, 1000), rate);
    if (*alive) events.done({});
  });
  return session;
}

std::unique_ptr<speech::RecognizerSession> FakeRecognizer::start(speech::RecognizerEvents events) {
  return std::make_unique<EarSession>(bench_, *this, std::move(events));
}

std::unique_ptr<AgentRun> ScriptedAgent::start(AgentRequest request, const DeviceView& device,
                                               std::shared_ptr<TurnSink> sink) {
  auto alive = std::make_shared<bool>(true);
  turns.push_back({std::move(request), device, std::move(sink), alive});
  return std::make_unique<Run>(alive);
}

// ---- Devices ----

Device::Device(Bench& the_bench, int number) : bench(the_bench) {
  std::array<std::byte, protocol::kKeyBytes> bytes{};
  bytes[0] = static_cast<std::byte>(number & 255);
  bytes[1] = static_cast<std::byte>(number >> 8);
  key = protocol::Key(bytes);
  id = protocol::device_id(key);
}

void Device::open(std::string_view address, bool encrypted) {
  link = std::make_shared<RecordingLink>(bench.now);
  Hub::Peer peer{std::string(address), encrypted};
  connection = bench.passage ? bench.passage->connected(std::move(peer), link)
                             : bench.hub->connected(std::move(peer), link);
  bench.pump();
}

void Device::send(std::string text) {
  if (bench.passage) {
    bench.passage->text(connection, std::move(text));
  } else {
    bench.hub->text(connection, text);
  }
  bench.settle();
}

void Device::binary(std::vector<std::byte> bytes) {
  if (bench.passage) {
    bench.passage->binary(connection, bytes);
  } else {
    bench.hub->binary(connection, bytes);
  }
  bench.settle();
}

void Device::frame(std::uint8_t stream, std::uint16_t sequence, std::size_t samples) {
  std::vector<std::byte> message(protocol::kFrameHeaderBytes + samples * 2, std::byte{1});
  protocol::encode_header({protocol::Channel::audio, stream, sequence, {}}, message);
  binary(std::move(message));
}

void Device::link_takes() {
  link->waiting = 0;
  bench.settle();
  if (std::exchange(link->tells_taken, false)) bench.hub->link_took(connection);
  bench.settle();
}

void Device::drop() {
  if (bench.passage) {
    bench.passage->disconnected(connection);
  } else {
    bench.hub->disconnected(connection);
  }
  bench.settle();
}

const std::vector<Written>& Device::got() const {
  bench.pump();
  return link->written;
}

void Device::forget_all() {
  bench.pump();
  link->written.clear();
}

void Device::hello(std::string_view more) {
  send(R"({"type":"hello","proto":1,"device_id":")" + std::string(id.text()) +
       R"(","name":"desk","board":"sim","firmware":"1.0.0")" + std::string(more) + "}");
}

void Device::auth() {
  const Written challenge = need("challenge");
  if (challenge.get("enrolled") == "true") {
    const auto mac = protocol::auth_mac(key, id.text(), challenge.get("nonce"));
    return send(R"({"type":"auth","mac":")" + std::string(protocol::view(mac)) + R"("})");
  }
  send(R"({"type":"auth","key":")" + std::string(protocol::view(protocol::key_text(key))) +
       R"("})");
}

void Device::come(std::string_view more, std::string_view address) {
  open(address);
  hello(more);
  auth();
}

void Device::pair() {
  come(kSpeaker);
  ASSERT_TRUE(bench.hub->approve(id.text()));
  bench.settle();
}

void Device::speak(std::uint8_t stream, Millis ms, std::uint16_t sequence) {
  constexpr std::size_t kFrame = 640;
  for (auto left = static_cast<std::size_t>(ms) * 16; left > 0;) {
    const std::size_t now = std::min(left, kFrame);
    frame(stream, sequence++, now);
    left -= now;
  }
}

void Device::utter(Millis ms, std::uint8_t stream) {
  const std::string number = std::to_string(stream);
  send(R"({"type":"audio.start","stream":)" + number + R"(,"rate":16000,"format":"pcm16"})");
  speak(stream, ms);
  send(R"({"type":"audio.end","stream":)" + number + "}");
}

std::vector<std::string> Device::types() const {
  std::vector<std::string> list;
  for (const Written& one : got()) {
    if (one.type == "ping") continue;
    const std::string type = one.type == "frame" ? "frames" : one.type;
    if (type == "frames" && !list.empty() && list.back() == type) continue;
    list.push_back(type);
  }
  return list;
}

std::size_t Device::count(std::string_view type) const {
  return static_cast<std::size_t>(std::count_if(
      got().begin(), got().end(), [&](const Written& one) { return one.type == type; }));
}

const Written* Device::last(std::string_view type) const {
  const auto at = std::find_if(got().rbegin(), got().rend(),
                               [&](const Written& one) { return one.type == type; });
  return at == got().rend() ? nullptr : &*at;
}

Written Device::need(std::string_view type) const {
  const Written* const found = last(type);
  EXPECT_NE(found, nullptr) << "no " << type;
  return found != nullptr ? *found : Written{};
}

// ---- The bench ----

Bench::Bench(AgentKind the_kind, HubOptions the_options)
    : options(std::move(the_options)), kind(the_kind) {
  store = std::move(*Store::open(":memory:"));
  authority = std::move(*LocalAuthority::make(*store, [this](std::span<std::byte> out) {
    for (std::byte& byte : out) {
      random_ = random_ * 6364136223846793005U + 1442695040888963407U;
      byte = static_cast<std::byte>(random_ >> 56);
    }
  }));
  start_hub();
}

Bench::~Bench() { hub.reset(); }  // it still posts and logs, and has links across the passage

MakePassage& make_passage() {
  static MakePassage make = nullptr;
  return make;
}

void Bench::start_hub() {
  hub.reset();
  passage.reset();
  posted_.clear();
  later_.clear();
  Environment environment;
  environment.random = [this](std::span<std::byte> out) {
    for (std::byte& byte : out) {
      random_ = random_ * 6364136223846793005U + 1442695040888963407U;
      byte = static_cast<std::byte>(random_ >> 56);
    }
  };
  environment.now_ms = [this] { return now; };
  environment.wall_now_ms = [this] { return wall; };
  environment.post = [this](std::function<void()> call) { posted_.push_back(std::move(call)); };
  environment.work = [this](std::function<void()> job) { later(work_ms, std::move(job)); };
  Hub::Parts parts;
  parts.store = store.get();
  parts.authority = authority.get();
  parts.firmware = &shelf;
  parts.recognizer = has_recognizer ? &recognizer : nullptr;
  parts.synthesizer = has_synthesizer ? &synthesizer : nullptr;
  parts.make_agent = [this](AgentHost& the_host) -> std::unique_ptr<Agent> {
    host = &the_host;
    if (make_agent) return make_agent(the_host);
    if (kind == AgentKind::echo) return std::make_unique<EchoAgent>();
    auto made = std::make_unique<ScriptedAgent>();
    agent = made.get();
    return made;
  };
  parts.log = [this](const LogFact& fact) { log.push_back(fact); };
  parts.device_changed = device_changed;
  hub = Hub::make(options, std::move(environment), std::move(parts));
  if (make_passage() != nullptr) passage = make_passage()(*hub);
}

void Bench::settle() {
  for (;;) {
    while (!posted_.empty()) {
      const auto call = std::move(posted_.front());
      posted_.pop_front();
      call();
    }
    if (pump()) continue;
    if (later_.empty() || later_.begin()->first > now) return;
    const auto call = std::move(later_.begin()->second);
    later_.erase(later_.begin());
    call();
  }
}

void Bench::later(Millis ms, std::function<void()> call) {
  later_.emplace(now + ms, std::move(call));
}

void Bench::advance(Millis ms) {
  settle();
  const Millis end = now + ms;
  for (;;) {
    Millis next = hub->next_deadline_ms();
    if (!later_.empty()) next = std::min(next, later_.begin()->first);
    if (next > end) break;
    const Millis step = std::max<Millis>(0, next - now);
    now += step;
    wall += step;
    hub->tick();
    settle();
  }
  wall += end - now;
  now = end;
}

std::size_t Bench::facts(std::string_view event) const {
  return static_cast<std::size_t>(std::count_if(
      log.begin(), log.end(), [&](const LogFact& fact) { return fact.event == event; }));
}

std::string Bench::fact(std::string_view event, std::string_view field) const {
  for (auto fact = log.rbegin(); fact != log.rend(); ++fact) {
    if (fact->event != event) continue;
    for (const auto& [name, value] : fact->fields) {
      if (name == field) return value;
    }
  }
  return {};
}

}  // namespace gadget::hub::bench
