#include "llm/model_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text/text.h"
#include "base/text/url.h"
#include "llm/loopback.h"

namespace anima::llm {
namespace {

constexpr std::string_view kTable = "llm";

struct ProviderFacts {
  Provider provider;
  std::string_view name;
  std::string_view url;
  std::string_view url_variable;
  std::string_view key_variable;
};
constexpr std::array<ProviderFacts, 3> kProviders{
    {{Provider::kOpenAiChat, "openai", "https://api.openai.com/v1", "OPENAI_BASE_URL",
      "OPENAI_API_KEY"},
     {Provider::kOpenAiResponses, "openai-responses", "https://api.openai.com/v1",
      "OPENAI_BASE_URL", "OPENAI_API_KEY"},
     {Provider::kAnthropic, "anthropic", "https://api.anthropic.com", "ANTHROPIC_BASE_URL",
      "ANTHROPIC_API_KEY"}}};

const ProviderFacts& facts_of(std::string_view name) {
  const auto found = std::ranges::find(kProviders, name, &ProviderFacts::name);
  return found == kProviders.end() ? kProviders.front() : *found;
}

// The settings of one model, by their names behind the model's.
class ModelTable {
 public:
  ModelTable(const Config& config, std::string_view name)
      : config_(config), prefix_(fmt::format("{}.{}.", kTable, name)) {}

  const Config::Entry* find(std::string_view key) const {
    return config_.find(prefix_ + std::string(key));
  }
  std::string text(std::string_view key) const {
    const Config::Entry* entry = find(key);
    return entry == nullptr ? std::string() : std::string(trim(entry->value.as_string()));
  }
  void read(std::string_view key, std::int64_t& value) const {
    if (const Config::Entry* entry = find(key)) value = entry->value.as_integer();
  }
  void read(std::string_view key, double& value) const {
    if (const Config::Entry* entry = find(key)) value = entry->value.as_number();
  }
  Error fault(std::string_view key, std::string_view what, std::string hint = {}) const {
    const Config::Entry* entry = find(key);
    return {ErrorCode::kInvalidArgument, fmt::format("the setting \"{}{}\" {}", prefix_, key, what),
            entry == nullptr ? first_place() : entry->origin, std::move(hint)};
  }
  // Where the first of its settings was given.
  std::string first_place() const {
    for (const Config::Entry& entry : config_.entries()) {
      if (entry.name.starts_with(prefix_)) return entry.origin;
    }
    return {};
  }

