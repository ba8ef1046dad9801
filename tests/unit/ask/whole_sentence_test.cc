// A told sentence is read whole or not at all: whatever is put into a sentence that states a fact,
// at whatever place, nothing is stated, corrected, ended or taken back of it, unless it is said to
// change nothing.
#include <gtest/gtest.h>

#include "ask/ask.h"
#include "base/text/text.h"
#include "support/question_domains.h"

namespace anima::ask::whole_sentence_test {
namespace {

using testing::Domain;

Domain town() {
  Domain domain = testing::empty_domain();
  domain.write(R"(UPSERT {
    CONCEPT { {type: "$ConceptType", name: "City"} }
    CONCEPT { {type: "$ConceptType", name: "Company"} }
    CONCEPT { {type: "$ConceptType", name: "Service"} }
    CONCEPT { {type: "$ConceptType", name: "Host"} }
    CONCEPT { {type: "$PropositionType", name: "lives_in"} }
    CONCEPT { {type: "$PropositionType", name: "works_at"} }
    CONCEPT { {type: "$PropositionType", name: "founded"} }
    CONCEPT { {type: "$PropositionType", name: "knows"} }
    CONCEPT { {type: "$PropositionType", name: "runs_on"} }
    CONCEPT { {type: "$PropositionType", name: "owned_by"} }
  })");
  domain.write(R"(UPSERT {
    CONCEPT { {type: "City", name: "Rome"} } CONCEPT { {type: "City", name: "Berlin"} }
    CONCEPT { {type: "Company", name: "Initech"} } CONCEPT { {type: "Company", name: "Acme"} }
    CONCEPT { {type: "Host", name: "borea"} } CONCEPT { {type: "Host", name: "dune"} }
    CONCEPT { {type: "Person", name: "Ada"}
      SET ATTRIBUTES {phone: "111", email: "ada@example.org", age: 36, birthday: "1990-02-01",
                      role: "engineer", telefon: "0300", alter: 36, city: "Bern"}
      SET PROPOSITIONS { ("works_at", {type: "Company", name: "Initech"}) } }
    CONCEPT { {type: "Person", name: "Bob"}
      SET ATTRIBUTES {phone: "222", email: "bob@example.org", age: 40, birthday: "1986-05-06",
                      role: "clerk", telefon: "0301", alter: 40, geburtstag: "1986-05-06",
                      rolle: "Leiter", ort: "Bonn"}
      SET PROPOSITIONS { ("lives_in", {type: "City", name: "Berlin"})
                         ("works_at", {type: "Company", name: "Acme"})
                         ("founded", {type: "Company", name: "Initech"}) } }
    CONCEPT { {type: "Person", name: "Tom Berger"}
      SET ATTRIBUTES {phone: "444", telefon: "044", alter: 50} }
    CONCEPT { {type: "Service", name: "wiki"} SET ATTRIBUTES {port: 80}
      SET PROPOSITIONS { ("owned_by", {type: "Person", name: "Bob"})
                         ("runs_on", {type: "Host", name: "borea"}) } }
    CONCEPT { {type: "Service", name: "orders-db"} SET ATTRIBUTES {port: 5432}
      SET PROPOSITIONS { ("runs_on", {type: "Host", name: "borea"}) } }
  })");
  return domain;
}

const std::vector<std::string> kStated = {"Ada lives in Rome",
                                          "Bob lives in Rome.",
                                          "Tom Berger lives in Berlin!",
                                          "Ada works at Acme",
                                          "Tom Berger works at Initech",
                                          "Ada founded Acme",
                                          "wiki is owned by Ada",
                                          "orders-db is owned by Tom Berger",
                                          "wiki runs on dune",
                                          "orders-db runs on dune.",
                                          "the service wiki runs on dune",
                                          "Ada's phone is 333",
                                          "The phone of Ada is 333.",
                                          "the phone of Tom Berger is 556",
                                          "Ada's phone is +49 30 1234",
                                          "Ada's email is ada@rome.example",
                                          "Ada's age is 37",
                                          "the age of Bob is 41",
                                          "Ada's age is -3",
                                          "Ada's birthday is March 1 1990",
                                          "Ada's birthday is 1990-03-01",
                                          "Bob's birthday is 1 March 1990",
                                          "Ada's role is clerk",
                                          "Bob's role is engineer",
                                          "Bob's role is \"head of sales\"",
                                          "Ada's city is Oslo",
                                          "Ada's city is New Haven",
                                          "wiki's port is 8080",
                                          "the port of orders-db is 5433",
                                          "Ada is \"on vacation\""};

