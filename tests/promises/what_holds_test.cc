// What holds of several statements is the same at every door: a table of cases
// (tests/cases/holds/what_holds.txt), each asked of KIP (a link and a path), of plain words, of
// recall, of the proof of a fact, of kg_query and of the list of contradictions.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <set>
#include <sstream>

#include "agent/telling/space_asker.h"
#include "agent/telling/told_facts.h"
#include "base/files/file.h"
#include "base/text/text.h"
#include "memory/contradiction.h"
#include "memory/fact_proof.h"
#include "memory/formats/import_formats.h"
#include "memory/formats/triples_json.h"
#include "memory/names.h"
#include "memory/recall/recall_context.h"
#include "sparql/rdf_load.h"
#include "store/symbols.h"
#include "support/bench.h"
#include "support/sleep_world.h"
#include "tools/tool.h"

namespace anima {
namespace {

using Names = std::set<std::string>;

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

std::string thing(const std::string& letter) {
  return letter == "A" ? "Acme" : letter == "B" ? "Bolt" : "Cero";
}

store::Trust trust_named(const std::string& name) {
  if (name == "un") return store::Trust::kUntrusted;
  if (name == "st") return store::Trust::kStandard;
  return name == "ve" ? store::Trust::kVerified : store::Trust::kOperator;
}

store::Origin origin_of(const std::string& trust) {
  return {"teller of " + trust, "test", trust_named(trust), store::Sequence::kNone};
}

struct Case {
  std::string text, kind;
  std::vector<std::vector<std::string>> steps;
  Names holds, open, older;
};

std::vector<Case> read_cases() {
  std::ifstream file(ANIMA_SOURCE_DIR "/tests/cases/holds/what_holds.txt");
  std::vector<Case> cases;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line.front() == '#') continue;
    const std::size_t colon = line.find(':'), arrow = line.find("=>");
    Case one;
    one.text = line;
    one.kind = words_of(line.substr(0, colon)).at(0);
    std::istringstream steps(line.substr(colon + 1, arrow - colon - 1));
    for (std::string step; std::getline(steps, step, ';');) one.steps.push_back(words_of(step));
    Names* into = &one.holds;
    for (const std::string& word : words_of(line.substr(arrow + 2))) {
      if (word == "!" || word == "~") {
        into = word == "!" ? &one.open : &one.older;
      } else {
        into->insert(thing(word));
      }
    }
    cases.push_back(std::move(one));
  }
  return cases;
}

// kg_query as an agent runs it.
class JudgingBench final : public test::Bench {
 public:
  explicit JudgingBench(const store::Snapshot& snapshot)
      : Bench(snapshot), kept_(snapshot), contradictions_(kept_) {}
  std::string superseded(const store::Triple& triple) override {
    return contradictions_.superseded(triple);
  }

 private:
  store::Snapshot kept_;
  memory::Contradictions contradictions_;
};

class Table {
 public:
  explicit Table(const Case& it) : it_(it) {
    world_.tell(
        "UPSERT { CONCEPT { {type: \"$PropositionType\", name: \"works_at\"} SET ATTRIBUTES "
        "{functional: " +
            std::string(it.kind == "one" || lent() ? "true" : "false") + "} } }",
        Json::object(), lent() ? store::Trust::kUntrusted : store::Trust::kOperator);
    world_.tell(
        "UPSERT { CONCEPT { {type: \"Entity\", name: \"Ada\"} } CONCEPT { {type: \"Entity\", "
        "name: \"Twin\"} } CONCEPT { {type: \"Entity\", name: \"Acme\"} } CONCEPT { "
        "{type: \"Entity\", name: \"Bolt\"} } CONCEPT { {type: \"Entity\", name: "
        "\"Cero\"} } }",
        Json::object(), store::Trust::kOperator);
    for (const auto& step : it.steps) {
      world_.clock->advance(kMicrosecondsPerDay);
      take(step);
    }
  }

  void check_holders() {
    EXPECT_EQ(by_kip(), it_.holds) << "KIP";
    if (lent()) {
      EXPECT_EQ(by_kip("standard"), it_.holds) << "KIP, of what is trusted";
    }
  }

