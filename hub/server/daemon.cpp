#include "hub/server/daemon.hpp"

#include <algorithm>
#include <csignal>
#include <cstdio>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <sys/random.h>

#include "base/files.hpp"
#include "hub/authority/local_authority.hpp"
#include "hub/firmware/shelf.hpp"
#include "hub/server/admission.hpp"
#include "hub/server/background.hpp"
#include "hub/server/bridge_server.hpp"
#include "hub/server/clock.hpp"
#include "hub/server/log.hpp"
#include "hub/server/metrics.hpp"
#include "hub/server/metrics_server.hpp"
#include "hub/server/notify.hpp"
#include "hub/server/owner_side.hpp"
#include "hub/server/process.hpp"
#include "hub/server/settings.hpp"
#include "hub/server/socket_loops.hpp"
#include "hub/server/zones.hpp"
#include "hub/store/store.hpp"
#include "wire/server.hpp"

namespace gadget::hub {
namespace {

namespace asio = boost::asio;
using Level = LogFact::Level;

// When a test moves the clock, the real time that devices get to answer what a step made the hub
// say, and how far a step goes when nothing is due.
constexpr auto kAnswerTime = std::chrono::milliseconds{5};
constexpr std::int64_t kAdvanceStepMs = 5'000;

void fill_random(std::span<std::byte> out) {
  while (!out.empty()) {
    const ssize_t got = ::getrandom(out.data(), out.size(), 0);
    if (got > 0) out = out.subspan(static_cast<std::size_t>(got));
  }
}

class Daemon {
 public:
  explicit Daemon(DaemonOptions options)
      : options_(std::move(options)),
        log_(options_.config.log_level, [this] { return clock_.now_ms(); }),
        deadline_timer_(loop_),
        sweep_timer_(loop_),
        signals_(loop_) {}

  // The sockets end, then the hub, before the engines that it uses, and those before the loop that
  // they post to.
  ~Daemon() {
    log_.tee({});
    metrics_.reset();
    if (sockets_) sockets_->close();
    owner_.reset();
    if (bridge_) bridge_->close();
    hub_.reset();  // jobs of the background hear that they are not wanted any more
    background_.reset();
    speech_ = {};
    sockets_.reset();
  }

  Result<void> run();

 private:
  using Step = Result<void> (Daemon::*)();

  Result<void> open_state();
  Result<void> open_authority();
  Result<void> open_hub();
  Result<void> open_listener();
  Result<void> open_ports();
  [[nodiscard]] Gauges gauges();
  void open_speech();

  [[nodiscard]] std::string device_url(const std::string& host, std::uint16_t port) const;
  [[nodiscard]] Hub::Parts hub_parts();
  [[nodiscard]] AdmissionOptions admission_options() const;

  void settle();
  void arm(std::int64_t deadline_ms);
  void sweep();
  void watch_loops();
  void post(std::function<void()> call);
  asio::awaitable<void> advance(double seconds);

  void on_signal();
  void reload();
  void reload_settings();
  void stop();
  asio::awaitable<void> wait_for_farewells();

  DaemonOptions options_;
  Clock clock_;
  Log log_;
  asio::io_context loop_{1};
  asio::steady_timer deadline_timer_;
  asio::steady_timer sweep_timer_;
  asio::signal_set signals_;
  std::int64_t armed_ms_ = -1;
  bool stopping_ = false;
  const bool watched_ = supervisor_watches();
  std::string url_;

