#include "sparql/ntriples.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "base/text/text.h"
#include "sparql/detail/rdf_chars.h"
#include "sparql/detail/text_place.h"

namespace anima::sparql {
namespace {

using detail::is;
using detail::kIriByte;
using detail::kStringByte;

constexpr std::string_view kXsdString = "http://www.w3.org/2001/XMLSchema#string";

void append_unicode_escape(std::string& out, unsigned char byte) {
  constexpr char kDigits[] = "0123456789ABCDEF";
  out += "\\u00";
  out.push_back(kDigits[byte >> 4]);
  out.push_back(kDigits[byte & 15]);
}

void append_iri(std::string& out, std::string_view iri) {
  out.push_back('<');
  for (const char byte : iri) {
    if (is(byte, kIriByte)) {
      out.push_back(byte);
    } else {
      append_unicode_escape(out, static_cast<unsigned char>(byte));
    }
  }
  out.push_back('>');
}

void append_quoted(std::string& out, std::string_view text) {
  out.push_back('"');
  for (const char byte : text) {
    switch (byte) {
      case '"':
        out += "\\\"";
        break;
      case '\\':
        out += "\\\\";
        break;
      case '\n':
        out += "\\n";
        break;
      case '\r':
        out += "\\r";
        break;
      default:
        out.push_back(byte);
    }
  }
  out.push_back('"');
}

}  // namespace

NTriplesReader::NTriplesReader(std::string_view text, std::string name, std::uint64_t first_line)
    : text_(text),
      name_(std::move(name)),
      first_line_(first_line),
      at_(text.data()),
      end_(text.data() + text.size()),
      invalid_utf8_(false) {
  if (is_ascii(text)) return;
  const std::size_t invalid = invalid_utf8_at(text);
  if (invalid == kValidUtf8) return;
  // Lines before the broken one are read first, so that the first fault of the file is the one
  // reported.
  invalid_utf8_ = true;
  const std::size_t line = text.find_last_of("\r\n", invalid);
  end_ = text.data() + (line == std::string_view::npos ? 0 : line + 1);
  fault_at_ = text.data() + invalid;
}

Result<std::size_t> NTriplesReader::next(std::span<RdfTriple> out) {
  return fill(out.size(), [&](std::size_t at) { return read_line(out[at], nullptr); });
}

Result<std::size_t> NTriplesReader::next(std::span<RdfQuad> out) {
  return fill(out.size(), [&](std::size_t at) { return read_line(out[at].triple, &out[at]); });
}

template <typename ReadLine>
Result<std::size_t> NTriplesReader::fill(std::size_t room, const ReadLine& read) {
  unescaped_.clear();
  std::size_t count = 0;
  while (count < room && at_ != end_) {
    const Line line = read(count);
    if (line == Line::kFault) return fail(error());
    if (line == Line::kTriple) ++count;
  }
  if (count == 0 && invalid_utf8_) {
    fault_ = "the bytes are no UTF-8";
    return fail(error());
  }
  return count;
}

NTriplesReader::Line NTriplesReader::read_line(RdfTriple& out, RdfQuad* quad) {
  skip_blanks();
  if (at_ == end_) return Line::kNothing;
  bool triple = false;
  if (*at_ != '\n' && *at_ != '\r' && *at_ != '#') {
    if (!read_subject(out.subject)) return Line::kFault;
    skip_blanks();
    if (at_ == end_ || *at_ != '<') {
      fault(at_, "expected the IRI of a predicate");
      return Line::kFault;
    }
    out.predicate.kind = RdfKind::kIri;
    out.predicate.extra = {};
    if (!read_iri(out.predicate.text)) return Line::kFault;
    skip_blanks();
    if (!read_object(out.object)) return Line::kFault;
    skip_blanks();
    if (quad != nullptr && !read_graph(*quad)) return Line::kFault;
    if (at_ == end_ || *at_ != '.') {
      fault(at_, "expected the full stop that ends a triple");
      return Line::kFault;
    }
    ++at_;
    skip_blanks();
    triple = true;
  }
  if (at_ != end_ && *at_ == '#') {
    const auto left = static_cast<std::size_t>(end_ - at_);
    const void* newline = std::memchr(at_, '\n', left);
    const char* stop = newline == nullptr ? end_ : static_cast<const char*>(newline);
    const void* carriage = std::memchr(at_, '\r', static_cast<std::size_t>(stop - at_));
    at_ = carriage == nullptr ? stop : static_cast<const char*>(carriage);
  }
  if (at_ != end_) {
    if (*at_ != '\n' && *at_ != '\r') {
      fault(at_, "expected the end of the line after the full stop");
      return Line::kFault;
    }
    ++at_;
  }
  return triple ? Line::kTriple : Line::kNothing;
}

bool NTriplesReader::read_subject(RdfTerm& out) {
  out.extra = {};
  if (*at_ == '<') {
    out.kind = RdfKind::kIri;
    return read_iri(out.text);
  }
  if (*at_ == '_') return read_blank(out);
  return fault(at_, "expected an IRI or a blank node as the subject");
}

bool NTriplesReader::read_object(RdfTerm& out) {
  out.extra = {};
  if (at_ != end_) {
    if (*at_ == '<') {
      out.kind = RdfKind::kIri;
      return read_iri(out.text);
    }
    if (*at_ == '"') return read_literal(out);
    if (*at_ == '_') return read_blank(out);
  }
  return fault(at_, "expected an IRI, a blank node or a literal as the object");
}

// The graph of N-Quads: an IRI, a blank node, or nothing for the default graph.
bool NTriplesReader::read_graph(RdfQuad& out) {
  out.named = at_ != end_ && (*at_ == '<' || *at_ == '_');
  out.graph = {};
  if (!out.named) return true;
  if (!read_subject(out.graph)) return false;
  skip_blanks();
  return true;
}

bool NTriplesReader::read_iri(std::string_view& out) {
  const char* const open = at_;
  const char* at = at_ + 1;
  while (at != end_ && is(*at, kIriByte)) ++at;
  if (at != end_ && *at == '>') {
    out = {open + 1, static_cast<std::size_t>(at - open - 1)};
  } else if (at != end_ && *at == '\\') {
    while (at != end_ && *at != '>' && *at != '\n' && *at != '\r') ++at;
    if (at == end_ || *at != '>') return fault(open, "the IRI has no closing \">\"");
    if (!unescape(open + 1, at, true, out)) return false;
  } else if (at == end_ || *at == '\n' || *at == '\r') {
    return fault(open, "the IRI has no closing \">\"");
  } else {
    return fault(at, "this character cannot stand in an IRI");
  }
  if (detail::scheme_size(out) == 0)
    return fault(open, "the IRI is relative: N-Triples needs absolute ones");
  at_ = at + 1;
  return true;
}

bool NTriplesReader::read_blank(RdfTerm& out) {
  if (end_ - at_ < 3 || at_[1] != ':') return fault(at_, "expected \"_:\" and a label");
  const std::string_view rest(at_ + 2, static_cast<std::size_t>(end_ - at_ - 2));
  const std::size_t size = detail::label_end(rest, true);
  if (size == 0) return fault(at_ + 2, "expected the label of a blank node");
  out.kind = RdfKind::kBlank;
  out.text = rest.substr(0, size);
  at_ += 2 + size;
  return true;
}

bool NTriplesReader::read_literal(RdfTerm& out) {
  const char* const open = at_;
  const char* at = at_ + 1;
  while (at != end_ && is(*at, kStringByte)) ++at;
  bool escaped = false;
  while (at != end_ && *at == '\\') {
    escaped = true;
    at += end_ - at < 2 ? 1 : 2;
    while (at != end_ && is(*at, kStringByte)) ++at;
  }
  if (at == end_ || *at != '"') return fault(open, "the literal has no closing quote on its line");
  out.kind = RdfKind::kString;
  out.text = {open + 1, static_cast<std::size_t>(at - open - 1)};
  if (escaped && !unescape(open + 1, at, false, out.text)) return false;
  at_ = at + 1;
  if (at_ == end_) return true;
  if (*at_ == '@') return read_language(out);
  if (*at_ != '^') return true;
  if (end_ - at_ < 3 || at_[1] != '^' || at_[2] != '<') {
    return fault(at_, "expected \"^^\" and the IRI of a datatype");
  }
  at_ += 2;
  if (!read_iri(out.extra)) return false;
  if (out.extra == kXsdString) {
    out.extra = {};
  } else {
    out.kind = RdfKind::kTyped;
  }
  return true;
}

bool NTriplesReader::read_language(RdfTerm& out) {
  const std::string_view rest(at_ + 1, static_cast<std::size_t>(end_ - at_ - 1));
  const std::size_t size = detail::language_end(rest);
  if (size == 0) return fault(at_, "expected a language tag after \"@\"");
  out.kind = RdfKind::kLanguageString;
  out.extra = rest.substr(0, size);
  at_ += 1 + size;
  return true;
}

bool NTriplesReader::unescape(const char* from, const char* stop, bool in_iri,
                              std::string_view& out) {
  std::string& text = unescaped_.emplace_back();
  const char* at = from;
  while (at != stop) {
    if (*at != '\\') {
      if (in_iri && !is(*at, kIriByte)) return fault(at, "this character cannot stand in an IRI");
      text.push_back(*at++);
    } else if (!read_escape(at, stop, in_iri, text)) {
      return false;
    }
  }
  out = text;
  return true;
}

bool NTriplesReader::read_escape(const char*& at, const char* stop, bool in_iri, std::string& out) {
  const char* const begin = at;
  const char kind = stop - at < 2 ? '\0' : at[1];
  if (kind == 'u' || kind == 'U') {
    const std::ptrdiff_t digits = kind == 'u' ? 4 : 8;
    if (stop - at < 2 + digits) return fault(begin, "the escape has too few digits");
    const std::uint32_t value =
        detail::escaped_character({at + 2, static_cast<std::size_t>(digits)});
    if (value == detail::kNoCharacter) {
      return fault(begin, "the escape has too few digits, or names no character");
    }
    if (in_iri && value < 0x80 && !is(static_cast<char>(value), kIriByte)) {
      return fault(begin, "this character cannot stand in an IRI, escaped or not");
    }
    append_utf8(out, value);
    at += 2 + digits;
    return true;
  }
  const char meant = in_iri || kind == '\0' ? '\0' : detail::escaped_letter(kind);
  if (meant == '\0') return fault(begin, "there is no such escape here");
  out.push_back(meant);
  at += 2;
  return true;
}

void NTriplesReader::skip_blanks() {
  while (at_ != end_ && (*at_ == ' ' || *at_ == '\t')) ++at_;
}

bool NTriplesReader::fault(const char* at, const char* message) {
  fault_at_ = at;
  fault_ = message;
  return false;
}

Error NTriplesReader::error() const {
  const auto offset = static_cast<std::size_t>(fault_at_ - text_.data());
  return Error{
      ErrorCode::kSyntax, fault_, detail::text_place(text_, offset, name_, first_line_), {}};
}

void append_ntriples(std::string& out, const RdfTerm& term) {
  switch (term.kind) {
    case RdfKind::kIri:
      append_iri(out, term.text);
      return;
    case RdfKind::kBlank:
      out += "_:";
      out += term.text;
      return;
    case RdfKind::kString:
      append_quoted(out, term.text);
      return;
    case RdfKind::kLanguageString:
      append_quoted(out, term.text);
      out.push_back('@');
      out += term.extra;
      return;
    case RdfKind::kTyped:
      append_quoted(out, term.text);
      out += "^^";
      append_iri(out, term.extra);
      return;
  }
}

void append_ntriples(std::string& out, const RdfTriple& triple) {
  append_ntriples(out, triple.subject);
  out.push_back(' ');
  append_ntriples(out, triple.predicate);
  out.push_back(' ');
  append_ntriples(out, triple.object);
  out += " .\n";
}

void append_nquads(std::string& out, const RdfTriple& triple, const RdfTerm* graph) {
  append_ntriples(out, triple);
  if (graph == nullptr) return;
  out.resize(out.size() - 2);
  append_ntriples(out, *graph);
  out += " .\n";
}

bool is_absolute_iri(std::string_view text) {
  return detail::scheme_size(text) > 0 &&
         std::all_of(text.begin(), text.end(), [](char byte) { return is(byte, kIriByte); });
}
bool is_blank_label(std::string_view text) {
  return !text.empty() && detail::label_end(text, true) == text.size();
}

}  // namespace anima::sparql
