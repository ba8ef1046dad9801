// anima grammar and anima skill as a user meets them: output, JSON, exit codes.
#include <gtest/gtest.h>

#include <cstdlib>

#include "base/files/file.h"
#include "base/json/json.h"
#include "support/command.h"

namespace anima::grammar_test {
namespace {

class Grammars : public ::testing::Test {
 protected:
  void SetUp() override { test::init_space(folder_); }
  // The exit code; standard output in out_, standard error in err_.
  int anima(const std::string& arguments) {
    const std::string command = "ANIMA_SPACE=" + folder_.file("space") + " " + ANIMA_BINARY_DIR +
                                "/anima " + arguments + " </dev/null >" + folder_.file("out") +
                                " 2>" + folder_.file("err");
    const int status = std::system(command.c_str());
    out_ = read_file(system_files(), folder_.file("out")).value_or("");
    err_ = read_file(system_files(), folder_.file("err")).value_or("");
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  Json json() const {
    const auto parsed = parse_json(out_);
    EXPECT_TRUE(parsed.has_value()) << out_ << err_;
    return parsed ? *parsed : Json();
  }
  void write(const std::string& name, std::string_view text) {
    ASSERT_TRUE(replace_file(system_files(), folder_.file(name), text).has_value());
  }
  void write_ledger() {
    write("ledger.toml",
          "[grammar]\nname = \"ledger\"\ndescription = \"columns\"\n[linearization]\n"
          "triple = \"{subject} / {predicate} / {object}\"\nsection = \"[{heading}]\"\n");
  }
  const std::string astronomy_ = std::string(ANIMA_SOURCE_DIR) + "/examples/astronomy";
  TemporaryDirectory folder_{"anima-grammars"};
  std::string out_, err_;
};

TEST_F(Grammars, AStatementInEveryStyle) {
  ASSERT_EQ(anima("grammar linearize Earth is-a planet --confidence 0.6"), 0) << err_;
  EXPECT_EQ(out_, "Earth is a planet (possibly).\n");
  ASSERT_EQ(anima("grammar linearize Earth is-a planet -g formal"), 0);
  EXPECT_EQ(out_, "Earth is a planet (confidence 1.00)\n");
  ASSERT_EQ(anima("grammar compare Earth orbits Sun --json"), 0);
  ASSERT_EQ(json().as_array().size(), 3U);
  EXPECT_EQ(json().as_array()[2].find("text")->as_string(), "Earth orbits Sun [1.00]");
  EXPECT_EQ(anima("grammar linearize Earth orbits Sun --confidence 2"), 2);
  EXPECT_EQ(anima("grammar linearize Earth orbits Sun -g fromal"), 6);
  EXPECT_NE(err_.find("did you mean \"formal\"?"), std::string::npos) << err_;
}

TEST_F(Grammars, OneOfOnesOwnIsKeptAndSpoken) {
  write_ledger();
  ASSERT_EQ(anima("grammar linearize Earth orbits Sun -g " + folder_.file("ledger.toml")), 0);
  EXPECT_EQ(out_, "Earth / orbits / Sun\n");
  EXPECT_EQ(anima("grammar linearize Earth orbits Sun -g ledger"), 6);
  ASSERT_EQ(anima("grammar load " + folder_.file("ledger.toml") + " --use"), 0) << err_;
  ASSERT_EQ(anima("grammar linearize Earth orbits Sun -g ledger"), 0) << err_;
  EXPECT_EQ(out_, "Earth / orbits / Sun\n");
  ASSERT_EQ(anima("grammar list --json"), 0);
  ASSERT_EQ(json().as_array().size(), 4U);
  EXPECT_EQ(json().as_array()[3].find("name")->as_string(), "ledger");
  ASSERT_EQ(anima("skill load " + astronomy_), 0) << err_;
  const int ended = anima("run \"find out about Earth\" --max-cycles 2");
  EXPECT_TRUE(ended == 0 || ended == 7) << err_;  // done, or out of cycles
  EXPECT_NE(out_.find("Earth / orbits / Sun"), std::string::npos) << out_ << err_;
  ASSERT_EQ(anima("psyche show --json"), 0);
  EXPECT_EQ(json().find("persona")->find("grammar_preference")->as_string(), "ledger");
  write("broken.toml", "[grammar]\nname = \"x\"\n[linearization]\ntriple = \"{who}\"\n");
  EXPECT_EQ(anima("grammar load " + folder_.file("broken.toml")), 1);
  EXPECT_NE(err_.find("InvalidCustomGrammar"), std::string::npos) << err_;
  write("taken.toml", "[grammar]\nname = \"terse\"\n");
  EXPECT_EQ(anima("grammar load " + folder_.file("taken.toml")), 1);
  EXPECT_EQ(anima("grammar load " + folder_.file("missing.toml")), 6);
}

TEST_F(Grammars, ACompartmentBringsItsOwn) {
  write_ledger();
  ASSERT_EQ(anima("skill scaffold sums"), 0) << err_;
  const std::string pack = "space/compartments/sums/";
  write(pack + "ledger.toml", read_file(system_files(), folder_.file("ledger.toml")).value());
  write(pack + "compartment.toml",
        "id = \"sums\"\nname = \"Sums\"\nkind = \"Skill\"\ngrammar_ref = \"ledger.toml\"\n");
  EXPECT_EQ(anima("grammar linearize a b c -g ledger"), 6);
  ASSERT_EQ(anima("skill load sums"), 0) << err_;
  ASSERT_EQ(anima("grammar linearize a b c -g ledger"), 0) << err_;
  EXPECT_EQ(out_, "a / b / c\n");
}

TEST_F(Grammars, WhatIsKnownAndWhatIsSaid) {
  EXPECT_EQ(anima("grammar render Earth"), 6);  // there is no space
  ASSERT_EQ(anima("skill load " + astronomy_), 0) << err_;
  ASSERT_EQ(anima("grammar render earth -g terse"), 0) << err_;
  EXPECT_NE(out_.find("Earth orbits Sun [1.00]\n"), std::string::npos) << out_;
  ASSERT_EQ(anima("grammar render Earth"), 0);
  EXPECT_EQ(out_.rfind("## Earth\nEarth comes up in ", 0), 0U) << out_;
  EXPECT_EQ(anima("grammar render Nowhere"), 6);
  EXPECT_EQ(anima("grammar render Earth --limit 0"), 1);
  ASSERT_EQ(anima("grammar parse 'A cat is a mammal. Earth is part of Kosmos.' --json"), 0) << err_;
  const Json found = json();
  ASSERT_EQ(found.as_array().size(), 2U);
  EXPECT_EQ(found.as_array()[0].find("predicate")->as_string(), "is-a");
  EXPECT_FALSE(found.as_array()[0].find("subject_known")->as_bool());
  EXPECT_TRUE(found.as_array()[1].find("subject_known")->as_bool());
  write("text", "file:/etc/passwd is a mammal.");
  EXPECT_EQ(anima("grammar parse -f " + folder_.file("text")), 0) << err_;
  EXPECT_EQ(anima("grammar parse"), 2);
  EXPECT_EQ(anima("grammar render cat"), 6);  // parsing wrote nothing
}

TEST_F(Grammars, SkillLifeCycle) {
  ASSERT_EQ(anima("skill list --json"), 0) << err_;
  EXPECT_TRUE(json().as_array().empty());
  ASSERT_EQ(anima("skill scaffold gardening --json"), 0) << err_;
  EXPECT_EQ(json().find("state")->as_string(), "Dormant");
  EXPECT_EQ(anima("skill scaffold gardening"), 1);
  ASSERT_EQ(anima("skill load gardening --json"), 0) << err_;
  EXPECT_EQ(json().find("state")->as_string(), "Active");
  EXPECT_EQ(json().find("triple_count")->as_integer(), 1);
  EXPECT_EQ(anima("skill load gardening"), 1);  // already loaded
  ASSERT_EQ(anima("compartment deactivate gardening"), 0);
  EXPECT_EQ(anima("skill load gardening"), 0) << err_;
  ASSERT_EQ(anima("skill info gardening"), 0);
  EXPECT_NE(out_.find("state      Active"), std::string::npos) << out_;
  ASSERT_EQ(anima("skill unload gardening --json"), 0) << err_;
  EXPECT_EQ(json().find("state")->as_string(), "Dormant");
  EXPECT_EQ(anima("skill info gardenign"), 6);
  EXPECT_NE(err_.find("did you mean \"gardening\"?"), std::string::npos) << err_;
  ASSERT_EQ(anima("compartment create house --kind Project"), 0);
  EXPECT_EQ(anima("skill load house"), 3);
  EXPECT_NE(err_.find("expected Skill, actual Project"), std::string::npos) << err_;
}

TEST_F(Grammars, WhatTheAgentsToolsSee) {
  ASSERT_EQ(anima("skill scaffold dogs"), 0) << err_;
  write("space/compartments/dogs/triples.json",
        R"([{"subject": "Rex", "predicate": "is-a", "object": "dog"},
            {"subject": "dog", "predicate": "is-a", "object": "mammal", "confidence": 0.9}])");
  ASSERT_EQ(anima("skill load dogs"), 0) << err_;
  ASSERT_EQ(anima("agent infer --dry-run --json"), 0) << err_;
  ASSERT_EQ(json().as_array().size(), 1U) << out_;
  EXPECT_EQ(json().as_array()[0].find("object")->as_string(), "mammal");
  EXPECT_EQ(json().as_array()[0].find("rule")->as_string(), "is-a-transitive");
  ASSERT_EQ(anima("agent infer --dry-run --json --min-confidence 0.95"), 0);
  EXPECT_TRUE(json().as_array().empty());
  ASSERT_EQ(anima("agent infer --dry-run --json"), 0);
  EXPECT_EQ(json().as_array().size(), 1U);  // nothing was written before
  EXPECT_EQ(anima("agent infer --max-iterations 0"), 1);
  ASSERT_EQ(anima("agent gaps --goal rex --json"), 0) << err_;
  ASSERT_FALSE(json().as_array().empty());
  EXPECT_EQ(json().as_array()[0].find("severity")->as_number(), 0.9);
  EXPECT_EQ(anima("agent gaps --goal Nowhere"), 6);
  EXPECT_EQ(anima("agent gaps"), 2);
  ASSERT_EQ(anima("agent schema --json"), 0) << err_;
  const Json schema = json();
  bool seen = false;
  for (const Json& relation : schema.find("relations")->as_array()) {
    if (relation.find("name")->as_string() != "is-a") continue;
    seen = true;
    EXPECT_EQ(relation.find("facts")->as_integer(), 2);
  }
  EXPECT_TRUE(seen) << out_;
  EXPECT_EQ(anima("agent recall --query 'Rex, dog'"), 0) << err_;
  EXPECT_EQ(anima("agent recall"), 2);
  EXPECT_EQ(anima("agent plan --goal nothing"), 6);
}

}  // namespace
}  // namespace anima::grammar_test
