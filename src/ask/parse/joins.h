// The joins of sets: every restriction is added here, and only where the schema allows it.
//
// Thread-safety: pure functions over a Lexicon. Complexity: O(predicates x signatures).
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ask/parse/columns/text_column.h"

namespace anima::ask {

// Of a step more than was said.
inline constexpr double kChainCost = 0.3;

// kEach: one by one, which only a list or a grouping can be.
enum class Quantity : std::uint8_t { kSome, kNone, kOnly, kAll, kCount, kEach };

// "The owner (of the dog)", where no dog is named: whoever that is of the thing that it is said
// with.
struct OwnRole {
  std::vector<Edge> roles;  // from what has the first to it, from there to the next ..
  TypeSet of;               // what has the first, where that was said
};

// What stands at the other end of a relation: a set with what its words say of how many.
struct Phrase {
  SetRef set;
  Quantity quantity = Quantity::kSome;
  Compare compare = Compare::kEqual;  // kCount
  double count = 0;
  bool each_name = false;  // "A and B": all of the names
  bool bare = false;       // nothing said how many
  // A noun of a relation ("owner"): the step from what has it to it.
  std::optional<Edge> through = {};
  bool definite = false;            // "the"
  std::optional<OwnRole> own = {};  // then the set is anybody who is one
  TypeSet own_of = {};              // "the dog": one, and nothing says which
};

using Joined = std::vector<std::pair<SetRef, double>>;  // sets with costs

class Joins {
 public:
  explicit Joins(const Lexicon& lexicon) : lexicon_(lexicon), schema_(lexicon.schema()) {}

  SetRef of_types(const TypeSet& types, bool anything = false) const;
  SetRef of_things(const std::vector<store::EntityId>& things) const;
  // Null when nothing is left.
  SetRef narrowed(const SetRef& set, const TypeSet& types) const;
  SetRef with(const SetRef& set, Restriction restriction) const;

  // The members that the edge leads from to what the phrase says.
  Joined relate(const SetRef& set, const Edge& edge, const Phrase& target) const;
  // The same of a verb that is said of what has rows of it: "(boats) that Tess drove", where
  // outings have a driver and a boat. Only of rows that happen: that have codes and a day.
  Joined relate_said(const SetRef& set, const Edge& edge, const Phrase& target) const;
  // The rows of these types that lead to the phrase by a column that is called as its type, other
  // than `except`.
  Joined rows_with(const TypeSet& rows, const Phrase& target, int except = -1) const;
  bool happens(const TypeSet& types) const;
  // The same for a relation that is not named (spec 4.2); `preposition` may be empty.
  Joined relate_unnamed(const SetRef& set, const Phrase& target,
                        const std::string& preposition) const;
  // The edges that an unnamed relation may be, with costs; with `target` only those that it is
  // recorded under. Of several that lead to one type, the one that is called as the type is meant
  // by its word ("per doctor"), and by no name of its things (`source`, `target`: what was said).
  std::vector<std::pair<Edge, double>> unnamed_edges(const TypeSet& from, const TypeSet& to,
                                                     const std::string& preposition,
                                                     const SetExpr* target = nullptr,
                                                     const SetExpr* source = nullptr) const;

  bool untyped(const SetExpr& set) const;  // of no type that has a name
  // Is one of the things that a set names recorded at the end of this edge? Only asked of things
  // without a type, whose place in a relation the types do not tell; of others always.
  bool recorded(const SetExpr& target, const Edge& edge) const;

