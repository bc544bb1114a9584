#include "hub/server/metrics.hpp"

#include <algorithm>
#include <string_view>

#include <boost/asio/ip/address.hpp>
#include <prometheus/metric_family.h>
#include <prometheus/text_serializer.h>
#include <sys/resource.h>

#include "base/address.hpp"

namespace gadget::hub {
namespace {

using prometheus::ClientMetric;
using prometheus::MetricFamily;
using prometheus::MetricType;

constexpr double kMillisASecond = 1'000.0;

class Families {
 public:
  void counter(const char* name, const char* help, std::uint64_t value) {
    add(name, help, MetricType::Counter).counter.value = static_cast<double>(value);
  }
  void seconds(const char* name, const char* help, double value) {
    add(name, help, MetricType::Counter).counter.value = value;
  }
  template <class Number>
  void gauge(const char* name, const char* help, Number value) {
    add(name, help, MetricType::Gauge).gauge.value = static_cast<double>(value);
  }
  void counters(const char* name, const char* help, const char* label, const CountsByName& counts) {
    MetricFamily& family = open(name, help, MetricType::Counter);
    for (const auto& [value, count] : counts.all()) {
      ClientMetric& metric = family.metric.emplace_back();
      metric.label.push_back({label, value});
      metric.counter.value = static_cast<double>(count);
    }
  }
  // One value a loop, numbered from 1.
  template <class Value>
  void loops(const char* name, const char* help, const std::vector<LoopGauges>& loops,
             Value value) {
    MetricFamily& family = open(name, help, MetricType::Gauge);
    for (std::size_t i = 0; i < loops.size(); ++i) {
      ClientMetric& metric = family.metric.emplace_back();
      metric.label.push_back({"loop", std::to_string(i + 1)});
      metric.gauge.value = value(loops[i]);
    }
  }
  void info(const char* name, const char* help, const char* label, const std::string& value) {
    ClientMetric& metric = add(name, help, MetricType::Gauge);
    metric.label.push_back({label, value});
    metric.gauge.value = 1;
  }
  void histogram(const char* name, const char* help, const MillisHistogram& histogram) {
    ClientMetric::Histogram& out = add(name, help, MetricType::Histogram).histogram;
    for (std::size_t i = 0; i < histogram.counts().size(); ++i) {
      out.sample_count += histogram.counts()[i];
      if (i == MillisHistogram::kBounds.size()) break;  // the serializer adds the one without bound
      out.bucket.push_back(
          {out.sample_count, static_cast<double>(MillisHistogram::kBounds[i]) / kMillisASecond});
    }
    out.sample_sum = static_cast<double>(histogram.sum_ms()) / kMillisASecond;
  }

  [[nodiscard]] std::string text() const { return prometheus::TextSerializer().Serialize(list_); }

 private:
  MetricFamily& open(const char* name, const char* help, MetricType type) {
    MetricFamily& family = list_.emplace_back();
    family.name = name;
    family.help = help;
    family.type = type;
    return family;
  }
  ClientMetric& add(const char* name, const char* help, MetricType type) {
    return open(name, help, type).metric.emplace_back();
  }

