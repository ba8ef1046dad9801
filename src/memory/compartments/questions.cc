#include "memory/compartments/questions.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "base/json/json.h"
#include "base/json/toml.h"
#include "base/text/text.h"
#include "language/text/word_uses.h"

namespace anima::memory {
namespace {

constexpr std::size_t kMaxDepth = 16;
constexpr std::size_t kMaxSteps = 20'000;  // of one match; a pattern cannot make it exponential

// A pattern as a tree: a sequence of words, slots, and choices between sequences.
struct Item;
using Items = std::vector<Item>;
struct Item {
  enum class Kind : std::uint8_t { kWord, kSlot, kChoice };
  Kind kind = Kind::kWord;
  std::string text;            // word (folded) or slot name
  std::vector<Items> choices;  // of a choice; an option has an empty one
};

class PatternParser {
 public:
  explicit PatternParser(std::string_view text) : text_(text) {}

  Result<Items> whole() {
    ANIMA_ASSIGN(Items items, sequence(0));
    if (at_ < text_.size()) return wrong("a bracket closes what was never opened");
    return items;
  }

 private:
  static Unexpected<Error> wrong(std::string_view what) {
    return fail(ErrorCode::kSyntax, std::string(what));
  }

  Result<Items> sequence(std::size_t depth) {
    if (depth > kMaxDepth) return wrong("too deep");
    Items items;
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == ' ') {
        ++at_;
      } else if (c == ')' || c == ']' || c == '|') {
        break;
      } else if (c == '(' || c == '[') {
        ANIMA_ASSIGN(Item item, choice(c == '(' ? ')' : ']', depth));
        items.push_back(std::move(item));
      } else if (c == '{') {
        const std::size_t close = text_.find('}', at_);
        if (close == std::string_view::npos) return wrong("a slot never closes");
        items.push_back(
            {Item::Kind::kSlot, std::string(text_.substr(at_ + 1, close - at_ - 1)), {}});
        at_ = close + 1;
      } else {
        const std::size_t end = std::min(text_.find_first_of(" ()[]{}|", at_), text_.size());
        items.push_back({Item::Kind::kWord, fold_case(text_.substr(at_, end - at_)), {}});
        at_ = end;
      }
    }
    return items;
  }

  Result<Item> choice(char close, std::size_t depth) {
    ++at_;
    Item item{Item::Kind::kChoice, {}, {}};
    for (;;) {
      ANIMA_ASSIGN(Items branch, sequence(depth + 1));
      item.choices.push_back(std::move(branch));
      if (at_ >= text_.size()) return wrong("a bracket never closes");
      const char c = text_[at_++];
      if (c == '|') continue;
      if (c != close) return wrong("brackets do not match");
      break;
    }
    if (close == ']') item.choices.emplace_back();
    return item;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

std::vector<std::string> question_words(std::string_view text) {
  std::vector<std::string> words;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t end = std::min(text.find_first_of(" \t\n", at), text.size());
    std::string_view word = text.substr(at, end - at);
    at = end + 1;
    while (!word.empty() && std::string_view("\"'`").find(word.front()) != word.npos) {
      word.remove_prefix(1);
    }
    while (!word.empty() && std::string_view("?!.,;\"'`").find(word.back()) != word.npos) {
      word.remove_suffix(1);
    }
    if (!word.empty()) words.emplace_back(word);
  }
  return words;
}

// Backtracking over the tree; `then` is what must match behind.
class Matcher {
 public:
  explicit Matcher(const std::vector<std::string>& words) : words_(words) {
    for (const std::string& word : words) folded_.push_back(fold_case(word));
  }

  bool match(const Items& items) {
    return run(items, 0, 0, [&](std::size_t end) { return end == words_.size(); });
  }

  std::map<std::string, std::string, std::less<>> slots;
  std::vector<std::string> literal;

 private:
  using Then = std::function<bool(std::size_t)>;

