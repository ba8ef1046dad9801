#include "store/value.h"

#include <cmath>

#include "store/detail/value_code.h"

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
Value Value::blank(std::string_view label) { return textual(ValueKind::kBlank, label); }
Value Value::of(EntityId entity) {
  Value result;
  result.kind = ValueKind::kEntity;
  result.entity = entity;
  return result;
}

Value Value::from_json(const Json& json) {
  switch (json.kind()) {
    case Json::Kind::kNull:
      return null();
    case Json::Kind::kBool:
      return boolean(json.as_bool());
    case Json::Kind::kInteger:
      return of(json.as_integer());
    case Json::Kind::kDouble:
      return of(json.as_number());
    case Json::Kind::kString:
      return string(json.as_string());
    case Json::Kind::kArray:
    case Json::Kind::kObject:
      break;
  }
  return textual(ValueKind::kJson, json.dump());
}

Json Value::to_json() const {
  switch (kind) {
    case ValueKind::kNull:
      return nullptr;
    case ValueKind::kBoolean:
      return integer != 0;
    case ValueKind::kInteger:
      return integer;
    case ValueKind::kDouble:
      return std::isfinite(number) ? Json(number) : Json(nullptr);
    case ValueKind::kJson: {
      auto parsed = parse_json(text);
      return parsed ? std::move(*parsed) : Json(text);
    }
    case ValueKind::kDecimal:
    case ValueKind::kTyped: {
      double out = 0;
      if (detail::number_of(view(), &out)) {
        const auto key = detail::order_key(view());
        return key.exact ? Json(key.integer) : Json(out);
      }
      return text;
    }
    case ValueKind::kEntity:
      return detail::display_value(view());
    default:
      return text;
  }
}

ValueView Value::view() const { return {kind, integer, number, entity, text, extra}; }

}  // namespace anima::store
