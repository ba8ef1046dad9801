#include "store/value.h"

#include "store/base/value_code.h"

namespace anima::store {
namespace {

Value textual(ValueKind kind, std::string_view text, std::string_view extra = {}) {
  Value value;
  value.kind = kind;
  value.text = text;
  value.extra = extra;
  return value;
}

}  // namespace

Value Value::boolean(bool value) {
  Value result;
  result.kind = ValueKind::kBoolean;
  result.integer = value ? 1 : 0;
  return result;
}
Value Value::of(std::int64_t value) {
  Value result;
  result.kind = ValueKind::kInteger;
  result.integer = value;
  return result;
}
Value Value::of(double value) {
  Value result;
  result.kind = ValueKind::kDouble;
  result.number = value;
  return result;
}
Value Value::string(std::string_view text) { return textual(ValueKind::kString, text); }
Value Value::language_string(std::string_view text, std::string_view language) {
  return textual(ValueKind::kLanguageString, text, language);
}
Value Value::date_time(std::string_view lexical) { return textual(ValueKind::kDateTime, lexical); }
Value Value::typed(std::string_view lexical, std::string_view datatype) {
  return textual(ValueKind::kTyped, lexical, datatype);
}
Value Value::iri(std::string_view text) { return textual(ValueKind::kIri, text); }

Value Value::from_json(const Json& json) {
  switch (json.kind()) {
    case Json::Kind::kNull:
      return null();
    case Json::Kind::kBool:
      return boolean(json.as_bool());
    case Json::Kind::kInteger:
      return of(json.as_integer());
    case Json::Kind::kDouble:
      return json.is_long_integer() ? typed(json.long_digits(), kXsdInteger) : of(json.as_number());
    case Json::Kind::kString:
      return string(json.as_string());
    case Json::Kind::kArray:
    case Json::Kind::kObject:
      break;
  }
  return textual(ValueKind::kJson, json.dump());
}

ValueView Value::view() const { return {kind, integer, number, entity, text, extra}; }

}  // namespace anima::store
