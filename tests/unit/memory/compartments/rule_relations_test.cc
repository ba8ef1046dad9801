// What rules derive, asked in KIP: the same rows as in Datalog, before and after an entry that
// changes them, beside what is stated, and as of an earlier entry.
#include "memory/compartments/rule_relations.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/random.h"
#include "kip/engine.h"
#include "sparql/engine.h"
#include "store/symbols.h"

namespace anima::memory::rule_relations_test {
namespace {

constexpr std::string_view kRules =
    "Decl road(X, Y).\n"
    "reaches(X, Y) :- road(X, Y).\nreaches(X, Z) :- road(X, Y), reaches(Y, Z).\n"
    "road(Y, X) :- road(X, Y).\n"
    "degree(X, N) :- road(X, Y) |> do fn:group_by(X), let N = fn:count().\n";

class RuleRelationsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    relations_ = std::make_shared<RuleRelations>(*space_, system_files());
    kip::EngineOptions options;
    options.derived = relations_;
    engine_ = kip::Engine::open(space_, options).value();
    sparql::EngineOptions sparql_options;
    sparql_options.derived = relations_;
    sparql_ = sparql::Engine::open(space_, std::move(sparql_options)).value();
  }

  void load(std::string_view rules, const std::string& file = "r.mg") {
    ASSERT_TRUE(system_files().make_directories(folder_.file("r")).has_value());
    const auto write = [&](const std::string& name, std::string_view text) {
      ASSERT_TRUE(replace_file(system_files(), folder_.file("r/" + name), text).has_value());
    };
    write("compartment.toml",
          "id = \"r\"\nname = \"R\"\nkind = \"Skill\"\nrules_file = \"" + file + "\"\n");
    write(file, rules);
    ASSERT_TRUE(manager_.discover().has_value());
    ASSERT_TRUE(manager_.load("r", {}).has_value());
  }

  store::Sequence road(const std::string& from, const std::string& to) {
    const auto receipt = space_->write({}, [&](store::Transaction& transaction) -> Status {
      store::SymbolWriter symbols(transaction, {});
      ANIMA_ASSIGN(const store::Triple link, symbols.link(from, "road", to));
      return transaction.assert_link(link, {}).map([](store::EntityId) {});
    });
    EXPECT_TRUE(receipt.has_value());
    return receipt->sequence;
  }

  Json execute(const std::string& command, const Json& extra = Json::object()) {
    Json request = Json::object({{"command", command}});
    for (const JsonMember& member : extra.as_object()) request.set(member.first, member.second);
    return engine_->execute(request);
  }
  // Rows of the first column, sorted.
  std::vector<std::string> names(const std::string& command, const Json& extra = Json::object()) {
    const Json response = execute(command, extra);
    const Json* result = response.find("result");
    if (result == nullptr || !result->is_array()) {
      ADD_FAILURE() << response.dump();
      return {};
    }
    std::vector<std::string> out;
    for (const Json& cell : result->as_array()) {
      out.push_back(cell.is_string() ? cell.as_string() : cell.dump());
    }
    std::ranges::sort(out);
    return out;
  }

  // Texts of the first column, sorted.
  std::vector<std::string> selected(const std::string& query) {
    const auto answer = sparql_->query(query);
    if (!answer) {
      ADD_FAILURE() << answer.error().describe();
      return {};
    }
    std::vector<std::string> out;
    for (std::size_t row = 0; row < answer->rows(); ++row) {
      sparql::RdfTerm term;
      std::string scratch;
      out.emplace_back(answer->cell(row, 0, &term, scratch) ? term.text : "unbound");
    }
    std::ranges::sort(out);
    return out;
  }
  // Values of the variable of a query of the rules, sorted.
  std::vector<std::string> derived(const std::string& query) {
    const auto reasoner = Reasoner::create(space_->snapshot().value(), manager_.rules());
    const auto rows = (*reasoner)->ask(query);
    std::vector<std::string> out;
    for (const RuleRow& row : *rows) out.push_back(row.values.at(0));
    std::ranges::sort(out);
    return out;
  }

  using Names = std::vector<std::string>;

  TemporaryDirectory folder_;
  std::shared_ptr<store::Space> space_ = *store::Space::in_memory();
  CompartmentManager manager_{*space_, system_files(), folder_.path()};
  std::shared_ptr<RuleRelations> relations_;
  std::shared_ptr<kip::Engine> engine_;
  std::shared_ptr<sparql::Engine> sparql_;
};

const char* const kFromA =
    "FIND(?y.name) WHERE { ({type: \"Entity\", name: \"a\"}, \"reaches\", ?y) }";

