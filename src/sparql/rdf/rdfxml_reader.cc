#include "sparql/rdf/rdfxml_reader.h"

#include <expat.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/text/text.h"
#include "sparql/detail/rdf_chars.h"
#include "sparql/iri.h"
#include "sparql/rdf/blank_labels.h"
#include "sparql/rdf/emitter.h"
#include "sparql/rdf/vocabulary.h"
#include "sparql/rdf/xml_literal.h"

namespace anima::sparql::rdf {
namespace {

constexpr std::string_view kXmlSpace = "http://www.w3.org/XML/1998/namespace";
constexpr int kMostEntities = 1000;
constexpr std::size_t kPiece = 64 * 1024;
constexpr char kBetweenNames = '\n';  // no IRI holds one, and expat refuses those that do

// A node that outlives the parser's event.
struct XmlNode {
  RdfKind kind = RdfKind::kIri;
  std::string text;
  RdfTerm term() const { return {kind, text, {}}; }
};

enum class XmlFrame : std::uint8_t {
  kDocument,    // outside the root
  kNodes,       // in rdf:RDF
  kNode,        // in a node element: properties follow
  kProperty,    // in a property element: a text or a node follows
  kCollection,  // in one of parseType Collection: nodes follow
  kLiteral,     // in one of parseType Literal: anything follows
  kEmpty,       // in one whose attributes say all: nothing follows
};

// What is known inside an open element.
struct OpenElement {
  XmlFrame kind = XmlFrame::kDocument;
  std::shared_ptr<const IriBase> base;
  std::string language;
  XmlNode node;               // the subject; of a property, the one that has it
  std::uint64_t members = 0;  // rdf:li so far
  std::string predicate, statement, datatype;
  std::string text;
  bool has_node = false;
  std::string cell;  // the last one of a collection
};

// The attributes of an element, by the part that they play.
struct XmlRoles {
  std::optional<std::string_view> id, about, node_id, resource, parse_type, datatype, type;
  std::vector<std::pair<std::string, std::string_view>> properties;
};

XmlName split_name(const char* joined) {
  const std::string_view text(joined);
  XmlName name;
  const std::size_t first = text.find(kBetweenNames);
  if (first == std::string_view::npos) {
    name.local = text;
    return name;
  }
  name.space = text.substr(0, first);
  const std::size_t second = std::min(text.find(kBetweenNames, first + 1), text.size());
  name.local = text.substr(first + 1, second - first - 1);
  if (second < text.size()) name.prefix = text.substr(second + 1);
  return name;
}

// NCName: like a blank node label, but no digit first.
bool is_nc_name(std::string_view text) {
  if (text.empty() || (text[0] >= '0' && text[0] <= '9')) return false;
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint c = decode_utf8(text, at);
    const bool ascii = c.value < 0x80;
    const char byte = text[at];
    const bool fits =
        ascii ? (at == 0 ? detail::is(byte, detail::kNameStart)
                         : detail::is(byte, detail::kNameByte) || byte == '.')
              : (at == 0 ? detail::is_name_start(c.value) : detail::is_name_inside(c.value));
    if (!fits) return false;
    at += c.size;
  }
  return true;
}

bool is_blank_text(std::string_view text) {
  return text.find_first_not_of(" \t\r\n") == std::string_view::npos;
}

constexpr std::string_view kCoreTerms[] = {"RDF",      "ID",     "about",   "parseType",
                                           "resource", "nodeID", "datatype"};
constexpr std::string_view kOldTerms[] = {"aboutEach", "aboutEachPrefix", "bagID"};

template <std::size_t size>
bool is_one_of(std::string_view name, const std::string_view (&names)[size]) {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

class RdfXmlReader {
 public:
  RdfXmlReader(std::string_view text, const RdfReadOptions& options, const QuadSink& sink)
      : text_(text), options_(options), emitter_(options, sink) {
    OpenElement document;
    document.base = std::make_shared<const IriBase>(options.base_iri);
    open_.push_back(std::move(document));
  }

  Result<std::uint64_t> run();

 private:
  static RdfXmlReader& of(void* self) { return *static_cast<RdfXmlReader*>(self); }
  static void XMLCALL on_start(void* self, const XML_Char* name, const XML_Char** attributes) {
    of(self).start(name, attributes);
  }
  static void XMLCALL on_end(void* self, const XML_Char*) { of(self).end(); }
  static void XMLCALL on_text(void* self, const XML_Char* text, int size) {
    of(self).characters({text, static_cast<std::size_t>(size)});
  }
  static void XMLCALL on_comment(void* self, const XML_Char* text) {
    RdfXmlReader& reader = of(self);
    if (reader.in_literal()) reader.literal_.comment(text);
  }
  static void XMLCALL on_instruction(void* self, const XML_Char* target, const XML_Char* data) {
    RdfXmlReader& reader = of(self);
    if (reader.in_literal()) reader.literal_.instruction(target, data);
  }
  static void XMLCALL on_skipped(void* self, const XML_Char* name, int) {
    of(self).fault("the entity \"" + std::string(name) + "\" is not declared in the document");
  }
  static void XMLCALL on_entity(void* self, const XML_Char*, int, const XML_Char*, int,
                                const XML_Char*, const XML_Char*, const XML_Char*,
                                const XML_Char*) {
    RdfXmlReader& reader = of(self);
    if (++reader.entities_ > kMostEntities)
      reader.fault("the document declares over 1,000 entities");
  }

  // Nothing outside of the document is read, so its text is not known.
  static int XMLCALL on_external(XML_Parser parser, const XML_Char*, const XML_Char*,
                                 const XML_Char* system, const XML_Char*) {
    of(XML_GetUserData(parser))
        .fault("an entity stands for the file \"" + std::string(system == nullptr ? "" : system) +
               "\"; files that a document names are not read");
    return XML_STATUS_ERROR;
  }

  void start(const char* name, const char** attributes);
  void end();
  void characters(std::string_view text);
  bool in_literal() const { return !stopped_ && open_.back().kind == XmlFrame::kLiteral; }

  bool read_roles(const std::vector<XmlAttribute>& attributes, OpenElement& element, XmlRoles& out);
  bool start_node(const XmlName& name, const XmlRoles& roles, OpenElement element);
  bool link_node(OpenElement& parent, const XmlNode& node);
  bool start_property(const XmlName& name, const XmlRoles& roles, OpenElement element);
  bool start_typed_property(const XmlRoles& roles, OpenElement element);
  bool start_empty_property(const XmlRoles& roles, OpenElement element);
  bool say_attributes(const XmlNode& subject, const XmlRoles& roles, const OpenElement& element);
  bool end_property(OpenElement& element);

  bool resolve(const OpenElement& element, std::string_view reference, XmlNode& out);
  bool resolve_id(const OpenElement& element, std::string_view id, std::string& out);
  bool labelled(std::string_view label, XmlNode& out);
  XmlNode fresh() {
    XmlNode node{RdfKind::kBlank, {}};
    labels_.append_new(node.text);
    return node;
  }
  static RdfTerm iri(std::string_view text) { return {RdfKind::kIri, text, {}}; }

  bool emit(const RdfTerm& subject, std::string_view predicate, const RdfTerm& object) {
    const auto at = XML_GetCurrentByteIndex(parser_.get());
    if (emitter_.emit({subject, iri(predicate), object}, nullptr,
                      at < 0 ? 0 : static_cast<std::uint64_t>(at))) {
      return true;
    }
    failed_ = true;
    return stop();
  }
  // The statement, and what its rdf:ID says about it.
  bool state(const OpenElement& property, const RdfTerm& object) {
    const RdfTerm subject = property.node.term();
    if (!emit(subject, property.predicate, object)) return false;
    if (property.statement.empty()) return true;
    const RdfTerm about = iri(property.statement);
    return emit(about, kType, iri(std::string(kRdf) + "Statement")) &&
           emit(about, std::string(kRdf) + "subject", subject) &&
           emit(about, std::string(kRdf) + "predicate", iri(property.predicate)) &&
           emit(about, std::string(kRdf) + "object", object);
  }

  bool fault(std::string message, ErrorCode code = ErrorCode::kSyntax) {
    if (stopped_) return false;
    fault_ = Error{code, std::move(message), place(), {}};
    return stop();
  }
  bool stop() {
    stopped_ = true;
    XML_StopParser(parser_.get(), XML_FALSE);
    return false;
  }
  std::string place() const {
    std::string where = options_.file_name.empty() ? "" : options_.file_name + ":";
    where += std::to_string(XML_GetCurrentLineNumber(parser_.get())) + ":";
    return where + std::to_string(XML_GetCurrentColumnNumber(parser_.get()) + 1);
  }
  void prepare();

  struct FreeParser {
    void operator()(XML_Parser parser) const { XML_ParserFree(parser); }
  };

  std::string_view text_;
  const RdfReadOptions& options_;
  Emitter emitter_;
  std::unique_ptr<std::remove_pointer_t<XML_Parser>, FreeParser> parser_;
  std::vector<OpenElement> open_;
  XmlLiteral literal_;
  BlankLabels labels_;
  std::set<std::string> ids_;
  std::map<std::string, std::string> dotted_;  // rdf:nodeIDs that end with a full stop
  int entities_ = 0;
  bool stopped_ = false;
  bool failed_ = false;  // the emitter
  Error fault_;
};

void RdfXmlReader::prepare() {
  XML_Parser parser = XML_ParserCreateNS(nullptr, kBetweenNames);
  parser_.reset(parser);
  if (parser == nullptr) return;
  XML_SetUserData(parser, this);
  XML_SetReturnNSTriplet(parser, 1);
  XML_SetElementHandler(parser, on_start, on_end);
  XML_SetCharacterDataHandler(parser, on_text);
  XML_SetCommentHandler(parser, on_comment);
  XML_SetProcessingInstructionHandler(parser, on_instruction);
  XML_SetSkippedEntityHandler(parser, on_skipped);
  XML_SetEntityDeclHandler(parser, on_entity);
  XML_SetExternalEntityRefHandler(parser, on_external);
}

Result<std::uint64_t> RdfXmlReader::run() {
  prepare();
  if (parser_ == nullptr) return fail(ErrorCode::kLimitExceeded, "no memory for the XML parser");
  for (std::size_t at = 0;;) {
    const std::size_t size = std::min(kPiece, text_.size() - at);
    const bool last = at + size == text_.size();
    const XML_Status status =
        XML_Parse(parser_.get(), text_.data() + at, static_cast<int>(size), last ? 1 : 0);
    if (failed_) return fail(std::move(emitter_).failed());
    if (stopped_) return fail(std::move(fault_));
    if (status != XML_STATUS_OK) {
      const XML_Error code = XML_GetErrorCode(parser_.get());
      const bool limit = code == XML_ERROR_AMPLIFICATION_LIMIT_BREACH;
      return fail(limit ? ErrorCode::kLimitExceeded : ErrorCode::kSyntax,
                  std::string("the XML is wrong: ") + XML_ErrorString(code), place());
    }
    if (last) return emitter_.count();
    at += size;
    if (!emitter_.tell(at)) return fail(std::move(emitter_).failed());
  }
}

void RdfXmlReader::start(const char* joined, const char** given) {
  if (stopped_) return;
  const XmlName name = split_name(joined);
  std::vector<XmlAttribute> attributes;
  for (; *given != nullptr; given += 2) attributes.push_back({split_name(given[0]), given[1]});
  if (open_.size() + literal_.open_elements() > options_.max_depth) {
    fault("elements nest deeper than " + std::to_string(options_.max_depth) + " levels",
          ErrorCode::kLimitExceeded);
    return;
  }
  const OpenElement& parent = open_.back();
  if (parent.kind == XmlFrame::kLiteral) return literal_.start(name, std::move(attributes));
  OpenElement element;
  element.base = parent.base;
  element.language = parent.language;
  XmlRoles roles;
  const bool root = parent.kind == XmlFrame::kDocument && name.space == kRdf && name.local == "RDF";
  if (!read_roles(attributes, element, roles)) return;
  if (root) {
    const bool bare = !roles.id && !roles.about && !roles.node_id && !roles.resource &&
                      !roles.parse_type && !roles.datatype && !roles.type;
    if (!bare || !roles.properties.empty()) {
      fault("rdf:RDF takes no attributes of RDF");
      return;
    }
    element.kind = XmlFrame::kNodes;
    open_.push_back(std::move(element));
    return;
  }
  if (name.space.empty()) {
    fault("the element \"" + std::string(name.local) + "\" is in no namespace");
    return;
  }
  switch (parent.kind) {
    case XmlFrame::kNode:
      start_property(name, roles, std::move(element));
      return;
    case XmlFrame::kEmpty:
      fault("the attributes of this property say its value: no element may stand in it");
      return;
    default:
      start_node(name, roles, std::move(element));
  }
}

// Puts xml:base and xml:lang into the element, and the rest where it belongs.
bool RdfXmlReader::read_roles(const std::vector<XmlAttribute>& attributes, OpenElement& element,
                              XmlRoles& out) {
  for (const auto& [name, value] : attributes) {
    if (name.space == kXmlSpace) {
      if (name.local == "lang") {
        if (!value.empty() && detail::language_end(value) != value.size()) {
          return fault("xml:lang is no language tag");
        }
        element.language = value;
      }
      if (name.local != "base") continue;
      std::string base;
      if (!element.base->resolve(value, base)) return fault("xml:base is relative");
      element.base = std::make_shared<const IriBase>(std::move(base));
      continue;
    }
    constexpr std::string_view kUnqualified[] = {"ID", "about", "resource", "parseType", "type"};
    if (name.space.empty() && name.local.starts_with("xml")) continue;
    if (name.space.empty() && !is_one_of(name.local, kUnqualified)) {
      return fault("the attribute \"" + std::string(name.local) + "\" is in no namespace");
    }
    if (name.space != kRdf && !name.space.empty()) {
      out.properties.emplace_back(std::string(name.space) + std::string(name.local), value);
    } else if (name.local == "ID") {
      out.id = value;
    } else if (name.local == "about") {
      out.about = value;
    } else if (name.local == "nodeID") {
      out.node_id = value;
    } else if (name.local == "resource") {
      out.resource = value;
    } else if (name.local == "parseType") {
      out.parse_type = value;
    } else if (name.local == "datatype") {
      out.datatype = value;
    } else if (name.local == "type") {
      out.type = value;
    } else if (is_one_of(name.local, kOldTerms) || name.local == "RDF" || name.local == "li" ||
               name.local == "Description") {
      return fault("rdf:" + std::string(name.local) + " cannot be an attribute");
    } else {
      out.properties.emplace_back(std::string(name.space) + std::string(name.local), value);
    }
  }
  return true;
}

bool RdfXmlReader::start_node(const XmlName& name, const XmlRoles& roles, OpenElement element) {
  if (name.space == kRdf && (is_one_of(name.local, kCoreTerms) || name.local == "li" ||
                             is_one_of(name.local, kOldTerms))) {
    return fault("rdf:" + std::string(name.local) + " cannot be the element of a node");
  }
  if (roles.resource || roles.parse_type || roles.datatype) {
    return fault("rdf:resource, rdf:parseType and rdf:datatype belong on properties");
  }
  if ((roles.id ? 1 : 0) + (roles.about ? 1 : 0) + (roles.node_id ? 1 : 0) > 1) {
    return fault("a node has one of rdf:ID, rdf:about and rdf:nodeID");
  }
  element.kind = XmlFrame::kNode;
  if (roles.id) {
    if (!resolve_id(element, *roles.id, element.node.text)) return false;
  } else if (roles.node_id) {
    if (!labelled(*roles.node_id, element.node)) return false;
  } else if (roles.about) {
    if (!resolve(element, *roles.about, element.node)) return false;
  } else {
    element.node = fresh();
  }
  if (!link_node(open_.back(), element.node)) return false;
  if (name.space != kRdf || name.local != "Description") {
    const std::string type = std::string(name.space) + std::string(name.local);
    if (!is_absolute_iri(type)) return fault("the element's name makes no absolute IRI");
    if (!emit(element.node.term(), kType, iri(type))) return false;
  }
  if (!say_attributes(element.node, roles, element)) return false;
  open_.push_back(std::move(element));
  return true;
}

// States that the node is the value of the property around it, if it stands in one.
bool RdfXmlReader::link_node(OpenElement& parent, const XmlNode& node) {
  if (parent.kind == XmlFrame::kProperty) {
    if (parent.has_node) return fault("a property has one node as its value");
    if (!is_blank_text(parent.text)) return fault("a property has a text or a node, not both");
    parent.has_node = true;
    parent.text.clear();
    return state(parent, node.term());
  }
  if (parent.kind != XmlFrame::kCollection) return true;
  const XmlNode cell = fresh();
  const bool linked = parent.cell.empty()
                          ? state(parent, cell.term())
                          : emit({RdfKind::kBlank, parent.cell, {}}, kRest, cell.term());
  if (!linked) return false;
  parent.cell = cell.text;
  return emit(cell.term(), kFirst, node.term());
}

bool RdfXmlReader::say_attributes(const XmlNode& subject, const XmlRoles& roles,
                                  const OpenElement& element) {
  if (roles.type) {
    XmlNode type;
    if (!resolve(element, *roles.type, type)) return false;
    if (!emit(subject.term(), kType, type.term())) return false;
  }
  for (const auto& [predicate, value] : roles.properties) {
    if (!is_absolute_iri(predicate)) return fault("the attribute's name makes no absolute IRI");
    const RdfTerm literal{element.language.empty() ? RdfKind::kString : RdfKind::kLanguageString,
                          value, element.language};
    if (!emit(subject.term(), predicate, literal)) return false;
  }
  return true;
}

bool RdfXmlReader::start_property(const XmlName& name, const XmlRoles& roles, OpenElement element) {
  OpenElement& parent = open_.back();
  if (name.space == kRdf && (is_one_of(name.local, kCoreTerms) || name.local == "Description" ||
                             is_one_of(name.local, kOldTerms))) {
    return fault("rdf:" + std::string(name.local) + " cannot be a property");
  }
  element.node = parent.node;
  element.predicate = std::string(name.space) + std::string(name.local);
  if (name.space == kRdf && name.local == "li") {
    element.predicate = std::string(kRdf) + "_" + std::to_string(++parent.members);
  }
  if (!is_absolute_iri(element.predicate)) return fault("the element's name makes no absolute IRI");
  if (roles.about) return fault("rdf:about belongs on nodes; a property says rdf:resource");
  if (roles.id && !resolve_id(element, *roles.id, element.statement)) return false;
  if (roles.resource && roles.node_id) {
    return fault("a property has one of rdf:resource and rdf:nodeID");
  }
  const bool says_value =
      roles.resource || roles.node_id || roles.type || !roles.properties.empty();
  if (says_value && (roles.parse_type || roles.datatype)) {
    return fault("rdf:parseType and rdf:datatype go with no attribute that says the value");
  }
  if (says_value) return start_empty_property(roles, std::move(element));
  if (roles.parse_type && roles.datatype) {
    return fault("a property has one of rdf:parseType and rdf:datatype");
  }
  return start_typed_property(roles, std::move(element));
}

bool RdfXmlReader::start_empty_property(const XmlRoles& roles, OpenElement element) {
  XmlNode object;
  if (roles.resource) {
    if (!resolve(element, *roles.resource, object)) return false;
  } else if (roles.node_id) {
    if (!labelled(*roles.node_id, object)) return false;
  } else {
    object = fresh();
  }
  if (!state(element, object.term()) || !say_attributes(object, roles, element)) return false;
  element.kind = XmlFrame::kEmpty;
  open_.push_back(std::move(element));
  return true;
}

bool RdfXmlReader::start_typed_property(const XmlRoles& roles, OpenElement element) {
  if (roles.datatype) {
    XmlNode datatype;
    if (!resolve(element, *roles.datatype, datatype)) return false;
    element.datatype = std::move(datatype.text);
  }
  if (!roles.parse_type) {
    element.kind = XmlFrame::kProperty;
  } else if (*roles.parse_type == "Resource") {
    const XmlNode object = fresh();
    if (!state(element, object.term())) return false;
    element.kind = XmlFrame::kNode;
    element.node = object;
    element.statement.clear();
  } else if (*roles.parse_type == "Collection") {
    element.kind = XmlFrame::kCollection;
  } else {
    element.kind = XmlFrame::kLiteral;
  }
  open_.push_back(std::move(element));
  return true;
}

void RdfXmlReader::end() {
  if (stopped_) return;
  if (open_.back().kind == XmlFrame::kLiteral && literal_.open_elements() > 0) {
    literal_.end();
    return;
  }
  OpenElement element = std::move(open_.back());
  open_.pop_back();
  end_property(element);
}

bool RdfXmlReader::end_property(OpenElement& element) {
  switch (element.kind) {
    case XmlFrame::kProperty: {
      if (element.has_node) return true;
      RdfTerm literal{RdfKind::kString, element.text, {}};
      if (!element.datatype.empty() && element.datatype != kStringType) {
        literal.kind = RdfKind::kTyped;
        literal.extra = element.datatype;
      } else if (element.datatype.empty() && !element.language.empty()) {
        literal.kind = RdfKind::kLanguageString;
        literal.extra = element.language;
      }
      return state(element, literal);
    }
    case XmlFrame::kCollection:
      if (element.cell.empty()) return state(element, iri(kNil));
      return emit({RdfKind::kBlank, element.cell, {}}, kRest, iri(kNil));
    case XmlFrame::kLiteral: {
      const std::string text = literal_.take();
      literal_ = {};
      return state(element, {RdfKind::kTyped, text, kXmlLiteral});
    }
    default:
      return true;
  }
}

void RdfXmlReader::characters(std::string_view text) {
  if (stopped_) return;
  OpenElement& element = open_.back();
  switch (element.kind) {
    case XmlFrame::kLiteral:
      literal_.characters(text);
      return;
    case XmlFrame::kProperty:
      if (element.has_node && !is_blank_text(text)) {
        fault("a property has a text or a node, not both");
      } else if (!element.has_node) {
        element.text += text;
      }
      return;
    default:
      if (!is_blank_text(text)) fault("no text can stand here");
  }
}

bool RdfXmlReader::resolve(const OpenElement& element, std::string_view reference, XmlNode& out) {
  if (!element.base->resolve(reference, out.text)) {
    return fault("the IRI \"" + std::string(reference) +
                 "\" is relative, and the document has no base IRI");
  }
  if (!is_absolute_iri(out.text)) {
    return fault("\"" + out.text + "\" holds a character that cannot stand in an IRI");
  }
  return true;
}

bool RdfXmlReader::resolve_id(const OpenElement& element, std::string_view id, std::string& out) {
  if (!is_nc_name(id)) return fault("\"" + std::string(id) + "\" is no name for rdf:ID");
  XmlNode node;
  if (!resolve(element, "#" + std::string(id), node)) return false;
  if (!ids_.insert(node.text).second) {
    return fault("rdf:ID \"" + std::string(id) + "\" stands twice in the document");
  }
  out = std::move(node.text);
  return true;
}

bool RdfXmlReader::labelled(std::string_view label, XmlNode& out) {
  if (!is_nc_name(label)) return fault("\"" + std::string(label) + "\" is no name for rdf:nodeID");
  out.kind = RdfKind::kBlank;
  out.text.clear();
  if (label.back() != '.') {
    BlankLabels::append_given(out.text, label);
    return true;
  }
  // No label of RDF ends with a full stop.
  std::string& own = dotted_[std::string(label)];
  if (own.empty()) labels_.append_new(own);
  out.text = own;
  return true;
}

}  // namespace

Result<std::uint64_t> read_rdfxml(std::string_view text, const RdfReadOptions& options,
                                  const QuadSink& sink) {
  return RdfXmlReader(text, options, sink).run();
}

}  // namespace anima::sparql::rdf
