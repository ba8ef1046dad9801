#include "sparql/update/changes.h"

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "sparql/plan/hidden_triples.h"
#include "sparql/rdf_import.h"
#include "sparql/rdf_mapping.h"
#include "sparql/value/term_codes.h"
#include "store/holds.h"
#include "store/own_graphs.h"

namespace anima::sparql::update {

using store::EntityId;
using store::GraphId;
using store::PredicateClass;
using store::Snapshot;
using store::Term;
using store::Triple;

namespace {

constexpr std::array kSaid{PredicateClass::kLink, PredicateClass::kAttribute,
                           PredicateClass::kMetadata};
constexpr std::size_t kBatch = 1024;

Snapshot scope_of(const Snapshot& snapshot, GraphId graph) {
  return snapshot.in_graphs(std::span(&graph, 1));
}

bool is_mentioned(const Snapshot& scope, EntityId thing, store::Scratch& scratch) {
  for (const PredicateClass one : kSaid) {
    if (scope.outgoing(thing, one, scratch).size() > 0) return true;
    if (scope.incoming(Term::entity(thing), one, scratch).size() > 0) return true;
  }
  return false;
}

bool is_said_with(const Snapshot& scope, EntityId predicate) {
  store::Pattern pattern;
  pattern.predicate = store::Predicate::link(predicate);
  return scope.count(pattern) > 0;
}

}  // namespace

Status check_writable(std::string_view graph) {
  if (!store::is_own_graph(graph)) return {};
  return fail(ErrorCode::kDenied, "the graph \"" + std::string(graph) + "\" is Anima's own book",
              {}, "write into another graph");
}

// The statements that a triple stands for, in one state of the transaction.
class Changes::Finder {
 public:
  Finder(const Snapshot& snapshot, plan::LiteralSurvey& literals)
      : everything_(snapshot.with_books()),
        values_(everything_),
        vocabulary_(everything_, values_, literals.of(everything_, false)) {}

  const Snapshot& everything() const { return everything_; }

  // Appends those that the graph asserts; none when it has never been written.
  void find(const OwnQuad& quad, std::vector<Found>* out) {
    const Snapshot* const scope = scope_in(quad.graph);
    if (scope == nullptr) return;
    const std::uint32_t subject = code_of(values_, quad.subject.view());
    if (!Term{subject}.is_entity()) return;
    candidates_.clear();
    collect(Term{subject}.as_entity(), quad);
    for (const Triple& one : candidates_) {
      if (scope->contains(one)) out->push_back({one, *everything_.find_graph(quad.graph)});
    }
  }

 private:
  const Snapshot* scope_in(const std::string& graph) {
    auto known = scopes_.find(graph);
    if (known == scopes_.end()) {
      std::unique_ptr<Snapshot> scope;
      if (const auto id = everything_.find_graph(graph))
        scope = std::make_unique<Snapshot>(scope_of(everything_, *id));
      known = scopes_.emplace(graph, std::move(scope)).first;
    }
    return known->second.get();
  }

  const plan::PredicateUse& use_of(const std::string& iri) {
    const auto [place, made] = uses_.try_emplace(iri);
    if (made) place->second = vocabulary_.use_of(iri);
    return place->second;
  }

  void collect(EntityId subject, const OwnQuad& quad) {
    const plan::PredicateUse& use = use_of(quad.predicate.text);
    const Term object{code_of(values_, quad.object.view())};
    const bool thing = quad.object.kind == RdfKind::kIri || quad.object.kind == RdfKind::kBlank;
    const auto add = [&](const std::vector<std::uint32_t>& predicates, Term value) {
      for (const std::uint32_t code : predicates) candidates_.push_back({subject, {code}, value});
    };
    if (object.tag() != store::Tag::kOverlay) {
      if (object.is_entity()) add(use.links, object);
      add(use.values, object);
      add(thing ? use.references : use.literals, object);
      if (use.existence && object.is_entity())
        candidates_.push_back({subject, store::kTypePredicate, object});
    }
    if (!thing) return;
    // The same term may be kept as a value, beside the entity that it names.
    if (const auto kept = everything_.find(literal_value(quad.object.view()));
        kept && *kept != object) {
      add(use.values, *kept);
      add(use.references, *kept);
    }
  }

