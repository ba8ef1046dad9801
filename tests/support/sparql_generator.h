// Random RDF datasets and SPARQL queries over them, for tests that compare engines.
//
// The data is small and dense, so that patterns meet; a few of its things are blank nodes, some
// subjects are predicates, and two graphs have names. The same seed gives the same texts.
//
// Queries are not led around what an engine is known to answer otherwise than the recommendation:
// where two engines differ, tests/e2e/sparql_judge decides. It knows what is written here, and no
// more. Thread-safety: one thread.
#pragma once

#include <array>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/random.h"

namespace anima::test {

class SparqlGenerator {
 public:
  // What the queries over one dataset may use.
  struct Features {
    bool paths = false;
    bool graphs = false;
  };

  explicit SparqlGenerator(std::uint64_t seed) : random_(seed) {}

  // N-Quads; also decides the features of the queries that follow.
  std::string dataset();
  // One query over the last dataset.
  std::string query();

 private:
  bool chance(unsigned percent) { return random_.below(100) < percent; }
  template <typename Items>
  std::string pick(const Items& items) {
    return std::string(items[random_.below(items.size())]);
  }
  std::string fresh(std::string_view stem) { return std::string(stem) + std::to_string(++fresh_); }

  void add_statements(std::string_view graph, std::string_view blank, std::uint64_t count,
                      std::set<std::string>& lines);
  std::string variable() { return pick(kVariables); }
  std::string literal() { return pick(kLiterals); }
  std::string entity() { return pick(kEntities); }
  std::string predicate() { return pick(kPredicates); }
  std::string subject_pattern() { return chance(88) ? variable() : entity(); }
  std::string object_pattern();
  std::string path(int depth);
  std::string step(int depth);
  std::string triple();
  std::string triples();
  std::string value(int depth);
  std::string condition(int depth);
  std::string comparison();
  std::string part(int depth);
  std::string values_block();
  std::string graph_block(int depth);
  std::string sub_select();
  std::string group(int depth);
  std::string aggregates();
  std::string body();

  static constexpr std::array<std::string_view, 4> kVariables = {"?x", "?y", "?z", "?w"};
  static constexpr std::array<std::string_view, 4> kEntities = {":a", ":b", ":c", ":d"};
  static constexpr std::array<std::string_view, 3> kPredicates = {":p", ":q", ":r"};
  static constexpr std::array<std::string_view, 9> kLiterals = {
      "1", "2", "3", "2.5", "true", "\"x\"", "\"y\"", "\"x\"@en", "\"2020-01-02\"^^xsd:date"};

  SeededRandom random_;
  Features features_;
  std::uint64_t fresh_ = 0;
};

inline std::string full_term(std::string_view term) {
  constexpr std::string_view kXsd = "http://www.w3.org/2001/XMLSchema#";
  const auto typed = [&](std::string_view type) {
    return "\"" + std::string(term) + "\"^^<" + std::string(kXsd) + std::string(type) + ">";
  };
  if (term.starts_with(':')) return "<http://e/" + std::string(term.substr(1)) + ">";
  if (term == "true") return typed("boolean");
  if (term.find('.') != std::string_view::npos) return typed("decimal");
  if (term.front() >= '0' && term.front() <= '9') return typed("integer");
  const std::size_t type = term.find("^^xsd:");
  if (type == std::string_view::npos) return std::string(term);
  return std::string(term.substr(0, type)) + "^^<" + std::string(kXsd) +
         std::string(term.substr(type + 6)) + ">";
}

inline void SparqlGenerator::add_statements(std::string_view graph, std::string_view blank,
                                            std::uint64_t count, std::set<std::string>& lines) {
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::string label = "_:" + std::string(blank) + std::to_string(random_.below(2));
    std::string line = chance(10)   ? full_term(predicate())
                       : chance(25) ? label
                                    : full_term(entity());
    line += " " + full_term(predicate()) + " ";
    line += chance(8) ? label : full_term(chance(70) ? entity() : literal());
    if (!graph.empty()) line += " <" + std::string(graph) + ">";
    lines.insert(line + " .\n");
  }
}

inline std::string SparqlGenerator::dataset() {
  features_.paths = chance(50);
  features_.graphs = chance(50);
  std::set<std::string> lines;
  add_statements("", "n", 8 + random_.below(20), lines);
  add_statements("http://e/g1", "m", 4 + random_.below(9), lines);
  add_statements("http://e/g2", chance(30) ? "n" : "k", 3 + random_.below(9), lines);
  std::string text;
  for (const std::string& line : lines) text += line;
  return text;
}

inline std::string SparqlGenerator::object_pattern() {
  const std::uint64_t roll = random_.below(100);
  return roll < 84 ? variable() : roll < 95 ? entity() : literal();
}

