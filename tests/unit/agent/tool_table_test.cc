// The fifteen tools of specification 2.10 with their parameters and dangers, and the two that no
// other test looks at: doc_gen and user_interact.
#include <gtest/gtest.h>

#include "agent/findings/doc_tool.h"
#include "memory/contradiction.h"
#include "store/symbols.h"
#include "support/bench.h"
#include "support/links.h"
#include "tools/external.h"
#include "tools/user_tool.h"
#include "tools/workbench.h"

namespace anima::agent {
namespace {

using tools::Danger;

class ContradictedBench final : public test::Bench {
 public:
  explicit ContradictedBench(const store::Snapshot& snapshot)
      : test::Bench(snapshot), contradictions_(test::Bench::snapshot()) {}
  std::string superseded(const store::Triple& triple) override {
    return contradictions_.superseded(triple);
  }

 private:
  memory::Contradictions contradictions_;
};

class ToolTableTest : public ::testing::Test {
 protected:
  ToolTableTest() {
    add_inside_tools(table_);
    tools::add_external_tools(table_, {}, {});
    table_.add(tools::make_user_interact([this](const std::string& question) {
      asked_.push_back(question);
      return answer_;
    }));
  }
  void SetUp() override {
    store::SpaceOptions options;
    options.clock = std::make_shared<ManualClock>(Timestamp{1'700'000'000'000'000}, 1000);
    space_ = *store::Space::in_memory(options);
  }
  void tell(const store::Origin& origin, const std::function<Status(store::Transaction&)>& change) {
    const auto written = space_->write(origin, change);
    ASSERT_TRUE(written.has_value()) << written.error().describe();
  }
  static Status attribute(store::Transaction& transaction, std::string_view label,
                          std::string_view key, const store::Value& value) {
    store::SymbolWriter symbols(transaction, {});
    ANIMA_ASSIGN(const auto entity, symbols.entity(label));
    ANIMA_ASSIGN(const store::Term term, transaction.term(value.view()));
    return transaction.set_attribute(entity, key, std::span(&term, 1), {});
  }
  void tell_of_the_sky() {
    store::Origin ada, imported;
    ada.author = "ada";
    ada.source = "a book";
    ada.trust = store::Trust::kOperator;
    imported.author = "importer";
    imported.source = "page.csv";
    imported.trust = store::Trust::kUntrusted;
    tell(ada, [](store::Transaction& transaction) -> Status {
      ANIMA_TRY(test::link(transaction, "Earth", "is-a", "planet", 0.95));
      ANIMA_TRY(test::link(transaction, "Earth", "orbits", "Sun"));
      return attribute(transaction, "Earth", "radius_km", store::Value::of(std::int64_t{6371}));
    });
    tell(imported, [](store::Transaction& transaction) -> Status {
      return test::link(transaction, "Moon", "orbits", "Earth", 0.6);
    });
  }
  tools::ToolOutput run(std::string_view tool, const tools::ToolInput& input) {
    ContradictedBench bench(space_->snapshot().value());
    const auto output = table_.run(tool, input, bench);
    EXPECT_TRUE(output.has_value());
    return output ? *output : tools::ToolOutput{};
  }

  std::shared_ptr<store::Space> space_;
  tools::ToolTable table_;
  std::vector<std::string> asked_;
  std::optional<std::string> answer_;
};

// A parameter that is needed ends in "!".
struct Row {
  const char* name;
  std::vector<std::string> parameters;
  Danger danger;
};

TEST_F(ToolTableTest, FifteenToolsWithTheirParametersAndDangers) {
  const std::vector<Row> rows = {
      {"kg_query", {"symbol!", "direction"}, Danger::kSafe},
      {"kg_mutate", {"subject!", "predicate!", "object!", "confidence"}, Danger::kCautious},
      {"memory_recall", {"query_symbols!", "top_k"}, Danger::kSafe},
      {"reason", {"expression!"}, Danger::kSafe},
      {"similarity_search", {"symbol!", "top_k"}, Danger::kSafe},
      {"file_io", {"action!", "path!", "content"}, Danger::kDangerous},
      {"http_fetch", {"url!", "timeout"}, Danger::kCautious},
      {"shell_exec", {"command!", "timeout"}, Danger::kCritical},
      {"user_interact", {"question!"}, Danger::kSafe},
      {"infer_rules", {"max_iterations", "min_confidence"}, Danger::kSafe},
      {"gap_analysis", {"goal!", "max_gaps"}, Danger::kSafe},
      {"csv_ingest", {"path!", "format", "delimiter"}, Danger::kCautious},
      {"text_ingest", {"text!", "max_sentences"}, Danger::kCautious},
      {"code_ingest", {"path!", "recursive", "max_files"}, Danger::kCautious},
      {"doc_gen", {"target!", "format"}, Danger::kSafe}};
  EXPECT_EQ(table_.all().size(), rows.size());
  for (const Row& row : rows) {
    const tools::Tool* tool = table_.find(row.name);
    ASSERT_NE(tool, nullptr) << row.name;
    EXPECT_EQ(tool->info().danger, row.danger) << row.name;
    std::vector<std::string> has;
    for (const tools::ToolParameter& each : tool->info().parameters) {
      has.push_back(each.name + (each.required ? "!" : ""));
    }
    for (const std::string& wanted : row.parameters) {
      EXPECT_NE(std::find(has.begin(), has.end(), wanted), has.end()) << row.name << " " << wanted;
    }
    for (const std::string& each : has) {
      const bool named =
          std::find(row.parameters.begin(), row.parameters.end(), each) != row.parameters.end();
      EXPECT_TRUE(named || !each.ends_with('!')) << row.name << " needs " << each;
    }
  }
}

TEST_F(ToolTableTest, UserInteractAsksOneQuestionAndReadsOneLine) {
  answer_ = "  by rail \r";
  const tools::ToolOutput output = run("user_interact", {{"question", "How do you travel?"}});
  EXPECT_TRUE(output.success);
  EXPECT_EQ(output.result, "by rail");
  EXPECT_EQ(asked_, std::vector<std::string>{"How do you travel?"});
  ASSERT_EQ(output.findings.size(), 1U);
  EXPECT_EQ(output.findings[0].text, "asked \"How do you travel?\", the person said: by rail");
  EXPECT_FALSE(run("user_interact", {}).success);
}

TEST_F(ToolTableTest, UserInteractWithoutInputIsASuccess) {
  const tools::ToolOutput output = run("user_interact", {{"question", "Who is there?"}});
  EXPECT_TRUE(output.success);
  EXPECT_EQ(output.result, "no input");
  EXPECT_TRUE(output.findings.empty());
  ContradictedBench bench(space_->snapshot().value());
  const auto nobody = tools::make_user_interact({})->run({{"question", "Who?"}}, bench);
  ASSERT_TRUE(nobody.has_value());
  EXPECT_TRUE(nobody->success);
  EXPECT_EQ(nobody->result, "no input");
}

TEST_F(ToolTableTest, UserInteractKeepsValidTextOfAtMost4096Bytes) {
  answer_ = std::string(4095, 'a') + "\xc3\xa9";
  EXPECT_EQ(run("user_interact", {{"question", "Name it."}}).result, std::string(4095, 'a'));
  answer_ = "caf\xe9";
  EXPECT_EQ(run("user_interact", {{"question", "Name it."}}).result, "caf\xef\xbf\xbd");
}

TEST_F(ToolTableTest, DocGenAsMarkdown) {
  tell_of_the_sky();
  const auto number =
      static_cast<std::uint32_t>(*store::find_symbol(space_->snapshot().value(), "Earth"));
  const tools::ToolOutput output = run("doc_gen", {{"target", "earth"}});
  ASSERT_TRUE(output.success) << output.result;
  EXPECT_EQ(output.result,
            "# Earth\n\nEarth is known without a type (sym:" + std::to_string(number) +
                ").\n"
                "\n## Attributes\n\n- radius_km: 6371\n"
                "\n## Links from it\n\n- Earth is a planet (confidence 0.95)\n"
                "- Earth orbits Sun (confidence 1.00)\n"
                "\n## Links to it\n\n- Moon orbits Earth (confidence 0.60)\n"
                "\n## Where it comes from\n\n"
                "- 4 statements by ada from a book, trust operator, entry 2\n"
                "- 1 statement by importer from page.csv, trust untrusted, entry 3\n");
  EXPECT_EQ(output.findings.size(), 4U);
  EXPECT_EQ(output.symbols_involved.size(), 4U);
}

TEST_F(ToolTableTest, DocGenAsTextAndJson) {
  tell_of_the_sky();
  const std::string text = run("doc_gen", {{"target", "Earth"}, {"format", "text"}}).result;
  EXPECT_NE(text.find("\nLinks to it:\n  Moon orbits Earth (possibly).\n"), std::string::npos)
      << text;
  const auto json = parse_json(run("doc_gen", {{"target", "Earth"}, {"format", "json"}}).result);
  ASSERT_TRUE(json.has_value());
  const Json& radius = json->find("attributes")->as_array().at(0);
  EXPECT_EQ(radius.find("object")->as_integer(), 6371);
  EXPECT_EQ(json->find("links_from")->as_array().size(), 2U);
  EXPECT_EQ(json->find("voices")->as_array().at(1).find("trust")->as_string(), "untrusted");
  const tools::ToolOutput wrong = run("doc_gen", {{"target", "Earth"}, {"format", "pdf"}});
  EXPECT_FALSE(wrong.success);
  EXPECT_FALSE(run("doc_gen", {{"target", "Vulcan"}}).success);
}

TEST_F(ToolTableTest, DocGenShowsWhatIsSupersededAndDoesNotTellItOn) {
  tell({}, [](store::Transaction& transaction) -> Status {
    ANIMA_ASSIGN(const auto capital, transaction.upsert_predicate("capital", {}));
    ANIMA_ASSIGN(const store::Term yes, transaction.term(store::Value::boolean(true).view()));
    ANIMA_TRY(transaction.set_attribute(capital, "functional", std::span(&yes, 1), {}));
    return test::link(transaction, "Germany", "capital", "Bonn");
  });
  tell({}, [](store::Transaction& transaction) {
    return test::link(transaction, "Germany", "capital", "Berlin");
  });
  const tools::ToolOutput output = run("doc_gen", {{"target", "Germany"}});
  EXPECT_NE(output.result.find("Bonn (confidence 1.00) (superseded: "), std::string::npos)
      << output.result;
  ASSERT_EQ(output.findings.size(), 1U);
  EXPECT_EQ(output.findings[0].object, "Berlin");
}

TEST_F(ToolTableTest, DocGenOfARelationSaysHowMuchItIsUsed) {
  tell_of_the_sky();
  const std::string page = run("doc_gen", {{"target", "orbits"}}).result;
  EXPECT_NE(page.find("orbits is a relation (sym:"), std::string::npos) << page;
  EXPECT_NE(page.find("## What uses it\n\n- 2 statements\n- Moon orbits Earth\n- Earth orbits Sun"),
            std::string::npos)
      << page;
}

TEST_F(ToolTableTest, DocGenCutsWhatIsTooMuchAndSaysSo) {
  tell({}, [](store::Transaction& transaction) -> Status {
    for (int i = 0; i < 250; ++i) {
      ANIMA_TRY(test::link(transaction, "moon " + std::to_string(i), "orbits", "Jupiter"));
    }
    return {};
  });
  const tools::ToolOutput output = run("doc_gen", {{"target", "Jupiter"}});
  EXPECT_NE(output.result.find(".. and 50 more"), std::string::npos) << output.result;
  EXPECT_EQ(output.result, run("doc_gen", {{"target", "Jupiter"}}).result);
}

}  // namespace
}  // namespace anima::agent
