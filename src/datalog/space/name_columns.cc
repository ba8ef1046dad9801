#include "datalog/space/name_columns.h"

#include <map>
#include <numeric>

#include "datalog/space/space_state.h"

namespace anima::datalog {

namespace {

using Kinds = std::span<const std::optional<SpaceKind>>;

// Columns of the space's relations that hold entities.
bool holds_entity(SpaceKind kind, std::size_t column) {
  switch (kind) {
    case SpaceKind::kLink:
      return true;
    case SpaceKind::kFact:
      return column == 1 || column == 3;
    default:
      return column == 0;
  }
}

// Places that have values in common, joined.
class Places {
 public:
  std::uint32_t add(std::size_t count) {
    const auto first = static_cast<std::uint32_t>(parent_.size());
    parent_.resize(parent_.size() + count);
    std::iota(parent_.begin() + first, parent_.end(), first);
    named_.resize(parent_.size(), false);
    return first;
  }
  void join(std::uint32_t a, std::uint32_t b) {
    a = root(a);
    b = root(b);
    parent_[a] = b;
    named_[b] = named_[b] || named_[a];
  }
  void mark(std::uint32_t place) { named_[root(place)] = true; }
  bool is_marked(std::uint32_t place) { return named_[root(place)]; }

 private:
  std::uint32_t root(std::uint32_t place) {
    while (parent_[place] != place) place = parent_[place] = parent_[parent_[place]];
    return place;
  }
  std::vector<std::uint32_t> parent_;
  std::vector<bool> named_;
};

// Joins what the variables of rules join.
class Joiner {
 public:
  Joiner(const Program& program, Kinds kinds) : kinds_(kinds) {
    for (const Predicate& predicate : program.predicates) {
      columns_.push_back(places_.add(predicate.columns));
    }
    for (PredicateId id = 0; id < program.predicates.size(); ++id) {
      for (std::uint32_t c = 0; kinds[id] && c < program.predicates[id].columns; ++c) {
        if (holds_entity(*kinds[id], c)) places_.mark(columns_[id] + c);
      }
    }
  }

  std::uint32_t take(const Rule& rule) {
    const std::uint32_t first = places_.add(rule.variables.size());
    atom(rule.head, rule.head_arguments, first);
    for (const Literal& literal : rule.body) {
      const bool test = literal.kind == LiteralKind::kCompare;
      if (literal.predicate != kNone) {
        atom(literal.predicate, literal.arguments, first);
      } else if (literal.kind == LiteralKind::kAssign &&
                 literal.left.kind == Term::Kind::kVariable) {
        places_.join(first + literal.variable, first + literal.left.value);
      } else if (test && literal.left.kind == Term::Kind::kVariable &&
                 literal.right.kind == Term::Kind::kVariable) {
        places_.join(first + literal.left.value, first + literal.right.value);
      }
    }
    return first;
  }

  std::vector<bool> marked(std::uint32_t first, std::size_t count) {
    std::vector<bool> out(count);
    for (std::size_t i = 0; i < count; ++i) {
      out[i] = places_.is_marked(first + static_cast<std::uint32_t>(i));
    }
    return out;
  }
  std::uint32_t columns_of(PredicateId predicate) const { return columns_[predicate]; }

 private:
  // What the space's relations hold joins nothing: their columns are what they are.
  void atom(PredicateId predicate, const std::vector<Argument>& arguments, std::uint32_t first) {
    for (std::uint32_t c = 0; c < arguments.size(); ++c) {
      if (arguments[c].constant) continue;
      const std::uint32_t place = first + arguments[c].value;
      if (!kinds_[predicate]) {
        places_.join(place, columns_[predicate] + c);
      } else if (holds_entity(*kinds_[predicate], c)) {
        places_.mark(place);
      }
    }
  }

  Kinds kinds_;
  Places places_;
  std::vector<std::uint32_t> columns_;
};

}  // namespace

// Puts names in their places in one program.
struct NameColumns::Settler {
  const SpaceState& state;
  const Check& check;
  std::unordered_set<std::string>& awaited;
  std::unordered_map<Code, Code> known = {};  // of what was checked

