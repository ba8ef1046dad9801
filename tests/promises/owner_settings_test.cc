// Psyche and compartments keep what the owner set, as a user meets it.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "base/files/file.h"
#include "base/json/json.h"
#include "base/text/text.h"
#include "support/command.h"

namespace anima {
namespace {

constexpr std::string_view kOffline =
    "[[shadow.veto_patterns]]\nname = \"offline\"\ntriggers = [\"http:fetch\"]\nseverity = 1.0\n"
    "explanation = \"stay offline\"\n";

class OwnerSettings : public ::testing::Test {
 protected:
  void SetUp() override { test::init_space(folder_); }
  test::Ran anima(const std::string& arguments) const {
    return test::run_anima(folder_, arguments);
  }
  // With what it warns of.
  test::Ran told_by(const std::string& arguments) const {
    return test::run_anima(folder_, arguments, "2>&1 </dev/null");
  }
  void write(const std::string& name, std::string_view text) {
    const std::string path = folder_.file(name);
    ASSERT_TRUE(system_files().make_directories(path.substr(0, path.rfind('/'))).has_value());
    ASSERT_TRUE(replace_file(system_files(), path, text).has_value());
  }
  // The folder of a Core compartment with this psyche.
  void write_core(std::string_view psyche) {
    write("core/me/compartment.toml", "id = \"me\"\nname = \"Me\"\nkind = \"Core\"\n");
    write("core/me/psyche.toml", psyche);
  }
  bool has_veto(std::string_view name) const {
    const Json shown = anima("psyche show --json").json();
    const Json* shadow = shown.find("shadow");
    if (shadow == nullptr) return false;
    const JsonArray& vetoes = shadow->find("veto_patterns")->as_array();
    return std::any_of(vetoes.begin(), vetoes.end(),
                       [&](const Json& veto) { return veto.find("name")->as_string() == name; });
  }
  std::string persona() const {
    const Json shown = anima("psyche show --json").json();
    const Json* persona = shown.find("persona");
    return persona == nullptr ? std::string() : persona->find("name")->as_string();
  }

