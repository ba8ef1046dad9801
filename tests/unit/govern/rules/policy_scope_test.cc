// Which rule bases decide from one call alone, and which texts of it they read.
#include "govern/rules/detail/policy_scope.h"

#include <gtest/gtest.h>

#include <array>
#include <memory>

#include "base/packs.h"
#include "datalog/analyze.h"
#include "datalog/parser.h"
#include "govern/rules/policy.h"

namespace anima::govern::policy_scope_test {
namespace {

struct Analysed {
  datalog::ValueTable values;
  datalog::Program program;
  detail::PolicyScope scope;
};

std::unique_ptr<Analysed> analyse(const std::vector<PolicySource>& sources) {
  auto made = std::make_unique<Analysed>();
  std::vector<datalog::Unit> units;
  for (const PolicySource& source : sources)
    units.push_back(datalog::parse_program(source.text, source.name, &made->values).value());
  made->program =
      datalog::analyze_program(
          std::move(units), made->values,
          {.base = {{"call", 4}, {"argument", 3}, {"made_from", 4}, {"tier", 2}, {"finished", 2}}})
          .value();
  std::vector<datalog::PredicateId> trace;
  for (const char* name : {"call", "argument", "made_from", "tier", "finished"})
    trace.push_back(made->program.find(name));
  made->scope = detail::scope_of(made->program, trace, {made->program.find("deny")});
  return made;
}

bool is_one_call(const std::string& rules) {
  return !analyse({{"t.mg", rules}})->scope.needs_trace;
}

std::size_t direct_rules(const std::string& rules) {
  return analyse({{"t.mg", rules}})->scope.direct.size();
}

TEST(PolicyScope, RulesOfOneCall) {
  EXPECT_TRUE(is_one_call("deny(C, \"x\") :- call(C, \"a\", _, _), !tier(C, /admin)."));
  EXPECT_TRUE(is_one_call(
      "bad(\"a\"). named(C, N) :- argument(C, N, _). deny(C, \"x\") :- named(C, N), bad(N)."));
}

TEST(PolicyScope, RulesThatLookFurther) {
  for (const char* rules : {
           "deny(C, \"x\") :- call(C, _, _, _), call(D, _, _, _), D < C.",
           "deny(C, \"x\") :- call(C, _, _, _), C > 5.",
           "deny(C, \"x\") :- call(C, T, _, _), seen(T). seen(T) :- call(_, T, _, _).",
           "deny(C, \"x\") :- listed(C). listed(7).",
           "deny(7, \"x\").",
           "deny(C, \"x\") :- near(C, \"b\"). near(C, N) :- argument(C, N, _). "
           "near(C, N) :- near(C, M), linked(M, N). linked(\"a\", \"b\").",
           "deny(C, \"x\") :- call(C, _, _, _), T = fn:time:now(), T = T.",
           "deny(C, \"x\") :- call(C, _, _, _), many(C). "
           "many(C) :- argument(C, N, _) |> do fn:group_by(C), let K = fn:count().",
       }) {
    EXPECT_FALSE(is_one_call(rules)) << rules;
  }
}

// What a rule over several calls reads is derived for it too; its neighbours stay where they are.
TEST(PolicyScope, RulesOfBothSorts) {
  const std::string mixed =
      "named(C, N) :- argument(C, N, _). "
      "deny(C, \"x\") :- named(C, \"a\"). "
      "deny(C, \"y\") :- named(C, N), named(D, N), D < C.";
  EXPECT_EQ(direct_rules(mixed), 2u);
  const auto made = analyse({{"t.mg", mixed}});
  ASSERT_EQ(made->scope.traced.size(), 3u);
  for (const datalog::Rule& rule : made->program.rules) {
    const bool of_one_call = rule.text.find("\"x\"") != std::string::npos;
    EXPECT_EQ(made->scope.traced[rule.id], !of_one_call) << rule.text;
  }
  EXPECT_EQ(direct_rules("deny(C, \"x\") :- seen(C). seen(C) :- call(C, _, _, _). "
                         "seen(C) :- call(C, _, _, _), call(D, _, _, _), D < C."),
            0u);
}

TEST(PolicyScope, TextsThatNoRuleReadsAreLeftOut) {
  const auto made = analyse(
      {{"t.mg", "deny(C, \"x\") :- made_from(C, \"ballot\", Source, _), Source != \"self\"."}});
  ASSERT_FALSE(made->scope.needs_trace);
  const auto row = [&](const char* name) {
    return std::array<datalog::Code, 4>{made->values.integer(1), made->values.string(name),
                                        made->values.string(""), made->values.name("/operator")};
  };
  const datalog::PredicateId made_from = made->program.find("made_from");
  EXPECT_TRUE(made->scope.keeps_text(made_from, row("ballot")));
  EXPECT_FALSE(made->scope.keeps_text(made_from, row("to")));
}

}  // namespace
}  // namespace anima::govern::policy_scope_test
