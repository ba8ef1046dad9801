#include "kip/detail/bind.h"

#include <algorithm>

#include "base/text/text.h"

namespace anima::kip::detail {

namespace {

const char* kind_name(const Json& json) {
  switch (json.kind()) {
    case Json::Kind::kNull:
      return "null";
    case Json::Kind::kBool:
      return "a boolean";
    case Json::Kind::kInteger:
    case Json::Kind::kDouble:
      return "a number";
    case Json::Kind::kString:
      return "a string";
    case Json::Kind::kArray:
      return "an array";
    case Json::Kind::kObject:
      return "an object";
  }
  return "a value";
}

Unexpected<Fault> wrong_kind(const Atom& atom, const Json& got, const char* what,
                             const char* wanted) {
  return refuse(Code::kInvalidSyntax,
                "the parameter " + quote_json(atom.text) + " is " + kind_name(got) + ", but " +
                    what + " needs " + wanted,
                {}, atom.place.offset);
}

// A program may hand in any bytes; what is read from JSON text is UTF-8 already.
bool is_text(const Json& json) {
  switch (json.kind()) {
    case Json::Kind::kString:
      return invalid_utf8_at(json.as_string()) == kValidUtf8;
    case Json::Kind::kArray:
      return std::all_of(json.as_array().begin(), json.as_array().end(), is_text);
    case Json::Kind::kObject:
      return std::all_of(
          json.as_object().begin(), json.as_object().end(), [](const JsonMember& member) {
            return invalid_utf8_at(member.first) == kValidUtf8 && is_text(member.second);
          });
    default:
      return true;
  }
}

}  // namespace

Outcome<const Json*> Binder::parameter(const std::string& name, Place place) const {
  const Json* found = parameters_ != nullptr ? parameters_->find(name) : nullptr;
  if (found != nullptr) {
    if (is_text(*found)) return found;
    return refuse(Code::kInvalidSyntax, "the parameter " + quote_json(name) + " is no valid UTF-8",
                  "decode it first, or pass it as base64", place.offset);
  }
  std::vector<std::string> names;
  if (parameters_ != nullptr && parameters_->kind() == Json::Kind::kObject) {
    for (const JsonMember& member : parameters_->as_object()) names.push_back(member.first);
  }
  const std::string near = did_you_mean(nearest_names(name, names));
  return refuse(Code::kInvalidSyntax, "there is no parameter for the placeholder :" + name,
                near.empty() ? "pass it in `parameters`: {\"" + name + "\": ...}" : near,
                place.offset);
}

Outcome<std::string_view> Binder::text(const Atom& atom, const char* what) const {
  if (!atom.placeholder) return std::string_view(atom.text);
  ANIMA_ASSIGN(const Json* const json, parameter(atom.text, atom.place));
  if (!json->is_string()) return wrong_kind(atom, *json, what, "a string");
  return std::string_view(json->as_string());
}

Outcome<std::int64_t> Binder::count(const Atom& atom, const char* what,
                                    std::int64_t minimum) const {
  if (!atom.placeholder) return atom.count;
  ANIMA_ASSIGN(const Json* const json, parameter(atom.text, atom.place));
  if (!json->is_integer()) return wrong_kind(atom, *json, what, "a whole number");
  if (json->as_integer() < minimum) {
    return refuse(Code::kInvalidSyntax,
                  std::string(what) + " must be " + std::to_string(minimum) + " or more", {},
                  atom.place.offset);
  }
  return json->as_integer();
}

Outcome<Json> Binder::value(const Value& value) const {
  switch (value.kind) {
    case Value::Kind::kNull:
      return Json();
    case Value::Kind::kBool:
      return Json(value.boolean);
    case Value::Kind::kInteger:
      return value.text.empty() ? Json(value.integer) : Json::integer(value.text);
    case Value::Kind::kDouble:
      return Json(value.number);
    case Value::Kind::kString:
      return Json(value.text);
    case Value::Kind::kPlaceholder: {
      ANIMA_ASSIGN(const Json* const json, parameter(value.text, value.place));
      return *json;
    }
    case Value::Kind::kArray: {
      JsonArray array;
      array.reserve(value.items.size());
      for (const Value& item : value.items) {
        ANIMA_ASSIGN(Json json, this->value(item));
        array.push_back(std::move(json));
      }
      return Json(std::move(array));
    }
    case Value::Kind::kObject: {
      JsonObject object;
      object.reserve(value.items.size());
      for (std::size_t i = 0; i < value.items.size(); ++i) {
        ANIMA_ASSIGN(Json json, this->value(value.items[i]));
        object.emplace_back(value.keys[i], std::move(json));
      }
      return Json(std::move(object));
    }
    case Value::Kind::kPath:
    case Value::Kind::kCall:
      break;
  }
  return refuse(Code::kInvalidSyntax, "this needs a plain value", {}, value.place.offset);
}

}  // namespace anima::kip::detail
