// Functions of RDF terms: 17.4.2 of the recommendation.
#include <array>

#include "base/crypto.h"
#include "base/text/text.h"
#include "sparql/detail/language_tag.h"
#include "sparql/iri.h"
#include "sparql/value/companion.h"
#include "sparql/value/scalar.h"
#include "sparql/value/term_codes.h"

namespace anima::sparql::value {
namespace {

bool is_literal(RdfKind kind) { return kind != RdfKind::kIri && kind != RdfKind::kBlank; }

std::uint32_t is_kind(const Call& call, RdfKind kind) {
  std::string scratch;
  return call.boolean(term_of(call.values, call.cells[0], scratch).kind == kind);
}
std::uint32_t is_iri(const Call& call) { return is_kind(call, RdfKind::kIri); }
std::uint32_t is_blank(const Call& call) { return is_kind(call, RdfKind::kBlank); }
std::uint32_t is_literal_term(const Call& call) {
  std::string scratch;
  return call.boolean(is_literal(term_of(call.values, call.cells[0], scratch).kind));
}
std::uint32_t is_numeric(const Call& call) {
  return call.boolean(read_briefly(call.values, call.cells[0]).is_numeric());
}

std::uint32_t text_of_term(const Call& call) {
  std::string scratch;
  const RdfTerm term = term_of(call.values, call.cells[0], scratch);
  return term.kind == RdfKind::kBlank ? 0 : write_string(call.values, term.text);
}

std::uint32_t language(const Call& call) {
  std::string scratch;
  const RdfTerm term = term_of(call.values, call.cells[0], scratch);
  if (!is_literal(term.kind)) return 0;
  return write_string(call.values, term.kind == RdfKind::kLanguageString ? term.extra : "");
}

std::uint32_t datatype(const Call& call) {
  std::string scratch;
  const RdfTerm term = term_of(call.values, call.cells[0], scratch);
  switch (term.kind) {
    case RdfKind::kString:
      return code_of_iri(call.values, kXsdString);
    case RdfKind::kLanguageString:
      return code_of_iri(call.values, kRdfLangString);
    case RdfKind::kTyped:
      return code_of_iri(call.values, term.extra);
    default:
      return 0;
  }
}

std::uint32_t make_iri(const Call& call) {
  std::string scratch;
  const RdfTerm term = term_of(call.values, call.cells[0], scratch);
  if (term.kind == RdfKind::kIri) return call.cells[0];
  if (term.kind != RdfKind::kString) return 0;
  const auto iri = resolve_iri(call.context.base_iri, term.text);
  return iri && is_absolute_iri(*iri) ? code_of_iri(call.values, *iri) : 0;
}

// A node of a label and a solution, or a fresh one.
std::uint32_t make_blank(const Call& call) {
  Companion& companion = companion_of(call.values);
  if (call.cells.empty()) {
    return code_of_blank(call.values,
                         "b" + call.context.bnode_scope + std::to_string(companion.next_number()));
  }
  const Value label = read_briefly(call.values, call.cells[0]);
  if (label.kind != Kind::kString) return 0;
  const std::uint64_t solution = call.cells.size() > 1 ? call.cells[1] : companion.next_number();
  // Labels of any text become letters and digits; other lengths keep them from running together.
  return code_of_blank(call.values, "b" + call.context.bnode_scope + std::to_string(solution) +
                                        "x" + to_hex(label.text));
}

std::uint32_t row_number_of(const Call& call) {
  const auto number = companion_of(call.values).next_number();
  return call.values.integer(static_cast<std::int64_t>(number)).code;
}

std::uint32_t make_typed(const Call& call) {
  const Value text = read_briefly(call.values, call.cells[0]);
  std::string scratch;
  const RdfTerm type = term_of(call.values, call.cells[1], scratch);
  if (text.kind != Kind::kString || type.kind != RdfKind::kIri || type.text == kRdfLangString)
    return 0;
  return write_typed(call.values, text.text, type.text);
}

std::uint32_t make_language_string(const Call& call) {
  const Value text = read_briefly(call.values, call.cells[0]);
  const Value tag = read_briefly(call.values, call.cells[1]);
  if (text.kind != Kind::kString || tag.kind != Kind::kString || tag.text.empty()) return 0;
  std::string scratch;
  return write_text(call.values, text.text, usual_language_tag(tag.text, scratch));
}

// RFC 4122, version 4.
std::string random_uuid(Random& random) {
  std::array<std::uint8_t, 16> bytes{};
  random.fill(bytes);
  bytes[6] = static_cast<std::uint8_t>((bytes[6] & 0x0f) | 0x40);
  bytes[8] = static_cast<std::uint8_t>((bytes[8] & 0x3f) | 0x80);
  std::string text = to_hex(bytes);
  for (const std::size_t at : {8u, 13u, 18u, 23u}) text.insert(at, 1, '-');
  return text;
}
std::uint32_t uuid(const Call& call) {
  if (call.context.random == nullptr) return 0;
  return code_of_iri(call.values, "urn:uuid:" + random_uuid(*call.context.random));
}
std::uint32_t uuid_text(const Call& call) {
  if (call.context.random == nullptr) return 0;
  return write_string(call.values, random_uuid(*call.context.random));
}

// RFC 4647, basic filtering.
std::uint32_t language_matches(const Call& call) {
  const Value tag = read_briefly(call.values, call.cells[0]);
  const Value range = read_briefly(call.values, call.cells[1]);
  if (tag.kind != Kind::kString || range.kind != Kind::kString) return 0;
  if (range.text == "*") return call.boolean(!tag.text.empty());
  const std::size_t length = range.text.size();
  return call.boolean(length > 0 && tag.text.size() >= length &&
                      equals_ignoring_ascii_case(tag.text.substr(0, length), range.text) &&
                      (tag.text.size() == length || tag.text[length] == '-'));
}

std::uint32_t first_without_error(const Call& call) {
  for (const std::uint32_t cell : call.cells) {
    if (cell != 0) return cell;
  }
  return 0;
}

std::uint32_t choose(const Call& call) {
  if (call.cells[0] == 0) return 0;
  const auto truth = effective_boolean(call.values, call.cells[0]);
  return !truth ? 0 : call.cells[*truth ? 1 : 2];
}

}  // namespace

std::span<const ScalarEntry> term_functions() {
  static constexpr ScalarEntry kEntries[] = {
      {"ISIRI", is_iri},
      {"ISURI", is_iri},
      {"ISBLANK", is_blank},
      {"ISLITERAL", is_literal_term},
      {"ISNUMERIC", is_numeric},
      {"STR", text_of_term},
      {"LANG", language},
      {"LANGMATCHES", language_matches},
      {"DATATYPE", datatype},
      {"IRI", make_iri},
      {"URI", make_iri},
      {"BNODE", make_blank, false, true},
      {"STRDT", make_typed},
      {"STRLANG", make_language_string},
      {"UUID", uuid, false, true},
      {"STRUUID", uuid_text, false, true},
      {"COALESCE", first_without_error, true},
      {"IF", choose, true},
      {"ROW NUMBER", row_number_of, false, true},
  };
  return kEntries;
}

}  // namespace anima::sparql::value
