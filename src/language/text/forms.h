// Which words are forms of one word, and in which languages of its script: "talossa" of "talo" in
// Finnish, "houses" of "house" in English. For asking an index that knows words but no languages.
// Words are folded for finding.
//
// Forms are those with one stem, a plural and its singular, those of an irregular verb
// (packs/language/irregular), and a word with what is written before it as one word (vocabulary.h).
// Languages disagree ("travers" and "travail" have one stem in Catalan), so a form counts in a text
// whose language has it. Where nothing says which language a text is in, one is believed that some
// language has and whose letters say so, too. What is found so is worth less than the word itself.
// Thread-safety: belongs to one thread. Complexity: a stem a language for each candidate that
// begins like the word.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "language/text/guess.h"
#include "language/text/stemmer.h"
#include "language/text/vocabulary.h"

namespace anima::language {

// Of a candidate: the languages in which it is a form of the word.
struct FormSense {
  LanguageSet languages;
  bool plain = false;  // no more than an ending, or a prefix, tells the two apart
  bool by_rule =
      false;  // one is the other's plural, or a name in another case: not by its stem alone

  // Whether it is one in a text of these languages (languages_of_forms()).
  bool fits(const LanguageSet& of_text) const {
    return of_text.none() ? plain && languages.any() : (languages & of_text).any();
  }
};

class WordForms {
 public:
  explicit WordForms(std::string_view word);

  // Each form begins with one of these; empty where the word has none but itself. No start begins
  // another.
  const std::vector<std::string>& starts() const { return starts_; }
  FormSense sense(std::string_view candidate);
  // sense(candidate).fits(of_text), with no more stems than that needs.
  bool fits(std::string_view candidate, const LanguageSet& of_text);
  // In some language, or itself.
  bool has(std::string_view candidate) {
    return candidate == word_ || sense(candidate).languages.any();
  }

 private:
  struct Rules;  // of the languages of a script
  static const Rules& rules_of(Script script);
  void add_stems(const Rules& rules);
  void add_plurals(const Rules& rules);
  void add_irregular(const Rules& rules);
  void add_prefixes(const Rules& rules);
  void add_changed_stems(const Rules& rules);
  void add_form(std::string form, const LanguageSet& languages, bool by_rule);
  void order_forms();
  void make_starts();
  // `among`: the languages that matter; none where a form counts only if it is a plain one.
  FormSense sense_among(std::string_view candidate, const LanguageSet& among);
  FormSense without_prefix(std::string_view candidate, const LanguageSet& among);

  struct OfLanguage {
    Language language;
    std::string stem;
    // What its forms begin with: so many bytes of the word, or what its stem begins with otherwise.
    std::size_t start = 0;
    std::string other_start = {};
  };
  struct Form {
    std::string text;
    LanguageSet languages;  // none where their stems must say so, too
    bool by_rule = false;   // of plurals
  };
  struct Changed {
    std::string stem;
    const Vocabulary* words;
  };
  bool begins_as_in(const OfLanguage& of, std::string_view candidate) const;

  std::string word_;
  std::vector<Form> forms_;       // exactly so, each once, by their bytes
  std::vector<Changed> changed_;  // what endings of names stand behind: "jarvise" of "jarvinen"
  const Rules* rules_ = nullptr;  // whose prefixes stand before a form; null where there are none
  std::vector<OfLanguage> languages_;
  std::vector<std::string> starts_;
};

// A plural's singular by what the language's plurals end with, its stem left alone: "cities" is
// "city", "people" is "person"; any other word is itself. Words of fewer than four letters are.
std::string singular_of(std::string_view word, Language language);

}  // namespace anima::language
