#include "datalog/space_facts.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>

#include "datalog/space/faded_links.h"
#include "datalog/space/name_columns.h"
#include "datalog/space/space_relation.h"
#include "datalog/space/space_state.h"
#include "store/statements.h"

namespace anima::datalog {

namespace {

struct FixedRelation {
  std::string_view name;
  SpaceKind kind;
  std::uint32_t arity;
};

constexpr std::array<FixedRelation, 4> kFixed{{{"concept", SpaceKind::kConcept, 3},
                                               {"attribute", SpaceKind::kAttribute, 3},
                                               {"metadata", SpaceKind::kMetadata, 3},
                                               {"fact", SpaceKind::kFact, 4}}};

const FixedRelation* fixed(std::string_view name) {
  const auto found = std::ranges::find(kFixed, name, &FixedRelation::name);
  return found == kFixed.end() ? nullptr : &*found;
}

// Can the predicate be a relation of the space at all?
bool can_be_stored(const Predicate& predicate) {
  return !predicate.internal && !predicate.external && !predicate.deferred && !predicate.temporal &&
         !predicate.lattice && predicate.reflects.empty();
}

// The arity that the units give a predicate by defining or declaring it.
class Arities {
 public:
  explicit Arities(const std::vector<Unit>& units) {
    for (const Unit& unit : units) {
      const std::string prefix = unit.package ? unit.package->name + "." : std::string();
      const auto note = [&](const std::string& name, std::size_t arity) {
        arities_[prefix + name] = arity;
      };
      for (const ast::Declaration& d : unit.declarations) {
        note(d.atom.predicate, d.atom.arguments.size());
      }
      for (const FactBlock& block : unit.facts) note(block.predicate, block.arity);
      for (const ast::Clause& clause : unit.clauses) {
        note(clause.head.predicate, clause.head.arguments.size());
      }
    }
  }
  bool allows(const std::string& name, std::size_t arity) const {
    const auto found = arities_.find(name);
    return found == arities_.end() || found->second == arity;
  }

 private:
  std::map<std::string, std::size_t> arities_;
};

// Rows that may differ between two states of a relation.
class Suspects {
 public:
  Suspects(const SpaceRelation& before, const SpaceRelation& after)
      : before_(before), after_(after) {}

  void statement(const store::Triple& triple, std::span<const store::GraphId> graphs) {
    for (const SpaceRelation* side : {&before_, &after_}) side->rows_of(triple, graphs, rows_);
  }
  // Every statement that matches, in both states, in every graph.
  void matching(const store::Pattern& pattern) {
    for (const SpaceRelation* side : {&before_, &after_}) {
      store::each_statement(side->state().snapshot, pattern, [&](const store::Triple& row) {
        if (covers(row.predicate)) statement(row, graphs_of(*side, row));
      });
    }
  }
  bool covers(store::Predicate predicate) const {
    switch (after_.kind()) {
      case SpaceKind::kLink: {
        const auto in = [&](const SpaceRelation& side) {
          return std::binary_search(side.predicates().begin(), side.predicates().end(), predicate);
        };
        return in(before_) || in(after_);
      }
      case SpaceKind::kConcept:
        return predicate == store::kTypePredicate;
      case SpaceKind::kAttribute:
        return predicate.predicate_class() == store::PredicateClass::kAttribute;
      case SpaceKind::kMetadata:
        return predicate.predicate_class() == store::PredicateClass::kMetadata;
      case SpaceKind::kFact:
        break;
    }
    return predicate.predicate_class() == store::PredicateClass::kLink;
  }
  // What the suspects come to.
  void settle(Rebase& out) {
    const std::uint32_t width = after_.columns();
    std::set<std::vector<Code>> distinct;
    for (std::size_t at = 0; at + width <= rows_.size(); at += width) {
      distinct.emplace(rows_.begin() + static_cast<std::ptrdiff_t>(at),
                       rows_.begin() + static_cast<std::ptrdiff_t>(at + width));
    }
    for (const std::vector<Code>& row : distinct) {
      std::uint8_t was = 0;
      std::uint8_t is = 0;
      (void)before_.contains(row, 1, &was);  // reading a snapshot does not fail
      (void)after_.contains(row, 1, &is);
      if (was == is) continue;
      std::vector<Code>& side = is != 0 ? out.inserted : out.deleted;
      side.insert(side.end(), row.begin(), row.end());
    }
  }

