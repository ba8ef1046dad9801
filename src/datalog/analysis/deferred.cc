// Deferred predicates are evaluated when called. A call is unfolded: each clause of the callee
// makes one copy of the caller. Where that is not possible (recursion, grouping, a negated call)
// the predicate becomes an ordinary one that holds what is asked for: a demand predicate collects
// the inputs of the calls (the magic-set rewriting).
#include <algorithm>
#include <map>
#include <set>

#include "datalog/analysis/context.h"

namespace anima::datalog::detail {
namespace {

constexpr std::size_t kMaxCopies = 4096;  // of one clause

void rename(ast::Term& term, const std::string& suffix, Offset at) {
  term.at = at;
  if (term.kind == ast::TermKind::kVariable && term.text != "_") term.text += suffix;
  for (ast::Term& argument : term.arguments) rename(argument, suffix, at);
}

void rename(ast::Bound& bound, const std::string& suffix) {
  if (bound.kind == ast::BoundKind::kVariable) bound.variable += suffix;
}

void rename(ast::Literal& literal, const std::string& suffix, const ast::Literal& call) {
  literal.at = call.at;
  literal.end = call.end;
  literal.atom.at = call.at;
  for (ast::Term& argument : literal.atom.arguments) rename(argument, suffix, call.at);
  rename(literal.left, suffix, call.at);
  rename(literal.right, suffix, call.at);
  rename(literal.temporal.near, suffix);
  rename(literal.temporal.far, suffix);
  if (!literal.when) return;
  rename(literal.when->start, suffix);
  if (literal.when->end) rename(*literal.when->end, suffix);
}

ast::Literal equation(ast::Term left, ast::Term right, const ast::Literal& call) {
  ast::Literal literal;
  literal.kind = ast::LiteralKind::kComparison;
  literal.at = call.at;
  literal.end = call.end;
  literal.left = std::move(left);
  literal.right = std::move(right);
  return literal;
}

class Expander {
 public:
  Expander(Context& context, std::vector<WorkClause>& clauses, std::vector<WorkClause>& deferred)
      : context_(context), clauses_(clauses), deferred_(deferred) {}

  void run() {
    split();
    if (callees_.empty()) return;
    choose();
    std::vector<WorkClause> callers;
    callers.swap(clauses_);
    for (auto& [id, list] : callees_) {
      const bool on_demand = on_demand_.count(id) != 0;
      for (WorkClause& work : list) {
        if (on_demand) {
          callers.push_back(with_demand(id, work));
        } else {
          for (WorkClause& copy : unfold(work)) {
            set_inputs(id, copy);
            deferred_.push_back(std::move(copy));
          }
        }
      }
    }
    for (const WorkClause& work : callers) {
      for (WorkClause& copy : unfold(work)) clauses_.push_back(std::move(copy));
    }
    add_demands();
  }

 private:
  PredicateId callee(const ast::Literal& literal) const {
    if (literal.kind == ast::LiteralKind::kComparison || literal.atom.predicate.empty())
      return kNone;
    const PredicateId id = context_.program.find(literal.atom.predicate);
    return id != kNone && callees_.count(id) != 0 ? id : kNone;
  }

  void split();
  void choose();
  bool reaches_itself(PredicateId start) const;
  void set_inputs(PredicateId id, WorkClause& work) const;
  std::vector<WorkClause> unfold(const WorkClause& work);
  WorkClause substitute(const WorkClause& work, std::size_t place, const WorkClause& callee,
                        PredicateId id);
  std::string demand_name(PredicateId id) const {
    return context_.program.predicates[id].name + "#demand";
  }
  WorkClause with_demand(PredicateId id, const WorkClause& work);
  void add_demands();