TEST_F(RuleRelationsTest, KipFindsWhatRulesDeriveBeforeAndAfterAnEntry) {
  road("a", "b");
  load(
      "Decl road(X, Y).\nreaches(X, Y) :- road(X, Y).\n"
      "reaches(X, Z) :- road(X, Y), reaches(Y, Z).\n");
  EXPECT_EQ(names(kFromA), (Names{"b"}));
  const store::Sequence before = road("b", "c");
  EXPECT_EQ(names(kFromA), (Names{"b", "c"}));
  road("c", "d");
  EXPECT_EQ(names(kFromA), (Names{"b", "c", "d"}));
  EXPECT_EQ(names("FIND(?x.name) WHERE { (?x, \"reaches\", {type: \"Entity\", name: \"d\"}) }"),
            (Names{"a", "b", "c"}));
  const Json as_of = Json::object({{"as_of", static_cast<std::int64_t>(before)}});
  EXPECT_EQ(names(kFromA, as_of), (Names{"b", "c"}));
  EXPECT_EQ(names(kFromA), (Names{"b", "c", "d"}));
}

TEST_F(RuleRelationsTest, TheThreeLanguagesSayTheSame) {
  road("a", "b");
  load(
      "Decl road(X, Y).\nreaches(X, Y) :- road(X, Y).\n"
      "reaches(X, Z) :- road(X, Y), reaches(Y, Z).\n");
  const std::string sparql =
      "SELECT ?n { ?x <urn:anima:predicate:reaches> ?y . BIND(REPLACE(STR(?y), '.*:', '') AS ?n) "
      "FILTER(STRENDS(STR(?x), ':a')) }";
  for (const char* next : {"c", "d", "e"}) {
    EXPECT_EQ(selected(sparql), derived("reaches(\"a\", Y)"));
    EXPECT_EQ(names(kFromA), derived("reaches(\"a\", Y)"));
    road("b", next);
  }
  EXPECT_EQ(selected(sparql), (Names{"b", "c", "d", "e"}));
  EXPECT_EQ(selected("SELECT ?y { GRAPH ?g { ?x <urn:anima:predicate:reaches> ?y } }"), Names{});
  EXPECT_EQ(selected("SELECT ?y FROM <http://x/g> { ?x <urn:anima:predicate:reaches> ?y }"),
            Names{});
}

TEST_F(RuleRelationsTest, DerivedRowsJoinWithStatedOnes) {
  road("a", "b");
  road("b", "c");
  road("x", "b");
  load(
      "Decl road(X, Y).\nreaches(X, Y) :- road(X, Y).\n"
      "reaches(X, Z) :- road(X, Y), reaches(Y, Z).\n");
  EXPECT_EQ(names("FIND(?x.name) WHERE { (?x, \"reaches\", ?z) (?z, \"road\", ?w) }"),
            (Names{"a", "x"}));
  EXPECT_EQ(names("FIND(?x.name) WHERE { ?x {type: \"Entity\"} NOT { (?x, \"reaches\", ?y) } }"),
            (Names{"c"}));
  EXPECT_EQ(names("FIND(?x.name) WHERE { ({type: \"Entity\", name: \"a\"}, \"reaches\", "
                  "{type: \"Entity\", name: \"c\"}) ?x {type: \"Entity\", name: \"a\"} }"),
            (Names{"a"}));
  EXPECT_EQ(names("FIND(?x.name) WHERE { ({type: \"Entity\", name: \"c\"}, \"reaches\", "
                  "{type: \"Entity\", name: \"a\"}) ?x {type: \"Entity\", name: \"a\"} }"),
            Names{});
}

TEST_F(RuleRelationsTest, APredicateThatIsStatedAndDerivedHasBoth) {
  road("a", "b");
  load(kRules);
  EXPECT_EQ(names("FIND(?y.name) WHERE { ({type: \"Entity\", name: \"b\"}, \"road\", ?y) }"),
            (Names{"a"}));
  EXPECT_EQ(names("FIND(?x.name) WHERE { (?x, \"road\", ?y) }"), (Names{"a", "b"}));
}

TEST_F(RuleRelationsTest, PathsFollowWhatIsStatedAndDerived) {
  road("a", "b");
  road("b", "c");
  road("z", "d");
  load(
      "Decl road(X, Y).\n"
      "link(X, Y) :- road(X, Y).\n"
      "road(X, \"d\") :- road(X, \"c\").\n"
      "called(X, S) :- road(X, Y) |> let S = fn:string:concat(X, \"!\").\n");
  const std::string end = "STRAFTER(STR(?y), 'Entity:')";
  const auto from_a = [&](const std::string& path) {
    return selected("SELECT (" + end + " AS ?n) { <urn:anima:concept:Entity:a> " + path + " ?y }");
  };
  EXPECT_EQ(from_a("<urn:anima:predicate:link>+"), (Names{"b", "c", "d"}));
  EXPECT_EQ(from_a("<urn:anima:predicate:road>+"), (Names{"b", "c", "d"}));
  EXPECT_EQ(from_a("(<urn:anima:predicate:road>|^<urn:anima:predicate:road>)*"),
            (Names{"a", "b", "c", "d", "z"}));
  EXPECT_EQ(selected("SELECT ?y { <urn:anima:concept:Entity:a> "
                     "(<urn:anima:predicate:link>*/<urn:anima:predicate:called>) ?y }"),
            (Names{"a!", "b!"}));
  EXPECT_EQ(selected("SELECT ?x { ?x (<urn:anima:predicate:link>+) ?x }"), Names{});
  // Both ends open: the nodes of derived pairs are among those of the graph.
  EXPECT_EQ(selected("SELECT (STR(?y) AS ?n) { ?y <urn:anima:predicate:called>? 'a!' }"),
            (Names{"a!", "urn:anima:concept:Entity:a"}));
  EXPECT_EQ(names("FIND(?y.name) WHERE { ({type: \"Entity\", name: \"a\"}, \"link\"{1,}, ?y) }"),
            (Names{"b", "c", "d"}));
  EXPECT_EQ(names("FIND(?x.name) WHERE { (?x, \"road\"{2,2}, {type: \"Entity\", name: \"d\"}) }"),
            (Names{"a"}));
  // Only where no graph is named.
  EXPECT_EQ(selected("SELECT ?y FROM <http://x/g> { ?x <urn:anima:predicate:link>+ ?y }"), Names{});
}

