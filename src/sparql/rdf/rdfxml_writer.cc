// RDF/XML: one rdf:Description for what comes in a row about a subject.
#include <algorithm>
#include <optional>

#include "base/text/text.h"
#include "base/text/xml_text.h"
#include "sparql/detail/rdf_chars.h"
#include "sparql/rdf/vocabulary.h"
#include "sparql/rdf/writers.h"

namespace anima::sparql::rdf {
namespace {

constexpr std::string_view kNoProperties[] = {
    "RDF",      "ID",          "about", "parseType", "resource",        "nodeID",
    "datatype", "Description", "li",    "aboutEach", "aboutEachPrefix", "bagID"};

struct LetterRange {
  char32_t first;
  char32_t last;
};
// Letters beyond ASCII that every edition of XML 1.0 takes in names: Latin, Greek, Cyrillic, kana,
// Han and Hangul. Others are left to the namespace's side of the cut.
constexpr LetterRange kXmlLetters[] = {
    {0xC0, 0xD6},     {0xD8, 0xF6},     {0xF8, 0x131},   {0x134, 0x13E}, {0x141, 0x148},
    {0x14A, 0x17E},   {0x391, 0x3A1},   {0x3A3, 0x3CE},  {0x410, 0x44F}, {0x3041, 0x3094},
    {0x30A1, 0x30FA}, {0x4E00, 0x9FA5}, {0xAC00, 0xD7A3}};

bool is_xml_letter(char32_t c) {
  return std::any_of(std::begin(kXmlLetters), std::end(kXmlLetters),
                     [c](const LetterRange& range) { return c >= range.first && c <= range.last; });
}
bool is_xml_name_start(std::string_view text, std::size_t at) {
  const CodePoint c = decode_utf8(text, at);
  if (c.value >= 0x80) return is_xml_letter(c.value);
  return detail::is(text[at], detail::kNameStart) && !(text[at] >= '0' && text[at] <= '9');
}
bool is_xml_name_inside(std::string_view text, std::size_t at) {
  const CodePoint c = decode_utf8(text, at);
  if (c.value >= 0x80) return is_xml_letter(c.value);
  return detail::is(text[at], detail::kNameByte) || text[at] == '.';
}

// Where the longest name at the end of the IRI begins that can name an element; the IRI's size when
// there is none.
std::size_t local_name_begin(std::string_view iri) {
  std::size_t best = iri.size();
  for (std::size_t at = iri.size(); at > 0;) {
    --at;
    while (at > 0 && (static_cast<unsigned char>(iri[at]) & 0xC0u) == 0x80u) --at;
    if (!is_xml_name_inside(iri, at)) break;
    if (at > 0 && is_xml_name_start(iri, at)) best = at;
  }
  return best;
}

class RdfXmlWriter : public RdfWriter {
 public:
  RdfXmlWriter(std::vector<RdfPrefix> prefixes, TextSink sink)
      : prefixes_(std::move(prefixes)), out_(std::move(sink)) {}

  Status add(const RdfTriple& triple, const RdfTerm* graph) override {
    if (graph != nullptr) {
      return fail(ErrorCode::kUnsupported, "RDF/XML cannot name a graph", {},
                  "write TriG, N-Quads or JSON-LD");
    }
    ANIMA_TRY(begin());
    if (!subject_ || !subject_->is(triple.subject)) {
      close_subject();
      out_.text() += "  <rdf:Description";
      ANIMA_TRY(append_node(triple.subject, "rdf:about"));
      out_.text() += ">\n";
      subject_ = KeptTerm(triple.subject);
    }
    ANIMA_TRY(append_property(triple));
    return out_.flush_if_large();
  }

  Status finish() override {
    ANIMA_TRY(begin());
    close_subject();
    out_.text() += "</rdf:RDF>\n";
    return out_.flush();
  }

