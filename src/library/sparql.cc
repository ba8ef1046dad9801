#include "anima/sparql.h"

#include <algorithm>

#include "library/detail/sparql_state.h"
#include "sparql/answer_text.h"

namespace anima {
namespace {

using sparql::RdfKind;
using sparql::RdfTerm;

constexpr std::string_view kLangString = "http://www.w3.org/1999/02/22-rdf-syntax-ns#langString";

SparqlTerm term_from(const RdfTerm& term) {
  SparqlTerm made;
  made.text = term.text;
  switch (term.kind) {
    case RdfKind::kIri:
      made.kind = SparqlTerm::Kind::kIri;
      return made;
    case RdfKind::kBlank:
      made.kind = SparqlTerm::Kind::kBlank;
      return made;
    case RdfKind::kString:
      made.datatype = std::string(sparql::kXsd) + "string";
      break;
    case RdfKind::kLanguageString:
      made.datatype = kLangString;
      made.language = term.extra;
      break;
    case RdfKind::kTyped:
      made.datatype = term.extra;
      break;
  }
  made.kind = SparqlTerm::Kind::kLiteral;
  return made;
}

RdfTerm term_to(const SparqlTerm& term) {
  if (term.kind == SparqlTerm::Kind::kIri) return {RdfKind::kIri, term.text, {}};
  if (term.kind == SparqlTerm::Kind::kBlank) return {RdfKind::kBlank, term.text, {}};
  if (!term.language.empty()) return {RdfKind::kLanguageString, term.text, term.language};
  if (term.datatype.empty() || term.datatype == std::string(sparql::kXsd) + "string")
    return {RdfKind::kString, term.text, {}};
  return {RdfKind::kTyped, term.text, term.datatype};
}

}  // namespace

namespace detail {

sparql::QueryOptions query_options(const SparqlSettings& settings) {
  sparql::QueryOptions options;
  options.base_iri = settings.base;
  if (!settings.pack.empty()) options.compartment = settings.pack;
  options.dataset.given = !settings.default_graphs.empty() || !settings.named_graphs.empty();
  options.dataset.default_graphs = settings.default_graphs;
  options.dataset.named_graphs = settings.named_graphs;
  if (settings.limits.time.count() > 0) options.budget.time_ms = settings.limits.time.count();
  options.budget.stop = settings.limits.stop;
  return options;
}

}  // namespace detail

std::string SparqlTerm::to_string() const {
  std::string text_of;
  if (kind != Kind::kUnbound) sparql::append_ntriples(text_of, term_to(*this));
  return text_of;
}

SparqlAnswer::State::State(sparql::QueryAnswer given) : answer(std::move(given)) {
  if (answer.form() == sparql::QueryForm::kAsk) form = Form::kTruth;
  if (answer.form() == sparql::QueryForm::kSelect) variables = answer.variables();
  if (answer.form() == sparql::QueryForm::kConstruct ||
      answer.form() == sparql::QueryForm::kDescribe) {
    form = Form::kTriples;
    variables = {"subject", "predicate", "object"};
  }
}

SparqlTerm SparqlAnswer::Row::operator[](std::string_view variable) const {
  const std::vector<std::string>& names = answer_->variables();
  const auto found = std::find(names.begin(), names.end(), variable);
  return (*this)[static_cast<std::size_t>(found - names.begin())];
}

SparqlAnswer::Form SparqlAnswer::form() const { return state_->form; }
bool SparqlAnswer::truth() const { return state_->answer.boolean(); }
const std::vector<std::string>& SparqlAnswer::variables() const { return state_->variables; }

std::size_t SparqlAnswer::size() const {
  return state_->form == Form::kTriples ? state_->answer.triples() : state_->answer.rows();
}

SparqlTerm SparqlAnswer::term(std::size_t row, std::size_t column) const {
  if (row >= size() || column >= variables().size()) return {};
  if (state_->form == Form::kTriples) {
    sparql::TripleScratch scratch;
    const sparql::RdfTriple triple = state_->answer.triple(row, scratch);
    return term_from(column == 0 ? triple.subject : column == 1 ? triple.predicate : triple.object);
  }
  RdfTerm term;
  std::string scratch;
  return state_->answer.cell(row, column, &term, scratch) ? term_from(term) : SparqlTerm();
}

Result<std::string> SparqlAnswer::text(std::string_view format) const {
  std::string out;
  const auto append = [&out](std::string_view piece) -> Status {
    out += piece;
    return {};
  };
  if (state_->form == Form::kTriples) {
    const auto known = sparql::rdf_format_named(format);
    if (!known) {
      return fail(ErrorCode::kInvalidArgument, "triples are not written so", std::string(format),
                  "turtle, ntriples, trig, nquads, rdfxml or jsonld");
    }
    ANIMA_TRY(sparql::write_triples(state_->answer, *known, append));
    return out;
  }
  const auto known = sparql::result_format_named(format);
  if (!known) {
    return fail(ErrorCode::kInvalidArgument, "rows are not written so", std::string(format),
                "json, xml, csv, tsv or table");
  }
  ANIMA_TRY(sparql::write_rows(state_->answer, *known, append));
  return out;
}

}  // namespace anima
