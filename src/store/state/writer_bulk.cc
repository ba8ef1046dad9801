// Writer: many statements as one operation.
#include <algorithm>

#include "store/state/writer.h"
#include "store/state/writer_codes.h"

namespace anima::store::detail {

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
      bulk.rows.size() >= state_->base->rows() / 8 && absorb_(bulk, id)) {
    rows_written_ += bulk.rows.size();
    return;
  }
  std::uint32_t proposition = bulk.first_proposition;
  for (const BulkRow& row : bulk.rows) {
    const Triple triple{row.s.typed(), row.p.typed(), row.o.typed()};
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

// A concept's existence brings its name.
Status Writer::check_bulk_room(const BulkRows& bulk) const {
  std::uint64_t rows = bulk.rows.size();
  for (const BulkRow& row : bulk.rows) rows += row.p == kTypePredicate.code ? 1 : 0;
  const std::uint64_t last = std::uint64_t{state_->entity_bound} + bulk.links();
  if (bulk.links() != 0) ANIMA_TRY(check_limit(last - 1, limits_.numbers.entities, kEntitiesWords));
  return check_room(rows);
}

Status Writer::check_bulk(const BulkRows& bulk) const {
  ANIMA_TRY(check_options(bulk.options));
  std::uint32_t predicate = 0;
  for (const BulkRow& row : bulk.rows) {
    const EntityRecord subject = state_->entity(row.s);
    if (subject.kind == 0) return check_entity(row.s.typed(), "subject");
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
  ANIMA_TRY(check_bulk_room(bulk));
  if (!bulk.rows.empty()) {
    bulk.first_proposition = state_->entity_bound;
    do_bulk(bulk);
  }
  for (const BulkRow& row : known) {
    ANIMA_TRY(assert_triple({row.s.typed(), row.p.typed(), row.o.typed()}, bulk.options));
  }
  return {};
}

}  // namespace anima::store::detail
