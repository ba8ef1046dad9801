// The acting verbs as a user meets them: exit codes, JSON, and rows V4, A19, Z3 from outside.
#include <gtest/gtest.h>

#include "base/files/file.h"
#include "base/json/json.h"
#include "support/command.h"
#include "support/needs_sandbox.h"

namespace anima::acting_test {
namespace {

class Acting : public ::testing::Test {
 protected:
  void SetUp() override { test::init_space(folder_); }
  test::Ran anima(const std::string& arguments) const {
    return test::run_anima(folder_, arguments);
  }
  test::Ran load_astronomy() {
    return anima("compartment load " + std::string(ANIMA_SOURCE_DIR) +
                 "/examples/astronomy --activate");
  }
  void write(const std::string& name, std::string_view text) {
    ASSERT_TRUE(replace_file(system_files(), folder_.file(name), text).has_value());
  }

  TemporaryDirectory folder_{"anima-acting"};
};

TEST_F(Acting, CompartmentLifeCycle) {
  EXPECT_EQ(load_astronomy().code, 0);
  EXPECT_EQ(load_astronomy().code, 1);  // already_loaded
  const Json list = anima("compartment list --json").json();
  ASSERT_EQ(list.as_array().size(), 1U);
  EXPECT_EQ(list.as_array()[0].find("state")->as_string(), "Active");
  EXPECT_EQ(list.as_array()[0].find("triple_count")->as_integer(), 3);
  EXPECT_EQ(anima("compartment deactivate astronomy").code, 0);
  EXPECT_EQ(anima("compartment unload astronomy").code, 0);
  EXPECT_EQ(anima("compartment activate astronomy").code, 6);  // not there any more
  EXPECT_EQ(anima("compartment load nowhere").code, 6);
  EXPECT_EQ(anima("compartment create planets").code, 0);
  EXPECT_EQ(anima("compartment load planets").code, 0);
}

TEST_F(Acting, SignedPacks) {
  const std::string pack = folder_.file("sky"), key = folder_.file("pack.key");
  ASSERT_TRUE(system_files().make_directories(pack).has_value());
  write("sky/compartment.toml",
        "id = \"sky\"\nname = \"Sky\"\nkind = \"Skill\"\ntriples_file = \"t.json\"\n");
  write("sky/t.json", R"([{"subject": "Earth", "predicate": "orbits", "object": "Sun"}])");
  EXPECT_EQ(anima("compartment sign " + pack + " --key " + key).code, 6);  // there is no key
  const test::Ran made = anima("compartment sign " + pack + " --key " + key + " --new-key --json");
  ASSERT_EQ(made.code, 0);
  const std::string known = made.json().find("key")->as_string();
  EXPECT_EQ(anima("compartment accept " + known + " --name Ada").code, 0);
  EXPECT_EQ(anima("compartment keys --json").json().as_array().size(), 1U);
  EXPECT_TRUE(anima("compartment verify " + pack + " --json").json().find("accepted")->as_bool());
  const Json loaded = anima("compartment load " + pack + " --json").json();
  EXPECT_EQ(loaded.find("signed_by")->as_string(), known + " (accepted)");
  const test::Ran gone = anima("compartment unload sky --prove --json");
  EXPECT_EQ(gone.code, 0);
  EXPECT_TRUE(gone.json().find("proof")->find("exact")->as_bool());
  write("sky/t.json", "[]");
  EXPECT_EQ(anima("compartment load " + pack).code, 5);
  EXPECT_EQ(anima("compartment verify " + pack).code, 5);
  EXPECT_EQ(anima("compartment accept " + known + " --remove").code, 0);
  EXPECT_EQ(anima("compartment accept " + known + " --remove").code, 6);
}

TEST_F(Acting, V4_ProvenanceListsCompartmentAndFile) {
  ASSERT_EQ(load_astronomy().code, 0);
  const test::Ran ran = anima("provenance Earth");
  EXPECT_EQ(ran.code, 0);
  EXPECT_NE(ran.out.find("CompartmentLoaded(astronomy, triples.json)"), std::string::npos)
      << ran.out;
  const Json records = anima("provenance Earth --kind 15 --json").json();
  ASSERT_EQ(records.as_array().size(), 1U);
  EXPECT_EQ(records.as_array()[0].find("tag")->as_integer(), 15);
  EXPECT_EQ(anima("provenance Nowhere").code, 6);
  // What was told in KIP has no record of its own; its log entry says who and from where.
  ASSERT_EQ(anima("kip 'UPSERT { CONCEPT ?a { {type: \"Person\", name: \"Ada\"} } }'").code, 0);
  const Json told = anima("provenance Ada --json").json();
  ASSERT_EQ(told.as_array().size(), 1U);
  EXPECT_EQ(told.as_array()[0].find("kind")->as_string(), "Stated");
  EXPECT_EQ(told.as_array()[0].find("trust")->as_string(), "operator");
}

TEST_F(Acting, WhyReachesTheLogEntry) {
  ASSERT_EQ(load_astronomy().code, 0);
  const Json why = anima("why 'orbits(\"Earth\", X)' --json").json();
  EXPECT_EQ(why.find("fact")->as_string(), R"(orbits("Earth","Sun"))");
  const Json& asserted = why.find("proof")->as_array()[0].find("asserted")->as_array()[0];
  EXPECT_EQ(asserted.find("trust")->as_string(), "standard");
  EXPECT_EQ(asserted.find("provenance")->as_string(), "CompartmentLoaded(astronomy, triples.json)");
  EXPECT_EQ(anima("why 'orbits(\"Sun\", X)'").code, 6);
  // The same in plain words, and an attribute, whose value may be a number.
  EXPECT_EQ(anima("why Earth orbits Sun --json").json(), why);
  EXPECT_EQ(anima("why Earth orbits --json").json(), why);
  ASSERT_EQ(anima("kip 'UPSERT { CONCEPT ?a { {type: \"Person\", name: \"Ada L\"} "
                  "SET ATTRIBUTES {age: 36, code: \"36\"} } }'")
                .code,
            0);
  EXPECT_EQ(anima("why 'Ada L' age 36 --json").json().find("fact")->as_string(),
            R"(attribute("Ada L","age",36))");
  EXPECT_EQ(anima("why 'Ada L' code 36 --json").json().find("fact")->as_string(),
            R"(attribute("Ada L","code","36"))");
  EXPECT_EQ(anima("why 'Ada L' age 37").code, 6);
  EXPECT_EQ(anima("why-not Sun orbits Earth").code, 0);
  EXPECT_EQ(anima("why Earth").code, 1);
  EXPECT_EQ(anima("why 'orbits('").code, 1);
}

TEST_F(Acting, InferWritesWithConfidenceAndProvenance) {
  write("t.json", R"([{"subject": "Rex", "predicate": "is-a", "object": "dog"},
                      {"subject": "dog", "predicate": "is-a", "object": "mammal",
                       "confidence": 0.8}])");
  ASSERT_EQ(anima("import " + folder_.file("t.json") + " --trust operator").code, 0);
  const Json shown = anima("agent infer --dry-run --json").json();
  ASSERT_EQ(shown.as_array().size(), 1U);
  EXPECT_TRUE(shown.as_array()[0].find("entry")->is_null());
  const test::Ran ran = anima("agent infer --json");
  ASSERT_EQ(ran.code, 0) << ran.out;
  ASSERT_EQ(ran.json().as_array().size(), 1U) << ran.out;
  EXPECT_NEAR(ran.json().as_array()[0].find("confidence")->as_number(), 0.95 * 0.9, 1e-12);
  EXPECT_TRUE(ran.json().as_array()[0].find("entry")->is_integer());
  const Json records = anima("provenance Rex --kind 10 --json").json();
  ASSERT_EQ(records.as_array().size(), 1U);
  EXPECT_EQ(records.as_array()[0].find("text")->as_string(), "is-a-transitive");
  EXPECT_NEAR(records.as_array()[0].find("confidence")->as_number(), 0.855, 1e-12);
  EXPECT_EQ(records.as_array()[0].find("sources")->as_array().size(), 3U);
  EXPECT_TRUE(anima("agent infer --json").json().as_array().empty());  // nothing is new
  const Json audit = anima("audit log --author terminal --json").json();
  EXPECT_EQ(audit.find("entries")->as_array().size(), 2U);  // two calls passed the executor
  EXPECT_EQ(anima("replay last").code, 0);
}

TEST_F(Acting, InferStopsAtAVeto) {
  write("t.json", R"([{"subject": "Rex", "predicate": "is-a", "object": "dog"},
                      {"subject": "dog", "predicate": "is-a", "object": "mammal"}])");
  ASSERT_EQ(anima("import " + folder_.file("t.json") + " --trust operator").code, 0);
  write("psyche.toml",
        "[[shadow.veto_patterns]]\nname = \"no_mammals\"\ntriggers = [\"Rex is-a mammal\"]\n"
        "severity = 1.0\nexplanation = \"not about Rex\"\n");
  ASSERT_EQ(anima("psyche set " + folder_.file("psyche.toml")).code, 0);
  EXPECT_EQ(anima("agent infer").code, 3);
  EXPECT_EQ(anima("agent infer --dry-run --json").json().as_array().size(), 1U);
  EXPECT_EQ(anima("provenance --kind 16 --json").json().as_array().size(), 1U);
  EXPECT_EQ(anima("replay last").code, 0);
}

