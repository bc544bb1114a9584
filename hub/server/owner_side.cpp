#include "hub/server/owner_side.hpp"

#include "hub/server/bridge_server.hpp"
#include "hub/server/owner_gate.hpp"

namespace gadget::hub {

OwnerSide::OwnerSide(const boost::asio::any_io_executor& executor, std::size_t turns_kept)
    : executor_(executor),
      feeds_(std::make_shared<Feeds>(turns_kept)),
      keeps_turns_(turns_kept > 0) {}

Result<std::unique_ptr<OwnerSide>> OwnerSide::open(const boost::asio::any_io_executor& executor,
                                                   const Config& config) {
  std::unique_ptr<OwnerSide> side(
      new OwnerSide(executor, static_cast<std::size_t>(config.turns_kept)));
  auto socket = wire::OwnerServer::open(
      executor, config.state_folder(),
      [self = side.get()](wire::HttpRequest request) { return self->answer(std::move(request)); });
  if (!socket) return tl::unexpected(std::move(socket.error()));
  side->socket_ = std::move(*socket);
  return side;
}

void OwnerSide::listen_to(Hub::Parts& parts) {
  if (keeps_turns_) {
    parts.turn_ended = [feeds = feeds_](TurnRecord turn) { feeds->ended(std::move(turn)); };
  }
  parts.device_changed = [feeds = feeds_](const DeviceId& id) { feeds->device_changed(id); };
}

void OwnerSide::attach(OwnerApi::Parts parts) {
  parts.executor = executor_;
  parts.feeds = feeds_;
  api_ = std::make_unique<OwnerApi>(std::move(parts));
}

Result<void> OwnerSide::open_port(const Config& config,
                                  const std::function<void(std::span<std::byte>)>& random) {
  *hosts_ = config.hosts;
  if (config.owner_listen.empty()) return {};
  const auto where = parse_owner_listen(config.owner_listen);
  if (!where) return tl::unexpected(where.error());
  auto token = owner_token(config.owner_token_file, config.state_folder(), random);
  if (!token) return tl::unexpected(std::move(token.error()));
  auto opened = wire::OwnerTcpServer::open(
      executor_, where->host, where->port,
      [hosts = hosts_, word = std::make_shared<const OwnerToken>(std::move(*token))](
          const wire::HttpRequest& head) { return refuse_owner(head, *word, *hosts); },
      [this](wire::HttpRequest request) { return answer(std::move(request)); });
  if (!opened) {
    Failure failure = std::move(opened.error());
    failure.text = "owner_listen: " + failure.text;
    return tl::unexpected(std::move(failure));
  }
  port_ = std::move(*opened);
  return {};
}

boost::asio::awaitable<wire::OwnerResponse> OwnerSide::answer(wire::HttpRequest request) {
  if (bridge_ && request.path() == kBridgePath) {
    wire::OwnerResponse response;
    response.upgrade = bridge_;
    co_return response;
  }
  co_return co_await api_->handle(std::move(request));
}

void OwnerSide::stop() {
  socket_->stop();
  if (port_) port_->stop();
}

}  // namespace gadget::hub
