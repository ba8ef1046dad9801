#include "agent/mind/working_memory.h"

#include <algorithm>
#include <cmath>

#include "agent/json_fields.h"
#include "base/text/text.h"

namespace anima::agent {
namespace {

constexpr double kConsolidateAt = 0.8;

double sigmoid(double x) { return 1.0 / (1.0 + std::exp(-x)); }

double cycles_since(std::uint64_t cycle, std::uint64_t then) {
  return cycle > then ? static_cast<double>(cycle - then) : 1.0;
}

}  // namespace

std::string_view to_string(EntryKind kind) {
  switch (kind) {
    case EntryKind::kObservation:
      return "observation";
    case EntryKind::kDecision:
      return "decision";
    case EntryKind::kGoalUpdate:
      return "goal_update";
    case EntryKind::kInference:
      return "inference";
    case EntryKind::kToolResult:
      return "tool_result";
  }
  return "observation";
}

double activation(const MemoryEntry& entry, std::uint64_t cycle) {
  if (entry.access_cycles.empty()) {
    return sigmoid(std::log(static_cast<double>(entry.reference_count) + 1.0) -
                   0.5 * std::log(cycles_since(cycle, entry.source_cycle)));
  }
  double sum = 0;
  for (const std::uint64_t access : entry.access_cycles) {
    sum += std::pow(cycles_since(cycle, access), -0.5);
  }
  return sigmoid(std::log(sum));
}

ConsolidationScore consolidation_score(const MemoryEntry& entry, std::uint64_t cycle,
                                       const GraphView& graph) {
  ConsolidationScore score;
  score.goal = graph.goal_relevance ? graph.goal_relevance(entry.symbols) : 0.0;
  score.novelty = entry.symbols.empty() || !graph.mean_degree
                      ? 0.5
                      : 1.0 / (1.0 + 0.2 * graph.mean_degree(entry.symbols));
  score.utility = activation(entry, cycle);
  return score;
}

std::string_view cut_text(std::string_view text, std::size_t bytes) {
  if (text.size() <= bytes) return text;
  std::size_t end = bytes;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
  return text.substr(0, end);
}

std::string_view cut_characters(std::string_view text, std::size_t characters) {
  return substring_by_code_points(text, 0, characters);
}

std::optional<MemoryEntry> WorkingMemory::push(MemoryEntry entry) {
  std::optional<MemoryEntry> evicted;
  if (capacity_ == 0) return entry;
  if (entries_.size() >= capacity_) {
    const auto least =
        std::min_element(entries_.begin(), entries_.end(),
                         [](const auto& a, const auto& b) { return a.relevance < b.relevance; });
    evicted = std::move(*least);
    entries_.erase(least);
  }
  entry.id = next_id_++;
  entries_.push_back(std::move(entry));
  return evicted;
}

double WorkingMemory::pressure() const {
  return capacity_ == 0 ? 1.0
                        : static_cast<double>(entries_.size()) / static_cast<double>(capacity_);
}

std::vector<std::uint64_t> WorkingMemory::recent(std::size_t count) const {
  std::vector<std::uint64_t> ids;
  for (std::size_t i = entries_.size(); i > 0 && ids.size() < count; --i) {
    ids.push_back(entries_[i - 1].id);
  }
  return ids;
}

void WorkingMemory::refer(const std::vector<std::uint64_t>& ids, std::uint64_t cycle) {
  for (const std::uint64_t id : ids) {
    const auto found = std::lower_bound(
        entries_.begin(), entries_.end(), id,
        [](const MemoryEntry& entry, std::uint64_t key) { return entry.id < key; });
    if (found == entries_.end() || found->id != id) continue;
    ++found->reference_count;
    found->access_cycles.push_back(cycle);
  }
}

bool WorkingMemory::consolidation_due() const {
  return static_cast<double>(entries_.size()) >=
         kConsolidateAt * static_cast<double>(capacity_) - 1e-9;
}

WorkingMemory::Outcome WorkingMemory::consolidate(
    std::uint64_t cycle, const GraphView& graph,
    const std::function<bool(const MemoryEntry&, const ConsolidationScore&)>& persist) {
  Outcome outcome;
  std::vector<MemoryEntry> staying;
  for (MemoryEntry& entry : entries_) {
    const ConsolidationScore score = consolidation_score(entry, cycle, graph);
    // A sum of 0.4, 0.15 and 0.15 must not miss its threshold by a rounding error.
    if (score.total() < kPersistFrom - 1e-9) {
      ++outcome.evicted;
    } else if (persist(entry, score)) {
      ++outcome.persisted;
    } else {
      ++outcome.kept;
      staying.push_back(std::move(entry));
    }
  }
  entries_ = std::move(staying);
  return outcome;
}

Json to_json(const tools::Finding& finding) {
  return Json::object({{"kind", static_cast<int>(finding.kind)},
                       {"subject", finding.subject},
                       {"predicate", finding.predicate},
                       {"object", finding.object},
                       {"text", finding.text},
                       {"score", finding.score},
                       {"count", finding.count},
                       {"iterations", finding.iterations}});
}

Result<tools::Finding> finding_from_json(const Json& json) {
  tools::Finding finding;
  const std::uint64_t kind = count_of(json, "kind", 99);
  if (kind > static_cast<std::uint64_t>(tools::FindingKind::kAnswer)) {
    return fail(ErrorCode::kCorrupt, "a stored finding is of no known kind");
  }
  finding.kind = static_cast<tools::FindingKind>(kind);
  finding.subject = text_of(json, "subject");
  finding.predicate = text_of(json, "predicate");
  finding.object = text_of(json, "object");
  finding.text = text_of(json, "text");
  finding.score = number_of(json, "score", 1.0);
  finding.count = count_of(json, "count");
  finding.iterations = count_of(json, "iterations");
  return finding;
}

Json to_json(const MemoryEntry& entry) {
  Json symbols = Json::array(), accesses = Json::array(), findings = Json::array();
  for (const store::EntityId symbol : entry.symbols) {
    symbols.push_back(static_cast<std::int64_t>(symbol));
  }
  for (const std::uint64_t access : entry.access_cycles) accesses.push_back(access);
  for (const tools::Finding& finding : entry.findings) findings.push_back(to_json(finding));
  return Json::object({{"id", entry.id},
                       {"content", entry.content},
                       {"symbols", std::move(symbols)},
                       {"kind", static_cast<int>(entry.kind)},
                       {"time", entry.time.microseconds},
                       {"relevance", entry.relevance},
                       {"cycle", entry.source_cycle},
                       {"references", entry.reference_count},
                       {"accesses", std::move(accesses)},
                       {"tool", entry.tool},
                       {"goal", static_cast<std::int64_t>(entry.goal)},
                       {"success", entry.success},
                       {"findings", std::move(findings)}});
}

Json WorkingMemory::to_json() const {
  Json list = Json::array();
  for (const MemoryEntry& entry : entries_) list.push_back(agent::to_json(entry));
  return Json::object({{"version", 1}, {"next_id", next_id_}, {"entries", std::move(list)}});
}

Result<WorkingMemory> WorkingMemory::from_json(const Json& json, std::size_t capacity) {
  if (!json.is_object() || count_of(json, "version") != 1) {
    return fail(ErrorCode::kCorrupt, "the stored working memory is of no known version");
  }
  WorkingMemory memory(capacity);
  for (const Json& item : items_of(json, "entries")) {
    MemoryEntry entry;
    const std::uint64_t kind = count_of(item, "kind", 99);
    if (kind > static_cast<std::uint64_t>(EntryKind::kToolResult)) {
      return fail(ErrorCode::kCorrupt, "a stored memory entry is of no known kind");
    }
    entry.id = count_of(item, "id");
    entry.kind = static_cast<EntryKind>(kind);
    entry.content = text_of(item, "content");
    for (const Json& symbol : items_of(item, "symbols")) {
      if (!symbol.is_integer()) return fail(ErrorCode::kCorrupt, "a stored symbol is no number");
      entry.symbols.push_back(static_cast<store::EntityId>(symbol.as_integer()));
    }
    entry.time.microseconds = static_cast<std::int64_t>(count_of(item, "time"));
    entry.relevance = number_of(item, "relevance", 0.5);
    entry.source_cycle = count_of(item, "cycle");
    entry.reference_count = static_cast<std::uint32_t>(count_of(item, "references"));
    for (const Json& access : items_of(item, "accesses")) {
      if (access.is_integer()) {
        entry.access_cycles.push_back(static_cast<std::uint64_t>(access.as_integer()));
      }
    }
    entry.tool = text_of(item, "tool");
    entry.goal = static_cast<store::EntityId>(count_of(item, "goal"));
    entry.success = flag_of(item, "success");
    for (const Json& stored : items_of(item, "findings")) {
      ANIMA_ASSIGN(tools::Finding finding, finding_from_json(stored));
      entry.findings.push_back(std::move(finding));
    }
    memory.entries_.push_back(std::move(entry));
  }
  memory.next_id_ = count_of(json, "next_id", memory.entries_.size() + 1);
  return memory;
}

}  // namespace anima::agent
