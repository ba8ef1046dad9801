#include "base/json/json_member.h"

namespace anima {

std::string text_member(const Json& json, std::string_view name) {
  const Json* value = json.find(name);
  return value != nullptr && value->is_string() ? value->as_string() : std::string();
}

}  // namespace anima
