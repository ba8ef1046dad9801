// What people say, with what is right (tests/cases/learning/said_*.txt): nothing that is wrong is
// noted, what is not sure is asked back, and a yes writes what was proposed.
#include <gtest/gtest.h>

#include <fstream>
#include <iostream>
#include <set>

#include "agent/telling/told_facts.h"
#include "base/text/text.h"
#include "store/holds.h"
#include "store/symbols.h"
#include "support/lent_clock.h"

namespace anima::agent::said_test {
namespace {

using Facts = std::set<std::string>;

constexpr double kLeastNoted = 0.85;  // of what may be noted

std::vector<std::string> parts_of(std::string_view text, std::string_view separator) {
  std::vector<std::string> parts;
  for (std::size_t from = 0;;) {
    const std::size_t at = std::min(text.find(separator, from), text.size());
    const std::string part(trim(text.substr(from, at - from)));
    if (!part.empty()) parts.push_back(part);
    if (at == text.size()) return parts;
    from = at + separator.size();
  }
}

struct Case {
  std::string line;
  std::vector<std::string> said;
  Facts right;
  bool asks = false;
};

std::vector<Case> read_cases(const std::string& language) {
  std::ifstream file(ANIMA_SOURCE_DIR "/tests/cases/learning/said_" + language + ".txt");
  std::vector<Case> cases;
  for (std::string line; std::getline(file, line);) {
    const std::size_t arrow = line.rfind("=>");
    if (line.empty() || line.front() == '#' || arrow == std::string::npos) continue;
    Case one;
    one.line = line;
    one.said = parts_of(std::string_view(line).substr(0, arrow), " / ");
    std::string_view right = trim(std::string_view(line).substr(arrow + 2));
    one.asks = right.starts_with("ask ");
    if (one.asks) right.remove_prefix(4);
    for (const std::string& fact : parts_of(right, ";")) one.right.insert(fact);
    cases.push_back(std::move(one));
  }
  return cases;
}

// Ada, over a space of her own.
class Speaker {
 public:
  Told say(const std::string& text, store::Trust trust = store::Trust::kOperator) {
    clock_.advance(60 * kMicrosecondsPerSecond);
    memory::NewMemory item;
    item.content = text;
    item.created_by = "Ada";
    item.source = session_source("chat");
    item.trust = trust;
    last_.begin_line(agent::said_by(item));
    auto told = facts_.keep(item, nullptr, "Ada");
    EXPECT_TRUE(told) << text << ": " << told.error().describe();
    return told ? *std::move(told) : Told();
  }

  Facts facts() {
    clock_.advance(60 * kMicrosecondsPerSecond);
    const store::Snapshot now = space_->snapshot().value().knowledge();
    Facts facts;
    for (const auto kind : {store::PredicateClass::kLink, store::PredicateClass::kAttribute}) {
      store::Pattern pattern;
      pattern.predicate_class = kind;
      store::Cursor cursor = now.scan(pattern);
      std::vector<store::Triple> rows(200);
      rows.resize(cursor.next(rows));
      for (const store::Triple& row : rows) {
        const Timestamp time = clock_.now();
        const auto type = now.type_of(row.subject);
        const bool defines = type == store::kConceptType || type == store::kPropositionType;
        if (defines || !store::is_valid(store::standing_of(now, row), time, time)) continue;
        facts.insert(store::symbol_label(now, row.subject) + " " +
                     store::predicate_label(now, row.predicate) + " " +
                     store::term_label(now, row.object));
      }
    }
    return facts;
  }

  // The next line is of another process.
  void begin_process() { last_ = LastFacts(); }

  std::size_t open() { return facts_.questions().value().size(); }