 private:
  Status begin() {
    if (begun_) return {};
    begun_ = true;
    out_.text() += "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<rdf:RDF xmlns:rdf=\"";
    out_.text() += kRdf;
    out_.text() += "\"";
    for (const RdfPrefix& each : prefixes_.all()) {
      if (each.iri == kRdf || each.prefix == "rdf") continue;
      out_.text() += "\n  xmlns:" + each.prefix + "=\"";
      ANIMA_TRY(append_text(each.iri, XmlPlace::kAttribute));
      out_.text() += "\"";
    }
    out_.text() += ">\n";
    return {};
  }
  void close_subject() {
    if (subject_) out_.text() += "  </rdf:Description>\n";
    subject_.reset();
  }

  Status append_text(std::string_view text, XmlPlace place) {
    if (no_xml_character_at(text) != std::string_view::npos) {
      return fail(ErrorCode::kUnsupported, "XML cannot hold a control character of a term", {},
                  "write another format, such as Turtle");
    }
    append_xml(out_.text(), text, place);
    return {};
  }

  // The attribute that names an IRI or a blank node.
  Status append_node(const RdfTerm& term, std::string_view attribute) {
    out_.text().push_back(' ');
    if (term.kind == RdfKind::kIri) {
      out_.text() += attribute;
      out_.text() += "=\"";
      ANIMA_TRY(append_text(term.text, XmlPlace::kAttribute));
    } else {
      out_.text() += "rdf:nodeID=\"";
      append_label(term.text);
    }
    out_.text().push_back('"');
    return {};
  }

  void append_label(std::string_view label) {
    bool fits = is_xml_name_start(label, 0) && !label.starts_with("x-");
    for (const char c : label) {
      fits = fits && static_cast<unsigned char>(c) < 0x80 &&
             (detail::is(c, detail::kNameByte) || c == '.');
    }
    if (fits) {
      out_.text() += label;
    } else {
      append_encoded_label(out_.text(), label);
    }
  }

  Status append_property(const RdfTriple& triple) {
    const std::string_view iri = triple.predicate.text;
    std::size_t begin = local_name_begin(iri);
    // A name that RDF/XML keeps for itself is cut one letter later: the IRI stays the same.
    if (iri.starts_with(kRdf) && std::find(std::begin(kNoProperties), std::end(kNoProperties),
                                           iri.substr(kRdf.size())) != std::end(kNoProperties)) {
      begin = kRdf.size() + 1;
    }
    if (begin >= iri.size()) {
      return fail(ErrorCode::kUnsupported,
                  "no XML name can be made of the predicate <" + std::string(iri) + ">", {},
                  "write another format, such as Turtle");
    }
    std::string& out = out_.text();
    const std::string_view space = iri.substr(0, begin);
    const std::string* prefix = prefixes_.find(space);
    const std::string name = (space == kRdf       ? "rdf"
                              : prefix != nullptr ? *prefix
                                                  : std::string("p")) +
                             ":" + std::string(iri.substr(begin));
    out += "    <" + name;
    if (space != kRdf && prefix == nullptr) {
      out += " xmlns:p=\"";
      ANIMA_TRY(append_text(space, XmlPlace::kAttribute));
      out += "\"";
    }
    return append_object(triple.object, name);
  }

  Status append_object(const RdfTerm& object, const std::string& name) {
    std::string& out = out_.text();
    if (object.kind == RdfKind::kIri || object.kind == RdfKind::kBlank) {
      ANIMA_TRY(append_node(object, "rdf:resource"));
      out += "/>\n";
      return {};
    }
    if (object.kind != RdfKind::kString) {
      out += object.kind == RdfKind::kTyped ? " rdf:datatype=\"" : " xml:lang=\"";
      ANIMA_TRY(append_text(object.extra, XmlPlace::kAttribute));
      out.push_back('"');
    }
    out.push_back('>');
    ANIMA_TRY(append_text(object.text, XmlPlace::kText));
    out += "</" + name + ">\n";
    return {};
  }

  PrefixTable prefixes_;
  TextBuffer out_;
  bool begun_ = false;
  std::optional<KeptTerm> subject_;
};

}  // namespace

std::unique_ptr<RdfWriter> make_rdfxml_writer(std::vector<RdfPrefix> prefixes, TextSink sink) {
  return std::make_unique<RdfXmlWriter>(std::move(prefixes), std::move(sink));
}

}  // namespace anima::sparql::rdf
