// Stratification: strongly connected components of the predicates (Tarjan, without recursion),
// callees first.
#include <algorithm>
#include <deque>

#include "datalog/analysis/context.h"
#include "datalog/functions.h"

namespace anima::datalog::detail {
namespace {

struct Edge {
  PredicateId to = kNone;
  bool negative = false;
  RuleId rule = kNone;  // kNone: by a merge function
};

class Stratifier {
 public:
  // Without a context nothing is reported.
  Stratifier(Program& program, Context* context)
      : context_(context), program_(program), edges_(program_.predicates.size()) {}

  void run() {
    for (const Rule& rule : program_.rules) add_edges(rule, rule.head, rule.id);
    for (PredicateId id = 0; id < program_.predicates.size(); ++id) add_merges(id);
    components();
    if (!check_cycles()) return;
    make_strata();
  }

 private:
  void add_edges(const Rule& rule, PredicateId head, RuleId id) {
    for (const Literal& literal : rule.body) {
      const bool atom = literal.kind == LiteralKind::kAtom ||
                        literal.kind == LiteralKind::kNegated || literal.kind == LiteralKind::kCall;
      if (!atom) continue;
      const bool negative = literal.kind == LiteralKind::kNegated || literal.negated ||
                            rule.grouping.has_value() || id == kNone;
      edges_[head].push_back({literal.predicate, negative, id});
    }
  }

  // What a merge function reads must be complete before the rows that it merges.
  void add_merges(PredicateId id) {
    if (!program_.predicates[id].lattice) return;
    for (const Lattice::Merge& merge : program_.predicates[id].lattice->merges) {
      const auto rules = program_.deferred_rules.find(merge.function);
      if (rules == program_.deferred_rules.end()) continue;
      for (const Rule& rule : rules->second) add_edges(rule, id, kNone);
    }
  }

  void components();
  bool check_cycles();
  void report_cycle(PredicateId from, const Edge& edge);
  void make_strata();
  void describe(Stratum& stratum);
  void warn_of_growing_intervals(const Stratum& stratum);