TEST_F(Acting, WhyShowsWhichOfTwoContradictingFactsIsEffective) {
  ASSERT_EQ(anima("kip 'UPSERT { CONCEPT ?p { {type: \"$PropositionType\", name: \"capital\"} SET "
                  "ATTRIBUTES { functional: true } } }'")
                .code,
            0);
  for (const char* city : {"Bonn", "Berlin"}) {
    write("t.json", R"([{"subject": "Germany", "predicate": "capital", "object": ")" +
                        std::string(city) + "\"}]");
    ASSERT_EQ(anima("import " + folder_.file("t.json") + " --trust operator").code, 0);
  }
  const test::Ran lost = anima("why 'capital(\"Germany\", \"Bonn\")'");
  EXPECT_EQ(lost.code, 0);
  EXPECT_NE(lost.out.find("superseded by \"Germany\" capital \"Berlin\"\n"), std::string::npos)
      << lost.out;
  EXPECT_NE(
      lost.out.find("capital is functional; \"Germany\" capital \"Berlin\" was observed last"),
      std::string::npos)
      << lost.out;
  EXPECT_NE(lost.out.find("rests on 1 superseded fact:"), std::string::npos) << lost.out;
  const Json won = anima("why 'capital(\"Germany\", \"Berlin\")' --json").json();
  EXPECT_EQ(won.find("superseded")->as_integer(), 0);
  const Json& dispute = won.find("proof")->as_array()[0].find("contradictions")->as_array().at(0);
  EXPECT_FALSE(dispute.find("superseded")->as_bool());
  EXPECT_EQ(dispute.find("other")->as_string(), "\"Germany\" capital \"Bonn\"");
}