  bool run(const Items& items, std::size_t item, std::size_t at, const Then& then) {
    if (++steps_ > kMaxSteps) return false;
    if (item == items.size()) return then(at);
    const Item& here = items[item];
    if (here.kind == Item::Kind::kChoice) {
      for (const Items& branch : here.choices) {
        const bool found = run(
            branch, 0, at, [&, item](std::size_t end) { return run(items, item + 1, end, then); });
        if (found) return true;
      }
      return false;
    }
    if (at >= words_.size()) return false;
    if (here.kind == Item::Kind::kWord) {
      if (folded_[at] != here.text) return false;
      literal.push_back(folded_[at]);
      if (run(items, item + 1, at + 1, then)) return true;
      literal.pop_back();
      return false;
    }
    slots[here.text] = words_[at];
    if (run(items, item + 1, at + 1, then)) return true;
    slots.erase(here.text);
    return false;
  }

  const std::vector<std::string>& words_;
  std::vector<std::string> folded_;
  std::size_t steps_ = 0;
};

using Phrases = std::map<std::string, std::string, std::less<>>;

// `<name>` in a pattern stands for the phrase of that name; phrases may name others.
Result<std::string> expand(std::string_view text, const Phrases& phrases, std::size_t depth = 0) {
  if (depth > kMaxDepth) return fail(ErrorCode::kSyntax, "a phrase stands for itself");
  std::string out;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t open = std::min(text.find('<', at), text.size());
    out += text.substr(at, open - at);
    if (open == text.size()) break;
    const std::size_t close = text.find('>', open);
    if (close == std::string_view::npos) return fail(ErrorCode::kSyntax, "a phrase never closes");
    const std::string_view name = text.substr(open + 1, close - open - 1);
    const auto phrase = phrases.find(name);
    if (phrase == phrases.end()) {
      return fail(ErrorCode::kSyntax, fmt::format("there is no phrase <{}>", name));
    }
    ANIMA_ASSIGN(const std::string inner, expand(phrase->second, phrases, depth + 1));
    out += "(" + inner + ")";
    at = close + 1;
  }
  return out;
}

Result<Phrases> read_phrases(const TomlDocument& document) {
  Phrases phrases;
  const Json* table = document.root.find("phrases");
  if (table == nullptr) return phrases;
  if (!table->is_object()) {
    return fail(ErrorCode::kInvalidArgument, "`phrases` must be a table",
                document.where("phrases"));
  }
  for (const auto& [name, text] : table->as_object()) {
    if (!text.is_string()) {
      return fail(ErrorCode::kInvalidArgument, fmt::format("`phrases.{}` must be a string", name),
                  document.where("phrases." + name));
    }
    phrases[name] = text.as_string();
  }
  return phrases;
}

std::string example_of(const Items& items) {
  std::string out;
  for (const Item& item : items) {
    std::string part;
    switch (item.kind) {
      case Item::Kind::kWord:
        part = item.text;
        break;
      case Item::Kind::kSlot:
        part = "{" + item.text + "}";
        break;
      case Item::Kind::kChoice:
        part = item.choices.back().empty() ? std::string() : example_of(item.choices.front());
        break;
    }
    if (!part.empty()) out += (out.empty() ? "" : " ") + part;
  }
  return out;
}

Status read_text(const Json& table, const TomlDocument& document, const std::string& prefix,
                 std::string_view key, bool required, std::string& out) {
  const Json* found = table.find(key);
  const std::string place = prefix + "." + std::string(key);
  if (found == nullptr && !required) return {};
  if (found == nullptr || !found->is_string() || (required && found->as_string().empty())) {
    return fail(ErrorCode::kInvalidArgument, fmt::format("`{}` must be a string", place),
                document.where(found == nullptr ? prefix : place));
  }
  out = found->as_string();
  return {};
}

Status read_texts(const Json& table, const TomlDocument& document, const std::string& prefix,
                  std::string_view key, bool required, std::vector<std::string>& out) {
  const Json* found = table.find(key);
  const std::string place = prefix + "." + std::string(key);
  if (found == nullptr && !required) return {};
  const auto wrong = [&] {
    return fail(ErrorCode::kInvalidArgument, fmt::format("`{}` must be a list of strings", place),
                document.where(found == nullptr ? prefix : place));
  };
  if (found == nullptr || !found->is_array() || (required && found->as_array().empty())) {
    return wrong();
  }
  for (const Json& item : found->as_array()) {
    if (!item.is_string()) return wrong();
    out.push_back(item.as_string());
  }
  return {};
}

}  // namespace

