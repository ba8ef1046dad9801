// What is known of a language is data in packs/language: no file of src has a list of its words.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "base/json/toml.h"
#include "base/text/text.h"
#include "language/text/word_uses.h"

namespace anima::language {
namespace {

std::string text_of(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

// The words of a file's lists: of texts, of lists of texts and the keys of tables of numbers.
void collect(const Json& json, std::set<std::string>& words) {
  if (json.is_string()) {
    const std::string text = replace_all(json.as_string(), "\n", " ");
    for (const std::string_view part : split(text, ' '))
      for (const std::string_view word : split(part, '>')) words.insert(fold_case(word));
  } else if (json.is_array()) {
    for (const Json& one : json.as_array()) collect(one, words);
  } else if (json.is_object()) {
    for (const JsonMember& one : json.as_object()) {
      if (one.second.is_number()) words.insert(fold_case(one.first));
      collect(one.second, words);
    }
  }
}

void collect_files(const std::string& folder, const std::vector<std::string_view>& tables,
                   std::set<std::string>& words) {
  for (const auto& entry : std::filesystem::directory_iterator(ANIMA_SOURCE_DIR + folder)) {
    const auto document = parse_toml(text_of(entry.path()), entry.path().string());
    ASSERT_TRUE(document) << entry.path();
    for (const JsonMember& one : document->root.as_object())
      if (tables.empty() || std::ranges::find(tables, one.first) != tables.end())
        collect(one.second, words);
  }
}

std::set<std::string> words_of_languages() {
  std::set<std::string> words;
  collect_files("/packs/language/words",
                {"stop_words", "questions", "titles", "list_words", "irregular_plurals"}, words);
  collect_files("/packs/language/times", {"units", "weekdays", "months", "days", "counts"}, words);
  collect_files("/packs/language/numbers", {"words", "ordinals"}, words);
  std::erase_if(words, [](const std::string& word) {
    return word.size() < 2 || std::isdigit(static_cast<unsigned char>(word[0])) != 0;
  });
  return words;
}

// Without comments and the names of headers; what stands between quotes stays.
std::string code_of_file(const std::string& text) {
  std::string code;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("#include")) continue;
    bool quoted = false;
    for (std::size_t at = 0; at < line.size(); ++at) {
      if (line[at] == '\\' && quoted) {
        code += line[at++];
        if (at < line.size()) code += line[at];
        continue;
      }
      if (line[at] == '"' && (at == 0 || line[at - 1] != '\'')) quoted = !quoted;
      if (!quoted && line.compare(at, 2, "//") == 0) break;
      code += line[at];
    }
    code += '\n';
  }
  return code;
}

// Texts in a row: nothing but commas, braces and blanks between them.
std::vector<std::vector<std::string>> lists_of(const std::string& code) {
  std::vector<std::vector<std::string>> lists(1);
  std::size_t end = 0;
  for (std::size_t at = code.find('"'); at != std::string::npos; at = code.find('"', end)) {
    if (code.find_first_not_of(" ,{}\n", end) < at && !lists.back().empty()) lists.emplace_back();
    std::size_t close = at + 1;
    while (close < code.size() && code[close] != '"' && code[close] != '\n')
      close += code[close] == '\\' ? 2 : 1;
    if (close >= code.size()) break;
    lists.back().push_back(code.substr(at + 1, close - at - 1));
    end = close + 1;
  }
  return lists;
}

// Names that a format fixes, which are spelt like words.
const std::map<std::string, std::string>& formats() {
  static const std::map<std::string, std::string> kFormats = {
      {"ask/lexicon/pack.cc", "classes of packs/ask"},
      {"language/language.cc", "codes of languages"},
      {"language/times/time_words.cc", "keys of packs/language/times"},
      {"language/times/time_words.h", "keys of packs/language/times"},
      {"llm/retry.cc", "dates of HTTP"},
      {"load/map/value_forms.cc", "truth values of tables"},
      {"load/talk/mail.cc", "dates of RFC 5322"},
      {"sleep/evidence/written_date.cc", "codes of languages"},
      {"sparql/syntax/built_ins.cc", "functions of SPARQL"},
  };
  return kFormats;
}

// "a aber about after " "all also am an ": one text that is a list of words, some cut to a stem.
bool are_lines_of_words(const std::vector<std::string>& list) {
  std::size_t words = 0;
  for (const std::string& line : list) {
    if (!std::ranges::all_of(line, [](char c) { return c == ' ' || (c >= 'a' && c <= 'z'); }))
      return false;
    words += static_cast<std::size_t>(std::ranges::count(line, ' '));
  }
  return words >= 20;
}

TEST(WordLists, AreDataAlone) {
  const std::set<std::string> words = words_of_languages();
  ASSERT_GT(words.size(), 3000u);
  constexpr std::size_t kLeastTexts = 4, kLeastWords = 3;
  std::size_t files = 0;
  std::set<std::string> fixed;
  const std::filesystem::path root(ANIMA_SOURCE_DIR "/src");
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
    const std::string extension = entry.path().extension().string();
    if (extension != ".cc" && extension != ".h") continue;
    ++files;
    const std::string place = std::filesystem::relative(entry.path(), root).string();
    for (const std::vector<std::string>& list : lists_of(code_of_file(text_of(entry.path())))) {
      if (list.size() == 1 && std::ranges::count(list[0], ' ') < 6) continue;
      const bool lines = are_lines_of_words(list);
      if (list.size() > 1 && list.size() < kLeastTexts && !lines) continue;
      std::vector<std::string> texts = list;
      if (list.size() == 1 || lines) {  // "jan feb mar apr"
        texts.clear();
        for (const std::string& line : list)
          for (const std::string_view word : split(line, ' ')) texts.emplace_back(word);
      }
      std::set<std::string> known;
      std::size_t times = 0;
      for (const std::string& text : texts) {
        const std::string word = fold_case(trim(text));
        if (!words.contains(word)) continue;
        known.insert(word);
        ++times;
      }
      const bool most = list.size() == 1 ? times == texts.size() : times * 3 >= texts.size();
      if (known.size() < kLeastWords || !most) continue;
      fixed.insert(place);
      EXPECT_TRUE(formats().contains(place)) << place << ": " << join(texts, ", ");
    }
  }
  EXPECT_GT(files, 1000u);
  for (const auto& [place, format] : formats())
    EXPECT_TRUE(fixed.contains(place)) << place << " has no list any more: " << format;
}

TEST(WordUses, AreReadFromTheFilesOfAllLanguages) {
  EXPECT_TRUE(words_used_as("of_oneself").contains("me"));
  EXPECT_TRUE(words_used_as("of_oneself").contains("mich"));
  EXPECT_TRUE(words_used_as("mention_nothing").contains("is a"));
  EXPECT_FALSE(words_used_as("everybody").contains("them"));
  EXPECT_EQ(texts_used_as("numbers_from_zero")[7], "seven");
  EXPECT_EQ(texts_used_as("verbs_of_one_meaning").size(), 20u);
  EXPECT_DEATH(words_used_as("no_such_use"), "no_such_use");
}

}  // namespace
}  // namespace anima::language
