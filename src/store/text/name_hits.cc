#include "store/text/name_hits.h"

#include <algorithm>

#include "language/names/written_names.h"
#include "language/text/words.h"
#include "store/text/literal_text.h"

namespace anima::store::detail {
namespace {

bool has_names(const Snapshot& snapshot, const TextGraph& graph,
               const std::vector<std::string>& names, EntityId entity) {
  std::vector<TextField> fields;
  graph.texts(entity, fields);
  std::vector<std::string> found;
  std::string scratch;
  for (const TextField& field : fields) {
    if (field.term.tag() != Tag::kLiteral) continue;
    for_each_text(snapshot.value(field.term), scratch, [&](std::string_view text) {
      for (std::string& name : language::stop_words_as_names(text))
        found.push_back(std::move(name));
    });
  }
  return std::ranges::all_of(names, [&](const std::string& name) {
    return std::ranges::find(found, name) != found.end();
  });
}

}  // namespace

std::vector<std::string> names_asked(const TextQuery& query) {
  return language::stop_words_as_names(query.text, true);
}

void put_names_first(const Snapshot& snapshot, const TextGraph& graph,
                     const std::vector<std::string>& names, const TextQuery& query,
                     std::vector<TextHit>& hits) {
  const bool only = language::folded_words(query.text).size() == names.size();
  for (TextHit& hit : hits) {
    if (hit.score < kFoldedName && !has_names(snapshot, graph, names, hit.entity))
      hit.score *= only ? kKindBehind : kWordBehind;
  }
  std::ranges::stable_sort(hits, [](const TextHit& a, const TextHit& b) {
    return a.score != b.score ? a.score > b.score : a.entity < b.entity;
  });
  if (hits.size() > query.limit) hits.resize(query.limit);
}

}  // namespace anima::store::detail
