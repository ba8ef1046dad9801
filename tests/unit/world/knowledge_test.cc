// The oracle's entries in a space: asked by KIP, with author and trust, the same for the same
// world, and never ahead of the world's state.
#include "world/daemons/knowledge.h"

#include <gtest/gtest.h>

#include "base/json/message_pack_fields.h"
#include "kip/engine.h"
#include "support/small_world.h"
#include "world/state_store.h"
#include "world/symbolic_mind.h"
#include "world/world.h"

namespace anima::world::knowledge_test {
namespace {

class KnowledgeTest : public ::testing::Test {
 protected:
  std::unique_ptr<World> open(const std::string& name) {
    auto world = World::open(system_files(), options(name), mind_, dice_);
    EXPECT_TRUE(world.has_value()) << world.error().describe();
    return world ? *std::move(world) : nullptr;
  }
  WorldOptions options(const std::string& name) const {
    WorldOptions options;
    options.folder = folder_.file(name);
    options.seed = 7;
    return options;
  }
  static void run(World& world, std::uint64_t cycles) {
    while (world.cycle() < cycles) {
      const Status done = world.run_cycle();
      ASSERT_TRUE(done.has_value()) << done.error().describe();
    }
  }

  // As somebody else at the same space: `anima kip --space NAME/knowledge`.
  Json kip(const std::string& name, std::string_view command, bool write = false,
           store::Trust trust = store::Trust::kOperator) {
    auto space = store::Space::open(folder_.file(name + "/knowledge"));
    EXPECT_TRUE(space.has_value());
    auto engine = kip::Engine::open(*space);
    EXPECT_TRUE(engine.has_value());
    kip::Caller caller;
    caller.origin = {"ada", "a terminal", trust};
    caller.readonly = !write;
    const Json response = (*engine)->execute(command, Json::object(), caller);
    EXPECT_FALSE(kip::has_error(response)) << response.dump();
    const Json* result = response.find("result");
    return result == nullptr ? Json() : *result;
  }
  Json all(const std::string& name) {
    return Json::array({kip(name,
                            "FIND(?a.name, ?e.name, ?e.attributes) WHERE { (?a, \"wrote\", ?e) } "
                            "ORDER BY ?e.name ASC"),
                        kip(name,
                            "FIND(?a.name, ?e.name, ?l.attributes, ?l.metadata._author) WHERE { "
                            "?l (?a, \"judged\", ?e) } ORDER BY ?a.name ASC, ?e.name ASC")});
  }

