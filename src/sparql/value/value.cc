#include "sparql/value/value.h"

#include <charconv>
#include <cmath>
#include <cstdlib>

#include "base/text/text.h"
#include "sparql/rdf_mapping.h"
#include "sparql/value/term_codes.h"

namespace anima::sparql::value {
namespace {

using store::Tag;
using store::Term;
using store::ValueKind;
using store::ValueView;

constexpr Datatype of_integers(std::string_view name, std::string_view least,
                               std::string_view most) {
  return {name, Kind::kInteger, MomentKind::kDateTime, DurationKind::kAny, least, most};
}
constexpr Datatype of_moments(std::string_view name, MomentKind kind) {
  return {name, Kind::kMoment, kind, DurationKind::kAny, {}, {}};
}
constexpr Datatype of_durations(std::string_view name, DurationKind kind) {
  return {name, Kind::kDuration, MomentKind::kDateTime, kind, {}, {}};
}
constexpr Datatype plain(std::string_view name, Kind kind) {
  return {name, kind, MomentKind::kDateTime, DurationKind::kAny, {}, {}};
}

constexpr Datatype kDatatypes[] = {
    plain("string", Kind::kString),
    plain("boolean", Kind::kBoolean),
    plain("decimal", Kind::kDecimal),
    plain("float", Kind::kFloat),
    plain("double", Kind::kDouble),
    of_integers("integer", {}, {}),
    of_integers("long", "-9223372036854775808", "9223372036854775807"),
    of_integers("int", "-2147483648", "2147483647"),
    of_integers("short", "-32768", "32767"),
    of_integers("byte", "-128", "127"),
    of_integers("nonNegativeInteger", "0", {}),
    of_integers("positiveInteger", "1", {}),
    of_integers("nonPositiveInteger", {}, "0"),
    of_integers("negativeInteger", {}, "-1"),
    of_integers("unsignedLong", "0", "18446744073709551615"),
    of_integers("unsignedInt", "0", "4294967295"),
    of_integers("unsignedShort", "0", "65535"),
    of_integers("unsignedByte", "0", "255"),
    of_moments("dateTime", MomentKind::kDateTime),
    of_moments("date", MomentKind::kDate),
    of_moments("time", MomentKind::kTime),
    of_moments("gYear", MomentKind::kYear),
    of_moments("gYearMonth", MomentKind::kYearMonth),
    of_moments("gMonth", MomentKind::kMonth),
    of_moments("gMonthDay", MomentKind::kMonthDay),
    of_moments("gDay", MomentKind::kDay),
    of_durations("duration", DurationKind::kAny),
    of_durations("dayTimeDuration", DurationKind::kDayTime),
    of_durations("yearMonthDuration", DurationKind::kYearMonth),
};

bool read_boolean(std::string_view text, Value* out) {
  out->boolean = text == "true" || text == "1";
  return out->boolean || text == "false" || text == "0";
}

bool read_integer(const Datatype& type, std::string_view text, Value* out) {
  const auto number = Decimal::parse_integer(text);
  if (!number) return false;
  const auto outside = [&](std::string_view bound, int sign) {
    return !bound.empty() && number->compare(*Decimal::parse(bound)) == sign;
  };
  if (outside(type.least, -1) || outside(type.most, 1)) return false;
  out->decimal = *number;
  return true;
}

bool read_float(Kind kind, std::string_view text, Value* out) {
  if (text == "NaN") {
    out->number = std::nan("");
  } else if (text == "INF" || text == "+INF" || text == "-INF") {
    out->number = text[0] == '-' ? -HUGE_VAL : HUGE_VAL;
  } else {
    if (text.starts_with('+')) text.remove_prefix(1);
    // from_chars also reads "inf" and "nan", which are no numbers here.
    const std::size_t first = text.starts_with('-') ? 1 : 0;
    if (first == text.size() || (text[first] != '.' && (text[first] < '0' || text[first] > '9')))
      return false;
    const char* const end = text.data() + text.size();
    const auto done = std::from_chars(text.data(), end, out->number);
    if (done.ptr != end) return false;
    // Too large or too small for a double is the nearest there is.
    if (done.ec != std::errc{}) out->number = std::strtod(std::string(text).c_str(), nullptr);
  }
  if (kind == Kind::kFloat) out->number = static_cast<float>(out->number);
  return true;
}

bool read_moment(MomentKind kind, std::string_view text, Value* out) {
  const auto moment = parse_moment(kind, text);
  if (moment) out->moment = *moment;
  return moment.has_value();
}

bool read_duration(DurationKind kind, std::string_view text, Value* out) {
  const auto duration = parse_duration(kind, text);
  if (duration) out->duration = *duration;
  out->duration_kind = kind;
  return duration.has_value();
}

Value of_text(Kind kind, std::string_view text, std::string_view extra = {}) {
  Value value;
  value.kind = kind;
  value.text = text;
  value.extra = extra;
  return value;
}

Value read_typed(std::string_view lexical, std::string_view datatype) {
  Value value;
  const Datatype* const type = find_datatype(datatype);
  if (type != nullptr && read_literal(*type, lexical, &value)) return value;
  return of_text(Kind::kOther, lexical, datatype);
}

Value of_view(const ValueView& view, std::string& scratch) {
  Value value;
  switch (view.kind) {
    case ValueKind::kBoolean:
      value.kind = Kind::kBoolean;
      value.boolean = view.integer != 0;
      return value;
    case ValueKind::kInteger:
      return integer(view.integer);
    case ValueKind::kDouble:
      return inexact(Kind::kDouble, view.number);
    case ValueKind::kString:
      return of_text(Kind::kString, view.text);
    case ValueKind::kLanguageString:
      return of_text(Kind::kLanguageString, view.text, view.extra);
    case ValueKind::kIri:
      return of_text(Kind::kIri, view.text);
    case ValueKind::kBlank:
      return of_text(Kind::kBlank, view.text);
    case ValueKind::kTyped:
      return read_typed(view.text, view.extra);
    default: {
      const RdfTerm term = value_term(view, scratch);
      return read_typed(term.text, term.extra);
    }
  }
}

}  // namespace

const Datatype* find_datatype(std::string_view iri) {
  if (!iri.starts_with(kXsd)) return nullptr;
  const std::string_view name = iri.substr(kXsd.size());
  for (const Datatype& type : kDatatypes) {
    if (type.name == name) return &type;
  }
  return nullptr;
}

bool read_literal(const Datatype& type, std::string_view lexical, Value* out) {
  out->kind = type.kind;
  if (type.kind != Kind::kString) lexical = trim(lexical);
  switch (type.kind) {
    case Kind::kString:
      out->text = lexical;
      return true;
    case Kind::kBoolean:
      return read_boolean(lexical, out);
    case Kind::kInteger:
      return read_integer(type, lexical, out);
    case Kind::kDecimal: {
      const auto number = Decimal::parse(lexical);
      if (number) out->decimal = *number;
      return number.has_value();
    }
    case Kind::kFloat:
    case Kind::kDouble:
      return read_float(type.kind, lexical, out);
    case Kind::kMoment:
      return read_moment(type.moment, lexical, out);
    case Kind::kDuration:
      return read_duration(type.duration, lexical, out);
    default:
      return false;
  }
}

Value read(const query::Values& values, std::uint32_t code, std::string& scratch) {
  if (code == 0) return {};
  const Term term{code};
  if (term.tag() == Tag::kInteger) return integer(term.as_integer());
  if (!term.is_entity()) return of_view(values.view(code), scratch);
  const RdfTerm named = term_of(values, code, scratch);
  return of_text(named.kind == RdfKind::kBlank ? Kind::kBlank : Kind::kIri, named.text);
}

Value read_briefly(const query::Values& values, std::uint32_t code) {
  if (code == 0) return {};
  const Term term{code};
  if (term.tag() == Tag::kInteger) return integer(term.as_integer());
  if (term.is_entity()) return of_text(Kind::kIri, {});
  std::string scratch;  // short texts alone are made there, and read at once
  return of_view(values.view(code), scratch);
}

std::uint32_t write_string(query::Values& values, std::string_view text) {
  return values.string(text).code;
}

std::uint32_t write_text(query::Values& values, std::string_view text, std::string_view language) {
  if (language.empty()) return write_string(values, text);
  ValueView view;
  view.kind = ValueKind::kLanguageString;
  view.text = text;
  view.extra = language;
  return values.intern(view).code;
}

std::uint32_t write_typed(query::Values& values, std::string_view text, std::string_view datatype) {
  if (datatype == kXsdString) return write_string(values, text);
  return values.intern(literal_value({RdfKind::kTyped, text, datatype})).code;
}

std::uint32_t write(query::Values& values, const Value& value) {
  switch (value.kind) {
    case Kind::kUnbound:
      return 0;
    case Kind::kIri:
      return code_of_iri(values, value.text);
    case Kind::kBlank:
      return code_of_blank(values, value.text);
    case Kind::kString:
      return write_string(values, value.text);
    case Kind::kLanguageString:
      return write_text(values, value.text, value.extra);
    case Kind::kBoolean:
      return values.boolean(value.boolean).code;
    case Kind::kInteger: {
      if (const auto small = value.decimal.integer()) return values.integer(*small).code;
      return write_typed(values, value.decimal.text(), kXsdInteger);
    }
    case Kind::kDecimal:
      return write_typed(values, value.decimal.text(), kXsdDecimal);
    case Kind::kFloat:
      return write_typed(values, float_text(static_cast<float>(value.number)), kXsdFloat);
    case Kind::kDouble:
      return values.number(value.number).code;
    case Kind::kOther:
      return write_typed(values, value.text, value.extra);
    case Kind::kMoment:
    case Kind::kDuration:
      break;  // written by whoever knows the datatype
  }
  return 0;
}

Value integer(std::int64_t number) { return exact(Kind::kInteger, Decimal(number)); }

Value exact(Kind kind, const Decimal& number) {
  Value value;
  value.kind = kind;
  value.decimal = number;
  return value;
}

Value inexact(Kind kind, double number) {
  Value value;
  value.kind = kind;
  value.number = kind == Kind::kFloat ? static_cast<double>(static_cast<float>(number)) : number;
  return value;
}

std::string float_text(float number) {
  if (std::isnan(number)) return "NaN";
  if (std::isinf(number)) return number > 0 ? "INF" : "-INF";
  char buffer[40];
  const auto end =
      std::to_chars(buffer, buffer + sizeof buffer, number, std::chars_format::scientific).ptr;
  const std::string_view text(buffer, static_cast<std::size_t>(end - buffer));
  const std::size_t e = text.find('e');
  std::string mantissa(text.substr(0, e));
  if (mantissa.find('.') == std::string::npos) mantissa += ".0";
  int exponent = 0;
  const std::size_t digits = e + (text[e + 1] == '+' ? 2 : 1);
  std::from_chars(text.data() + digits, text.data() + text.size(), exponent);
  return mantissa + "E" + std::to_string(exponent);
}

bool same_language(std::string_view a, std::string_view b) {
  return equals_ignoring_ascii_case(a, b);
}

}  // namespace anima::sparql::value
