// Tests of SPARQL in the form of the W3C's manifests: queries with data and the expected answer,
// updates with the expected graphs, texts that parse or do not.
//
// The manifests are those below tests/conformance/data/sparql, and those that ANIMA_SPARQL_SUITES
// names (files, separated by ':'); expected rows are in the JSON format, expected triples in
// Turtle. Answers are compared as terms, numbers by their lexical form too; where the expected
// answer says "ordered" in its head, the order counts. Blank nodes are compared by colour: by what
// is said of them, refined until nothing changes.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "base/json/json.h"
#include "base/text/text.h"
#include "sparql/engine.h"
#include "sparql/iri.h"
#include "sparql/rdf_export.h"
#include "sparql/rdf_load.h"
#include "sparql/rdf_reader.h"

namespace anima::sparql::conformance_test {
namespace {

constexpr std::string_view kMf = "http://www.w3.org/2001/sw/DataAccess/tests/test-manifest#";
constexpr std::string_view kQt = "http://www.w3.org/2001/sw/DataAccess/tests/test-query#";
constexpr std::string_view kUt = "http://www.w3.org/2009/sparql/tests/test-update#";
constexpr std::string_view kLabel = "http://www.w3.org/2000/01/rdf-schema#label";
constexpr std::string_view kType = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type";

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file.is_open()) << path;
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::string text_of(const RdfTerm& term) {
  std::string text;
  append_ntriples(text, term);
  return text;
}

// --- graphs of a few triples, as texts of their terms

using TextTriple = std::array<std::string, 3>;
using TextGraph = std::vector<TextTriple>;

TextGraph read_graph(const std::string& path) {
  TextGraph graph;
  RdfReadOptions options;
  options.base_iri = file_iri(path);
  options.file_name = path;
  const auto read = read_rdf(rdf_format_of_file(path).value_or(RdfFormat::kTurtle), read_file(path),
                             options, [&](const RdfTriple& triple, const RdfTerm*) {
                               graph.push_back({text_of(triple.subject), text_of(triple.predicate),
                                                text_of(triple.object)});
                               return Status{};
                             });
  EXPECT_TRUE(read.has_value()) << (read ? "" : read.error().describe());
  return graph;
}

bool is_blank(const std::string& term) { return term.starts_with("_:"); }

// The lines of the graph with colours for its blank nodes, sorted.
std::vector<std::string> coloured(const TextGraph& graph) {
  std::map<std::string, std::string> colours;
  for (const TextTriple& triple : graph) {
    for (const std::string& term : {triple[0], triple[2]}) {
      if (is_blank(term)) colours[term] = "_:";
    }
  }
  const auto shown = [&colours](const std::string& term) {
    return is_blank(term) ? colours.at(term) : term;
  };
  for (std::size_t round = 0; round <= colours.size() && round < 12; ++round) {
    std::map<std::string, std::multiset<std::string>> said;
    for (const TextTriple& triple : graph) {
      if (is_blank(triple[0])) said[triple[0]].insert("s " + triple[1] + " " + shown(triple[2]));
      if (is_blank(triple[2])) said[triple[2]].insert("o " + triple[1] + " " + shown(triple[0]));
    }
    for (auto& [term, colour] : colours) {
      std::string all;
      for (const std::string& one : said[term]) all += one + ";";
      colour = "_:" + std::to_string(std::hash<std::string>{}(all));
    }
  }
  std::vector<std::string> lines;
  for (const TextTriple& triple : graph)
    lines.push_back(shown(triple[0]) + " " + triple[1] + " " + shown(triple[2]));
  std::sort(lines.begin(), lines.end());
  lines.erase(std::unique(lines.begin(), lines.end()), lines.end());
  return lines;
}

// --- manifests

struct Case {
  std::string name;  // group_name
  std::string kind;  // local name of its type
  std::string text;  // path of the query or update
  std::vector<std::string> data, expected_data;
  std::vector<std::pair<std::string, std::string>> graphs, expected_graphs;  // path, IRI
  std::string result;                                                        // path
};

std::string unquoted(const std::string& term) { return term.substr(1, term.rfind('"') - 1); }
std::string iri_of(const std::string& term) { return term.substr(1, term.size() - 2); }
std::string path_of(const std::string& term) { return iri_of(term).substr(7); }

class Manifest {
 public:
  explicit Manifest(const std::string& path) : path_(path), graph_(read_graph(path)) {}

  void add_to(std::vector<Case>& cases) const {
    const std::string folder = std::filesystem::path(path_).parent_path().filename().string();
    for (const TextTriple& triple : graph_) {
      if (triple[1] != iri(kType, "") || triple[2].find(kMf) == std::string::npos) continue;
      const std::string kind = triple[2].substr(1 + kMf.size(), triple[2].size() - kMf.size() - 2);
      if (kind == "Manifest") continue;
      Case one;
      one.kind = kind;
      one.name = folder + "_" + triple[0].substr(triple[0].rfind('#') + 1);
      one.name.pop_back();
      for (char& c : one.name) {
        if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
      }
      fill(triple[0], one);
      cases.push_back(std::move(one));
    }
  }

