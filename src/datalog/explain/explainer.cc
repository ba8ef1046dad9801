#include "datalog/explain/explainer.h"

#include <algorithm>

#include "datalog/analyze.h"

namespace anima::datalog {

std::vector<std::uint32_t> Explainer::order_of(std::uint32_t rule, PlanGoal goal) {
  PlanRequest request;
  request.goal = goal;
  request.keep_all = true;
  const auto plan = database_.plan(rule, request);
  std::vector<std::uint32_t> order;
  for (const Op& op : plan->ops) {
    if (op.kind == OpKind::kAsk) continue;
    if (op.access.size() > 1) {
      for (const Access& access : op.access) order.push_back(access.literal);
    } else {
      order.push_back(op.literal);
    }
  }
  return order;
}

std::uint32_t Explainer::node_of(RelationId relation, RowId row) {
  const auto [it, fresh] =
      known_.try_emplace({relation, row}, static_cast<std::uint32_t>(proof_.nodes.size()));
  if (!fresh) return it->second;
  Relation& rows = database_.relation(relation);
  const RelationInfo& info = database_.network().relations[relation];
  ProofNode node;
  node.predicate = info.predicate;
  node.row.assign(rows.row(row), rows.row(row) + rows.columns());
  node.text = print_fact(database_.network().program->predicates[info.predicate], node.row,
                         database_.values());
  node.kind = info.kind == RelationKind::kExternal  ? ProofKind::kExternal
              : info.kind == RelationKind::kDerived ? ProofKind::kCut
                                                    : ProofKind::kGiven;
  proof_.nodes.push_back(std::move(node));
  if (info.kind == RelationKind::kDerived) open_.push_back({it->second, relation, row});
  return it->second;
}

std::uint32_t Explainer::leaf_of(RelationId relation, const std::vector<Code>& row) {
  const auto [it, fresh] =
      leaves_.try_emplace({relation, row}, static_cast<std::uint32_t>(proof_.nodes.size()));
  if (!fresh) return it->second;
  ProofNode node;
  node.kind = ProofKind::kGiven;
  node.predicate = database_.network().relations[relation].predicate;
  node.row = row;
  node.text = print_fact(database_.network().predicate(relation), row, database_.values());
  proof_.nodes.push_back(std::move(node));
  return it->second;
}

std::uint32_t Explainer::literal_node(ProofKind kind, const Rule& rule, const Literal& literal,
                                      std::span<const Code> bindings) {
  ProofNode node;
  node.kind = kind;
  node.predicate = literal.predicate;
  node.text =
      print_literal(*database_.network().program, rule, literal, bindings, database_.values());
  node.where = literal.where;
  proof_.nodes.push_back(std::move(node));
  return static_cast<std::uint32_t>(proof_.nodes.size() - 1);
}

bool Explainer::unify(const std::vector<Argument>& head, std::span<const Code> row,
                      std::vector<Code>& bindings) const {
  for (std::size_t c = 0; c < head.size(); ++c) {
    if (row[c] == kUnbound) continue;
    if (head[c].constant) {
      if (head[c].value != row[c]) return false;
      continue;
    }
    Code& place = bindings[head[c].value];
    if (place != kUnbound && place != row[c]) return false;
    place = row[c];
  }
  return true;
}

void Explainer::add_premises(std::uint32_t node, const Rule& rule, std::span<const Code> bindings) {
  for (const Literal& literal : rule.body) {
    std::uint32_t premise = 0;
    if (is_positive(literal)) {
      std::vector<Code> row;
      for (const Argument& argument : literal.arguments) {
        row.push_back(argument.constant ? argument.value : bindings[argument.value]);
      }
      Relation& rows = database_.relation(literal.predicate);
      const RowId id = rows.find(row.data(), rows.now());
      premise = id != kNoRow ? node_of(literal.predicate, id) : leaf_of(literal.predicate, row);
    } else {
      premise = literal_node(is_negative(literal) ? ProofKind::kAbsent : ProofKind::kComputed, rule,
                             literal, bindings);
    }
    proof_.nodes[node].premises.push_back(premise);
  }
}

Result<bool> Explainer::by_rule(const Open& open, std::uint32_t rule, bool guarded) {
  const NetworkRule& r = database_.network().rules[rule];
  std::vector<Code> bindings(r.rule.variables.size(), kUnbound);
  if (!unify(r.rule.head_arguments, proof_.nodes[open.node].row, bindings)) return false;
  Solver solver(database_, r.rule);
  if (guarded) {
    solver.guard(database_.network().relations[r.rule.head].component,
                 database_.relation(open.relation).height(open.row));
  }
  bool found = false;
  std::vector<Code> solution;
  ANIMA_TRY(solver.run(order_of(rule, PlanGoal::kCheck), bindings, [&](std::span<const Code> b) {
    solution.assign(b.begin(), b.end());
    found = true;
    return false;
  }));
  if (!found) return false;
  ProofNode& node = proof_.nodes[open.node];
  if (r.kind == RuleKind::kCopyGiven) {
    node.kind = ProofKind::kGiven;
    return true;
  }
  node.kind = ProofKind::kDerived;
  node.rule = r.source;
  node.rule_text = r.rule.text;
  node.where = r.rule.where;
  add_premises(open.node, r.rule, solution);
  return true;
}

Result<bool> Explainer::by_groups(const Open& open, std::uint32_t rule) {
  const NetworkRule& copy = database_.network().rules[rule];
  std::vector<Code> bindings(copy.rule.variables.size(), kUnbound);
  if (!unify(copy.rule.head_arguments, proof_.nodes[open.node].row, bindings)) return false;
  Solver finder(database_, copy.rule);
  bool found = false;
  std::vector<Code> group;
  ANIMA_TRY(finder.run(order_of(rule, PlanGoal::kCheck), bindings, [&](std::span<const Code> b) {
    group.assign(b.begin(), b.end());
    found = true;
    return false;
  }));
  if (!found) return false;
  const Rule& body = database_.network().rules[copy.grouping].rule;
  {
    ProofNode& node = proof_.nodes[open.node];
    node.kind = ProofKind::kGrouped;
    node.rule = copy.source;
    node.rule_text = copy.rule.text;
    node.where = copy.rule.where;
  }
  std::vector<Code> keys(body.variables.size(), kUnbound);
  for (const Variable key : body.grouping->keys) keys[key] = group[key];
  std::vector<std::vector<Code>> solutions;
  std::size_t hidden = 0;
  Solver rows(database_, body);
  ANIMA_TRY(rows.run(order_of(copy.grouping, PlanGoal::kGroup), keys, [&](std::span<const Code> b) {
    if (solutions.size() < options_.max_group_rows) {
      solutions.emplace_back(b.begin(), b.end());
    } else {
      ++hidden;
    }
    return true;
  }));
  for (const std::vector<Code>& solution : solutions) add_premises(open.node, body, solution);
  proof_.nodes[open.node].hidden_premises = hidden;
  return true;
}

// A merged row need not be any one rule's answer: every instance for its key has had its part in
// it.
Result<bool> Explainer::by_key(const Open& open, const Lattice& lattice) {
  bool any = false;
  const Network& network = database_.network();
  std::vector<Code> key(proof_.nodes[open.node].row.size(), kUnbound);
  for (const std::uint32_t c : lattice.keys) key[c] = proof_.nodes[open.node].row[c];
  for (const std::uint32_t rule :
       network.components[network.relations[open.relation].component].rules) {
    const NetworkRule& r = network.rules[rule];
    if (r.rule.head != open.relation) continue;
    std::vector<Code> bindings(r.rule.variables.size(), kUnbound);
    if (!unify(r.rule.head_arguments, key, bindings)) continue;
    Solver solver(database_, r.rule);
    std::vector<std::vector<Code>> solutions;
    ANIMA_TRY(solver.run(order_of(rule, PlanGoal::kFull), bindings, [&](std::span<const Code> b) {
      solutions.emplace_back(b.begin(), b.end());
      return solutions.size() < options_.max_group_rows;
    }));
    for (const std::vector<Code>& solution : solutions) {
      any = true;
      ProofNode& node = proof_.nodes[open.node];
      node.kind = ProofKind::kDerived;
      node.rule = r.source;
      node.rule_text = r.rule.text;
      node.where = r.rule.where;
      add_premises(open.node, r.rule, solution);
    }
  }
  return any;
}

Status Explainer::expand(const Open& open) {
  const Network& network = database_.network();
  const RelationInfo& info = network.relations[open.relation];
  const Component& component = network.components[info.component];
  for (const bool guarded : {true, false}) {
    if (!guarded && !component.lattice) break;
    for (const std::uint32_t rule : component.rules) {
      if (network.rules[rule].rule.head != open.relation) continue;
      ANIMA_ASSIGN(const bool done, network.rules[rule].kind == RuleKind::kCopyGroups
                                        ? by_groups(open, rule)
                                        : by_rule(open, rule, guarded));
      if (done) return {};
    }
  }
  const auto& lattice = network.program->predicates[info.predicate].lattice;
  if (lattice.has_value()) {
    ANIMA_ASSIGN(const bool done, by_key(open, *lattice));
    (void)done;
  }
  return {};
}

Result<Proof> Explainer::explain(PredicateId predicate, std::span<const Code> row) {
  Relation& rows = database_.relation(predicate);
  const RowId id = row.size() == rows.columns() ? rows.find(row.data(), rows.now()) : kNoRow;
  if (id == kNoRow && row.size() == rows.columns()) {
    ANIMA_ASSIGN(const bool there, database_.holds(predicate, row.data(), rows.now()));
    if (there) {
      leaf_of(predicate, std::vector<Code>(row.begin(), row.end()));
      return std::move(proof_);
    }
  }
  if (id == kNoRow) {
    return fail(
        ErrorCode::kNotFound,
        print_fact(database_.network().program->predicates[predicate], row, database_.values()) +
            " does not hold",
        {}, "ask why not");
  }
  node_of(predicate, id);
  while (!open_.empty() && proof_.nodes.size() < options_.max_nodes) {
    const Open next = open_.back();
    open_.pop_back();
    ANIMA_TRY(expand(next));
  }
  return std::move(proof_);
}

Result<RuleFailure> Explainer::failure_of(std::uint32_t rule, const Query& goal) {
  const NetworkRule& head = database_.network().rules[rule];
  const bool groups = head.kind == RuleKind::kCopyGroups;
  const NetworkRule& r = groups ? database_.network().rules[head.grouping] : head;
  RuleFailure out;
  out.rule = head.source;
  out.rule_text = head.rule.text;
  out.where = head.rule.where;
  std::vector<Code> row;
  for (const Argument& argument : goal.arguments) {
    row.push_back(argument.constant ? argument.value : kUnbound);
  }
  std::vector<Code> bindings(r.rule.variables.size(), kUnbound);
  if (!unify(head.rule.head_arguments, row, bindings)) {
    out.head_matches = false;
    return out;
  }
  if (groups) {
    // Results are known only when the group is: start from the keys.
    std::vector<Code> keys(bindings.size(), kUnbound);
    for (const Variable key : r.rule.grouping->keys) keys[key] = bindings[key];
    bindings = std::move(keys);
  }
  const bool ground = std::ranges::find(row, kUnbound) == row.end();
  const std::vector<std::uint32_t> order = order_of(
      groups ? head.grouping : rule, ground && !groups ? PlanGoal::kCheck : PlanGoal::kFull);
  Solver solver(database_, r.rule);
  solver.forgive();
  solver.budget(1'000'000);
  std::size_t deepest = 0;
  std::vector<Code> best;
  solver.on_failure([&](std::size_t depth, std::span<const Code> b) {
    if (!best.empty() && depth <= deepest) return;
    deepest = depth;
    best.assign(b.begin(), b.end());
  });
  bool solved = false;
  ANIMA_TRY(solver.run(order, bindings, [&](std::span<const Code>) {
    solved = true;
    return false;
  }));
  const Program& program = *database_.network().program;
  if (solved || best.empty()) {
    out.failing = groups ? "the group has other results" : "";
    return out;
  }
  for (std::size_t i = 0; i < deepest; ++i) {
    out.holding.push_back(
        print_literal(program, r.rule, r.rule.body[order[i]], best, database_.values()));
  }
  const Literal& literal = r.rule.body[order[deepest]];
  out.failing = print_literal(program, r.rule, literal, best, database_.values());
  if (is_positive(literal)) {
    out.missing_predicate = literal.predicate;
  }
  return out;
}

Result<WhyNot> Explainer::why_not(const Query& goal) {
  WhyNot out;
  Relation& rows = database_.relation(goal.predicate);
  const View now = rows.now();
  for (RowId id = 0; id < rows.size() && !out.holds; ++id) {
    ANIMA_TRY(database_.tick(1));
    if (!rows.visible(id, now)) continue;
    bool agrees = true;
    for (std::size_t c = 0; c < goal.arguments.size() && agrees; ++c) {
      const Argument& argument = goal.arguments[c];
      if (argument.constant) agrees = rows.row(id)[c] == argument.value;
      for (std::size_t d = 0; d < c && agrees && !argument.constant; ++d) {
        if (goal.arguments[d] == argument) agrees = rows.row(id)[c] == rows.row(id)[d];
      }
    }
    out.holds = agrees;
  }
  if (const ForeignView base = database_.foreign(goal.predicate, now); base && !out.holds) {
    std::vector<std::uint32_t> columns;
    std::vector<Code> key;
    for (std::uint32_t c = 0; c < goal.arguments.size(); ++c) {
      if (!goal.arguments[c].constant) continue;
      columns.push_back(c);
      key.push_back(goal.arguments[c].value);
    }
    RowReceiver receiver(rows.columns(), [&](std::uint32_t, const Code* row) -> Status {
      bool agrees = true;
      for (std::size_t c = 0; c < goal.arguments.size(); ++c) {
        for (std::size_t d = 0; d < c; ++d) {
          if (goal.arguments[d] == goal.arguments[c]) agrees = agrees && row[d] == row[c];
        }
      }
      out.holds = out.holds || agrees;
      return {};
    });
    ANIMA_TRY(base.probe(columns, key, 1, receiver));
  }
  if (out.holds) return out;
  const Network& network = database_.network();
  const RelationInfo& info = network.relations[goal.predicate];
  out.is_base = info.kind != RelationKind::kDerived;
  if (out.is_base) return out;
  for (const std::uint32_t rule : network.components[info.component].rules) {
    const NetworkRule& r = network.rules[rule];
    if (r.rule.head != goal.predicate || r.kind == RuleKind::kCopyGiven) continue;
    ANIMA_ASSIGN(RuleFailure failure, failure_of(rule, goal));
    out.rules.push_back(std::move(failure));
  }
  return out;
}

}  // namespace anima::datalog
