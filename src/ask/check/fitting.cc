#include "ask/check/fitting.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <vector>

#include "ask/check/repeated_days.h"
#include "ask/parse/columns/persons.h"
#include "ask/parse/joins.h"
#include "ask/parse/times.h"
#include "base/text/text.h"

namespace anima::ask {
namespace {

// Restrictions that must hold together, the types that they are said of, and the set whose they
// are; null: they are parts of one.
using Visit = std::function<void(const std::vector<Restriction>&, const TypeSet&, const SetExpr*)>;

void each_list(const SetRef& set, const Visit& visit);

void each_part(const std::vector<Restriction>& list, const TypeSet& types, const Visit& visit) {
  for (const Restriction& one : list) {
    each_list(one.target, visit);
    if (!one.parts.empty()) {
      visit(one.parts, types, nullptr);
      each_part(one.parts, types, visit);
    }
    for (const auto& parts : one.alternatives) {
      visit(parts, types, nullptr);
      each_part(parts, types, visit);
    }
  }
}

void each_list(const SetRef& set, const Visit& visit) {
  if (set == nullptr) return;
  visit(set->restrictions, set->types, set.get());
  each_part(set->restrictions, set->types, visit);
  if (set->best) each_list(set->best->by.counted, visit);
}

void each_list(const Reading& reading, const Visit& visit) {
  for (const SetRef& set : {reading.set, reading.other, reading.without}) each_list(set, visit);
  if (reading.group) each_list(reading.group->groups, visit);
  if (reading.best) each_list(reading.best->by.counted, visit);
}

class Fitting {
 public:
  explicit Fitting(const Lexicon& lexicon) : lexicon_(lexicon), joins_(lexicon) {}

  std::string misfit(const std::vector<Restriction>& list, const TypeSet& types) const {
    for (const Restriction& one : list) {
      if (one.attribute < 0) continue;
      if (!one.value.unit.empty()) return other_unit(one);
      if (is_clock(one) && !has_clock(one.attribute, types))
        return fill(lexicon_.pack(), "no_clock",
                    {{"attribute", key(one)}, {"said", one.value.text}});
      if (std::string two = two_times(list, one.attribute); !two.empty()) return two;
      if (std::string two = two_values(list, one); !two.empty()) return two;
      if (std::string which = which_day(list, one); !which.empty()) return which;
      if (std::string other = year_or_number(one, types); !other.empty()) return other;
      if (compares_amounts(one)) {
        if (std::string units = mixed_units(one.attribute, types, list); !units.empty())
          return units;
        if (std::string units = other_side(one, types, list); !units.empty()) return units;
      }
      if (one.kind == Restriction::Kind::kFold) {
        const SetExpr& members = *one.target;
        if (std::string units = mixed_units(one.attribute, members.types, members.restrictions);
            !units.empty())
          return units;
      }
      if (is_than_two(list, one)) return lexicon_.pack().text("than_two");
      if (is_absent(list, one.attribute))
        return fill(lexicon_.pack(), "absent", {{"attribute", key(one)}});
    }
    return {};
  }

  // What the reading asks for, and what its numbers are put together or ordered by.
  std::string misfit(const Reading& reading) const {
    if (std::string kind = other_kind(reading); !kind.empty()) return kind;
    const int group = reading.group ? reading.group->attribute : -1;
    if (group >= 0) {
      for (const auto& [text, uses] : info(group).separated) {
        if (text.find_first_of(";|") != text.npos)
          return fill(lexicon_.pack(), "several_in_cell",
                      {{"attribute", info(group).key}, {"value", text}});
      }
    }
    const bool folds = reading.form == Reading::Form::kFold ||
                       (reading.form == Reading::Form::kGroup && reading.fold != Fold::kCount);
    if (folds && reading.attribute >= 0) return mixed_units(reading.attribute, *reading.set, group);
    if (reading.best && reading.form == Reading::Form::kTop && reading.set != nullptr)
      return of_best(*reading.best, *reading.set, group);
    return {};
  }

  // A superlative orders by one attribute, or by what others have of it together.
  std::string of_best(const Best& best, const SetExpr& set, int group = -1) const {
    if (best.by.attribute < 0) return {};
    return mixed_units(best.by.attribute, best.by.counted != nullptr ? *best.by.counted : set,
                       group);
  }

  static bool is_time(const Restriction& one) {
    return one.kind == Restriction::Kind::kAttribute && one.value.kind == Constant::Kind::kText &&
           (one.compare == Compare::kMoreEqual || one.compare == Compare::kLess);
  }

  static bool is_clock(const Restriction& one) {
    return is_time(one) && one.value.text.size() > std::string_view("2026-11-30").size();
  }