const std::vector<std::string> kForeign = {
    // what doubts
    "presumably", "perhaps", "maybe", "possibly", "probably", "allegedly", "reportedly",
    "supposedly", "hardly", "barely", "almost", "nearly", "roughly", "about", "approximately",
    "circa", "ca.", "c.", "roughly speaking", "or so", "I guess", "I think", "they say",
    "in theory", "if", "unless", "might", "could", "would", "should", "may", "will", "wants to",
    "seems to",
    // what denies
    "not", "never", "no", "neither", "untrue", "wrong", "false", "nonsense", "not not", "without",
    "nobody", "except",
    // what tells that it is another's, or no word of the owner's
    "Untrue:", "Wrong:", "Rumour:", "Fiction:", "Joke:", "Quote:", "This is a lie:", "False -",
    "in the novel", "as a joke", "lol", "jk", "kidding", "ironically",
    // other times, numbers and things
    "formerly", "once", "used to", "soon", "next", "only", "some", "any", "other", "both", "every",
    "zwieback", "like", "ish", "half", "twice", "so-called",
    // signs
    "\xe2\x89\xa0", "<", ">", "~", "\xc2\xb1", "\xe2\x89\x88", "?", "\xef\xbc\x9f", "*", "/", "(",
    ")", "\"", "'", "\xe2\x80\x9c", "...", "\xe2\x80\xa6", "^", "=", "#", "@", ";", "|", ":-)",
    "\xf0\x9f\x99\x83", "\xc2\xbd", "%", "[", "{x}", "\\", "&"};

const std::vector<std::string> kStatedGerman = {"Das Telefon von Bob ist 0302.",
                                                "Das Telefon von Ada ist 0303",
                                                "Das Telefon von Tom Berger ist +49 30 12",
                                                "Das Alter von Bob ist 41",
                                                "Das Alter von Tom Berger ist 51.",
                                                "Das Alter von Ada ist 37",
                                                "Der Geburtstag von Bob ist 1990-03-01",
                                                "Die Rolle von Bob ist Direktor",
                                                "Die Rolle von Bob ist \"Leiter im Verkauf\"",
                                                "Der Ort von Bob ist Ulm",
                                                "Das Telefon von Bob ist 0305!",
                                                "Ada ist \"im Urlaub\""};

const std::vector<std::string> kForeignGerman = {"vermutlich",
                                                 "vielleicht",
                                                 "angeblich",
                                                 "wohl",
                                                 "eventuell",
                                                 "wahrscheinlich",
                                                 "wom\xc3\xb6glich",
                                                 "scheinbar",
                                                 "fast",
                                                 "beinahe",
                                                 "knapp",
                                                 "ungef\xc3\xa4hr",
                                                 "etwa",
                                                 "circa",
                                                 "ca.",
                                                 "rund",
                                                 "falls",
                                                 "wenn",
                                                 "ob",
                                                 "nicht",
                                                 "nie",
                                                 "kein",
                                                 "kaum",
                                                 "weder",
                                                 "unwahr",
                                                 "falsch",
                                                 "gelogen",
                                                 "Unwahr:",
                                                 "Falsch:",
                                                 "Ger\xc3\xbc"
                                                 "cht:",
                                                 "Witz:",
                                                 "Zitat:",
                                                 "Das ist gelogen:",
                                                 "Im Roman",
                                                 "im Scherz",
                                                 "angeblich nicht",
                                                 "war",
                                                 "wird",
                                                 "w\xc3\xa4re",
                                                 "k\xc3\xb6nnte",
                                                 "soll",
                                                 "sollte",
                                                 "d\xc3\xbcrfte",
                                                 "fr\xc3\xbcher",
                                                 "bald",
                                                 "einst",
                                                 "nur",
                                                 "irgendein",
                                                 "jeder",
                                                 "oder",
                                                 "ohne",
                                                 "au\xc3\x9f"
                                                 "er",
                                                 "sagt Bob",
                                                 "glaube ich",
                                                 "hei\xc3\x9ft es",
                                                 "zwieback",
                                                 "so",
                                                 "halb",
                                                 "nicht nicht",
                                                 "\xe2\x89\xa0",
                                                 "<",
                                                 ">",
                                                 "~",
                                                 "\xc2\xb1",
                                                 "?",
                                                 "\xef\xbc\x9f",
                                                 "(",
                                                 ")",
                                                 "\"",
                                                 "\xe2\x80\x9e",
                                                 "\xe2\x80\x9c",
                                                 "...",
                                                 "\xe2\x80\xa6",
                                                 "*",
                                                 "/",
                                                 ":-)",
                                                 "%"};