TEST_F(Acting, WhyShowsHowSureARuleIs) {
  ASSERT_TRUE(system_files().make_directories(folder_.file("kinds")).has_value());
  write("kinds/compartment.toml",
        "id = \"kinds\"\nname = \"Kinds\"\nkind = \"Skill\"\ntriples_file = \"t.json\"\n"
        "rules_file = \"rules.toml\"\n");
  write("kinds/t.json", R"([{"subject": "Rex", "predicate": "is-a", "object": "dog"},
                            {"subject": "dog", "predicate": "is-a", "object": "mammal",
                             "confidence": 0.8}])");
  write("kinds/rules.toml",
        "[[rule]]\nname = \"kinds of kinds\"\nconfidence = 0.9\n"
        "if = [[\"?x\", \"is-a\", \"?y\"], [\"?y\", \"is-a\", \"?z\"]]\n"
        "then = [[\"?x\", \"kind-of\", \"?z\"]]\n");
  ASSERT_EQ(anima("compartment load " + folder_.file("kinds") + " --activate").code, 0);
  const test::Ran text = anima("why 'kind_of(\"Rex\", X)'");
  EXPECT_NE(text.out.find("kind_of(\"Rex\",\"mammal\") [0.81]"), std::string::npos) << text.out;
  EXPECT_NE(text.out.find("confidence: 0.81"), std::string::npos) << text.out;
  const Json json = anima("why 'kind_of(\"Rex\", X)' --json").json();
  EXPECT_NEAR(json.find("confidence")->as_number(), 0.81, 1e-12);
  write("kinds/rules.toml", "[[rule]]\nname = \"odd\"\nconfidence = 2\nif = []\nthen = []\n");
  EXPECT_EQ(anima("compartment unload kinds").code, 0);
  EXPECT_EQ(anima("compartment load " + folder_.file("kinds")).code, 1);
}

TEST_F(Acting, RunEndsAndResumes) {
  ASSERT_EQ(load_astronomy().code, 0);
  const test::Ran ran =
      anima("run --max-cycles 3 --criteria 'words that never occur' find out about Mars");
  EXPECT_EQ(ran.code, 7);
  EXPECT_NE(ran.out.find("Mars orbits Sun"), std::string::npos) << ran.out;
  const Json goals = anima("agent goals --json").json();
  EXPECT_EQ(goals.as_array()[0].find("cycles_worked")->as_integer(), 3);
  EXPECT_EQ(anima("agent resume --max-cycles 1").code, 7);
  EXPECT_EQ(anima("agent goals --json").json().as_array()[0].find("cycles_worked")->as_integer(),
            4);
  EXPECT_EQ(anima("agent plan").code, 0);
  EXPECT_EQ(anima("agent reflect").code, 0);
  EXPECT_EQ(anima("agent consolidate").code, 0);
  EXPECT_EQ(anima("agent recall Mars").code, 0);
  EXPECT_EQ(anima("run").code, 2);
}

