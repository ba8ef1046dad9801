// Any text as a query and as an update: it parses or has a place where it does not; what parses
// runs over a small space within a small budget, or is refused, and never changes it by asking.
#include <cstdlib>
#include <string_view>

#include "sparql/engine.h"
#include "store/space.h"

namespace {

using namespace anima;

struct House {
  std::shared_ptr<store::Space> space;
  std::shared_ptr<sparql::Engine> engine;
};

House make_house() {
  store::SpaceOptions options;
  options.create = true;
  options.text_index = false;
  House house;
  house.space = store::Space::in_memory(options).value();
  house.engine = sparql::Engine::open(house.space).value();
  sparql::UpdateOptions update;
  update.base_iri = "http://b/";
  const auto written = house.engine->update(
      "INSERT DATA { <a> <p> <b> , 1 , 'x'@en . <b> <p> <c> . GRAPH <g> { <a> <q> 2.5 , _:n } }",
      update);
  if (!written) abort();
  return house;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  if (size > 4096) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  static const House kHouse = make_house();
  sparql::QueryOptions options;
  options.base_iri = "http://b/";
  options.budget.time_ms = 500;
  options.budget.rows = 100'000;
  options.budget.memory_bytes = 64 << 20;
  const auto before = kHouse.space->snapshot()->sequence();
  const auto answer = kHouse.engine->query(text, options);
  if (!answer && answer.error().code == ErrorCode::kSyntax && answer.error().where.empty()) abort();
  if (kHouse.space->snapshot()->sequence() != before) abort();
  const auto parsed = sparql::check(text, true, "http://b/");
  if (!parsed && parsed.error().where.empty() && parsed.error().code == ErrorCode::kSyntax) abort();
  return 0;
}
