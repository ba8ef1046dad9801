#include "memory/compartments/reasoner.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>

#include "datalog/parser.h"
#include "datalog/space_rules.h"
#include "memory/compartments/rule_factors.h"

namespace anima::memory {
namespace {

using datalog::Code;

constexpr std::uint64_t kMaxDerived = 50'000'000;
constexpr std::uint64_t kMaxBytes = std::uint64_t{4} << 30;

std::string plain(const datalog::ValueTable& values, Code code) {
  const datalog::ValueView view = values.view(code);
  return view.kind == datalog::ValueKind::kString ? std::string(view.text) : values.text(code);
}

// The constants of facts that are told as text.
std::vector<std::vector<std::string>> values_of(const std::vector<std::string>& facts) {
  std::vector<std::vector<std::string>> rows;
  for (const std::string& fact : facts) {
    const auto unit = datalog::parse_program(fact + ".", "fact");
    if (!unit || unit->clauses.size() != 1) continue;
    std::vector<std::string>& row = rows.emplace_back();
    for (const datalog::ast::Term& term : unit->clauses[0].head.arguments) {
      const bool number = term.kind == datalog::ast::TermKind::kNumber;
      row.push_back(number ? std::to_string(term.number) : term.text);
    }
  }
  return rows;
}

std::string because(const datalog::ProofNode& node) {
  switch (node.kind) {
    case datalog::ProofKind::kGiven:
      return "given";
    case datalog::ProofKind::kDerived:
    case datalog::ProofKind::kGrouped:
      return node.rule_text;
    case datalog::ProofKind::kAbsent:
      return "nothing says so";
    case datalog::ProofKind::kComputed:
      return "computed";
    case datalog::ProofKind::kExternal:
      return "external";
    case datalog::ProofKind::kCut:
      break;
  }
  return "not followed further";
}

// How sure each fact of a proof is.
class Confidences {
 public:
  Confidences(const datalog::Explained& why, const RuleFactors& factors)
      : proof_(why.proof), factors_(factors), known_(why.proof.nodes.size()) {
    for (const datalog::Premise& premise : why.grounds.premises) {
      double& best = given_[premise.fact];
      for (const datalog::Assertion& assertion : premise.assertions) {
        best = std::max(best, assertion.confidence);
      }
    }
  }

  // With a stack of its own: a proof is as deep as what it proves.
  double of(std::uint32_t index) {
    std::vector<std::uint32_t> open{index};
    while (!open.empty()) {
      const std::uint32_t next = open.back();
      const std::size_t before = open.size();
      for (const std::uint32_t premise : proof_.nodes[next].premises) {
        if (counts(premise) && !known_[premise]) open.push_back(premise);
      }
      if (open.size() > before) continue;
      known_[next] = compute(proof_.nodes[next]);
      open.pop_back();
    }
    return *known_[index];
  }

 private:
  bool counts(std::uint32_t premise) const {
    const datalog::ProofKind kind = proof_.nodes[premise].kind;
    return kind != datalog::ProofKind::kAbsent && kind != datalog::ProofKind::kComputed;
  }

  // Requires that the premises that count are known.
  double compute(const datalog::ProofNode& node) const {
    if (node.kind == datalog::ProofKind::kGiven) {
      const auto found = given_.find(node.text);
      return found == given_.end() ? 1.0 : found->second;  // a fact of the rules' own text
    }
    const bool derived =
        node.kind == datalog::ProofKind::kDerived || node.kind == datalog::ProofKind::kGrouped;
    if (!derived) return 1.0;
    double sum = 0;
    std::size_t count = 0;
    for (const std::uint32_t premise : node.premises) {
      if (!counts(premise)) continue;
      sum += *known_[premise];
      ++count;
    }
    return factors_.of(node.where) * (count == 0 ? 1.0 : sum / static_cast<double>(count));
  }

  const datalog::Proof& proof_;
  const RuleFactors& factors_;
  std::map<std::string, double> given_;
  std::vector<std::optional<double>> known_;
};

// A proof as lines, each node's premises once.
class Lines {
 public:
  Lines(const datalog::Explained& why, const RuleFactors& factors)
      : proof_(why.proof), confidences_(why, factors) {
    for (const datalog::Premise& premise : why.grounds.premises) {
      statements_[premise.fact].push_back(premise);
    }
    if (!proof_.nodes.empty()) walk();
  }
  std::vector<ProofLine> take() { return std::move(lines_); }

