#include "store/space/undo_reliance.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "store/act.h"
#include "store/merged.h"
#include "store/own_graphs.h"
#include "store/restate.h"
#include "store/space/undo_words.h"
#include "store/state/versions.h"

namespace anima::store::detail {
namespace {

bool is_definition(EntityId type) { return type == kConceptType || type == kPropositionType; }

bool is_concept(const Snapshot& now, EntityId entity) {
  return entity != EntityId::kNone && now.kind(entity) == EntityKind::kConcept;
}

// The concepts that a statement names.
template <typename Visit>
void visit_named(const Snapshot& now, const WrittenKey& key, Term object, const Visit& visit) {
  const auto offer = [&](EntityId entity) {
    if (is_concept(now, entity)) visit(entity);
  };
  offer(key.subject);
  if (key.predicate.predicate_class() == PredicateClass::kLink) offer(key.predicate.as_link());
  if (object != Term{} && object.is_entity()) offer(object.as_entity());
}

class Reliance {
 public:
  Reliance(Transaction& transaction, const Snapshot& before)
      : transaction_(transaction), before_(before) {}

  // What the entry said relies on the entity.
  Status need(EntityId entity, GraphId graph, Sequence said) {
    if (!seen_.emplace(entity, graph).second) return {};
    const EntityId type = before_.type_of(entity);
    const Triple existence{entity, kTypePredicate, Term::entity(type)};
    const auto was = word_at(existence, graph, said);
    // What a book notes of a thing of the knowledge relies on nothing.
    if (was && was->context.graph != static_cast<std::uint32_t>(graph) &&
        is_own_graph(before_.graph_name(graph)))
      return {};
    if (was && is_missing(existence, *was, said)) {
      if (const auto kept = merged_into(transaction_.live(), entity)) {
        return fail(ErrorCode::kConflict,
                    std::string(before_.name(entity)) + " was merged into " +
                        std::string(before_.name(*kept)) + " since",
                    {}, "undo the merge first");
      }
      ANIMA_TRY(put_back(existence, *was, said));
      if (is_definition(type)) ANIMA_TRY(define(entity, *was, said));
    }
    return is_concept(before_, type) && type != entity ? need(type, graph, said) : Status();
  }

 private:
  // The graph that stated it when that was said does no more, or nobody does.
  bool is_missing(const Triple& existence, const Word& was, Sequence said) const {
    const auto words = transaction_.live().assertions(existence);
    const bool stood = was.from <= static_cast<std::uint64_t>(said);
    return words.empty() || (stood && std::ranges::none_of(words, [&](const Assertion& one) {
                               return one.graph == static_cast<GraphId>(was.context.graph);
                             }));
  }
  // Who stated it when that was said, in this graph if one did; else who did last.
  std::optional<Word> word_at(const Triple& statement, GraphId graph, Sequence said) const {
    std::optional<Word> best;
    std::pair<int, std::uint64_t> best_rank;
    const auto moment = static_cast<std::uint64_t>(said);
    visit_versions(before_.state(), statement.subject, statement.predicate, statement.object,
                   [&](const Version& version) {
                     if (version.quoted()) return;
                     const bool stood = version.born <= moment && moment < version.died;
                     before_.state().each_context(
                         version.set, [&](std::uint32_t, const Context& context) {
                           const bool here = context.graph == static_cast<std::uint32_t>(graph);
                           const std::pair rank{(here ? 2 : 0) + (stood ? 1 : 0), version.born};
                           if (best && rank <= best_rank) return;
                           best = Word{version.triple.object, context, version.born, version.died};
                           best_rank = rank;
                         });
                   });
    return best;
  }

  // A type or a relation comes back with what is said of it.
  Status define(EntityId entity, const Word& existence, Sequence said) {
    std::vector<Triple> attributes;
    visit_versions(before_.state(), entity, {}, {}, [&](const Version& version) {
      const bool attribute =
          version.triple.predicate.predicate_class() == PredicateClass::kAttribute;
      const bool stood = version.born < existence.to && existence.to <= version.died;
      if (attribute && stood && !version.quoted()) attributes.push_back(version.triple);
    });
    std::sort(attributes.begin(), attributes.end());
    for (const Triple& one : attributes) {
      const auto was = word_at(one, static_cast<GraphId>(existence.context.graph), said);
      if (was) ANIMA_TRY(put_back(one, *was, said));
    }
    return {};
  }

  Status put_back(const Triple& statement, const Word& was, Sequence said) {
    ANIMA_TRY(transaction_.lower_trust(before_.entry(said).trust));
    const AssertOptions options{static_cast<GraphId>(was.context.graph), was.context.confidence,
                                was.context.provenance};
    return restate(transaction_, statement, options, said).map([](EntityId) {});
  }

