// What is not trusted changes no answer that what is trusted gives, and is told beside it.
#include <gtest/gtest.h>

#include <set>

#include "ask/ask.h"
#include "support/question_domains.h"

namespace anima::ask::trust_test {
namespace {

using store::Trust;
using testing::Domain;

constexpr std::string_view kSchema = R"(UPSERT {
  CONCEPT { {type: "$ConceptType", name: "Service"} }
  CONCEPT { {type: "$ConceptType", name: "Host"} }
  CONCEPT { {type: "$ConceptType", name: "City"} }
  CONCEPT { {type: "$ConceptType", name: "Employee"} }
  CONCEPT { {type: "$PropositionType", name: "owned_by"} }
  CONCEPT { {type: "$PropositionType", name: "runs_on"} }
  CONCEPT { {type: "$PropositionType", name: "lives_in"} SET ATTRIBUTES {functional: true} }
  CONCEPT { {type: "$PropositionType", name: "reports_to"} SET ATTRIBUTES {functional: true} }
})";

constexpr std::string_view kFacts = R"(UPSERT {
  CONCEPT { {type: "City", name: "Oslo"} } CONCEPT { {type: "City", name: "Rome"} }
  CONCEPT { {type: "Employee", name: "Dov"} SET PROPOSITIONS { ("lives_in", {type: "City", name: "Rome"}) } }
  CONCEPT { {type: "Employee", name: "Ada"} SET PROPOSITIONS { ("lives_in", {type: "City", name: "Oslo"})
    ("reports_to", {type: "Employee", name: "Dov"}) } }
  CONCEPT { {type: "Employee", name: "Bea"} SET PROPOSITIONS { ("reports_to", {type: "Employee", name: "Ada"}) } }
  CONCEPT { {type: "Host", name: "atlas"} SET ATTRIBUTES {cores: 8} }
  CONCEPT { {type: "Host", name: "cirrus"} SET ATTRIBUTES {cores: 16} }
  CONCEPT { {type: "Service", name: "borea"} SET ATTRIBUTES {port: 8080, memory_mb: 512}
    SET PROPOSITIONS { ("owned_by", {type: "Employee", name: "Ada"}) ("runs_on", {type: "Host", name: "atlas"}) } }
  CONCEPT { {type: "Service", name: "wiki"} SET ATTRIBUTES {port: 80, memory_mb: 1024}
    SET PROPOSITIONS { ("owned_by", {type: "Employee", name: "Dov"}) ("runs_on", {type: "Host", name: "atlas"}) } }
  CONCEPT { {type: "Service", name: "mail"} SET ATTRIBUTES {port: 25, memory_mb: 256}
    SET PROPOSITIONS { ("runs_on", {type: "Host", name: "atlas"}) } }
})";

// One KIP text from a file that is trusted so far.
void tell(Domain& domain, const std::string& text, Trust trust, const std::string& source) {
  kip::Caller caller;
  caller.origin.trust = trust;
  caller.origin.author = "importer";
  caller.origin.source = source;
  caller.define_on_use = true;
  const Json answer = domain.engine->execute(text, Json(JsonObject{}), caller);
  ASSERT_FALSE(kip::has_error(answer)) << text << "\n" << answer.dump();
}

void attack(Domain& domain, const std::string& text) {
  tell(domain, text, Trust::kUntrusted, "evil.csv");
}

Domain office() {
  Domain domain = testing::empty_domain();
  domain.write(std::string(kSchema));
  domain.write(std::string(kFacts));
  return domain;
}

std::string rows_of(const Answer& answer) {
  std::set<std::string> rows;
  for (const JsonArray& row : answer.rows) rows.insert(Json(row).dump());
  std::string text(to_string(answer.status));
  for (const std::string& row : rows) text += " " + row;
  return text;
}

std::string rows_of(Domain& domain, const std::string& question) {
  return rows_of(domain.ask(question));
}

const std::vector<std::string>& questions() {
  static const std::vector<std::string> list = {
      "Who owns borea?",
      "Which services does Ada own?",
      "What is the port of borea?",
      "How many services run on atlas?",
      "List the services.",
      "number of services",
      "How many services per host?",
      "Which service has the most memory?",
      "Which service has the lowest port?",
      "total memory per owner",
      "What is the average memory of the services?",
      "Which host has the most services?",
      "Which hosts run no services?",
      "services without an owner",
      "Which services have a port above 100?",
      "Is borea owned by Ada?",
      "Is borea owned by Dov?",
      "Where does Ada live?",
      "Who lives in Rome?",
      "Who reports to Dov directly or indirectly?",
      "How many cores does cirrus have?",
      "Which services run on atlas or cirrus?",
  };
  return list;
}

