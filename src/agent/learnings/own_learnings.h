// OwnLearnings: what the owner's answers taught the agents of a space, and what they do with it.
//
//   ANIMA_ASSIGN(auto learnings, OwnLearnings::open(space, clock, settings));   // null in memory
//   ANIMA_TRY(learnings->catch_up(approvals));      // denials and grants that were not counted yet
//   config.avoid = learnings->avoided();            // what the loop proposes no more
//
// Denials and grants are read from the approvals, whoever's door they came in by, and each counts
// once; a denial that is taken back counts no longer. Only the operator's own answers count, and
// what he says in a conversation ("no, because ..") on a channel of his trust: what a page, a file
// or another's message says of his wishes is never asked. Denied alike three times, an action is
// proposed no more, with the reason, until the learning fades or is taken back. Nothing here allows
// or forbids a call: a message of the owner that asks for one is judged as ever.
// Thread-safety: one thread at a time. Ownership: space and clock outlive it. Errors: those of the
// stores. Source: learning_and_psyche 1.2 to 1.4, 5; issue "learning and self-made tools", show 5.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "govern/approve/approvals.h"
#include "learn/learner.h"
#include "store/space.h"

namespace anima::agent {

// What is alike when it is denied: "shell:execute rm" (its programs), "file:delete *.txt" (the kind
// of file), "http:fetch example.org" (the host), else the tool. A tool of the loop goes under the
// name of what it calls.
std::string kind_of_action(std::string_view tool, const Json& arguments);

// What follows the because of "no, because ..": the reason; nothing when the text is no such
// answer. Also in German.
std::optional<std::string> reason_of_refusal(std::string_view text);

// An action that is not proposed, and why.
struct AvoidedAction {
  std::string action;  // kind_of_action()
  std::string reason;
  std::int64_t learning = 0;  // its id in the shard "owner": `anima learnings forget` takes it back
  bool operator==(const AvoidedAction&) const = default;
};
Json to_json(const AvoidedAction& avoided);
AvoidedAction avoided_from_json(const Json& json);
// "shell:execute rm, which you refused before (too risky)"
std::string describe(const AvoidedAction& avoided);

// <space>/shards.
std::string shards_folder(const std::string& space_folder);
// The shipped table with the facts of <space>/learn/*.mg.
Result<learn::LearnableTable> learnable_table(FileSystem& files, const std::string& space_folder);

class OwnLearnings {
 public:
  // Null for a space in memory. Makes nothing.
  static Result<std::unique_ptr<OwnLearnings>> open(store::Space& space, Clock& clock,
                                                    const learn::Thresholds& thresholds = {},
                                                    FileSystem& files = system_files());

  // Counts what was answered since. O(approvals).
  Status catch_up(govern::Approvals& approvals);
  // The owner said no to what was done or proposed last. What less trusted people say is not
  // counted.
  Result<learn::Tracked> refused(std::string_view action, std::string_view reason,
                                 govern::Trust trust);
  // A tool failed: counted in the shard "tools" without the text that it gave, and nobody's wish.
  Status failed(std::string_view tool, std::string_view reason, govern::Trust trust);
  // What the owner does not want proposed, by action. Errors: those of the store.
  Result<std::vector<AvoidedAction>> avoided();

  // Made when it is first asked for: its rules are compiled then.
  Result<learn::Learner*> learner();
  learn::LearningStore& store() { return *store_; }

 private:
  OwnLearnings() = default;
  std::unique_ptr<learn::LearningStore> store_;
  learn::Thresholds thresholds_;
  std::unique_ptr<learn::Learner> learner_;
  Clock* clock_ = nullptr;
};

}  // namespace anima::agent
