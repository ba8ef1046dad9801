#include "agent/plans/planner.h"

#include <algorithm>
#include <array>
#include <optional>

#include "agent/plans/detail/plan_templates.h"
#include "base/text/text.h"
#include "language/text/word_uses.h"

namespace anima::agent {
namespace {

constexpr std::size_t kMaxBytes = 64 * 1024;
constexpr std::size_t kMaxClauses = 64;

// What a clause gives the tool: the rest of the clause is `object`; what follows one of `joints`
// goes to `second`.
struct VerbRow {
  std::string_view verb;
  std::string_view noun;  // the object must begin with it, "" = any
  std::string_view tool;
  std::string_view object;
  std::string_view second;
  std::string_view joint;
};

// The first row that fits counts: rows with a noun go before those without.
constexpr std::array<VerbRow, 38> kVerbs = {{
    {"show", "calendar", "calendar:query", "", "", ""},
    {"query", "calendar", "calendar:query", "", "", ""},
    {"check", "calendar", "calendar:query", "", "", ""},
    {"read", "page", "notion:read", "title", "", ""},
    {"show", "page", "notion:read", "title", "", ""},
    {"read", "note", "notion:read", "title", "", ""},
    {"read", "file", "file:read", "path", "", ""},
    {"read", "", "file:read", "path", "", ""},
    {"open", "", "file:read", "path", "", ""},
    {"show", "file", "file:read", "path", "", ""},
    {"print", "", "file:read", "path", "", ""},
    {"create", "page", "notion:create", "title", "text", "with"},
    {"create", "note", "notion:create", "title", "text", "with"},
    {"make", "page", "notion:create", "title", "text", "with"},
    {"make", "note", "notion:create", "title", "text", "with"},
    {"add", "note", "notion:create", "title", "text", "with"},
    {"add", "page", "notion:create", "title", "text", "with"},
    {"create", "file", "file:write", "path", "content", "with"},
    {"write", "", "file:write", "content", "path", "to"},
    {"save", "", "file:write", "content", "path", "to"},
    {"put", "", "file:write", "content", "path", "into"},
    {"delete", "event", "calendar:delete", "uid", "", ""},
    {"cancel", "event", "calendar:delete", "uid", "", ""},
    {"delete", "file", "file:delete", "path", "", ""},
    {"delete", "", "file:delete", "path", "", ""},
    {"remove", "", "file:delete", "path", "", ""},
    {"erase", "", "file:delete", "path", "", ""},
    {"list", "files", "file:list", "", "path", "in"},
    {"show", "files", "file:list", "", "path", "in"},
    {"list", "folder", "file:list", "path", "", ""},
    {"fetch", "", "http:fetch", "url", "", ""},
    {"run", "", "shell:execute", "command", "", ""},
    {"execute", "", "shell:execute", "command", "", ""},
    {"send", "", "sms:send", "text", "to", "to"},
    {"text", "", "sms:send", "text", "to", "to"},
    {"search", "", "memory:search", "query", "", ""},
    {"find", "", "memory:search", "query", "", ""},
    {"remember", "", "memory:store", "text", "", ""},
}};

bool is_pronoun(std::string_view word) {
  return language::words_used_as("pronouns").contains(word);
}

// Leading words that carry no meaning here.
std::string_view without_fillers(std::string_view text) {
  for (bool again = true; again;) {
    again = false;
    text = trim(text);
    const std::string lower = to_lower(text.substr(0, std::min<std::size_t>(text.size(), 16)));
    for (const std::string& lead : language::texts_used_as("leads_of_requests")) {
      if (!lower.starts_with(lead + ' ')) continue;
      text.remove_prefix(lead.size() + 1);
      again = true;
      break;
    }
  }
  return text;
}

std::string_view first_word(std::string_view text) {
  return text.substr(0, std::min(text.find_first_of(" \t\n"), text.size()));
}

constexpr std::string_view kMarks = ".!?";  // that end a sentence

// Marks end a sentence when they stand behind a word: "." and ".." alone or behind a slash are
// names, and "?" may be a pattern.
bool behind_a_word(std::string_view text) {
  const std::size_t last = text.find_last_not_of(kMarks);
  return last != std::string_view::npos &&
         std::string_view(" \t\n/").find(text[last]) == std::string_view::npos;
}

std::string unquoted(std::string_view text) {
  text = trim(text);
  if (behind_a_word(text) && text.find(' ') != std::string_view::npos)
    text = text.substr(0, text.find_last_not_of(kMarks) + 1);
  if (text.size() >= 2 && text.front() == text.back() &&
      (text.front() == '"' || text.front() == '\'' || text.front() == '`'))
    text = text.substr(1, text.size() - 2);
  return std::string(text);
}

struct Clause {
  const VerbRow* row = nullptr;
  std::string object, second;
  std::string missing;  // the parameter that is not there
};

// " to " outside quotes, the last one.
std::optional<std::size_t> find_joint(std::string_view text, std::string_view joint) {
  const std::string wanted = " " + std::string(joint) + " ";
  std::optional<std::size_t> found;
  char quote = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (quote != 0) {
      if (text[i] == quote) quote = 0;
    } else if (text[i] == '"' || text[i] == '`') {
      quote = text[i];
    } else if (text.substr(i, wanted.size()) == wanted) {
      found = i;
    }
  }
  return found;
}

// Joins what stands for the object, or says that it is missing. `before`: of the clause before.
bool resolve(std::string& value, const std::string& before) {
  const std::string lower = to_lower(value);
  if (!is_pronoun(lower)) return !value.empty();
  value = before;
  return !value.empty();
}

std::string_view without_marks(std::string_view text) {
  if (!behind_a_word(text)) return text;
  return text.substr(0, text.find_last_not_of(kMarks) + 1);
}

std::optional<Clause> read_clause(std::string_view whole, const std::string& before) {
  std::string_view text = without_fillers(without_marks(whole));
  const std::string verb = to_lower(first_word(text));
  std::string_view rest = without_fillers(text.substr(first_word(text).size()));
  for (const VerbRow& row : kVerbs) {
    if (row.verb != verb) continue;
    std::string_view object = rest;
    if (!row.noun.empty()) {
      if (to_lower(first_word(rest)) != row.noun) continue;
      object = trim(rest.substr(first_word(rest).size()));
    }
    Clause clause;
    clause.row = &row;
    if (row.object.empty()) {
      const std::string joint = std::string(row.joint) + " ";
      if (!row.joint.empty() && object.starts_with(joint))
        clause.second = unquoted(object.substr(joint.size()));
      return clause;
    }
    if (row.tool == "shell:execute") {
      for (const std::string_view noun : {"command ", "the command "}) {
        if (object.starts_with(noun)) object = trim(object.substr(noun.size()));
      }
      if (object.ends_with(" command")) object.remove_suffix(8);
    }
    if (!row.second.empty()) {
      const auto joint = find_joint(object, row.joint);
      if (joint) {
        clause.second = unquoted(object.substr(*joint + row.joint.size() + 2));
        object = object.substr(0, *joint);
      } else if (row.second != "text" && row.second != "content") {
        clause.missing = row.second;
      }
    }
    // A text says what it says as it stands, and whether it asks.
    const bool asks = row.tool == kRememberTool && whole.ends_with('?');
    clause.object = asks ? std::string(object) + "?" : unquoted(object);
    if (!resolve(clause.object, before)) clause.missing = row.object;
    return clause;
  }
  return std::nullopt;
}

RequestPlan ask_back(std::string question, std::vector<std::string> options) {
  RequestPlan plan;
  plan.question = std::move(question);
  plan.options = std::move(options);
  return plan;
}

std::vector<std::string> example_requests() {
  return {"read FILE", "write \"TEXT\" to FILE", "schedule MEETING with WHO", "search WORDS",
          "remember TEXT"};
}

Task task_of(const Clause& clause, std::size_t number) {
  Task task;
  task.id = std::to_string(number);
  task.tool = clause.row->tool;
  task.name = std::string(clause.row->verb) + " " + clause.object;
  if (!clause.row->object.empty()) task.parameters.set(clause.row->object, clause.object);
  if (!clause.second.empty()) task.parameters.set(clause.row->second, clause.second);
  if (number > 1) task.dependencies = {std::to_string(number - 1)};
  return task;
}

// The end of a clause at `at`, and how many bytes the separator takes; 0 = none here.
std::size_t separator_at(std::string_view text, std::string_view lower, std::size_t at) {
  const char c = text[at];
  if (c == ';' || c == '\n') return 1;
  if (kMarks.find(c) != std::string_view::npos && behind_a_word(text.substr(0, at))) {
    const std::size_t end = std::min(text.find_first_not_of(kMarks, at), text.size());
    if (end == text.size() || text[end] == ' ' || text[end] == '\n') return end - at;
  }
  for (const std::string_view words :
       {", and then ", " and then ", ", after that ", " after that ", ", then ", " then "}) {
    if (lower.substr(at).starts_with(words)) return words.size();
  }
  return 0;
}

// "1. read x" is a list's item.
std::string_view without_number(std::string_view clause) {
  std::size_t digits = 0;
  while (digits < clause.size() && clause[digits] >= '0' && clause[digits] <= '9') ++digits;
  if (digits == 0 || digits >= clause.size()) return clause;
  return clause[digits] == ')' || clause[digits] == '.' ? trim(clause.substr(digits + 1)) : clause;
}

}  // namespace

