// The facts that the rules of a policy see of a call: its tool and agent, its arguments, what those
// were made from (packs/policy/prelude.mg has the predicates).
//
// A list has a fact for each item, a path one more for the file it names, a text of several
// recipients one for each. Texts stand in the facts only where a rule may read them.
// Thread-safety: one thread at a time. Complexity: of encode(), the arguments and the readers of
// the scope.
#pragma once

#include <array>
#include <cstddef>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/json/json.h"
#include "datalog/analyze.h"
#include "datalog/program.h"
#include "govern/rules/detail/call_rules.h"
#include "govern/rules/detail/policy_scope.h"
#include "govern/rules/permissions.h"

namespace anima::govern::detail {

// The predicates that hold calls, as a program numbers them; kNone: no rule speaks of it.
struct CallPredicates {
  static std::vector<datalog::BasePredicate> declared();
  static CallPredicates of(const datalog::Program& program);
  std::vector<datalog::PredicateId> all() const;

  datalog::PredicateId call = datalog::kNone;
  datalog::PredicateId argument = datalog::kNone;
  datalog::PredicateId made_from = datalog::kNone;
  datalog::PredicateId carried = datalog::kNone;
  datalog::PredicateId tier = datalog::kNone;
  datalog::PredicateId finished = datalog::kNone;
  datalog::PredicateId door = datalog::kNone;
  datalog::PredicateId governs = datalog::kNone;
  // Of a call with values.
  datalog::PredicateId valued = datalog::kNone;
  datalog::PredicateId message = datalog::kNone;
  datalog::PredicateId floor = datalog::kNone;
  datalog::PredicateId has_plan = datalog::kNone;
  datalog::PredicateId planned = datalog::kNone;
  datalog::PredicateId ran = datalog::kNone;
  datalog::PredicateId effect = datalog::kNone;
  datalog::PredicateId role = datalog::kNone;
  datalog::PredicateId said = datalog::kNone;
  datalog::PredicateId contact = datalog::kNone;
  datalog::PredicateId within = datalog::kNone;
  datalog::PredicateId value_from = datalog::kNone;
  datalog::PredicateId argument_value = datalog::kNone;
  datalog::PredicateId leaves = datalog::kNone;
  datalog::PredicateId meant = datalog::kNone;
  datalog::PredicateId off_plan = datalog::kNone;
  // Of a call that was rehearsed.
  datalog::PredicateId change = datalog::kNone;
  datalog::PredicateId change_in = datalog::kNone;
  datalog::PredicateId change_at = datalog::kNone;
  datalog::PredicateId overrun = datalog::kNone;
};

class CallEncoder {
 public:
  // `scope` is that of a program of `count` predicates, and outlives this. `work_folder`: absolute,
  // or empty.
  CallEncoder(const CallPredicates& predicates, const PolicyScope& scope, std::size_t count,
              std::shared_ptr<datalog::ValueTable> values, std::string work_folder);

  // The call, known to the rules as `id`, in place of the one before.
  void encode(const CallRequest& request, const ToolPolicy& tool, datalog::Code id);
  // Rules may add what they derive, until the next encode().
  CallFacts& facts() { return facts_; }
  // An argument that rules read and do not see whole; else empty.
  const std::string& unseen() const { return unseen_; }

 private:
  using Code = datalog::Code;

  void put(datalog::PredicateId predicate, std::initializer_list<Code> row);
  void put_once(datalog::PredicateId predicate, std::initializer_list<Code> row);
  void put_text(datalog::PredicateId predicate, std::initializer_list<Code> row,
                std::string_view text);
  void put_argument(Code id, std::string_view name, const Json& value, bool carried_only);
  void put_recipients(Code id, std::string_view name, const Json& value);
  void put_values(Code id, const CallValues& values, std::string_view tool);
  void put_value(Code id, const ArgumentValue& value);
  void put_changes(Code id, const CallChanges& changes);
  void put_path(Code id, Code kind, std::string_view path);
  Code text(std::string_view whole, std::string_view name, bool carried_only);
  Code scalar(const Json& value, std::string_view name, bool carried_only);
  Code trust_code(Trust trust) const { return trust_codes_[static_cast<std::size_t>(trust)]; }

  CallPredicates predicates_;
  const PolicyScope& scope_;
  std::shared_ptr<datalog::ValueTable> values_;
  std::string work_folder_;
  std::array<Code, 6> trust_codes_{};
  std::array<Code, 4> tier_codes_{};
  Code no_text_ = 0;  // stands for a text that no rule reads
  CallFacts facts_;
  std::string unseen_;
};

}  // namespace anima::govern::detail
