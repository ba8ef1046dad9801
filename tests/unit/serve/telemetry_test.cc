// What the OTEL_* variables mean (OpenTelemetry specification, environment variables), and that
// telemetry is bounded and costs no request anything.
#include "serve/telemetry.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <condition_variable>
#include <cstring>
#include <memory>
#include <mutex>

#include "base/json/json.h"

namespace anima::serve::telemetry_test {
namespace {

using otlp::read_settings;
using otlp::Sampler;
using otlp::Settings;

constexpr const char* kEndpoint = "OTEL_EXPORTER_OTLP_ENDPOINT";
constexpr const char* kHere = "http://localhost:4318";

Settings settings(Environment environment, bool remote = false) {
  environment.try_emplace(kEndpoint, kHere);
  return read_settings(environment, remote, "1");
}

TEST(OtelSettings, NothingIsSentUnlessItIsAskedFor) {
  EXPECT_FALSE(read_settings({}, true, "1").sends());
  EXPECT_FALSE(settings({{"OTEL_SDK_DISABLED", "true"}}).sends());
  EXPECT_FALSE(settings({{kEndpoint, ""}}).sends());
  const Settings both = settings({});
  EXPECT_EQ(both.traces.url, "http://localhost:4318/v1/traces");
  EXPECT_EQ(both.metrics.url, "http://localhost:4318/v1/metrics");
  EXPECT_FALSE(both.keeps_contents);
  EXPECT_TRUE(both.told.empty());
  const Settings own = settings({{"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "http://127.0.0.1:9/t"},
                                 {"OTEL_METRICS_EXPORTER", "none"}});
  EXPECT_EQ(own.traces.url, "http://127.0.0.1:9/t");
  EXPECT_EQ(own.metrics.url, "");
}

// What cannot be followed is told, and does not send something else.
TEST(OtelSettings, WhatCannotBeFollowedIsTold) {
  const struct {
    Environment environment;
    bool sends;
    const char* told;
  } cases[] = {
      {{{kEndpoint, "http://collector:4318"}}, false, "telemetry.remote"},
      {{{kEndpoint, "https://10.0.0.7:4318"}}, false, "telemetry.remote"},
      {{{kEndpoint, "localhost:4318"}}, false, "no address"},
      {{{"OTEL_EXPORTER_OTLP_PROTOCOL", "grpc"}}, false, "gRPC"},
      {{{"OTEL_EXPORTER_OTLP_PROTOCOL", "http/protobuf"}}, false, "JSON"},
      {{{"OTEL_EXPORTER_OTLP_CERTIFICATE", "/ca.pem"}}, false, "CERTIFICATE"},
      {{{"OTEL_EXPORTER_OTLP_COMPRESSION", "gzip"}}, true, "gzip"},
      {{{"OTEL_TRACES_SAMPLER", "jaeger_remote"}}, true, "jaeger_remote"},
      {{{"OTEL_TRACES_SAMPLER", "traceidratio"}, {"OTEL_TRACES_SAMPLER_ARG", "2"}}, true, "0 to 1"},
      {{{"OTEL_PROPAGATORS", "b3"}}, true, "b3"},
      {{{"OTEL_BSP_MAX_QUEUE_SIZE", "many"}}, true, "OTEL_BSP_MAX_QUEUE_SIZE"},
      {{{"OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE", "delta"}}, true, "delta"},
      {{{"OTEL_RESOURCE_ATTRIBUTES", "a=1,b"}}, true, "OTEL_RESOURCE_ATTRIBUTES"},
  };
  for (const auto& each : cases) {
    const Settings read = settings(each.environment);
    EXPECT_EQ(read.sends(), each.sends) << each.told;
    EXPECT_TRUE(std::ranges::any_of(read.told, [&](const std::string& line) {
      return line.find(each.told) != std::string::npos;
    })) << each.told;
  }
  EXPECT_TRUE(settings({{kEndpoint, "http://collector:4318"}}, true).sends());
}

TEST(OtelSettings, SamplersAndNames) {
  const Settings plain = settings({});
  EXPECT_EQ(plain.root, Sampler::kAlways);
  EXPECT_TRUE(plain.follows_parent);
  const Settings ratio = settings({{"OTEL_TRACES_SAMPLER", "parentbased_traceidratio"},
                                   {"OTEL_TRACES_SAMPLER_ARG", "0.25"},
                                   {"OTEL_SERVICE_NAME", "mine"},
                                   {"OTEL_RESOURCE_ATTRIBUTES", "service.name=other,k=a%2Cb"},
                                   {"OTEL_EXPORTER_OTLP_HEADERS", "api-key=x%3D1, a = b"}});
  EXPECT_EQ(ratio.root, Sampler::kRatio);
  EXPECT_TRUE(ratio.follows_parent);
  EXPECT_EQ(ratio.ratio, 0.25);
  const auto resource = [&](const std::string& name) {
    const auto found =
        std::ranges::find(ratio.resource, name, &std::pair<std::string, std::string>::first);
    return found == ratio.resource.end() ? "" : found->second;
  };
  EXPECT_EQ(resource("service.name"), "mine");
  EXPECT_EQ(resource("k"), "a,b");
  EXPECT_EQ(ratio.traces.headers, (otlp::Pairs{{"api-key", "x=1"}, {"a", "b"}}));
  EXPECT_FALSE(settings({{"OTEL_TRACES_SAMPLER", "always_off"}}).follows_parent);
  EXPECT_FALSE(settings({{"OTEL_PROPAGATORS", "none"}}).takes_parents);
}

// A collector that answers what the test says, and holds requests back while it is closed.
class Collector final : public llm::HttpTransport {
 public:
  llm::HttpOutcome post(const llm::HttpRequest& request, const llm::HttpHandlers&,
                        const std::stop_token& stop) override {
    std::unique_lock lock(mutex);
    bodies.push_back(request.body);
    opened.wait(lock, stop, [this] { return open; });
    llm::HttpOutcome outcome;
    if (stop.stop_requested()) outcome.end = llm::HttpEnd::kCancelled;
    outcome.head.status = status;
    return outcome;
  }
  void let(bool is_open) {
    {
      const std::lock_guard lock(mutex);
      open = is_open;
    }
    opened.notify_all();
  }
  std::mutex mutex;
  std::condition_variable_any opened;
  bool open = true;
  int status = 200;
  std::vector<std::string> bodies;
};

class TelemetryTest : public testing::Test {
 protected:
  void open(Settings given) {
    telemetry_ = std::make_unique<Telemetry>(std::move(given), "1",
                                             Telemetry::Parts{clock_, random_, collector_});
  }
  void spans(int count, const std::string& text = "") {
    for (int i = 0; i < count; ++i) {
      SpanRecord span;
      span.context = telemetry_->begin(nullptr);
      span.name = "span";
      if (!text.empty()) span.attributes.emplace_back("text", Json(text));
      telemetry_->end(std::move(span));
    }
  }
  SystemClock clock_;
  SystemRandom random_;
  Collector collector_;
  std::unique_ptr<Telemetry> telemetry_;
};

TEST_F(TelemetryTest, WhatWaitsIsSentAtTheEnd) {
  open(settings({}));
  spans(3);
  telemetry_->stop();
  EXPECT_EQ(telemetry_->counts().sent, 3U);
  EXPECT_EQ(telemetry_->counts().dropped, 0U);
  const auto body = parse_json(collector_.bodies.at(0));
  ASSERT_TRUE(body);
  EXPECT_EQ(body->find("resourceSpans")
                ->as_array()[0]
                .find("scopeSpans")
                ->as_array()[0]
                .find("spans")
                ->as_array()
                .size(),
            3U);
}

// While the collector takes nothing, no more spans wait than may, and none is lost unseen.
TEST_F(TelemetryTest, WhatWaitsIsBoundedAndTheRestIsCounted) {
  collector_.let(false);
  open(settings({{"OTEL_BSP_MAX_QUEUE_SIZE", "10"}, {"OTEL_BSP_MAX_EXPORT_BATCH_SIZE", "4"}}));
  spans(1000);
  EXPECT_LE(telemetry_->counts().waiting, 10U);
  EXPECT_GE(telemetry_->counts().dropped, 1000U - 10U - 4U);
  collector_.let(true);
  telemetry_->stop();
  const Telemetry::Counts end = telemetry_->counts();
  EXPECT_EQ(end.sent + end.dropped, 1000U);
  EXPECT_GT(end.sent, 0U);
}

TEST_F(TelemetryTest, TheBytesThatWaitAreBoundedAndLongTextsCut) {
  collector_.let(false);
  open(settings({}));
  spans(500, std::string(1 << 20, 'x'));  // 64 KiB each of the 500 MiB
  EXPECT_GT(telemetry_->counts().dropped, 200U);
  collector_.let(true);
  telemetry_->stop();
  for (const std::string& body : collector_.bodies) EXPECT_LT(body.size(), std::size_t{17} << 20);
}

TEST_F(TelemetryTest, WhatIsRefusedIsCountedAndNotSentAgain) {
  collector_.status = 400;
  open(settings({}));
  spans(2);
  telemetry_->stop();
  EXPECT_EQ(telemetry_->counts().dropped, 2U);
  EXPECT_EQ(telemetry_->counts().failed, 1U);
}

TEST_F(TelemetryTest, ACollectorThatNeverAnswersDoesNotKeepTheProgram) {
  collector_.let(false);
  open(settings({}));
  spans(1);
  telemetry_->stop();  // returns
  EXPECT_EQ(telemetry_->counts().sent, 0U);
  EXPECT_EQ(telemetry_->counts().dropped, 1U);
}

TEST_F(TelemetryTest, AShareOfTheTracesIsSampledAndAParentDecides) {
  open(settings(
      {{"OTEL_TRACES_SAMPLER", "parentbased_traceidratio"}, {"OTEL_TRACES_SAMPLER_ARG", "0.25"}}));
  int sampled = 0;
  for (int i = 0; i < 10'000; ++i) sampled += telemetry_->begin(nullptr).sampled ? 1 : 0;
  // 2,500 with a standard deviation of 43.
  EXPECT_GT(sampled, 2200);
  EXPECT_LT(sampled, 2800);
  SpanContext parent = *read_traceparent("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01");
  EXPECT_TRUE(telemetry_->begin(&parent).sampled);
  EXPECT_EQ(telemetry_->begin(&parent).trace, parent.trace);
  EXPECT_NE(telemetry_->begin(&parent).span, parent.span);
  parent.sampled = false;
  EXPECT_FALSE(telemetry_->begin(&parent).sampled);
}

// Labels that a client could make up do not make the metrics grow.
TEST(OtlpHistograms, AreBounded) {
  otlp::Histograms histograms;
  for (int i = 0; i < 5000; ++i)
    histograms.record(otlp::kHttpServerDuration, 0.004 + i, {{"n", i}});
  const auto now = histograms.now();
  ASSERT_EQ(now.size(), 1U);
  EXPECT_EQ(now[0].points.size(), 2001U);
  std::uint64_t count = 0;
  for (const otlp::HistogramPoint& point : now[0].points) count += point.count;
  EXPECT_EQ(count, 5000U);
}

}  // namespace
}  // namespace anima::serve::telemetry_test
