// Whom rows are about: "who was admitted last month", "patients admitted last month" are the
// persons that stand in the rows, and not the rows.
#include <algorithm>

#include "ask/parse/columns/persons.h"
#include "ask/parse/parser.h"

namespace anima::ask {
namespace {

bool goes_along(const SetExpr& set, const PersonColumn& column) {
  return std::ranges::any_of(set.restrictions, [&](const Restriction& one) {
    return (column.predicate >= 0 && one.edge.predicate == column.predicate) ||
           (column.attribute >= 0 && one.attribute == column.attribute);
  });
}

}  // namespace

// Whoever is one as far as the words tell; else the persons of each column of rows that have codes,
// and of other rows either they or those.
void Parser::who_reading(const SetRef& set, std::size_t end, double cost) {
  const bool passive = at_class(1, WordClass::kBe);
  TypeSet persons, unknown, rows;
  std::map<TypeId, std::vector<PersonColumn>> columns;
  for (const TypeId type : set->types.ids()) {
    const Personhood is = personhood(lexicon_, type);
    auto& own = columns[type];
    if (is != Personhood::kYes) own = person_columns(lexicon_, type);
    std::erase_if(own, [&](const PersonColumn& one) {
      return goes_along(*set, one) || (passive && one.doer);
    });
    if (is == Personhood::kYes)
      persons.add(type);
    else if (is == Personhood::kMaybe && own.empty())
      unknown.add(type);
    else
      rows.add(type);
  }
  const bool any = !persons.empty();
  TypeSet kept = persons.either(unknown);
  for (const TypeId type : rows.ids()) {
    if (any) break;
    for (const PersonColumn& one : columns[type]) persons_in(set, type, one, end, cost);
    if (columns[type].empty() || personhood(lexicon_, type) == Personhood::kMaybe) kept.add(type);
  }
  const SetRef named = kept.empty() ? nullptr : joins_.narrowed(set, kept);
  if (named != nullptr) plain_list(named, end, cost);
}

// "Who has the most rentals?": nobody whom rentals lead to, but who stands in a column of them.
// Returns whether there is such a column.
bool Parser::most_persons(const SetExpr& set, std::size_t end, double cost) {
  if (!set.best || set.best->by.counted == nullptr || !set.restrictions.empty()) return false;
  for (const TypeId type : set.types.ids()) {
    if (personhood(lexicon_, type) == Personhood::kYes) return false;
  }
  const bool ranked = set.best->rank > 1 || set.best->take > 0 || set.best->by.attribute >= 0;
  bool any = false;
  for (const TypeId type : set.best->by.counted->types.ids()) {
    for (const PersonColumn& one : person_columns(lexicon_, type)) {
      if (one.attribute < 0 || ranked || joins_.has_lists(one.attribute)) continue;
      Reading reading;
      reading.form = Reading::Form::kGroup;
      reading.set = joins_.narrowed(set.best->by.counted, TypeSet::of(type));
      reading.group.emplace();
      reading.group->attribute = one.attribute;
      reading.best.emplace();
      reading.best->most = set.best->most;
      reading.cost = cost;
      any = true;
      add(std::move(reading), end);
    }
  }
  return any;
}

// Those of one column of the rows: things that they lead to, or texts with how many rows have them.
void Parser::persons_in(const SetRef& set, TypeId type, const PersonColumn& column, std::size_t end,
                        double cost) {
  auto rows = std::make_shared<SetExpr>(*set);
  rows->anything = false;
  rows->types = TypeSet::of(type);
  Reading reading;
  reading.cost = cost;
  if (column.predicate >= 0) {
    const SetRef all = joins_.of_types(
        schema_.predicates[static_cast<std::size_t>(column.predicate)].follow(rows->types, false));
    for (auto& [persons, more] :
         joins_.relate(all, Edge{column.predicate, true, false}, Phrase{rows})) {
      reading.set = persons;
      reading.cost = cost + more;
      add(reading, end);
    }
    return;
  }
  const SetRef with = joins_.narrowed(rows, joins_.attribute_types(column.attribute));
  if (with == nullptr) return;
  reading.set = with;
  if (with->best || joins_.has_lists(column.attribute)) {
    reading.form = Reading::Form::kValue;
    reading.attribute = column.attribute;
  } else {
    reading.form = Reading::Form::kGroup;
    reading.group.emplace();
    reading.group->attribute = column.attribute;
  }
  add(std::move(reading), end);
}

// "Admitted last month", said of rows, or of what a column of them that is called as its type leads
// to: "patients admitted last month".
void Parser::deed_times(const Sense& deed, Mods& out) {
  Mods mods = time_tests(deed.end, deed.attribute, deed.cost, true);
  placed_times(deed, mods);
  for (Mod& mod : mods) {
    mod.apply = [this, attribute = deed.attribute, apply = mod.apply](const SetRef& set) {
      Joined own = apply(set);
      if (!own.empty() || set->anything) return own;
      for (auto& [rows, cost] : apply(joins_.of_types(joins_.attribute_types(attribute)))) {
        for (auto& [set_of_rows, more] : joins_.led_to_by(set, rows))
          own.emplace_back(set_of_rows, cost + more);
      }
      return own;
    };
    out.push_back(std::move(mod));
  }
}

// The same where the column has texts: "patients admitted last month" are its values in these rows.
void Parser::values_done(const Sense& column) {
  Ends starts = after(column.end, WordClass::kBe);
  starts.push_back(column.end);
  const SetRef rows = joins_.of_types(joins_.attribute_types(column.attribute));
  for (const std::size_t start : starts) {
    for (const Sense* deed : senses(start, Sense::Kind::kAttribute)) {
      if (!joins_.is_date(deed->attribute, joins_.attribute_types(deed->attribute))) continue;
      Mods mods = time_tests(deed->end, deed->attribute, deed->cost, true);
      placed_times(*deed, mods);
      for (const Mod& mod : mods) {
        for (auto& [done, cost] : mod.apply(rows)) {
          Reading reading;
          reading.form = Reading::Form::kGroup;
          reading.set = done;
          reading.group.emplace();
          reading.group->attribute = column.attribute;
          reading.cost = column.cost + mod.cost + cost + 0.1;
          add(std::move(reading), mod.end);
        }
      }
    }
  }
}

// "Returned in Graz in 2024": a place of the row between the verb and its time. Of several places
// the one that is called like the verb is meant (`return_city`).
void Parser::placed_times(const Sense& deed, Mods& out) {
  if (!pack_.contains_things(preposition_at(deed.end))) return;
  const std::string stem = pack_.stem(pieces_[deed.begin].folded);
  const auto is_of_deed = [&](const Sense* value) {
    const auto& words = schema_.attributes[static_cast<std::size_t>(value->attribute)].words;
    return std::ranges::any_of(words,
                               [&](const std::string& word) { return pack_.stem(word) == stem; });
  };
  std::vector<const Sense*> places = senses(deed.end + 1, Sense::Kind::kValue);
  if (std::ranges::any_of(places, is_of_deed))
    std::erase_if(places, [&](const Sense* value) { return !is_of_deed(value); });
  for (const Sense* place : places) {
    for (Mod mod : time_tests(place->end, deed.attribute, deed.cost, true)) {
      mod.apply = [there = has_value(*place, 0).apply, then = mod.apply](const SetRef& set) {
        Joined joined;
        for (auto& [placed, cost] : there(set)) {
          for (auto& [timed, more] : then(placed)) joined.emplace_back(timed, cost + more);
        }
        return joined;
      };
      mod.cost += place->cost;
      out.push_back(std::move(mod));
    }
  }
}

}  // namespace anima::ask
