// Where a text contains a name, in whatever form the text gives it.
//
// A name is found as it is written; without regard to case, width and accents ("Jose" in "José",
// "Mueller" in "Müller"); as a possessive ("Aino's", "Hans'"); inflected, word by word, by
// the endings of a language (packs/language/names: "Ainon", "Järvellä", "Анны", "Jany"); with its
// words joined or differently separated ("veli_matti", "VeliMatti", "velimatti"); and, in scripts
// without blanks, inside a run of letters ("田中さん" has "田中"). What decides is data and rules,
// nothing is guessed: each place found says by which form it was, and by which language's endings,
// so that a caller that must not take too much (a merge) can ask for less than one that must not
// leave anything (forgetting).
//
// What is not found: nicknames, initials, misspellings, another script. Thread-safety: a NameFinder
// is immutable; find() from any thread. Complexity: O(text) look-ups, and the endings of a language
// for each word that shares its first letters with a word of a name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "language/language.h"

namespace anima::language {

// From the closest to the farthest.
enum class NameForm : std::uint8_t {
  kSame,        // the same bytes
  kFolded,      // up to case, width, blanks and accents
  kPossessive,  // with an apostrophe and what belongs to it
  kInflected,   // with an ending of a language
  kJoined,      // its words as one word, or as parts of one: "velimatti", "VeliMatti_2"
  kUnbroken,    // inside a run of a script without blanks: it may be part of another word
};
std::string_view to_string(NameForm form);  // "same", "folded", ...

struct NameOccurrence {
  std::size_t begin = 0, end = 0;  // bytes of the text, with the ending and what joins it
  NameForm form = NameForm::kSame;
  std::optional<Language> language;  // whose ending it is, where it is inflected
  std::size_t name = 0;              // which of the finder's names
};

struct NameReach {
  // Whose endings count. Where none is named: those of the languages that the text may be in
  // (`likely_languages`), and of all languages where it gives no sign.
  std::vector<Language> languages = {};
  // The endings of every language, whatever the text is in: for who must leave nothing.
  bool every_language = false;
  // No form that is farther than this.
  NameForm farthest = NameForm::kUnbroken;
};

class NameFinder {
 public:
  explicit NameFinder(std::span<const std::string> names, NameReach reach = {});

  // In the order of the text; the longest name at each place, and none inside another found. A name
  // without a letter is never found.
  std::vector<NameOccurrence> find(std::string_view text) const;

 private:
  friend class NameScan;
  struct Spelling {
    std::string folded;       // for finding
    std::string transcribed;  // "mueller" of "Müller"; the same as `folded` where nothing is
    std::string gap_before;   // what stands between it and the word before
    bool unbroken = false;
  };
  struct Name {
    std::string written;
    std::vector<Spelling> words;
  };
  std::vector<Name> names_;
  NameReach reach_;
};

std::vector<NameOccurrence> occurrences(std::string_view text, std::string_view name,
                                        const NameReach& reach = {});
bool contains_name(std::string_view text, std::string_view name, const NameReach& reach = {});

// The forms that a name can have in a language, folded for finding, the name itself first: what to
// ask an index of words for. Of a name of several words those of its last word, with the others as
// they are.
std::vector<std::string> name_forms(std::string_view name, Language language);

}  // namespace anima::language
