// A link that has ended, or that has not begun, is told by no door as if it held, also where it is
// the only one of its predicate; the doors that give every statement give its time beside it.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <set>

#include "agent/telling/space_asker.h"
#include "agent/telling/told_facts.h"
#include "base/files/file.h"
#include "memory/contradiction.h"
#include "memory/fact_proof.h"
#include "memory/formats/transfer.h"
#include "memory/formats/triples_json.h"
#include "sparql/engine.h"
#include "support/bench.h"
#include "support/sleep_world.h"
#include "tools/tool.h"

namespace anima::ended_links_test {
namespace {

using Names = std::set<std::string>;

constexpr const char* kSpeaker = "Mara";

Names names_in(const Json& list) {
  Names names;
  for (const Json& one : list.as_array()) {
    if (one.is_string()) names.insert(one.as_string());
    if (one.is_array()) names.merge(names_in(one));
  }
  return names;
}

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

// A space in which somebody tells where Ada works.
class Told {
 public:
  void say(const std::string& sentence) {
    world.clock->advance(kMicrosecondsPerDay);
    memory::NewMemory item;
    item.content = sentence;
    item.trust = store::Trust::kOperator;
    item.created_by = kSpeaker;
    item.source = "session";
    const auto kept = told_.keep(item, nullptr, kSpeaker);
    ASSERT_TRUE(kept) << kept.error().describe();
    EXPECT_TRUE(kept->learnt() && kept->asks.empty()) << sentence << ": " << kept->asks;
  }
  void say_of_link(const std::string& company, const std::string& key, const std::string& time) {
    world.tell("UPDATE ?l SET METADATA {" + key + ": \"" + time +
                   "\"} WHERE { ?l ({type: \"Person\", name: \"Ada\"}, \"works_at\", {type: "
                   "\"Organisation\", name: \"" +
                   company + "\"}) }",
               Json::object(), store::Trust::kOperator);
  }
  void undo() {
    const store::Sequence last = now().sequence();
    const store::Origin origin{kSpeaker, "test", store::Trust::kOperator, store::Sequence::kNone};
    const auto done = world.space->undo(origin, last, last, false, false);
    ASSERT_TRUE(done) << done.error().describe();
  }
  store::Snapshot now() { return world.space->snapshot().value(); }

  test_support::SleepWorld world{"2026-06-01T00:00:00Z"};

 private:
  agent::LastFacts last_;
  agent::ToldFacts told_{world.space, system_files(), *world.clock, last_};
};

struct Case {
  const char* name;
  std::function<void(Told&)> make;
  Names holds, gone;
  bool came_back = false;  // its earlier time is told
};

const std::vector<Case>& cases() {
  static const std::vector<Case> kCases = {
      {"ended alone",
       [](Told& told) {
         told.say("Ada works at Initech.");
         told.say_of_link("Initech", "valid_to", "2026-06-02");
       },
       {},
       {"Initech"}},
      {"ended and replaced",
       [](Told& told) {
         told.say("Ada works at Initech.");
         told.say("Ada works at Globex.");
       },
       {"Globex"},
       {"Initech"}},
      {"ended by who takes it back",
       [](Told& told) {
         told.say("Ada works at Initech.");
         told.say("Ada left Initech.");
       },
       {},
       {"Initech"}},
      {"valid from the future",
       [](Told& told) {
         told.say("Ada works at Initech.");
         told.say_of_link("Initech", "valid_from", "2027-01-01");
       },
       {},
       {"Initech"}},
      {"opened again by undo",
       [](Told& told) {
         told.say("Ada works at Initech.");
         told.say("Ada left Initech.");
         told.undo();
       },
       {"Initech"},
       {}},
      {"told again",
       [](Told& told) {
         told.say("Ada works at Initech.");
         told.say("Ada left Initech.");
         told.say("Ada works at Initech.");
       },
       {"Initech"},
       {},
       true},
      {"of a predicate that has room for all",
       [](Told& told) {
         told.say("Ada works at Initech.");
         told.world.tell(
             "UPSERT { CONCEPT { {type: \"$PropositionType\", name: \"works_at\"} SET "
             "ATTRIBUTES {functional: false} } }",
             Json::object(), store::Trust::kOperator);
         told.say("Ada works at Globex.");
         told.say_of_link("Initech", "valid_to", "2026-06-03");
       },
       {"Globex"},
       {"Initech"}}};
  return kCases;
}

class Doors {
 public:
  Doors(Told& told, const Case& it) : told_(told), it_(it) {
    all_ = it.holds;
    all_.insert(it.gone.begin(), it.gone.end());
  }

  void check() {
    told_.world.clock->advance(kMicrosecondsPerDay);
    check_kip();
    check_ask();
    check_why();
    check_kg_query();
    check_sparql();
    check_exports();
  }

