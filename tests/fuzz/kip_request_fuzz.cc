// Whole requests against one space: any JSON, or any text as a command, read and written as a dry
// run. Whatever comes must be answered with a result or an error, and leave the space as it was.
#include <cstdlib>
#include <memory>
#include <string_view>

#include "kip/engine.h"

namespace {

anima::kip::Engine& engine() {
  static const std::shared_ptr<anima::kip::Engine> shared = [] {
    auto space = anima::store::Space::in_memory();
    if (!space) abort();
    anima::kip::EngineOptions options;
    options.budget.time_ms = 500;
    options.budget.rows = 200'000;
    options.budget.memory_bytes = 64 << 20;
    auto engine = anima::kip::Engine::open(*space, options);
    if (!engine) abort();
    return *engine;
  }();
  return *shared;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  auto request = anima::parse_json(text);
  if (!request || request->kind() != anima::Json::Kind::kObject) {
    request = anima::Json::object(
        {{"command", text},
         {"parameters", anima::Json::object({{"a", 1}, {"n", "$self"}, {"t", "Person"}})}});
  }
  request->set("dry_run", true);
  const auto before = engine().space().snapshot().value().sequence();
  const anima::Json answer = engine().execute(*request);
  if ((answer.find("result") == nullptr) == (answer.find("error") == nullptr)) abort();
  if (engine().space().snapshot().value().sequence() != before) abort();
  return 0;
}
