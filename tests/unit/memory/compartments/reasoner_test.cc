// Compartment rules over a space, and questions in people's words.
#include "memory/compartments/reasoner.h"

#include <gtest/gtest.h>
#include <pthread.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "store/symbols.h"
#include "support/links.h"

namespace anima::memory {
namespace {

std::shared_ptr<store::Space> space_with(const std::vector<test::Labels>& links) {
  auto space = *store::Space::in_memory();
  test::link(*space, links);
  return space;
}

std::vector<std::string> facts(const Reasoner& reasoner, std::string_view query) {
  std::vector<std::string> list;
  const auto rows = reasoner.ask(query);
  EXPECT_TRUE(rows.has_value()) << rows.error().describe();
  if (rows) {
    for (const RuleRow& row : *rows) list.push_back(row.fact);
  }
  return list;
}

TEST(Reasoner, RulesSeeRelationsAsPredicates) {
  const auto space = space_with({{"Earth", "is-a", "planet"}, {"planet", "is-a", "body"}});
  const auto reasoner = Reasoner::create(
      space->snapshot().value(),
      {{"c", "r.mg", "kind(X, Y) :- is_a(X, Y).\nkind(X, Z) :- is_a(X, Y), kind(Y, Z).\n"}});
  ASSERT_TRUE(reasoner.has_value()) << reasoner.error().describe();
  EXPECT_EQ(facts(**reasoner, "kind(\"Earth\", X)"),
            (std::vector<std::string>{R"(kind("Earth","body"))", R"(kind("Earth","planet"))"}));
  const auto proof = (*reasoner)->why(R"(kind("Earth", "body"))");
  ASSERT_TRUE(proof.has_value()) << proof.error().describe();
  std::vector<std::string> given;
  for (const ProofLine& line : *proof) {
    if (line.given) given.push_back(line.fact);
  }
  EXPECT_EQ(given,
            (std::vector<std::string>{R"(is_a("Earth","planet"))", R"(is_a("planet","body"))"}));
  EXPECT_EQ((*reasoner)->why(R"(kind("planet", "Earth"))").error().code, ErrorCode::kNotFound);
}

// Whoever brings a rule decides what follows from the facts of others.
TEST(Reasoner, AConclusionIsTrustedNoMoreThanItsRules) {
  const auto space = space_with({{"Earth", "orbits", "Sun"}});
  const auto trust_with = [&](store::Trust of_rules) {
    const auto reasoner = Reasoner::create(
        space->snapshot().value(), {{"c", "r.mg", "near(X, Y) :- orbits(X, Y).\n", of_rules}});
    return (*reasoner)->trust(R"(near("Earth", "Sun"))").value();
  };
  const store::Trust of_fact = store::Origin{}.trust;
  EXPECT_EQ(trust_with(store::Trust::kSystem), of_fact);
  EXPECT_EQ(trust_with(store::Trust::kUntrusted), store::Trust::kUntrusted);
  EXPECT_EQ(trust_with(store::Trust::kHostile), store::Trust::kHostile);
}

TEST(Reasoner, GenericPredicates) {
  const auto space = space_with({{"Earth", "orbits", "Sun"}});
  const auto reasoner = Reasoner::create(
      space->snapshot().value(),
      {{"c", "r.mg",
        "linked(S, O) :- fact(_, S, _, O).\nthing(N) :- concept(_, \"Entity\", N).\n"}});
  ASSERT_TRUE(reasoner.has_value()) << reasoner.error().describe();
  EXPECT_EQ(facts(**reasoner, "linked(X, Y)"),
            std::vector<std::string>{R"(linked("Earth","Sun"))"});
  EXPECT_EQ(facts(**reasoner, "thing(X)").size(), 2U);
}

TEST(Reasoner, WrongRulesNameTheirPlace) {
  const auto space = space_with({});
  const auto reasoner =
      Reasoner::create(space->snapshot().value(), {{"c", "r.mg", "p(X) :- q(Y).\n"}});
  ASSERT_TRUE(reasoner.has_value()) << reasoner.error().describe();
  const auto asked = (*reasoner)->ask("p(X)");
  ASSERT_FALSE(asked.has_value());
  EXPECT_NE(asked.error().where.find("c/r.mg:1"), std::string::npos) << asked.error().describe();
  EXPECT_FALSE((*reasoner)->check("c"));
  EXPECT_TRUE((*reasoner)->check("other"));
}

// 0.9 x mean(0.8, 1.0) = 0.81; the next step is 0.9 x mean(0.81, 1.0) = 0.8145 or, the other way
// round, 0.9 x mean(0.8, 0.9 x mean(1.0, 1.0)) = 0.765.
TEST(Reasoner, DerivedFactsCarryTheirRulesFactor) {
  const auto text = rules_from_toml(R"(
[[rule]]
name = "is-a is transitive"
confidence = 0.9
if = [["?x", "is-a", "?y"], ["?y", "is-a", "?z"]]
then = [["?x", "kind-of", "?z"], ["?x", "is-a", "?z"]]

[[rule]]
name = "certain"
if = [["?x", "kind-of", "?y"]]
then = [["?x", "like", "?y"]]
)",
                                    "rules.toml");
  ASSERT_TRUE(text.has_value()) << text.error().describe();
  auto space = *store::Space::in_memory();
  test::link(*space, {{"a", "is-a", "b"}}, 0.8);
  test::link(*space, {{"b", "is-a", "c"}, {"c", "is-a", "d"}});
  const auto reasoner = Reasoner::create(space->snapshot().value(), {{"c", "rules.toml", *text}});
  ASSERT_TRUE(reasoner.has_value()) << reasoner.error().describe();
  EXPECT_TRUE((*reasoner)->has_factors());
  EXPECT_DOUBLE_EQ(*(*reasoner)->confidence(R"(is_a("a", "b"))"), 0.8);
  EXPECT_DOUBLE_EQ(*(*reasoner)->confidence(R"(kind_of("a", "c"))"), 0.81);
  EXPECT_DOUBLE_EQ(*(*reasoner)->confidence(R"(like("a", "c"))"), 0.81);
  const double far = *(*reasoner)->confidence(R"(is_a("a", "d"))");
  EXPECT_TRUE(std::abs(far - 0.8145) < 1e-12 || std::abs(far - 0.765) < 1e-12) << far;
  const auto proof = (*reasoner)->why(R"(like("a", "c"))");
  ASSERT_TRUE(proof.has_value());
  ASSERT_EQ(proof->size(), 4U);
  EXPECT_DOUBLE_EQ((*proof)[0].confidence, 0.81);
  EXPECT_DOUBLE_EQ((*proof)[1].confidence, 0.81);
  EXPECT_DOUBLE_EQ((*proof)[2].confidence, 0.8);

