#include "cli/frame/settings.h"

#include "llm/embeddings.h"
#include "llm/model_config.h"

namespace anima::cli {

std::span<const ConfigKey> settings() {
  static const std::vector<ConfigKey> keys = [] {
    std::vector<ConfigKey> all{
        {"log.level",
         "warning",
         "what is told on standard error",
         {"trace", "debug", "info", "warning", "error", "off"}},
        {"cli.color", "auto", "colour of results", {"auto", "always", "never"}},
        {"cli.progress", "auto", "how progress is shown", {"auto", "plain", "json", "none"}},
        {"store.max_log_bytes",
         std::int64_t{0},
         "a quota for the log of a space, in bytes; 0 for none",
         {},
         false,
         0},
        {"agent.keep", "",
         "how long the record of the agent's runs stays, as 90 days; empty: for ever"},
        {"gateway.messages_per_minute",
         std::int64_t{100},
         "how many messages of one sender on one channel are taken in a minute; 0 for any number",
         {},
         false,
         0},
        {"approvals.need",
         "role",
         "what a grant takes: a role (a key where the space has an approver), or always a key",
         {"role", "key"}},
        {"approvals.socket", "", "where `anima approver serve` listens, which signs approvals"},
        {"guard.model", "off",
         "the guardian's second stage for messages: off, on, or a file of `anima guard train`"},
        {"guard.patterns", "",
         "the guardian's patterns for messages and memory; empty: the shipped"},
        {"learning.threshold.rejection",
         std::int64_t{3},
         "how often the same must be refused before it is learnt",
         {},
         false,
         1},
        {"learning.threshold.acceptance",
         std::int64_t{3},
         "how often the same must be allowed before it is learnt",
         {},
         false,
         1},
        {"learning.threshold.correction",
         std::int64_t{3},
         "how often the same must be corrected before it is learnt",
         {},
         false,
         1},
        {"sleep.after_conversation", false, "sleep when a conversation ends and a cycle is due"},
        {"psyche.follow", false,
         "whether an agent takes a psyche.toml that changed without `anima psyche reload`"},
        {"sleep.llm", "",
         "the model that proposes in sleep what the rules leave open; empty: none"},
        {"sleep.llm_tokens",
         std::int64_t{50'000},
         "how many tokens it may use in a cycle",
         {},
         false,
         1},
        {"tools.sandbox",
         "required",
         "what happens where the sandbox lacks a protection: nothing runs, or with what there is",
         {"required", "best_effort"}},
        {"tools.readable", Json::array(), "folders that tools may read beside the work folder"},
        {"tools.private_addresses", false,
         "whether http:fetch may reach this machine and its network"},
        {"world.database",
         "",
         "the PostgreSQL that keeps the worlds of --at; empty: a file in the folder",
         {},
         true},
        {"world.web", Json::array(),
         "hosts that worlds may read from epoch 3 on, as example.org or *.example.org"},
        {"world.bus",
         "",
         "the NATS server between the processes of a world; empty: a world is one process",
         {},
         true},
        {"serve.completions",
         "off",
         "whether `anima serve` stands between clients and the models, and keeps facts that they "
         "state",
         {"off", "on", "learn"}},
        {"telemetry.remote", false,
         "whether OTEL_EXPORTER_OTLP_ENDPOINT may be another machine than this one"},
        {"forge.mode",
         "development",
         "whether Anima may make tools for itself: in production it makes none",
         {"development", "production"}},
        {"forge.on_impasse",
         "say",
         "where a goal failed and a tool for it can be made: say so, make it and go on, or nothing",
         {"say", "make", "off"}},
    };
    const std::span<const ConfigKey> models = llm::model_settings();
    all.insert(all.end(), models.begin(), models.end());
    const std::span<const ConfigKey> embeddings = llm::embeddings_settings();
    all.insert(all.end(), embeddings.begin(), embeddings.end());
    return all;
  }();
  return keys;
}

}  // namespace anima::cli
