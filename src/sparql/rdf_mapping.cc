#include "sparql/rdf_mapping.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include "base/clock.h"
#include "base/json/json.h"
#include "base/text/read_number.h"
#include "sparql/detail/percent_text.h"
#include "sparql/proposition_names.h"

namespace anima::sparql {
namespace {

using store::EntityId;
using store::kXsdInteger;
using store::ValueKind;
using store::ValueView;

constexpr std::string_view kXsdBoolean = "http://www.w3.org/2001/XMLSchema#boolean";
constexpr std::string_view kXsdDouble = "http://www.w3.org/2001/XMLSchema#double";
constexpr std::string_view kXsdDecimal = "http://www.w3.org/2001/XMLSchema#decimal";
constexpr std::string_view kXsdDateTime = "http://www.w3.org/2001/XMLSchema#dateTime";
constexpr std::string_view kRdfJson = "http://www.w3.org/1999/02/22-rdf-syntax-ns#JSON";

// An IRI that may name a thing as it is.
bool names_itself(std::string_view text) {
  return is_absolute_iri(text) && !text.starts_with(kAnima);
}

std::string anima_iri(std::string_view form, std::string_view name) {
  std::string iri(kAnima);
  iri += form;
  iri += ':';
  detail::append_percent_encoded(iri, name);
  return iri;
}

// The canonical form of xsd:double.
std::string double_text(double number) {
  if (std::isnan(number)) return "NaN";
  if (std::isinf(number)) return number > 0 ? "INF" : "-INF";
  char buffer[40];
  const auto [end, error] =
      std::to_chars(buffer, buffer + sizeof buffer, number, std::chars_format::scientific);
  std::string text(buffer, end);
  const std::size_t e = text.find('e');
  std::string mantissa = text.substr(0, e);
  if (mantissa.find('.') == std::string::npos) mantissa += ".0";
  int exponent = 0;
  const std::size_t digits = e + (text[e + 1] == '+' ? 2 : 1);
  std::from_chars(text.data() + digits, text.data() + text.size(), exponent);
  return mantissa + "E" + std::to_string(exponent);
}

bool is_decimal(std::string_view text) {
  std::size_t at = !text.empty() && (text[0] == '+' || text[0] == '-') ? 1 : 0;
  std::size_t digits = 0;
  for (bool point = false; at < text.size(); ++at) {
    if (text[at] == '.' && !point) {
      point = true;
    } else if (text[at] >= '0' && text[at] <= '9') {
      ++digits;
    } else {
      return false;
    }
  }
  return digits > 0;
}

ValueView of_kind(ValueKind kind, std::string_view text, std::string_view extra = {}) {
  ValueView view;
  view.kind = kind;
  view.text = text;
  view.extra = extra;
  return view;
}

std::optional<ValueView> integer_value(std::string_view text) {
  ValueView view;
  view.kind = ValueKind::kInteger;
  const auto number = read_number<std::int64_t>(text);
  if (!number) return std::nullopt;
  view.integer = *number;
  const bool canonical =
      text[0] == '-' ? text.size() > 1 && text[1] != '0' : text == "0" || text[0] != '0';
  if (!canonical) return std::nullopt;
  return view;
}

std::optional<ValueView> double_value(std::string_view text) {
  ValueView view;
  view.kind = ValueKind::kDouble;
  if (text == "NaN") {
    view.number = std::nan("");
  } else if (text == "INF" || text == "-INF") {
    view.number = text[0] == '-' ? -HUGE_VAL : HUGE_VAL;
  } else {
    const auto number = read_number<double>(text);
    if (!number || double_text(*number) != text) return std::nullopt;
    view.number = *number;
  }
  return view;
}

std::optional<ValueView> json_value(std::string_view text) {
  if (text == "null") return ValueView{};
  if (text.empty() || (text[0] != '[' && text[0] != '{')) return std::nullopt;
  const auto parsed = parse_json(text);
  if (!parsed || parsed->dump() != text) return std::nullopt;
  return of_kind(ValueKind::kJson, text);
}

}  // namespace

RdfTerm concept_term(std::string_view type, std::string_view name, std::string& scratch) {
  if (type == "Entity") {
    if (names_itself(name)) return {RdfKind::kIri, name, {}};
    if (name.starts_with("_:") && is_blank_label(name.substr(2))) {
      return {RdfKind::kBlank, name.substr(2), {}};
    }
  }
  scratch = anima_iri("concept", type);
  scratch += ':';
  detail::append_percent_encoded(scratch, name);
  return {RdfKind::kIri, scratch, {}};
}

RdfTerm entity_term(const store::Snapshot& snapshot, EntityId entity, std::string& scratch) {
  if (snapshot.kind(entity) == store::EntityKind::kProposition) {
    return PropositionNames(snapshot).term(entity, scratch);
  }
  return concept_term(snapshot.name(snapshot.type_of(entity)), snapshot.name(entity), scratch);
}

std::string link_iri(std::string_view name) {
  return names_itself(name) ? std::string(name) : anima_iri("predicate", name);
}

std::string predicate_iri(const store::Snapshot& snapshot, store::Predicate predicate,
                          bool literal_value) {
  if (predicate.predicate_class() == store::PredicateClass::kLink) {
    return link_iri(snapshot.name(predicate.as_link()));
  }
  const std::string_view key = snapshot.value(predicate.key()).text;
  if (predicate.predicate_class() == store::PredicateClass::kMetadata) {
    return anima_iri("metadata", key);
  }
  return literal_value && names_itself(key) ? std::string(key) : anima_iri("attribute", key);
}

RdfTerm graph_term(std::string_view name, std::string& scratch) {
  if (name.starts_with("_:") && is_blank_label(name.substr(2))) {
    return {RdfKind::kBlank, name.substr(2), {}};
  }
  // The graphs of compartments are the one name below urn:anima: that stands for itself.
  if (names_itself(name) || (name.starts_with("urn:anima:compartment:") && is_absolute_iri(name))) {
    return {RdfKind::kIri, name, {}};
  }
  scratch = anima_iri("graph", name);
  return {RdfKind::kIri, scratch, {}};
}

std::string graph_name(std::string_view iri) {
  constexpr std::string_view kGraph = "urn:anima:graph:";
  if (iri.starts_with(kGraph)) {
    if (auto name = detail::percent_decoded(iri.substr(kGraph.size()))) return std::move(*name);
  }
  return std::string(iri);
}

RdfTerm value_term(const ValueView& value, std::string& scratch) {
  switch (value.kind) {
    case ValueKind::kNull:
      return {RdfKind::kTyped, "null", kRdfJson};
    case ValueKind::kBoolean:
      return {RdfKind::kTyped, value.integer != 0 ? "true" : "false", kXsdBoolean};
    case ValueKind::kInteger:
      scratch = std::to_string(value.integer);
      return {RdfKind::kTyped, scratch, kXsdInteger};
    case ValueKind::kDouble:
      scratch = double_text(value.number);
      return {RdfKind::kTyped, scratch, kXsdDouble};
    case ValueKind::kString:
      return {RdfKind::kString, value.text, {}};
    case ValueKind::kLanguageString:
      return {RdfKind::kLanguageString, value.text, value.extra};
    case ValueKind::kDateTime:
      return {RdfKind::kTyped, value.text, kXsdDateTime};
    case ValueKind::kDecimal:
      return {RdfKind::kTyped, value.text, kXsdDecimal};
    case ValueKind::kTyped:
      return {RdfKind::kTyped, value.text, value.extra};
    case ValueKind::kJson:
      return {RdfKind::kTyped, value.text, kRdfJson};
    case ValueKind::kBlank:
      return {RdfKind::kBlank, value.text, {}};
    case ValueKind::kIri:
    case ValueKind::kEntity:
      return {RdfKind::kIri, value.text, {}};
  }
  return {};
}

Named read_iri(std::string_view iri) {
  Named plain;
  plain.name = std::string(iri);
  if (!iri.starts_with(kAnima)) return plain;
  const std::string_view rest = iri.substr(kAnima.size());
  const std::size_t colon = rest.find(':');
  if (colon == std::string_view::npos) return plain;
  const std::string_view form = rest.substr(0, colon);
  std::string_view text = rest.substr(colon + 1);
  Named named;
  if (form == "concept") {
    named.kind = Named::Kind::kConcept;
    const std::size_t end = text.find(':');
    if (end == std::string_view::npos || end == 0) return plain;
    auto type = detail::percent_decoded(text.substr(0, end));
    if (!type) return plain;
    named.type = std::move(*type);
    text.remove_prefix(end + 1);
  } else if (form == "predicate") {
    named.kind = Named::Kind::kPredicate;
  } else if (form == "attribute") {
    named.kind = Named::Kind::kAttribute;
  } else if (form == "metadata") {
    named.kind = Named::Kind::kMetadata;
  } else if (form == "proposition") {
    named.kind = Named::Kind::kProposition;
    named.name = std::string(text);
    return named;
  } else {
    return plain;
  }
  auto name = detail::percent_decoded(text);
  if (!name) return plain;
  named.name = std::move(*name);
  return named;
}

ValueView literal_value(const RdfTerm& term) {
  switch (term.kind) {
    case RdfKind::kIri:
      return of_kind(ValueKind::kIri, term.text);
    case RdfKind::kBlank:
      return of_kind(ValueKind::kBlank, term.text);
    case RdfKind::kString:
      return of_kind(ValueKind::kString, term.text);
    case RdfKind::kLanguageString:
      return of_kind(ValueKind::kLanguageString, term.text, term.extra);
    case RdfKind::kTyped:
      break;
  }
  std::optional<ValueView> value;
  if (term.extra == kXsdInteger) {
    value = integer_value(term.text);
  } else if (term.extra == kXsdDouble) {
    value = double_value(term.text);
  } else if (term.extra == kXsdDecimal && is_decimal(term.text)) {
    value = of_kind(ValueKind::kDecimal, term.text);
  } else if (term.extra == kXsdBoolean && (term.text == "true" || term.text == "false")) {
    value = of_kind(ValueKind::kBoolean, {});
    value->integer = term.text == "true" ? 1 : 0;
  } else if (term.extra == kXsdDateTime && term.text.find('T') != std::string_view::npos &&
             parse_timestamp(term.text)) {
    value = of_kind(ValueKind::kDateTime, term.text);
  } else if (term.extra == kRdfJson) {
    value = json_value(term.text);
  }
  return value ? *value : of_kind(ValueKind::kTyped, term.text, term.extra);
}

}  // namespace anima::sparql
