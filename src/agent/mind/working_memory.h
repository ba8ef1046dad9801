// Working memory: the last things an agent saw, decided and did, at most `capacity` of them.
//
// Invariants: ids ascend and are never reused; entries are kept in the order of their ids; the
// size never exceeds the capacity: a push into a full memory evicts the least relevant entry, the
// oldest of equals. Consolidation scores are 0.4 goal + 0.3 novelty + 0.3 utility.
// Source: learning_and_psyche 2.7. Thread-safety: plain values.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/json/json.h"
#include "base/result.h"
#include "store/ids.h"
#include "tools/finding.h"

namespace anima::agent {

// On disk, never renumber.
enum class EntryKind : std::uint8_t {
  kObservation = 0,
  kDecision = 1,
  kGoalUpdate = 2,
  kInference = 3,
  kToolResult = 4,
};
std::string_view to_string(EntryKind kind);

struct MemoryEntry {
  std::uint64_t id = 0;
  std::string content;
  std::vector<store::EntityId> symbols;
  EntryKind kind = EntryKind::kObservation;
  Timestamp time;
  double relevance = 0.5;
  std::uint64_t source_cycle = 0;
  std::uint32_t reference_count = 0;
  std::vector<std::uint64_t> access_cycles;
  // Decision and ToolResult only.
  std::string tool;
  store::EntityId goal = store::EntityId::kNone;
  bool success = false;
  std::vector<tools::Finding> findings;
  bool operator==(const MemoryEntry&) const = default;
};

// What consolidation needs to know of the graph, asked for one entry's symbols at a time.
struct GraphView {
  // 1 when a goal's own symbol is among them, 0.8 when a neighbour of a goal is, else 0.
  std::function<double(const std::vector<store::EntityId>&)> goal_relevance;
  std::function<double(const std::vector<store::EntityId>&)> mean_degree;
};

struct ConsolidationScore {
  double goal = 0, novelty = 0, utility = 0;
  double total() const { return 0.4 * goal + 0.3 * novelty + 0.3 * utility; }
};
inline constexpr double kPersistFrom = 0.5;

ConsolidationScore consolidation_score(const MemoryEntry& entry, std::uint64_t cycle,
                                       const GraphView& graph);
// sigmoid(ln sum max(1, now - t)^-0.5) over the accesses; without any, sigmoid(ln(references + 1)
// - 0.5 ln max(1, age)).
double activation(const MemoryEntry& entry, std::uint64_t cycle);

// What is kept of a text: at most `bytes`, cut on a character's boundary.
std::string_view cut_text(std::string_view text, std::size_t bytes);
std::string_view cut_characters(std::string_view text, std::size_t characters);
inline constexpr std::size_t kMaxResultBytes = 4096;
inline constexpr std::size_t kSummaryCharacters = 80;

class WorkingMemory {
 public:
  explicit WorkingMemory(std::size_t capacity = 100) : capacity_(capacity) {}

  // Sets the id. The evicted entry, if one had to go.
  std::optional<MemoryEntry> push(MemoryEntry entry);
  const std::vector<MemoryEntry>& entries() const { return entries_; }
  std::size_t size() const { return entries_.size(); }
  std::size_t capacity() const { return capacity_; }
  std::uint64_t next_id() const { return next_id_; }
  double pressure() const;
  std::vector<std::uint64_t> recent(std::size_t count) const;  // highest ids first
  // Counts a use of the entries in `cycle`; unknown ids are ignored.
  void refer(const std::vector<std::uint64_t>& ids, std::uint64_t cycle);
  bool consolidation_due() const;  // size reached 0.8 x capacity

  // Scores every entry: `persist` is called for those of 0.5 or more and answers whether the entry
  // was kept elsewhere. Persisted and low entries leave; one whose persisting failed stays.
  struct Outcome {
    std::size_t persisted = 0, evicted = 0, kept = 0;
    // Of the agent's admission: not persisted as episodes of their own (memory/admission.h).
    std::size_t recalled = 0, merged = 0, quarantined = 0;
  };
  Outcome consolidate(
      std::uint64_t cycle, const GraphView& graph,
      const std::function<bool(const MemoryEntry&, const ConsolidationScore&)>& persist);

  Json to_json() const;
  static Result<WorkingMemory> from_json(const Json& json, std::size_t capacity);
  bool operator==(const WorkingMemory&) const = default;

 private:
  std::size_t capacity_;
  std::uint64_t next_id_ = 1;
  std::vector<MemoryEntry> entries_;
};

Json to_json(const MemoryEntry& entry);
Json to_json(const tools::Finding& finding);
Result<tools::Finding> finding_from_json(const Json& json);

}  // namespace anima::agent
