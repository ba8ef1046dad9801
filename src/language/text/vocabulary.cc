#include "language/text/vocabulary.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <optional>
#include <unordered_map>

#include "base/json/toml.h"
#include "base/packs.h"
#include "base/text/text.h"
#include "language/text/fold.h"
#include "language/text/word_filter.h"

namespace anima::language {
namespace {

constexpr std::string_view kFolder = "packs/language/words/";
constexpr std::array<std::string_view, 14> kKeys = {
    "language",      "script",  "stop_words",        "contractions", "titles", "degrees",
    "list_words",    "plurals", "irregular_plurals", "compounds",    "names",  "questions",
    "word_prefixes", "stems"};
constexpr std::array<std::string_view, 7> kQuestionKeys = {
    "asks_name",    "asks_thing", "asks_when",      "verb_of_question",
    "first_person", "time",       "asks_when_pairs"};
constexpr std::array<std::string_view, 3> kCompoundKeys = {"parts", "links", "endings"};
constexpr std::array<std::string_view, 2> kStemKeys = {"endings", "changes"};
constexpr std::array<std::string_view, 5> kNameKeys = {"endings", "open_endings", "prefixes",
                                                       "stems", "swaps"};

// The reader of one file.
class Reader {
 public:
  explicit Reader(const TomlDocument& document) : document_(document) {}

  Result<Vocabulary> run() {
    check_keys("", kKeys);
    check_keys("compounds", kCompoundKeys);
    check_keys("names", kNameKeys);
    check_keys("stems", kStemKeys);
    check_keys("questions", kQuestionKeys);
    const std::string code(text("", "language"));
    if (const auto language = language_of_code(code)) {
      words_.language = *language;
    } else {
      fault("language", fmt::format("\"{}\" is no language that is known", code));
    }
    if (const auto script = script_of_name(text("", "script"))) {
      words_.script = *script;
    } else {
      fault("script", "this is no script that is known");
    }
    words_.stop_words = list("", "stop_words", FoldStrength::kCase);
    words_.stop_word_set.insert(words_.stop_words.begin(), words_.stop_words.end());
    words_.titles = list("", "titles", FoldStrength::kCase);
    words_.degrees = list("", "degrees", FoldStrength::kCase);
    words_.list_words = list("", "list_words", FoldStrength::kMarks);
    words_.word_prefixes = list("", "word_prefixes", FoldStrength::kMarks);
    words_.plurals = changes("", "plurals", FoldStrength::kCase);
    for (auto& [plural, singular] : changes("", "irregular_plurals", FoldStrength::kCase))
      words_.irregular_plurals.emplace(plural, singular);
    contractions();
    words_.stem_endings = list("stems", "endings", FoldStrength::kMarks);
    std::ranges::stable_sort(words_.stem_endings, std::ranges::greater(), &std::string::size);
    words_.stem_changes = changes("stems", "changes", FoldStrength::kMarks);
    for (std::string& part : list("compounds", "parts", FoldStrength::kMarks))
      words_.compound_parts.insert(std::move(part));
    words_.compound_links = list("compounds", "links", FoldStrength::kMarks);
    words_.compound_endings = list("compounds", "endings", FoldStrength::kMarks);
    names();
    questions();
    if (error_) return anima::fail(std::move(*error_));
    return std::move(words_);
  }

 private:
  void check_keys(std::string_view table, std::span<const std::string_view> known) {
    for (Error& error : unknown_toml_keys(document_, table, known))
      if (!error_) error_ = std::move(error);
  }
  void fault(std::string_view key, std::string message) {
    if (error_) return;
    error_ = Error{};
    error_->code = ErrorCode::kInvalidArgument;
    error_->message = std::move(message);
    error_->where = document_.where(key);
  }

  const Json* member(std::string_view table, std::string_view key) const {
    const Json* in = table.empty() ? &document_.root : document_.root.find(table);
    return in == nullptr || !in->is_object() ? nullptr : in->find(key);
  }
  std::string_view text(std::string_view table, std::string_view key) {
    const Json* value = member(table, key);
    if (value == nullptr) return {};
    if (value->is_string()) return value->as_string();
    fault(table.empty() ? std::string(key) : fmt::format("{}.{}", table, key),
          "this must be a text of words with blanks between");
    return {};
  }

  // Words between blanks.
  std::vector<std::string> list(std::string_view table, std::string_view key,
                                FoldStrength strength) {
    std::vector<std::string> words;
    const std::string_view all = text(table, key);
    for (std::size_t at = 0; at < all.size();) {
      const std::size_t from = all.find_first_not_of(" \n\t\r", at);
      if (from == all.npos) break;
      at = std::min(all.find_first_of(" \n\t\r", from), all.size());
      words.push_back(fold(all.substr(from, at - from), strength));
    }
    return words;
  }
  // "a>y nen>se": what is there, and what takes its place. "-" is nothing.
  std::vector<std::pair<std::string, std::string>> changes(std::string_view table,
                                                           std::string_view key,
                                                           FoldStrength strength) {
    std::vector<std::pair<std::string, std::string>> pairs;
    for (const std::string& word : list(table, key, strength)) {
      const std::size_t arrow = word.find('>');
      if (arrow == word.npos) {
        fault(key,
              fmt::format("\"{}\" has no > between what is there and what takes its place", word));
        continue;
      }
      std::string from = word.substr(0, arrow), to = word.substr(arrow + 1);
      if (from == "-") from.clear();
      if (to == "-") to.clear();
      pairs.emplace_back(std::move(from), std::move(to));
    }
    return pairs;
  }

