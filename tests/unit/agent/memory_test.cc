// Rows W1-W4 and W6, and the worked numbers of consolidation.
#include <gtest/gtest.h>

#include "agent/mind/working_memory.h"

namespace anima::agent {
namespace {

MemoryEntry entry(double relevance, std::string content = "x") {
  MemoryEntry made;
  made.relevance = relevance;
  made.content = std::move(content);
  return made;
}

TEST(WorkingMemory, W1_FullMemoryEvictsLeastRelevantOldestFirst) {
  WorkingMemory memory(100);
  for (int i = 0; i < 100; ++i) {
    EXPECT_FALSE(memory.push(entry(i == 10 || i == 20 ? 0.1 : 0.6, std::to_string(i))));
  }
  const auto evicted = memory.push(entry(0.9));
  ASSERT_TRUE(evicted.has_value());
  EXPECT_EQ(evicted->content, "10");
  EXPECT_EQ(memory.size(), 100U);
  EXPECT_EQ(memory.push(entry(0.9))->content, "20");
}

TEST(WorkingMemory, W2_Pressure) {
  WorkingMemory memory(100);
  for (int i = 0; i < 50; ++i) memory.push(entry(0.5));
  EXPECT_NEAR(memory.pressure(), 0.5, 1e-12);
  EXPECT_EQ(WorkingMemory(0).pressure(), 1.0);
}

TEST(WorkingMemory, RecentAreTheHighestIds) {
  WorkingMemory memory(10);
  for (int i = 0; i < 4; ++i) memory.push(entry(0.5));
  EXPECT_EQ(memory.recent(2), (std::vector<std::uint64_t>{4, 3}));
}

GraphView view(double goal, double degree) {
  return {[goal](const auto&) { return goal; }, [degree](const auto&) { return degree; }};
}

TEST(WorkingMemory, W3_ScoreAndThreshold) {
  MemoryEntry without_symbols = entry(0.5);
  EXPECT_NEAR(consolidation_score(without_symbols, 1, view(1.0, 0)).total(), 0.70, 1e-12);
  EXPECT_NEAR(consolidation_score(without_symbols, 1, view(0.0, 0)).total(), 0.30, 1e-12);
  MemoryEntry novel = entry(0.5);
  novel.symbols = {store::EntityId{5}};
  EXPECT_NEAR(consolidation_score(novel, 1, view(0.0, 0)).total(), 0.45, 1e-12);
  EXPECT_NEAR(consolidation_score(novel, 1, view(0.0, 5)).novelty, 0.5, 1e-12);

  WorkingMemory memory(10);
  memory.push(novel);
  memory.push(without_symbols);
  const GraphView by_symbols{[](const auto& symbols) { return symbols.empty() ? 1.0 : 0.0; },
                             [](const auto&) { return 0.0; }};
  std::vector<double> persisted;
  const auto outcome = memory.consolidate(1, by_symbols, [&](const auto&, const auto& score) {
    persisted.push_back(score.total());
    return true;
  });
  EXPECT_EQ(outcome.persisted, 1U);
  EXPECT_EQ(outcome.evicted, 1U);
  EXPECT_EQ(memory.size(), 0U);
  ASSERT_EQ(persisted.size(), 1U);
  EXPECT_NEAR(persisted[0], 0.70, 1e-12);
}

TEST(WorkingMemory, FailedPersistStays) {
  WorkingMemory memory(10);
  memory.push(entry(0.5));
  const auto outcome =
      memory.consolidate(1, view(1.0, 0), [](const auto&, const auto&) { return false; });
  EXPECT_EQ(outcome.kept, 1U);
  EXPECT_EQ(memory.size(), 1U);
}

TEST(WorkingMemory, ActivationOfAccesses) {
  MemoryEntry accessed = entry(0.5);
  accessed.access_cycles = {1, 1, 1};
  EXPECT_NEAR(activation(accessed, 2), 0.75, 1e-12);  // sigmoid(ln 3)
  accessed.access_cycles = {1};
  EXPECT_NEAR(activation(accessed, 5), 1.0 / 3.0, 1e-12);  // sigmoid(ln 1/2)
}

TEST(WorkingMemory, W4_ConsolidationIsDueAtEighty) {
  WorkingMemory memory(100);
  for (int i = 0; i < 79; ++i) memory.push(entry(0.5));
  EXPECT_FALSE(memory.consolidation_due());
  memory.push(entry(0.5));
  EXPECT_TRUE(memory.consolidation_due());
}

TEST(WorkingMemory, W6_CutsOnCharacterBoundaries) {
  std::string text(79, 'a');
  text += "€€";  // three bytes each
  EXPECT_EQ(cut_characters(text, kSummaryCharacters), text.substr(0, 82));
  EXPECT_EQ(cut_text(text, 80), text.substr(0, 79));
  EXPECT_EQ(cut_text(text, 82), text.substr(0, 82));
  EXPECT_EQ(cut_text("abc", 80), "abc");
}

TEST(WorkingMemory, StoredAndReadBack) {
  WorkingMemory memory(10);
  MemoryEntry full = entry(0.7, "a \"b\"");
  full.kind = EntryKind::kToolResult;
  full.symbols = {store::EntityId{7}, store::EntityId{9}};
  full.tool = "kg_query";
  full.goal = store::EntityId{7};
  full.success = true;
  full.access_cycles = {1, 2};
  full.reference_count = 2;
  full.time.microseconds = 1'700'000'000'000'000;
  full.findings.push_back({tools::FindingKind::kTriple, "Earth", "orbits", "Sun", "", 0.95, 0, 0});
  memory.push(full);
  memory.push(entry(0.5));
  const auto json = parse_json(memory.to_json().dump());
  ASSERT_TRUE(json.has_value());
  const auto read = WorkingMemory::from_json(*json, 10);
  ASSERT_TRUE(read.has_value()) << read.error().describe();
  EXPECT_EQ(*read, memory);
}

}  // namespace
}  // namespace anima::agent
