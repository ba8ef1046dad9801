#include "kip/detail/pattern.h"

#include <algorithm>

#include "base/text/text.h"
#include "kip/detail/schema.h"
#include "query/fading.h"
#include "store/holds.h"

namespace anima::kip::detail {

using query::Candidates;
using query::Expr;
using query::NodePtr;
using query::Ref;
using query::Slot;

PatternPlanner::PatternPlanner(const store::Snapshot& snapshot, const Binder& binder,
                               PatternOptions options)
    : snapshot_(snapshot),
      binder_(binder),
      options_(options),
      dated_(options.what_holds && store::has_times(snapshot)),
      values_(std::make_shared<query::Values>(snapshot)) {}

Slot PatternPlanner::fresh(std::string name) {
  names_.push_back(name.empty() ? "_" + std::to_string(names_.size()) : std::move(name));
  return static_cast<Slot>(names_.size() - 1);
}

const PatternPlanner::Variable* PatternPlanner::find(const std::string& name) const {
  for (const auto& [known, variable] : scope_) {
    if (known == name) return &variable;
  }
  return nullptr;
}

Outcome<PatternPlanner::Variable> PatternPlanner::require(const DotPath& path) const {
  if (const Variable* variable = find(path.variable)) return *variable;
  std::vector<std::string> names;
  for (const auto& [name, variable] : scope_) names.push_back(name);
  std::string hint = did_you_mean(nearest_names(path.variable, names));
  if (hint.empty()) hint = "bind it in WHERE, outside NOT: variables inside NOT stay there";
  return refuse(Code::kUnboundReference, "the variable ?" + path.variable + " is not bound",
                std::move(hint), path.place.offset);
}

Outcome<Expr> PatternPlanner::expression(const DotPath& path) {
  ANIMA_ASSIGN(const Variable variable, require(path));
  const bool faded = path.fields.size() == 2 && path.fields[0] == "metadata" &&
                     path.fields[1] == "_faded_confidence";
  ANIMA_ASSIGN(Expr expr,
               faded ? Outcome<Expr>(query::faded_confidence(variable.slot, options_.fading))
                     : path_expression(path, variable.slot, variable.kind, snapshot_));
  if (expr.kind != Expr::Kind::kFunction) return expr;
  std::string key;
  for (const std::string& field : path.fields) key += quote_json(field);
  for (const auto& [known, function] : functions_) {
    if (known == key) {
      expr.function = function;
      return expr;
    }
  }
  functions_.emplace_back(std::move(key), expr.function);
  return expr;
}

Outcome<Slot> PatternPlanner::variable(const std::string& name, VariableKind kind, Place place) {
  for (auto& [known, variable] : scope_) {
    if (known != name) continue;
    if (variable.kind == VariableKind::kUnknown) {
      variable.kind = kind;
    } else if (kind != VariableKind::kUnknown && kind != variable.kind) {
      // A predicate is the concept that defines it; anything else contradicts and matches nothing.
      const bool definition =
          kind == VariableKind::kPredicate || variable.kind == VariableKind::kPredicate;
      if (definition && kind != VariableKind::kLink && variable.kind != VariableKind::kLink)
        variable.kind = VariableKind::kConcept;
    }
    return variable.slot;
  }
  Variable made{0, kind};
  bool shared = false;
  for (auto hidden = hidden_.rbegin(); hidden != hidden_.rend() && !shared; ++hidden) {
    for (const auto& [known, variable] : *hidden) {
      if (known != name) continue;
      made.slot = variable.slot;
      shared = true;
    }
  }
  if (!shared) made.slot = fresh(name);
  if (made.slot + 32 >= query::kMaxSlots) {
    return refuse(Code::kResourceExhausted, "the command has too many variables",
                  "split it into several commands", place.offset);
  }
  scope_.emplace_back(name, made);
  return made.slot;
}

Outcome<NodePtr> PatternPlanner::where(const std::vector<Clause>& clauses) {
  return block(clauses);
}

Outcome<NodePtr> PatternPlanner::block(const std::vector<Clause>& clauses) {
  ++depth_;
  NodePtr node;
  Segment segment;
  std::vector<const Clause*> filters;
  const auto so_far = [&]() { return node ? std::move(node) : query::unit(); };
  bool rows_before = false;
  for (const Clause& clause : clauses) {
    ANIMA_TRY(count_clause(clause));
    switch (clause.kind) {
      case Clause::Kind::kConcept:
      case Clause::Kind::kLink:
        ANIMA_TRY(add_clause(clause, &segment));
        rows_before = true;
        continue;
      case Clause::Kind::kFilter:
        filters.push_back(&clause);
        rows_before = true;
        continue;
      default:
        break;
    }
    node = place(&segment, std::move(node));
    switch (clause.kind) {
      case Clause::Kind::kNot: {
        const Scope before = scope_;
        ANIMA_ASSIGN(NodePtr inner, block(clause.block));
        scope_ = before;
        node = query::anti_join(so_far(), std::move(inner));
        break;
      }
      case Clause::Kind::kOptional: {
        ANIMA_ASSIGN(NodePtr inner, block(clause.block));
        node = query::left_join(so_far(), std::move(inner));
        break;
      }
      default: {
        ANIMA_ASSIGN(node, filtered(std::move(node), &filters));
        ANIMA_ASSIGN(NodePtr branch, union_branch(clause.block));
        if (!rows_before) {
          node = std::move(branch);
          break;
        }
        std::vector<NodePtr> branches;
        branches.push_back(so_far());
        branches.push_back(std::move(branch));
        node = query::union_of(std::move(branches));
      }
    }
    rows_before = true;
  }
  node = place(&segment, std::move(node));
  ANIMA_ASSIGN(node, filtered(std::move(node), &filters));
  --depth_;
  return so_far();
}

// Each clause that joins or unites nests the plan one level deeper, and the pipeline that it
// becomes is as long as it has patterns: both are gone through by functions that call each other.
Check PatternPlanner::count_clause(const Clause& clause) {
  constexpr std::size_t kMaxClauses = 1000;
  if (++clauses_ <= kMaxClauses) return {};
  return refuse(Code::kResourceExhausted,
                "the command has more than " + std::to_string(kMaxClauses) + " clauses",
                "split it into several commands", clause.place.offset);
}

// A block that sees nothing of what stands before it; its variables are added to those.
Outcome<NodePtr> PatternPlanner::union_branch(const std::vector<Clause>& clauses) {
  hidden_.push_back(std::move(scope_));
  scope_.clear();
  ANIMA_ASSIGN(NodePtr branch, block(clauses));
  Scope merged = std::move(hidden_.back());
  hidden_.pop_back();
  for (auto& entry : scope_) {
    const bool known = std::any_of(merged.begin(), merged.end(),
                                   [&](const auto& other) { return other.first == entry.first; });
    if (!known) merged.push_back(std::move(entry));
  }
  scope_ = std::move(merged);
  return branch;
}

// Paths that start at something known come before the patterns, the others behind them.
NodePtr PatternPlanner::place(Segment* segment, NodePtr node) {
  const auto append = [&node](NodePtr next) {
    node = node ? query::join(std::move(node), std::move(next)) : std::move(next);
  };
  const auto is_known = [segment](const Ref& ref) {
    if (!ref.is_slot) return true;
    for (const Candidates& list : segment->candidates) {
      if (list.slot == ref.value && list.codes.size() <= 1) return true;
    }
    return false;
  };
  std::vector<query::PathPattern> late;
  for (query::PathPattern& path : segment->paths) {
    if (!path.subject.is_slot || !path.object.is_slot) {
      append(query::path(std::move(path)));
    } else if (is_known(path.subject) || is_known(path.object)) {
      std::vector<Candidates> starts;
      for (const Candidates& list : segment->candidates) {
        if ((list.slot == path.subject.value || list.slot == path.object.value) &&
            list.codes.size() <= 1)
          starts.push_back(list);
      }
      append(query::match({}, std::move(starts)));
      append(query::path(std::move(path)));
    } else {
      late.push_back(std::move(path));
    }
  }
  if (!segment->patterns.empty() || !segment->candidates.empty()) {
    append(query::match(std::move(segment->patterns), std::move(segment->candidates)));
  }
  for (NodePtr& rows : segment->derived) append(std::move(rows));
  for (query::PathPattern& path : late) append(query::path(std::move(path)));
  if (!segment->checks.empty()) node = query::filter(std::move(node), std::move(segment->checks));
  *segment = Segment{};
  return node;
}

Outcome<NodePtr> PatternPlanner::filtered(NodePtr node, std::vector<const Clause*>* filters) {
  if (filters->empty()) return node;
  std::vector<Expr> conditions;
  for (const Clause* clause : *filters) {
    ANIMA_ASSIGN(Expr expr, condition(clause->condition));
    conditions.push_back(std::move(expr));
  }
  filters->clear();
  return query::filter(node ? std::move(node) : query::unit(), std::move(conditions));
}

query::Plan PatternPlanner::finish(NodePtr root, std::vector<Slot> results) {
  query::Plan plan;
  plan.values = values_;
  plan.root = std::move(root);
  plan.slot_count = static_cast<Slot>(names_.size());
  plan.results = std::move(results);
  plan.slot_names = names_;
  plan.scopes.push_back(snapshot_);
  return plan;
}

}  // namespace anima::kip::detail
