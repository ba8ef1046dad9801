// Telemetry: spans and metrics of a server, sent to a collector of OpenTelemetry by OTLP over HTTP.
//
// Spans wait in a bounded queue that one thread empties; a request never waits for it. What does
// not fit, what the collector refuses and what could not be sent after five attempts is dropped and
// counted. stop() sends what waits, for five seconds at most. Thread-safety: every function from
// any thread, but stop() and the destructor from one. Ownership: clock, randomness and transport
// outlive it. Source: OTLP 1.5; semantic conventions for HTTP, GenAI and MCP.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "base/random.h"
#include "base/trace/trace.h"
#include "llm/http.h"
#include "serve/http/server.h"
#include "serve/otlp/measures.h"
#include "serve/otlp/settings.h"

namespace anima::serve {

class Telemetry final : public Tracer {
 public:
  struct Parts {
    Clock& clock;
    Random& random;
    llm::HttpTransport& transport;
  };
  Telemetry(otlp::Settings settings, std::string version, Parts parts);
  ~Telemetry() override;  // stops
  Telemetry(const Telemetry&) = delete;
  Telemetry& operator=(const Telemetry&) = delete;

  SpanContext begin(const SpanContext* parent) override;
  std::int64_t now_ns() override;
  void end(SpanRecord span) override;
  bool keeps_contents() const override { return settings_.keeps_contents; }
  bool takes_parents() const override { return settings_.takes_parents; }

  void count(const http::Noted& noted);  // of each answer
  // What is read each time that metrics are sent, until it is called with an empty function.
  void observe(std::function<std::vector<otlp::Value>()> read);
  void stop();

  struct Counts {
    std::uint64_t sent = 0, dropped = 0;  // spans
    std::uint64_t failed = 0;             // requests to the collector, each attempt
    std::size_t waiting = 0;              // spans
  };
  Counts counts() const;

 private:
  static constexpr std::size_t kMostBytes = std::size_t{16} << 20;  // of spans that wait
  enum class Sent : std::uint8_t { kTaken, kRefused, kLater };

  void measure(const SpanRecord& span);
  void run();
  std::vector<SpanRecord> next_batch();
  void send_spans();
  void send_metrics();
  Sent post(const otlp::Target& target, const std::string& body, std::uint64_t spans);
  void tell_of(bool taken, const llm::HttpOutcome& outcome);
  // Until the collector took it, refused it, or five attempts were made.
  bool deliver(const otlp::Target& target, const std::string& body, std::uint64_t spans);
  bool wait_ms(std::int64_t milliseconds);  // false: it is to stop

  const otlp::Settings settings_;
  const std::string version_;
  const Parts parts_;
  const std::int64_t begun_ns_;
  otlp::Histograms histograms_;

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<SpanRecord> waiting_;
  std::size_t bytes_ = 0;
  Counts counts_;
  bool ending_ = false;
  bool troubled_ = false;      // of the thread that sends, as what follows
  std::int64_t asked_ms_ = 0;  // how long the collector asked to be left alone
  std::mutex reading_;
  std::function<std::vector<otlp::Value>()> read_;
  std::stop_source given_up_;
  std::thread thread_;
};

}  // namespace anima::serve
