// Random queries through the engine and through the naive evaluator must agree, whole and page by
// page.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>

#include "base/random.h"
#include "kip/engine.h"
#include "kip/parser.h"
#include "unit/kip/naive_evaluator.h"

namespace anima::kip {
namespace {

class Generator {
 public:
  explicit Generator(std::uint64_t seed) : random_(seed) {}

  std::size_t below(std::size_t bound) { return static_cast<std::size_t>(random_.below(bound)); }
  bool chance(std::size_t percent) { return below(100) < percent; }
  std::string one_of(std::initializer_list<const char*> list) {
    return *(list.begin() + below(list.size()));
  }

  std::vector<std::string> graph() {
    std::vector<std::string> commands;
    std::string schema = "UPSERT {";
    for (const char* type : {"A", "B", "C"})
      schema += std::string(" CONCEPT { {type: \"$ConceptType\", name: \"") + type + "\"} }";
    for (const char* name : {"p", "q", "r"})
      schema += std::string(" CONCEPT { {type: \"$PropositionType\", name: \"") + name + "\"} }";
    commands.push_back(schema + "}");
    std::string data = "UPSERT {";
    const std::size_t count = 4 + below(7);
    for (std::size_t i = 0; i < count; ++i) {
      data += " CONCEPT ?n" + std::to_string(i) + " { {type: " + type() + ", name: \"n" +
              std::to_string(i % 7) + "\"} SET ATTRIBUTES {" + attributes() + "} }";
    }
    const auto node = [&]() { return "?n" + std::to_string(below(count)); };
    const std::size_t links = below(18);
    for (std::size_t i = 0; i < links; ++i) {
      data += " PROPOSITION ?l" + std::to_string(i) + " { (" + node() + ", " + predicate() + ", " +
              node() + ") SET ATTRIBUTES {" + attributes() + "} }";
    }
    for (std::size_t i = 0; links > 0 && i < below(4); ++i) {
      data += " PROPOSITION { (" + node() + ", " + predicate() + ", ?l" +
              std::to_string(below(links)) + ") }";
    }
    commands.push_back(data + " } WITH METADATA { m: " + std::to_string(below(3)) + " }");
    return commands;
  }

  std::string query() {
    bound_.clear();
    std::string where = block(1 + below(4), 2, true);
    std::vector<std::string> names(bound_.begin(), bound_.end());
    if (names.empty()) names.push_back("a");
    const auto path = [&]() {
      return "?" + names[below(names.size())] +
             one_of({".id", ".attributes.k", ".attributes.t", ".metadata.m"});
    };
    std::string items;
    const std::size_t count = 1 + below(3);
    const bool grouped = chance(25);
    for (std::size_t i = 0; i < count; ++i) {
      if (i > 0) items += ", ";
      const bool aggregate = grouped && (i + 1 == count || chance(40));
      items += aggregate ? one_of({"COUNT(", "SUM(", "AVG(", "MIN(", "MAX(", "COUNT(DISTINCT "}) +
                               path() + ")"
                         : path();
    }
    return "FIND(" + items + ") WHERE {" + where + "}";
  }

