#include "ask/compile/runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <set>

#include "ask/compile/folds.h"
#include "base/text/text.h"
#include "store/holds.h"
#include "store/verify/audit.h"

namespace anima::ask {

std::string find_text(const std::string& find, const std::string& where, const std::string& tail) {
  return fmt::format("FIND({}) WHERE {{ {} }}{}{}", find, where, tail.empty() ? "" : " ", tail);
}

namespace {

store::EntityId entity_of(const std::string& id) {
  std::uint32_t number = 0;
  if (id.size() > 2) std::from_chars(id.data() + 2, id.data() + id.size(), number);
  return store::EntityId{number};
}

std::vector<std::string> names_of(const Table& table) {
  std::vector<std::string> names;
  for (const JsonArray& row : table.rows) names.push_back(row[0].as_string());
  return names;
}

bool has_fold(const SetExpr& set) {
  return std::any_of(set.restrictions.begin(), set.restrictions.end(),
                     [](const Restriction& one) { return one.kind == Restriction::Kind::kFold; });
}

}  // namespace

Result<Json> Runner::ask(const std::string& find, const std::string& where,
                         const std::string& tail) {
  Json request = Json::object({{"command", find_text(find, where, tail)}, {"strict", false}});
  if (as_of_) request.set("as_of", *as_of_);
  if (valid_) {
    request.set("valid_at", valid_->from);
    if (!valid_->until.is_null()) request.set("valid_until", valid_->until);
  }
  if (asked_.least) request.set("min_trust", store::trust_label(*asked_.least));
  kip::Caller caller;
  caller.readonly = true;
  caller.stop = stop_;
  Json answer = engine_.execute(request, caller);
  if (const Json* error = answer.find("error")) {
    const Json* message = error->find("message");
    return fail(ErrorCode::kInternal, message != nullptr ? message->as_string() : "a query failed",
                find_text(find, where, tail));
  }
  const Json* result = answer.find("result");
  return result != nullptr ? *result : Json();
}

Result<std::vector<Runner::Row>> Runner::rows(const std::string& variable,
                                              const std::string& values, const std::string& where,
                                              const std::string& tail) {
  ANIMA_ASSIGN(const Json columns, ask(fmt::format("{}.id, {}.name{}{}", variable, variable,
                                                   values.empty() ? "" : ", ", values),
                                       where, tail));
  std::vector<Row> list;
  const JsonArray& all = columns.as_array();
  if (all.size() < 2) return list;
  for (std::size_t i = 0; i < all[0].as_array().size(); ++i) {
    Row row;
    row.thing = entity_of(all[0].as_array()[i].as_string());
    row.name = all[1].as_array()[i].as_string();
    for (std::size_t j = 2; j < all.size(); ++j) row.values.push_back(all[j].as_array()[i]);
    list.push_back(std::move(row));
  }
  return list;
}

Result<Restriction> Runner::resolved(const Restriction& restriction) {
  Restriction result = restriction;
  if (result.target != nullptr) {
    ANIMA_ASSIGN(result.target, resolved(result.target, false));
  }
  for (Restriction& part : result.parts) {
    ANIMA_ASSIGN(part, resolved(part));
  }
  for (auto& parts : result.alternatives) {
    for (Restriction& part : parts) {
      ANIMA_ASSIGN(part, resolved(part));
    }
  }
  ANIMA_ASSIGN(result, by_rules(std::move(result)));
  ANIMA_ASSIGN(result, counted(std::move(result)));
  if (result.kind == Restriction::Kind::kThan && result.target->names.size() != 1) {
    ANIMA_ASSIGN(const bool several, differ(result));
    if (several) return fail(ErrorCode::kNotFound, "several to compare with");
  }
  if (result.kind == Restriction::Kind::kThan) {
    ANIMA_ASSIGN(const bool shared, is_of_shared_day(result));
    if (shared) return fail(ErrorCode::kUnsupported, "times of one day compared");
  }
  // Values that are names are compared where they are read.
  const bool named = result.kind == Restriction::Kind::kThan &&
                     schema_.attributes[static_cast<std::size_t>(result.attribute)].link;
  if (!named) return result;
  Reading values;
  values.form = Reading::Form::kValue;
  values.set = result.target;
  values.attribute = result.attribute;
  ANIMA_ASSIGN(const Table table, this->values(values));
  std::vector<Json> all;
  for (const JsonArray& row : table.rows) all.push_back(row.back());
  if (all.empty()) return fail(ErrorCode::kNotFound, "nothing to compare with");
  const bool up = result.compare == Compare::kMore || result.compare == Compare::kMoreEqual;
  const Json bound = folded(up ? Fold::kLowest : Fold::kHighest, all);
  result.kind = Restriction::Kind::kAttribute;
  result.target = nullptr;
  result.value = constant_of(bound);
  return result;
}

// "Longer than the Fiat 500" where there are two, which do not have the same length.
Result<bool> Runner::differ(const Restriction& than) {
  Reading reading;
  reading.form = Reading::Form::kValue;
  reading.set = than.target;
  reading.attribute = than.attribute;
  ANIMA_ASSIGN(const Table table, values(reading));
  const bool several = std::ranges::any_of(table.rows, [&](const JsonArray& row) {
    return !same(row.back(), table.rows.front().back());
  });
  if (several) several_ = names_of(table);
  return several;
}

// What rules derive is known by its pairs: the relation becomes the names that it holds of.
Result<Restriction> Runner::by_rules(Restriction restriction) {
  if (restriction.edge.predicate < 0) return restriction;
  const PredicateInfo& info =
      schema_.predicates[static_cast<std::size_t>(restriction.edge.predicate)];
  if (!info.derived || info.closure_of >= 0) return restriction;
  if (restriction.kind != Restriction::Kind::kRelation || restriction.edge.closure)
    return fail(ErrorCode::kUnsupported, "what rules derive, counted");
  steps_.push_back("// " + info.name + "(X, Y)");
  std::set<store::EntityId> ends;
  const bool any = restriction.target->anything && restriction.target->restrictions.empty();
  if (!any) {
    ANIMA_ASSIGN(const Table table, members(restriction.target));
    ends.insert(table.things.begin(), table.things.end());
  }
  Restriction named;
  named.kind = Restriction::Kind::kNamed;
  for (const auto& [a, b] : info.pairs) {
    const store::EntityId from = restriction.edge.inverse ? b : a;
    const store::EntityId to = restriction.edge.inverse ? a : b;
    if (any || ends.contains(to)) named.names.push_back(from);
  }
  std::sort(named.names.begin(), named.names.end());
  named.names.erase(std::unique(named.names.begin(), named.names.end()), named.names.end());
  return named;
}

// "Exactly three zones": of more than two the query would try each with each other, so they are
// counted before it.
Result<Restriction> Runner::counted(Restriction it) {
  constexpr double kMostTried = 2;
  if (it.kind != Restriction::Kind::kCount || it.value.number <= kMostTried) return it;
  KipText text(lexicon_);
  ANIMA_ASSIGN(std::string where, text.step(it.edge, "?x", "?n"));
  ANIMA_ASSIGN(const std::string rest, text.members(*it.target, "?n", true));
  if (!rest.empty()) where += " " + rest;
  const std::string count = "COUNT(DISTINCT ?n.id)";
  ANIMA_ASSIGN(const auto list, rows("?x", count, where));
  steps_.push_back(find_text("?x.name, " + count, where, ""));
  // What has none is not among them.
  const bool none_passes = passes(it.compare, 0, it.value.number);
  Restriction named;
  named.kind = Restriction::Kind::kNamed;
  for (const Row& row : list) {
    if (passes(it.compare, row.values[0].as_number(), it.value.number) != none_passes)
      named.names.push_back(row.thing);
  }
  std::sort(named.names.begin(), named.names.end());
  if (!none_passes) return named;
  Restriction others;
  others.kind = Restriction::Kind::kNot;
  others.parts.push_back(std::move(named));
  return others;
}

Result<SetRef> Runner::resolved(const SetRef& set, bool root) {
  auto result = std::make_shared<SetExpr>(*set);
  for (Restriction& one : result->restrictions) {
    ANIMA_ASSIGN(one, resolved(one));
  }
  if (result->best && result->best->by.counted != nullptr) {
    ANIMA_ASSIGN(result->best->by.counted, resolved(result->best->by.counted, false));
  }
  if (root || (!result->best && !has_fold(*result))) return SetRef(result);
  ANIMA_ASSIGN(const Table table, members(result));
  steps_.push_back(table.query);
  auto names = std::make_shared<SetExpr>();
  names->types = set->types;
  names->names = table.things;
  // A set of nothing leads nowhere.
  if (table.things.empty()) return fail(ErrorCode::kNotFound, "a part of the question has no row");
  return SetRef(names);
}

// Sorted, each once.
void Runner::finish(Table& table, std::size_t measure_column, bool down) const {
  std::vector<std::size_t> order(table.rows.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  const auto row_less = [&](std::size_t a, std::size_t b) {
    const JsonArray &left = table.rows[a], &right = table.rows[b];
    if (table.measured && !same(left[measure_column], right[measure_column])) {
      return down ? less(right[measure_column], left[measure_column])
                  : less(left[measure_column], right[measure_column]);
    }
    for (std::size_t i = 0; i < left.size(); ++i) {
      if (!same(left[i], right[i])) return less(left[i], right[i]);
    }
    return false;
  };
  std::stable_sort(order.begin(), order.end(), row_less);
  std::vector<JsonArray> rows;
  std::vector<store::EntityId> things;
  for (const std::size_t i : order) {
    const bool with_things = table.things.size() == table.rows.size();
    if (!rows.empty() && rows.back() == table.rows[i] &&
        (!with_things || things.back() == table.things[i]))
      continue;
    rows.push_back(table.rows[i]);
    if (with_things) things.push_back(table.things[i]);
  }
  table.rows = std::move(rows);
  table.things = std::move(things);
}

Result<Table> Runner::members(const SetRef& set) {
  if (set->best) return best_members(*set, *set->best);
  if (has_fold(*set)) return folded_members(set);
  KipText text(lexicon_);
  ANIMA_ASSIGN(const std::string where, text.members(*set, "?x"));
  ANIMA_ASSIGN(const auto list, rows("?x", "", where));
  Table table;
  table.columns = {"name"};
  table.query = find_text("?x.name", where, "");
  for (const Row& row : list) {
    table.rows.push_back({row.name});
    table.things.push_back(row.thing);
  }
  finish(table);
  if (set->numeral > 0 && table.rows.size() != static_cast<std::size_t>(set->numeral))
    table.numeral = static_cast<std::size_t>(set->numeral);
  return table;
}

// Those whose value over a group passes: "departments with an average salary above 60000".
Result<Table> Runner::folded_members(const SetRef& set) {
  KipText text(lexicon_);
  SetExpr base = *set;
  Restriction fold;
  std::erase_if(base.restrictions, [&](const Restriction& one) {
    if (one.kind != Restriction::Kind::kFold) return false;
    fold = one;
    return true;
  });
  if (text.link_attribute(fold.attribute))
    return fail(ErrorCode::kUnsupported, "values that are names over groups");
  ANIMA_ASSIGN(std::string where, text.members(base, "?x"));
  ANIMA_ASSIGN(const std::string link, text.step(fold.edge, "?x", "?n"));
  where += " " + link;
  ANIMA_ASSIGN(const std::string rest, text.members(*fold.target, "?n", true));
  if (!rest.empty()) where += " " + rest;
  std::string none;
  const std::string value = text.value_of(fold.attribute, "?n", none);
  const std::string path = fmt::format("{}({})", fold_name(fold.fold), value);
  where += fmt::format(" FILTER(IS_NOT_NULL({}))", value);
  ANIMA_ASSIGN(auto list, rows("?x", path, where));
  Table table;
  table.columns = {"name", schema_.attributes[static_cast<std::size_t>(fold.attribute)].key};
  table.measured = true;
  for (const Row& row : list) {
    if (!row.values[0].is_number() ||
        !passes(fold.compare, row.values[0].as_number(), fold.value.number))
      continue;
    table.rows.push_back({row.name, row.values[0]});
    table.things.push_back(row.thing);
  }
  const bool up = fold.compare == Compare::kMore || fold.compare == Compare::kMoreEqual;
  table.query = find_text("?x.name, " + path, where,
                          fmt::format("ORDER BY {} {} LIMIT {}", path, up ? "DESC" : "ASC",
                                      std::max<std::size_t>(table.rows.size(), 1)));
  finish(table, 1, up);
  return table;
}

Result<bool> Runner::holds(const SetRef& set) {
  ANIMA_ASSIGN(const Table table, members(set));
  return !table.rows.empty();
}

Result<Table> Runner::values(const Reading& reading) {
  SetRef set = reading.set;
  Table table;
  const AttributeInfo& info = schema_.attributes[static_cast<std::size_t>(reading.attribute)];
  table.columns = {"name", info.key};
  std::vector<store::EntityId> chosen;
  if (set->best) {
    ANIMA_ASSIGN(const SetRef names, resolved(set, false));
    set = names;
  }
  KipText text(lexicon_);
  ANIMA_ASSIGN(std::string where, text.members(*set, "?x"));
  std::string clauses;
  const std::string path = text.value_of(reading.attribute, "?x", clauses);
  where += clauses.empty() ? fmt::format(" FILTER(IS_NOT_NULL({}))", path) : " " + clauses;
  ANIMA_ASSIGN(const auto list, rows("?x", path, where));
  table.query = find_text("?x.name, " + path, where, "");
  for (const Row& row : list) {
    table.rows.push_back({row.name, plain(row.values[0], info.link)});
    table.things.push_back(row.thing);
  }
  finish(table);
  return table;
}

// Who owns each of the things: what nobody owns is told, too.
Result<Table> Runner::each(const Reading& reading) {
  const Restriction& relation = reading.set->restrictions.front();
  SetExpr named = *reading.set;
  named.restrictions.clear();
  KipText text(lexicon_);
  ANIMA_ASSIGN(std::string where, text.members(named, "?x"));
  ANIMA_ASSIGN(const std::string link, text.step(relation.edge, "?x", "?n"));
  where += " " + link;
  ANIMA_ASSIGN(const std::string rest, text.members(*relation.target, "?n", true));
  if (!rest.empty()) where += " " + rest;
  ANIMA_ASSIGN(const auto list, rows("?x", "?n.name", where));
  Table table;
  table.columns = {"name",
                   schema_.predicates[static_cast<std::size_t>(relation.edge.predicate)].name};
  table.query = find_text("?x.name, ?n.name", where, "");
  std::set<store::EntityId> known;
  for (const Row& row : list) {
    table.rows.push_back({row.name, row.values[0]});
    table.things.push_back(row.thing);
    known.insert(row.thing);
  }
  for (const store::EntityId thing : named.names) {
    if (known.empty() || known.contains(thing)) continue;
    table.rows.push_back({Json(std::string(lexicon_.snapshot().name(thing))), Json()});
    table.things.push_back(thing);
  }
  finish(table);
  return table;
}

Result<Table> Runner::count(const Reading& reading) {
  Table table;
  table.columns = {"count"};
  if (reading.set->best || has_fold(*reading.set)) {
    ANIMA_ASSIGN(const Table all, members(reading.set));
    table.query = all.query;
    table.rows.push_back({static_cast<std::int64_t>(all.rows.size())});
    return table;
  }
  KipText text(lexicon_);
  ANIMA_ASSIGN(const std::string where, text.members(*reading.set, "?x"));
  std::string clauses;
  const std::string find =
      reading.attribute < 0
          ? "COUNT(DISTINCT ?x.id)"
          : fmt::format("COUNT(DISTINCT {})", text.value_of(reading.attribute, "?x", clauses));
  ANIMA_ASSIGN(const Json number, ask(find, where));
  table.query = find_text(find, where, "");
  table.rows.push_back({number});
  return table;
}

Result<Table> Runner::exists(const Reading& reading) {
  ANIMA_ASSIGN(const Table all, members(reading.set));
  Table table;
  table.columns = {"holds"};
  table.query = all.query;
  if (reading.subject != nullptr && !all.rows.empty()) {
    ANIMA_ASSIGN(const Table asked, members(reading.subject));
    if (asked.things.size() > all.things.size()) several_ = names_of(asked);
  }
  const std::set<store::EntityId> found(all.things.begin(), all.things.end());
  if (reading.of_all != nullptr) {
    ANIMA_ASSIGN(const SetRef every, resolved(reading.of_all, true));
    ANIMA_ASSIGN(const Table asked, members(every));
    steps_.push_back(asked.query);
    table.things = all.things;
    if (!asked.things.empty()) table.rows.push_back({found.size() >= asked.things.size()});
    return table;
  }
  const std::size_t needed = reading.every ? reading.set->names.size() : 1;
  table.rows.push_back({found.size() >= needed});
  table.things = all.things.empty() ? reading.set->names : all.things;
  return table;
}

Result<Table> Runner::fold(const Reading& reading) {
  Reading values = reading;
  ANIMA_ASSIGN(const Table all, this->values(values));
  Table table;
  const AttributeInfo& info = schema_.attributes[static_cast<std::size_t>(reading.attribute)];
  table.columns = {fmt::format("{} {}", to_lower(fold_name(reading.fold)), info.key)};
  std::vector<Json> numbers;
  for (const JsonArray& row : all.rows) numbers.push_back(row.back());
  const Json result = folded(reading.fold, numbers);
  if (!result.is_null()) table.rows.push_back({result});
  // One statement says it where no row is there twice and no value is a name.
  table.query = all.query;
  const std::string path = "?x.attributes." + info.key;
  const std::string find = fmt::format("{}({})", fold_name(reading.fold), path);
  if (!info.link && all.query.starts_with("FIND(?x.name, ")) {
    const std::string where = all.query.substr(all.query.find(" WHERE "));
    const std::size_t open = where.find('{'), close = where.rfind('}');
    const std::string clauses = where.substr(open + 2, close - open - 3);
    const auto alone = ask(find, clauses);
    if (alone && alone->is_number() && result.is_number() && same(*alone, result))
      table.query = find_text(find, clauses, "");
  }
  return table;
}

// A sum of nothing is not recorded, and no 0: how many groups have no value.
Result<std::size_t> Runner::groups_without(const std::string& key, const std::string& where,
                                           const std::string& value) {
  const std::string count = fmt::format("COUNT(DISTINCT {})", key);
  ANIMA_ASSIGN(const Json all, ask(count, where));
  ANIMA_ASSIGN(const Json with,
               ask(count, fmt::format("{} FILTER(IS_NOT_NULL({}))", where, value)));
  return static_cast<std::size_t>(std::max(0.0, all.as_number() - with.as_number()));
}

Result<Table> Runner::group(const Reading& reading) {
  const Grouping& group = *reading.group;
  Table table;
  KipText text(lexicon_);
  std::string where, key;
  const bool counted = reading.fold == Fold::kCount;
  if (group.attribute >= 0) {
    ANIMA_ASSIGN(where, text.members(*reading.set, "?x"));
    std::string clauses;
    key = text.value_of(group.attribute, "?x", clauses);
    where += clauses.empty() ? fmt::format(" FILTER(IS_NOT_NULL({}))", key) : " " + clauses;
  } else {
    key = "?g.name";
    std::string inner;
    ANIMA_ASSIGN(inner, text.members(*reading.set, "?x"));
    ANIMA_ASSIGN(const std::string link, text.step(group.edge, "?x", "?g"));
    inner += " " + link;
    if (group.groups->anything) {
      where = inner;
    } else {
      ANIMA_ASSIGN(const std::string groups, text.members(*group.groups, "?g"));
      where = counted ? fmt::format("{} OPTIONAL {{ {} }}", groups, inner) : groups + " " + inner;
    }
  }
  std::string path = "COUNT(DISTINCT ?x.id)";
  if (!counted) {
    if (text.link_attribute(reading.attribute))
      return fail(ErrorCode::kUnsupported, "values that are names over groups");
    std::string none;
    const std::string value = text.value_of(reading.attribute, "?x", none);
    path = fmt::format("{}({})", fold_name(reading.fold), value);
    if (reading.fold == Fold::kSum) {
      ANIMA_ASSIGN(table.unsaid, groups_without(key, where, value));
      where += fmt::format(" FILTER(IS_NOT_NULL({}))", value);
    }
  }
  ANIMA_ASSIGN(const Json columns, ask(key + ", " + path, where));
  table.query = find_text(key + ", " + path, where, "");
  table.columns = {
      "group",
      counted ? "count" : schema_.attributes[static_cast<std::size_t>(reading.attribute)].key};
  const JsonArray& all = columns.as_array();
  if (all.size() == 2) {
    for (std::size_t i = 0; i < all[0].as_array().size(); ++i)
      table.rows.push_back({all[0].as_array()[i], all[1].as_array()[i]});
  }
  if (reading.best) keep_best(table, *reading.best, key + ", " + path, where, path);
  if (reading.having) keep_having(table, *reading.having, key, path, where);
  finish(table);
  return table;
}

// "(Sites) with more than two plots": those groups, and the query that names them.
void Runner::keep_having(Table& table, const std::pair<Compare, double>& having,
                         const std::string& key, const std::string& path,
                         const std::string& where) const {
  std::erase_if(table.rows, [&](const JsonArray& row) {
    return !passes(having.first, row.back().as_number(), having.second);
  });
  std::string list;
  for (const JsonArray& row : table.rows) list += (list.empty() ? "" : ", ") + row[0].dump();
  if (list.empty()) return;
  table.query =
      find_text(key + ", " + path, fmt::format("{} FILTER(IN({}, [{}]))", where, key, list), "");
}

// Of groups those with the best measure, and the query that gives them alone.
void Runner::keep_best(Table& table, const Best& best, const std::string& find,
                       const std::string& where, const std::string& path) const {
  if (table.rows.empty()) return;
  Json top = table.rows[0].back();
  for (const JsonArray& row : table.rows) {
    if (best.most ? less(top, row.back()) : less(row.back(), top)) top = row.back();
  }
  std::erase_if(table.rows, [&](const JsonArray& row) { return !(row.back() == top); });
  table.query = find_text(
      find, where,
      fmt::format("ORDER BY {} {} LIMIT {}", path, best.most ? "DESC" : "ASC", table.rows.size()));
}

// In each group those with the best measure.
Result<Table> Runner::top(const Reading& reading) {
  const Grouping& group = *reading.group;
  if (reading.best->by.attribute < 0 || reading.best->by.counted != nullptr)
    return fail(ErrorCode::kUnsupported, "the best by a count in each group");
  KipText text(lexicon_);
  const bool by_value = group.attribute >= 0;
  if (text.link_attribute(reading.best->by.attribute) ||
      (by_value && text.link_attribute(group.attribute)))
    return fail(ErrorCode::kUnsupported, "values that are names over groups");
  std::string none;
  const std::string key = by_value ? text.value_of(group.attribute, "?x", none) : "?g.name";
  ANIMA_ASSIGN(std::string where, text.members(*reading.set, "?x"));
  ANIMA_ASSIGN(std::string better, text.members(*reading.set, "?z"));
  if (by_value) {
    where += fmt::format(" FILTER(IS_NOT_NULL({}))", key);
    better += fmt::format(" FILTER({} == {})", text.value_of(group.attribute, "?z", none), key);
  } else {
    ANIMA_ASSIGN(const std::string link, text.step(group.edge, "?x", "?g"));
    ANIMA_ASSIGN(const std::string groups, text.members(*group.groups, "?g", true));
    where += " " + link + (groups.empty() ? "" : " ") + groups;
    ANIMA_ASSIGN(const std::string same, text.step(group.edge, "?z", "?g"));
    better += " " + same;
  }
  const std::string path = text.value_of(reading.best->by.attribute, "?x", none);
  better += fmt::format(" FILTER({} {} {})", text.value_of(reading.best->by.attribute, "?z", none),
                        reading.best->most ? ">" : "<", path);
  where += fmt::format(" FILTER(IS_NOT_NULL({})) NOT {{ {} }}", path, better);
  const std::string find = key + ", ?x.name, " + path;
  ANIMA_ASSIGN(const Json columns, ask(find, where));
  Table table;
  table.query = find_text(find, where, "");
  table.columns = {"group", "name",
                   schema_.attributes[static_cast<std::size_t>(reading.best->by.attribute)].key};
  const JsonArray& all = columns.as_array();
  if (all.size() == 3) {
    for (std::size_t i = 0; i < all[0].as_array().size(); ++i)
      table.rows.push_back({all[0].as_array()[i], all[1].as_array()[i], all[2].as_array()[i]});
  }
  finish(table);
  const bool shared = std::ranges::adjacent_find(table.rows, [](const auto& a, const auto& b) {
                        return a[0] == b[0];
                      }) != table.rows.end();
  if (shared && !clock_path(reading.best->by.attribute, reading.set->types, text).empty())
    return fail(ErrorCode::kUnsupported, "the time of the day, in each group");
  return table;
}

// A query of an earlier state is a request that says of which (anima kip --request).
void Runner::show_state(Table& table) const {
  if ((!as_of_ && !valid_) || table.language != "kip" || table.query.empty()) return;
  Json request = Json::object({{"command", table.query}});
  if (as_of_) request.set("as_of", *as_of_);
  if (valid_) {
    request.set("valid_at", valid_->from);
    if (!valid_->until.is_null()) request.set("valid_until", valid_->until);
  }
  table.query = request.dump();
}

// None where KIP's own rule is meant: what holds now, or held when an earlier state was the newest.
std::optional<Runner::ValidTime> Runner::valid_time(const Reading& reading) const {
  if (!reading.valid_from.empty()) {
    return ValidTime{reading.valid_from + "T00:00:00Z", reading.valid_until + "T00:00:00Z"};
  }
  if (as_of_ || !store::has_times(lexicon_.snapshot())) return std::nullopt;
  // What has not begun never held; what began just now did.
  if (reading.ever) {
    const Timestamp behind_now{now_.microseconds + 1};
    return ValidTime{"0001-01-01T00:00:00Z", format_timestamp(behind_now)};
  }
  if (!asked_.other_time) return std::nullopt;
  return ValidTime{format_timestamp(now_), {}};
}

Result<Table> Runner::run(const Reading& reading) {
  steps_.clear();
  several_.clear();
  as_of_.reset();
  if (reading.as_of_entry)
    as_of_ = Json(static_cast<std::int64_t>(*reading.as_of_entry));
  else if (!reading.as_of_time.empty())
    as_of_ = Json(reading.as_of_time + (reading.as_of_time.size() == 10 ? "T00:00:00Z" : ""));
  valid_ = valid_time(reading);
  Reading it = reading;
  const auto dispatch = [&]() -> Result<Table> {
    if (it.set != nullptr) {
      ANIMA_ASSIGN(it.set, resolved(it.set, true));
    }
    switch (it.form) {
      case Reading::Form::kList:
        return members(it.set);
      case Reading::Form::kValue:
        return values(it);
      case Reading::Form::kCount:
        return count(it);
      case Reading::Form::kExists:
        return exists(it);
      case Reading::Form::kFold:
        return fold(it);
      case Reading::Form::kGroup:
        return group(it);
      case Reading::Form::kTop:
        return top(it);
      case Reading::Form::kEach:
        return each(it);
      case Reading::Form::kWhy:
        return why(it);
      case Reading::Form::kWhatIf:
        return what_if(it);
      case Reading::Form::kSource:
      case Reading::Form::kSure:
      case Reading::Form::kBegan:
      case Reading::Form::kEnded:
        return source(it);
      case Reading::Form::kHistory:
        return history(it);
    }
    return fail(ErrorCode::kInternal, "no such form");
  };
  auto table = dispatch();
  if (!table) {
    // A part that has no row leaves nothing.
    if (table.error().code != ErrorCode::kNotFound) return table;
    Table empty;
    for (const std::string& step : steps_) empty.query += (empty.query.empty() ? "" : "\n") + step;
    if (it.form == Reading::Form::kExists) empty.rows.push_back({false});
    if (it.form == Reading::Form::kCount) empty.rows.push_back({0});
    empty.several = several_;
    show_state(empty);
    return empty;
  }
  table->several = several_;
  std::string query;
  for (const std::string& step : steps_) query += step + "\n";
  table->query = query + table->query;
  show_state(*table);
  // What is said of a named thing must hold of it.
  const bool named = it.set != nullptr && !it.set->names.empty() && !it.set->restrictions.empty();
  if (named && it.form == Reading::Form::kValue && table->rows.empty()) {
    ANIMA_ASSIGN(const bool true_of_it, holds(it.set));
    table->presupposition = !true_of_it;
  }
  return table;
}

}  // namespace anima::ask