  Context* context_;
  Program& program_;
  std::vector<std::vector<Edge>> edges_;
  std::vector<std::uint32_t> component_;  // by predicate
  std::vector<std::vector<PredicateId>> members_;
};

void Stratifier::components() {
  const std::size_t count = program_.predicates.size();
  constexpr std::uint32_t kUnseen = 0xFFFFFFFFU;
  std::vector<std::uint32_t> number(count, kUnseen);
  std::vector<std::uint32_t> low(count, 0);
  std::vector<bool> on_stack(count, false);
  std::vector<PredicateId> stack;
  struct Frame {
    PredicateId predicate;
    std::size_t edge;
  };
  std::vector<Frame> frames;
  std::uint32_t next = 0;
  component_.assign(count, 0);
  for (PredicateId root = 0; root < count; ++root) {
    if (number[root] != kUnseen) continue;
    frames.push_back({root, 0});
    while (!frames.empty()) {
      Frame& frame = frames.back();
      const PredicateId at = frame.predicate;
      if (frame.edge == 0) {
        number[at] = low[at] = next++;
        stack.push_back(at);
        on_stack[at] = true;
      }
      if (frame.edge < edges_[at].size()) {
        const PredicateId to = edges_[at][frame.edge++].to;
        if (number[to] == kUnseen) {
          frames.push_back({to, 0});
        } else if (on_stack[to]) {
          low[at] = std::min(low[at], number[to]);
        }
        continue;
      }
      frames.pop_back();
      if (!frames.empty()) {
        low[frames.back().predicate] = std::min(low[frames.back().predicate], low[at]);
      }
      if (low[at] != number[at]) continue;
      members_.emplace_back();
      PredicateId member = kNone;
      do {
        member = stack.back();
        stack.pop_back();
        on_stack[member] = false;
        component_[member] = static_cast<std::uint32_t>(members_.size() - 1);
        members_.back().push_back(member);
      } while (member != at);
      std::sort(members_.back().begin(), members_.back().end());
    }
  }
}

bool Stratifier::check_cycles() {
  bool good = true;
  std::vector<bool> reported(members_.size(), false);
  for (PredicateId from = 0; from < edges_.size(); ++from) {
    for (const Edge& edge : edges_[from]) {
      const std::uint32_t component = component_[from];
      if (!edge.negative || component != component_[edge.to] || reported[component]) continue;
      reported[component] = true;
      if (context_ != nullptr) report_cycle(from, edge);
      good = false;
    }
  }
  return good;
}

// The shortest way back from the negative edge, in words.
void Stratifier::report_cycle(PredicateId from, const Edge& edge) {
  std::vector<PredicateId> before(edges_.size(), kNone);
  std::deque<PredicateId> queue{edge.to};
  before[edge.to] = edge.to;
  while (!queue.empty() && before[from] == kNone) {
    const PredicateId at = queue.front();
    queue.pop_front();
    for (const Edge& next : edges_[at]) {
      if (before[next.to] != kNone || component_[next.to] != component_[from]) continue;
      before[next.to] = at;
      queue.push_back(next.to);
    }
  }
  std::vector<PredicateId> way{from};
  while (way.back() != edge.to) way.push_back(before[way.back()]);
  std::reverse(way.begin(), way.end());
  const auto name = [this](PredicateId id) { return program_.predicates[id].name; };
  const bool grouping = edge.rule != kNone && program_.rules[edge.rule].grouping.has_value();
  std::string message = "the program cannot be stratified: " + name(from) + " needs " +
                        (grouping ? "all of " : "the absence of ") + name(edge.to);
  for (std::size_t i = 1; i < way.size(); ++i) {
    message += ", " + name(way[i - 1]) + " needs " + name(way[i]);
  }
  Context::Place place;
  if (edge.rule != kNone) {
    const RuleOrigin& origin = context_->origins[edge.rule];
    place = {origin.unit, origin.at, origin.end, origin.at, origin.end};
    for (std::size_t i = 0; i < origin.literals.size(); ++i) {
      const Literal& literal = program_.rules[edge.rule].body[i];
      if (literal.predicate == edge.to && (literal.kind == LiteralKind::kNegated || grouping)) {
        place.at = origin.literals[i];
        break;
      }
    }
  }
  context_->report(
      Problem::kStratify, place, std::move(message),
      "break the cycle: what is negated or grouped must not depend on the rule's head");
}

void Stratifier::describe(Stratum& stratum) {
  const std::uint32_t component = component_[stratum.predicates.front()];
  for (const PredicateId id : stratum.predicates) {
    for (const Edge& edge : edges_[id]) {
      if (component_[edge.to] == component) {
        stratum.recursive = true;
        continue;
      }
      stratum.reads.push_back(edge.to);
      if (edge.negative) stratum.reads_negated.push_back(edge.to);
      const StratumId other = program_.predicates[edge.to].stratum;
      if (other != kNone) stratum.depends_on.push_back(other);
    }
  }
  for (auto* list : {&stratum.reads, &stratum.reads_negated, &stratum.depends_on}) {
    std::sort(list->begin(), list->end());
    list->erase(std::unique(list->begin(), list->end()), list->end());
  }
}

void Stratifier::warn_of_growing_intervals(const Stratum& stratum) {
  if (!stratum.recursive || context_ == nullptr) return;
  for (const RuleId id : stratum.rules) {
    const Rule& rule = program_.rules[id];
    const Predicate& head = program_.predicates[rule.head];
    if (!head.temporal || rule.internal) continue;
    for (std::size_t column = head.arity; column < head.columns; ++column) {
      const Argument& bound = rule.head_arguments[column];
      const bool computed =
          !bound.constant && std::any_of(rule.body.begin(), rule.body.end(), [&](const Literal& l) {
            return l.kind == LiteralKind::kAssign && l.variable == bound.value &&
                   l.left.kind == Term::Kind::kApply && l.left.function != Function::kNow;
          });
      if (!computed) continue;
      const RuleOrigin& origin = context_->origins[id];
      context_->warn(Problem::kTemporal,
                     {origin.unit, origin.at, origin.end, origin.at, origin.end},
                     head.name + " extends its own intervals by recursion, which may not end",
                     "bound the recursion, or set a limit");
      break;
    }
  }
}

void Stratifier::make_strata() {
  std::vector<std::vector<RuleId>> rules(program_.predicates.size());
  for (const Rule& rule : program_.rules) {
    rules[rule.head].push_back(rule.id);
    program_.predicates[rule.head].derived = true;
  }
  for (const std::vector<PredicateId>& members : members_) {
    Stratum stratum;
    for (const PredicateId id : members) {
      stratum.rules.insert(stratum.rules.end(), rules[id].begin(), rules[id].end());
    }
    if (stratum.rules.empty()) continue;
    std::sort(stratum.rules.begin(), stratum.rules.end());
    stratum.predicates = members;
    const auto number = static_cast<StratumId>(program_.strata.size());
    for (const PredicateId id : members) program_.predicates[id].stratum = number;
    describe(stratum);
    warn_of_growing_intervals(stratum);
    program_.strata.push_back(std::move(stratum));
  }
}

}  // namespace

void stratify(Context& context) { Stratifier(context.program, &context).run(); }

void stratify_again(Program& program) {
  program.strata.clear();
  for (Predicate& predicate : program.predicates) {
    predicate.derived = false;
    predicate.stratum = kNone;
  }
  Stratifier(program, nullptr).run();
}

}  // namespace anima::datalog::detail