  TemporaryDirectory folder_;
  SymbolicMind mind_;
  SystemRandom dice_;
};

TEST_F(KnowledgeTest, AWorldsKnowledgeCanBeAskedWithAuthorAndTrust) {
  run(*open("a"), 3);
  const Json entries = kip("a",
                           "FIND(?e.attributes.title, ?e.attributes.accuracy, "
                           "?l.metadata._author, ?l.metadata._source, ?l.metadata._trust, "
                           "?a.name) WHERE { ?l (?a, \"wrote\", ?e) }");
  ASSERT_EQ(entries.as_array().size(), 6U) << entries.dump();
  const std::size_t count = entries.as_array()[0].as_array().size();
  ASSERT_GT(count, 3U);
  bool cited_cycle = false;
  for (std::size_t i = 0; i < count; ++i) {
    const auto at = [&](std::size_t column) { return entries.as_array()[column].as_array()[i]; };
    EXPECT_EQ(at(2).as_string(), at(5).as_string()) << "written in the name of its author";
    EXPECT_TRUE(at(3).as_string().starts_with("world cycle ")) << at(3).dump();
    cited_cycle = cited_cycle || at(3).as_string() == "world cycle 2";
    const bool genesis = at(0).as_string() == "Genesis";
    EXPECT_EQ(at(4).as_integer() == 5, genesis) << "only the oracle is trusted as the system";
  }
  EXPECT_TRUE(cited_cycle);
  const Json judged = kip("a",
                          "FIND(COUNT(?l), MAX(?l.attributes.value)) WHERE { "
                          "?l (?a, \"judged\", ?e) }");
  EXPECT_GT(judged.as_array()[0].as_integer(), 3) << judged.dump();
}

TEST_F(KnowledgeTest, TheSameWorldHasTheSameKnowledgeAlsoAfterKills) {
  {
    const auto whole = open("a");
    run(*whole, 3);
    for (int kill = 0; kill < 3; ++kill) {
      // Written when a cycle ends; what is killed then is a world whose state is older.
      const auto world = open("b");
      run(*world, static_cast<std::uint64_t>(kill == 0 ? 1 : kill));
      for (int tick = 0; tick < 100; ++tick) ASSERT_TRUE(world->run_tick());
    }
    const auto world = open("b");
    run(*world, 3);
    EXPECT_EQ(world->world_hash(), whole->world_hash());
  }
  EXPECT_EQ(all("a").dump(), all("b").dump());
}

// The moment between the two: the space has the cycle, the state has not.
TEST_F(KnowledgeTest, WhatTheStateDoesNotCountIsUndone) {
  Digest whole{};
  {
    const auto world = open("a");
    run(*world, 3);
    whole = world->world_hash();
  }
  run(*open("b"), 1);
  const std::string kept = *read_file(system_files(), folder_.file("b/world.db"));
  for (int again = 0; again < 3; ++again) {
    run(*open("b"), 2);
    ASSERT_TRUE(replace_file(system_files(), folder_.file("b/world.db"), kept));
  }
  {
    const auto world = open("b");
    EXPECT_EQ(world->cycle(), 1U);
    run(*world, 3);
    EXPECT_EQ(world->world_hash(), whole);
  }
  EXPECT_EQ(all("a").dump(), all("b").dump());
}

TEST_F(KnowledgeTest, OthersMayAddAndMayNotChange) {
  run(*open("a"), 1);
  const std::string kept = *read_file(system_files(), folder_.file("a/world.db"));
  run(*open("a"), 2);
  kip("a",
      R"(UPSERT { CONCEPT { {type: "Person", name: "Ada"} SET ATTRIBUTES {person_class: "Human"} } })",
      true);
  ASSERT_TRUE(replace_file(system_files(), folder_.file("a/world.db"), kept));
  run(*open("a"), 3);
  EXPECT_EQ(kip("a", R"(FIND(?p.name) WHERE { ?p {type: "Person", name: "Ada"} })").dump(),
            R"(["Ada"])")
      << "what another wrote behind the state stays";
  // Who is trusted less changes nothing of what the oracle said.
  constexpr std::string_view kChange =
      R"(UPDATE ?e SET ATTRIBUTES {accuracy: 0.125} WHERE { ?e {type: "Entry"} })";
  kip("a", kChange, true);
  EXPECT_TRUE(World::open(system_files(), options("a"), mind_, dice_).has_value());
  kip("a", kChange, true, store::Trust::kSystem);
  const auto changed = World::open(system_files(), options("a"), mind_, dice_);
  ASSERT_FALSE(changed.has_value());
  EXPECT_EQ(changed.error().code, ErrorCode::kCorrupt);
  EXPECT_NE(changed.error().message.find("knowledge"), std::string::npos);
  ASSERT_TRUE(remove_tree(system_files(), folder_.file("a/knowledge")));
  const auto lost = World::open(system_files(), options("a"), mind_, dice_);
  ASSERT_FALSE(lost.has_value());
  EXPECT_EQ(lost.error().code, ErrorCode::kCorrupt) << lost.error().describe();
}

// A world of a program that kept the entries in its state goes on, and its entries move.
TEST_F(KnowledgeTest, AnOlderWorldMovesItsEntries) {
  Digest whole{};
  {
    const auto world = open("a");
    run(*world, 3);
    whole = world->world_hash();
  }
  run(*open("b"), 2);
  {
    auto space = Knowledge::open(folder_.file("b/knowledge"), "secret");
    ASSERT_TRUE(space.has_value());
    const auto entries = (*space)->read();
    ASSERT_TRUE(entries.has_value()) << entries.error().describe();
    const auto store = open_sqlite_state(folder_.file("b/world.db"));
    ASSERT_TRUE((*store)->begin());
    ASSERT_TRUE(
        (*store)->save_part("daemon.Oracle", body_of({{"entries", pack(*entries)}}).encode()));
    ASSERT_TRUE((*store)->commit());
  }
  ASSERT_TRUE(remove_tree(system_files(), folder_.file("b/knowledge")));
  {
    const auto world = open("b");
    run(*world, 3);
    EXPECT_EQ(world->world_hash(), whole);
  }
  EXPECT_EQ(all("a").as_array()[0].as_array()[1].dump(),
            all("b").as_array()[0].as_array()[1].dump());
}

TEST_F(KnowledgeTest, RefusesWhatCannotBeKept) {
  test::SmallWorld small(mind_);
  const Identity author = identity_from_seed(sha256("AGENT:0"));
  ASSERT_TRUE(small.runtime->spawn(author, seed_genome(0), 100));
  small.begin_cycle(1);
  std::uint64_t sequence = 1000;
  const auto ask = [&](Message type, const MessagePack& body) {
    const auto frame = encode_envelope(author, {static_cast<std::uint16_t>(type), small.oracle.id(),
                                                small.realm.tick, ++sequence, body.encode()});
    const auto answer = small.oracle.receive(frame->bytes);
    ReplayGuard fresh;
    const Opened opened = open_envelope(*answer, author.id, small.keys(), fresh);
    return *decode_message_pack(opened.envelope->body);
  };
  const auto category = [&](Message type, const MessagePack& body) {
    const MessagePack said = ask(type, body);
    const MessagePack* found = said.find("category");
    return found == nullptr ? std::string("good") : *found->text();
  };
  EXPECT_EQ(category(Message::kEntryPublish, body_of({{"title", "a"}, {"body", "b\xff"}})),
            "InvalidRequest");
  const MessagePack said =
      ask(Message::kEntryPublish, body_of({{"title", "a"}, {"body", std::string(700'000, 'b')}}));
  const MessagePack* id = said.find("entry_id");
  ASSERT_NE(id, nullptr);
  const auto update = [&](std::string body) {
    return category(Message::kEntryUpdate,
                    body_of({{"entry_id", *id}, {"new_body", std::move(body)}}));
  };
  EXPECT_EQ(update("\xc3"), "InvalidRequest");
  for (int version = 2; version <= 5; ++version)
    EXPECT_EQ(update(std::string(800'000, 'c')), "good") << version;
  EXPECT_EQ(update(std::string(800'000, 'd')), "QuotaExceeded") << "more than 4 MiB together";
  EXPECT_EQ(small.oracle.entries().size(), 1U);
}

}  // namespace
}  // namespace anima::world::knowledge_test