 private:
  void walk() {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> open{{0, 0}};  // node, depth
    while (!open.empty()) {
      const auto [index, depth] = open.back();
      open.pop_back();
      if (!add(index, depth)) continue;
      const std::vector<std::uint32_t>& premises = proof_.nodes[index].premises;
      for (std::size_t i = premises.size(); i-- > 0;) open.emplace_back(premises[i], depth + 1);
    }
  }

  // False when its premises stand there already.
  bool add(std::uint32_t index, std::uint32_t depth) {
    const datalog::ProofNode& node = proof_.nodes[index];
    ProofLine line;
    line.depth = depth;
    line.fact = node.text;
    line.where = node.where;
    line.because = because(node);
    line.given = node.kind == datalog::ProofKind::kGiven;
    line.check =
        node.kind == datalog::ProofKind::kAbsent || node.kind == datalog::ProofKind::kComputed;
    line.confidence = confidences_.of(index);
    line.repeated = !node.premises.empty() && !shown_.insert(index).second;
    if (line.given) {
      const auto found = statements_.find(node.text);
      if (found != statements_.end()) line.statements = found->second;
    }
    const bool repeated = line.repeated;
    lines_.push_back(std::move(line));
    return !repeated;
  }

  const datalog::Proof& proof_;
  Confidences confidences_;
  std::map<std::string, std::vector<datalog::Premise>> statements_;
  std::set<std::uint32_t> shown_;
  std::vector<ProofLine> lines_;
};

}  // namespace

struct Reasoner::State {
  std::unique_ptr<datalog::SpaceRules> rules;
  RuleFactors factors;
  std::map<std::string, store::Trust, std::less<>> trusts;  // by the name of the rules' text
  std::vector<RuleChange> changes;                          // since they were taken

