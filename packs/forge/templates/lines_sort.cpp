// The lines of a text, @OPERATION@.
#include <algorithm>
#include <string>
#include <vector>

#include "tool_api.hpp"

tool::Result run(const tool::Input& input, tool::Cancel) {
  const std::string operation = "@OPERATION@";
  std::vector<std::string> lines = tool::split(input.input, '\n');
  if (!lines.empty() && lines.back().empty()) lines.pop_back();
  if (operation == "reversed") {
    std::reverse(lines.begin(), lines.end());
  } else {
    std::sort(lines.begin(), lines.end());
  }
  if (operation == "each once") lines.erase(std::unique(lines.begin(), lines.end()), lines.end());
  std::string out;
  for (const std::string& line : lines) out += line + "\n";
  return {out, {}};
}
