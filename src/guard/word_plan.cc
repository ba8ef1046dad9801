#include "guard/word_plan.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "base/text/text.h"
#include "guard/naming_words.h"
#include "language/text/word_uses.h"
#include "language/text/words.h"

namespace anima::guard {
namespace {

using Words = std::set<std::string, std::less<>>;

constexpr std::int64_t kMany = 20;    // calls of a tool, where the message means all of something
constexpr std::int64_t kSeveral = 6;  // at most, by what the message lists

Words stems_of(std::string_view text) {
  Words stems;
  std::string plain(text);
  std::ranges::replace(plain, '_', ' ');
  for (const std::string& word : language::folded_words(plain)) stems.insert(word_stem(word));
  return stems;
}

// The words that can be what is to be done. What is asked for stands in the plain form of a verb.
Words verbs_of(std::string_view message) {
  Words verbs;
  std::string before;
  for (std::string& folded : language::folded_words(message)) {
    const bool plural = folded.ends_with('s') && !folded.ends_with("ss");
    const bool owned = before.ends_with("'s");
    if (!plural && !owned && !language::words_used_as("before_nouns").contains(before))
      verbs.insert(word_stem(folded));
    before = std::move(folded);
  }
  return verbs;
}

std::string without_quotes(std::string_view text) {
  std::string out;
  bool quoted = false;
  for (const char c : text) {
    if (c == '"') quoted = !quoted;
    out += quoted || c == '"' ? ' ' : c;
  }
  return quoted ? std::string(text) : out;  // a quote that does not end is none
}

struct ToolWords {
  std::string name;
  Words verbs;     // and what means the same
  Words subjects;  // what it is about
};

void add_meanings(const Words& own, Words& verbs) {
  for (const std::string& meaning : language::texts_used_as("verbs_of_one_meaning")) {
    const Words group = stems_of(meaning);
    const std::string head = word_stem(meaning.substr(0, meaning.find(' ')));
    // The first word of a group is what tools are called.
    if (own.contains(head)) verbs.insert(group.begin(), group.end());
  }
  verbs.insert(own.begin(), own.end());
}

ToolWords words_of(const govern::ToolDeclaration& tool) {
  ToolWords words{tool.name, {}, {}};
  const std::size_t colon = tool.name.find_last_of(":/");
  const bool grouped = colon != std::string::npos;
  Words own = stems_of(std::string_view(tool.name).substr(grouped ? colon + 1 : 0));
  if (const auto described = language::folded_words(tool.description); !described.empty())
    own.insert(word_stem(described[0]));
  // "delete" and its like stand for one another.
  if (tool.has(govern::ToolEffect::kDeletes)) own.insert(word_stem("delete"));
  if (tool.has(govern::ToolEffect::kRuns)) own.insert(word_stem("run"));
  add_meanings(own, words.verbs);
  for (const std::string_view text :
       {std::string_view(tool.name), std::string_view(tool.description)}) {
    for (const std::string& name : naming_words(replace_all(text, "_", " ")))
      words.subjects.insert(word_stem(name));
  }
  return words;
}

// How often a tool is called at most, by what the message lists.
std::int64_t times_of(std::string_view message, const Words& stems) {
  for (const std::string& word : language::texts_used_as("everything")) {
    if (stems.contains(word_stem(word))) return kMany;
  }
  const std::int64_t times = 1 + std::ranges::count(language::folded_words(message), "and") +
                             std::ranges::count(message, ',');
  return std::min(times, kSeveral);
}

}  // namespace

std::vector<govern::PlannedTool> plan_of_words(
    std::string_view message, std::span<const govern::ToolDeclaration* const> tools) {
  const std::string asked = without_quotes(message);
  const Words stems = stems_of(asked);
  std::vector<ToolWords> acting;
  for (const govern::ToolDeclaration* tool : tools) {
    if (tool->acts()) acting.push_back(words_of(*tool));
  }
  std::map<std::string, std::int64_t> planned;
  const std::int64_t times = times_of(asked, stems);
  for (const std::string& verb : verbs_of(asked)) {
    std::vector<std::pair<std::size_t, const ToolWords*>> fitting;
    std::size_t most = 0;
    for (const ToolWords& tool : acting) {
      if (!tool.verbs.contains(verb)) continue;
      const auto common = static_cast<std::size_t>(std::ranges::count_if(
          tool.subjects, [&](const std::string& word) { return stems.contains(word); }));
      fitting.emplace_back(common, &tool);
      most = std::max(most, common);
    }
    for (const auto& [common, tool] : fitting) {
      if (common == most) planned[tool->name] = times;
    }
  }
  std::vector<govern::PlannedTool> plan;
  for (const auto& [tool, most] : planned) plan.push_back({tool, most});
  return plan;
}

}  // namespace anima::guard
