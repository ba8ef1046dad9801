#include "memory/reasoner.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <unordered_map>

#include "base/text.h"
#include "datalog/analyze.h"
#include "datalog/engine.h"
#include "datalog/parser.h"
#include "memory/names.h"
#include "store/symbols.h"

namespace anima::memory {
namespace {

using datalog::Code;
using store::EntityId;
using store::Snapshot;
using store::Term;

constexpr std::uint64_t kMaxDerived = 50'000'000;
constexpr std::int64_t kDeadlineMs = 60'000;
constexpr std::size_t kBatch = 1024;

enum class BaseKind : std::uint8_t { kConcept, kAttribute, kMetadata, kFact, kLink };

struct BaseRelation {
  BaseKind kind = BaseKind::kLink;
  std::uint32_t arity = 2;
  std::vector<store::Predicate> predicates;  // several labels may share one name
};

using BaseRelations = std::map<std::string, BaseRelation>;

BaseRelations base_relations(const Snapshot& snapshot) {
  BaseRelations relations;
  relations["concept"] = {BaseKind::kConcept, 3, {}};
  relations["attribute"] = {BaseKind::kAttribute, 3, {}};
  relations["metadata"] = {BaseKind::kMetadata, 3, {}};
  relations["fact"] = {BaseKind::kFact, 4, {}};
  for (const store::Predicate predicate : snapshot.predicates(store::PredicateClass::kLink)) {
    const std::string label = store::predicate_label(snapshot, predicate);
    if (label.starts_with("agent:")) continue;
    BaseRelation& relation = relations[predicate_name(label)];
    if (relation.kind == BaseKind::kLink) relation.predicates.push_back(predicate);
  }
  return relations;
}

// Turns entities and literals into codes of the rules' value table.
class Coder {
 public:
  Coder(const Snapshot& snapshot, datalog::ValueTable& values)
      : snapshot_(snapshot), values_(values), entities_(snapshot.entity_bound(), 0) {}

  Code entity(EntityId id) {
    Code& known = entities_[static_cast<std::uint32_t>(id)];
    if (known == 0) known = values_.string(label(id));
    return known;
  }

  Code term(Term term) {
    if (term.is_entity()) return entity(term.as_entity());
    const store::ValueView value = snapshot_.value(term);
    switch (value.kind) {
      case store::ValueKind::kInteger:
        return values_.integer(value.integer);
      case store::ValueKind::kDouble:
        return values_.real(value.number);
      case store::ValueKind::kBoolean:
        return values_.boolean(value.integer != 0);
      default:
        return values_.string(value.text);
    }
  }

 private:
  std::string label(EntityId id) const {
    if (snapshot_.kind(id) != store::EntityKind::kConcept)
      return store::symbol_label(snapshot_, id);
    const std::string name(snapshot_.name(id));
    const EntityId type = snapshot_.type_of(id);
    if (type == store::kEntityType || snapshot_.concepts_named(name).size() < 2) return name;
    return fmt::format("{}:{}", snapshot_.name(type), name);
  }

  const Snapshot& snapshot_;
  datalog::ValueTable& values_;
  std::vector<Code> entities_;
};

class Feeder {
 public:
  Feeder(const Snapshot& snapshot, datalog::ValueTable& values)
      : snapshot_(snapshot), values_(values), coder_(snapshot, values) {}

  // Appends the relation's rows; gives their number.
  std::uint64_t feed(const BaseRelation& relation, std::vector<Code>& codes) {
    const std::size_t before = codes.size();
    switch (relation.kind) {
      case BaseKind::kLink:
        for (const store::Predicate predicate : relation.predicates) links(predicate, codes);
        break;
      case BaseKind::kConcept:
        concepts(codes);
        break;
      case BaseKind::kAttribute:
        values(store::PredicateClass::kAttribute, codes);
        break;
      case BaseKind::kMetadata:
        values(store::PredicateClass::kMetadata, codes);
        break;
      case BaseKind::kFact:
        facts(codes);
        break;
    }
    return (codes.size() - before) / relation.arity;
  }

 private:
  template <typename Row>
  void scan(const store::Pattern& pattern, const Row& row) {
    store::Cursor cursor = snapshot_.scan(pattern);
    std::vector<store::Triple> batch(kBatch);
    for (std::size_t count = cursor.next(batch); count != 0; count = cursor.next(batch)) {
      for (std::size_t i = 0; i < count; ++i) row(batch[i]);
    }
  }

  void links(store::Predicate predicate, std::vector<Code>& codes) {
    store::Pattern pattern;
    pattern.predicate = predicate;
    scan(pattern, [&](const store::Triple& triple) {
      codes.push_back(coder_.entity(triple.subject));
      codes.push_back(coder_.term(triple.object));
    });
  }

  void concepts(std::vector<Code>& codes) {
    store::Pattern pattern;
    pattern.predicate = store::kTypePredicate;
    pattern.predicate_class = store::PredicateClass::kStructural;
    scan(pattern, [&](const store::Triple& triple) {
      codes.push_back(coder_.entity(triple.subject));
      codes.push_back(values_.string(snapshot_.name(triple.object.as_entity())));
      codes.push_back(values_.string(snapshot_.name(triple.subject)));
    });
  }