  std::vector<MetricFamily> list_;
};

double processor_s() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

bool is_known(std::string_view header, const std::vector<std::string>& hosts) {
  std::string name, known;
  std::uint16_t port = 0;
  if (!split_host(header, name, port)) return false;
  boost::system::error_code no_number;
  (void)boost::asio::ip::make_address(name, no_number);
  return !no_number || name == "localhost" ||
         std::any_of(hosts.begin(), hosts.end(), [&](const std::string& entry) {
           return split_host(entry, known, port) && known == name;
         });
}

}  // namespace

std::string render_metrics(const Counters& counters, const Gauges& gauges) {
  Families out;
  out.info("gadget_build_info", "The program.", "version", gauges.version);
  out.gauge("gadget_devices_enrolled", "Devices whose key the hub keeps.", gauges.enrolled);
  out.gauge("gadget_devices_online", "Authenticated connections.", gauges.online);
  out.gauge("gadget_devices_pending", "Devices that wait for approval.", gauges.pending);
  out.gauge("gadget_sockets_unauthenticated", "Sockets that have not shown their key yet.",
            gauges.unauthenticated);
  out.gauge("gadget_waiting_bytes", "Bytes that wait for sockets to take them.",
            gauges.waiting_bytes);
  out.gauge("gadget_loop_delay_seconds", "How late the event loop's last sweep was.",
            static_cast<double>(gauges.loop_delay_ms) / kMillisASecond);
  out.loops("gadget_loop_connections", "Connections of each loop that has sockets.", gauges.loops,
            [](const LoopGauges& loop) { return static_cast<double>(loop.connections); });
  out.loops("gadget_socket_loop_delay_seconds", "How late the last sweep of each of them was.",
            gauges.loops, [](const LoopGauges& loop) {
              return static_cast<double>(loop.delay_ms) / kMillisASecond;
            });
  out.counter("gadget_connections_total", "WebSocket connections.", counters.connections);
  out.counter("gadget_welcomes_total", "Handshakes that succeeded.", counters.welcomes);
  out.counter("gadget_enrolments_total", "Devices whose key was new.", counters.enrolments);
  out.counters("gadget_refusals_total", "Connections that were refused, by error code.", "code",
               counters.refusals);
  out.counters("gadget_closes_total", "Connections that the hub closed, by WebSocket close code.",
               "code", counters.closes);
  out.counter("gadget_text_messages_total", "Text messages from devices.", counters.text_messages);
  out.counter("gadget_binary_messages_total", "Binary messages from devices.",
              counters.binary_messages);
  out.counter("gadget_received_bytes_total", "Bytes of messages from devices.",
              counters.received_bytes);
  out.counter("gadget_malformed_total", "Messages that were malformed (E1).", counters.malformed);
  out.counter("gadget_dropped_total", "Messages that meant nothing when they came (E1).",
              counters.dropped);
  out.counters("gadget_turns_total", "Turns, by outcome.", "outcome", counters.turns);
  out.counters("gadget_questions_total", "Yes/no questions, by outcome.", "outcome",
               counters.questions);
  out.counters("gadget_actions_total", "Device actions, by outcome.", "outcome", counters.actions);
  out.counters("gadget_pictures_total", "Pictures for devices, by outcome.", "outcome",
               counters.pictures);
  out.counters("gadget_updates_total", "Firmware updates, by what they came to.", "outcome",
               counters.updates);
  out.counter("gadget_firmware_bytes_total", "Bytes of firmware images given to links.",
              counters.firmware_bytes);
  out.histogram("gadget_first_audio_seconds",
                "From the end of the request to the first audio of the answer.",
                counters.first_audio_ms);
  out.histogram("gadget_own_time_seconds", "Of that, what the hub took between the engines.",
                counters.ours_ms);
  out.seconds("process_cpu_seconds_total", "Processor time of the process.", processor_s());
  return out.text();
}

wire::HttpResponse metrics_page(const wire::HttpRequest& request,
                                const std::vector<std::string>& hosts, const Counters& counters,
                                const Gauges& gauges) {
  if (!is_known(request.header("Host"), hosts)) {
    return wire::plain_response(421, "This hub is not reached by that name (setting \"hosts\").");
  }
  if (request.method != "GET" && request.method != "HEAD") {
    return wire::plain_response(405, "Only GET.");
  }
  if (request.path() == "/healthz") {
    if (gauges.stopping) return wire::plain_response(503, "stopping");
    if (gauges.enrolled < 0) return wire::plain_response(503, "the store cannot be read");
    return wire::plain_response(200, "ok");
  }
  if (request.path() == "/metrics") {
    wire::HttpResponse response;
    response.content_type = "text/plain; version=0.0.4; charset=utf-8";
    response.body = render_metrics(counters, gauges);
    return response;
  }
  return wire::plain_response(404, "There is /metrics and /healthz.");
}

}  // namespace gadget::hub
