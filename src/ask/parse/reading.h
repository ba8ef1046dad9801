// What a question means: sets of things under restrictions, and what is asked of them.
//
// A reading is a tree, its root what is asked for. Every step between two sets is an edge of the
// schema whose types were checked when it was joined. Thread-safety: immutable once built, shared.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ask/lexicon/lexicon.h"

namespace anima::ask {

struct SetExpr;
using SetRef = std::shared_ptr<const SetExpr>;

// One step along a predicate; not inverse: from its subject to its object.
struct Edge {
  int predicate = -1;
  bool inverse = false;
  bool closure = false;  // one step or more
  bool operator==(const Edge&) const = default;
};

// How a question says a time of one date attribute.
enum class TimeSaid : std::uint8_t {
  kDated,     // with its year, so that the words tell its days
  kNumber,    // "of 1999": a year, if it is no other number
  kRelative,  // "last month"
  kYearly,    // "in March": of no year
  kMonthly,   // "on the 1st": of no month
  kWeekly,    // "on a Monday"
};

struct Constant {
  enum class Kind : std::uint8_t { kNumber, kText, kFlag };
  Kind kind = Kind::kNumber;
  double number = 0;
  std::string text;      // also of a date
  std::string digits;    // of a number, where they are known: more than a double holds
  std::string written;   // of a number, as the question has it: "12.10"
  std::string unit;      // that the question says, until it is converted: a misfit where it is not
  std::size_t size = 0;  // which of the unit's sizes is meant
  bool unsure = false;   // what was written may be another number, too
  bool flag = false;
  bool of_texts = false;             // kNumber: compared with texts, each of which is a number
  bool clock = false;                // kNumber: a time of day, in seconds; `written` is how
  TimeSaid said = TimeSaid::kDated;  // of a time
  bool operator==(const Constant&) const = default;
};

struct Restriction {
  enum class Kind : std::uint8_t {
    kRelation,   // edge leads to a member of target
    kCount,      // edge leads to so many members of target
    kEvery,      // edge leads to every member of target, and there is one
    kAttribute,  // attribute compare value
    kHas,        // there is a value of attribute
    kThan,       // attribute compare attribute of a member of target
    kNot,        // not all of parts hold
    kAny,        // all of parts of one of the alternatives hold
    kNamed,      // is one of names
    kIn,         // is a member of target
    kFold,       // fold of attribute over the members of target that edge leads to, compared
    kSame,       // edge leads to what the path leads to: "led by the owner (of its dog)"
  };
  Kind kind = Kind::kRelation;
  Edge edge;
  SetRef target;
  int attribute = -1;
  Compare compare = Compare::kEqual;
  Constant value;
  bool possessed = false;  // kAttribute: "with stock", said without a value
  bool denied = false;     // kAttribute: "not insured", turned round: an empty cell says neither
  Fold fold = Fold::kAverage;
  std::vector<store::EntityId> names;
  std::vector<std::string> nouns;  // kRelation: what the link must have been told with, if any
  int rule = -1;                   // kNamed: the rule set whose members the names are
  std::vector<Edge> path;          // kSame: from the member, each step from where the last led
  std::vector<Restriction> parts;
  std::vector<std::vector<Restriction>> alternatives;
};

// What a superlative goes by: an attribute, or how many an edge leads to.
struct Measure {
  int attribute = -1;
  Edge edge;
  SetRef counted;  // with an attribute: fold of it over those that the edge leads to
  Fold fold = Fold::kCount;
};

struct Best {
  Measure by;
  bool most = true;
  int rank = 1;  // 2: the second
  int take = 0;  // 0: the first and its ties; else so many
};

struct SetExpr {
  TypeSet types;
  std::vector<store::EntityId> names;  // empty: all of the types
  std::vector<Restriction> restrictions;
  std::optional<Best> best;  // after all restrictions
  int numeral = 0;           // "the three ..": the number that there should be
  bool anything = false;     // who, what, everything: named by no word
  bool by_type = false;      // with names: their type was said, too, "the doctor Bo Lind"
  bool by_value = false;     // named by a value of theirs alone: "novels", "the Fiat 500"
};

struct Grouping {
  int attribute = -1;
  Edge edge;
  SetRef groups;
};

// The kind of thing that the word of a question asks for.
enum class Asked : std::uint8_t { kAny, kThing, kMuch, kMany, kTime, kPlace, kPerson };

struct Reading {
  enum class Form : std::uint8_t {
    kList,
    kValue,   // attributes[0] of the members
    kCount,   // members; with an attribute how many values of it they have
    kExists,  // is there a member
    kFold,    // fold of attributes[0] over the members
    kGroup,   // fold per group; kCount: members
    kTop,     // in each group those with the best measure
    kEach,    // of each of the names those that its one relation leads to
    kWhy,
    kWhatIf,
    kHistory,
    kSource,
    kSure,
    kBegan,  // since when the fact holds
    kEnded,  // until when it held
  };
  Form form = Form::kList;
  Asked asked = Asked::kAny;
  SetRef set;
  SetRef subject;  // kExists: of whom it is asked, where that is told by what it is and by no name
  int attribute = -1;
  Fold fold = Fold::kCount;
  std::optional<Grouping> group;
  std::optional<Best> best;  // kTop; of kGroup the groups with the most, by nothing else
  std::optional<std::pair<Compare, double>> having = {};  // kGroup: of the groups those, by number
  bool every = false;       // kExists: of each of the names ("web01 and web02"), not of one
  SetRef of_all = nullptr;  // kExists: that all of these are in `set`, which says one thing more
  bool otherwise = false;   // meant only where what costs no more is nowhere
  SetRef without;           // kWhatIf: what is taken away
  Edge fact;                // kWhy, kSource, kBegan ..: the relation between set and other
  SetRef other;
  std::optional<store::Sequence> as_of_entry;
  std::string as_of_time, since;
  std::string valid_from, valid_until;  // ISO days: only links that hold at some moment of them
  bool ever = false;                    // links that hold no more count, too
  double cost = 0;
};

// The reading in the space's own words, the same for the same reading.
std::string describe(const Reading& reading, const Lexicon& lexicon);
// The same for readings that differ only in which of several things of one name they mean.
std::string describe_names(const Reading& reading, const Lexicon& lexicon);
std::string describe(const SetExpr& set, const Lexicon& lexicon);

}  // namespace anima::ask
