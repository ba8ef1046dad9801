// Replay of a conversation with a language model, from the log alone.
//
// Each recorded turn (conversation_tape.h) is said again to a ModelConversation in an empty house
// in memory: the line, what space and memory said to it, how the calls of tools ended and what a
// person consented to come from the record, the model's answers from the recorded exchanges. Nobody
// is called, no tool runs, no key is read. Every request must be the recorded one, byte for byte,
// and every turn must end as it did; then the facts that were found after the conversation. The
// space itself is only read.
//
// Errors: kNotFound (no such conversation), those of the log and of the house. What was erased
// cannot be repeated. Complexity: O(log). Thread-safety: one thread.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "agent/conversation/conversation_tape.h"
#include "agent/house/governed_house.h"
#include "base/random.h"

namespace anima::agent {

struct ConversationReplay {
  RecordedConversation conversation;
  std::uint64_t repeated = 0;  // turns that were the same
  std::uint64_t calls = 0;     // of the model, that were played
  std::uint64_t left = 0;      // recorded calls that no turn made: it was broken off there
  // The first that was not the same: which turn, at which entry, and where.
  std::optional<std::uint64_t> turn;  // from 1; 0: the facts after the last one
  store::Sequence entry = store::Sequence::kNone;
  std::string difference;
  bool identical() const { return difference.empty(); }
};

// `seen` hears of each turn; false stops the replay. `house`: the options of the space's own house,
// for the tools that the model was offered.
Result<ConversationReplay> replay_conversation(
    store::Space& space, const RecordedConversation& conversation, HouseOptions house,
    Random& random, const std::function<bool(std::uint64_t turn)>& seen = {});

}  // namespace anima::agent
