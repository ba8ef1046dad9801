// Whole programs with limits on: compile, evaluate, query, explain, change. Nothing may crash, hang
// or leave an evaluation that differs from a fresh one.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "base/clock.h"
#include "base/result.h"
#include "datalog/analyze.h"
#include "datalog/engine.h"

using namespace anima::datalog;

namespace {

Limits small_limits() {
  Limits limits;
  limits.deadline_ms = 500;
  limits.max_derived_rows = 2000;
  limits.max_bytes = std::uint64_t{64} << 20;
  return limits;
}

void look(Engine& engine) {
  const Program& program = engine.program();
  const auto snapshot = engine.snapshot();
  for (PredicateId id = 0; id < program.predicates.size(); ++id) {
    const Predicate& predicate = program.predicates[id];
    const Rows rows = *snapshot->all(id);
    ANIMA_CHECK(rows.count == snapshot->count(id));
    for (std::size_t i = 0; i < rows.count && i < 20; ++i) {
      const std::string text = print_fact(predicate, rows.row(i), engine.values());
      if (!predicate.internal && predicate.derived) {
        ExplainOptions options;
        options.max_nodes = 200;
        ANIMA_CHECK(engine.explain(id, rows.row(i), options).has_value());
      }
      (void)text;
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > 4096) return 0;
  std::string text(reinterpret_cast<const char*>(data), size);
  // What follows a line of equal signs is facts to be added afterwards.
  std::string later;
  if (const std::size_t cut = text.find("\n=\n"); cut != std::string::npos) {
    later = text.substr(cut + 3);
    text.resize(cut);
  }
  auto values = std::make_shared<ValueTable>();
  auto program = anima::datalog::compile(text, *values, "<fuzz>");
  if (!program) {
    ANIMA_CHECK(!program.error().message.empty());
    return 0;
  }
  auto shared = std::make_shared<const Program>(std::move(*program));
  EngineOptions options;
  options.limits = small_limits();
  options.clock = std::make_shared<anima::ManualClock>();
  auto engine = Engine::create(shared, values, std::move(options));
  if (!engine) return 0;
  look(**engine);
  Transaction transaction;
  std::size_t at = 0;
  while (at < later.size()) {
    const std::size_t end = std::min(later.find('\n', at), later.size());
    const bool remove = later[at] == '-';
    const std::string line = later.substr(at + (remove ? 1 : 0), end - at - (remove ? 1 : 0));
    at = end + 1;
    auto fact = compile_fact(*shared, line, *values);
    if (!fact || shared->predicates[fact->predicate].internal ||
        shared->predicates[fact->predicate].deferred ||
        shared->predicates[fact->predicate].external) {
      continue;
    }
    if (remove) {
      transaction.remove(fact->predicate, fact->codes);
    } else {
      transaction.insert(fact->predicate, fact->codes);
    }
  }
  if (transaction.empty()) return 0;
  if ((*engine)->transact(transaction, small_limits())) look(**engine);
  return 0;
}