  const Snapshot everything_;
  query::Values values_;
  plan::Vocabulary vocabulary_;
  std::map<std::string, std::unique_ptr<Snapshot>> scopes_;
  std::map<std::string, plan::PredicateUse> uses_;
  std::vector<Triple> candidates_;
};

// --- deletions

Status Changes::remove(const std::vector<OwnQuad>& quads) {
  std::vector<Found> found;
  {
    Finder finder(transaction_.view(), literals_);
    for (const OwnQuad& quad : quads) {
      ANIMA_TRY(check_writable(quad.graph));
      finder.find(quad, &found);
    }
  }
  return retract(found);
}

// As KIP's DELETE: what somebody who is trusted more states stays.
Status Changes::may_retract(const Triple& statement, GraphId graph) const {
  const Snapshot& now = transaction_.view();
  const store::Trust trust = now.entry(now.sequence()).trust;
  if (!store::is_stated_by_higher(now, statement, graph, trust)) return {};
  return fail(ErrorCode::kDenied,
              "what is said of \"" + std::string(now.name(statement.subject)) +
                  "\" is stated by somebody who is trusted more; nothing was changed",
              {}, "whoever stated it can remove it, or somebody who is trusted as far");
}

Status Changes::retract(const std::vector<Found>& found) {
  for (const Found& one : found) ANIMA_TRY(may_retract(one.statement, one.graph));
  std::map<GraphId, std::vector<EntityId>> touched;
  for (const Found& one : found) {
    ANIMA_ASSIGN(const bool was_there, transaction_.retract(one.statement, one.graph));
    if (!was_there) continue;  // it stood there twice
    ++deleted_;
    auto& things = touched[one.graph];
    things.push_back(one.statement.subject);
    if (one.statement.predicate.predicate_class() == PredicateClass::kLink)
      things.push_back(one.statement.predicate.as_link());
    if (one.statement.object.is_entity() && one.statement.predicate != store::kTypePredicate)
      things.push_back(one.statement.object.as_entity());
  }
  for (auto& [graph, things] : touched) {
    std::sort(things.begin(), things.end());
    things.erase(std::unique(things.begin(), things.end()), things.end());
    ANIMA_TRY(forget(graph, things));
  }
  return {};
}

// What only mentions made, and nothing mentions any more.
Status Changes::forget(GraphId graph, const std::vector<EntityId>& things) {
  std::vector<Triple> gone;
  {
    const Snapshot scope = scope_of(transaction_.view().with_books(), graph);
    store::Scratch scratch;
    for (const EntityId thing : things) {
      if (scope.kind(thing) != store::EntityKind::kConcept || plan::has_hidden_existence(thing))
        continue;
      const EntityId type = scope.type_of(thing);
      const bool predicate = type == store::kPropositionType;
      if (type != store::kEntityType &&
          !(predicate && is_absolute_iri(scope.name(thing)) && !is_said_with(scope, thing)))
        continue;
      if (!is_mentioned(scope, thing, scratch))
        gone.push_back({thing, store::kTypePredicate, Term::entity(type)});
    }
  }
  for (const Triple& existence : gone) ANIMA_TRY(transaction_.retract(existence, graph));
  return {};
}

Status Changes::clear(GraphId graph) {
  {
    const Snapshot scope = scope_of(transaction_.view().with_books(), graph);
    for (const PredicateClass one : kSaid) {
      store::Pattern pattern;
      pattern.predicate_class = one;
      deleted_ += scope.count(pattern);
    }
    store::Cursor all = scope.scan(store::Pattern{});
    std::array<Triple, 256> batch;
    for (std::size_t size = all.next(batch); size > 0; size = all.next(batch)) {
      for (const Triple& statement : std::span(batch).first(size))
        ANIMA_TRY(may_retract(statement, graph));
    }
  }
  ANIMA_TRY(transaction_.drop_graph(graph));
  if (graph != GraphId::kDefault) return {};
  // What every space begins with.
  ANIMA_TRY(transaction_.upsert_type("$ConceptType"));
  ANIMA_TRY(transaction_.upsert_type("$PropositionType"));
  ANIMA_TRY(transaction_.upsert_type("Entity"));
  return {};
}

// --- insertions

namespace {

// A graph's importer, and the propositions that it was told the parts of.
class GraphImport {
 public:
  GraphImport(store::Transaction& transaction, const Snapshot& everything, GraphId graph)
      : everything_(everything), importer_(transaction, {graph, {}}) {}

  Status add(const OwnQuad& quad) {
    ANIMA_TRY(describe(quad.subject));
    ANIMA_TRY(describe(quad.object));
    return importer_.add(quad.triple());
  }
  Status finish() { return importer_.finish(); }

 private:
  // The importer has to be told what a proposition is, also one that the space has.
  Status describe(const OwnTerm& term) {
    if (term.kind != RdfKind::kIri) return {};
    std::vector<EntityId> open;
    if (const auto entity = entity_of_iri(everything_, term.text, finder_)) open.push_back(*entity);
    PropositionNames names(everything_);
    while (!open.empty()) {
      const EntityId thing = open.back();
      open.pop_back();
      if (everything_.kind(thing) != store::EntityKind::kProposition ||
          !described_.insert(thing).second)
        continue;
      const Triple link = everything_.triple_of(thing);
      std::string name, part;
      RdfTriple triple;
      triple.subject = names.term(thing, name);
      triple.predicate = {RdfKind::kIri, kRdfSubject, {}};
      triple.object = names.term(link.subject, part);
      ANIMA_TRY(importer_.add(triple));
      triple.predicate.text = kRdfPredicate;
      part = predicate_iri(everything_, link.predicate, false);
      triple.object = {RdfKind::kIri, part, {}};
      ANIMA_TRY(importer_.add(triple));
      if (!link.object.is_entity()) continue;
      triple.predicate.text = kRdfObject;
      triple.object = names.term(link.object.as_entity(), part);
      ANIMA_TRY(importer_.add(triple));
      open.push_back(link.subject);
      open.push_back(link.object.as_entity());
    }
    return {};
  }

