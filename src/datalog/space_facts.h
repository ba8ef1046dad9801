// A space's statements as base predicates of rules, read where they lie.
//
//   p(S, O)                   each relation p of the space; other characters than letters, digits
//                             and `_` become `_` in its name
//   concept(Id, Type, Name)   attribute(Id, Key, Value)   metadata(Id, Key, Value)
//   fact(Graph, S, P, O)      every assertion of a relation, with its graph
//
// A concept is the string of its name, "Type:name" when another concept bears the same name and it
// is no untyped one; a proposition is the name /link/N. Strings, integers and floats are
// themselves, booleans /true and /false, null /null; every other literal is the string of its text.
// Codes are the store's own (DATA.md 5); nothing is copied.
//
// Thread-safety: advance() by one thread at a time; everything else from any, also meanwhile. Texts
// of values() that come from the space live as long as a pin() taken before.
// Errors: none of its own; those of reading the log are handed through.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "datalog/analyze.h"
#include "datalog/engine.h"
#include "store/space.h"

namespace anima::datalog {

struct SpaceState;
class SpaceRelation;

// One assertion that a given fact rests on: who said it, from where, how far that is trusted.
struct Assertion {
  std::string graph;
  double confidence = 1.0;
  std::uint64_t provenance = 0;  // a record of the room `memory`; 0 = none
  store::Sequence entry = store::Sequence::kNone;
  Timestamp time;
  std::string author;
  std::string source;
  store::Trust trust = store::Trust::kUntrusted;
};

// A statement of the space under a proof.
struct Premise {
  std::string fact;  // as rules see it
  store::Triple statement;
  std::vector<Assertion> assertions;  // the most trusted first
};

// On whose word the derivation of a proof rests.
struct Grounds {
  std::vector<Premise> premises;  // each statement once, in the proof's order
  bool complete = true;           // false: a limit of the proof left some out
  // The lowest of the premises, each of which is worth its most trusted assertion (DATA.md 14);
  // kSystem when there are none, never above kUntrusted when some were left out.
  store::Trust trust = store::Trust::kSystem;
};

class SpaceFacts {
 public:
  // Everything that the snapshot's scope asserts. O(literals + concepts), with small constants.
  explicit SpaceFacts(const store::Snapshot& snapshot);
  ~SpaceFacts();
  SpaceFacts(const SpaceFacts&) = delete;
  SpaceFacts& operator=(const SpaceFacts&) = delete;

  // Its parent is the space's dictionary; it keeps what it needs alive.
  const std::shared_ptr<ValueTable>& values() const { return values_; }
  // The base predicates for the analysis of these units; a name that they use with another number
  // of arguments is theirs.
  std::vector<BasePredicate> predicates(const std::vector<Unit>& units) const;
  // Relations for the program's predicates that are the space's, also for declared ones with two
  // arguments that the space has not used yet.
  void attach(const Program& program, EngineOptions& options);

  // The state of a newer snapshot of the same space, and what it changes for the engine that
  // attach() served. `written` is what was written since. O(what was written).
  std::vector<Rebase> advance(const store::Snapshot& next,
                              std::span<const store::WrittenKey> written);
  // What rules would see beside what they see now if a branch of this state's snapshot, which has
  // these links beside, held: the links and the concepts that are new there. Nothing when it cannot
  // be told without reading all names again: a name that is borne already, a concept that nobody
  // asserted so far, a literal. O(links + new concepts).
  std::optional<Transaction> supposed(const Program& program, const store::Snapshot& branch,
                                      std::span<const store::Triple> links) const;
  // Has the space a relation now that attach() did not know by name?
  bool has_new_relations() const;

  store::Sequence sequence() const;
  store::Snapshot snapshot() const;
  std::shared_ptr<const void> pin() const;
  // The statements that a base predicate's row rests on; none when it is not there.
  std::vector<store::Triple> statements(PredicateId predicate, std::span<const Code> row) const;
  // Who asserts a statement, in the scope of the snapshot.
  std::vector<Assertion> assertions(const store::Triple& statement) const;
  // O(facts given in the proof).
  Grounds grounds(const Proof& proof) const;

 private:
  std::shared_ptr<const SpaceState> state() const;

  std::shared_ptr<ValueTable> values_;
  mutable std::mutex mutex_;  // what follows
  std::shared_ptr<const SpaceState> state_;
  std::map<PredicateId, std::shared_ptr<const SpaceRelation>> relations_;
  std::map<PredicateId, std::string> names_;    // of attached links
  std::map<std::string, std::uint32_t> known_;  // names of relations that attach() saw
};

// The name of a relation as a predicate.
std::string predicate_name(std::string_view label);

}  // namespace anima::datalog
