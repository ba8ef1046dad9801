// Superlatives: "the largest", "the second visit", "the host with the most services".
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "ask/compile/folds.h"
#include "ask/compile/runner.h"
#include "base/text/text.h"

namespace anima::ask {
// Where the day is in the only date of these types, and the time of the day in a column of its own,
// that one; else empty. O(values) of such a column, and of others up to the first that is no time.
std::string Runner::clock_path(int attribute, const TypeSet& types, KipText& text) const {
  const std::vector<int> dates = joins_.date_attributes(types);
  if (dates != std::vector<int>{attribute}) return {};
  for (std::size_t i = 0; i < schema_.attributes.size(); ++i) {
    const AttributeInfo& info = schema_.attributes[i];
    const int other = static_cast<int>(i);
    if (info.link || types.both(info.type_set()).empty() || joins_.has_lists(other)) continue;
    std::string none;
    if (joins_.holds_clocks(other)) return text.value_of(other, "?x", none);
  }
  return {};
}

// "Before V03", where others are of the same day and the time of the day is in another column.
Result<bool> Runner::is_of_shared_day(const Restriction& than) {
  KipText text(lexicon_);
  if (!is_ordering(than.compare) || clock_path(than.attribute, than.target->types, text).empty())
    return false;
  Reading reading;
  reading.form = Reading::Form::kValue;
  reading.set = than.target;
  reading.attribute = than.attribute;
  ANIMA_ASSIGN(const Table table, values(reading));
  return std::ranges::any_of(table.rows, [&](const JsonArray& row) {
    std::size_t things = 0;
    each_in_column(lexicon_, than.attribute, [&](const ColumnValue& value) {
      things += row.back().is_string() && value.text == row.back().as_string() ? 1 : 0;
      return things < 2;
    });
    return things > 1;
  });
}

// What day and time are, as numbers; false where one of them has no time, so that days are told.
bool Runner::tell_clocks(std::vector<Row>& list) {
  const bool all = std::ranges::all_of(list, [](const Row& row) {
    return row.values[1].is_string() && second_of_day(row.values[1].as_string());
  });
  for (Row& row : list) {
    if (all)
      row.values[1] = Json(*second_of_day(row.values[1].as_string()));
    else
      row.values.resize(1);
  }
  return all;
}

// The first in the order of the measure, and of one day by its time where there is one, the second
// ..: all that share it, or as many as are asked and what shares the place of the last.
// Returns how many of the order end with the last that is kept.
std::size_t Runner::keep_ranked(std::vector<Row>& list, const Best& best) {
  std::erase_if(list, [](const Row& row) { return row.values[0].is_null(); });
  const auto before = [&](const Row& a, const Row& b) {
    const std::size_t at = same(a.values[0], b.values[0]) ? a.values.size() - 1 : 0;
    return best.most ? less(b.values[at], a.values[at]) : less(a.values[at], b.values[at]);
  };
  const auto alike = [](const Row& a, const Row& b) {
    return same(a.values[0], b.values[0]) && same(a.values.back(), b.values.back());
  };
  std::stable_sort(list.begin(), list.end(), before);
  std::size_t from = 0;
  for (int rank = 1; rank < best.rank && from < list.size(); ++rank) {
    const Row measure = list[from];
    while (from < list.size() && alike(list[from], measure)) ++from;
  }
  std::size_t to = from;
  if (best.take > 0) {
    to = std::min(list.size(), from + static_cast<std::size_t>(best.take));
    while (to > from && to < list.size() && alike(list[to], list[to - 1])) ++to;
  } else if (from < list.size()) {
    while (to < list.size() && alike(list[to], list[from])) ++to;
  }
  list.resize(to);
  list.erase(list.begin(), list.begin() + static_cast<std::ptrdiff_t>(from));
  return to;
}

bool Runner::by_rules_alone(const Edge& edge) const {
  if (edge.predicate < 0) return false;
  const PredicateInfo& info = schema_.predicates[static_cast<std::size_t>(edge.predicate)];
  return info.derived && info.closure_of < 0;
}

// A superlative of a count over what rules derive: the pairs are counted, the query names the best.
Result<Table> Runner::best_by_rules(const SetExpr& set, const Best& best) {
  if (best.by.attribute >= 0 || best.by.edge.closure)
    return fail(ErrorCode::kUnsupported, "what rules derive, counted");
  const PredicateInfo& info = schema_.predicates[static_cast<std::size_t>(best.by.edge.predicate)];
  auto base = std::make_shared<SetExpr>(set);
  base->best.reset();
  ANIMA_ASSIGN(const Table candidates, members(base));
  ANIMA_ASSIGN(const Table counted, members(best.by.counted));
  const std::set<store::EntityId> ends(counted.things.begin(), counted.things.end());
  std::map<store::EntityId, std::set<store::EntityId>> others;
  for (const auto& [a, b] : info.pairs) {
    const store::EntityId to = best.by.edge.inverse ? a : b;
    if (ends.contains(to)) others[best.by.edge.inverse ? b : a].insert(to);
  }
  std::vector<Row> list;
  for (std::size_t i = 0; i < candidates.things.size(); ++i) {
    const auto found = others.find(candidates.things[i]);
    const std::size_t count = found == others.end() ? 0 : found->second.size();
    if (count == 0 && best.most) continue;
    list.push_back({candidates.things[i],
                    candidates.rows[i][0].as_string(),
                    {Json(static_cast<std::int64_t>(count))}});
  }
  keep_ranked(list, best);
  steps_.push_back("// " + info.name + "(X, Y), counted");
  SetExpr chosen;
  chosen.types = set.types;
  Table table;
  table.columns = {"name", "count"};
  table.measured = true;
  for (const Row& row : list) {
    table.rows.push_back({row.name, row.values[0]});
    table.things.push_back(row.thing);
    chosen.names.push_back(row.thing);
  }
  if (!chosen.names.empty()) {
    KipText text(lexicon_);
    ANIMA_ASSIGN(const std::string where, text.members(chosen, "?x"));
    table.query = find_text("?x.name", where, "");
  }
  tell_number(table, best);
  finish(table, 1, best.most);
  return table;
}

// More than were asked for, or fewer.
void Runner::tell_number(Table& table, const Best& best) {
  const auto asked = static_cast<std::size_t>(best.take);
  if (asked > 0 && table.rows.size() != asked) table.numeral = asked;
}

Result<Table> Runner::best_members(const SetExpr& set, const Best& best) {
  if (best.by.counted != nullptr && by_rules_alone(best.by.edge)) return best_by_rules(set, best);
  KipText text(lexicon_);
  SetExpr base = set;
  base.best.reset();
  ANIMA_ASSIGN(std::string where, text.members(base, "?x"));
  std::string path, tail;
  const bool folded_by = best.by.attribute >= 0 && best.by.counted != nullptr;
  const bool counted = best.by.attribute < 0 || folded_by;
  bool named = false;
  if (counted) {
    ANIMA_ASSIGN(std::string inner, text.step(best.by.edge, "?x", "?n"));
    ANIMA_ASSIGN(const std::string rest, text.members(*best.by.counted, "?n", true));
    if (!rest.empty()) inner += " " + rest;
    where += best.most || folded_by ? " " + inner : " OPTIONAL { " + inner + " }";
    path = "COUNT(DISTINCT ?n.id)";
    if (folded_by) {
      if (text.link_attribute(best.by.attribute))
        return fail(ErrorCode::kUnsupported, "values that are names over groups");
      std::string none;
      const std::string value = text.value_of(best.by.attribute, "?n", none);
      path = fmt::format("{}({})", fold_name(best.by.fold), value);
      where += fmt::format(" FILTER(IS_NOT_NULL({}))", value);
    }
  } else {
    named = text.link_attribute(best.by.attribute);
    std::string clauses;
    path = text.value_of(best.by.attribute, "?x", clauses);
    where += clauses.empty() ? "" : " " + clauses;
    if (!named) where += fmt::format(" FILTER(IS_NOT_NULL({}))", path);
  }
  const std::string clock = counted || named ? "" : clock_path(best.by.attribute, set.types, text);
  ANIMA_ASSIGN(auto list, rows("?x", path + (clock.empty() ? "" : ", " + clock), where));
  for (Row& row : list) row.values[0] = plain(row.values[0], named);
  const bool timed = !clock.empty() && tell_clocks(list);
  const bool most = best.most;
  const std::size_t limit = keep_ranked(list, best);
  Table table;
  const std::string measure =
      best.by.attribute < 0 ? "count"
                            : schema_.attributes[static_cast<std::size_t>(best.by.attribute)].key;
  table.columns = {"name", measure};
  table.measured = true;
  for (const Row& row : list) {
    table.rows.push_back({row.name, row.values[0]});
    table.things.push_back(row.thing);
  }
  const std::string find = "?x.name, " + path + (timed ? ", " + clock : "");
  if (!counted && !timed && best.take == 0 && !table.rows.empty()) {
    const Constant value = constant_of(table.rows[0][1]);
    steps_.push_back(find_text(fmt::format("{}({})", most ? "MAX" : "MIN", path), where, ""));
    if (named || best.rank > 1) steps_.pop_back();
    table.query = find_text(
        find, where + " " + text.value_test(best.by.attribute, path, Compare::kEqual, value), "");
  } else if (named || timed) {
    std::string names;
    for (const JsonArray& row : table.rows)
      names += (names.empty() ? "" : ", ") + quote_json(row[0].as_string());
    table.query = find_text(find, where + fmt::format(" FILTER(IN(?x.name, [{}]))", names), "");
  } else {
    table.query = find_text(find, where,
                            fmt::format("ORDER BY {} {} LIMIT {}", path, most ? "DESC" : "ASC",
                                        std::max<std::size_t>(limit, 1)));
  }
  tell_number(table, best);
  finish(table, 1, most);
  return table;
}

}  // namespace anima::ask