  const Snapshot& everything_;
  PropositionFinder finder_;
  RdfImporter importer_;
  std::set<EntityId> described_;
};

std::uint64_t hash_of(const OwnQuad& quad) {
  std::string text = quad.graph;
  text += ' ';
  append_ntriples(text, quad.triple());
  return std::hash<std::string>{}(text);
}

}  // namespace

Status Changes::insert(const std::vector<OwnQuad>& quads) {
  std::vector<const OwnQuad*> fresh;
  std::unordered_set<std::uint64_t> seen;
  Finder finder(transaction_.view(), literals_);
  std::vector<Found> found;
  for (const OwnQuad& quad : quads) {
    ANIMA_TRY(check_writable(quad.graph));
    found.clear();
    finder.find(quad, &found);
    if (!found.empty()) continue;
    fresh.push_back(&quad);
    inserted_ += seen.insert(hash_of(quad)).second ? 1 : 0;
  }
  // The state before stays readable while the graphs are written one after the other.
  const Snapshot before = finder.everything();
  std::stable_sort(fresh.begin(), fresh.end(),
                   [](const OwnQuad* a, const OwnQuad* b) { return a->graph < b->graph; });
  for (std::size_t i = 0; i < fresh.size();) {
    const std::string& graph = fresh[i]->graph;
    GraphImport import(transaction_, before, transaction_.graph(graph));
    for (; i < fresh.size() && fresh[i]->graph == graph; ++i) ANIMA_TRY(import.add(*fresh[i]));
    ANIMA_TRY(import.finish());
  }
  return {};
}

// --- whole graphs

Status Changes::copy(GraphId from, GraphId to) {
  const Snapshot scope = scope_of(transaction_.view().with_books(), from);
  copied_things_.clear();
  for (const PredicateClass one : kSaid) ANIMA_TRY(copy_statements(scope, one, from, to));
  return copy_existence(scope, to);
}

Status Changes::copy_statements(const Snapshot& from, PredicateClass one, GraphId from_graph,
                                GraphId to) {
  std::vector<std::pair<Triple, double>> rows;
  store::Pattern pattern;
  pattern.predicate_class = one;
  store::Cursor cursor = from.scan(pattern);
  std::vector<Triple> batch(kBatch);
  while (const std::size_t count = cursor.next(batch)) {
    for (std::size_t i = 0; i < count; ++i) {
      double confidence = 1;
      for (const store::Assertion& assertion : from.assertions(batch[i])) {
        if (assertion.graph == from_graph) confidence = assertion.confidence;
      }
      rows.emplace_back(batch[i], confidence);
    }
  }
  const Snapshot target = scope_of(from.with_books(), to);
  for (const auto& [statement, confidence] : rows) {
    ANIMA_TRY(exist_in(from, statement.subject, to));
    if (statement.object.is_entity()) ANIMA_TRY(exist_in(from, statement.object.as_entity(), to));
    store::AssertOptions options;
    options.graph = to;
    options.confidence = confidence;
    if (one == PredicateClass::kLink) {
      ANIMA_TRY(exist_in(from, statement.predicate.as_link(), to));
      inserted_ += target.contains(statement) ? 0 : 1;
      ANIMA_TRY(transaction_.assert_link(statement, options));
    } else {
      ANIMA_ASSIGN(const bool fresh, transaction_.add_value(statement, options));
      inserted_ += fresh ? 1 : 0;
    }
  }
  return {};
}

// A mention makes an Entity or a predicate exist; anything else exists where its graph says so.
Status Changes::exist_in(const Snapshot& from, EntityId thing, GraphId to) {
  if (!copied_things_.insert(static_cast<std::uint32_t>(thing)).second) return {};
  if (from.kind(thing) != store::EntityKind::kConcept) return {};
  const EntityId type = from.type_of(thing);
  if (type != store::kEntityType && type != store::kPropositionType && !from.exists(thing))
    return {};
  store::AssertOptions options;
  options.graph = to;
  ANIMA_TRY(transaction_.upsert_concept(type, std::string(from.name(thing)), options));
  return {};
}

Status Changes::copy_existence(const Snapshot& from, GraphId to) {
  std::vector<EntityId> things;
  const plan::HiddenTriples hidden = plan::find_hidden_triples(from);
  for (const auto& one : hidden.existence) things.push_back(one.thing);
  store::Pattern pattern;
  pattern.predicate = store::kTypePredicate;
  store::Cursor cursor = from.scan(pattern);
  std::vector<Triple> batch(kBatch);
  while (const std::size_t count = cursor.next(batch)) {
    for (std::size_t i = 0; i < count; ++i) {
      if (!plan::has_hidden_existence(batch[i].object.as_entity()))
        things.push_back(batch[i].subject);
    }
  }
  for (const EntityId thing : things) ANIMA_TRY(exist_in(from, thing, to));
  return {};
}

}  // namespace anima::sparql::update
