// Policy: rules of the user's own over the live trace of calls, in Datalog.
//
// A rule base sees every call with its arguments and the labels of what they were made from
// (packs/policy/prelude.mg lists the predicates) and derives deny(Call, Reason) or
// ask(Call, Reason). Texts are values that rules compare; nothing in them is read as a command.
// Rules that speak of one call are evaluated over its facts alone. For those that relate a call to
// another one (or read the clock, count or recur) the engine keeps a trace of the last `window`
// calls and maintains it incrementally: judging a call is one small transaction. The calls of other
// processes come in by add(); CallTrace (call_trace.h) reads them from the log. A rule base that
// fails or passes its time limit denies the call.
//
// A policy that follows folders goes by what their files say at each decision: refresh() looks
// whether they were touched and puts the new rules in force, all at once, with the calls that the
// log has. Rules that cannot be read deny every call, and the denial names file and line, until
// they are mended.
//
// Thread-safety: from any thread. Errors: create() and following() those of the language with
// file:line. Complexity: of a decision, what the rules derive from one call; of refresh(), one look
// at each folder and file (rule_files.h). Source: docs/governance_policy.md.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "govern/rules/permissions.h"
#include "govern/rules/rule_files.h"

namespace anima::govern {

struct PolicyOptions {
  std::string work_folder = {};             // absolute; what lies in it is named from there
  std::size_t window = 1000;                // calls remembered
  std::int64_t deadline_milliseconds = 50;  // of one decision
};

struct PolicyVerdict {
  Permission permission = Permission::kAllowed;
  std::string reason;  // the first by text, when several rules speak
  std::string rule;    // "file:line:column" of a rule that decided
};

// A call that another process decided, or how such a call went on.
struct TracedCall {
  std::uint64_t number = 0;
  bool is_end = false;  // only number and outcome are there
  CallRequest request = {};
  ToolPolicy tool = {};      // its tier, and which arguments it carries
  std::string outcome = {};  // empty: it runs, or nobody knows
};

class Policy {
 public:
  // The prelude and these rules.
  static Result<std::unique_ptr<Policy>> create(const std::vector<PolicySource>& sources,
                                                PolicyOptions options = {});
  // The shipped rules, then the files of these folders as they are at each decision, then `more`: a
  // denial or question of one is not taken back by another. Errors: those of rules_in() too.
  static Result<std::unique_ptr<Policy>> following(const std::vector<std::string>& folders,
                                                   std::vector<PolicySource> more = {},
                                                   PolicyOptions options = {});
  // The files of packs/policy/ but the prelude and what undeniable_rules() has.
  static std::vector<PolicySource> shipped_sources();
  // packs/policy/undeniable.mg: which calls of a door no other rule denies and no stop holds up. Of
  // the shipped file alone, so that no file of a space widens it.
  static Result<std::unique_ptr<Policy>> undeniable_rules();
  ~Policy();
  Policy(const Policy&) = delete;
  Policy& operator=(const Policy&) = delete;

  // Rules of one's own that can decide nothing, each with its place.
  std::vector<std::string> idle_rules() const;

  // What the rules look at beside the call to be judged.
  struct Sight {
    bool looks_back = false;       // at calls before it; only then there is a trace
    bool reads_arguments = false;  // of those, or what they were made from; else add() needs none
  };
  // Gives the calls before, to rules that come into force; nobody decides by those before that.
  using Sink = std::function<void(const std::vector<TracedCall>&)>;
  using EarlierCalls = std::function<Status(const Sink& add, Sight sight)>;
  // Puts the rules that the files hold now in force. Errors: those of `earlier`; then the rules of
  // before stay and the next call tries again. Without `earlier` new rules see no call before them.
  Status refresh(const EarlierCalls& earlier = nullptr);
  // Grows when other rules come into force.
  std::uint64_t rules() const { return rules_; }

  Sight sight() const;
  std::size_t window() const { return options_.window; }
  // From now on calls have the numbers that the log gives them; until then one that was decided
  // here has a number above all of those.
  void follow_log();

  // Adds the call to the trace and judges it. `call` receives its number in the trace.
  PolicyVerdict decide(const CallRequest& request, const ToolPolicy& tool, std::uint64_t& call);
  // Once more, if anything but the call itself came into the trace since, or the rules are not
  // `rules` any more; else nothing. By other rules it comes after all that these judged: `call`
  // receives a new number. Requires follow_log(), and a call that has no number of the log yet.
  std::optional<PolicyVerdict> decide_again(const CallRequest& request, const ToolPolicy& tool,
                                            std::uint64_t& call, std::uint64_t rules);
  // The log has it under this number. A call that did nothing (`refused`) stays behind those that
  // were decided before it here, so that two calls at once do not refuse each other.
  void place(std::uint64_t call, std::uint64_t number, bool refused);
  // How it went on: "done", "failed", "denied", "waiting".
  void finished(std::uint64_t call, std::string_view outcome);
  // Adds calls of others; one that is known is left. What the rules cannot be evaluated over lets
  // nothing be allowed until it has left the trace, but for calls that were denied: these are left
  // out.
  void add(const std::vector<TracedCall>& calls);
  // What the rules say of what a rehearsed call would change (CallRequest::changes), beside what
  // they said before. `call`: its number in the trace; 0: it is not there. Leaves no trace.
  PolicyVerdict decide_changes(const CallRequest& request, const ToolPolicy& tool,
                               std::uint64_t call = 0);
  // The reason that undeniable_rules() give for letting this call through, if they do.
  std::optional<std::string> undeniable(const CallRequest& request, const ToolPolicy& tool);
  // What would be decided, without a trace left.
  PolicyVerdict would_decide(const CallRequest& request, const ToolPolicy& tool);

 private:
  class State;
  Policy(std::unique_ptr<State> state, PolicyOptions options);
  // The shipped rules, those of files, those of the program.
  Result<std::unique_ptr<State>> compile_all() const;

  const PolicyOptions options_;
  SystemClock clock_;
  std::vector<PolicySource> more_ = {};
  std::mutex reading_;                     // held by who looks at the files; before mutex_
  std::unique_ptr<RuleFiles> files_ = {};  // null: the rules are fixed
  std::atomic<std::uint64_t> rules_ = 1;
  mutable std::mutex mutex_;  // of what follows
  std::unique_ptr<State> state_;
  std::optional<Error> unreadable_ = {};  // why the files cannot be followed
};

}  // namespace anima::govern
