// Undo as people and programs ask for it: by the numbers of entries, whose whole acts are meant, or
// "last"; and what was undone, or would be, with the facts that go and come. What `anima undo` and
// POST /v1/undo do.
//
// Thread-safety: functions without state. Errors: those of store/act.h; kInvalidArgument (no such
// range), kDenied (an act of somebody else), kConflict (others depend on it). Source: docs/undo.md.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/json/json.h"
#include "store/act.h"

namespace anima::agent {

struct UndoShown {
  std::vector<store::Act> acts;
  store::UndoneActs undone;
  // In words, as far as they are listed; what memory keeps of itself is counted alone.
  std::vector<std::string> going, coming;
  std::vector<std::string> about;   // names of the things that they are about, each once
  std::vector<std::string> psyche;  // what changes in it: "veto no_shell added"
  bool dry_run = false;
};

struct UndoAsked {
  std::string entries;  // "120", "120..124", or "last"
  bool cascade = false, dry_run = false;
  // Whose acts are meant, and nobody else's; empty: anybody's.
  std::string only_of = {};
  Timestamp since = {};  // and what he wrote from then on alone
};
// Whether it can be read: before anything is opened. Errors: kInvalidArgument.
Status check_undo_range(std::string_view entries);
// `before`: the state that `acts` of the answer are told by; outlives it.
Result<UndoShown> undo_acts(store::Space& space, const store::Snapshot& before,
                            const store::Origin& origin, const UndoAsked& asked);

// Refuses an undo whose states of agents are no longer there. `psyche` receives what changes there;
// null: nobody asks. Both outlive the function.
store::UndoCheck keeps_states(store::Space& space, std::vector<std::string>* psyche = nullptr);

// How many facts, with those that were not listed.
std::size_t fact_count(const std::vector<std::string>& lines, const store::StatementsTold& told);
// At most `most` facts that go, and that come.
Json undo_json(const UndoShown& shown, std::size_t most);

}  // namespace anima::agent
