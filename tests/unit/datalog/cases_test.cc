// Runs tests/cases/datalog/*.test.
//
//   == name                 begins a case; the program follows
//   -- p(X)                 a query; the facts that follow are its answer, sorted
//   -- error TEXT           compiling or evaluating fails, with TEXT in the message
//   -- warning TEXT         compiling warns, with TEXT in the message
//
// Each program is also formatted and read again: the syntax tree must be the same. Evaluation time
// is 2024-06-01.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <memory>

#include "base/clock.h"
#include "base/files/file.h"
#include "datalog/analyze.h"
#include "datalog/engine.h"
#include "datalog/format.h"

namespace anima::datalog {
namespace {

struct Check {
  enum class Kind { kQuery, kError, kWarning };
  Kind kind = Kind::kQuery;
  std::string text;
  std::vector<std::string> facts;
};

struct TextCase {
  std::string file;
  std::string name;
  std::string program;
  std::vector<Check> checks;
};

void add_line(const std::string& file, const std::string& line, std::vector<TextCase>& cases) {
  if (line.starts_with("== ")) {
    cases.push_back({file, line.substr(3), "", {}});
  } else if (cases.empty()) {
    return;
  } else if (line.starts_with("-- error ")) {
    cases.back().checks.push_back({Check::Kind::kError, line.substr(9), {}});
  } else if (line.starts_with("-- warning ")) {
    cases.back().checks.push_back({Check::Kind::kWarning, line.substr(11), {}});
  } else if (line.starts_with("-- ")) {
    cases.back().checks.push_back({Check::Kind::kQuery, line.substr(3), {}});
  } else if (cases.back().checks.empty()) {
    cases.back().program += line + "\n";
  } else if (!line.empty()) {
    cases.back().checks.back().facts.push_back(line);
  }
}

std::vector<TextCase> load_cases() {
  const std::string folder = ANIMA_SOURCE_DIR "/tests/cases/datalog";
  std::vector<TextCase> cases;
  const auto entries = system_files().list(folder);
  if (!entries) return cases;
  for (const DirectoryEntry& entry : *entries) {
    if (extension(entry.name) != ".test") continue;
    std::ifstream file(folder + "/" + entry.name);
    const std::string stem = entry.name.substr(0, entry.name.size() - 5);
    std::string line;
    while (std::getline(file, line)) add_line(stem, line, cases);
  }
  return cases;
}

class DatalogCase : public testing::TestWithParam<TextCase> {
 protected:
  void expect_message(const Check& check, const std::string& message) {
    EXPECT_NE(message.find(check.text), std::string::npos) << message;
  }
};

void PrintTo(const TextCase& one, std::ostream* out) { *out << one.name; }

TEST_P(DatalogCase, Holds) {
  const TextCase& one = GetParam();
  const auto unit = parse_program(one.program);
  if (unit) {
    const std::string formatted = format_unit(*unit);
    const auto again = parse_program(formatted);
    ASSERT_TRUE(again.has_value()) << again.error().describe() << "\n" << formatted;
    EXPECT_TRUE(unit->same_program(*again)) << formatted;
    EXPECT_EQ(format_unit(*again), formatted);
  }

  auto values = std::make_shared<ValueTable>();
  auto program = compile(one.program, *values, "case.mg");
  if (!program) {
    ASSERT_EQ(one.checks.size(), 1U) << program.error().describe();
    ASSERT_EQ(one.checks[0].kind, Check::Kind::kError) << program.error().describe();
    EXPECT_TRUE(program.error().where.starts_with("case.mg:")) << program.error().where;
    return expect_message(one.checks[0], program.error().describe());
  }
  auto shared = std::make_shared<const Program>(std::move(*program));
  EngineOptions options;
  options.clock = std::make_shared<ManualClock>(*parse_timestamp("2024-06-01T00:00:00Z"));
  options.limits.max_derived_rows = 100'000;
  auto engine = Engine::create(shared, values, std::move(options));
  if (!engine) {
    ASSERT_EQ(one.checks.size(), 1U) << engine.error().describe();
    ASSERT_EQ(one.checks[0].kind, Check::Kind::kError) << engine.error().describe();
    return expect_message(one.checks[0], engine.error().describe());
  }
  for (const Check& check : one.checks) {
    ASSERT_NE(check.kind, Check::Kind::kError) << "no error";
    if (check.kind == Check::Kind::kWarning) {
      ASSERT_FALSE(shared->warnings.empty());
      expect_message(check, shared->warnings.front().message);
      continue;
    }
    const auto query = compile_query(*shared, check.text, *values);
    ASSERT_TRUE(query.has_value()) << query.error().describe();
    const Rows rows = *(*engine)->query(*query);
    std::vector<std::string> facts;
    for (std::size_t i = 0; i < rows.count; ++i) {
      facts.push_back(print_fact(shared->predicates[query->predicate], rows.row(i), *values));
    }
    EXPECT_EQ(facts, check.facts) << check.text;
  }
}

INSTANTIATE_TEST_SUITE_P(Files, DatalogCase, testing::ValuesIn(load_cases()), [](const auto& info) {
  std::string name = info.param.file + "_" + info.param.name;
  std::replace_if(
      name.begin(), name.end(),
      [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; }, '_');
  return name;
});

}  // namespace
}  // namespace anima::datalog
