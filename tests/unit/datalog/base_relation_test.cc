// Facts that lie elsewhere: joined, negated, grouped, hidden and replaced as if they were the
// engine's own.
#include "datalog/base_relation.h"

#include <algorithm>
#include <optional>
#include <set>

#include "unit/datalog/engine_fixture.h"
#include "unit/datalog/random_program.h"

namespace anima::datalog {
namespace {

// A set of rows, as a store's snapshot would be.
class Elsewhere : public BaseRelation {
 public:
  Elsewhere(std::uint32_t columns, std::set<std::vector<Code>> rows)
      : columns_(columns), rows_(std::move(rows)) {}

  std::uint32_t columns() const override { return columns_; }
  std::uint64_t rows() const override { return rows_.size(); }
  double fan_out(std::span<const std::uint32_t> columns) const override {
    return columns.size() == columns_ ? 1.0 : 2.0;
  }
  Status probe(std::span<const std::uint32_t> columns, std::span<const Code> keys,
               std::size_t count, Receiver& receiver) const override {
    std::vector<std::uint32_t> numbers;
    std::vector<Code> found;
    for (std::uint32_t k = 0; k < count; ++k) {
      for (const std::vector<Code>& row : rows_) {
        bool fits = true;
        for (std::size_t c = 0; c < columns.size(); ++c) {
          fits = fits && row[columns[c]] == keys[k * columns.size() + c];
        }
        if (!fits) continue;
        numbers.push_back(k);
        found.insert(found.end(), row.begin(), row.end());
      }
    }
    if (numbers.empty()) return {};
    return receiver.take(numbers.data(), found.data(), numbers.size());
  }
  Status contains(std::span<const Code> rows, std::size_t count,
                  std::uint8_t* answer) const override {
    for (std::size_t i = 0; i < count; ++i) {
      const auto row = rows.subspan(i * columns_, columns_);
      answer[i] = rows_.contains(std::vector<Code>(row.begin(), row.end())) ? 1 : 0;
    }
    return {};
  }

 private:
  std::uint32_t columns_;
  std::set<std::vector<Code>> rows_;
};

// An engine over bases, compared with fresh ones that have the same facts of their own: they never
// differ, whatever happens to either.
class Moving {
 public:
  Moving(std::uint32_t seed, int domain, const Thresholds& thresholds)
      : seed_(seed), random_(seed, domain) {
    for (int i = random_.pick(0, 25); i > 0; --i) elsewhere_.insert(random_.random_fact());
    World plain(random_.rules(), {}, base_of(random_));
    EXPECT_EQ(plain.error(), "");
    // Integers are inline codes, so those of one table serve another.
    EngineOptions options;
    options.thresholds = thresholds;
    for (const auto& p : random_.base()) {
      options.bases[plain.program().find(p.name)] =
          std::make_shared<Elsewhere>(p.arity, rows_of(plain, p.name));
    }
    world_.emplace(random_.rules(), std::move(options), base_of(random_));
    facts_ = elsewhere_;
  }

  void check(const std::string& what) {
    ASSERT_EQ(world_->error(), "");
    std::string text = random_.rules();
    for (const std::string& fact : facts_) text += fact + ".\n";
    World fresh(text, {}, base_of(random_));
    ASSERT_EQ(fresh.error(), "");
    for (const auto& p : random_.predicates()) {
      ASSERT_EQ(world_->ask(pattern(p)), fresh.ask(pattern(p))) << seed_ << ' ' << what << '\n'
                                                                << random_.rules();
      const PredicateId id = world_->program().find(p.name);
      ASSERT_EQ(world_->engine().snapshot()->count(id), fresh.engine().snapshot()->count(id))
          << p.name;
    }
  }

  void change_own_facts() {
    std::vector<std::string> steps;
    for (int i = random_.pick(1, 4); i > 0; --i) {
      const bool remove = !facts_.empty() && random_.pick(0, 1) == 0;
      auto it = facts_.begin();
      if (remove) std::advance(it, random_.pick(0, static_cast<int>(facts_.size()) - 1));
      const std::string fact = remove ? *it : random_.random_fact();
      steps.push_back((remove ? "-" : "+") + fact);
      if (remove) {
        facts_.erase(fact);
      } else {
        facts_.insert(fact);
      }
    }
    ASSERT_TRUE(world_->change(steps));
  }

