// FIND the slow and obvious way: rows as maps, every clause a loop over everything. It shares
// nothing with the engine but the syntax tree, and reads its model from a dump.
#pragma once

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/json/json.h"
#include "kip/syntax.h"

namespace anima::kip::naive {

struct Thing {
  std::string id, type, name;              // a concept
  std::string subject, predicate, object;  // a link
  Json attributes, metadata;
  bool is_link() const { return !predicate.empty(); }
};

using Row = std::map<std::string, std::string>;  // variable -> id or predicate; "" = null
using Rows = std::vector<Row>;

class Evaluator {
 public:
  std::vector<Thing> things;

  // The rows of FIND as tuples, in no order (a grouped query: one a group).
  std::vector<JsonArray> run(const Find& find) {
    std::set<std::string> scope;
    Rows rows = block(find.where, {{}}, &scope);
    std::set<std::string> shown;
    for (const FindItem& item : find.items) shown.insert(item.path.variable);
    std::set<Row> solutions;
    for (const Row& row : rows) {
      Row kept;
      for (const std::string& name : shown) kept[name] = row.count(name) ? row.at(name) : "";
      solutions.insert(kept);
    }
    only_texts = sums_only_texts(find, solutions);
    return project(find, solutions);
  }
  // Of the last run: a sum or an average met texts and no number, which is refused.
  bool only_texts = false;

 private:
  const Thing* find_thing(const std::string& id) const {
    for (const Thing& thing : things) {
      if (thing.id == id) return &thing;
    }
    return nullptr;
  }

  // Binds or checks; false = this row does not fit. A variable in scope without a value is null and
  // fits nothing.
  static bool bind(Row* row, const std::set<std::string>& scope, const std::string& name,
                   const std::string& value) {
    const auto bound = row->find(name);
    if (bound != row->end()) return !bound->second.empty() && bound->second == value;
    if (scope.count(name)) return false;
    (*row)[name] = value;
    return true;
  }

  static bool fits(const ConceptMatch& match, const Thing& thing) {
    if (thing.is_link()) return false;
    return (!match.id || match.id->text == thing.id) &&
           (!match.type || match.type->text == thing.type) &&
           (!match.name || match.name->text == thing.name);
  }

  // All ways in which an endpoint can stand for the thing with this id.
  Rows endpoint(const Endpoint& end, const std::string& id, const Row& row,
                const std::set<std::string>& scope) const {
    Row next = row;
    if (end.kind == Endpoint::Kind::kVariable)
      return bind(&next, scope, end.variable, id) ? Rows{next} : Rows{};
    const Thing* thing = find_thing(id);
    if (thing == nullptr) return {};
    if (end.kind == Endpoint::Kind::kConcept)
      return fits(end.concept_match, *thing) ? Rows{next} : Rows{};
    return thing->is_link() ? link(end.link.front(), "", *thing, row, scope) : Rows{};
  }

  Rows link(const LinkMatch& match, const std::string& variable, const Thing& thing, const Row& row,
            const std::set<std::string>& scope) const {
    if (!thing.is_link()) return {};
    if (match.id && match.id->text != thing.id) return {};
    Row start = row;
    if (!variable.empty() && !bind(&start, scope, variable, thing.id)) return {};
    if (match.id) return {start};
    Rows out;
    for (const Row& one : endpoint(match.subject, thing.subject, start, scope)) {
      Row next = one;
      if (match.predicate.names.empty()) {
        if (!bind(&next, scope, match.predicate.variable, thing.predicate)) continue;
      } else if (std::none_of(match.predicate.names.begin(), match.predicate.names.end(),
                              [&](const Atom& atom) { return atom.text == thing.predicate; })) {
        continue;
      }
      for (const Row& both : endpoint(match.object, thing.object, next, scope)) out.push_back(both);
    }
    return out;
  }

