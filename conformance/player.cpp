#include "conformance/player.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "base/files.hpp"
#include "conformance/image.hpp"
#include "protocol/binary_frame.hpp"
#include "protocol/limits.hpp"

namespace gadget::conformance {
namespace json = boost::json;
namespace {

// How long an expected message may take where no `within` says otherwise. A tenth of it is usual;
// the rest is for a busy machine.
constexpr milliseconds kDefaultWait{5'000};
// Longest line of the report of an exchange.
constexpr std::size_t kMaxNoteChars = 400;
// Largest image that is made for a scenario.

tl::unexpected<Failure> broken(std::string text) {
  return fail(FailureCode::invalid_argument, std::move(text));
}
tl::unexpected<Failure> failed(std::string text) {
  return fail(FailureCode::refused, std::move(text));
}

std::string to_hex(std::string_view bytes, std::size_t most) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string out;
  for (const char c : bytes.substr(0, most)) {
    const auto value = static_cast<unsigned char>(c);
    out += {kDigits[value >> 4U], kDigits[value & 15U]};
  }
  if (bytes.size() > most) out += ".. (" + std::to_string(bytes.size()) + " bytes)";
  return out;
}

int digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// Hex with blanks, or @FILE.
Result<std::string> bytes_of(std::string_view text) {
  if (text.starts_with('@'))
    return files::read(std::string(text.substr(1)), std::size_t{64} << 20U);
  std::string out;
  int high = -1;
  for (const char c : text) {
    if (c == ' ') continue;
    const int value = digit(c);
    if (value < 0) return broken("not hex: " + std::string(text));
    if (high < 0) {
      high = value;
    } else {
      out.push_back(static_cast<char>(high * 16 + value));
      high = -1;
    }
  }
  if (high >= 0) return broken("an odd number of hex digits: " + std::string(text));
  return out;
}

std::string describe(const Incoming& incoming) {
  switch (incoming.kind) {
    case Incoming::Kind::text: return incoming.bytes;
    case Incoming::Kind::binary: return "bin " + to_hex(incoming.bytes, 16);
    case Incoming::Kind::close:
      return "close " + std::to_string(incoming.code) + " " + incoming.bytes;
  }
  return {};
}

bool take(std::string_view& text, std::string_view word) {
  if (!text.starts_with(word) || (text.size() > word.size() && text[word.size()] != ' '))
    return false;
  text.remove_prefix(std::min(text.size(), word.size() + 1));
  return true;
}

}  // namespace

void Player::note(std::string_view arrow, std::string_view connection, std::string_view what) {
  const auto elapsed =
      std::chrono::duration_cast<milliseconds>(std::chrono::steady_clock::now() - begun_);
  char stamp[32];
  std::snprintf(stamp, sizeof stamp, "%6lld ms  ", static_cast<long long>(elapsed.count()));
  std::string line = stamp;
  if (!connection.empty()) line += std::string(connection) + ": ";
  line += std::string(arrow) + " " + std::string(what.substr(0, kMaxNoteChars));
  exchange_.push_back(std::move(line));
}

Verdict Player::play(const Scenario& scenario) {
  begun_ = std::chrono::steady_clock::now();
  Verdict verdict;
  for (const Step& step : scenario.steps) {
    const auto done = run(step);
    if (skip_) return Verdict{Verdict::Kind::skipped, step.text, step.line, {}};
    if (done) continue;
    const bool is_broken = done.error().code == FailureCode::invalid_argument;
    verdict.kind = is_broken ? Verdict::Kind::broken : Verdict::Kind::failed;
    verdict.text = done.error().text;
    verdict.line = step.line;
    note("??", step.connection, step.source + "   " + done.error().text);
    break;
  }
  verdict.exchange = exchange_;
  return verdict;
}

Result<void> Player::run(const Step& step) {
  const bool waits = step.kind == Step::Kind::within;
  if (!waits && wait_.count() == 0) wait_ = kDefaultWait;
  Result<void> result;
  switch (step.kind) {
    case Step::Kind::within:
      wait_ = milliseconds{std::max(1, std::atoi(step.text.c_str()))};
      return {};
    case Step::Kind::needs: skip_ = !bench_.has(step.text); break;
    case Step::Kind::open: result = open(step); break;
    case Step::Kind::drop: {
      const auto peer = peers_.find(step.text);
      if (peer == peers_.end()) return broken("no connection " + step.text);
      note("drop", step.text, "");
      peer->second->drop();
      peers_.erase(peer);
      break;
    }
    case Step::Kind::hook: result = hook(step); break;
    case Step::Kind::to_hub: result = role_ == Role::device ? send(step) : expect(step); break;
    case Step::Kind::to_device: result = role_ == Role::device ? expect(step) : send(step); break;
  }
  wait_ = milliseconds{0};
  return result;
}

// `! WORDS..`, with what was bound put in for $names.
Result<void> Player::hook(const Step& step) {
  std::vector<std::string> words = split_words(step.text);
  for (std::string& word : words) {
    if (!word.starts_with('$')) continue;
    const auto pattern = parse_pattern(word);
    if (!pattern) return tl::unexpected<Failure>(pattern.error());
    const auto value = evaluate(*pattern, bindings_);
    if (!value) return tl::unexpected<Failure>(value.error());
    word = value->is_string() ? std::string(value->get_string()) : json::serialize(*value);
  }
  note("!", "", step.text);
  if (role_ == Role::hub) {
    if (auto ready = listen(); !ready) return ready;
  }
  return bench_.act(words);
}

Result<Peer*> Player::peer_of(const std::string& connection) {
  const auto found = peers_.find(connection);
  if (found != peers_.end()) return found->second.get();
  if (!connection.empty()) return broken("no connection " + connection + " is open");
  Step step;
  step.kind = Step::Kind::open;
  if (auto opened = open(step); !opened) return tl::unexpected<Failure>(opened.error());
  return peers_.at("").get();
}

Result<void> Player::open(const Step& step) {
  const std::vector<std::string> words = split_words(step.text);
  if (role_ == Role::hub) return accept(words);
  const std::string connection = words.empty() ? "" : words[0];
  const auto endpoint = bench_.endpoint();
  if (!endpoint) return tl::unexpected<Failure>(endpoint.error());
  OpenOptions options;
  options.host = endpoint->host;
  options.port = endpoint->port;
  options.path = endpoint->path;
  std::string device;
  std::string selects = "hermes-gadget.v1";
  unsigned status = 101;
  Pattern more{.kind = Pattern::Kind::object, .name = {}, .literal = {}, .keys = {}, .parts = {}};
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::string& word = words[i];
    const std::size_t equals = word.find('=');
    const std::string key = word.substr(0, equals);
    const std::string value = equals == std::string::npos ? "" : word.substr(equals + 1);
    if (word.starts_with('{')) {
      auto fields = parse_pattern(word);
      if (!fields) return tl::unexpected<Failure>(fields.error());
      more = std::move(*fields);
    } else if (equals == std::string::npos && device.empty()) {
      device = word;
    } else if (key == "path") {
      options.path = value;
    } else if (key == "status") {
      status = static_cast<unsigned>(std::atoi(value.c_str()));
    } else if (key == "offer") {
      options.offers.clear();
      if (!value.empty()) options.offers.push_back(value);
    } else if (key == "selects") {
      selects = value;
    } else if (key.starts_with("header:")) {
      options.headers.push_back({key.substr(7), value});
    } else {
      return broken("open does not know " + word);
    }
  }
  Opened opened;
  auto peer = Peer::connect(loop_, options, opened);
  note("open", connection,
       device + (opened.status == 101 ? "" : " HTTP " + std::to_string(opened.status)));
  if (!peer) return failed("could not connect: " + peer.error().text);
  if (opened.status != status) return failed("HTTP status " + std::to_string(opened.status));
  if (status != 101) return {};
  if (opened.selected != selects)
    return failed("selected the subprotocol '" + opened.selected + "'");
  if (!opened.extensions.empty()) return failed("negotiated the extension " + opened.extensions);
  Peer& open = *(peers_[connection] = std::move(*peer));
  if (device.empty()) return {};
  return handshake(open, connection, device, more);
}