  Status settle(Code& code, const std::string& where) {
    const bool checked = check(where);
    if (const auto seen = known.find(code); seen != known.end() && checked) {
      code = seen->second;
      return {};
    }
    const ValueView view = state.values->view(code);
    if (view.kind != ValueKind::kString) return {};
    const std::string text(view.text);
    const Code lasting = state.lasting(code);
    if (checked) {
      Result<Code> now = state.meant_now(code);
      if (!now) {
        Error error = std::move(now).error();
        error.where = where;
        return anima::fail(std::move(error));
      }
      if (*now != lasting) {
        return anima::fail(ErrorCode::kInvalidArgument,
                           state.values->text(code) + " is also the name of an older concept",
                           where, "write " + state.values->text(*now));
      }
    }
    if (lasting == code && text.find(':') != text.npos && !state.is_called(code)) {
      awaited.insert(text);
    }
    if (checked) known.emplace(code, lasting);
    code = lasting;
    return {};
  }
  Status settle(Argument& argument, const std::string& where) {
    return argument.constant ? settle(argument.value, where) : Status{};
  }
  Status settle(Term& term, const std::string& where) {
    return term.kind == Term::Kind::kConstant ? settle(term.value, where) : Status{};
  }

  Status settle(Rule& rule, const NameColumns& columns, const std::vector<bool>& variables) {
    const auto is_named = [&](const Term& term) {
      return term.kind == Term::Kind::kVariable && variables[term.value];
    };
    ANIMA_TRY(settle(rule.head, rule.head_arguments, columns, rule.where));
    for (Literal& literal : rule.body) {
      const std::string& where = literal.where.empty() ? rule.where : literal.where;
      if (literal.predicate != kNone) {
        ANIMA_TRY(settle(literal.predicate, literal.arguments, columns, where));
      } else if (literal.kind == LiteralKind::kAssign && variables[literal.variable]) {
        ANIMA_TRY(settle(literal.left, where));
      } else if (literal.kind == LiteralKind::kCompare && is_named(literal.left)) {
        ANIMA_TRY(settle(literal.right, where));
      } else if (literal.kind == LiteralKind::kCompare && is_named(literal.right)) {
        ANIMA_TRY(settle(literal.left, where));
      }
    }
    return {};
  }
  Status settle(PredicateId predicate, std::vector<Argument>& arguments, const NameColumns& columns,
                const std::string& where) {
    for (std::size_t c = 0; c < arguments.size(); ++c) {
      if (columns.is_name(predicate, c)) ANIMA_TRY(settle(arguments[c], where));
    }
    return {};
  }
};

NameColumns::NameColumns(const Program& program, Kinds kinds) {
  Joiner joiner(program, kinds);
  std::vector<std::uint32_t> rules;
  for (const Rule& rule : program.rules) rules.push_back(joiner.take(rule));
  std::map<PredicateId, std::vector<std::uint32_t>> deferred;
  for (const auto& [head, list] : program.deferred_rules) {
    for (const Rule& rule : list) deferred[head].push_back(joiner.take(rule));
  }
  for (PredicateId id = 0; id < program.predicates.size(); ++id) {
    named_.push_back(joiner.marked(joiner.columns_of(id), program.predicates[id].columns));
  }
  for (std::size_t i = 0; i < rules.size(); ++i) {
    variables_.push_back(joiner.marked(rules[i], program.rules[i].variables.size()));
  }
  for (const auto& [head, list] : program.deferred_rules) {
    for (std::size_t i = 0; i < list.size(); ++i) {
      deferred_[head].push_back(joiner.marked(deferred[head][i], list[i].variables.size()));
    }
  }
}

Status NameColumns::settle(Program& program, const SpaceState& state, const Check& check,
                           std::unordered_set<std::string>& awaited) const {
  Settler settler{state, check, awaited};
  for (std::size_t i = 0; i < program.rules.size(); ++i) {
    ANIMA_TRY(settler.settle(program.rules[i], *this, variables_[i]));
  }
  for (auto& [head, list] : program.deferred_rules) {
    for (std::size_t i = 0; i < list.size(); ++i) {
      ANIMA_TRY(settler.settle(list[i], *this, deferred_.at(head)[i]));
    }
  }
  for (Facts& facts : program.facts) {
    const Predicate& predicate = program.predicates[facts.predicate];
    for (std::size_t at = 0; at < facts.codes.size(); ++at) {
      if (!is_name(facts.predicate, at % predicate.columns)) continue;
      ANIMA_TRY(settler.settle(facts.codes[at], predicate.where));
    }
  }
  return {};
}

Status NameColumns::settle(Query& query, const SpaceState& state) const {
  for (std::size_t c = 0; c < query.arguments.size(); ++c) {
    Argument& argument = query.arguments[c];
    if (!argument.constant || !is_name(query.predicate, c)) continue;
    ANIMA_ASSIGN(argument.value, state.meant_now(argument.value));
  }
  return {};
}

void NameColumns::settle(GroundFact& fact, const SpaceState& state) const {
  for (std::size_t c = 0; c < fact.codes.size(); ++c) {
    if (!is_name(fact.predicate, c) || state.is_called(fact.codes[c])) continue;
    fact.codes[c] = state.lasting(fact.codes[c]);
  }
}

}  // namespace anima::datalog
