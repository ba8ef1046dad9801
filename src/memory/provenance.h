// The provenance ledger: for each thing that entered the graph by a decision, where it came from.
//
// Append-only: records are log records (RecordKind::kProvenance), written in the transaction of
// what they explain; ids count from 1 and are never reused. A record names the derived symbol, the
// symbols it came from, and what happened. Queries go over an index of the whole ledger, built
// from the log and brought up to date when asked.
// Kinds 0 to 17 are the source's; ours start at 128. On disk, never renumber.
// Source: learning_and_psyche 2.6. Thread-safety: a ProvenanceLedger belongs to one thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/json/json.h"
#include "store/space.h"

namespace anima::memory {

enum class ProvenanceKind : std::uint16_t {
  kExtracted = 0,
  kSeed = 1,
  kGraphEdge = 2,  // text = predicate, sources[0] = from
  kVsaRecovery = 3,
  kAnalogy = 4,
  kFillerRecovery = 5,
  kReasoned = 6,
  kAggregated = 7,
  kAgentDecision = 8,       // text = goal, cycle
  kAgentConsolidation = 9,  // text = reason, number = relevance
  kRuleInference = 10,      // text = rule, sources = antecedents
  kFusedInference = 11,
  kGapIdentified = 12,  // text = kind of gap, number = severity
  kSchemaDiscovered = 13,
  kSemanticEnrichment = 14,
  kCompartmentLoaded = 15,  // text = compartment, text2 = file
  kShadowVeto = 16,         // text = pattern, number = severity
  kPsycheEvolution = 17,    // text = trigger, cycle
  kLearningSaved = 128,
  kLearningForgotten = 129,
  kToolProposed = 130,
  kToolRejected = 131,
  kToolCommitted = 132,
  kToolApproved = 133,
  kToolAssertion = 134,  // a tool stated it: text = tool, cycle
  kContradiction = 135,  // text = what is superseded and why, cycle
  // Rows of a file: text = file, text2 = which row each thing came from, as runs of both that go up
  // by one: "FIRST_ENTITY+COUNT=FIRST_ROW", blanks between
  kLoaded = 136,
  // Somebody said it: text = what, text2 = the memory that keeps it, number = from when on it
  // holds, in seconds since 1970, where that was said
  kTold = 137,
};
std::string_view to_string(ProvenanceKind kind);
std::optional<ProvenanceKind> provenance_kind(std::uint64_t tag);

struct ProvenanceRecord {
  std::uint64_t id = 0;
  store::EntityId derived = store::EntityId::kNone;
  std::vector<store::EntityId> sources;
  ProvenanceKind kind = ProvenanceKind::kExtracted;
  std::string text;  // what each kind says above
  std::string text2;
  std::string speaker;  // of a kTold record: whose words they were; empty: nobody in particular
  double number = 0;
  std::uint64_t cycle = 0;
  double confidence = 1.0;
  std::uint32_t depth = 0;
  Timestamp time;                                  // of its entry
  store::Sequence entry = store::Sequence::kNone;  // the log entry that holds it
};

// "CompartmentLoaded(astronomy, triples.json)".
std::string describe(const ProvenanceRecord& record);
// The same for what is said about one thing: "Loaded(hosts.csv, row 7)".
std::string describe(const ProvenanceRecord& record, store::EntityId subject);
// The rows of a kLoaded record that a thing came from, ascending; at most `limit`. O(text2).
std::vector<std::uint64_t> loaded_rows(const ProvenanceRecord& record, store::EntityId subject,
                                       std::size_t limit = 10);
Json to_json(const ProvenanceRecord& record, const store::Snapshot& snapshot);

// The records of one transaction. Ids are given at once; write() must be called before the
// transaction ends, and only once. The memory of a kTold record notes its id (told_texts.h).
class ProvenanceBatch {
 public:
  explicit ProvenanceBatch(store::Transaction& transaction);
  std::uint64_t add(ProvenanceRecord record);  // its id
  std::uint64_t next_id() const { return next_; }
  Status write();

 private:
  store::Transaction& transaction_;
  std::uint64_t next_;
  std::vector<ProvenanceRecord> records_;
};

// Writes the number of the next record once more, as the system's word: a forgetting of a source or
// a time must not take it, for the next record would get the number of another. Nothing where there
// are no records. Errors: those of the log.
Status keep_provenance_count(store::Space& space);
// Whether the key is the count of records, or the thing that has it: no undo takes it back, for the
// records stay, and no number is given twice.
bool counts_provenance(const store::Snapshot& now, const store::WrittenKey& key);

// "" or the bytes of a batch; the counterpart of ProvenanceBatch::write.
Result<std::vector<ProvenanceRecord>> decode_provenance(std::string_view payload);

class ProvenanceLedger {
 public:
  explicit ProvenanceLedger(store::Space& space) : space_(space) {}
  // Reads what the log has gained. O(new entries).
  Status refresh();
  const ProvenanceRecord* find(std::uint64_t id) const;
  std::vector<const ProvenanceRecord*> by_derived(store::EntityId symbol) const;
  std::vector<const ProvenanceRecord*> by_source(store::EntityId symbol) const;
  std::vector<const ProvenanceRecord*> by_kind(ProvenanceKind kind) const;
  std::size_t size() const { return records_.size(); }

 private:
  using Index = std::unordered_map<std::uint32_t, std::vector<std::size_t>>;
  std::vector<const ProvenanceRecord*> pick(const Index& index, std::uint32_t key) const;

  store::Space& space_;
  store::Sequence read_to_ = store::Sequence::kNone;
  std::vector<ProvenanceRecord> records_;
  Index derived_, source_, kind_;
};

}  // namespace anima::memory