 private:
  static std::string iri(std::string_view space, std::string_view local) {
    return "<" + std::string(space) + std::string(local) + ">";
  }
  std::vector<std::string> objects(const std::string& subject, const std::string& predicate) const {
    std::vector<std::string> found;
    for (const TextTriple& triple : graph_) {
      if (triple[0] == subject && triple[1] == predicate) found.push_back(triple[2]);
    }
    return found;
  }
  std::string object(const std::string& subject, const std::string& predicate) const {
    const auto found = objects(subject, predicate);
    return found.empty() ? std::string() : found[0];
  }

  void fill(const std::string& test, Case& one) const {
    const std::string action = object(test, iri(kMf, "action"));
    const std::string result = object(test, iri(kMf, "result"));
    if (!is_blank(action)) {
      one.text = path_of(action);
      return;
    }
    const bool update = one.kind == "UpdateEvaluationTest";
    const std::string_view space = update ? kUt : kQt;
    one.text = path_of(object(action, iri(space, update ? "request" : "query")));
    for (const std::string& file : objects(action, iri(space, "data")))
      one.data.push_back(path_of(file));
    one.graphs = graphs(action, space);
    if (!update) {
      one.result = path_of(result);
      return;
    }
    for (const std::string& file : objects(result, iri(space, "data")))
      one.expected_data.push_back(path_of(file));
    one.expected_graphs = graphs(result, space);
  }

  std::vector<std::pair<std::string, std::string>> graphs(const std::string& of,
                                                          std::string_view space) const {
    std::vector<std::pair<std::string, std::string>> found;
    for (const std::string& graph : objects(of, iri(space, "graphData"))) {
      if (!is_blank(graph)) {
        found.emplace_back(path_of(graph), iri_of(graph));
        continue;
      }
      const std::string label = object(graph, "<" + std::string(kLabel) + ">");
      found.emplace_back(path_of(object(graph, iri(space, "graph"))), unquoted(label));
    }
    return found;
  }

  std::string path_;
  TextGraph graph_;
};

std::vector<Case> all_cases() {
  std::vector<std::string> manifests;
  const std::filesystem::path own = ANIMA_SOURCE_DIR "/tests/conformance/data/sparql";
  for (const auto& folder : std::filesystem::directory_iterator(own))
    manifests.push_back((folder.path() / "manifest.ttl").string());
  if (const char* const more = std::getenv("ANIMA_SPARQL_SUITES")) {
    for (const std::string_view path : split(more, ':')) manifests.emplace_back(path);
  }
  std::sort(manifests.begin(), manifests.end());
  std::vector<Case> cases;
  for (const std::string& path : manifests) Manifest(path).add_to(cases);
  return cases;
}

// --- runs

class SparqlConformance : public testing::TestWithParam<Case> {
 protected:
  void SetUp() override {
    store::SpaceOptions options;
    options.create = true;
    options.text_index = false;
    space_ = store::Space::in_memory(options).value();
    engine_ = Engine::open(space_).value();
  }

  void load(const std::string& path, const std::string& graph) {
    const auto written = space_->write({}, [&](store::Transaction& transaction) -> Status {
      RdfLoadOptions options;
      options.format = rdf_format_of_file(path).value_or(RdfFormat::kTurtle);
      options.base_iri = file_iri(path);
      options.file_name = path;
      options.graph = graph;
      options.blank_scope = "f" + std::to_string(++files_);
      ANIMA_TRY(load_rdf(transaction, read_file(path), options));
      return {};
    });
    ASSERT_TRUE(written.has_value()) << written.error().describe();
  }
  void load_all(const Case& test) {
    for (const std::string& path : test.data) load(path, "");
    for (const auto& [path, iri] : test.graphs) load(path, iri);
  }

  void run_syntax(const Case& test);
  void run_query(const Case& test);
  void run_update(const Case& test);
  void compare_rows(const QueryAnswer& answer, const Json& expected);