  void values(store::PredicateClass predicate_class, std::vector<Code>& codes) {
    store::Pattern pattern;
    pattern.predicate_class = predicate_class;
    scan(pattern, [&](const store::Triple& triple) {
      codes.push_back(coder_.entity(triple.subject));
      codes.push_back(values_.string(store::predicate_label(snapshot_, triple.predicate)));
      codes.push_back(coder_.term(triple.object));
    });
  }

  void facts(std::vector<Code>& codes) {
    scan({}, [&](const store::Triple& triple) {
      const std::string predicate = store::predicate_label(snapshot_, triple.predicate);
      if (predicate.starts_with("agent:")) return;
      for (const store::Assertion& assertion : snapshot_.assertions(triple)) {
        codes.push_back(values_.string(snapshot_.graph_name(assertion.graph)));
        codes.push_back(coder_.entity(triple.subject));
        codes.push_back(values_.string(predicate));
        codes.push_back(coder_.term(triple.object));
      }
    });
  }

  const Snapshot& snapshot_;
  datalog::ValueTable& values_;
  Coder coder_;
};

// The predicates that the program's rules read, and those that the queries name.
std::set<std::string> mentioned(const datalog::Program& program,
                                const std::vector<std::string>& queries) {
  std::set<std::string> names;
  const auto read = [&](const std::vector<datalog::Rule>& rules) {
    for (const datalog::Rule& rule : rules) {
      for (const datalog::Literal& literal : rule.body) {
        if (literal.predicate != datalog::kNone) {
          names.insert(program.predicates[literal.predicate].name);
        }
      }
    }
  };
  read(program.rules);
  for (const auto& [unused, rules] : program.deferred_rules) read(rules);
  for (const std::string& query : queries) {
    names.insert(std::string(trim(std::string_view(query).substr(0, query.find('(')))));
  }
  return names;
}

std::string plain(const datalog::ValueTable& values, Code code) {
  const datalog::ValueView view = values.view(code);
  return view.kind == datalog::ValueKind::kString ? std::string(view.text) : values.text(code);
}

}  // namespace

struct Reasoner::State {
  std::shared_ptr<datalog::ValueTable> values;
  std::shared_ptr<const datalog::Program> program;
  std::unique_ptr<datalog::Engine> engine;
  std::uint64_t facts = 0;
};

Reasoner::Reasoner(std::unique_ptr<State> state) : state_(std::move(state)) {}
Reasoner::~Reasoner() = default;

Result<std::unique_ptr<Reasoner>> Reasoner::create(const Snapshot& snapshot,
                                                   const std::vector<RuleSource>& rules,
                                                   const std::vector<std::string>& queries) {
  auto state = std::make_unique<State>();
  state->values = std::make_shared<datalog::ValueTable>();
  std::vector<datalog::Unit> units;
  for (const RuleSource& source : rules) {
    ANIMA_ASSIGN(datalog::Unit unit,
                 datalog::parse_program(source.text, source.compartment + "/" + source.file,
                                        state->values.get()));
    units.push_back(std::move(unit));
  }
  const BaseRelations relations = base_relations(snapshot);
  datalog::AnalysisOptions options;
  for (const auto& [name, relation] : relations) options.base.push_back({name, relation.arity});
  ANIMA_ASSIGN(datalog::Program program,
               datalog::analyze_program(std::move(units), *state->values, options));
  state->program = std::make_shared<const datalog::Program>(std::move(program));

  datalog::EngineOptions engine;
  engine.limits.deadline_ms = kDeadlineMs;
  engine.limits.max_derived_rows = kMaxDerived;
  Feeder feeder(snapshot, *state->values);
  for (const std::string& name : mentioned(*state->program, queries)) {
    const auto relation = relations.find(name);
    const datalog::PredicateId predicate = state->program->find(name);
    if (relation == relations.end() || predicate == datalog::kNone) continue;
    std::vector<Code> codes;
    const std::uint64_t rows = feeder.feed(relation->second, codes);
    state->facts += rows;
    engine.facts.insert_rows(predicate, rows, std::move(codes));
  }
  ANIMA_ASSIGN(state->engine,
               datalog::Engine::create(state->program, state->values, std::move(engine)));
  return std::unique_ptr<Reasoner>(new Reasoner(std::move(state)));
}

Result<std::vector<RuleRow>> Reasoner::ask(std::string_view query, std::size_t max_rows) const {
  ANIMA_ASSIGN(const datalog::Query compiled,
               datalog::compile_query(*state_->program, query, *state_->values));
  datalog::QueryOptions options;
  options.max_rows = max_rows;
  const datalog::Rows rows = state_->engine->query(compiled, options);
  const datalog::Predicate& predicate = state_->program->predicates[compiled.predicate];
  std::vector<RuleRow> answers;
  for (std::size_t i = 0; i < rows.count; ++i) {
    RuleRow answer;
    answer.fact = datalog::print_fact(predicate, rows.row(i), *state_->values);
    for (std::size_t column = 0; column < compiled.arguments.size(); ++column) {
      const datalog::Argument& argument = compiled.arguments[column];
      const bool named = !argument.constant && compiled.variables[argument.value] != "_";
      if (named) answer.values.push_back(plain(*state_->values, rows.row(i)[column]));
    }
    answers.push_back(std::move(answer));
  }
  return answers;
}

Result<bool> Reasoner::holds(std::string_view query) const {
  ANIMA_ASSIGN(const std::vector<RuleRow> rows, ask(query, 1));
  return !rows.empty();
}

Result<std::vector<ProofLine>> Reasoner::why(std::string_view fact) const {
  ANIMA_ASSIGN(const datalog::GroundFact ground,
               datalog::compile_fact(*state_->program, fact, *state_->values));
  ANIMA_ASSIGN(const datalog::Proof proof, state_->engine->explain(ground.predicate, ground.codes));
  std::vector<ProofLine> lines;
  std::set<std::uint32_t> shown;
  const auto walk = [&](const auto& self, std::uint32_t index, std::uint32_t depth) -> void {
    const datalog::ProofNode& node = proof.nodes[index];
    ProofLine line;
    line.depth = depth;
    line.fact = node.text;
    line.where = node.where;
    if (node.predicate != datalog::kNone && !node.row.empty()) {
      line.predicate = state_->program->predicates[node.predicate].name;
      for (const Code code : node.row) line.arguments.push_back(plain(*state_->values, code));
    }
    line.repeated = !node.premises.empty() && !shown.insert(index).second;
    switch (node.kind) {
      case datalog::ProofKind::kGiven:
        line.because = "given";
        line.given = true;
        break;
      case datalog::ProofKind::kDerived:
        line.because = node.rule_text;
        break;
      case datalog::ProofKind::kGrouped:
        line.because = node.rule_text;
        break;
      case datalog::ProofKind::kAbsent:
        line.because = "nothing says so";
        line.check = true;
        break;
      case datalog::ProofKind::kComputed:
        line.because = "computed";
        line.check = true;
        break;
      case datalog::ProofKind::kExternal:
        line.because = "external";
        break;
      case datalog::ProofKind::kCut:
        line.because = "not followed further";
        break;
    }
    const bool repeated = line.repeated;
    lines.push_back(std::move(line));
    if (repeated) return;
    for (const std::uint32_t premise : node.premises) self(self, premise, depth + 1);
  };
  if (!proof.nodes.empty()) walk(walk, 0, 0);
  return lines;
}

Result<std::string> Reasoner::why_not(std::string_view goal) const {
  ANIMA_ASSIGN(const datalog::Query compiled,
               datalog::compile_query(*state_->program, goal, *state_->values));
  ANIMA_ASSIGN(const datalog::WhyNot failure, state_->engine->why_not(compiled));
  return failure.text();
}

std::uint64_t Reasoner::facts() const { return state_->facts; }

std::uint64_t Reasoner::derived() const {
  std::uint64_t total = 0;
  const auto snapshot = state_->engine->snapshot();
  for (datalog::PredicateId id = 0; id < state_->program->predicates.size(); ++id) {
    const datalog::Predicate& predicate = state_->program->predicates[id];
    if (predicate.derived && !predicate.internal) total += snapshot->count(id);
  }
  return total;
}

std::uint64_t Reasoner::rounds() const {
  std::uint64_t total = 0;
  for (const datalog::StratumStats& stratum : state_->engine->stats().strata) {
    total += stratum.rounds;
  }
  return total;
}

std::vector<std::string> Reasoner::predicates() const {
  std::vector<std::string> names;
  for (const datalog::Predicate& predicate : state_->program->predicates) {
    if (!predicate.internal) names.push_back(fmt::format("{}/{}", predicate.name, predicate.arity));
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::optional<store::Triple> find_fact(const Snapshot& snapshot, const ProofLine& line) {
  if (!line.given || line.arguments.size() != 2) return std::nullopt;
  const auto named = [&](const std::string& label) {
    const auto exact = snapshot.find_concept(store::kEntityType, label);
    return exact ? exact : store::find_symbol(snapshot, label);
  };
  const auto subject = named(line.arguments[0]);
  if (!subject) return std::nullopt;
  for (const store::Predicate predicate : snapshot.predicates(store::PredicateClass::kLink)) {
    if (predicate_name(store::predicate_label(snapshot, predicate)) != line.predicate) continue;
    store::Pattern pattern;
    pattern.subject = *subject;
    pattern.predicate = predicate;
    store::Cursor cursor = snapshot.scan(pattern);
    std::vector<store::Triple> batch(kBatch);
    for (std::size_t count = cursor.next(batch); count != 0; count = cursor.next(batch)) {
      for (std::size_t i = 0; i < count; ++i) {
        if (store::term_label(snapshot, batch[i].object) == line.arguments[1]) return batch[i];
      }
    }
  }
  return std::nullopt;
}

Status check_rules(const std::string& text, const std::string& name) {
  return datalog::parse_program(text, name).map([](const datalog::Unit&) {});
}

}  // namespace anima::memory
