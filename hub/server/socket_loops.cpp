#include "hub/server/socket_loops.hpp"

#include <chrono>
#include <numeric>
#include <optional>
#include <thread>
#include <utility>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <pthread.h>

#include "hub/server/crossing.hpp"

namespace gadget::hub {

namespace asio = boost::asio;
namespace {

// Of the machine's clock, which no test moves.
std::int64_t real_ms() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

}  // namespace

// ---- One loop ----------------------------------------------------------------------------------

// The hub's own, or one with a thread.
class SocketLoops::Loop {
 public:
  // The hub's own.
  explicit Loop(const Parts& parts)
      : near_(std::in_place, *parts.hub, parts.settle),
        sockets_({.loop = parts.loop->get_executor(),
                  .gate = &*near_,
                  .clock = parts.clock,
                  .log = parts.log}) {}

  // One of its own.
  Loop(const Parts& parts, std::size_t number)
      : number_(number),
        far_(std::in_place),
        sockets_({.loop = far_->context.get_executor(),
                  .gate = &far_->make_crossing(parts),
                  .clock = parts.clock,
                  .log = parts.log}) {}

  ~Loop() { close(); }

  DeviceSockets& sockets() { return sockets_; }
  [[nodiscard]] const DeviceSockets& sockets() const { return sockets_; }
  [[nodiscard]] Crossing* crossing() { return far_ ? &*far_->crossing : nullptr; }
  [[nodiscard]] std::size_t number() const { return number_; }

  // On the loop: at once on the hub's own, else soon.
  void run(std::function<void()> call) {
    if (!far_) return call();
    asio::post(far_->context, std::move(call));
  }

  void start() {
    if (!far_) return;
    far_->swept_ms = real_ms();
    sweep_again();
    far_->thread = std::thread([this] {
      ::pthread_setname_np(::pthread_self(), ("sockets-" + std::to_string(number_)).c_str());
      far_->context.run();
    });
  }

  [[nodiscard]] bool stalled() const {
    return far_ && far_->thread.joinable() && real_ms() - far_->swept_ms >= kLoopStallMs;
  }

  void close() {
    if (far_) {
      far_->context.stop();
      if (far_->thread.joinable()) far_->thread.join();
      far_->crossing->let_go();
    }
    sockets_.clear();
  }

 private:
  struct Far {
    Far() : guard(context.get_executor()), timer(context) {}
    Crossing& make_crossing(const Parts& parts) {
      crossing.emplace(Crossing::Parts{.hub = parts.hub,
                                       .hub_loop = parts.loop->get_executor(),
                                       .socket_loop = context.get_executor(),
                                       .settle = parts.settle});
      return *crossing;
    }
    asio::io_context context{1};
    asio::executor_work_guard<asio::io_context::executor_type> guard;
    asio::steady_timer timer;
    std::optional<Crossing> crossing;
    std::atomic<std::int64_t> swept_ms = 0;
    std::thread thread;
  };

  void sweep_again() {
    far_->timer.expires_after(std::chrono::milliseconds(kSweepEveryMs));
    far_->timer.async_wait([this](const boost::system::error_code& error) {
      if (error) return;
      sockets_.sweep();
      far_->swept_ms = real_ms();
      sweep_again();
    });
  }

  std::size_t number_ = 1;
  std::optional<NearGate> near_;
  std::optional<Far> far_;  // before what runs on it
  DeviceSockets sockets_;
};

// ---- All of them -------------------------------------------------------------------------------

SocketLoops::SocketLoops(std::int64_t loops, Parts parts) : parts_(std::move(parts)) {
  if (loops <= 1) {
    loops_.push_back(std::make_unique<Loop>(parts_));
    return;
  }
  for (std::int64_t number = 2; number <= loops; ++number) {
    loops_.push_back(std::make_unique<Loop>(parts_, static_cast<std::size_t>(number)));
  }
}

SocketLoops::~SocketLoops() { close(); }

Result<void> SocketLoops::listen(const wire::ListenOptions& options) {
  wire::ListenOptions one = options;
  if (loops_.size() > 1) one.port_use = wire::PortUse::first;
  for (const auto& loop : loops_) {
    if (auto listening = loop->sockets().listen(one); !listening) return listening;
    port_ = loop->sockets().port();
    one.port = port_;
    one.port_use = wire::PortUse::further;
  }
  return {};
}

void SocketLoops::each(const std::function<void(DeviceSockets&)>& call) {
  for (const auto& loop : loops_) {
    loop->run([call, &sockets = loop->sockets()] { call(sockets); });
  }
}

void SocketLoops::admit_by(const AdmissionOptions& options) {
  each([options](DeviceSockets& sockets) { sockets.admit_by(options); });
}

void SocketLoops::start() {
  for (const auto& loop : loops_) loop->start();
}

void SocketLoops::sweep() {
  for (const auto& loop : loops_) {
    if (loop->crossing() == nullptr) loop->sockets().sweep();
  }
}

std::uint64_t SocketLoops::commanded() const {
  return std::accumulate(loops_.begin(), loops_.end(), std::uint64_t{0},
                         [](std::uint64_t sum, const auto& loop) {
                           return sum + (loop->crossing() ? loop->crossing()->commanded() : 0);
                         });
}

asio::awaitable<bool> SocketLoops::swept(std::uint64_t commanded_before) {
  if (loops_.front()->crossing() == nullptr) {
    DeviceSockets& own = loops_.front()->sockets();
    own.sweep_all();
    co_return !own.idle();
  }
  bool busy = commanded() != commanded_before;
  std::size_t left = loops_.size();
  asio::steady_timer all(*parts_.loop, asio::steady_timer::time_point::max());
  for (const auto& loop : loops_) {
    loop->crossing()->flush_commands();
    loop->run([this, &loop = *loop, &busy, &left, &all] {
      loop.sockets().sweep_all();
      asio::post(*parts_.loop, [&busy, &left, &all, idle = loop.sockets().idle()] {
        busy = busy || !idle;
        if (--left == 0) all.cancel();
      });
    });
  }
  boost::system::error_code ignored;
  while (left > 0) {
    co_await all.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
  }
  co_return busy;
}

void SocketLoops::stop() {
  each([](DeviceSockets& sockets) { sockets.stop(); });
}

void SocketLoops::abort() {
  each([](DeviceSockets& sockets) { sockets.abort(); });
}

void SocketLoops::close() {
  for (const auto& loop : loops_) loop->close();
}

std::vector<SocketLoops::Load> SocketLoops::loads() const {
  std::vector<Load> all;
  for (const auto& loop : loops_) {
    const DeviceSockets& its = std::as_const(*loop).sockets();
    all.push_back({its.size(), its.waiting_bytes(), its.late_ms()});
  }
  return all;
}

std::size_t SocketLoops::connections() const {
  const auto all = loads();
  return std::accumulate(all.begin(), all.end(), std::size_t{0},
                         [](std::size_t sum, const Load& load) { return sum + load.connections; });
}

std::vector<std::size_t> SocketLoops::stalled() const {
  std::vector<std::size_t> numbers;
  for (const auto& loop : loops_) {
    if (loop->stalled()) numbers.push_back(loop->number());
  }
  return numbers;
}

}  // namespace gadget::hub
