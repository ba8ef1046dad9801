// Puts what a redaction leaves into the log, and makes the views of it again.
//
// The changed entries and the one that tells of them are one transaction of the log. Thread-safety:
// functions without state; the space may be in use by this process and others.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "base/result.h"
#include "store/forget.h"
#include "store/space/redaction.h"
#include "store/space/redaction_spool.h"

namespace anima::store::detail {

// The entry that tells of a redaction.
struct RedactionEntry {
  Origin origin;
  std::function<std::string(const ForgetReport&)> record;  // its record kAudit
};

// Whether the folder takes a new file beside its base. What is taken from the log stays in the base
// until there is another one, so this is asked before. Errors: kIo, kDiskFull.
Status check_takes_base(const std::string& folder);

// Takes the writer's turn. Nothing is written where no entry changes. Errors: kUnsupported (the log
// is of a kind that nothing can be taken from), those of check_takes_base() and of the redaction,
// kBusy, kDiskFull, kIo: nothing is changed then.
Result<ForgetReport> redact_log(Space& space, Redaction& redaction, const RedactionEntry& told,
                                Timestamp now);

// The same for a redaction that ran without the turn, and whose entries were put aside: the turn is
// held for the exchange alone. Nothing when it does not hold any more (Redaction::still_holds()).
Result<std::optional<ForgetReport>> exchange_log(Space& space, Redaction& redaction,
                                                 ForgetReport report, RedactionSpool& entries,
                                                 const RedactionEntry& told, Timestamp now);

// What was overwritten in the log's file is in no other, the views are made again without it, and a
// base of them takes the place of older ones. With `shrink` the file of the log gives back to the
// disk what is free. The base comes last: until it is there, whoever opens the space makes it.
Status settle_redaction(Space& space, bool shrink);

}  // namespace anima::store::detail