  QuestionPattern pattern;
  pattern.name = "kinds";
  pattern.query = "kind_of({what}, X)";
  pattern.answer = "{count}";
  const auto answer = answer_question(**reasoner, {&pattern, {{"what", "a"}}, {}});
  ASSERT_TRUE(answer.has_value()) << answer.error().describe();
  ASSERT_EQ(answer->rows, (std::vector<std::string>{"c", "d"}));
  ASSERT_EQ(answer->confidences.size(), 2U);
  EXPECT_DOUBLE_EQ(answer->confidences[0], 0.81);
}

TEST(Reasoner, AFactorIsACommentOfItsOwnBeforeAClause) {
  const auto space = space_with({{"a", "is-a", "b"}});
  const auto reasoner =
      Reasoner::create(space->snapshot().value(), {{"c", "r.mg",
                                                    "# confidence: 0.5\n# about halves\n\n"
                                                    "half(X) :-\n  is_a(X, _).\n"
                                                    "whole(X) :- is_a(X, _).\n"
                                                    "# confidence in this one is not a number\n"
                                                    "other(X) :- is_a(X, _).\n"}});
  ASSERT_TRUE(reasoner.has_value()) << reasoner.error().describe();
  EXPECT_DOUBLE_EQ(*(*reasoner)->confidence("half(\"a\")"), 0.5);
  EXPECT_DOUBLE_EQ(*(*reasoner)->confidence("whole(\"a\")"), 1.0);
  EXPECT_DOUBLE_EQ(*(*reasoner)->confidence("other(\"a\")"), 1.0);
  const Status wrong = check_rules("p(1).\n# confidence: 1.5\nq(X) :- p(X).\n", "r.mg");
  ASSERT_FALSE(wrong.has_value());
  EXPECT_EQ(wrong.error().where, "r.mg:2");
}

TEST(Reasoner, RulesFromToml) {
  const auto text = rules_from_toml(R"(
[[rule]]
name = "is-a is transitive"
confidence = 1.0
if = [["?x", "is-a", "?y"], ["?y", "is-a", "?z"]]
then = [["?x", "is-a", "?z"]]
)",
                                    "rules.toml");
  ASSERT_TRUE(text.has_value()) << text.error().describe();
  const auto space = space_with({{"a", "is-a", "b"}, {"b", "is-a", "c"}, {"c", "is-a", "d"}});
  const auto reasoner = Reasoner::create(space->snapshot().value(), {{"c", "rules.toml", *text}});
  ASSERT_TRUE(reasoner.has_value()) << reasoner.error().describe();
  EXPECT_EQ(facts(**reasoner, "is_a(X, Y)").size(), 6U);
}

