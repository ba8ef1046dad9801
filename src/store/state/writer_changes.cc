// Writer: what a Transaction asks for: checks it, finds or makes ids, and leaves the operations to
// writer.cc.
#include <algorithm>
#include <iterator>
#include <limits>
#include <memory>
#include <span>

#include "base/text/text.h"
#include "store/base/value_code.h"
#include "store/holds.h"
#include "store/own_graphs.h"
#include "store/state/writer.h"
#include "store/state/writer_codes.h"

namespace anima::store::detail {
namespace {

// How deep the arrays and objects of a JSON text go; quotes and escapes respected.
std::size_t nesting(std::string_view json) {
  std::size_t depth = 0;
  std::size_t deepest = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (quoted) {
      if (c == '\\') ++i;
      if (c == '"') quoted = false;
    } else if (c == '"') {
      quoted = true;
    } else if (c == '[' || c == '{') {
      deepest = std::max(deepest, ++depth);
    } else if ((c == ']' || c == '}') && depth > 0) {
      --depth;
    }
  }
  return deepest;
}

}  // namespace

Status Writer::check_room(std::uint64_t rows) const {
  const NumberLimits& limits = limits_.numbers;
  const std::uint64_t there = std::uint64_t{delta_->firsts().row} + delta_->rows();
  ANIMA_TRY(check_limit(there + state_->base->retired_rows() + rows, limits.rows, kRowsWords));
  ANIMA_TRY(
      check_limit(std::uint64_t{delta_->context_bound()} + 1, limits.contexts, kContextsWords));
  if (state_->graph_bound < 2) return {};
  // A list may have room to double, and lie behind as many places as it takes.
  const std::uint64_t list = 4 * (std::uint64_t{state_->graph_bound} + 1);
  return check_limit(delta_->set_bound() + list, limits.lists, kListsWords);
}

Status Writer::check_options(const AssertOptions& options) const {
  if (options.graph == kNoGraph) return fail(limit_error(kGraphsWords, limits_.numbers.graphs));
  ANIMA_TRY(check_room(2));  // a concept's existence brings its name
  if (!(options.confidence >= 0 && options.confidence <= 1)) {
    return fail(ErrorCode::kInvalidArgument, "the confidence must lie between 0 and 1");
  }
  if (code(options.graph) >= state_->graph_bound) {
    return fail(ErrorCode::kInvalidArgument,
                "there is no graph with the id " + std::to_string(code(options.graph)));
  }
  return {};
}

Status Writer::check_entity(EntityId entity, std::string_view role) const {
  if (state_->entity(code(entity)).kind != 0) return {};
  return fail(ErrorCode::kInvalidArgument,
              "the " + std::string(role) + " C:" + std::to_string(code(entity)) + " is not known");
}

Status Writer::check_object(Term object) const {
  switch (object.tag()) {
    case Tag::kEntity:
      return check_entity(object.as_entity(), "object");
    case Tag::kInteger:
      return {};
    case Tag::kLiteral:
      if (object.place() != 0 && object.place() < state_->term_bound) return {};
      break;
    case Tag::kOverlay:
      break;
  }
  return fail(ErrorCode::kInvalidArgument, "the object is no term of this space");
}

Status Writer::check_link(const Triple& link) const {
  ANIMA_TRY(check_entity(link.subject, "subject"));
  ANIMA_TRY(check_object(link.object));
  const EntityRecord predicate = link.predicate.predicate_class() == PredicateClass::kLink
                                     ? state_->entity(link.predicate.code)
                                     : EntityRecord{};
  if (predicate.kind != static_cast<std::uint32_t>(EntityKind::kConcept) ||
      predicate.a != code(kPropositionType)) {
    return fail(ErrorCode::kInvalidArgument,
                "the predicate of a link must be a $PropositionType concept");
  }
  return {};
}

Status Writer::genesis() {
  const auto define = [&](EntityId id, EntityId type, std::string_view name) -> Status {
    ValueView value;
    value.kind = ValueKind::kString;
    value.text = name;
    ANIMA_ASSIGN(const Term term, this->term(value));
    do_concept(code(id), type, term);
    do_assert({id, kTypePredicate, Term::entity(type)}, 0, {});
    return {};
  };
  ANIMA_TRY(define(kConceptType, kConceptType, "$ConceptType"));
  ANIMA_TRY(define(kPropositionType, kConceptType, "$PropositionType"));
  return define(kEntityType, kConceptType, "Entity");
}