  SetRef compare(const SetRef& set, int attribute, Compare compare, const Constant& value) const;
  // In the unit that the attribute has; unchanged where the one is not converted into the other.
  Constant in_unit_of(int attribute, Constant value) const;
  std::string unit_of(int attribute) const;  // empty: nothing says one
  // The attributes of these types that are in the unit of the value, or that are times of day as it
  // is. O(attributes), and once O(values) of those that are kept as text.
  std::vector<int> counted_in(const Constant& value, const TypeSet& types) const;
  // What has it, said without a value: more than 0 of what counts from 0, yes of yes or no, else
  // any value. Where some are below 0 it may mean either, so that is unsure.
  SetRef has_value(const SetRef& set, int attribute) const;
  SetRef is_filled(const SetRef& set, int attribute) const;  // any value
  // The column of these types that says in what unit each number of the attribute is, as its own
  // name does not ("amount" beside "currency"); none where all are in one. O(units + values).
  struct UnitColumn {
    int attribute = -1;
    std::vector<std::string> units;  // sorted
  };
  std::optional<UnitColumn> unit_column(int attribute, const TypeSet& types) const;
  SetRef than(const SetRef& set, int attribute, Compare compare, const SetRef& other) const;
  // ISO days, half open; an empty end is open. Years where the attribute holds years.
  SetRef in_time(const SetRef& set, int attribute, const std::string& from,
                 const std::string& until, TimeSaid said = TimeSaid::kDated) const;
  SetRef best(const SetRef& set, const Best& best) const;
  // What `modified` demands beyond `set` is turned round; null when that is nothing or no
  // restriction. Of yes and no ("not insured") it is the other one, and of what has none said
  // without a value ("no stock") it is 0: what has no value is neither.
  SetRef negated(const SetRef& set, const SetRef& modified) const;
  // All members of `set` that are not in `modified`, whatever is known of them.
  SetRef complement(const SetRef& set, const SetRef& modified) const;
  // Those that these rows lead to by a column that is called as their type.
  Joined led_to_by(const SetRef& set, const SetRef& rows) const;
  // Members of `set` that are in `other`.
  SetRef within(const SetRef& set, const SetRef& other) const;
  // Those that `set` has, whatever else is said of them: "(is) the cheapest boat (green)".
  SetRef among(const SetRef& set) const;
  // What `said`, with a superlative, says of `subject`: that it is in the best of all, and not that
  // it is the best of itself.
  SetRef in_best_of_all(const SetRef& subject, const SetRef& said) const;

  // The attributes that a scale may mean for these types, the first that is there.
  std::vector<int> scale_attributes(const Sense& scale, const TypeSet& types) const;
  bool downward(const Sense& scale, int attribute) const;
  // All dates of these types; `own`: only the one that a type is named after, where there is one
  // (released of Release).
  std::vector<int> date_attributes(const TypeSet& types, bool own = false) const;
  bool numeric(int attribute, const TypeSet& types) const;
  bool holds_numbers(int attribute) const;  // texts, each of which is a number
  bool holds_clocks(int attribute) const;   // texts, each of which is a time of day
  bool is_place(int attribute) const;       // by its name
  bool has_lists(int attribute) const;      // something has several values of it
  bool is_date(int attribute, const TypeSet& types) const;
  TypeSet attribute_types(int attribute) const;
  TypeSet types_of(const std::vector<store::EntityId>& things) const;

  const Lexicon& lexicon() const { return lexicon_; }

  // While one lives, the outermost relation that is joined is one of any number of steps.
  class AnySteps {
   public:
    explicit AnySteps(const Joins& joins) : joins_(joins) { joins_.any_steps_ = true; }
    ~AnySteps() { joins_.any_steps_ = false; }
    AnySteps(const AnySteps&) = delete;
    AnySteps& operator=(const AnySteps&) = delete;

   private:
    const Joins& joins_;
  };

 private:
  bool has_class(const std::string& word, WordClass word_class) const;
  bool is_called_as(const PredicateInfo& info, const TypeSet& types) const;
  SetRef rows_of_role(const SetRef& set, const Phrase& role) const;
  Joined relate_own(const SetRef& set, const Edge& edge, const Phrase& target) const;
  Joined each_said(const SetRef& set, const Edge& edge, const Phrase& target) const;
  std::vector<Edge> steps_to(const TypeSet& from, const TypeSet& to) const;
  bool lead_alike(const Edge& a, const Edge& b, const TypeSet& from, const TypeSet& to) const;
  const TextColumn& column(int attribute) const;
  SetRef in_said_unit(const SetRef& set, int attribute, Constant& value) const;
  const std::vector<UnitColumn>& unit_columns() const;
  bool are_units(const std::vector<std::string>& texts) const;
  bool is_named(int attribute, bool (Pack::*says)(const std::string&) const) const;
  bool holds_texts(int attribute) const;
  // The types that any number of steps leads to.
  TypeSet follow(const Edge& edge, const TypeSet& from, bool back) const;
  Joined chained(const SetRef& set, const Phrase& target, bool had) const;
  const PredicateInfo& predicate(int index) const {
    return schema_.predicates[static_cast<std::size_t>(index)];
  }

  const Lexicon& lexicon_;
  const Schema& schema_;
  mutable bool any_steps_ = false;
  mutable std::map<int, TextColumn> columns_;  // by attribute
  mutable std::optional<std::vector<UnitColumn>> unit_columns_;
};

}  // namespace anima::ask