  // What the line says itself stays said when the base moves on.
  void move_the_base() {
    std::set<std::string> next = elsewhere_;
    std::vector<Rebase> changes;
    for (const auto& p : random_.base()) {
      Rebase change;
      change.predicate = world_->program().find(p.name);
      changes.push_back(change);
    }
    for (int i = random_.pick(1, 4); i > 0; --i) {
      const std::string fact = random_.random_fact();
      // Rows that the line hides or holds itself are left alone here: who wins is tested by hand
      // below.
      const bool there = next.contains(fact);
      if (there != facts_.contains(fact) || there != elsewhere_.contains(fact)) continue;
      const GroundFact f = world_->fact(fact);
      Rebase& change = *std::ranges::find(changes, f.predicate, &Rebase::predicate);
      auto& codes = there ? change.deleted : change.inserted;
      codes.insert(codes.end(), f.codes.begin(), f.codes.end());
      if (there) {
        next.erase(fact);
        facts_.erase(fact);
      } else {
        next.insert(fact);
        facts_.insert(fact);
      }
    }
    elsewhere_ = next;
    for (std::size_t i = 0; i < changes.size(); ++i) {
      const RandomProgram::Predicate& p = random_.base()[i];
      changes[i].next = std::make_shared<Elsewhere>(p.arity, rows_of(*world_, p.name));
    }
    const auto moved = world_->engine().rebase(changes);
    ASSERT_TRUE(moved) << moved.error().describe();
  }

 private:
  std::set<std::vector<Code>> rows_of(World& world, const std::string& name) const {
    std::set<std::vector<Code>> rows;
    for (const std::string& text : elsewhere_) {
      const GroundFact f = world.fact(text);
      if (world.program().predicates[f.predicate].name == name) rows.insert(f.codes);
    }
    return rows;
  }

