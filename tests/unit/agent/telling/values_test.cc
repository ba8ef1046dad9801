// A value that was told and goes brings back what it had taken the place of, in whatever way it
// goes: as if it had never been told.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "govern/trust.h"
#include "unit/agent/telling/speaker.h"

namespace anima::agent::values_test {
namespace {

using told_test::Speaker;

const std::vector<std::string> kAttributes = {"phone", "email", "age", "also_called"};

struct Text {
  int day = 0;
  std::string words, author = "Ada";
  store::Trust trust = store::Trust::kOperator;
  bool taught = false;
  std::uint64_t first = 0, last = 0;  // its entries
};

std::string memory_of(const Text& text) { return "M" + std::to_string(text.day); }

bool teaches(const Told& told) { return !told.stated.empty() || !told.corrected.empty(); }

void tell(Speaker& speaker, Text& text) {
  speaker.speak_as(text.author, text.trust);
  text.first = static_cast<std::uint64_t>(speaker.newest()) + 1;
  text.taught = teaches(speaker.say_on(text.day, text.words, memory_of(text)));
  text.last = static_cast<std::uint64_t>(speaker.newest());
  speaker.speak_as("Ada", store::Trust::kOperator);
}

enum class Goes { kForgotten, kUndone };

void take(Speaker& speaker, const Text& text, Goes how) {
  if (how == Goes::kForgotten) {
    speaker.forget(memory_of(text));
  } else if (text.first <= text.last) {
    EXPECT_TRUE(speaker.undo(store::Sequence{text.first}, store::Sequence{text.last}))
        << text.words << speaker.why_not();
  }
}

// Who knows Ada before, so that no text of a test is the first of her.
void introduce(Speaker& speaker) {
  speaker.say_on(0, "I like jazz.");
  for (const char* text : {"Tom lives in Oslo.", "Ida lives in Rome.", "Eva lives in Kiel."})
    speaker.say_on(0, text);
}

std::string told(const std::vector<Text>& texts) {
  std::string all;
  for (const Text& one : texts) all += one.author + ": " + one.words + " ";
  return all;
}

// Each of them goes, in each way; what is left is what somebody knows who was only told the rest.
TEST(Values, WhatGoesWasNeverTold) {
  const std::vector<std::vector<std::string>> tellings = {
      {"My phone number is 555-0101.", "My phone number is 555-0102."},
      {"My phone number is 555-0101.", "My phone number is 555-0102.",
       "My phone number is 555-0101."},
      {"My phone number is 555-0101.", "My phone number is no longer 555-0101.",
       "My phone number is 555-0102."},
      {"My phone number is 555-0101.", "My phone number is 555-0102.",
       "My phone number is no longer 555-0102."},
      {"My phone number is 555-0101.", "My phone number is 555-0102.",
       "My phone number is no longer 555-0101."},
      {"My phone number is 555-0101.", "My phone number is 555-0102.",
       "My phone number is no longer 555-0101.", "My phone number is 555-0101."},
      {"My email is ada@example.org.", "My email is ada@example.com.",
       "My email is no longer ada@example.org.", "My email is no longer ada@example.com."},
      {"My email is ada@example.org.", "My email is ada@example.com.", "I am 34 years old."},
      {"I am 34 years old.", "I am 35 years old.", "I am 36 years old."},
  };
  for (const std::vector<std::string>& words : tellings) {
    for (std::size_t gone = 0; gone < words.size(); ++gone) {
      for (const Goes how : {Goes::kForgotten, Goes::kUndone}) {
        Speaker ada, ben;
        introduce(ada);
        introduce(ben);
        std::vector<Text> texts;
        for (const std::string& one : words) {
          texts.push_back({static_cast<int>(texts.size()) + 1, one});
          tell(ada, texts.back());
          EXPECT_TRUE(texts.back().taught) << one;
        }
        SCOPED_TRACE(told(texts) + (how == Goes::kUndone ? "undone: " : "forgotten: ") +
                     words[gone]);
        const std::string before = ada.values(kAttributes);
        take(ada, texts[gone], how);
        for (std::size_t i = 0; i < texts.size(); ++i)
          if (i != gone) tell(ben, texts[i]);
        EXPECT_EQ(ada.values(kAttributes), ben.values(kAttributes));
        if (how == Goes::kForgotten) continue;
        EXPECT_TRUE(ada.undo(ada.newest(), ada.newest()));
        EXPECT_EQ(ada.values(kAttributes), before);
      }
    }
  }
}

// What KIP or a file stated comes back on the word of who stated it.
TEST(Values, WhatStoodBeforeComesBack) {
  for (const Goes how : {Goes::kForgotten, Goes::kUndone}) {
    Speaker ada;
    introduce(ada);
    ada.speak_as("Crm", store::Trust::kOperator);
    ada.state("Ada", "phone", "555-0100");
    ada.speak_as("Ada", store::Trust::kOperator);
    const std::string before = ada.values(kAttributes);
    EXPECT_EQ(before, "Ada phone 555-0100 (Crm); ");
    std::vector<Text> texts = {{3, "My phone number is 555-0101."},
                               {4, "My phone number is 555-0102."}};
    for (Text& one : texts) tell(ada, one);
    EXPECT_EQ(ada.values(kAttributes), "Ada phone 555-0102 (Ada); ");
    take(ada, texts[0], how);
    EXPECT_EQ(ada.values(kAttributes), "Ada phone 555-0102 (Ada); ");
    take(ada, texts[1], how);
    EXPECT_EQ(ada.values(kAttributes), before);
  }
}

// What others wrote since stays, whatever goes that was told before it.
TEST(Values, WhatOthersWroteSinceStays) {
  for (const Goes how : {Goes::kForgotten, Goes::kUndone}) {
    Speaker ada;
    introduce(ada);
    ada.state("Ada", "phone", "555-0100");
    std::vector<Text> texts = {{3, "My phone number is 555-0101."}};
    tell(ada, texts[0]);
    ada.state("Ada", "phone", "555-0109");
    EXPECT_EQ(ada.values(kAttributes), "Ada phone 555-0109 (Ada); ");
    take(ada, texts[0], how);
    EXPECT_EQ(ada.values(kAttributes), "Ada phone 555-0109 (Ada); ");
  }
}

// A text in the middle goes though later ones tell of the names that it brought: they would have
// brought them. What else came to depend on them is in the way.
TEST(Values, WhatLaterTextsNamedStays) {
  const std::vector<std::vector<std::string>> tellings = {
      {"I live in Oslo.", "Tom Berger lives in Oslo.", "Tom Berger works at Initech."},
      {"Tom Berger lives in Oslo.", "Tom Berger works at Initech.", "I work at Initech."},
      {"I live in Oslo.", "I live in Rome.", "I live in Oslo."},
      {"Tom Berger's phone number is 555-0101.", "Tom Berger lives in Oslo.", "I live in Rome."}};
  for (const std::vector<std::string>& words : tellings) {
    for (std::size_t gone = 0; gone < words.size(); ++gone) {
      Speaker ada, ben;
      std::vector<Text> texts;
      for (const std::string& one : words) {
        texts.push_back({static_cast<int>(texts.size()) + 1, one});
        tell(ada, texts.back());
      }
      SCOPED_TRACE(told(texts) + "undone: " + words[gone]);
      const std::string before = ada.state();
      take(ada, texts[gone], Goes::kUndone);
      for (std::size_t i = 0; i < texts.size(); ++i)
        if (i != gone) tell(ben, texts[i]);
      EXPECT_EQ(ada.state(), ben.state());
      EXPECT_TRUE(ada.undo(ada.newest(), ada.newest()));
      EXPECT_EQ(ada.state(), before);
    }
  }
}

struct Said {
  std::string author;
  store::Trust trust;
  std::string words;
};

// What is trusted less changes nothing of what is trusted more, also of the same words: it is kept,
// and holds when that goes.
TEST(Values, WhoIsTrustedLessMovesNothing) {
  constexpr auto kOwner = store::Trust::kOperator, kLess = store::Trust::kStandard,
                 kLeast = store::Trust::kUntrusted;
  struct Case {
    std::vector<Said> told;
    std::string times, values = {};
    std::string when_the_owner_goes = {};  // times, when his texts are forgotten
  };
  const std::vector<Case> cases = {
      {{{"Ada", kOwner, "Tom lives in Oslo."},
        {"Cid", kLeast, "Tom lives in Oslo."},
        {"Cid", kLeast, "Tom lives in Paris."}},
       "Oslo ../.. op; Paris ../.. un",
       "",
       "Oslo ../2026-06-18 un; Paris ../.. un"},
      {{{"Ada", kOwner, "Tom lives in Oslo."}, {"Cid", kLess, "Tom moved to Oslo in 2009."}},
       "Oslo ../.. op",
       "",
       "Oslo 2009-01-01/.. st"},
      {{{"Ada", kOwner, "Tom moved to Oslo in 2023."}, {"Cid", kLess, "Tom lives in Oslo."}},
       "Oslo 2023-01-01/.. op",
       "",
       "Oslo ../.. st"},
      {{{"Cid", kLess, "Tom lives in Rome."},
        {"Ada", kOwner, "Tom no longer lives in Rome."},
        {"Cid", kLess, "Tom lives in Rome."}},
       "Rome ../2026-06-17 st",
       "",
       "Rome ../.. st"},
      {{{"Cid", kLess, "Tom moved to Rome in 2024."}, {"Ada", kOwner, "Tom lives in Rome."}},
       "Rome ../.. op",
       "",
       "Rome 2024-01-01/.. st"},
      {{{"Cid", kLeast, "Tom lives in Oslo."},
        {"Dan", kLess, "Tom lives in Paris."},
        {"Ada", kOwner, "Tom moved to Oslo in 2010."}},
       "Oslo 2010-01-01/.. op; Paris ../2010-01-01 st",
       "",
       "Oslo ../.. un; Paris ../.. st"},
      {{{"Ada", kOwner, "Tom's phone number is 555-0101."},
        {"Cid", kLeast, "Tom's phone number is 555-0101."},
        {"Cid", kLeast, "Tom's phone number is 555-0102."}},
       "",
       "Tom phone 555-0101 (Ada); Tom phone 555-0102 (Cid) beside; "},
  };
  for (const Case& one : cases) {
    Speaker ada;
    std::vector<Text> texts;
    for (const auto& [author, trust, words] : one.told) {
      texts.push_back({static_cast<int>(texts.size()) + 1, words, author, trust});
      tell(ada, texts.back());
    }
    SCOPED_TRACE(told(texts));
    EXPECT_EQ(ada.times_by_trust(), one.times);
    EXPECT_EQ(ada.values(kAttributes), one.values);
    if (one.when_the_owner_goes.empty()) continue;
    for (const Text& text : texts)
      if (text.trust == kOwner) take(ada, text, Goes::kForgotten);
    EXPECT_EQ(ada.times_by_trust(), one.when_the_owner_goes);
  }
}

// An end in words ends what is trusted no more, and nothing else; a value as a link. So it does
// where another value was told since, which goes.
TEST(Values, AnEndEndsWhatIsTrustedNoMore) {
  const std::vector<std::vector<std::string>> kinds = {
      {"Ada lives in Oslo.", "Ada no longer lives in Oslo.", "Ada lives in Rome."},
      {"Ada works at Initech.", "Ada no longer works at Initech.", "Ada works at Siemens."},
      {"Ada's phone number is 555-0101.", "Ada's phone number is no longer 555-0101.",
       "Ada's phone number is 555-0102."},
      {"Ada's email is ada@posteo.de.", "Ada's email is no longer ada@posteo.de.",
       "Ada's email is ada@web.de."},
      {"Ada's address is 12 Mill Lane.", "Ada's address is no longer 12 Mill Lane.",
       "Ada's address is 14 Mill Lane."}};
  constexpr store::Trust kTrusts[] = {store::Trust::kHostile, store::Trust::kUntrusted,
                                      store::Trust::kStandard, store::Trust::kVerified,
                                      store::Trust::kOperator};
  const std::vector<std::string> attributes = {"phone", "email", "address"};
  for (const std::vector<std::string>& kind : kinds) {
    for (const store::Trust said : kTrusts) {
      for (const store::Trust ended : kTrusts) {
        for (const bool replaced : {false, true}) {
          Speaker ada;
          std::vector<Text> texts = {{1, kind[0], "Cid", said}};
          if (replaced) texts.push_back({2, kind[2], "Cid", said});
          texts.push_back({3, kind[1], "Ada", ended});
          for (Text& one : texts) tell(ada, one);
          SCOPED_TRACE(told(texts) + std::string(govern::trust_name(said)) + ", " +
                       std::string(govern::trust_name(ended)));
          if (replaced) take(ada, texts[1], Goes::kForgotten);
          EXPECT_EQ((ada.holds_on(5) + ada.values(attributes)).empty(), ended >= said);
        }
      }
    }
  }
}

// What only the space has words for is told to have ended in the same way.
TEST(Values, AnEndOfWhatWasReplacedIsKept) {
  struct Case {
    bool is_link;
    std::string newer, ended, held;
  };
  const std::vector<Case> cases = {
      {true, "gitea runs on zephyr.", "gitea no longer runs on borea.", "gitea runs_on borea"},
      {false, "The port of gitea is 3001.", "The port of gitea is no longer 3000.",
       "gitea port 3000"}};
  for (const Case& one : cases) {
    Speaker ada;
    ada.kip(R"(UPSERT {
      CONCEPT { {type: "$ConceptType", name: "Service"} }
      CONCEPT { {type: "$ConceptType", name: "Host"} }
      CONCEPT { {type: "$PropositionType", name: "runs_on"} SET ATTRIBUTES {functional: true} }
      CONCEPT ?borea { {type: "Host", name: "borea"} }
      CONCEPT { {type: "Host", name: "zephyr"} }
      CONCEPT { {type: "Service", name: "gitea"} SET ATTRIBUTES {port: 3000}
                SET PROPOSITIONS { ("runs_on", ?borea) } } })");
    std::vector<Text> texts = {{1, one.newer}, {2, one.ended}};
    for (Text& text : texts) {
      tell(ada, text);
      EXPECT_TRUE(text.taught) << text.words;
    }
    take(ada, texts[0], Goes::kForgotten);
    const std::string left = ada.state();
    const std::size_t line = left.find(one.held);
    // A link that has ended stays as one.
    const std::string last = left.substr(0, line == left.npos ? 0 : left.find('\n', line));
    const bool holds = line != left.npos && (last.ends_with("..") || !one.is_link);
    EXPECT_FALSE(holds) << left;
  }
}

// What KIP stated of the same trust is replaced by what is told behind it, whatever was told
// before.
TEST(Values, WhatIsToldLastReplacesWhatWasStated) {
  Speaker ada;
  introduce(ada);
  std::vector<Text> texts = {{1, "My phone number is 555-0101."}};
  tell(ada, texts[0]);
  ada.state("Ada", "phone", "555-0102");
  const Told told = ada.say_on(5, "My phone number is 555-0103.");
  EXPECT_EQ(told.asks, "");
  EXPECT_EQ(ada.values(kAttributes), "Ada phone 555-0103 (Ada); ");
}

memory::ForgetRequest of_source(const std::string& session) {
  memory::ForgetRequest request;
  request.source = session_source(session);
  return request;
}

memory::ForgetRequest of_thing(const std::string& name) {
  memory::ForgetRequest request;
  request.things = {name};
  request.mentions = true;
  return request;
}

// What was told in a session, and is forgotten for good, leaves what the rest tells. What it had
// taken from somebody else's words is not brought back where these are forgotten.
TEST(Values, WhatIsForgottenForGoodWasNeverTold) {
  struct Case {
    std::vector<std::pair<std::string, std::string>> told;  // session, words
    memory::ForgetRequest request;
    std::string times, values = {};
  };
  const std::vector<std::pair<std::string, std::string>> moves = {
      {"a", "I moved to Oslo in 2010."},
      {"b", "I moved to Rome in 2015."},
      {"c", "I moved to Bergen in 2020."}};
  const std::vector<std::pair<std::string, std::string>> phones = {
      {"a", "My phone number is 555-0101."}, {"b", "My phone number is 555-0102."}};
  const std::vector<Case> cases = {
      {moves, of_source("b"), "Bergen 2020-01-01/..; Oslo 2010-01-01/2020-01-01"},
      {moves, of_thing("Rome"), "Bergen 2020-01-01/..; Oslo 2010-01-01/2020-01-01"},
      {{moves[0], {"b", "I no longer live in Oslo."}}, of_source("b"), "Oslo 2010-01-01/.."},
      {phones, of_source("b"), "", "Ada phone 555-0101 (Ada); "},
      {phones, of_thing("555-0102"), "", "Ada phone 555-0101 (Ada); "},
      {phones, of_source("a"), "", "Ada phone 555-0102 (Ada); "},
  };
  for (const Case& one : cases) {
    Speaker ada;
    ada.say_on(0, "I like jazz.");
    for (const auto& [session, words] : one.told) {
      ada.speak_in(session);
      ada.say(words);
    }
    SCOPED_TRACE(one.told.back().second);
    ada.forget_for_good(one.request);
    EXPECT_EQ(replace_all(ada.times(), "; jazz ../..", ""),
              one.times.empty() ? "jazz ../.." : one.times);
    EXPECT_EQ(ada.values(kAttributes), one.values);
  }
  Speaker ada;
  introduce(ada);
  ada.speak_as("Crm", store::Trust::kOperator);
  ada.state("Ada", "phone", "555-0100");
  ada.speak_as("Ada", store::Trust::kOperator);
  Text text{5, "My phone number is 555-0101."};
  tell(ada, text);
  ada.forget_for_good(of_thing("555-0100"));
  EXPECT_EQ(ada.values(kAttributes), "Ada phone 555-0101 (Ada); ");
  take(ada, text, Goes::kForgotten);
  EXPECT_EQ(ada.values(kAttributes), "");
}

// After a merge what was told is as if it had been told of the one that stays, and what is told by
// the other name is told of it.
TEST(Values, WhatWasToldOfBothIsOfOneAfterAMerge) {
  const std::vector<std::string> words = {
      "Tom Berger works at Globex.", "Thomas Berger likes jazz.",
      "Thomas Berger's phone number is 555-0101.", "Thomas Berger's phone number is 555-0102.",
      "Thomas Berger moved to Paris in 2022."};
  for (std::size_t gone = 0; gone < words.size(); ++gone) {
    for (const Goes how : {Goes::kForgotten, Goes::kUndone}) {
      Speaker ada, ben;
      std::vector<Text> texts;
      for (std::size_t i = 0; i < words.size(); ++i) {
        texts.push_back({static_cast<int>(i) + 1, words[i]});
        tell(ada, texts.back());
        if (i == 3) ada.merge("Thomas Berger", "Tom Berger");
        if (i == gone || !texts.back().taught) continue;
        Text of_one = texts.back();
        if (of_one.words.starts_with("Thomas")) of_one.words.replace(0, 6, "Tom");
        tell(ben, of_one);
      }
      if (how == Goes::kUndone && gone < 4) continue;  // the merge depends on it
      SCOPED_TRACE(words[gone]);
      take(ada, texts[gone], how);
      EXPECT_EQ(ada.times(), ben.times());
      EXPECT_EQ(ada.values(std::vector<std::string>{"phone"}),
                ben.values(std::vector<std::string>{"phone"}));
    }
  }
}

// Of two values that two things had before they were made one, what holds, and what is left when
// one of them goes, is as if both had been told of one.
TEST(Values, AMergeKeepsTheRuleOfWhatHolds) {
  constexpr store::Trust kTrusts[] = {store::Trust::kHostile, store::Trust::kStandard,
                                      store::Trust::kOperator};
  const std::vector<std::string> phone = {"phone"};
  for (const store::Trust first : kTrusts) {
    for (const store::Trust second : kTrusts) {
      for (const bool newer_stays : {true, false}) {
        for (const int gone : {-1, 0, 1}) {
          Speaker ada, ben;
          std::vector<Text> texts = {{1, "Tom Berger's phone number is 555-0101.", "Cid", first},
                                     {2, "Eva Berger's phone number is 555-0102.", "Dan", second}};
          for (Text& one : texts) tell(ada, one);
          if (newer_stays) {
            ada.merge("Tom Berger", "Eva Berger");
          } else {
            ada.merge("Eva Berger", "Tom Berger");
          }
          texts[1].words = "Tom Berger's phone number is 555-0102.";
          for (Text& one : texts) tell(ben, one);
          if (gone >= 0) {
            take(ada, texts[static_cast<std::size_t>(gone)], Goes::kForgotten);
            take(ben, texts[static_cast<std::size_t>(gone)], Goes::kForgotten);
          }
          SCOPED_TRACE(std::string(govern::trust_name(first)) + ", " +
                       std::string(govern::trust_name(second)) + ", " + std::to_string(gone));
          EXPECT_EQ(replace_all(ada.values(phone), "Eva", "Tom"), ben.values(phone));
        }
      }
    }
  }
}

// What two things said differently is listed as long as both of it is said.
TEST(Values, AMergeConflictGoesWithWhatWasTold) {
  for (const int gone : {-1, 0, 1}) {
    Speaker ada;
    std::vector<Text> texts = {{1, "Tom Berger's phone number is 555-0101."},
                               {2, "Eva Berger's phone number is 555-0102."}};
    for (Text& one : texts) tell(ada, one);
    ada.merge("Eva Berger", "Tom Berger");
    if (gone >= 0) take(ada, texts[static_cast<std::size_t>(gone)], Goes::kForgotten);
    EXPECT_EQ(ada.merge_conflicts(),
              gone < 0 ? "phone \"555-0102\", other \"555-0101\"; " : std::string());
  }
  Speaker ada;
  Text first{1, "Tom Berger's phone number is 555-0101."};
  tell(ada, first);
  ada.say_on(2, "Eva Berger likes jazz.");
  ada.state("Eva Berger", "phone", "555-0102");
  ada.merge("Eva Berger", "Tom Berger");
  EXPECT_NE(ada.merge_conflicts(), "");
  ada.state("Tom Berger", "phone", "555-0103");
  EXPECT_EQ(ada.merge_conflicts(), "");
}

// So is what KIP stated of one in the place of what was told.
TEST(Values, AMergeOfAStatedValueIsInTurn) {
  for (const bool newer_stays : {true, false}) {
    Speaker ada, ben;
    Text first{1, "Tom Berger's phone number is 555-0101."},
        last{5, "Eva Berger's phone number is 555-0103."};
    for (Speaker* one : {&ada, &ben}) {
      tell(*one, first);
      one->state("Tom Berger", "phone", "555-0102");
    }
    tell(ada, last);
    ada.merge(newer_stays ? "Tom Berger" : "Eva Berger", newer_stays ? "Eva Berger" : "Tom Berger");
    last.words = "Tom Berger's phone number is 555-0103.";
    tell(ben, last);
    EXPECT_EQ(replace_all(ada.values(kAttributes), "Eva", "Tom"), ben.values(kAttributes));
  }
}

// What is left of a thing that was deleted comes back by no text.
TEST(Values, OfADeletedThingNothingIsLeft) {
  Speaker ada;
  for (const char* text : {"Ida lives in Oslo.", "Tom moved to Rome in 2018.",
                           "Tom moved to Kiel in 2018.", "Tom's phone number is 555-0101."})
    ada.say_of_before(text);
  const std::string before = ada.times() + ada.values(kAttributes);
  ada.kip("DELETE CONCEPT ?p DETACH WHERE { ?p {type: \"Person\", name: \"Tom\"} }");
  EXPECT_EQ(ada.times() + ada.values(kAttributes), "Oslo ../..");
  const store::Sequence deleted = ada.newest();
  Text text{9, "Tom's phone number is 555-0102."};
  tell(ada, text);
  EXPECT_EQ(ada.times() + ada.values(kAttributes), "Oslo ../..Tom phone 555-0102 (Ada); ");
  take(ada, text, Goes::kForgotten);
  EXPECT_EQ(ada.times() + ada.values(kAttributes), "Oslo ../..");
  EXPECT_TRUE(ada.undo(deleted, deleted)) << ada.why_not();
  EXPECT_EQ(ada.times() + ada.values(kAttributes), before);
}

// The homes of two that are one are one after the other, as if all had been told of one; what is
// told behind that and goes leaves them so.
TEST(Values, HomesOfTwoThatAreOneAreInTurn) {
  for (const Goes how : {Goes::kForgotten, Goes::kUndone}) {
    Speaker ada, ben;
    std::vector<Text> texts = {{1, "Tom Berger lives in Oslo."}, {2, "Eva Berger lives in Paris."}};
    for (Text& one : texts) tell(ada, one);
    ada.merge("Eva Berger", "Tom Berger");
    texts[1].words = "Tom Berger lives in Paris.";
    for (Text& one : texts) tell(ben, one);
    EXPECT_EQ(ada.times(), ben.times());
    Text third{4, "Tom Berger lives in Kiel."};
    tell(ada, third);
    take(ada, third, how);
    EXPECT_EQ(ada.times(), ben.times());
    EXPECT_EQ(ada.contradictions(), 0u);
  }
}

// What KIP deleted of what was told comes back by no other way than the undo of that.
TEST(Values, WhatIsDeletedStaysSo) {
  const std::string tom = "{type: \"Person\", name: \"Tom\"}";
  struct Case {
    std::string first, second, third, deletes;
  };
  const std::vector<Case> cases = {
      {"Tom's phone number is 555-0101.", "Tom's phone number is 555-0102.",
       "Tom's phone number is 555-0103.",
       "DELETE ATTRIBUTES {\"phone\"} FROM ?p WHERE { ?p " + tom + " }"},
      {"Tom works at Initech.", "Tom works at Initech.", "Tom works at Globex.",
       "DELETE PROPOSITIONS ?l WHERE { ?l (" + tom + ", \"works_at\", ?o) }"}};
  for (const Case& one : cases) {
    for (const Goes how : {Goes::kForgotten, Goes::kUndone}) {
      for (const bool behind : {true, false}) {
        SCOPED_TRACE(one.deletes + (behind ? ", told behind" : ""));
        Speaker ada;
        introduce(ada);
        Text first{1, one.first}, second{2, one.second}, third{5, one.third};
        tell(ada, first);
        tell(ada, second);
        ada.set_day(3);
        const std::string before = ada.times() + ada.values(kAttributes);
        ada.kip(one.deletes);
        const store::Sequence deleted = ada.newest();
        const std::string left = ada.times() + ada.values(kAttributes);
        EXPECT_EQ(left.find("Initech") != left.npos || left.find("555") != left.npos, false)
            << left;
        if (behind) {
          tell(ada, third);
          take(ada, third, how);
        } else {
          take(ada, second, how);
        }
        EXPECT_EQ(ada.times() + ada.values(kAttributes), left);
        if (!behind) continue;
        EXPECT_TRUE(ada.undo(deleted, deleted)) << ada.why_not();
        EXPECT_EQ(ada.times() + ada.values(kAttributes), before);
      }
    }
  }
}

// What had ended because of it holds again.
TEST(Values, WhatIsDeletedEndsNothing) {
  Speaker ada;
  for (const char* text : {"Tom lives in Rome.", "Tom lives in Kiel.", "Tom lives in Rome."})
    ada.say(text);
  const std::string before = ada.times();
  ada.kip(
      "DELETE PROPOSITIONS ?l WHERE { ?l ({type: \"Person\", name: \"Tom\"}, \"lives_in\", "
      "{type: \"Place\", name: \"Rome\"}) }");
  EXPECT_EQ(ada.times(), "Kiel ../..");
  EXPECT_TRUE(ada.undo(ada.newest(), ada.newest()));
  EXPECT_EQ(ada.times(), before);
}

// Other words in the place of an older text are told at its time: they hold once what was told
// since goes.
TEST(Values, AnUpdateHoldsWhereWhatWasToldSinceGoes) {
  const std::vector<std::vector<std::string>> kinds = {
      {"My phone number is 555-0101.", "My phone number is 555-0102.",
       "My phone number is 555-0103."},
      {"I am 34 years old.", "I am 35 years old.", "I am 36 years old."},
      {"My email is ada@example.org.", "My email is ada@example.com.", "My email is ada@web.de."}};
  for (const std::vector<std::string>& kind : kinds) {
    for (const Goes how : {Goes::kForgotten, Goes::kUndone}) {
      Speaker ada, ben;
      introduce(ada);
      introduce(ben);
      Text first{1, kind[0]}, since{2, kind[1]};
      tell(ada, first);
      tell(ada, since);
      const std::string before = ada.values(kAttributes);
      ada.set_day(3);
      const Told told = ada.update(memory_of(first), kind[2], 1, "M1b");
      EXPECT_NE(told.asks.find("was told since, and stays."), std::string::npos) << told.asks;
      EXPECT_EQ(told.stated, "");
      EXPECT_EQ(ada.values(kAttributes), before);
      take(ada, since, how);
      first.words = kind[2];
      tell(ben, first);
      EXPECT_EQ(ada.values(kAttributes), ben.values(kAttributes));
    }
  }
}

// Several people who are trusted more or less tell of one, and some of that goes, in any order,
// also while more is told.
class Walk {
 public:
  explicit Walk(unsigned seed) : random_(seed) {}
  void run() {
    introduce(ada_);
    const int steps = 6 + pick(8);
    for (int i = 0; i < steps; ++i) step();
    Speaker ben;
    introduce(ben);
    for (Text& one : texts_) {
      const bool taught = one.taught;
      tell(ben, one);
      asks_ = asks_ || taught != one.taught;
    }
    if (asks_) return;
    SCOPED_TRACE(log_);
    EXPECT_EQ(ada_.values(kAttributes), ben.values(kAttributes));
    EXPECT_EQ(ada_.holds_when(day_ + 2), ben.holds_when(day_ + 2));
  }
  bool is_compared() const { return !asks_; }

