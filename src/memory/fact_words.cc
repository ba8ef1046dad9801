#include "memory/fact_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/json.h"
#include "base/text.h"
#include "datalog/space_facts.h"

namespace anima::memory {
namespace {

bool is_number(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

// A variable without an object; what looks like a number may be one or a text.
std::vector<std::string> object_terms(const std::vector<std::string>& words) {
  if (words.size() < 3) return {"X"};
  if (is_number(words[2])) return {words[2], quote_json(words[2])};
  return {quote_json(words[2])};
}

}  // namespace

std::vector<std::string> fact_words(std::string_view text) {
  if (text.find('(') != std::string_view::npos) return {std::string(text)};
  std::vector<std::string> words;
  bool inside = false, quoted = false;
  for (const char c : text) {
    if (c == '"') {
      quoted = !quoted;
    } else if (c == ' ' && !quoted) {
      inside = false;
      continue;
    }
    if (!inside) words.emplace_back();
    inside = true;
    if (c != '"') words.back() += c;
  }
  return words;
}

Result<std::vector<std::string>> fact_patterns(const std::vector<std::string>& words,
                                               const Reasoner& reasoner) {
  const std::string joined = join(words, " ");
  if (joined.find('(') != std::string::npos) return std::vector{joined};
  if (words.size() < 2 || words.size() > 3) {
    return fail(ErrorCode::kInvalidArgument, "this is no fact: " + joined, {},
                "SUBJECT PREDICATE [OBJECT], names of several words in quotes, or Datalog: "
                "'needs(\"curl\", X)'");
  }
  const std::vector<std::string> known = reasoner.predicates();
  const std::string relation = datalog::predicate_name(words[1]);
  const bool is_relation = std::find(known.begin(), known.end(), relation + "/2") != known.end();
  std::vector<std::string> patterns;
  for (const std::string& object : object_terms(words)) {
    const std::string subject = quote_json(words[0]);
    if (is_relation) patterns.push_back(fmt::format("{}({}, {})", relation, subject, object));
    patterns.push_back(fmt::format("attribute({}, {}, {})", subject, quote_json(words[1]), object));
  }
  return patterns;
}

Result<std::string> first_fact(const std::vector<std::string>& patterns, const Reasoner& reasoner) {
  for (const std::string& pattern : patterns) {
    ANIMA_ASSIGN(const std::vector<RuleRow> rows, reasoner.ask(pattern, 1));
    if (!rows.empty()) return rows.front().fact;
  }
  return fail(ErrorCode::kNotFound, "nothing of this kind holds", patterns.front(),
              "why not: anima why-not '" + patterns.front() + "'");
}

}  // namespace anima::memory
