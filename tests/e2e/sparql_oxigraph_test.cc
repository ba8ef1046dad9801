// Ten thousand random queries, answered by Anima's engine and by Oxigraph (npm, in WebAssembly):
// the same bags of rows, blank nodes by their labels. `./dev setup test` installs Oxigraph;
// ANIMA_SPARQL_CLIENTS names another folder with its node_modules. ANIMA_SPARQL_SEED and
// ANIMA_SPARQL_QUERIES ask for other and more queries.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/json.h"
#include "base/text.h"
#include "sparql/answer_text.h"
#include "sparql/engine.h"
#include "sparql/rdf_load.h"
#include "support/command.h"
#include "support/sparql_generator.h"

namespace anima::sparql_oxigraph_test {
namespace {

constexpr std::size_t kQueriesADataset = 25;
// Bigger answers are of cross products, and show nothing that smaller ones do not.
constexpr std::size_t kMostRows = 2000;
constexpr std::uint64_t kMostWork = 100'000;

std::uint64_t number_from(const char* variable, std::uint64_t otherwise) {
  const char* const text = std::getenv(variable);
  return text != nullptr ? std::strtoull(text, nullptr, 10) : otherwise;
}

// --- answers as texts

// TSV, "true" or "false", N-Triples.
Result<std::string> answer_text(const sparql::QueryAnswer& answer) {
  if (answer.form() == sparql::QueryForm::kAsk) return answer.boolean() ? "true" : "false";
  std::string out;
  const auto append = [&out](std::string_view piece) -> Status {
    out += piece;
    return {};
  };
  if (answer.form() == sparql::QueryForm::kSelect) {
    ANIMA_TRY(sparql::write_rows(answer, sparql::ResultFormat::kTsv, append));
  } else {
    ANIMA_TRY(sparql::write_triples(answer, sparql::RdfFormat::kNTriples, append));
  }
  return out;
}

Result<std::shared_ptr<sparql::Engine>> engine_over(const std::string& quads) {
  store::SpaceOptions options;
  options.create = true;
  options.text_index = false;
  ANIMA_ASSIGN(auto space, store::Space::in_memory(options));
  ANIMA_TRY(space->write({}, [&](store::Transaction& transaction) -> Status {
    sparql::RdfLoadOptions load;
    load.format = sparql::RdfFormat::kNQuads;
    ANIMA_TRY(sparql::load_rdf(transaction, quads, load));
    return {};
  }));
  return sparql::Engine::open(std::move(space));
}

// --- comparing

// A term of TSV so that numbers of one datatype and value are the same text. Oxigraph cuts
// quotients of decimals where Anima rounds them, so twelve digits count.
std::string canonical(std::string_view term) {
  std::string kind;
  std::string_view digits = term;
  if (term.starts_with('"')) {
    constexpr std::string_view kXsd = "\"^^<http://www.w3.org/2001/XMLSchema#";
    const std::size_t type = term.find(kXsd);
    if (type == std::string_view::npos) return std::string(term);
    kind = term.substr(type + kXsd.size());
    kind.pop_back();
    if (kind != "integer" && kind != "decimal" && kind != "double") return std::string(term);
    digits = term.substr(1, type - 1);
  }
  double number = 0;
  const auto [end, fault] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (digits.empty() || fault != std::errc() || end != digits.data() + digits.size())
    return std::string(term);
  if (kind.empty()) {
    kind = digits.find_first_of("eE") != std::string_view::npos ? "double"
           : digits.find('.') != std::string_view::npos         ? "decimal"
                                                                : "integer";
  }
  std::array<char, 64> text{};
  const int size = std::snprintf(text.data(), text.size(), "%.12g ", number);
  return std::string(text.data(), static_cast<std::size_t>(size)) + kind;
}

// The rows of a TSV text, cells in the order of the variables' names, sorted.
std::vector<std::string> bag_of(std::string_view tsv) {
  const std::vector<std::string_view> lines = split(tsv, '\n');
  const std::vector<std::string_view> names = split(lines[0], '\t');
  std::vector<std::size_t> order(names.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::sort(order.begin(), order.end(),
            [&](std::size_t one, std::size_t two) { return names[one] < names[two]; });
  std::vector<std::string> rows;
  for (std::size_t line = 1; line + 1 < lines.size(); ++line) {
    const std::vector<std::string_view> cells = split(lines[line], '\t');
    std::string row;
    for (const std::size_t i : order)
      row += std::string(names[i]) + "=" + canonical(cells[i]) + " ";
    rows.push_back(std::move(row));
  }
  std::sort(rows.begin(), rows.end());
  return rows;
}

bool same_answer(const std::string& query, const std::string& ours, const std::string& theirs) {
  if (query.find("CONSTRUCT") != std::string::npos) {
    const std::vector<std::string_view> one = split(ours, '\n'), two = split(theirs, '\n');
    return std::set<std::string_view>(one.begin(), one.end()) ==
           std::set<std::string_view>(two.begin(), two.end());
  }
  if (query.find("ASK") != std::string::npos || theirs.starts_with("! ")) return ours == theirs;
  // All rows are one group also where there are none. Oxigraph gives no row where it sees before it
  // runs that nothing can match.
  const bool one_group = query.find("> SELECT (") != std::string::npos;
  if (one_group && bag_of(theirs).empty()) return bag_of(ours).size() == 1;
  return bag_of(ours) == bag_of(theirs);
}

// --- both engines

struct Case {
  std::string quads;
  std::vector<std::string> queries, answers;
};

Case make_case(test::SparqlGenerator& generator, std::uint64_t* left_out) {
  Case made;
  made.quads = generator.dataset();
  const auto engine = engine_over(made.quads);
  EXPECT_TRUE(engine.has_value());
  sparql::QueryOptions options;
  options.union_default = false;
  options.budget.rows = kMostWork;
  for (std::size_t i = 0; i < kQueriesADataset; ++i) {
    std::string query = generator.query();
    const auto answer = (*engine)->query(query, options);
    if (!answer && answer.error().code == ErrorCode::kLimitExceeded) {
      ++*left_out;
      continue;
    }
    if (answer && answer->rows() > kMostRows) {
      ++*left_out;
      continue;
    }
    EXPECT_TRUE(answer.has_value()) << query << "\n" << answer.error().describe();
    if (!answer) continue;
    made.answers.push_back(answer_text(*answer).value_or("?"));
    made.queries.push_back(std::move(query));
  }
  return made;
}

std::string as_json(const Case& one) {
  Json queries = Json::array();
  for (const std::string& query : one.queries) queries.push_back(query);
  Json line = Json::object({{"quads", one.quads}});
  line.set("queries", std::move(queries));
  return line.dump();
}

TEST(SparqlOxigraph, AgreesOnRandomQueries) {
  const char* named = std::getenv("ANIMA_SPARQL_CLIENTS");
  const std::string modules =
      std::string(named != nullptr ? named : ANIMA_SOURCE_DIR "/build/sparql_clients") +
      "/node_modules";
  if (!file_exists(system_files(), modules + "/oxigraph")) {
    GTEST_SKIP() << "./dev setup test could not reach npm";
  }
  const TemporaryDirectory work("anima-oxigraph");
  test::SparqlGenerator generator(number_from("ANIMA_SPARQL_SEED", 1));
  const std::uint64_t wanted = number_from("ANIMA_SPARQL_QUERIES", 10'000);
  std::vector<Case> cases;
  std::uint64_t queries = 0, left_out = 0;
  std::ofstream file(work.file("cases.jsonl"));
  while (queries < wanted) {
    cases.push_back(make_case(generator, &left_out));
    queries += cases.back().queries.size();
    file << as_json(cases.back()) << "\n";
  }
  file.close();
  EXPECT_LT(left_out, wanted / 20);
  const test::Ran ran = test::run_command(
      "cd " + work.path() + " && ln -sfn " + modules +
      " node_modules && cp " ANIMA_SOURCE_DIR
      "/tests/e2e/sparql_clients/oxigraph_answers.mjs . && node oxigraph_answers.mjs cases.jsonl "
      "answers.jsonl 2>&1");
  ASSERT_EQ(ran.code, 0) << ran.out;

  std::ifstream answers(work.file("answers.jsonl"));
  std::string line;
  int differences = 0;
  std::uint64_t found_something = 0;
  for (const Case& one : cases) {
    ASSERT_TRUE(std::getline(answers, line));
    const auto theirs = parse_json(line);
    ASSERT_TRUE(theirs.has_value());
    ASSERT_EQ(theirs->as_array().size(), one.queries.size());
    for (std::size_t i = 0; i < one.queries.size(); ++i) {
      const std::string& answer = theirs->as_array()[i].as_string();
      found_something += split(answer, '\n').size() > 2 || answer == "true" ? 1 : 0;
      if (same_answer(one.queries[i], one.answers[i], answer)) continue;
      if (++differences > 5) continue;
      ADD_FAILURE() << one.queries[i] << "\nover\n"
                    << one.quads << "Anima says\n"
                    << one.answers[i] << "Oxigraph says\n"
                    << answer;
    }
  }
  EXPECT_GT(found_something, wanted / 3);
  EXPECT_EQ(differences, 0) << "of " << queries << " queries; " << left_out << " left out";
}

}  // namespace
}  // namespace anima::sparql_oxigraph_test
