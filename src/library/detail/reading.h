// What Memory and View read alike: rows of KIP, questions, commits. Thread-safety: from any thread.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "anima/view.h"
#include "library/detail/memory_state.h"
#include "memory/fact_proof.h"

namespace anima::detail {

TrustLevel level_of(store::Trust trust);

// The first error in an answer of KIP, else its result.
Result<Json> last_result(const Json& answer);
// Runs a read-only request, or one of commands that is a dry run, and gives the rows of the last.
Result<Rows> find_rows(OpenSpace& open, Json request, const CallLimits& limits);
Result<QuestionAnswer> ask_space(OpenSpace& open, std::string_view question,
                                 const AskSettings& settings,
                                 std::optional<store::Sequence> as_of = {});
// The key of a conversation: of a session and of who speaks there.
std::string talk_of(std::string_view session, std::string_view speaker);
Result<Commit> commit_at(OpenSpace& open, const store::Snapshot& now, store::Sequence entry);
Statement statement_of(const store::Snapshot& snapshot, const store::Triple& triple);
Proof proof_of(const memory::FactProof& proof);

}  // namespace anima::detail
