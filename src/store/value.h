// A literal outside the dictionary: what a user wrote or reads. Distinct values have distinct
// terms: 1, 1.0 and "01"^^integer are three values (docs/architecture.md, one value code).
// Thread-safety: plain values.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/json/json.h"
#include "base/result.h"
#include "store/ids.h"

namespace anima::store {

// On disk, never renumber.
enum class ValueKind : std::uint8_t {
  kNull = 0,
  kBoolean = 1,         // integer: 0 or 1
  kInteger = 2,         // integer
  kDouble = 3,          // number
  kString = 4,          // text
  kLanguageString = 5,  // text, extra = language tag
  kDateTime = 6,        // text = lexical form; ordered as an instant
  kDecimal = 7,         // text = lexical form
  kTyped =
      8,  // text = lexical form, extra = datatype IRI: any other RDF literal, also ill-typed ones
  kJson = 9,     // text = canonical JSON of an array or object
  kBlank = 10,   // text = label
  kIri = 11,     // text: an IRI that is no concept
  kEntity = 12,  // entity
};

// The datatype of an integer that 64 bits do not hold; it is a kTyped value.
inline constexpr std::string_view kXsdInteger = "http://www.w3.org/2001/XMLSchema#integer";

struct ValueView {
  ValueKind kind = ValueKind::kNull;
  std::int64_t integer = 0;
  double number = 0;
  EntityId entity = EntityId::kNone;
  std::string_view text;
  std::string_view extra;
};

struct Value {
  ValueKind kind = ValueKind::kNull;
  std::int64_t integer = 0;
  double number = 0;
  EntityId entity = EntityId::kNone;
  std::string text;
  std::string extra;

  static Value null() { return {}; }
  static Value boolean(bool value);
  static Value of(std::int64_t value);
  static Value of(double value);
  static Value string(std::string_view text);
  static Value language_string(std::string_view text, std::string_view language);
  static Value date_time(std::string_view lexical);
  static Value typed(std::string_view lexical, std::string_view datatype);
  static Value iri(std::string_view text);
  // Scalars become their kind (a string stays a string), arrays and objects kJson.
  static Value from_json(const Json& json);
  // Entities become their display form ("C:12"); everything else the nearest JSON value.

  ValueView view() const;
  bool operator==(const Value& other) const = default;
};

}  // namespace anima::store
