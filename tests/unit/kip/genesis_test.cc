// What a space holds from its first opening on, and how it gets there.
#include <gtest/gtest.h>

#include <thread>

#include "base/files/file.h"
#include "kip/engine.h"

namespace anima::kip {
namespace {

std::shared_ptr<store::Space> open_space(const std::string& folder) {
  store::SpaceOptions options;
  options.create = true;
  auto space = store::Space::open(folder, options);
  EXPECT_TRUE(space);
  return *space;
}

std::shared_ptr<Engine> open_engine(std::shared_ptr<store::Space> space) {
  auto engine = Engine::open(std::move(space));
  EXPECT_TRUE(engine) << engine.error().message;
  return *engine;
}

std::uint64_t entries(store::Space& space) {
  return static_cast<std::uint64_t>(space.log().head()->sequence);
}

std::string ask(Engine& engine, std::string_view command) {
  return engine.execute(command, Json(JsonObject{})).dump();
}

std::string code_of(const Json& answer) {
  const Json* error = answer.find("error");
  return error == nullptr ? answer.dump() : error->find("code")->as_string();
}

TEST(Genesis, IsOneEntryAndComesOnce) {
  const TemporaryDirectory folder;
  {
    const auto space = open_space(folder.path());
    const std::uint64_t before = entries(*space);
    open_engine(space);
    EXPECT_EQ(entries(*space), before + 1);
    open_engine(space);
    EXPECT_EQ(entries(*space), before + 1);
    const auto entry = space->log().entry(store::Sequence{before + 1});
    ASSERT_TRUE(entry);
    EXPECT_EQ(entry->origin.author, "$system");
    EXPECT_EQ(entry->origin.trust, store::Trust::kSystem);
  }
  const auto space = open_space(folder.path());
  const std::uint64_t before = entries(*space);
  open_engine(space);
  EXPECT_EQ(entries(*space), before);
}

// The specification's list of what a fresh engine holds, apart from Entity (DATA.md 4).
TEST(Genesis, HoldsWhatTheSpecificationLists) {
  const auto engine = open_engine(*store::Space::in_memory());
  EXPECT_EQ(ask(*engine, "DESCRIBE CONCEPT TYPES"),
            R"({"result":["$ConceptType","$PropositionType","Domain","Entity","Event","Person",)"
            R"("SleepTask"]})");
  EXPECT_EQ(ask(*engine, "DESCRIBE PROPOSITION TYPES"),
            R"({"result":["assigned_to","belongs_to_domain","consolidated_to","created_by",)"
            R"("derived_from","mentions","supersedes"]})");
  EXPECT_EQ(ask(*engine, "FIND(?d.name) WHERE { ?d {type: \"Domain\"} } ORDER BY ?d.name ASC"),
            R"({"result":["Archived","CoreSchema","Unsorted"]})");
  EXPECT_EQ(ask(*engine, "FIND(?p.name) WHERE { ?p {type: \"Person\"} } ORDER BY ?p.name ASC"),
            R"({"result":["$self","$system"]})");
  EXPECT_EQ(ask(*engine,
                "FIND(COUNT(?t)) WHERE { (?t, \"belongs_to_domain\", {type: \"Domain\", name: "
                "\"CoreSchema\"}) }"),
            R"({"result":14})");
}

// A space that was used before anybody spoke KIP to it keeps what it holds.
TEST(Genesis, ComesToASpaceThatWasInUse) {
  const auto space = *store::Space::in_memory();
  ASSERT_TRUE(space->write({}, [](store::Transaction& transaction) -> Status {
    ANIMA_ASSIGN(const store::EntityId person, transaction.upsert_type("Person"));
    ANIMA_TRY(transaction.upsert_concept(person, "Ada"));
    return {};
  }));
  const std::uint64_t before = entries(*space);
  const auto engine = open_engine(space);
  EXPECT_EQ(entries(*space), before + 1);
  EXPECT_EQ(ask(*engine, "FIND(?p.name) WHERE { ?p {type: \"Person\"} } ORDER BY ?p.name ASC"),
            R"({"result":["$self","$system","Ada"]})");
  EXPECT_NE(ask(*engine, "DESCRIBE CONCEPT TYPE \"Person\"").find("instance_schema"),
            std::string::npos);
}

TEST(Genesis, ManyFirstOpeningsAtOnceLoadItOnce) {
  const TemporaryDirectory folder;
  { open_space(folder.path()); }
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&folder] { open_engine(open_space(folder.path())); });
  for (std::thread& thread : threads) thread.join();
  const auto space = open_space(folder.path());
  std::size_t written = 0;
  ASSERT_TRUE(space->changes(store::Sequence::kNone, [&](const store::LogEntry& entry) -> Status {
    written += entry.origin.source == "SystemBootstrap" ? 1 : 0;
    return {};
  }));
  EXPECT_EQ(written, 1u);
}

TEST(Genesis, IsProtected) {
  const auto engine = open_engine(*store::Space::in_memory());
  const auto before = engine->space().snapshot().value().sequence();
  for (const char* command : {
           "DELETE CONCEPT ?x DETACH WHERE { ?x {type: \"$ConceptType\", name: \"$ConceptType\"} }",
           "DELETE CONCEPT ?x DETACH WHERE { ?x {type: \"$ConceptType\", name: "
           "\"$PropositionType\"} }",
           "DELETE CONCEPT ?x DETACH WHERE { ?x {type: \"$ConceptType\", name: \"Domain\"} }",
           "DELETE CONCEPT ?x DETACH WHERE { ?x {type: \"$PropositionType\", name: "
           "\"belongs_to_domain\"} }",
           "DELETE CONCEPT ?x DETACH WHERE { ?x {type: \"Domain\", name: \"CoreSchema\"} }",
           "DELETE CONCEPT ?x DETACH WHERE { ?x {type: \"Person\", name: \"$self\"} }",
           "DELETE CONCEPT ?x DETACH WHERE { ?x {type: \"Person\", name: \"$system\"} }",
           "DELETE ATTRIBUTES {\"core_directives\"} FROM ?x WHERE { ?x {name: \"$self\"} }",
           "UPDATE ?x SET ATTRIBUTES {core_directives: []} WHERE { ?x {name: \"$system\"} }",
           "UPSERT { CONCEPT { {type: \"$ConceptType\", name: \"$ConceptType\"} SET ATTRIBUTES "
           "{description: \"mine\"} } }",
           "MERGE CONCEPT ?a INTO ?b WHERE { ?a {type: \"Person\", name: \"$self\"} ?b {type: "
           "\"Person\", name: \"$system\"} }",
       }) {
    EXPECT_EQ(code_of(engine->execute(command, Json(JsonObject{}))), "KIP_3004") << command;
  }
  EXPECT_EQ(engine->space().snapshot().value().sequence(), before);
}

}  // namespace
}  // namespace anima::kip
