#include "ask/parse/fitting.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <vector>

#include "ask/parse/joins.h"

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
      if (is_than_two(list, one)) return lexicon_.pack().text("than_two");
      if (is_absent(list, one.attribute))
        return fill(lexicon_.pack(), "absent", {{"attribute", key(one)}});
    }
    return {};
  }

 private:
  std::string key(const Restriction& one) const {
    return lexicon_.schema().attributes[static_cast<std::size_t>(one.attribute)].key;
  }

  std::string other_unit(const Restriction& one) const {
    const std::string own = joins_.unit_of(one.attribute);
    return fill(lexicon_.pack(), own.empty() ? "no_unit" : "other_unit",
                {{"attribute", key(one)}, {"unit", own}, {"said", one.value.unit}});
  }

  static bool is_time(const Restriction& one) {
    return one.kind == Restriction::Kind::kAttribute && one.value.kind == Constant::Kind::kText &&
           (one.compare == Compare::kMoreEqual || one.compare == Compare::kLess);
  }

  static bool is_clock(const Restriction& one) {
    return is_time(one) && one.value.text.size() > std::string_view("2026-11-30").size();
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
    each_list(reading, [&](const auto& list, const TypeSet& types, const SetExpr*) {
      if (why.empty()) why = fitting.misfit(list, types);
    });
    all.push_back(std::move(why));
  }
  return all;
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

bool is_unsure(const Reading& reading) {
  bool unsure = false;
  each_list(reading, [&](const auto& list, const TypeSet&, const SetExpr*) {
    for (const Restriction& one : list) unsure = unsure || one.value.unsure;
  });
  return unsure;
}

}  // namespace anima::ask