 private:
  std::string type() { return one_of({"\"A\"", "\"B\"", "\"C\""}); }
  std::string predicate() { return one_of({"\"p\"", "\"q\"", "\"r\""}); }
  std::string name() { return "\"n" + std::to_string(below(7)) + "\""; }
  std::string literal() {
    return one_of({"0", "1", "2", "2.0", "1.5", "\"x\"", "\"xy\"", "true", "null",
                   "\"2024-01-01T00:00:00Z\""});
  }
  std::string attributes() {
    std::string text;
    if (chance(75)) text += "k: " + literal();
    if (chance(60))
      text += (text.empty() ? "t: " : ", t: ") +
              one_of({"\"x\"", "\"xyz\"", "\"y\"", "3", "\"2024-01-01T01:00:00+01:00\"",
                      "\"2025-06-01T00:00:00Z\""});
    return text;
  }
  std::string variable() {
    const std::string name = one_of({"a", "b", "c", "d"});
    bound_.insert(name);
    return "?" + name;
  }
  std::string matcher() {
    switch (below(4)) {
      case 0:
        return "{name: " + name() + "}";
      case 1:
        return "{type: " + type() + ", name: " + name() + "}";
      default:
        return "{type: " + type() + "}";
    }
  }
  std::string endpoint(std::size_t depth) {
    if (depth > 0 && chance(8)) return link(depth - 1, false);
    return chance(20) ? matcher() : variable();
  }
  std::string link(std::size_t depth, bool hops) {
    std::string text = "(" + endpoint(depth) + ", ";
    if (hops && chance(18)) {
      text +=
          predicate() + one_of({"{0,1}", "{2}", "{1,2}", "{1,}", "{0,}", "{2,3}", "{2,}", "{1}"});
    } else if (chance(15)) {
      text += predicate() + " | " + predicate();
    } else if (chance(12)) {
      text += "?" + one_of({"x", "y"});
    } else {
      text += predicate();
    }
    return text + ", " + endpoint(depth) + ")";
  }
  std::string condition(std::size_t depth) {
    if (depth > 0 && chance(35)) {
      switch (below(3)) {
        case 0:
          return "!(" + condition(depth - 1) + ")";
        case 1:
          return "(" + condition(depth - 1) + " && " + condition(depth - 1) + ")";
        default:
          return "(" + condition(depth - 1) + " || " + condition(depth - 1) + ")";
      }
    }
    const std::string left = used() + one_of({".attributes.k", ".attributes.t", ".metadata.m"});
    switch (below(7)) {
      case 0:
        return "CONTAINS(" + left + ", \"x\")";
      case 1:
        return one_of({"IS_NULL(", "IS_NOT_NULL("}) + left + ")";
      case 2:
        return "IN(" + left + ", [" + literal() + ", " + literal() + "])";
      case 3:
        return left + one_of({" == ", " != ", " < ", " >= "}) + used() + ".attributes.k";
      case 4:
        return used() + ".id" + one_of({" == ", " != "}) + used() + ".id";
      default:
        return left + one_of({" == ", " != ", " < ", " <= ", " > ", " >= "}) + literal();
    }
  }
  std::string used() {
    if (bound_.empty()) return variable();
    auto at = bound_.begin();
    std::advance(at, below(bound_.size()));
    return "?" + *at;
  }
  std::string block(std::size_t clauses, std::size_t depth, bool must_bind) {
    std::string text;
    for (std::size_t i = 0; i < clauses; ++i) {
      const std::size_t pick = i == 0 && must_bind ? below(60) : below(100);
      if (pick < 25) {
        text += " " + variable() + " " + (chance(8) ? "{}" : matcher());
      } else if (pick < 60) {
        if (chance(20)) {
          const std::string name = one_of({"l", "k"});
          bound_.insert(name);
          text += " ?" + name + " " + link(1, false);
        } else {
          text += " " + link(1, true);
        }
      } else if (pick < 75 || depth == 0) {
        text += " FILTER(" + condition(1) + ")";
      } else if (pick < 85) {
        const auto before = bound_;
        text += " NOT {" + block(1 + below(2), depth - 1, false) + " }";
        bound_ = before;
      } else if (pick < 94) {
        text += " OPTIONAL {" + block(1 + below(2), depth - 1, true) + " }";
      } else {
        const auto before = bound_;
        bound_.clear();
        text += " UNION {" + block(1 + below(2), depth - 1, true) + " }";
        bound_.insert(before.begin(), before.end());
      }
    }
    return text;
  }