Result<Term> Writer::term(const ValueView& value) {
  if (value.kind == ValueKind::kEntity) {
    ANIMA_TRY(check_entity(value.entity, "entity"));
    return Term::entity(value.entity);
  }
  if (value.kind == ValueKind::kInteger && Term::fits_integer(value.integer)) {
    return Term::integer(value.integer);
  }
  if (static_cast<std::uint8_t>(value.kind) > static_cast<std::uint8_t>(ValueKind::kIri)) {
    return fail(ErrorCode::kInvalidArgument, "a value of an unknown kind");
  }
  if (value.text.size() + value.extra.size() > limits_.max_value_bytes) {
    return fail(ErrorCode::kLimitExceeded,
                "a value of " + std::to_string(value.text.size() + value.extra.size()) +
                    " bytes is above max_value_bytes (" + std::to_string(limits_.max_value_bytes) +
                    ")");
  }
  if (value.kind == ValueKind::kJson && nesting(value.text) > limits_.max_nesting) {
    return fail(ErrorCode::kLimitExceeded, "a JSON value is nested deeper than max_nesting (" +
                                               std::to_string(limits_.max_nesting) + ")");
  }
  thread_local std::string stored;
  stored.clear();
  encode_value(value, stored);
  if (const std::uint32_t place = state_->find_stored(stored); place != 0)
    return Term::literal(place);
  const std::uint32_t place = state_->term_bound;
  ANIMA_TRY(check_limit(place, limits_.numbers.literals, kLiteralsWords));
  ANIMA_TRY(check_limit(stored.size(), limits_.numbers.value, kValueWords));
  do_term(place, stored);
  return Term::literal(place);
}

GraphId Writer::graph(std::string_view name) {
  for (std::uint32_t id = 0; id < state_->graph_bound; ++id) {
    if (state_->graph_name(id) == name) return static_cast<GraphId>(id);
  }
  const std::uint32_t id = state_->graph_bound;
  if (id > limits_.numbers.graphs || name.size() > limits_.numbers.value) return kNoGraph;
  do_graph(id, name);
  return static_cast<GraphId>(id);
}

EntityId Writer::known_concept(EntityId type, std::string_view name) const {
  return static_cast<EntityId>(state_->known_concept(code(type), name));
}

bool Writer::says(const Triple& triple, const AssertOptions& options) const {
  const RowRef row = state_->find(triple.subject, triple.predicate, triple.object);
  if (!row || !asserts(row, code(options.graph))) return false;
  // A concept is there, whoever says so; of what is said about it, it matters who does.
  const bool ranked = triple.predicate.predicate_class() != PredicateClass::kStructural &&
                      !is_own_graph(state_->graph_name(code(options.graph)));
  const Trust trust = ranked ? state_->entry(sequence_).trust : Trust::kHostile;
  bool same = false;
  state_->each_context(state_->set_of(row), [&](std::uint32_t, const Context& context) {
    if (context.graph != code(options.graph)) return;
    same = context.confidence == options.confidence && context.provenance == options.provenance;
    if (!ranked) return;
    const Trust before = state_->entry(context.word_of()).trust;
    same = before > trust || (same && before == trust);
  });
  return same;
}

// Maintenance and the books are kept by the house, which knows what it replaces.
bool Writer::stands_firmer(const Triple& triple, std::uint32_t graph) const {
  const EntryRecord now = state_->entry(sequence_);
  if (now.author == kSystemAuthor || now.author == kBranchAuthor) return false;
  if (is_own_graph(state_->graph_name(graph))) return false;
  bool firmer = false;
  const RowRef row = state_->find(triple.subject, triple.predicate, triple.object);
  state_->each_context(state_->set_of(row), [&](std::uint32_t, const Context& context) {
    firmer =
        firmer || (context.graph == graph && state_->entry(context.word_of()).trust > now.trust);
  });
  return firmer;
}