 private:
  static std::vector<store::GraphId> graphs_of(const SpaceRelation& side,
                                               const store::Triple& triple) {
    std::vector<store::GraphId> out;
    if (side.kind() != SpaceKind::kFact) return out;
    for (const store::Assertion& assertion : side.state().snapshot.assertions(triple)) {
      out.push_back(assertion.graph);
    }
    return out;
  }

  const SpaceRelation& before_;
  const SpaceRelation& after_;
  std::vector<Code> rows_;
};

void suspect_key(const store::WrittenKey& key, Suspects& suspects) {
  if (!suspects.covers(key.predicate)) return;
  if (key.object.code != 0) {
    suspects.statement({key.subject, key.predicate, key.object}, std::span(&key.graph, 1));
    return;
  }
  store::Pattern pattern;
  pattern.subject = key.subject;
  pattern.predicate = key.predicate;
  pattern.predicate_class = key.predicate.predicate_class();
  suspects.matching(pattern);
}

// What a predicate reads of the space; nothing when it is the program's own.
std::optional<SpaceKind> kind_of(const Predicate& predicate, const SpaceState& state) {
  if (!can_be_stored(predicate)) return std::nullopt;
  if (const FixedRelation* known = fixed(predicate.name)) {
    return predicate.columns == known->arity ? std::optional(known->kind) : std::nullopt;
  }
  const bool there = state.links->by_name.contains(predicate.name);
  const bool may_come = predicate.declared && !predicate.derived;
  if (predicate.columns != 2 || (!there && !may_come)) return std::nullopt;
  return SpaceKind::kLink;
}

// The value table with the dictionary that it reads; one cannot outlive the other.
struct Values {
  explicit Values(const store::Snapshot& snapshot)
      : terms(std::make_shared<SpaceTerms>(snapshot)), table(terms.get()) {}
  std::shared_ptr<SpaceTerms> terms;
  ValueTable table;
};

}  // namespace

SpaceFacts::SpaceFacts(const store::Snapshot& snapshot) {
  auto both = std::make_shared<Values>(snapshot);
  values_ = std::shared_ptr<ValueTable>(both, &both->table);
  // A state lives in relations that the engine holds beside the table, so no circle is made: the
  // table does not know the states.
  state_ = SpaceState::first(snapshot, both->terms, values_);
}

SpaceFacts::~SpaceFacts() = default;

std::shared_ptr<const SpaceState> SpaceFacts::state() const {
  const MutexLock lock(mutex_);
  return state_;
}

store::Sequence SpaceFacts::sequence() const { return state()->snapshot.sequence(); }
store::Snapshot SpaceFacts::snapshot() const { return state()->snapshot; }
std::shared_ptr<const void> SpaceFacts::pin() const { return state()->terms->pin(); }

std::vector<BasePredicate> SpaceFacts::predicates(const std::vector<Unit>& units) const {
  const Arities arities(units);
  std::vector<BasePredicate> out;
  for (const FixedRelation& relation : kFixed) {
    if (arities.allows(std::string(relation.name), relation.arity)) {
      out.push_back({std::string(relation.name), relation.arity});
    }
  }
  for (const auto& [name, predicates] : state()->links->by_name) {
    if (fixed(name) == nullptr && arities.allows(name, 2)) out.push_back({name, 2});
  }
  return out;
}

void SpaceFacts::attach(const Program& program, EngineOptions& options) {
  const MutexLock lock(mutex_);
  relations_.clear();
  names_.clear();
  known_.clear();
  fades_ = faded_anew_ = false;
  for (const auto& [name, predicates] : state_->links->by_name) known_[name] = 2;
  for (PredicateId id = 0; id < program.predicates.size(); ++id) {
    const Predicate& predicate = program.predicates[id];
    if (asks_for_faded_links(predicate)) {
      const std::shared_ptr<Clock> clock =
          options.clock != nullptr ? options.clock : std::make_shared<SystemClock>();
      options.virtuals[id] = std::make_shared<FadedLinks>([this] { return state(); }, clock);
      fades_ = true;
    }
    const std::optional<SpaceKind> kind = kind_of(predicate, *state_);
    if (!kind) continue;
    std::vector<store::Predicate> links;
    if (*kind == SpaceKind::kLink) {
      const auto there = state_->links->by_name.find(predicate.name);
      if (there != state_->links->by_name.end()) links = there->second;
      names_[id] = predicate.name;
      known_[predicate.name] = 2;
    }
    const auto relation = std::make_shared<SpaceRelation>(state_, *kind, std::move(links));
    relations_[id] = relation;
    options.bases[id] = relation;
  }
}

Status SpaceFacts::settle_names(Program& program, const NamesAt& names) {
  const std::shared_ptr<const SpaceState> now = state();
  std::vector<std::optional<SpaceKind>> kinds;
  for (const Predicate& predicate : program.predicates) kinds.push_back(kind_of(predicate, *now));
  auto columns = std::make_shared<NameColumns>(program, kinds);
  std::unordered_set<std::string> awaited;
  const auto is_new = [&](std::string_view where) { return names(where) == Names::kNew; };
  ANIMA_TRY(columns->settle(program, *now, is_new, awaited));
  const MutexLock lock(mutex_);
  columns_ = std::move(columns);
  awaited_ = std::move(awaited);
  return {};
}

SpaceNames SpaceFacts::names() const {
  const MutexLock lock(mutex_);
  return SpaceNames(state_, columns_);
}

SpaceNames::SpaceNames(std::shared_ptr<const SpaceState> state,
                       std::shared_ptr<const NameColumns> columns)
    : state_(std::move(state)), columns_(std::move(columns)) {}

Result<Query> SpaceNames::query(const Program& program, std::string_view text) const {
  ANIMA_ASSIGN(Query compiled, compile_query(program, text, *state_->values));
  if (columns_ != nullptr) ANIMA_TRY(columns_->settle(compiled, *state_));
  return compiled;
}

Result<GroundFact> SpaceNames::fact(const Program& program, std::string_view text) const {
  ANIMA_ASSIGN(GroundFact compiled, compile_fact(program, text, *state_->values));
  if (columns_ != nullptr) columns_->settle(compiled, *state_);
  return compiled;
}

std::shared_ptr<SpaceFacts> SpaceFacts::beside() const {
  const std::shared_ptr<SpaceFacts> out(new SpaceFacts());
  const MutexLock lock(mutex_), its(out->mutex_);
  out->values_ = values_;
  out->state_ = state_;
  out->columns_ = columns_;
  return out;
}

bool SpaceFacts::has_relation(const std::string& name) const {
  return state()->links->by_name.contains(name);
}

std::vector<std::string> SpaceFacts::relations() const {
  std::vector<std::string> out;
  for (const auto& [name, predicates] : state()->links->by_name) out.push_back(name);
  return out;
}

std::vector<std::string> SpaceFacts::new_relations() const {
  const MutexLock lock(mutex_);
  std::vector<std::string> out;
  for (const auto& [name, predicates] : state_->links->by_name) {
    if (!known_.contains(name)) out.push_back(name);
  }
  return out;
}

bool SpaceFacts::needs_evaluation(const Program& program) const {
  {
    const MutexLock lock(mutex_);
    if (awaited_came_ || faded_anew_) return true;
  }
  const std::shared_ptr<const SpaceState> now = state();
  return std::ranges::any_of(new_relations(), [&](const std::string& name) {
    const PredicateId id = program.find(name);
    return id != kNone && kind_of(program.predicates[id], *now).has_value();
  });
}

namespace {

// The rows that a branch of a state has beside it.
class Supposition {
 public:
  Supposition(const SpaceState& state, const Program& program, const store::Snapshot& branch)
      : state_(state), program_(program), branch_(branch) {}