// Each says something about the office that is not so, or calls other things by its words.
const std::vector<std::string>& attacks() {
  static const std::vector<std::string> list = {
      // words of the schema
      R"(UPSERT { CONCEPT { {type: "Employee", name: "Mallory"} SET PROPOSITIONS { ("owns", {type: "Service", name: "borea"}) } } })",
      R"(UPSERT { CONCEPT { {type: "Employee", name: "Mallory"} SET PROPOSITIONS { ("own", {type: "Service", name: "wiki"}) } } })",
      R"(UPSERT { CONCEPT { {type: "Service", name: "borea"} SET PROPOSITIONS { ("owner", {type: "Employee", name: "Mallory"}) } } })",
      R"(UPSERT { CONCEPT { {type: "Service", name: "borea"} SET ATTRIBUTES {owner: "Mallory"} } })",
      R"(UPSERT { CONCEPT { {type: "Service", name: "borea"} SET ATTRIBUTES {owned: "Mallory", owns: "Mallory"} } })",
      R"(UPSERT { CONCEPT { {type: "Service", name: "borea"} SET ATTRIBUTES {memory: 7, ports: 9, services: 4, port_number: 3} } })",
      R"(UPSERT { CONCEPT { {type: "Host", name: "atlas"} SET ATTRIBUTES {services: 99, core: 1, memory_gb: 4} } })",
      R"(UPSERT { CONCEPT { {type: "Services", name: "s1"} } CONCEPT { {type: "Hosts", name: "h1"} } })",
      R"(UPSERT { CONCEPT { {type: "Owner", name: "Mallory"} } CONCEPT { {type: "Port", name: "borea"} } })",
      R"(UPSERT { CONCEPT { {type: "Host", name: "atlas"} SET PROPOSITIONS { ("run", {type: "Service", name: "evil1"}) } } })",
      R"(UPSERT { CONCEPT { {type: "Service", name: "evil2"} SET PROPOSITIONS { ("running_on", {type: "Host", name: "atlas"}) } } })",
      R"(UPSERT { CONCEPT { {type: "City", name: "Oslo"} SET PROPOSITIONS { ("live", {type: "Employee", name: "Mallory"}) } } })",
      R"(UPSERT { CONCEPT { {type: "Employee", name: "Ada"} SET PROPOSITIONS { ("live_in", {type: "City", name: "Rome"}) } } })",
      R"(UPSERT { CONCEPT { {type: "Employee", name: "Ada"} SET ATTRIBUTES {lives: "Rome", home: "Rome", reports: "Mallory"} } })",
      R"(UPSERT { CONCEPT { {type: "Word", name: "own"} SET ATTRIBUTES {means: "runs_on"} } })",
      R"(UPSERT { CONCEPT { {type: "Word", name: "services"} SET ATTRIBUTES {means: "Host"} } })",
      R"(UPSERT { CONCEPT { {type: "Word", name: "memory"} SET ATTRIBUTES {means: "Service.port"} } })",
      R"(UPSERT { CONCEPT { {type: "Word", name: "borea"} SET ATTRIBUTES {means: "wiki"} } })",
      R"(UPSERT { CONCEPT { {type: "$PropositionType", name: "owned_by"} SET ATTRIBUTES {functional: true} } })",
      R"(UPSERT { CONCEPT { {type: "$PropositionType", name: "runs_on"} SET ATTRIBUTES {functional: true, disjoint_with: "owned_by"} } })",
      // names
      R"(UPSERT { CONCEPT { {type: "Host", name: "borea"} SET ATTRIBUTES {port: 1, cores: 1} } })",
      R"(UPSERT { CONCEPT { {type: "Employee", name: "borea"} SET PROPOSITIONS { ("lives_in", {type: "City", name: "Rome"}) } } })",
      R"(UPSERT { CONCEPT { {type: "Service", name: "Borea"} SET ATTRIBUTES {port: 2, memory_mb: 9000} } })",
      R"(UPSERT { CONCEPT { {type: "Service", name: "bоrea"} SET ATTRIBUTES {port: 3, memory_mb: 9001} } })",
      R"(UPSERT { CONCEPT { {type: "Service", name: "fake"} SET ATTRIBUTES {aliases: ["borea", "wiki"], port: 4} } })",
      R"(UPSERT { CONCEPT { {type: "Service", name: "wiki"} SET ATTRIBUTES {aliases: ["borea"], title: "borea", label: "mail"} } })",
      R"(UPSERT { CONCEPT { {type: "City", name: "Ada"} } CONCEPT { {type: "Service", name: "Ada"} } CONCEPT { {type: "Employee", name: "Oslo"} } })",
      R"(UPSERT { CONCEPT { {type: "Employee", name: "atlas or cirrus"} } CONCEPT { {type: "Host", name: "the services"} } })",
      // rows that are counted, added, compared
      R"(UPSERT { CONCEPT { {type: "Service", name: "huge"} SET ATTRIBUTES {memory_mb: 999999, port: 9999} } })",
      R"(UPSERT { CONCEPT { {type: "Service", name: "tiny"} SET ATTRIBUTES {memory_mb: -5, port: 1} } })",
      R"(UPSERT { CONCEPT { {type: "Service", name: "guest"} SET PROPOSITIONS { ("runs_on", {type: "Host", name: "atlas"}) } } })",
      R"(UPSERT { CONCEPT { {type: "Service", name: "squat"} SET PROPOSITIONS { ("runs_on", {type: "Host", name: "cirrus"}) } } })",
      R"(UPSERT { CONCEPT { {type: "Service", name: "mail"} SET PROPOSITIONS { ("owned_by", {type: "Employee", name: "Mallory"}) } } })",
      R"(UPSERT { CONCEPT { {type: "Service", name: "borea"} SET PROPOSITIONS { ("owned_by", {type: "Employee", name: "Dov"}) } } })",
      R"(UPSERT { CONCEPT { {type: "Service", name: "wiki"} SET PROPOSITIONS { ("runs_on", {type: "Host", name: "cirrus"}) } } })",
      R"(UPSERT { CONCEPT { {type: "Host", name: "nimbus"} SET ATTRIBUTES {cores: 512} } })",
      // values and links of which there is one
      R"(UPSERT { CONCEPT { {type: "Service", name: "borea"} SET ATTRIBUTES {port: 6666, memory_mb: 1} } })",
      R"(UPSERT { CONCEPT { {type: "Employee", name: "Ada"} SET PROPOSITIONS { ("lives_in", {type: "City", name: "Rome"}) } } } WITH METADATA {observed_at: "2099-01-01", source: "operator", author: "operator", confidence: 1.0})",
      R"(UPSERT { CONCEPT { {type: "Employee", name: "Ada"} SET PROPOSITIONS { ("reports_to", {type: "Employee", name: "Bea"}) } } })",
      R"(UPSERT { CONCEPT { {type: "Employee", name: "Mallory"} SET PROPOSITIONS { ("reports_to", {type: "Employee", name: "Ada"}) } } })",
      R"(UPSERT { CONCEPT { {type: "Employee", name: "Dov"} SET PROPOSITIONS { ("reports_to", {type: "Employee", name: "Bea"}) } } })",
      R"(UPDATE ?l SET METADATA {valid_to: "2020-01-01"} WHERE { ?l ({type: "Employee", name: "Ada"}, "lives_in", {type: "City", name: "Oslo"}) })",
      R"(UPDATE ?l SET METADATA {valid_to: "2020-01-01", superseded_by: "x"} WHERE { ?l ({type: "Service", name: "borea"}, "owned_by", {type: "Employee", name: "Ada"}) })",
      R"(UPSERT { CONCEPT { {type: "Employee", name: "Dov"} SET PROPOSITIONS { ("lives_in", {type: "City", name: "Oslo"}) WITH METADATA {valid_from: "2001-01-01", valid_to: "2098-01-01"} } } })",
      R"(UPSERT { CONCEPT { {type: "Employee", name: "Ada"} SET ATTRIBUTES {said_to_be: "living in Rome"} } })",
  };
  return list;
}

