// Where a text contains a name, in whatever form the text gives it.
//
// Names and texts are read as a person reads them (text/plain_reading.h) and cut into words with
// their signs (detail/signed_words.h says which signs tell two things apart). A name is found as it
// is written; without regard to case, width and accents ("Jose" in "José", "Mueller" in "Müller");
// as a possessive ("Aino's", "Hans'"); inflected, word by word, by the endings of a language
// (packs/language/words: "Ainon", "Järvellä", "Анны", "Jany"); with its words joined or differently
// separated ("veli_matti", "VeliMatti", "velimatti"), also where quotes, brackets or emphasis
// enclose one of them ("**Ada** Berg"); as in a list of names ("Berg, Ada"); and, in scripts
// without blanks, inside a run of letters ("田中さん" has "田中"). What decides is data and rules,
// nothing is guessed: each place says by which form it was, and whether it is in doubt: signs that
// may or may not be a part of the name, a full stop between its words, two people in a list.
//
// An ending counts where it is one of each language that the other words of the text speak for as
// much; of one that they may be in, or where they give no sign, it is in doubt, and so it is inside
// an address or a name of the machine's, where many other names end so ("Roberts"), and where the
// form is itself a name that people have ("Ivana" of Ivan) or a form of another one ("Александру").
// So is a name behind a particle that makes a family name of both ("D'Angelo"). In a language that
// changes its names, or in one that is not known, what begins as the name is in doubt as well
// ("Jono" of Jonas). So is a person's name in small letters that is a word there ("I will go"), one
// with other marks in Vietnamese, and one that ends inside a word of a script without blanks (李明
// in 李明珠). What is not found: nicknames, initials, misspellings, another script. Thread-safety:
// a NameFinder is immutable; find() from any thread. Complexity: O(text) look-ups, and the endings
// of a language for each word that begins as a word of a name does.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "language/text/plain_reading.h"

namespace anima::language {

// From the closest to the farthest.
enum class NameForm : std::uint8_t {
  kSame,        // the same bytes
  kFolded,      // up to case, width, blanks and accents
  kPossessive,  // with an apostrophe and what belongs to it
  kInflected,   // with an ending of a language
  kJoined,      // its words as one word, as parts of one, or in another order: "VeliMatti_2"
  kUnbroken,    // inside a run of a script without blanks: it may be part of another word
};
std::string_view to_string(NameForm form);  // "same", "folded", ...

struct NameOccurrence {
  std::size_t begin = 0, end = 0;  // bytes of the reading, with the ending and what joins it
  NameForm form = NameForm::kSame;
  bool in_doubt = false;
  std::size_t name = 0;  // which of the finder's names
};

class NameFinder {
 public:
  explicit NameFinder(std::span<const std::string> names);

  // In the order of the text; the longest name at each place, and none inside another found. What
  // is in doubt stands at no place that is sure. A name without a letter is never found.
  std::vector<NameOccurrence> find(const PlainReading& text) const;

 private:
  friend class NameScan;
  struct Names;
  std::shared_ptr<const Names> names_;
};

}  // namespace anima::language