  std::shared_ptr<store::Space> space_;
  std::shared_ptr<Engine> engine_;
  int files_ = 0;
};

void SparqlConformance::run_syntax(const Case& test) {
  const bool update = test.kind.find("Update") != std::string::npos;
  const Status parsed = check(read_file(test.text), update, file_iri(test.text));
  const bool good = test.kind.starts_with("Positive");
  EXPECT_EQ(parsed.has_value(), good)
      << test.text << ": " << (parsed ? "it parses" : parsed.error().describe());
}

std::string text_of(const Json& term) {
  const std::string& value = term.find("value")->as_string();
  const std::string& type = term.find("type")->as_string();
  if (type == "bnode") return "_:";
  RdfTerm made{RdfKind::kIri, value, {}};
  const Json* const language = term.find("xml:lang");
  const Json* const datatype = term.find("datatype");
  if (type != "uri") made.kind = RdfKind::kString;
  if (language != nullptr) made = {RdfKind::kLanguageString, value, language->as_string()};
  if (datatype != nullptr) made = {RdfKind::kTyped, value, datatype->as_string()};
  return text_of(made);
}

void SparqlConformance::compare_rows(const QueryAnswer& answer, const Json& expected) {
  const Json& head = *expected.find("head");
  std::vector<std::string> variables;
  for (const Json& name : head.find("vars")->as_array()) variables.push_back(name.as_string());
  ASSERT_EQ(answer.variables(), variables);
  std::vector<std::string> want, got;
  for (const Json& binding : expected.find("results")->find("bindings")->as_array()) {
    std::string row;
    for (const std::string& name : variables) {
      const Json* const term = binding.find(name);
      row += (term == nullptr ? "-" : text_of(*term)) + "  ";
    }
    want.push_back(std::move(row));
  }
  std::string scratch;
  for (std::size_t i = 0; i < answer.rows(); ++i) {
    std::string row;
    for (std::size_t k = 0; k < variables.size(); ++k) {
      RdfTerm term;
      const bool bound = answer.cell(i, k, &term, scratch);
      row += (!bound ? "-" : term.kind == RdfKind::kBlank ? "_:" : text_of(term)) + "  ";
    }
    got.push_back(std::move(row));
  }
  const Json* const ordered = head.find("ordered");
  if (ordered == nullptr || !ordered->as_bool()) {
    std::sort(want.begin(), want.end());
    std::sort(got.begin(), got.end());
  }
  EXPECT_EQ(got, want);
}

void SparqlConformance::run_query(const Case& test) {
  load_all(test);
  QueryOptions options;
  options.base_iri = file_iri(test.text);
  options.union_default = false;
  const auto answer = engine_->query(read_file(test.text), options);
  ASSERT_TRUE(answer.has_value()) << test.text << ": " << answer.error().describe();
  if (test.result.ends_with(".ttl")) {
    TextGraph got;
    TripleScratch scratch;
    for (std::size_t i = 0; i < answer->triples(); ++i) {
      const RdfTriple triple = answer->triple(i, scratch);
      got.push_back({text_of(triple.subject), text_of(triple.predicate), text_of(triple.object)});
    }
    EXPECT_EQ(coloured(got), coloured(read_graph(test.result)));
    return;
  }
  const auto expected = parse_json(read_file(test.result));
  ASSERT_TRUE(expected.has_value()) << test.result;
  if (const Json* const boolean = expected->find("boolean")) {
    EXPECT_EQ(answer->form(), QueryForm::kAsk);
    EXPECT_EQ(answer->boolean(), boolean->as_bool());
    return;
  }
  compare_rows(*answer, *expected);
}

// The graphs of N-Quads by name.
std::map<std::string, TextGraph> graphs_of(const std::string& quads) {
  std::map<std::string, TextGraph> graphs;
  const auto read =
      read_rdf(RdfFormat::kNQuads, quads, {}, [&](const RdfTriple& triple, const RdfTerm* graph) {
        graphs[graph == nullptr ? "" : std::string(graph->text)].push_back(
            {text_of(triple.subject), text_of(triple.predicate), text_of(triple.object)});
        return Status{};
      });
  EXPECT_TRUE(read.has_value());
  return graphs;
}

void SparqlConformance::run_update(const Case& test) {
  load_all(test);
  UpdateOptions options;
  options.origin.trust = store::Trust::kOperator;
  options.base_iri = file_iri(test.text);
  options.union_default = false;
  options.load_root = std::filesystem::path(test.text).parent_path().string();
  const auto report = engine_->update(read_file(test.text), options);
  ASSERT_TRUE(report.has_value()) << test.text << ": " << report.error().describe();
  EXPECT_LE(report->entries.size(), 1u);
  std::map<std::string, TextGraph> want;
  const auto add = [&want](const std::string& graph, const std::string& path) {
    for (TextTriple& triple : read_graph(path)) want[graph].push_back(std::move(triple));
  };
  for (const std::string& path : test.expected_data) add("", path);
  for (const auto& [path, iri] : test.expected_graphs) add(iri, path);
  const auto got = graphs_of(export_rdf(space_->snapshot().value(), RdfFormat::kNQuads));
  std::set<std::string> names;
  for (const auto& [name, graph] : want) names.insert(name);
  for (const auto& [name, graph] : got) names.insert(name);
  for (const std::string& name : names) {
    const auto found = got.find(name);
    EXPECT_EQ(coloured(found == got.end() ? TextGraph() : found->second), coloured(want[name]))
        << "graph " << name;
  }
}

TEST_P(SparqlConformance, Holds) {
  const Case& test = GetParam();
  if (test.kind.find("SyntaxTest") != std::string::npos) return run_syntax(test);
  if (test.kind == "QueryEvaluationTest") return run_query(test);
  if (test.kind == "UpdateEvaluationTest") return run_update(test);
  GTEST_SKIP() << "a test of another kind: " << test.kind;
}

INSTANTIATE_TEST_SUITE_P(Own, SparqlConformance, testing::ValuesIn(all_cases()),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace anima::sparql::conformance_test