// ---- As the hub ---------------------------------------------------------------------------------

Result<void> Player::listen() {
  if (listener_) return {};
  auto listener = wire::RawListener::open(loop_.get_executor(), "127.0.0.1", 0);
  if (!listener) return tl::unexpected<Failure>(listener.error());
  listener_ = std::move(*listener);
  bench_.listens_at(listener_->port());
  return {};
}

// open NAME [paired|unpaired] [{welcome fields}]: the device's next connection; with a standing its
// handshake is done too.
Result<void> Player::accept(const std::vector<std::string>& words) {
  const std::string connection = words.empty() ? "" : words[0];
  if (auto ready = listen(); !ready) return ready;
  if (auto running = bench_.endpoint(); !running) return tl::unexpected<Failure>(running.error());
  auto peer = Peer::accept(loop_, *listener_, wait_);
  if (!peer) return failed("the device did not connect: " + peer.error().text);
  note("open", connection, "");
  Peer& open = *(peers_[connection] = std::move(*peer));
  if (words.size() < 2) return {};
  const bool paired = words[1] == "paired";
  if (!paired && words[1] != "unpaired") return broken("open NAME [paired|unpaired]");
  auto more = parse_pattern(words.size() > 2 ? words[2] : "{}");
  if (!more) return tl::unexpected<Failure>(more.error());
  return welcome(open, connection, paired, *more);
}