  bool take_new_concepts() {
    store::Scratch scratch;
    const PredicateId there = fixed_predicate("concept", 3);
    for (std::uint32_t id = state_.snapshot.entity_bound(); id < branch_.entity_bound(); ++id) {
      const EntityId entity{id};
      if (branch_.kind(entity) != store::EntityKind::kConcept) continue;
      const Code name = state_.values->string(branch_.name(entity));
      std::vector<EntityId> others;
      state_.named(name, others, scratch);
      if (!others.empty() || state_.labels->by_code.contains(name)) return false;
      if (!fresh_.emplace(name, entity).second) return false;
      const EntityId type = branch_.type_of(entity);
      const std::array<Code, 3> row = {name, state_.values->string(branch_.name(type)), name};
      if (there != kNone) rows_.insert(there, row);
    }
    return true;
  }

  bool take(const store::Triple& link) {
    if (!link.object.is_entity()) return false;
    const std::optional<Code> subject = called(link.subject);
    const std::optional<Code> object = called(link.object.as_entity());
    const EntityId relation = link.predicate.as_link();
    const Code predicate = state_.values->string(branch_.name(relation));
    if (!subject || !object) return false;
    if (state_.links->is_hidden(link.predicate)) return true;
    const PredicateId id = program_.find(predicate_name(branch_.name(relation)));
    if (id != kNone && holds_links(program_.predicates[id])) {
      rows_.insert(id, std::array<Code, 2>{*subject, *object});
    }
    if (const PredicateId fact = fixed_predicate("fact", 4); fact != kNone) {
      const Code graph = state_.values->string("");
      rows_.insert(fact, std::array<Code, 4>{graph, *subject, predicate, *object});
    }
    return true;
  }

