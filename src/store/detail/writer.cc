#include "store/detail/writer.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "store/detail/value_code.h"

namespace anima::store::detail {
namespace {

std::uint32_t code(EntityId id) { return static_cast<std::uint32_t>(id); }
std::uint32_t code(GraphId id) { return static_cast<std::uint32_t>(id); }

constexpr std::uint32_t kMaxId = kPayloadMask;

std::uint32_t class_first(PredicateClass kind) {
  return static_cast<std::uint32_t>(kind) << kTagShift;
}
std::uint32_t class_last(PredicateClass kind) { return class_first(kind) | kPayloadMask; }

tl::unexpected<Error> full() {
  return fail(ErrorCode::kLimitExceeded, "the space is full (2^30 entities)");
}

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

void Writer::attach(SnapshotState state, std::shared_ptr<Delta> delta) {
  state_ = std::make_shared<SnapshotState>(std::move(state));
  delta_ = std::move(delta);
  moved();
}

void Writer::start(std::uint64_t sequence, bool record) {
  sequence_ = sequence;
  record_ = record;
  operations_.clear();
  refresh();
}

void Writer::refresh() {
  state_->sequence = sequence_;
  state_->layers.back().sequence = sequence_;
  moved();
}

void Writer::moved() {
  LayerView& top = state_->layers.back();
  top.rows = delta_->rows();
  top.contexts = delta_->context_bound();
  top.sets = delta_->set_bound();
  state_->entity_bound = delta_->entity_bound();
  state_->term_bound = delta_->term_bound();
  state_->graph_bound = delta_->graph_bound();
  state_->plain = state_->plain && !delta_->has_rows() && !delta_->has_kills();
}

Snapshot Writer::view() const { return Snapshot(std::make_shared<const SnapshotState>(*state_)); }

// --- operations
// ---------------------------------------------------------------------------------------------------

void Writer::do_term(std::uint32_t place, std::string_view stored) {
  delta_->add_term_at(place, stored);
  state_->term_bound = delta_->term_bound();
  if (!record_) return;
  Operation operation;
  operation.kind = OperationKind::kTerm;
  operation.id = place;
  operation.text = stored;
  operations_.write(operation);
}

void Writer::do_graph(std::uint32_t id, std::string_view name) {
  while (delta_->graph_bound() < id) delta_->add_graph({});
  delta_->add_graph(name);
  state_->graph_bound = delta_->graph_bound();
  if (!record_) return;
  Operation operation;
  operation.kind = OperationKind::kGraph;
  operation.id = id;
  operation.text = name;
  operations_.write(operation);
}

void Writer::do_concept(std::uint32_t id, EntityId type, Term name) {
  delta_->add_entity(id,
                     {static_cast<std::uint32_t>(EntityKind::kConcept), code(type), name.code, 0});
  state_->entity_bound = delta_->entity_bound();
  delta_->add_label(fold_case(state_->value(name).text), id);
  if (!record_) return;
  Operation operation;
  operation.kind = OperationKind::kConcept;
  operation.id = id;
  operation.type = type;
  operation.triple.object = name;
  operations_.write(operation);
}

void Writer::do_quote(std::uint32_t id, const Triple& link) {
  delta_->add_entity(id, {static_cast<std::uint32_t>(EntityKind::kProposition), code(link.subject),
                          link.predicate.code, link.object.code});
  delta_->add_row(link, id, 0, kQuotedBorn);
  moved();
  if (!record_) return;
  Operation operation;
  operation.kind = OperationKind::kQuote;
  operation.id = id;
  operation.triple = link;
  operations_.write(operation);
}

void Writer::do_assert(const Triple& triple, std::uint32_t proposition,
                       const AssertOptions& options) {
  if (proposition != 0 && proposition >= delta_->entity_bound()) {
    delta_->add_entity(proposition,
                       {static_cast<std::uint32_t>(EntityKind::kProposition), code(triple.subject),
                        triple.predicate.code, triple.object.code});
  }
  Context context;
  context.born = sequence_;
  context.graph = code(options.graph);
  context.confidence = options.confidence;
  context.provenance = options.provenance;
  const std::uint32_t id = delta_->add_context(context);
  assert_row(triple, proposition, id);
  if (triple.predicate == kTypePredicate) {
    const Term name{state_->entity(code(triple.subject)).b};
    assert_row({triple.subject, kNamePredicate, name}, 0, id);
  }
  moved();
  if (!record_) return;
  Operation operation;
  operation.kind = OperationKind::kAssert;
  operation.id = proposition;
  operation.triple = triple;
  operation.graph = code(options.graph);
  operation.confidence = options.confidence;
  operation.provenance = options.provenance;
  operations_.write(operation);
}

// Requires rows that nobody asserts, and links that have no id yet.
void Writer::do_bulk(const BulkRows& bulk) {
  if (record_) {
    const std::string bytes = encode_rows(bulk.rows);
    Operation operation;
    operation.kind = OperationKind::kBulk;
    operation.id = bulk.first_proposition;
    operation.graph = code(bulk.options.graph);
    operation.confidence = bulk.options.confidence;
    operation.provenance = bulk.options.provenance;
    operation.text = bytes;
    operations_.write(operation);
  }
  Context context;
  context.born = sequence_;
  context.graph = code(bulk.options.graph);
  context.confidence = bulk.options.confidence;
  context.provenance = bulk.options.provenance;
  const std::uint32_t id = delta_->add_context(context);
  moved();
  if (absorb_ && bulk.rows.size() >= limits_.big_bulk_rows &&
      bulk.rows.size() >= state_->base->rows() / 8) {
    absorb_(bulk, id);
    return;
  }
  std::uint32_t proposition = bulk.first_proposition;
  for (const BulkRow& row : bulk.rows) {
    const Triple triple{static_cast<EntityId>(row.s), {row.p}, {row.o}};
    std::uint32_t own = 0;
    if (row.is_link()) {
      own = proposition++;
      delta_->add_entity(
          own, {static_cast<std::uint32_t>(EntityKind::kProposition), row.s, row.p, row.o});
    }
    assert_row(triple, own, id);
    if (row.p == kTypePredicate.code) {
      assert_row({triple.subject, kNamePredicate, {state_->entity(row.s).b}}, 0, id);
    }
  }
  moved();
}

bool Writer::is_known(const BulkRow& row) const {
  if (row.s >= state_->entity_bound) return false;
  if (state_->find(row.s, row.p, row.o)) return true;
  return row.is_link() && state_->known_proposition(row.s, row.p, row.o) != 0;
}

Status Writer::check_bulk(const BulkRows& bulk) const {
  ANIMA_TRY(check_options(bulk.options));
  std::uint32_t predicate = 0;
  for (const BulkRow& row : bulk.rows) {
    const EntityRecord subject = state_->entity(row.s);
    if (subject.kind == 0) return check_entity(static_cast<EntityId>(row.s), "subject");
    ANIMA_TRY(check_object({row.o}));
    if (row.p == predicate && row.p != kTypePredicate.code) continue;
    predicate = row.p;
    const Predicate p{row.p};
    const std::uint32_t payload = row.p & kPayloadMask;
    bool good = false;
    switch (p.predicate_class()) {
      case PredicateClass::kLink:
        good = state_->entity(payload).a == code(kPropositionType);
        break;
      case PredicateClass::kStructural:
        good = p == kTypePredicate && subject.a == row.o;
        break;
      default:
        good = payload != 0 && payload < state_->term_bound;
    }
    if (!good) return fail(ErrorCode::kInvalidArgument, "a bulk holds a predicate that is none");
  }
  return {};
}

Status Writer::bulk(BulkRows bulk) {
  sort_unique(bulk.rows);
  ANIMA_TRY(check_bulk(bulk));
  std::vector<BulkRow> known;
  if (state_->base->rows() != 0 || delta_->has_rows()) {
    const auto fresh = std::stable_partition(bulk.rows.begin(), bulk.rows.end(),
                                             [&](const BulkRow& row) { return !is_known(row); });
    known.assign(fresh, bulk.rows.end());
    bulk.rows.erase(fresh, bulk.rows.end());
  }
  if (bulk.rows.size() > kMaxId - state_->entity_bound) return full();
  if (!bulk.rows.empty()) {
    bulk.first_proposition = state_->entity_bound;
    do_bulk(bulk);
  }
  for (const BulkRow& row : known) {
    ANIMA_TRY(assert_triple({static_cast<EntityId>(row.s), {row.p}, {row.o}}, bulk.options));
  }
  return {};
}

void Writer::assert_row(const Triple& triple, std::uint32_t proposition, std::uint32_t context) {
  const RowRef row = state_->find(code(triple.subject), triple.predicate.code, triple.object.code);
  const std::uint32_t graph = delta_->context(context).graph;
  if (!row) {
    delta_->add_row(triple, proposition, context, sequence_);
    count_row(triple.predicate.code, 1);
    count_graph(graph, 1);
    return;
  }
  std::vector<std::uint32_t> contexts;
  bool had = false;
  state_->each_context(state_->set_of(row), [&](std::uint32_t id, const Context& other) {
    if (other.graph == graph) {
      had = true;
    } else {
      contexts.push_back(id);
    }
  });
  contexts.push_back(context);
  kill(row);
  delta_->add_row(triple, proposition, delta_->add_set(contexts), sequence_);
  if (!had) count_graph(graph, 1);
}

void Writer::do_retract(const Triple& triple, GraphId graph) {
  retract_row(triple, code(graph));
  if (triple.predicate == kTypePredicate) {
    const Term name{state_->entity(code(triple.subject)).b};
    retract_row({triple.subject, kNamePredicate, name}, code(graph));
  }
  moved();
  if (!record_) return;
  Operation operation;
  operation.kind = OperationKind::kRetract;
  operation.triple = triple;
  operation.graph = code(graph);
  operations_.write(operation);
}

bool Writer::retract_row(const Triple& triple, std::uint32_t graph) {
  const RowRef row = state_->find(code(triple.subject), triple.predicate.code, triple.object.code);
  if (!row) return false;
  std::vector<std::uint32_t> contexts;
  bool had = false;
  state_->each_context(state_->set_of(row), [&](std::uint32_t id, const Context& other) {
    if (other.graph == graph) {
      had = true;
    } else {
      contexts.push_back(id);
    }
  });
  if (!had) return false;
  const std::uint32_t proposition = state_->proposition_of(row);
  kill(row);
  if (contexts.empty()) {
    count_row(triple.predicate.code, -1);
  } else {
    delta_->add_row(triple, proposition, delta_->add_set(contexts), sequence_);
  }
  count_graph(graph, -1);
  return true;
}

void Writer::kill(RowRef row) {
  if (row.layer == state_->layers.size()) {
    delta_->kill_row(row.row, sequence_);
  } else if (row.layer == 0) {
    const std::uint32_t place[3] = {row.row, state_->base->pos_place(row.row),
                                    state_->base->ops_place(row.row)};
    delta_->kill_below(place, sequence_);
  } else {
    const std::uint32_t address = state_->layers[row.layer - 1].delta->firsts().row + row.row;
    const std::uint32_t place[3] = {address, kNoRow, kNoRow};
    delta_->kill_below(place, sequence_);
  }
  state_->plain = false;
}

void Writer::count(std::uint64_t key, std::int64_t change, std::int64_t below) {
  for (std::size_t k = 0; k + 1 < state_->layers.size(); ++k) {
    below = state_->layers[k].delta->count(key, state_->layers[k].sequence, below);
  }
  delta_->add_count(key, change, below, sequence_);
}

void Writer::count_row(std::uint32_t predicate, std::int64_t change) {
  count(predicate_count_key(predicate), change, state_->base->of_predicate(predicate).size());
  if (Predicate{predicate}.predicate_class() == PredicateClass::kLink) {
    count(kLinksKey, change, static_cast<std::int64_t>(state_->base->counts().propositions));
  }
}

void Writer::count_graph(std::uint32_t graph, std::int64_t change) {
  const Base& base = *state_->base;
  count(graph_count_key(graph), change,
        graph < base.graph_bound() ? static_cast<std::int64_t>(base.graph_sizes[graph]) : 0);
  count(kAssertionsKey, change, static_cast<std::int64_t>(base.counts().assertions));
}

void Writer::do_drop(GraphId graph) {
  const std::uint32_t id = code(graph);
  SnapshotState narrow = *state_;
  narrow.scope = std::make_shared<GraphScope>(GraphScope{id});
  narrow.plain = narrow.listed = false;
  const auto scoped = std::make_shared<const SnapshotState>(std::move(narrow));
  for (std::uint32_t kind = 0; kind < 4; ++kind) {
    CodePattern pattern;
    pattern.p_first = kind << kTagShift;
    pattern.p_last = pattern.p_first | kPayloadMask;
    const Snapshot view(scoped);
    std::vector<Triple> rows;
    Pattern all;
    all.predicate_class = static_cast<PredicateClass>(kind);
    Cursor cursor = view.scan(all);
    for (Triple batch[256];;) {
      const std::size_t got = cursor.next(batch);
      if (got == 0) break;
      rows.insert(rows.end(), batch, batch + got);
    }
    for (const Triple& row : rows) retract_row(row, id);
  }
  moved();
  if (!record_) return;
  Operation operation;
  operation.kind = OperationKind::kDropGraph;
  operation.graph = id;
  operations_.write(operation);
}

void Writer::pad(std::uint32_t entities, std::uint32_t literals, std::uint32_t graphs) {
  if (entities > delta_->entity_bound()) delta_->add_entity(entities - 1, {});
  if (literals > delta_->term_bound()) delta_->pad_terms(literals);
  while (delta_->graph_bound() < graphs) delta_->add_graph({});
  moved();
}

Status Writer::apply(const Operation& operation) {
  const auto corrupt = [](std::string_view what) {
    return fail(ErrorCode::kCorrupt, "a log entry " + std::string(what));
  };
  // What an erased entry defined keeps its number and says nothing; what is said of it later is let
  // be.
  const auto erased = [&](const Triple& t) {
    return t.predicate.predicate_class() == PredicateClass::kStructural &&
           state_->entity(code(t.subject)).kind == 0;
  };
  const auto link_fits = [&](const Triple& t) {
    const std::uint32_t p = t.predicate.code & kPayloadMask;
    if (code(t.subject) == 0 || code(t.subject) >= state_->entity_bound || p == 0) return false;
    switch (t.predicate.predicate_class()) {
      case PredicateClass::kLink:
        if (p >= state_->entity_bound) return false;
        break;
      case PredicateClass::kStructural:
        if (t.predicate != kTypePredicate) return false;
        if (!erased(t) && state_->entity(code(t.subject)).a != t.object.code) return false;
        break;
      default:
        if (p >= state_->term_bound) return false;
    }
    if (t.object.tag() == Tag::kLiteral)
      return t.object.place() != 0 && t.object.place() < state_->term_bound;
    if (t.object.tag() == Tag::kEntity)
      return t.object.code != 0 && t.object.code < state_->entity_bound;
    return t.object.tag() == Tag::kInteger;
  };
  switch (operation.kind) {
    case OperationKind::kTerm:
      if (operation.id != state_->term_bound || !is_stored_value(operation.text) ||
          state_->find_stored(operation.text) != 0) {
        return corrupt("defines an impossible term");
      }
      do_term(operation.id, operation.text);
      return {};
    case OperationKind::kGraph:
      if (operation.id != state_->graph_bound) {
        return corrupt("defines an impossible graph");
      }
      do_graph(operation.id, operation.text);
      return {};
    case OperationKind::kConcept:
      if (operation.id != state_->entity_bound || operation.id > kMaxId ||
          code(operation.type) == 0 || code(operation.type) > operation.id ||
          operation.triple.object.tag() != Tag::kLiteral ||
          operation.triple.object.place() >= state_->term_bound) {
        return corrupt("defines an impossible concept");
      }
      do_concept(operation.id, operation.type, operation.triple.object);
      return {};
    case OperationKind::kQuote:
      if (operation.id != state_->entity_bound || operation.id > kMaxId ||
          !link_fits(operation.triple) ||
          operation.triple.predicate.predicate_class() != PredicateClass::kLink) {
        return corrupt("quotes an impossible link");
      }
      do_quote(operation.id, operation.triple);
      return {};
    case OperationKind::kAssert: {
      if (!link_fits(operation.triple) || operation.graph >= state_->graph_bound) {
        return corrupt("asserts something impossible");
      }
      if (operation.triple.predicate.predicate_class() == PredicateClass::kLink) {
        const std::uint32_t known = state_->known_proposition(code(operation.triple.subject),
                                                              operation.triple.predicate.code,
                                                              operation.triple.object.code);
        const bool fits = known != 0 ? operation.id == known
                                     : operation.id != 0 && operation.id <= kMaxId &&
                                           (operation.id == state_->entity_bound ||
                                            (operation.id < state_->entity_bound &&
                                             state_->entity(operation.id).kind == 0));
        if (!fits) return corrupt("gives a link an impossible id");
      }
      if (erased(operation.triple)) return {};
      AssertOptions options;
      options.graph = static_cast<GraphId>(operation.graph);
      options.confidence = operation.confidence;
      options.provenance = operation.provenance;
      do_assert(operation.triple, operation.id, options);
      return {};
    }
    case OperationKind::kRetract:
      if (!link_fits(operation.triple)) return corrupt("retracts something impossible");
      if (erased(operation.triple)) return {};
      do_retract(operation.triple, static_cast<GraphId>(operation.graph));
      return {};
    case OperationKind::kDropGraph:
      if (operation.graph >= state_->graph_bound) return corrupt("drops an impossible graph");
      do_drop(static_cast<GraphId>(operation.graph));
      return {};
    case OperationKind::kRecord:
      return {};
    case OperationKind::kBulk: {
      BulkRows bulk;
      bulk.options.graph = static_cast<GraphId>(operation.graph);
      bulk.options.confidence = operation.confidence;
      bulk.options.provenance = operation.provenance;
      bulk.first_proposition = operation.id;
      ANIMA_ASSIGN(bulk.rows, decode_rows(operation.text));
      if (operation.id != state_->entity_bound || operation.graph >= state_->graph_bound ||
          bulk.rows.size() > kMaxId - state_->entity_bound) {
        return corrupt("holds an impossible bulk");
      }
      const bool empty = state_->base->rows() == 0 && !delta_->has_rows();
      std::size_t lost = 0;
      for (const BulkRow& row : bulk.rows) {
        const Triple triple{static_cast<EntityId>(row.s), {row.p}, {row.o}};
        if (!link_fits(triple)) return corrupt("holds an impossible bulk");
        if (!empty && is_known(row)) return corrupt("asserts again in bulk");
        lost += row.p == kTypePredicate.code && erased(triple) ? 1 : 0;
      }
      if (lost != 0) {
        std::erase_if(bulk.rows, [&](const BulkRow& row) {
          return row.p == kTypePredicate.code && state_->entity(row.s).kind == 0;
        });
      }
      do_bulk(bulk);
      return {};
    }
  }
  return corrupt("holds an unknown operation");
}

// --- changes
// ------------------------------------------------------------------------------------------------------

Status Writer::check_options(const AssertOptions& options) const {
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
  if (place > kMaxId)
    return fail(ErrorCode::kLimitExceeded, "the dictionary is full (2^30 values)");
  do_term(place, stored);
  return Term::literal(place);
}

GraphId Writer::graph(std::string_view name) {
  for (std::uint32_t id = 0; id < state_->graph_bound; ++id) {
    if (state_->graph_name(id) == name) return static_cast<GraphId>(id);
  }
  const std::uint32_t id = state_->graph_bound;
  do_graph(id, name);
  return static_cast<GraphId>(id);
}

EntityId Writer::known_concept(EntityId type, std::string_view name) const {
  ValueView value;
  value.kind = ValueKind::kString;
  value.text = name;
  const auto term = state_->find_value(value);
  if (!term) return EntityId::kNone;
  const std::uint32_t hash = hash_term(fold_case(name));
  std::uint32_t found = 0;
  const auto offer = [&](std::uint32_t id) {
    if (id >= state_->entity_bound) return;
    const EntityRecord record = state_->entity(id);
    if (record.a == code(type) && record.b == term->code) found = id;
  };
  state_->base->labels(hash, offer);
  for (const LayerView& layer : state_->layers) layer.delta->labels(hash, offer);
  return static_cast<EntityId>(found);
}

bool Writer::says(const Triple& triple, const AssertOptions& options) const {
  const RowRef row = state_->find(code(triple.subject), triple.predicate.code, triple.object.code);
  if (!row) return false;
  bool same = false;
  state_->each_context(state_->set_of(row), [&](std::uint32_t, const Context& context) {
    same =
        same || (context.graph == code(options.graph) && context.confidence == options.confidence &&
                 context.provenance == options.provenance);
  });
  return same;
}

bool Writer::asserts(const Triple& triple, std::uint32_t graph) const {
  const RowRef row = state_->find(code(triple.subject), triple.predicate.code, triple.object.code);
  if (!row) return false;
  bool found = false;
  state_->each_context(state_->set_of(row), [&](std::uint32_t, const Context& context) {
    found = found || context.graph == graph;
  });
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
  if (state_->entity_bound > kMaxId) return full();
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

bool Writer::retract_triple(const Triple& triple, GraphId graph) {
  if (!asserts(triple, code(graph))) return false;
  do_retract(triple, graph);
  return true;
}

Result<EntityId> Writer::assert_link(const Triple& link, const AssertOptions& options) {
  ANIMA_TRY(check_options(options));
  ANIMA_TRY(check_link(link));
  std::uint32_t id =
      state_->known_proposition(code(link.subject), link.predicate.code, link.object.code);
  if (id == 0) {
    id = state_->entity_bound;
    if (id > kMaxId) return full();
  } else if (says(link, options)) {
    return static_cast<EntityId>(id);
  }
  do_assert(link, id, options);
  return static_cast<EntityId>(id);
}

Result<EntityId> Writer::quote_link(const Triple& link) {
  ANIMA_TRY(check_link(link));
  std::uint32_t id =
      state_->known_proposition(code(link.subject), link.predicate.code, link.object.code);
  if (id == 0) {
    id = state_->entity_bound;
    if (id > kMaxId) return full();
    do_quote(id, link);
  }
  return static_cast<EntityId>(id);
}

Status Writer::retract_link(const Triple& link, GraphId graph) {
  if (link.predicate.predicate_class() != PredicateClass::kLink) {
    return fail(ErrorCode::kInvalidArgument, "only a link can be retracted this way");
  }
  if (!asserts(link, code(graph))) {
    return fail(ErrorCode::kNotFound, "the graph does not assert this link");
  }
  withdraw_link(link, graph);
  return {};
}

// With the attributes and metadata that the graph gives to the link.
void Writer::withdraw_link(const Triple& link, GraphId graph) {
  const std::uint32_t id =
      state_->known_proposition(code(link.subject), link.predicate.code, link.object.code);
  do_retract(link, graph);
  const auto values = triples_of(static_cast<EntityId>(id), class_first(PredicateClass::kAttribute),
                                 class_last(PredicateClass::kMetadata), graph);
  for (const Triple& value : values) do_retract(value, graph);
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
  narrow.scope = std::make_shared<GraphScope>(GraphScope{code(graph)});
  narrow.plain = narrow.listed = false;
  const auto scoped = std::make_shared<const SnapshotState>(std::move(narrow));
  CodePattern pattern;
  pattern.s = code(subject);
  pattern.p_first = first;
  pattern.p_last = last;
  if (first == last) pattern.p = first;
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
  for (const Triple& old : triples_of(entity, predicate.code, predicate.code, options.graph)) {
    if (std::find(values.begin(), values.end(), old.object) == values.end())
      do_retract(old, options.graph);
  }
  for (const Term value : values) {
    const Triple triple{entity, predicate, value};
    if (!says(triple, options)) do_assert(triple, 0, options);
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
  narrow.scope = std::make_shared<GraphScope>(GraphScope{code(graph)});
  narrow.plain = narrow.listed = false;
  const auto scoped = std::make_shared<const SnapshotState>(std::move(narrow));
  CodePattern pattern;
  pattern.o = code(entity);
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
        open.push_back(static_cast<EntityId>(
            state_->known_proposition(code(link.subject), link.predicate.code, link.object.code)));
        withdraw_link(link, graph);
      }
    }
  }
  const auto values = triples_of(entity, class_first(PredicateClass::kAttribute),
                                 class_last(PredicateClass::kMetadata), graph);
  for (const Triple& value : values) do_retract(value, graph);
  do_retract(existence, graph);
  return {};
}

Status Writer::drop_graph(GraphId graph) {
  if (code(graph) >= state_->graph_bound) {
    return fail(ErrorCode::kNotFound,
                "there is no graph with the id " + std::to_string(code(graph)));
  }
  const Snapshot now(state_);
  if (now.graph_size(graph) != 0) do_drop(graph);
  return {};
}

Status Writer::record(RecordKind kind, std::string_view payload) {
  Operation operation;
  operation.kind = OperationKind::kRecord;
  operation.id = static_cast<std::uint32_t>(kind);
  operation.text = payload;
  operations_.write(operation);
  return {};
}

}  // namespace anima::store::detail
