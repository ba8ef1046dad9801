// What an undo took back, or would: the acts by name and time, and the facts that go and come.
// Thread-safety: functions without state.
#pragma once

#include <string>
#include <vector>

#include "base/clock.h"
#include "base/json/json.h"
#include "store/act.h"

namespace anima::cli {

struct UndoShown {
  std::vector<store::Act> acts;
  store::UndoneActs undone;
  // In words, as far as they are listed; what memory keeps of itself is counted alone.
  std::vector<std::string> going, coming;
  std::vector<std::string> about;  // names of the things that they are about, each once
  bool dry_run = false;
};
// `before` is the state before the undo.
UndoShown undo_shown(const store::Snapshot& before, std::vector<store::Act> acts,
                     store::UndoneActs undone, bool dry_run);

// "chat line of 14:02: 2 facts about Tom Berger"; the day stands before the time when it is another
// one than today.
std::string undo_summary(const UndoShown& shown, Timestamp now);
std::string undo_text(const UndoShown& shown, Timestamp now, std::size_t limit);
Json undo_json(const UndoShown& shown, std::size_t limit);

}  // namespace anima::cli
