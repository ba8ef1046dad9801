// Who is trusted less does not say what the words of the operator mean: neither whose name one is,
// nor for how many things a relation has room.
#include <gtest/gtest.h>

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
