// SPARQL 1.1 Query Results CSV and TSV Formats. CSV has texts alone, TSV whole terms.
#include "sparql/results/escape.h"
#include "sparql/results/text_writer.h"

namespace anima::sparql::results {
namespace {

class SeparatedWriter final : public TextWriter {
 public:
  SeparatedWriter(Out out, bool tabs) : TextWriter(std::move(out)), tabs_(tabs) {}

  Status begin(std::span<const std::string> variables) override {
    for (std::size_t i = 0; i < variables.size(); ++i) {
      separate(i);
      if (tabs_) text_.push_back('?');
      text_ += variables[i];
    }
    end_line();
    return pass(false);
  }

  Status row(std::span<const RdfTerm* const> cells) override {
    for (std::size_t i = 0; i < cells.size(); ++i) {
      separate(i);
      if (cells[i] == nullptr) continue;
      if (tabs_) {
        append_tsv(text_, *cells[i]);
      } else if (cells[i]->kind == RdfKind::kBlank) {
        text_ += "_:";
        text_ += cells[i]->text;
      } else {
        append_csv(text_, cells[i]->text);
      }
    }
    end_line();
    return pass(false);
  }

  Status end() override { return pass(true); }

 private:
  void separate(std::size_t column) {
    if (column > 0) text_.push_back(tabs_ ? '\t' : ',');
  }
  void end_line() { text_ += tabs_ ? "\n" : "\r\n"; }
  bool tabs_;
};

}  // namespace

std::unique_ptr<ResultWriter> make_separated_writer(ResultWriter::Out out, bool tabs) {
  return std::make_unique<SeparatedWriter>(std::move(out), tabs);
}

}  // namespace anima::sparql::results
