#include "store/restate.h"

#include "store/holds.h"
#include "store/state/writer.h"

namespace anima::store {

Result<EntityId> restate(Transaction& transaction, const Triple& statement,
                         const AssertOptions& options, Sequence said) {
  return transaction.writer().restate(statement, options, said);
}

Result<EntityId> state_link(Transaction& transaction, const Triple& link,
                            const AssertOptions& options) {
  const Snapshot& now = transaction.live();
  const EntryInfo entry = now.entry(now.sequence());
  bool again = false;
  for (const Assertion& one : now.assertions(link)) {
    if (one.graph == options.graph) again = now.entry(one.born).trust <= entry.trust;
  }
  again = again && is_functional(now, link.predicate) &&
          holder(now, link.subject, link.predicate, entry.time,
                 Timestamp{entry.time.microseconds + 1}) != link.object;
  return again ? restate(transaction, link, options, entry.sequence)
               : transaction.assert_link(link, options);
}

}  // namespace anima::store
