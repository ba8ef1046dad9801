// Which words are forms of one word, in any language of its script: "talossa" of "talo", "houses"
// of "house". For asking an index that knows words but no languages. Words are folded for finding.
//
// Forms are those with one stem, a plural and its singular, and a word with what is written before
// it as one word (vocabulary.h). Languages disagree, so a form here is one in some language: what
// is found so is worth less than the word itself. Thread-safety: belongs to one thread. Complexity:
// a stem a language for each candidate that begins like the word.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "language/text/stemmer.h"
#include "language/text/vocabulary.h"

namespace anima::language {

class WordForms {
 public:
  explicit WordForms(std::string_view word);

  // Each form begins with one of these; empty where the word has none but itself. No start begins
  // another.
  const std::vector<std::string>& starts() const { return starts_; }
  bool has(std::string_view candidate);

 private:
  void add_stems(Script script);
  void add_plurals(const Vocabulary& words);
  void add_prefixes(const Vocabulary& words);
  void add_changed_stems(const Vocabulary& words);
  bool has_plain(std::string_view candidate);  // without what is written before it

  struct OfLanguage {
    Stemmer stemmer;
    std::string stem;
  };
  std::string word_;
  WordSet forms_;  // exactly so
  // What endings of names stand behind: "jarvise" of "jarvinen".
  std::vector<std::pair<std::string, const NameEndings*>> changed_;
  std::vector<std::string> prefixes_;  // before a form
  std::vector<OfLanguage> languages_;
  std::vector<std::string> starts_;
};

// A plural's singular by what the language's plurals end with, its stem left alone: "cities" is
// "city", "people" is "person"; any other word is itself. Words of fewer than four letters are.
std::string singular_of(std::string_view word, Language language);

}  // namespace anima::language
