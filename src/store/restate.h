// Writing again what somebody stated before, so that it stays their word: its time, author, source
// and trust are those of the entry that said it, whoever writes it now and why (fading, merging,
// undoing). What else is asked of it is what Transaction asks of an assertion.
// Thread-safety: that of the transaction. O(log n).
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "store/holds.h"
#include "store/transaction.h"

namespace anima::store {

// A link, an attribute's or a metadata key's value of known codes, as the graph's own assertion.
// Gives the link's proposition; kNone for a value. Errors: kInvalidArgument (no such entry yet, no
// such subject, predicate or value), kLimitExceeded.
Result<EntityId> restate(Transaction& transaction, const Triple& statement,
                         const AssertOptions& options, Sequence said);

// Asserts a link. Where the subject has room for one object and another one holds by now, saying it
// again is saying it anew, for who is trusted as far as who said it before: it holds from now, also
// where it had an end. Errors: those of Transaction::assert_link.
Result<EntityId> state_link(Transaction& transaction, const Triple& link,
                            const AssertOptions& options);
// The same for who says himself when it holds: what was said of its times stays.
Result<EntityId> state_untimed_link(Transaction& transaction, const Triple& link,
                                    const AssertOptions& options);

// What metadata says of a link, as texts of one graph; no texts: it goes there. Errors: those of
// Transaction::set_metadata.
Status set_metadata_texts(Transaction& transaction, EntityId link, std::string_view key,
                          std::span<const std::string> texts, const AssertOptions& options);

// Says when a link holds, beside the times that it held before: where the new time and one that is
// known lie apart, both stand, the later one as `valid_from` and `valid_to`, the other one in
// `held_before`; where they overlap the new one takes its place. Errors: those of
// Transaction::set_metadata.
Status add_period(Transaction& transaction, EntityId link, const Period& period,
                  const AssertOptions& options);
// Says these times, in order, and no others.
Status set_periods(Transaction& transaction, EntityId link, std::span<const Period> periods,
                   const AssertOptions& options);

// Withdraws that there are the concept and its type, so that upserting them next is the word of
// this entry: whoever said so first may be forgotten. Nothing where there is no such concept.
// Errors: those of Transaction::retract.
Status state_existence_anew(Transaction& transaction, GraphId graph, std::string_view type,
                            std::string_view name);

}  // namespace anima::store
