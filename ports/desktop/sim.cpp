#include "ports/desktop/sim.hpp"

#include <chrono>
#include <cstdio>
#include <iostream>
#include <iterator>
#include <optional>

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <unistd.h>

#include "base/files.hpp"
#include "ports/desktop/board.hpp"
#include "ports/desktop/file_store.hpp"
#include "ports/desktop/hub_link.hpp"
#include "ports/desktop/script_runner.hpp"
#include "ports/desktop/terminal.hpp"
#include "ports/desktop/timeline.hpp"
#include "ports/desktop/typed_lines.hpp"
#include "wire/tls.hpp"

namespace gadget::ports::desktop {
namespace {

constexpr auto kTick = std::chrono::milliseconds{10};
// How long the last messages and the close frame may take to leave.
constexpr auto kLeaveWait = std::chrono::milliseconds{1'000};
constexpr std::size_t kMaxScriptBytes = std::size_t{1} << 20;
constexpr int kUsage = 2;

int complain(const Failure& failure, int code) {
  std::fprintf(stderr, "hermes-gadget sim: %s\n", to_line(failure).c_str());
  return code;
}

Result<std::string> script_text(const std::filesystem::path& path) {
  if (path != "-") return files::read(path, kMaxScriptBytes);
  return std::string{std::istreambuf_iterator<char>{std::cin}, {}};
}

// One run of a virtual gadget, from power on to the end.
class Run {
 public:
  Run(const SimOptions& options, const HubUrl& url, const Profile& profile,
      std::shared_ptr<wire::TlsClient> tls, const std::filesystem::path& state, Timeline timeline)
      : options_(options),
        url_(url),
        timer_(loop_),
        signals_(loop_, SIGINT, SIGTERM),
        timeline_(std::move(timeline)),
        store_(state),
        link_(loop_.get_executor(), url, std::move(tls), profile.max_message_bytes),
        board_(BoardOptions{profile, options.name, options.token, url.host}, link_, store_,
               [this](device::Fact fact, std::string_view text) { noticed(fact, text); }) {}

  int play(std::vector<Step> steps) {
    script_.emplace(std::move(steps), board_, options_.voice);
    return run();
  }

  // Steps as they come, each answered by `done N` or, at the end, `failed N: why`.
  int follow() {
    script_.emplace(std::vector<Step>{}, board_, options_.voice);
    script_->keep_open([](const Step& step) {
      std::printf("done %d\n", step.line);
      std::fflush(stdout);
    });
    TypedLines lines{[this](std::string line) {
                       boost::asio::post(loop_, [this, text = std::move(line)] { step(text); });
                     },
                     [this] { boost::asio::post(loop_, [this] { script_->close(); }); }};
    return run();
  }

  int talk() {
    const bool typed = isatty(STDIN_FILENO) != 0;
    terminal_.emplace(board_, Terminal::Style{.interactive = typed, .voice = options_.voice});
    if (typed) std::printf("%s\ntype :help for commands, :quit to leave\n", options_.url.c_str());
    TypedLines lines{[this](std::string line) {
                       boost::asio::post(loop_, [this, text = std::move(line)]() mutable {
                         terminal_->line(std::move(text));
                       });
                     },
                     [this] { boost::asio::post(loop_, [this] { terminal_->end_of_input(); }); }};
    return run();
  }

 private:
  int run() {
    signals_.async_wait([this](const boost::system::error_code& error, int) {
      if (!error) finish(0);
    });
    if (!board_.power_on()) {
      return complain({FailureCode::io, "the state folder does not keep the device's key", ""}, 1);
    }
    tick();
    loop_.run();
    return exit_code_.value_or(1);
  }

  void tick() {
    timer_.expires_after(kTick);
    timer_.async_wait([this](const boost::system::error_code& error) {
      if (error) return;
      if (exit_code_) return leave();
      board_.tick();
      look();
      tick();
    });
  }

  void look() {
    if (!link_.hopeless().empty()) {
      return fail_with("the hub at " + options_.url + " is not trusted: " + link_.hopeless());
    }
    if (script_) {
      if (const auto end = script_->run()) {
        if (!end->text.empty()) {
          std::fprintf(stderr, "hermes-gadget sim: %s: %s\n", options_.script.c_str(),
                       end->text.c_str());
        }
        finish(end->exit_code);
      }
      return;
    }
    // Nobody is there from the start: say so instead of waiting. Later the device comes back by
    // itself, as on a shelf.
    const auto& session = board_.gadget().session();
    was_online_ = was_online_ || session.online();
    if (!was_online_ && session.phase() == device::Phase::pausing &&
        session.doubt() == device::Doubt::none) {
      const auto why = session.refusal().empty() ? session.last_end() : session.refusal();
      return fail_with("no hub for us at " + options_.url + ": " + printable(why));
    }
    if (const auto code = terminal_->run()) finish(*code);
  }

  void fail_with(const std::string& text) { finish(complain({FailureCode::io, text, ""}, 1)); }

  void finish(int code) {
    if (exit_code_) return;
    exit_code_ = code;
    board_.gadget().stop(board_.now());
    leave_until_ = std::chrono::steady_clock::now() + kLeaveWait;
  }

  void leave() {
    if (link_.idle() || std::chrono::steady_clock::now() >= leave_until_) {
      link_.attach(nullptr);
      loop_.stop();
      return;
    }
    tick();
  }

  void step(const std::string& text) {
    auto steps = parse_script(text);
    ++steps_;
    if (!steps) {
      finish(complain(steps.error(), kUsage));
      return;
    }
    for (Step& parsed : *steps) parsed.line = steps_;
    script_->append(std::move(*steps));
  }

  void noticed(device::Fact fact, std::string_view text) {
    if (exit_code_) return;  // what comes of leaving is no news
    timeline_.note(fact, text);
    if (terminal_) terminal_->noticed(fact, text);
  }

  const SimOptions& options_;
  HubUrl url_;
  boost::asio::io_context loop_{1};
  boost::asio::steady_timer timer_;
  boost::asio::signal_set signals_;
  Timeline timeline_;
  FileStore store_;
  HubLink link_;
  Board board_;
  std::optional<ScriptRunner> script_;
  std::optional<Terminal> terminal_;
  std::optional<int> exit_code_;
  std::chrono::steady_clock::time_point leave_until_;
  bool was_online_ = false;
  int steps_ = 0;  // that came from stdin
};

}  // namespace

int run_sim(const SimOptions& options) {
  const auto url = parse_hub_url(options.url);
  if (!url) return complain(url.error(), 1);
  const auto profile = profile_named(options.profile);
  if (!profile) return complain(profile.error(), kUsage);

  std::vector<Step> steps;
  if (!options.script.empty()) {
    const auto text = script_text(options.script);
    if (!text) return complain(text.error(), kUsage);
    auto parsed = parse_script(*text);
    if (!parsed) {
      parsed.error().text = options.script.string() + ": " + parsed.error().text;
      return complain(parsed.error(), kUsage);
    }
    steps = std::move(*parsed);
  }

  std::shared_ptr<wire::TlsClient> tls;
  if (url->tls) {
    auto made = wire::TlsClient::make(
        {.ca_file = options.ca_file, .pin = options.pin, .known_time_s = std::nullopt});
    if (!made) return complain(made.error(), 1);
    tls = std::move(*made);
  } else if (!options.ca_file.empty() || !options.pin.empty()) {
    return complain({FailureCode::invalid_argument, "--ca and --pin are for wss:// only", ""},
                    kUsage);
  }

  const auto state = options.state.empty() ? files::default_state_folder() / "sim" : options.state;
  if (const auto made = files::make_private_folder(state); !made) {
    return complain(made.error(), 1);
  }
  const bool scripted = !options.script.empty();
  auto timeline = Timeline::open(scripted && !options.quiet && !options.steps, options.timeline);
  if (!timeline) return complain(timeline.error(), 1);

  wire::ignore_broken_pipes();
  Run run{options, *url, *profile, std::move(tls), state, std::move(*timeline)};
  if (options.steps) return run.follow();
  return scripted ? run.play(std::move(steps)) : run.talk();
}

}  // namespace gadget::ports::desktop