 private:
  Json find(const std::string& where, const char* valid_at = nullptr) {
    Json request = Json::object({{"command", "FIND(?o.name) WHERE { " + where + " }"}});
    if (valid_at != nullptr) request.set("valid_at", valid_at);
    kip::Caller caller;
    caller.readonly = true;
    const Json answer = told_.world.engine->execute(request, caller);
    EXPECT_FALSE(kip::has_error(answer)) << answer.dump();
    const Json* result = answer.find("result");
    return result == nullptr ? Json() : *result;
  }

  void check_kip() {
    const std::string ada = "{type: \"Person\", name: \"Ada\"}";
    const std::string of_type = "?o {type: \"Organisation\"} ";
    EXPECT_EQ(names_in(find("(" + ada + ", \"works_at\", ?o)")), it_.holds) << "FIND";
    EXPECT_EQ(names_in(find("(" + ada + ", \"works_at\"{1,2}, ?o)")), it_.holds) << "a path";
    EXPECT_EQ(names_in(find(of_type + "(" + ada + ", ?p, ?o)")), it_.holds) << "any predicate";
    EXPECT_EQ(names_in(find(of_type + "(?s, \"works_at\", ?o)")), it_.holds) << "any subject";
    EXPECT_EQ(names_in(find("?l (" + ada + ", \"works_at\", ?o)")), all_) << "the link by name";
    EXPECT_EQ(names_in(find("(" + ada + ", \"works_at\", ?o)", "any")), all_) << "at any time";
    Names without;
    std::set_difference(all_.begin(), all_.end(), it_.holds.begin(), it_.holds.end(),
                        std::inserter(without, without.end()));
    EXPECT_EQ(names_in(find(of_type + "NOT { (" + ada + ", \"works_at\", ?o) }")), without)
        << "NOT";
  }

  void check_ask() {
    const auto asker =
        agent::SpaceAsker::open(told_.world.space, system_files(), told_.world.clock).value();
    const ask::Answer answer = asker->ask("Where does Ada work?");
    Names rows;
    for (const JsonArray& row : answer.rows) rows.merge(names_in(Json(row)));
    EXPECT_EQ(rows, it_.holds) << answer.to_json().dump();
    const auto request = parse_json(answer.query);
    const Json asked =
        request && request->is_object() ? *request : Json::object({{"command", answer.query}});
    kip::Caller caller;
    caller.readonly = true;
    const Json again = told_.world.engine->execute(asked, caller);
    const Json* result = again.find("result");
    EXPECT_EQ(result == nullptr ? Names{"error"} : names_in(*result), it_.holds) << answer.query;
    for (const std::string& name : all_) {
      const ask::Answer sure = asker->ask("Does Ada work at " + name + "?");
      ASSERT_EQ(sure.rows.size(), 1U) << sure.to_json().dump();
      EXPECT_EQ(sure.rows[0][0].as_bool(), it_.holds.contains(name)) << name;
      const ask::Answer why = asker->ask("Why does Ada work at " + name + "?");
      ASSERT_EQ(why.rows.size(), 1U) << why.to_json().dump();
      EXPECT_EQ(why.rows[0][0].as_bool(), it_.holds.contains(name)) << why.to_json().dump();
    }
  }

  void check_why() {
    const store::Snapshot view = told_.now();
    const auto reasoner = memory::Reasoner::create(view, {}).value();
    for (const std::string& name : all_) {
      const auto proof = memory::prove_fact(*told_.world.space, view, *reasoner,
                                            "works_at(\"Ada\",\"" + name + "\")");
      ASSERT_TRUE(proof) << proof.error().describe();
      const std::string text = join_lines(proof->text_lines(50));
      EXPECT_EQ(proof->superseded == 0, it_.holds.contains(name)) << text;
      EXPECT_EQ(proof->ended == 0, it_.holds.contains(name)) << text;
      const bool says = text.find("ended on 2026-06-") != std::string::npos ||
                        text.find("holds from 2027-01-01 on") != std::string::npos;
      EXPECT_EQ(says, it_.gone.contains(name)) << text;
      if (says) {
        EXPECT_NE(text.find(", by "), std::string::npos) << text;
      }
    }
  }

  static std::string join_lines(const std::vector<std::string>& lines) {
    std::string text;
    for (const std::string& line : lines) text += line + "\n";
    return text;
  }

