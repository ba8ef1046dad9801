// Any text, executed for real on a fresh small space: a statement that fails leaves nothing behind,
// a dry run comes to the same verdict as the real one and writes nothing, and what was written can
// be read back whole.
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

#include "kip/engine.h"
#include "kip/parser.h"

namespace {

using anima::Json;

constexpr const char* kFixture = R"(
UPSERT {
  CONCEPT { {type: "$ConceptType", name: "Drug"} SET ATTRIBUTES {description: "d"} }
  CONCEPT { {type: "$ConceptType", name: "Symptom"} SET ATTRIBUTES {description: "s"} }
  CONCEPT { {type: "$PropositionType", name: "treats"} SET ATTRIBUTES {description: "t"} }
  CONCEPT ?h { {type: "Symptom", name: "Headache"} }
  CONCEPT ?a { {type: "Drug", name: "Aspirin"} SET ATTRIBUTES {risk_level: 1, tags: ["x", 2]}
    SET PROPOSITIONS { ("treats", ?h) WITH METADATA {confidence: 0.5} } }
  CONCEPT { {type: "Drug", name: "Ibuprofen"} SET ATTRIBUTES {risk_level: 2.5} }
} WITH METADATA {source: "fixture"}
)";

std::shared_ptr<anima::kip::Engine> fresh_engine() {
  auto space = anima::store::Space::in_memory();
  if (!space) abort();
  anima::kip::EngineOptions options;
  options.budget.time_ms = 500;
  options.budget.rows = 100'000;
  options.budget.memory_bytes = 64 << 20;
  auto engine = anima::kip::Engine::open(*space, options);
  if (!engine) abort();
  if ((*engine)->execute(kFixture, Json()).find("error") != nullptr) abort();
  return *engine;
}

// The error's code; empty for a result.
std::string verdict(const Json& answer) {
  const Json* error = answer.find("error");
  if ((answer.find("result") == nullptr) == (error == nullptr)) abort();
  return error == nullptr ? "" : error->find("code")->as_string();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto script = anima::kip::parse(text);
  if (!script || script->statements.size() != 1) return 0;
  if (anima::kip::family_of(script->statements[0]) != anima::kip::Family::kChange) return 0;
  const auto engine = fresh_engine();
  const Json parameters = Json::object({{"a", 1}, {"n", "Aspirin"}, {"t", "Drug"}});
  const auto before = engine->space().snapshot().value().sequence();
  const std::string tried = verdict(engine->execute(
      Json::object({{"command", text}, {"parameters", parameters}, {"dry_run", true}})));
  if (engine->space().snapshot().value().sequence() != before) abort();
  const std::string done = verdict(engine->execute(text, parameters));
  if (tried.starts_with("KIP_400") || done.starts_with("KIP_400")) return 0;
  if (tried != done) abort();
  if (!done.empty() && engine->space().snapshot().value().sequence() != before) abort();
  if (!verdict(engine->execute("FIND(?n) WHERE { ?n {} }", Json())).empty()) abort();
  if (!verdict(engine->execute("FIND(?l) WHERE { ?l (?s, ?p, ?o) }", Json())).empty()) abort();
  return 0;
}
