#include <utility>

#include "datalog/analysis/inference.h"
#include "datalog/functions.h"

namespace anima::datalog::detail {
namespace {

constexpr int kDepth = 4;    // of inferred types
constexpr int kRounds = 12;  // of a recursive stratum before it is given up as /any

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

}  // namespace

bool impossible(const Type& a, const Type& b) {
  return a.kind != TypeKind::kNothing && b.kind != TypeKind::kNothing && disjoint(a, b);
}

void Inference::run() {
  start();
  for (const Stratum& stratum : program_.strata) settle(stratum);
  report_ = true;
  for (Rule& rule : program_.rules) check(rule, context_.origins[rule.id]);
  for (auto& [predicate, rules] : program_.deferred_rules) {
    for (Rule& rule : rules) check(rule, context_.deferred_origins[rule.id]);
  }
}

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

void check_types(Context& context) { Inference(context).run(); }

}  // namespace anima::datalog::detail