  TemporaryDirectory folder_{"anima-owner"};
};

TEST_F(OwnerSettings, OnlyACommandThatNamesAVetoRemovesIt) {
  write("offline.toml", kOffline);
  write("persona.toml", "[persona]\nname = \"Mentor\"\n");
  write("drops.toml", "[shadow]\ndrop_vetoes = [\"offline\"]\n");
  write("weak.toml",
        "[[shadow.veto_patterns]]\nname = \"offline\"\ntriggers = [\"nothing\"]\nseverity = 1.0\n"
        "explanation = \"\"\n");
  ASSERT_EQ(anima("psyche set " + folder_.file("offline.toml")).code, 0);
  ASSERT_EQ(anima("psyche set " + folder_.file("persona.toml")).code, 0);
  EXPECT_TRUE(has_veto("offline"));
  EXPECT_EQ(persona(), "Mentor");
  for (const char* file : {"drops.toml", "weak.toml"}) {
    const test::Ran refused = told_by("psyche set " + folder_.file(file));
    EXPECT_EQ(refused.code, 3) << refused.out;
    EXPECT_NE(refused.out.find("drop-veto offline"), std::string::npos) << refused.out;
  }
  EXPECT_EQ(anima("run --fresh --max-cycles 1 'know the weather'").code & ~3, 0);
  EXPECT_TRUE(has_veto("offline"));
  EXPECT_EQ(persona(), "Mentor");
  EXPECT_EQ(anima("psyche reset --confirm").code, 0);
  EXPECT_TRUE(has_veto("offline"));
  EXPECT_EQ(persona(), "Scholar");
  EXPECT_EQ(anima("psyche drop-veto ofline").code, 6);
  EXPECT_EQ(anima("psyche drop-veto offline").code, 0);
  EXPECT_FALSE(has_veto("offline"));
  const Json history = anima("psyche history --json").json();
  std::string told;
  for (const Json& entry : history.as_array()) {
    EXPECT_TRUE(entry.find("entry")->is_integer());
    for (const Json& change : entry.find("changes")->as_array()) told += change.as_string() + "\n";
  }
  EXPECT_NE(told.find("veto offline added: http:fetch"), std::string::npos) << told;
  EXPECT_NE(told.find("persona.name: Mentor, was Scholar"), std::string::npos) << told;
  EXPECT_NE(told.find("veto offline removed"), std::string::npos) << told;
}

// Whatever is forgotten: the name goes out of the psyche, and the rest of it stays.
TEST_F(OwnerSettings, ForgettingDropsNoVeto) {
  write("a.toml", std::string(kOffline) +
                      "[[shadow.veto_patterns]]\nname = \"no_mail\"\ntriggers = [\"Zora Quist\"]\n"
                      "severity = 1.0\nexplanation = \"no mail to Zora Quist\"\n"
                      "[persona]\nname = \"Mentor\"\n");
  ASSERT_EQ(anima("run --max-cycles 1 'find out about Zora Quist'").code & ~3, 0);
  ASSERT_EQ(anima("psyche set " + folder_.file("a.toml")).code, 0);
  ASSERT_EQ(anima("kip 'UPSERT { CONCEPT { {type: \"Person\", name: \"Zora Quist\"} } }'").code, 0);
  const test::Ran dry = told_by("forget 'Zora Quist' --mentions --dry-run");
  EXPECT_NE(dry.out.find("no_mail"), std::string::npos) << dry.out;
  const test::Ran done = told_by("forget 'Zora Quist' --mentions --confirm");
  ASSERT_EQ(done.code, 0) << done.out;
  for (const char* veto : {"offline", "no_mail", "destructive_action"})
    EXPECT_TRUE(has_veto(veto)) << veto;
  EXPECT_EQ(persona(), "Mentor");
  const test::Ran shown = anima("psyche show --json");
  EXPECT_EQ(shown.out.find("Zora"), std::string::npos) << shown.out;
  EXPECT_NE(shown.out.find("[forgotten]"), std::string::npos) << shown.out;
}

// All that was written in a time goes, and what was forbidden then stays.
TEST_F(OwnerSettings, ForgettingATimeDropsNoVeto) {
  write("offline.toml", std::string(kOffline) + "[persona]\nname = \"Mentor\"\n");
  ASSERT_EQ(anima("psyche set " + folder_.file("offline.toml")).code, 0);
  ASSERT_EQ(anima("run --max-cycles 1 'know the weather'").code & ~3, 0);
  const test::Ran done = told_by("forget --between 2000-01-01..2100-01-01 --confirm");
  ASSERT_EQ(done.code, 0) << done.out;
  EXPECT_TRUE(has_veto("offline")) << done.out;
  EXPECT_EQ(persona(), "Mentor");
  EXPECT_EQ(anima("run --max-cycles 1 'know the weather'").code & ~3, 0);
  EXPECT_TRUE(has_veto("offline"));
}

TEST_F(OwnerSettings, AChangedFileIsToldAndTakenOnAWord) {
  write_core("[persona]\nname = \"First\"\n");
  const std::string core = folder_.file("core/me");
  ASSERT_EQ(anima("compartment load " + core + " --activate").code, 0);
  EXPECT_EQ(persona(), "First");
  write("none.toml", "[archetypes]\nsage = 0.6\n");
  ASSERT_EQ(anima("psyche set " + folder_.file("none.toml")).code, 0);  // stored from now on
  write_core("[persona]\nname = \"Second\"\n");
  const test::Ran shown = told_by("psyche show");
  EXPECT_NE(shown.out.find("psyche reload"), std::string::npos) << shown.out;
  EXPECT_EQ(persona(), "First");
  EXPECT_EQ(anima("psyche reload").code, 0);
  EXPECT_EQ(persona(), "Second");
  EXPECT_EQ(told_by("psyche show").out.find("psyche reload"), std::string::npos);
  write_core("[persona]\nname = \"Third\"\n");
  EXPECT_EQ(anima("psyche show --set psyche.follow=true").code, 0);
  EXPECT_EQ(persona(), "Third");
  write_core("[persona\n");
  EXPECT_NE(anima("psyche show --set psyche.follow=true").code, 0);
  EXPECT_NE(anima("psyche reload").code, 0);
  EXPECT_EQ(persona(), "Third");
}

// Cut off at each line, emptied, replaced, gone, no file at all: the vetoes hold, or nothing runs,
// and each command says why; before and after the psyche is stored.
TEST_F(OwnerSettings, AFileThatLostItsVetoesIsToldAndTheyHold) {
  const std::string lines[] = {"[persona]\n",
                               "name = \"First\"\n",
                               "[[shadow.veto_patterns]]\n",
                               "name = \"offline\"\n",
                               "triggers = [\"http:fetch\"]\n",
                               "severity = 1.0\n",
                               "explanation = \"stay offline\"\n",
                               "[[shadow.veto_patterns]]\n",
                               "name = \"no_mail\"\n",
                               "triggers = [\"mail\", \"post\"]\n",
                               "severity = 1.0\n",
                               "explanation = \"\"\n"};
  std::string whole;
  std::vector<std::string> texts = {"", "\n", "[persona]\nname = \"Scholar\"\n",
                                    std::string(kOffline)};
  for (const std::string& line : lines) {
    whole += line;
    texts.push_back(whole);
    texts.push_back(whole.substr(0, whole.size() - line.size() / 2));
  }
  texts.push_back(replace_all(whole, ", \"post\"", ""));
  texts.push_back(replace_all(whole, "veto_patterns", "veto_pattern"));
  texts.push_back(std::string(whole.size(), '\0'));
  texts.push_back("FOLDER");
  texts.push_back("GONE");
  write_core(whole);
  ASSERT_EQ(anima("compartment load " + folder_.file("core/me") + " --activate").code, 0);
  const std::string file = folder_.file("core/me/psyche.toml");
  const auto both = [&] { return has_veto("offline") && has_veto("no_mail"); };
  ASSERT_TRUE(both());
  for (const std::string how : {"", " --set psyche.follow=true", "stored", "reload"}) {
    if (how == "stored") {
      write("none.toml", "[archetypes]\nsage = 0.6\n");
      ASSERT_EQ(anima("psyche set " + folder_.file("none.toml")).code, 0);
    }
    const std::string follow = how.starts_with(" ") ? how : "";
    for (const std::string& text : texts) {
      SCOPED_TRACE(how + ": " + text);
      std::filesystem::remove_all(file);
      if (text == "FOLDER") {
        std::filesystem::create_directory(file);
      } else if (text != "GONE") {
        write("core/me/psyche.toml", text);
      }
      const bool has_both = text.find("\"http:fetch\"]\n") != std::string::npos &&
                            text.find("\"post\"]\n") != std::string::npos &&
                            text.find("veto_patterns") != std::string::npos;
      const test::Ran shown = told_by("psyche show" + follow);
      if (shown.code == 0) {
        EXPECT_TRUE(both());
      }
      if (!has_both) {
        EXPECT_NE(shown.out.find("psyche.toml"), std::string::npos) << shown.out;
      }
      const test::Ran run = told_by("run --max-cycles 1 'know the weather'" + follow);
      if (shown.code != 0) {
        EXPECT_NE(run.code, 0) << run.out;
      }
      if (how == "reload") told_by("psyche reload");
      std::filesystem::remove_all(file);
      write("core/me/psyche.toml", whole);
      if (how == "reload") {
        EXPECT_EQ(anima("psyche reload").code, 0);
      }
      EXPECT_TRUE(both());
      EXPECT_EQ(told_by("psyche show" + follow).out.find("psyche.toml"), std::string::npos);
      ASSERT_FALSE(HasFailure());
    }
  }
  EXPECT_EQ(anima("psyche drop-veto offline").code, 0);
  EXPECT_FALSE(has_veto("offline"));
  EXPECT_TRUE(has_veto("no_mail"));
}

TEST_F(OwnerSettings, AFileThatCannotBeReadIsAnErrorUntilItIsMended) {
  write_core("[persona]\nname = 3\n");
  const std::string core = folder_.file("core/me");
  ASSERT_EQ(anima("compartment load " + core + " --activate").code, 0);
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(anima("psyche show").code, 1);
    EXPECT_EQ(anima("run --max-cycles 1 'know the weather'").code, 1);
  }
  write_core(std::string(kOffline) + "[persona]\nname = \"Mended\"\n");
  EXPECT_EQ(persona(), "Mended");
  EXPECT_TRUE(has_veto("offline"));
}

TEST_F(OwnerSettings, WhatWasUnloadedStaysSoAndLeavesNoWordBehind) {
  write("space/compartments/me/compartment.toml", "id = \"me\"\nname = \"Me\"\nkind = \"Core\"\n");
  const auto state = [&](std::string_view id) {
    const Json list = anima("compartment list --json").json();
    for (const Json& one : list.as_array()) {
      if (one.find("id")->as_string() == id) return one.find("state")->as_string();
    }
    return std::string("unknown");
  };
  EXPECT_EQ(state("me"), "Active");
  EXPECT_EQ(anima("compartment unload me --force").code, 0);
  EXPECT_EQ(state("me"), "Dormant");
  EXPECT_EQ(anima("run --max-cycles 1 'know the weather'").code & ~3, 0);
  EXPECT_EQ(state("me"), "Dormant");
  EXPECT_EQ(anima("compartment load me --activate").code, 0);
  EXPECT_EQ(state("me"), "Active");
}

TEST_F(OwnerSettings, UnloadingLeavesNoTrace) {
  write("first/compartment.toml",
        "id = \"first\"\nname = \"First\"\nkind = \"Skill\"\ntriples_file = \"t.json\"\n");
  write("first/t.json", R"([{"subject": "Rex", "predicate": "is-a", "object": "dog"}])");
  write("sky/compartment.toml",
        "id = \"sky\"\nname = \"Sky\"\nkind = \"Skill\"\ntriples_file = \"t.json\"\n");
  write("sky/t.json", R"([{"subject": "Earth", "predicate": "orbits", "object": "Sun"}])");
  const auto lines = [&] {
    std::string text = anima("export --format nquads --books").out;
    std::vector<std::string> all;
    for (const std::string_view line : split(text, '\n')) {
      // The ledger of provenance counts on: its numbers are never given twice.
      if (line.find("next_id") == std::string_view::npos) all.emplace_back(line);
    }
    std::sort(all.begin(), all.end());
    return all;
  };
  // The ledger itself begins with the first load.
  ASSERT_EQ(anima("skill load " + folder_.file("first")).code, 0);
  ASSERT_EQ(anima("skill unload first").code, 0);
  const auto before = lines();
  ASSERT_EQ(anima("skill load " + folder_.file("sky")).code, 0);
  EXPECT_NE(lines(), before);
  ASSERT_EQ(anima("skill unload sky").code, 0);
  EXPECT_EQ(lines(), before);
  for (const char* name : {"Compartment", "Skill", "orbits", "sky"}) {
    const test::Ran written =
        anima("kip 'UPSERT { CONCEPT { {type: \"$ConceptType\", name: \"" + std::string(name) +
              "\"} } CONCEPT { {type: \"" + name + "\", name: \"sky\"} } }'");
    EXPECT_EQ(written.code, 0) << name << written.out;
  }
}

TEST_F(OwnerSettings, ASwitchLeavesOneProject) {
  for (const std::string id : {"one", "two"}) {
    write("space/compartments/" + id + "/compartment.toml",
          "id = \"" + id + "\"\nname = \"P\"\nkind = \"Project\"\n");
    ASSERT_EQ(anima("compartment load " + folder_.file("space/compartments/" + id)).code, 0);
    ASSERT_EQ(anima("compartment switch " + id).code, 0);
  }
  const Json listed = anima("compartment list --json").json();
  for (const Json& one : listed.as_array()) {
    EXPECT_EQ(one.find("state")->as_string() == "Active", one.find("id")->as_string() == "two");
  }
}

}  // namespace
}  // namespace anima
