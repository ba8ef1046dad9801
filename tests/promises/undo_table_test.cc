// Undo puts back what the verb changed, whatever verb it was: the state that every reading verb
// shows, Anima's own books among it, is the one before.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/files/file.h"
#include "base/text/text.h"
#include "support/command.h"
#include "support/verb_lines.h"

namespace anima::undoing_test {
namespace {

struct Done {
  std::string words, input = {};
};
struct Case {
  std::string name;
  std::vector<Done> before;
  Done act;
};

// What each verb that writes to the log does to a space with something in it. `*` stands for the
// folder of the files.
const std::vector<Case>& cases() {
  static const std::vector<Case> table = {
      {"kip", {}, {"kip 'UPSERT { CONCEPT { {type: \"Person\", name: \"Ida\"} } }'"}},
      {"import", {}, {"import */one/triples.json"}},
      {"load", {}, {"load --yes */hosts.csv */notes.md"}},
      {"remember", {}, {"remember 'Tides follow the moon'"}},
      {"message", {}, {"message 'Tom Berger lives in Oslo.'"}},
      {"memory add", {}, {"memory add 'Tides follow the moon'"}},
      {"memory ingest", {}, {"memory ingest */notes.md"}},
      {"sleep", {}, {"sleep"}},
      {"sleep merge", {}, {"sleep merge 'Tom Berger' 'Ben Berg'"}},
      {"compartment load", {}, {"compartment load */one --activate"}},
      {"compartment unload", {{"compartment load */one --activate"}}, {"compartment unload one"}},
      {"compartment activate", {{"compartment load */one"}}, {"compartment activate one"}},
      {"compartment deactivate",
       {{"compartment load */one --activate"}},
       {"compartment deactivate one"}},
      {"compartment switch",
       {{"compartment load */two --activate"}, {"compartment load */three"}},
       {"compartment switch three"}},
      {"skill load", {}, {"skill load */one"}},
      {"skill unload", {{"skill load */one"}}, {"skill unload one"}},
      {"psyche set", {{"psyche set */ann.toml"}}, {"psyche set */bob.toml"}},
      {"psyche set", {}, {"psyche set */ann.toml"}},
      {"psyche drop-veto",
       {{"psyche set */ann.toml"}, {"psyche set */bob.toml"}},
       {"psyche drop-veto bobs"}},
      {"psyche reset", {{"psyche set */ann.toml"}}, {"psyche reset --confirm"}},
      {"agent repl", {{"psyche set */ann.toml"}}, {"agent repl", "veto qq\n"}},
      {"agent reflect", {{"run 'find out about Tom Berger'"}}, {"agent reflect"}},
      {"run", {{"psyche set */ann.toml"}}, {"run 'find out about Tom Berger'"}},
  };
  return table;
}

// Writing verbs whose effect undo does not speak of, and why.
const std::map<std::string, std::string>& beside() {
  static const std::map<std::string, std::string> verbs = {
      {"agent chat", "a conversation: each line is an act of its own"},
      {"agent consolidate", "as agent reflect"},
      {"agent cycle", "as run"},
      {"agent document", "as kip"},
      {"agent infer", "as kip"},
      {"agent plan", "as run"},
      {"agent prune", "it cannot be undone, as it says"},
      {"agent resume", "as run"},
      {"approve deny", "a record"},
      {"approve grant", "a record"},
      {"approver add", "a file"},
      {"approver init", "a file"},
      {"approver pin", "a file"},
      {"approver remove", "a file"},
      {"archive", "what is older is out of the reach of undo"},
      {"compact", "what is older is out of the reach of undo"},
      {"compartment accept", "a file"},
      {"compartment create", "a file"},
      {"council propose", "a record"},
      {"council veto", "a record"},
      {"council vote", "a record"},
      {"erase", "it cannot be undone, as it says"},
      {"forget", "it cannot be undone, as it says"},
      {"grammar load", "with --use as psyche set"},
      {"guard call", "a record"},
      {"guard halt", "a record"},
      {"guard resume", "a record"},
      {"learnings clear", "a file"},
      {"learnings decay", "a file"},
      {"learnings forget", "a file"},
      {"learnings import", "a file"},
      {"mcp", "a server: each call is an act of its own"},
      {"memory forget", "needs the id of a memory: undoing_test.cc"},
      {"memory review", "needs the id of a memory: undoing_test.cc"},
      {"memory update", "needs the id of a memory: undoing_test.cc"},
      {"memory verify", "a record"},
      {"migrate", "the log under another form"},
      {"plan abandon", "a record"},
      {"plan continue", "a record"},
      {"psyche reload", "as psyche set"},
      {"serve", "a server: each request is an act of its own"},
      {"skill scaffold", "a file"},
      {"sleep undo", "an undo, as undo"},
      {"tool add", "a file"},
      {"tool generate", "a file"},
      {"tool remove", "a file"},
      {"tool run", "what it does is outside of the space"},
      {"tool undo", "what it does is outside of the space"},
      {"undo", "its undo is tried with each"},
  };
  return verbs;
}

class UndoTable : public testing::Test {
 protected:
  void SetUp() override {
    write("ann.toml", veto("anns", "zzq") + "[persona]\nname = \"Ann\"\n");
    write("bob.toml", veto("bobs", "qqz") + "[persona]\nname = \"Bob\"\n");
    write("hosts.csv", "name,size\nweb,3\nmail,4\n");
    write("notes.md", "# Harbour\nThe crane is red.\n\n# Quay\nThe quay is long.\n");
    pack("one", "Skill", "Earth");
    pack("two", "Project", "Mars");
    pack("three", "Project", "Venus");
  }
  void write(const std::string& name, const std::string& text) {
    ASSERT_TRUE(replace_file(system_files(), folder_.file(name), text));
  }
  static std::string veto(const std::string& name, const std::string& trigger) {
    return "[[shadow.veto_patterns]]\nname = \"" + name + "\"\ntriggers = [\"" + trigger +
           "\"]\nseverity = 1.0\nexplanation = \"no\"\n";
  }
  void pack(const std::string& id, const std::string& kind, const std::string& planet) {
    ASSERT_TRUE(system_files().make_directories(folder_.file(id)));
    write(id + "/compartment.toml", "id = \"" + id + "\"\nname = \"" + id + "\"\nkind = \"" + kind +
                                        "\"\ndescription = \"\"\ntriples_file = \"triples.json\"\n"
                                        "tags = []\n");
    write(id + "/triples.json", "[{\"subject\": \"" + planet +
                                    "\", \"predicate\": \"orbits\", \"object\": \"Sun\", "
                                    "\"confidence\": 1.0}]");
  }
  test::Ran anima(const Done& done) {
    write("input", done.input);
    std::string words = done.words;
    for (std::size_t at; (at = words.find("*/")) != std::string::npos;)
      words.replace(at, 1, folder_.path());
    return test::run_command("HOME=" + folder_.path() + " USER=ada ANIMA_SPACE=" + space_ + " " +
                             ANIMA_BINARY_DIR + "/anima " + words + " <" + folder_.file("input") +
                             " 2>&1");
  }
  void begin(const std::vector<Done>& before) {
    space_ = folder_.file("space" + std::to_string(++spaces_));
    ASSERT_EQ(anima({"init"}).code, 0);
    ASSERT_EQ(anima({"kip '" + std::string(kPeople) + "'"}).code, 0);
    ASSERT_EQ(anima({"remember 'The moon is old'"}).code, 0);
    for (const Done& each : before) (void)anima(each);
  }
  // The words that books are written in come with the first entry of each, and stay.
  static bool defines_a_book(const std::string& line) {
    return (line.starts_with("<urn:anima:concept:%24ConceptType:") ||
            line.starts_with("<urn:anima:concept:%24PropositionType:")) &&
           line.find("<urn:anima:graph:urn%3Aanima") != std::string::npos;
  }
  static bool is_of_the_book_of_sleep(const std::string& line) {
    return line.find("<urn:anima:graph:urn%3Aanima%3Asleep>") != std::string::npos;
  }
  // What counts the records stays, so that no number is given twice.
  static bool counts_records(const std::string& line) {
    return line.starts_with("<urn:anima:concept:Ledger:anima%3Aprovenance>");
  }
  std::map<std::string, std::string> shown() {
    std::map<std::string, std::string> state;
    for (const char* verb : {"psyche show", "psyche export", "compartment list", "agent goals",
                             "memory show", "contradictions", "plan list"})
      state[verb] = anima({verb}).out;
    std::string& books = state["export"];
    const std::string exported = anima({"--books export --format nquads"}).out;
    for (const std::string_view one : split(exported, '\n')) {
      const std::string line(one);
      if (!defines_a_book(line) && !is_of_the_book_of_sleep(line) && !counts_records(line))
        books += line + "\n";
    }
    return state;
  }