// Whom the attacks name.
Domain watched_office() {
  Domain domain = office();
  attack(domain, R"(UPSERT { CONCEPT { {type: "Employee", name: "Mallory"} }
                     CONCEPT { {type: "Service", name: "evil1"} } })");
  return domain;
}

// Each question that the owner's facts answer, with its rows.
std::vector<std::pair<std::string, std::string>> answered_by_the_owner() {
  Domain domain = office();
  std::vector<std::pair<std::string, std::string>> list;
  for (const std::string& question : questions()) {
    std::string rows = rows_of(domain, question);
    EXPECT_TRUE(rows.starts_with("answered")) << question << ": " << rows;
    if (!rows.starts_with("not_understood")) list.emplace_back(question, std::move(rows));
  }
  EXPECT_GE(list.size(), 16U);
  return list;
}

void expect_the_owners_answers(Domain& domain, const std::string& after) {
  static const auto owners = answered_by_the_owner();
  for (const auto& [question, rows] : owners) {
    const Answer answer = domain.ask(question);
    EXPECT_EQ(rows_of(answer), rows) << question << "\nafter " << after << "\n"
                                     << answer.to_json().dump();
  }
}

TEST(Trust, FortyAttacksByDataChangeNoAnswer) {
  Domain domain = watched_office();
  ASSERT_GE(attacks().size(), 40U);
  for (const std::string& text : attacks()) {
    attack(domain, text);
    expect_the_owners_answers(domain, text);
  }
}