  void check() {
    check_holders();
    if (!value()) {
      EXPECT_EQ(by_path(), it_.holds) << "a path of KIP";
    }
    check_contradictions();
    check_recall();
    if (value()) {
      EXPECT_EQ(by_asking(), it_.holds) << "ask";
      return;
    }
    check_why();
    check_kg_query();
  }

 private:
  bool value() const { return it_.kind == "value"; }
  bool lent() const { return it_.kind == "lent"; }
  store::Snapshot now() { return world_.space->snapshot().value(); }

  void run(const std::string& command, const std::string& trust) {
    kip::Caller caller;
    caller.origin = origin_of(trust);
    const Json answer = world_.engine->execute(command, Json::object(), caller);
    EXPECT_FALSE(kip::has_error(answer)) << command << "\n" << answer.dump();
  }

  void state(const std::string& subject, const std::string& trust, const std::string& letter,
             const std::string& observed) {
    const std::string head =
        "UPSERT { CONCEPT { {type: \"Entity\", name: \"" + subject + "\"} SET ";
    if (value()) return run(head + "ATTRIBUTES {motto: \"" + thing(letter) + "\"} } }", trust);
    std::string links;
    for (const std::string_view one : split(letter, '+'))
      links += "(\"works_at\", {type: \"Entity\", name: \"" + thing(std::string(one)) + "\"}) ";
    run(head + "PROPOSITIONS { " + links + "} } }" +
            (observed.empty() ? "" : " WITH METADATA {observed_at: \"" + observed + "\"}"),
        trust);
  }

  void in_graph(const std::string& trust, const std::string& letter) {
    const auto written =
        world_.space->write(origin_of(trust), [&](store::Transaction& transaction) -> Status {
          store::AssertOptions options;
          options.graph = transaction.graph(memory::compartment_graph("p"));
          store::SymbolWriter symbols(transaction, options);
          if (!value()) {
            ANIMA_ASSIGN(const auto link, symbols.link("Ada", "works_at", thing(letter)));
            return transaction.assert_link(link, options).map([](store::EntityId) {});
          }
          ANIMA_ASSIGN(const auto ada, symbols.entity("Ada"));
          const store::Value text = store::Value::string(thing(letter));
          ANIMA_ASSIGN(const auto term, transaction.term(text.view()));
          return transaction.set_attribute(ada, "motto", std::span(&term, 1), options);
        });
    EXPECT_TRUE(written) << written.error().describe();
  }

  void from_file(const std::string& trust, const std::string& letter) {
    const std::string text = "[{\"subject\": \"Ada\", \"predicate\": \"works_at\", \"object\": \"" +
                             thing(letter) + "\"}]";
    const auto written =
        world_.space->write(origin_of(trust), [&](store::Transaction& transaction) -> Status {
          return memory::load_triples_json(transaction, text, "f.json", store::GraphId::kDefault)
              .map([](const memory::TriplesLoad&) {});
        });
    EXPECT_TRUE(written) << written.error().describe();
  }

  void from_rdf(const std::string& trust, const std::string& letters) {
    std::string text;
    for (const std::string_view one : split(letters, '+')) {
      text +=
          "<urn:anima:concept:Entity:Ada> <urn:anima:predicate:works_at> "
          "<urn:anima:concept:Entity:" +
          thing(std::string(one)) + "> .\n";
    }
    sparql::RdfLoadOptions options;
    options.format = sparql::RdfFormat::kNTriples;
    const auto written =
        world_.space->write(origin_of(trust), [&](store::Transaction& transaction) -> Status {
          return sparql::load_rdf(transaction, text, options).map([](const auto&) {});
        });
    EXPECT_TRUE(written) << written.error().describe();
  }

  void bound(const std::string& key, const std::vector<std::string>& step) {
    run("UPDATE ?l SET METADATA {" + key + ": \"" + step.at(3) +
            "\"} WHERE { ?l ({type: \"Entity\", name: \"Ada\"}, \"works_at\", {type: \"Entity\", "
            "name: \"" +
            thing(step.at(2)) + "\"}) }",
        step.at(1));
  }