 private:
  const AttributeInfo& info(int attribute) const {
    return lexicon_.schema().attributes[static_cast<std::size_t>(attribute)];
  }

  std::string key(const Restriction& one) const { return info(one.attribute).key; }

  // "How much" is answered with a number, "where" with a place.
  std::string other_kind(const Reading& reading) const {
    if (reading.asked == Asked::kPerson && reading.form == Reading::Form::kList)
      return no_person(*reading.set);
    const bool value =
        reading.form == Reading::Form::kValue || reading.form == Reading::Form::kFold;
    if (!value || reading.attribute < 0 || reading.set == nullptr) return {};
    const int attribute = reading.attribute;
    const TypeSet types = reading.set->types.both(info(attribute).type_set());
    const bool date = joins_.is_date(attribute, types);
    const bool number = joins_.numeric(attribute, types) && !date;
    const auto refused = [&](std::string_view why) {
      return fill(lexicon_.pack(), why, {{"attribute", info(attribute).key}});
    };
    switch (reading.asked) {
      case Asked::kMuch:
      case Asked::kMany:
        return number || joins_.holds_numbers(attribute) ? "" : refused("asked_number");
      case Asked::kTime:
        return date || joins_.holds_clocks(attribute) ? "" : refused("asked_time");
      case Asked::kPlace:
        return joins_.is_place(attribute) && !date && !number ? "" : refused("asked_place");
      case Asked::kThing:
        return date ? refused("asked_thing") : "";
      case Asked::kPerson:
        return date || number ? refused("asked_who") : "";
      case Asked::kAny:
        break;
    }
    return {};
  }

  // "Who was shipped last week?" over rows that have codes, and nobody in a column.
  std::string no_person(const SetExpr& set) const {
    if (!set.anything || !is_told_by_columns(set)) return {};
    std::string types;
    for (const TypeId type : set.types.ids()) {
      if (personhood(lexicon_, type) != Personhood::kNo) return {};
      types += (types.empty() ? "" : ", ") + lexicon_.schema().types[type].name;
    }
    return fill(lexicon_.pack(), "asked_person", {{"type", types}});
  }

  // More, less, or as much as another: what needs numbers of one unit.
  static bool compares_amounts(const Restriction& one) {
    if (one.kind == Restriction::Kind::kThan) return true;
    return one.kind == Restriction::Kind::kAttribute && !one.possessed &&
           one.value.kind == Constant::Kind::kNumber && is_ordering(one.compare);
  }

  std::string mixed_units(int attribute, const SetExpr& set, int group) const {
    if (set.names.size() == 1) return {};
    return mixed_units(attribute, set.types, set.restrictions, group);
  }

  // "Total amount", where each amount is in the currency that another column says.
  std::string mixed_units(int attribute, const TypeSet& types, const std::vector<Restriction>& list,
                          int group = -1) const {
    const auto column = joins_.unit_column(attribute, types);
    if (!column || column->attribute == group) return {};
    const bool one_unit = std::ranges::any_of(list, [&](const Restriction& one) {
      return is_equal(one) && one.attribute == column->attribute;
    });
    return one_unit ? std::string() : several_units(attribute, *column);
  }

  // "In NOK with a higher fee than L1": what it is compared with is in the unit that is said, too.
  std::string other_side(const Restriction& than, const TypeSet& types,
                         const std::vector<Restriction>& list) const {
    const auto column = joins_.unit_column(than.attribute, types);
    if (!column || than.kind != Restriction::Kind::kThan || than.target == nullptr) return {};
    const auto said = std::ranges::find_if(list, [&](const Restriction& one) {
      return is_equal(one) && one.attribute == column->attribute;
    });
    const bool same = said != list.end() && is_in_unit(*than.target, *said);
    return same ? std::string() : several_units(than.attribute, *column);
  }

  bool is_in_unit(const SetExpr& set, const Restriction& unit) const {
    if (std::ranges::any_of(set.restrictions, [&](const Restriction& one) {
          return is_equal(one) && one.attribute == unit.attribute && one.value == unit.value;
        }))
      return true;
    const store::Snapshot& snapshot = lexicon_.snapshot();
    return !set.names.empty() && std::ranges::all_of(set.names, [&](store::EntityId thing) {
      const auto own = snapshot.attribute(thing, info(unit.attribute).key);
      return own && column_value(snapshot, *own).text == unit.value.text;
    });
  }

  std::string several_units(int attribute, const Joins::UnitColumn& column) const {
    return fill(lexicon_.pack(), "unit_column",
                {{"attribute", info(attribute).key},
                 {"column", info(column.attribute).key},
                 {"list", join(column.units, ", ")}});
  }

