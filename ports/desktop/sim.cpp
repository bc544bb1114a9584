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
#include "device/core/clock.hpp"
#include "ports/desktop/board.hpp"
#include "ports/desktop/build_time.hpp"
#include "ports/desktop/file_store.hpp"
#include "ports/desktop/heap_watch.hpp"
#include "ports/desktop/hub_link.hpp"
#include "ports/desktop/record_writer.hpp"
#include "ports/desktop/script_runner.hpp"
#include "ports/desktop/terminal.hpp"
#include "ports/desktop/timeline.hpp"
#include "ports/desktop/typed_lines.hpp"
#include "ports/desktop/window.hpp"
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

// What the core is made of, and what keeps its secrets and its record when there is one.
struct Recording {
  CoreOptions core;
  std::unique_ptr<StandIn> stand_in;
  std::unique_ptr<RecordWriter> writer;
};

Result<Recording> make_recording(const SimOptions& options, CoreOptions core, FileStore& store) {
  Recording recording{.core = std::move(core), .stand_in = nullptr, .writer = nullptr};
  if (options.record.empty()) return recording;
  recording.stand_in = std::make_unique<StandIn>(store, recording.core.token);
  recording.core.token = recording.stand_in->token();
  const auto id = recording.stand_in->id();
  if (!id) return fail(FailureCode::io, "the state folder does not keep the device's key");
  if (recording.core.name.empty()) recording.core.name = id->text();
  auto writer = RecordWriter::open(options.record, recording.core);
  if (!writer) return tl::unexpected{writer.error()};
  recording.writer = std::move(*writer);
  std::fprintf(stderr,
               "hermes-gadget sim: recording to %s: all that is said, heard and shown, but no key "
               "and no token; this gadget is %s, whatever id its screen shows\n",
               options.record.c_str(), std::string{id->text()}.c_str());
  return recording;
}