Result<void> Player::welcome(Peer& peer, const std::string& connection, bool paired,
                             const Pattern& more) {
  const auto hello = text_in_time(peer);
  if (!hello) return tl::unexpected<Failure>(hello.error());
  note("->", connection, hello->bytes);
  const json::value said = json::parse(hello->bytes);
  if (said.at("type") != "hello") return failed("instead of hello came " + hello->bytes);
  const bool known = bindings_.contains("device_key");
  const std::string nonce = "AAECAwQFBgcICQoLDA0ODw==";
  const json::object challenge{{"type", "challenge"}, {"nonce", nonce}, {"enrolled", known}};
  if (auto sent = peer.send_text(json::serialize(challenge)); !sent) return sent;
  const auto auth = text_in_time(peer);
  if (!auth) return tl::unexpected<Failure>(auth.error());
  const json::value proof = json::parse(auth->bytes);
  if (!known) {
    bindings_["device_key"] = proof.at("key");
    bindings_["device_id"] = said.at("device_id");
  }
  const std::string key(bindings_.at("device_key").as_string());
  const std::string id(bindings_.at("device_id").as_string());
  if (id_of(key).text() != id) return failed("the key does not give the id");
  if (known &&
      proof.at("mac").as_string() != protocol::view(protocol::auth_mac(key_of(key), id, nonce))) {
    return failed("a wrong MAC");
  }
  json::object answer{
      {"type", "welcome"}, {"session", "s"}, {"paired", paired}, {"heartbeat_s", 20}, {"proto", 1}};
  if (const auto* asked = said.as_object().if_contains("nonce"); asked != nullptr && known) {
    answer["mac"] =
        protocol::view(protocol::hub_mac(key_of(key), id, std::string(asked->as_string())));
  }
  const auto fields = evaluate(more, bindings_);
  if (!fields) return tl::unexpected<Failure>(fields.error());
  for (const auto& [name, value] : fields->as_object()) answer[name] = value;
  return peer.send_text(json::serialize(answer));
}

// ---- As a device --------------------------------------------------------------------------------

Result<void> Player::handshake(Peer& peer, const std::string& connection, const std::string& device,
                               const Pattern& more) {
  json::object hello{
      {"type", "hello"}, {"proto", 1}, {"device_id", id_of(device).text()}, {"name", device}};
  const auto fields = evaluate(more, bindings_);
  if (!fields) return tl::unexpected<Failure>(fields.error());
  for (const auto& [key, value] : fields->as_object()) hello[key] = value;
  if (auto sent = peer.send_text(json::serialize(hello)); !sent) return sent;
  const auto challenge = text_in_time(peer);
  if (!challenge) return tl::unexpected<Failure>(challenge.error());
  const json::value asked = json::parse(challenge->bytes);
  if (asked.at("type") != "challenge")
    return failed("instead of challenge came " + challenge->bytes);
  json::object auth{{"type", "auth"}};
  if (asked.at("enrolled").as_bool()) {
    auth["mac"] = protocol::view(protocol::auth_mac(key_of(device), id_of(device).text(),
                                                    std::string(asked.at("nonce").as_string())));
  } else {
    auth["key"] = protocol::view(protocol::key_text(key_of(device)));
  }
  if (auto sent = peer.send_text(json::serialize(auth)); !sent) return sent;
  const auto welcome = text_in_time(peer);
  if (!welcome) return tl::unexpected<Failure>(welcome.error());
  const json::value answer = json::parse(welcome->bytes);
  if (answer.at("type") != "welcome") return failed("instead of welcome came " + welcome->bytes);
  note("<-", connection, welcome->bytes);
  bindings_["welcome" + connection] = answer;
  return {};
}

// ---- Sending ------------------------------------------------------------------------------------

