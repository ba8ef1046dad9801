#include "sparql/plan/query_run.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "sparql/value/term_codes.h"

namespace anima::sparql {

using query::Plan;
using store::Snapshot;

namespace plan {

EngineState::EngineState(std::shared_ptr<Clock> clock, std::shared_ptr<Random> random,
                         std::shared_ptr<query::DerivedRelations> derived)
    : clock_(clock ? std::move(clock) : std::make_shared<SystemClock>()),
      random_(random ? std::move(random) : std::make_shared<SystemRandom>()),
      derived_(std::move(derived)) {}

std::shared_ptr<const HiddenTriples> EngineState::hidden(const Snapshot& knowledge,
                                                         bool published) {
  if (!published) return std::make_shared<const HiddenTriples>(find_hidden_triples(knowledge));
  {
    const std::lock_guard lock(mutex_);
    if (hidden_ && hidden_of_ == knowledge.sequence()) return hidden_;
  }
  auto found = std::make_shared<const HiddenTriples>(find_hidden_triples(knowledge));
  const std::lock_guard lock(mutex_);
  if (!hidden_ || hidden_of_ < knowledge.sequence()) {
    hidden_of_ = knowledge.sequence();
    hidden_ = found;
  }
  return found;
}

std::string fresh_scope(Random& random) {
  constexpr std::string_view kDigits = "0123456789abcdefghijklmnopqrstuv";
  std::string scope = "q";
  std::uint64_t bits = random.next();
  for (int i = 0; i < 12; ++i, bits >>= 5) scope.push_back(kDigits[bits & 31]);
  return scope;
}

QueryGround::QueryGround(EngineState& engine, const Snapshot& snapshot, const DatasetChoice& choice,
                         bool published, std::string base_iri)
    : engine_(engine),
      published_(published),
      dataset_(snapshot, choice),
      values_(std::make_shared<query::Values>(dataset_.everything())),
      vocabulary_(dataset_.everything(), *values_,
                  engine.literals().of(dataset_.everything(), published)),
      expressions_{std::move(base_iri), engine.clock().now(), &engine.random(),
                   fresh_scope(engine.random())},
      ground_{dataset_, vocabulary_, *values_, expressions_, [this]() -> const HiddenTriples& {
                if (!hidden_) hidden_ = engine_.hidden(dataset_.knowledge(), published_);
                return *hidden_;
              }} {}

void QueryGround::see(query::DerivedRelations& relations) {
  ground_.derived = [this, &relations](std::string_view name) {
    return relations.find(dataset_.knowledge(), name);
  };
  ground_.derived_names = [&relations] { return relations.names(); };
}

query::RunOptions QueryGround::options(query::Meter& meter) const {
  query::RunOptions options;
  options.meter = &meter;
  options.current = published_ && dataset_.is_whole();
  options.statistics = &engine_.statistics(options.current);
  options.clock = &engine_.clock();
  return options;
}

Result<query::Answer> QueryGround::run(Plan plan, query::Meter& meter, bool analyze) {
  plan.values = values_;
  query::RunOptions how = options(meter);
  how.analyze = analyze;
  return query::run(plan, how);
}

Result<std::string> QueryGround::explain(Plan plan, query::Meter& meter) {
  plan.values = values_;
  return query::explain(plan, options(meter));
}

}  // namespace plan

// --- answers

bool QueryAnswer::cell(std::size_t row, std::size_t column, RdfTerm* term,
                       std::string& scratch) const {
  const std::uint32_t code = columns_[column][row];
  if (code == 0) return false;
  *term = term_of(*values_, code, scratch);
  return true;
}

RdfTriple QueryAnswer::triple(std::size_t number, TripleScratch& scratch) const {
  const TripleCodes& codes = triples_[number];
  return {term_of(*values_, codes[0], scratch.subject),
          term_of(*values_, codes[1], scratch.predicate),
          term_of(*values_, codes[2], scratch.object)};
}

// --- runs

namespace {

QueryForm form_of(const ast::Query& query) {
  switch (query.form) {
    case ast::Query::Form::kAsk:
      return QueryForm::kAsk;
    case ast::Query::Form::kConstruct:
      return QueryForm::kConstruct;
    case ast::Query::Form::kDescribe:
      return QueryForm::kDescribe;
    case ast::Query::Form::kSelect:
      break;
  }
  return QueryForm::kSelect;
}

void add_once(std::vector<std::string>& names, const ast::Term& term) {
  if (term.is_variable() && std::find(names.begin(), names.end(), term.text) == names.end())
    names.push_back(term.text);
}

RdfTerm constant_term(const ast::Term& term) {
  switch (term.kind) {
    case ast::Term::Kind::kString:
      return {RdfKind::kString, term.text, {}};
    case ast::Term::Kind::kLanguageString:
      return {RdfKind::kLanguageString, term.text, term.extra};
    case ast::Term::Kind::kTyped:
      return {RdfKind::kTyped, term.text, term.extra};
    default:
      return {RdfKind::kIri, term.text, {}};
  }
}

}  // namespace

plan::DatasetChoice QueryRun::choose(const ast::Query& query, const QueryOptions& options) {
  plan::DatasetChoice choice;
  choice.union_default = options.union_default;
  if (options.compartment) {
    choice.given = true;
    choice.default_graphs = {"urn:anima:compartment:" + *options.compartment};
  } else if (options.dataset.given) {
    choice.given = true;
    choice.default_graphs = options.dataset.default_graphs;
    choice.named_graphs = options.dataset.named_graphs;
  } else if (!query.dataset.empty()) {
    choice.given = true;
    choice.default_graphs = query.dataset.default_graphs;
    choice.named_graphs = query.dataset.named_graphs;
  }
  return choice;
}

QueryRun::QueryRun(plan::EngineState& engine, const Snapshot& snapshot, bool published,
                   const ast::Query& query, const QueryOptions& options)
    : engine_(engine),
      query_(query),
      options_(options),
      meter_(options.budget, &engine.clock()),
      ground_(engine, snapshot, choose(query, options), published, query.base) {
  const plan::DatasetChoice choice = choose(query, options);
  if (engine.derived() != nullptr && choice.union_default && !choice.given)
    ground_.see(*engine.derived());
}

std::vector<std::string> QueryRun::wanted() const {
  std::vector<std::string> names;
  for (const ast::Projection& one : query_.projection) names.push_back(one.variable);
  for (const ast::TriplePattern& triple : query_.construct) {
    add_once(names, triple.subject);
    if (const auto* const verb = std::get_if<ast::Term>(&triple.predicate)) add_once(names, *verb);
    add_once(names, triple.object);
  }
  for (const ast::Term& term : query_.describe) add_once(names, term);
  return names;
}

Result<QueryAnswer> QueryRun::answer(std::shared_ptr<const plan::PreparedQuery>* prepared) {
  QueryAnswer answer;
  answer.form_ = form_of(query_);
  std::vector<std::string> variables = wanted();
  plan::Translator translator = ground_.translator();
  ANIMA_ASSIGN(Plan plan, translator.query(query_, variables));
  if (options_.explain) {
    ANIMA_ASSIGN(answer.explanation_, ground_.explain(std::move(plan), meter_));
    return answer;
  }
  const bool rows_only = answer.form_ == QueryForm::kSelect || answer.form_ == QueryForm::kAsk;
  if (prepared != nullptr && rows_only && !translator.uses_derived()) {
    auto kept = std::make_shared<plan::PreparedQuery>();
    kept->form = answer.form_;
    kept->variables = std::move(variables);
    kept->plan = std::move(plan);
    kept->values = ground_.shared_values();
    kept->whole = ground_.is_whole();
    *prepared = kept;
    return QueryRun::answer(engine_, *kept, options_);
  }
  answer.values_ = ground_.shared_values();
  ANIMA_ASSIGN(query::Answer rows, ground_.run(std::move(plan), meter_, options_.analyze));
  return fill(std::move(answer), std::move(rows), std::move(variables));
}

Result<QueryAnswer> QueryRun::answer(plan::EngineState& engine, const plan::PreparedQuery& prepared,
                                     const QueryOptions& options) {
  query::Meter meter(options.budget, &engine.clock());
  query::RunOptions how;
  how.meter = &meter;
  how.values = std::make_shared<query::Values>(prepared.values);
  how.current = prepared.whole;
  how.statistics = &engine.statistics(prepared.whole);
  how.clock = &engine.clock();
  how.analyze = options.analyze;
  ANIMA_ASSIGN(query::Answer rows, query::run(prepared.plan, how));
  how.values->count_in(nullptr);
  QueryAnswer answer;
  answer.form_ = prepared.form;
  answer.values_ = std::move(how.values);
  answer.explanation_ = std::move(rows.explanation);
  answer.boolean_ = rows.table.rows > 0;
  if (answer.form_ == QueryForm::kAsk) return answer;
  answer.variables_ = prepared.variables;
  answer.rows_ = rows.table.rows;
  answer.columns_ = std::move(rows.table.columns);
  return answer;
}

Result<QueryAnswer> QueryRun::fill(QueryAnswer answer, query::Answer rows,
                                   std::vector<std::string> variables) {
  answer.explanation_ = std::move(rows.explanation);
  switch (answer.form_) {
    case QueryForm::kAsk:
      answer.boolean_ = rows.table.rows > 0;
      break;
    case QueryForm::kSelect:
      answer.variables_ = std::move(variables);
      answer.rows_ = rows.table.rows;
      answer.columns_ = std::move(rows.table.columns);
      break;
    case QueryForm::kConstruct:
      ANIMA_TRY(construct(rows.table, variables, &answer));
      break;
    case QueryForm::kDescribe:
      ANIMA_TRY(describe(rows.table, &answer));
      break;
  }
  return answer;
}

// --- CONSTRUCT

// A place of a template: a column, a constant or a blank node that each row has anew.
struct QueryRun::Part {
  enum class Kind : std::uint8_t { kColumn, kConstant, kBlank };
  Kind kind = Kind::kConstant;
  std::uint32_t value = 0;  // column, code, or number of the blank node
};

// A triple has an IRI or a blank node as its subject and an IRI as its predicate.
bool QueryRun::may_stand(const TripleCodes& codes) {
  if (codes[0] == 0 || codes[1] == 0 || codes[2] == 0) return false;
  std::string scratch;
  const RdfKind subject = term_of(ground_.values(), codes[0], scratch).kind;
  if (subject != RdfKind::kIri && subject != RdfKind::kBlank) return false;
  return term_of(ground_.values(), codes[1], scratch).kind == RdfKind::kIri;
}

Status QueryRun::construct(const query::Table& table, const std::vector<std::string>& variables,
                           QueryAnswer* answer) {
  std::unordered_map<std::string, std::uint32_t> blank_numbers;
  const auto part_of = [&](const ast::Term& term) -> Part {
    if (term.is_variable()) {
      const auto at = std::find(variables.begin(), variables.end(), term.text);
      return {Part::Kind::kColumn, static_cast<std::uint32_t>(at - variables.begin())};
    }
    if (term.kind == ast::Term::Kind::kBlank) {
      const auto number = static_cast<std::uint32_t>(blank_numbers.size());
      return {Part::Kind::kBlank, blank_numbers.try_emplace(term.text, number).first->second};
    }
    return {Part::Kind::kConstant, code_of(ground_.values(), constant_term(term))};
  };
  std::vector<std::array<Part, 3>> parts;
  for (const ast::TriplePattern& triple : query_.construct) {
    const auto* const verb = std::get_if<ast::Term>(&triple.predicate);
    ast::Term predicate;
    if (verb == nullptr) predicate.text = std::get<ast::Path>(triple.predicate).iri;
    parts.push_back({part_of(triple.subject), part_of(verb != nullptr ? *verb : predicate),
                     part_of(triple.object)});
  }
  std::unordered_set<TripleCodes, TripleHash> seen;
  const std::string& scope = ground_.expressions().bnode_scope;
  for (std::size_t row = 0; row < table.rows; ++row) {
    for (const auto& triple : parts) {
      TripleCodes codes{};
      for (std::size_t i = 0; i < 3; ++i) {
        const Part& part = triple[i];
        if (part.kind == Part::Kind::kColumn) codes[i] = table.columns[part.value][row];
        if (part.kind == Part::Kind::kConstant) codes[i] = part.value;
        if (part.kind == Part::Kind::kBlank) {
          codes[i] = code_of_blank(ground_.values(), scope + "r" + std::to_string(row) + "n" +
                                                         std::to_string(part.value));
        }
      }
      if (!may_stand(codes) || !seen.insert(codes).second) continue;
      answer->triples_.push_back(codes);
      if (!meter_.take_memory(sizeof(TripleCodes) * 4)) return fail(*meter_.error());
    }
    if (!meter_.spend(1)) return fail(*meter_.error());
  }
  return {};
}

// --- DESCRIBE: what is said of a thing, and of the blank nodes that say it

std::vector<std::uint32_t> QueryRun::described(const query::Table& table) {
  std::vector<std::uint32_t> nodes;
  std::unordered_set<std::uint32_t> seen;
  const auto add = [&](std::uint32_t code) {
    if (code != 0 && seen.insert(code).second) nodes.push_back(code);
  };
  for (const ast::Term& term : query_.describe) {
    if (!term.is_variable()) add(code_of(ground_.values(), constant_term(term)));
  }
  for (std::size_t row = 0; row < table.rows; ++row) {
    for (const auto& column : table.columns) add(column[row]);
  }
  return nodes;
}

Status QueryRun::describe(const query::Table& table, QueryAnswer* answer) {
  std::vector<std::uint32_t> nodes = described(table);
  std::unordered_set<std::uint32_t> seen(nodes.begin(), nodes.end());
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    std::vector<std::uint32_t> blanks;
    ANIMA_TRY(describe_one(nodes[i], &blanks, answer));
    for (const std::uint32_t blank : blanks) {
      if (seen.insert(blank).second) nodes.push_back(blank);
    }
  }
  return {};
}

Status QueryRun::describe_one(std::uint32_t node, std::vector<std::uint32_t>* blanks,
                              QueryAnswer* answer) {
  if (!store::Term{node}.is_entity()) return {};
  ANIMA_ASSIGN(Plan plan, ground_.translator().description(node));
  ANIMA_ASSIGN(const query::Answer said, ground_.run(std::move(plan), meter_));
  std::string scratch;
  for (std::size_t row = 0; row < said.table.rows; ++row) {
    const std::uint32_t object = said.table.columns[1][row];
    answer->triples_.push_back({node, said.table.columns[0][row], object});
    if (term_of(ground_.values(), object, scratch).kind == RdfKind::kBlank)
      blanks->push_back(object);
  }
  if (!meter_.take_memory(said.table.rows * sizeof(TripleCodes))) return fail(*meter_.error());
  return {};
}

}  // namespace anima::sparql
