#include "sparql/rdf/xml_literal.h"

#include <algorithm>
#include <tuple>

#include "base/text/xml_text.h"

namespace anima::sparql::rdf {
namespace {

std::string written(const XmlName& name) {
  std::string out(name.prefix);
  if (!out.empty()) out.push_back(':');
  out += name.local;
  return out;
}

void append_attribute_value(std::string& out, std::string_view value) {
  out += "=\"";
  append_xml(out, value, XmlPlace::kAttribute);
  out.push_back('"');
}

}  // namespace

std::string_view XmlLiteral::declared(std::string_view prefix) const {
  const auto found =
      std::find_if(declarations_.rbegin(), declarations_.rend(),
                   [prefix](const Declaration& each) { return each.first == prefix; });
  return found == declarations_.rend() ? std::string_view() : std::string_view(found->second);
}

void XmlLiteral::declare(const XmlName& name, std::vector<Declaration>& fresh) {
  if (name.prefix == "xml" || declared(name.prefix) == name.space) return;
  fresh.emplace_back(name.prefix, name.space);
  declarations_.push_back(fresh.back());
}

void XmlLiteral::start(const XmlName& name, std::vector<XmlAttribute> attributes) {
  declared_before_.push_back(declarations_.size());
  std::vector<Declaration> fresh;
  declare(name, fresh);
  for (const XmlAttribute& attribute : attributes) {
    if (!attribute.name.prefix.empty()) declare(attribute.name, fresh);
  }
  std::sort(fresh.begin(), fresh.end());
  std::sort(attributes.begin(), attributes.end(), [](const XmlAttribute& a, const XmlAttribute& b) {
    return std::tie(a.name.space, a.name.local) < std::tie(b.name.space, b.name.local);
  });
  names_.push_back(written(name));
  text_ += "<" + names_.back();
  for (const Declaration& each : fresh) {
    text_ += each.first.empty() ? " xmlns" : " xmlns:" + each.first;
    append_attribute_value(text_, each.second);
  }
  for (const XmlAttribute& attribute : attributes) {
    text_ += " " + written(attribute.name);
    append_attribute_value(text_, attribute.value);
  }
  text_.push_back('>');
}

void XmlLiteral::end() {
  text_ += "</" + names_.back() + ">";
  names_.pop_back();
  declarations_.resize(declared_before_.back());
  declared_before_.pop_back();
}

void XmlLiteral::characters(std::string_view text) { append_xml(text_, text, XmlPlace::kText); }

void XmlLiteral::comment(std::string_view text) {
  text_ += "<!--";
  text_ += text;
  text_ += "-->";
}

void XmlLiteral::instruction(std::string_view target, std::string_view data) {
  text_ += "<?";
  text_ += target;
  if (!data.empty()) {
    text_.push_back(' ');
    text_ += data;
  }
  text_ += "?>";
}

}  // namespace anima::sparql::rdf
