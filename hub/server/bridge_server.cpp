#include "hub/server/bridge_server.hpp"

#include <deque>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include "hub/bridge/hermes_agent.hpp"

namespace gadget::hub {

namespace asio = boost::asio;
namespace json = boost::json;

// ---- One connection ----------------------------------------------------------------------------

class BridgeServer::Connection final : public BridgeLink,
                                       public std::enable_shared_from_this<Connection> {
 public:
  Connection(wire::WebSocket socket, BridgeServer& server)
      : socket_(std::move(socket)),
        server_(&server),
        wake_(socket_.executor(), asio::steady_timer::time_point::max()),
        silence_(socket_.executor(), std::chrono::milliseconds(kBridgeHelloMs)) {
    socket_.set_message_limit(kBridgeFrameBytes);
  }

  void start() {
    server_->bridge_.attached(shared_from_this());
    asio::co_spawn(socket_.executor(), read(shared_from_this()), asio::detached);
    asio::co_spawn(socket_.executor(), write(shared_from_this()), asio::detached);
    silence_.async_wait([self = shared_from_this()](boost::system::error_code error) {
      if (!error && !self->spoken_) self->close(wire::close_code::policy, "no hello within 10 s");
    });
  }

  void send(std::string frame) override {
    if (closing_) return;
    waiting_bytes_ += frame.size();
    if (waiting_bytes_ > kBridgeWaitingBytes) return close(wire::close_code::try_again, "too slow");
    waiting_.push_back(std::move(frame));
    wake_.cancel();
  }

  // What was sent before goes out first.
  void close(std::uint16_t code, std::string reason) override {
    if (std::exchange(closing_, true)) return;
    code_ = code;
    reason_ = std::move(reason);
    silence_.cancel();
    wake_.cancel();
  }

  // The server ends: nothing of it is called any more.
  void leave() { server_ = nullptr; }

 private:
  static asio::awaitable<void> read(std::shared_ptr<Connection> self) {
    for (;;) {
      auto message = co_await self->socket_.read();
      if (!message) break;
      if (self->server_ == nullptr || self->closing_) continue;
      self->spoken_ = true;
      self->silence_.cancel();
      self->server_->bridge_.message(self, message->text());
      if (self->server_ != nullptr) self->server_->parts_.settle();
    }
    self->close(wire::close_code::normal, {});
    if (self->server_ == nullptr) co_return;
    self->server_->bridge_.detached(self);
    self->server_->parts_.settle();
    self->server_->connections_.erase(self);
  }

  static asio::awaitable<void> write(std::shared_ptr<Connection> self) {
    while (!self->waiting_.empty() || !self->closing_) {
      if (self->waiting_.empty()) {
        boost::system::error_code ignored;
        co_await self->wake_.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
        continue;
      }
      const std::string frame = std::move(self->waiting_.front());
      self->waiting_.pop_front();
      self->waiting_bytes_ -= frame.size();
      const auto written = co_await self->socket_.write(frame);
      if (!written) co_return;
    }
    co_await self->socket_.close(self->code_, self->reason_);
  }

  wire::WebSocket socket_;
  BridgeServer* server_;
  asio::steady_timer wake_;
  asio::steady_timer silence_;
  std::deque<std::string> waiting_;
  std::size_t waiting_bytes_ = 0;
  std::uint16_t code_ = wire::close_code::normal;
  std::string reason_;
  bool spoken_ = false;
  bool closing_ = false;
};

// ---- The server --------------------------------------------------------------------------------

BridgeServer::BridgeServer(Parts parts) : parts_(std::move(parts)) {}

BridgeServer::~BridgeServer() {
  *alive_ = false;
  for (const auto& connection : connections_) connection->leave();
}

std::unique_ptr<Authority> BridgeServer::make_authority(Store& store,
                                                        std::function<Millis()> wall_now_ms) {
  HermesAuthority::Parts parts;
  parts.post = [this](std::function<void()> call) {
    asio::post(parts_.executor, [this, alive = alive_, call = std::move(call)] {
      if (!*alive) return;
      call();
      parts_.settle();
    });
  };
  parts.view = [this](const DeviceId& id) {
    return hub_ == nullptr ? std::nullopt : hub_->view(id);
  };
  parts.online = [this] {
    return hub_ == nullptr ? std::vector<DeviceId>() : hub_->online_devices();
  };
  parts.wall_now_ms = std::move(wall_now_ms);
  return std::make_unique<HermesAuthority>(store, bridge_, std::move(parts));
}

std::unique_ptr<Agent> BridgeServer::make_agent(AgentHost& host) {
  return std::make_unique<HermesAgent>(host, bridge_);
}

void BridgeServer::open(Hub& hub, wire::OwnerCall api) {
  hub_ = &hub;
  api_ = std::move(api);
  Bridge::Parts parts;
  parts.version = parts_.version;
  parts.hub = hub_;
  parts.owner = [this](std::string path, std::string body, Bridge::OwnerDone done) {
    call(std::move(path), std::move(body), std::move(done));
  };
  parts.log = [this](std::string_view event, std::string_view text) {
    parts_.log({LogFact::Level::info, std::string(event), {{"text", std::string(text)}}});
  };
  bridge_.open(std::move(parts));
}

void BridgeServer::close() {
  const auto open = std::exchange(connections_, {});
  for (const auto& connection : open) {
    connection->close(wire::close_code::going_away, "server stopping");
    bridge_.detached(connection);
    connection->leave();
  }
  hub_ = nullptr;
  api_ = nullptr;  // calls that are under way keep theirs
}

void BridgeServer::arrived(wire::WebSocket socket) {
  if (hub_ == nullptr) {
    socket.start_close(wire::close_code::going_away, "server stopping");
    return;
  }
  auto connection = std::make_shared<Connection>(std::move(socket), *this);
  connections_.insert(connection);
  connection->start();
}

namespace {

// Calls without a body of their own are asked for by GET.
bool is_question(std::string_view path) {
  return path == "info" || path == "devices" || path == "pairing" || path == "updates";
}

}  // namespace

void BridgeServer::call(std::string path, std::string body, Bridge::OwnerDone done) {
  if (!api_) return;
  wire::HttpRequest request;
  request.method = is_question(path) ? "GET" : "POST";
  request.target = "/v1/" + path;
  if (request.method == "POST") request.body = std::move(body);
  asio::co_spawn(parts_.executor, api_(std::move(request)),
                 [alive = alive_, done = std::move(done)](const std::exception_ptr& error,
                                                          const wire::OwnerResponse& response) {
                   if (!*alive) return;
                   if (error)
                     return done(false, R"({"code":"internal","text":"a defect of the hub"})");
                   if (response.status == 200) return done(true, response.body);
                   json::error_code ignored;
                   const json::value answer = json::parse(response.body, ignored);
                   const json::object* failure = answer.if_object();
                   const json::value* its =
                       failure == nullptr ? nullptr : failure->if_contains("error");
                   done(false, its == nullptr ? R"({"code":"internal","text":"no answer"})"
                                              : json::serialize(*its));
                 });
}

}  // namespace gadget::hub