Result<EntityId> Writer::restate(const Triple& triple, const AssertOptions& options,
                                 Sequence said) {
  ANIMA_TRY(check_options(options));
  const auto word_of = static_cast<std::uint64_t>(said);
  if (word_of > sequence_ || word_of > std::numeric_limits<std::uint32_t>::max())
    return fail(ErrorCode::kInvalidArgument, "there is no entry whose word it could be");
  const bool link = triple.predicate.predicate_class() == PredicateClass::kLink;
  std::uint32_t id = 0;
  if (link) {
    ANIMA_TRY(check_link(triple));
    id = proposition_of(triple);
    if (id == 0) {
      ANIMA_TRY(check_limit(state_->entity_bound, limits_.numbers.entities, kEntitiesWords));
      id = state_->entity_bound;
    }
  } else {
    ANIMA_TRY(check_entity(triple.subject, "subject"));
    ANIMA_TRY(check_object(triple.object));
  }
  bool same = false;
  if (const RowRef row = state_->find(triple.subject, triple.predicate, triple.object)) {
    state_->each_context(state_->set_of(row), [&](std::uint32_t, const Context& context) {
      same = same ||
             (context.graph == code(options.graph) && context.word_of() == word_of &&
              context.confidence == options.confidence && context.provenance == options.provenance);
    });
  }
  if (!same) do_assert(triple, id, options, static_cast<std::uint32_t>(word_of));
  return static_cast<EntityId>(id);
}

bool Writer::asserts(const Triple& triple, std::uint32_t graph) const {
  const RowRef row = state_->find(triple.subject, triple.predicate, triple.object);
  return row && asserts(row, graph);
}

bool Writer::asserts(RowRef row, std::uint32_t graph) const {
  const std::uint32_t set = state_->set_of(row);
  bool found = false;
  // The graphs of a row of the delta list it, each of them.
  if (row.layer == state_->layers.size() && delta_->graph_rows(graph) < state_->set_size(set)) {
    delta_->each_of_graph(graph, [&](std::uint32_t listed) { found = found || listed == row.row; });
    return found;
  }
  state_->each_context(
      set, [&](std::uint32_t, const Context& context) { found = found || context.graph == graph; });
  return found;
}

Result<EntityId> Writer::upsert_concept(EntityId type, std::string_view name,
                                        const AssertOptions& options) {
  ANIMA_TRY(check_options(options));
  ANIMA_TRY(check_type(type));
  ANIMA_ASSIGN(const EntityId id, concept_id(type, name));
  const Triple existence{id, kTypePredicate, Term::entity(type)};
  if (!says(existence, options)) do_assert(existence, 0, options);
  return id;
}

Status Writer::check_type(EntityId type) const {
  const EntityRecord kind = state_->entity(code(type));
  if (kind.kind == static_cast<std::uint32_t>(EntityKind::kConcept) && kind.a == code(kConceptType))
    return {};
  return fail(ErrorCode::kInvalidArgument, "the type of a concept must be a $ConceptType concept");
}

Result<EntityId> Writer::concept_id(EntityId type, std::string_view name) {
  EntityId id = known_concept(type, name);
  if (id != EntityId::kNone) return id;
  ANIMA_TRY(check_limit(state_->entity_bound, limits_.numbers.entities, kEntitiesWords));
  ValueView value;
  value.kind = ValueKind::kString;
  value.text = name;
  ANIMA_ASSIGN(const Term term, this->term(value));
  id = static_cast<EntityId>(state_->entity_bound);
  do_concept(code(id), type, term);
  return id;
}

Result<bool> Writer::assert_triple(const Triple& triple, const AssertOptions& options) {
  if (triple.predicate.predicate_class() == PredicateClass::kLink) {
    const bool known = says(triple, options);
    ANIMA_TRY(assert_link(triple, options));
    return !known;
  }
  ANIMA_TRY(check_options(options));
  ANIMA_TRY(check_entity(triple.subject, "subject"));
  ANIMA_TRY(check_object(triple.object));
  if (says(triple, options)) return false;
  do_assert(triple, 0, options);
  return true;
}

Result<bool> Writer::retract_triple(const Triple& triple, GraphId graph) {
  if (!asserts(triple, code(graph))) return false;
  ANIMA_TRY(withdraw(triple, graph));
  return true;
}

Status Writer::withdraw(const Triple& triple, GraphId graph) {
  ANIMA_TRY(check_room(2));
  do_retract(triple, graph);
  return {};
}

