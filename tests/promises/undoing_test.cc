// Undo as a person meets it: one step takes back one act, and says which.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/files/file.h"
#include "base/json/json.h"
#include "base/text/text.h"
#include "support/command.h"
#include "support/verb_lines.h"

namespace anima::undoing_test {
namespace {

class Undoing : public testing::Test {
 protected:
  void SetUp() override {
    test::init_space(folder_);
    ASSERT_EQ(anima("kip '" + std::string(kPeople) + "'").code, 0);
  }
  test::Ran anima(const std::string& arguments, const std::string& input = {}) {
    EXPECT_TRUE(replace_file(system_files(), folder_.file("input"), input));
    return test::run_command("HOME=" + folder_.path() + " USER=ada ANIMA_SPACE=" + space_ + " " +
                             ANIMA_BINARY_DIR + "/anima " + arguments + " <" +
                             folder_.file("input") + " 2>&1");
  }
  std::string knowledge() {
    const std::string exported = anima("export").out;
    EXPECT_NE(exported, "");
    return exported;
  }
  // What is remembered, without what time does to it.
  std::vector<std::string> memories() {
    std::vector<std::string> contents;
    const Json shown = json("memory show");
    for (const Json& item : shown.find("items")->as_array())
      contents.push_back(item.find("id")->as_string() + item.find("content")->as_string());
    return contents;
  }
  Json json(const std::string& arguments) {
    const auto parsed = parse_json(anima("--json " + arguments).out);
    EXPECT_TRUE(parsed) << arguments;
    return parsed ? *parsed : Json();
  }
  // How often it was read.
  std::uint64_t uses_of(std::string_view content) {
    const Json shown = json("memory show");
    for (const Json& item : shown.find("items")->as_array()) {
      if (item.find("content")->as_string() == content)
        return static_cast<std::uint64_t>(
            item.find("provenance")->find("accessCount")->as_integer());
    }
    ADD_FAILURE() << content << " is not there";
    return 0;
  }
  std::string in_shell(const test::Line& line) {
    std::string words;
    for (const std::string& word : line) {
      EXPECT_EQ(word.find('\''), std::string::npos);
      words += "'" + (word.starts_with("FILE") ? folder_.file(word) : word) + "' ";
    }
    return words;
  }
  void expect_in(const std::string& text, std::string_view part) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  }

