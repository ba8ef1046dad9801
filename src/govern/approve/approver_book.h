// ApproverBook: the approvers of a space (approvers.h) as its log tells of them, and how one comes
// and goes. Records of the kind of approvals, beside an audit entry in the same transaction.
// Thread-safety: one thread at a time. Ownership: ledger and clock outlive it. Complexity: O(log)
// for the first look, then what was appended.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "govern/approve/approvers.h"
#include "govern/ledger/ledger.h"

namespace anima::govern {

class ApproverBook {
 public:
  explicit ApproverBook(Ledger& ledger) : ledger_(ledger) {}

  // As the log is now; what was read stays valid until the next look.
  Result<const Approvers*> now();
  // At least up to that entry.
  Result<const Approvers*> at(store::Sequence entry);

  // The first one of a space needs no signer. Errors: kAlreadyExists (name or key), kDenied (the
  // signer's role or signature does not do), kInvalidArgument (the first is no operator), those of
  // the signer and of the log.
  Status add(const ApproverCard& card, std::string_view actor, Timestamp now, const Signer& signer);
  // Errors: kNotFound, kConflict (the last operator, while there are others), kDenied, as above.
  Status remove(std::string_view name, std::string_view actor, Timestamp now, const Signer& signer);

 private:
  Status catch_up();
  // Signs the event, writes it, and looks whether it counts.
  Status sign(const Statement& statement, const Signer& signer, std::string_view role, Json& event);

  Ledger& ledger_;
  Approvers approvers_;
  store::Sequence read_ = store::Sequence::kNone;
};

}  // namespace anima::govern