  Transaction& transaction_;
  const Snapshot& before_;
  std::set<std::pair<EntityId, GraphId>> seen_;
};

// Of the statements each with the entry whose word it is; of one graph, or of all.
template <typename Visit>
void visit_stated(const Snapshot& now, const Pattern& pattern, std::optional<GraphId> graph,
                  const Visit& visit) {
  Cursor cursor = now.scan(pattern);
  Triple rows[64];
  while (const std::size_t count = cursor.next(rows)) {
    for (std::size_t i = 0; i < count; ++i) {
      for (const Assertion& one : now.assertions(rows[i]))
        if (!graph || one.graph == *graph) visit(rows[i], one.born);
    }
  }
}

// The first entry that says something else of the entity; kNone: none does.
Sequence first_about(const Snapshot& now, EntityId entity, std::optional<GraphId> graph) {
  Sequence first = Sequence::kNone;
  const auto offer = [&](const Triple&, Sequence said) {
    if (notes_readings(now.entry(said))) return;
    if (first == Sequence::kNone || said < first) first = said;
  };
  for (const PredicateClass kind : {PredicateClass::kLink, PredicateClass::kAttribute}) {
    Pattern about;
    about.subject = entity;
    about.predicate_class = kind;
    visit_stated(now, about, graph, offer);
  }
  Pattern of;
  of.object = Term::entity(entity);
  visit_stated(now, of, graph, offer);
  of.predicate_class = PredicateClass::kStructural;
  of.predicate = kTypePredicate;
  visit_stated(now, of, graph, offer);
  of = {};
  of.predicate = Predicate::link(entity);
  if (now.type_of(entity) == kPropositionType) visit_stated(now, of, graph, offer);
  return first;
}

}  // namespace

std::vector<WrittenKey> brought_along(const Snapshot& now, std::span<const WrittenKey> keys,
                                      const Members& members) {
  std::set<EntityId> entities;
  for (const WrittenKey& key : keys) {
    // With a link goes what maintenance wrote of it as the word of who said it.
    if (names_link(key))
      if (const auto link = now.find_proposition(statement_of(key))) entities.insert(*link);
    visit_named(now, key, key.object, [&](EntityId entity) {
      entities.insert(entity);
      if (is_concept(now, now.type_of(entity))) entities.insert(now.type_of(entity));
      if (const auto kept = called_by_name_of(now, entity)) entities.insert(*kept);
    });
  }
  std::vector<WrittenKey> more;
  std::vector<EntityId> open(entities.begin(), entities.end());
  while (!open.empty()) {
    const EntityId entity = open.back();
    open.pop_back();
    visit_versions(now.state(), entity, {}, {}, [&](const Version& version) {
      const Predicate predicate = version.triple.predicate;
      if (version.quoted() || predicate == kNamePredicate) return;
      const bool link = predicate.predicate_class() == PredicateClass::kLink;
      now.state().each_context(version.set, [&](std::uint32_t, const Context& context) {
        if (context.said == 0) return;
        // Or what a merge would have moved, had it stood then.
        const Sequence said{context.word_of()};
        const bool comes = members.stands(said) && members.changed().contains(said);
        if (version.died == kAlive ? members.stands(said) : !comes) return;
        more.push_back({static_cast<GraphId>(context.graph), entity, predicate,
                        link || predicate == kTypePredicate ? version.triple.object : Term{}});
        // What was said of a link that a merge moved moved with it.
        const EntityId said_of{version.proposition};
        if (version.proposition != 0 && entities.insert(said_of).second) open.push_back(said_of);
      });
    });
  }
  return more;
}

Status bring_along(Transaction& transaction, const Snapshot& before,
                   std::span<const WrittenKey> keys) {
  Reliance reliance(transaction, before);
  const Snapshot now = transaction.view();
  for (const WrittenKey& key : keys) {
    Pattern pattern;
    pattern.subject = key.subject;
    pattern.predicate = key.predicate;
    if (key.object != Term{}) pattern.object = key.object;
    std::vector<std::pair<EntityId, Sequence>> named;
    visit_stated(now, pattern, key.graph, [&](const Triple& triple, Sequence said) {
      visit_named(now, key, triple.object,
                  [&](EntityId entity) { named.emplace_back(entity, said); });
    });
    if (named.empty() && key.predicate == kTypePredicate) {
      Sequence said = first_about(now, key.subject, key.graph);
      const Triple existence{key.subject, key.predicate, key.object};
      if (said == Sequence::kNone && !now.contains(existence))
        said = first_about(now, key.subject, std::nullopt);
      if (said != Sequence::kNone) named.emplace_back(key.subject, said);
    }
    for (const auto& [entity, said] : named) ANIMA_TRY(reliance.need(entity, key.graph, said));
  }
  return {};
}

}  // namespace anima::store::detail
