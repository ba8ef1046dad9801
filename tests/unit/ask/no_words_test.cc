// What a word does is said in packs/ask: the code of the room compares with no word of the English
// pack.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>
#include <string>

#include "base/json/json.h"
#include "base/json/toml.h"
#include "base/text/text.h"

namespace anima::ask {
namespace {

std::string text_of(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

// All strings below a member of the pack: its words, without the names of classes.
void collect(const Json& json, std::set<std::string>& words) {
  if (json.is_string()) {
    for (const std::string_view word : split(json.as_string(), ' ')) words.emplace(word);
  } else if (json.is_array()) {
    for (const Json& one : json.as_array()) collect(one, words);
  } else if (json.is_object()) {
    for (const JsonMember& one : json.as_object()) collect(one.second, words);
  }
}

std::set<std::string> pack_words() {
  const auto document = parse_toml(text_of(ANIMA_SOURCE_DIR "/packs/ask/en.toml"), "en.toml");
  EXPECT_TRUE(document);
  std::set<std::string> words;
  for (const char* table : {"words", "places", "wholes", "units", "said_units", "scale", "compare",
                            "fold", "contractions"}) {
    if (const Json* part = document->root.find(table)) collect(*part, words);
  }
  for (const char* table : {"numbers", "ordinals"}) {
    if (const Json* part = document->root.find(table)) {
      for (const JsonMember& one : part->as_object()) words.insert(one.first);
    }
  }
  const auto times =
      parse_toml(text_of(ANIMA_SOURCE_DIR "/packs/language/times/en.toml"), "times/en.toml");
  EXPECT_TRUE(times);
  for (const char* table : {"units", "weekdays", "months"}) {
    if (const Json* part = times->root.find(table)) collect(*part, words);
  }
  for (const char* table : {"days", "steps"}) {
    if (const Json* part = times->root.find(table)) {
      for (const JsonMember& one : part->as_object()) words.insert(one.first);
    }
  }
  // A sign ("<", "%") is of no language.
  std::erase_if(words, [](const std::string& word) {
    return std::none_of(word.begin(), word.end(), [](char c) {
      return (c >= 'a' && c <= 'z') || static_cast<unsigned char>(c) >= 0x80;
    });
  });
  return words;
}

// Strings that are names of the contract, of the pack's own tables or of the store, and no words of
// a question: what stands in a call that looks such a name up, and the lists of such names.
std::string without_names(std::string text) {
  for (
      const char* names :
      {R"rx(//[^\n]*)rx", R"rx(#include "[^"]*")rx",
       R"rx((find|set|text|text_of|attribute|member|read_set|read_numbers|fill|refuse)\([^;"]*"[^"]*")rx",
       R"rx(\{\{?"[a-z_]+", )rx", R"rx(return "[^"]*";)rx",
       R"rx(k(TypeLinks|SystemTypes|NameKeys|Names|ClassNames|Kinds)[^;]*;)rx"})
    text = std::regex_replace(text, std::regex(names), " ");
  return text;
}

// Columns of an answer, keys of a proof, values of flags and tables of a pack that are spelt like
// words.
const std::set<std::string>& names_of_the_contract() {
  static const std::set<std::string> kNames = {"ask.cc told",
                                               "parse/reading.cc min",
                                               "compile/runner.cc min",
                                               "answer/statements.cc source",
                                               "answer/statements.cc is",
                                               "compile/kip_text.cc true",
                                               "compile/runner.cc name",
                                               "compile/runner.cc count",
                                               "compile/runner_best.cc name",
                                               "compile/runner_best.cc count",
                                               "compile/runner_best.cc min",
                                               "compile/runner_special.cc name",
                                               "compile/runner_special.cc source",
                                               "compile/runner_special.cc before",
                                               "compile/runner_special.cc after",
                                               "compile/runner_special.cc removed",
                                               "lexicon/pack.cc up",
                                               "parse/parser_verbs.cc true",
                                               "parse/reading.cc true"};
  return kNames;
}

TEST(AskWords, TheRoomHoldsNoWordOfALanguage) {
  const std::set<std::string> words = pack_words();
  ASSERT_GT(words.size(), 300u);
  const std::regex literal(R"rx("((?:[^"\\\n]|\\.)*)")rx");
  std::size_t files = 0;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(ANIMA_SOURCE_DIR "/src/ask")) {
    const std::string extension = entry.path().extension().string();
    if (extension != ".cc" && extension != ".h") continue;
    ++files;
    const std::string text = without_names(text_of(entry.path()));
    for (std::sregex_iterator it(text.begin(), text.end(), literal), end; it != end; ++it) {
      const std::string found = fold_case((*it)[1].str());
      const auto place =
          std::filesystem::relative(entry.path(), ANIMA_SOURCE_DIR "/src/ask").string();
      EXPECT_TRUE(!words.contains(found) || names_of_the_contract().contains(place + " " + found))
          << place << ": \"" << found << "\"";
    }
  }
  EXPECT_GT(files, 20u);
}

// The verbs and nouns by which it is told what somebody does and is, and asked for.
void collect_phrases(const Json& json, std::set<std::string>& phrases) {
  constexpr std::size_t kShortest = 5;
  if (json.is_string() && json.as_string().size() >= kShortest) phrases.insert(json.as_string());
  if (json.is_array()) {
    for (const Json& one : json.as_array()) collect_phrases(one, phrases);
  }
  for (const JsonMember& one : json.as_object()) collect_phrases(one.second, phrases);
}

TEST(AskWords, TheRoomHoldsNoVerbOrNounThatIsTold) {
  std::set<std::string> phrases;
  for (const char* language : {"en", "de"}) {
    for (const char* folder : {"frames/", "frame_questions/"}) {
      const auto file = parse_toml(
          text_of(std::string(ANIMA_SOURCE_DIR "/packs/language/") + folder + language + ".toml"),
          language);
      ASSERT_TRUE(file);
      for (const JsonMember& one : file->root.as_object())
        if (one.second.is_object()) collect_phrases(one.second, phrases);
    }
  }
  ASSERT_GT(phrases.size(), 500u);
  const std::regex literal(R"rx("((?:[^"\\\n]|\\.)*)")rx");
  for (const char* folder : {"/src/ask", "/src/language/frames"}) {
    for (const auto& entry :
         std::filesystem::recursive_directory_iterator(std::string(ANIMA_SOURCE_DIR) + folder)) {
      const std::string extension = entry.path().extension().string();
      if (extension != ".cc" && extension != ".h") continue;
      const std::string text = without_names(text_of(entry.path()));
      for (std::sregex_iterator it(text.begin(), text.end(), literal), end; it != end; ++it)
        EXPECT_FALSE(phrases.contains((*it)[1].str())) << entry.path() << ": " << (*it)[1].str();
    }
  }
}

}  // namespace
}  // namespace anima::ask
