// A language as data: the words that questions are made of, read from packs/ask/<language>.toml.
//
// The room `ask` knows no word of any language; what a word does in a sentence is its class here.
// The head of packs/ask/en.toml says what each table of such a file means. Thread-safety: immutable
// once read. Errors: those of TOML, and classes that nobody knows, with their place.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/result.h"

namespace anima::ask {

// What a word of the pack does. The names are those of the pack's [words] table, in this order.
enum class WordClass : std::uint8_t {
  kArticle,
  kDemonstrative,
  kWhich,
  kWho,
  kWhose,
  kWhere,
  kWhen,
  kWhy,
  kHow,
  kHowMany,
  kHowMuch,
  kNumberOf,
  kListVerb,
  kFiller,
  kBe,
  kDo,
  kHave,
  kModal,
  kNot,
  kNo,
  kWithout,
  kNobody,
  kAnybody,
  kEverything,
  kThere,
  kOf,
  kBy,
  kWith,
  kPreposition,
  kRelative,
  kAnd,
  kOr,
  kOnly,
  kAll,
  kEach,
  kPer,
  kOther,
  kExcept,
  kThan,
  kMore,
  kLess,
  kMost,
  kLeast,
  kBetween,
  kTo,
  kDirectly,
  kIndirectly,
  kInTotal,
  kOnAverage,
  kTrueThat,
  kPronounThing,
  kPronounPerson,
  kPronounMany,
  kPossessive,
  kBeforeTime,
  kAfterTime,
  kSinceTime,
  kUntilTime,
  kInTime,
  kLatest,
  kEarliest,
  kLatestLast,
  kBreak,
  kIf,
  kRemoved,
  kNoLonger,
  kSaid,
  kSource,
  kComeFrom,
  kSure,
  kChanged,
  kKnow,
  kAsOf,
  kEntry,
  kAsker,
  kKindNoun,
  kNameNoun,
  kNamed,
  kAbout,
  kImperative,
  kSame,
  kExactly,
  kAtLeast,
  kAtMost,
  kCopy,
  kAs,
  kNeither,
  kNor,
  kBoth,
  kPastTense,
  kSpeaker,
  kOfSpeaker,
  kSpeakersGroup,
  kTop,
  kRole,
  kDefinite,
  kNow,
  kContrast,
  kEnd
};

enum class Compare : std::uint8_t { kEqual, kNotEqual, kLess, kLessEqual, kMore, kMoreEqual };
enum class Fold : std::uint8_t { kSum, kAverage, kLowest, kHighest, kCount };

// One use of a word or a phrase of the pack.
struct PackUse {
  enum class Kind : std::uint8_t {
    kClass,
    kNumber,
    kOrdinal,
    kCompare,
    kFold,
  };
  Kind kind = Kind::kClass;
  WordClass word_class = WordClass::kEnd;
  int number =
      0;  // of a number, an ordinal, a month (1..12), a unit of time, an offset, a weekday (1..7)
  Compare compare = Compare::kEqual;
  Fold fold = Fold::kCount;
};

// An adjective that measures: the attributes that it may mean, the first that is there counts.
struct Scale {
  std::string name;                     // "long"
  std::vector<std::string> attributes;  // as words: "page", "length"
  bool downward = false;                // "short" measures what "long" does, turned round
  bool general = false;                 // without any of these, the only number
  bool age = false;                     // more of it is an earlier date
};
enum class Degree : std::uint8_t { kPlain, kMore, kMost };
struct ScaleUse {
  std::size_t scale = 0;
  Degree degree = Degree::kPlain;
};

// What a number is counted in: two units of one measure are converted by their sizes, those of
// different measures by nothing.
struct Unit {
  std::string measure;        // "length", or a currency by its code
  bool in_names = true;       // as the last word of an attribute's name it is what is counted in
  std::vector<double> sizes;  // several where the word is used for several: of "GB" 10^9 and 2^30
  bool is_currency() const { return !measure.empty() && measure[0] >= 'A' && measure[0] <= 'Z'; }
  double size(std::size_t which) const { return sizes[which < sizes.size() ? which : 0]; }
};

class Pack {
 public:
  static Result<std::shared_ptr<const Pack>> read(std::string_view text, std::string source);
  // One of packs/ask/. Errors: kNotFound.
  static Result<std::shared_ptr<const Pack>> load(std::string_view language);

