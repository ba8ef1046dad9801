// Who "I" and "my" are, in what is told and asked. Thread-safety: pure. Complexity: a look-up of
// the name, and O(pieces).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ask/lexicon/words.h"
#include "store/snapshot.h"

namespace anima::ask {

// Who speaks, for "I" and "my": the name, and whom it means to the letter (kNone: nobody who is
// known); nullopt: whoever is called so.
struct WhoSpeaks {
  std::string name = {};
  std::optional<store::EntityId> person = {};
};
// `own`: he said who he is, so that nobody else is meant.
WhoSpeaks who_speaks(const store::Snapshot& now, const std::string& name, bool own);

// The pieces with the speaker's name for "I", and the name as an owner's for "my".
std::vector<Piece> with_speaker(const std::vector<Piece>& pieces, const WhoSpeaks& speaker,
                                const Pack& pack);

}  // namespace anima::ask
