#include "agent/house/told_facts.h"

#include <algorithm>

#include "memory/provenance.h"
#include "store/restate.h"

namespace anima::agent {
namespace {

// Is there a value, and does nobody else state it: neither a compartment nor somebody who is
// trusted more?
bool may_correct(const store::Snapshot& now, const ask::Statement& said, store::Trust trust) {
  const auto key = now.find_string(said.key);
  if (!key) return false;
  const auto predicate = store::Predicate::attribute(*key);
  store::Scratch scratch;
  const auto values = now.objects(said.subject, predicate, scratch);
  for (const std::uint32_t code : values) {
    for (const auto& one : now.assertions({said.subject, predicate, store::Term{code}})) {
      if (one.graph != store::GraphId::kDefault || now.entry(one.born).trust > trust) return false;
    }
  }
  return !values.empty();
}

Status write_statement(store::Transaction& transaction, const ask::Statement& said,
                       store::Trust trust, store::AssertOptions options) {
  const store::Snapshot& now = transaction.live();
  for (const store::EntityId thing : {said.subject, said.object}) {
    if (thing != store::EntityId::kNone && !now.exists(thing))
      return fail(ErrorCode::kConflict, "what the sentence names is gone", {}, "say it again");
  }
  if (said.is_link()) {
    const store::Triple link{said.subject, said.predicate, store::Term::entity(said.object)};
    return store::state_link(transaction, link, options).map([](store::EntityId) {});
  }
  ANIMA_ASSIGN(const store::Term value, transaction.term(said.value.view()));
  if (said.key == ask::kSaidToBe)
    return transaction.add_attribute(said.subject, said.key, value, options);
  // What is said corrects what nobody more trusted has said; else it stands beside that.
  const bool corrects = may_correct(now, said, trust);
  if (corrects) options.graph = store::GraphId::kDefault;
  return transaction.set_attribute(said.subject, said.key, std::span(&value, 1), options);
}

}  // namespace

Result<std::string> ToldFacts::keep(const memory::NewMemory& item,
                                    const memory::StoredMemory& stored) {
  const bool open = item.kind == memory::ItemKind::kKnowledge && !stored.quarantined &&
                    stored.partition != memory::Partition::kSensitive && stored.readers.empty();
  if (!open) return std::string();
  if (asker_ == nullptr) {
    ANIMA_ASSIGN(asker_, SpaceAsker::open(space_, files_));
  }
  ask::AskOptions options;
  options.now = clock_.now();
  const auto said = asker_->statement(item.content, options);
  if (!said) return std::string();
  store::Origin origin;
  origin.author = item.created_by;
  origin.source = item.source;
  origin.trust = item.trust;
  const auto written = space_->write(origin, [&](store::Transaction& transaction) -> Status {
    memory::ProvenanceBatch provenance(transaction);
    memory::ProvenanceRecord record;
    record.derived = said->subject;
    record.kind = memory::ProvenanceKind::kTold;
    record.text = item.content;
    record.text2 = stored.id;
    if (said->object != store::EntityId::kNone)
      record.sources = {said->predicate.as_link(), said->object};
    store::AssertOptions place;
    place.graph = transaction.graph(kToldGraph);
    place.confidence = item.confidence;
    place.provenance = provenance.add(std::move(record));
    ANIMA_TRY(write_statement(transaction, *said, item.trust, place));
    return provenance.write();
  });
  if (!written) return fail(written.error());
  return said->text;
}

}  // namespace anima::agent
