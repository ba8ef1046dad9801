// SPARQL 1.1 Query Results JSON Format, one binding a line.
#include "sparql/results/escape.h"
#include "sparql/results/text_writer.h"

namespace anima::sparql::results {
namespace {

void append_json_term(std::string& out, const RdfTerm& term) {
  const bool iri = term.kind == RdfKind::kIri, blank = term.kind == RdfKind::kBlank;
  out += iri ? "{\"type\":\"uri\"" : blank ? "{\"type\":\"bnode\"" : "{\"type\":\"literal\"";
  if (term.kind == RdfKind::kLanguageString) {
    out += ",\"xml:lang\":";
    append_json(out, term.extra);
  } else if (term.kind == RdfKind::kTyped) {
    out += ",\"datatype\":";
    append_json(out, term.extra);
  }
  out += ",\"value\":";
  append_json(out, term.text);
  out.push_back('}');
}

class JsonWriter final : public TextWriter {
 public:
  using TextWriter::TextWriter;

  Status begin(std::span<const std::string> variables) override {
    text_ += "{\"head\":{\"vars\":[";
    for (const std::string& variable : variables) {
      if (!names_.empty()) text_.push_back(',');
      append_json(names_.emplace_back(), variable);
      text_ += names_.back();
    }
    text_ += "]},\"results\":{\"bindings\":[";
    return pass(false);
  }

  Status row(std::span<const RdfTerm* const> cells) override {
    text_ += first_ ? "\n{" : ",\n{";
    first_ = false;
    bool begun = false;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (cells[i] == nullptr) continue;
      if (begun) text_.push_back(',');
      begun = true;
      text_ += names_[i];
      text_.push_back(':');
      append_json_term(text_, *cells[i]);
    }
    text_.push_back('}');
    return pass(false);
  }

  Status end() override {
    text_ += "\n]}}\n";
    return pass(true);
  }

 private:
  std::vector<std::string> names_;  // as JSON
  bool first_ = true;
};

}  // namespace

std::unique_ptr<ResultWriter> make_json_writer(ResultWriter::Out out) {
  return std::make_unique<JsonWriter>(std::move(out));
}

}  // namespace anima::sparql::results
