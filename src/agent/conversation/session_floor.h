// The floor of a session: the lowest trust of anything that was put into a model's context in it.
// What the model writes is trusted no more than that (model_conversation.h).
//
// It is kept in the agents' own graph, where the languages that clients speak cannot write, so it
// survives a restart and holds for every process of the session. It only falls, until somebody
// resets it; to undo the entry that lowered it does not raise it, for what the model was told it
// still knows. Thread-safety: functions over a space, from any thread; two processes that lower it
// at once leave the lower one. Errors: those of the space. Complexity: O(changes of the session's
// floor).
#pragma once

#include <optional>
#include <string_view>

#include "govern/trust.h"
#include "store/space.h"

namespace anima::agent {

// System for a session that has read nothing.
Result<govern::Trust> session_floor(store::Space& space, std::string_view session);

// Lowers it to that trust and gives what holds then; writes only what changes.
Result<govern::Trust> lower_session_floor(store::Space& space, const store::Origin& origin,
                                          std::string_view session, govern::Trust trust);

// The entry of the log after which everything that the session keeps there lies (guard_log.h);
// nothing: it keeps nothing yet.
Result<std::optional<store::Sequence>> session_begin(store::Space& space, std::string_view session);
// From now on it keeps something; where it began before stays.
Status note_session_begin(store::Space& space, const store::Origin& origin,
                          std::string_view session);

// The session begins anew, with nothing in its context: for who has cleared that.
Status reset_session_floor(store::Space& space, const store::Origin& origin,
                           std::string_view session);

}  // namespace anima::agent
