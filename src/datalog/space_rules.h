// Rules over a space, always current: what follows from the space's statements, kept up to date by
// its change feed, asked and explained down to log entries.
//
//   ANIMA_ASSIGN(const store::Snapshot now, space->snapshot());
//   ANIMA_ASSIGN(auto rules, SpaceRules::create(now, {{"policy.mg", text}}));
//   rules->follow(space);                         // a thread of its own, or refresh() by hand
//   auto state = rules->state();                  // state->sequence says what it is the state of
//   ANIMA_ASSIGN(auto why, rules->why("allowed(\"curl\")"));        // why.grounds.trust
//
// The base predicates are those of space_facts.h; they are read where they lie. Entries of the log
// become inserts and deletes of base facts, which the engine carries through (engine.h); several
// entries may be carried through at once, and each published state names the entry that it is the
// state of. When the delta cannot be known (an erased entry) or would cost more than a new
// evaluation (a bulk import), everything is evaluated again; subscribers see the difference all the
// same. Values are never taken out of a table, so those that updates leave behind are given back by
// a new evaluation too, when they outweigh what is there: each entry costs a bounded part of it.
//
// A rule that new data make fail (a division by zero, a violated inclusion) is set aside together
// with everything that depends on it: refresh() says so once, questions about those predicates are
// answered with its error, and the others stay current. It is tried again when the space changes,
// less and less often as it goes on failing. What fails otherwise (a limit) leaves the state before
// it; refresh() goes on saying so and tries again, less and less often.
//
// A relation of the space is there with and without links. Where a rule that was loaded names a
// predicate that neither the space nor a rule knows, or cannot compile otherwise, it is set aside
// in the same way, until a relation comes that the space had not. A rule that is written now
// (Names::kNew) is an error of create().
//
// Thread-safety: every function from any thread; writers (refresh) and explanations take turns,
// readers of a state never wait. Subscribers are called on the refreshing thread and must not call
// back. Source: spec part 2.9; docs/design/DATA.md.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "datalog/engine.h"
#include "datalog/space_facts.h"
#include "store/space.h"

namespace anima::datalog {

struct RuleText {
  std::string name;  // for messages: "debian/rules.mg"
  std::string text;
  Names names = Names::kNew;  // how its names of concepts are read at first
};

struct SpaceRulesOptions {
  Limits limits;                        // of each evaluation and each update
  std::shared_ptr<Clock> clock = {};    // null: the system's
  std::size_t max_delta_keys = 50'000;  // beyond: a new evaluation
  // Bytes of values that updates may leave behind before a new evaluation gives them back; more
  // where values or rows that are there hold more.
  std::size_t spare_value_bytes = std::size_t{4} << 20;
};

// What followed at one entry of the log. Immutable, for any number of threads.
struct RulesState {
  // A question with what answers it: the rules' own program and rows, or those of a relation of the
  // space that the rules do not know.
  struct Asked {
    Query query;
    std::shared_ptr<const Program> program;
    std::shared_ptr<const Snapshot> rows;
  };

  store::Sequence sequence = store::Sequence::kNone;
  std::shared_ptr<const Program> program;
  std::shared_ptr<const Snapshot> rows;
  std::shared_ptr<ValueTable> values;
  std::shared_ptr<const void> pin;  // of the texts that values point into
  std::shared_ptr<const SpaceFacts> facts;
  std::map<PredicateId, Error> broken;   // predicates whose rules fail, and those that need them
  std::map<std::string, Error> unbuilt;  // predicates with a rule that cannot compile, by name

  // Names of concepts are read as SpaceNames::query() says. Errors: those of the language; the
  // error of a rule that the predicate needs.
  Result<Asked> compile(std::string_view query) const;
  // Facts that match, in Mangle syntax, sorted. Errors: as compile().
  Result<std::vector<std::string>> ask(std::string_view query, std::size_t max_rows = 0) const;
};

// Do the names of concepts in the new ones of these rules each mean one? Rules that cannot be
// analysed say so when they are created. Errors: kInvalidArgument, with the place and the
// candidates. O(rules); O(literals + concepts) when a text of theirs is the name of several.
Status check_names(const store::Snapshot& snapshot, const std::vector<RuleText>& rules);

// Net change of one predicate from one state to a later one: facts in Mangle syntax, sorted.
struct SpaceChange {
  store::Sequence before = store::Sequence::kNone;
  store::Sequence after = store::Sequence::kNone;
  std::string predicate;
  std::vector<std::string> inserted;
  std::vector<std::string> deleted;
};

// Why a fact holds, and on whose word.
struct Explained {
  store::Sequence sequence = store::Sequence::kNone;
  Proof proof;
  Grounds grounds;
};

class SpaceRules {
 public:
  // Errors: those of the language, with file, line and column; limits. Rules that fail on the data
  // are set aside (state()->broken). O(evaluation), once more for each of them.
  static Result<std::unique_ptr<SpaceRules>> create(const store::Snapshot& snapshot,
                                                    std::vector<RuleText> rules,
                                                    SpaceRulesOptions options = {});
  ~SpaceRules();
  SpaceRules(const SpaceRules&) = delete;
  SpaceRules& operator=(const SpaceRules&) = delete;

  // Carries through what the space's log has beyond the published state. True when there was
  // something. Errors: of a rule that has begun to fail, once, after the others were published;
  // limits. O(what changed).
  Result<bool> refresh(store::Space& space);
  // The same up to a snapshot of the space and no further; one before the published state is
  // evaluated anew.
  Result<bool> refresh(store::Space& space, const store::Snapshot& to);
  // Refreshes from a thread of its own, as entries come, until unfollow() or the end.
  void follow(std::shared_ptr<store::Space> space);
  void unfollow();
  Status following() const;  // how the last refresh of that thread ended

  std::shared_ptr<const RulesState> state() const;
  TransactionStats stats() const;     // of the last evaluation or update
  std::uint64_t evaluations() const;  // from nothing, failed ones too; the rest were updates

  // Of the newest state. A fact is written with its constants, as for compile_fact().
  // Errors: kNotFound when the fact does not hold; those of the language.
  Result<Explained> why(std::string_view fact, const ExplainOptions& options = {}) const;
  Result<WhyNot> why_not(std::string_view goal, const ExplainOptions& options = {}) const;
  // What would follow: a world of its own over the newest state. It keeps the state alive.
  std::shared_ptr<Fork> fork() const;
  // A world of its own in which a branch of the newest state's snapshot holds, which has these
  // links beside; its changes() tell what that makes true and untrue. Null when the difference
  // cannot be told without a new evaluation (SpaceFacts::supposed). Errors: those of an update.
  // O(what changes).
  Result<std::shared_ptr<Fork>> suppose(const store::Snapshot& branch,
                                        std::span<const store::Triple> links) const;
  // Whether a rule asks for the time: what follows then changes without any entry of the log.
  bool reads_clock() const;

  // `predicate` empty: all. A predicate that the rules do not know never changes; one of a rule
  // that is set aside has no facts.
  SubscriptionId subscribe(std::string predicate, std::function<void(const SpaceChange&)> listener);
  void unsubscribe(SubscriptionId id);

 private:
  struct Data;
  explicit SpaceRules(std::unique_ptr<Data> data);
  std::unique_ptr<Data> data_;
};

}  // namespace anima::datalog