inline std::string SparqlGenerator::step(int depth) {
  static constexpr std::array<std::string_view, 3> kRepeats = {"*", "+", "?"};
  static constexpr std::array<std::string_view, 4> kExcluded = {":p|:q", "^:p|^:q", ":q|^:r", ":r"};
  const std::uint64_t roll = random_.below(100);
  if (roll < 25) return "(" + path(depth + 1) + "/" + path(depth + 1) + ")";
  if (roll < 45) return "^" + predicate();
  if (roll < 70) return "(" + path(depth + 1) + ")" + pick(kRepeats);
  if (roll < 82) return "!(" + pick(kExcluded) + ")";
  if (roll < 94) return "(" + path(depth + 1) + "|" + path(depth + 1) + ")";
  return predicate();
}

inline std::string SparqlGenerator::path(int depth) {
  return chance(40) || depth > 2 ? predicate() : step(depth);
}

// Mostly of two different variables, or one and a constant: else little is found.
inline std::string SparqlGenerator::triple() {
  const std::string subject = subject_pattern();
  std::string object = subject.starts_with('?') ? object_pattern() : variable();
  if (object == subject && chance(90)) object = variable();
  std::string verb = predicate();
  if (chance(15)) {
    verb = chance(85) ? "?u" : variable();
  } else if (features_.paths && chance(35)) {
    verb = path(0);
  }
  return subject + " " + verb + " " + object + " .";
}

inline std::string SparqlGenerator::triples() {
  std::string text = triple();
  for (std::uint64_t more = random_.below(5); more > 2; --more) text += " " + triple();
  return text;
}

inline std::string SparqlGenerator::value(int depth) {
  if (depth > 2) return variable();
  const std::uint64_t roll = random_.below(100);
  if (roll < 30) return variable();
  if (roll < 42) return literal();
  if (roll < 52) return "(" + value(depth + 1) + " + " + value(depth + 1) + ")";
  if (roll < 58) return "(" + value(depth + 1) + " * 2)";
  if (roll < 64) return "STR(" + value(depth + 1) + ")";
  if (roll < 70) return "STRLEN(STR(" + value(depth + 1) + "))";
  if (roll < 78) return "COALESCE(" + value(depth + 1) + ", " + value(depth + 1) + ")";
  if (roll < 86) return "IF(" + condition(2) + ", " + value(depth + 1) + ", " + literal() + ")";
  if (roll < 90) return "LANG(" + variable() + ")";
  if (roll < 94) return "DATATYPE(" + variable() + ")";
  return "CONCAT(STR(" + variable() + "), \"-\")";
}

inline std::string SparqlGenerator::comparison() {
  static constexpr std::array<std::string_view, 4> kOperators = {"<", "<=", ">", ">="};
  static constexpr std::array<std::string_view, 7> kOrdered = {
      "1", "2", "2.5", "\"2020-01-02\"^^xsd:date", "\"x\"", ":b", "?w"};
  const std::uint64_t roll = random_.below(100);
  const std::string one = variable();
  if (roll < 10) return one + " = " + (chance(50) ? variable() : literal());
  if (roll < 34) return one + " != " + (chance(50) ? variable() : entity());
  if (roll < 46) return one + " " + pick(kOperators) + " " + pick(kOrdered);
  if (roll < 64) return std::string(chance(50) ? "" : "!") + "BOUND(" + one + ")";
  if (roll < 72) return "isIRI(" + one + ")";
  if (roll < 76) return "isNumeric(" + one + ")";
  if (roll < 86)
    return one + (chance(30) ? " IN (" : " NOT IN (") + literal() + ", " + entity() + ")";
  if (roll < 94) return "REGEX(STR(" + one + "), \"[abcx]$\")";
  return std::string(chance(50) ? "" : "!") + "sameTerm(" + one + ", " + variable() + ")";
}

inline std::string SparqlGenerator::condition(int depth) {
  if (depth > 1) return comparison();
  const std::uint64_t roll = random_.below(100);
  if (roll < 20) return "(" + condition(depth + 1) + " || " + condition(depth + 1) + ")";
  if (roll < 26) return "(" + condition(depth + 1) + " && " + condition(depth + 1) + ")";
  if (roll < 32) return "!(" + condition(depth + 1) + ")";
  if (roll < 38) return "EXISTS { " + triples() + " }";
  return comparison();
}

inline std::string SparqlGenerator::values_block() {
  return "VALUES (?x ?y) { (" + entity() + " " + entity() + ") (UNDEF " + entity() + ") (" +
         entity() + " UNDEF) (UNDEF " + literal() + ") }";
}

inline std::string SparqlGenerator::graph_block(int depth) {
  static constexpr std::array<std::string_view, 5> kGraphs = {"?g", "?g", ":g1", ":g2", "?x"};
  return "GRAPH " + pick(kGraphs) + " { " + (chance(60) ? triples() : group(depth + 1)) + " }";
}

