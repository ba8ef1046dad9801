// What the OTEL_* variables of the environment say of telemetry: where it goes, what is sampled,
// how long it waits. docs/telemetry.md lists which of them are followed.
//
// What cannot be followed and would change what is sent is not passed over: it is told, and where
// it says how or where to send, that signal is not sent at all. Thread-safety: a function of its
// arguments. Source: OpenTelemetry specification, environment variables (1.40); OTLP 1.5, exporter
// configuration.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/config.h"

namespace anima::serve::otlp {

using Pairs = std::vector<std::pair<std::string, std::string>>;

// Of one signal: where it goes. Without a url it is not sent.
struct Target {
  std::string url;
  Pairs headers;  // may hold a key: never told
  std::int64_t timeout_ms = 10'000;
};

enum class Sampler : std::uint8_t { kAlways, kNever, kRatio };

struct Settings {
  Target traces, metrics;
  Pairs resource;                      // attributes, "service.name" among them
  Sampler root = Sampler::kAlways;     // of what no caller began
  bool follows_parent = true;          // of what one did, his choice counts
  double ratio = 1;                    // of kRatio
  bool takes_parents = true;           // `traceparent` of requests
  bool keeps_contents = false;         // messages, arguments and results in spans
  bool allow_http = false;             // plain http to another machine
  std::size_t longest_value = 65'536;  // bytes of a text in a span
  std::size_t most_spans = 2048, most_in_batch = 512;
  std::int64_t delay_ms = 5000;       // until spans are sent
  std::int64_t interval_ms = 60'000;  // between metrics
  std::vector<std::string> told;      // what is not followed, for the person who set it

  bool sends() const { return !traces.url.empty() || !metrics.url.empty(); }
};

// `remote`: the setting telemetry.remote, without which nothing leaves this machine.
Settings read_settings(const Environment& environment, bool remote, const std::string& version);

}  // namespace anima::serve::otlp