  const std::string& language() const { return language_; }
  // The uses of a phrase of folded words with single blanks between; null when there are none.
  const std::vector<PackUse>* uses(const std::string& phrase) const;
  std::size_t longest_phrase() const { return longest_; }
  // A single word of the class, the same for the same pack; empty when there is none.
  std::string word_of(WordClass word_class) const;
  // What several forms of a word have in common; of a single folded word.
  std::string stem(const std::string& word) const;
  // The form that others are made from: "code", "boss", but not "released" or "runs".
  bool is_base(const std::string& word) const;
  // A form of a verb that may be its past: "lived", "ran".
  bool is_past(const std::string& word) const;
  // Whether the language says by the form of a verb behind "is" who does it; then: what does it
  // ("managing"), and what it is done to ("managed", "written").
  bool tells_voice() const { return !progressive_endings_.empty(); }
  bool is_progressive(const std::string& word) const;
  bool is_participle(const std::string& word) const;
  // A word with one ending, whose own form that is: "thrillers" of "thriller", "stopped" of "stop".
  bool is_form_of(const std::string& word, const std::string& base) const;
  // Folded word -> the words that it stands for ("aren't" -> "are not"); null when itself.
  const std::vector<std::string>* contraction(const std::string& word) const;
  const std::vector<ScaleUse>* scale_uses(const std::string& word) const;
  const Scale& scale(std::size_t index) const { return scales_[index]; }
  const std::vector<Scale>& scales() const { return scales_; }
  bool is_preposition(const std::string& word) const;
  bool is_by(const std::string& word) const;
  bool denies(const std::string& word) const;           // no, not, without
  bool contains_things(const std::string& word) const;  // a preposition of place
  bool lies_within(const std::string& word) const;      // one that says what a thing lies within
  // What a word in a column's name says of its values.
  bool names_place(const std::string& word) const;
  bool says_where(const std::string& word) const;    // where the thing is, and no place else
  bool adds_nothing(const std::string& word) const;  // behind the noun of a type: event record
  bool names_count(const std::string& word) const;
  bool names_unit(const std::string& word) const;
  bool names_amount(const std::string& word) const;  // of all of a row, not of one piece
  bool names_person(const std::string& word) const;  // or who acts like one: a company, a team
  bool is_whole(const std::string& word) const;      // part: of it is what a thing lies within
  // Of a column's name what is counted: "page" of page count, "seats" of number of seats; else
  // empty. `behind`: the counting word is the last one.
  std::vector<std::string> counted_in(const std::vector<std::string>& words, bool* behind) const;
  // "noon": the second of the day; "pm": what a time before it is moved by. Null: the word is none.
  const int* clock(const std::string& word) const;
  const int* half_of_day(const std::string& word) const;
  bool is_unit_of_names(const std::string& word) const;
  const Unit* unit(const std::string& word) const;  // null: the word is none
  void each_unit(const std::function<void(const std::string&)>& visit) const;
  bool is_kind_noun(const std::string& word) const;  // date, year ..: says what a value is
  bool is_measure(const std::string& word) const;    // price, total: numbers of it are no years
  // What a word may be a form of, the nearest first: of "readings" reading, then read.
  std::vector<std::string> bases(const std::string& word) const;
  // The same noun, perhaps in another number: "pages" and "page", but not "rating" and "rate".
  bool same_noun(const std::string& a, const std::string& b) const {
    return stem(a) == stem(b) && (a.starts_with(b) || b.starts_with(a));
  }
  // Nouns and verbs that belong together: the stem of "discover" for "discovery".
  std::string verb_of(const std::string& stem) const;
  // The stems of the words that may name an attribute beside its own: population -> inhabitants.
  void each_meaning(const std::string& attribute,
                    const std::function<void(const std::string&)>& visit) const;
  void each_scale(const std::function<void(const std::string&, const ScaleUse&)>& visit) const;
  // Words for who does what a verb says, from its stem: "own" -> owner, ownor ..; most are none.
  std::vector<std::string> doers(const std::string& verb) const;
  // The stems of the verbs that a word for a doer may come from: "supplier" -> supply.
  std::vector<std::string> deeds(const std::string& doer) const;
  // Endings of adjectives for more and for most: "er", "est".
  const std::vector<std::string>& degree_endings() const { return degrees_; }
  const std::string& text(std::string_view name) const;  // a template; empty when there is none

 private:
  std::string language_;
  std::unordered_map<std::string, std::vector<PackUse>> uses_;
  std::size_t longest_ = 1;
  std::vector<std::pair<std::string, std::string>> endings_;  // in the order to be tried
  std::unordered_map<std::string, std::string> irregular_;
  std::vector<std::string> past_endings_, progressive_endings_;
  std::set<std::string> past_;   // irregular
  std::set<std::string> doers_;  // who does what a verb of the same form says
  std::unordered_map<std::string, std::vector<std::string>> contractions_;
  std::vector<Scale> scales_;
  std::map<std::string, std::vector<ScaleUse>> scale_uses_;
  std::unordered_map<std::string, bool> prepositions_, places_, containers_, wholes_, kinds_,
      columns_of_places_, columns_of_counts_, counters_, counters_before_, amounts_,
      columns_of_units_, whereabouts_, types_end_,
      persons_;  // persons by their stems
  std::unordered_map<std::string, Unit> units_;
  std::unordered_map<std::string, int> clocks_, halves_;  // seconds
  std::unordered_map<std::string, std::string> verbs_;
  std::unordered_map<std::string, std::vector<std::string>> thesaurus_;
  std::vector<std::pair<std::string, std::string>> agents_;  // ending, what the verb has instead
  std::vector<std::string> degrees_;
  std::map<std::string, std::string, std::less<>> templates_;
  std::size_t shortest_stem_ = 3;

  friend struct PackReader;
};

// A template of the pack with {names} filled in.
std::string fill(const Pack& pack, std::string_view name,
                 const std::map<std::string, std::string>& values);

}  // namespace anima::ask
