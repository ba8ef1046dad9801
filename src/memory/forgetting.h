// What is to be forgotten, as a person says it: by thing, by source, by time.
//
// A plan says which entities and entries of the log store/forget.h shall take, which records go
// with them, and what else names the things in its text. What was merged into a thing, or withdrawn
// with its name, goes with it, and so does a text that names it and that nobody states any more
// (detail/forgotten_things.h). Keys, types, predicates and graphs that name it are found
// (detail/forgotten_places.h). What a person who is forgotten said goes with the person, mentions
// or not: memories that have him as their speaker, and what was asked back about them. What no
// thing is called may be a value that statements have: these go then, and what they are said of
// stays; a bare number is always that, or a name. With mentions the texts that name the things go,
// never what these are said of: but for an entry of Anima's own books, as a memory, which is
// nothing without its text; the record that a book keeps of something, as of a cycle of sleep, only
// loses the name. What may name them, or another thing, goes with them where it is asked for:
// texts, records and files, but no key, type, predicate, graph or source. Another thing whose name
// contains or resembles the one that is forgotten stays, and so does what names that thing. Records
// go, or lose the name (detail/forgotten_records.h); the record of a closed memory goes with the
// memory, so that none is left without its text. How a name is found: detail/forgotten_names.h.
// Thread-safety: functions without state; a plan belongs to one thread. Source: DATA.md 9.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "store/forget.h"
#include "store/snapshot.h"
#include "store/space.h"

namespace anima::memory {

struct ForgetRequest {
  std::vector<std::string> things;                         // names, C:12, or values
  bool mentions = false;                                   // with the texts that name them
  bool in_doubt = false;                                   // and, of these, those that only may
  std::optional<std::string> source;                       // of entries, or claimed by metadata
  std::optional<std::pair<Timestamp, Timestamp>> between;  // entries from .. to, both included
  std::string reason;
  bool dry_run = false;  // nothing is sealed anew
};

struct Mention {
  store::EntityId entity = store::EntityId::kNone;
  std::string label;
};

// A text that may name one of them, or something else.
struct DoubtfulText {
  Mention of;
  std::string text;
};

struct ForgetPlan {
  store::Forgetting what;
  std::string asked;                        // in words, for the certificate
  std::vector<std::string> names;           // of the things: names and aliases
  std::vector<Mention> mentions;            // things of which a text is said that names them
  std::vector<Mention> others;              // stay: their names contain or resemble one of `names`
  std::vector<Mention> in_doubt;            // a text of theirs may name one of `names`, or not
  std::vector<DoubtfulText> doubtful = {};  // these texts; they stay where doubt is not taken
  std::vector<std::string> memories;        // ids of memories that go for what they say
  std::vector<Mention> said;        // memories that go because the person said them: their texts
  std::vector<std::string> keys;    // of the space, that are named as a thing is
  std::vector<std::string> values;  // of `names`, those that are no thing's
  // Of `names`, those that one of `others` has with the same right: a text that has only such a
  // name may mean either, and stays. `alike` are things of which such a text is said.
  std::vector<std::string> shared;
  std::vector<Mention> alike;
  std::vector<std::string> places;  // keys, types, predicates, graphs that name it and stay
  // Whether a text names one of them.
  std::function<bool(std::string_view)> named = {};
  // Of a text that may: the words around the place.
  std::function<std::string(std::string_view)> around = {};
  // A record that stays, with "[forgotten]" in the place of each name.
  std::function<Json(const Json&)> without = {};
};

// Errors: kNotFound (no such thing or value; where something else names it, it is listed), kDenied
// (what Anima itself needs, a type or predicate that is used, a loaded compartment),
// kInvalidArgument (several of the name; nothing is asked for). O(things); O(values) for what no
// thing is called.
Result<ForgetPlan> plan_forgetting(store::Space& space, const ForgetRequest& request);

// Whether a text names one of them; for what no space knows.
std::function<bool(std::string_view)> naming(const std::vector<std::string>& names);

}  // namespace anima::memory