  SeededRandom random_;
  std::set<std::string> bound_;
};

std::vector<JsonArray> rows_of(const Find& find, const Json& result) {
  std::vector<JsonArray> rows;
  const bool one = find.items.size() == 1;
  bool aggregates_only = true;
  for (const FindItem& item : find.items)
    aggregates_only = aggregates_only && item.aggregate != AggregateKind::kNone;
  if (aggregates_only) {
    rows.push_back(one ? JsonArray{result} : result.as_array());
    return rows;
  }
  if (one) {
    for (const Json& item : result.as_array()) rows.push_back({item});
    return rows;
  }
  const JsonArray& columns = result.as_array();
  for (std::size_t i = 0; i < columns[0].as_array().size(); ++i) {
    JsonArray row;
    for (const Json& column : columns) row.push_back(column.as_array()[i]);
    rows.push_back(std::move(row));
  }
  return rows;
}

bool same_cell(const Json& a, const Json& b) {
  if (a.is_number() && b.is_number()) return std::abs(a.as_number() - b.as_number()) < 1e-9;
  return a == b;
}

bool same_rows(std::vector<JsonArray> a, const std::vector<JsonArray>& b) {
  if (a.size() != b.size()) return false;
  std::vector<bool> used(b.size());
  for (const JsonArray& row : a) {
    bool found = false;
    for (std::size_t i = 0; i < b.size() && !found; ++i) {
      if (used[i]) continue;
      bool same = true;
      for (std::size_t k = 0; k < row.size() && same; ++k) same = same_cell(row[k], b[i][k]);
      if (same) used[i] = found = true;
    }
    if (!found) return false;
  }
  return true;
}

std::string show(const std::vector<JsonArray>& rows) {
  std::string text;
  for (const JsonArray& row : rows) text += "    " + Json(row).dump() + "\n";
  return text;
}

naive::Evaluator load_model(Engine& engine) {
  naive::Evaluator model;
  const Json none{JsonObject{}};
  const Json nodes = engine.execute("FIND(?n) WHERE { ?n {} }", none);
  for (const Json& node : nodes.find("result")->as_array()) {
    model.things.push_back({node.find("id")->as_string(),
                            node.find("type")->as_string(),
                            node.find("name")->as_string(),
                            {},
                            {},
                            {},
                            *node.find("attributes"),
                            *node.find("metadata")});
  }
  const Json links = engine.execute("FIND(?l) WHERE { ?l (?s, ?p, ?o) }", none);
  for (const Json& link : links.find("result")->as_array()) {
    model.things.push_back({link.find("id")->as_string(),
                            {},
                            {},
                            link.find("subject")->as_string(),
                            link.find("predicate")->as_string(),
                            link.find("object")->as_string(),
                            *link.find("attributes"),
                            *link.find("metadata")});
  }
  return model;
}

// All pages of the query, joined.
std::vector<JsonArray> paged(Engine& engine, const Find& find, const std::string& text) {
  std::vector<JsonArray> all;
  Json parameters{JsonObject{}};
  std::string command = text + " LIMIT 3";
  for (int page = 0; page < 2000; ++page) {
    const Json response = engine.execute(command, parameters);
    if (response.find("result") == nullptr) return {{JsonArray{Json(response.dump())}}};
    for (JsonArray& row : rows_of(find, *response.find("result"))) all.push_back(std::move(row));
    const Json* cursor = response.find("next_cursor");
    if (cursor == nullptr) break;
    parameters.set("cursor", *cursor);
    command = text + " LIMIT 3 CURSOR :cursor";
  }
  return all;
}

TEST(Differential, RandomQueries) {
  const bool full = std::getenv("ANIMA_TEST_FULL") != nullptr;
  const std::size_t graphs = full ? 1000 : 40, queries = full ? 100 : 50;
  const char* only = std::getenv("ANIMA_TEST_SEED");
  for (std::size_t g = 0; g < graphs; ++g) {
    const std::uint64_t seed = only != nullptr ? std::strtoull(only, nullptr, 10) : 1000 + g;
    Generator generate(seed);
    auto space = store::Space::in_memory();
    ASSERT_TRUE(space);
    auto engine = Engine::open(*space);
    ASSERT_TRUE(engine);
    for (const std::string& command : generate.graph()) {
      const Json response = (*engine)->execute(command, Json(JsonObject{}));
      ASSERT_EQ(response.find("error"), nullptr) << command << "\n" << response.dump();
    }
    naive::Evaluator model = load_model(**engine);
    for (std::size_t q = 0; q < queries; ++q) {
      const std::string text = generate.query();
      const auto script = parse(text);
      ASSERT_TRUE(script) << text;
      const Find& find = std::get<Find>(script->statements[0].body);
      const Json response = (*engine)->execute(text, Json(JsonObject{}));
      const auto wanted = model.run(find);
      if (const Json* error = response.find("error")) {
        if (model.only_texts) continue;
        // A variable that only a NOT binds is rightly refused.
        ASSERT_EQ(error->find("code")->as_string(), "KIP_3001") << text << "\n" << response.dump();
        continue;
      }
      ASSERT_FALSE(model.only_texts) << text;
      const auto got = rows_of(find, *response.find("result"));
      ASSERT_TRUE(same_rows(got, wanted))
          << "seed " << seed << "\n"
          << text << "\n  engine:\n"
          << show(got) << "  naive:\n"
          << show(wanted) << (*engine)->explain(text, Json(JsonObject{}), true).value_or("");
      const auto pages = paged(**engine, find, text);
      ASSERT_TRUE(same_rows(pages, wanted)) << "seed " << seed << " paged\n"
                                            << text << "\n  engine:\n"
                                            << show(pages) << "  naive:\n"
                                            << show(wanted);
    }
    if (only != nullptr) break;
  }
}

}  // namespace
}  // namespace anima::kip
