// Which of some 880 pairs of two things, and of 190 pairs of one thing, a cycle merges: in eight
// scripts and more, from tests/cases/sleep/duplicates.tsv.
#include <iostream>
#include <set>

#include "agent/telling/told_facts.h"
#include "base/files/file.h"
#include "base/text/text.h"
#include "memory/names.h"
#include "support/sleep_world.h"

namespace anima::sleep::duplicates_corpus_test {
namespace {

using test_support::SleepWorld;

struct Pair {
  bool same = false, perhaps = false, by_name = false;
  std::string what, type;
  std::string names[2];
  Json attributes[2];
};

std::vector<Pair> read_corpus() {
  const auto text = read_file(system_files(), ANIMA_SOURCE_DIR "/tests/cases/sleep/duplicates.tsv");
  EXPECT_TRUE(text.has_value());
  std::vector<Pair> pairs;
  for (const std::string_view line : split(*text, '\n')) {
    if (line.empty() || line.starts_with('#')) continue;
    const std::vector<std::string_view> columns = split(line, '\t');
    EXPECT_EQ(columns.size(), 7u) << line;
    Pair pair;
    pair.same = columns[0] == "same";
    pair.perhaps = columns[0] == "perhaps";
    pair.what = columns[1];
    pair.by_name = pair.what == "the name";
    pair.type = columns[2];
    for (std::size_t i = 0; i < 2; ++i) {
      pair.names[i] = parse_json(columns[3 + 2 * i])->as_string();
      pair.attributes[i] = parse_json(columns[4 + 2 * i]).value();
    }
    pairs.push_back(std::move(pair));
  }
  return pairs;
}

void tell(SleepWorld& world, const std::vector<Pair>& pairs) {
  std::set<std::string> types;
  for (const Pair& pair : pairs) types.insert(pair.type);
  for (const std::string& type : types) {
    world.tell(
        "UPSERT { CONCEPT { {type: \"$ConceptType\", name: :type} SET ATTRIBUTES {instance_schema: "
        "{staff_number: {type: \"number\", is_key: true}}} } }",
        Json::object({{"type", type}}));
  }
  for (const Pair& pair : pairs) {
    for (std::size_t i = 0; i < 2; ++i) {
      world.tell("UPSERT { CONCEPT { {type: :type, name: :name} SET ATTRIBUTES {seen: \"yes\"} } }",
                 Json::object({{"type", pair.type}, {"name", pair.names[i]}}));
      for (const JsonMember& member : pair.attributes[i].as_object()) {
        world.tell(
            "UPSERT { CONCEPT { {type: :type, name: :name} SET ATTRIBUTES {" + member.first +
                ": :value} } }",
            Json::object({{"type", pair.type}, {"name", pair.names[i]}, {"value", member.second}}));
      }
    }
  }
}

TEST(SleepDuplicates, MergeWhatIsTheSameAndNothingElse) {
  const std::vector<Pair> pairs = read_corpus();
  SleepWorld world;
  tell(world, pairs);
  Request request;
  request.phases = {6};
  ASSERT_TRUE(world.sleeper->run(request));
  const store::Snapshot now = world.space->snapshot().value();
  const auto there = [&](const Pair& pair, std::size_t i) {
    const auto type = now.find_type(pair.type);
    return type && now.find_concept(*type, pair.names[i]).has_value();
  };
  std::size_t near = 0, perhaps = 0, wrong = 0, keyed = 0, keyed_found = 0, named = 0,
              named_found = 0;
  for (const Pair& pair : pairs) {
    const bool merged = !there(pair, 0) || !there(pair, 1);
    if (!pair.same) {
      // What is one thing and only a person can tell counts as not found.
      (pair.perhaps ? perhaps : near) += 1;
      keyed += pair.perhaps ? 1 : 0;
      wrong += merged ? 1 : 0;
      EXPECT_FALSE(merged) << pair.what << ": " << pair.names[0] << " | " << pair.names[1];
      continue;
    }
    (pair.by_name ? named : keyed) += 1;
    (pair.by_name ? named_found : keyed_found) += merged ? 1 : 0;
    EXPECT_TRUE(there(pair, 0) || there(pair, 1)) << pair.names[0];
    if (!merged) std::cout << "not found: " << pair.names[0] << " | " << pair.names[1] << "\n";
  }
  EXPECT_EQ(near, 883u);
  EXPECT_EQ(perhaps, 13u);
  EXPECT_EQ(named + keyed, 192u);
  EXPECT_EQ(wrong, 0u);
  std::cout << keyed_found << " of " << keyed << " with an identity\n";
  EXPECT_GE(keyed_found * 10, keyed * 9) << "of those with an identity";
  EXPECT_EQ(named_found, named) << "of those with an equal name";
}

// What people told is of the space itself, as what they wrote; what a compartment brought is not.
TEST(SleepDuplicates, WhatWasToldIsMergedAsWhatWasWritten) {
  for (const bool brought : {false, true}) {
    SleepWorld world;
    agent::LastFacts last;
    agent::ToldFacts facts(world.space, system_files(), *world.clock, last);
    const std::pair<const char*, const char*> told[] = {{"I live in Oslo.", "Ada Lovelace"},
                                                        {"I work at Initech.", "ada lovelace"}};
    for (const auto& [text, speaker] : told) {
      memory::NewMemory item;
      item.content = text;
      item.speaker = item.created_by = speaker;
      item.source = "talk";
      item.trust = store::Trust::kOperator;
      const auto kept = facts.keep(item, nullptr, speaker);
      ASSERT_TRUE(kept) << kept.error().describe();
      ASSERT_FALSE(kept->stated.empty()) << kept->asks;
    }
    if (brought) {
      ASSERT_TRUE(world.space->write(
          {"tester", "pack", store::Trust::kOperator, store::Sequence::kNone},
          [](store::Transaction& transaction) -> Status {
            store::AssertOptions options;
            options.graph = transaction.graph(memory::compartment_graph("people"));
            ANIMA_ASSIGN(const auto type, transaction.upsert_type("Person", options));
            return transaction.upsert_concept(type, "ada lovelace", options)
                .map([](store::EntityId) {});
          }));
    }
    ASSERT_TRUE(world.sleeper->run(Request{}));
    const store::Snapshot now = world.space->snapshot().value();
    const auto type = now.find_type("Person");
    ASSERT_TRUE(type);
    const int there = (now.find_concept(*type, "Ada Lovelace") ? 1 : 0) +
                      (now.find_concept(*type, "ada lovelace") ? 1 : 0);
    EXPECT_EQ(there, brought ? 2 : 1);
  }
}

}  // namespace
}  // namespace anima::sleep::duplicates_corpus_test