  // Ends of walks of minimum .. maximum steps; with no maximum, more steps than things find nothing
  // new.
  std::set<std::string> walk(const std::string& from, const std::string& predicate,
                             const Hops& hops) const {
    std::set<std::string> level{from}, result;
    const std::size_t last = hops.maximum ? *hops.maximum : hops.minimum + things.size();
    for (std::size_t step = 0; step <= last && !level.empty(); ++step) {
      if (step >= hops.minimum) result.insert(level.begin(), level.end());
      std::set<std::string> next;
      for (const Thing& thing : things) {
        if (thing.predicate == predicate && level.count(thing.subject)) next.insert(thing.object);
      }
      level = std::move(next);
    }
    return result;
  }

  Rows path(const LinkMatch& match, const Row& row, const std::set<std::string>& scope) const {
    Rows out;
    for (const Thing& from : things) {
      for (const Row& one : endpoint(match.subject, from.id, row, scope)) {
        for (const std::string& to :
             walk(from.id, match.predicate.names[0].text, *match.predicate.hops)) {
          for (const Row& both : endpoint(match.object, to, one, scope)) out.push_back(both);
        }
      }
    }
    return out;
  }

  static void names_of(const Endpoint& end, std::set<std::string>* scope) {
    if (end.kind == Endpoint::Kind::kVariable) scope->insert(end.variable);
    for (const LinkMatch& link : end.link) names_of(link, scope);
  }
  static void names_of(const LinkMatch& link, std::set<std::string>* scope) {
    if (link.id) return;
    names_of(link.subject, scope);
    names_of(link.object, scope);
    if (!link.predicate.variable.empty()) scope->insert(link.predicate.variable);
  }

  Rows pattern(const Clause& clause, const Rows& rows, std::set<std::string>* scope) const {
    Rows out;
    const bool is_path =
        clause.kind == Clause::Kind::kLink && clause.link.predicate.hops &&
        !(clause.link.predicate.hops->minimum == 1 && clause.link.predicate.hops->maximum == 1u);
    for (const Row& row : rows) {
      if (is_path) {
        for (const Row& one : path(clause.link, row, *scope)) out.push_back(one);
        continue;
      }
      for (const Thing& thing : things) {
        if (clause.kind == Clause::Kind::kLink) {
          for (const Row& one : link(clause.link, clause.variable, thing, row, *scope))
            out.push_back(one);
        } else if (fits(clause.concept_match, thing)) {
          Row next = row;
          if (bind(&next, *scope, clause.variable, thing.id)) out.push_back(next);
        }
      }
    }
    if (!clause.variable.empty()) scope->insert(clause.variable);
    if (clause.kind == Clause::Kind::kLink) names_of(clause.link, scope);
    return out;
  }

  // A row of a branch that saw nothing, beside the row that the whole block started from.
  static bool merge(const Row& seed, const std::set<std::string>& seed_scope, const Row& branch,
                    Row* out) {
    *out = seed;
    for (const auto& [name, value] : branch) {
      if (!bind(out, seed_scope, name, value)) return false;
    }
    return true;
  }

  Rows block(const std::vector<Clause>& clauses, Rows rows, std::set<std::string>* scope) const {
    const Rows seeds = rows;
    const std::set<std::string> seed_scope = *scope;
    std::vector<const Clause*> filters;
    const auto apply = [&]() {
      for (const Clause* filter : filters)
        std::erase_if(rows, [&](const Row& row) { return !holds(filter->condition, row); });
      filters.clear();
    };
    bool anything = false;
    for (const Clause& clause : clauses) {
      if (clause.kind == Clause::Kind::kFilter) {
        filters.push_back(&clause);
      } else if (clause.kind == Clause::Kind::kNot) {
        std::erase_if(rows, [&](const Row& row) {
          std::set<std::string> inner = *scope;
          return !block(clause.block, {row}, &inner).empty();
        });
      } else if (clause.kind == Clause::Kind::kOptional) {
        Rows out;
        std::set<std::string> inner = *scope;
        for (const Row& row : rows) {
          inner = *scope;
          const Rows some = block(clause.block, {row}, &inner);
          out.insert(out.end(), some.begin(), some.end());
          if (some.empty()) out.push_back(row);
        }
        if (rows.empty()) block(clause.block, {{}}, &inner);
        *scope = inner;
        rows = std::move(out);
      } else if (clause.kind == Clause::Kind::kUnion) {
        apply();
        std::set<std::string> inner;
        Rows branch = block(clause.block, {{}}, &inner);
        if (!anything) rows.clear();
        for (const Row& seed : seeds) {
          for (const Row& one : branch) {
            Row merged;
            if (merge(seed, seed_scope, one, &merged)) rows.push_back(merged);
          }
        }
        scope->insert(inner.begin(), inner.end());
      } else {
        rows = pattern(clause, rows, scope);
      }
      anything = true;
    }
    apply();
    return rows;
  }

