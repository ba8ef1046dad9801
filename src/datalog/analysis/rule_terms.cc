// The terms of a clause: arguments of atoms, calls of functions, what is bound where they stand.
#include <algorithm>
#include <span>

#include "base/text/text.h"
#include "datalog/analysis/constants.h"
#include "datalog/analysis/rule_builder.h"
#include "datalog/values/signatures.h"

namespace anima::datalog::detail {

using ast::TermKind;

bool RuleBuilder::all_bound(const ast::Term& from) const {
  if (from.kind == TermKind::kVariable) {
    const auto known = names_.find(from.text);
    return known != names_.end() && bound(known->second);
  }
  return std::all_of(from.arguments.begin(), from.arguments.end(),
                     [this](const ast::Term& argument) { return all_bound(argument); });
}

void RuleBuilder::needed_variables(const ast::Term& from, std::vector<Variable>& out) {
  if (from.kind == TermKind::kVariable) {
    if (from.text != "_") out.push_back(variable(from.text));
    return;
  }
  for (const ast::Term& argument : from.arguments) needed_variables(argument, out);
}

bool RuleBuilder::arity_fits(const ast::Term& from, std::string_view name, std::size_t least,
                             std::size_t most) {
  const std::size_t given = from.arguments.size();
  if (given >= least && (most == 255 || given <= most)) return true;
  std::string wanted = std::to_string(least);
  if (most == 255) {
    wanted = "at least " + wanted;
  } else if (most != least) {
    wanted += " to " + std::to_string(most);
  }
  return report(
      Problem::kArity, from.at,
      std::string(name) + " takes " + wanted + " arguments, here are " + std::to_string(given));
}

bool RuleBuilder::apply(const ast::Term& from, bool in_let, Term& to) {
  Function function{};
  const Signature* known = find_function(from.text, in_let, function);
  if (known == nullptr) {
    Reducer reducer{};
    if (find_reducer(from.text, reducer) != nullptr) {
      return report(Problem::kSafety, from.at, from.text + " is a reducer",
                    "use it in a let behind |> do fn:group_by(..)");
    }
    std::vector<std::string> names;
    for (const Signature& one : functions()) names.emplace_back(one.name);
    for (const Signature& one : reducers()) names.emplace_back(one.name);
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    return report(Problem::kUndefined, from.at, "there is no function " + from.text,
                  did_you_mean(nearest_names(from.text, std::span<const std::string>(names))));
  }
  if (!arity_fits(from, from.text, known->least, known->most)) return false;
  if ((function == Function::kMap || function == Function::kStruct) &&
      from.arguments.size() % 2 != 0) {
    return report(Problem::kArity, from.at,
                  from.text + " takes pairs of a key and a value, here are " +
                      std::to_string(from.arguments.size()) + " arguments");
  }
  to.kind = Term::Kind::kApply;
  to.function = function;
  bool constant = function != Function::kNow;
  for (const ast::Term& argument : from.arguments) {
    Term converted;
    if (!term(argument, in_let, converted)) return false;
    constant = constant && converted.kind == Term::Kind::kConstant;
    to.arguments.push_back(std::move(converted));
  }
  if (!constant) return true;
  std::vector<Code> codes;
  for (const Term& argument : to.arguments) codes.push_back(argument.value);
  Evaluation evaluation{context_.values};
  Code code = 0;
  // A call that fails stays as it is: it is an error only when it is reached.
  if (evaluate(function, codes, evaluation, code)) {
    to = {};
    to.value = code;
  }
  return true;
}

bool RuleBuilder::term(const ast::Term& from, bool in_let, Term& to) {
  to = {};
  switch (from.kind) {
    case TermKind::kVariable: {
      if (from.text == "_") {
        return report(Problem::kSafety, from.at, "_ has no value to compute with",
                      "give the variable a name and bind it");
      }
      to.kind = Term::Kind::kVariable;
      to.value = variable(from.text);
      return bound(to.value) || unsafe(from.at, from.text);
    }
    case TermKind::kApply:
      return apply(from, in_let, to);
    default:
      if (!is_constant_kind(from.kind) || !constant_code(from, context_.values, to.value)) {
        return report(Problem::kSyntax, from.at, "a type is not a value");
      }
      return true;
  }
}

Term RuleBuilder::as_term(Argument argument) const {
  Term term;
  term.kind = argument.constant ? Term::Kind::kConstant : Term::Kind::kVariable;
  term.value = argument.value;
  return term;
}

Argument RuleBuilder::as_argument(Term term) {
  if (term.kind == Term::Kind::kConstant) return Argument::code(term.value);
  if (term.kind == Term::Kind::kVariable) return Argument::variable(term.value);
  const Variable v = fresh();
  assign(v, std::move(term));
  return Argument::variable(v);
}

// An argument of an atom. `may_bind`: an unbound variable is bound by the atom.
bool RuleBuilder::argument(const ast::Term& from, bool may_bind, Argument& to) {
  if (from.kind == TermKind::kVariable) {
    const Variable v = from.text == "_" ? fresh() : variable(from.text);
    to = Argument::variable(v);
    return may_bind || from.text == "_" || bound(v) || unsafe(from.at, from.text);
  }
  Term converted;
  if (!term(from, false, converted)) return false;
  to = as_argument(std::move(converted));
  return true;
}

bool RuleBuilder::arguments(const ast::Atom& atom, bool may_bind, std::vector<Argument>& to) {
  for (const ast::Term& from : atom.arguments) {
    Argument converted;
    if (!argument(from, may_bind, converted)) return false;
    to.push_back(converted);
  }
  return true;
}

}  // namespace anima::datalog::detail