  void contractions() {
    const Json* table = member("", "contractions");
    if (table == nullptr) return;
    if (!table->is_object()) return fault("contractions", "this must be a table of texts");
    for (const auto& one : table->as_object()) {
      if (!one.second.is_string()) return fault("contractions", "this must be a table of texts");
      std::vector<std::string> parts;
      for (const std::string_view part : split(one.second.as_string(), ' '))
        parts.push_back(fold(part, FoldStrength::kCase));
      words_.contractions.emplace(fold(one.first, FoldStrength::kCase), std::move(parts));
    }
  }

  void names() {
    NameEndings& names = words_.names;
    for (std::string& ending : list("names", "endings", FoldStrength::kMarks)) {
      names.longest_ending = std::max(names.longest_ending, ending.size());
      names.endings.insert(std::move(ending));
    }
    names.prefixes = list("names", "prefixes", FoldStrength::kMarks);
    names.stems = changes("names", "stems", FoldStrength::kMarks);
    for (std::string& ending : list("names", "open_endings", FoldStrength::kMarks))
      names.open_endings.insert(std::move(ending));
    names.swaps = changes("names", "swaps", FoldStrength::kMarks);
  }

  void questions() {
    QuestionWords& words = words_.questions;
    const std::array<std::vector<std::string>*, 6> lists = {
        &words.asks_name,        &words.asks_thing,   &words.asks_when,
        &words.verb_of_question, &words.first_person, &words.time};
    for (std::size_t i = 0; i < lists.size(); ++i)
      *lists[i] = list("questions", kQuestionKeys[i], FoldStrength::kCase);
    words.asks_when_pairs = changes("questions", kQuestionKeys.back(), FoldStrength::kCase);
  }

  const TomlDocument& document_;
  Vocabulary words_;
  std::optional<Error> error_;
};

// What ships is read by a test: a fault in it is the builder's.
Vocabulary shipped(Language language) {
  const std::string path = fmt::format("{}{}.toml", kFolder, code_of(language));
  const auto text = pack_file(path);
  Vocabulary empty;
  empty.language = language;
  empty.script = Script::kOther;
  if (!text) return empty;
  auto read = parse_vocabulary(*text, path);
  if (!read) std::abort();
  return std::move(*read);
}

struct StopWordIndex {
  StopWordIndex() {
    for (const Language language : described_languages())
      for (const std::string& word : vocabulary(language).stop_words) add(word, language);
  }
  void add(const std::string& word, Language language) {
    std::vector<Language>& of = languages[word];
    if (of.empty() || of.back() != language) of.push_back(language);
    filter.add(word);
  }
  std::unordered_map<std::string, std::vector<Language>, TextHash, std::equal_to<>> languages;
  WordFilter filter;
};

WordSet of_all_languages(std::vector<std::string> Vocabulary::*list) {
  WordSet all;
  for (const Language language : described_languages())
    all.insert((vocabulary(language).*list).begin(), (vocabulary(language).*list).end());
  return all;
}

}  // namespace

Result<Vocabulary> parse_vocabulary(std::string_view text, std::string source) {
  auto document = parse_toml(text, std::move(source));
  if (!document) return fail(document.error());
  return Reader(*document).run();
}

std::span<const Language> described_languages() {
  static const std::vector<Language> kDescribed = [] {
    std::vector<Language> languages;
    for (std::size_t i = 0; i < kLanguages; ++i) {
      const auto language = static_cast<Language>(i);
      if (pack_file(fmt::format("{}{}.toml", kFolder, code_of(language))))
        languages.push_back(language);
    }
    return languages;
  }();
  return kDescribed;
}

const Vocabulary& vocabulary(Language language) {
  struct Once {
    std::once_flag made;
    Vocabulary words;
  };
  static std::array<Once, kLanguages> all;
  Once& one = all[static_cast<std::size_t>(language)];
  std::call_once(one.made, [&] { one.words = shipped(language); });
  return one.words;
}

std::vector<Language> languages_in(Script script) {
  std::vector<Language> languages;
  for (const Language language : described_languages())
    if (vocabulary(language).script == script) languages.push_back(language);
  return languages;
}

bool is_degree(std::string_view word) {
  static const WordSet kDegrees = of_all_languages(&Vocabulary::degrees);
  return kDegrees.contains(word);
}

bool is_title(std::string_view word) {
  static const WordSet kTitles = of_all_languages(&Vocabulary::titles);
  return kTitles.contains(word);
}

bool joins_a_list(std::string_view word) {
  static const WordSet kWords = of_all_languages(&Vocabulary::list_words);
  return kWords.contains(word);
}

std::span<const Language> languages_with_stop_word(std::string_view word) {
  static const StopWordIndex kIndex;
  if (!kIndex.filter.may_hold(word)) return {};
  const auto found = kIndex.languages.find(word);
  if (found == kIndex.languages.end()) return {};
  return found->second;
}

}  // namespace anima::language
