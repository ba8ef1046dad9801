// Types of rules: inferred from facts and declarations, stratum by stratum, and checked.
//
// An error is reported only where the types prove that an operation must fail or that a head never
// conforms; where neither conformance nor its opposite is proven, Rule::check_bounds asks the
// engine to check each row.
#include <algorithm>
#include <unordered_map>

#include "datalog/detail/bounds.h"
#include "datalog/detail/constants.h"
#include "datalog/detail/context.h"
#include "datalog/detail/signatures.h"

namespace anima::datalog::detail {
namespace {

using ast::Comparison;
using Columns = std::vector<TypePtr>;

constexpr int kDepth = 4;    // of inferred types
constexpr int kRounds = 12;  // of a recursive stratum before it is given up as /any

bool impossible(const Type& a, const Type& b) {
  return a.kind != TypeKind::kNothing && b.kind != TypeKind::kNothing && disjoint(a, b);
}

std::string letter_text(char letter) {
  switch (letter) {
    case 'i':
      return "an integer";
    case 'f':
      return "a float64";
    case 'u':
      return "a number";
    case 's':
      return "a string";
    case 'n':
      return "a name";
    case 't':
      return "a time";
    case 'd':
      return "a duration";
    case 'l':
      return "a list";
    case 'p':
      return "a pair";
    case 'm':
      return "a map";
    case 'S':
      return "a struct";
    default:
      return "a string, name or number";
  }
}

// Types of the column of a fact table, cheap for scalars.
class ColumnTypes {
 public:
  explicit ColumnTypes(const ValueTable& values) : values_(values) {}

  void add(Code code) {
    if (is_inline_int(code)) {
      kinds_ |= 1U << static_cast<unsigned>(ValueKind::kInt);
      return;
    }
    if (code == last_) return;
    last_ = code;
    const ValueKind kind = values_.kind(code);
    if (kind < ValueKind::kPair) {
      kinds_ |= 1U << static_cast<unsigned>(kind);
    } else if (++structured_ <= kMostStructured) {
      wide_ = widen(join(wide_, type_of(values_, code)), kDepth);
    } else {
      wide_ = join(wide_, kind_type(kind));
    }
  }
  TypePtr type() const {
    TypePtr result = wide_;
    for (unsigned kind = 0; kind < static_cast<unsigned>(ValueKind::kPair); ++kind) {
      if ((kinds_ >> kind & 1U) != 0) {
        result = join(result, kind_type(static_cast<ValueKind>(kind)));
      }
    }
    return result;
  }

 private:
  static constexpr std::size_t kMostStructured = 256;
  const ValueTable& values_;
  std::uint32_t kinds_ = 0;
  Code last_ = kUnbound;
  std::size_t structured_ = 0;
  TypePtr wide_ = nothing_type();
};

class Inference {
 public:
  explicit Inference(Context& context)
      : context_(context), program_(context.program), columns_(program_.predicates.size()) {}

