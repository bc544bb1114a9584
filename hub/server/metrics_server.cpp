#include "hub/server/metrics_server.hpp"

#include "base/address.hpp"
#include "wire/server.hpp"

namespace gadget::hub {

Result<std::unique_ptr<MetricsServer>> MetricsServer::open(
    const boost::asio::any_io_executor& executor, const std::string& where, Page page) {
  std::string host;
  std::uint16_t port = 0;
  const bool any_port = where.ends_with(":0");
  if (!split_host(any_port ? where.substr(0, where.size() - 2) : where, host, port)) {
    return fail(FailureCode::invalid_argument, "metrics_listen cannot be \"" + where + "\"",
                "it is HOST:PORT, such as 127.0.0.1:9464");
  }
  wire::ListenOptions listen;
  listen.host = host;
  listen.port = port == 0 && !any_port ? kMetricsPort : port;
  wire::ListenerCalls calls;
  calls.decide = [page = std::move(page)](const wire::HttpRequest& request) -> wire::Decision {
    return page(request);
  };
  calls.arrived = [](wire::WebSocket, const wire::HttpRequest&, const std::string&) {};
  auto listener = wire::Listener::open(executor, std::move(listen), std::move(calls));
  if (!listener) {
    Failure failure = std::move(listener.error());
    failure.text = "metrics_listen: " + failure.text;
    failure.hint.clear();
    return tl::unexpected(std::move(failure));
  }
  return std::unique_ptr<MetricsServer>{new MetricsServer(std::move(*listener))};
}

MetricsServer::MetricsServer(std::unique_ptr<wire::Listener> listener)
    : listener_(std::move(listener)) {}

MetricsServer::~MetricsServer() = default;

std::string MetricsServer::url() const {
  const std::string host = listener_->address();
  return "http://" + (host.find(':') == std::string::npos ? host : "[" + host + "]") + ":" +
         std::to_string(listener_->port()) + "/metrics";
}

}  // namespace gadget::hub
