// Datasets of many named graphs: what GRAPH with a variable gives is what each graph gives alone,
// and loading takes time in proportion to what is loaded.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <string>
#include <vector>

#include "sparql/engine.h"
#include "sparql/rdf_load.h"

namespace anima::sparql::many_graphs_test {
namespace {

constexpr int kGraphs = 40;

// Each graph has a chain of its number's length, and every second one a mark.
std::string quads(int graphs) {
  std::string text;
  for (int g = 0; g < graphs; ++g) {
    const std::string graph = " <http://g/" + std::to_string(g) + "> .\n";
    for (int i = 0; i <= g % 4; ++i) {
      text += "<http://e/n" + std::to_string(i) + "> <http://e/next> <http://e/n" +
              std::to_string(i + 1) + ">" + graph;
    }
    if (g % 2 == 0)
      text += "<http://e/n1> <http://e/mark> \"m" + std::to_string(g % 3) + "\"" + graph;
  }
  return text;
}

class ManyGraphs : public ::testing::Test {
 protected:
  void load(int graphs) {
    store::SpaceOptions options;
    options.create = true;
    options.text_index = false;
    space_ = store::Space::in_memory(options).value();
    const auto written = space_->write({}, [&](store::Transaction& transaction) -> Status {
      RdfLoadOptions how;
      how.format = RdfFormat::kNQuads;
      return load_rdf(transaction, quads(graphs), how).map([](std::uint64_t) {});
    });
    ASSERT_TRUE(written.has_value()) << written.error().describe();
    engine_ = Engine::open(space_).value();
  }
  // Rows as texts, sorted; `graph` fills the variable ?g where the query has it as a constant.
  std::vector<std::string> rows(const std::string& query, const std::string& graph = {}) {
    const auto answer = engine_->query("PREFIX : <http://e/> " + query);
    std::vector<std::string> found;
    EXPECT_TRUE(answer.has_value()) << query << "\n" << answer.error().describe();
    if (!answer) return found;
    std::vector<std::size_t> columns(answer->variables().size());
    for (std::size_t i = 0; i < columns.size(); ++i) columns[i] = i;
    std::sort(columns.begin(), columns.end(), [&](std::size_t a, std::size_t b) {
      return answer->variables()[a] < answer->variables()[b];
    });
    for (std::size_t row = 0; row < answer->rows(); ++row) {
      std::string text = graph.empty() ? "" : "g=" + graph + " ";
      for (const std::size_t column : columns) {
        RdfTerm term;
        std::string scratch;
        if (!answer->cell(row, column, &term, scratch)) continue;
        text += answer->variables()[column] + "=" + std::string(term.text) + " ";
      }
      found.push_back(text);
    }
    std::sort(found.begin(), found.end());
    return found;
  }
  void expect_as_each_alone(const std::string& pattern) {
    std::vector<std::string> each;
    for (int g = 0; g < kGraphs; ++g) {
      const std::string name = "http://g/" + std::to_string(g);
      const auto some = rows("SELECT * { GRAPH <" + name + "> { " + pattern + " } }", name);
      each.insert(each.end(), some.begin(), some.end());
    }
    std::sort(each.begin(), each.end());
    EXPECT_EQ(rows("SELECT * { GRAPH ?g { " + pattern + " } }"), each) << pattern;
  }

  std::shared_ptr<store::Space> space_;
  std::shared_ptr<Engine> engine_;
};

TEST_F(ManyGraphs, GiveWhatEachGivesAlone) {
  load(kGraphs);
  for (const char* pattern : {
           "?x :next ?y MINUS { ?y :next ?z }",
           "?x :next ?y MINUS { ?x :mark ?m }",
           "?x :next ?y MINUS { ?a :mark ?b }",
           "?x :next ?y MINUS { OPTIONAL { ?x :mark ?m } }",
           "OPTIONAL { ?x :mark ?m } MINUS { ?x :next :n2 }",
           "OPTIONAL { ?x :mark ?m } OPTIONAL { ?x :next ?y }",
           "{ OPTIONAL { ?x :mark \"m0\" } } { OPTIONAL { ?y :mark \"m1\" } }",
           "?x :next ?y { SELECT ?y { ?y :mark ?m } }",
           "{ SELECT DISTINCT ?p { ?s ?p ?o } }",
           "{ SELECT ?p (COUNT(*) AS ?n) { ?s ?p ?o } GROUP BY ?p }",
           "{ SELECT ?p (COUNT(*) AS ?n) { ?s ?p ?o } GROUP BY ?p HAVING(COUNT(*) > 2) }",
           "{ SELECT (COUNT(*) AS ?n) { ?s :mark ?o } }",
           "{ SELECT ?s { ?s :next ?o } ORDER BY ?s LIMIT 1 }",
           "{ SELECT ?y (MAX(?x) AS ?z) { OPTIONAL { ?x :next ?y } } GROUP BY ?y }",
           "{ { ?x :mark ?m } UNION { ?x :next :n1 } } MINUS { ?x :mark \"m2\" }",
           "?x :next ?y FILTER EXISTS { ?x :mark ?m MINUS { ?x :mark \"m0\" } }",
           "{ SELECT ?x { ?x :next ?y MINUS { ?y :next ?w } } } ?x ?p ?o",
       })
    expect_as_each_alone(pattern);
}

TEST_F(ManyGraphs, AskForTheGraphInsideIt) {
  load(4);
  EXPECT_EQ(rows("SELECT ?g { GRAPH ?g { { SELECT ?g { ?g :mark ?m } } } }").size(), 0u);
  EXPECT_EQ(rows("SELECT DISTINCT ?g { GRAPH ?g { { SELECT ?x { ?x :next ?g } } } }").size(), 4u);
}

// Thousands of graphs are one step each, not one for each of the others: the definitions of the
// predicates stand in all of them.
TEST_F(ManyGraphs, LoadInProportion) {
  const auto seconds = [this](int graphs) {
    const auto start = std::chrono::steady_clock::now();
    load(graphs);
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  if (std::getenv("ANIMA_TEST_FULL") != nullptr) {
    const double some = std::min(seconds(1000), seconds(1000));
    EXPECT_LT(seconds(8000), std::max(2.0, some * 24)) << some;
  } else {
    load(8000);
  }
  EXPECT_EQ(rows("SELECT DISTINCT ?g { GRAPH ?g { ?s :next ?o MINUS { ?s :mark ?m } } }").size(),
            8000u);
  const auto definitions = rows("SELECT (COUNT(DISTINCT ?g) AS ?n) { GRAPH ?g { ?s :mark ?o } }");
  EXPECT_EQ(definitions, (std::vector<std::string>{"n=4000 "}));
}

}  // namespace
}  // namespace anima::sparql::many_graphs_test
