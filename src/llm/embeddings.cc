#include "llm/embeddings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/json/text_array.h"
#include "base/text/text.h"
#include "base/text/url.h"
#include "llm/detail/model_span.h"
#include "llm/loopback.h"

namespace anima::llm {
namespace {

using Vectors = std::vector<std::vector<float>>;

constexpr std::size_t kMostDimensions = 8192;
constexpr std::size_t kMostShown = 300;  // bytes of a server's message

std::string text_in(const Config& config, std::string_view name) {
  return std::string(trim(config.text(name)));
}

Error fault(const Config& config, const std::string& name, std::string_view what,
            std::string hint = {}) {
  const Config::Entry* entry = config.find(name);
  return {ErrorCode::kInvalidArgument, fmt::format("the setting \"{}\" {}", name, what),
          entry == nullptr ? std::string() : entry->origin, std::move(hint)};
}

// What the server says is wrong, for people.
std::string refusal(std::string_view body, const Secret* key) {
  std::string said(body);
  if (const auto json = parse_json(body)) {
    const Json* error = json->find("error");
    const Json* message = error == nullptr ? nullptr : error->find("message");
    if (message != nullptr) said = message->as_string();
    if (error != nullptr && error->is_string()) said = error->as_string();
  }
  if (said.size() > kMostShown) said = said.substr(0, kMostShown) + "..";
  return visible_text(scrub_key_shapes(scrub(said, key)));
}

Error unusable(std::string_view what) {
  return {ErrorCode::kIo,
          fmt::format("the embeddings server's answer cannot be used: {}", what),
          {},
          "check url and model of [embeddings]"};
}

Result<Vectors> vectors_in(std::string_view body, std::size_t texts) {
  const auto json = parse_json(body);
  const Json* data = json ? json->find("data") : nullptr;
  if (data == nullptr || !data->is_array()) return fail(unusable("it has no list \"data\""));
  if (data->as_array().size() != texts) {
    return fail(unusable(fmt::format("{} vectors for {} texts", data->as_array().size(), texts)));
  }
  Vectors vectors(texts);
  std::size_t place = 0;
  for (const Json& each : data->as_array()) {
    const Json* index = each.find("index");
    const Json* numbers = each.find("embedding");
    const std::size_t at = index != nullptr && index->is_integer()
                               ? static_cast<std::size_t>(index->as_integer())
                               : place;
    ++place;
    if (at >= texts || !vectors[at].empty())
      return fail(unusable("an index that is not of a text"));
    if (numbers == nullptr || numbers->as_array().empty() ||
        numbers->as_array().size() > kMostDimensions)
      return fail(unusable("a vector that is no list of numbers"));
    for (const Json& number : numbers->as_array()) {
      const double value = number.as_number();
      if (!number.is_number() || !std::isfinite(value))
        return fail(unusable("a vector that is no list of numbers"));
      vectors[at].push_back(static_cast<float>(value));
    }
  }
  const bool even = std::ranges::all_of(vectors, [&](const std::vector<float>& vector) {
    return vector.size() == vectors.front().size();
  });
  if (!even) return fail(unusable("vectors of several sizes"));
  return vectors;
}

ErrorCode code_of(int status) {
  if (status == 401 || status == 403) return ErrorCode::kDenied;
  if (status == 408) return ErrorCode::kTimeout;
  return status == 429 || status >= 500 ? ErrorCode::kBusy : ErrorCode::kInvalidArgument;
}

Error error_of(const HttpOutcome& outcome) {
  switch (outcome.end) {
    case HttpEnd::kConnectTimeout:
    case HttpEnd::kIdleTimeout:
    case HttpEnd::kTotalTimeout:
      return {ErrorCode::kTimeout, "the embeddings server is silent", {}, {}};
    case HttpEnd::kInsecure:
      return {ErrorCode::kDenied, "the connection is not safe: " + outcome.detail, {}, {}};
    case HttpEnd::kCancelled:
      return {ErrorCode::kCancelled, "the call was stopped", {}, {}};
    case HttpEnd::kTooLong:
      return {ErrorCode::kLimitExceeded, "the embeddings server's answer is too long", {}, {}};
    case HttpEnd::kUnavailable:
      return {ErrorCode::kUnsupported,
              "this machine has no library for HTTP: " + outcome.detail,
              {},
              "install libcurl4"};
    default:
      return {ErrorCode::kBusy,
              "the embeddings server cannot be reached: " + outcome.detail,
              {},
              "check the url of [embeddings] and that the server runs"};
  }
}

}  // namespace

std::span<const ConfigKey> embeddings_settings() {
  static const std::vector<ConfigKey> keys{
      {"embeddings.url", "",
       "a server of embeddings, up to and with /v1, for recall by meaning; empty: none"},
      {"embeddings.model", "", "the model, as the server calls it"},
      {"embeddings.key_env", "", "the variable of the environment that holds the key; empty: none"},
      {"embeddings.key_file", "", "the file that holds the key; nobody else may read it"},
      {"embeddings.allow_http", false, "plain http to another machine"},
      {"embeddings.batch", std::int64_t{64}, "how many texts go in a call", {}, false, 1},
      {"embeddings.timeout_seconds", std::int64_t{60}, "how long a call may take", {}, false, 1},
  };
  return keys;
}

Result<std::optional<EmbeddingsConfig>> read_embeddings(const Config& config) {
  EmbeddingsConfig found;
  found.url = text_in(config, "embeddings.url");
  if (found.url.empty()) return std::nullopt;
  while (found.url.ends_with('/')) found.url.pop_back();
  found.model = text_in(config, "embeddings.model");
  if (found.model.empty())
    return fail(
        fault(config, "embeddings.model", "is missing", "name the model as its server does"));
  found.allow_http = config.value("embeddings.allow_http").as_bool();
  const auto url = read_url(found.url);
  if (!url) return fail(fault(config, "embeddings.url", "is no address: " + url.error().message));
  if (url->scheme == "http" && !found.allow_http && !is_loopback_host(url->host)) {
    return fail(fault(config, "embeddings.url", "leads to another machine without https",
                      "use https, or set embeddings.allow_http = true where the network is yours"));
  }
  const std::string variable = text_in(config, "embeddings.key_env");
  const std::string file = text_in(config, "embeddings.key_file");
  if (!variable.empty() && !file.empty())
    return fail(fault(config, "embeddings.key_file", "cannot be given beside key_env"));
  if (!variable.empty()) found.key = {KeySource::Kind::kEnvironment, variable};
  if (!file.empty()) found.key = {KeySource::Kind::kFile, file};
  found.batch = config.integer("embeddings.batch");
  found.timeout_seconds = config.integer("embeddings.timeout_seconds");
  return found;
}

Embeddings::Embeddings(EmbeddingsConfig config, ModelParts parts)
    : config_(std::move(config)), parts_(std::move(parts)) {}
Embeddings::~Embeddings() = default;

Result<const Secret*> Embeddings::key() {
  if (config_.key.kind == KeySource::Kind::kNone || !parts_.key) return nullptr;
  const std::lock_guard lock(mutex_);
  if (!key_) {
    ANIMA_ASSIGN(Secret secret, parts_.key(config_.key));
    key_ = std::move(secret);
  }
  return &*key_;
}

Result<Vectors> Embeddings::embed_batch(std::span<const std::string> texts,
                                        const std::stop_token& stop) {
  Span span = detail::span_of_embeddings(config_.url, config_.model);
  const TraceScope scope(span);
  auto vectors = ask_for(texts, stop);
  if (!vectors) span.fail(to_string(vectors.error().code));
  return vectors;
}

Result<Vectors> Embeddings::ask_for(std::span<const std::string> texts,
                                    const std::stop_token& stop) {
  ANIMA_ASSIGN(const Secret* secret, key());
  HttpRequest request;
  request.url = config_.url + "/embeddings";
  request.headers = {{"content-type", "application/json"}, {"accept", "application/json"}};
  request.body =
      Json::object(
          {{"model", config_.model}, {"input", text_array(texts)}, {"encoding_format", "float"}})
          .dump();
  request.allow_http = config_.allow_http;
  request.timeouts = {10'000, config_.idle_seconds * 1000, config_.timeout_seconds * 1000};
  if (secret != nullptr) {
    request.key = secret;
    request.key_header = "authorization";
    request.key_prefix = "Bearer ";
  }
  for (std::int64_t attempt = 1;; ++attempt) {
    std::string body;
    HttpHandlers handlers;
    handlers.piece = [&](std::string_view bytes) -> Status {
      body += bytes;
      return {};
    };
    const HttpOutcome outcome = parts_.transport.post(request, handlers, stop);
    const bool answered = outcome.end == HttpEnd::kDone;
    if (answered && outcome.head.status >= 200 && outcome.head.status < 300)
      return vectors_in(body, texts.size());
    Error error = answered ? Error{code_of(outcome.head.status),
                                   fmt::format("the embeddings server answers {}: {}",
                                               outcome.head.status, refusal(body, secret)),
                                   {},
                                   {}}
                           : error_of(outcome);
    const bool again = answered ? may_retry(outcome.head) : may_retry(outcome.end);
    if (!again || attempt >= config_.attempts) return fail(std::move(error));
    std::int64_t wait = back_off_ms(parts_.back_off, attempt, parts_.random);
    if (const auto asked = asked_wait_ms(outcome.head, parts_.clock.now())) {
      if (*asked > parts_.back_off.longest_asked_ms) return fail(std::move(error));
      wait = std::max(wait, *asked);
    }
    ANIMA_TRY(parts_.waiter.wait_ms(wait, stop));
  }
}

Result<Vectors> Embeddings::embed(std::span<const std::string> texts, const std::stop_token& stop) {
  Vectors all;
  all.reserve(texts.size());
  const auto batch = static_cast<std::size_t>(std::max<std::int64_t>(1, config_.batch));
  for (std::size_t first = 0; first < texts.size(); first += batch) {
    ANIMA_ASSIGN(Vectors some,
                 embed_batch(texts.subspan(first, std::min(batch, texts.size() - first)), stop));
    for (std::vector<float>& vector : some) {
      if (!all.empty() && vector.size() != all.front().size())
        return fail(unusable("vectors of several sizes"));
      all.push_back(std::move(vector));
    }
  }
  return all;
}

}  // namespace anima::llm