  Context& context_;
  std::vector<WorkClause>& clauses_;
  std::vector<WorkClause>& deferred_;
  std::map<PredicateId, std::vector<WorkClause>> callees_;
  std::set<PredicateId> on_demand_;
  std::uint32_t copies_ = 0;  // suffix of renamed variables
};

// Takes the clauses of deferred predicates out. One without a mode is an ordinary predicate.
void Expander::split() {
  for (PredicateId id = 0; id < context_.program.predicates.size(); ++id) {
    Predicate& predicate = context_.predicate(id);
    if (!predicate.deferred) continue;
    if (predicate.modes.empty()) {
      predicate.deferred = false;
    } else {
      callees_[id];
    }
  }
  if (callees_.empty()) return;
  std::vector<WorkClause> rest;
  for (WorkClause& work : clauses_) {
    const auto found = callees_.find(context_.program.find(work.clause.head.predicate));
    (found != callees_.end() ? found->second : rest).push_back(std::move(work));
  }
  clauses_ = std::move(rest);
}

bool Expander::reaches_itself(PredicateId start) const {
  std::set<PredicateId> seen;
  std::vector<PredicateId> stack{start};
  while (!stack.empty()) {
    const PredicateId at = stack.back();
    stack.pop_back();
    for (const WorkClause& work : callees_.at(at)) {
      for (const ast::Literal& literal : work.clause.body) {
        const PredicateId next = callee(literal);
        if (next == start) return true;
        if (next != kNone && seen.insert(next).second) stack.push_back(next);
      }
    }
  }
  return false;
}

void Expander::choose() {
  for (const auto& [id, list] : callees_) {
    const bool groups = std::any_of(list.begin(), list.end(), [](const WorkClause& work) {
      return !work.clause.transforms.empty();
    });
    if (groups || reaches_itself(id)) on_demand_.insert(id);
  }
  const auto scan = [this](const WorkClause& work) {
    for (const ast::Literal& literal : work.clause.body) {
      const PredicateId id = callee(literal);
      if (id != kNone && literal.kind == ast::LiteralKind::kNegated) on_demand_.insert(id);
    }
  };
  for (const WorkClause& work : clauses_) scan(work);
  for (const auto& [id, list] : callees_) {
    for (const WorkClause& work : list) scan(work);
  }
  for (const PredicateId id : on_demand_) {
    Predicate& predicate = context_.predicate(id);
    predicate.deferred = false;
    const auto inputs =
        std::count(predicate.modes[0].begin(), predicate.modes[0].end(), Mode::kInput);
    context_.add_internal(demand_name(id), static_cast<std::uint32_t>(inputs));
  }
  for (const Predicate& predicate : context_.program.predicates) {
    if (!predicate.lattice) continue;
    for (const Lattice::Merge& merge : predicate.lattice->merges) {
      if (on_demand_.count(merge.function) == 0) continue;
      const std::vector<WorkClause>& list = callees_[merge.function];
      const WorkClause& work = list.front();
      context_.report(Problem::kDeclaration,
                      {work.unit, work.clause.at, work.clause.end, work.clause.at, work.clause.end},
                      context_.predicate(merge.function).name +
                          " cannot merge: it is recursive, groups, or is negated somewhere",
                      "write the merge with comparisons and functions only");
    }
  }
}

void Expander::set_inputs(PredicateId id, WorkClause& work) const {
  const std::vector<Mode>& mode = context_.program.predicates[id].modes.front();
  for (std::uint32_t i = 0; i < mode.size(); ++i) {
    if (mode[i] == Mode::kInput) work.inputs.push_back(i);
  }
}

WorkClause Expander::substitute(const WorkClause& work, std::size_t place, const WorkClause& callee,
                                PredicateId id) {
  const std::string suffix = "#" + std::to_string(copies_++);
  const ast::Literal call = work.clause.body[place];
  const std::vector<Mode>& mode = context_.program.predicates[id].modes.front();
  WorkClause copy = work;
  std::vector<ast::Literal> body(copy.clause.body.begin(),
                                 copy.clause.body.begin() + static_cast<std::ptrdiff_t>(place));
  std::vector<ast::Literal> behind;
  for (std::size_t i = 0; i < mode.size(); ++i) {
    ast::Term parameter = callee.clause.head.arguments[i];
    rename(parameter, suffix, call.at);
    const ast::Term& given = call.atom.arguments[i];
    const bool wildcard = given.kind == ast::TermKind::kVariable && given.text == "_";
    const bool before = mode[i] == Mode::kInput ||
                        (mode[i] == Mode::kEither && given.kind != ast::TermKind::kVariable);
    if (before) {
      body.push_back(equation(std::move(parameter), given, call));
    } else if (!wildcard) {
      behind.push_back(equation(given, std::move(parameter), call));
    }
  }
  for (ast::Literal literal : callee.clause.body) {
    rename(literal, suffix, call);
    body.push_back(std::move(literal));
  }
  body.insert(body.end(), behind.begin(), behind.end());
  body.insert(body.end(), copy.clause.body.begin() + static_cast<std::ptrdiff_t>(place) + 1,
              copy.clause.body.end());
  copy.clause.body = std::move(body);
  return copy;
}

std::vector<WorkClause> Expander::unfold(const WorkClause& work) {
  std::vector<WorkClause> done;
  std::vector<WorkClause> open{work};
  while (!open.empty()) {
    WorkClause next = std::move(open.back());
    open.pop_back();
    std::size_t place = 0;
    PredicateId id = kNone;
    for (; place < next.clause.body.size(); ++place) {
      const ast::Literal& literal = next.clause.body[place];
      id = callee(literal);
      if (id != kNone && on_demand_.count(id) == 0 && literal.kind == ast::LiteralKind::kAtom)
        break;
      id = kNone;
    }
    if (id == kNone) {
      done.push_back(std::move(next));
      continue;
    }
    for (auto one = callees_[id].rbegin(); one != callees_[id].rend(); ++one) {
      open.push_back(substitute(next, place, *one, id));
    }
    if (done.size() + open.size() > kMaxCopies) {
      context_.report(Problem::kLimit,
                      {work.unit, work.clause.at, work.clause.end, work.clause.at, work.clause.end},
                      "the calls of deferred predicates unfold into more than 4096 rules",
                      "drop deferred() from one of the predicates that it calls");
      return done;
    }
  }
  return done;
}

// p(X, Y) :- body.  becomes  p(X, Y) :- p#demand(X), body.
WorkClause Expander::with_demand(PredicateId id, const WorkClause& work) {
  const std::vector<Mode>& mode = context_.program.predicates[id].modes.front();
  WorkClause result = work;
  ast::Literal demand;
  demand.at = demand.atom.at = work.clause.at;
  demand.end = work.clause.at + 1;
  demand.atom.predicate = demand_name(id);
  std::vector<ast::Literal> equations;
  for (std::size_t i = 0; i < mode.size(); ++i) {
    if (mode[i] != Mode::kInput) continue;
    const ast::Term& parameter = work.clause.head.arguments[i];
    if (parameter.kind != ast::TermKind::kApply) {
      demand.atom.arguments.push_back(parameter);
      continue;
    }
    ast::Term hidden;
    hidden.at = parameter.at;
    hidden.text = "D#" + std::to_string(i);
    equations.push_back(equation(hidden, parameter, demand));
    demand.atom.arguments.push_back(std::move(hidden));
  }
  result.clause.body.insert(result.clause.body.begin(), demand);
  result.clause.body.insert(result.clause.body.begin() + 1, equations.begin(), equations.end());
  result.facts_are_rows = false;
  return result;
}

// For each call p(A, B): p#demand(A) :- what stands to its left.
void Expander::add_demands() {
  std::vector<WorkClause> demands;
  for (const WorkClause& work : clauses_) {
    for (std::size_t place = 0; place < work.clause.body.size(); ++place) {
      const ast::Literal& call = work.clause.body[place];
      const PredicateId id = callee(call);
      if (id == kNone || on_demand_.count(id) == 0) continue;
      const std::vector<Mode>& mode = context_.program.predicates[id].modes.front();
      WorkClause demand;
      demand.unit = work.unit;
      demand.internal = true;
      demand.clause.at = work.clause.at;
      demand.clause.end = work.clause.end;
      demand.clause.head.at = call.at;
      demand.clause.head.predicate = demand_name(id);
      for (std::size_t i = 0; i < mode.size(); ++i) {
        if (mode[i] == Mode::kInput) demand.clause.head.arguments.push_back(call.atom.arguments[i]);
      }
      const bool negated = call.kind == ast::LiteralKind::kNegated;
      const std::size_t last = negated ? work.clause.body.size() : place;
      for (std::size_t i = 0; i < last; ++i) {
        if (work.clause.body[i].kind != ast::LiteralKind::kNegated) {
          demand.clause.body.push_back(work.clause.body[i]);
        }
      }
      demands.push_back(std::move(demand));
    }
  }
  for (WorkClause& demand : demands) clauses_.push_back(std::move(demand));
}

}  // namespace

void expand_deferred(Context& context, std::vector<WorkClause>& clauses,
                     std::vector<WorkClause>& deferred) {
  Expander(context, clauses, deferred).run();
}

}  // namespace anima::datalog::detail
