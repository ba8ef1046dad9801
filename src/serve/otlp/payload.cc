#include "serve/otlp/payload.h"

#include <utility>

#include "base/crypto.h"
#include "base/text/valid_text.h"

namespace anima::serve::otlp {
namespace {

constexpr int kCumulative = 2;
constexpr int kStatusError = 2;
// The conventions that the names are of.
constexpr std::string_view kSchema = "https://opentelemetry.io/schemas/1.37.0";

Json any_value(const Json& value) {
  if (value.is_bool()) return Json::object({{"boolValue", value}});
  if (value.is_integer()) return Json::object({{"intValue", std::to_string(value.as_integer())}});
  if (value.is_double()) return Json::object({{"doubleValue", value}});
  if (value.is_array()) {
    Json items = Json::array();
    for (const Json& each : value.as_array()) items.push_back(any_value(each));
    return Json::object({{"arrayValue", Json::object({{"values", std::move(items)}})}});
  }
  const std::string text = value.is_string() ? value.as_string() : value.dump();
  return Json::object({{"stringValue", valid_text(text)}});
}

Json attributes_of(const JsonObject& attributes) {
  Json list = Json::array();
  for (const JsonMember& each : attributes)
    list.push_back(Json::object({{"key", each.first}, {"value", any_value(each.second)}}));
  return list;
}

Json resource_of(const Sender& sender) {
  JsonObject attributes;
  for (const auto& [name, value] : sender.resource) attributes.emplace_back(name, Json(value));
  return Json::object({{"attributes", attributes_of(attributes)}});
}

Json scope_of(const Sender& sender) {
  return Json::object({{"name", "anima"}, {"version", std::string(sender.version)}});
}

Json span_json(const SpanRecord& span) {
  constexpr std::uint32_t kSampled = 0x01, kKnowsRemote = 0x100;
  Json json = Json::object({{"traceId", to_hex(span.context.trace)},
                            {"spanId", to_hex(span.context.span)},
                            {"flags", kSampled | kKnowsRemote},
                            {"name", valid_text(span.name)},
                            {"kind", static_cast<int>(span.kind)},
                            {"startTimeUnixNano", std::to_string(span.begun_ns)},
                            {"endTimeUnixNano", std::to_string(span.ended_ns)},
                            {"attributes", attributes_of(span.attributes)}});
  if (span.parent) json.set("parentSpanId", to_hex(span.parent->span));
  if (!span.context.state.empty()) json.set("traceState", span.context.state);
  if (span.link) {
    const Json link =
        Json::object({{"traceId", to_hex(span.link->trace)}, {"spanId", to_hex(span.link->span)}});
    json.set("links", Json::array({link}));
  }
  if (span.failed) {
    Json status = Json::object({{"code", kStatusError}});
    if (!span.failure.empty()) status.set("message", valid_text(span.failure));
    json.set("status", std::move(status));
  }
  return json;
}

Json metric_head(std::string_view name, std::string_view unit, std::string_view description) {
  return Json::object({{"name", name}, {"unit", unit}, {"description", description}});
}

Json histogram_json(const HistogramState& state, const std::string& begun, const std::string& now) {
  Json points = Json::array();
  for (const HistogramPoint& point : state.points) {
    Json counts = Json::array(), bounds = Json::array();
    for (const std::uint64_t count : point.counts) counts.push_back(std::to_string(count));
    for (const double bound : state.kind->bounds) bounds.push_back(bound);
    points.push_back(Json::object({{"attributes", attributes_of(point.attributes)},
                                   {"startTimeUnixNano", begun},
                                   {"timeUnixNano", now},
                                   {"count", std::to_string(point.count)},
                                   {"sum", point.sum},
                                   {"min", point.least},
                                   {"max", point.most},
                                   {"bucketCounts", std::move(counts)},
                                   {"explicitBounds", std::move(bounds)}}));
  }
  Json metric = metric_head(state.kind->name, state.kind->unit, state.kind->description);
  metric.set("histogram", Json::object({{"dataPoints", std::move(points)},
                                        {"aggregationTemporality", kCumulative}}));
  return metric;
}

Json value_json(const Value& value, const std::string& begun, const std::string& now) {
  Json point = Json::object({{"timeUnixNano", now}, {"asDouble", value.value}});
  if (!value.attributes.empty()) point.set("attributes", attributes_of(value.attributes));
  if (value.grows) point.set("startTimeUnixNano", begun);
  Json metric = metric_head(value.name, value.unit, value.description);
  Json points = Json::object({{"dataPoints", Json::array({std::move(point)})}});
  if (value.grows) {
    points.set("aggregationTemporality", kCumulative);
    points.set("isMonotonic", true);
  }
  metric.set(value.grows ? "sum" : "gauge", std::move(points));
  return metric;
}

// {"resourceSpans": [{"resource":.., "scopeSpans": [{"scope":.., "spans": [..]}]}]}
std::string enveloped(const Sender& sender, const char* outer, const char* inner, const char* items,
                      Json list) {
  Json scope = Json::object({{"scope", scope_of(sender)}, {"schemaUrl", kSchema}});
  scope.set(items, std::move(list));
  Json resource = Json::object({{"resource", resource_of(sender)}});
  resource.set(inner, Json::array({std::move(scope)}));
  Json request(JsonObject{});
  request.set(outer, Json::array({std::move(resource)}));
  return request.dump();
}

}  // namespace

std::string traces_payload(const Sender& sender, std::span<const SpanRecord> spans) {
  Json list = Json::array();
  for (const SpanRecord& span : spans) list.push_back(span_json(span));
  return enveloped(sender, "resourceSpans", "scopeSpans", "spans", std::move(list));
}

std::string metrics_payload(const Sender& sender, std::span<const HistogramState> histograms,
                            std::span<const Value> values, std::int64_t begun_ns,
                            std::int64_t now_ns) {
  const std::string begun = std::to_string(begun_ns), now = std::to_string(now_ns);
  Json list = Json::array();
  for (const HistogramState& state : histograms) list.push_back(histogram_json(state, begun, now));
  for (const Value& value : values) list.push_back(value_json(value, begun, now));
  return enveloped(sender, "resourceMetrics", "scopeMetrics", "metrics", std::move(list));
}

}  // namespace anima::serve::otlp
