// What the log's record of a forgetting says of what was asked (its "request"), and what a
// certificate that was lost says again.
//
// The log must not keep the names of what it forgot. It keeps numbers and times, and a digest of
// each text that was asked for and of each key that was to be destroyed: enough to recognise a text
// that somebody names again, and no more. A digest is SHA-256 over "anima forgotten", the space's
// id (the hash of its first entry) and the text, a line each. Thread-safety: functions without
// state.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/json/json.h"
#include "base/result.h"
#include "memory/forgetting.h"
#include "store/space.h"

namespace anima::memory {

std::string asked_words(const ForgetRequest& request);
// Behind them: "; and the 4 texts that this person said". Empty: nothing.
std::string said_words(std::size_t count);

// {"things":[id, ..],"values","mentions","asked":[digest, ..],"keys":[digest, ..],
// "not_touched":[id, ..],"source"?: digest,"from"?,"to"?}. `space_id` as above, in hex.
Json request_json(const ForgetRequest& request, const ForgetPlan& plan, std::string_view space_id);
Result<std::string> space_id(store::Space& space);

struct AskedAgain {
  std::string asked;               // in words, with digests in the place of what is not named again
  std::vector<std::string> names;  // that are known again
  std::vector<std::string> keys;   // of the space, that were to be destroyed and are there
  std::vector<std::string> destroyed;    // keys, by digest where they are gone
  std::vector<std::string> not_touched;  // labels
};

// `named`: its things and its source are those that were asked for, all of them or none. Errors:
// kNotFound (the entry tells of no forgetting), kInvalidArgument (it was not what is named),
// kUnsupported (an older program forgot it, and kept no digests).
Result<AskedAgain> asked_again(store::Space& space, store::Sequence entry,
                               const ForgetRequest& named);
// Whether this text was asked for by a forgetting before: what was sealed away then may name it.
// Errors: those of the log. O(log).
Result<bool> was_asked(store::Space& space, std::string_view text);
// The newest entry that tells of a forgetting. Errors: kNotFound. O(log).
Result<store::Sequence> newest_forgetting(store::Log& log);

}  // namespace anima::memory
