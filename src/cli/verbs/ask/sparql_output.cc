#include "cli/verbs/ask/sparql_output.h"

#include "cli/render/table.h"
#include "sparql/answer_text.h"

namespace anima::cli {
namespace {

using sparql::QueryAnswer;
using sparql::QueryForm;
using sparql::RdfTerm;

std::string term_text(const RdfTerm& term) {
  std::string text;
  sparql::append_ntriples(text, term);
  return text;
}

std::string table_text(const Context& context, const QueryAnswer& answer) {
  if (answer.variables().empty()) return std::to_string(answer.rows()) + " rows\n";
  Table table(answer.variables());
  std::string scratch;
  for (std::size_t row = 0; row < answer.rows(); ++row) {
    std::vector<std::string> cells;
    for (std::size_t column = 0; column < answer.variables().size(); ++column) {
      RdfTerm term;
      const bool bound = answer.cell(row, column, &term, scratch);
      cells.push_back(bound ? term_text(term) : std::string());
    }
    table.add(std::move(cells));
  }
  const bool people = context.table == TableForm::kText || context.table == TableForm::kExpanded;
  std::string text = table.render(context);
  if (people) text += std::to_string(answer.rows()) + (answer.rows() == 1 ? " row\n" : " rows\n");
  return text;
}

}  // namespace

std::vector<std::string> sparql_formats() {
  std::vector<std::string> names{"table", "json", "xml", "csv", "tsv"};
  for (const sparql::RdfFormatInfo& one : sparql::rdf_formats()) names.emplace_back(one.name);
  return names;
}

Status append_answer(const Context& context, const QueryAnswer& answer, std::string_view format,
                     std::string* out) {
  const auto append = [out](std::string_view piece) -> Status {
    *out += piece;
    return {};
  };
  const bool triples =
      answer.form() == QueryForm::kConstruct || answer.form() == QueryForm::kDescribe;
  if (triples) {
    const auto rdf = format.empty() ? sparql::RdfFormat::kTurtle : sparql::rdf_format_named(format);
    if (rdf) return sparql::write_triples(answer, *rdf, append);
    return fail(ErrorCode::kInvalidArgument, "triples cannot be written as " + std::string(format),
                {}, "say --format turtle, ntriples, trig, nquads, rdfxml or jsonld");
  }
  const auto rows =
      format.empty() ? sparql::ResultFormat::kTable
                     : sparql::result_format_named(format).value_or(sparql::ResultFormat::kTable);
  if (!format.empty() && !sparql::result_format_named(format)) {
    return fail(ErrorCode::kInvalidArgument, "rows cannot be written as " + std::string(format), {},
                "say --format table, json, xml, csv or tsv");
  }
  if (rows != sparql::ResultFormat::kTable) return sparql::write_rows(answer, rows, append);
  if (answer.form() == QueryForm::kAsk) {
    *out += answer.boolean() ? "true\n" : "false\n";
  } else {
    *out += table_text(context, answer);
  }
  return {};
}

}  // namespace anima::cli