  Transaction& rows() { return rows_; }

 private:
  // Whether a relation of the space of this name would be read by it.
  static bool holds_links(const Predicate& predicate) {
    return predicate.columns == 2 && can_be_stored(predicate) && fixed(predicate.name) == nullptr;
  }
  PredicateId fixed_predicate(std::string_view name, std::uint32_t columns) const {
    const PredicateId id = program_.find(name);
    return id != kNone && program_.predicates[id].columns == columns ? id : kNone;
  }
  std::optional<Code> called(EntityId entity) const {
    if (static_cast<std::uint32_t>(entity) >= state_.snapshot.entity_bound()) {
      return state_.values->string(branch_.name(entity));
    }
    const bool quoted = state_.snapshot.kind(entity) == store::EntityKind::kConcept &&
                        !state_.snapshot.exists(entity);
    return quoted ? std::nullopt : std::optional(state_.entity(entity));
  }

  const SpaceState& state_;
  const Program& program_;
  const store::Snapshot& branch_;
  std::map<Code, EntityId> fresh_;
  Transaction rows_;
};

}  // namespace

std::optional<Transaction> SpaceFacts::supposed(const Program& program,
                                                const store::Snapshot& branch,
                                                std::span<const store::Triple> links) const {
  const std::shared_ptr<const SpaceState> now = state();
  Supposition supposition(*now, program, branch);
  if (!supposition.take_new_concepts()) return std::nullopt;
  for (const store::Triple& link : links) {
    if (!supposition.take(link)) return std::nullopt;
  }
  return std::move(supposition.rows());
}

std::vector<Rebase> SpaceFacts::advance(const store::Snapshot& next,
                                        std::span<const store::WrittenKey> written) {
  const std::shared_ptr<const SpaceState> before = state();
  before->terms->advance(next, *values_);
  const std::shared_ptr<const SpaceState> after = before->next(next, written);
  std::map<PredicateId, std::shared_ptr<const SpaceRelation>> moved;
  std::vector<Rebase> out;
  for (const auto& [id, relation] : relations_) {
    std::vector<store::Predicate> predicates;
    if (const auto name = names_.find(id); name != names_.end()) {
      const auto links = after->links->by_name.find(name->second);
      if (links != after->links->by_name.end()) predicates = links->second;
    }
    const SpaceRelation later(after, relation->kind(), predicates);
    Suspects suspects(*relation, later);
    for (const store::WrittenKey& key : written) suspect_key(key, suspects);
    Rebase change;
    change.predicate = id;
    suspects.settle(change);
    const std::uint64_t width = relation->columns();
    const auto fresh = relation->next(after, std::move(predicates), change.inserted.size() / width,
                                      change.deleted.size() / width);
    change.next = fresh;
    moved[id] = fresh;
    out.push_back(std::move(change));
  }
  const std::uint32_t known = before->snapshot.entity_bound();
  const bool came = !awaited_.empty() && after->has_new(awaited_, known);
  const bool links = std::ranges::any_of(written, [](const store::WrittenKey& key) {
    const store::PredicateClass of = key.predicate.predicate_class();
    return of == store::PredicateClass::kLink || of == store::PredicateClass::kMetadata;
  });
  const MutexLock lock(mutex_);
  faded_anew_ = faded_anew_ || (fades_ && links);
  state_ = after;
  relations_ = std::move(moved);
  awaited_came_ = awaited_came_ || came;
  return out;
}

std::vector<store::Triple> SpaceFacts::statements(PredicateId predicate,
                                                  std::span<const Code> row) const {
  std::shared_ptr<const SpaceRelation> relation;
  {
    const MutexLock lock(mutex_);
    const auto found = relations_.find(predicate);
    if (found == relations_.end()) return {};
    relation = found->second;
  }
  if (row.size() != relation->columns()) return {};
  return relation->statements(row);
}

SpaceFacts::Meaning SpaceFacts::meaning(Code code) const {
  const std::shared_ptr<const SpaceState> now = state();
  std::vector<EntityId> called;
  store::Scratch scratch;
  now->entities_of(code, called, scratch);
  for (const EntityId entity : called) {
    if (now->snapshot.exists(entity)) return {store::Term::entity(entity), {}};
  }
  if (is_inline_int(code) || (code & kTagMask) == kTagLiteral) return {store::Term{code}, {}};
  const ValueView view = values_->view(code);
  switch (view.kind) {
    case ValueKind::kString:
      return {{}, store::Value::string(view.text)};
    case ValueKind::kInt:
      return {{}, store::Value::of(view.number)};
    case ValueKind::kFloat:
      return {{}, store::Value::of(view.real)};
    case ValueKind::kName:
      if (view.text == "/null") return {};
      if (view.text == "/true" || view.text == "/false") {
        return {{}, store::Value::boolean(view.text == "/true")};
      }
      break;
    default:
      break;
  }
  return {{}, store::Value::string(values_->text(code))};
}

std::vector<Assertion> SpaceFacts::assertions(const store::Triple& statement) const {
  const store::Snapshot now = snapshot();
  std::vector<Assertion> out;
  for (const store::Assertion& assertion : now.assertions(statement)) {
    const store::EntryInfo entry = now.entry(assertion.born);
    out.push_back({std::string(now.graph_name(assertion.graph)), assertion.confidence,
                   assertion.provenance, assertion.born, entry.time, std::string(entry.author),
                   std::string(entry.source), entry.trust});
  }
  std::ranges::stable_sort(
      out, [](const Assertion& a, const Assertion& b) { return a.trust > b.trust; });
  return out;
}

Grounds SpaceFacts::grounds(const Proof& proof) const {
  Grounds out;
  std::set<store::Triple> seen;
  for (const ProofNode& node : proof.nodes) {
    if (node.kind == ProofKind::kCut || node.hidden_premises > 0) out.complete = false;
    if (node.kind != ProofKind::kGiven) continue;
    for (const store::Triple& triple : statements(node.predicate, node.row)) {
      if (!seen.insert(triple).second) continue;
      Premise premise{node.text, triple, assertions(triple)};
      if (!premise.assertions.empty()) {
        out.trust = std::min(out.trust, premise.assertions.front().trust);
      }
      out.premises.push_back(std::move(premise));
    }
  }
  if (!out.complete) out.trust = std::min(out.trust, store::Trust::kUntrusted);
  return out;
}

}  // namespace anima::datalog