TEST_F(RuleRelationsTest, RulesOfTomlAreRelationsToo) {
  const auto receipt = space_->write({}, [&](store::Transaction& transaction) -> Status {
    store::SymbolWriter symbols(transaction, {});
    for (const auto& [kind, wider] : {std::pair{"cat", "mammal"}, std::pair{"mammal", "animal"}}) {
      ANIMA_ASSIGN(const store::Triple link, symbols.link(kind, "is-a", wider));
      ANIMA_TRY(transaction.assert_link(link, {}));
    }
    return {};
  });
  ASSERT_TRUE(receipt.has_value()) << receipt.error().describe();
  load(
      "[[rule]]\nname = \"is-a is transitive\"\n"
      "if = [[\"?x\", \"is-a\", \"?y\"], [\"?y\", \"is-a\", \"?z\"]]\n"
      "then = [[\"?x\", \"is-a\", \"?z\"]]\n",
      "rules.toml");
  EXPECT_EQ(names("FIND(?y.name) WHERE { ({type: \"Entity\", name: \"cat\"}, \"is-a\", ?y) }"),
            (Names{"animal", "mammal"}));
  EXPECT_EQ(selected("SELECT (STRAFTER(STR(?y), 'Entity:') AS ?n) { "
                     "<urn:anima:concept:Entity:cat> <urn:anima:predicate:is-a> ?y }"),
            (Names{"animal", "mammal"}));
  EXPECT_EQ(selected("SELECT (STRAFTER(STR(?y), 'Entity:') AS ?n) { "
                     "<urn:anima:concept:Entity:cat> <urn:anima:predicate:is-a>+ ?y }"),
            (Names{"animal", "mammal"}));
}

TEST_F(RuleRelationsTest, ComputedValuesAreValues) {
  road("a", "b");
  road("a", "c");
  load(
      "Decl road(X, Y).\n"
      "degree(X, N) :- road(X, Y) |> do fn:group_by(X), let N = fn:count().\n"
      "called(X, S) :- road(X, Y) |> let S = fn:string:concat(X, \" of the road\").\n");
  EXPECT_EQ(names("FIND(?n) WHERE { ({type: \"Entity\", name: \"a\"}, \"degree\", ?n) }"),
            (Names{"2"}));
  EXPECT_EQ(names("FIND(?s) WHERE { (?x, \"called\", ?s) }"), (Names{"a of the road"}));
}

TEST_F(RuleRelationsTest, AVariablePredicateFindsWhatAConstantOneFinds) {
  road("a", "b");
  road("b", "c");
  load(kRules);
  for (const std::string name : {"reaches", "road", "degree"}) {
    const std::string predicate = "<urn:anima:predicate:" + name + ">";
    const Names wanted = selected("SELECT ?y { ?x " + predicate + " ?y }");
    EXPECT_FALSE(wanted.empty()) << name;
    EXPECT_EQ(selected("SELECT ?y { ?x ?p ?y FILTER(?p = " + predicate + ") }"), wanted) << name;
    EXPECT_EQ(selected("SELECT ?y { VALUES ?p { " + predicate + " } ?x ?p ?y }"), wanted) << name;
  }
  EXPECT_TRUE(
      selected("SELECT ?y { GRAPH ?g { ?x ?p ?y } FILTER(?p = <urn:anima:predicate:reaches>) }")
          .empty());
}

TEST_F(RuleRelationsTest, WhatNobodyDerivesIsUndefinedAsBefore) {
  road("a", "b");
  load(kRules);
  const Json response = execute("FIND(?y) WHERE { (?x, \"flies_to\", ?y) }");
  ASSERT_NE(response.find("error"), nullptr) << response.dump();
  EXPECT_EQ(response.find("error")->find("code")->as_string(), "KIP_2001") << response.dump();
}

TEST_F(RuleRelationsTest, ADerivedFactHasNoLinkOfItsOwn) {
  road("a", "b");
  load(kRules);
  const Json response = execute("FIND(?l) WHERE { ?l (?x, \"reaches\", ?y) }");
  ASSERT_NE(response.find("error"), nullptr) << response.dump();
  EXPECT_NE(response.dump().find("rules derive"), std::string::npos) << response.dump();
}

}  // namespace
}  // namespace anima::memory::rule_relations_test