  std::uint32_t seed_;
  RandomProgram random_;
  std::set<std::string> elsewhere_, facts_;  // in the bases; all that are said
  std::optional<World> world_;
};

void run(std::uint32_t seed, int domain = 6, const Thresholds& thresholds = {}) {
  Moving moving(seed, domain, thresholds);
  moving.check("at first");
  for (int t = 0; t < 4 && !::testing::Test::HasFailure(); ++t) {
    moving.change_own_facts();
    moving.check("own facts");
    if (::testing::Test::HasFatalFailure()) return;
    moving.move_the_base();
    moving.check("the base moved");
  }
}

TEST(BaseRelations, EqualOwnFacts) {
  for (std::uint32_t seed = 1; seed <= 40; ++seed) {
    run(seed);
    if (::testing::Test::HasFatalFailure()) FAIL() << "seed " << seed;
  }
}

TEST(BaseRelations, BaseRelationsWithSmallThresholds) {
  for (std::uint32_t seed = 1; seed <= 40; ++seed) {
    run(seed, 5000, small_thresholds(seed));
    if (::testing::Test::HasFatalFailure()) FAIL() << "seed " << seed;
  }
}

TEST(BaseRelations, ForksHideAndProofsReachThem) {
  ValueTable scratch;
  const auto code = [&](int n) { return scratch.integer(n); };
  AnalysisOptions analysis;
  analysis.base = {{"e", 2}};
  World names("t(X,Y) :- e(X,Y). t(X,Z) :- t(X,Y), e(Y,Z).", {}, analysis);
  EngineOptions options;
  options.bases[names.program().find("e")] = std::make_shared<Elsewhere>(
      2, std::set<std::vector<Code>>{{code(1), code(2)}, {code(2), code(3)}});
  World world("t(X,Y) :- e(X,Y). t(X,Z) :- t(X,Y), e(Y,Z).", std::move(options), analysis);
  ASSERT_EQ(world.error(), "");
  EXPECT_EQ(world.ask("t(1,X)"), (Texts{"t(1,2)", "t(1,3)"}));
  auto fork = world.engine().fork();
  ASSERT_TRUE(fork->transact(world.transaction({"-e(2,3)", "+e(2,4)"})));
  EXPECT_EQ(world.ask(*fork, "t(1,X)"), (Texts{"t(1,2)", "t(1,4)"}));
  EXPECT_EQ(world.ask(*fork, "e(X,Y)"), (Texts{"e(1,2)", "e(2,4)"}));
  EXPECT_EQ(world.ask("e(X,Y)"), (Texts{"e(1,2)", "e(2,3)"}));
  const auto proof = world.engine().explain(world.program().find("t"), world.fact("t(1,3)").codes);
  ASSERT_TRUE(proof);
  EXPECT_NE(proof->text().find("e(2,3)  # given"), std::string::npos) << proof->text();
  const auto why = world.engine().why_not(world.query("t(3,1)"));
  ASSERT_TRUE(why);
  EXPECT_FALSE(why->holds);
  EXPECT_TRUE(world.engine().why_not(world.query("e(1,2)"))->holds);
}

// Answers while `there` is true.
class Distant final : public Elsewhere {
 public:
  using Elsewhere::Elsewhere;
  Status probe(std::span<const std::uint32_t> columns, std::span<const Code> keys,
               std::size_t count, Receiver& receiver) const override {
    if (!there) return fail(ErrorCode::kIo, "it does not answer");
    return Elsewhere::probe(columns, keys, count, receiver);
  }
  bool there = true;
};

TEST(BaseRelations, WhatCannotBeReadIsNotEmpty) {
  ValueTable scratch;
  AnalysisOptions analysis;
  analysis.base = {{"e", 2}};
  const std::string rules = "t(X,Y) :- e(X,Y).";
  World names(rules, {}, analysis);
  const PredicateId e = names.program().find("e");
  const auto distant = std::make_shared<Distant>(
      2, std::set<std::vector<Code>>{{scratch.integer(1), scratch.integer(2)}});
  EngineOptions options;
  options.bases[e] = distant;
  World world(rules, std::move(options), analysis);
  ASSERT_EQ(world.error(), "");
  const auto fork = world.engine().fork();
  const auto snapshot = world.engine().snapshot();
  for (const bool there : {true, false}) {
    distant->there = there;
    const Query query = world.query("e(1,X)");
    for (const Result<Rows>& rows :
         {snapshot->query(query), snapshot->all(e), fork->query(query)}) {
      ASSERT_EQ(rows.has_value(), there);
      EXPECT_EQ(there ? ErrorCode::kIo : rows.error().code, ErrorCode::kIo);
      EXPECT_EQ(there ? rows->count : 1, 1U);
    }
    EXPECT_EQ(snapshot->query(world.query("t(1,X)"))->count, 1U);  // derived: it lies here
  }
}

// Counts what is asked of it.
class Watched final : public Elsewhere {
 public:
  using Elsewhere::Elsewhere;
  double fan_out(std::span<const std::uint32_t>) const override { return 5.0; }
  Status probe(std::span<const std::uint32_t> columns, std::span<const Code> keys,
               std::size_t count, Receiver& receiver) const override {
    probed += count;
    return Elsewhere::probe(columns, keys, count, receiver);
  }
  Status contains(std::span<const Code> rows, std::size_t count,
                  std::uint8_t* answer) const override {
    tested += count;
    return Elsewhere::contains(rows, count, answer);
  }
  mutable std::size_t probed = 0;
  mutable std::size_t tested = 0;
};

// d, e and another predicate are given, and e lies elsewhere with e(1,1).
struct WatchedWorld {
  explicit WatchedWorld(const std::string& rule, const std::string& other) {
    AnalysisOptions analysis;
    analysis.base = {{"d", 1}, {"e", 2}, {other, 2}};
    World names(rule, {}, analysis);
    ValueTable scratch;
    base = std::make_shared<Watched>(
        2, std::set<std::vector<Code>>{{scratch.integer(1), scratch.integer(1)}});
    EngineOptions options;
    options.bases[names.program().find("e")] = base;
    world.emplace(rule, std::move(options), analysis);
  }
  std::shared_ptr<Watched> base;
  std::optional<World> world;
};

TEST(BaseRelations, AreNotAskedWhereNoRowHasTheConstantOfTheRule) {
  WatchedWorld watched("p(K,X) :- d(K), e(K,X), state(X,7).", "state");
  std::vector<std::string> facts;
  for (int i = 0; i < 1000; ++i) facts.push_back("+state(" + std::to_string(i) + ",0)");
  ASSERT_TRUE(watched.world->change(facts));
  ASSERT_TRUE(watched.world->change({"+d(1)"}));
  EXPECT_EQ(watched.base->probed, 0u);
  ASSERT_TRUE(watched.world->change({"+state(1,7)", "+d(2)"}));
  EXPECT_EQ(watched.world->ask("p(K,X)"), (Texts{"p(1,1)"}));
}

// The mean says two rows a key, but what comes is most often of the key that has 300.
TEST(BaseRelations, AreAskedBeforeAKeyThatManyRowsHaveIsWalked) {
  WatchedWorld watched("p(X) :- d(K), same(K,X), e(K,X).", "same");
  std::vector<std::string> facts;
  for (int i = 0; i < 300; ++i) {
    facts.push_back("+same(1," + std::to_string(i) + ")");
    facts.push_back("+same(" + std::to_string(1000 + i) + ",0)");
  }
  ASSERT_TRUE(watched.world->change(facts));
  watched.base->tested = 0;
  ASSERT_TRUE(watched.world->change({"+d(1)"}));
  EXPECT_EQ(watched.base->tested, 0u);
  EXPECT_EQ(watched.world->ask("p(X)"), (Texts{"p(1)"}));
}

}  // namespace
}  // namespace anima::datalog