  static constexpr std::string_view kPeople =
      "UPSERT { CONCEPT ?t { {type: \"$ConceptType\", name: \"Person\"} } } "
      "UPSERT { CONCEPT ?p { {type: \"Person\", name: \"Tom Berger\"} "
      "SET ATTRIBUTES { phone: \"112\" } } }";
  TemporaryDirectory folder_{"anima-undo"};
  std::string space_ = folder_.file("space");
};

TEST_F(Undoing, TheLastIsTheWholeLineOfAChat) {
  const std::string before = knowledge();
  const auto remembered = memories();
  const test::Ran said = anima("chat", "remember that the phone of Tom Berger is 556\n");
  ASSERT_EQ(said.code, 0) << said.out;
  ASSERT_NE(knowledge(), before);
  const std::string dry = anima("undo last --dry-run").out;
  expect_in(dry, "would undo chat line of ");
  expect_in(dry, "about Tom Berger");
  expect_in(dry, "556");
  ASSERT_NE(knowledge(), before) << "nothing was undone";
  const test::Ran undone = anima("undo last");
  EXPECT_EQ(undone.code, 0) << undone.out;
  expect_in(undone.out, "undid chat line of ");
  EXPECT_EQ(knowledge(), before);
  EXPECT_EQ(memories(), remembered) << "of memory nothing is left either";
}

// A link that was closed is stated as before; that it holds again is what comes back.
TEST_F(Undoing, ItTellsThatALinkHoldsAgain) {
  ASSERT_EQ(anima("kip 'UPSERT { CONCEPT { {type: \"$ConceptType\", name: \"Company\"} } "
                  "CONCEPT { {type: \"$PropositionType\", name: \"works_at\"} } } "
                  "UPSERT { CONCEPT ?i { {type: \"Company\", name: \"Initech\"} } "
                  "CONCEPT ?a { {type: \"Person\", name: \"Tom Berger\"} "
                  "SET PROPOSITIONS { (\"works_at\", ?i) } } }'")
                .code,
            0);
  expect_in(anima("chat", "Tom Berger left Initech\n").out, "no longer Initech");
  const std::string dry = anima("undo last --dry-run").out;
  expect_in(dry, "comes back");
  expect_in(dry, "+ Tom Berger works_at Initech");
  const test::Ran undone = anima("undo last");
  expect_in(undone.out, "+ Tom Berger works_at Initech");
  expect_in(anima("ask 'where does Tom Berger work?'").out, "Initech");
}

// Where nothing but a time moves, it is told of which link.
TEST_F(Undoing, ItNamesALinkWhoseTimeMoves) {
  anima("message 'Lena Brandt moved to Rome in 2015.'");
  anima("message 'Lena Brandt moved to Rome in 2018.'");
  anima("message 2018");
  const std::string dry = anima("undo last --dry-run").out;
  expect_in(dry, "- Lena Brandt lives_in Rome, valid_from 2018-01-01T00:00:00Z");
  expect_in(dry, "+ Lena Brandt lives_in Rome, valid_from 2015-01-01T00:00:00Z");
  expect_in(dry, "about Lena Brandt");
}

TEST_F(Undoing, AFreshSpaceHasNothingToUndo) {
  const std::string fresh = folder_.file("fresh");
  ASSERT_EQ(anima("--space " + fresh + " init").code, 0);
  const test::Ran undone = anima("--space " + fresh + " undo last");
  EXPECT_EQ(undone.code, 6) << undone.out;
  ASSERT_EQ(anima("--space " + fresh + " chat", "hello there\n").code, 0);
  (void)anima("--space " + fresh + " undo last");
  const test::Ran further = anima("--space " + fresh + " undo 1..99");
  EXPECT_NE(further.code, 0) << "the range ends behind the log";
  EXPECT_EQ(anima("--space " + fresh + " kip 'DESCRIBE PRIMER'").code, 0);
}

TEST_F(Undoing, AMarkdownLoadThatWasLoadedAgainComesBackWhole) {
  const std::string notes = folder_.file("notes.md");
  const auto load = [&](std::string_view text) {
    ASSERT_TRUE(replace_file(system_files(), notes, text));
    const test::Ran loaded = anima("load --yes " + notes);
    ASSERT_EQ(loaded.code, 0) << loaded.out;
  };
  load("# Harbour\nThe crane is red.\n\n# Quay\nThe quay is long.\n\n# Mole\nOld stones.\n");
  const std::string knowledge_before = knowledge();
  const auto memory_before = memories();
  load("# Harbour\nThe crane is blue.\n\n# Quay\nThe quay is short.\n\n# Pier\nNew planks.\n");
  ASSERT_NE(memories(), memory_before);
  const test::Ran undone = anima("undo last");
  EXPECT_EQ(undone.code, 0) << undone.out;
  expect_in(undone.out, "undid load of ");
  EXPECT_EQ(knowledge(), knowledge_before);
  EXPECT_EQ(memories(), memory_before);
}

// Whatever is read in between, the last act is what somebody told: no reading is one, none is in
// the way of an undo, and none is lost by it.
TEST_F(Undoing, AReadingIsNoActThatCouldBeUndone) {
  ASSERT_TRUE(replace_file(system_files(), folder_.file("FILE.csv"), "name,size\nweb,3\n"));
  ASSERT_EQ(anima("remember 'The moon is old'").code, 0);
  const auto kept = memories();
  for (const test::Line& line : test::reading_lines()) {
    SCOPED_TRACE(join(line, " "));
    ASSERT_EQ(anima("remember 'Ada saw the moon'").code, 0);
    ASSERT_EQ(anima("recall moon").code, 0);
    (void)anima(in_shell(line));
    const test::Ran dry = anima("undo last --dry-run");
    EXPECT_EQ(dry.code, 0) << dry.out;
    expect_in(dry.out, "would undo remember of ");
    const test::Ran undone = anima("undo last");
    ASSERT_EQ(undone.code, 0) << undone.out;
    expect_in(undone.out, "undid remember of ");
    ASSERT_EQ(memories(), kept);
  }
  EXPECT_GE(uses_of("The moon is old"), test::reading_lines().size()) << "an undo lost a reading";
}

// Nor is a line of a conversation that asks.
TEST_F(Undoing, AQuestionIsNoActThatCouldBeUndone) {
  const std::string before = knowledge();
  for (int i = 0; i < 2; ++i) {  // the first one is the first memory of all
    ASSERT_EQ(anima("remember 'Ada saw the moon'").code, 0);
    (void)anima("message 'search moon'");
    (void)anima("message 'What is the moon?'");
    (void)anima("chat", "search moon\nhello\nWho saw the moon?\n");
    expect_in(anima("undo last --dry-run").out, "would undo remember of ");
    expect_in(anima("undo last").out, "undid remember of ");
    EXPECT_EQ(anima("recall moon").out.find("Ada saw"), std::string::npos);
  }
  EXPECT_EQ(knowledge(), before);
}

// A conversation reads and is told things in one process: what it read is no part of what it was
// told.
TEST_F(Undoing, WhatWasReadInTheSameProcessIsKept) {
  ASSERT_EQ(anima("remember 'The moon is old'").code, 0);
  const auto kept = memories();
  const std::string asked =
      R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"recall",)"
      R"("arguments":{"question":"How old is the moon?"}}})";
  const std::string told =
      R"({"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"remember",)"
      R"("arguments":{"text":"The moon is round"}}})";
  const test::Ran session = anima("mcp", asked + "\n" + asked + "\n" + told + "\n");
  ASSERT_EQ(session.code, 0) << session.out;
  ASSERT_NE(memories(), kept);
  const std::uint64_t uses = uses_of("The moon is old");
  EXPECT_GT(uses, 0U);
  const test::Ran undone = anima("undo last");
  ASSERT_EQ(undone.code, 0) << undone.out;
  EXPECT_EQ(memories(), kept);
  EXPECT_EQ(uses_of("The moon is old"), uses);
}