// T2, B-80: a machine whose clock is behind this program's build has none. Then what is known is
// that build and the last time a hub told, and only what had expired by then is refused.
std::optional<std::int64_t> known_time_s(const SimOptions& options, FileStore& store) {
  const auto now_s = std::chrono::duration_cast<std::chrono::seconds>(
                         std::chrono::system_clock::now().time_since_epoch())
                         .count();
  if (!options.no_clock && now_s >= build_time_s()) return std::nullopt;
  device::Clock clock{build_time_s() * 1'000};
  clock.load(store);
  return clock.floor_ms() / 1'000;
}

// One run of a virtual gadget, from power on to the end.
class Run {
 public:
  Run(const SimOptions& options, const HubUrl& url, const Profile& profile,
      HubLink::MakeTls make_tls, FileStore& store, FileFlash& flash, Timeline timeline,
      Recording& recording, Sound* sound)
      : options_(options),
        timer_(loop_),
        signals_(loop_, SIGINT, SIGTERM),
        timeline_(std::move(timeline)),
        recording_(recording),
        link_(loop_.get_executor(), url, std::move(make_tls), profile.max_message_bytes),
        board_(BoardOptions{.core = recording.core,
                            .journal = recording.writer.get(),
                            .stand_in = recording.stand_in.get(),
                            .sound = sound,
                            .flash = &flash},
               link_, store,
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

  // Before all else. False: there is none; said.
  bool show(const std::string& missing) {
    auto window = open_window(board_);
    if (!window) {
      std::fprintf(stderr, "hermes-gadget sim: no window, the terminal instead: %s\n",
                   to_line(window.error()).c_str());
      return false;
    }
    window_ = std::move(*window);
    if (!missing.empty()) {
      std::fprintf(stderr, "hermes-gadget sim: %s\n", missing.c_str());
      window_->note(missing);
    }
    return true;
  }

  int talk() {
    const bool typed = isatty(STDIN_FILENO) != 0;
    if (window_ && !typed) return run();  // nobody types: the window is all there is
    terminal_.emplace(board_, Terminal::Style{.interactive = typed, .voice = options_.voice});
    if (typed) {
      std::printf("%s\ntype :help for commands, :quit to leave\n", recording_.core.hub.c_str());
    }
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
    return ended(exit_code_.value_or(1));
  }

  // What is said when it is over, whatever the script came to.
  int ended(int code) {
    if (recording_.writer) {
      board_.power_cut();
      if (const auto closed = recording_.writer->close(); !closed) {
        return complain(closed.error(), 1);
      }
    }
    const auto& core = board_.core();
    if (options_.heap_check && core.allocations() > 0) {
      return complain({FailureCode::internal,
                       "heap check: the core took memory " + std::to_string(core.allocations()) +
                           " times, first in \"" + core.first_allocation() + "\"",
                       ""},
                      1);
    }
    if (options_.heap_check && !options_.quiet) {
      std::printf("heap check: the core took no memory\n");
    }
    return code;
  }

  void tick() {
    timer_.expires_after(kTick);
    timer_.async_wait([this](const boost::system::error_code& error) {
      if (error) return;
      if (exit_code_) return leave();
      board_.tick();
      look();
      if (window_ && !exit_code_ && !window_->step()) finish(0);
      tick();
    });
  }

  void look() {
    if (board_.core().allocations() > 0) return finish(1);  // ended() says why
    if (!link_.hopeless().empty()) {
      return fail_with("the hub at " + hub_url() + " is not trusted: " + link_.hopeless());
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
    if (window_) {  // it shows by itself that nobody is there
      const auto code = terminal_ ? terminal_->run() : std::nullopt;
      if (code) finish(*code);
      return;
    }
    // Nobody is there from the start: say so instead of waiting. Later the device comes back by
    // itself, as on a shelf.
    const auto& session = board_.gadget().session();
    was_online_ = was_online_ || session.online();
    if (!was_online_ && session.phase() == device::Phase::pausing &&
        session.doubt() == device::Doubt::none) {
      const auto why = session.refusal().empty() ? session.last_end() : session.refusal();
      return fail_with("no hub for us at " + hub_url() + ": " + printable(why));
    }
    if (const auto code = terminal_->run()) finish(*code);
  }

  // Where it connects to now.
  [[nodiscard]] std::string hub_url() const {
    const auto set = board_.gadget().settings().text(device::Setting::hub);
    return std::string{set};
  }

  void fail_with(const std::string& text) { finish(complain({FailureCode::io, text, ""}, 1)); }

  void finish(int code) {
    if (exit_code_) return;
    exit_code_ = code;
    board_.core().stop(board_.now());
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
  boost::asio::io_context loop_{1};
  boost::asio::steady_timer timer_;
  boost::asio::signal_set signals_;
  Timeline timeline_;
  Recording& recording_;
  HubLink link_;
  Board board_;
  std::unique_ptr<Window> window_;
  std::optional<ScriptRunner> script_;
  std::optional<Terminal> terminal_;
  std::optional<int> exit_code_;
  std::chrono::steady_clock::time_point leave_until_;
  bool was_online_ = false;
  int steps_ = 0;  // that came from stdin
};

}  // namespace

int run_sim(const SimOptions& options) {
  const bool hub_given = !options.url.empty();
  const auto url = parse_hub_url(hub_given ? std::string_view{options.url} : kDefaultUrl);
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

  const auto state = options.state.empty() ? files::default_state_folder() / "sim" : options.state;
  if (const auto made = files::make_private_folder(state); !made) {
    return complain(made.error(), 1);
  }
  FileStore store{state};
  FileFlash flash{state, profile->slot_bytes};

  if (hub_given && !url->tls && !(options.ca_file.empty() && options.pin.empty())) {
    return complain({FailureCode::invalid_argument, "--ca and --pin are for wss:// only", ""},
                    kUsage);
  }
  const auto make_tls = [&options, &store] {
    return wire::TlsClient::make({.ca_file = options.ca_file,
                                  .pin = options.pin,
                                  .known_time_s = known_time_s(options, store)});
  };
  if (const auto tried = make_tls(); url->tls && !tried) return complain(tried.error(), 1);

  const bool scripted = !options.script.empty();
  auto timeline = Timeline::open(scripted && !options.quiet && !options.steps, options.timeline);
  if (!timeline) return complain(timeline.error(), 1);

  if (options.heap_check && !heap::available()) {
    std::fprintf(stderr, "hermes-gadget sim: heap check: not available in this build\n");
  }
  auto recording = make_recording(options,
                                  {.profile = *profile,
                                   .name = options.name,
                                   .token = options.token,
                                   .hub = hub_given ? options.url : std::string{kDefaultUrl},
                                   .name_given = !options.name.empty(),
                                   .token_given = !options.token.empty(),
                                   .hub_given = hub_given,
                                   .build_time_s = build_time_s(),
                                   .heap_check = options.heap_check},
                                  store);
  if (!recording) return complain(recording.error(), 1);

  // What a script says is heard from its files, and its speaker is measured: no devices there.
  std::string missing;
  const auto sound =
      options.window && !scripted ? open_sound(*profile, missing) : std::unique_ptr<Sound>{};

  wire::ignore_broken_pipes();
  Run run{options,    *url,       *profile, make_tls, store, flash, std::move(*timeline),
          *recording, sound.get()};
  if (options.window && !run.show(missing) && !scripted && isatty(STDIN_FILENO) == 0) {
    return 1;  // nobody sees it, nobody types
  }
  if (options.steps) return run.follow();
  return scripted ? run.play(std::move(steps)) : run.talk();
}

}  // namespace gadget::ports::desktop
