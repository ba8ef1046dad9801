// Programs cut down to their queries answer them as before, and derive less.
#include "datalog/demand.h"

#include "unit/datalog/engine_fixture.h"
#include "unit/datalog/random_program.h"

namespace anima::datalog {
namespace {

std::unique_ptr<Engine> engine_of(Program program, const std::shared_ptr<ValueTable>& values,
                                  const Thresholds& thresholds = {}) {
  EngineOptions options;
  options.thresholds = thresholds;
  auto engine = Engine::create(std::make_shared<const Program>(std::move(program)), values,
                               std::move(options));
  EXPECT_TRUE(engine) << engine.error().describe();
  return engine ? std::move(*engine) : nullptr;
}

std::vector<std::string> texts(const Engine& engine, const Query& query) {
  const Rows rows = *engine.query(query);
  std::vector<std::string> out;
  for (std::size_t i = 0; i < rows.count; ++i) {
    out.push_back(
        print_fact(engine.program().predicates[query.predicate], rows.row(i), engine.values()));
  }
  return out;
}

TEST(Demand, DerivesWhatTheQueryCanReach) {
  auto values = std::make_shared<ValueTable>();
  std::string text =
      "reach(X, Y) :- edge(X, Y).\nreach(X, Z) :- edge(X, Y), reach(Y, Z).\n"
      "other(X, Y) :- edge(Y, X).\n";
  for (int i = 0; i < 200; ++i) {
    text += "edge(" + std::to_string(i) + "," + std::to_string(i + 1) + ").\n";
  }
  const auto program = compile(text, *values);
  ASSERT_TRUE(program);
  for (const char* atom : {"reach(190, X)", "reach(X, 5)", "reach(3, 7)", "reach(7, 3)"}) {
    const Query query = *compile_query(*program, atom, *values);
    auto demand = for_queries(*program, {query});
    ASSERT_TRUE(demand.has_value()) << atom;
    const auto whole = engine_of(*program, values);
    const Query asked = demand->queries.front();
    const auto part = engine_of(std::move(demand->program), values);
    EXPECT_EQ(texts(*part, asked), texts(*whole, query)) << atom;
    EXPECT_LT(part->stats().rows_derived, 2'000U) << atom;
    EXPECT_GT(whole->stats().rows_derived, 20'000U);
  }
}

TEST(Demand, LeavesProgramsAloneThatCouldFailElsewhere) {
  ValueTable values;
  const auto program =
      compile("p(X) :- q(X).\nr(Y) :- q(X), Y = fn:div(1, X).\nq(1). q(0).\n", values);
  ASSERT_TRUE(program);
  EXPECT_FALSE(for_queries(*program, {*compile_query(*program, "p(1)", values)}).has_value());
}

void answers_as_the_whole(std::uint32_t seeds, int domain, bool small) {
  std::size_t rewritten = 0;
  for (std::uint32_t seed = 1; seed <= seeds; ++seed) {
    RandomProgram random(seed, domain);
    std::string text = random.rules();
    for (const auto& p : random.base()) {
      text = "Decl " + p.name + "(" +
             std::string(p.arity == 1   ? "A"
                         : p.arity == 2 ? "A, B"
                                        : "A, B, C") +
             ").\n" + text;
    }
    for (int i = random.pick(5, 25); i > 0; --i) text += random.random_fact() + ".\n";
    auto values = std::make_shared<ValueTable>();
    const auto program = compile(text, *values);
    ASSERT_TRUE(program) << program.error().describe();
    const auto whole = engine_of(*program, values);
    ASSERT_NE(whole, nullptr);
    for (int round = 0; round < 4; ++round) {
      std::vector<Query> queries;
      for (int i = random.pick(1, 2); i > 0; --i) {
        const auto& all = random.predicates();
        const auto& p =
            all[static_cast<std::size_t>(random.pick(0, static_cast<int>(all.size()) - 1))];
        std::string atom = p.name + "(";
        for (int a = 0; a < p.arity; ++a) {
          const int kind = random.pick(0, 2);
          atom += a > 0 ? ", " : "";
          atom += kind == 0 ? "_" : kind == 1 ? "X" : random.value();
        }
        queries.push_back(*compile_query(*program, atom + ")", *values));
      }
      auto demand = for_queries(*program, queries);
      if (!demand) continue;
      ++rewritten;
      const std::vector<Query> asked = demand->queries;
      const auto part = engine_of(std::move(demand->program), values,
                                  small ? small_thresholds(seed) : Thresholds{});
      ASSERT_NE(part, nullptr);
      for (std::size_t i = 0; i < queries.size(); ++i) {
        ASSERT_EQ(texts(*part, asked[i]), texts(*whole, queries[i])) << seed << "\n" << text;
      }
    }
  }
  EXPECT_GT(rewritten, seeds * 2 / 3);
}

TEST(Demand, AnswersAsTheWholeProgramDoes) { answers_as_the_whole(300, 6, false); }

TEST(Demand, DemandWithSmallThresholds) { answers_as_the_whole(300, 5000, true); }

}  // namespace
}  // namespace anima::datalog
