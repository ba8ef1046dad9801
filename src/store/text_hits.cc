#include "store/text_hits.h"

#include <fmt/format.h>

namespace anima::store {

FoundText found_text(const Snapshot& snapshot, const TextHit& hit) {
  FoundText found;
  const auto number = static_cast<std::uint32_t>(hit.entity);
  found.score = hit.score;
  if (snapshot.kind(hit.entity) == EntityKind::kProposition) {
    const Triple link = snapshot.triple_of(hit.entity);
    const auto end = [&](Term term) {
      const bool named =
          term.is_entity() && snapshot.kind(term.as_entity()) == EntityKind::kConcept;
      return named ? std::string(snapshot.name(term.as_entity())) : snapshot.display(term);
    };
    found.id = fmt::format("P:{}", number);
    found.type = snapshot.name(link.predicate.as_link());
    found.name =
        fmt::format("{} {} {}", end(Term::entity(link.subject)), found.type, end(link.object));
    return found;
  }
  found.id = fmt::format("C:{}", number);
  found.type = snapshot.name(snapshot.type_of(hit.entity));
  found.name = snapshot.name(hit.entity);
  return found;
}

}  // namespace anima::store
