// Questions of any bytes, and of any words of the lexicon, over the homelab: no crash, no write.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "ask/ask.h"
#include "kip/engine.h"

namespace {

constexpr const char* kTypes = R"(UPSERT {
  CONCEPT { {type: "$ConceptType", name: "Service"} }
  CONCEPT { {type: "$ConceptType", name: "Host"} }
  CONCEPT { {type: "$PropositionType", name: "runs_on"} }
  CONCEPT { {type: "$PropositionType", name: "needs"} }
})";
constexpr const char* kThings = R"(UPSERT {
  CONCEPT { {type: "Host", name: "borea"} SET ATTRIBUTES {memory_gb: 32, built: "2020-01-02"} }
  CONCEPT { {type: "Service", name: "db"} SET ATTRIBUTES {port: 1, is_public: true, status: "up"}
    SET PROPOSITIONS { ("runs_on", {type: "Host", name: "borea"}) } }
  CONCEPT { {type: "Service", name: "web"} SET ATTRIBUTES {port: 2, is_public: false, status: "down"}
    SET PROPOSITIONS { ("runs_on", {type: "Host", name: "borea"}) ("needs", {type: "Service", name: "db"}) } }
})";
constexpr const char* kWords[] = {
    "which",     "services", "service",   "run",     "runs",    "on",    "borea",
    "the",       "most",     "memory",    "of",      "that",    "need",  "not",
    "and",       "or",       "db",        "web",     "who",     "what",  "per",
    "host",      "hosts",    "between",   "1",       "2",       "how",   "many",
    "with",      "port",     "is",        "are",     "'s",      "in",    "built",
    "longer",    "than",     "largest",   "three",   "without", "it",    "directly or indirectly",
    "last week", "if",       "public",    "up",      "no",      "only",  "all",
    "each",      "at least", "more than", "average", "total",   "where", "when",
    "why",       "does",     "have",      "2020"};

struct World {
  std::shared_ptr<anima::store::Space> space;
  std::unique_ptr<anima::ask::Asker> asker;
};

const World& world() {
  static const World one = [] {
    World made;
    made.space = *anima::store::Space::in_memory();
    auto engine = *anima::kip::Engine::open(made.space);
    anima::kip::Caller caller;
    caller.origin.trust = anima::store::Trust::kOperator;
    engine->execute(kTypes, anima::Json(anima::JsonObject{}), caller);
    engine->execute(kThings, anima::Json(anima::JsonObject{}), caller);
    made.asker = std::move(*anima::ask::Asker::open(made.space));
    return made;
  }();
  return one;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  std::string question;
  if (data[0] % 2 == 0) {
    question.assign(reinterpret_cast<const char*>(data) + 1, size - 1);
  } else {
    for (std::size_t i = 1; i < size && i < 24; ++i)
      question += std::string(kWords[data[i] % std::size(kWords)]) + " ";
  }
  const auto before = world().space->snapshot()->sequence();
  anima::ask::AskOptions options;
  options.now = anima::Timestamp{1'779'278'400'000'000};
  world().asker->ask(question, options);
  world().asker->statement(question, options);
  if (world().space->snapshot()->sequence() != before) __builtin_trap();
  return 0;
}
