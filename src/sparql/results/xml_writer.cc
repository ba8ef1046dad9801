// SPARQL Query Results XML Format.
#include "base/text/xml_text.h"
#include "sparql/results/text_writer.h"

namespace anima::sparql::results {
namespace {

// What XML 1.0 cannot hold becomes U+FFFD: a row is given all the same.
void append_readable(std::string& out, std::string_view text, XmlPlace place) {
  if (no_xml_character_at(text) == std::string_view::npos)
    append_xml(out, text, place);
  else
    append_xml(out, with_xml_characters(text), place);
}

void append_element(std::string& out, std::string_view name, std::string_view text) {
  out += "<";
  out += name;
  out += ">";
  append_readable(out, text, XmlPlace::kText);
  out += "</";
  out += name;
  out += ">";
}

void append_xml_term(std::string& out, const RdfTerm& term) {
  if (term.kind == RdfKind::kIri) return append_element(out, "uri", term.text);
  if (term.kind == RdfKind::kBlank) return append_element(out, "bnode", term.text);
  out += "<literal";
  if (term.kind != RdfKind::kString) {
    out += term.kind == RdfKind::kTyped ? " datatype=\"" : " xml:lang=\"";
    append_readable(out, term.extra, XmlPlace::kAttribute);
    out += "\"";
  }
  out += ">";
  append_readable(out, term.text, XmlPlace::kText);
  out += "</literal>";
}

class XmlWriter final : public TextWriter {
 public:
  using TextWriter::TextWriter;

  Status begin(std::span<const std::string> variables) override {
    text_ +=
        "<?xml version=\"1.0\"?>\n<sparql xmlns=\"http://www.w3.org/2005/sparql-results#\">\n"
        "  <head>\n";
    for (const std::string& variable : variables) {
      append_readable(names_.emplace_back(), variable, XmlPlace::kAttribute);
      text_ += "    <variable name=\"" + names_.back() + "\"/>\n";
    }
    text_ += "  </head>\n  <results>\n";
    return pass(false);
  }

  Status row(std::span<const RdfTerm* const> cells) override {
    text_ += "    <result>\n";
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (cells[i] == nullptr) continue;
      text_ += "      <binding name=\"";
      text_ += names_[i];
      text_ += "\">";
      append_xml_term(text_, *cells[i]);
      text_ += "</binding>\n";
    }
    text_ += "    </result>\n";
    return pass(false);
  }

  Status end() override {
    text_ += "  </results>\n</sparql>\n";
    return pass(true);
  }

 private:
  std::vector<std::string> names_;  // as XML
};

}  // namespace

std::unique_ptr<ResultWriter> make_xml_writer(ResultWriter::Out out) {
  return std::make_unique<XmlWriter>(std::move(out));
}

}  // namespace anima::sparql::results
