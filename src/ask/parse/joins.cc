#include "ask/parse/joins.h"

#include <algorithm>
#include <array>
#include <utility>

#include "ask/parse/columns/text_column.h"
#include "base/text/text.h"

namespace anima::ask {
namespace {

std::shared_ptr<SetExpr> copy(const SetRef& set) { return std::make_shared<SetExpr>(*set); }

}  // namespace

SetRef Joins::of_types(const TypeSet& types, bool anything) const {
  auto set = std::make_shared<SetExpr>();
  set->types = types;
  set->anything = anything;
  return set;
}

TypeSet Joins::types_of(const std::vector<store::EntityId>& things) const {
  TypeSet types;
  for (const store::EntityId thing : things) {
    for (const TypeId type : schema_.types_of_entity(thing)) types.add(type);
  }
  return types;
}

SetRef Joins::of_things(const std::vector<store::EntityId>& things) const {
  auto set = std::make_shared<SetExpr>();
  set->types = types_of(things);
  set->names = things;
  return set;
}

SetRef Joins::narrowed(const SetRef& set, const TypeSet& types) const {
  TypeSet both = set->types.both(types);
  if (both.empty()) return nullptr;
  if (both == set->types) return set;
  auto result = copy(set);
  result->types = std::move(both);
  if (!set->names.empty()) {
    // No name of the question is dropped.
    for (const store::EntityId thing : result->names) {
      if (types_of({thing}).both(result->types).empty()) return nullptr;
    }
  }
  return result;
}

SetRef Joins::with(const SetRef& set, Restriction restriction) const {
  auto result = copy(set);
  result->restrictions.push_back(std::move(restriction));
  return result;
}

TypeSet Joins::follow(const Edge& edge, const TypeSet& from, bool back) const {
  const PredicateInfo& info = predicate(edge.predicate);
  const bool inverse = edge.inverse != back;
  TypeSet reached = info.follow(from, inverse);
  while (edge.closure) {
    const TypeSet more = reached.either(info.follow(reached, inverse));
    if (more == reached) break;
    reached = more;
  }
  return reached;
}

Joined Joins::relate(const SetRef& set, const Edge& step, const Phrase& target) const {
  Edge edge = step;
  edge.closure = edge.closure || std::exchange(any_steps_, false);
  if (target.quantity == Quantity::kEach) return {};
  if (target.own) return relate_own(set, edge, target);
  if (!target.own_of.empty() && target.quantity == Quantity::kSome) {
    // "Referred by the doctor", where the visit has a doctor of its own.
    std::vector<Edge> steps = steps_to(set->types, target.own_of);
    if (!edge.inverse && steps.size() == 1 && !(steps.front() == edge)) {
      Phrase own = target;
      own.own = OwnRole{{}, std::exchange(own.own_of, {})};
      return relate_own(set, edge, own);
    }
  }
  const TypeSet ends = follow(edge, set->types, false);
  const SetRef goal = narrowed(target.set, ends);
  if (goal == nullptr) {
    // A relation to a container is one to something in it.
    Joined result;
    if (target.quantity != Quantity::kSome || target.set->anything || edge.closure) return result;
    for (std::size_t i = 0; i < schema_.predicates.size(); ++i) {
      const PredicateInfo& within = schema_.predicates[i];
      if (!within.contains || within.derived || static_cast<int>(i) == edge.predicate) continue;
      const SetRef middle = narrowed(of_types(ends), within.subjects());
      if (middle == nullptr) continue;
      const TypeSet reached = within.follow(middle->types, false);
      if (reached.both(target.set->types).empty()) continue;
      for (auto& [inner, cost] : relate(middle, Edge{static_cast<int>(i), false, false}, target)) {
        for (auto& [outer, more] : relate(set, edge, Phrase{inner}))
          result.emplace_back(outer, cost + more + kChainCost);
      }
    }
    return result;
  }
  const SetRef from = narrowed(set, follow(edge, goal->types, true));
  if (from == nullptr) return {};
  Restriction relation;
  relation.edge = edge;
  relation.target = goal;
  switch (target.quantity) {
    case Quantity::kSome: {
      // What leads to one thing at most leads to one of them.
      const bool one_at_most = predicate(edge.predicate).functional && !edge.inverse;
      if (!target.each_name || one_at_most) return {{with(from, relation), 0}};
      SetRef all = from;
      for (const store::EntityId name : goal->names) {
        auto single = copy(goal);
        single->names = {name};
        relation.target = single;
        all = with(all, relation);
      }
      return {{all, 0}};
    }
    case Quantity::kNone: {
      Restriction none;
      none.kind = Restriction::Kind::kNot;
      none.parts.push_back(relation);
      // What may stand in the relation counts, also what does not.
      const SetRef every = narrowed(set, follow(edge, ends, true));
      return {{with(every != nullptr ? every : from, none), 0}};
    }
    case Quantity::kOnly:
    case Quantity::kAll: {
      if (target.quantity == Quantity::kAll) {
        relation.kind = Restriction::Kind::kEvery;
        return {{with(from, relation), 0}};
      }
      // Some, and none that are not in the goal.
      auto others = std::make_shared<SetExpr>();
      others->types = goal->types;
      Restriction outside;
      outside.kind = Restriction::Kind::kNot;
      outside.parts = goal->restrictions;
      if (!goal->names.empty()) {
        Restriction named;
        named.kind = Restriction::Kind::kNamed;
        named.names = goal->names;
        outside.parts.push_back(named);
      }
      if (outside.parts.empty()) return {};
      others->restrictions.push_back(outside);
      Restriction beyond = relation;
      beyond.target = others;
      Restriction none;
      none.kind = Restriction::Kind::kNot;
      none.parts.push_back(beyond);
      return {{with(with(from, relation), none), 0}};
    }
    case Quantity::kEach:
      return {};
    case Quantity::kCount: {
      relation.kind = Restriction::Kind::kCount;
      relation.compare = target.compare;
      relation.value.number = target.count;
      return {{with(from, relation), 0}};
    }
  }
  return {};
}

bool Joins::untyped(const SetExpr& set) const {
  return std::all_of(set.types.ids().begin(), set.types.ids().end(),
                     [&](TypeId type) { return schema_.types[type].name.empty(); });
}

bool Joins::recorded(const SetExpr& target, const Edge& edge) const {
  const auto& link = predicate(edge.predicate).link;
  if (target.names.empty() || !link || !untyped(target)) return true;
  for (const store::EntityId name : target.names) {
    store::Pattern pattern;
    pattern.predicate = *link;
    if (edge.inverse)
      pattern.subject = name;
    else
      pattern.object = store::Term::entity(name);
    std::array<store::Triple, 1> row;
    if (lexicon_.snapshot().scan(pattern).next(row) > 0) return true;
  }
  return false;
}

bool Joins::has_class(const std::string& word, WordClass word_class) const {
  const auto* uses = lexicon_.pack().uses(word);
  return uses != nullptr && std::any_of(uses->begin(), uses->end(), [&](const PackUse& use) {
           return use.kind == PackUse::Kind::kClass && use.word_class == word_class;
         });
}

TypeSet Joins::attribute_types(int attribute) const {
  return schema_.attributes[static_cast<std::size_t>(attribute)].type_set();
}

SetRef Joins::compare(const SetRef& set, int attribute, Compare compare,
                      const Constant& value) const {
  SetRef fitting = narrowed(set, attribute_types(attribute));
  if (fitting == nullptr) return nullptr;
  Restriction restriction;
  restriction.kind = Restriction::Kind::kAttribute;
  restriction.attribute = attribute;
  restriction.compare = compare;
  restriction.value = in_unit_of(attribute, value);
  if (!restriction.value.unit.empty())
    fitting = in_said_unit(fitting, attribute, restriction.value);
  if (value.kind == Constant::Kind::kNumber && value.clock != holds_clocks(attribute))
    return nullptr;
  // No time of the day is before midnight or after it, or each is.
  if (value.clock && value.number == 0 &&
      (compare == Compare::kLess || compare == Compare::kMore || compare == Compare::kNotEqual))
    return nullptr;
  if (value.clock) {
    restriction.value.of_texts = true;
  } else if (value.kind == Constant::Kind::kNumber && !numeric(attribute, fitting->types)) {
    Constant& own = restriction.value;
    const bool numbers = !schema_.attributes[static_cast<std::size_t>(attribute)].link &&
                         column(attribute).kind == TextColumn::Kind::kNumbers;
    if (numbers) {
      own.of_texts = true;
    } else if (compare == Compare::kEqual && !own.written.empty() && holds_texts(attribute)) {
      own.kind = Constant::Kind::kText;  // a code is what is written, and no number
      own.text = own.written;
      own.unsure = false;
    } else {
      return nullptr;
    }
  }
  return with(fitting, restriction);
}

// What the attribute's name ends with, or what all of its values have.
std::string Joins::unit_of(int attribute) const {
  const AttributeInfo& info = schema_.attributes[static_cast<std::size_t>(attribute)];
  if (!info.words.empty() && lexicon_.pack().is_unit_of_names(info.words.back()))
    return info.words.back();
  const bool texts = !info.link && !numeric(attribute, info.type_set()) && holds_texts(attribute);
  return texts ? column(attribute).unit : std::string();
}

std::vector<int> Joins::counted_in(const Constant& value, const TypeSet& types) const {
  std::vector<int> found;
  const Unit* said = lexicon_.pack().unit(value.unit);
  const auto is_of = [&](const std::string& text) {
    const Unit* own = lexicon_.pack().unit(fold_case(text));
    return said != nullptr && own != nullptr && own->measure == said->measure;
  };
  for (std::size_t i = 0; i < schema_.attributes.size(); ++i) {
    const int attribute = static_cast<int>(i);
    const TypeSet both = types.both(attribute_types(attribute));
    if (both.empty() || is_date(attribute, both)) continue;
    const auto column = unit_column(attribute, both);
    const bool fits = value.clock ? holds_clocks(attribute)
                      : column    ? std::ranges::any_of(column->units, is_of)
                                  : is_of(unit_of(attribute));
    if (fits) found.push_back(attribute);
  }
  return found;
}

Constant Joins::in_unit_of(int attribute, Constant value) const {
  if (value.unit.empty()) return value;
  const Unit* said = lexicon_.pack().unit(value.unit);
  const Unit* own = lexicon_.pack().unit(unit_of(attribute));
  if (said == nullptr || own == nullptr || said->measure != own->measure) return value;
  const double from = said->size(value.size), to = own->size(value.size);
  if (from != to) {
    value.number = value.number * from / to;
    value.digits.clear();
    value.written.clear();
  }
  value.unit.clear();
  return value;
}

bool Joins::holds_numbers(int attribute) const {
  return holds_texts(attribute) && column(attribute).kind == TextColumn::Kind::kNumbers;
}

bool Joins::holds_clocks(int attribute) const {
  return holds_texts(attribute) && column(attribute).kind == TextColumn::Kind::kClocks;
}

bool Joins::is_place(int attribute) const {
  const AttributeInfo& info = schema_.attributes[static_cast<std::size_t>(attribute)];
  return is_named(attribute, &Pack::names_place) ||
         (!info.words.empty() && lexicon_.pack().contains_things(info.words.back()));
}

bool Joins::has_lists(int attribute) const {
  return schema_.attributes[static_cast<std::size_t>(attribute)].lists > 0;
}

bool Joins::holds_texts(int attribute) const {
  const AttributeInfo& info = schema_.attributes[static_cast<std::size_t>(attribute)];
  return !info.link && std::all_of(info.types.begin(), info.types.end(), [](const auto& one) {
    return one.second.texts * 2 > one.second.all();
  });
}

const TextColumn& Joins::column(int attribute) const {
  const auto found = columns_.find(attribute);
  if (found != columns_.end()) return found->second;
  return columns_.emplace(attribute, text_column(lexicon_, attribute)).first->second;
}

// "Over 100 EUR", where another column says of each number in what it is.
SetRef Joins::in_said_unit(const SetRef& set, int attribute, Constant& value) const {
  const auto column = unit_column(attribute, set->types);
  if (!column) return set;
  const Unit* said = lexicon_.pack().unit(value.unit);
  for (const std::string& one : column->units) {
    const Unit* own = lexicon_.pack().unit(fold_case(one));
    if (said == nullptr || own == nullptr || own->measure != said->measure ||
        own->size(value.size) != said->size(value.size))
      continue;
    value.unit.clear();
    Constant unit;
    unit.kind = Constant::Kind::kText;
    unit.text = one;
    return compare(set, column->attribute, Compare::kEqual, unit);
  }
  return set;
}

bool Joins::is_named(int attribute, bool (Pack::*says)(const std::string&) const) const {
  const AttributeInfo& info = schema_.attributes[static_cast<std::size_t>(attribute)];
  return std::ranges::any_of(
      info.words, [&](const std::string& word) { return (lexicon_.pack().*says)(word); });
}

// Of one measure, or currencies: "m" and "f" are no units beside each other.
bool Joins::are_units(const std::vector<std::string>& texts) const {
  const Unit* first = lexicon_.pack().unit(fold_case(texts.front()));
  return std::ranges::all_of(texts, [&](const std::string& text) {
    const Unit* unit = lexicon_.pack().unit(fold_case(text));
    return unit != nullptr && first != nullptr &&
           (unit->measure == first->measure || (unit->is_currency() && first->is_currency()));
  });
}

// Columns of which every text is a unit, or that are called so.
const std::vector<Joins::UnitColumn>& Joins::unit_columns() const {
  if (unit_columns_) return *unit_columns_;
  std::map<int, std::pair<std::uint32_t, UnitColumn>> found;
  lexicon_.pack().each_unit([&](const std::string& word) {
    const auto entries = schema_.values.find(word);
    if (entries == schema_.values.end()) return;
    for (const ValueEntry& one : entries->second) {
      found[one.attribute].first += one.uses;
      found[one.attribute].second.units.push_back(one.value);
    }
  });
  unit_columns_.emplace();
  for (std::size_t i = 0; i < schema_.attributes.size(); ++i) {
    const int attribute = static_cast<int>(i);
    if (!holds_texts(attribute)) continue;
    std::uint32_t texts = 0;
    for (const auto& [type, counts] : schema_.attributes[i].types) texts += counts.texts;
    UnitColumn column = found[attribute].second;
    if (is_named(attribute, &Pack::names_unit)) {
      column.units.clear();
      each_in_column(lexicon_, attribute, [&](const ColumnValue& value) {
        if (std::ranges::find(column.units, value.text) == column.units.end())
          column.units.push_back(value.text);
        return true;
      });
    } else if (texts == 0 || found[attribute].first < texts || !are_units(column.units)) {
      continue;
    }
    column.attribute = attribute;
    std::sort(column.units.begin(), column.units.end());
    unit_columns_->push_back(std::move(column));
  }
  return *unit_columns_;
}

std::optional<Joins::UnitColumn> Joins::unit_column(int attribute, const TypeSet& types) const {
  if (!numeric(attribute, types) || is_date(attribute, types) || !unit_of(attribute).empty())
    return std::nullopt;
  for (const UnitColumn& one : unit_columns()) {
    const bool beside =
        !types.both(attribute_types(attribute)).both(attribute_types(one.attribute)).empty();
    // How many there are is counted in no currency.
    if (beside && one.units.size() > 1 && !is_named(attribute, &Pack::names_count)) return one;
  }
  return std::nullopt;
}

SetRef Joins::has_value(const SetRef& set, int attribute) const {
  const AttributeInfo& info = schema_.attributes[static_cast<std::size_t>(attribute)];
  const bool flags = info.flags(), below = info.falls_below_zero();
  if (!flags && (info.link || !(below || info.counts_from_zero())))
    return is_filled(set, attribute);
  const SetRef fitting = narrowed(set, attribute_types(attribute));
  if (fitting == nullptr) return nullptr;
  Restriction some;
  some.kind = Restriction::Kind::kAttribute;
  some.attribute = attribute;
  some.possessed = true;
  some.compare = flags ? Compare::kEqual : Compare::kMore;
  some.value.kind = flags ? Constant::Kind::kFlag : Constant::Kind::kNumber;
  some.value.flag = flags;
  some.value.unsure = below;
  return with(fitting, some);
}

SetRef Joins::is_filled(const SetRef& set, int attribute) const {
  const SetRef fitting = narrowed(set, attribute_types(attribute));
  if (fitting == nullptr) return nullptr;
  Restriction restriction;
  restriction.kind = Restriction::Kind::kHas;
  restriction.attribute = attribute;
  restriction.value.unsure =
      schema_.attributes[static_cast<std::size_t>(attribute)].falls_below_zero();
  return with(fitting, restriction);
}

SetRef Joins::than(const SetRef& set, int attribute, Compare compare, const SetRef& other) const {
  const SetRef fitting = narrowed(set, attribute_types(attribute));
  const SetRef against = narrowed(other, attribute_types(attribute));
  if (fitting == nullptr || against == nullptr) return nullptr;
  // "Older than Noa and Rex": than each of them, or than one?
  if (against->names.size() > 1) return nullptr;
  // Texts have no more and no less: "9" stands behind "10".
  for (const SetRef& side : {fitting, against}) {
    if (is_ordering(compare) && !numeric(attribute, side->types) &&
        !is_date(attribute, side->types))
      return nullptr;
  }
  // Nor is one of several values compared with one of several.
  if (has_lists(attribute)) return nullptr;
  Restriction restriction;
  restriction.kind = Restriction::Kind::kThan;
  restriction.attribute = attribute;
  restriction.compare = compare;
  restriction.target = against;
  return with(fitting, restriction);
}

SetRef Joins::in_time(const SetRef& set, int attribute, const std::string& from,
                      const std::string& until, TimeSaid said) const {
  SetRef result = narrowed(set, attribute_types(attribute));
  if (result == nullptr || !is_date(attribute, result->types)) return nullptr;
  bool years = true;
  for (const TypeId type : result->types.ids()) {
    const auto& counts = schema_.attributes[static_cast<std::size_t>(attribute)].types.at(type);
    years = years && counts.days == 0;
  }
  for (const bool lower : {true, false}) {
    const std::string& day = lower ? from : until;
    if (day.empty()) continue;
    Restriction restriction;
    restriction.kind = Restriction::Kind::kAttribute;
    restriction.attribute = attribute;
    restriction.compare = lower ? Compare::kMoreEqual : Compare::kLess;
    restriction.value.text = day;
    restriction.value.said = said;
    restriction.value.kind = Constant::Kind::kText;
    if (years) {
      // Only whole years can be told from years.
      if (day.substr(4) != "-01-01") return nullptr;
      restriction.value.kind = Constant::Kind::kNumber;
      restriction.value.number = std::stod(day.substr(0, 4));
    }
    result = with(result, restriction);
  }
  return result;
}

SetRef Joins::best(const SetRef& set, const Best& best) const {
  if (set->best || set->names.size() == 1) return nullptr;
  SetRef fitting = set;
  if (best.by.attribute >= 0 && best.by.counted == nullptr) {
    fitting = narrowed(set, attribute_types(best.by.attribute));
    if (fitting == nullptr) return nullptr;
    if (!numeric(best.by.attribute, fitting->types) && !is_date(best.by.attribute, fitting->types))
      return nullptr;
    if (has_lists(best.by.attribute)) return nullptr;
  }
  auto result = copy(fitting);
  result->best = best;
  if (result->numeral > 0 && result->best->take == 0) {
    result->best->take = result->numeral;
    result->numeral = 0;
  }
  return result;
}

SetRef Joins::complement(const SetRef& set, const SetRef& modified) const {
  if (modified->best && !set->best) return nullptr;
  Restriction none;
  none.kind = Restriction::Kind::kNot;
  for (std::size_t i = set->restrictions.size(); i < modified->restrictions.size(); ++i)
    none.parts.push_back(modified->restrictions[i]);
  if (none.parts.empty()) return nullptr;
  auto result = copy(set);
  result->types = modified->types;
  result->restrictions.push_back(std::move(none));
  return result;
}

SetRef Joins::negated(const SetRef& set, const SetRef& modified) const {
  const SetRef rest = complement(set, modified);
  if (rest == nullptr) return nullptr;
  const std::vector<Restriction>& parts = rest->restrictions.back().parts;
  const Restriction& one = parts.front();
  const bool flag = one.kind == Restriction::Kind::kAttribute &&
                    one.value.kind == Constant::Kind::kFlag && one.compare == Compare::kEqual;
  if (parts.size() > 1 || !(one.possessed || flag)) return rest;
  // What is not known is neither no nor 0.
  Restriction denied = one;
  denied.denied = true;
  denied.compare = one.value.unsure ? Compare::kLessEqual : Compare::kEqual;
  denied.value.flag = !one.value.flag;
  denied.value.number = 0;
  auto result = copy(rest);
  result->restrictions.back() = std::move(denied);
  return result;
}

SetRef Joins::within(const SetRef& set, const SetRef& other) const {
  // That a thing is itself says nothing of it: two parts of its name were meant as something else.
  const bool itself = !set->names.empty() && set->names == other->names &&
                      other->restrictions.empty() && !other->best;
  SetRef fitting = itself ? nullptr : narrowed(set, other->types);
  if (fitting == nullptr) return nullptr;
  auto result = copy(fitting);
  for (const Restriction& one : other->restrictions) result->restrictions.push_back(one);
  if (!other->names.empty()) {
    Restriction named;
    named.kind = Restriction::Kind::kNamed;
    named.names = other->names;
    result->restrictions.push_back(named);
  }
  if (other->best) {
    if (result->best) return nullptr;
    result->best = other->best;
  }
  return result;
}

SetRef Joins::among(const SetRef& set) const {
  Restriction in;
  in.kind = Restriction::Kind::kIn;
  in.target = set;
  return with(of_types(set->types), std::move(in));
}

SetRef Joins::in_best_of_all(const SetRef& subject, const SetRef& said) const {
  const auto own = static_cast<std::ptrdiff_t>(subject->restrictions.size());
  auto all = copy(said), result = copy(said);
  all->names.clear();
  all->by_value = false;
  all->restrictions.erase(all->restrictions.begin(), all->restrictions.begin() + own);
  result->best.reset();
  result->restrictions.resize(subject->restrictions.size());
  Restriction in;
  in.kind = Restriction::Kind::kIn;
  in.target = std::move(all);
  return with(result, std::move(in));
}

bool Joins::numeric(int attribute, const TypeSet& types) const {
  const AttributeInfo& info = schema_.attributes[static_cast<std::size_t>(attribute)];
  return std::any_of(types.ids().begin(), types.ids().end(),
                     [&](TypeId type) { return info.measures(type); });
}

bool Joins::is_date(int attribute, const TypeSet& types) const {
  const AttributeInfo& info = schema_.attributes[static_cast<std::size_t>(attribute)];
  bool any = false;
  for (const TypeId type : types.ids()) {
    if (!info.types.contains(type)) continue;
    if (!info.dates(type)) return false;
    any = true;
  }
  return any;
}

std::vector<int> Joins::date_attributes(const TypeSet& types, bool own) const {
  std::vector<int> found, named;
  for (std::size_t i = 0; i < schema_.attributes.size(); ++i) {
    const int attribute = static_cast<int>(i);
    const TypeSet both = types.both(attribute_types(attribute));
    if (both.empty() || !is_date(attribute, both)) continue;
    found.push_back(attribute);
    const AttributeInfo& info = schema_.attributes[i];
    const std::size_t size = info.words.size() - (info.unit.empty() ? 0 : 1);
    const std::string stem = size == 1 ? lexicon_.pack().stem(info.words[0]) : std::string();
    for (const TypeId type : both.ids()) {
      if (!stem.empty() && lexicon_.pack().stem(fold_case(schema_.types[type].name)) == stem)
        named.push_back(attribute);
    }
  }
  return own && !named.empty() ? named : found;
}

std::vector<int> Joins::scale_attributes(const Sense& sense, const TypeSet& types) const {
  const Pack& pack = lexicon_.pack();
  const auto usable = [&](int attribute) {
    const TypeSet both = types.both(attribute_types(attribute));
    return !both.empty() && (numeric(attribute, both) || is_date(attribute, both));
  };
  if (!sense.most.empty()) {
    const int attribute = schema_.find_attribute(sense.most);
    if (attribute >= 0 && usable(attribute)) return {attribute};
    return {};
  }
  const Scale& scale = pack.scale(sense.scale.scale);
  // How old or new a release is goes by when it was released, before anything else.
  if (scale.age) {
    const std::vector<int> own = date_attributes(types, true);
    if (own.size() == 1 && date_attributes(types).size() > 1) return own;
  }
  for (const std::string& wanted : scale.attributes) {
    std::vector<int> whole, part;
    for (std::size_t i = 0; i < schema_.attributes.size(); ++i) {
      const AttributeInfo& info = schema_.attributes[i];
      if (!usable(static_cast<int>(i))) continue;
      const std::size_t size = info.words.size() - (info.unit.empty() ? 0 : 1);
      if (size == 1 && pack.same_noun(info.words[0], wanted)) whole.push_back(static_cast<int>(i));
      const bool has =
          std::any_of(info.words.begin(), info.words.end(),
                      [&](const std::string& own) { return pack.same_noun(own, wanted); });
      if (size > 1 && has) part.push_back(static_cast<int>(i));
    }
    if (!whole.empty()) return whole;
    if (!part.empty()) return part;
  }
  std::vector<int> numbers;
  if (!scale.general) return numbers;
  for (std::size_t i = 0; i < schema_.attributes.size(); ++i) {
    const int attribute = static_cast<int>(i);
    const TypeSet both = types.both(attribute_types(attribute));
    if (!both.empty() && numeric(attribute, both) && !is_date(attribute, both))
      numbers.push_back(attribute);
  }
  return numbers;
}

bool Joins::downward(const Sense& sense, int attribute) const {
  const Scale& scale = lexicon_.pack().scale(sense.scale.scale);
  const bool down = scale.downward;
  if (sense.most.empty() && scale.age && is_date(attribute, attribute_types(attribute)))
    return !down;
  return down;
}

}  // namespace anima::ask
