// A space's statements as base predicates of rules, read where they lie.
//
//   p(S, O)                   each relation p of the space; other characters than letters, digits
//                             and `_` become `_` in its name
//   concept(Id, Type, Name)   attribute(Id, Key, Value)   metadata(Id, Key, Value)
//   fact(Graph, S, P, O)      every assertion of a relation, with its graph
//
// A concept is the string of its name, "Type:name" when an older concept bears the same name; so no
// concept that comes later takes a name away (space_state.h). A proposition is the name /link/N.
// Strings, integers and floats are themselves, booleans /true and /false, null /null; every other
// literal is the string of its text. Codes are the store's own (DATA.md 5); nothing is copied.
//
// Thread-safety: advance() by one thread at a time; everything else from any, also meanwhile. Texts
// of values() that come from the space live as long as a pin() taken before.
// Errors: none of its own; those of reading the log are handed through.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "base/mutex.h"
#include "base/result.h"
#include "datalog/analyze.h"
#include "datalog/engine.h"
#include "store/space.h"

namespace anima::datalog {

class NameColumns;
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

// How the constants of a program are read that name concepts.
enum class Names : std::uint8_t {
  kNew,       // the program is written now: a name of several concepts is an error
  kAsLoaded,  // it was loaded before: a name means the oldest of its concepts, whatever came since
};

// What names of concepts in questions mean in one state of a space.
class SpaceNames {
 public:
  // A question that is put now: a name of several concepts is an error that lists them; of one that
  // is called otherwise here, what it is called. "Type:name" always names that concept. Errors:
  // those of compile_query().
  Result<Query> query(const Program& program, std::string_view text) const;
  // A fact as facts are printed: a name is what a concept is called here. Errors: those of
  // compile_fact().
  Result<GroundFact> fact(const Program& program, std::string_view text) const;

 private:
  friend class SpaceFacts;
  SpaceNames(std::shared_ptr<const SpaceState> state, std::shared_ptr<const NameColumns> columns);
  std::shared_ptr<const SpaceState> state_;
  std::shared_ptr<const NameColumns> columns_;
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
  // Gives the constants of the program that stand for concepts the value that the concept has here.
  // `names`, by the place of a rule, says how they are read. Errors: kInvalidArgument, with the
  // place and the candidates, for a name of several (kNew). O(program).
  using NamesAt = std::function<Names(std::string_view where)>;
  Status settle_names(Program& program, const NamesAt& names);
  SpaceNames names() const;
  // Relations for the program's predicates that are the space's, also for declared ones with two
  // arguments that the space has not used yet.
  void attach(const Program& program, EngineOptions& options);

  // The state of a newer snapshot of the same space, and what it changes for the engine that
  // attach() served. `written` is what was written since. O(what was written).
  std::vector<Rebase> advance(const store::Snapshot& next,
                              std::span<const store::WrittenKey> written)
      // The one writer reads what it alone changes without the lock.
      ANIMA_NO_THREAD_SAFETY_ANALYSIS;
  // What rules would see beside what they see now if a branch of this state's snapshot, which has
  // these links beside, held: the links and the concepts that are new there. Nothing when it cannot
  // be told without reading all names again: a name that is borne already, a concept that nobody
  // asserted so far, a literal. O(links + new concepts).
  std::optional<Transaction> supposed(const Program& program, const store::Snapshot& branch,
                                      std::span<const store::Triple> links) const;
  // Has advance() brought what the program names and attach() did not find: a relation of the name
  // of one of its predicates, a concept that it calls "Type:name"? Or may a faded confidence that
  // it asked for be another one now?
  bool needs_evaluation(const Program& program) const;

  // Names of relations that attach() did not know; sorted.
  std::vector<std::string> new_relations() const;
  // The same state and values, with nothing attached; advance() of one leaves the other.
  std::shared_ptr<SpaceFacts> beside() const;
  // Has the space links that rules call so?
  bool has_relation(const std::string& name) const;
  std::vector<std::string> relations() const;  // all such names, sorted

  store::Sequence sequence() const;
  store::Snapshot snapshot() const;
  std::shared_ptr<const void> pin() const;
  // The statements that a base predicate's row rests on; none when it is not there.
  std::vector<store::Triple> statements(PredicateId predicate, std::span<const Code> row) const;
  // What a value stands for in this state: the asserted entity that is called so, else the literal
  // that the space has, else a literal that it has not. O(entities that are called so).
  struct Meaning {
    std::optional<store::Term> term;
    store::Value value;  // where there is no term
  };
  Meaning meaning(Code code) const;
  // Who asserts a statement, in the scope of the snapshot.
  std::vector<Assertion> assertions(const store::Triple& statement) const;
  // O(facts given in the proof).
  Grounds grounds(const Proof& proof) const;

 private:
  SpaceFacts() = default;
  std::shared_ptr<const SpaceState> state() const;

  std::shared_ptr<ValueTable> values_;
  mutable Mutex mutex_;
  std::shared_ptr<const SpaceState> state_ ANIMA_GUARDED_BY(mutex_);
  std::map<PredicateId, std::shared_ptr<const SpaceRelation>> relations_ ANIMA_GUARDED_BY(mutex_);
  std::map<PredicateId, std::string> names_ ANIMA_GUARDED_BY(mutex_);  // of attached links
  std::map<std::string, std::uint32_t> known_
      ANIMA_GUARDED_BY(mutex_);  // names of relations that attach() saw
  std::shared_ptr<const NameColumns> columns_
      ANIMA_GUARDED_BY(mutex_);  // of the program of settle_names()
  std::unordered_set<std::string> awaited_
      ANIMA_GUARDED_BY(mutex_);  // its names "Type:name" of concepts yet to come
  bool awaited_came_ = false;
  bool fades_ = false;  // the program asks for faded confidences
  bool faded_anew_ = false;
};

// The name of a relation as a predicate.
std::string predicate_name(std::string_view label);

}  // namespace anima::datalog