  void take(const std::vector<std::string>& step) {
    const std::string& first = step.at(0);
    if (first == "sleep") {
      (void)world_.sleep();
    } else if (first == "fade") {
      world_.pass_days(70);
      (void)world_.sleep();
    } else if (first == "undo") {
      const store::Sequence last = now().sequence();
      const auto done = world_.space->undo(origin_of("op"), last, last, false, false);
      EXPECT_TRUE(done) << done.error().describe();
    } else if (first == "merge") {
      run("MERGE CONCEPT ?a INTO ?b WHERE { ?a {type: \"Entity\", name: \"Twin\"} ?b {type: "
          "\"Entity\", name: \"Ada\"} }",
          "op");
    } else if (first == "pack") {
      in_graph(step.at(1), step.at(2));
    } else if (first == "file") {
      from_file(step.at(1), step.at(2));
    } else if (first == "rdf") {
      from_rdf(step.at(1), step.at(2));
    } else if (first == "ends" || first == "begins") {
      bound(first == "ends" ? "valid_to" : "valid_from", step);
    } else {
      const bool worded = first == "twin" || first == "again";
      const std::size_t at = worded ? 1 : 0;
      const std::string observed = step.size() > at + 2 ? step[at + 2].substr(1) : "";
      state(first == "twin" ? "Twin" : "Ada", step.at(at), step.at(at + 1), observed);
    }
  }

  static Names names_in(const Json& list) {
    Names names;
    for (const Json& one : list.as_array()) {
      if (one.is_string()) names.insert(one.as_string());
      if (one.is_array()) names.merge(names_in(one));
    }
    return names;
  }

  Names by_kip(const std::string& min_trust = {}) {
    Json request = Json::object(
        {{"command",
          value() ? "FIND(?x.attributes.motto) WHERE { ?x {type: \"Entity\", name: \"Ada\"} }"
                  : "FIND(?o.name) WHERE { ({type: \"Entity\", name: \"Ada\"}, \"works_at\", ?o) "
                    "}"}});
    if (!min_trust.empty()) request.set("min_trust", min_trust);
    const Json answer = world_.engine->execute(request);
    EXPECT_FALSE(kip::has_error(answer)) << answer.dump();
    const Json* result = answer.find("result");
    return result == nullptr ? Names() : names_in(*result);
  }

  Names by_path() {
    return names_in(
        world_.tell("FIND(?o.name) WHERE { ({type: \"Entity\", name: \"Ada\"}, \"works_at\"{1,2}, "
                    "?o) }"));
  }

  Names by_asking() {
    const auto asker = agent::SpaceAsker::open(world_.space, system_files(), world_.clock).value();
    const ask::Answer answer = asker->ask("What is the motto of Ada?");
    Names names;
    for (const JsonArray& row : answer.rows) names.merge(names_in(Json(row)));
    names.erase("Ada");
    // What contradicts is said, and not hidden.
    for (const std::string& name : it_.open) {
      const bool told = std::any_of(
          answer.contradictions.begin(), answer.contradictions.end(),
          [&](const std::string& text) { return text.find(name) != std::string::npos; });
      EXPECT_TRUE(told) << "ask does not tell of " << name;
    }
    return names;
  }

  void check_contradictions() {
    const store::Snapshot view = now();
    Names open, older;
    for (const memory::Conflict& conflict : memory::Contradictions(view).all()) {
      (memory::is_open(conflict.verdict) ? open : older)
          .insert(std::string(value() ? view.value(conflict.superseded.object).text
                                      : view.name(conflict.superseded.object.as_entity())));
    }
    EXPECT_EQ(open, it_.open) << "open contradictions";
    EXPECT_EQ(older, it_.older) << "superseded";
  }

  void check_recall() {
    SeededRandom random{9};
    bus::EventBus events;
    govern::Guardian guardian{govern::PatternSet::shipped().value()};
    govern::Ledger ledger{*world_.space, *world_.clock, random};
    memory::MemoryManager manager{*world_.space, ledger, guardian, events, *world_.clock, random};
    const auto context = memory::recall_context(
        manager, now(), value() ? "What is the motto of Ada?" : "Ada works at");
    ASSERT_TRUE(context) << context.error().describe();
    for (const char* letter : {"A", "B", "C"}) {
      const std::string name = thing(letter);
      const bool said = context->text.find((value() ? "Ada .motto = " : "Ada works_at ") + name) !=
                        std::string::npos;
      const bool loses =
          !it_.holds.contains(name) && (it_.open.contains(name) || it_.older.contains(name));
      EXPECT_TRUE(said || !it_.holds.contains(name)) << "recall lacks " << name << context->text;
      EXPECT_FALSE(said && loses) << "recall tells " << name;
    }
  }

