#include "sparql/plan/hidden_triples.h"

#include <algorithm>
#include <array>

namespace anima::sparql::plan {

using store::EntityId;
using store::EntityKind;
using store::PredicateClass;
using store::Snapshot;
using store::Term;
using store::Triple;

namespace {

// Reads every statement once and notes what is mentioned.
class Mentions {
 public:
  explicit Mentions(const Snapshot& snapshot)
      : snapshot_(snapshot), marks_(snapshot.entity_bound(), 0) {}

  HiddenTriples find() {
    for (const PredicateClass one :
         {PredicateClass::kAttribute, PredicateClass::kMetadata, PredicateClass::kLink})
      read(one);
    for (std::size_t i = 0; i < found_.propositions.size(); ++i) read_parts(found_.propositions[i]);
    std::sort(found_.propositions.begin(), found_.propositions.end());
    for (const EntityId type : {store::kEntityType, store::kConceptType, store::kPropositionType})
      read_existence(type);
    std::sort(found_.existence.begin(), found_.existence.end(),
              [](const auto& a, const auto& b) { return a.thing < b.thing; });
    return std::move(found_);
  }

 private:
  enum Mark : std::uint8_t { kMentioned = 1, kInUse = 2 };
  static constexpr std::size_t kBatch = 1024;

  std::uint8_t& mark(EntityId entity) { return marks_[static_cast<std::size_t>(entity)]; }

  void read(PredicateClass one) {
    store::Pattern pattern;
    pattern.predicate_class = one;
    store::Cursor cursor = snapshot_.scan(pattern);
    std::vector<Triple> rows(kBatch);
    while (const std::size_t count = cursor.next(rows)) {
      for (std::size_t i = 0; i < count; ++i) {
        touch(rows[i].subject);
        if (rows[i].object.is_entity()) touch(rows[i].object.as_entity());
        if (one == PredicateClass::kLink) mark(rows[i].predicate.as_link()) |= kInUse;
      }
    }
  }

  void touch(EntityId entity) {
    std::uint8_t& seen = mark(entity);
    if ((seen & kMentioned) != 0) return;
    seen |= kMentioned;
    if (snapshot_.kind(entity) == EntityKind::kProposition) found_.propositions.push_back(entity);
  }

  void read_parts(EntityId proposition) {
    const Triple link = snapshot_.triple_of(proposition);
    touch(link.subject);
    if (link.object.is_entity()) touch(link.object.as_entity());
    mark(link.predicate.as_link()) |= kInUse;
  }

  void read_existence(EntityId type) {
    store::Pattern pattern;
    pattern.predicate = store::kTypePredicate;
    pattern.object = Term::entity(type);
    store::Cursor cursor = snapshot_.scan(pattern);
    std::vector<Triple> rows(kBatch);
    while (const std::size_t count = cursor.next(rows)) {
      for (std::size_t i = 0; i < count; ++i) {
        if (!is_implied(rows[i].subject, type)) found_.existence.push_back({rows[i].subject, type});
      }
    }
  }

  bool is_implied(EntityId entity, EntityId type) {
    const std::uint8_t seen = mark(entity);
    if (type == store::kEntityType) return (seen & kMentioned) != 0;
    if ((seen & kMentioned) != 0) return false;
    if (has_hidden_existence(entity)) return true;
    if (type == store::kPropositionType) return (seen & kInUse) != 0;
    store::Pattern instances;
    instances.predicate = store::kTypePredicate;
    instances.object = Term::entity(entity);
    return snapshot_.count(instances) > 0;
  }

  const Snapshot& snapshot_;
  std::vector<std::uint8_t> marks_;
  HiddenTriples found_;
};

}  // namespace

HiddenTriples find_hidden_triples(const Snapshot& knowledge) { return Mentions(knowledge).find(); }

}  // namespace anima::sparql::plan
