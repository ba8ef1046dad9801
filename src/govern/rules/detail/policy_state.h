// The rules of a policy that are in force, and what they know of calls: the compiled program, the
// trace when a rule looks back, which calls are decided and not in the log yet.
//
// Policy (policy.h) locks it, and puts another in its place when the files of its rules change; the
// functions that have the names of Policy's are those. Thread-safety: one thread at a time.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "datalog/engine.h"
#include "govern/rules/detail/call_encoder.h"
#include "govern/rules/detail/call_rules.h"
#include "govern/rules/detail/policy_scope.h"
#include "govern/rules/detail/policy_trace.h"
#include "govern/rules/policy.h"

namespace anima::govern {

inline constexpr std::string_view kPolicyPacks = "packs/policy/";
inline constexpr std::string_view kPrelude = "packs/policy/prelude.mg";
inline constexpr std::string_view kUndeniable = "packs/policy/undeniable.mg";

class Policy::State {
 public:
  // The prelude and these rules. Errors: those of the language, with file:line.
  static Result<std::unique_ptr<State>> compile(const std::vector<PolicySource>& sources,
                                                const PolicyOptions& options);

  const std::vector<std::string>& idle_rules() const { return idle_; }
  Sight sight() const;
  void follow_log() { follows_log_ = true; }
  // Calls that are decided and not in the log go on under the rules that come into force; those
  // that stayed behind them are among the calls that these were given.
  void take_over(const State& before);

  PolicyVerdict decide(const CallRequest& request, const ToolPolicy& tool, std::uint64_t& call);
  // `other_rules`: the call was judged by rules that are not these.
  std::optional<PolicyVerdict> decide_again(const CallRequest& request, const ToolPolicy& tool,
                                            std::uint64_t& call, bool other_rules);
  PolicyVerdict would_decide(const CallRequest& request, const ToolPolicy& tool);
  PolicyVerdict decide_changes(const CallRequest& request, const ToolPolicy& tool,
                               std::uint64_t call);
  std::optional<std::string> undeniable(const CallRequest& request, const ToolPolicy& tool);
  void place(std::uint64_t call, std::uint64_t number, bool refused);
  void finished(std::uint64_t call, std::string_view outcome);
  void add(const std::vector<TracedCall>& calls);

 private:
  using Code = datalog::Code;
  using PredicateId = datalog::PredicateId;

  Status prepare();
  datalog::Limits limits() const;
  std::uint64_t take_number();
  std::uint64_t next_number() const;
  bool is_behind_others(std::uint64_t number) const;
  // The call runs no longer, and those that stayed behind it need not any more.
  void leave(std::uint64_t number);

  // The call's facts, and the verdict of the rules of one call on them. `traced` takes the facts,
  // and adds what the rules of the trace say.
  template <typename Traced>
  PolicyVerdict judge(const CallRequest& request, const ToolPolicy& tool, std::uint64_t number,
                      const Traced& traced);
  // What the rules of the trace say, beside what those of one call said.
  template <typename Ask, typename Explain>
  Status add_traced(Code id, std::span<detail::RuleDecision> found, const Ask& rows_of,
                    const Explain& explain);
  Status add_traced(Code id, std::span<detail::RuleDecision> found);
  std::string text_of(Code reason) const;
  PolicyVerdict verdict(std::span<const detail::RuleDecision> found) const;

  std::vector<std::string> idle_;
  std::shared_ptr<datalog::ValueTable> values_ = std::make_shared<datalog::ValueTable>();
  SystemClock clock_;
  PolicyOptions options_;
  std::shared_ptr<const datalog::Program> program_;
  detail::CallPredicates predicates_;
  detail::PolicyScope scope_;
  std::array<PredicateId, 2> decisions_{};  // deny, ask
  PredicateId undeniable_ = datalog::kNone;
  std::optional<detail::CallRules> rules_;
  std::unique_ptr<detail::PolicyTrace> trace_;  // null: no rule needs it
  std::optional<detail::CallEncoder> encoder_;  // has the call that is being judged
  bool follows_log_ = false;
  std::uint64_t next_ = 1;                          // of a call that the log did not number
  std::map<std::uint64_t, std::uint64_t> running_;  // calls without a place, judged at which change
  std::map<std::uint64_t, std::uint64_t> late_;  // refused ones that stay behind such, their places
};

}  // namespace anima::govern
