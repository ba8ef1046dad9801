#include "store/bulk.h"

#include <vector>

#include "store/base/bulk_rows.h"
#include "store/state/writer.h"

namespace anima::store {

struct BulkWriter::State {
  State(detail::Writer& to, const AssertOptions& given) : writer(to) { bulk.options = given; }

  // The concept of `type` named by each dictionary place, as far as it was asked for; 0 = not yet.
  std::uint32_t& known(EntityId type, std::uint32_t place) {
    if (type != type_of_known) {
      by_place.clear();
      type_of_known = type;
    }
    if (place >= by_place.size()) by_place.resize(std::size_t{place} * 3 / 2 + 64, 0);
    return by_place[place];
  }

  detail::Writer& writer;
  detail::BulkRows bulk;
  EntityId type_of_known = EntityId::kNone;
  std::vector<std::uint32_t> by_place;
};

BulkWriter::BulkWriter(Transaction& transaction, const AssertOptions& options)
    : state_(std::make_unique<State>(transaction.writer(), options)) {}
BulkWriter::~BulkWriter() = default;

Result<EntityId> BulkWriter::upsert_concept(EntityId type, std::string_view name) {
  ValueView value;
  value.kind = ValueKind::kString;
  value.text = name;
  ANIMA_ASSIGN(const Term term, state_->writer.term(value));
  std::uint32_t& known = state_->known(type, term.place());
  if (known == 0) {
    ANIMA_TRY(state_->writer.check_type(type));
    ANIMA_ASSIGN(const EntityId id, state_->writer.concept_id(type, name));
    known = static_cast<std::uint32_t>(id);
    add({id, kTypePredicate, Term::entity(type)});
  }
  return static_cast<EntityId>(known);
}

Result<EntityId> BulkWriter::concept_id(EntityId type, std::string_view name) {
  ANIMA_TRY(state_->writer.check_type(type));
  return state_->writer.concept_id(type, name);
}

Result<Term> BulkWriter::term(const ValueView& value) { return state_->writer.term(value); }

void BulkWriter::add(const Triple& triple) {
  state_->bulk.rows.push_back({triple.subject, triple.predicate, triple.object});
}

Status BulkWriter::finish() { return state_->writer.bulk(std::move(state_->bulk)); }

}  // namespace anima::store
