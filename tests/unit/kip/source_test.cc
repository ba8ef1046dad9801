// Every block that the source prints, under its line number (tests/cases/kip/source), on the memory
// of a sleeping agent: events, tasks, preferences, duplicates (the fixtures of the conformance
// cases).
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "kip/engine.h"

namespace anima::kip {
namespace {

std::string read(const std::string& path) {
  std::ifstream file(ANIMA_SOURCE_DIR "/tests/" + path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

struct Block {
  int line;
  const char* parameters;
  // What the answer must contain as text, or the code of the error that it must be.
  std::vector<const char*> contains;
  std::size_t statements = 1;  // more than one: a list of answers
};

void PrintTo(const Block& block, std::ostream* out) { *out << "line " << block.line; }

class Source : public testing::TestWithParam<Block> {
 protected:
  void SetUp() override {
    auto space = store::Space::in_memory();
    ASSERT_TRUE(space);
    auto engine = Engine::open(*space);
    ASSERT_TRUE(engine);
    engine_ = *engine;
    const auto suite = parse_json(read("conformance/data/kip.json"));
    ASSERT_TRUE(suite);
    for (const Json& command : suite->find("fixtures")->find("sleep_duplicates")->as_array()) {
      const Json answer = engine_->execute(command.as_string(), Json(JsonObject{}));
      ASSERT_EQ(answer.find("error"), nullptr) << answer.dump();
    }
  }
  std::shared_ptr<Engine> engine_;
};

TEST_P(Source, Runs) {
  const Block& block = GetParam();
  const std::string number = std::to_string(10000 + block.line).substr(1);
  const std::string text = read("cases/kip/source/" + number + ".kip");
  ASSERT_FALSE(text.empty());
  const auto parameters = parse_json(block.parameters);
  ASSERT_TRUE(parameters) << block.parameters;
  const Json answer = engine_->execute(text, *parameters);
  const std::string shown = answer.dump();
  for (const char* part : block.contains)
    EXPECT_NE(shown.find(part), std::string::npos) << part << "\n" << shown;
  if (block.statements != 1) {
    ASSERT_NE(answer.find("result"), nullptr) << shown;
    ASSERT_EQ(answer.find("result")->as_array().size(), block.statements) << shown;
    EXPECT_EQ(shown.find("\"error\""), std::string::npos) << shown;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Blocks, Source,
    testing::Values(
        Block{895, "{}", {"upsert_concept_nodes"}},
        Block{
            948,
            "{}",
            {R"([["task-b","task-a"],["Event","Event"],["ev2","ev1"],["review","consolidate_to_semantic"],[5,1]])"}},
        Block{961, "{}", {R"("result":2)"}},
        Block{969, R"({"type": "Event"})", {R"([["Event"],["ev3"])"}},
        Block{981,
              R"({"cutoff_date": "2025-01-08T00:00:00Z"})",
              {R"([["ev1"],["2025-01-01T10:00:00Z"],["likes dark mode"]])"}},
        Block{994,
              "{}",
              {R"(["Archived","Empty","UserPreferences","Unsorted","CoreSchema"],[0,0,0,2,)"}},
        Block{1012,
              R"({"task_name": "task-a", "timestamp": "2025-01-15T03:00:00Z"})",
              {"upsert_concept_nodes"}},
        Block{
            1023,
            R"({"preference_name": "dark", "extracted_preference": "dark mode", "event_name": "ev1"})",
            {"upsert_concept_nodes"}},
        Block{1042,
              R"({"task_name": "task-a", "timestamp": "2025-01-15T03:00:00Z"})",
              {R"("deleted_concepts":1)"},
              2},
        Block{1063, "{}", {R"(["Event","Event"],["ev1","ev2"])"}},
        Block{
            1074,
            R"({"domain_name": "UI", "domain_desc": "x", "item_type": "Event", "item_name": "ev1"})",
            {R"("deleted_propositions":1)"},
            2},
        Block{1100,
              R"({"type": "Event", "name": "ev3", "target_domain": "Archived"})",
              {"upsert_concept_nodes"}},
        Block{1111, R"({"type": "Event", "name": "ev3"})", {"upsert_concept_nodes"}},
        Block{
            1131,
            R"({"event_name": "ev1", "timestamp": "2025-01-15T03:00:00Z", "semantic_type": "Preference", "semantic_name": "old-pref"})",
            {"upsert_concept_nodes"}},
        Block{
            1150, R"({"search_term": "dup", "type": "Preference"})", {R"("name":"dup")", "_score"}},
        Block{1161, R"({"predicate": "derived_from"})", {"KIP_3001", "canonical", "hint"}},
        Block{1178, R"({"decay_threshold": "2999-01-01T00:00:00Z"})", {"PropositionLink", "0.9"}},
        Block{
            1191,
            R"({"s_type": "Event", "s_name": "ev1", "predicate": "belongs_to_domain", "o_type": "Domain", "o_name": "Unsorted", "new_confidence": 0.8, "timestamp": "2025-01-15T03:00:00Z"})",
            {R"("blocks":1)"}},
        Block{1204, "{}", {R"("result":[])"}, 0}, Block{1213, "{}", {R"("result":[])"}, 0},
        Block{
            1221,
            R"({"current_timestamp": "2025-01-15T03:00:00Z", "summary_of_actions": "x", "count": 2, "issues_list": []})",
            {"upsert_concept_nodes"}},
        Block{1260,
              R"({"type": "Event", "name": "ev1", "timestamp": "2025-01-15T03:00:00Z"})",
              {R"("deleted_propositions":1)"},
              2},
        Block{1308, R"({"type": "Event"})", {"domain_map", R"([["Event"],["ev3"]])"}, 4},
        Block{1401, R"({"type": "Event", "name": "ev1"})", {R"("name":"ev1")"}},
        Block{1410, "{}", {R"(["$ConceptType","$PropositionType","Domain")"}},
        Block{1418, R"({"predicate": "assigned_to"})", {R"(["$system","$system","$system"])"}},
        Block{1428, "{}", {"ev1", "Unsorted"}},
        Block{
            1437,
            R"({"domain": "UI", "domain_desc": "x", "event_name": "e9", "start_time": "2025-01-15T03:00:00Z", "content_summary": "s", "participants": ["a"], "outcome": "o", "context": {"k": 1}, "source": "t"})",
            {"upsert_concept_nodes"}},
        Block{1470, "{}", {"KIP_3001", "var1"}},
        Block{
            1526,
            R"({"event_name": "e9", "start_time": "2025-01-15T03:00:00Z", "content_summary": "s", "participants": ["a"], "outcome": "o"})",
            {"upsert_concept_nodes"}},
        Block{1568, "{}", {"upsert_concept_nodes"}}),
    [](const testing::TestParamInfo<Block>& info) {
      return "Line" + std::to_string(info.param.line);
    });

TEST_F(Source, RequestEnvelopes) {
  for (const char* number : {"1620", "1634"}) {
    const auto request = parse_json(read(std::string("cases/kip/source/") + number + ".json"));
    ASSERT_TRUE(request) << number;
    const Json answer = engine_->execute(*request);
    EXPECT_EQ(answer.dump().find("\"error\""), std::string::npos) << answer.dump();
  }
}

// The rows of the cheat sheet and the one-line forms, by line.
TEST_F(Source, ShortForms) {
  const Json parameters = *parse_json(
      R"({"event_name": "e", "t": "2025-01-01T00:00:00Z", "s": "x", "ps": [], "source": "test", "domain": "UI", "desc": "d"})");
  const std::pair<int, const char*> forms[] = {
      {1388, "DESCRIBE PRIMER"},
      {1389, R"(FIND(?t.name) WHERE { ?t {type: "$ConceptType"} } ORDER BY ?t.name ASC LIMIT 50)"},
      {1390,
       R"(FIND(?p.name) WHERE { ?p {type: "$PropositionType"} } ORDER BY ?p.name ASC LIMIT 50)"},
      {1391,
       R"(FIND(?p.name, ?p.attributes.person_class, ?p.attributes.handle) WHERE { ?p {type: "Person"} } LIMIT 20)"},
      {1392,
       R"(FIND(?p.name) WHERE { ?p {type: "Person"} FILTER(?p.attributes.person_class == "AI") } LIMIT 20)"},
      {1393,
       R"(UPSERT { CONCEPT ?e { {type:"Event", name: :event_name} SET ATTRIBUTES { event_class:"Conversation", start_time: :t, content_summary: :s, participants: :ps } } })"},
      {1394,
       R"(DELETE PROPOSITIONS ?link WHERE { ?link (?s, ?p, ?o) FILTER(?link.metadata.source == :source) })"},
      {1395,
       R"(UPSERT { CONCEPT ?d { {type:"Domain", name: :domain} SET ATTRIBUTES { description: :desc } } })"},
      {1396,
       R"(FIND(?n.name) WHERE { (?n, "belongs_to_domain", {type:"Domain", name: :domain}) } LIMIT 50)"},
      {1490, R"(FIND(?e.name) WHERE { (?e, "consolidated_to", {name: "old-pref"}) })"},
      {1493,
       R"(FIND(?x.name) WHERE { ({type: "Event", name: "ev3"}, "consolidated_to"{1,3}, ?x) })"},
      {1494,
       R"(FIND(?x.name) WHERE { ({type: "Event", name: "ev3"}, "consolidated_to" | "mentions", ?x) })"},
      {1583, R"(DELETE CONCEPT ?node DETACH WHERE { ?node {name: "BadData"} })"},
      {1584, R"(DELETE PROPOSITIONS ?link WHERE { ?link (?s, "mentions", ?o) })"},
      {1585, R"(DELETE ATTRIBUTES {"temp_id"} FROM ?n WHERE { ?n {type: "Event"} })"},
      {1586, R"(DELETE METADATA {"old_source"} FROM ?n WHERE { ?n {type: "Event"} })"},
      {1599, R"(DESCRIBE DOMAINS)"},
      {1600, R"(DESCRIBE CONCEPT TYPE "Event")"},
      {1601, R"(DESCRIBE PROPOSITION TYPE "mentions")"},
      {1602, R"(SEARCH CONCEPT "dark" WITH TYPE "Event" LIMIT 3)"},
      {1603, R"(SEARCH PROPOSITION "mentions" LIMIT 3)"},
  };
  for (const auto& [line, text] : forms) {
    const Json answer = engine_->execute(text, parameters);
    EXPECT_EQ(answer.find("error"), nullptr) << "line " << line << ": " << answer.dump();
  }
}

}  // namespace
}  // namespace anima::kip