  // "Of 1999", where that is a number of the things, too.
  std::string year_or_number(const Restriction& one, const TypeSet& types) const {
    if (one.value.said != TimeSaid::kNumber || one.compare != Compare::kMoreEqual) return {};
    const bool whole = one.value.kind == Constant::Kind::kNumber;
    const double year = whole ? one.value.number : std::stod(one.value.text.substr(0, 4));
    for (std::size_t i = 0; i < lexicon_.schema().attributes.size(); ++i) {
      const int attribute = static_cast<int>(i);
      const TypeSet both = types.both(info(attribute).type_set());
      if (both.empty() || !joins_.numeric(attribute, both) || joins_.is_date(attribute, both))
        continue;
      bool there = false;
      each_in_column(lexicon_, attribute, [&](const ColumnValue& value) {
        there = value.number == year;
        return !there;
      });
      if (there)
        return fill(lexicon_.pack(), "year_or_number",
                    {{"attribute", info(attribute).key}, {"year", fmt::format("{:.0f}", year)}});
    }
    return {};
  }

  // "In March", where the dates have it in more years than one.
  std::string which_day(const std::vector<Restriction>& list, const Restriction& one) const {
    const bool repeats = one.value.said == TimeSaid::kYearly ||
                         one.value.said == TimeSaid::kMonthly ||
                         one.value.said == TimeSaid::kWeekly;
    if (!is_time(one) || !repeats || one.compare != Compare::kMoreEqual) return {};
    const auto end = std::ranges::find_if(list, [&](const Restriction& other) {
      return is_time(other) && other.attribute == one.attribute &&
             other.compare == Compare::kLess && other.value.said == one.value.said;
    });
    if (end == list.end()) return {};
    const std::vector<std::string> days =
        other_such_days(lexicon_, one.attribute, one.value.said, one.value.text, end->value.text);
    if (days.empty()) return {};
    return fill(lexicon_.pack(),
                one.value.said == TimeSaid::kYearly ? "which_year_of" : "which_day_of",
                {{"attribute", key(one)}, {"first", days.front()}, {"last", days.back()}});
  }

  std::string other_unit(const Restriction& one) const {
    const std::string own = joins_.unit_of(one.attribute);
    return fill(lexicon_.pack(), own.empty() ? "no_unit" : "other_unit",
                {{"attribute", key(one)}, {"unit", own}, {"said", one.value.unit}});
  }

  bool has_clock(int attribute, const TypeSet& types) const {
    const AttributeInfo& info = lexicon_.schema().attributes[static_cast<std::size_t>(attribute)];
    const TypeSet both = types.both(info.type_set());
    for (const TypeId type : both.ids()) {
      if (!info.clocks(type)) return false;
    }
    return true;
  }

  // Both without a value and with one: "no backup since May".
  static bool is_absent(const std::vector<Restriction>& list, int attribute) {
    return std::ranges::any_of(list, [&](const Restriction& one) {
      return one.kind == Restriction::Kind::kNot && one.parts.size() == 1 &&
             one.parts[0].kind == Restriction::Kind::kHas && one.parts[0].attribute == attribute;
    });
  }

  // "Last week of May 2025": two times with both ends, of which nothing says how they go together.
  std::string two_times(const std::vector<Restriction>& list, int attribute) const {
    std::vector<std::string> from, until;
    for (const Restriction& one : list) {
      if (!is_time(one) || one.attribute != attribute) continue;
      (one.compare == Compare::kLess ? until : from).push_back(one.value.text);
    }
    if (from.size() < 2 || until.size() < 2) return {};
    const auto time = [&](std::size_t at) { return from[at] + ".." + until[at]; };
    return fill(
        lexicon_.pack(), "two_times",
        {{"attribute", lexicon_.schema().attributes[static_cast<std::size_t>(attribute)].key},
         {"first", time(0)},
         {"second", time(1)}});
  }

  // "Longer than Knots and Herbs": longer than the one, and being the other.
  static bool is_than_two(const std::vector<Restriction>& list, const Restriction& one) {
    return one.kind == Restriction::Kind::kThan && one.target != nullptr &&
           !one.target->names.empty() && std::ranges::any_of(list, [](const Restriction& other) {
             return other.kind == Restriction::Kind::kNamed;
           });
  }

  static bool is_equal(const Restriction& one) {
    return one.kind == Restriction::Kind::kAttribute && one.compare == Compare::kEqual;
  }

  // "In Berlin and Munich", of what is in one city.
  std::string two_values(const std::vector<Restriction>& list, const Restriction& first) const {
    const AttributeInfo& info =
        lexicon_.schema().attributes[static_cast<std::size_t>(first.attribute)];
    if (!is_equal(first) || info.lists > 0 || !info.separated.empty()) return {};
    for (const Restriction& other : list) {
      if (!is_equal(other) || other.attribute != first.attribute || other.value == first.value)
        continue;
      return fill(
          lexicon_.pack(), "two_values",
          {{"attribute", info.key}, {"first", shown(first.value)}, {"second", shown(other.value)}});
    }
    return {};
  }

