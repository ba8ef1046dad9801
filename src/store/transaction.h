// Transaction: the changes of one log entry while they are being made.
//
// It reads its own writes through view(). Everything it does is recorded as operations with
// explicit ids, so that replaying the log gives the same ids everywhere. It is handed to the
// function given to Space::write (under the writer's turn, on the newest state) or held by a WhatIf
// (private, dropped or committed later). Errors leave the transaction unchanged. Thread-safety: one
// thread at a time.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "store/ids.h"
#include "store/snapshot.h"
#include "store/value.h"

namespace anima::store {

namespace detail {
class Writer;
}

struct AssertOptions {
  GraphId graph = GraphId::kDefault;
  double confidence = 1.0;
  std::uint64_t provenance = 0;
};

// What a log record is about (DATA.md 10). On disk, never renumber; rooms above add their numbers
// in docs/formats.md.
enum class RecordKind : std::uint32_t {
  kProvenance = 1,
  kDecision = 2,
  kModelAnswer = 3,
  kToolOutput = 4,
  kApproval = 5,
  kEvent = 6,
  kSession = 7,  // state of an agent that resumes
  kCompartment = 8,
  kKeyRotation = 9,
  kUndo = 10,
  kRun = 11,
  kAudit = 12,
  kCouncil = 20,
  kQuarantine = 21,
  kCall = 13,  // a call of a tool that clients of the memory use
};

class Transaction {
 public:
  explicit Transaction(detail::Writer& writer) : writer_(writer) {}

  // The state with this transaction's own writes. Cheap; valid until the next write.
  Snapshot view() const;
  // The same state, read in place: it follows the writes, so nothing read from it may be kept
  // across one. Costs nothing; for whoever looks something up for every write.
  const Snapshot& live() const;

  Result<Term> term(const ValueView& value);  // interns
  GraphId graph(std::string_view name);       // creates

  // Finds or creates; asserts its existence in the graph. Errors: kLimitExceeded, kInvalidArgument
  // (empty type).
  Result<EntityId> upsert_concept(EntityId type, std::string_view name,
                                  const AssertOptions& options = {});
  // Defines a $ConceptType / $PropositionType concept by name, found or created.
  Result<EntityId> upsert_type(std::string_view name, const AssertOptions& options = {});
  Result<EntityId> upsert_predicate(std::string_view name, const AssertOptions& options = {});

  // Asserts a link; gives its proposition. Asserting again updates confidence and provenance of
  // that graph's copy.
  Result<EntityId> assert_link(const Triple& link, const AssertOptions& options = {});
  // The proposition of a link without asserting it: quoted.
  Result<EntityId> quote_link(const Triple& link);
  Status retract_link(const Triple& link, GraphId graph);

  // Replaces the key's values in the graph; those of somebody trusted more stay beside them.
  Status set_attribute(EntityId entity, std::string_view key, std::span<const Term> values,
                       const AssertOptions& options = {});
  Status set_metadata(EntityId entity, std::string_view key, std::span<const Term> values,
                      const AssertOptions& options = {});
  Status add_attribute(EntityId entity, std::string_view key, Term value,
                       const AssertOptions& options = {});

  // Asserts one value of an attribute or metadata key by codes, for callers that write a key many
  // times: the predicate is made from a term of this transaction. False when nothing changed.
  // Errors: kInvalidArgument (no such predicate, subject or value).
  Result<bool> add_value(const Triple& statement, const AssertOptions& options = {});

  // Withdraws exactly this statement of the graph, whatever its predicate: nothing that hangs on it
  // goes with it. False when the graph does not assert it.
  Result<bool> retract(const Triple& statement, GraphId graph);

  // Withdraws the concept's existence, attributes and metadata in the graph; with `detach` its
  // links there too, and the links about those. Elsewhere it stays.
  Status retract_concept(EntityId entity, GraphId graph, bool detach);
  // Withdraws every assertion of the graph and nothing else.
  Status drop_graph(GraphId graph);

  Status record(RecordKind kind, std::string_view payload);
  // A record that may be pruned one day (store/prune.h), while the entry stays. In a sealed entry
  // it is a record like any other.
  Status attach(RecordKind kind, std::string_view payload);

  // What the whole entry states is trusted at most so far, whoever makes it: for a change that
  // states again what somebody less trusted had stated. Errors: kLimitExceeded (behind a bulk that
  // was too large to be lowered).
  Status lower_trust(Trust most);

  detail::Writer& writer() { return writer_; }

 private:
  detail::Writer& writer_;
};

}  // namespace anima::store