Result<std::vector<QuestionPattern>> parse_questions(std::string_view toml,
                                                     const std::string& source) {
  ANIMA_ASSIGN(const TomlDocument document, parse_toml(toml, source));
  static constexpr std::string_view kKeys[] = {"name",   "ask",   "query",  "subject",
                                               "known",  "names", "answer", "none",
                                               "absent", "proof", "next"};
  ANIMA_ASSIGN(const Phrases phrases, read_phrases(document));
  std::vector<QuestionPattern> patterns;
  const Json* list = document.root.find("question");
  if (list == nullptr || !list->is_array()) {
    return fail(ErrorCode::kInvalidArgument, "there is no [[question]]", source);
  }
  for (std::size_t i = 0; i < list->as_array().size(); ++i) {
    const Json& table = list->as_array()[i];
    const std::string prefix = fmt::format("question[{}]", i);
    if (!table.is_object()) {
      return fail(ErrorCode::kInvalidArgument, "a [[question]] must be a table", source);
    }
    for (Error& error : unknown_toml_keys(document, prefix, kKeys)) return fail(std::move(error));
    QuestionPattern made;
    ANIMA_TRY(read_text(table, document, prefix, "name", true, made.name));
    ANIMA_TRY(read_texts(table, document, prefix, "ask", true, made.ask));
    ANIMA_TRY(read_text(table, document, prefix, "query", true, made.query));
    ANIMA_TRY(read_text(table, document, prefix, "subject", false, made.subject));
    ANIMA_TRY(read_text(table, document, prefix, "known", false, made.known));
    ANIMA_TRY(read_text(table, document, prefix, "names", false, made.names));
    ANIMA_TRY(read_text(table, document, prefix, "answer", true, made.answer));
    ANIMA_TRY(read_text(table, document, prefix, "none", false, made.none));
    ANIMA_TRY(read_text(table, document, prefix, "absent", false, made.absent));
    ANIMA_TRY(read_text(table, document, prefix, "proof", false, made.proof));
    ANIMA_TRY(read_texts(table, document, prefix, "next", false, made.next));
    for (std::string& ask : made.ask) {
      const auto wrong = [&](const Error& error) {
        return fail(ErrorCode::kSyntax,
                    fmt::format("the pattern \"{}\" cannot be read: {}", ask, error.message),
                    document.where(prefix + ".ask"));
      };
      const auto expanded = expand(ask, phrases);
      if (!expanded) return wrong(expanded.error());
      if (const auto items = PatternParser(*expanded).whole(); !items) return wrong(items.error());
      ask = *expanded;
    }
    patterns.push_back(std::move(made));
  }
  return patterns;
}

std::optional<QuestionMatch> match_question(std::string_view text,
                                            const std::vector<QuestionPattern>& patterns) {
  const std::vector<std::string> words = question_words(text);
  for (const QuestionPattern& pattern : patterns) {
    for (const std::string& ask : pattern.ask) {
      const auto items = PatternParser(ask).whole();
      Matcher matcher(words);
      if (!items || !matcher.match(*items)) continue;
      return QuestionMatch{&pattern, std::move(matcher.slots), std::move(matcher.literal)};
    }
  }
  return std::nullopt;
}

std::string fill_slots(std::string_view text,
                       const std::map<std::string, std::string, std::less<>>& values, bool quoted) {
  std::string out;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t open = std::min(text.find('{', at), text.size());
    out += text.substr(at, open - at);
    if (open == text.size()) break;
    const std::size_t close = text.find('}', open);
    const auto found = close == std::string_view::npos
                           ? values.end()
                           : values.find(text.substr(open + 1, close - open - 1));
    if (found == values.end()) {
      out += '{';
      at = open + 1;
      continue;
    }
    out += quoted ? quote_json(found->second) : found->second;
    at = close + 1;
  }
  return out;
}

std::string example_of(std::string_view ask) {
  const auto items = PatternParser(ask).whole();
  return items ? example_of(*items) : std::string(ask);
}

bool looks_like_question(std::string_view text) {
  const std::string folded = to_lower(trim(text));
  if (folded.ends_with('?')) return true;
  const std::size_t blank = folded.find(' ');
  return blank != std::string::npos &&
         language::words_used_as("begin_questions").contains(folded.substr(0, blank));
}

}  // namespace anima::memory
