// What is to be whole or not there is so whenever, and however gently, it is stopped. The moment of
// the signal is anybody's guess, and so is which of the two it is.
#include <gtest/gtest.h>

#include <string>

#include "base/files/file.h"
#include "support/command.h"

namespace anima {
namespace {

class CutOff : public testing::Test {
 protected:
  test::Ran anima(const std::string& words, const std::string& under = {}) {
    return test::run_command("ANIMA_SPACE=" + folder_.file("space") + std::to_string(spaces_) +
                             " " + under + " " + ANIMA_BINARY_DIR + "/anima " + words +
                             " 2>&1 </dev/null");
  }
  void begin() {
    ++spaces_;
    ASSERT_EQ(anima("init").code, 0);
  }
  // The program is given so long, then the signal.
  static std::string stopped(const std::string& signal, int milliseconds) {
    return "timeout --preserve-status -s " + signal + " 0." + (milliseconds < 100 ? "0" : "") +
           std::to_string(milliseconds);
  }

  TemporaryDirectory folder_{"anima-cut-off"};
  int spaces_ = 0;
};

TEST_F(CutOff, ALoadIsAllOfItOrNothing) {
  constexpr int kSections = 60;
  std::string notes;
  for (int i = 0; i < kSections; ++i)
    notes += "# Quay " + std::to_string(i) + "\nThe crane " + std::to_string(i) + " is red.\n\n";
  ASSERT_TRUE(replace_file(system_files(), folder_.file("notes.md"), notes));
  ASSERT_TRUE(replace_file(system_files(), folder_.file("hosts.csv"), "name,size\nweb,3\n"));
  const std::string load =
      "load --yes " + folder_.file("hosts.csv") + " " + folder_.file("notes.md");
  for (const char* signal : {"TERM", "INT", "KILL"}) {
    for (const int milliseconds : {60, 120, 250, 500, 900}) {
      SCOPED_TRACE(std::string(signal) + " after " + std::to_string(milliseconds));
      ASSERT_NO_FATAL_FAILURE(begin());
      (void)anima(load, stopped(signal, milliseconds));
      // Who opens it for writing next clears away what a killed process left.
      ASSERT_EQ(anima("kip 'UPSERT { CONCEPT { {type: \"$ConceptType\", name: \"Pier\"} } }'").code,
                0);
      const auto shown = anima("--json memory show").json();
      const std::size_t sections = shown.find("items")->as_array().size();
      const bool table = anima("export").out.find("web") != std::string::npos;
      EXPECT_TRUE(sections == (table ? kSections : 0))
          << sections << (table ? " and " : ", not ") << "the table";
    }
  }
}

// No file may grow any further: as a disk that is full, in the middle of an act or before it.
TEST_F(CutOff, WhatTheDiskEndsIsAllOfItOrNothing) {
  int refused = 0, done = 0;
  for (int kib = 16; kib <= 256; kib += kib < 96 ? 4 : 32) {
    SCOPED_TRACE(kib);
    ASSERT_NO_FATAL_FAILURE(begin());
    const std::string limit = "bash -c 'ulimit -f " + std::to_string(kib) + "; exec \"$@\"' bash";
    ASSERT_EQ(anima("--json remember 'Ada Berg lives in Rome.'").code, 0);
    const auto items = anima("--json memory show").json();
    ASSERT_EQ(items.find("items")->as_array().size(), 1U);
    const std::string id(items.find("items")->as_array()[0].find("id")->as_string());
    const bool told =
        anima("message 'My wife is Klara Nordmann. I work at Globex.'", limit).code == 0;
    const bool updated =
        anima("memory update " + id + " 'Ada Berg lives in Paris.'", limit).code == 0;
    // Who opens it for writing next clears away what could not be taken back.
    ASSERT_EQ(anima("kip 'UPSERT { CONCEPT { {type: \"$ConceptType\", name: \"Pier\"} } }'").code,
              0);
    const std::string known = anima("export").out;
    const std::string kept = anima("--json memory show").out;
    for (const char* name : {"Klara", "Globex"})
      EXPECT_EQ(known.find(name) != std::string::npos, told) << name;
    EXPECT_EQ(kept.find("lives in Paris") != std::string::npos, updated);
    EXPECT_EQ(kept.find("lives in Rome") != std::string::npos, !updated);
    const std::string where = anima("ask 'Where does Ada Berg live?'").out;
    EXPECT_NE(where.find(updated ? "Paris" : "Rome"), std::string::npos) << where;
    (told ? done : refused) += 1;
    (updated ? done : refused) += 1;
  }
  EXPECT_GT(refused, 0);
  EXPECT_GT(done, 0);
}

TEST_F(CutOff, ACompartmentIsActiveOrNotLoaded) {
  ASSERT_TRUE(system_files().make_directories(folder_.file("one")));
  ASSERT_TRUE(replace_file(system_files(), folder_.file("one/compartment.toml"),
                           "id = \"one\"\nname = \"one\"\nkind = \"Skill\"\ndescription = \"\"\n"
                           "triples_file = \"triples.json\"\ntags = []\n"));
  ASSERT_TRUE(replace_file(system_files(), folder_.file("one/triples.json"),
                           "[{\"subject\": \"Earth\", \"predicate\": \"orbits\", \"object\": "
                           "\"Sun\", \"confidence\": 1.0}]"));
  for (int milliseconds = 10; milliseconds < 200; milliseconds += 10) {
    ASSERT_NO_FATAL_FAILURE(begin());
    (void)anima("compartment load " + folder_.file("one") + " --activate",
                stopped("KILL", milliseconds));
    ASSERT_EQ(anima("kip 'UPSERT { CONCEPT { {type: \"$ConceptType\", name: \"Pier\"} } }'").code,
              0);
    const std::string listed = anima("compartment list").out;
    EXPECT_EQ(listed.find("Loaded"), std::string::npos) << milliseconds << "\n" << listed;
  }
}

}  // namespace
}  // namespace anima