  void run() {
    start();
    for (const Stratum& stratum : program_.strata) settle(stratum);
    report_ = true;
    for (Rule& rule : program_.rules) check(rule, context_.origins[rule.id]);
    for (auto& [predicate, rules] : program_.deferred_rules) {
      for (Rule& rule : rules) check(rule, context_.deferred_origins[rule.id]);
    }
  }

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

void Inference::error(const Scope& scope, std::string message, std::string hint) {
  if (!report_) return;
  context_.report(Problem::kType,
                  {scope.origin.unit, scope.at, scope.at + 1, scope.origin.at, scope.origin.end},
                  std::move(message), std::move(hint));
}

void Inference::start() {
  for (PredicateId id = 0; id < program_.predicates.size(); ++id) {
    const Predicate& predicate = program_.predicates[id];
    Columns& columns = columns_[id];
    if (inferred(id)) {
      columns.assign(predicate.columns, nothing_type());
      continue;
    }
    columns.assign(predicate.columns, any_type());
    for (std::size_t i = 0; i < predicate.arity && !predicate.bounds.empty(); ++i) {
      columns[i] = nothing_type();
      for (const std::vector<TypePtr>& row : predicate.bounds)
        columns[i] = join(columns[i], row[i]);
    }
    for (std::size_t i = predicate.arity; i < predicate.columns; ++i) {
      columns[i] = make_type(TypeKind::kTime);
    }
  }
  for (const Facts& facts : program_.facts) {
    if (!inferred(facts.predicate)) continue;
    const std::uint32_t width = program_.predicates[facts.predicate].columns;
    for (std::uint32_t column = 0; column < width; ++column) {
      ColumnTypes types(context_.values);
      for (std::uint64_t row = 0; row < facts.rows; ++row)
        types.add(facts.codes[row * width + column]);
      TypePtr& known = columns_[facts.predicate][column];
      known = join(known, types.type());
    }
  }
}

void Inference::settle(const Stratum& stratum) {
  for (int round = 0; round < kRounds; ++round) {
    bool changed = false;
    for (const RuleId id : stratum.rules) {
      Rule& rule = program_.rules[id];
      const Columns types = check(rule, context_.origins[id]);
      if (!inferred(rule.head)) continue;
      for (std::size_t i = 0; i < types.size(); ++i) {
        TypePtr& known = columns_[rule.head][i];
        TypePtr next = widen(join(known, types[i]), kDepth);
        if (!subtype(*next, *known)) {
          known = std::move(next);
          changed = true;
        }
      }
    }
    if (!changed) return;
    if (!stratum.recursive) return;
  }
  for (const PredicateId id : stratum.predicates) {
    if (inferred(id)) columns_[id].assign(columns_[id].size(), any_type());
  }
}

TypePtr Inference::argument(const Scope& scope, const Argument& argument) const {
  return argument.constant ? type_of(context_.values, argument.value)
                           : scope.variables[argument.value];
}

void Inference::narrow(Scope& scope, const Term& term, const TypePtr& type) {
  if (term.kind != Term::Kind::kVariable) return;
  TypePtr& known = scope.variables[term.value];
  known = meet(known, type);
}

TypePtr Inference::term(Scope& scope, const Term& from) {
  switch (from.kind) {
    case Term::Kind::kConstant:
      return type_of(context_.values, from.value);
    case Term::Kind::kVariable:
      return scope.variables[from.value];
    default:
      return application(scope, from);
  }
}

TypePtr Inference::application(Scope& scope, const Term& from) {
  const Signature& known = signature(from.function);
  std::vector<TypePtr> types;
  for (std::size_t i = 0; i < from.arguments.size(); ++i) {
    types.push_back(term(scope, from.arguments[i]));
    const char letter = type_letter(known, i);
    if (impossible(*types.back(), *letter_type(letter))) {
      const bool let_form =
          from.function >= Function::kIntPlus && from.function <= Function::kIntMod;
      error(scope,
            std::string(known.name) + ": argument " + std::to_string(i + 1) + " is " +
                type_text(*types.back(), context_.values) + ", not " + letter_text(letter),
            let_form ? "in a let " + std::string(known.name) +
                           " takes integers; use fn:float:.. or compute in the body"
                     : "");
    }
  }
  return result_type(from, types);
}

TypePtr element_of(const Type& list) {
  if (list.kind == TypeKind::kList) return list.arguments[0];
  if (list.kind != TypeKind::kUnion) return any_type();
  TypePtr element = nothing_type();
  for (const TypePtr& one : list.arguments) {
    if (one->kind == TypeKind::kList) element = join(element, one->arguments[0]);
    if (one->kind == TypeKind::kAny) return any_type();
  }
  return element;
}

TypePtr part_of(const Type& type, TypeKind kind, std::size_t index) {
  return type.kind == kind ? type.arguments[index] : any_type();
}

TypePtr field_type(const Type& type, const ValueTable& values, const Argument& label) {
  if (type.kind != TypeKind::kStruct || !label.constant) return any_type();
  const std::string_view text = values.view(label.value).text;
  for (const TypeField& field : type.fields) {
    if (field.label == text) return field.type;
  }
  return any_type();
}

TypePtr Inference::result_type(const Term& from, const std::vector<TypePtr>& types) const {
  const auto all_of = [&](const Type& type) {
    return std::all_of(types.begin(), types.end(),
                       [&](const TypePtr& one) { return subtype(*one, type); });
  };
  const auto joined = [&](std::size_t first, std::size_t step) {
    TypePtr result = nothing_type();
    for (std::size_t i = first; i < types.size(); i += step) result = join(result, types[i]);
    return result;
  };
  switch (from.function) {
    case Function::kPlus:
    case Function::kMinus:
    case Function::kMult:
    case Function::kDiv:
    case Function::kMod:
      if (all_of(*letter_type('i'))) return letter_type('i');
      for (const TypePtr& one : types) {
        if (one->kind == TypeKind::kFloat) return letter_type('f');
      }
      return numeric_type();
    case Function::kList:
      return make_type(TypeKind::kList, {joined(0, 1)});
    case Function::kCons:
      return make_type(TypeKind::kList, {join(types[0], element_of(*types[1]))});
    case Function::kAppend:
      return make_type(TypeKind::kList, {join(element_of(*types[0]), types[1])});
    case Function::kListGet:
      return element_of(*types[0]);
    case Function::kNameList:
      return make_type(TypeKind::kList, {make_type(TypeKind::kName)});
    case Function::kSplit:
      return make_type(TypeKind::kList, {make_type(TypeKind::kString)});
    case Function::kPair:
      return make_type(TypeKind::kPair, {types[0], types[1]});
    case Function::kFirst:
      return part_of(*types[0], TypeKind::kPair, 0);
    case Function::kSecond:
      return part_of(*types[0], TypeKind::kPair, 1);
    case Function::kTuple: {
      TypePtr result = types.back();
      for (std::size_t i = types.size() - 1; i > 0; --i) {
        result = make_type(TypeKind::kPair, {types[i - 1], result});
      }
      return result;
    }
    case Function::kMap:
      return make_type(TypeKind::kMap, {joined(0, 2), joined(1, 2)});
    case Function::kMapGet:
      return part_of(*types[0], TypeKind::kMap, 1);
    case Function::kStruct: {
      auto type = std::make_shared<Type>();
      type->kind = TypeKind::kStruct;
      for (std::size_t i = 0; i + 1 < from.arguments.size(); i += 2) {
        if (from.arguments[i].kind != Term::Kind::kConstant) return letter_type('S');
        type->fields.push_back(
            {std::string(context_.values.view(from.arguments[i].value).text), false, types[i + 1]});
      }
      return type;
    }
    case Function::kStructGet:
      return from.arguments[1].kind == Term::Kind::kConstant
                 ? field_type(*types[0], context_.values, Argument::code(from.arguments[1].value))
                 : any_type();
    case Function::kSome: {
      Term name;
      name.value = context_.values.name("/some");
      return make_type(TypeKind::kPair, {type_of(context_.values, name.value), types[0]});
    }
    default:
      return letter_type(signature(from.function).result);
  }
}

// Only integer arithmetic and constructors are free of errors.
bool Inference::cannot_fail(Scope& scope, const Term& from) {
  if (from.kind != Term::Kind::kApply) return true;
  for (const Term& part : from.arguments) {
    if (!cannot_fail(scope, part)) return false;
  }
  if (!may_fail(from.function)) return true;
  switch (from.function) {
    case Function::kPlus:
    case Function::kMinus:
    case Function::kMult:
    case Function::kIntPlus:
    case Function::kIntMinus:
    case Function::kIntMult: {
      const bool before = report_;
      report_ = false;
      const bool integers = std::all_of(
          from.arguments.begin(), from.arguments.end(),
          [&](const Term& part) { return subtype(*term(scope, part), *letter_type('i')); });
      report_ = before;
      return integers;
    }
    default:
      return false;
  }
}

void Inference::atom(Scope& scope, const Literal& literal) {
  const Columns& columns = columns_[literal.predicate];
  for (std::size_t i = 0; i < literal.arguments.size(); ++i) {
    if (literal.arguments[i].constant) continue;
    TypePtr& known = scope.variables[literal.arguments[i].value];
    if (report_ && impossible(*known, *columns[i])) {
      context_.warn(Problem::kType,
                    {scope.origin.unit, scope.at, scope.at + 1, scope.origin.at, scope.origin.end},
                    "this never matches: " + scope.rule.variables[literal.arguments[i].value].name +
                        " is " + type_text(*known, context_.values) + ", argument " +
                        std::to_string(i + 1) + " of " +
                        program_.predicates[literal.predicate].name + " is " +
                        type_text(*columns[i], context_.values));
    }
    known = meet(known, columns[i]);
  }
}

void Inference::compare(Scope& scope, Literal& literal) {
  const TypePtr left = term(scope, literal.left);
  const TypePtr right = term(scope, literal.right);
  if (literal.comparison <= Comparison::kNotEqual) {
    if (literal.comparison == Comparison::kEqual) {
      if (impossible(*left, *right)) {
        error(scope,
              "this never holds: " + type_text(*left, context_.values) + " on the left, " +
                  type_text(*right, context_.values) + " on the right",
              "values of different types are never equal; there are no conversions");
      }
      narrow(scope, literal.left, right);
      narrow(scope, literal.right, left);
    }
    literal.may_fail = !cannot_fail(scope, literal.left) || !cannot_fail(scope, literal.right);
    return;
  }
  for (const auto& [part, type] :
       {std::pair(&literal.left, left), std::pair(&literal.right, right)}) {
    if (impossible(*type, *numeric_type())) {
      error(scope,
            "only numbers can be compared with < <= > >=, this is " +
                type_text(*type, context_.values),
            type->kind == TypeKind::kTime       ? "use :time:lt and its like"
            : type->kind == TypeKind::kDuration ? "use :duration:lt and its like"
                                                : "");
    }
    narrow(scope, *part, numeric_type());
  }
  literal.may_fail = !subtype(*left, *numeric_type()) || !subtype(*right, *numeric_type()) ||
                     !cannot_fail(scope, literal.left) || !cannot_fail(scope, literal.right);
}

void Inference::outputs(Scope& scope, const Literal& literal) {
  const auto narrow_to = [&](std::size_t place, const TypePtr& type) {
    const Argument& to = literal.arguments[place];
    if (!to.constant) scope.variables[to.value] = meet(scope.variables[to.value], type);
  };
  const TypePtr source = argument(scope, literal.arguments[0]);
  switch (literal.builtin) {
    case Builtin::kMatchPair:
      narrow_to(1, part_of(*source, TypeKind::kPair, 0));
      narrow_to(2, part_of(*source, TypeKind::kPair, 1));
      break;
    case Builtin::kMatchCons:
      narrow_to(1, element_of(*source));
      narrow_to(2, make_type(TypeKind::kList, {element_of(*source)}));
      break;
    case Builtin::kMatchEntry:
      narrow_to(2, part_of(*source, TypeKind::kMap, 1));
      break;
    case Builtin::kMatchField:
      narrow_to(2, field_type(*source, context_.values, literal.arguments[1]));
      break;
    case Builtin::kListMember:
      narrow_to(0, element_of(*argument(scope, literal.arguments[1])));
      break;
    default:
      break;
  }
}

void Inference::builtin(Scope& scope, Literal& literal) {
  const Signature& known = signature(literal.builtin);
  bool proven = true;
  for (std::size_t i = 0; i < literal.arguments.size(); ++i) {
    if (is_output(known, i)) continue;
    const char letter = type_letter(known, i);
    const TypePtr type = argument(scope, literal.arguments[i]);
    const TypePtr wanted = letter_type(letter);
    if (impossible(*type, *wanted)) {
      error(scope, std::string(known.name) + ": argument " + std::to_string(i + 1) + " is " +
                       type_text(*type, context_.values) + ", not " + letter_text(letter));
    }
    proven = proven && subtype(*type, *wanted) && letter != 'p';
  }
  const bool patterns =
      literal.builtin >= Builtin::kMatchPrefix && literal.builtin <= Builtin::kContains;
  literal.may_fail = (may_fail(literal.builtin) || patterns) && !proven;
  if (!literal.negated) outputs(scope, literal);
}

void Inference::literal(Scope& scope, Literal& literal) {
  switch (literal.kind) {
    case LiteralKind::kAtom:
      atom(scope, literal);
      break;
    case LiteralKind::kCall:
      if (!literal.negated) atom(scope, literal);
      break;
    case LiteralKind::kAssign:
      scope.variables[literal.variable] =
          meet(scope.variables[literal.variable], term(scope, literal.left));
      literal.may_fail = !cannot_fail(scope, literal.left);
      break;
    case LiteralKind::kCompare:
      compare(scope, literal);
      break;
    case LiteralKind::kBuiltin:
      builtin(scope, literal);
      break;
    case LiteralKind::kNegated:
      break;
  }
}

TypePtr Inference::reduction(Scope& scope, const Reduction& reduction) {
  const Signature& known = signature(reduction.reducer);
  std::vector<TypePtr> types;
  for (std::size_t i = 0; i < reduction.arguments.size(); ++i) {
    types.push_back(scope.variables[reduction.arguments[i]]);
    const char letter = type_letter(known, i);
    if (impossible(*types.back(), *letter_type(letter))) {
      const bool other = letter == 'i' && types.back()->kind == TypeKind::kFloat;
      error(scope,
            std::string(known.name) + " takes " + letter_text(letter) + ", this is " +
                type_text(*types.back(), context_.values),
            other ? "use fn:float:" + std::string(known.name.substr(3)) : "");
    }
  }
  const auto tuple = [&types]() {
    TypePtr result = types.back();
    for (std::size_t i = types.size() - 1; i > 0; --i) {
      result = make_type(TypeKind::kPair, {types[i - 1], result});
    }
    return result;
  };
  switch (reduction.reducer) {
    case Reducer::kCollect:
    case Reducer::kCollectDistinct:
      return make_type(TypeKind::kList, {tuple()});
    case Reducer::kCollectToMap:
      return make_type(TypeKind::kMap, {types[0], types[1]});
    case Reducer::kPickAny:
      return types[0];
    default:
      return letter_type(known.result);
  }
}

void Inference::grouping(Scope& scope) {
  for (const Reduction& one : scope.rule.grouping->reductions) {
    scope.variables[one.result] = reduction(scope, one);
  }
  for (const Assignment& one : scope.rule.grouping->after) {
    scope.variables[one.variable] = term(scope, one.value);
  }
}

void Inference::head(Scope& scope, const Columns& types) {
  const Predicate& predicate = program_.predicates[scope.rule.head];
  scope.rule.check_bounds = false;
  if (predicate.bounds.empty()) return;
  std::size_t wrong = types.size();
  bool possible = false;
  for (const std::vector<TypePtr>& row : predicate.bounds) {
    bool proven = true;
    bool excluded = false;
    for (std::size_t i = 0; i < row.size(); ++i) {
      proven = proven && subtype(*types[i], *row[i]);
      if (impossible(*types[i], *row[i]) && !excluded) {
        excluded = true;
        if (wrong == types.size()) wrong = i;
      }
    }
    if (proven) return;
    possible = possible || !excluded;
  }
  scope.rule.check_bounds = true;
  if (possible) return;
  error(scope,
        "argument " + std::to_string(wrong + 1) + " of " + predicate.name + " is " +
            type_text(*types[wrong], context_.values) + " here, " +
            type_text(*predicate.bounds.front()[wrong], context_.values) + " was declared",
        predicate.where.empty() ? "" : "see " + predicate.where);
}

Columns Inference::check(Rule& rule, const RuleOrigin& origin) {
  Scope scope{rule, origin, std::vector<TypePtr>(rule.variables.size(), any_type()), origin.at};
  if (!rule.inputs.empty()) {
    const Predicate& predicate = program_.predicates[rule.head];
    const std::vector<Mode>& mode = predicate.modes.front();
    std::size_t input = 0;
    for (std::size_t i = 0; i < mode.size(); ++i) {
      if (mode[i] == Mode::kInput) scope.variables[rule.inputs[input++]] = columns_[rule.head][i];
    }
  }
  for (std::size_t i = 0; i < rule.body.size(); ++i) {
    scope.at = i < origin.literals.size() ? origin.literals[i] : origin.at;
    literal(scope, rule.body[i]);
  }
  scope.at = origin.at;
  if (rule.grouping) grouping(scope);
  Columns types;
  for (const Argument& one : rule.head_arguments) types.push_back(argument(scope, one));
  head(scope, types);
  return types;
}

// Where the first fact of a block that does not fit stands: the source is read again, since blocks
// keep no places.
void report_misfit(Context& context, std::uint32_t unit, const FactBlock& block,
                   const Predicate& predicate, std::span<const Code> row) {
  const std::string message = misfit(predicate, row, context.values, true);
  Context::Place place{unit, block.at, block.at + 1, block.at, block.at};
  const ParsedUnit again = parse_unit(context.units[unit].source);
  const auto& package = context.units[unit].package;
  for (const ast::Clause& clause : again.unit.clauses) {
    const std::string name =
        package ? package->name + "." + clause.head.predicate : clause.head.predicate;
    if (!clause.is_fact() || name != predicate.name || clause.head.arguments.size() != row.size()) {
      continue;
    }
    const bool same =
        std::equal(row.begin(), row.end(), clause.head.arguments.begin(),
                   [&](Code code, const ast::Term& term) {
                     Code other = 0;
                     return constant_code(term, context.values, other) && other == code;
                   });
    if (!same) continue;
    place = {unit, clause.at, clause.end, clause.at, clause.end};
    break;
  }
  context.report(Problem::kType, place, message,
                 predicate.where.empty() ? "" : "see " + predicate.where);
}

}  // namespace

void check_types(Context& context) { Inference(context).run(); }

void check_facts(Context& context) {
  constexpr std::size_t kMostReports = 20;
  std::size_t reports = 0;
  for (std::uint32_t unit = 0; unit < context.units.size(); ++unit) {
    for (const FactBlock& block : context.units[unit].facts) {
      const PredicateId id = context.program.find(block.predicate);
      if (id == kNone) continue;
      const Predicate& predicate = context.predicate(id);
      if (predicate.arity != block.arity) continue;
      if (predicate.bounds.empty()) continue;
      for (std::uint64_t row = 0; row < block.rows && reports < kMostReports; ++row) {
        const std::span<const Code> codes(&block.codes[row * block.arity], block.arity);
        if (row_fits(predicate, codes, context.values, true)) continue;
        ++reports;
        report_misfit(context, unit, block, predicate, codes);
      }
    }
  }
}

}  // namespace anima::datalog::detail