  std::shared_ptr<wire::TlsServer> tls_;
  std::unique_ptr<Store> store_;
  std::unique_ptr<BridgeServer> bridge_;  // with the agent "hermes"
  std::unique_ptr<Authority> authority_;
  std::unique_ptr<FirmwareShelf> firmware_;  // used by the background
  SpeechParts speech_;
  std::unique_ptr<Background> background_ = std::make_unique<Background>();
  std::unique_ptr<Hub> hub_;
  std::unique_ptr<OwnerSide> owner_;
  std::shared_ptr<wire::Lobby> lobby_;
  std::unique_ptr<SocketLoops> sockets_;
  std::unique_ptr<MetricsServer> metrics_;
  std::int64_t swept_ms_ = 0;  // the last sweep
  std::size_t sweeps_ = 0;
  std::int64_t late_ms_ = 0;  // how late it was
};

// ---- Starting ----------------------------------------------------------------------------------

Result<void> Daemon::run() {
  set_up_process();
  for (const Step step :
       {&Daemon::open_state, &Daemon::open_hub, &Daemon::open_listener, &Daemon::open_ports}) {
    if (auto done = (this->*step)(); !done) return done;
  }
  signals_.add(SIGTERM);
  signals_.add(SIGINT);
  signals_.add(SIGHUP);
  on_signal();
  sweep();
  settle();
  log_.write(Level::info, "hub.ready",
             {{"url", url_},
              {"version", options_.version},
              {"agent", options_.config.agent},
              {"speech", speech_.description}});
  if (options_.config.token_is_visible) {
    log_.write(Level::warning, "config.visible_secret",
               {{"setting", "access_token"}, {"text", "others see it on the command line"}});
  }
  asio::post(loop_, [this] {
    if (options_.ready) options_.ready(url_);
    notify_supervisor("READY=1");
  });
  loop_.run();
  log_.write(Level::info, "hub.stopped");
  return {};
}

// The owner's socket comes first: it tells best that another hub runs here.
Result<void> Daemon::open_state() {
  const auto folder = options_.config.state_folder();
  if (auto made = files::make_private_folder(folder); !made) return made;
  auto owner = OwnerSide::open(loop_.get_executor(), options_.config);
  if (!owner) return tl::unexpected(std::move(owner.error()));
  owner_ = std::move(*owner);
  log_.tee([this](Level level, std::string_view line) {
    if (owner_) owner_->logged(level, clock_.wall_ms(), line);
  });
  auto store = Store::open(folder / kStoreFileName);
  if (!store) return tl::unexpected(std::move(store.error()));
  store_ = std::move(*store);
  if (auto made = open_authority(); !made) return made;
  firmware_ = std::make_unique<FirmwareFolder>(folder / kFirmwareFolderName);
  return {};
}

Result<void> Daemon::open_authority() {
  if (options_.config.agent == kHermesAgent) {
    bridge_ = std::make_unique<BridgeServer>(
        BridgeServer::Parts{.executor = loop_.get_executor(),
                            .settle = [this] { settle(); },
                            .log = [this](const LogFact& fact) { log_.write(fact); },
                            .version = options_.version});
    authority_ = bridge_->make_authority(*store_, [this] { return clock_.wall_ms(); });
    return {};
  }
  auto authority = LocalAuthority::make(*store_, fill_random);
  if (!authority) return tl::unexpected(std::move(authority.error()));
  authority_ = std::move(*authority);
  return {};
}

Result<void> Daemon::open_hub() {
  if (auto fits = checked(options_.config); !fits) return tl::unexpected(std::move(fits.error()));
  open_speech();
  Environment environment;
  environment.random = fill_random;
  environment.now_ms = [this] { return clock_.now_ms(); };
  environment.wall_now_ms = [this] { return clock_.wall_ms(); };
  environment.post = [this](std::function<void()> call) { post(std::move(call)); };
  environment.work = [this](std::function<void()> job) { background_->run(std::move(job)); };
  environment.utc_offset_s = utc_offset_s;
  environment.is_zone = is_zone;
  hub_ = Hub::make(hub_options(options_.config), std::move(environment), hub_parts());

  OwnerApi::Parts owner;
  owner.hub = hub_.get();
  owner.settle = [this] { settle(); };
  owner.begin_backup = [this] { return store_->begin_backup(); };
  owner.info = [this] {
    return OwnerInfo{.version = options_.version,
                     .url = device_url(reachable_host(options_.config.host), sockets_->port()),
                     .owner_url = owner_->url(),
                     .pin = tls_ ? tls_->pin() : std::string(),
                     .state = options_.config.state_folder().string(),
                     .agent = options_.config.agent,
                     .speech = speech_.description,
                     .devices = store_->device_count().value_or(0),
                     .online = static_cast<std::int64_t>(hub_->online()),
                     .test_clock = options_.test_clock};
  };
  if (options_.test_clock) {
    owner.advance = [this](double seconds) { return advance(seconds); };
  }
  owner_->attach(std::move(owner));
  if (bridge_) {
    bridge_->open(*hub_,
                  [this](wire::HttpRequest request) { return owner_->answer(std::move(request)); });
    owner_->set_bridge([this](wire::WebSocket socket) { bridge_->arrived(std::move(socket)); });
  }
  return {};
}

Hub::Parts Daemon::hub_parts() {
  Hub::Parts parts;
  parts.store = store_.get();
  parts.authority = authority_.get();
  parts.firmware = firmware_.get();
  parts.recognizer = speech_.recognizer.get();
  parts.synthesizer = speech_.synthesizer.get();
  parts.make_agent = options_.make_agent;
  if (bridge_) {
    parts.make_agent = [this](AgentHost& host) { return bridge_->make_agent(host); };
  }
  parts.log = [this](const LogFact& fact) { log_.write(fact); };
  owner_->listen_to(parts);
  if (bridge_) {
    parts.device_changed = [this, watched = std::move(parts.device_changed)](const DeviceId& id) {
      watched(id);
      bridge_->device_changed(id);
    };
  }
  return parts;
}

void Daemon::open_speech() {
  speech_.description = "none";
  if (!options_.open_speech) return;
  speech_ = options_.open_speech(
      [this](std::function<void()> call) { post(std::move(call)); },
      [this](const std::string& line) {
        asio::post(loop_, [this, line] { log_.write(Level::info, "speech", {{"text", line}}); });
      });
}

Result<void> Daemon::open_listener() {
  const Config& config = options_.config;
  if (!config.tls_cert.empty()) {
    auto tls = wire::TlsServer::load(config.tls_cert, config.tls_key);
    if (!tls) return tl::unexpected(std::move(tls.error()));
    tls_ = std::move(*tls);
  }
  wire::ListenOptions listen;
  listen.host = config.host;
  listen.port = static_cast<std::uint16_t>(config.port);
  listen.tls = tls_;
  lobby_ = wire::Lobby::make(lobby_limits(options_.config));
  listen.lobby = lobby_;
  if (options_.test_clock) listen.now_ms = [this] { return clock_.now_ms(); };
  sockets_ = std::make_unique<SocketLoops>(
      config.hub_loops,
      SocketLoops::Parts{
          .hub = hub_.get(), .loop = &loop_, .clock = &clock_, .log = &log_, .settle = [this] {
            settle();
          }});
  if (auto listening = sockets_->listen(listen); !listening) return listening;
  url_ = device_url(config.host, sockets_->port());
  sockets_->admit_by(admission_options());
  sockets_->start();
  return {};
}

std::string Daemon::device_url(const std::string& host, std::uint16_t port) const {
  const bool v6 = host.find(':') != std::string::npos;
  return (tls_ ? "wss://" : "ws://") + (v6 ? "[" + host + "]" : host) + ":" + std::to_string(port) +
         options_.config.path;
}

AdmissionOptions Daemon::admission_options() const {
  const Config& config = options_.config;
  return {.path = config.path,
          .host = config.host,
          .port = sockets_->port(),
          .tls = tls_ != nullptr,
          .hosts = config.hosts,
          .origins = config.origins,
          .proxies = config.proxies,
          .own_addresses = addresses_of_this_machine};
}

Result<void> Daemon::open_ports() {
  if (auto opened = owner_->open_port(options_.config, fill_random); !opened) return opened;
  if (const auto url = owner_->url(); !url.empty()) {
    log_.write(Level::info, "owner.ready", {{"url", url}});
  }
  if (options_.config.metrics_listen.empty()) return {};
  auto server = MetricsServer::open(loop_.get_executor(), options_.config.metrics_listen,
                                    [this](const wire::HttpRequest& request) {
                                      return metrics_page(request, options_.config.hosts,
                                                          hub_->counters(), gauges());
                                    });
  if (!server) return tl::unexpected(std::move(server.error()));
  metrics_ = std::move(*server);
  log_.write(Level::info, "metrics.ready", {{"url", metrics_->url()}});
  return {};
}

Gauges Daemon::gauges() {
  Gauges now;
  now.version = options_.version;
  now.enrolled = store_->device_count().value_or(-1);
  now.online = hub_->online();
  now.unauthenticated = lobby_->waiting();
  now.pending = hub_->pending().size();
  for (const SocketLoops::Load& load : sockets_->loads()) {
    now.waiting_bytes += load.waiting_bytes;
    now.loops.push_back({load.connections, load.late_ms});
  }
  now.loop_delay_ms = late_ms_;
  now.stopping = stopping_;
  return now;
}

// ---- Time --------------------------------------------------------------------------------------

void Daemon::post(std::function<void()> call) {
  asio::post(loop_, [this, call = std::move(call)] {
    call();
    settle();
  });
}

// After every call of the hub: its next deadline may have moved.
void Daemon::settle() {
  if (hub_) arm(hub_->next_deadline_ms());
}

void Daemon::arm(std::int64_t deadline_ms) {
  if (deadline_ms == armed_ms_) return;
  armed_ms_ = deadline_ms;
  constexpr std::int64_t kFarMs = 3'600'000;  // looked at again then
  const std::int64_t in_ms = std::clamp<std::int64_t>(deadline_ms - clock_.now_ms(), 0, kFarMs);
  deadline_timer_.expires_after(std::chrono::milliseconds(in_ms));
  deadline_timer_.async_wait([this](const boost::system::error_code& error) {
    if (error) return;
    armed_ms_ = -1;
    hub_->tick();
    settle();
  });
}

void Daemon::sweep() {
  const std::int64_t now_ms = clock_.now_ms();
  late_ms_ = swept_ms_ == 0 ? 0 : std::max<std::int64_t>(0, now_ms - swept_ms_ - kSweepEveryMs);
  swept_ms_ = now_ms;
  sockets_->sweep();
  if (++sweeps_ % kSweepParts == 0) {
    log_.sweep();
    watch_loops();
  }
  sweep_timer_.expires_after(std::chrono::milliseconds(kSweepEveryMs));
  sweep_timer_.async_wait([this](const boost::system::error_code& error) {
    if (!error) sweep();
  });
}

// The supervisor hears that all is well as long as every loop moves.
void Daemon::watch_loops() {
  const auto stalled = sockets_->stalled();
  for (const std::size_t loop : stalled) {
    log_.write(Level::error, "loop.stalled", {{"loop", std::to_string(loop)}});
  }
  if (watched_ && stalled.empty()) notify_supervisor("WATCHDOG=1");
}

// Moves both clocks, from deadline to deadline, and gives devices a moment of real time to answer
// what each made the hub say: an hour with heartbeats passes, and nobody is taken for dead.
asio::awaitable<void> Daemon::advance(double seconds) {
  asio::steady_timer pause(loop_);
  // What devices did before this call is the hub's before time passes, whichever loop they are on.
  for (int round = 0; round < 2; ++round) {
    (void)co_await sockets_->swept(sockets_->commanded());
    pause.expires_after(kAnswerTime);
    boost::system::error_code ignored;
    co_await pause.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
  }
  std::int64_t left_ms = static_cast<std::int64_t>(seconds * 1000);
  while (left_ms > 0 && !stopping_) {
    const std::int64_t due_ms = hub_->next_deadline_ms() - clock_.now_ms();
    const std::int64_t step_ms =
        std::min(left_ms, std::clamp<std::int64_t>(due_ms, 1, kAdvanceStepMs));
    clock_.advance(step_ms);
    left_ms -= step_ms;
    const std::uint64_t commanded = sockets_->commanded();
    hub_->tick();
    armed_ms_ = -1;
    settle();
    const bool busy = co_await sockets_->swept(commanded);
    pause.expires_after(busy ? kAnswerTime : std::chrono::milliseconds{0});
    boost::system::error_code ignored;
    co_await pause.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
  }
}

// ---- Stopping ----------------------------------------------------------------------------------

void Daemon::on_signal() {
  signals_.async_wait([this](const boost::system::error_code& error, int signal) {
    if (error) return;
    if (signal == SIGHUP) {
      reload();
      on_signal();
      return;
    }
    if (stopping_) {
      loop_.stop();  // asked twice: now
      return;
    }
    stop();
    on_signal();
  });
}

// SIGHUP: a renewed certificate counts for the connections from now on, and the settings that
// can change while devices stay connected are taken over.
void Daemon::reload() {
  notify_supervisor("RELOADING=1");
  reload_settings();
  notify_supervisor("READY=1");
  if (!tls_) return;
  const auto done = tls_->reload();
  log_.write(done ? Level::info : Level::error, "tls.reload",
             {{"outcome", done ? std::string("new certificate") : to_line(done.error())}});
}

void Daemon::reload_settings() {
  if (!options_.reload) return;
  auto next = options_.reload();
  if (next) next = checked(std::move(*next));
  if (!next) {
    log_.write(Level::error, "config.reload",
               {{"outcome", "nothing changed"}, {"text", to_line(next.error())}});
    return;
  }
  std::string taken, waits;
  for (const std::string_view key : changed_keys(options_.config, *next)) {
    std::string& list = taken_by_reload(key) ? taken : waits;
    list += (list.empty() ? "" : ",") + std::string(key);
  }
  // What waits for the next start is still as it was.
  Config merged = *next;
  keep_what_waits(options_.config, merged);
  options_.config = std::move(merged);
  hub_->reconfigure(hub_options(options_.config));
  sockets_->admit_by(admission_options());
  owner_->reconfigure(options_.config);
  lobby_->set_limits(lobby_limits(options_.config));
  log_.set_level(options_.config.log_level);
  log_.write(waits.empty() ? Level::info : Level::warning, "config.reload",
             {{"changed", taken.empty() ? "nothing" : taken},
              {"waits_for_restart", waits.empty() ? "nothing" : waits}});
}

void Daemon::stop() {
  stopping_ = true;
  log_.write(Level::info, "hub.stopping",
             {{"connections", std::to_string(sockets_->connections())}});
  notify_supervisor("STOPPING=1");
  sockets_->stop();
  owner_->stop();
  if (bridge_) bridge_->close();
  hub_->stop();
  asio::co_spawn(loop_, wait_for_farewells(), [this](const std::exception_ptr&) { loop_.stop(); });
}

asio::awaitable<void> Daemon::wait_for_farewells() {
  asio::steady_timer pause(loop_);
  const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(kStopMs);
  while (sockets_->connections() > 0 && std::chrono::steady_clock::now() < until) {
    pause.expires_after(std::chrono::milliseconds(10));
    boost::system::error_code ignored;
    co_await pause.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
  }
  sockets_->abort();
}

}  // namespace

Result<void> run_daemon(DaemonOptions options) {
  Daemon daemon(std::move(options));
  return daemon.run();
}

}  // namespace gadget::hub