TEST(Reasoner, RulesFromTomlCheckTheConfidence) {
  for (const char* confidence : {"1.5", "-0.1", "\"high\""}) {
    const auto text =
        rules_from_toml(std::string("[[rule]]\nname = \"r\"\nif = [[\"?x\", \"p\", \"?y\"]]\n"
                                    "then = [[\"?y\", \"p\", \"?x\"]]\nconfidence = ") +
                            confidence + "\n",
                        "rules.toml");
    ASSERT_FALSE(text.has_value()) << confidence;
    EXPECT_NE(text.error().message.find("confidence"), std::string::npos);
  }
}

constexpr char kQuestions[] = R"TOML(
[[question]]
name = "stops"
ask = ["(which|what) [installed] packages (stop working|break) (when|if) [i] (remove|drop) {package}",
       "what breaks without {package}"]
query = "stops(P, {package})"
subject = "package"
known = "part(_, {package})"
names = "part(_, X)"
answer = "{count} package{s} stop{verb_s} without {package}"
none = "nothing stops without {package}"
absent = "{package} is not here"
proof = "stops({row}, {package})"
next = ["why {row}"]
)TOML";

TEST(Questions, WordingsAndSlots) {
  const auto patterns = parse_questions(kQuestions, "questions.toml");
  ASSERT_TRUE(patterns.has_value()) << patterns.error().describe();
  for (const char* text :
       {"Which installed packages stop working when I remove libssl3?",
        "what packages break if drop \"libssl3\"", "WHAT  breaks without `libssl3` ?!"}) {
    const auto match = match_question(text, *patterns);
    ASSERT_TRUE(match.has_value()) << text;
    EXPECT_EQ(match->slots.at("package"), "libssl3") << text;
  }
  EXPECT_FALSE(match_question("which packages sing when I remove x", *patterns).has_value());
  EXPECT_EQ(example_of(patterns->front().ask[0]),
            "which packages stop working when remove {package}");
  EXPECT_TRUE(looks_like_question("Who is it"));
  EXPECT_FALSE(looks_like_question("find planets"));
}

TEST(Questions, PhrasesStandForTheirWords) {
  const auto patterns = parse_questions(R"TOML(
[phrases]
who = "which|what [<kind>]"
kind = "packages|programs"
[[question]]
name = "x"
ask = ["<who> sing {song}"]
query = "p(X)"
answer = "x"
)TOML",
                                        "q.toml");
  ASSERT_TRUE(patterns.has_value()) << patterns.error().describe();
  EXPECT_TRUE(match_question("what programs sing loud", *patterns).has_value());
  EXPECT_TRUE(match_question("which sing loud", *patterns).has_value());
  EXPECT_FALSE(match_question("which programs sing loud", *patterns).has_value());
  for (const char* phrases : {"a = \"<a>\"", "b = \"x\""}) {
    const std::string text = std::string("[phrases]\n") + phrases +
                             "\n[[question]]\nname = \"x\"\nask = [\"<a>\"]\nquery = \"p(X)\"\n"
                             "answer = \"x\"\n";
    EXPECT_FALSE(parse_questions(text, "q.toml").has_value()) << phrases;
  }
}

