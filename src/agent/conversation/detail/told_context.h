// The parts of a conversation with a model that come from core memory, and what is checked and
// dropped before each call. Thread-safety: pure functions.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "agent/conversation/conversation_tape.h"
#include "llm/message.h"
#include "store/snapshot.h"

namespace anima::agent::detail {

// Adds the rules and the other blocks. Errors: kCorrupt (core_memory.h).
Status tell_core(const store::Snapshot& now, TurnStart& start);

// That the rules of this hash stand among the system messages, word for word; an empty hash: there
// are none. Errors: kCorrupt.
Status check_rules(const std::vector<llm::Message>& messages, std::string_view sha256);

// Drops results of tools from a turn, the oldest first but never those of its last message, until
// all has room. False when it has none even so.
bool drop_results(const std::vector<llm::Message>& before, std::vector<llm::Message>& own,
                  std::int64_t budget_tokens);

}  // namespace anima::agent::detail
