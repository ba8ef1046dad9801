// BulkWriter: the way in for imports. Many statements of one graph, with one confidence and
// provenance, in one transaction, at millions a second.
//
// What is added is asserted by finish(), and not seen by Transaction::view() before it. Nothing is
// checked twice: adding a statement again is fine and costs a word until finish(). Propositions get
// their ids in finish(), in the order (subject, predicate, object). Thread-safety: one thread at a
// time, the transaction's. After an error the transaction must be given up.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "base/result.h"
#include "store/ids.h"
#include "store/transaction.h"
#include "store/value.h"

namespace anima::store {

class BulkWriter {
 public:
  BulkWriter(Transaction& transaction, const AssertOptions& options);
  ~BulkWriter();
  BulkWriter(const BulkWriter&) = delete;
  BulkWriter& operator=(const BulkWriter&) = delete;

  // Finds or creates, and asserts its existence. Errors: kInvalidArgument (`type` is none),
  // kLimitExceeded.
  Result<EntityId> upsert_concept(EntityId type, std::string_view name);
  // The same without asserting anything: the concept stays quoted until somebody adds its
  // existence.
  Result<EntityId> concept_id(EntityId type, std::string_view name);
  Result<Term> term(const ValueView& value);
  // Require a known subject and object, and a link or attribute or metadata predicate of this
  // space; checked by finish().
  void add(const Triple& triple);

  // Asserts everything that was added. To be called once, last.
  Status finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace anima::store
