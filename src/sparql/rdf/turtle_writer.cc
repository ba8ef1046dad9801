// Turtle and TriG: one subject a block, one predicate a line.
#include <algorithm>
#include <optional>

#include "sparql/detail/rdf_chars.h"
#include "sparql/rdf/vocabulary.h"
#include "sparql/rdf/writers.h"

namespace anima::sparql::rdf {
namespace {

std::size_t digits_end(std::string_view text, std::size_t at) {
  return std::min(text.find_first_not_of("0123456789", at), text.size());
}

// Whether the literal may stand without quotes: the grammar gives it the same form and type.
bool is_bare(const RdfTerm& literal) {
  const std::string_view text = literal.text;
  if (literal.extra == kBooleanType) return text == "true" || text == "false";
  const bool integer = literal.extra == kIntegerType;
  const bool decimal = literal.extra == kDecimalType;
  if (text.empty() || (!integer && !decimal && literal.extra != kDoubleType)) return false;
  const std::size_t begin = text[0] == '+' || text[0] == '-' ? 1 : 0;
  std::size_t at = digits_end(text, begin);
  const bool whole = at > begin;
  if (integer) return whole && at == text.size();
  bool fraction = false;
  if (at < text.size() && text[at] == '.') {
    const std::size_t end = digits_end(text, at + 1);
    fraction = end > at + 1;
    at = end;
  }
  if (decimal) return fraction && at == text.size();
  if ((!whole && !fraction) || at == text.size() || (text[at] | 0x20) != 'e') return false;
  ++at;
  if (at < text.size() && (text[at] == '+' || text[at] == '-')) ++at;
  return at < text.size() && digits_end(text, at) == text.size();
}

class TurtleWriter : public RdfWriter {
 public:
  TurtleWriter(bool trig, std::vector<RdfPrefix> prefixes, TextSink sink)
      : trig_(trig), prefixes_(std::move(prefixes)), out_(std::move(sink)) {}

  Status add(const RdfTriple& triple, const RdfTerm* graph) override {
    if (graph != nullptr && !trig_) {
      return fail(ErrorCode::kUnsupported, "Turtle cannot name a graph", {}, "write TriG");
    }
    begin();
    enter(graph);
    if (open_ && subject_.is(triple.subject)) {
      if (predicate_.is(triple.predicate)) {
        out_.text() += " ,\n" + indent_ + "    ";
      } else {
        out_.text() += " ;\n" + indent_ + "  ";
        append_predicate(triple.predicate);
        out_.text().push_back(' ');
      }
    } else {
      close_subject();
      out_.text() += indent_;
      append(triple.subject);
      out_.text().push_back(' ');
      append_predicate(triple.predicate);
      out_.text().push_back(' ');
      subject_ = KeptTerm(triple.subject);
      open_ = true;
    }
    predicate_ = KeptTerm(triple.predicate);
    append(triple.object);
    return out_.flush_if_large();
  }

  Status finish() override {
    begin();
    close_subject();
    if (graph_) out_.text() += "}\n";
    graph_.reset();
    return out_.flush();
  }

 private:
  void begin() {
    if (begun_) return;
    begun_ = true;
    for (const RdfPrefix& each : prefixes_.all()) {
      out_.text() += "@prefix " + each.prefix + ": ";
      append_ntriples(out_.text(), RdfTerm{RdfKind::kIri, each.iri, {}});
      out_.text() += " .\n";
    }
    if (!prefixes_.all().empty()) out_.text() += "\n";
  }
  void close_subject() {
    if (open_) out_.text() += " .\n";
    open_ = false;
  }
  void enter(const RdfTerm* graph) {
    if (graph == nullptr ? !graph_ : graph_ && graph_->is(*graph)) return;
    close_subject();
    if (graph_) out_.text() += "}\n";
    graph_.reset();
    indent_.clear();
    if (graph == nullptr) return;
    append(*graph);
    out_.text() += " {\n";
    indent_ = "  ";
    graph_ = KeptTerm(*graph);
  }

  void append_predicate(const RdfTerm& predicate) {
    if (predicate.text == kType) {
      out_.text().push_back('a');
    } else {
      append(predicate);
    }
  }
  void append(const RdfTerm& term) {
    std::string& out = out_.text();
    if (term.kind == RdfKind::kIri) return append_iri(term.text);
    if (term.kind == RdfKind::kBlank) return append_blank(term.text);
    if (term.kind != RdfKind::kTyped) return append_ntriples(out, term);
    if (is_bare(term)) {
      out += term.text;
      return;
    }
    append_ntriples(out, RdfTerm{RdfKind::kString, term.text, {}});
    out += "^^";
    append_iri(term.extra);
  }
  // N-Triples has labels with ":", Turtle has not.
  void append_blank(std::string_view label) {
    out_.text() += "_:";
    if (label.find(':') == std::string_view::npos && !label.starts_with("x-")) {
      out_.text() += label;
    } else {
      append_encoded_label(out_.text(), label);
    }
  }
  void append_iri(std::string_view iri) {
    const std::string_view space = iri_namespace(iri);
    const std::string_view local = iri.substr(space.size());
    const std::string* prefix = prefixes_.find(space);
    if (prefix != nullptr && detail::label_end(local, false) == local.size()) {
      out_.text() += *prefix;
      out_.text().push_back(':');
      out_.text() += local;
    } else {
      append_ntriples(out_.text(), RdfTerm{RdfKind::kIri, iri, {}});
    }
  }

  bool trig_;
  PrefixTable prefixes_;
  TextBuffer out_;
  bool begun_ = false;
  bool open_ = false;  // a subject is being told
  std::string indent_;
  KeptTerm subject_, predicate_;
  std::optional<KeptTerm> graph_;
};

}  // namespace

std::unique_ptr<RdfWriter> make_turtle_writer(bool trig, std::vector<RdfPrefix> prefixes,
                                              TextSink sink) {
  return std::make_unique<TurtleWriter>(trig, std::move(prefixes), std::move(sink));
}

}  // namespace anima::sparql::rdf