 private:
  ManualClock clock_{parse_timestamp("2026-06-15T12:00:00Z").value()};
  std::shared_ptr<store::Space> space_ =
      store::Space::in_memory({.clock = test::lent(clock_)}).value();
  LastFacts last_;
  ToldFacts facts_{space_, system_files(), clock_, last_};
};

std::string shown(const Facts& facts) {
  return join(std::vector<std::string>(facts.begin(), facts.end()), "; ");
}

class Said : public testing::TestWithParam<const char*> {};

TEST_P(Said, NothingWrongIsNotedAndWhatIsNotSureIsAsked) {
  std::size_t may = 0, noted = 0, asked = 0, wrong = 0;
  for (const Case& one : read_cases(GetParam())) {
    Speaker ada;
    Told told;
    for (const std::string& text : one.said) told = ada.say(text);
    const Facts facts = ada.facts();
    if (one.asks) {
      EXPECT_EQ(shown(facts), "") << one.line;
      EXPECT_EQ(ada.open(), 1u) << one.line << "\n" << told.asks;
      asked += ada.open();
      const Told answered = ada.say("yes");
      EXPECT_EQ(shown(ada.facts()), shown(one.right)) << one.line << "\n" << told.asks;
      EXPECT_EQ(answered.stated, told.proposes) << one.line;
      EXPECT_EQ(ada.open(), 0u) << one.line;
      continue;
    }
    for (const std::string& fact : facts) {
      wrong += one.right.contains(fact) ? 0 : 1;
      EXPECT_TRUE(one.right.contains(fact)) << one.line << "\nnoted: " << fact;
    }
    may += one.right.size();
    noted += facts.size();
    if (facts.size() < one.right.size())
      std::cout << "not noted: " << one.line << "  " << told.asks << told.left_over << "\n";
  }
  std::cout << GetParam() << ": " << noted << " of " << may << " facts noted, " << asked
            << " asked back, " << wrong << " wrong\n";
  EXPECT_GE(static_cast<double>(noted), kLeastNoted * static_cast<double>(may));
}

INSTANTIATE_TEST_SUITE_P(Languages, Said, testing::Values("en", "de"));

// What is answered with no leaves nothing, and a choice decides what it says.
TEST(SaidAnswers, NoDropsAndAChoiceDecides) {
  Speaker ada;
  EXPECT_EQ(ada.say("I work for Free.").proposes, "Ada works_at Free");
  EXPECT_TRUE(ada.say("No.").dropped);
  EXPECT_EQ(shown(ada.facts()), "");
  EXPECT_EQ(ada.open(), 0u);
  EXPECT_EQ(ada.say("yes").stated, "");

  ada.say("Bob Smith works at Globex.");
  const Told who = ada.say("Bob lives in Oslo.");
  EXPECT_EQ(who.asks,
            "Who is \"Bob\": Bob Smith? \"yes\" notes: Bob Smith lives_in Oslo. "
            "Else say \"another\".");
  EXPECT_EQ(who.choices, (std::vector<std::string>{"yes", "no", "another"}));
  EXPECT_EQ(ada.say("Another.").stated, "Bob lives_in Oslo");
  EXPECT_EQ(shown(ada.facts()), "Bob Smith works_at Globex; Bob lives_in Oslo");
}

// What corrects alone names nothing: what was told last in the conversation, by whatever process.
TEST(SaidAnswers, ACorrectionFindsWhatAnotherProcessWasTold) {
  Speaker ada;
  ada.say("My phone number is 555-0111.");
  for (const auto& [text, corrected] : std::vector<std::pair<std::string, std::string>>{
           {"no, 333", "Ada's phone: 333, was 555-0111"},
           {"sorry, 555-0222", "Ada's phone: 555-0222, was 333"},
           {"I meant 555-0333", "Ada's phone: 555-0333, was 555-0222"},
           {"no, thanks", ""}}) {
    ada.begin_process();
    EXPECT_EQ(ada.say(text).corrected, corrected) << text;
  }
}

// "Not Initech" ends what was known, and says nothing of a name that was not.
TEST(SaidAnswers, WhatIsSaidNotToBeEndsWhereItWasKnown) {
  Speaker ada;
  ada.say("I work at Initech. I like rock. My sister is Eva Berg.");
  const Told works = ada.say("I work at Globex, not Initech.");
  EXPECT_EQ(works.stated, "Ada works_at Globex");
  EXPECT_EQ(works.corrected, "Ada works_at: Globex, was Initech");
  const Told likes = ada.say("I like jazz, not rock.");
  EXPECT_EQ(likes.stated, "Ada likes jazz");
  EXPECT_EQ(likes.corrected, "Ada likes: no longer rock");
  EXPECT_EQ(ada.say("My sister is Ida Berg, not Eva Berg.").corrected,
            "Ada sibling_of: no longer Eva Berg");
  const Told brother = ada.say("My brother is Tom Berg, not Jan Hill.");
  EXPECT_EQ(brother.stated, "Ada sibling_of Tom Berg");
  EXPECT_EQ(brother.corrected, "");
  EXPECT_EQ(ada.say("I like tea, not today.").stated, "");
  EXPECT_EQ(
      shown(ada.facts()),
      "Ada likes jazz; Ada sibling_of Ida Berg; Ada sibling_of Tom Berg; Ada works_at Globex");
}

// "She" is whom a noun tells to be one; who may be either is asked about.
TEST(SaidAnswers, WhoIsAHeOrASheIsAskedWhereNothingTells) {
  Speaker ada;
  ada.say("My brother is Tom Berg.");
  EXPECT_EQ(ada.say("He works at Globex.").stated, "Tom Berg works_at Globex");
  EXPECT_EQ(ada.say("She works at Acme.").stated, "");
  ada.say("Robin Hall works at Initech.");
  const Told who = ada.say("She lives in Oslo.");
  EXPECT_EQ(who.asks, "Is \"She\" Robin Hall? \"yes\" notes: Robin Hall lives_in Oslo.");
  EXPECT_EQ(ada.say("yep").stated, "Robin Hall lives_in Oslo");
}

// A part of the name is somebody else's, too, and what is said is clear all the same.
TEST(SaidAnswers, ANameSharedInPartIsNoQuestion) {
  Speaker ada;
  ada.say("My brother is Bob Hill.");
  ada.say("My brother is Carl Hill.");
  EXPECT_EQ(ada.say("My sister is Anna Hill.").stated, "Ada sibling_of Anna Hill");
}

TEST(SaidAnswers, WhichOfTwoIsRightNowIsChosenByNameOrNumber) {
  for (const auto& [answer, right] :
       std::vector<std::pair<std::string, std::string>>{{"Oslo", "Ada lives_in Oslo"},
                                                        {"2", "Ada lives_in Bergen"},
                                                        {"the second", "Ada lives_in Bergen"},
                                                        {"no", "Ada lives_in Bergen"}}) {
    Speaker ada;
    ada.say("I moved to Bergen on 1 June 2026.");
    const Told which = ada.say("I moved to Oslo in April 2026.");
    EXPECT_NE(which.asks.find("which is right now?"), std::string::npos) << which.asks;
    EXPECT_EQ(which.choices, (std::vector<std::string>{"no", "Oslo", "Bergen"}));
    ada.say(answer);
    EXPECT_EQ(shown(ada.facts()), right) << answer;
    EXPECT_EQ(ada.open(), 0u);
  }
}

TEST(SaidAnswers, AFullerNameBecomesAnotherNameOfTheSame) {
  Speaker ada;
  ada.say("Bob works at Globex.");
  const Told who = ada.say("Bob Smith lives in Oslo.");
  EXPECT_EQ(who.proposes, "Bob aliases Bob Smith; Bob lives_in Oslo");
  EXPECT_EQ(ada.say("ja").stated, who.proposes);
  EXPECT_EQ(ada.say("Bob Smith is allergic to nuts.").stated, "Bob allergic_to nuts");
}

TEST(SaidAnswers, WhoIsLikedIsAPersonFromThenOn) {
  Speaker ada;
  EXPECT_EQ(ada.say("I like Tom.").asks,
            "Is \"Tom\" a person? \"yes\" notes: Ada likes Tom. Else say \"thing\".");
  ada.say("yes");
  EXPECT_EQ(ada.say("Tom lives in Oslo.").stated, "Tom lives_in Oslo");
  ada.say("He is allergic to nuts.");
  EXPECT_EQ(ada.say("yes").stated, "Tom allergic_to nuts");
  // What is only a thing so far blocks nothing.
  EXPECT_EQ(ada.say("I like Globex.").stated, "Ada likes Globex");
  EXPECT_EQ(ada.say("I work at Globex.").stated, "Ada works_at Globex");
}

TEST(SaidAnswers, WhoIsTrustedLessAnswersNothing) {
  Speaker ada;
  ada.say("I work for Free.");
  EXPECT_EQ(ada.say("yes", store::Trust::kStandard).stated, "");
  EXPECT_EQ(ada.open(), 1u);
  EXPECT_EQ(shown(ada.facts()), "");
}

// A second question about the same text is asked once, and the answer of a line that is not the
// next one is none.
TEST(SaidAnswers, AnAnswerBelongsToTheLineBefore) {
  Speaker ada;
  ada.say("I work for Free.");
  ada.say("I like jazz.");
  EXPECT_EQ(ada.say("yes").stated, "");
  EXPECT_EQ(shown(ada.facts()), "Ada likes jazz");
  EXPECT_EQ(ada.open(), 1u);
}

struct Spelling {
  std::string right, known, told;
};

std::vector<Spelling> read_spellings() {
  std::ifstream file(ANIMA_SOURCE_DIR "/tests/cases/telling/spellings.txt");
  std::vector<Spelling> pairs;
  for (std::string line; std::getline(file, line);) {
    const std::vector<std::string> parts = parts_of(line, "|");
    if (parts.size() == 3 && line.front() != '#') pairs.push_back({parts[0], parts[1], parts[2]});
  }
  EXPECT_GE(pairs.size(), 25u);
  return pairs;
}

// Who is told of next, with a sentence in words that the space has and with one that is open.
TEST(SaidNames, ANameThatIsSpeltOtherwiseIsAskedBack) {
  for (const Spelling& pair : read_spellings()) {
    for (const bool known_words : {true, false}) {
      const std::string line = pair.right + "|" + pair.known + "|" + pair.told +
                               (known_words ? ", in known words" : ", in open words");
      const Facts before = [&] {
        Facts facts{pair.known + " lives_in Bergen"};
        if (known_words) facts.insert("Ben Hill lives_in Oslo");
        return facts;
      }();
      for (const std::string answer : {"yes", "another", "no"}) {
        Speaker ada;
        ada.say(pair.known + " lives in Bergen.");
        if (known_words) ada.say("Ben Hill lives in Oslo.");
        ASSERT_EQ(shown(ada.facts()), shown(before)) << line;
        const Told told = ada.say(pair.told + " lives in Oslo.");
        Facts right = before;
        if (pair.right == "ask") {
          EXPECT_EQ(shown(ada.facts()), shown(before)) << line;
          EXPECT_EQ(told.asks.find("Is \"" + pair.told + "\" " + pair.known + "?"), 0u)
              << line << "\n"
              << told.asks;
          ada.say(answer);
        }
        const bool is_same = pair.right == "same" || (pair.right == "ask" && answer == "yes");
        if (is_same) {
          right.erase(pair.known + " lives_in Bergen");
          right.insert(pair.known + " lives_in Oslo");
          if (pair.right == "ask") right.insert(pair.known + " aliases " + pair.told);
        } else if (pair.right == "other" || answer == "another") {
          right.insert(pair.told + " lives_in Oslo");
        }
        EXPECT_EQ(shown(ada.facts()), shown(right)) << line << ", " << answer;
        if (pair.right != "ask") break;
      }
    }
  }
}

// What a conversation said before asks the same.
TEST(SaidNames, ANameThatIsSpeltOtherwiseIsAskedBackOfAnExport) {
  for (const Spelling& pair : read_spellings()) {
    const auto space = store::Space::in_memory().value();
    const Timestamp time = parse_timestamp("2026-06-15T12:00:00Z").value();
    const auto learnt =
        learn_said_before(*space,
                          {{pair.known + " lives in Bergen.", time},
                           {"Ben Hill lives in Oslo.", time},
                           {pair.told + " lives in Oslo.", time}},
                          {"Ada", "export", store::Trust::kOperator, store::Sequence::kNone});
    ASSERT_TRUE(learnt);
    EXPECT_EQ(learnt->asked, pair.right == "ask" ? 1u : 0u) << pair.known << ", " << pair.told;
  }
}

}  // namespace
}  // namespace anima::agent::said_test
