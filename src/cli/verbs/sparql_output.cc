#include "cli/verbs/sparql_output.h"

#include "cli/render/table.h"
#include "sparql/rdf_writer.h"
#include "sparql/results.h"

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

Status append_rows(const QueryAnswer& answer, sparql::ResultFormat format, std::string* out) {
  const auto writer = sparql::ResultWriter::make(format, [out](std::string_view piece) {
    out->append(piece);
    return Status{};
  });
  ANIMA_TRY(writer->begin(answer.variables()));
  const std::size_t width = answer.variables().size();
  std::vector<RdfTerm> terms(width);
  std::vector<std::string> scratch(width);
  std::vector<const RdfTerm*> cells(width);
  for (std::size_t row = 0; row < answer.rows(); ++row) {
    for (std::size_t column = 0; column < width; ++column) {
      const bool bound = answer.cell(row, column, &terms[column], scratch[column]);
      cells[column] = bound ? &terms[column] : nullptr;
    }
    ANIMA_TRY(writer->row(cells));
  }
  return writer->end();
}

Status append_triples(const QueryAnswer& answer, sparql::RdfFormat format, std::string* out) {
  sparql::TripleScratch scratch;
  sparql::PrefixFinder prefixes;
  for (std::size_t i = 0; i < answer.triples(); ++i) prefixes.see(answer.triple(i, scratch));
  const auto writer =
      sparql::make_rdf_writer(format, prefixes.prefixes(), [out](std::string_view piece) {
        out->append(piece);
        return Status{};
      });
  for (std::size_t i = 0; i < answer.triples(); ++i)
    ANIMA_TRY(writer->add(answer.triple(i, scratch), nullptr));
  return writer->finish();
}

}  // namespace

std::vector<std::string> sparql_formats() {
  std::vector<std::string> names{"table", "json", "xml", "csv", "tsv"};
  for (const sparql::RdfFormatInfo& one : sparql::rdf_formats()) names.emplace_back(one.name);
  return names;
}

Status append_answer(const Context& context, const QueryAnswer& answer, std::string_view format,
                     std::string* out) {
  const bool triples =
      answer.form() == QueryForm::kConstruct || answer.form() == QueryForm::kDescribe;
  if (triples) {
    const auto rdf = format.empty() ? sparql::RdfFormat::kTurtle : sparql::rdf_format_named(format);
    if (rdf) return append_triples(answer, *rdf, out);
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
  if (answer.form() == QueryForm::kAsk) {
    if (rows == sparql::ResultFormat::kTable) {
      *out += answer.boolean() ? "true\n" : "false\n";
    } else {
      *out += sparql::boolean_result(rows, answer.boolean());
    }
    return {};
  }
  if (rows != sparql::ResultFormat::kTable) return append_rows(answer, rows, out);
  *out += table_text(context, answer);
  return {};
}

}  // namespace anima::cli
