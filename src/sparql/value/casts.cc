// Casts to the datatypes of XML Schema, and the effective boolean value.
// Source: SPARQL 1.1 Query Language, 17.2.2 and 17.5; XPath and XQuery Functions 3.1, section 19.
#include <cmath>

#include "base/enum_order.h"
#include "base/text/text.h"
#include "sparql/value/scalar.h"
#include "sparql/value/term_codes.h"

namespace anima::sparql::value {
namespace {

static_assert(follow_each_other({Kind::kUnbound, Kind::kIri, Kind::kBlank, Kind::kString,
                                 Kind::kLanguageString, Kind::kBoolean, Kind::kInteger,
                                 Kind::kDecimal, Kind::kFloat, Kind::kDouble, Kind::kMoment,
                                 Kind::kDuration, Kind::kOther}));

std::string iri_of(const Datatype& type) { return std::string(kXsd) + std::string(type.name); }

std::uint32_t to_boolean(query::Values& values, const Value& from) {
  if (from.kind == Kind::kBoolean) return values.boolean(from.boolean).code;
  if (from.is_exact()) return values.boolean(!from.decimal.is_zero()).code;
  if (from.is_numeric()) return values.boolean(from.number != 0 && !std::isnan(from.number)).code;
  return 0;
}

std::optional<Decimal> to_decimal(const Value& from) {
  if (from.kind == Kind::kBoolean) return Decimal(from.boolean ? 1 : 0);
  if (from.is_exact()) return from.decimal;
  return from.is_numeric() ? Decimal::of(from.number) : std::nullopt;
}

// Within the bounds of a type derived from integer, whose literal it becomes.
std::uint32_t to_integer(query::Values& values, const Datatype& type, const Value& from) {
  const auto decimal = to_decimal(from);
  if (!decimal) return 0;
  const std::string text = decimal->truncated().text();
  Value checked;
  if (!read_literal(type, text, &checked)) return 0;
  return write_typed(values, text, iri_of(type));
}

std::uint32_t to_inexact(query::Values& values, Kind kind, const Value& from) {
  if (from.kind == Kind::kBoolean) return write(values, inexact(kind, from.boolean ? 1 : 0));
  return from.is_numeric() ? write(values, inexact(kind, from.as_double())) : 0;
}

// A moment may lose fields, and a date is the moment of its midnight.
std::uint32_t to_moment(query::Values& values, const Datatype& type, const Value& from) {
  if (from.kind != Kind::kMoment) return 0;
  const MomentKind had = from.moment.kind;
  const bool possible = had == type.moment || had == MomentKind::kDateTime ||
                        (had == MomentKind::kDate && type.moment != MomentKind::kTime);
  if (!possible) return 0;
  Moment moment = from.moment;
  moment.kind = type.moment;
  return write_typed(values, moment_text(moment), iri_of(type));
}

// A literal of the datatype with the same lexical form, where it has one.
std::uint32_t to_literal(query::Values& values, const Datatype& type, std::string_view text) {
  Value read;
  const std::string_view lexical = trim(text);
  if (!read_literal(type, lexical, &read)) return 0;
  if (read.kind == Kind::kBoolean || read.kind == Kind::kFloat || read.kind == Kind::kDouble)
    return write(values, read);
  if (read.is_exact() && read.decimal.text() != lexical)
    return write_typed(values, read.decimal.text(), iri_of(type));
  return write_typed(values, lexical, iri_of(type));
}

std::uint32_t to_string(query::Values& values, std::uint32_t code) {
  std::string scratch;
  const RdfTerm term = term_of(values, code, scratch);
  return term.kind == RdfKind::kBlank ? 0 : write_string(values, term.text);
}

}  // namespace

const Datatype* find_cast(std::string_view iri) { return find_datatype(iri); }

std::uint32_t cast(query::Values& values, const Datatype& type, std::uint32_t code) {
  if (code == 0) return 0;
  if (type.kind == Kind::kString) return to_string(values, code);
  const Value from = read_briefly(values, code);
  if (from.kind == Kind::kString) return to_literal(values, type, from.text);
  switch (type.kind) {
    case Kind::kBoolean:
      return to_boolean(values, from);
    case Kind::kInteger:
      return to_integer(values, type, from);
    case Kind::kDecimal: {
      const auto decimal = to_decimal(from);
      return decimal ? write(values, exact(Kind::kDecimal, *decimal)) : 0;
    }
    case Kind::kFloat:
    case Kind::kDouble:
      return to_inexact(values, type.kind, from);
    case Kind::kMoment:
      return to_moment(values, type, from);
    case Kind::kDuration:
      return from.kind == Kind::kDuration && from.duration_kind == type.duration ? code : 0;
    default:
      return 0;
  }
}

std::optional<bool> effective_boolean(query::Values& values, std::uint32_t code) {
  const Value value = read_briefly(values, code);
  switch (value.kind) {
    case Kind::kBoolean:
      return value.boolean;
    case Kind::kString:
    case Kind::kLanguageString:
      return !value.text.empty();
    case Kind::kInteger:
    case Kind::kDecimal:
      return !value.decimal.is_zero();
    case Kind::kFloat:
    case Kind::kDouble:
      return value.number != 0 && !std::isnan(value.number);
    case Kind::kOther: {
      // A number or truth that its datatype does not have is false.
      const Datatype* const type = find_datatype(value.extra);
      if (type == nullptr) return std::nullopt;
      const bool truth = type->kind == Kind::kBoolean ||
                         (type->kind >= Kind::kInteger && type->kind <= Kind::kDouble);
      return truth ? std::optional(false) : std::nullopt;
    }
    default:
      return std::nullopt;
  }
}

}  // namespace anima::sparql::value
