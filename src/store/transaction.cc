#include "store/transaction.h"

#include "store/holds.h"
#include "store/state/writer.h"

namespace anima::store {
namespace {

// What is no time would bound nothing, and nobody would notice.
Status check_time(const Snapshot& now, EntityId entity, std::string_view key, Term value) {
  const bool time = key == "valid_from" || key == "valid_to" || key == "observed_at";
  const bool known = static_cast<std::uint32_t>(entity) < now.entity_bound();
  if ((!time && key != kHeldBefore) || !known || now.kind(entity) != EntityKind::kProposition)
    return {};
  const std::string text(now.value(value).text);
  if (time ? parse_timestamp(text).has_value() : read_periods(now.value(value)).has_value())
    return {};
  return fail(ErrorCode::kInvalidArgument,
              "the " + std::string(key) + " of a link must be " +
                  (time ? "a time" : "two times that follow one another") + ", and is " +
                  now.display(value),
              std::string(key),
              time ? "write a date, as 2026-03-01, or a time with its zone, as "
                     "2026-03-01T09:00:00Z"
                   : "write them as 2010-01-01/2015-01-01");
}

}  // namespace

Snapshot Transaction::view() const { return writer_.view(); }
const Snapshot& Transaction::live() const { return writer_.live(); }

Result<Term> Transaction::term(const ValueView& value) { return writer_.term(value); }

GraphId Transaction::graph(std::string_view name) { return writer_.graph(name); }

Result<EntityId> Transaction::upsert_concept(EntityId type, std::string_view name,
                                             const AssertOptions& options) {
  return writer_.upsert_concept(type, name, options);
}
Result<EntityId> Transaction::upsert_type(std::string_view name, const AssertOptions& options) {
  return writer_.upsert_concept(kConceptType, name, options);
}
Result<EntityId> Transaction::upsert_predicate(std::string_view name,
                                               const AssertOptions& options) {
  return writer_.upsert_concept(kPropositionType, name, options);
}

Result<EntityId> Transaction::assert_link(const Triple& link, const AssertOptions& options) {
  return writer_.assert_link(link, options);
}
Result<EntityId> Transaction::quote_link(const Triple& link) { return writer_.quote_link(link); }
Status Transaction::retract_link(const Triple& link, GraphId graph) {
  return writer_.retract_link(link, graph);
}

Status Transaction::set_attribute(EntityId entity, std::string_view key,
                                  std::span<const Term> values, const AssertOptions& options) {
  return writer_.set_values(entity, PredicateClass::kAttribute, key, values, options);
}
Status Transaction::set_metadata(EntityId entity, std::string_view key,
                                 std::span<const Term> values, const AssertOptions& options) {
  for (const Term value : values) ANIMA_TRY(check_time(live(), entity, key, value));
  return writer_.set_values(entity, PredicateClass::kMetadata, key, values, options);
}
Status Transaction::add_attribute(EntityId entity, std::string_view key, Term value,
                                  const AssertOptions& options) {
  return writer_.add_value(entity, PredicateClass::kAttribute, key, value, options);
}

Result<bool> Transaction::add_value(const Triple& statement, const AssertOptions& options) {
  const PredicateClass kind = statement.predicate.predicate_class();
  const std::uint32_t place = statement.predicate.code & kPayloadMask;
  if ((kind != PredicateClass::kAttribute && kind != PredicateClass::kMetadata) || place == 0 ||
      place >= writer_.state().term_bound) {
    return fail(ErrorCode::kInvalidArgument, "a value needs the predicate of a known key");
  }
  if (kind == PredicateClass::kMetadata)
    ANIMA_TRY(check_time(live(), statement.subject, live().value(statement.predicate.key()).text,
                         statement.object));
  return writer_.assert_triple(statement, options);
}

Result<bool> Transaction::retract(const Triple& statement, GraphId graph) {
  return writer_.retract_triple(statement, graph);
}
Status Transaction::retract_concept(EntityId entity, GraphId graph, bool detach) {
  return writer_.retract_concept(entity, graph, detach);
}
Status Transaction::drop_graph(GraphId graph) { return writer_.drop_graph(graph); }
Status Transaction::record(RecordKind kind, std::string_view payload) {
  return writer_.record(kind, payload);
}
Status Transaction::attach(RecordKind kind, std::string_view payload) {
  return writer_.attach(kind, payload);
}
Status Transaction::lower_trust(Trust most) { return writer_.lower_trust(most); }

}  // namespace anima::store
