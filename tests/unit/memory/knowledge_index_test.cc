// Governance table rows 74-76 and the vector of specification 1.8.
#include "memory/knowledge_index.h"

#include <gtest/gtest.h>

namespace anima::memory {
namespace {

constexpr const char* kA = "kelly criterion optimises growth of wealth";
constexpr const char* kB = "growth of plants needs water and light";
constexpr const char* kC = "ed25519 signatures protect messages";

TEST(KnowledgeIndex, RawRuleGivesTheFiguresOfTheSpecification) {
  KnowledgeIndex index(IdfRule::kRaw);
  const std::string a = index.add(kA);
  const std::string b = index.add(kB);
  index.add(kC);
  const auto growth = index.search({.text = "kelly growth"});
  ASSERT_EQ(growth.size(), 2u);
  EXPECT_EQ(growth[0].document->id, a);
  EXPECT_NEAR(growth[0].score, 0.5241, 0.00005);
  EXPECT_EQ(growth[1].document->id, b);
  EXPECT_NEAR(growth[1].score, 0.0628, 0.00005);
  const auto water = index.search({.text = "water"});
  ASSERT_EQ(water.size(), 1u);
  EXPECT_NEAR(water[0].score, 0.4917, 0.00005);
}

TEST(KnowledgeIndex, Row74Rank) {
  KnowledgeIndex index;
  const std::string a = index.add(kA);
  const std::string b = index.add(kB);
  index.add(kC);
  const auto hits = index.search({.text = "kelly growth"});
  ASSERT_EQ(hits.size(), 2u);
  EXPECT_EQ(hits[0].document->id, a);
  EXPECT_EQ(hits[1].document->id, b);
}

TEST(KnowledgeIndex, Row75SameContentSameId) {
  KnowledgeIndex index;
  EXPECT_EQ(index.add(kA), index.add(kA));
  EXPECT_EQ(index.size(), 1u);
}

TEST(KnowledgeIndex, Row76OneDocumentIsFound) {
  KnowledgeIndex index;
  index.add(kA);
  EXPECT_EQ(index.search({.text = "wealth"}).size(), 1u);
}

TEST(KnowledgeIndex, FiltersAndRemoval) {
  KnowledgeIndex index;
  const std::string a = index.add(kA, "finance", "book");
  index.add(kB, "botany", "book");
  EXPECT_EQ(index.search({.text = "growth", .domain = "botany"}).size(), 1u);
  EXPECT_TRUE(index.search({.text = "growth", .source = "web"}).empty());
  EXPECT_TRUE(index.remove(a));
  EXPECT_FALSE(index.remove(a));
  EXPECT_TRUE(index.search({.text = "kelly"}).empty());
}

}  // namespace
}  // namespace anima::memory
