// Who is trusted less does not say what the words of the operator mean: neither whose name one is,
// nor for how many things a relation has room.
#include <gtest/gtest.h>

#include "govern/trust.h"
#include "unit/agent/telling/speaker.h"

namespace anima::agent::lower_trust_test {
namespace {

using store::Trust;
using told_test::Speaker;

struct Attack {
  std::string kip;
  bool first = false;  // before anything is told
};

// What others than the operator may state of names and relations.
const std::vector<Attack>& attacks() {
  static const std::vector<Attack> kAll = [] {
    std::vector<Attack> all;
    const auto add = [&all](const std::string& block) {
      all.push_back({"UPSERT { " + block + " }", true});
      all.push_back({"UPSERT { " + block + " }", false});
    };
    const auto thing = [](const std::string& type, const std::string& name,
                          const std::string& attributes) {
      return "CONCEPT { {type: \"" + type + "\", name: \"" + name + "\"} SET ATTRIBUTES {" +
             attributes + "} }";
    };
    for (const char* owner : {"Bob Hill", "Eve", "Cem Kaya"})
      add(thing("Person", owner, "aliases: [\"Ada Berg\", \"Oslo\", \"Rome\"]"));
    add(thing("Entity", "Ada Berg", "note: \"x\""));
    for (const char* name : {"Ada Berg", "Rome", "jazz"}) add(thing("Event", name, "note: \"x\""));
    add(thing("Entity", "Oslo", "aliases: [\"Rome\"]"));
    for (const char* relation : {"lives_in", "likes"}) {
      for (const char* says : {"functional: true", "functional: false", "note: \"x\""})
        add(thing("$PropositionType", relation, says));
    }
    return all;
  }();
  return kAll;
}

std::string told_by_the_operator(const Attack* attack, Trust trust) {
  Speaker operator_;
  operator_.speak_as(Trust::kOperator);
  if (attack != nullptr && attack->first) operator_.kip(attack->kip, trust);
  operator_.say("Cem Kaya lives in Rome.");
  operator_.say("Bob Hill lives in Rome.");
  operator_.say("Ada Berg likes jazz.");
  if (attack != nullptr && !attack->first) operator_.kip(attack->kip, trust);
  operator_.say("Ada Berg lives in Oslo.");
  operator_.say("Ada Berg likes hiking.");
  operator_.say("Bob Hill lives in Paris.");
  operator_.say("Ada Berg lives in Rome.");
  return operator_.holding();
}

TEST(LowerTrust, SaysNotWhatTheOperatorsWordsMean) {
  const std::string wanted = told_by_the_operator(nullptr, Trust::kOperator);
  EXPECT_EQ(wanted,
            "Ada Berg likes hiking; Ada Berg likes jazz; Ada Berg lives_in Rome; "
            "Bob Hill lives_in Paris; Cem Kaya lives_in Rome; ");
  for (const Attack& one : attacks())
    for (const Trust trust : {Trust::kUntrusted, Trust::kStandard, Trust::kVerified})
      EXPECT_EQ(told_by_the_operator(&one, trust), wanted) << one.first << ": " << one.kip;
}

// What the owner tells, what somebody else tells or a file states who is trusted less, and what is
// asked then.
struct Beside {
  std::vector<std::string> told;
  std::string lower, by_kip;
  std::string question;
};

std::string links_of_ada(const std::string& relation, const std::string& type,
                         const std::string& name) {
  return "UPSERT { CONCEPT ?o { {type: \"" + type + "\", name: \"" + name +
         "\"} } CONCEPT { {type: \"Person\", name: \"Ada\"} SET PROPOSITIONS { (\"" + relation +
         "\", ?o) } } }";
}
std::string value_of_ada(const std::string& key, const std::string& value) {
  return "UPSERT { CONCEPT { {type: \"Person\", name: \"Ada\"} SET ATTRIBUTES {" + key + ": \"" +
         value + "\"} } }";
}

const std::vector<Beside>& told_beside() {
  const std::string home = "Where does Ada live?", job = "Where does Ada work?";
  const std::string paris = links_of_ada("lives_in", "Place", "Paris");
  const std::string personio = links_of_ada("works_at", "Organisation", "Personio");
  static const std::vector<Beside> kAll = {
      {{"I live in Oslo.", "I moved to Rome in 2015."}, "Ada lives in Paris.", paris, home},
      {{"I moved to Rome in 2015.", "I live in Oslo."}, "Ada lives in Paris.", paris, home},
      {{"I live in Oslo.", "I moved to Rome in 2015."}, "Ada moved to Paris in 2020.", paris, home},
      {{"I live in Oslo.", "I live in Rome."},
       "Ada lives in Oslo.",
       links_of_ada("lives_in", "Place", "Rome"),
       home},
      {{"I live in Oslo."}, "Ada has lived in Oslo since 2001.", paris, home},
      {{"I moved to Oslo in 2015."}, "Ada has lived in Oslo since 2001.", paris, home},
      {{"I moved to Oslo in 2015.", "I moved to Rome in 2018."},
       "Ada moved to Rome in 2012.",
       paris,
       home},
      {{"I moved to Rome in 2018."}, "Ada no longer lives in Rome.", paris, home},
      {{"I live in Oslo.", "I no longer live in Oslo."}, "Ada lives in Paris.", paris, ""},
      {{"I work at Initech.", "I started at Siemens in 2019."},
       "Ada works at Personio.",
       personio,
       job},
      {{"I work at Initech.", "I started at Siemens in 2019."},
       "Ada started at Personio in 2022.",
       personio,
       job},
      {{"My favourite colour is green."},
       "Ada's favourite colour is red.",
       value_of_ada("favourite_colour", "red"),
       "What is Ada's favourite colour?"},
      {{"My favourite colour is green.", "My favourite colour is blue."},
       "Ada's favourite colour is red.",
       value_of_ada("favourite_colour", "red"),
       "What is Ada's favourite colour?"},
      {{"My phone number is 555-0101."},
       "Ada's phone number is 555-0102.",
       value_of_ada("phone", "555-0102"),
       "What is Ada's phone number?"},
      {{"My phone number is 555-0101.", "My phone number is no longer 555-0101."},
       "Ada's phone number is 555-0102.",
       value_of_ada("phone", "555-0102"),
       ""},
      {{"My sister is Lena Brandt."}, "Ada's brother is Lena Brandt.", {}, "Who is Ada's sister?"},
      {{"My husband is Tom Berg."}, "Ada's wife is Tom Berg.", {}, "Who is Ada's husband?"},
      {{"My mother is Eva Berg."}, "Ada's father is Eva Berg.", {}, "Who is Ada's mother?"},
      {{"My daughter is Eva Berg."}, "Ada's son is Eva Berg.", {}, "Who is Ada's daughter?"},
      {{"My sister is Lena Brandt.", "My sister lives in Rome."},
       "Ada's sister is Eva Berg.",
       {},
       "Where does Lena Brandt live?"},
      {{"I like jazz."},
       "Ada dislikes jazz.",
       links_of_ada("dislikes", "Thing", "jazz"),
       "What does Ada like?"},
  };
  return kAll;
}

// What the owner hears and leaves, and what is answered then.
std::string told_with(const Beside& one, const std::string& lower, std::size_t at, bool kip,
                      Trust trust) {
  Speaker owner;
  std::string all;
  for (std::size_t i = 0; i <= one.told.size(); ++i) {
    if (!lower.empty() && at == i) {
      owner.speak_as("Eve", trust);
      owner.set_day(2 * static_cast<int>(i));
      kip ? owner.kip(lower, trust) : static_cast<void>(owner.say_now(lower, {}));
      owner.asked();
    }
    owner.speak_as("Ada", Trust::kOperator);
    if (i == one.told.size()) break;
    owner.set_day(2 * static_cast<int>(i) + 1);
    const Told told = owner.say_now(one.told[i], {});
    all += owner.asked() + join(told.choices, ", ") + "\n";
  }
  all += owner.of_trust(Trust::kOperator);
  return one.question.empty() ? all : all + owner.rows_of(one.question);
}

TEST(LowerTrust, StandsBesideWhatTheOwnerTells) {
  for (const Beside& one : told_beside()) {
    const std::string wanted = told_with(one, {}, 0, false, Trust::kOperator);
    for (const Trust trust : {Trust::kUntrusted, Trust::kStandard, Trust::kVerified}) {
      for (std::size_t at = 0; at <= one.told.size(); ++at) {
        SCOPED_TRACE(join(one.told, " ") + " " + std::to_string(at) + " " +
                     std::string(govern::trust_name(trust)));
        EXPECT_EQ(told_with(one, one.lower, at, false, trust), wanted) << one.lower;
        if (one.by_kip.empty()) continue;
        EXPECT_EQ(told_with(one, one.by_kip, at, true, trust), wanted) << one.by_kip;
      }
    }
  }
}

TEST(LowerTrust, IsListedWhereItDiffers) {
  for (const Trust trust : {Trust::kUntrusted, Trust::kStandard, Trust::kVerified}) {
    for (const bool first : {true, false}) {
      Speaker owner;
      const auto lower = [&] {
        owner.speak_as("Eve", trust);
        owner.say("Ada lives in Paris.");
        owner.speak_as("Ada", Trust::kOperator);
      };
      if (first) lower();
      owner.say("I live in Oslo.");
      if (!first) lower();
      EXPECT_EQ(owner.contradictions(), 1u) << first;
    }
  }
}

// What a file says that the owner's took the place of does not say when that began.
TEST(LowerTrust, SaysNotWhenWhatTheOwnerStatedBegan) {
  const auto told = [](std::optional<Trust> trust) {
    Speaker owner;
    owner.kip(links_of_ada("lives_in", "Place", "Oslo"));
    const std::string answer =
        owner.ask_kip("FIND(?l.id) WHERE { ?l (?x, \"lives_in\", ?y) }").dump();
    const std::size_t id = answer.find("\"P:");
    EXPECT_NE(id, std::string::npos) << answer;
    if (trust)
      owner.kip(
          "UPSERT { CONCEPT ?o { {type: \"Place\", name: \"Paris\"} } CONCEPT { {type: "
          "\"Person\", name: \"Ada\"} SET PROPOSITIONS { (\"lives_in\", ?o) WITH METADATA "
          "{valid_to: \"2015-01-01T00:00:00Z\", superseded_by: " +
              answer.substr(id, answer.find('"', id + 1) + 1 - id) + "} } } }",
          *trust);
    owner.set_day(2);
    owner.say_now("I moved to Rome in 2012.", {});
    return owner.of_trust(Trust::kOperator);
  };
  for (const Trust trust : {Trust::kUntrusted, Trust::kStandard, Trust::kVerified})
    EXPECT_EQ(told(trust), told({})) << govern::trust_name(trust);
}

// A compartment keeps a value that the owner ends where it is trusted as far as he.
TEST(LowerTrust, KeepsNoValueThatTheOwnerEnds) {
  for (const Trust trust :
       {Trust::kUntrusted, Trust::kStandard, Trust::kVerified, Trust::kOperator}) {
    Speaker owner;
    owner.say("Ada's phone number is 555-0101.");
    owner.speak_as("file", trust);
    owner.state("Ada", "phone", "555-0101", "urn:file");
    owner.speak_as("Ada", Trust::kOperator);
    owner.asked();
    owner.say("Ada's phone number is no longer 555-0101.");
    const bool alike = trust == Trust::kOperator;
    EXPECT_EQ(owner.asked().empty(), !alike) << govern::trust_name(trust);
    EXPECT_EQ(owner.of_trust(Trust::kOperator), alike ? "Ada phone 555-0101\n" : "")
        << govern::trust_name(trust);
  }
}

// The noun of who is trusted less is that of the link where the other one's text goes.
TEST(LowerTrust, HasItsNounWhereTheOtherGoes) {
  for (const bool first : {true, false}) {
    Speaker owner;
    const auto lower = [&] {
      owner.speak_as("Eve", Trust::kStandard);
      owner.say("Ada's brother is Lena Brandt.");
      owner.speak_as("Ada", Trust::kOperator);
    };
    if (first) lower();
    const store::Sequence before = owner.newest();
    owner.say("My sister is Lena Brandt.");
    const store::Sequence last = owner.newest();
    if (!first) lower();
    EXPECT_EQ(owner.rows_of("Who is Ada's sister?"), "answered [\"Lena Brandt\"]");
    if (first) {
      EXPECT_TRUE(owner.undo(store::Sequence{static_cast<std::uint64_t>(before) + 1}, last))
          << owner.why_not();
      EXPECT_EQ(owner.rows_of("Who is Ada's brother?"), "answered [\"Lena Brandt\"]");
    }
  }
}

// Of two things of one name the most trusted is meant, in whatever order they were made; of two
// that are trusted alike it is asked which.
TEST(LowerTrust, SaysNotWhoIsAskedAbout) {
  const std::string file =
      "UPSERT { CONCEPT ?o { {type: \"Entity\", name: \"Paris\"} } CONCEPT { {type: \"Entity\", "
      "name: \"Ada\"} SET PROPOSITIONS { (\"lives_in\", ?o) } } }";
  for (const Trust trust : {Trust::kStandard, Trust::kVerified, Trust::kOperator}) {
    for (const bool first : {true, false}) {
      SCOPED_TRACE(std::string(govern::trust_name(trust)) + (first ? " first" : ""));
      Speaker owner;
      if (first) owner.kip(file, trust);
      owner.say("I live in Oslo.");
      if (!first) owner.kip(file, trust);
      const bool alike = trust == Trust::kOperator;
      EXPECT_EQ(owner.rows_of("Where does Ada live?"), alike ? "ambiguous" : "answered [\"Oslo\"]");
      EXPECT_EQ(owner.rows_of("Does Ada live in Oslo?"), alike ? "ambiguous" : "answered [true]");
    }
  }
}

// Where the relation has room for several, what is said to be none ends by itself.
TEST(Denied, EndsAlsoWhereThereIsRoomForMore) {
  for (const char* sentence : {"Ada Berg works at Personio, not Initech.",
                               "Actually Ada Berg works at Personio, not at Initech."}) {
    Speaker operator_;
    operator_.speak_as(Trust::kOperator);
    operator_.kip("UPSERT { CONCEPT { {type: \"$PropositionType\", name: \"works_at\"} } }");
    operator_.say("Ada Berg works at Initech.");
    operator_.say(sentence);
    EXPECT_EQ(operator_.holding(), "Ada Berg works_at Personio; ") << sentence;
  }
}

}  // namespace
}  // namespace anima::agent::lower_trust_test