  void check_why() {
    const store::Snapshot view = now();
    const auto reasoner = memory::Reasoner::create(view, {}).value();
    const auto first =
        memory::prove_first(*world_.space, view, *reasoner, {"works_at(\"Ada\", X)"});
    EXPECT_EQ(first && first->superseded == 0, !it_.holds.empty()) << "why shows another first";
    for (const char* letter : {"A", "B", "C"}) {
      const std::string name = thing(letter);
      const auto proof =
          memory::prove_fact(*world_.space, view, *reasoner, "works_at(\"Ada\",\"" + name + "\")");
      if (!proof) {
        EXPECT_FALSE(it_.holds.contains(name)) << "no proof of " << name;
        continue;
      }
      EXPECT_EQ(proof->superseded == 0, it_.holds.contains(name)) << "why " << name;
    }
  }

  void check_kg_query() {
    tools::ToolTable table;
    tools::add_graph_tools(table);
    JudgingBench bench(now());
    const auto output = table.run("kg_query", {{"symbol", "Ada"}}, bench);
    ASSERT_TRUE(output);
    std::istringstream lines(output->result);
    for (std::string line; std::getline(lines, line);) {
      const std::string link = "-> works_at -> \"";
      const std::size_t at = line.find(link);
      if (at == std::string::npos) continue;
      EXPECT_EQ(line.find("(superseded") == std::string::npos,
                it_.holds.contains(line.substr(at + link.size(), 4)))
          << line;
    }
  }

  const Case& it_;
  test_support::SleepWorld world_;
};

// Sleep tidies, and tells nobody anything.
TEST(WhatHolds, IsTheSameAfterSleep) {
  for (Case it : read_cases()) {
    SCOPED_TRACE(it.text);
    it.steps.push_back({"sleep"});
    Table(it).check_holders();
  }
}

TEST(WhatHolds, IsTheSameAtEveryDoor) {
  const std::vector<Case> cases = read_cases();
  ASSERT_GE(cases.size(), 60U);
  for (const Case& it : cases) {
    SCOPED_TRACE(it.text);
    Table(it).check();
  }
}

// What the operator said is attacked by data of lower trust: every answer stays, and every attack
// is listed with who made it.
class Attacks : public ::testing::Test {
 protected:
  Attacks() {
    world_.tell(
        "UPSERT { CONCEPT { {type: \"$PropositionType\", name: \"works_at\"} SET ATTRIBUTES "
        "{functional: true} } CONCEPT { {type: \"Entity\", name: \"Acme\"} } CONCEPT { "
        "{type: \"Entity\", name: \"Ada\"} SET ATTRIBUTES {motto: \"Acme\"} SET "
        "PROPOSITIONS { (\"works_at\", {type: \"Entity\", name: \"Acme\"}) } } }",
        Json::object(), store::Trust::kOperator);
  }

  static std::string name_of(int number) { return "Evil" + std::to_string(number); }

  void by_kip(store::Trust trust, int number, const std::string& metadata, int times = 1) {
    kip::Caller caller;
    caller.origin = {"attacker", "page", trust, store::Sequence::kNone};
    for (int i = 0; i < times; ++i) {
      const Json answer = world_.engine->execute(
          "UPSERT { CONCEPT { {type: \"Entity\", name: \"" + name_of(number) +
              "\"} } CONCEPT { {type: \"Entity\", name: \"Ada\"} SET ATTRIBUTES {motto: \"" +
              name_of(number) +
              "\"} SET PROPOSITIONS { (\"works_at\", {type: \"Entity\", name: \"" +
              name_of(number) + "\"}) } } } WITH METADATA {" + metadata + "}",
          Json::object(), caller);
      ASSERT_FALSE(kip::has_error(answer)) << answer.dump();
    }
  }

