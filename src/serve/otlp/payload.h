// Requests of OTLP in their JSON form: ids as hexadecimal digits, numbers of 64 bits as texts,
// enumerations as numbers. Thread-safety: pure functions. Complexity: O(what is told). Source: OTLP
// 1.5, JSON Protobuf encoding; opentelemetry-proto 1.5.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "base/trace/trace.h"
#include "serve/otlp/measures.h"
#include "serve/otlp/settings.h"

namespace anima::serve::otlp {

// Who sends it.
struct Sender {
  const Pairs& resource;
  std::string_view version;
};

// An ExportTraceServiceRequest.
std::string traces_payload(const Sender& sender, std::span<const SpanRecord> spans);
// An ExportMetricsServiceRequest. Times in nanoseconds since 1970.
std::string metrics_payload(const Sender& sender, std::span<const HistogramState> histograms,
                            std::span<const Value> values, std::int64_t begun_ns,
                            std::int64_t now_ns);

}  // namespace anima::serve::otlp
