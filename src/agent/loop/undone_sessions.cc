#include "agent/loop/undone_sessions.h"

#include <optional>

#include "agent/loop/session.h"
#include "agent/mind/psyche_change.h"

namespace anima::agent {
namespace {

using store::Sequence;

// Behind the undo of its first entry an agent has what it began with.
Result<Psyche> psyche_in_force(store::Space& space, Sequence at) {
  if (at == Sequence::kNone) return Psyche();
  const auto psyche = psyche_of_session(space, at);
  if (psyche && *psyche) return **psyche;
  return fail(ErrorCode::kNotFound,
              "it cannot be undone: the state of the agent before it was pruned, or cannot be read",
              "log entry " + std::to_string(static_cast<std::uint64_t>(at)),
              "`anima psyche set` and `drop-veto` change the psyche");
}

}  // namespace

Result<std::vector<std::string>> undone_psyches(store::Space& space, const store::Snapshot& before,
                                                const store::Snapshot& after) {
  std::vector<std::string> told;
  for (const std::string& agent : agents_of(before)) {
    const Sequence was = session_entry(before, agent), is = session_entry(after, agent);
    if (was == is) continue;
    ANIMA_ASSIGN(const Psyche back, psyche_in_force(space, is));
    const auto now = psyche_of_session(space, was);
    if (!now || !*now) continue;
    for (std::string& change : differences(**now, back)) told.push_back(std::move(change));
  }
  return told;
}

}  // namespace anima::agent