  // "pack/rules.mg:3:1" is of "pack/rules.mg". What is given has no such place, and its statements
  // say how far it is trusted.
  store::Trust trust_at(std::string_view where) const {
    if (where.empty()) return store::Trust::kSystem;
    for (int part = 0; part < 2; ++part) where = where.substr(0, where.rfind(':'));
    const auto found = trusts.find(where);
    return found == trusts.end() ? store::Trust::kUntrusted : found->second;
  }
};

Reasoner::Reasoner(std::unique_ptr<State> state) : state_(std::move(state)) {}
Reasoner::~Reasoner() = default;

Result<std::unique_ptr<Reasoner>> Reasoner::create(const store::Snapshot& snapshot,
                                                   const std::vector<RuleSource>& rules,
                                                   std::shared_ptr<Clock> clock,
                                                   const RuleLimits& limits) {
  std::vector<datalog::RuleText> texts;
  auto state = std::make_unique<State>();
  for (const RuleSource& source : rules) {
    // Loading the compartment has checked its names.
    texts.push_back(
        {source.compartment + "/" + source.file, source.text, datalog::Names::kAsLoaded});
    ANIMA_TRY(state->factors.read(source.text, texts.back().name));
    state->trusts.emplace(texts.back().name, source.trust);
  }
  datalog::SpaceRulesOptions options;
  options.limits.deadline_ms = limits.deadline_ms;
  options.limits.cancel = limits.stop;
  options.limits.max_derived_rows = kMaxDerived;
  options.limits.max_bytes = kMaxBytes;
  options.clock = std::move(clock);
  ANIMA_ASSIGN(state->rules,
               datalog::SpaceRules::create(snapshot, std::move(texts), std::move(options)));
  return std::unique_ptr<Reasoner>(new Reasoner(std::move(state)));
}

Status Reasoner::check(std::string_view compartment) const {
  const auto now = state_->rules->state();
  for (const auto& [predicate, error] : now->unbuilt) {
    if (error.where.starts_with(std::string(compartment) + "/")) return fail(error);
  }
  return {};
}

Status Reasoner::refresh(store::Space& space, const store::Snapshot& to) {
  return state_->rules->refresh(space, to).map([](bool) {});
}

void Reasoner::watch(const std::vector<std::string>& predicates) {
  State* state = state_.get();  // the rules call from refresh() alone
  for (const std::string& predicate : predicates) {
    state->rules->subscribe(predicate, [state](const datalog::SpaceChange& change) {
      state->changes.push_back(
          {change.predicate, values_of(change.inserted), values_of(change.deleted)});
    });
  }
}

std::vector<RuleChange> Reasoner::take_changes() { return std::exchange(state_->changes, {}); }

bool Reasoner::reads_clock() const { return state_->rules->reads_clock(); }

Result<std::vector<RuleRow>> Reasoner::ask(std::string_view query, std::size_t max_rows) const {
  const auto now = state_->rules->state();
  ANIMA_ASSIGN(const datalog::RulesState::Asked asked, now->compile(query));
  const datalog::Query& compiled = asked.query;
  datalog::QueryOptions options;
  options.max_rows = max_rows;
  ANIMA_ASSIGN(const datalog::Rows rows, asked.rows->query(compiled, options));
  const datalog::Predicate& predicate = asked.program->predicates[compiled.predicate];
  std::vector<RuleRow> answers;
  for (std::size_t i = 0; i < rows.count; ++i) {
    RuleRow answer;
    answer.fact = datalog::print_fact(predicate, rows.row(i), *now->values);
    for (std::size_t column = 0; column < compiled.arguments.size(); ++column) {
      const datalog::Argument& argument = compiled.arguments[column];
      const bool named = !argument.constant && compiled.variables[argument.value] != "_";
      if (named) answer.values.push_back(plain(*now->values, rows.row(i)[column]));
    }
    answers.push_back(std::move(answer));
  }
  return answers;
}

Result<std::vector<std::string>> Reasoner::variables(std::string_view query) const {
  const auto now = state_->rules->state();
  ANIMA_ASSIGN(const datalog::RulesState::Asked asked, now->compile(query));
  std::vector<std::string> names;
  for (const datalog::Argument& argument : asked.query.arguments) {
    if (!argument.constant && asked.query.variables[argument.value] != "_")
      names.push_back(asked.query.variables[argument.value]);
  }
  return names;
}

Result<bool> Reasoner::holds(std::string_view query) const {
  ANIMA_ASSIGN(const std::vector<RuleRow> rows, ask(query, 1));
  return !rows.empty();
}

Result<std::vector<ProofLine>> Reasoner::why(std::string_view fact) const {
  ANIMA_ASSIGN(const datalog::Explained why, state_->rules->why(fact));
  return Lines(why, state_->factors).take();
}

bool Reasoner::has_factors() const { return state_->factors.any(); }

Result<double> Reasoner::confidence(std::string_view fact) const {
  ANIMA_ASSIGN(const datalog::Explained why, state_->rules->why(fact));
  return why.proof.nodes.empty() ? 1.0 : Confidences(why, state_->factors).of(0);
}

Result<store::Trust> Reasoner::trust(std::string_view fact) const {
  ANIMA_ASSIGN(const datalog::Explained why, state_->rules->why(fact));
  store::Trust trust = why.grounds.trust;
  for (const datalog::ProofNode& node : why.proof.nodes)
    trust = std::min(trust, state_->trust_at(node.where));
  return trust;
}

Result<std::string> Reasoner::why_not(std::string_view goal) const {
  ANIMA_ASSIGN(const datalog::WhyNot failure, state_->rules->why_not(goal));
  return failure.text();
}

Result<query::DerivedRelation> Reasoner::relation(std::string_view label) const {
  const auto now = state_->rules->state();
  const std::string name = datalog::predicate_name(label);
  const datalog::PredicateId id = now->program->find(name);
  if (const auto unbuilt = now->unbuilt.find(name); unbuilt != now->unbuilt.end()) {
    return fail(unbuilt->second);
  }
  if (id == datalog::kNone || now->program->predicates[id].arity != 2 ||
      !now->program->predicates[id].derived) {
    return fail(ErrorCode::kNotFound, fmt::format("no rule derives \"{}\" of two things", label));
  }
  if (const auto broken = now->broken.find(id); broken != now->broken.end()) {
    return fail(broken->second);
  }
  ANIMA_ASSIGN(const datalog::Rows rows, now->rows->all(id));
  const store::Snapshot space = now->facts->snapshot();
  const auto stated = space.find_predicate(label);
  query::DerivedRelation out;
  std::unordered_map<Code, std::uint32_t> known;
  const auto cell = [&](Code code) {
    const auto [found, is_new] = known.try_emplace(code, 0);
    if (!is_new) return found->second;
    datalog::SpaceFacts::Meaning meaning = now->facts->meaning(code);
    if (!meaning.term) {
      const auto place = static_cast<std::uint32_t>(out.made.size());
      meaning.term = store::Term{(3U << store::kTagShift) | place};
      out.made.push_back(std::move(meaning.value));
    }
    return found->second = meaning.term->code;
  };
  for (std::size_t i = 0; i < rows.count; ++i) {
    const store::Term subject{cell(rows.row(i)[0])};
    const store::Term object{cell(rows.row(i)[1])};
    if (stated && subject.is_entity() &&
        space.contains({subject.as_entity(), store::Predicate::link(*stated), object})) {
      continue;
    }
    out.subjects.push_back(subject.code);
    out.objects.push_back(object.code);
  }
  return out;
}

store::Snapshot Reasoner::snapshot() const { return state_->rules->state()->facts->snapshot(); }

std::uint64_t Reasoner::derived() const {
  const auto now = state_->rules->state();
  std::uint64_t total = 0;
  for (datalog::PredicateId id = 0; id < now->program->predicates.size(); ++id) {
    const datalog::Predicate& predicate = now->program->predicates[id];
    if (predicate.derived && !predicate.internal) total += now->rows->count(id);
  }
  return total;
}

Result<std::optional<Reasoner::Difference>> Reasoner::suppose(
    const store::Snapshot& branch, std::span<const store::Triple> links) const {
  const auto now = state_->rules->state();
  ANIMA_ASSIGN(const std::shared_ptr<datalog::Fork> world, state_->rules->suppose(branch, links));
  if (world == nullptr) return std::optional<Difference>();
  Difference difference;
  const auto add = [&](const datalog::Predicate& predicate, const datalog::Rows& rows,
                       std::vector<std::string>& facts) {
    for (std::size_t i = 0; i < rows.count; ++i) {
      facts.push_back(datalog::print_fact(predicate, rows.row(i), *now->values));
    }
  };
  for (const datalog::Change& change : world->changes()) {
    const datalog::Predicate& predicate = now->program->predicates[change.predicate];
    if (!predicate.derived) continue;
    add(predicate, change.inserted, difference.gained);
    add(predicate, change.deleted, difference.lost);
  }
  std::sort(difference.gained.begin(), difference.gained.end());
  std::sort(difference.lost.begin(), difference.lost.end());
  return std::optional(std::move(difference));
}

std::vector<std::string> Reasoner::predicates() const {
  const auto now = state_->rules->state();
  std::vector<std::string> names;
  for (const datalog::Predicate& predicate : now->program->predicates) {
    if (!predicate.internal) names.push_back(fmt::format("{}/{}", predicate.name, predicate.arity));
  }
  for (const std::string& relation : now->facts->relations()) {
    if (now->program->find(relation) == datalog::kNone) names.push_back(relation + "/2");
  }
  std::sort(names.begin(), names.end());
  return names;
}

Status check_rule_names(const store::Snapshot& snapshot, const std::vector<RuleSource>& loaded,
                        const RuleSource& rules) {
  std::vector<datalog::RuleText> texts;
  for (const RuleSource& source : loaded) {
    if (source.compartment == rules.compartment) continue;
    texts.push_back(
        {source.compartment + "/" + source.file, source.text, datalog::Names::kAsLoaded});
  }
  texts.push_back({rules.compartment + "/" + rules.file, rules.text, datalog::Names::kNew});
  return datalog::check_names(snapshot, texts);
}

std::vector<std::string> derived_relations(const std::vector<RuleSource>& rules) {
  std::set<std::string> names;
  for (const RuleSource& source : rules) {
    const auto unit = datalog::parse_program(source.text, source.file);
    if (!unit) continue;
    for (const datalog::ast::Clause& clause : unit->clauses) {
      if (clause.head.arguments.size() == 2) names.insert(clause.head.predicate);
    }
  }
  return {names.begin(), names.end()};
}

Status check_rules(const std::string& text, const std::string& name) {
  RuleFactors factors;
  ANIMA_TRY(factors.read(text, name));
  return datalog::parse_program(text, name).map([](const datalog::Unit&) {});
}

}  // namespace anima::memory
