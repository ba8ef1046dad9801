#include "agent/loop/psyche_history.h"

#include <optional>
#include <string_view>

#include "agent/loop/session.h"
#include "agent/mind/psyche_change.h"
#include "memory/names.h"
#include "store/own_graphs.h"
#include "store/undone_acts.h"

namespace anima::agent {
namespace {

// The psyche in force behind an entry of the agent: what it holds, or what its undo put back. Null:
// it was pruned, or cannot be read.
Result<std::optional<Psyche>> psyche_behind(store::Space& space, const store::Snapshot& now,
                                            store::Sequence entry, const std::string& agent) {
  store::Sequence at = entry;
  if (store::undoes(now, entry)) {
    const auto then = now.as_of(entry);
    if (!then) return std::optional<Psyche>();  // compacted away
    at = session_entry(*then, agent);
  }
  if (at == store::Sequence::kNone) return std::optional(Psyche());
  ANIMA_ASSIGN(const store::LogEntry stored, space.log().entry(at));
  if (!stored.seal.empty() && stored.payload.empty()) return std::optional<Psyche>();  // erased
  return psyche_of_session(space, at);
}

}  // namespace

Result<std::vector<PsycheChange>> psyche_history(store::Space& space, const std::string& agent) {
  ANIMA_ASSIGN(const store::Snapshot now, space.snapshot());
  const store::Snapshot own = store::in_graph(now, memory::kAgentGraph);
  std::vector<PsycheChange> history;
  const auto type = own.find_type("Agent");
  const auto symbol = type ? own.known_concept(*type, agent) : std::nullopt;
  if (!symbol) return history;
  Psyche before;
  for (const store::Sequence sequence : own.history(*symbol)) {
    ANIMA_ASSIGN(const std::optional<Psyche> psyche, psyche_behind(space, now, sequence, agent));
    if (!psyche) continue;
    std::vector<std::string> changes = differences(before, *psyche);
    before = *psyche;
    if (changes.empty()) continue;
    const store::EntryInfo entry = now.entry(sequence);
    history.push_back({sequence, entry.time, std::string(entry.author), std::string(entry.source),
                       std::move(changes)});
  }
  return history;
}

}  // namespace anima::agent
