#include "sparql/rdf/json_path.h"

#include <algorithm>

#include "base/json/json.h"

namespace anima::sparql::rdf {
namespace {

std::size_t skip_json_space(std::string_view text, std::size_t at) {
  return std::min(text.find_first_not_of(" \t\r\n", at), text.size());
}

// Behind the string that begins at `at`.
std::size_t string_end(std::string_view text, std::size_t at) {
  for (++at; at < text.size() && text[at] != '"'; ++at) at += text[at] == '\\' ? 1 : 0;
  return std::min(at + 1, text.size());
}

// Behind the value that begins at `at`.
std::size_t value_end(std::string_view text, std::size_t at) {
  std::size_t depth = 0;
  while (at < text.size()) {
    const char c = text[at];
    if (c == '"') {
      at = string_end(text, at);
    } else if (c == '{' || c == '[') {
      ++depth;
      ++at;
    } else if (c == '}' || c == ']') {
      if (depth == 0) return at;
      --depth;
      ++at;
    } else if (depth == 0 && (c == ',' || c == ':')) {
      return at;
    } else {
      ++at;
      continue;
    }
    if (depth == 0) return at;
  }
  return at;
}

// The value of one step inside the value at `at`; npos when there is none.
std::size_t step_into(std::string_view text, std::size_t at, const JsonPath::Step& step) {
  if (at >= text.size() || text[at] != (step.is_key ? '{' : '[')) return std::string_view::npos;
  at = skip_json_space(text, at + 1);
  for (std::size_t index = 0; at < text.size() && text[at] != '}' && text[at] != ']'; ++index) {
    bool found = !step.is_key && index == step.index;
    if (step.is_key) {
      const std::size_t end = string_end(text, at);
      const auto key = parse_json(text.substr(at, end - at));
      found = key && key->as_string() == step.key;
      at = skip_json_space(text, end);
      at = skip_json_space(text, at + 1);  // the colon
    }
    if (found) return at;
    at = skip_json_space(text, value_end(text, at));
    if (at < text.size() && text[at] == ',') at = skip_json_space(text, at + 1);
  }
  return std::string_view::npos;
}

}  // namespace

std::size_t JsonPath::last_offset_in(std::string_view text) const {
  std::size_t at = skip_json_space(text, 0);
  for (const Step& step : steps_) {
    const std::size_t next = step_into(text, at, step);
    if (next == std::string_view::npos) break;
    at = next;
  }
  return at;
}

}  // namespace anima::sparql::rdf
