#include "serve/mcp_tools/argument_shapes.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>

#include "base/text/read_number.h"
#include "base/text/text.h"

namespace anima::serve {
namespace {

// Whole, and exactly so as a double.
std::optional<Json> whole_number(double number) {
  constexpr double kExact = 9007199254740992.0;  // 2^53
  if (!(std::abs(number) <= kExact) || number != std::trunc(number)) return std::nullopt;
  return Json(static_cast<std::int64_t>(number));
}

std::optional<Json> integer_of(std::string_view text) {
  const auto number = read_number<std::int64_t>(text);
  return number ? std::optional(Json(*number)) : std::nullopt;
}

std::optional<Json> number_of(std::string_view text) {
  const auto read = parse_json(text);
  return read && read->is_number() ? std::optional(*read) : std::nullopt;
}

std::optional<Json> structure_of(std::string_view text, bool array) {
  auto read = parse_json(text);
  if (!read || !(array ? read->is_array() : read->is_object())) return std::nullopt;
  return *std::move(read);
}

bool is_of(const Json& value, std::string_view type) {
  if (type == "integer") return value.is_integer();
  if (type == "number") return value.is_number();
  if (type == "boolean") return value.is_bool();
  if (type == "array") return value.is_array();
  if (type == "object") return value.is_object();
  return true;
}

struct Taken {
  Json value;
  bool told = true;
};

std::optional<Taken> taken_as(const Json& value, std::string_view type) {
  if (type == "integer" && value.is_double()) {
    auto whole = whole_number(value.as_number());
    return whole ? std::optional(Taken{*std::move(whole), false}) : std::nullopt;
  }
  std::optional<Json> read;
  if (value.is_string()) {
    const std::string_view text = trim(value.as_string());
    if (type == "integer") read = integer_of(text);
    if (type == "number") read = number_of(text);
    if (type == "array" || type == "object") read = structure_of(text, type == "array");
    if (type == "boolean" && (text == "true" || text == "false")) read = Json(text == "true");
  }
  if (!read && type == "array" && (value.is_string() || value.is_object()))
    read = Json::array({value});
  return read ? std::optional(Taken{*std::move(read)}) : std::nullopt;
}

}  // namespace

ShapedArguments shaped_arguments(const Json& definition, Json arguments) {
  ShapedArguments shaped;
  const Json* schema = definition.find("inputSchema");
  const Json* properties = schema == nullptr ? nullptr : schema->find("properties");
  const Json* required = schema == nullptr ? nullptr : schema->find("required");
  JsonObject kept;
  for (JsonMember& each : arguments.as_object()) {
    const Json* property = properties == nullptr ? nullptr : properties->find(each.first);
    const bool needed =
        required != nullptr &&
        std::ranges::find(required->as_array(), Json(each.first)) != required->as_array().end();
    if (property != nullptr && each.second.is_null() && !needed) continue;
    const Json* type = property == nullptr ? nullptr : property->find("type");
    if (type != nullptr && type->is_string() && !is_of(each.second, type->as_string())) {
      if (auto taken = taken_as(each.second, type->as_string())) {
        each.second = std::move(taken->value);
        if (taken->told) {
          shaped.taken.push_back(quote_json(each.first) + " was taken as the " + type->as_string() +
                                 " " + std::string(beginning_of(each.second.dump(), 80)));
        }
      }
    }
    kept.push_back(std::move(each));
  }
  shaped.arguments = Json(std::move(kept));
  return shaped;
}

}  // namespace anima::serve