// 0: nobody has said or quoted it.
std::uint32_t Writer::proposition_of(const Triple& link) const {
  return state_->known_proposition(link.subject, link.predicate, link.object);
}

Result<EntityId> Writer::assert_link(const Triple& link, const AssertOptions& options) {
  ANIMA_TRY(check_options(options));
  ANIMA_TRY(check_link(link));
  const std::uint32_t known = proposition_of(link);
  if (known == 0)
    ANIMA_TRY(check_limit(state_->entity_bound, limits_.numbers.entities, kEntitiesWords));
  const std::uint32_t id = known == 0 ? state_->entity_bound : known;
  if (known == 0 || !says(link, options)) do_assert(link, id, options);
  return static_cast<EntityId>(id);
}

Result<EntityId> Writer::quote_link(const Triple& link) {
  ANIMA_TRY(check_link(link));
  const std::uint32_t known = proposition_of(link);
  if (known != 0) return static_cast<EntityId>(known);
  const std::uint32_t id = state_->entity_bound;
  ANIMA_TRY(check_limit(id, limits_.numbers.entities, kEntitiesWords));
  ANIMA_TRY(check_room(1));
  do_quote(id, link);
  return static_cast<EntityId>(id);
}

Status Writer::retract_link(const Triple& link, GraphId graph) {
  if (link.predicate.predicate_class() != PredicateClass::kLink) {
    return fail(ErrorCode::kInvalidArgument, "only a link can be retracted this way");
  }
  if (!asserts(link, code(graph))) {
    return fail(ErrorCode::kNotFound, "the graph does not assert this link");
  }
  return withdraw_link(link, graph);
}

// With the attributes and metadata that the graph gives to the link.
Status Writer::withdraw_link(const Triple& link, GraphId graph) {
  const std::uint32_t id = proposition_of(link);
  ANIMA_TRY(withdraw(link, graph));
  const auto values = triples_of(static_cast<EntityId>(id), class_first(PredicateClass::kAttribute),
                                 class_last(PredicateClass::kMetadata), graph);
  for (const Triple& value : values) ANIMA_TRY(withdraw(value, graph));
  return {};
}

Result<Predicate> Writer::key_predicate(PredicateClass kind, std::string_view key) {
  if (key.empty()) return fail(ErrorCode::kInvalidArgument, "an attribute needs a key");
  ValueView value;
  value.kind = ValueKind::kString;
  value.text = key;
  ANIMA_ASSIGN(const Term term, this->term(value));
  return kind == PredicateClass::kAttribute ? Predicate::attribute(term)
                                            : Predicate::metadata(term);
}

std::vector<Triple> Writer::triples_of(EntityId subject, std::uint32_t first, std::uint32_t last,
                                       GraphId graph) const {
  SnapshotState narrow = *state_;
  narrow.narrow(std::make_shared<GraphScope>(GraphScope{{code(graph)}}));
  const auto scoped = std::make_shared<const SnapshotState>(std::move(narrow));
  CodePattern pattern;
  pattern.s = subject;
  pattern.p_first = first;
  pattern.p_last = last;
  if (first == last) pattern.p = PredicateCode{first};
  CursorState cursor(scoped, pattern, Order::kSubjectPredicateObject);
  std::vector<Triple> rows;
  for (Triple batch[32];;) {
    const std::size_t got = cursor.next(batch);
    if (got == 0) return rows;
    rows.insert(rows.end(), batch, batch + got);
  }
}

Status Writer::set_values(EntityId entity, PredicateClass kind, std::string_view key,
                          std::span<const Term> values, const AssertOptions& options) {
  ANIMA_TRY(check_options(options));
  ANIMA_TRY(check_entity(entity, "subject"));
  for (const Term value : values) ANIMA_TRY(check_object(value));
  if (values.empty()) {  // removing a key that was never used defines no term
    ValueView name;
    name.kind = ValueKind::kString;
    name.text = key;
    if (!state_->find_value(name)) return {};
  }
  ANIMA_ASSIGN(const Predicate predicate, key_predicate(kind, key));
  // What is said of a thing is ranked, and when a statement holds. Other metadata is bookkeeping,
  // which an import brings along.
  const bool ranked = kind == PredicateClass::kAttribute ||
                      std::find(std::begin(kTimesOfAStatement), std::end(kTimesOfAStatement),
                                key) != std::end(kTimesOfAStatement);
  for (const Triple& old : triples_of(entity, predicate.code, predicate.code, options.graph)) {
    const bool stays = std::find(values.begin(), values.end(), old.object) != values.end() ||
                       (ranked && stands_firmer(old, code(options.graph)));
    if (!stays) ANIMA_TRY(withdraw(old, options.graph));
  }
  for (const Term value : values) {
    const Triple triple{entity, predicate, value};
    if (says(triple, options)) continue;
    ANIMA_TRY(check_room(1));
    do_assert(triple, 0, options);
  }
  return {};
}

