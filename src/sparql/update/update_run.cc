#include "sparql/update/update_run.h"

#include <algorithm>
#include <utility>

#include "sparql/detail/language_tag.h"
#include "sparql/plan/dataset.h"
#include "sparql/syntax/lexer.h"
#include "sparql/update/load_file.h"
#include "sparql/value/term_codes.h"

namespace anima::sparql::update {

using store::GraphId;
using OperationKind = ast::Operation::Kind;
using TargetKind = ast::GraphTarget::Kind;

namespace {

void add_variable(std::vector<std::string>& names, const ast::Term& term) {
  if (term.is_variable() && std::find(names.begin(), names.end(), term.text) == names.end())
    names.push_back(term.text);
}

ast::Term predicate_of(const ast::TriplePattern& triple) {
  if (const auto* const verb = std::get_if<ast::Term>(&triple.predicate)) return *verb;
  ast::Term term;
  term.text = std::get<ast::Path>(triple.predicate).iri;
  return term;
}

// Every variable of the templates, each once.
std::vector<std::string> variables_of(const ast::Operation& operation) {
  std::vector<std::string> names;
  for (const auto* quads : {&operation.deletes, &operation.inserts}) {
    for (const ast::Quad& quad : *quads) {
      if (quad.graph) add_variable(names, *quad.graph);
      add_variable(names, quad.triple.subject);
      add_variable(names, predicate_of(quad.triple));
      add_variable(names, quad.triple.object);
    }
  }
  return names;
}

// What can be said: a thing as the subject, an IRI as the predicate.
bool is_triple(const OwnQuad& quad) {
  const auto thing = [](const OwnTerm& term) {
    return (term.kind == RdfKind::kIri && is_absolute_iri(term.text)) ||
           term.kind == RdfKind::kBlank;
  };
  return thing(quad.subject) && quad.predicate.kind == RdfKind::kIri &&
         is_absolute_iri(quad.predicate.text) &&
         (quad.object.kind != RdfKind::kIri || is_absolute_iri(quad.object.text));
}

}  // namespace

UpdateRun::UpdateRun(plan::EngineState& engine, store::Transaction& transaction,
                     const UpdateOptions& options)
    : engine_(engine),
      transaction_(transaction),
      options_(options),
      meter_(options.budget, &engine.clock()),
      changes_(transaction),
      blank_scope_(plan::fresh_scope(engine.random())) {}

Status UpdateRun::run(const ast::Update& update) {
  for (const ast::Operation& one : update.operations) {
    ++number_;
    if (!meter_.look()) return fail(*meter_.error());
    ANIMA_TRY(operation(one));
  }
  return {};
}

UpdateReport UpdateRun::report() const {
  UpdateReport report;
  report.operations = number_;
  report.inserted = changes_.inserted();
  report.deleted = changes_.deleted();
  return report;
}

Status UpdateRun::operation(const ast::Operation& operation) {
  Status done;
  switch (operation.kind) {
    case OperationKind::kInsertData:
    case OperationKind::kDeleteData:
      return data(operation);
    case OperationKind::kModify:
      return modify(operation);
    case OperationKind::kLoad:
      done = load(operation);
      break;
    case OperationKind::kClear:
    case OperationKind::kDrop:
      done = clear(operation);
      break;
    case OperationKind::kCreate:
      done = create(operation);
      break;
    case OperationKind::kAdd:
    case OperationKind::kMove:
    case OperationKind::kCopy:
      done = transfer(operation);
      break;
  }
  if (done) return done;
  if (operation.silent && !meter_.failed()) return {};
  Error error = done.error();
  if (error.where.empty()) error.where = syntax::text_of(operation.place);
  return fail(std::move(error));
}

// --- terms

std::string UpdateRun::blank_label(const std::string& label, std::size_t row) const {
  const std::string own = label.starts_with('.') ? "n" + label.substr(1) : "l" + label;
  return blank_scope_ + "o" + std::to_string(number_) + "r" + std::to_string(row) + own;
}

OwnTerm UpdateRun::constant(const ast::Term& term) {
  OwnTerm own;
  own.text = term.text;
  own.extra = term.extra;
  switch (term.kind) {
    case ast::Term::Kind::kString:
      own.kind = RdfKind::kString;
      break;
    case ast::Term::Kind::kLanguageString: {
      own.kind = RdfKind::kLanguageString;
      std::string scratch;
      own.extra = usual_language_tag(term.extra, scratch);
      break;
    }
    case ast::Term::Kind::kTyped:
      own.kind = RdfKind::kTyped;
      break;
    case ast::Term::Kind::kBlank:
      own.kind = RdfKind::kBlank;
      own.text = blank_label(term.text, 0);
      break;
    case ast::Term::Kind::kIri:
    case ast::Term::Kind::kVariable:
      own.kind = RdfKind::kIri;
      break;
  }
  return own;
}

bool UpdateRun::term_of_row(const ast::Term& term, const plan::QueryGround& ground,
                            const std::vector<std::string>& variables, const query::Table& table,
                            std::size_t row, OwnTerm* out) {
  if (!term.is_variable()) {
    *out = constant(term);
    if (term.kind == ast::Term::Kind::kBlank) out->text = blank_label(term.text, row);
    return true;
  }
  const auto column = static_cast<std::size_t>(
      std::find(variables.begin(), variables.end(), term.text) - variables.begin());
  const std::uint32_t code = table.columns[column][row];
  if (code == 0) return false;
  std::string scratch;
  *out = OwnTerm(term_of(ground.values(), code, scratch));
  return true;
}

void UpdateRun::fill(const std::vector<ast::Quad>& quads, const ast::Operation& operation,
                     const plan::QueryGround& ground, const std::vector<std::string>& variables,
                     const query::Table& table, std::size_t row, std::vector<OwnQuad>* out) {
  for (const ast::Quad& quad : quads) {
    OwnQuad made;
    const auto term = [&](const ast::Term& from, OwnTerm* to) {
      return term_of_row(from, ground, variables, table, row, to);
    };
    if (!term(quad.triple.subject, &made.subject) ||
        !term(predicate_of(quad.triple), &made.predicate) ||
        !term(quad.triple.object, &made.object) || !is_triple(made))
      continue;
    if (quad.graph) {
      OwnTerm graph;
      if (!term(*quad.graph, &graph) || graph.kind != RdfKind::kIri) continue;
      made.graph = plan::stored_graph_name(graph.text);
    } else if (operation.with) {
      made.graph = plan::stored_graph_name(*operation.with);
    }
    out->push_back(std::move(made));
  }
}

// --- operations on triples

Status UpdateRun::data(const ast::Operation& operation) {
  const bool insert = operation.kind == OperationKind::kInsertData;
  std::vector<OwnQuad> quads;
  for (const ast::Quad& quad : insert ? operation.inserts : operation.deletes) {
    OwnQuad made;
    made.subject = constant(quad.triple.subject);
    made.predicate = constant(predicate_of(quad.triple));
    made.object = constant(quad.triple.object);
    if (quad.graph) made.graph = plan::stored_graph_name(quad.graph->text);
    if (!is_triple(made)) {
      return fail(ErrorCode::kInvalidArgument, "the data holds what is no triple",
                  syntax::text_of(quad.triple.place),
                  "the subject is an IRI or a blank node, and every IRI is absolute");
    }
    quads.push_back(std::move(made));
    if (!meter_.spend(1)) return fail(*meter_.error());
  }
  return insert ? changes_.insert(quads) : changes_.remove(quads);
}

Result<plan::DatasetChoice> UpdateRun::choose(const ast::Operation& operation) {
  plan::DatasetChoice choice;
  choice.union_default = options_.union_default;
  if (options_.dataset.given) {
    if (operation.with || !operation.usings.empty()) {
      return fail(ErrorCode::kInvalidArgument,
                  "the request names its graphs, so the update has no USING or WITH of its own",
                  syntax::text_of(operation.place), "name the graphs in one of the two places");
    }
    choice.given = true;
    choice.default_graphs = options_.dataset.default_graphs;
    choice.named_graphs = options_.dataset.named_graphs;
  } else if (!operation.usings.empty()) {
    choice.given = true;
    choice.default_graphs = operation.usings.default_graphs;
    choice.named_graphs = operation.usings.named_graphs;
  } else if (operation.with) {
    choice.given = choice.all_named = true;
    choice.default_graphs = {*operation.with};
  }
  return choice;
}

Status UpdateRun::modify(const ast::Operation& operation) {
  std::vector<OwnQuad> deletes, inserts;
  {
    ANIMA_ASSIGN(const plan::DatasetChoice choice, choose(operation));
    plan::QueryGround ground(engine_, transaction_.view(), choice, false, operation.base);
    const std::vector<std::string> variables = variables_of(operation);
    ANIMA_ASSIGN(query::Plan plan, ground.translator().pattern(operation.where, variables));
    ANIMA_ASSIGN(const query::Answer found, ground.run(std::move(plan), meter_));
    for (std::size_t row = 0; row < found.table.rows; ++row) {
      const std::size_t before = deletes.size() + inserts.size();
      fill(operation.deletes, operation, ground, variables, found.table, row, &deletes);
      fill(operation.inserts, operation, ground, variables, found.table, row, &inserts);
      const std::size_t made = deletes.size() + inserts.size() - before;
      if (!meter_.spend(made) || !meter_.take_memory(made * sizeof(OwnQuad)))
        return fail(*meter_.error());
    }
  }
  ANIMA_TRY(changes_.remove(deletes));
  return changes_.insert(inserts);
}

Status UpdateRun::load(const ast::Operation& operation) {
  std::string graph;
  if (operation.target.kind == TargetKind::kGraph)
    graph = plan::stored_graph_name(operation.target.iri);
  ANIMA_TRY(check_writable(graph));
  LoadTarget target;
  target.root = options_.load_root;
  target.blank_scope = blank_scope_ + "o" + std::to_string(number_);
  if (operation.target.kind == TargetKind::kGraph) target.graph = graph;
  ANIMA_ASSIGN(const std::vector<OwnQuad> quads, load_file(operation.document, target));
  return changes_.insert(quads);
}

// --- operations on graphs

Status UpdateRun::clear_graph(const std::string& iri) {
  const std::string name = plan::stored_graph_name(iri);
  ANIMA_TRY(check_writable(name));
  const auto graph = transaction_.view().find_graph(name);
  return graph ? changes_.clear(*graph) : Status{};
}

Status UpdateRun::clear_named() {
  for (const GraphId graph : plan::named_graphs(transaction_.view().knowledge()))
    ANIMA_TRY(changes_.clear(graph));
  return {};
}

// A graph without triples is none, so clearing and dropping are the same.
Status UpdateRun::clear(const ast::Operation& operation) {
  switch (operation.target.kind) {
    case TargetKind::kGraph:
      return clear_graph(operation.target.iri);
    case TargetKind::kDefault:
      return changes_.clear(GraphId::kDefault);
    case TargetKind::kNamed:
      return clear_named();
    case TargetKind::kAll:
      ANIMA_TRY(clear_named());
      return changes_.clear(GraphId::kDefault);
  }
  return {};
}

Status UpdateRun::create(const ast::Operation& operation) {
  const std::string name = plan::stored_graph_name(operation.target.iri);
  ANIMA_TRY(check_writable(name));
  if (!plan::find_graph(transaction_.view().knowledge(), operation.target.iri)) return {};
  return fail(ErrorCode::kAlreadyExists, "there is a graph <" + operation.target.iri + ">", {},
              "write CREATE SILENT where that does not matter");
}

Status UpdateRun::transfer(const ast::Operation& operation) {
  if (operation.source.kind == operation.target.kind &&
      operation.source.iri == operation.target.iri)
    return {};
  std::optional<GraphId> from = GraphId::kDefault;
  if (operation.source.kind == TargetKind::kGraph)
    from = plan::find_graph(transaction_.view().knowledge(), operation.source.iri);
  if (!from) {
    return fail(ErrorCode::kNotFound, "there is no graph <" + operation.source.iri + ">", {},
                "write SILENT where that does not matter");
  }
  GraphId to = GraphId::kDefault;
  if (operation.target.kind == TargetKind::kGraph) {
    const std::string name = plan::stored_graph_name(operation.target.iri);
    ANIMA_TRY(check_writable(name));
    to = transaction_.graph(name);
  }
  if (from == to) return {};
  if (operation.kind != OperationKind::kAdd) ANIMA_TRY(changes_.clear(to));
  ANIMA_TRY(changes_.copy(*from, to));
  return operation.kind == OperationKind::kMove ? changes_.clear(*from) : Status{};
}

}  // namespace anima::sparql::update
