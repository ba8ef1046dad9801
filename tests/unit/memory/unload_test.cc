// Fifty compartments with overlapping statements, loaded and unloaded in random order over a graph
// of its own: afterwards everything that was asserted is there, and nothing else.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "base/random.h"
#include "memory/compartments/compartments.h"
#include "memory/names.h"
#include "store/symbols.h"

namespace anima::memory {
namespace {

constexpr std::size_t kCompartments = 50;

std::string name_of(std::uint64_t number) { return "thing " + std::to_string(number); }

// Every assertion of knowledge as a line, sorted; Anima's own books left out.
std::vector<std::string> sorted_export(const store::Snapshot& view) {
  std::vector<std::string> lines;
  for (const store::PredicateClass kind :
       {store::PredicateClass::kLink, store::PredicateClass::kStructural,
        store::PredicateClass::kAttribute}) {
    store::Pattern pattern;
    pattern.predicate_class = kind;
    store::Cursor cursor = view.scan(pattern);
    std::vector<store::Triple> batch(1024);
    for (std::size_t count = cursor.next(batch); count != 0; count = cursor.next(batch)) {
      for (std::size_t i = 0; i < count; ++i) {
        for (const store::Assertion& assertion : view.assertions(batch[i])) {
          const std::string graph(view.graph_name(assertion.graph));
          if (graph == kAgentGraph || graph == kCompartmentsGraph) continue;
          lines.push_back(graph + "|" + store::symbol_label(view, batch[i].subject) + "|" +
                          store::predicate_label(view, batch[i].predicate) + "|" +
                          store::term_label(view, batch[i].object) + "|" +
                          std::to_string(assertion.confidence) + "|" +
                          std::to_string(static_cast<std::uint64_t>(assertion.born)));
        }
      }
    }
  }
  std::sort(lines.begin(), lines.end());
  return lines;
}

TEST(Unload, ExactlyWhatWasLoadedGoes) {
  TemporaryDirectory folder;
  auto space = *store::Space::in_memory();
  SeededRandom random(42);
  const std::uint64_t own = std::getenv("ANIMA_TEST_FULL") != nullptr ? 1'000'000 : 5'000;
  for (std::uint64_t done = 0; done < own;) {
    const std::uint64_t chunk = std::min<std::uint64_t>(own - done, 100'000);
    const auto grow = [&](store::Transaction& transaction) -> Status {
      store::SymbolWriter symbols(transaction, {});
      for (std::uint64_t i = 0; i < chunk; ++i) {
        const std::uint64_t from = random.below(own / 8), to = random.below(own / 8);
        ANIMA_ASSIGN(const store::Triple link, symbols.link(name_of(from), "knows", name_of(to)));
        ANIMA_TRY(transaction.assert_link(link, {}).map([](store::EntityId) {}));
      }
      return {};
    };
    ASSERT_TRUE(space->write({}, grow).has_value());
    done += chunk;
  }
  for (std::size_t c = 0; c < kCompartments; ++c) {
    const std::string id = "c" + std::to_string(c);
    ASSERT_TRUE(system_files().make_directories(folder.file(id)).has_value());
    std::string triples = "[";
    for (int i = 0; i < 40; ++i) {
      triples += std::string(i == 0 ? "" : ",") + "{\"subject\":\"" + name_of(random.below(60)) +
                 "\",\"predicate\":\"" + (random.below(2) == 0 ? "knows" : "likes") +
                 "\",\"object\":\"" + name_of(random.below(60)) + "\",\"confidence\":0." +
                 std::to_string(1 + random.below(9)) + "}";
    }
    ASSERT_TRUE(
        replace_file(system_files(), folder.file(id + "/t.json"), triples + "]").has_value());
    ASSERT_TRUE(replace_file(system_files(), folder.file(id + "/compartment.toml"),
                             "id = \"" + id +
                                 "\"\nname = \"n\"\nkind = \"Skill\"\n"
                                 "triples_file = \"t.json\"\n")
                    .has_value());
  }
  CompartmentManager manager(*space, system_files(), folder.path());
  ASSERT_TRUE(manager.discover().has_value());
  const std::vector<std::string> before = sorted_export(space->snapshot().value());
  std::vector<std::string> ids = manager.dormant_ids();
  ASSERT_EQ(ids.size(), kCompartments);
  const auto shuffle = [&] {
    for (std::size_t i = ids.size(); i > 1; --i) std::swap(ids[i - 1], ids[random.below(i)]);
  };
  shuffle();
  for (const std::string& id : ids) ASSERT_TRUE(manager.load(id, {}).has_value()) << id;
  EXPECT_GT(sorted_export(space->snapshot().value()).size(), before.size());
  shuffle();
  for (const std::string& id : ids) ASSERT_TRUE(manager.unload(id, {}).has_value()) << id;
  EXPECT_EQ(sorted_export(space->snapshot().value()), before);
}

}  // namespace
}  // namespace anima::memory