bool changes(const Said& said) {
  return said.saying == Saying::kFact || said.saying == Saying::kCorrects ||
         said.saying == Saying::kEnds || said.saying == Saying::kWithdraws;
}

// Each boundary of words, and each place within and around one where a sign may stand.
std::vector<std::string> with(const std::string& sentence, const std::string& foreign) {
  std::vector<std::string> all{foreign + " " + sentence, sentence + " " + foreign};
  const bool sign = foreign.find_first_of("abcdefghijklmnopqrstuvwxyz") == std::string::npos;
  for (std::size_t at = sentence.find(' '); at != std::string::npos;
       at = sentence.find(' ', at + 1)) {
    all.push_back(sentence.substr(0, at) + " " + foreign + sentence.substr(at));
    if (!sign) continue;
    all.push_back(sentence.substr(0, at) + foreign + sentence.substr(at));
    all.push_back(sentence.substr(0, at + 1) + foreign + sentence.substr(at + 1));
  }
  if (sign) all.insert(all.end(), {foreign + sentence, sentence + foreign});
  return all;
}

// What a value in quotation marks holds is said to be it.
bool is_quoted(const std::string& sentence, const std::string& told) {
  const auto count = std::count(told.begin(), told.end(), '"');
  if (count != 2 || std::count(sentence.begin(), sentence.end(), '"') != 2) return false;
  return told.substr(0, told.find('"')) == sentence.substr(0, sentence.find('"')) &&
         told.substr(told.rfind('"')) == sentence.substr(sentence.rfind('"'));
}

void expect_read_whole(const std::vector<std::string>& sentences,
                       const std::vector<std::string>& foreign, const std::string& language) {
  Domain domain = town();
  domain.options.language = language;
  for (const std::string& sentence : sentences) {
    const Said plain = domain.asker->saying(sentence, domain.options);
    ASSERT_EQ(plain.saying, Saying::kFact) << sentence << ": " << plain.asks << plain.left_over;
    for (const std::string& one : foreign) {
      for (const std::string& told : with(sentence, one)) {
        if (is_quoted(sentence, told)) continue;
        const Said said = domain.asker->saying(told, domain.options);
        EXPECT_FALSE(changes(said)) << told << " -> " << (said.fact ? said.fact->text : "");
      }
    }
  }
}

TEST(WholeSentence, WhatIsLeftOverMakesItNoFact) { expect_read_whole(kStated, kForeign, "en"); }

TEST(WholeSentence, InGermanToo) { expect_read_whole(kStatedGerman, kForeignGerman, "de"); }

TEST(WholeSentence, WhatChangesNothingMayStandThere) {
  Domain domain = town();
  for (const std::string told :
       {"By the way, Ada lives in Rome.", "Please note that Ada lives in Rome",
        "Ada lives in Rome, thanks!", "Hello. Ada lives in Rome", "Ada now lives in Rome",
        "FYI: Ada currently lives in Rome, by the way.",
        "Remember that Ada lives in Rome, please"}) {
    const Said said = domain.asker->saying(told, domain.options);
    ASSERT_EQ(said.saying, Saying::kFact) << told << " " << said.left_over;
    EXPECT_EQ(said.fact->text, "Ada lives_in Rome") << told;
  }
  domain.options.language = "de";
  for (const std::string told :
       {"\xc3\x9c"
        "brigens, das Telefon von Bob ist 0302",
        "Merk dir: Das Telefon von Bob ist 0302", "Das Telefon von Bob ist jetzt 0302, danke."}) {
    const Said said = domain.asker->saying(told, domain.options);
    ASSERT_EQ(said.saying, Saying::kFact) << told << " " << said.left_over;
    EXPECT_EQ(said.fact->said, "0302") << told;
  }
}

TEST(WholeSentence, WhatIsLeftOverIsNamed) {
  Domain domain = town();
  const std::pair<const char*, const char*> cases[] = {
      {"Ada presumably lives in Rome", "presumably"},
      {"Rumour: Ada lives in Rome.", "Rumour"},
      {"Ada lives in Rome (lol)", "lol"},
      {"* Ada lives in Rome", "*"}};
  for (const auto& [told, word] : cases) {
    const Said said = domain.asker->saying(told, domain.options);
    EXPECT_EQ(said.saying, Saying::kText) << told;
    EXPECT_EQ(said.left_over, word) << told;
  }
}

}  // namespace
}  // namespace anima::ask::whole_sentence_test