TEST(Trust, EachAttackAloneChangesNoAnswer) {
  for (const std::string& text : attacks()) {
    Domain domain = watched_office();
    attack(domain, text);
    expect_the_owners_answers(domain, text);
  }
}

TEST(Trust, WhatIsLeftOutIsToldBeside) {
  Domain domain = office();
  attack(domain,
         R"(UPSERT { CONCEPT { {type: "Service", name: "guest"} SET ATTRIBUTES {memory_mb: 4096}
              SET PROPOSITIONS { ("runs_on", {type: "Host", name: "atlas"}) } } })");
  const Answer count = domain.ask("How many services run on atlas?");
  EXPECT_EQ(rows_of(count), "answered [3]");
  EXPECT_EQ(count.text, "3 (1 more from sources that are not trusted: evil.csv.)");
  ASSERT_TRUE(count.untrusted);
  EXPECT_EQ(Json(count.untrusted->rows[0]).dump(), "[4]");
  EXPECT_EQ(count.untrusted->sources, std::vector<std::string>{"evil.csv"});
  EXPECT_NE(count.to_json().dump().find("\"untrusted\":{"), std::string::npos);
  const Answer list = domain.ask("Which services run on atlas?");
  ASSERT_TRUE(list.untrusted);
  EXPECT_EQ(list.rows.size(), 3U);
  EXPECT_EQ(list.untrusted->rows.size(), 1U);
  EXPECT_EQ(Json(list.untrusted->rows[0]).dump(), "[\"guest\"]");
  const Answer best = domain.ask("Which service has the most memory?");
  ASSERT_TRUE(best.untrusted);
  EXPECT_EQ(best.rows[0][0].as_string(), "wiki");
  EXPECT_NE(best.text.find("guest"), std::string::npos) << best.text;
  const Answer truth = domain.ask("Does guest run on atlas?");
  EXPECT_EQ(rows_of(truth), "answered [true]") << truth.to_json().dump();
  EXPECT_EQ(truth.trust, Trust::kUntrusted);
  // What is asked of it by hand answers the same.
  const auto request = parse_json(list.query);
  ASSERT_TRUE(request) << list.query;
  kip::Caller caller;
  caller.readonly = true;
  EXPECT_EQ(domain.engine->execute(*request, caller).dump().find("guest"), std::string::npos);
}

TEST(Trust, WhatNothingTrustedAnswersIsAnsweredAndSaid) {
  Domain domain = office();
  attack(domain, R"(UPSERT { CONCEPT { {type: "Service", name: "gate"} }
                     CONCEPT { {type: "Employee", name: "Zoe"} SET ATTRIBUTES {phone: 55}
                     SET PROPOSITIONS { ("owns", {type: "Service", name: "gate"})
                                        ("lives_in", {type: "City", name: "Oslo"}) } } })");
  const Answer who = domain.ask("Who owns gate?");
  EXPECT_EQ(rows_of(who), "answered [\"Zoe\"]") << who.to_json().dump();
  EXPECT_EQ(who.trust, Trust::kUntrusted);
  EXPECT_NE(who.text.find("By \"owns\" of evil.csv"), std::string::npos) << who.text;
  EXPECT_EQ(rows_of(domain, "What is the phone of Zoe?"), "answered [\"Zoe\",55]");
  EXPECT_EQ(rows_of(domain, "Where does Zoe live?"), "answered [\"Oslo\"]");
  EXPECT_EQ(rows_of(domain, "Who lives in Oslo?"), "answered [\"Ada\"]");
  // With words of the owner what nobody trusted says is no answer of theirs.
  EXPECT_EQ(rows_of(domain, "Which services does Zoe own?"), "answered [\"gate\"]");
}