std::vector<std::string> split_clauses(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  std::vector<std::string> clauses;
  std::size_t start = 0;
  char quote = 0;
  const auto keep = [&](std::size_t end) {
    const std::string_view clause = without_number(trim(text.substr(start, end - start)));
    const bool number_only =
        std::ranges::all_of(clause, [](char c) { return c >= '0' && c <= '9'; });
    if (!clause.empty() && !number_only) clauses.emplace_back(clause);
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (quote != 0) {
      if (text[i] == quote) quote = 0;
      continue;
    }
    if (text[i] == '"' || text[i] == '`') {
      quote = text[i];
      continue;
    }
    const std::size_t size = separator_at(text, lower, i);
    if (size == 0) continue;
    const bool asks = text.substr(i, size).find('?') != std::string_view::npos;
    keep(asks ? text.find('?', i) + 1 : i);
    start = i + size;
    i += size - 1;
  }
  keep(text.size());
  return clauses;
}

Result<RequestPlan> plan_request(std::string_view text, Timestamp now) {
  if (text.size() > kMaxBytes)
    return fail(ErrorCode::kLimitExceeded, "a request is at most 64 KiB long");
  const std::vector<std::string> clauses = split_clauses(text);
  if (clauses.size() > kMaxClauses)
    return fail(ErrorCode::kLimitExceeded, "a request has at most 64 steps");
  if (clauses.size() == 1) {
    ANIMA_ASSIGN(auto decomposed, detail::decompose(without_marks(clauses[0]), now));
    if (decomposed) return *std::move(decomposed);
  }
  RequestPlan plan;
  std::string before;
  for (const std::string& text_of_clause : clauses) {
    const auto clause = read_clause(text_of_clause, before);
    if (!clause) {
      RequestPlan unknown =
          ask_back("I do not know what to do for \"" + std::string(without_marks(text_of_clause)) +
                       "\". What is meant?",
                   example_requests());
      unknown.no_request = true;
      return unknown;
    }
    if (!clause->missing.empty()) {
      return ask_back(
          "\"" + std::string(without_marks(text_of_clause)) + "\": which " + clause->missing + "?",
          {std::string(clause->row->verb) + " " + std::string(clause->row->noun) +
           (clause->row->noun.empty() ? "" : " ") + "NAME"});
    }
    before =
        clause->second.empty() || clause->row->second != "path" ? clause->object : clause->second;
    ANIMA_TRY(plan.graph.add(task_of(*clause, plan.graph.tasks().size() + 1)));
  }
  if (plan.graph.tasks().empty()) {
    RequestPlan nothing = ask_back("What should be done?", example_requests());
    nothing.no_request = true;  // "2" may be an answer
    return nothing;
  }
  plan.intent = clauses.size() == 1 ? Intent::kAtomic : Intent::kMultiStep;
  return plan;
}

Result<RequestPlan> plan_to_remember(const std::vector<std::string>& sentences) {
  if (sentences.size() > kMaxClauses)
    return fail(ErrorCode::kLimitExceeded, "a message tells at most 64 sentences");
  RequestPlan plan;
  for (const std::string& sentence : sentences) {
    Task task;
    task.id = std::to_string(plan.graph.tasks().size() + 1);
    task.tool = kRememberTool;
    task.name = "remember " + sentence;
    task.parameters.set("text", sentence);
    if (!plan.graph.tasks().empty()) task.dependencies = {plan.graph.tasks().back().id};
    ANIMA_TRY(plan.graph.add(std::move(task)));
  }
  plan.intent = sentences.size() == 1 ? Intent::kAtomic : Intent::kMultiStep;
  return plan;
}

}  // namespace anima::agent