  Json value(const DotPath& path, const Row& row) const {
    const auto bound = row.find(path.variable);
    if (bound == row.end() || bound->second.empty()) return {};
    if (path.fields.empty()) return bound->second;
    const Thing* thing = find_thing(bound->second);
    if (thing == nullptr) return {};
    if (path.fields[0] == "id") return thing->id;
    const Json& object = path.fields[0] == "metadata" ? thing->metadata : thing->attributes;
    const Json* found = object.find(path.fields[1]);
    return found == nullptr ? Json() : *found;
  }

  Json operand(const Condition& it, const Row& row) const {
    switch (it.operand.kind) {
      case Value::Kind::kPath:
        return value(it.operand.path, row);
      case Value::Kind::kBool:
        return it.operand.boolean;
      case Value::Kind::kInteger:
        return it.operand.integer;
      case Value::Kind::kDouble:
        return it.operand.number;
      case Value::Kind::kString:
        return it.operand.text;
      default:
        return {};
    }
  }

  // -2 = cannot be compared
  static int compare(const Json& a, const Json& b) {
    const auto sign = [](const auto& x, const auto& y) { return x < y ? -1 : y < x ? 1 : 0; };
    if (a.is_number() && b.is_number()) return sign(a.as_number(), b.as_number());
    if (a.is_bool() && b.is_bool()) return sign(a.as_bool(), b.as_bool());
    if (!a.is_string() || !b.is_string()) return -2;
    const auto x = parse_timestamp(a.as_string()), y = parse_timestamp(b.as_string());
    if (x && y && a.as_string().size() > 16 && b.as_string().size() > 16)
      return sign(x->microseconds, y->microseconds);
    return sign(a.as_string(), b.as_string());
  }
  static bool equal(const Json& a, const Json& b) {
    const int sign = compare(a, b);
    return sign == -2 ? a == b : sign == 0;
  }

  bool holds(const Condition& it, const Row& row) const {
    using Kind = Condition::Kind;
    const auto part = [&](std::size_t i) { return operand(it.parts[i], row); };
    switch (it.kind) {
      case Kind::kOr:
        return std::any_of(it.parts.begin(), it.parts.end(),
                           [&](const Condition& one) { return holds(one, row); });
      case Kind::kAnd:
        return std::all_of(it.parts.begin(), it.parts.end(),
                           [&](const Condition& one) { return holds(one, row); });
      case Kind::kNot:
        return !holds(it.parts[0], row);
      case Kind::kEqual:
        return equal(part(0), part(1));
      case Kind::kNotEqual:
        return !equal(part(0), part(1));
      case Kind::kLess:
        return compare(part(0), part(1)) == -1;
      case Kind::kLessEqual:
        return compare(part(0), part(1)) == -1 || compare(part(0), part(1)) == 0;
      case Kind::kGreater:
        return compare(part(0), part(1)) == 1;
      case Kind::kGreaterEqual:
        return compare(part(0), part(1)) >= 0;
      case Kind::kIsNull:
        return part(0).is_null();
      case Kind::kIsNotNull:
        return !part(0).is_null();
      case Kind::kContains:
        return part(0).is_string() && part(1).is_string() &&
               part(0).as_string().find(part(1).as_string()) != std::string::npos;
      case Kind::kStartsWith:
        return part(0).is_string() && part(1).is_string() &&
               part(0).as_string().starts_with(part(1).as_string());
      case Kind::kIn:
        for (std::size_t i = 1; i < it.parts.size(); ++i) {
          if (equal(part(0), part(i))) return true;
        }
        return false;
      default:
        return false;
    }
  }

