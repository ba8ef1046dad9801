// The text of an rdf:parseType="Literal": what stands in the element, in exclusive canonical form
// with comments.
//
// Each element declares the prefixes that it and its attributes use, where the element around it
// does not mean the same by them already. Thread-safety: one thread. Source: W3C "Exclusive XML
// Canonicalization 1.0" (2002), RDF 1.1 XML Syntax 7.2.17.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace anima::sparql::rdf {

// A name as the XML parser tells it.
struct XmlName {
  std::string_view space;  // the namespace's IRI, empty for none
  std::string_view local;
  std::string_view prefix;  // empty for none
};
struct XmlAttribute {
  XmlName name;
  std::string_view value;
};

class XmlLiteral {
 public:
  void start(const XmlName& name, std::vector<XmlAttribute> attributes);
  void end();
  void characters(std::string_view text);
  void comment(std::string_view text);
  void instruction(std::string_view target, std::string_view data);

  std::size_t open_elements() const { return names_.size(); }
  std::string take() { return std::move(text_); }

 private:
  using Declaration = std::pair<std::string, std::string>;  // prefix, namespace

  void declare(const XmlName& name, std::vector<Declaration>& fresh);
  std::string_view declared(std::string_view prefix) const;

  std::string text_;
  std::vector<std::string> names_;         // of open elements, as written
  std::vector<Declaration> declarations_;  // of open elements, innermost last
  std::vector<std::size_t> declared_before_;
};

}  // namespace anima::sparql::rdf
