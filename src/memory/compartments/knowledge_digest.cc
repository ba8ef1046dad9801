#include "memory/compartments/knowledge_digest.h"

#include <algorithm>
#include <array>
#include <bit>
#include <vector>

namespace anima::memory {
namespace {

using Row = std::array<std::uint64_t, 6>;

Row row_of(const store::Triple& triple, const store::Assertion& assertion) {
  const auto pair = [](std::uint64_t high, std::uint64_t low) { return high << 32 | low; };
  return {static_cast<std::uint64_t>(assertion.graph),
          pair(static_cast<std::uint32_t>(triple.subject), triple.predicate.code),
          triple.object.code,
          std::bit_cast<std::uint64_t>(assertion.confidence),
          assertion.provenance,
          static_cast<std::uint64_t>(assertion.born)};
}

}  // namespace

KnowledgeDigest knowledge_digest(const store::Snapshot& snapshot,
                                 std::span<const std::string> without) {
  std::vector<store::GraphId> skipped;
  for (const std::string& name : without) {
    if (const auto graph = snapshot.find_graph(name)) skipped.push_back(*graph);
  }
  std::vector<Row> rows;
  for (const store::PredicateClass kind :
       {store::PredicateClass::kLink, store::PredicateClass::kStructural,
        store::PredicateClass::kAttribute, store::PredicateClass::kMetadata}) {
    store::Pattern pattern;
    pattern.predicate_class = kind;
    store::Cursor cursor = snapshot.scan(pattern);
    std::vector<store::Triple> batch(1024);
    for (std::size_t count = cursor.next(batch); count != 0; count = cursor.next(batch)) {
      for (std::size_t i = 0; i < count; ++i) {
        for (const store::Assertion& assertion : snapshot.assertions(batch[i])) {
          if (std::find(skipped.begin(), skipped.end(), assertion.graph) == skipped.end()) {
            rows.push_back(row_of(batch[i], assertion));
          }
        }
      }
    }
  }
  std::sort(rows.begin(), rows.end());
  Sha256 hash;
  for (const Row& row : rows) {
    std::array<char, sizeof(Row)> bytes;
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      bytes[i] = static_cast<char>(row[i / 8] >> (8 * (i % 8)));
    }
    hash.update({bytes.data(), bytes.size()});
  }
  return {hash.finish(), rows.size()};
}

}  // namespace anima::memory
