// What a conversation with a language model hears from outside, turn by turn, so that it can be
// kept and repeated: whether the line was let in, what space and memory said, how the calls of
// tools ended, what a person consented to. The model's own answers are the recorded exchanges
// (recorded_calls.h).
//
//   ConversationRecorder   asks the house, and keeps each turn on the log (a record of
//                          RecordKind::kModelAnswer in an entry sealed under "model-calls")
//   ConversationPlayer     gives what was recorded, and asks nobody
//
// A session goes on where its recorded turns end: read_history() gives them. Thread-safety: one
// thread. Ownership: what is passed in outlives it. Errors: those of the space; of a player
// kConflict, with where the conversation is another one than was recorded. The form of the records:
// docs/formats.md, "Turns with models". Source: issue "any model", 1 and 2.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/conversation/conversation_history.h"
#include "govern/decide/executor.h"
#include "govern/decide/gateway.h"
#include "llm/model_config.h"
#include "store/space.h"

namespace anima::agent {

// What a turn begins with.
struct TurnStart {
  bool accepted = false;
  govern::Trust trust = govern::Trust::kUntrusted;  // of the line
  std::string reason;                               // when it was not let in
  govern::Trust floor = govern::Trust::kSystem;     // of the session, before the turn
  // What the space answered, with its label; then nothing else is asked.
  std::optional<std::string> answer;
  govern::Trust answer_trust = govern::Trust::kSystem;
  std::optional<PromptPart> rules;
  std::string rules_sha256;
  std::vector<PromptPart> core, findings;
};

// How a call of a tool ended, with the session's floor after it.
struct TapedCall {
  govern::Outcome outcome;
  std::int64_t number = 0;  // of the call in its session, by which its values are named; 0: none
  // What was said that the model was asked to plan before it; nothing: it was not asked.
  std::optional<std::vector<std::string>> planned = {};
  govern::Trust floor = govern::Trust::kSystem;
};

// How it ended.
struct TurnEnd {
  std::vector<llm::Message> told;  // the line and what followed; empty when nothing is kept of it
  govern::Trust floor = govern::Trust::kSystem;
  Json turn;                                   // ModelTurn::to_json(), or {"error"}
  std::optional<ConversationSummary> summary;  // made at its beginning
};

class ConversationTape {
 public:
  virtual ~ConversationTape() = default;
  // `live` asks the house.
  virtual Result<TurnStart> start(const govern::IncomingMessage& message,
                                  const std::function<Result<TurnStart>()>& live) = 0;
  virtual Result<TapedCall> call(const llm::ToolCall& call,
                                 const std::function<Result<TapedCall>()>& live) = 0;
  virtual Status consent(bool granted) = 0;
  // The next turn begins a session anew.
  virtual void begin_anew() = 0;
  virtual Status end(const TurnEnd& end) = 0;
};

// The settings of a model that its requests follow from; never its key.
Json model_setup(const llm::ModelConfig& config);
Result<llm::ModelConfig> model_from_setup(const Json& json);

class ConversationRecorder final : public ConversationTape {
 public:
  // `conversation`: an id of its own, as its RecordedCalls has it. `setup`: what a replay must know
  // beside the turns; told in the first record.
  ConversationRecorder(store::Space& space, store::Origin origin, std::string session,
                       std::string conversation, Json setup)
      : space_(space),
        origin_(std::move(origin)),
        session_(std::move(session)),
        conversation_(std::move(conversation)),
        setup_(std::move(setup)) {}

  Result<TurnStart> start(const govern::IncomingMessage& message,
                          const std::function<Result<TurnStart>()>& live) override;
  Result<TapedCall> call(const llm::ToolCall& call,
                         const std::function<Result<TapedCall>()>& live) override;
  Status consent(bool granted) override;
  void begin_anew() override { anew_ = true; }
  Status end(const TurnEnd& end) override;
  // What was learnt of the conversation, after its last turn.
  Status learnt(const Json& facts);

 private:
  Status write(Json record);

  store::Space& space_;
  const store::Origin origin_;
  const std::string session_, conversation_;
  Json setup_;
  Json turn_;  // the one that runs; null: none
  bool anew_ = false;
};

// The earlier turns of a session up to an entry (kNone: the newest), as far as they lie among the
// newest kHistoryEntries entries, from where it was last cleared. O(those entries).
inline constexpr std::uint64_t kHistoryEntries = 50'000;
Result<ConversationHistory> read_history(store::Space& space, std::string_view session,
                                         store::Sequence upto = store::Sequence::kNone);
// The session begins anew: what was said before is told no more, and its floor is reset.
Status clear_session(store::Space& space, const store::Origin& origin, std::string_view session);

// --- reading what was recorded

struct RecordedTurn {
  store::Sequence entry = store::Sequence::kNone;
  Json record;  // as written
};
struct RecordedConversation {
  std::string id, session;
  store::Sequence first = store::Sequence::kNone, last = store::Sequence::kNone;
  Timestamp time;  // of the first turn
  Json setup;
  std::vector<RecordedTurn> turns;
  std::optional<RecordedTurn> learnt;
};
// Oldest first; those whose key was destroyed are left out. O(log).
Result<std::vector<RecordedConversation>> recorded_conversations(store::Space& space);

class ConversationPlayer final : public ConversationTape {
 public:
  // Gives the turn from now on.
  Status load(const Json& turn);
  govern::IncomingMessage message() const;
  // The next consent that a person gave. Errors: kConflict when there is none.
  Result<bool> next_consent();
  // What was recorded of the end, and what came now.
  const Json& recorded_end() const { return end_; }
  const Json& repeated_end() const { return repeated_; }

  Result<TurnStart> start(const govern::IncomingMessage& message,
                          const std::function<Result<TurnStart>()>& live) override;
  Result<TapedCall> call(const llm::ToolCall& call,
                         const std::function<Result<TapedCall>()>& live) override;
  Status consent(bool granted) override;
  void begin_anew() override {}
  Status end(const TurnEnd& end) override;

 private:
  Json turn_, end_, repeated_;
  std::size_t outcomes_ = 0, consents_ = 0;  // that were given
};

}  // namespace anima::agent