  static constexpr std::string_view kPeople =
      "UPSERT { CONCEPT { {type: \"$ConceptType\", name: \"Person\"} } } "
      "UPSERT { CONCEPT { {type: \"Person\", name: \"Tom Berger\"} SET ATTRIBUTES { phone: "
      "\"112\" } } CONCEPT { {type: \"Person\", name: \"Ben Berg\"} } CONCEPT { {type: \"Person\", "
      "name: \"Ada Lovelace\"} } CONCEPT { {type: \"Person\", name: \"ada lovelace\"} } }";
  TemporaryDirectory folder_{"anima-undo-table"};
  std::string space_;
  int spaces_ = 0;
};

TEST_F(UndoTable, WhatIsUndoneIsAsItWas) {
  for (const Case& it : cases()) {
    SCOPED_TRACE(it.name);
    ASSERT_NO_FATAL_FAILURE(begin(it.before));
    const auto before = shown();
    const test::Ran acted = anima(it.act);
    const auto after = shown();
    EXPECT_NE(after, before) << acted.out;
    const test::Ran undone = anima({"undo last"});
    ASSERT_EQ(undone.code, 0) << undone.out;
    EXPECT_EQ(undone.out.find("undid remember of"), it.name == "remember" ? 0 : std::string::npos)
        << undone.out;
    for (const auto& [verb, text] : shown()) EXPECT_EQ(text, before.at(verb)) << verb;
    // And back again.
    const std::size_t entry = undone.out.find("anima undo ");
    ASSERT_NE(entry, std::string::npos) << undone.out;
    const test::Ran back =
        anima({undone.out.substr(entry + 6, undone.out.find(" brings") - entry - 6)});
    ASSERT_EQ(back.code, 0) << back.out;
    for (const auto& [verb, text] : shown()) EXPECT_EQ(text, after.at(verb)) << verb << " again";
  }
}

TEST_F(UndoTable, NoVerbThatWritesIsLeftOut) {
  std::set<std::string> tried;
  for (const Case& it : cases()) tried.insert(it.name);
  for (const test::OpeningLine& line : test::lines_with_effect()) {
    if (line.effect == test::LineEffect::kReads) continue;
    const std::string verb = line.words.at(0);
    const std::string longer = line.words.size() > 1 ? verb + " " + line.words[1] : verb;
    const bool known = tried.contains(verb) || tried.contains(longer) || beside().contains(verb) ||
                       beside().contains(longer);
    EXPECT_TRUE(known) << longer;
  }
}

// A veto that was dropped and came back forbids again, and its history says so.
TEST_F(UndoTable, AVetoThatComesBackIsInForce) {
  ASSERT_NO_FATAL_FAILURE(begin({{"psyche set */ann.toml"}, {"psyche set */bob.toml"}}));
  ASSERT_EQ(anima({"psyche drop-veto bobs"}).code, 0);
  const std::string dry = anima({"undo last --dry-run"}).out;
  EXPECT_NE(dry.find("psyche: veto bobs added: qqz"), std::string::npos) << dry;
  ASSERT_EQ(anima({"undo last"}).code, 0);
  EXPECT_NE(anima({"psyche show"}).out.find("bobs"), std::string::npos);
  const std::string told = anima({"psyche history"}).out;
  EXPECT_NE(told.rfind("veto bobs added"), std::string::npos) << told;
  EXPECT_GT(told.rfind("veto bobs added"), told.rfind("veto bobs removed")) << told;
  // What comes next builds on it.
  (void)anima({"run 'find out about Tom Berger'"});
  EXPECT_NE(anima({"psyche show"}).out.find("bobs"), std::string::npos);
}

// Where the state before is gone, that is said before anything is done.
TEST_F(UndoTable, APsycheThatWasPrunedIsNotUndone) {
  ASSERT_NO_FATAL_FAILURE(begin({{"psyche set */ann.toml"}, {"psyche set */bob.toml"}}));
  const std::string in_force = anima({"psyche show"}).out;
  ASSERT_EQ(anima({"agent prune --older-than '0 days'"}).code, 0);
  const auto now = shown();
  for (int i = 0; i < 3; ++i) (void)anima({"undo last"});
  EXPECT_EQ(anima({"psyche show"}).out, in_force);
}

// What somebody took back of a cycle no cycle does again, whatever it was taken back with.
TEST_F(UndoTable, SleepDoesNotDoAgainWhatWasTakenBack) {
  const std::vector<std::string> sleeps = {"sleep", "sleep --phase 6"};
  for (const std::string& sleep : sleeps) {
    for (const char* undo : {"undo last", "sleep undo 1"}) {
      SCOPED_TRACE(sleep + ", " + undo);
      ASSERT_NO_FATAL_FAILURE(begin({}));
      const std::string before = anima({"export"}).out;
      const test::Ran slept = anima({sleep});
      ASSERT_EQ(slept.code, 0) << slept.out;
      ASSERT_EQ(anima({undo}).code, 0);
      EXPECT_EQ(anima({"export"}).out, before);
      const std::string listed = anima({"sleep list"}).out;
      EXPECT_NE(listed.find("undone"), std::string::npos) << listed;
      EXPECT_EQ(anima({"sleep undo 1"}).code, 6) << "it is undone";
      (void)anima({"sleep --if-needed --every 1"});
      const std::string again = anima({"sleep"}).out;
      EXPECT_EQ(again.find("* merged: "), std::string::npos) << again;
      // Not when something about them changes, either.
      ASSERT_EQ(anima({"kip 'UPSERT { CONCEPT { {type: \"Person\", name: \"Ada Lovelace\"} SET "
                       "ATTRIBUTES { born: 1815 } } }'"})
                    .code,
                0);
      const std::string later = anima({"sleep"}).out;
      EXPECT_EQ(later.find("* merged: "), std::string::npos) << later;
      EXPECT_NE(anima({"kip 'FIND(?p) WHERE { ?p {type: \"Person\", name: \"ada lovelace\"} }'"})
                    .out.find("ada lovelace"),
                std::string::npos);
      // The owner's word makes one of them.
      EXPECT_EQ(anima({"sleep merge 'Ada Lovelace' 'ada lovelace'"}).code, 0);
    }
  }
}

// Every fact that comes and goes is told before.
TEST_F(UndoTable, ADryRunLeavesNoLinkOut) {
  ASSERT_NO_FATAL_FAILURE(begin({}));
  ASSERT_EQ(anima({"kip 'UPSERT { CONCEPT { {type: \"Person\", name: \"Ben Berg\"} SET "
                   "PROPOSITIONS { (\"belongs_to_domain\", {type: \"Domain\", name: \"Unsorted\"}) "
                   "} } }'"})
                .code,
            0);
  const std::string dry = anima({"undo last --dry-run"}).out;
  EXPECT_NE(dry.find("- Ben Berg belongs_to_domain Unsorted"), std::string::npos) << dry;
}

}  // namespace
}  // namespace anima::undoing_test