  void check_kg_query() {
    tools::ToolTable table;
    tools::add_graph_tools(table);
    JudgingBench bench(told_.now());
    const auto output = table.run("kg_query", {{"symbol", "Ada"}}, bench);
    ASSERT_TRUE(output);
    for (const std::string& name : all_) {
      const std::size_t at = output->result.find("-> works_at -> \"" + name);
      ASSERT_NE(at, std::string::npos) << output->result;
      const std::string line = output->result.substr(at, output->result.find('\n', at) - at);
      EXPECT_EQ(line.find("(superseded") == std::string::npos, it_.holds.contains(name)) << line;
    }
  }

  // Every statement, with its time.
  void check_sparql() {
    const auto engine = sparql::Engine::open(told_.world.space).value();
    const auto count = [&](const std::string& where) {
      const auto answer = engine->query("SELECT ?o WHERE { " + where + " }", {});
      EXPECT_TRUE(answer) << answer.error().describe();
      return answer ? answer->rows() : 0;
    };
    EXPECT_EQ(count("<urn:anima:concept:Person:Ada> <urn:anima:predicate:works_at> ?o"),
              all_.size());
    for (const std::string& name : it_.gone) {
      const std::string bound = it_.name == std::string("valid from the future")
                                    ? "<urn:anima:metadata:valid_from>"
                                    : "<urn:anima:metadata:valid_to>";
      EXPECT_EQ(count("?l <http://www.w3.org/1999/02/22-rdf-syntax-ns#object> "
                      "<urn:anima:concept:Organisation:" +
                      name + "> ; " + bound + " ?o"),
                1U)
          << name;
    }
  }

  void check_exports() {
    const store::Snapshot view = told_.now().knowledge();
    const auto text_in = [&](memory::TransferFormat format) {
      return memory::export_text(view, format).value();
    };
    const std::string quads = text_in(memory::TransferFormat::kNQuads);
    const std::string relations = text_in(memory::TransferFormat::kMcpMemory);
    const std::string triples = text_in(memory::TransferFormat::kTriplesJson);
    for (const std::string& name : all_) {
      const bool gone = it_.gone.contains(name);
      EXPECT_NE(quads.find("Person:Ada> <urn:anima:predicate:works_at> "
                           "<urn:anima:concept:Organisation:" +
                           name),
                std::string::npos);
      EXPECT_EQ(relations.find("\"to\":\"" + name + "\"") == std::string::npos, gone) << relations;
      const std::size_t at = triples.find("\"object\":\"" + name + "\"");
      ASSERT_NE(at, std::string::npos) << triples;
      const std::string line = triples.substr(at, triples.find('\n', at) - at);
      EXPECT_EQ(line.find("\"valid_") != std::string::npos, gone || it_.came_back) << line;
    }
    EXPECT_EQ(quads.find("urn:anima:metadata:valid_") != std::string::npos,
              !it_.gone.empty() || it_.came_back);
    check_loaded_again(triples);
  }

  // What one space exports, another holds alike.
  void check_loaded_again(const std::string& triples) {
    test_support::SleepWorld other{"2026-07-01T00:00:00Z"};
    const store::Origin origin{"loader", "f.json", store::Trust::kOperator, store::Sequence::kNone};
    const auto written = other.space->write(origin, [&](store::Transaction& it) -> Status {
      return memory::load_triples_json(it, triples, "f.json", store::GraphId::kDefault)
          .map([](const memory::TriplesLoad&) {});
    });
    ASSERT_TRUE(written) << written.error().describe();
    EXPECT_EQ(names_in(other.tell("FIND(?o.name) WHERE { ({name: \"Ada\"}, \"works_at\", ?o) }")),
              it_.holds);
  }

  Told& told_;
  const Case& it_;
  Names all_;
};

TEST(EndedLinks, HoldAtNoDoor) {
  for (const Case& it : cases()) {
    SCOPED_TRACE(it.name);
    Told told;
    it.make(told);
    Doors(told, it).check();
  }
}

TEST(EndedLinks, AnEarlierStateIsAskedAsOfThen) {
  Told told;
  told.say("Ada works at Initech.");
  told.say_of_link("Initech", "valid_to", "2026-06-20");
  const auto sequence = static_cast<std::int64_t>(told.now().sequence());
  told.world.pass_days(60);
  const auto found = [&](const Json& as_of) {
    Json request =
        Json::object({{"command", "FIND(?o.name) WHERE { ({name: \"Ada\"}, \"works_at\", ?o) }"}});
    if (!as_of.is_null()) request.set("as_of", as_of);
    return names_in(*told.world.engine->execute(request, {}).find("result"));
  };
  EXPECT_EQ(found(Json()), Names{});
  EXPECT_EQ(found(Json(sequence)), Names{"Initech"});
  EXPECT_EQ(found(Json("2026-06-10T00:00:00Z")), Names{"Initech"});
  EXPECT_EQ(found(Json("2026-06-25T00:00:00Z")), Names{});
}

}  // namespace
}  // namespace anima::ended_links_test
