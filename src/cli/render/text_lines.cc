#include "cli/render/text_lines.h"

#include <fmt/format.h>

#include "base/text/text.h"

namespace anima::cli {

using govern::Trust;

Status for_each_text(std::string_view lines, std::string_view where,
                     const std::function<Status(const Json&, const std::string&)>& visit,
                     std::size_t first) {
  std::size_t number = first - 1;
  for (const std::string_view line : split(lines, '\n')) {
    ++number;
    if (trim(line).empty()) continue;
    const std::string place = fmt::format("{}:{}", where, number);
    auto object = parse_json(line);
    if (!object) return fail(ErrorCode::kSyntax, object.error().message, place);
    const Json* text = object->find("text");
    if (text == nullptr || !text->is_string()) {
      return fail(ErrorCode::kInvalidArgument, "the object has no text member \"text\"", place);
    }
    ANIMA_TRY(visit(*object, place));
  }
  return {};
}

Result<bool> is_attack(const Json& object, const std::string& place) {
  const Json* attack = object.find("attack");
  if (attack != nullptr && attack->is_bool()) return attack->as_bool();
  return fail(ErrorCode::kInvalidArgument, "the object has no \"attack\": true or false", place);
}

Result<Trust> trust_of(const Json& object, Trust otherwise, const std::string& place) {
  const Json* name = object.find("trust");
  if (name == nullptr) return otherwise;
  const auto trust = name->is_string() ? govern::parse_trust(name->as_string()) : std::nullopt;
  if (!trust) {
    return fail(ErrorCode::kInvalidArgument, "\"trust\" is no trust level", place,
                "one of " + join(trust_names(), ", "));
  }
  return *trust;
}

const std::vector<std::string>& trust_names() {
  static const std::vector<std::string> names = {"system",   "operator",  "verified",
                                                 "standard", "untrusted", "hostile"};
  return names;
}

std::string first_line(const std::string& text) {
  std::string line = text.substr(0, text.find('\n'));
  if (count_code_points(line) > 70)
    line = std::string(substring_by_code_points(line, 0, 68)) + "..";
  return line;
}

}  // namespace anima::cli
