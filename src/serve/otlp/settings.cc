#include "serve/otlp/settings.h"

#include <array>
#include <optional>
#include <string_view>

#include "base/text/read_number.h"
#include "base/text/text.h"
#include "base/text/url.h"
#include "llm/loopback.h"
#include "serve/http/message.h"

namespace anima::serve::otlp {
namespace {

constexpr std::string_view kPrefix = "OTEL_EXPORTER_OTLP_";

class Reader {
 public:
  Reader(const Environment& environment, Settings& settings)
      : environment_(environment), settings_(settings) {}

  // An empty variable is one that is not set.
  std::string text(std::string_view name) const {
    const auto found = environment_.find(name);
    return found == environment_.end() ? std::string() : std::string(trim(found->second));
  }
  bool flag(std::string_view name) const { return to_lower(text(name)) == "true"; }
  std::int64_t number(std::string_view name, std::int64_t fallback, std::int64_t least) {
    const std::string said = text(name);
    if (said.empty()) return fallback;
    const auto read = read_number<std::int64_t>(said);
    if (read && *read >= least) return *read;
    tell(std::string(name) + " is no number of at least " + std::to_string(least) + ", so it is " +
         std::to_string(fallback));
    return fallback;
  }
  // "key1=value1,key2=value%202", as W3C Baggage has it.
  Pairs pairs(std::string_view name) {
    Pairs all;
    const std::string said = text(name);
    for (const std::string_view each : split(said, ',')) {
      if (trim(each).empty()) continue;
      const std::size_t equals = each.find('=');
      const std::string key(trim(each.substr(0, std::min(equals, each.size()))));
      auto value = equals == std::string_view::npos
                       ? std::nullopt
                       : http::decode_percent(trim(each.substr(equals + 1)), false);
      if (key.empty() || !value) {
        tell(std::string(name) + " has a part that is no KEY=VALUE, which is left out");
        continue;
      }
      all.emplace_back(key, *std::move(value));
    }
    return all;
  }
  void tell(std::string what) { settings_.told.push_back(std::move(what)); }

