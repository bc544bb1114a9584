#include "hub/server/metrics.hpp"

#include <gtest/gtest.h>

namespace gadget::hub {
namespace {

bool has_line(const std::string& text, const std::string& line) {
  return ("\n" + text).find("\n" + line + "\n") != std::string::npos;
}

wire::HttpRequest get(std::string target, std::string host = "127.0.0.1:9464") {
  wire::HttpRequest request;
  request.method = "GET";
  request.target = std::move(target);
  request.headers.push_back({"Host", std::move(host)});
  return request;
}

TEST(Metrics, CountsAndGaugesAreThere) {
  Counters counters;
  counters.welcomes = 7;
  counters.refusals.add("busy");
  counters.refusals.add("busy");
  counters.turns.add("success");
  Gauges gauges;
  gauges.version = "1.2.3";
  gauges.online = 5;
  gauges.loops = {{3, 0}, {2, 1'500}};
  const std::string text = render_metrics(counters, gauges);
  EXPECT_TRUE(has_line(text, "# TYPE gadget_welcomes_total counter")) << text;
  EXPECT_TRUE(has_line(text, "gadget_welcomes_total 7")) << text;
  EXPECT_TRUE(has_line(text, "gadget_refusals_total{code=\"busy\"} 2")) << text;
  EXPECT_TRUE(has_line(text, "gadget_turns_total{outcome=\"success\"} 1")) << text;
  EXPECT_TRUE(has_line(text, "gadget_devices_online 5")) << text;
  EXPECT_TRUE(has_line(text, "gadget_loop_connections{loop=\"2\"} 2")) << text;
  EXPECT_TRUE(has_line(text, "gadget_socket_loop_delay_seconds{loop=\"2\"} 1.5")) << text;
  EXPECT_TRUE(has_line(text, "gadget_build_info{version=\"1.2.3\"} 1")) << text;
}

TEST(Metrics, AHistogramSumsUpItsBuckets) {
  Counters counters;
  for (const Millis ms : {Millis{5}, Millis{6}, Millis{40}, Millis{60'000}}) {
    counters.first_audio_ms.add(ms);
  }
  const std::string text = render_metrics(counters, {});
  EXPECT_TRUE(has_line(text, "gadget_first_audio_seconds_bucket{le=\"0.005\"} 1")) << text;
  EXPECT_TRUE(has_line(text, "gadget_first_audio_seconds_bucket{le=\"0.01\"} 2")) << text;
  EXPECT_TRUE(has_line(text, "gadget_first_audio_seconds_bucket{le=\"0.05\"} 3")) << text;
  EXPECT_TRUE(has_line(text, "gadget_first_audio_seconds_bucket{le=\"10\"} 3")) << text;
  EXPECT_TRUE(has_line(text, "gadget_first_audio_seconds_bucket{le=\"+Inf\"} 4")) << text;
  EXPECT_TRUE(has_line(text, "gadget_first_audio_seconds_count 4")) << text;
  EXPECT_TRUE(has_line(text, "gadget_first_audio_seconds_sum 60.051")) << text;
}

TEST(Metrics, HealthIsOfTheStoreAndOfStopping) {
  EXPECT_EQ(metrics_page(get("/healthz"), {}, {}, {}).status, 200U);
  Gauges unreadable;
  unreadable.enrolled = -1;
  EXPECT_EQ(metrics_page(get("/healthz"), {}, {}, unreadable).status, 503U);
  Gauges stopping;
  stopping.stopping = true;
  EXPECT_EQ(metrics_page(get("/healthz"), {}, {}, stopping).status, 503U);
}

TEST(Metrics, E9_ANameThatIsNotOursIsMisdirected) {
  for (const char* host : {"127.0.0.1:9464", "localhost", "[::1]:9464", "10.1.2.3"}) {
    EXPECT_EQ(metrics_page(get("/metrics", host), {}, {}, {}).status, 200U) << host;
  }
  for (const char* host : {"evil.example", "evil.example:9464", "", "127.0.0.1.evil.example"}) {
    EXPECT_EQ(metrics_page(get("/metrics", host), {}, {}, {}).status, 421U) << host;
  }
  EXPECT_EQ(metrics_page(get("/metrics", "hub.lan:9464"), {"hub.lan"}, {}, {}).status, 200U);
}

TEST(Metrics, OtherPathsAndMethods) {
  EXPECT_EQ(metrics_page(get("/"), {}, {}, {}).status, 404U);
  auto post = get("/metrics");
  post.method = "POST";
  EXPECT_EQ(metrics_page(post, {}, {}, {}).status, 405U);
}

}  // namespace
}  // namespace gadget::hub
