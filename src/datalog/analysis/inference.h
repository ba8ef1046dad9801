// Inference: the types of rules, inferred from facts and declarations, stratum by stratum, and
// checked.
//
// An error is reported only where the types prove that an operation must fail or that a head never
// conforms; where neither conformance nor its opposite is proven, Rule::check_bounds asks the
// engine to check each row. Three files: infer.cc goes through strata and rules, infer_literals.cc
// through what a body says, infer_terms.cc finds the types of expressions. Thread-safety: one
// thread.
#pragma once

#include <string>
#include <vector>

#include "datalog/analysis/context.h"
#include "datalog/analysis/types.h"
#include "datalog/program.h"

namespace anima::datalog::detail {

using Columns = std::vector<TypePtr>;

// True where two values of these types are never equal; a type without values fits with all.
bool impossible(const Type& a, const Type& b);

// Of the elements of a list, of a part of a pair or map, of the value of a field: /any where the
// type does not say.
TypePtr element_of(const Type& list);
TypePtr part_of(const Type& type, TypeKind kind, std::size_t index);
TypePtr field_type(const Type& type, const ValueTable& values, const Argument& label);

class Inference {
 public:
  explicit Inference(Context& context)
      : context_(context), program_(context.program), columns_(program_.predicates.size()) {}

  void run();

 private:
  struct Scope {  // one rule
    Rule& rule;
    const RuleOrigin& origin;
    std::vector<TypePtr> variables;
    Offset at = 0;
  };

  void start();
  bool inferred(PredicateId id) const {
    const Predicate& predicate = program_.predicates[id];
    return !predicate.declared && !context_.open[id];
  }
  void settle(const Stratum& stratum);
  Columns check(Rule& rule, const RuleOrigin& origin);
  void literal(Scope& scope, Literal& literal);
  void atom(Scope& scope, const Literal& literal);
  void compare(Scope& scope, Literal& literal);
  void builtin(Scope& scope, Literal& literal);
  void outputs(Scope& scope, const Literal& literal);
  void grouping(Scope& scope);
  TypePtr reduction(Scope& scope, const Reduction& reduction);
  void head(Scope& scope, const Columns& types);
  TypePtr term(Scope& scope, const Term& term);
  TypePtr application(Scope& scope, const Term& term);
  TypePtr result_type(const Term& term, const std::vector<TypePtr>& arguments) const;
  TypePtr argument(const Scope& scope, const Argument& argument) const;
  bool cannot_fail(Scope& scope, const Term& term);
  void narrow(Scope& scope, const Term& term, const TypePtr& type);
  void error(const Scope& scope, std::string message, std::string hint = {});

  Context& context_;
  Program& program_;
  std::vector<Columns> columns_;  // by predicate
  bool report_ = false;
};

}  // namespace anima::datalog::detail
