#include "sparql/detail/text_place.h"

#include "base/text/text.h"

namespace anima::sparql::detail {

std::string text_place(std::string_view text, std::size_t offset, std::string_view name,
                       std::uint64_t first_line) {
  const std::string_view before = text.substr(0, offset);
  std::uint64_t line = first_line;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < before.size(); ++i) {
    const bool crlf = before[i] == '\r' && i + 1 < before.size() && before[i + 1] == '\n';
    if ((before[i] != '\n' && before[i] != '\r') || crlf) continue;
    ++line;
    begin = i + 1;
  }
  const std::size_t column = count_code_points(before.substr(begin)) + 1;
  std::string where(name);
  if (!name.empty()) where.push_back(':');
  return where + std::to_string(line) + ":" + std::to_string(column);
}

}  // namespace anima::sparql::detail
