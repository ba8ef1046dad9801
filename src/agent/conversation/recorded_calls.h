// Calls of language models, kept in the space's own log: each exchange as a record of
// RecordKind::kModelAnswer in an entry of its own, sealed under the key "model-calls", so that what
// was said can be erased (`anima erase`) while what was learnt stays. Played back with
// llm::PlayingTransport they give the same replies, bit for bit, without a connection.
//
// Thread-safety: keep() from any thread. Errors: those of the log. The form of the record:
// docs/formats.md, "What an agent records". Source: DATA.md 9 and 10.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "llm/cassette.h"
#include "store/space.h"

namespace anima::agent {

class RecordedCalls final : public llm::ExchangeKeeper {
 public:
  // The space outlives the object. `session` is what the calls belong to, `conversation` the one of
  // its conversations (conversation_tape.h), if any.
  RecordedCalls(store::Space& space, store::Origin origin, std::string session,
                std::string conversation = {})
      : space_(space),
        origin_(std::move(origin)),
        session_(std::move(session)),
        conversation_(std::move(conversation)) {}
  Status keep(const llm::Exchange& exchange) override;

 private:
  store::Space& space_;
  const store::Origin origin_;
  const std::string session_, conversation_;
};

// The calls of the session after an entry (kNone: all), oldest first. Those whose key was destroyed
// are left out. O(entries after it).
Result<std::vector<llm::Exchange>> recorded_calls(store::Space& space, std::string_view session,
                                                  store::Sequence after = store::Sequence::kNone);
// Those of one conversation.
Result<std::vector<llm::Exchange>> calls_of_conversation(store::Space& space,
                                                         std::string_view conversation);

}  // namespace anima::agent