TEST(Trust, ASpaceOfWhatNobodyTrustsAnswersAndSaysSo) {
  Domain domain = testing::empty_domain();
  tell(domain, std::string(kSchema), Trust::kUntrusted, "list.csv");
  tell(domain, std::string(kFacts), Trust::kUntrusted, "list.csv");
  const Answer count = domain.ask("How many services run on atlas?");
  EXPECT_EQ(rows_of(count), "answered [3]");
  EXPECT_EQ(count.trust, Trust::kUntrusted);
  EXPECT_NE(count.text.find("not trusted"), std::string::npos) << count.text;
  EXPECT_EQ(rows_of(domain, "Who owns borea?"), "answered [\"Ada\"]");
}

// What somebody trusted says about a thing of an import is there, and goes before the import.
TEST(Trust, AWordOfTheOwnerAboutAThingOfAnImport) {
  Domain domain = testing::empty_domain();
  tell(domain, std::string(kSchema), Trust::kUntrusted, "list.csv");
  tell(domain, std::string(kFacts), Trust::kUntrusted, "list.csv");
  EXPECT_EQ(rows_of(domain, "Who owns mail?"), "empty");
  domain.write(
      R"(UPSERT { PROPOSITION { ({type: "Service", name: "mail"}, "owned_by", {type: "Employee", name: "Bea"}) } })");
  const Answer mail = domain.ask("Who owns mail?");
  EXPECT_EQ(rows_of(mail), "answered [\"Bea\"]") << mail.to_json().dump();
  EXPECT_EQ(mail.trust, Trust::kOperator);
  domain.write(
      R"(UPSERT { PROPOSITION { ({type: "Service", name: "borea"}, "owned_by", {type: "Employee", name: "Bea"}) } })");
  const Answer borea = domain.ask("Who owns borea?");
  EXPECT_EQ(rows_of(borea), "answered [\"Bea\"]") << borea.to_json().dump();
  ASSERT_TRUE(borea.untrusted);
  EXPECT_EQ(Json(borea.untrusted->rows[0]).dump(), "[\"Ada\"]");
}

// A name that an import gives is no misspelt name of the owner's.
TEST(Trust, ANameOfAnImportIsNotReadAsAnother) {
  Domain domain = testing::empty_domain();
  domain.write(
      R"(UPSERT { CONCEPT { {type: "$ConceptType", name: "Contact"} } CONCEPT { {type: "Contact", name: "Annika"} SET ATTRIBUTES {phone: 1} } })");
  attack(domain,
         R"(UPSERT { CONCEPT { {type: "Contact", name: "Annike"} SET ATTRIBUTES {phone: 2} } })");
  EXPECT_EQ(rows_of(domain, "What is the phone of Annike?"), "answered [\"Annike\",2]");
  EXPECT_EQ(rows_of(domain, "What is the phone of Annika?"), "answered [\"Annika\",1]");
}

TEST(Trust, TheAnswerFollowsWhatIsWritten) {
  Domain domain = office();
  EXPECT_EQ(rows_of(domain, "List the services."), "answered [\"borea\"] [\"mail\"] [\"wiki\"]");
  attack(domain, R"(UPSERT { CONCEPT { {type: "Service", name: "late"} } })");
  EXPECT_EQ(rows_of(domain, "List the services."), "answered [\"borea\"] [\"mail\"] [\"wiki\"]");
  domain.write(
      R"(UPSERT { CONCEPT { {type: "Service", name: "late"} SET ATTRIBUTES {port: 7} } })");
  EXPECT_EQ(rows_of(domain, "List the services."),
            "answered [\"borea\"] [\"late\"] [\"mail\"] [\"wiki\"]");
  EXPECT_EQ(rows_of(domain, "What is the port of late?"), "answered [\"late\",7]");
}

}  // namespace
}  // namespace anima::ask::trust_test
