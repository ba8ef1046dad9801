// What was learnt of a conversation, as people read it. Thread-safety: as the context's.
#pragma once

#include <vector>

#include "agent/conversation/conversation_facts.h"
#include "cli/frame/context.h"

namespace anima::cli {

// In JSON {"type":"learnt","facts":[..]} on a line. Nothing for nothing.
void show_learnt(Context& context, const std::vector<agent::LearntFact>& learnt);

}  // namespace anima::cli