TEST_F(Acting, RunWorksOnWhatIsAskedNowAndEndsWithIt) {
  ASSERT_EQ(load_astronomy().code, 0);
  const std::string never = "run --max-cycles 2 --criteria 'words that never occur' ";
  EXPECT_EQ(anima(never + "find out about Mars").code, 7);
  const Json run = anima("run --criteria 'Earth orbits' find out about Earth --json").json();
  EXPECT_EQ(run.find("end")->as_string(), "done");
  EXPECT_EQ(run.find("goals")->as_array()[0].find("status")->as_string(), "completed");
  Json goals = anima("agent goals --json").json();
  ASSERT_EQ(goals.as_array().size(), 2U);
  EXPECT_EQ(goals.as_array()[0].find("cycles_worked")->as_integer(), 2);
  EXPECT_EQ(anima(never + "find out about the Sun").code, 7);
  EXPECT_EQ(anima(never + "find out about Mars").code, 7);  // asked again: before the Sun
  goals = anima("agent goals --json").json();
  EXPECT_EQ(goals.as_array()[0].find("cycles_worked")->as_integer(), 4);
  EXPECT_EQ(goals.as_array()[2].find("cycles_worked")->as_integer(), 2);
}

TEST_F(Acting, RunSaysTheAnswerOrWhatIsMissingOrWhatWaits) {
  ANIMA_NEEDS(test::kUserNamespaces, test::has_user_namespaces());
  ASSERT_TRUE(system_files().make_directories(folder_.file("space/work")));
  ASSERT_TRUE(replace_file(system_files(), folder_.file("space/work/notes.txt"), "high at nine"));
  const test::Ran read = anima("run 'read the file ./notes.txt'");
  EXPECT_EQ(read.code, 0) << read.out;
  EXPECT_NE(read.out.find("high at nine"), std::string::npos) << read.out;
  EXPECT_EQ(read.out.find("Cycle 1"), std::string::npos) << read.out;
  EXPECT_NE(anima("run -v --fresh 'read the file ./notes.txt'").out.find("Cycle 1"),
            std::string::npos);
  const test::Ran nothing = anima("run hum a polka");
  EXPECT_EQ(nothing.code, 1);
  EXPECT_NE(nothing.out.find("nothing is known about hum, polka"), std::string::npos)
      << nothing.out;
  const test::Ran waits = anima("run 'run the shell command `rm ./notes.txt`'");
  EXPECT_EQ(waits.code, 4) << waits.out;
  EXPECT_NE(waits.out.find("It waits for approval"), std::string::npos) << waits.out;
}

TEST_F(Acting, StreamIsOneEventALine) {
  const test::Ran ran =
      anima("run --output-format stream-json --max-cycles 2 --criteria 'zzzz qqqq' xyzzy plugh");
  std::size_t cycles = 0, at = 0;
  while (at < ran.out.size()) {
    const std::size_t end = ran.out.find('\n', at);
    ASSERT_NE(end, std::string::npos);
    const auto event = parse_json(ran.out.substr(at, end - at));
    ASSERT_TRUE(event.has_value()) << ran.out.substr(at, end - at);
    if (event->find("type")->as_string() == "cycle") ++cycles;
    at = end + 1;
  }
  EXPECT_EQ(cycles, 2U);
}

TEST_F(Acting, PsycheIsShownSetExportedAndReset) {
  write("psyche.toml", "[persona]\nname = \"Mentor\"\n");
  EXPECT_EQ(anima("psyche set " + folder_.file("psyche.toml")).code, 0);
  const Json psyche = anima("psyche show --json").json();
  EXPECT_EQ(psyche.find("persona")->find("name")->as_string(), "Mentor");
  EXPECT_EQ(psyche.find("shadow")->find("veto_patterns")->as_array().size(), 1U);
  EXPECT_NE(anima("psyche export -").out.find("name = \"Mentor\""), std::string::npos);
  EXPECT_EQ(anima("psyche reset").code, 3);
  EXPECT_EQ(anima("psyche reset --confirm").code, 0);
  write("broken.toml", "[archetypes]\nsage = 3\n");
  EXPECT_EQ(anima("psyche set " + folder_.file("broken.toml")).code, 1);
  EXPECT_EQ(anima("psyche show --json").json().find("persona")->find("name")->as_string(),
            "Scholar");
}

}  // namespace
}  // namespace anima::acting_test
