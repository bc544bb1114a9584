// metrics_server.hpp - a small HTTP server beside the devices' one, for /metrics and /healthz.
//
// On the loop that it was opened with. One request a connection; a head has 10 s (wire/server.hpp).
#pragma once

#include <functional>
#include <memory>
#include <string>

#include <boost/asio/any_io_executor.hpp>

#include "base/failure.hpp"
#include "wire/http.hpp"

namespace gadget::wire {
class Listener;
}

namespace gadget::hub {

// The port that is taken when `metrics_listen` names none: OpenMetrics exporters' usual one.
inline constexpr std::uint16_t kMetricsPort = 9464;

class MetricsServer {
 public:
  using Page = std::function<wire::HttpResponse(const wire::HttpRequest&)>;

  // `where` is HOST or HOST:PORT; port 0 picks a free one. Errors: invalid_argument, unavailable.
  [[nodiscard]] static Result<std::unique_ptr<MetricsServer>> open(
      const boost::asio::any_io_executor& executor, const std::string& where, Page page);
  ~MetricsServer();

  [[nodiscard]] std::string url() const;

 private:
  explicit MetricsServer(std::unique_ptr<wire::Listener> listener);
  std::unique_ptr<wire::Listener> listener_;
};

}  // namespace gadget::hub