Status Writer::add_value(EntityId entity, PredicateClass kind, std::string_view key, Term value,
                         const AssertOptions& options) {
  ANIMA_TRY(check_options(options));
  ANIMA_TRY(check_entity(entity, "subject"));
  ANIMA_TRY(check_object(value));
  ANIMA_ASSIGN(const Predicate predicate, key_predicate(kind, key));
  const Triple triple{entity, predicate, value};
  if (!says(triple, options)) do_assert(triple, 0, options);
  return {};
}

std::vector<Triple> Writer::links_about(EntityId entity, GraphId graph) const {
  auto rows = triples_of(entity, class_first(PredicateClass::kLink),
                         class_last(PredicateClass::kLink), graph);
  SnapshotState narrow = *state_;
  narrow.narrow(std::make_shared<GraphScope>(GraphScope{{code(graph)}}));
  const auto scoped = std::make_shared<const SnapshotState>(std::move(narrow));
  CodePattern pattern;
  pattern.o = Term::entity(entity);
  pattern.p_first = 1;
  pattern.p_last = kPayloadMask;
  CursorState cursor(scoped, pattern, Order::kObjectPredicateSubject);
  for (Triple batch[32];;) {
    const std::size_t got = cursor.next(batch);
    if (got == 0) return rows;
    rows.insert(rows.end(), batch, batch + got);
  }
}

Status Writer::retract_concept(EntityId entity, GraphId graph, bool detach) {
  const EntityRecord record = state_->entity(code(entity));
  if (record.kind != static_cast<std::uint32_t>(EntityKind::kConcept)) {
    return fail(ErrorCode::kInvalidArgument,
                "C:" + std::to_string(code(entity)) + " is no concept");
  }
  const Triple existence{entity, kTypePredicate, {record.a}};
  if (!asserts(existence, code(graph))) {
    return fail(ErrorCode::kNotFound,
                "the graph does not assert the concept C:" + std::to_string(code(entity)));
  }
  if (detach) {
    std::vector<EntityId> open{entity};
    while (!open.empty()) {
      const EntityId about = open.back();
      open.pop_back();
      for (const Triple& link : links_about(about, graph)) {
        if (!asserts(link, code(graph))) continue;
        open.push_back(static_cast<EntityId>(proposition_of(link)));
        ANIMA_TRY(withdraw_link(link, graph));
      }
    }
  }
  const auto values = triples_of(entity, class_first(PredicateClass::kAttribute),
                                 class_last(PredicateClass::kMetadata), graph);
  for (const Triple& value : values) ANIMA_TRY(withdraw(value, graph));
  return withdraw(existence, graph);
}

Status Writer::drop_graph(GraphId graph) {
  if (code(graph) >= state_->graph_bound) {
    return fail(ErrorCode::kNotFound,
                "there is no graph with the id " + std::to_string(code(graph)));
  }
  const Snapshot now(state_);
  if (now.graph_size(graph) == 0) return {};
  ANIMA_TRY(check_room_to_drop(graph));
  do_drop(graph);
  return {};
}

Status Writer::record(RecordKind kind, std::string_view payload) {
  if (kind == RecordKind::kUndo) delta_->mark_undo();
  operations_.write(
      {.kind = OperationKind::kRecord, .id = static_cast<std::uint32_t>(kind), .text = payload});
  return {};
}

Status Writer::attach(RecordKind kind, std::string_view payload) {
  attached_.write(
      {.kind = OperationKind::kRecord, .id = static_cast<std::uint32_t>(kind), .text = payload});
  return {};
}

}  // namespace anima::store::detail
