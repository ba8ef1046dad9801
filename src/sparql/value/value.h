// Value: what an RDF term means to the operators of SPARQL.
//
// A term is read into a Value for one computation and a result is written back as the code of a
// term. Texts are views: into the store, into the values of the query, or into a scratch. A literal
// of an unknown datatype, or one that its datatype does not have, is kOther: it is equal to itself
// and to nothing else that can be told. Thread-safety: plain values.
// Source: SPARQL 1.1 Query Language, 17.1 to 17.3; RDF 1.1 Concepts, 5.1.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/decimal.h"
#include "query/values.h"
#include "sparql/value/calendar.h"

namespace anima::sparql::value {

inline constexpr std::string_view kXsdString = "http://www.w3.org/2001/XMLSchema#string";
using store::kXsdInteger;
inline constexpr std::string_view kXsdDecimal = "http://www.w3.org/2001/XMLSchema#decimal";
inline constexpr std::string_view kXsdFloat = "http://www.w3.org/2001/XMLSchema#float";
inline constexpr std::string_view kXsdDouble = "http://www.w3.org/2001/XMLSchema#double";
inline constexpr std::string_view kXsdBoolean = "http://www.w3.org/2001/XMLSchema#boolean";
inline constexpr std::string_view kXsdDayTimeDuration =
    "http://www.w3.org/2001/XMLSchema#dayTimeDuration";
inline constexpr std::string_view kRdfLangString =
    "http://www.w3.org/1999/02/22-rdf-syntax-ns#langString";

enum class Kind : std::uint8_t {
  kUnbound,
  kIri,
  kBlank,
  kString,
  kLanguageString,
  kBoolean,
  kInteger,  // and the types derived from it
  kDecimal,
  kFloat,
  kDouble,
  kMoment,
  kDuration,
  kOther,
};

struct Value {
  Kind kind = Kind::kUnbound;
  bool boolean = false;
  DurationKind duration_kind = DurationKind::kAny;
  double number = 0;       // of kFloat and kDouble
  Decimal decimal;         // of kInteger and kDecimal
  Moment moment;           // of kMoment
  Duration duration;       // of kDuration
  std::string_view text;   // IRI, label, string, or lexical form of kOther
  std::string_view extra;  // language tag, or datatype of kOther

  bool is_exact() const { return kind == Kind::kInteger || kind == Kind::kDecimal; }
  bool is_numeric() const { return kind >= Kind::kInteger && kind <= Kind::kDouble; }
  bool is_string() const { return kind == Kind::kString || kind == Kind::kLanguageString; }
  bool is_literal() const { return kind >= Kind::kString; }
  double as_double() const { return is_exact() ? decimal.number() : number; }
};

// What a datatype's literals are read as.
struct Datatype {
  std::string_view name;  // behind the namespace of XML Schema
  Kind kind = Kind::kOther;
  MomentKind moment = MomentKind::kDateTime;
  DurationKind duration = DurationKind::kAny;
  std::string_view least, most;  // of a type derived from integer; empty: no bound
};
// Null for every datatype without operators.
const Datatype* find_datatype(std::string_view iri);
// False when the datatype has no such literal. White space around it is not part of it.
bool read_literal(const Datatype& type, std::string_view lexical, Value* out);

// kUnbound for code 0. Texts may point into the scratch.
Value read(const query::Values& values, std::uint32_t code, std::string& scratch);
// The same, but that every entity is a kIri without text, which costs nothing.
Value read_briefly(const query::Values& values, std::uint32_t code);

// The code of a result; 0 once the memory of the query is used up.
std::uint32_t write(query::Values& values, const Value& value);
std::uint32_t write_string(query::Values& values, std::string_view text);
std::uint32_t write_text(query::Values& values, std::string_view text, std::string_view language);
std::uint32_t write_typed(query::Values& values, std::string_view text, std::string_view datatype);

Value integer(std::int64_t number);
Value exact(Kind kind, const Decimal& number);
Value inexact(Kind kind, double number);  // rounded to a float for kFloat
std::string float_text(float number);     // canonical

// The language tags are the same; they have no case.
bool same_language(std::string_view a, std::string_view b);

}  // namespace anima::sparql::value
