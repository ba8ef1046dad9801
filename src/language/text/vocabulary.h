// What is known of the words of one language: packs/language/words, read once.
//
// Everything is folded with FoldStrength::kCase but the endings of stems and names and
// `list_words`, which are folded for finding. The head of packs/language/words/en.toml says what
// each key means. Thread-safety: constant data, made at the first use. Complexity: O(1) a look-up.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/result.h"
#include "language/language.h"
#include "language/text/script.h"

namespace anima::language {

struct TextHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const {
    return std::hash<std::string_view>()(text);
  }
};
using WordSet = std::unordered_set<std::string, TextHash, std::equal_to<>>;

// How names change in sentences.
struct NameEndings {
  WordSet endings;                    // behind the name, or behind a changed stem
  WordSet open_endings;               // of these, those that end as many other names
  std::size_t longest_ending = 0;     // bytes
  std::vector<std::string> prefixes;  // written before the name as one word with it
  // What the name ends with, and what stands there before an ending ("nen", "se"), or as the whole
  // form ("a", "y").
  std::vector<std::pair<std::string, std::string>> stems, swaps;
};

// Words that questions are made of, and words of time.
struct QuestionWords {
  std::vector<std::string> asks_name, asks_thing, asks_when, verb_of_question, first_person, time;
  // Two words that ask for a time together: "how long".
  std::vector<std::pair<std::string, std::string>> asks_when_pairs;
};

struct Vocabulary {
  Language language = Language::kEnglish;
  Script script = Script::kLatin;
  // In the order of the file.
  std::vector<std::string> stop_words;
  // "don't" -> do, not.
  std::map<std::string, std::vector<std::string>, std::less<>> contractions;
  std::vector<std::string> titles;  // before names: "dr", "frau"
  // Titles of learning, which a name has or lacks without being another one: "dr", "prof".
  std::vector<std::string> degrees;
  std::vector<std::string> list_words;  // "and", "or"
  // What is written before a word as one word with it, as an article ("ال", "ה"); for finding.
  std::vector<std::string> word_prefixes;
  // A plural's ending and the singular's: the first that fits. And words that no ending explains.
  std::vector<std::pair<std::string, std::string>> plurals;
  std::map<std::string, std::string, std::less<>> irregular_plurals;
  // For a language without an algorithm of Snowball: what a stem is without, the longest first, and
  // what it then ends with and what that counts as.
  std::vector<std::string> stem_endings;
  std::vector<std::pair<std::string, std::string>> stem_changes;
  // Words that compounds are made of, what stands between two of them, and behind the last.
  WordSet compound_parts;
  std::vector<std::string> compound_links, compound_endings;
  NameEndings names;
  QuestionWords questions;

  bool is_stop_word(std::string_view word) const { return stop_word_set.contains(word); }
  WordSet stop_word_set;
};

// The languages that have a vocabulary, in the order of the enumeration.
std::span<const Language> described_languages();
// An empty one of the language where there is no data.
const Vocabulary& vocabulary(Language language);
// The languages with a vocabulary that are written in a script.
std::vector<Language> languages_in(Script script);

// Reads one file. Errors: kSyntax, kInvalidArgument with the place.
Result<Vocabulary> parse_vocabulary(std::string_view text, std::string source);

// Whether the word is a degree in any language. Requires that it is folded by case.
bool is_degree(std::string_view word);
// Whether it stands before names in any language. Requires that it is folded by case.
bool is_title(std::string_view word);
// Whether it stands between the members of a list in any language. Requires that it is folded for
// finding.
bool joins_a_list(std::string_view word);

// Which languages have the word among their stop words. O(1).
std::span<const Language> languages_with_stop_word(std::string_view word);

}  // namespace anima::language