 private:
  const Environment& environment_;
  Settings& settings_;
};

// The variable of a signal, else that of all.
std::string of_signal(const Reader& reader, std::string_view signal, std::string_view name) {
  const std::string own =
      reader.text(std::string(kPrefix) + std::string(signal) + "_" + std::string(name));
  return own.empty() ? reader.text(std::string(kPrefix) + std::string(name)) : own;
}

// Why a signal cannot be sent as its variables want it; empty: it can.
std::string hindrance(const Reader& reader, std::string_view signal, const std::string& exporter) {
  if (exporter != "otlp") return "the exporter \"" + exporter + "\" is not there, only otlp is";
  const std::string protocol = of_signal(reader, signal, "PROTOCOL");
  if (protocol == "grpc") return "OTLP over gRPC is not spoken here, use http/json";
  if (protocol == "http/protobuf") return "OTLP is sent as JSON here, use http/json";
  if (!protocol.empty() && protocol != "http/json")
    return "the protocol \"" + protocol + "\" is not known";
  for (const std::string_view name : {"CERTIFICATE", "CLIENT_KEY", "CLIENT_CERTIFICATE"}) {
    if (!of_signal(reader, signal, name).empty())
      return std::string(kPrefix) + std::string(name) +
             " is not followed: put the certificate into the machine's store";
  }
  return {};
}

// Why that address may not be sent to; empty: it may.
std::string forbidden(const std::string& url, bool remote) {
  const auto read = read_url(url);
  if (!read) return "its endpoint is no address: " + read.error().message;
  if (remote || llm::is_loopback_host(read->host)) return {};
  return "its endpoint is another machine: `anima config set telemetry.remote true` lets it leave "
         "this one";
}

Target target_of(Reader& reader, std::string_view signal, std::string_view path, bool remote) {
  const std::string name = to_lower(signal);
  std::string exporter = reader.text("OTEL_" + std::string(signal) + "_EXPORTER");
  if (exporter.empty()) exporter = "otlp";
  std::string url = reader.text(std::string(kPrefix) + std::string(signal) + "_ENDPOINT");
  if (url.empty()) {
    url = reader.text(std::string(kPrefix) + "ENDPOINT");
    if (url.empty()) return {};
    url += (url.ends_with('/') ? "" : "/") + std::string(path);
  }
  if (exporter == "none") return {};
  std::string why = hindrance(reader, signal, exporter);
  if (why.empty()) why = forbidden(url, remote);
  if (!why.empty()) {
    reader.tell("no " + name + " are sent: " + why);
    return {};
  }
  const std::string compression = of_signal(reader, signal, "COMPRESSION");
  if (!compression.empty() && compression != "none")
    reader.tell(name + " are sent as they are, not as " + compression);
  Target target{std::move(url), {}, 10'000};
  const std::string own = std::string(kPrefix) + std::string(signal) + "_HEADERS";
  target.headers = reader.pairs(reader.text(own).empty() ? std::string(kPrefix) + "HEADERS" : own);
  const std::string timeout = std::string(kPrefix) + std::string(signal) + "_TIMEOUT";
  target.timeout_ms = reader.number(
      reader.text(timeout).empty() ? std::string(kPrefix) + "TIMEOUT" : timeout, 10'000, 1);
  return target;
}

void read_sampler(Reader& reader, Settings& settings) {
  const std::string name = reader.text("OTEL_TRACES_SAMPLER");
  if (name.empty()) return;
  constexpr std::string_view kParent = "parentbased_";
  settings.follows_parent = name.starts_with(kParent);
  const std::string base = settings.follows_parent ? name.substr(kParent.size()) : name;
  if (base == "always_on") {
    settings.root = Sampler::kAlways;
  } else if (base == "always_off") {
    settings.root = Sampler::kNever;
  } else if (base == "traceidratio") {
    settings.root = Sampler::kRatio;
    const std::string argument = reader.text("OTEL_TRACES_SAMPLER_ARG");
    const auto ratio = read_number<double>(argument.empty() ? "1" : argument);
    if (ratio && *ratio >= 0 && *ratio <= 1) {
      settings.ratio = *ratio;
    } else {
      reader.tell("OTEL_TRACES_SAMPLER_ARG is no number from 0 to 1, so it is 1");
    }
  } else {
    settings.follows_parent = true;
    reader.tell("the sampler \"" + name + "\" is not known, so it is parentbased_always_on");
  }
}

void read_propagators(Reader& reader, Settings& settings) {
  const std::string said = reader.text("OTEL_PROPAGATORS");
  if (said.empty()) return;
  settings.takes_parents = false;
  for (const std::string_view each : split(said, ',')) {
    const std::string_view name = trim(each);
    if (name == "tracecontext") {
      settings.takes_parents = true;
    } else if (name != "none" && name != "baggage") {
      reader.tell("the propagator \"" + std::string(name) +
                  "\" is not there: tracecontext is, and baggage is not handed on");
    }
  }
}

void read_resource(Reader& reader, Settings& settings, const std::string& version) {
  settings.resource = reader.pairs("OTEL_RESOURCE_ATTRIBUTES");
  const auto put = [&](const std::string& name, const std::string& value, bool wins) {
    for (auto& [key, held] : settings.resource) {
      if (key != name) continue;
      if (wins) held = value;
      return;
    }
    settings.resource.emplace_back(name, value);
  };
  const std::string name = reader.text("OTEL_SERVICE_NAME");
  put("service.name", name.empty() ? "anima" : name, !name.empty());
  put("service.version", version, false);
  put("telemetry.sdk.name", "anima", true);
  put("telemetry.sdk.language", "cpp", true);
  put("telemetry.sdk.version", version, true);
}

// Spans have at most two dozen attributes and one link: limits below that are not kept to.
void tell_of_the_rest(Reader& reader) {
  const std::string temporality =
      to_lower(reader.text("OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE"));
  if (!temporality.empty() && temporality != "cumulative")
    reader.tell("metrics are cumulative, not " + temporality);
  const std::string histograms =
      reader.text("OTEL_EXPORTER_OTLP_METRICS_DEFAULT_HISTOGRAM_AGGREGATION");
  if (!histograms.empty() && histograms != "explicit_bucket_histogram")
    reader.tell("histograms have explicit buckets, not " + histograms);
  for (const char* name :
       {"OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT", "OTEL_ATTRIBUTE_COUNT_LIMIT",
        "OTEL_SPAN_LINK_COUNT_LIMIT", "OTEL_CONFIG_FILE", "OTEL_EXPERIMENTAL_CONFIG_FILE"}) {
    if (!reader.text(name).empty()) reader.tell(std::string(name) + " is not followed");
  }
}

}  // namespace

Settings read_settings(const Environment& environment, bool remote, const std::string& version) {
  Settings settings;
  Reader reader(environment, settings);
  if (reader.flag("OTEL_SDK_DISABLED")) {
    read_propagators(reader, settings);
    settings.told.clear();
    return settings;
  }
  settings.traces = target_of(reader, "TRACES", "v1/traces", remote);
  settings.metrics = target_of(reader, "METRICS", "v1/metrics", remote);
  settings.allow_http = remote;
  read_propagators(reader, settings);
  if (!settings.sends()) return settings;
  read_resource(reader, settings, version);
  read_sampler(reader, settings);
  settings.keeps_contents = reader.flag("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT");
  const std::string length = reader.text("OTEL_SPAN_ATTRIBUTE_VALUE_LENGTH_LIMIT").empty()
                                 ? "OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT"
                                 : "OTEL_SPAN_ATTRIBUTE_VALUE_LENGTH_LIMIT";
  settings.longest_value = static_cast<std::size_t>(reader.number(length, 65'536, 0));
  settings.most_spans = static_cast<std::size_t>(reader.number("OTEL_BSP_MAX_QUEUE_SIZE", 2048, 1));
  settings.most_in_batch =
      static_cast<std::size_t>(reader.number("OTEL_BSP_MAX_EXPORT_BATCH_SIZE", 512, 1));
  settings.delay_ms = reader.number("OTEL_BSP_SCHEDULE_DELAY", 5000, 1);
  settings.interval_ms = reader.number("OTEL_METRIC_EXPORT_INTERVAL", 60'000, 1);
  tell_of_the_rest(reader);
  return settings;
}

}  // namespace anima::serve::otlp