TEST_F(Undoing, TheLogAndTheHistoryShowTheAct) {
  ASSERT_EQ(anima("message 'remember that the phone of Tom Berger is 556'").code, 0);
  const Json log = json("audit log --limit 100");
  std::int64_t act = 0, members = 0;
  for (const Json& entry : log.find("entries")->as_array()) {
    if (entry.find("act_name")->as_string() == "message")
      act = entry.find("sequence")->as_integer();
  }
  ASSERT_NE(act, 0);
  for (const Json& entry : log.find("entries")->as_array())
    members += entry.find("act")->is_integer() && entry.find("act")->as_integer() == act ? 1 : 0;
  EXPECT_GT(members, 1);
  const Json history = json("history 'Tom Berger'");
  EXPECT_EQ(history.find("entries")->as_array().back().find("act")->as_integer(), act);
  const Json dry = json("undo last --dry-run");
  EXPECT_EQ(dry.find("acts")->as_array().front().find("act")->as_integer(), act);
  EXPECT_GE(dry.find("going")->find("count")->as_integer(), 1);
}

TEST_F(Undoing, WhatTheOwnerTellsIsAnsweredNext) {
  const test::Ran talk = anima("chat",
                               "remember that the phone of Tom Berger is 556\n"
                               "What is Tom Berger's phone?\nWhat is Tom's phone?\n");
  ASSERT_EQ(talk.code, 0) << talk.out;
  // It says what it replaced, and answers what it was told.
  expect_in(talk.out, "556, was 112");
  expect_in(talk.out, "Tom Berger: 556");
  EXPECT_EQ(talk.out.find("Tom Berger: 112"), std::string::npos) << talk.out;
}

}  // namespace
}  // namespace anima::undoing_test