Result<void> Player::send(const Step& step) {
  const auto peer = peer_of(step.connection);
  if (!peer) return tl::unexpected<Failure>(peer.error());
  note(role_ == Role::device ? "->" : "<-", step.connection, step.text);
  std::string_view rest = step.text;
  const bool raw = take(rest, "raw");
  if (raw || take(rest, "bin")) {
    const auto bytes = bytes_of(rest);
    if (!bytes) return tl::unexpected<Failure>(bytes.error());
    return raw ? (*peer)->send_raw(*bytes) : (*peer)->send_binary(*bytes);
  }
  if (take(rest, "text")) return (*peer)->send_text(rest);
  if (take(rest, "audio")) return send_audio(**peer, split_words(rest));
  if (take(rest, "firmware")) return send_firmware(**peer, split_words(rest));
  const auto pattern = parse_pattern(rest);
  if (!pattern) return tl::unexpected<Failure>(pattern.error());
  const auto value = evaluate(*pattern, bindings_);
  if (!value) return tl::unexpected<Failure>(value.error());
  return (*peer)->send_text(json::serialize(*value));
}

// audio STREAM SECONDS [FIRST-SEQUENCE] [RATE]: frames of 40 ms of a quiet tone, as fast as they
// go.
Result<void> Player::send_audio(Peer& peer, const std::vector<std::string>& words) {
  if (words.size() < 2) return broken("audio STREAM SECONDS [FIRST-SEQUENCE] [RATE]");
  const auto stream = static_cast<std::uint8_t>(std::atoi(words[0].c_str()));
  auto sequence = static_cast<std::uint16_t>(words.size() > 2 ? std::atoi(words[2].c_str()) : 0);
  const double rate = words.size() > 3 ? std::atof(words[3].c_str())
                                       : static_cast<double>(protocol::kDefaultRateHz);
  std::int64_t samples = std::llround(std::atof(words[1].c_str()) * rate);
  const auto per_frame =
      static_cast<std::int64_t>(rate * static_cast<double>(protocol::kAudioFrameMs) / 1000.0);
  std::int64_t at = 0;
  for (; samples > 0; samples -= per_frame, ++sequence) {
    std::string frame(protocol::kFrameHeaderBytes, '\0');
    protocol::encode_header({protocol::Channel::audio, stream, sequence, {}},
                            std::as_writable_bytes(std::span(frame.data(), frame.size())));
    for (std::int64_t i = 0; i < std::min(samples, per_frame); ++i, ++at) {
      const auto value = static_cast<std::uint16_t>(at % 64 < 32 ? 800 : -800);
      frame += {static_cast<char>(value & 0xFFU), static_cast<char>(value >> 8U)};
    }
    if (auto sent = peer.send_binary(frame); !sent) return sent;
  }
  return {};
}

// ---- Expecting ----------------------------------------------------------------------------------

Result<Incoming> Player::text_in_time(Peer& peer) {
  auto came = peer.next_text(wait_.count() > 0 ? wait_ : kDefaultWait);
  if (!came) return failed("nothing came in time");
  if (came->kind == Incoming::Kind::close) return failed("instead came " + describe(*came));
  return *came;
}

Result<void> Player::expect(const Step& step) {
  const auto peer = peer_of(step.connection);
  if (!peer) return tl::unexpected<Failure>(peer.error());
  std::string_view rest = step.text;
  if (take(rest, "close")) return expect_close(**peer, rest);
  if (take(rest, "none")) return expect_none(**peer, rest);
  if (take(rest, "bin")) return expect_binary(**peer, rest);
  if (take(rest, "audio")) return expect_audio(**peer, split_words(rest));
  if (take(rest, "firmware")) return expect_firmware(**peer, split_words(rest));
  if (take(rest, "text")) return expect_literal(**peer, rest);
  return expect_text(**peer, step);
}

Result<void> Player::expect_text(Peer& peer, const Step& step) {
  const auto pattern = parse_pattern(step.text);
  if (!pattern) return tl::unexpected<Failure>(pattern.error());
  const auto came = text_in_time(peer);
  if (!came) return tl::unexpected<Failure>(came.error());
  note(role_ == Role::device ? "<-" : "->", step.connection, came->bytes);
  json::error_code failure;
  const json::value value = json::parse(came->bytes, failure);
  if (failure) return failed("not JSON: " + came->bytes);
  const std::string difference = mismatch(*pattern, value, bindings_);
  if (difference.empty()) return {};
  return failed("instead came " + came->bytes.substr(0, kMaxNoteChars) + " (" + difference + ")");
}

Result<void> Player::expect_literal(Peer& peer, std::string_view literal) {
  const auto came = text_in_time(peer);
  if (!came) return tl::unexpected<Failure>(came.error());
  if (came->bytes != literal) return failed("instead came " + came->bytes);
  return {};
}