  static std::string shown(const Constant& value) {
    if (value.kind == Constant::Kind::kFlag) return fmt::format("{}", value.flag);
    if (value.kind == Constant::Kind::kText) return value.text;
    return value.written.empty() ? fmt::format("{}", value.number) : value.written;
  }

  const Lexicon& lexicon_;
  Joins joins_;
};

}  // namespace

std::vector<std::string> misfits_of(const std::vector<Reading>& readings, const Lexicon& lexicon) {
  const Fitting fitting(lexicon);
  std::vector<std::string> all;
  for (const Reading& reading : readings) {
    std::string why;
    each_list(reading, [&](const auto& list, const TypeSet& types, const SetExpr* set) {
      if (why.empty()) why = fitting.misfit(list, types);
      if (why.empty() && set != nullptr && set->best) why = fitting.of_best(*set->best, *set);
    });
    if (why.empty()) why = fitting.misfit(reading);
    all.push_back(std::move(why));
  }
  return all;
}

std::vector<TimeTaken> relative_times(const Reading& reading, const Lexicon& lexicon) {
  std::vector<TimeTaken> all;
  each_list(reading, [&](const auto& list, const TypeSet&, const SetExpr*) {
    std::map<int, TimeTaken> times;
    for (const Restriction& one : list) {
      if (!Fitting::is_time(one) || one.value.said <= TimeSaid::kNumber) continue;
      TimeTaken& time = times[one.attribute];
      time.attribute = lexicon.schema().attributes[static_cast<std::size_t>(one.attribute)].key;
      const bool lower = one.compare == Compare::kMoreEqual;
      (lower ? time.from : time.until) =
          lower || Fitting::is_clock(one) ? one.value.text : day_after(one.value.text, -1);
    }
    for (auto& [attribute, time] : times) {
      if (std::ranges::find(all, time) == all.end()) all.push_back(std::move(time));
    }
  });
  return all;
}

std::set<std::string> days_of_rows(const Reading& reading, const Lexicon& lexicon) {
  const Joins joins(lexicon);
  std::set<std::string> columns;
  each_list(reading, [&](const auto&, const TypeSet& types, const SetExpr* set) {
    if (set == nullptr || (set->anything && set->restrictions.empty())) return;
    // "Is lent", whose end has not come.
    if (std::ranges::any_of(set->restrictions, [](const Restriction& one) {
          return one.kind == Restriction::Kind::kNot && one.parts.size() == 1 &&
                 Fitting::is_time(one.parts.front());
        }))
      return;
    for (const TypeId type : types.ids()) {
      std::set<std::string> days;
      for (const int attribute : joins.date_attributes(TypeSet::of(type))) {
        const AttributeInfo& info =
            lexicon.schema().attributes[static_cast<std::size_t>(attribute)];
        if (info.types.at(type).days > 0) days.insert(info.key);
      }
      if (days.size() > 1 || joins.happens(TypeSet::of(type))) columns.merge(days);
    }
  });
  return columns;
}

std::set<store::EntityId> named_things(const Reading& reading) {
  std::set<store::EntityId> things;
  each_list(reading, [&](const auto& list, const TypeSet&, const SetExpr* set) {
    if (set != nullptr) things.insert(set->names.begin(), set->names.end());
    for (const Restriction& one : list) {
      if (one.rule < 0) things.insert(one.names.begin(), one.names.end());
    }
  });
  return things;
}

std::set<std::string> numbers_written(const Reading& reading) {
  std::set<std::string> numbers;
  each_list(reading, [&](const auto& list, const TypeSet&, const SetExpr*) {
    for (const Restriction& one : list) {
      if (one.kind == Restriction::Kind::kAttribute && !one.value.written.empty())
        numbers.insert(one.value.written);
    }
  });
  return numbers;
}

std::set<std::pair<std::string, int>> days_said(const Reading& reading) {
  std::set<std::pair<std::string, int>> days;
  each_list(reading, [&](const auto& list, const TypeSet&, const SetExpr*) {
    for (const Restriction& one : list) {
      if (Fitting::is_time(one)) days.insert({one.value.text, one.attribute});
    }
  });
  return days;
}

bool is_unsure(const Reading& reading) {
  bool unsure = false;
  each_list(reading, [&](const auto& list, const TypeSet&, const SetExpr*) {
    for (const Restriction& one : list) unsure = unsure || one.value.unsure;
  });
  return unsure;
}

}  // namespace anima::ask
