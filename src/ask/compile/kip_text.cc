#include "ask/compile/kip_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "ask/lexicon/words.h"
#include "ask/parse/columns/text_column.h"
#include "base/json/json.h"
#include "store/holds.h"
#include "store/statements.h"

namespace anima::ask {
namespace {

constexpr std::size_t kMostListed = 20'000;  // things of one test
constexpr int kMaxVariables = 3;             // of one count; more are counted before the query

std::string_view sign(Compare compare) {
  constexpr std::string_view kSigns[] = {"==", "!=", "<", "<=", ">", ">="};
  return kSigns[static_cast<std::size_t>(compare)];
}

// A year among days stands for all of its days: it is before a day when its last one is.
std::string whole_year(std::string_view name, Compare compare) {
  const bool year = name.size() == 4 && std::all_of(name.begin(), name.end(),
                                                    [](char c) { return c >= '0' && c <= '9'; });
  if (!year) return std::string(name);
  const bool upper = compare == Compare::kLess || compare == Compare::kLessEqual;
  return std::string(name) + (upper ? "-12-31" : "-01-01");
}

std::string number_text(double number) {
  if (number == std::floor(number) && std::fabs(number) < 1e15)
    return fmt::format("{:.0f}", number);
  return Json(number).dump();
}

std::string constant_text(const Constant& value) {
  switch (value.kind) {
    case Constant::Kind::kNumber:
      return value.digits.empty() ? number_text(value.number) : value.digits;
    case Constant::Kind::kText:
      return quote_json(value.text);
    case Constant::Kind::kFlag:
      return value.flag ? "true" : "false";
  }
  return {};
}

bool passes(Compare compare, const ColumnValue& one, const Constant& value) {
  if (value.clock) {
    const auto second = second_of_day(one.text);
    return second && passes(compare, static_cast<double>(*second), value.number);
  }
  switch (value.kind) {
    case Constant::Kind::kNumber:
      return one.number && (!one.is_string || value.of_texts) &&
             passes(compare, *one.number, value.number);
    case Constant::Kind::kText:
      return one.is_string && passes(compare, one.text.compare(value.text), 0);
    case Constant::Kind::kFlag:
      return one.flag && passes(compare, *one.flag ? 1 : 0, value.flag ? 1 : 0);
  }
  return false;
}

}  // namespace

bool passes(Compare compare, double a, double b) {
  switch (compare) {
    case Compare::kEqual:
      return a == b;
    case Compare::kNotEqual:
      return a != b;
    case Compare::kLess:
      return a < b;
    case Compare::kLessEqual:
      return a <= b;
    case Compare::kMore:
      return a > b;
    case Compare::kMoreEqual:
      return a >= b;
  }
  return false;
}

std::string KipText::thing(store::EntityId entity) const {
  const store::Snapshot& snapshot = lexicon_.snapshot();
  return fmt::format("{{type: {}, name: {}}}", quote_json(snapshot.name(snapshot.type_of(entity))),
                     quote_json(snapshot.name(entity)));
}

// One clause for each type, the second and later ones as UNION.
std::string KipText::types(const TypeSet& types, const std::string& variable) const {
  std::string text;
  for (const TypeId type : types.ids()) {
    const TypeInfo& info = schema_.types[type];
    std::string clause;
    if (info.link.empty()) {
      const std::string name =
          info.name.empty() ? std::string(lexicon_.snapshot().name(info.id)) : info.name;
      clause = fmt::format("{} {{type: {}}}", variable, quote_json(name));
    } else {
      clause = fmt::format("({}, {}, {})", variable, quote_json(info.link), thing(info.id));
    }
    if (info.system) clause += fmt::format(" FILTER(!STARTS_WITH({}.name, \"$\"))", variable);
    text += text.empty() ? clause : " UNION { " + clause + " }";
  }
  return text;
}

Result<std::string> KipText::step(const Edge& edge, const std::string& from,
                                  const std::string& to) const {
  const PredicateInfo* info = &schema_.predicates[static_cast<std::size_t>(edge.predicate)];
  bool closure = edge.closure;
  if (info->closure_of >= 0) {
    info = &schema_.predicates[static_cast<std::size_t>(info->closure_of)];
    closure = true;
  } else if (info->derived) {
    return fail(ErrorCode::kUnsupported, "what rules derive, counted");
  }
  const std::string& a = edge.inverse ? to : from;
  const std::string& b = edge.inverse ? from : to;
  return fmt::format("({}, {}{}, {})", a, quote_json(info->name), closure ? "{1,}" : "", b);
}

// Do the relations of the set already say what types its members have?
bool KipText::implied(const SetExpr& set) const {
  for (const Restriction& one : set.restrictions) {
    if (one.kind != Restriction::Kind::kRelation) continue;
    const PredicateInfo& info = schema_.predicates[static_cast<std::size_t>(one.edge.predicate)];
    const TypeSet ends = one.edge.inverse ? info.objects() : info.subjects();
    if (ends.both(set.types) == ends) return true;
  }
  return false;
}

Result<std::string> KipText::members(const SetExpr& set, const std::string& variable, bool bound) {
  std::string text;
  const auto add = [&](const std::string& clause) {
    if (!clause.empty()) text += (text.empty() ? "" : " ") + clause;
  };
  const store::Snapshot& snapshot = lexicon_.snapshot();
  if (set.names.size() == 1) {
    add(variable + " " + thing(set.names[0]));
  } else if (!set.names.empty()) {
    std::set<std::string> names, kinds;
    for (const store::EntityId entity : set.names) {
      names.insert(quote_json(snapshot.name(entity)));
      kinds.insert(quote_json(snapshot.name(snapshot.type_of(entity))));
    }
    std::string list, clause;
    for (const std::string& kind : kinds) {
      const std::string one = fmt::format("{} {{type: {}}}", variable, kind);
      clause += clause.empty() ? one : " UNION { " + one + " }";
    }
    if (!bound || kinds.size() == 1) add(clause);
    for (const std::string& name : names) list += (list.empty() ? "" : ", ") + name;
    add(fmt::format("FILTER(IN({}.name, [{}]))", variable, list));
  } else if (!implied(set)) {
    if (!bound || set.types.size() == 1) {
      add(types(set.types, variable));
    } else if (!set.anything) {
      std::string list;
      for (const TypeId type : set.types.ids()) {
        if (!schema_.types[type].link.empty())
          return fail(ErrorCode::kUnsupported, "several types by link");
        list += (list.empty() ? "" : ", ") + quote_json(schema_.types[type].name);
      }
      add(fmt::format("FILTER(IN({}.type, [{}]))", variable, list));
    }
  }
  ANIMA_ASSIGN(const std::string rest, all(set.restrictions, variable));
  add(rest);
  return text;
}

Result<std::string> KipText::all(const std::vector<Restriction>& list,
                                 const std::string& variable) {
  std::string text;
  // Relations bind; what filters stands behind them.
  for (const bool binding : {true, false}) {
    for (const Restriction& one : list) {
      const bool binds =
          one.kind == Restriction::Kind::kRelation || one.kind == Restriction::Kind::kSame;
      if (binds != binding) continue;
      ANIMA_ASSIGN(const std::string clause, restriction(one, variable));
      text += (text.empty() ? "" : " ") + clause;
    }
  }
  return text;
}

// A pattern that names its link matches what has ended, too, so it stands beside one that does not.
Result<std::string> KipText::told_step(const Edge& edge, const std::vector<std::string>& nouns,
                                       const std::string& from, const std::string& to) {
  ANIMA_ASSIGN(const std::string link, step(edge, from, to));
  if (nouns.empty()) return link;
  const std::string name = new_variable();
  std::string list;
  for (const std::string& noun : nouns) list += (list.empty() ? "" : ", ") + quote_json(noun);
  return fmt::format("{} {} {} FILTER(IN({}.metadata.noun, [{}]))", link, name, link, name, list);
}

Result<std::string> KipText::relation(const Edge& edge, const SetExpr& target,
                                      const std::vector<std::string>& nouns,
                                      const std::string& variable) {
  if (target.best) return fail(ErrorCode::kUnsupported, "a superlative inside");
  if (target.names.size() == 1 && target.restrictions.empty())
    return told_step(edge, nouns, variable, thing(target.names[0]));
  const std::string other = new_variable();
  ANIMA_ASSIGN(std::string text, told_step(edge, nouns, variable, other));
  const PredicateInfo& info = schema_.predicates[static_cast<std::size_t>(edge.predicate)];
  const TypeSet ends = edge.inverse ? info.subjects() : info.objects();
  const bool all_ends = target.names.empty() && ends.both(target.types) == ends;
  if (all_ends) {
    ANIMA_ASSIGN(const std::string rest, all(target.restrictions, other));
    return rest.empty() ? text : text + " " + rest;
  }
  ANIMA_ASSIGN(const std::string rest, members(target, other, true));
  return rest.empty() ? text : text + " " + rest;
}

Result<std::string> KipText::at_least(const Restriction& it, int number,
                                      const std::string& variable) {
  if (number > kMaxVariables) return fail(ErrorCode::kUnsupported, "too many to count");
  std::string text;
  std::vector<std::string> others;
  for (int i = 0; i < number; ++i) {
    const std::string other = new_variable();
    ANIMA_ASSIGN(const std::string link, step(it.edge, variable, other));
    text += (text.empty() ? "" : " ") + link;
    ANIMA_ASSIGN(const std::string rest, members(*it.target, other, true));
    if (!rest.empty()) text += " " + rest;
    for (const std::string& before : others)
      text += fmt::format(" FILTER({}.id != {}.id)", before, other);
    others.push_back(other);
  }
  return text;
}

// By their names; where one is another thing's, too, by what tells them apart.
std::string KipText::one_of(const std::vector<store::EntityId>& things,
                            const std::string& variable) const {
  const store::Snapshot& snapshot = lexicon_.snapshot();
  const bool shared = std::ranges::any_of(things, [&](store::EntityId thing) {
    const std::string_view name = snapshot.name(thing);
    const auto called = lexicon_.names().called(snapshot, normal_name(name));
    return std::ranges::any_of(called, [&](store::EntityId other) {
      return other != thing && snapshot.name(other) == name;
    });
  });
  std::string list;
  for (const store::EntityId thing : things) {
    list += list.empty() ? "" : ", ";
    list += shared ? fmt::format("\"C:{}\"", static_cast<std::uint32_t>(thing))
                   : quote_json(snapshot.name(thing));
  }
  return shared ? fmt::format("FILTER(IN({}.id, [{}]))", variable, list)
                : fmt::format("FILTER(IN({}.name, [{}]))", variable, list);
}

std::string KipText::value_of(int attribute, const std::string& variable, std::string& clauses) {
  const AttributeInfo& info = schema_.attributes[static_cast<std::size_t>(attribute)];
  if (!info.link) return variable + ".attributes." + info.key;
  const std::string value = new_variable();
  clauses += fmt::format("{}({}, {}, {})", clauses.empty() ? "" : " ", variable,
                         quote_json(info.key), value);
  return value + ".name";
}

// The names of the values of a link attribute that are kept, as a list.
std::string KipText::link_values(int attribute,
                                 const std::function<bool(std::string_view)>& keep) const {
  const store::Snapshot& snapshot = lexicon_.snapshot();
  std::string list;
  const AttributeInfo& info = schema_.attributes[static_cast<std::size_t>(attribute)];
  const auto predicate = snapshot.find_predicate(info.key);
  if (!predicate) return list;
  store::Pattern pattern;
  pattern.predicate = store::Predicate::link(*predicate);
  std::set<std::string> names;
  store::each_statement(snapshot, pattern, [&](const store::Triple& row) {
    if (!row.object.is_entity()) return;
    const std::string_view name = snapshot.name(row.object.as_entity());
    if (keep(name)) names.insert(std::string(name));
  });
  for (const std::string& name : names) list += (list.empty() ? "" : ", ") + quote_json(name);
  return list;
}

std::string KipText::value_test(int attribute, const std::string& path, Compare compare,
                                const Constant& value) const {
  if (value.of_texts) {
    std::set<std::string> texts;
    each_in_column(lexicon_, attribute, [&](const ColumnValue& one) {
      if (passes(compare, one, value))
        texts.insert(one.is_string ? quote_json(one.text) : one.text);
      return true;
    });
    // That none passes is no error: it is nothing.
    if (texts.empty()) return fmt::format("FILTER(IS_NOT_NULL({0}) && IS_NULL({0}))", path);
    return fmt::format("FILTER(IN({}, [{}]))", path, fmt::join(texts, ", "));
  }
  const std::vector<std::string> among = texts_with(lexicon_, attribute, compare, value);
  if (among.size() > 1) {
    std::string list;
    for (const std::string& text : among) list += (list.empty() ? "" : ", ") + quote_json(text);
    return fmt::format("FILTER({}IN({}, [{}]))", compare == Compare::kNotEqual ? "!" : "", path,
                       list);
  }
  if (!link_attribute(attribute))
    return fmt::format("FILTER({} {} {})", path, sign(compare), constant_text(value));
  const bool day = value.text.size() == 10 && reads_as_date(value.text);
  const std::string list = link_values(attribute, [&](std::string_view name) {
    double number = 0;
    if (value.kind == Constant::Kind::kNumber)
      return reads_as_number(name, &number) && passes(compare, number, value.number);
    return passes(compare,
                  (day ? whole_year(name, compare) : std::string(name)).compare(value.text), 0);
  });
  return fmt::format("FILTER(IN({}, [{}]))", path, list);
}

// Of what has several values one that passes: those things, for KIP compares a list as a whole.
Result<std::string> KipText::any_value(const Restriction& it, const std::string& variable) const {
  const store::Snapshot& snapshot = lexicon_.snapshot();
  const AttributeInfo& info = schema_.attributes[static_cast<std::size_t>(it.attribute)];
  const auto key = snapshot.find_string(info.key);
  if (!key) return fail(ErrorCode::kUnsupported, "an attribute that is gone");
  const auto predicate = store::Predicate::attribute(*key);
  std::set<store::EntityId> things;
  for (const store::EntityId thing : having_column(lexicon_, it.attribute)) {
    store::Scratch scratch;
    const auto objects = snapshot.objects(thing, predicate, scratch);
    const std::vector<std::uint32_t> codes(objects.begin(), objects.end());
    for (const std::uint32_t code : store::holding_values(snapshot, thing, predicate, codes)) {
      for (const ColumnValue& one : column_values(snapshot, store::Term{code})) {
        if (passes(it.compare, one, it.value)) things.insert(thing);
      }
    }
  }
  if (things.size() > kMostListed)
    return fail(ErrorCode::kUnsupported, "too many things that have several values");
  std::string list;
  for (const store::EntityId thing : things)
    list += fmt::format("{}\"C:{}\"", list.empty() ? "" : ", ", static_cast<std::uint32_t>(thing));
  return fmt::format("FILTER(IN({}.id, [{}]))", variable, list);
}

Result<std::string> KipText::restriction(const Restriction& it, const std::string& variable) {
  switch (it.kind) {
    case Restriction::Kind::kRelation:
      return relation(it.edge, *it.target, it.nouns, variable);
    case Restriction::Kind::kCount: {
      const int number = static_cast<int>(it.value.number);
      if (number < 0) return fail(ErrorCode::kUnsupported, "a negative count");
      int low = 0, high = -1;  // at least low, fewer than high
      switch (it.compare) {
        case Compare::kEqual:
          low = number;
          high = number + 1;
          break;
        case Compare::kMore:
          low = number + 1;
          break;
        case Compare::kMoreEqual:
          low = number;
          break;
        case Compare::kLess:
          high = number;
          break;
        case Compare::kLessEqual:
          high = number + 1;
          break;
        default:
          return fail(ErrorCode::kUnsupported, "a count that is not");
      }
      ANIMA_ASSIGN(std::string text, at_least(it, low, variable));
      if (high > 0) {
        ANIMA_ASSIGN(const std::string more, at_least(it, high, variable));
        text += fmt::format("{}NOT {{ {} }}", text.empty() ? "" : " ", more);
      }
      return text;
    }
    case Restriction::Kind::kEvery: {
      ANIMA_ASSIGN(std::string text, relation(it.edge, *it.target, it.nouns, variable));
      const std::string other = new_variable();
      ANIMA_ASSIGN(const std::string every, members(*it.target, other));
      ANIMA_ASSIGN(const std::string link, step(it.edge, variable, other));
      return fmt::format("{} NOT {{ {} NOT {{ {} }} }}", text, every, link);
    }
    case Restriction::Kind::kAttribute: {
      if (joins_.has_lists(it.attribute)) return any_value(it, variable);
      std::string clauses;
      const std::string path = value_of(it.attribute, variable, clauses);
      return clauses + (clauses.empty() ? "" : " ") +
             value_test(it.attribute, path, it.compare, it.value);
    }
    case Restriction::Kind::kHas: {
      std::string clauses;
      const std::string path = value_of(it.attribute, variable, clauses);
      return link_attribute(it.attribute) ? clauses : fmt::format("FILTER(IS_NOT_NULL({}))", path);
    }
    case Restriction::Kind::kThan: {
      if (it.target->best) return fail(ErrorCode::kUnsupported, "a superlative inside");
      if (link_attribute(it.attribute))
        return fail(ErrorCode::kUnsupported, "values that are names compared");
      const std::string other = new_variable();
      ANIMA_ASSIGN(const std::string rest, members(*it.target, other));
      std::string none;
      return fmt::format("{} FILTER({} {} {})", rest, value_of(it.attribute, variable, none),
                         sign(it.compare), value_of(it.attribute, other, none));
    }
    case Restriction::Kind::kNot: {
      ANIMA_ASSIGN(const std::string parts, all(it.parts, variable));
      return fmt::format("NOT {{ {} }}", parts);
    }
    case Restriction::Kind::kAny: {
      // Either of them: not none of them.
      std::string none;
      for (const auto& parts : it.alternatives) {
        ANIMA_ASSIGN(const std::string one, all(parts, variable));
        none += fmt::format(" NOT {{ {} }}", one);
      }
      return fmt::format("NOT {{{} }}", none);
    }
    case Restriction::Kind::kNamed: {
      if (it.names.empty()) return fmt::format("FILTER(IS_NULL({}.name))", variable);  // nothing
      return one_of(it.names, variable);
    }
    case Restriction::Kind::kIn:
      return members(*it.target, variable, true);
    case Restriction::Kind::kSame: {
      const std::string same = new_variable();
      ANIMA_ASSIGN(std::string text, step(it.edge, variable, same));
      std::string from = variable;
      for (std::size_t i = 0; i < it.path.size(); ++i) {
        const std::string to = i + 1 < it.path.size() ? new_variable() : same;
        ANIMA_ASSIGN(const std::string link, step(it.path[i], from, to));
        text += " " + link;
        from = to;
      }
      return text;
    }
    case Restriction::Kind::kFold:
      return fail(ErrorCode::kUnsupported, "a value over a group inside");
  }
  return fail(ErrorCode::kInternal, "no such restriction");
}

}  // namespace anima::ask
