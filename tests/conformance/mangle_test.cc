// The conformance cases of the Mangle language (data/mangle.json): each program is compiled and
// evaluated, and the answer to its query compared with the expected facts as a set of values. An
// error case must fail with a message that names the clause.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <memory>
#include <sstream>

#include "base/clock.h"
#include "base/json/json.h"
#include "datalog/analyze.h"
#include "datalog/engine.h"

namespace anima::datalog::mangle_test {
namespace {

struct Case {
  std::string name;
  std::string program;
  std::string query;
  std::vector<std::string> expect;
  bool error = false;
};

std::vector<Case> load_cases() {
  std::ifstream file(ANIMA_SOURCE_DIR "/tests/conformance/data/mangle.json");
  std::stringstream text;
  text << file.rdbuf();
  const auto document = parse_json(text.str());
  std::vector<Case> cases;
  if (!document) return cases;
  for (const Json& one : document->as_array()) {
    Case entry;
    entry.name = one.find("name")->as_string();
    entry.program = one.find("program")->as_string();
    entry.query = one.find("query")->as_string();
    entry.error = one.find("error") != nullptr;
    if (const Json* facts = one.find("expect")) {
      for (const Json& fact : facts->as_array()) entry.expect.push_back(fact.as_string());
    }
    cases.push_back(std::move(entry));
  }
  return cases;
}

using RowSet = std::vector<std::vector<Code>>;

struct Answer {
  RowSet rows;
  std::string text;
};

Result<Answer> run(const Case& one, RowSet& expected) {
  auto values = std::make_shared<ValueTable>();
  ANIMA_ASSIGN(Program program, compile(one.program, *values, one.name + ".mg"));
  ANIMA_ASSIGN(const Query query, compile_query(program, one.query, *values));
  for (const std::string& fact : one.expect) {
    ANIMA_ASSIGN(GroundFact ground, compile_fact(program, fact, *values));
    expected.push_back(std::move(ground.codes));
  }
  auto shared = std::make_shared<const Program>(std::move(program));
  EngineOptions options;
  options.clock = std::make_shared<ManualClock>(*parse_timestamp("2024-06-01T00:00:00Z"));
  ANIMA_ASSIGN(const auto engine, Engine::create(shared, values, std::move(options)));
  const Rows rows = *engine->query(query);
  Answer answer;
  for (std::size_t i = 0; i < rows.count; ++i) {
    const auto row = rows.row(i);
    answer.rows.emplace_back(row.begin(), row.end());
    answer.text += print_fact(shared->predicates[query.predicate], row, *values) + "\n";
  }
  return answer;
}

void PrintTo(const Case& one, std::ostream* out) { *out << one.name; }

class MangleCase : public testing::TestWithParam<Case> {};

TEST_P(MangleCase, AnswersAsExpected) {
  const Case& one = GetParam();
  RowSet expected;
  Result<Answer> answer = run(one, expected);
  if (one.error) {
    ASSERT_FALSE(answer.has_value()) << "no error; the answer was\n" << answer->text;
    // The clause is named by its place and its text.
    const std::string message = answer.error().describe();
    EXPECT_NE(message.find(one.name + ".mg:"), std::string::npos) << message;
    const bool quotes_clause = message.find(", in: ") != std::string::npos;
    EXPECT_TRUE(quotes_clause) << message;
    return;
  }
  ASSERT_TRUE(answer.has_value()) << answer.error().describe();
  std::sort(answer->rows.begin(), answer->rows.end());
  std::sort(expected.begin(), expected.end());
  EXPECT_EQ(answer->rows, expected) << answer->text;
}

INSTANTIATE_TEST_SUITE_P(Cases, MangleCase, testing::ValuesIn(load_cases()),
                         [](const auto& info) { return info.param.name; });

TEST(MangleCases, AllAreThere) { EXPECT_EQ(load_cases().size(), 156U); }

}  // namespace
}  // namespace anima::datalog::mangle_test