inline std::string SparqlGenerator::sub_select() {
  const std::uint64_t roll = random_.below(100);
  if (roll < 30) return "{ SELECT ?x ?y { " + group(3) + " } }";
  if (roll < 60) return "{ SELECT DISTINCT ?x { " + group(3) + " } }";
  return "{ SELECT ?y (COUNT(*) AS " + fresh("?c") + ") { " + group(3) + " } GROUP BY ?y }";
}

inline std::string SparqlGenerator::part(int depth) {
  const std::uint64_t roll = random_.below(100);
  if (roll < 34) return "OPTIONAL { " + group(depth + 1) + " }";
  if (roll < 44) return "{ " + group(depth + 1) + " } UNION { " + group(depth + 1) + " }";
  if (roll < 50) return "MINUS { " + group(depth + 1) + " }";
  if (roll < 61) return "FILTER(" + condition(0) + ")";
  if (roll < 67)
    return std::string("FILTER ") + (chance(40) ? "" : "NOT ") + "EXISTS { " + group(3) + " }";
  if (roll < 72) return "{ " + group(depth + 1) + " }";
  if (roll < 77) return values_block();
  if (roll < 85 && features_.graphs) return graph_block(depth);
  if (roll < 90) return sub_select();
  if (roll < 95) return "BIND(" + value(0) + " AS " + fresh("?b") + ")";
  return triples();
}

inline std::string SparqlGenerator::group(int depth) {
  std::string text = chance(90) ? triples() : "";
  if (depth > 2) return text;
  for (std::uint64_t parts = random_.below(depth == 0 ? 4 : 3); parts > 0; --parts)
    text += " " + part(depth);
  return text;
}

inline std::string SparqlGenerator::body() {
  static constexpr std::array<std::string_view, 3> kDatasets = {
      "FROM :g1 FROM NAMED :g2", "FROM :g1 FROM :g2 FROM NAMED :g1 FROM NAMED :g2",
      "FROM :g2 FROM NAMED :g1"};
  const std::string dataset = features_.graphs && chance(12) ? pick(kDatasets) + " " : "";
  return " " + dataset + "WHERE { " + group(0) + " }";
}

// Sums and lengths are the same in whatever order the rows come.
inline std::string SparqlGenerator::aggregates() {
  std::string text;
  for (std::uint64_t count = 1 + random_.below(3); count > 0; --count) {
    const std::uint64_t roll = random_.below(100);
    const std::string of = variable();
    std::string call = "COUNT(DISTINCT " + of + ")";
    if (roll < 20)
      call = "COUNT(*)";
    else if (roll < 35)
      call = "COUNT(" + of + ")";
    else if (roll < 50)
      call = "SUM(" + of + ")";
    else if (roll < 60)
      call = "AVG(" + of + ")";
    else if (roll < 75)
      call = "SUM(DISTINCT STRLEN(STR(" + of + ")))";
    else if (roll < 85)
      call = "STRLEN(GROUP_CONCAT(STR(" + of + "); SEPARATOR=\",\"))";
    else if (roll < 95)
      call = (chance(50) ? "MIN(STR(" : "MAX(STR(") + of + "))";
    text += "(" + call + " AS " + fresh("?n") + ") ";
  }
  return text;
}

inline std::string SparqlGenerator::query() {
  fresh_ = 0;
  const std::string prefixes =
      "PREFIX : <http://e/> PREFIX xsd: <http://www.w3.org/2001/XMLSchema#> ";
  const std::uint64_t roll = random_.below(100);
  std::string text = prefixes;
  if (roll < 10) return text + "ASK" + body();
  if (roll < 16) return text + "CONSTRUCT { ?x :made 1 . ?y :made ?x . ?z ?u ?w }" + body();
  if (roll < 28) {
    const std::string key = variable();
    text += "SELECT " + key + " " + aggregates() + body() + " GROUP BY " + key;
    if (chance(30)) text += " HAVING(COUNT(DISTINCT " + variable() + ") > 1)";
    return text;
  }
  if (roll < 36) return text + "SELECT " + aggregates() + body();
  if (roll < 42) {
    std::string where = body();
    where.insert(where.size() - 1, " ?x ?v ?n FILTER(isNumeric(?n)) ");
    return text + "SELECT DISTINCT ?n" + where + " ORDER BY DESC(?n) LIMIT 2";
  }
  if (roll < 55) return text + "SELECT DISTINCT *" + body();
  if (roll < 65) return text + "SELECT DISTINCT ?x ?y" + body();
  return text + (roll < 90 ? "SELECT *" : "SELECT ?x ?y ?g") + body();
}

}  // namespace anima::test
