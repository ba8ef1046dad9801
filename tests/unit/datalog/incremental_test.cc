// After any sequence of insertions and deletions the state is that of a fresh evaluation; forks
// change nothing but themselves; subscribers hear exactly what changed; every proof holds.
#include <cstdlib>
#include <map>

#include "datalog/functions.h"
#include "unit/datalog/engine_fixture.h"
#include "unit/datalog/random_program.h"

namespace anima::datalog {
namespace {

std::map<std::string, Texts> state_of(World& world, const RandomProgram& random) {
  std::map<std::string, Texts> out;
  for (const auto& p : random.predicates()) out[p.name] = world.ask(pattern(p));
  return out;
}

std::map<std::string, Texts> state_of(World& world, Fork& fork, const RandomProgram& random) {
  std::map<std::string, Texts> out;
  for (const auto& p : random.predicates()) out[p.name] = world.ask(fork, pattern(p));
  return out;
}

std::string program_with(const RandomProgram& random, const std::set<std::string>& facts) {
  std::string out = random.rules();
  for (const std::string& fact : facts) out += fact + ".\n";
  return out;
}

// Premises follow the body's literals; they must unify with it and hold.
void check_node(World& world, const Proof& proof, const ProofNode& node) {
  if (!node.row.empty()) {
    Query exact;
    exact.predicate = node.predicate;
    for (const Code code : node.row) exact.arguments.push_back(Argument::code(code));
    EXPECT_EQ(world.engine().snapshot()->query(exact)->count, 1U) << node.text;
  }
  if (node.kind != ProofKind::kDerived) {
    EXPECT_NE(node.kind, ProofKind::kCut) << node.text;
    return;
  }
  const Rule& rule = world.program().rules[node.rule];
  std::vector<Code> bindings(rule.variables.size(), kUnbound);
  const auto unify = [&](const std::vector<Argument>& arguments, const std::vector<Code>& row) {
    for (std::size_t c = 0; c < arguments.size(); ++c) {
      if (arguments[c].constant) {
        EXPECT_EQ(arguments[c].value, row[c]) << node.text;
        continue;
      }
      Code& place = bindings[arguments[c].value];
      EXPECT_TRUE(place == kUnbound || place == row[c]) << node.text;
      place = row[c];
    }
  };
  unify(rule.head_arguments, node.row);
  ASSERT_EQ(node.premises.size(), rule.body.size()) << node.text;
  for (std::size_t i = 0; i < rule.body.size(); ++i) {
    const ProofNode& premise = proof.nodes[node.premises[i]];
    const Literal& literal = rule.body[i];
    if (literal.kind != LiteralKind::kAtom) continue;
    EXPECT_EQ(premise.predicate, literal.predicate);
    unify(literal.arguments, premise.row);
  }
  for (const Literal& literal : rule.body) {
    if (literal.kind != LiteralKind::kNegated) continue;
    Query query;
    query.predicate = literal.predicate;
    Variable fresh = 1000;
    for (const Argument& a : literal.arguments) {
      const bool known = a.constant || bindings[a.value] != kUnbound;
      query.arguments.push_back(!known       ? Argument::variable(fresh++)
                                : a.constant ? a
                                             : Argument::code(bindings[a.value]));
    }
    EXPECT_EQ(world.engine().query(query)->count, 0U) << node.text;
  }
}

void check_proof(World& world, PredicateId predicate, std::span<const Code> row) {
  const auto proof = world.engine().explain(predicate, row);
  ASSERT_TRUE(proof) << proof.error().describe();
  // Depth-first: no node may lie on its own path.
  std::vector<int> colour(proof->nodes.size(), 0);
  std::vector<std::pair<std::uint32_t, std::size_t>> stack{{0, 0}};
  colour[0] = 1;
  while (!stack.empty()) {
    auto& [node, next] = stack.back();
    if (next == proof->nodes[node].premises.size()) {
      colour[node] = 2;
      stack.pop_back();
      continue;
    }
    const std::uint32_t child = proof->nodes[node].premises[next++];
    ASSERT_NE(colour[child], 1) << "a proof in a circle: " << proof->text();
    if (colour[child] == 0) {
      colour[child] = 1;
      stack.emplace_back(child, 0);
    }
  }
  for (const ProofNode& node : proof->nodes) check_node(world, *proof, node);
}

void run_program(std::uint32_t seed, int transactions, int domain = 6,
                 const Thresholds& thresholds = {}) {
  RandomProgram random(seed, domain);
  EngineOptions options;
  options.thresholds = thresholds;
  std::set<std::string> facts;
  const int start = random.pick(0, 30);
  for (int i = 0; i < start; ++i) facts.insert(random.random_fact());
  World world(program_with(random, facts), std::move(options), base_of(random));
  ASSERT_EQ(world.error(), "") << random.rules();
  std::map<std::string, std::set<std::string>> mirror;
  for (const auto& p : random.predicates()) {
    for (const std::string& row : world.ask(pattern(p))) mirror[p.name].insert(row);
  }
  world.engine().subscribe(kNone, [&](const Change& change) {
    std::set<std::string>& rows = mirror[world.program().predicates[change.predicate].name];
    for (const std::string& row : world.texts(change.predicate, change.deleted)) {
      EXPECT_EQ(rows.erase(row), 1U) << row;
    }
    for (const std::string& row : world.texts(change.predicate, change.inserted)) {
      EXPECT_TRUE(rows.insert(row).second) << row;
    }
  });
  for (int t = 0; t < transactions; ++t) {
    std::vector<std::string> steps;
    std::set<std::string> next = facts;
    const int size = random.pick(1, 6);
    for (int i = 0; i < size; ++i) {
      if (!next.empty() && random.pick(0, 1) == 0) {
        auto it = next.begin();
        std::advance(it, random.pick(0, static_cast<int>(next.size()) - 1));
        steps.push_back("-" + *it);
        next.erase(it);
      } else {
        const std::string fact = random.random_fact();
        steps.push_back("+" + fact);
        next.insert(fact);
      }
    }
    const auto before = state_of(world, random);
    auto fork = world.engine().fork();
    ASSERT_TRUE(fork->transact(world.transaction(steps)));
    const auto imagined = state_of(world, *fork, random);
    EXPECT_EQ(state_of(world, random), before) << "a fork leaked";
    const auto old = world.engine().snapshot();
    const auto done = world.change(steps);
    ASSERT_TRUE(done) << done.error().describe() << random.rules();
    facts = std::move(next);
    World fresh(program_with(random, facts), {}, base_of(random));
    ASSERT_EQ(fresh.error(), "");
    const auto expected = state_of(fresh, random);
    std::string said;
    for (const std::string& step : steps) said += step + " ";
    ASSERT_EQ(state_of(world, random), expected) << seed << '\n' << random.rules() << said;
    ASSERT_EQ(imagined, expected) << "fork " << seed << '\n' << random.rules() << said;
    for (const auto& p : random.predicates()) {
      ASSERT_EQ(std::set<std::string>(expected.at(p.name).begin(), expected.at(p.name).end()),
                mirror[p.name]);
      // The old snapshot still shows what it showed.
      const PredicateId id = world.program().find(p.name);
      ASSERT_EQ(world.texts(id, *old->all(id)), before.at(p.name));
      const Rows rows = *world.engine().snapshot()->all(id);
      if (rows.count > 0 && p.level > 0) {
        check_proof(
            world, id,
            rows.row(static_cast<std::size_t>(random.pick(0, static_cast<int>(rows.count) - 1))));
      }
    }
    if (::testing::Test::HasFailure()) FAIL() << seed << '\n' << random.rules() << said;
  }
}

// Row O27 of learning_and_psyche: a thousand random deltas.
TEST(Incremental, O27_EqualsFreshEvaluation) {
  const bool full = std::getenv("ANIMA_TEST_FULL") != nullptr;
  const std::uint32_t programs = full ? 1000 : 60;
  for (std::uint32_t seed = 1; seed <= programs; ++seed) {
    run_program(seed, full ? 10 : 17);
    if (::testing::Test::HasFatalFailure()) FAIL() << "seed " << seed;
  }
}

// The same where every size counts as large, over values that lie far apart; the fresh evaluation
// has the ordinary sizes.
TEST(Incremental, EqualsFreshEvaluationWithSmallThresholds) {
  const bool full = std::getenv("ANIMA_TEST_FULL") != nullptr;
  const std::uint32_t programs = full ? 1000 : 60;
  for (std::uint32_t seed = 1; seed <= programs; ++seed) {
    run_program(seed, full ? 10 : 5, 5000, small_thresholds(seed));
    if (::testing::Test::HasFatalFailure()) FAIL() << "seed " << seed;
  }
}

TEST(Incremental, O28_UnaffectedStrataAreNotVisited) {
  World world(R"(
    a(1). b(1).
    pa(X) :- a(X). qa(X) :- pa(X), !b(X). pb(X) :- b(X). qb(X) :- pb(X).)");
  ASSERT_EQ(world.error(), "");
  const auto stats = world.change({"+b(2)"});
  ASSERT_TRUE(stats);
  const auto visited = [&](const char* name) {
    return stats->strata[world.program().predicates[world.program().find(name)].stratum].visited;
  };
  EXPECT_FALSE(visited("pa"));
  EXPECT_TRUE(visited("qa"));
  EXPECT_TRUE(visited("pb"));
  EXPECT_TRUE(visited("qb"));
  EXPECT_EQ(stats->strata_visited, 3U);
  const auto nothing = world.change({"+b(2)"});
  ASSERT_TRUE(nothing);
  EXPECT_EQ(nothing->strata_visited, 0U);
}

TEST(Incremental, ACycleCannotHoldItselfUp) {
  World world("s(1). e(1,2). e(2,3). e(3,2). r(X) :- s(X). r(Y) :- r(X), e(X,Y).");
  ASSERT_EQ(world.error(), "");
  ASSERT_TRUE(world.change({"-e(1,2)"}));
  EXPECT_EQ(world.ask("r(X)"), (Texts{"r(1)"}));
}

TEST(Incremental, FailedTransactionLeavesTheStateThatWas) {
  World world(
      "p(1). p(2). q(Y) :- p(X), Y = fn:div(10, X). n(N) :- q(_) |> do fn:group_by(), let N = "
      "fn:count().");
  ASSERT_EQ(world.error(), "");
  const auto before = world.ask("q(X)");
  EXPECT_FALSE(world.change({"-p(1)", "+p(0)", "+p(5)"}));
  EXPECT_EQ(world.ask("q(X)"), before);
  EXPECT_EQ(world.ask("p(X)"), (Texts{"p(1)", "p(2)"}));
  EXPECT_EQ(world.ask("n(X)"), (Texts{"n(2)"}));
  ASSERT_TRUE(world.change({"+p(5)"}));
  EXPECT_EQ(world.ask("q(X)"), (Texts{"q(2)", "q(5)", "q(10)"}));
  Limits limits;
  limits.max_derived_rows = 1;
  const auto limited = world.change({"+p(3)", "+p(4)"}, limits);
  ASSERT_FALSE(limited);
  EXPECT_EQ(limited.error().code, ErrorCode::kLimitExceeded);
  EXPECT_EQ(world.ask("q(X)"), (Texts{"q(2)", "q(5)", "q(10)"}));
}

TEST(Incremental, InclusionIsEnforced) {
  World world("Decl p(X) bound [/number] inclusion [q(X)]. Decl q(X) bound [/number]. q(1). p(1).");
  ASSERT_EQ(world.error(), "");
  EXPECT_FALSE(world.change({"+p(2)"}));
  EXPECT_EQ(world.ask("p(X)"), (Texts{"p(1)"}));
  EXPECT_TRUE(world.change({"+p(2)", "+q(2)"}));
  EXPECT_FALSE(world.change({"-q(1)"}));
  EXPECT_EQ(world.ask("q(X)"), (Texts{"q(1)", "q(2)"}));
}

TEST(Incremental, ForkIsCommitted) {
  World world("e(1,2). t(X,Y) :- e(X,Y). t(X,Z) :- t(X,Y), e(Y,Z).");
  ASSERT_EQ(world.error(), "");
  auto fork = world.engine().fork();
  ASSERT_TRUE(fork->transact(world.transaction({"+e(2,3)"})));
  EXPECT_EQ(world.ask(*fork, "t(1,X)"), (Texts{"t(1,2)", "t(1,3)"}));
  EXPECT_EQ(world.ask("t(1,X)"), (Texts{"t(1,2)"}));
  const auto proof = fork->explain(world.program().find("t"), world.fact("t(1,3)").codes);
  ASSERT_TRUE(proof);
  EXPECT_NE(proof->text().find("e(2,3)"), std::string::npos);
  ASSERT_TRUE(world.engine().commit(*fork));
  EXPECT_EQ(world.ask("t(1,X)"), (Texts{"t(1,2)", "t(1,3)"}));
}

TEST(Incremental, WhyNotNamesTheMissingFact) {
  World world("user(/a). role(/b, /admin). may(X) :- user(X), role(X, /admin).");
  ASSERT_EQ(world.error(), "");
  const auto why = world.engine().why_not(world.query("may(/a)"));
  ASSERT_TRUE(why);
  ASSERT_EQ(why->rules.size(), 1U);
  EXPECT_EQ(why->rules[0].failing, "role(/a,/admin)");
  EXPECT_EQ(why->rules[0].holding, (Texts{"user(/a)"}));
  const auto base = world.engine().why_not(world.query("user(/z)"));
  ASSERT_TRUE(base);
  EXPECT_TRUE(base->is_base);
}

// Answers squares; knows nothing about 13; counts how often it is asked.
class Squares : public VirtualPredicate {
 public:
  Status answer(std::span<const std::uint32_t> columns, std::span<const Code> inputs,
                std::size_t count, ValueTable& values, std::vector<Code>& rows) override {
    EXPECT_EQ(columns.size(), 1U);
    ++calls;
    asked += count;
    for (std::size_t i = 0; i < count; ++i) {
      const std::int64_t n = values.view(inputs[i]).number;
      if (n == 13) continue;
      rows.push_back(inputs[i]);
      rows.push_back(values.integer(n * n + offset));
    }
    return {};
  }
  std::size_t calls = 0;
  std::size_t asked = 0;
  std::int64_t offset = 0;
};

TEST(Incremental, O29_VirtualPredicatesAreAskedOnce) {
  auto squares = std::make_shared<Squares>();
  World::pending_virtuals = {{"square", squares}};
  World world(R"(
    Decl square(X, Y) descr [external(), mode('+', '-')] bound [/number, /number].
    n(1). n(2). n(13).
    r(X, Y) :- n(X), square(X, Y).
    s(X, Y) :- n(X), square(X, Y).)");
  World::pending_virtuals.clear();
  ASSERT_EQ(world.error(), "");
  EXPECT_EQ(world.ask("r(X,Y)"), (Texts{"r(1,1)", "r(2,4)"}));
  EXPECT_EQ(squares->asked, 3U);
  EXPECT_EQ(squares->calls, 1U);
  ASSERT_TRUE(world.change({"+n(3)", "-n(1)"}));
  EXPECT_EQ(world.ask("s(X,Y)"), (Texts{"s(2,4)", "s(3,9)"}));
  EXPECT_EQ(squares->asked, 4U);
  ASSERT_TRUE(world.change({"-n(13)"}));
  ASSERT_TRUE(world.change({"+n(13)"}));
  EXPECT_EQ(squares->asked, 4U) << "known to have no answer";
  squares->offset = 100;
  const std::vector<std::uint32_t> columns = {0};
  const std::vector<Code> inputs = {world.values().integer(2)};
  ASSERT_TRUE(world.engine().invalidate(world.program().find("square"), columns, inputs, 1));
  EXPECT_EQ(world.ask("r(X,Y)"), (Texts{"r(2,104)", "r(3,9)"}));
}

}  // namespace
}  // namespace anima::datalog
