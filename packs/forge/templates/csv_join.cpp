// Two CSV texts, with an empty line between them, joined on a column that both have.
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tool_api.hpp"

namespace {

std::optional<std::pair<std::size_t, std::size_t>> shared_column(
    const tool::Row& left, const tool::Row& right, const std::vector<std::string>& args) {
  for (const std::string& word : args) {
    const auto a = tool::find_column(left, word), b = tool::find_column(right, word);
    if (a && b) return std::pair(*a, *b);
  }
  for (std::size_t i = 0; i < left.size(); ++i) {
    if (const auto b = tool::find_column(right, left[i])) return std::pair(i, *b);
  }
  return std::nullopt;
}

tool::Row joined(const tool::Row& left, const tool::Row& right, std::size_t without) {
  tool::Row row = left;
  for (std::size_t i = 0; i < right.size(); ++i) {
    if (i != without) row.push_back(right[i]);
  }
  return row;
}

}  // namespace

tool::Result run(const tool::Input& input, tool::Cancel cancel) {
  std::string text;
  for (const char c : input.input) {
    if (c != '\r') text += c;
  }
  const std::size_t gap = text.find("\n\n");
  if (gap == std::string::npos) return {{}, "two CSV texts are needed, an empty line between them"};
  const auto left = tool::parse_csv(text.substr(0, gap + 1));
  const auto right = tool::parse_csv(text.substr(gap + 2));
  if (left.empty() || right.empty()) return {{}, "one of the two CSV texts is empty"};
  const auto key = shared_column(left[0], right[0], input.args);
  if (!key) return {{}, "the two have no column of the same name"};
  std::multimap<std::string, std::size_t> by_key;
  for (std::size_t i = 1; i < right.size(); ++i) {
    if (key->second < right[i].size()) by_key.emplace(right[i][key->second], i);
  }
  std::vector<tool::Row> out = {joined(left[0], right[0], key->second)};
  for (std::size_t i = 1; i < left.size(); ++i) {
    if (key->first >= left[i].size()) continue;
    if (cancel.requested()) return {{}, "it takes too long"};
    const auto range = by_key.equal_range(left[i][key->first]);
    for (auto each = range.first; each != range.second; ++each)
      out.push_back(joined(left[i], right[each->second], key->second));
  }
  return {tool::emit_csv(out), {}};
}
