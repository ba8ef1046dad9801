// Ten thousand random queries, answered by Anima's engine and by Oxigraph (npm, in WebAssembly).
// Where the two differ, and for every tenth query where they do not, tests/e2e/sparql_judge
// decides by the recommendation's own algebra. The test fails when Anima was wrong, and tells how
// often Oxigraph was. `./dev setup test` installs Oxigraph; ANIMA_SPARQL_CLIENTS names another
// folder with its node_modules. ANIMA_SPARQL_SEED and ANIMA_SPARQL_QUERIES ask for other and more
// queries.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

#include "base/files/file.h"
#include "base/json/json.h"
#include "sparql/answer_text.h"
#include "sparql/engine.h"
#include "sparql/rdf_load.h"
#include "support/command.h"
#include "support/needs.h"
#include "support/node.h"
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
  Json queries = Json::array(), answers = Json::array();
  for (const std::string& query : one.queries) queries.push_back(query);
  for (const std::string& answer : one.answers) answers.push_back(answer);
  Json line = Json::object({{"quads", one.quads}});
  line.set("queries", std::move(queries));
  line.set("answers", std::move(answers));
  return line.dump();
}

// Writes the cases until they have as many queries as are wanted. Returns how many found something.
std::uint64_t write_cases(const std::string& path, std::uint64_t wanted) {
  test::SparqlGenerator generator(number_from("ANIMA_SPARQL_SEED", 1));
  std::ofstream file(path);
  std::uint64_t queries = 0, left_out = 0, found_something = 0;
  while (queries < wanted) {
    const Case one = make_case(generator, &left_out);
    queries += one.queries.size();
    for (const std::string& answer : one.answers)
      found_something += answer == "true" || std::count(answer.begin(), answer.end(), '\n') > 1;
    file << as_json(one) << "\n";
  }
  EXPECT_LT(left_out, wanted / 20);
  return found_something;
}

TEST(SparqlOxigraph, IsRightWhereTheTwoDifferOnRandomQueries) {
  const char* named = std::getenv("ANIMA_SPARQL_CLIENTS");
  const std::string modules =
      std::string(named != nullptr ? named : ANIMA_SOURCE_DIR "/build/sparql_clients") +
      "/node_modules";
  ANIMA_NEEDS(test::kNpm, file_exists(system_files(), modules + "/oxigraph"));
  const TemporaryDirectory work("anima-oxigraph");
  const std::uint64_t wanted = number_from("ANIMA_SPARQL_QUERIES", 10'000);
  EXPECT_GT(write_cases(work.file("cases.jsonl"), wanted), wanted / 3);
  const test::Ran asked = test::run_command("cd " + work.path() + " && ln -sfn " + modules +
                                            " node_modules && cp " ANIMA_SOURCE_DIR
                                            "/tests/e2e/sparql_clients/oxigraph_answers.mjs . && " +
                                            test::node_program() +
                                            " oxigraph_answers.mjs cases.jsonl answers.jsonl 2>&1");
  ASSERT_EQ(asked.code, 0) << asked.out;
  const test::Ran judged =
      test::run_command("cd " + work.path() +
                        " && python3 -B " ANIMA_SOURCE_DIR
                        "/tests/e2e/sparql_judge/judge.py cases.jsonl answers.jsonl 2>&1");
  EXPECT_EQ(judged.code, 0) << judged.out;
  if (judged.code == 0) std::cout << judged.out;
}

}  // namespace
}  // namespace anima::sparql_oxigraph_test