 private:
  const Config& config_;
  std::string prefix_;
};

std::string variable(const Environment& environment, std::string_view name) {
  const auto found = environment.find(name);
  return found == environment.end() ? std::string() : std::string(trim(found->second));
}

Status check_url(const ModelTable& table, const ModelConfig& model) {
  const auto url = read_url(model.url);
  if (!url) return fail(table.fault("url", "is no address: " + url.error().message));
  if (model.url.find_first_of("?#") != std::string::npos)
    return fail(table.fault("url", "must end before any ? and #"));
  if (url->scheme == "http" && !model.allow_http && !is_loopback_host(url->host)) {
    return fail(table.fault("url", "leads to another machine without https",
                            "use https, or set allow_http = true where the network is yours"));
  }
  return {};
}

Status read_place(const ModelTable& table, const Environment& environment, ModelConfig& model) {
  const ProviderFacts& facts = facts_of(table.text("provider"));
  model.provider = facts.provider;
  model.url = table.text("url");
  const std::string key_env = table.text("key_env"), key_file = table.text("key_file");
  if (!key_env.empty() && !key_file.empty())
    return fail(table.fault("key_file", "cannot be given beside key_env", "choose one of them"));
  if (!key_env.empty()) {
    model.key = {KeySource::Kind::kEnvironment, key_env};
  } else if (!key_file.empty()) {
    if (!key_file.starts_with('/'))
      return fail(table.fault("key_file", "must be a whole path, from / on"));
    model.key = {KeySource::Kind::kFile, key_file};
  } else if (model.url.empty()) {
    model.key = {KeySource::Kind::kEnvironment, std::string(facts.key_variable)};
  }
  if (model.url.empty()) model.url = variable(environment, facts.url_variable);
  if (model.url.empty()) model.url = facts.url;
  while (model.url.ends_with('/')) model.url.pop_back();
  if (const Config::Entry* entry = table.find("allow_http"))
    model.allow_http = entry->value.as_bool();
  return check_url(table, model);
}

Status read_numbers(const ModelTable& table, ModelConfig& model) {
  if (const Config::Entry* entry = table.find("tier")) {
    model.tier = static_cast<int>(entry->value.as_integer());
    if (*model.tier < 1 || *model.tier > 3)
      return fail(table.fault("tier", "must be 1 (strategic), 2 (standard) or 3 (reflex)"));
  }
  if (const Config::Entry* entry = table.find("temperature")) {
    model.temperature = entry->value.as_number();
    if (!(*model.temperature >= 0 && *model.temperature <= 2))
      return fail(table.fault("temperature", "must be from 0 to 2"));
  }
  table.read("max_tokens", model.max_tokens);
  table.read("context_tokens", model.context_tokens);
  table.read("price_in", model.price_in);
  table.read("price_out", model.price_out);
  table.read("connect_seconds", model.connect_seconds);
  table.read("idle_seconds", model.idle_seconds);
  table.read("timeout_seconds", model.timeout_seconds);
  table.read("attempts", model.attempts);
  table.read("requests_per_minute", model.requests_per_minute);
  table.read("tokens_per_minute", model.tokens_per_minute);
  for (const std::string_view key : {"price_in", "price_out"}) {
    const Config::Entry* entry = table.find(key);
    if (entry != nullptr && !(entry->value.as_number() >= 0))
      return fail(table.fault(key, "must be 0 or more"));
  }
  if (model.max_tokens >= model.context_tokens) {
    return fail(
        table.fault("max_tokens", "leaves no room for a question",
                    fmt::format("it must be below context_tokens ({})", model.context_tokens)));
  }
  return {};
}

Result<ModelConfig> read_model(const Config& config, const Environment& environment,
                               const std::string& name) {
  const ModelTable table(config, name);
  ModelConfig model;
  model.name = name;
  model.place = table.first_place();
  model.model = table.text("model");
  if (table.find("provider") == nullptr)
    return fail(
        table.fault("provider", "is missing", "choose one of openai, openai-responses, anthropic"));
  if (model.model.empty())
    return fail(table.fault("model", "is missing", "name the model as its provider does"));
  ANIMA_TRY(read_place(table, environment, model));
  ANIMA_TRY(read_numbers(table, model));
  const std::string output = table.text("json_output");
  if (output == "object") model.json_output = JsonOutput::kObject;
  if (output == "words") model.json_output = JsonOutput::kWords;
  return model;
}

}  // namespace

std::string_view to_string(Provider provider) {
  for (const ProviderFacts& facts : kProviders) {
    if (facts.provider == provider) return facts.name;
  }
  return "openai";
}

std::span<const ConfigKey> model_settings() {
  static const std::vector<ConfigKey> keys{
      {"llm.*.provider",
       "openai",
       "what the model's server speaks",
       {"openai", "openai-responses", "anthropic"}},
      {"llm.*.url", "", "where the server is; empty: the provider's own"},
      {"llm.*.model", "", "the model, as its provider calls it"},
      {"llm.*.key_env", "", "the variable of the environment that holds the key"},
      {"llm.*.key_file", "", "the file that holds the key; nobody else may read it"},
      {"llm.*.allow_http", false, "whether plain http may lead to another machine"},
      {"llm.*.json_output",
       "schema",
       "how the server is held to a JSON schema",
       {"schema", "object", "words"}},
      {"llm.*.tier",
       std::int64_t{2},
       "1 for design, 2 for ordinary work, 3 for the simple",
       {},
       false,
       1},
      {"llm.*.max_tokens", std::int64_t{4096}, "the longest answer", {}, false, 1},
      {"llm.*.context_tokens", std::int64_t{32'768}, "question and answer together", {}, false, 1},
      {"llm.*.temperature", 0.0, "how freely it chooses its words, 0 to 2; unset: the provider's"},
      {"llm.*.price_in", 0.0, "money for a million tokens of questions"},
      {"llm.*.price_out", 0.0, "money for a million tokens of answers"},
      {"llm.*.connect_seconds", std::int64_t{10}, "how long a connection may take", {}, false, 1},
      {"llm.*.idle_seconds", std::int64_t{120}, "how long the server may be silent", {}, false, 1},
      {"llm.*.timeout_seconds",
       std::int64_t{600},
       "how long a call may take with its repetitions",
       {},
       false,
       1},
      {"llm.*.attempts", std::int64_t{5}, "how often a call is tried", {}, false, 1},
      {"llm.*.requests_per_minute", std::int64_t{0}, "0 for any number", {}, false, 0},
      {"llm.*.tokens_per_minute", std::int64_t{0}, "0 for any number", {}, false, 0},
      {"models.budget_tokens",
       std::int64_t{0},
       "how many tokens all models may use together; 0 for any number",
       {},
       false,
       0},
      {"models.budget_money", 0.0, "what all models may cost together; 0 for any amount"},
      {"models.budget_period", "total", "when the budget begins anew", {"total", "month", "day"}},
  };
  return keys;
}

ModelConfigs read_models(const Config& config, const Environment& environment) {
  ModelConfigs configs;
  for (const std::string& name : config.names_in(kTable)) {
    auto model = read_model(config, environment, name);
    if (model) {
      configs.models.push_back(std::move(*model));
    } else {
      configs.faults.push_back(model.error());
    }
  }
  if (config.number("models.budget_money") < 0) {
    configs.faults.push_back({ErrorCode::kInvalidArgument,
                              "the setting \"models.budget_money\" must be 0 or more",
                              config.find("models.budget_money")->origin,
                              {}});
  }
  return configs;
}

BudgetConfig read_budget(const Config& config) {
  BudgetConfig budget;
  budget.tokens = config.integer("models.budget_tokens");
  budget.money = std::max(0.0, config.number("models.budget_money"));
  const std::string& period = config.text("models.budget_period");
  if (period == "month") budget.period = BudgetConfig::Period::kMonth;
  if (period == "day") budget.period = BudgetConfig::Period::kDay;
  return budget;
}

Result<ModelConfig> find_model(const ModelConfigs& configs, std::string_view name) {
  std::vector<std::string> names;
  for (const ModelConfig& model : configs.models) {
    if (model.name == name) return model;
    names.push_back(model.name);
  }
  const std::string marker = fmt::format("\"{}.{}.", kTable, name);
  for (const Error& fault : configs.faults) {
    if (fault.message.find(marker) != std::string::npos) return fail(fault);
  }
  std::string hint = did_you_mean(nearest_names(name, std::span<const std::string>(names)));
  if (hint.empty() && names.empty())
    hint = fmt::format("add [{}.{}] with provider and model to the configuration", kTable, name);
  if (hint.empty()) hint = "there are: " + join(names, ", ");
  return fail(ErrorCode::kNotFound, "no model has this name", std::string(name), std::move(hint));
}

}  // namespace anima::llm