  // Where there are no numbers: the first or last text, instants before other text.
  static Json extreme(const std::vector<Json>& values, bool least) {
    const Json* best = nullptr;
    const auto instant = [](const Json& text) {
      return text.as_string().size() > 16 && parse_timestamp(text.as_string()).has_value();
    };
    for (const Json& one : values) {
      if (!one.is_string()) continue;
      if (best == nullptr) {
        best = &one;
        continue;
      }
      const bool before = instant(one) != instant(*best) ? instant(one) : compare(one, *best) == -1;
      const bool behind =
          instant(one) != instant(*best) ? instant(*best) : compare(one, *best) == 1;
      if (least ? before : behind) best = &one;
    }
    return best == nullptr ? Json() : *best;
  }

  bool sums_only_texts(const Find& find, const std::set<Row>& solutions) const {
    for (const FindItem& item : find.items) {
      if (item.aggregate != AggregateKind::kSum && item.aggregate != AggregateKind::kAverage)
        continue;
      bool texts = false, numbers = false;
      for (const Row& row : solutions) {
        const Json one = value(item.path, row);
        texts = texts || one.is_string();
        numbers = numbers || one.is_number();
      }
      if (texts && !numbers) return true;
    }
    return false;
  }

  Json aggregate(const FindItem& item, const Rows& rows) const {
    std::vector<Json> values;
    for (const Row& row : rows) {
      Json one = value(item.path, row);
      if (one.is_null()) continue;
      if (item.distinct && std::any_of(values.begin(), values.end(),
                                       [&](const Json& other) { return one == other; }))
        continue;
      values.push_back(std::move(one));
    }
    if (item.aggregate == AggregateKind::kCount) return static_cast<std::int64_t>(values.size());
    double sum = 0, least = 0, most = 0;
    std::size_t numbers = 0;
    for (const Json& one : values) {
      if (!one.is_number()) continue;
      const double x = one.as_number();
      least = numbers == 0 ? x : std::min(least, x);
      most = numbers == 0 ? x : std::max(most, x);
      sum += x;
      ++numbers;
    }
    if (item.aggregate == AggregateKind::kSum) return sum;
    if (numbers == 0)
      return item.aggregate == AggregateKind::kAverage
                 ? Json()
                 : extreme(values, item.aggregate == AggregateKind::kMinimum);
    if (item.aggregate == AggregateKind::kAverage) return sum / static_cast<double>(numbers);
    return item.aggregate == AggregateKind::kMinimum ? least : most;
  }

  std::vector<JsonArray> project(const Find& find, const std::set<Row>& solutions) const {
    const bool grouped =
        std::any_of(find.items.begin(), find.items.end(),
                    [](const FindItem& item) { return item.aggregate != AggregateKind::kNone; });
    std::vector<std::pair<JsonArray, Rows>> groups;
    bool keys = false;
    for (const FindItem& item : find.items) keys = keys || item.aggregate == AggregateKind::kNone;
    if (grouped && !keys) groups.push_back({{}, {}});
    for (const Row& row : solutions) {
      JsonArray key;
      for (const FindItem& item : find.items) {
        if (item.aggregate == AggregateKind::kNone) key.push_back(value(item.path, row));
      }
      const auto same = [&](const auto& group) {
        for (std::size_t i = 0; i < key.size(); ++i) {
          if (!(group.first[i] == key[i])) return false;
        }
        return true;
      };
      const auto known = grouped ? std::find_if(groups.begin(), groups.end(), same) : groups.end();
      if (known == groups.end()) {
        groups.push_back({key, {row}});
      } else {
        known->second.push_back(row);
      }
    }
    std::vector<JsonArray> out;
    for (const auto& [key, rows] : groups) {
      JsonArray tuple;
      std::size_t k = 0;
      for (const FindItem& item : find.items)
        tuple.push_back(item.aggregate == AggregateKind::kNone ? key[k++] : aggregate(item, rows));
      out.push_back(std::move(tuple));
    }
    return out;
  }
};

}  // namespace anima::kip::naive
