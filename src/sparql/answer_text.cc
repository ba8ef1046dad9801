#include "sparql/answer_text.h"

#include <string>
#include <vector>

#include "sparql/rdf_writer.h"

namespace anima::sparql {

Status write_rows(const QueryAnswer& answer, ResultFormat format, const TextOut& out) {
  if (answer.form() == QueryForm::kAsk) return out(boolean_result(format, answer.boolean()));
  const auto writer = ResultWriter::make(format, out);
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

Status write_triples(const QueryAnswer& answer, RdfFormat format, const TextOut& out) {
  TripleScratch scratch;
  PrefixFinder prefixes;
  for (std::size_t i = 0; i < answer.triples(); ++i) prefixes.see(answer.triple(i, scratch));
  const auto writer = make_rdf_writer(format, prefixes.prefixes(), out);
  for (std::size_t i = 0; i < answer.triples(); ++i)
    ANIMA_TRY(writer->add(answer.triple(i, scratch), nullptr));
  return writer->finish();
}

}  // namespace anima::sparql
