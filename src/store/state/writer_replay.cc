// Writer: operations from a log, which may be damaged: each is checked against the state first.
#include "store/base/value_code.h"
#include "store/state/writer.h"
#include "store/state/writer_codes.h"

namespace anima::store::detail {
namespace {

Unexpected<Error> corrupt(std::string_view what) {
  return fail(ErrorCode::kCorrupt, "a log entry " + std::string(what));
}

}  // namespace

void Writer::pad(std::uint32_t entities, std::uint32_t literals, std::uint32_t graphs) {
  if (entities > delta_->entity_bound()) delta_->add_entity(entities - 1, {});
  if (literals > delta_->term_bound()) delta_->pad_terms(literals);
  while (delta_->graph_bound() < graphs) delta_->add_graph({});
  moved();
}

// What an erased entry defined keeps its number and says nothing; what is said of it later is let
// be.
bool Writer::is_erased(const Triple& statement) const {
  return statement.predicate.predicate_class() == PredicateClass::kStructural &&
         state_->entity(code(statement.subject)).kind == 0;
}

// Whether the state has what the statement is about.
bool Writer::fits(const Triple& statement) const {
  const std::uint32_t subject = code(statement.subject);
  const std::uint32_t p = statement.predicate.code & kPayloadMask;
  if (subject == 0 || subject >= state_->entity_bound || p == 0) return false;
  switch (statement.predicate.predicate_class()) {
    case PredicateClass::kLink:
      if (p >= state_->entity_bound) return false;
      break;
    case PredicateClass::kStructural:
      if (statement.predicate != kTypePredicate) return false;
      if (!is_erased(statement) && state_->entity(subject).a != statement.object.code) return false;
      break;
    default:
      if (p >= state_->term_bound) return false;
  }
  const Term object = statement.object;
  if (object.tag() == Tag::kLiteral)
    return object.place() != 0 && object.place() < state_->term_bound;
  if (object.tag() == Tag::kEntity) return object.code != 0 && object.code < state_->entity_bound;
  return object.tag() == Tag::kInteger;
}

Status Writer::apply_assert(const Operation& operation) {
  const Triple& statement = operation.triple;
  if (!fits(statement) || operation.graph >= state_->graph_bound) {
    return corrupt("asserts something impossible");
  }
  if (statement.predicate.predicate_class() == PredicateClass::kLink) {
    const std::uint32_t known = proposition_of(statement);
    const bool good = known != 0 ? operation.id == known
                                 : operation.id != 0 && (operation.id == state_->entity_bound ||
                                                         (operation.id < state_->entity_bound &&
                                                          state_->entity(operation.id).kind == 0));
    if (!good) return corrupt("gives a link an impossible id");
    ANIMA_TRY(check_limit(operation.id, limits_.numbers.entities, kEntitiesWords));
  }
  if (is_erased(statement)) return {};
  ANIMA_TRY(check_room(2));
  AssertOptions options;
  options.graph = static_cast<GraphId>(operation.graph);
  options.confidence = operation.confidence;
  options.provenance = operation.provenance;
  if (operation.said > sequence_) return corrupt("is the word of an entry that is not there yet");
  do_assert(statement, operation.id, options, operation.said);
  return {};
}

Status Writer::apply_bulk(const Operation& operation) {
  BulkRows bulk;
  bulk.options.graph = static_cast<GraphId>(operation.graph);
  bulk.options.confidence = operation.confidence;
  bulk.options.provenance = operation.provenance;
  bulk.first_proposition = operation.id;
  ANIMA_ASSIGN(bulk.rows, decode_rows(operation.text));
  if (operation.id != state_->entity_bound || operation.graph >= state_->graph_bound) {
    return corrupt("holds an impossible bulk");
  }
  ANIMA_TRY(check_bulk_room(bulk));
  const bool empty = state_->base->rows() == 0 && !delta_->has_rows();
  std::size_t lost = 0;
  for (const BulkRow& row : bulk.rows) {
    const Triple triple{row.s.typed(), row.p.typed(), row.o.typed()};
    if (!fits(triple)) return corrupt("holds an impossible bulk");
    if (!empty && is_known(row)) return corrupt("asserts again in bulk");
    lost += row.p == kTypePredicate.code && is_erased(triple) ? 1 : 0;
  }
  if (lost != 0) {
    std::erase_if(bulk.rows, [&](const BulkRow& row) {
      return row.p == kTypePredicate.code && state_->entity(row.s).kind == 0;
    });
  }
  do_bulk(bulk);
  return {};
}

Status Writer::apply(const Operation& operation) {
  switch (operation.kind) {
    case OperationKind::kTerm:
      if (operation.id != state_->term_bound || !is_stored_value(operation.text) ||
          state_->find_stored(operation.text) != 0) {
        return corrupt("defines an impossible term");
      }
      ANIMA_TRY(check_limit(operation.id, limits_.numbers.literals, kLiteralsWords));
      ANIMA_TRY(check_limit(operation.text.size(), limits_.numbers.value, kValueWords));
      do_term(operation.id, operation.text);
      return {};
    case OperationKind::kGraph:
      if (operation.id != state_->graph_bound) {
        return corrupt("defines an impossible graph");
      }
      ANIMA_TRY(check_limit(operation.id, limits_.numbers.graphs, kGraphsWords));
      ANIMA_TRY(check_limit(operation.text.size(), limits_.numbers.value, kValueWords));
      do_graph(operation.id, operation.text);
      return {};
    case OperationKind::kConcept:
      if (operation.id != state_->entity_bound || code(operation.type) == 0 ||
          code(operation.type) > operation.id || operation.triple.object.tag() != Tag::kLiteral ||
          operation.triple.object.place() >= state_->term_bound) {
        return corrupt("defines an impossible concept");
      }
      ANIMA_TRY(check_limit(operation.id, limits_.numbers.entities, kEntitiesWords));
      do_concept(operation.id, operation.type, operation.triple.object);
      return {};
    case OperationKind::kQuote:
      if (operation.id != state_->entity_bound || !fits(operation.triple) ||
          operation.triple.predicate.predicate_class() != PredicateClass::kLink) {
        return corrupt("quotes an impossible link");
      }
      ANIMA_TRY(check_limit(operation.id, limits_.numbers.entities, kEntitiesWords));
      ANIMA_TRY(check_room(1));
      do_quote(operation.id, operation.triple);
      return {};
    case OperationKind::kAssert:
      return apply_assert(operation);
    case OperationKind::kRetract:
      if (!fits(operation.triple)) return corrupt("retracts something impossible");
      if (is_erased(operation.triple)) return {};
      ANIMA_TRY(check_room(2));
      do_retract(operation.triple, static_cast<GraphId>(operation.graph));
      return {};
    case OperationKind::kDropGraph:
      if (operation.graph >= state_->graph_bound) return corrupt("drops an impossible graph");
      ANIMA_TRY(check_room_to_drop(static_cast<GraphId>(operation.graph)));
      do_drop(static_cast<GraphId>(operation.graph));
      return {};
    case OperationKind::kRecord:
      if (operation.id == static_cast<std::uint32_t>(RecordKind::kUndo)) delta_->mark_undo();
      return {};
    case OperationKind::kAttachment:
      return {};
    case OperationKind::kAct:
      if (operation.provenance >= sequence_)
        return fail(ErrorCode::kCorrupt, "an entry belongs to an act that began after it");
      delta_->mark_act(static_cast<std::uint32_t>(operation.provenance));
      return {};
    case OperationKind::kTaken: {
      const auto last = [](std::uint32_t bound) { return bound == 0 ? 0 : bound - 1; };
      ANIMA_TRY(check_limit(last(operation.id), limits_.numbers.entities, kEntitiesWords));
      ANIMA_TRY(check_limit(last(operation.graph), limits_.numbers.literals, kLiteralsWords));
      pad(operation.id, operation.graph, 0);
      return {};
    }
    case OperationKind::kBulk:
      return apply_bulk(operation);
  }
  return corrupt("holds an unknown operation");
}

}  // namespace anima::store::detail
