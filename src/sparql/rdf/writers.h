// The writers behind rdf_writer.h, a file each, and what they share.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sparql/rdf_writer.h"

namespace anima::sparql::rdf {

std::unique_ptr<RdfWriter> make_turtle_writer(bool trig, std::vector<RdfPrefix> prefixes,
                                              TextSink sink);
std::unique_ptr<RdfWriter> make_rdfxml_writer(std::vector<RdfPrefix> prefixes, TextSink sink);
std::unique_ptr<RdfWriter> make_jsonld_writer(TextSink sink);

// Text on its way to the sink, handed over in pieces.
class TextBuffer {
 public:
  explicit TextBuffer(TextSink sink) : sink_(std::move(sink)) {}
  std::string& text() { return text_; }
  Status flush_if_large() { return text_.size() < kPiece ? Status() : flush(); }
  Status flush() {
    const Status taken = text_.empty() ? Status() : sink_(text_);
    text_.clear();
    return taken;
  }

 private:
  static constexpr std::size_t kPiece = 64 * 1024;
  TextSink sink_;
  std::string text_;
};

// A label that does not fit a format, so that it does and no two become alike: "x-" and the bytes,
// those that are no letters, digits or "_" in hexadecimal after "-". Requires that every label
// which begins with "x-" is written like this.
inline void append_encoded_label(std::string& out, std::string_view label) {
  constexpr char kDigits[] = "0123456789ABCDEF";
  out += "x-";
  for (const char c : label) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (plain || c == '_') {
      out.push_back(c);
    } else {
      out.push_back('-');
      out.push_back(kDigits[static_cast<unsigned char>(c) >> 4]);
      out.push_back(kDigits[static_cast<unsigned char>(c) & 15]);
    }
  }
}

// A term that outlives the statement it came with.
struct KeptTerm {
  RdfKind kind = RdfKind::kIri;
  std::string text;
  std::string extra;

  KeptTerm() = default;
  explicit KeptTerm(const RdfTerm& term) : kind(term.kind), text(term.text), extra(term.extra) {}
  bool is(const RdfTerm& term) const {
    return kind == term.kind && text == term.text && extra == term.extra;
  }
  RdfTerm view() const { return {kind, text, extra}; }
};

// Namespaces to prefixes.
class PrefixTable {
 public:
  explicit PrefixTable(std::vector<RdfPrefix> prefixes) : prefixes_(std::move(prefixes)) {
    for (const RdfPrefix& each : prefixes_) by_iri_.emplace(each.iri, each.prefix);
  }
  const std::vector<RdfPrefix>& all() const { return prefixes_; }
  // Null when the namespace has none.
  const std::string* find(std::string_view iri) const {
    const auto found = by_iri_.find(iri);
    return found == by_iri_.end() ? nullptr : &found->second;
  }

 private:
  std::vector<RdfPrefix> prefixes_;
  std::map<std::string, std::string, std::less<>> by_iri_;
};

}  // namespace anima::sparql::rdf
