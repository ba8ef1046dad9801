// What an undo took back, or would: the acts by name and time, and the facts that go and come.
// Thread-safety: functions without state.
#pragma once

#include <string>

#include "agent/house/undo_acts.h"
#include "base/clock.h"

namespace anima::cli {

// "chat line of 14:02: 2 facts about Tom Berger"; the day stands before the time when it is another
// one than today.
std::string undo_summary(const agent::UndoShown& shown, Timestamp now);
std::string undo_text(const agent::UndoShown& shown, Timestamp now, std::size_t limit);

}  // namespace anima::cli