// Hex; `??` is any byte, `*` at the end any further bytes.
Result<void> Player::expect_binary(Peer& peer, std::string_view pattern) {
  const auto came = peer.next_binary(wait_);
  if (!came) return failed("nothing came in time");
  if (came->kind != Incoming::Kind::binary) return failed("instead came " + describe(*came));
  note("<-", "", describe(*came));
  std::string compact;
  for (const char c : pattern) {
    if (c != ' ') compact.push_back(c);
  }
  const bool open_end = compact.ends_with('*');
  if (open_end) compact.pop_back();
  if (compact.size() % 2 != 0) return broken("an odd number of hex digits");
  const std::size_t size = compact.size() / 2;
  bool same = open_end ? came->bytes.size() >= size : came->bytes.size() == size;
  for (std::size_t i = 0; same && i < size; ++i) {
    if (compact[2 * i] == '?') continue;
    const int value = digit(compact[2 * i]) * 16 + digit(compact[2 * i + 1]);
    same = static_cast<unsigned char>(came->bytes[i]) == value;
  }
  if (!same) return failed("instead came " + describe(*came));
  return {};
}

// audio STREAM [AT-LEAST-SECONDS [AT-MOST-SECONDS]] [rate=HZ]: frames in order, then audio.end of
// that stream.
Result<void> Player::expect_audio(Peer& peer, const std::vector<std::string>& words) {
  if (words.empty()) return broken("audio STREAM [SECONDS [SECONDS]] [rate=HZ]");
  const auto stream_pattern = parse_pattern(words[0]);
  if (!stream_pattern) return tl::unexpected<Failure>(stream_pattern.error());
  double least = 0;
  double most = 1e9;
  double rate = static_cast<double>(protocol::kDefaultRateHz);
  std::vector<double*> bounds{&least, &most};
  std::size_t bound = 0;
  for (std::size_t i = 1; i < words.size(); ++i) {
    if (words[i].starts_with("rate=")) {
      rate = std::atof(words[i].c_str() + 5);
    } else if (bound < bounds.size()) {
      *bounds[bound++] = std::atof(words[i].c_str());
    } else {
      return broken("audio does not know " + words[i]);
    }
  }
  const auto stream = evaluate(*stream_pattern, bindings_);
  if (!stream) return tl::unexpected<Failure>(stream.error());
  std::optional<std::uint16_t> last;
  std::size_t bytes = 0;
  for (;;) {
    const auto came = peer.next(wait_);
    if (!came) return failed("the audio stopped without audio.end");
    if (came->kind == Incoming::Kind::close) return failed("instead came " + describe(*came));
    if (came->kind == Incoming::Kind::text) {
      note("<-", "", came->bytes);
      const json::value value = json::parse(came->bytes);
      if (value.at("type") != "audio.end") continue;
      if (value.at("stream") != *stream) return failed("audio.end of another stream");
      break;
    }
    const auto frame =
        protocol::decode_frame(std::as_bytes(std::span(came->bytes.data(), came->bytes.size())));
    if (!frame || frame->channel != protocol::Channel::audio)
      return failed("no audio frame: " + describe(*came));
    if (*stream != static_cast<std::int64_t>(frame->stream))
      return failed("a frame of another stream");
    if (last && protocol::sequence_distance(*last, frame->sequence) != 1)
      return failed("a gap in the numbers");
    if (came->bytes.size() > protocol::kMaxBinaryBytes)
      return failed("a frame of more than 4,100 bytes");
    last = frame->sequence;
    bytes += frame->payload.size();
  }
  const double seconds = static_cast<double>(bytes) / 2 / rate;
  note("<-", "", "(audio of " + std::to_string(seconds) + " s)");
  if (seconds < least || seconds > most)
    return failed("the audio was " + std::to_string(seconds) + " s");
  return {};
}

Result<void> Player::expect_close(Peer& peer, std::string_view rest) {
  const std::size_t blank = rest.find(' ');
  const auto code =
      static_cast<std::uint16_t>(std::atoi(std::string(rest.substr(0, blank)).c_str()));
  const std::string_view reason = blank == std::string_view::npos ? "" : rest.substr(blank + 1);
  const auto came = peer.next_text(wait_);
  if (!came) return failed("it was not closed in time");
  if (came->kind != Incoming::Kind::close) return failed("instead came " + describe(*came));
  note("<-", "", describe(*came));
  if (came->code != code) return failed("closed with " + describe(*came));
  if (!reason.empty() && came->bytes != reason)
    return failed("closed with the reason '" + came->bytes + "'");
  return {};
}

// Nothing comes from now on; what came before and was not asked for, such as audio, is passed over.
Result<void> Player::expect_none(Peer& peer, std::string_view rest) {
  peer.forget_binaries();
  const auto came = peer.next(milliseconds{std::max(1, std::atoi(std::string(rest).c_str()))});
  if (came) return failed("there came " + describe(*came));
  return {};
}

}  // namespace gadget::conformance
