// The questions in plain words of data/questions.json: one test a case, over spaces that are loaded
// once. At the end it says how many passed, by form.
#include <gtest/gtest.h>

#include "base/text/text.h"
#include "support/question_domains.h"

namespace anima::ask::ask_test {
namespace {

using testing::Domain;

Domain& domain_of(const std::string& name) {
  static std::map<std::string, Domain> domains;
  auto found = domains.find(name);
  if (found == domains.end()) found = domains.emplace(name, testing::load_domain(name)).first;
  return found->second;
}

const std::vector<Json>& cases() { return testing::question_file().find("cases")->as_array(); }

// "{step:2}" is the log entry of the second script.
std::string with_steps(std::string text, const Domain& domain) {
  for (std::size_t i = 0; i < domain.steps.size(); ++i) {
    text = replace_all(text, "{step:" + std::to_string(i) + "}",
                       std::to_string(static_cast<std::uint64_t>(domain.steps[i])));
  }
  return text;
}

std::vector<std::string> strings(const Json& json, std::string_view key) {
  std::vector<std::string> list;
  if (const Json* found = json.find(key)) {
    for (const Json& one : found->as_array()) list.push_back(one.as_string());
  }
  return list;
}

struct Score {
  int passed = 0, all = 0;
};
std::map<std::string, Score>& scores() {
  static std::map<std::string, Score> map;
  return map;
}

class Scores : public ::testing::Environment {
 public:
  void TearDown() override {
    if (scores().size() < 2) return;
    for (const auto& [form, score] : scores())
      std::printf("%-14s %d/%d\n", form.c_str(), score.passed, score.all);
  }
};
[[maybe_unused]] const auto* const kScores = ::testing::AddGlobalTestEnvironment(new Scores);

class AskCase : public ::testing::TestWithParam<std::size_t> {};

TEST_P(AskCase, IsAnsweredAsTheFileSays) {
  const Json& it = cases()[GetParam()];
  Domain& domain = domain_of(it.find("domain")->as_string());
  if (const Json* language = it.find("query_language"))
    domain.options.language = language->as_string();
  Conversation talk;
  for (const std::string& before : strings(it, "after")) domain.ask(before, &talk);
  const Answer answer = domain.ask(with_steps(it.find("question")->as_string(), domain), &talk);
  domain.options.language = "en";
  const std::string shown = it.dump() + "\n" + answer.to_json().dump();
  const Json* status = it.find("status");
  EXPECT_EQ(to_string(answer.status), status != nullptr ? status->as_string() : "answered")
      << shown;
  if (const Json* rows = it.find("rows");
      rows != nullptr && answer.status == AnswerStatus::kAnswered) {
    const Json* ordered = it.find("ordered");
    EXPECT_TRUE(testing::rows_match(*rows, answer.rows, ordered != nullptr && ordered->as_bool()))
        << shown;
  }
  const auto contains = [](const std::string& text, const std::string& part) {
    return fold_case(text).find(fold_case(part)) != std::string::npos;
  };
  for (const std::string& word : strings(it, "unknown")) {
    EXPECT_TRUE(std::any_of(answer.unknown.begin(), answer.unknown.end(),
                            [&](const std::string& one) { return contains(one, word); }))
        << shown;
  }
  for (const std::string& part : strings(it, "readings")) {
    EXPECT_TRUE(std::any_of(answer.readings.begin(), answer.readings.end(),
                            [&](const ReadingShown& one) { return contains(one.reading, part); }))
        << shown;
  }
  for (const std::string& part : strings(it, "answer_includes"))
    EXPECT_TRUE(contains(answer.text, part)) << shown;
  for (const std::string& part : strings(it, "proof_includes"))
    EXPECT_TRUE(contains(answer.proof.dump(), part)) << shown;
  Score& score = scores()[it.find("form")->as_string()];
  ++score.all;
  score.passed += HasFailure() ? 0 : 1;
}

std::vector<std::size_t> numbers() {
  std::vector<std::size_t> list;
  for (std::size_t i = 0; i < cases().size(); ++i) list.push_back(i);
  return list;
}

INSTANTIATE_TEST_SUITE_P(Questions, AskCase, ::testing::ValuesIn(numbers()),
                         [](const ::testing::TestParamInfo<std::size_t>& info) {
                           return replace_all(cases()[info.param].find("id")->as_string(), "-",
                                              "_");
                         });

// Q36: none of all these questions, nor any request to change something, writes a byte.
TEST(AskConformance, Q36NothingIsEverWritten) {
  for (const std::string name : {"homelab", "library", "astronomy", "directory"}) {
    Domain domain = testing::load_domain(name);
    const store::Sequence before = domain.space->snapshot()->sequence();
    for (const Json& it : cases()) {
      if (it.find("domain")->as_string() == name) domain.ask(it.find("question")->as_string());
    }
    for (const std::string verb :
         {"delete", "remove", "set", "add", "create", "rename", "update", "drop"}) {
      for (const std::string thing :
           {"orders-db", "the services", "port of wiki to 80", "Mars", "all books"}) {
        const Answer answer = domain.ask(verb + " " + thing);
        EXPECT_EQ(to_string(answer.status), "not_understood") << verb << " " << thing;
      }
    }
    EXPECT_EQ(domain.space->snapshot()->sequence(), before) << name;
  }
}

// The rows of a query that was run by hand: its columns side by side.
std::vector<JsonArray> rows_of(const Json& run) {
  std::vector<JsonArray> rows;
  const Json* result = run.find("result");
  // Of several statements the last gives the rows.
  const bool several_statements = result != nullptr && result->is_array() &&
                                  !result->as_array().empty() &&
                                  result->as_array().back().is_object();
  if (several_statements) result = result->as_array().back().find("result");
  if (result == nullptr) return rows;
  if (!result->is_array()) return {{*result}};
  const JsonArray& columns = result->as_array();
  const bool several = !columns.empty() && columns[0].is_array();
  const std::size_t height = several ? columns[0].as_array().size() : columns.size();
  for (std::size_t i = 0; i < height; ++i) {
    JsonArray row;
    if (!several) row.push_back(columns[i]);
    for (std::size_t k = 0; several && k < columns.size(); ++k) {
      if (columns[k].is_array()) row.push_back(columns[k].as_array()[i]);
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

// Does the query say what the answer says? A yes is a row; what is told beside the rows of the
// contract may stand among its columns.
bool by_hand_alike(const Answer& answer, const Json& run) {
  std::vector<JsonArray> rows = rows_of(run);
  if (answer.columns == std::vector<std::string>{"holds"})
    return answer.rows[0][0].as_bool() == !rows.empty();
  // Numbers that are names are put together from their rows, not by the query.
  if (answer.columns.size() == 1 && rows.size() > 1 && answer.rows.size() == 1) return true;
  for (JsonArray& row : rows) {
    for (Json& value : row) {
      const auto number = value.is_string() ? parse_json(value.as_string()) : Result<Json>(value);
      if (number && number->is_number()) value = *number;
    }
  }
  JsonArray expected;
  for (const JsonArray& row : answer.rows) expected.push_back(Json(row));
  return testing::rows_match(Json(expected), rows, false);
}

// Q37: every KIP query that is shown gives the rows when it is run by hand.
TEST(AskConformance, Q37ShownQueriesAreReal) {
  for (const std::string name : {"homelab", "library", "astronomy", "directory"}) {
    Domain& domain = domain_of(name);
    for (const Json& it : cases()) {
      if (it.find("domain")->as_string() != name) continue;
      const Answer answer = domain.ask(it.find("question")->as_string());
      if (answer.status != AnswerStatus::kAnswered || answer.language != "kip") continue;
      kip::Caller caller;
      caller.readonly = true;
      const Json run = domain.engine->execute(answer.query, Json(JsonObject{}), caller);
      EXPECT_FALSE(kip::has_error(run)) << answer.query << "\n" << run.dump();
      EXPECT_TRUE(by_hand_alike(answer, run)) << it.dump() << "\n"
                                              << answer.to_json().dump() << "\n"
                                              << run.dump();
    }
  }
}

// Q43: the same question over the same space gives the same bytes.
TEST(AskConformance, Q43TheSameBytes) {
  Domain& domain = domain_of("homelab");
  Domain other = testing::load_domain("homelab");
  for (const Json& it : cases()) {
    if (it.find("domain")->as_string() != "homelab") continue;
    const std::string question = it.find("question")->as_string();
    EXPECT_EQ(domain.ask(question).to_json().dump(), domain.ask(question).to_json().dump());
    EXPECT_EQ(domain.ask(question).to_json().dump(), other.ask(question).to_json().dump());
  }
}

}  // namespace
}  // namespace anima::ask::ask_test
