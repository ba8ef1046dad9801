// The values at a path of a JSON text, one a line: `name`, `orders[].price`, `list[2].id`.
#include <string>
#include <vector>

#include "tool_api.hpp"

namespace {

std::vector<std::string> steps_of(const std::string& path) {
  std::vector<std::string> steps;
  for (const std::string& part : tool::split(path, '.')) {
    const std::size_t bracket = part.find('[');
    if (bracket > 0) steps.push_back(part.substr(0, bracket));
    std::size_t at = bracket;
    while (at != std::string::npos && at < part.size()) {
      const std::size_t end = part.find(']', at);
      if (end == std::string::npos) break;
      steps.push_back(part.substr(at, end - at + 1));
      at = part.find('[', end);
    }
  }
  return steps;
}

std::vector<tool::Value> step_into(const std::vector<tool::Value>& values, const std::string& step) {
  std::vector<tool::Value> found;
  for (const tool::Value& value : values) {
    if (step == "[]") {
      for (const tool::Value& item : value.items) found.push_back(item);
    } else if (step.starts_with("[")) {
      const auto index = tool::parse_number(step.substr(1, step.size() - 2));
      if (!index || *index < 0) continue;
      const auto place = static_cast<std::size_t>(*index);
      if (place < value.items.size()) found.push_back(value.items[place]);
    } else if (value.has(step)) {
      found.push_back(value.member(step));
    }
  }
  return found;
}

}  // namespace

tool::Result run(const tool::Input& input, tool::Cancel) {
  const auto json = tool::parse_json(input.input);
  if (!json) return {{}, "the text is no JSON"};
  if (input.args.empty()) return {{}, "name a path, for example orders[].price"};
  for (const std::string& path : input.args) {
    std::vector<tool::Value> values = {*json};
    for (const std::string& step : steps_of(path)) values = step_into(values, step);
    if (values.empty()) continue;
    std::string out;
    for (const tool::Value& value : values)
      out += (value.kind == tool::Value::Kind::text ? value.text : tool::emit_json(value)) + "\n";
    return {out, {}};
  }
  return {{}, "nothing lies at this path"};
}
