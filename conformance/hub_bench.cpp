#include "conformance/hub_bench.hpp"

#include <csignal>
#include <cstdio>
#include <cstdlib>

#include <boost/json.hpp>

#include "base/files.hpp"
#include "conformance/image.hpp"
#include "conformance/pattern.hpp"
#include "conformance/picture.hpp"
#include "wire/unix_socket.hpp"

namespace gadget::conformance {
namespace fs = std::filesystem;
namespace json = boost::json;
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kStartWait{20'000};  // a sanitizer on a busy machine
constexpr milliseconds kCommandWait{30'000};
constexpr std::size_t kLogTailBytes = 3'000;
constexpr std::size_t kMaxImageBytes = 16UL << 20U;

tl::unexpected<Failure> broken(std::string text) {
  return fail(FailureCode::invalid_argument, std::move(text));
}
tl::unexpected<Failure> failed(std::string text) {
  return fail(FailureCode::refused, std::move(text));
}

// A device as a scenario names it: by its name, or by an id or a code that was bound.
std::string device(const std::string& word) {
  return word.starts_with("hg-") ? word : std::string(id_of(word).text());
}

}  // namespace

HubBench::HubBench(fs::path program, Words settings)
    : program_(std::move(program)), settings_(std::move(settings)) {
  std::string pattern = (fs::temp_directory_path() / "hermes-gadget-scenario-XXXXXX").string();
  if (::mkdtemp(pattern.data()) != nullptr) folder_ = pattern;
}

HubBench::~HubBench() {
  child_.reset();
  if (background_.valid()) background_.wait();
  std::error_code ignored;
  if (!folder_.empty()) fs::remove_all(folder_, ignored);
}

bool HubBench::has(std::string_view capability) const {
  for (const std::string_view known : {"hub", "test-clock", "echo", "owner", "images"}) {
    if (capability == known) return true;
  }
  return false;
}

std::string HubBench::log_tail() const {
  const auto log = files::read(folder_ / "log", std::size_t{16} << 20U);
  if (!log) return {};
  return log->size() > kLogTailBytes ? log->substr(log->size() - kLogTailBytes) : *log;
}

Result<void> HubBench::start() {
  if (child_) return {};
  if (folder_.empty()) return fail(FailureCode::io, "cannot make a temporary folder");
  Words arguments{program_.string(), "hub",  "--host",       "127.0.0.1",
                  "--port",          "0",    "--state",      (folder_ / "state").string(),
                  "--agent",         "echo", "--test-clock", "--set",
                  "log_level=debug"};
  for (const std::string& setting : settings_) {
    arguments.emplace_back("--set");
    arguments.push_back(setting);
  }
  auto child = Child::start(arguments, folder_ / "log");
  if (!child) return tl::unexpected<Failure>(child.error());
  const auto ready = child->line(kStartWait);
  const std::string prefix = "ready ws://";
  if (!ready || !ready->starts_with(prefix)) return failed("the hub did not start: " + log_tail());
  const std::string rest = ready->substr(prefix.size());
  const std::size_t colon = rest.find(':');
  const std::size_t slash = rest.find('/');
  endpoint_.host = rest.substr(0, colon);
  endpoint_.port = static_cast<std::uint16_t>(std::atoi(rest.substr(colon + 1).c_str()));
  endpoint_.path = rest.substr(slash);
  child_.emplace(std::move(*child));
  return {};
}

Result<void> HubBench::restart(int signal) {
  if (child_) {
    const int code = child_->stop(signal, milliseconds{10'000});
    child_.reset();
    if (signal == SIGTERM && code != 0) return failed("the hub ended with " + std::to_string(code));
  }
  return start();
}

Result<Endpoint> HubBench::endpoint() {
  if (auto started = start(); !started) return tl::unexpected<Failure>(started.error());
  return endpoint_;
}

HubBench::Ran HubBench::run(Words arguments) const {
  arguments.insert(arguments.begin(), program_.string());
  arguments.emplace_back("--state");
  arguments.push_back((folder_ / "state").string());
  auto child = Child::start(arguments, folder_ / "log");
  if (!child) return Ran{127, child.error().text};
  Ran ran;
  while (const auto line = child->line(kCommandWait)) ran.output += *line + "\n";
  ran.exit_code = child->stop(0, kCommandWait);
  return ran;
}

Result<void> HubBench::command(Words arguments) {
  const std::string what = arguments.front();
  const Ran ran = run(std::move(arguments));
  if (ran.exit_code == 0) return {};
  return failed(what + " ended with " + std::to_string(ran.exit_code) + ": " + ran.output);
}

Result<void> HubBench::in_background(Words arguments) {
  if (background_.valid()) return broken("one ask or action at a time");
  background_ = std::async(std::launch::async, [this, arguments] { return run(arguments); });
  return {};
}

Result<void> HubBench::ended(bool success, std::string_view expected) {
  if (!background_.valid()) return broken("nothing was asked");
  const Ran ran = background_.get();
  if ((ran.exit_code == 0) == success && ran.output.find(expected) != std::string::npos) return {};
  return failed("it ended with " + std::to_string(ran.exit_code) + ": " + ran.output);
}

Result<void> HubBench::advance(const std::string& seconds) {
  const auto answer =
      wire::owner_request(folder_ / "state", "POST", "/v1/test/advance",
                          json::serialize(json::value{{"seconds", std::atof(seconds.c_str())}}),
                          milliseconds{kCommandWait});
  if (!answer) return failed(answer.error().text);
  if (answer->status != 200) return failed("advance: " + answer->body);
  return {};
}

// image NAME WIDTHxHEIGHT RRGGBB [TTL], or image NAME rubbish.
Result<void> HubBench::image(const Words& words) {
  std::string file = "no picture at all";
  if (words.size() > 3) {
    unsigned width = 0;
    unsigned height = 0;
    unsigned rgb = 0;
    if (std::sscanf(words[2].c_str(), "%5ux%5u", &width, &height) != 2 || width == 0 ||
        height == 0 || std::sscanf(words[3].c_str(), "%6x", &rgb) != 1) {
      return broken("image DEVICE WIDTHxHEIGHT RRGGBB [TTL]");
    }
    file = make_png(width, height, rgb);
  }
  const fs::path path = folder_ / "picture.png";
  if (auto written = files::write(path, file); !written) return written;
  Words arguments{"image", device(words[1]), path.string()};
  if (words.size() > 4) arguments.insert(arguments.end(), {"--ttl", words[4]});
  return command(arguments);
}

// An image made from its words, as a file of the bench's folder.
Result<std::string> HubBench::image_file(const Words& words, std::size_t first) const {
  const auto size = static_cast<std::size_t>(std::strtoull(words[first + 2].c_str(), nullptr, 10));
  if (size == 0 || size > kMaxImageBytes) return broken("an image has 1 byte to 16 MB");
  const fs::path file = folder_ / "image.bin";
  if (auto written = files::write(file, make_image(words[first], words[first + 1], size));
      !written) {
    return tl::unexpected<Failure>(written.error());
  }
  return file.string();
}

// update DEVICE BOARD VERSION SIZE [--force]
Result<void> HubBench::update(const Words& words) {
  const auto file = image_file(words, 2);
  if (!file) return tl::unexpected<Failure>(file.error());
  Words arguments{"update", device(words[1]), *file, "--json"};
  if (words.size() == 6) arguments.push_back(words[5]);
  return in_background(arguments);
}

// update-all BOARD VERSION SIZE [OPTIONS..]
Result<void> HubBench::update_all(const Words& words) {
  const auto file = image_file(words, 1);
  if (!file) return tl::unexpected<Failure>(file.error());
  Words arguments{"update", "--all", *file, "--json"};
  arguments.insert(arguments.end(), words.begin() + 4, words.end());
  return in_background(arguments);
}

// expect-device NAME FIELD=VALUE..: what `devices --json` says; `absent` when it must not be there.
Result<void> HubBench::expect_device(const Words& words) {
  const Ran ran = run({"devices", "--json"});
  json::error_code failure;
  const json::value parsed = json::parse(ran.output, failure);
  if (failure) return failed("devices --json: " + ran.output);
  const json::array& list =
      parsed.is_array() ? parsed.get_array() : parsed.at("devices").as_array();
  const json::object* found = nullptr;
  for (const json::value& row : list) {
    if (row.at("id").as_string() == device(words[1])) found = &row.as_object();
  }
  if (words.size() == 3 && words[2] == "absent") {
    return found == nullptr ? Result<void>{} : failed("it is there: " + json::serialize(*found));
  }
  if (found == nullptr) return failed("no such device in " + ran.output);
  for (std::size_t i = 2; i < words.size(); ++i) {
    const std::size_t equals = words[i].find('=');
    const json::value* value = found->if_contains(words[i].substr(0, equals));
    const std::string expected = words[i].substr(equals + 1);
    const std::string actual = value == nullptr     ? "(absent)"
                               : value->is_string() ? std::string(value->get_string())
                                                    : json::serialize(*value);
    if (actual != expected) return failed(words[i].substr(0, equals) + " is " + actual);
  }
  return {};
}

Result<void> HubBench::expect_count(Words arguments, const std::string& count) {
  const Ran ran = run(std::move(arguments));
  json::error_code failure;
  const json::value parsed = json::parse(ran.output, failure);
  if (failure) return failed("not JSON: " + ran.output);
  const json::array* list = parsed.if_array();
  if (list == nullptr) {
    for (const auto& [key, value] : parsed.as_object()) {
      if (value.is_array()) list = &value.get_array();
    }
  }
  if (list != nullptr && std::to_string(list->size()) == count) return {};
  return failed("there are " + ran.output);
}

Result<void> HubBench::act(const Words& words) {
  const std::string& hook = words.front();
  const std::size_t given = words.size() - 1;
  const auto is = [&](std::string_view name, std::size_t least, std::size_t most) {
    return hook == name && given >= least && given <= most;
  };
  if (is("set", 1, 1)) {
    if (child_) return broken("set comes before the first connection");
    settings_.push_back(words[1]);
    return {};
  }
  if (auto started = start(); !started) return started;
  if (is("fails", 1, 9)) {
    auto done = act(Words(words.begin() + 1, words.end()));
    if (!done && done.error().code == FailureCode::invalid_argument) return done;
    return done ? Result<void>(failed("it did not fail")) : Result<void>{};
  }
  if (is("restart", 0, 0)) return restart(SIGTERM);
  if (is("kill", 0, 0)) return restart(SIGKILL);
  if (is("approve", 1, 1)) return command({"pairing", "approve", "gadget", device(words[1])});
  if (is("approve-code", 1, 1)) return command({"pairing", "approve", "gadget", words[1]});
  if (is("revoke", 1, 1)) return command({"pairing", "revoke", device(words[1])});
  if (is("forget", 1, 1)) return command({"forget", device(words[1])});
  if (is("rename", 2, 2)) return command({"rename", device(words[1]), words[2]});
  if (is("timezone", 2, 2)) return command({"timezone", device(words[1]), words[2]});
  if (is("say", 2, 2)) return command({"say", device(words[1]), words[2]});
  if (is("show", 3, 3)) return command({"show", device(words[1]), words[2], words[3]});
  if (is("image", 2, 4)) return image(words);
  if (is("ask", 2, 3)) {
    Words arguments{"ask", device(words[1]), words[2]};
    if (given == 3) arguments.insert(arguments.end(), {"--ttl", words[3]});
    return in_background(arguments);
  }
  if (is("answered", 1, 1)) return ended(words[1] != "expired", words[1]);
  if (is("action", 2, 3))
    return in_background({"action", device(words[1]), words[2], given == 3 ? words[3] : "{}"});
  if (is("update", 4, 5)) return update(words);
  if (is("update-all", 3, 9)) return update_all(words);
  if (is("cancel-update", 1, 1)) return command({"update", "--cancel", device(words[1])});
  if (is("result", 1, 2)) {
    if (words[1] != "ok" && words[1] != "failed") return broken("result ok|failed [TEXT]");
    return ended(words[1] == "ok", given == 2 ? words[2] : "");
  }
  if (is("advance", 1, 1)) return advance(words[1]);
  if (is("expect-device", 2, 9)) return expect_device(words);
  if (is("expect-pending", 1, 1)) return expect_count({"pairing", "list", "--json"}, words[1]);
  return broken("no such hook, or not so many words: " + hook);
}

}  // namespace gadget::conformance