  void by_file(store::Trust trust, int number, int kind) {
    const store::Origin origin{"attacker", "file", trust, store::Sequence::kNone};
    const auto written = world_.space->write(origin, [&](store::Transaction& it) -> Status {
      const std::string name = name_of(number);
      const auto graph =
          kind == 3 ? it.graph(memory::compartment_graph("evil")) : store::GraphId::kDefault;
      if (kind == 1) {
        return memory::load_csv(it, "subject,predicate,object\nAda,works_at," + name + "\n",
                                "f.csv", graph)
            .map([](const memory::FileLoad&) {});
      }
      if (kind == 2) {
        return memory::load_mcp_memory(
                   it,
                   "{\"type\":\"entity\",\"name\":\"Ada\",\"entityType\":\"Entity\","
                   "\"observations\":[]}\n"
                   "{\"type\":\"entity\",\"name\":\"" +
                       name +
                       "\",\"entityType\":\"Entity\",\"observations\":[]}\n{\"type\":\"relation\","
                       "\"from\":\"Ada\",\"to\":\"" +
                       name + "\",\"relationType\":\"works_at\"}\n",
                   "f.jsonl", graph)
            .map([](const memory::FileLoad&) {});
      }
      return memory::load_triples_json(it,
                                       "[{\"subject\": \"Ada\", \"predicate\": \"works_at\", "
                                       "\"object\": \"" +
                                           name + "\", \"confidence\": 1.0}]",
                                       "f.json", graph)
          .map([](const memory::TriplesLoad&) {});
    });
    ASSERT_TRUE(written) << written.error().describe();
  }

  void by_message(store::Trust trust, int number) {
    memory::NewMemory item;
    item.content = "the motto of Ada is " + name_of(number);
    item.trust = trust;
    item.created_by = "attacker";
    item.source = "page";
    memory::StoredMemory stored;
    stored.id = "m" + std::to_string(number);
    agent::LastFacts last;
    agent::ToldFacts told(world_.space, system_files(), *world_.clock, last);
    const auto kept = told.keep(item, &stored, {});
    ASSERT_TRUE(kept) << kept.error().describe();
  }

  void expect_the_operators_answers() {
    EXPECT_EQ(world_.ask("FIND(?o.name) WHERE { ({type: \"Entity\", name: \"Ada\"}, \"works_at\", "
                         "?o) }"),
              "[\"Acme\"]");
    EXPECT_EQ(
        world_.ask("FIND(?x.attributes.motto) WHERE { ?x {type: \"Entity\", name: \"Ada\"} }"),
        "[\"Acme\"]");
  }

  std::string listed() {
    const store::Snapshot now = world_.space->snapshot().value();
    std::string names;
    for (const memory::Conflict& conflict : memory::Contradictions(now).all()) {
      if (conflict.verdict != memory::Verdict::kOutranked) continue;
      names += store::term_label(now, conflict.superseded.object) + "\n";
    }
    return names;
  }

  test_support::SleepWorld world_;
};

TEST_F(Attacks, FortyOfThemChangeNoAnswerAndAreListed) {
  int number = 0;
  const auto after = [&] {
    expect_the_operators_answers();
    EXPECT_NE(listed().find(name_of(number) + "\n"), std::string::npos) << name_of(number);
  };
  const char* const metadata[] = {"confidence: 1.0",
                                  "observed_at: \"2099-01-01T00:00:00Z\"",
                                  "observed_at: \"2099-01-01\", valid_from: \"1990-01-01\"",
                                  "source: \"the operator\", author: \"operator\"",
                                  "verified_at: \"2026-01-01\", status: \"pinned\"",
                                  "created_at: \"2099-01-01T00:00:00Z\""};
  for (const store::Trust trust :
       {store::Trust::kUntrusted, store::Trust::kStandard, store::Trust::kVerified}) {
    for (const char* said : metadata) {
      by_kip(trust, ++number, said);
      after();
    }
    by_kip(trust, ++number, "confidence: 1.0", 100);
    after();
    for (int kind = 0; kind < 4; ++kind) {
      by_file(trust, ++number, kind);
      after();
    }
    for (int i = 0; i < 3; ++i) {
      by_message(trust, ++number);
      expect_the_operators_answers();
      EXPECT_NE(listed().find(name_of(number)), std::string::npos) << name_of(number);
    }
  }
  EXPECT_GE(number, 40);
}

}  // namespace
}  // namespace anima
