#include "anima/memory.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "base/files/file.h"

namespace anima {
namespace {

constexpr const char* kTellAda = R"(UPSERT { CONCEPT { {type: "Person", name: :name} } })";
constexpr const char* kAskPeople =
    R"(FIND(?p.name) WHERE { ?p {type: "Person"} FILTER(?p.name == :name) })";

std::size_t people(Memory& memory, std::string_view name) {
  const Json answer = memory.kip(kAskPeople, Json::object({{"name", name}}));
  const Json* result = answer.find("result");
  EXPECT_NE(result, nullptr) << answer.dump();
  return result != nullptr && result->is_array() ? result->as_array().size() : 0;
}

TEST(Memory, IsToldAskedAndUndone) {
  Memory memory = Memory::in_memory().value();
  const std::uint64_t before = memory.newest_entry().value();
  const Json told = memory.kip(kTellAda, Json::object({{"name", "Ada"}}), {"ann", "a letter"});
  EXPECT_NE(told.find("result"), nullptr) << told.dump();
  EXPECT_EQ(people(memory, "Ada"), 1U);
  EXPECT_EQ(memory.newest_entry().value(), before + 1);
  EXPECT_TRUE(memory.undo(before + 1, before + 1));
  EXPECT_EQ(people(memory, "Ada"), 0U);
  EXPECT_TRUE(memory.verify());
  EXPECT_EQ(memory.undo(before + 90, before + 91).error().code, ErrorCode::kInvalidArgument);
}

TEST(Memory, RefusesToWriteWhenReadOnly) {
  Memory memory = Memory::in_memory().value();
  const Json refused = memory.execute_kip_readonly(
      Json::object({{"command", kTellAda}, {"parameters", Json::object({{"name", "Ada"}})}}));
  EXPECT_NE(refused.find("error"), nullptr) << refused.dump();
  EXPECT_EQ(people(memory, "Ada"), 0U);
}

TEST(Memory, StaysOnDiskAndIsCopied) {
  const TemporaryDirectory folder;
  {
    Memory memory = Memory::open(folder.file("space"), {.create = true}).value();
    memory.kip(kTellAda, Json::object({{"name", "Ada"}}));
  }
  Memory again = Memory::open(folder.file("space")).value();
  Memory copy = again;
  EXPECT_EQ(people(copy, "Ada"), 1U);
  ASSERT_TRUE(again.backup(folder.file("copy.anima")));
  EXPECT_EQ(again.backup(folder.file("copy.anima")).error().code, ErrorCode::kAlreadyExists);
  EXPECT_FALSE(Memory::open("/proc/no/such/place", {.create = true}));
}

TEST(Memory, MakesNoFolderWhereNoneIsWanted) {
  const TemporaryDirectory folder;
  const std::string typo = folder.file("spcae"), space = folder.file("space");
  EXPECT_EQ(Memory::open(typo).error().code, ErrorCode::kNotFound);
  EXPECT_NE(Memory::open(typo).error().hint.find("create"), std::string::npos);
  EXPECT_EQ(Memory::open(typo, {.read_only = true}).error().code, ErrorCode::kNotFound);
  EXPECT_FALSE(std::filesystem::exists(typo));
  {
    Memory memory = Memory::open(space, {.create = true}).value();
    memory.kip(kTellAda, Json::object({{"name", "Ada"}}));
  }
  Memory again = Memory::open(space).value();
  EXPECT_EQ(people(again, "Ada"), 1U);
  Memory read = Memory::open(space, {.read_only = true}).value();
  EXPECT_EQ(people(read, "Ada"), 1U);
  const std::uint64_t newest = read.newest_entry().value();
  const Json refused = read.kip(kTellAda, Json::object({{"name", "Bo"}}));
  EXPECT_NE(refused.find("error"), nullptr) << refused.dump();
  EXPECT_EQ(read.sparql_update("INSERT DATA { <urn:a> <urn:p> 1 }").error().code,
            ErrorCode::kDenied);
  EXPECT_EQ(read.newest_entry().value(), newest);
}

TEST(Memory, GivesTheResultOfAnAnswerOrItsError) {
  Memory memory = Memory::in_memory().value();
  const Json told = memory.kip(kTellAda, Json::object({{"name", "Ada"}}));
  EXPECT_EQ(Memory::result_of(told).value(), *told.find("result"));
  const Error error = Memory::result_of(memory.kip("FIND(?p WHERE")).error();
  EXPECT_EQ(error.code, ErrorCode::kSyntax);
  EXPECT_FALSE(error.where.empty());
  const Json two = memory.kip(R"(FIND(?p) WHERE { ?p {type: "Person"} }
                                 FIND(?p) WHERE { ?p {type: "Nobody"} })");
  EXPECT_EQ(Memory::result_of(two).error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(
      Memory::result_of(Json::object({{"result", Json::array({Json::object({{"error", 5}})})}}))
          .value()
          .as_array()
          .size(),
      1U);
}

const Author kAda{"ada", "", TrustLevel::kOperator};

TEST(Memory, SpeaksSparql) {
  Memory memory = Memory::in_memory().value();
  const RdfText text{"<urn:a> <urn:p> <urn:b> , 5 , \"x\"@en .", "turtle", {}, {}};
  EXPECT_EQ(memory.import_rdf(text, kAda).value(), 3u);
  const SparqlAnswer answer =
      memory.sparql("SELECT ?o ?nothing { <urn:a> <urn:p> ?o } ORDER BY ?o").value();
  ASSERT_EQ(answer.size(), 3u);
  EXPECT_EQ(answer.variables(), (std::vector<std::string>{"o", "nothing"}));
  std::vector<std::string> terms;
  for (const auto& row : answer) {
    terms.push_back(row["o"].to_string());
    EXPECT_FALSE(row["nothing"]);
    EXPECT_FALSE(row["no such variable"]);
    EXPECT_FALSE(row[7]);
  }
  EXPECT_EQ(terms,
            (std::vector<std::string>{
                "<urn:b>", "\"5\"^^<http://www.w3.org/2001/XMLSchema#integer>", "\"x\"@en"}));
  EXPECT_EQ(answer[1]["o"].datatype, "http://www.w3.org/2001/XMLSchema#integer");
  EXPECT_EQ(answer[2]["o"].language, "en");
  EXPECT_EQ(answer.text("csv").value(), "o,nothing\r\nurn:b,\r\n5,\r\nx,\r\n");
  EXPECT_EQ(answer.text("turtle").error().code, ErrorCode::kInvalidArgument);
  EXPECT_TRUE(memory.sparql("ASK { ?s ?p 5 }")->truth());
  EXPECT_EQ(memory.sparql("SELECT * { ?s ?p }").error().where, "1:18");
}

TEST(Memory, BuildsTriplesAndLooksBack) {
  Memory memory = Memory::in_memory().value();
  const SparqlChange first =
      memory
          .sparql_update("INSERT DATA { <urn:a> <urn:p> 1 . GRAPH <urn:g> { <urn:a> <urn:p> 2 } }",
                         kAda)
          .value();
  EXPECT_EQ(first.inserted, 2u);
  const View before = memory.view().value();
  const SparqlChange second = memory.sparql_update("DELETE WHERE { ?s ?p 1 }", kAda).value();
  EXPECT_EQ(second.deleted, 1u);
  EXPECT_EQ(second.entry, first.entry + 1);
  EXPECT_EQ(memory.sparql_update("DELETE WHERE { ?s ?p 1 }", kAda)->entry, 0u);
  const std::string query = "CONSTRUCT WHERE { ?s <urn:p> ?o }";
  EXPECT_TRUE(memory.sparql(query)->empty());
  const SparqlAnswer then = before.sparql(query).value();
  EXPECT_EQ(then.form(), SparqlAnswer::Form::kTriples);
  ASSERT_EQ(then.size(), 1u);
  EXPECT_EQ(then[0]["subject"].text, "urn:a");
  EXPECT_EQ(then.text("ntriples").value(),
            "<urn:a> <urn:p> \"1\"^^<http://www.w3.org/2001/XMLSchema#integer> .\n");
  EXPECT_EQ(memory.sparql(query, {.default_graphs = {"urn:g"}})->size(), 1u);
  EXPECT_TRUE(memory.undo(second.entry, second.entry, {}, kAda));
  EXPECT_EQ(memory.sparql(query)->size(), 1u);
}

TEST(Memory, EndsSparqlInTime) {
  Memory memory = Memory::in_memory().value();
  const std::string endless =
      "SELECT (COUNT(*) AS ?n) { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i . ?j ?k ?l FILTER(?a < ?l) }";
  const auto late = memory.sparql(endless, {.limits = {.time = std::chrono::milliseconds(20)}});
  EXPECT_EQ(late.error().code, ErrorCode::kTimeout);
  std::stop_source stop;
  stop.request_stop();
  const auto ended = memory.sparql(endless, {.limits = {.stop = stop.get_token()}});
  EXPECT_EQ(ended.error().code, ErrorCode::kCancelled);
  EXPECT_EQ(memory.import_rdf({"", "csv", {}, {}}).error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(memory.import_rdf({"<urn:a> <urn:p> .", "turtle", {}, {}}).error().code,
            ErrorCode::kSyntax);
  EXPECT_EQ(memory.sparql("SELECT * { SERVICE <urn:x> { ?s ?p ?o } }").error().code,
            ErrorCode::kUnsupported);
}

}  // namespace
}  // namespace anima
