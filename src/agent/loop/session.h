// What an agent needs to go on where it stopped, kept in the log.
//
// Each cycle attaches to its entry the parts that changed as session records (a name, a line feed,
// JSON): agent:name, agent:cycle_count, agent:psyche, agent:goals, agent:plans, agent:tool_history,
// agent:vetoed, agent:wm_entries. A memory entry is written once, with the cycle that made it; the
// list of entries names the log entry of each, and one that was pruned is forgotten. The state in
// force is the one of the entry that wrote the turn of the agent's concept, so resuming costs a few
// look-ups, however long the log is; and who undoes that entry, and puts back the turn before, puts
// back the state before.
// A part that cannot be read starts fresh, with a warning; the others are kept.
// Source: learning_and_psyche 2.15. Thread-safety: plain functions.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "agent/mind/goals.h"
#include "agent/mind/plan.h"
#include "agent/mind/psyche.h"
#include "agent/mind/working_memory.h"
#include "store/space.h"

namespace anima::agent {

struct SessionState {
  std::uint64_t session = 1;
  std::uint64_t cycle = 0;
  Psyche psyche;
  bool psyche_stored = false;  // a psyche was persisted: it goes before the compartment's
  GoalList goals;
  WorkingMemory memory;
  std::map<std::string, Plan> plans;                        // by goal label
  std::map<std::string, std::vector<std::string>> history;  // tools decided, by goal label
  std::map<std::string, std::set<std::string>> vetoed;      // action keys, by goal label
  std::map<std::string, ToolUse> uses;                      // since the last reflection
  std::map<std::uint64_t, std::uint64_t> entry_places;      // memory entry -> log entry; 0 = new

  std::vector<std::string> warnings;  // of reading
  std::optional<Error>
      unread;  // why the psyche in force cannot be read: what it vetoes is not known
  store::Sequence written_at = store::Sequence::kNone;  // where it was read; kNone: it is fresh
};

// Writes the state in the transaction of a cycle, and touches the agent's concept.
Status write_session(store::Transaction& transaction, const std::string& agent,
                     const SessionState& state);
// The entries of this transaction are in the log now, at `sequence`.
void settle(SessionState& state, store::Sequence sequence);

// The log entries that who resumes from the state written at `at` reads, in order.
Result<std::vector<store::Sequence>> session_entries(store::Space& space, store::Sequence at);
// Whose state a session record is part of; one record of each entry tells.
std::optional<std::string> session_agent(std::string_view payload);
// Writes a state that is no new one, whole: no act of anybody's, so that no undo goes back behind
// it. `before` writes first, in the same entry.
Status keep_session(store::Space& space, const std::string& agent, const SessionState& state,
                    const store::Change& before = {});
// Keeps the agent's state so that no earlier entry is needed for it.
Status gather_session(store::Space& space, const std::string& agent);

// By name.
std::vector<std::string> agents_of(const store::Snapshot& now);
// The log entry that holds the agent's state in force: the newest that was not undone. kNone: the
// agent is not there. O(log n).
store::Sequence session_entry(const store::Snapshot& now, const std::string& agent);
// Whether its state was not pruned. Errors: those of the log.
Result<bool> holds_session(store::Space& space, store::Sequence entry);
// Null: the entry holds none, or none any more. Errors: also kCorrupt.
Result<std::optional<Psyche>> psyche_of_session(store::Space& space, store::Sequence entry);

// The state in force; a fresh one when there is none. Errors: only of the log itself.
Result<SessionState> read_session(store::Space& space, const std::string& agent,
                                  std::size_t memory_capacity);

}  // namespace anima::agent
