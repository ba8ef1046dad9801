// How many @OPERATION@ a text has.
#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tool_api.hpp"

namespace {

std::string most_frequent(const std::vector<std::string>& words) {
  std::map<std::string, int> counts;
  for (const std::string& word : words) ++counts[tool::lower(word)];
  std::vector<std::pair<std::string, int>> list(counts.begin(), counts.end());
  std::stable_sort(list.begin(), list.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  if (list.size() > 10) list.resize(10);
  std::string out;
  for (const auto& each : list)
    out += each.first + " " + tool::number_text(each.second) + "\n";
  return out;
}

}  // namespace

tool::Result run(const tool::Input& input, tool::Cancel) {
  const std::string operation = "@OPERATION@";
  const std::vector<std::string> words = tool::words(input.input);
  if (operation == "frequent words") return {most_frequent(words), {}};
  double count = static_cast<double>(words.size());
  if (operation == "characters") {
    count = static_cast<double>(std::count_if(input.input.begin(), input.input.end(), [](char c) {
      return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
    }));
  } else if (operation == "lines") {
    count = static_cast<double>(std::count(input.input.begin(), input.input.end(), '\n'));
    if (!input.input.empty() && input.input.back() != '\n') ++count;
  }
  return {tool::number_text(count), {}};
}