TEST(Questions, BadPatternsNameTheirPlace) {
  const auto bad = parse_questions(
      "[[question]]\nname = \"x\"\nask = [\"(a|b\"]\nquery = \"p(X)\"\nanswer = \"x\"\n", "q.toml");
  ASSERT_FALSE(bad.has_value());
  EXPECT_NE(bad.error().where.find("q.toml:3"), std::string::npos) << bad.error().describe();
}

TEST(Questions, AnswersWithProof) {
  const auto space = space_with({{"a", "part", "b"}, {"b", "part", "c"}, {"x", "part", "y"}});
  const auto reasoner = Reasoner::create(
      space->snapshot().value(),
      {{"c", "r.mg", "stops(P, X) :- part(P, X).\nstops(P, X) :- part(P, Q), stops(Q, X).\n"}});
  ASSERT_TRUE(reasoner.has_value()) << reasoner.error().describe();
  const auto patterns = *parse_questions(kQuestions, "questions.toml");
  const auto ask = [&](const char* text) {
    return *answer_question(**reasoner, *match_question(text, patterns));
  };
  const QuestionAnswer found = ask("what breaks without C");
  EXPECT_EQ(found.text, "2 packages stop without c");
  EXPECT_EQ(found.rows, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(found.proved, R"(stops("a", "c"))");
  ASSERT_FALSE(found.proof.empty());
  EXPECT_EQ(found.next, std::vector<std::string>{"why a"});
  const QuestionAnswer missing = ask("what breaks without cc");
  EXPECT_FALSE(missing.known);
  EXPECT_EQ(missing.text.rfind("cc is not here", 0), 0U) << missing.text;
}

// Runs with a stack of 256 KiB, so that what goes as deep as the proof fails.
void with_small_stack(std::function<void()> work) {
  pthread_attr_t attributes;
  ASSERT_EQ(pthread_attr_init(&attributes), 0);
  ASSERT_EQ(pthread_attr_setstacksize(&attributes, 256 * 1024), 0);
  pthread_t thread;
  const auto run = [](void* it) -> void* {
    (*static_cast<std::function<void()>*>(it))();
    return nullptr;
  };
  ASSERT_EQ(pthread_create(&thread, &attributes, run, &work), 0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
}

TEST(Reasoner, AProofIsToldHoweverDeepItIs) {
  constexpr std::size_t kSteps = 4'000;
  std::vector<test::Labels> links;
  for (std::size_t i = 0; i < kSteps; ++i)
    links.push_back({"c" + std::to_string(i), "is-a", "c" + std::to_string(i + 1)});
  const auto space = space_with(links);
  const auto reasoner = Reasoner::create(
      space->snapshot().value(),
      {{"c", "r.mg", "kind(Y) :- is_a(\"c0\", Y).\nkind(Y) :- kind(X), is_a(X, Y).\n"}});
  ASSERT_TRUE(reasoner.has_value()) << reasoner.error().describe();
  const std::string goal = "kind(\"c" + std::to_string(kSteps) + "\")";
  with_small_stack([&] {
    const auto proof = (*reasoner)->why(goal);
    ASSERT_TRUE(proof.has_value()) << proof.error().describe();
    EXPECT_EQ(proof->size(), 2 * kSteps);
    std::uint32_t deepest = 0;
    for (const ProofLine& line : *proof) deepest = std::max(deepest, line.depth);
    EXPECT_EQ(deepest, kSteps);
    EXPECT_DOUBLE_EQ((*reasoner)->confidence(goal).value(), 1.0);
  });
}

}  // namespace
}  // namespace anima::memory
