// The settings of language models: `[llm.NAME]` of the configuration, one table a model, and the
// budget that all share, `[models]`. Read and judged here, whoever asks.
//
// A key itself is no setting: `key_env` names a variable, `key_file` a file that nobody else may
// read. Without either, OPENAI_API_KEY or ANTHROPIC_API_KEY is used, and only when `url` is not set
// (then OPENAI_BASE_URL or ANTHROPIC_BASE_URL may name the server): no key goes to a server that it
// was not meant for. Thread-safety: plain values.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/config.h"
#include "base/result.h"
#include "llm/secret.h"

namespace anima::llm {

enum class Provider : std::uint8_t {
  kOpenAiChat,       // "openai": POST {url}/chat/completions, and every server that speaks it
  kOpenAiResponses,  // "openai-responses": POST {url}/responses
  kAnthropic,        // "anthropic": POST {url}/v1/messages
};
std::string_view to_string(Provider provider);

// How a model is held to a JSON schema. kSchema: the server does it; kObject: the server sees that
// it is JSON, the schema is told in words; kWords: it is told in words alone.
enum class JsonOutput : std::uint8_t { kSchema, kObject, kWords };

struct ModelConfig {
  std::string name;   // in the configuration
  std::string place;  // where it was given, for errors
  Provider provider = Provider::kOpenAiChat;
  std::string url;    // without a slash at its end
  std::string model;  // as the provider calls it
  KeySource key;
  bool allow_http = false;
  JsonOutput json_output = JsonOutput::kSchema;

  std::optional<int> tier;  // 1, 2 or 3; unset: by price (router.h)
  std::int64_t max_tokens = 4096;
  std::int64_t context_tokens = 32'768;
  std::optional<double> temperature;
  double price_in = 0;  // money for a million tokens
  double price_out = 0;

  std::int64_t connect_seconds = 10;
  std::int64_t idle_seconds = 120;
  std::int64_t timeout_seconds = 600;  // of a whole call, with its repetitions
  std::int64_t attempts = 5;
  std::int64_t requests_per_minute = 0;  // 0: any number
  std::int64_t tokens_per_minute = 0;
};

struct BudgetConfig {
  enum class Period : std::uint8_t { kTotal, kMonth, kDay };
  std::int64_t tokens = 0;  // 0: any number
  double money = 0;         // 0: any amount
  Period period = Period::kTotal;
};

// The rows for the program's list of settings (base/config.h).
std::span<const ConfigKey> model_settings();

struct ModelConfigs {
  std::vector<ModelConfig> models;  // sorted by name; those without a fault
  std::vector<Error> faults;        // of the others, each with its place
};
ModelConfigs read_models(const Config& config, const Environment& environment);
BudgetConfig read_budget(const Config& config);

// The model of that name. Errors: its fault; kNotFound with a near name, or with how to add one.
Result<ModelConfig> find_model(const ModelConfigs& configs, std::string_view name);

}  // namespace anima::llm
