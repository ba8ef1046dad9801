// anima load as a user meets it: the example, its questions, what is refused, and what it says.
#include <gtest/gtest.h>

#include <fstream>

#include "base/files/file.h"
#include "base/text/text.h"
#include "support/command.h"

namespace anima::load_verb_test {
namespace {

class LoadVerb : public ::testing::Test {
 protected:
  void SetUp() override { test::init_space(folder_); }
  test::Ran anima(const std::string& arguments) const {
    return test::run_anima(folder_, arguments, "2>&1 </dev/null");
  }
  std::string file(const std::string& name, const std::string& text) const {
    std::ofstream(folder_.file(name)) << text;
    return folder_.file(name);
  }
  std::string ask(const std::string& question) const {
    const test::Ran ran = anima("ask --json '" + question + "'");
    const auto json = parse_json(trim(ran.out));
    EXPECT_TRUE(json) << ran.out;
    const Json* text = json ? json->find("answer") : nullptr;
    return text == nullptr ? ran.out : text->as_string();
  }

  TemporaryDirectory folder_{"anima-load"};
  const std::string homelab_ = std::string(ANIMA_SOURCE_DIR) + "/examples/homelab";
};

TEST_F(LoadVerb, TheHomelabLoadsByItsProposedMappingAndAnswers) {
  const std::string files = "--trust verified " + homelab_ + "/hosts.csv " + homelab_ +
                            "/services.csv " + homelab_ + "/incidents.csv";
  const test::Ran first = anima("load --yes " + files);
  ASSERT_EQ(first.code, 0) << first.out;
  for (const char* said : {"20 Host new", "40 Service new", "60 Incident new", "anima undo"})
    EXPECT_NE(first.out.find(said), std::string::npos) << said << "\n" << first.out;
  const test::Ran second = anima("load --yes " + files);
  EXPECT_EQ(second.code, 0);
  EXPECT_NE(second.out.find("the space knew all of this already"), std::string::npos) << second.out;
  EXPECT_EQ(ask("Which services run on borea?"), "gitea; keycloak; nextcloud; paperless; traefik");
  EXPECT_EQ(ask("Which host has the most services?"), "atlas: 9 (count)");
  EXPECT_EQ(ask("What is the total memory of the hosts?"), "713 gb");
  EXPECT_EQ(ask("How many incidents were there in May 2026?"), "8");
  EXPECT_EQ(ask("Which services had critical incidents?"),
            "media-share; nextcloud; postgres; traefik");
  EXPECT_EQ(ask("Which hosts were bought before 2020?"), "ember; kelp");
  const test::Ran why = anima("why nextcloud runs_on borea");
  EXPECT_NE(why.out.find("services.csv, row 5"), std::string::npos) << why.out;
}

TEST_F(LoadVerb, AsksAndSaysWhatToTypeWhereNobodyAnswers) {
  const std::string hosts = file("hosts.csv", "name,ram\nborea,64\natlas,8\n");
  const test::Ran ran = anima("load " + hosts);
  EXPECT_EQ(ran.code, 2);
  EXPECT_NE(ran.out.find("row 2: Host \"borea\": ram 64"), std::string::npos) << ran.out;
  EXPECT_NE(ran.out.find("anima load " + hosts + " --yes"), std::string::npos) << ran.out;
  EXPECT_NE(anima("stats").out.find("2"), std::string::npos);
  EXPECT_EQ(anima("load --dry-run " + hosts).code, 0);
  EXPECT_EQ(anima("kip 'FIND(COUNT(?h)) WHERE { ?h {type: \"Host\"} }'").code, 1);
}

TEST_F(LoadVerb, NamesAWrongCellAndLoadsNothing) {
  const std::string hosts = file("hosts.csv", "name,port\na,1\nb,2\nc,lots\n");
  const test::Ran ran = anima("load --yes " + hosts);
  EXPECT_EQ(ran.code, 1);
  EXPECT_NE(ran.out.find("row 4, column port: \"lots\" is no whole number"), std::string::npos)
      << ran.out;
  EXPECT_EQ(anima("load --yes --as port=text " + hosts).code, 0);
}

TEST_F(LoadVerb, ExportsAndTakesAMapping) {
  const std::string hosts = file("hosts.csv", "name,ram\nborea,64\natlas,8\n");
  const std::string mapping = folder_.file("mapping.json");
  ASSERT_EQ(anima("load --type Machine --export-mapping " + mapping + " " + hosts).code, 0);
  ASSERT_EQ(anima("load --mapping " + mapping + " " + hosts).code, 0);
  EXPECT_EQ(ask("How many machines are there?"), "2 (It rests on what is not trusted.)");
  EXPECT_EQ(anima("load --link ram " + hosts).code, 2);
  EXPECT_EQ(anima("load --key nothing --yes " + hosts).code, 1);
  EXPECT_EQ(anima("load --yes " + folder_.file("missing.csv")).code, 6);
}

TEST_F(LoadVerb, GivesFactsTheTrustThatIsSaid) {
  const std::string hosts = file("hosts.csv", "name,ram\nborea,64\natlas,8\n");
  ASSERT_EQ(anima("load --yes --trust verified --source inventory " + hosts).code, 0);
  const test::Ran ran = anima(
      "kip 'FIND(?h.metadata._trust, ?h.metadata._source) WHERE { ?h {type: \"Host\", name: "
      "\"borea\"} }'");
  EXPECT_NE(ran.out.find(" 3 "), std::string::npos) << ran.out;
  EXPECT_NE(ran.out.find("inventory"), std::string::npos) << ran.out;
}

TEST_F(LoadVerb, RemembersTheSectionsOfMarkdown) {
  const std::string notes = homelab_ + "/notes/runbook.md " + homelab_ + "/notes/decisions.md";
  const test::Ran first = anima("load --yes --trust standard " + notes);
  ASSERT_EQ(first.code, 0) << first.out;
  EXPECT_NE(first.out.find("runbook.md: 5 sections: 5 new memories"), std::string::npos)
      << first.out;
  const Json before = test::run_anima(folder_, "audit verify --json").json();
  const test::Ran second = anima("load --yes --trust standard " + notes);
  EXPECT_NE(second.out.find("runbook.md: 5 sections: 0 new memories"), std::string::npos)
      << second.out;
  EXPECT_EQ(test::run_anima(folder_, "audit verify --json").json().dump(), before.dump());
  const test::Ran found = anima("memory search \"spare disks\"");
  EXPECT_NE(found.out.find("Runbook"), std::string::npos) << found.out;
}

TEST_F(LoadVerb, LoadsAFolderOfNotes) {
  const std::string vault = folder_.file("vault");
  ASSERT_TRUE(system_files().make_directories(vault + "/people").has_value());
  ASSERT_TRUE(system_files().make_directories(vault + "/.obsidian").has_value());
  file("vault/Greenhouse.md", "# Greenhouse\n\nHeated by [[Boiler|the boiler]].\n");
  file("vault/people/Ada.md",
       "---\ntags: [garden]\n---\n# Ada\n\nLooks after it.\n\n## Contact\n\nada@example.org\n");
  file("vault/hosts.csv", "name,ram\nborea,64\natlas,8\n");
  file("vault/.obsidian/app.json", "{\"theme\": \"dark\"}");
  file("vault/cover.png", "no text");
  const test::Ran first = anima("load --yes --trust standard " + vault);
  ASSERT_EQ(first.code, 0) << first.out;
  EXPECT_NE(first.out.find("Greenhouse.md: 1 section: 1 new memory"), std::string::npos)
      << first.out;
  EXPECT_NE(first.out.find("people/Ada.md: "), std::string::npos) << first.out;
  EXPECT_NE(first.out.find("hosts.csv"), std::string::npos) << first.out;
  EXPECT_EQ(first.out.find("app.json"), std::string::npos) << first.out;
  const test::Ran second = anima("load --yes --trust standard " + vault);
  EXPECT_NE(second.out.find("Greenhouse.md: 1 section: 0 new memories"), std::string::npos)
      << second.out;
  EXPECT_NE(anima("memory search boiler").out.find("Greenhouse"), std::string::npos);
  EXPECT_EQ(ask("How many hosts are there?"), "2");
  const test::Ran none = anima("load --yes " + vault + "/.obsidian");
  EXPECT_EQ(none.code, 0) << none.out;
  ASSERT_TRUE(system_files().make_directories(folder_.file("empty")).has_value());
  EXPECT_EQ(anima("load --yes " + folder_.file("empty")).code, 6);
}

TEST_F(LoadVerb, ReplacesTheMemoryOfAChangedSection) {
  const std::string note = file("n.md", "# Disks\n\nThere are two.\n\n# Fans\n\nLoud.\n");
  ASSERT_EQ(anima("load --yes --trust standard " + note).code, 0);
  file("n.md", "# Disks\n\nThere are three.\n\n# Fans\n\nLoud.\n");
  const test::Ran again = anima("load --yes --trust standard " + note);
  EXPECT_NE(again.out.find("1 new memory, 1 replaced or gone"), std::string::npos) << again.out;
  const test::Ran found = anima("memory search Disks --json");
  EXPECT_EQ(found.out.find("are two"), std::string::npos) << found.out;
  EXPECT_NE(found.out.find("are three"), std::string::npos) << found.out;
}

}  // namespace
}  // namespace anima::load_verb_test