 private:
  int pick(int below) { return std::uniform_int_distribution<int>(0, below - 1)(random_); }

  std::string words() {
    const std::string number = "555-010" + std::to_string(pick(4));
    const std::string mail = "ada" + std::to_string(pick(3)) + "@example.org";
    switch (pick(6)) {
      case 0:
      case 1:
        return "Ada's phone number is " + number + ".";
      case 2:
        return "Ada's phone number is no longer " + number + ".";
      case 3:
        return "Ada's email is " + mail + ".";
      case 4:
        return "Ada is " + std::to_string(30 + pick(4)) + " years old.";
      default:
        return "Ada lives in " +
               std::vector<std::string>{"Oslo", "Rome", "Kiel"}[static_cast<std::size_t>(pick(3))] +
               ".";
    }
  }

  void step() {
    if (pick(10) < 7 || texts_.empty()) {
      static const std::vector<std::pair<std::string, store::Trust>> kPeople = {
          {"Ada", store::Trust::kOperator},
          {"Ben", store::Trust::kOperator},
          {"Cid", store::Trust::kStandard},
          {"Dan", store::Trust::kUntrusted}};
      const auto& [author, trust] = kPeople[static_cast<std::size_t>(pick(4))];
      Text text{++day_, words(), author, trust};
      tell(ada_, text);
      log_ += author + ": " + text.words + " ";
      texts_.push_back(text);
      return;
    }
    const auto at = texts_.begin() + pick(static_cast<int>(texts_.size()));
    const Goes how = pick(2) == 0 ? Goes::kForgotten : Goes::kUndone;
    log_ += (how == Goes::kUndone ? "[undo " : "[forget ") + at->words + "] ";
    if (at->taught) take(ada_, *at, how);
    texts_.erase(at);
  }

  std::mt19937 random_;
  Speaker ada_;
  std::vector<Text> texts_;
  int day_ = 0;
  bool asks_ = false;
  std::string log_;
};

TEST(Values, AWalkLeavesWhatItsRestTells) {
  std::size_t compared = 0;
  for (unsigned seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE(seed);
    Walk walk(seed);
    walk.run();
    compared += walk.is_compared() ? 1 : 0;
  }
  EXPECT_GE(compared, 200u);
}

}  // namespace
}  // namespace anima::agent::values_test
