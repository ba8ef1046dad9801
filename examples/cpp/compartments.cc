// Compartments from C++: what "Programmatic usage" of the compartment guide does, with Anima.
//
//   example_compartments FOLDER      the folder whose sub-folders are compartments
#include "memory/compartments/compartments.h"

#include <cstdio>

#include "memory/names.h"
#include "store/symbols.h"

using namespace anima;

namespace {

// The knowledge of one compartment alone: a snapshot narrowed to its graph.
Status print_facts(store::Space& space, const std::string& id) {
  ANIMA_ASSIGN(const store::Snapshot everything, space.snapshot());
  const auto graph = everything.find_graph(memory::compartment_graph(id));
  if (!graph) return fail(ErrorCode::kNotFound, "the compartment has no graph", id);
  const store::Snapshot view = everything.in_graphs(std::span(&*graph, 1));
  store::Cursor cursor = view.scan({});
  store::Triple triple;
  while (cursor.next(std::span(&triple, 1)) != 0) {
    std::printf("  %s %s %s\n", store::symbol_label(view, triple.subject).c_str(),
                store::predicate_label(view, triple.predicate).c_str(),
                store::term_label(view, triple.object).c_str());
  }
  return {};
}

Status run(const std::string& folder) {
  ANIMA_ASSIGN(const auto space, store::Space::in_memory());
  memory::CompartmentManager compartments(*space, system_files(), folder);
  ANIMA_ASSIGN(const std::size_t found, compartments.discover());
  std::printf("%zu discovered, %zu of them Core\n", found,
              compartments.by_kind(memory::CompartmentKind::kCore).size());

  // Its triples come into the graph, tagged as its own.
  ANIMA_TRY(compartments.load("astronomy", {}));
  // Active: it influences the agent's loop.
  ANIMA_TRY(compartments.activate("astronomy", {}));
  ANIMA_TRY(print_facts(*space, "astronomy"));
  // Influence ends, the triples stay.
  ANIMA_TRY(compartments.deactivate("astronomy", {}));
  // And out again, with the proof that nothing else went.
  ANIMA_ASSIGN(const auto proof, compartments.unload_proved("astronomy", {}));
  std::printf("unloaded; everything else is as it was: %s\n", proof.exact() ? "yes" : "no");
  return proof.exact() ? Status() : fail(ErrorCode::kInternal, "something else went too");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: %s FOLDER\n", argv[0]);
    return 2;
  }
  const Status done = run(argv[1]);
  if (!done) std::fprintf(stderr, "%s\n", done.error().describe().c_str());
  return done ? 0 : 1;
}
