// Plans that are kept: the same text again says what is true then, in any thread.
#include "sparql/plan/prepared.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "sparql/engine.h"
#include "store/space.h"

namespace anima::sparql::prepared_test {
namespace {

std::vector<std::string> texts(Engine& engine, const std::string& query) {
  const auto answer = engine.query(query);
  if (!answer) return {answer.error().describe()};
  std::vector<std::string> found;
  for (std::size_t row = 0; row < answer->rows(); ++row) {
    RdfTerm term;
    std::string scratch;
    found.emplace_back(answer->cell(row, 0, &term, scratch) ? std::string(term.text) : "-");
  }
  return found;
}

class SparqlPrepared : public testing::Test {
 protected:
  void SetUp() override {
    space_ = *store::Space::in_memory();
    engine_ = *Engine::open(space_);
    change("INSERT DATA { <urn:x:a> <urn:x:knows> <urn:x:b> }");
  }
  void change(const std::string& update) {
    const auto report = engine_->update(update, {});
    ASSERT_TRUE(report) << report.error().describe();
  }

  std::shared_ptr<store::Space> space_;
  std::shared_ptr<Engine> engine_;
  using Texts = std::vector<std::string>;
};

TEST_F(SparqlPrepared, TheSameTextAgainSaysWhatIsTrueThen) {
  const std::string query = "SELECT ?o { <urn:x:a> <urn:x:knows> ?o } ORDER BY ?o";
  for (int i = 0; i < 3; ++i) EXPECT_EQ(texts(*engine_, query), (Texts{"urn:x:b"}));
  change("INSERT DATA { <urn:x:a> <urn:x:knows> <urn:x:c> }");
  for (int i = 0; i < 2; ++i) EXPECT_EQ(texts(*engine_, query), (Texts{"urn:x:b", "urn:x:c"}));
  change("DELETE DATA { <urn:x:a> <urn:x:knows> <urn:x:b> }");
  EXPECT_EQ(texts(*engine_, query), (Texts{"urn:x:c"}));
}

TEST_F(SparqlPrepared, ValuesThatNothingHoldsAreThereInEveryRun) {
  const std::string query =
      "SELECT ?t { VALUES ?v { \"a stranger\" } ?s <urn:x:knows> ?o BIND(CONCAT(?v, \"!\") AS ?t) "
      "}";
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int k = 0; k < 50; ++k) EXPECT_EQ(texts(*engine_, query), (Texts{"a stranger!"}));
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST_F(SparqlPrepared, WhatDependsOnTheMomentIsNotKept) {
  const auto keeps = [](const char* text) { return plan::PreparedQueries::may_keep(text); };
  EXPECT_TRUE(keeps("SELECT * { ?s <urn:x:knows> ?o }"));
  EXPECT_FALSE(keeps("SELECT (now () AS ?t) {}"));
  EXPECT_FALSE(keeps("SELECT (NOW # a remark\n() AS ?t) {}"));
  EXPECT_FALSE(keeps("SELECT (BNODE(?x) AS ?b) { VALUES ?x { 1 } }"));
  const std::string node = "SELECT (BNODE() AS ?b) {}";
  EXPECT_NE(texts(*engine_, node), texts(*engine_, node));
  const std::string random = "SELECT (STRUUID() AS ?u) {}";
  EXPECT_NE(texts(*engine_, random), texts(*engine_, random));
}

TEST_F(SparqlPrepared, OptionsTellTextsApart) {
  QueryOptions scoped;
  scoped.compartment = "science";
  const std::string query = "SELECT ?o { ?s <urn:x:knows> ?o }";
  EXPECT_EQ(texts(*engine_, query).size(), 1u);
  const auto answer = engine_->query(query, scoped);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->rows(), 0u);
  EXPECT_EQ(texts(*engine_, query).size(), 1u);
}

}  // namespace
}  // namespace anima::sparql::prepared_test
