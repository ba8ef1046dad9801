// A cycle of sleep on small memories, phase by phase.
#include <cmath>
#include <set>
#include <thread>

#include "support/sleep_world.h"

namespace anima::sleep::cycle_test {
namespace {

using test_support::SleepWorld;
using test_support::whole_state;

constexpr std::string_view kDomainOf =
    "FIND(?d.name) WHERE { ?x {name: :n} (?x, \"belongs_to_domain\", ?d) } ORDER BY ?d.name ASC";

Json named(const std::string& name) { return Json::object({{"n", name}}); }

const Item* item_about(const CycleRecord& record, int phase, std::string_view about) {
  for (const PhaseRecord& each : record.phases) {
    if (each.phase != phase) continue;
    for (const Item& item : each.items) {
      if (item.about.find(about) != std::string::npos) return &item;
    }
  }
  return nullptr;
}

double confidence(SleepWorld& world, const std::string& subject, const std::string& predicate) {
  const Json found = world.tell("FIND(?l.metadata.confidence) WHERE { ?l ({name: :n}, :p, ?o) }",
                                Json::object({{"n", subject}, {"p", predicate}}));
  return found.as_array().empty() ? -1 : found.as_array()[0].as_number();
}

TEST(SleepCycle, AnEmptyMemoryHasNothingToDo) {
  SleepWorld world;
  world.sleep();
  const auto head = world.space->snapshot().value().sequence();
  EXPECT_EQ(world.sleep().status, "nothing to do");
  EXPECT_EQ(world.space->snapshot().value().sequence(), head);
}

TEST(SleepCycle, OrphansFindTheDomainOfTheirNeighbours) {
  SleepWorld world;
  world.tell(
      "UPSERT { CONCEPT ?d { {type: \"Domain\", name: \"Harbour\"} } CONCEPT ?a { {type: \"Ship\", "
      "name: \"Otter\"} SET PROPOSITIONS { (\"belongs_to_domain\", ?d) } } CONCEPT { {type: "
      "\"Captain\", name: \"Ines\"} SET PROPOSITIONS { (\"sails\", ?a) } } CONCEPT { {type: "
      "\"Stone\", name: \"Pebble\"} } }");
  const CycleRecord record = world.sleep();
  EXPECT_EQ(world.ask(kDomainOf, named("Ines")), "[\"Harbour\"]");
  EXPECT_EQ(world.ask(kDomainOf, named("Pebble")), "[\"Unsorted\"]");
  EXPECT_EQ(world.ask(kDomainOf, named("Captain")), "[\"CoreSchema\"]");
  EXPECT_EQ(record.after.orphans, 0);
  ASSERT_NE(item_about(record, 4, "Pebble"), nullptr);
  EXPECT_EQ(item_about(record, 4, "Pebble")->what, "put into Unsorted");
}

TEST(SleepCycle, ThingsOfATypeThatNobodyFiledShareADomain) {
  SleepWorld world;
  for (int i = 0; i < 6; ++i)
    world.tell("UPSERT { CONCEPT { {type: \"Recipe\", name: :n} } }",
               named("dish number " + std::string(1, static_cast<char>('a' + i)) + "xyz"));
  world.sleep();
  EXPECT_EQ(
      world.ask("FIND(COUNT(?x)) WHERE { (?x, \"belongs_to_domain\", {type: \"Domain\", name: "
                "\"Recipe\"}) }"),
      "6");
}

TEST(SleepCycle, TheInboxIsSortedWhenSomethingTellsWhere) {
  SleepWorld world;
  world.tell(
      "UPSERT { CONCEPT ?d { {type: \"Domain\", name: \"Gardening\"} SET ATTRIBUTES {description: "
      "\"plants, compost, seeds\"} } CONCEPT ?a { {type: \"Plant\", name: \"Rose\"} SET "
      "PROPOSITIONS { (\"belongs_to_domain\", ?d) } } CONCEPT { {type: \"Note\", name: \"on "
      "compost and seeds\"} SET PROPOSITIONS { (\"belongs_to_domain\", {type: \"Domain\", name: "
      "\"Unsorted\"}) } } CONCEPT { {type: \"Note\", name: \"qqq\"} SET PROPOSITIONS { "
      "(\"belongs_to_domain\", {type: \"Domain\", name: \"Unsorted\"}) } } }");
  const CycleRecord record = world.sleep();
  EXPECT_EQ(world.ask(kDomainOf, named("on compost and seeds")), "[\"Gardening\"]");
  EXPECT_EQ(world.ask(kDomainOf, named("qqq")), "[\"Unsorted\"]");
  const Item* left = item_about(record, 3, "qqq");
  ASSERT_NE(left, nullptr);
  EXPECT_FALSE(left->changed);
  EXPECT_FALSE(left->reason.empty());
}

TEST(SleepCycle, DuplicatesAreMergedWithBothSidesKept) {
  SleepWorld world;
  world.tell(
      "UPSERT { CONCEPT ?a { {type: \"Person\", name: \"Ada Lovelace\"} SET ATTRIBUTES {born: "
      "1815, description: \"who wrote the first program\"} "
      "SET PROPOSITIONS { (\"wrote\", {type: \"Person\", name: \"$self\"}) } } WITH METADATA "
      "{source: \"book\", confidence: 0.9} }");
  world.tell(
      "UPSERT { CONCEPT { {type: \"Person\", name: \"ada  lovelace\"} SET ATTRIBUTES {born: 1815, "
      "description: \"a daughter of Byron\", field: \"mathematics\"} } WITH METADATA {source: "
      "\"letter\", confidence: 0.4} }");
  const CycleRecord record = world.sleep();
  const Item* merged = item_about(record, 6, "ada  lovelace");
  ASSERT_NE(merged, nullptr);
  EXPECT_TRUE(merged->changed);
  EXPECT_EQ(
      world.ask(
          "FIND(?p.name) WHERE { ?p {type: \"Person\"} FILTER(!IS_NULL(?p.attributes.born)) }"),
      "[\"Ada Lovelace\"]");
  EXPECT_EQ(world.ask(kDomainOf, named("Ada Lovelace")), "[\"Unsorted\"]");
  EXPECT_EQ(
      world.ask("FIND(?p.attributes.born, ?p.attributes.field, ?p.attributes.aliases) WHERE { "
                "?p {name: \"Ada Lovelace\"} }"),
      "[[1815],[\"mathematics\"],[[\"ada  lovelace\"]]]");
  const Json kept =
      world.tell("FIND(?p.attributes.merged_from) WHERE { ?p {name: \"Ada Lovelace\"} }");
  EXPECT_NE(kept.dump().find("letter"), std::string::npos) << kept.dump();
  EXPECT_NE(kept.dump().find("a daughter of Byron"), std::string::npos);
}

TEST(SleepCycle, NamesInAnotherOrderAndConflictingValuesAreNotMerged) {
  SleepWorld world;
  world.tell(
      "UPSERT { CONCEPT { {type: \"Person\", name: \"Ada Lovelace\"} SET ATTRIBUTES {born: 1815} } "
      "CONCEPT { {type: \"Person\", name: \"lovelace, ada\"} } CONCEPT { {type: \"Person\", name: "
      "\"ADA LOVELACE\"} SET ATTRIBUTES {born: 1816} } }");
  const CycleRecord record = world.sleep();
  EXPECT_EQ(record.phases[5].changes, 0u);
  ASSERT_NE(item_about(record, 6, "lovelace, ada"), nullptr);
  ASSERT_NE(item_about(record, 6, "ADA LOVELACE"), nullptr);
}

TEST(SleepCycle, WhatMayBeTwoThingsIsListedNotMerged) {
  SleepWorld world;
  world.tell(
      "UPSERT { CONCEPT { {type: \"Person\", name: \"Jonathan Meyer\"} SET ATTRIBUTES {email: "
      "\"a@x.org\"} } CONCEPT { {type: \"Person\", name: \"jonathan meyer\"} SET ATTRIBUTES "
      "{email: "
      "\"b@x.org\"} } CONCEPT { {type: \"Person\", name: \"Katharina Berg\"} } CONCEPT { {type: "
      "\"Person\", name: \"Katharine Berg\"} } CONCEPT { {type: \"Room\", name: \"Room 101\"} } "
      "CONCEPT { {type: \"Room\", name: \"Room 102\"} } }");
  const CycleRecord record = world.sleep();
  EXPECT_EQ(record.phases[5].phase, 6);
  EXPECT_EQ(record.phases[5].changes, 0u);
  ASSERT_NE(item_about(record, 6, "jonathan meyer"), nullptr);
  EXPECT_NE(item_about(record, 6, "jonathan meyer")->reason.find("email"), std::string::npos);
  EXPECT_NE(item_about(record, 6, "Katharine Berg"), nullptr);
  EXPECT_EQ(item_about(record, 6, "Room 101"), nullptr);
}

TEST(SleepCycle, EqualNamesWithOtherObjectsOfAFunctionalLinkAreListed) {
  for (const char* other : {"Oslo", "Bergen"}) {
    SleepWorld world;
    world.tell(
        "UPSERT { CONCEPT { {type: \"$PropositionType\", name: \"meets_in\"} SET ATTRIBUTES "
        "{functional: true} } }");
    for (const auto& [club, town] : {std::pair{"Reading Club", "Oslo"}, {"READING CLUB", other}}) {
      world.tell(
          "UPSERT { CONCEPT ?t { {type: \"Town\", name: :town} } CONCEPT { {type: \"Club\", name: "
          ":club} SET PROPOSITIONS { (\"meets_in\", ?t) } } }",
          Json::object({{"club", club}, {"town", town}}));
    }
    const CycleRecord record = world.sleep();
    const bool same = std::string_view(other) == "Oslo";
    EXPECT_EQ(record.phases[5].changes, same ? 1u : 0u) << other;
    const Item* item = item_about(record, 6, "READING CLUB");
    ASSERT_NE(item, nullptr);
    EXPECT_EQ(item->reason.find("meets_in differs") == std::string::npos, same) << item->reason;
  }
}

void tell_person(SleepWorld& world, const std::string& name, const Json& attributes) {
  world.tell("UPSERT { CONCEPT { {type: \"Person\", name: :name} SET ATTRIBUTES {seen: true} } }",
             Json::object({{"name", name}}));
  for (const JsonMember& member : attributes.as_object())
    world.tell("UPSERT { CONCEPT { {type: \"Person\", name: :name} SET ATTRIBUTES {" +
                   member.first + ": :value} } }",
               Json::object({{"name", name}, {"value", member.second}}));
}

TEST(SleepCycle, AnAddressUnderOtherNamesIsListed) {
  SleepWorld world;
  tell_person(world, "Mario Rossi", Json::object({{"email", "rossi@x.org"}}));
  tell_person(world, "Maria Rossi", Json::object({{"email", "rossi@x.org"}}));
  const CycleRecord record = world.sleep();
  const Item* item = item_about(record, 6, "Maria Rossi");
  ASSERT_NE(item, nullptr);
  EXPECT_FALSE(item->changed);
  EXPECT_EQ(item->what, "perhaps the same");
  EXPECT_NE(item->reason.find("do not fit"), std::string::npos) << item->reason;
}

TEST(SleepCycle, WhatMoreThanTwoHaveIsListedAndAPlaceholderIsNot) {
  SleepWorld world;
  for (const char* name : {"Alpha", "Beta", "Gamma"})
    tell_person(world, name, Json::object({{"isbn", "978-3-16-148410-0"}, {"doi", "unknown"}}));
  for (const char* name : {"Delta", "Omega"})
    tell_person(world, name, Json::object({{"doi", "unknown"}, {"id", "-"}, {"uuid", 0}}));
  for (const char* name : {"Sigma", "Kappa"}) tell_person(world, name, Json::object({{"id", 12}}));
  const CycleRecord record = world.sleep();
  EXPECT_EQ(record.phases[5].changes, 0u);
  for (const char* name : {"Alpha", "Beta", "Gamma"}) {
    const Item* item = item_about(record, 6, name);
    ASSERT_NE(item, nullptr) << name;
    EXPECT_NE(item->reason.find("isbn, which more than two have"), std::string::npos)
        << item->reason;
  }
  EXPECT_EQ(item_about(record, 6, "Delta"), nullptr);
  EXPECT_NE(item_about(record, 6, "Sigma"), nullptr);
}

// Two of three have one number in common, and two the other: each pair has its own reason, and what
// is one already is proposed to nobody.
TEST(SleepCycle, OfThreeThatAreOneEachHasItsOwnReason) {
  SleepWorld world;
  tell_person(world, "Alpha Beta", Json::object({{"doi", "10.1000/182"}}));
  tell_person(world, "Alpha Beto",
              Json::object({{"doi", "10.1000/182"}, {"isbn", "978-3-16-148410-0"}}));
  tell_person(world, "Alpha Betu", Json::object({{"isbn", "978-3-16-148410-0"}}));
  tell_person(world, "Alpha Betaa", Json::object({{"seen", true}}));
  const CycleRecord record = world.sleep();
  EXPECT_EQ(record.phases[5].changes, 2u);
  std::set<std::string> listed;
  for (const Item& item : record.phases[5].items) {
    if (item.changed) {
      EXPECT_NE(item.reason.find("an equal doi"), std::string::npos) << item.reason;
      EXPECT_NE(item.reason.find("an equal isbn"), std::string::npos) << item.reason;
      continue;
    }
    EXPECT_TRUE(listed.insert(item.about).second) << item.about;
    EXPECT_NE(item.about.find("Alpha Betaa"), std::string::npos) << item.about;
    EXPECT_NE(item.about.find("Alpha Beta\""), std::string::npos) << item.about;
  }
  EXPECT_FALSE(listed.empty());
}

// Each cycle sees two: what the first merge learnt of the initial binds the second.
TEST(SleepCycle, AnInitialStandsForTheNameItWasMergedWith) {
  for (const char* connected : {"Mario Rossi", "M. Rossi"}) {
    SleepWorld world;
    tell_person(world, "Mario Rossi", Json::object({{"email", "mario.rossi@x.org"}}));
    tell_person(world, "M. Rossi", Json::object({{"email", "Mario.Rossi@x.org"}}));
    world.tell(
        "UPSERT { CONCEPT { {type: \"Person\", name: :n} SET PROPOSITIONS { (\"knows\", {type: "
        "\"Person\", name: \"$self\"}) } } }",
        named(connected));
    EXPECT_EQ(world.sleep().phases[5].changes, 1u);
    tell_person(world, "Maria Rossi", Json::object({{"email", "mario.rossi@x.org"}}));
    const CycleRecord second = world.sleep();
    EXPECT_EQ(second.phases[5].changes, 0u) << connected;
    EXPECT_NE(item_about(second, 6, "Maria Rossi"), nullptr);
  }
}

// Each cycle sees what changed: the other spelling is found by its own look-up.
TEST(SleepCycle, ANumberInAnotherSpellingIsFoundByALaterCycle) {
  const std::pair<Json, Json> spelled[] = {
      {Json::object({{"isbn", "978-3-16-148410-0"}}), Json::object({{"isbn", "316148410X"}})},
      {Json::object({{"isbn", "9783161484100"}}), Json::object({{"isbn", "978-3-16-148410-0"}})},
      {Json::object({{"iban", "GB29NWBK60161331926819"}}),
       Json::object({{"iban", "GB29 NWBK 6016 1331 9268 19"}})},
      {Json::object({{"orcid", "https://orcid.org/0000-0002-1825-0097"}}),
       Json::object({{"orcid", "0000-0002-1825-0097"}})},
      {Json::object({{"doi", "10.1038/nphys1170"}}),
       Json::object({{"doi", "https://doi.org/10.1038/NPHYS1170"}})},
  };
  for (const auto& [first, second] : spelled) {
    SleepWorld world;
    tell_person(world, "Юрий Гагарин", first);
    EXPECT_EQ(world.sleep().phases[5].changes, 0u);
    tell_person(world, "Yuri Gagarin", second);
    EXPECT_EQ(world.sleep().phases[5].changes, 1u) << first.dump() << second.dump();
  }
}

TEST(SleepCycle, AMailboxOfADutyIsListedWithItsReason) {
  SleepWorld world;
  tell_person(world, "Anna Schmidt", Json::object({{"email", "buero@x.org"}}));
  tell_person(world, "A. Schmidt", Json::object({{"email", "buero@x.org"}}));
  const CycleRecord record = world.sleep();
  const Item* item = item_about(record, 6, "A. Schmidt");
  ASSERT_NE(item, nullptr);
  EXPECT_FALSE(item->changed);
  EXPECT_NE(item->reason.find("does not say that it is of one person"), std::string::npos)
      << item->reason;
}

// Of two with one name in one office, who say what differs, a person decides.
TEST(SleepCycle, AnAddressOfManyDoesNotOutweighWhatDiffers) {
  for (const char* other : {"Sales", "Law"}) {
    SleepWorld world;
    tell_person(world, "Anna Schmidt", Json::object({{"email", "buero@x.org"}, {"role", "Sales"}}));
    tell_person(world, "anna schmidt", Json::object({{"email", "buero@x.org"}, {"role", other}}));
    EXPECT_EQ(world.sleep().phases[5].changes, std::string_view(other) == "Sales" ? 1u : 0u);
  }
}

// new = old * factor ^ weeks, and the same however often it was done on the way.
TEST(SleepCycle, ConfidenceFadesAsAFunctionOfAge) {
  SleepWorld often, once;
  for (SleepWorld* world : {&often, &once})
    world->tell(
        "UPSERT { CONCEPT ?b { {type: \"Place\", name: \"Bay\"} } CONCEPT { {type: \"Ship\", name: "
        "\"Otter\"} SET PROPOSITIONS { (\"lies_at\", ?b) WITH METADATA {confidence: 0.9} "
        "(\"seen_at\", "
        "?b) WITH METADATA {confidence: 0.9, reviewed_at: \"2026-03-02T00:00:00Z\"} } } }");
  for (int day = 0; day < 70; ++day) {
    often.pass_days(1);
    often.sleep();
  }
  once.pass_days(70);
  once.sleep();
  const double expected = 0.9 * std::pow(0.95, 10);
  EXPECT_NEAR(confidence(once, "Otter", "lies_at"), expected, 1e-9);
  EXPECT_NEAR(confidence(often, "Otter", "lies_at"), expected, 1e-9);
  EXPECT_EQ(confidence(once, "Otter", "seen_at"), 0.9);
  EXPECT_EQ(once.sleep().changes(), 0u);
  once.pass_days(7000);
  once.sleep();
  EXPECT_EQ(confidence(once, "Otter", "lies_at"), 0.3);
}

TEST(SleepCycle, AFadedFactIsTrustedNoMoreThanBefore) {
  SleepWorld world;
  world.tell(
      "UPSERT { CONCEPT ?b { {type: \"Place\", name: \"Bay\"} } CONCEPT { {type: \"Ship\", name: "
      "\"Otter\"} SET PROPOSITIONS { (\"lies_at\", ?b) WITH METADATA {confidence: 0.9} } } }",
      Json::object(), store::Trust::kUntrusted);
  world.pass_days(30);
  world.sleep();
  EXPECT_EQ(world.ask("FIND(?l.metadata._trust) WHERE { ?l ({name: \"Otter\"}, \"lies_at\", ?b) }"),
            "[1]"  // untrusted
  );
}

void tell_event(SleepWorld& world, const std::string& name, const std::string& at,
                const std::string& text, store::Trust trust = store::Trust::kStandard) {
  world.tell(
      "UPSERT { CONCEPT { {type: \"Event\", name: :n} SET ATTRIBUTES {event_class: "
      "\"Conversation\", start_time: :at, content_summary: :text, participants: [\"$self\", "
      "\"Ada\"]} } }",
      Json::object({{"n", name}, {"at", at}, {"text", text}}), trust);
}

void tell_people(SleepWorld& world) {
  world.tell(
      "UPSERT { CONCEPT { {type: \"Person\", name: \"Ada\"} } CONCEPT { {type: \"Company\", name: "
      "\"Initech\"} } CONCEPT { {type: \"Company\", name: \"Globex\"} } }");
}

constexpr std::string_view kEmployers =
    "FIND(?c.name, ?l.metadata.valid_to) WHERE { ?l ({name: \"Ada\"}, \"works_at\", ?c) } ORDER BY "
    "?c.name ASC";

TEST(SleepCycle, EventsBecomeFactsAndTheNewerSupersedesTheOlder) {
  SleepWorld world("2026-06-01T00:00:00Z");
  tell_people(world);
  tell_event(world, "talk 1", "2026-01-05T10:00:00Z", "Hello! Ada works at Initech.");
  tell_event(world, "talk 2", "2026-03-05T10:00:00Z", "Ada now works at Globex.");
  tell_event(world, "talk 3", "2026-03-06T10:00:00Z", "I prefer green tea.");
  tell_event(world, "talk 4", "2026-03-07T10:00:00Z", "We looked at the sea.");
  tell_event(world, "talk 5", "2026-05-30T10:00:00Z", "Ada now works at Initech.");  // too young
  const CycleRecord record = world.sleep();
  EXPECT_EQ(record.after.waiting_events, 1);
  EXPECT_EQ(world.ask(kEmployers), "[[\"Globex\",\"Initech\"],[null,\"2026-03-05T10:00:00Z\"]]");
  // Who employed her in February, and who in April?
  const auto employer_at = [&](const char* time) {
    const Json answer = world.engine->execute(
        Json::object({{"command", "FIND(?c.name) WHERE { ({name: \"Ada\"}, \"works_at\", ?c) }"},
                      {"valid_at", time}}));
    return answer.find("result") == nullptr ? answer.dump() : answer.find("result")->dump();
  };
  EXPECT_EQ(employer_at("2026-02-01"), "[\"Initech\"]");
  EXPECT_EQ(employer_at("2026-04-01"), "[\"Globex\"]");
  EXPECT_EQ(
      world.ask("FIND(?o.name, ?n.name) WHERE { ((?a, \"works_at\", ?n), \"supersedes\", (?a, "
                "\"works_at\", ?o)) }"),
      "[[\"Initech\"],[\"Globex\"]]");
  EXPECT_EQ(
      world.ask("FIND(?p.attributes.description, ?e.name) WHERE { ?p {type: \"Preference\", "
                "name: \"Ada prefers green tea\"} (?p, \"derived_from\", ?e) ({name: \"Ada\"}, "
                "\"prefers\", ?p) }"),
      "[[\"I prefer green tea\"],[\"talk 3\"]]");
  EXPECT_EQ(world.ask("FIND(?d.name, ?d.attributes.events) WHERE { ({name: \"talk 4\"}, "
                      "\"consolidated_to\", ?d) }"),
            "[[\"2026-W10 Conversation\"],[1]]");
  EXPECT_EQ(world.ask(kDomainOf, named("talk 4")), "[\"Archived\"]");
  // A week later the fifth is old enough, although nobody wrote anything; Ada is back.
  world.pass_days(8);
  EXPECT_EQ(world.sleep().after.waiting_events, 0);
  EXPECT_EQ(world.ask(kEmployers), "[[\"Globex\",\"Initech\"],[\"2026-05-30T10:00:00Z\",null]]");
  EXPECT_EQ(
      world.ask("FIND(?o.name, ?n.name) WHERE { ((?a, \"works_at\", ?n), \"supersedes\", (?a, "
                "\"works_at\", ?o)) }"),
      "[[\"Globex\"],[\"Initech\"]]");
}

TEST(SleepCycle, AnEventWithASentenceThatIsNotReadTeachesNothing) {
  SleepWorld world("2026-06-01T00:00:00Z");
  tell_people(world);
  tell_event(world, "talk 1", "2026-01-05T10:00:00Z",
             "Ada works at Initech. Ben says that is a lie.");
  tell_event(world, "talk 2", "2026-01-06T10:00:00Z", "Ada works at Globex. I am lying.");
  tell_event(world, "talk 3", "2026-01-07T10:00:00Z", "Ada works at Globex. I doubt it.");
  world.sleep();
  EXPECT_FALSE(world.space->snapshot()->find_predicate("works_at"));
  tell_event(world, "talk 4", "2026-01-08T10:00:00Z", "Ada works at Globex.");
  world.sleep();
  EXPECT_EQ(world.ask(kEmployers), "[[\"Globex\"],[null]]");
}

TEST(SleepCycle, AnUntrustedEventSupersedesNothing) {
  SleepWorld world("2026-06-01T00:00:00Z");
  tell_people(world);
  tell_event(world, "talk 1", "2026-01-05T10:00:00Z", "Ada works at Initech.");
  tell_event(world, "page", "2026-03-05T10:00:00Z", "Ada now works at Globex.",
             store::Trust::kUntrusted);
  const CycleRecord record = world.sleep();
  EXPECT_EQ(world.ask(kEmployers), "[[\"Globex\",\"Initech\"],[null,null]]");
  EXPECT_EQ(world.ask("FIND(?l.metadata._trust) WHERE { ?l ({name: \"Ada\"}, \"works_at\", {name: "
                      "\"Globex\"}) }"),
            "[1]"  // untrusted
  );
  const Item* left = item_about(record, 5, "Initech");
  ASSERT_NE(left, nullptr);
  EXPECT_EQ(left->what, "contradiction");
}

TEST(SleepCycle, AnUntrustedTaskOrTwinDoesNothingToWhatIsTrusted) {
  SleepWorld world;
  tell_people(world);
  world.tell(
      "UPSERT { CONCEPT { {type: \"Company\", name: \"Globex \"} } CONCEPT { {type: \"SleepTask\", "
      "name: \"t\"} SET ATTRIBUTES {target_type: \"Person\", target_name: \"Ada\", "
      "requested_action: \"archive\", status: \"pending\"} SET PROPOSITIONS { (\"assigned_to\", "
      "{type: \"Person\", name: \"$system\"}) } } }",
      Json::object(), store::Trust::kUntrusted);
  world.tell(
      "UPSERT { CONCEPT { {type: \"SleepTask\", name: \"u\"} SET ATTRIBUTES {target_type: "
      "\"Company\", target_name: \"Globex \", requested_action: \"archive\", status: \"pending\"} "
      "SET PROPOSITIONS { (\"assigned_to\", {type: \"Person\", name: \"$system\"}) } } }");
  world.tell(
      "UPSERT { CONCEPT { {type: \"SleepTask\", name: \"u\"} SET ATTRIBUTES {target_name: "
      "\"Initech\"} } }",
      Json::object(), store::Trust::kUntrusted);
  const CycleRecord record = world.sleep();
  EXPECT_EQ(world.ask("FIND(?t.attributes.status) WHERE { ?t {type: \"SleepTask\"} }"),
            "[\"failed\",\"completed\"]");
  EXPECT_EQ(world.ask(kDomainOf, named("Ada")), "[\"Unsorted\"]");
  const Item* twin = item_about(record, 6, "Globex ");
  ASSERT_NE(twin, nullptr);
  EXPECT_FALSE(twin->changed);
}

TEST(SleepCycle, TasksOfTheWakingMindAreDone) {
  SleepWorld world("2026-06-01T00:00:00Z");
  tell_people(world);
  world.tell("UPSERT { CONCEPT { {type: \"Company\", name: \"Initech \"} } }");
  tell_event(world, "talk", "2026-05-31T10:00:00Z", "Ada works at Globex.");
  const auto task = [&](const std::string& name, const std::string& action, const std::string& type,
                        const std::string& target) {
    world.tell(
        "UPSERT { CONCEPT { {type: \"SleepTask\", name: :name} SET ATTRIBUTES {target_type: :type, "
        "target_name: :target, requested_action: :action, status: \"pending\"} SET PROPOSITIONS { "
        "(\"assigned_to\", {type: \"Person\", name: \"$system\"}) } } }",
        Json::object({{"name", name}, {"type", type}, {"target", target}, {"action", action}}));
  };
  task("t1", "merge_duplicates", "Company", "Initech");
  task("t2", "consolidate_to_semantic", "Event", "talk");
  task("t3", "archive", "Company", "Globex");
  task("t4", "archive", "Person", "$self");
  task("t5", "archive", "Person", "Nobody");
  task("t6", "review", "Person", "Ada");
  const CycleRecord record = world.sleep();
  EXPECT_EQ(
      world.ask("FIND(?t.attributes.status) WHERE { ?t {type: \"SleepTask\"} } ORDER BY ?t.name "
                "ASC"),
      "[\"completed\",\"completed\",\"completed\",\"failed\",\"failed\",\"completed\"]");
  EXPECT_EQ(world.ask("FIND(COUNT(?x)) WHERE { ?x {type: \"Company\"} }"), "2");
  EXPECT_EQ(world.ask(kDomainOf, named("Globex")), "[\"Archived\"]");
  EXPECT_EQ(world.ask("FIND(?c.name) WHERE { ({name: \"talk\"}, \"consolidated_to\", ({name: "
                      "\"Ada\"}, \"works_at\", ?c)) }"),
            "[\"Globex\"]");
  ASSERT_NE(item_about(record, 2, "Person \"Ada\""), nullptr);
}

TEST(SleepCycle, DomainsOfTheWrongSizeAreTended) {
  SleepWorld world;
  world.tell(
      "UPSERT { CONCEPT ?p { {type: \"Domain\", name: \"Food\"} } CONCEPT ?d { {type: \"Domain\", "
      "name: \"Soups\"} SET PROPOSITIONS { (\"belongs_to_domain\", ?p) } } CONCEPT { {type: "
      "\"Dish\", "
      "name: \"Borscht\"} SET PROPOSITIONS { (\"belongs_to_domain\", ?d) } } CONCEPT { {type: "
      "\"Domain\", name: \"TempProject\"} } }");
  Json list = Json::array();
  for (int i = 0; i < 120; ++i)
    world.tell(std::string("UPSERT { CONCEPT { {type: \"") + (i % 2 == 0 ? "Wine" : "Cheese") +
                   "\", name: :n} SET PROPOSITIONS { (\"belongs_to_domain\", {type: \"Domain\", "
                   "name: \"Food\"}) } } }",
               named("kind " + std::to_string(i)));
  const CycleRecord record = world.sleep();
  EXPECT_EQ(world.ask(kDomainOf, named("Borscht")), "[\"Food\"]");
  EXPECT_EQ(world.ask(kDomainOf, named("Soups")), "[\"Archived\"]");
  EXPECT_EQ(world.ask(kDomainOf, named("kind 0")), "[\"Food: Wine\"]");
  EXPECT_EQ(world.ask(kDomainOf, named("kind 1")), "[\"Food: Cheese\"]");
  const Item* kept = item_about(record, 8, "TempProject");
  ASSERT_NE(kept, nullptr);
  EXPECT_FALSE(kept->changed);
  EXPECT_EQ(world.sleep().changes(), 0u);
}

TEST(SleepCycle, BoundsEndACycleAndTheNextOnesFinish) {
  SleepWorld whole, bit;
  for (SleepWorld* world : {&whole, &bit}) {
    for (int i = 0; i < 30; ++i)
      world->tell("UPSERT { CONCEPT { {type: \"Recipe\", name: :n} } }",
                  named("recipe " + std::to_string(i)));
  }
  whole.sleep();
  Request request;
  request.max_changes = 7;
  int cycles = 0;
  for (; cycles < 50; ++cycles) {
    const CycleRecord record = bit.sleep(request);
    EXPECT_LE(record.changes(), 8u);  // and the log
    if (record.status != "partial") break;
  }
  EXPECT_GE(cycles, 4);
  EXPECT_LT(cycles, 10);
  EXPECT_EQ(bit.ask(kDomainOf, named("recipe 29")), whole.ask(kDomainOf, named("recipe 29")));
  EXPECT_EQ(bit.sleep().status, "nothing to do");
}

TEST(SleepCycle, UndoOfOneCycleOfTwoAndOfOneThatOthersBuildOn) {
  SleepWorld world;
  world.tell("UPSERT { CONCEPT { {type: \"Stone\", name: \"Pebble\"} } }");
  const auto first_state = whole_state(*world.space);
  const CycleRecord first = world.sleep();
  world.tell("UPSERT { CONCEPT { {type: \"Stone\", name: \"Granite\"} } }");
  const auto second_state = whole_state(*world.space);
  const CycleRecord second = world.sleep();
  ASSERT_EQ(second.cycle, first.cycle + 1);
  EXPECT_FALSE(world.sleeper->undo({}, {77}, false, false));
  ASSERT_TRUE(world.sleeper->undo({}, {second.cycle}, false, false));
  EXPECT_EQ(whole_state(*world.space), second_state);
  EXPECT_FALSE(world.sleeper->undo({}, {second.cycle}, false, false));
  ASSERT_TRUE(world.sleeper->undo({}, {first.cycle}, false, false));
  EXPECT_NE(whole_state(*world.space), first_state);  // Granite came after it
  world.tell("DELETE CONCEPT ?x DETACH WHERE { ?x {name: \"Granite\"} }");
  EXPECT_EQ(whole_state(*world.space), first_state);
  const auto cycles = world.sleeper->cycles().value();
  ASSERT_EQ(cycles.size(), 2u);
  EXPECT_EQ(cycles[0].status, "undone");
}

TEST(SleepCycle, WhatWasTakenBackWaitsAndIsCounted) {
  SleepWorld world("2026-06-01T00:00:00Z");
  tell_people(world);
  for (int i = 0; i < 31; ++i)
    tell_event(world, "talk " + std::to_string(i), "2026-01-05T10:00:00Z", "Nothing lasts here.");
  const CycleRecord first = world.sleep();
  EXPECT_EQ(first.before.stale_events, 31);
  EXPECT_EQ(first.after.stale_events, 0);
  ASSERT_TRUE(world.sleeper->undo({}, {first.cycle}, false, false));
  EXPECT_EQ(world.sleeper->metrics()->stale_events, 31);
  EXPECT_EQ(world.sleeper->metrics()->waiting_events, 31);
  const std::string reason = world.sleeper->due({}, 0)->reason;
  EXPECT_EQ(reason.find("events wait"), std::string::npos) << reason;
  tell_event(world, "talk of today", "2026-05-31T10:00:00Z", "Nothing lasts here.");
  const CycleRecord second = world.sleep();
  EXPECT_EQ(second.after.stale_events, 31);
  EXPECT_EQ(world.sleeper->metrics()->stale_events, 31);
}

TEST(SleepCycle, UndoOfSeveralCyclesIsOneEntry) {
  SleepWorld world;
  std::vector<std::uint64_t> cycles;
  for (const char* name : {"Pebble", "Granite", "Slate"}) {
    world.tell("UPSERT { CONCEPT { {type: \"Stone\", name: :name} } }",
               Json::object({{"name", name}}));
    cycles.push_back(world.sleep().cycle);
  }
  const auto sequence = [&] { return world.space->snapshot().value().sequence(); };
  const auto slept = sequence();
  EXPECT_FALSE(world.sleeper->undo({}, {cycles[0], 77}, false, false));
  EXPECT_FALSE(world.sleeper->undo({}, {}, false, false));
  EXPECT_EQ(sequence(), slept) << "one that is not there, and nothing is undone";
  const auto undone = world.sleeper->undo({}, {cycles[2], cycles[0], cycles[0]}, false, false);
  ASSERT_TRUE(undone) << undone.error().describe();
  // What puts it back, and the book's.
  EXPECT_EQ(static_cast<std::uint64_t>(sequence()), static_cast<std::uint64_t>(slept) + 2);
  const auto book = world.sleeper->cycles().value();
  EXPECT_EQ(book[0].status, "undone");
  EXPECT_EQ(book[1].status, "complete");
  EXPECT_EQ(book[2].status, "undone");
}

TEST(SleepCycle, WhatACompartmentStatesIsLeftAlone) {
  SleepWorld world;
  kip::Caller caller;
  caller.origin = {"pack", "pack", store::Trust::kStandard, store::Sequence::kNone};
  caller.define_on_use = true;
  const Json answer = world.engine->execute(
      Json::object({{"command",
                     "UPSERT { CONCEPT ?b { {type: \"Place\", name: \"Bay\"} } CONCEPT { {type: "
                     "\"Place\", name: \"bay\"} SET PROPOSITIONS { (\"near\", ?b) } } }"},
                    {"graph", "urn:anima:compartment:sea"}}),
      caller);
  ASSERT_FALSE(kip::has_error(answer)) << answer.dump();
  const auto before = whole_state(*world.space);
  world.pass_days(100);
  const CycleRecord record = world.sleep();
  EXPECT_EQ(record.changes(), 0u) << record.to_json(100).dump(1);
  EXPECT_EQ(whole_state(*world.space), before);
}

TEST(SleepCycle, AnEventDoesNotConfirmWhatACompartmentStates) {
  SleepWorld world;
  world.tell(
      "UPSERT { CONCEPT { {type: \"$PropositionType\", name: \"works_at\"} } CONCEPT { {type: "
      "\"Person\", name: \"Ada\"} } CONCEPT { {type: \"Company\", name: \"Acme\"} } CONCEPT { "
      "{type: \"Event\", name: \"talk\"} SET ATTRIBUTES {event_class: \"Conversation\", "
      "start_time: \"2026-01-10T10:00:00Z\", content_summary: \"Ada works at Acme.\"} } }");
  kip::Caller caller;
  caller.origin = {"pack", "pack", store::Trust::kStandard, store::Sequence::kNone};
  const Json answer = world.engine->execute(
      Json::object({{"command",
                     "UPSERT { PROPOSITION { ({type: \"Person\", name: \"Ada\"}, \"works_at\", "
                     "{type: \"Company\", name: \"Acme\"}) } } WITH METADATA {observed_at: "
                     "\"2025-11-01T00:00:00Z\", valid_to: \"2025-12-01T00:00:00Z\"}"},
                    {"graph", "urn:anima:compartment:sea"}}),
      caller);
  ASSERT_FALSE(kip::has_error(answer)) << answer.dump();
  world.sleep();
  EXPECT_EQ(world.ask("FIND(?l.metadata.observed_at, ?l.metadata.valid_to) WHERE { ?l ({name: "
                      "\"Ada\"}, \"works_at\", ?o) }"),
            "[[\"2025-11-01T00:00:00Z\"],[\"2025-12-01T00:00:00Z\"]]");
  EXPECT_EQ(world.ask("FIND(?e.name) WHERE { ((?a, \"works_at\", ?b), \"derived_from\", ?e) }"),
            "[\"talk\"]");
}

TEST(SleepCycle, DueWhenTheThresholdsOfTheSourceArePassed) {
  SleepWorld world;
  world.sleep();
  EXPECT_FALSE(world.sleeper->due({}, 0).value().due);
  for (int i = 0; i < 11; ++i)
    world.tell("UPSERT { CONCEPT { {type: \"Person\", name: :n} } }",
               named("somebody " + std::to_string(i)));
  const Due due = world.sleeper->due({}, 0).value();
  EXPECT_TRUE(due.due);
  EXPECT_NE(due.reason.find("11 concepts"), std::string::npos) << due.reason;
  world.sleep();
  EXPECT_FALSE(world.sleeper->due({}, 0).value().due);
}

// Read by $self afterwards (001, principle 4).
TEST(SleepCycle, TheMaintenanceLogSaysWhatWasDone) {
  SleepWorld world;
  world.tell("UPSERT { CONCEPT { {type: \"Stone\", name: \"Pebble\"} } }");
  world.sleep();
  const Json log = world.tell(
      "FIND(?s.attributes.maintenance_log) WHERE { ?s {type: \"Person\", name: \"$system\"} }");
  ASSERT_EQ(log.as_array().size(), 1u);
  const Json& entry = log.as_array()[0].as_array()[0];
  EXPECT_EQ(entry.find("timestamp")->as_string(), "2026-03-02T00:00:00Z");
  EXPECT_NE(entry.find("actions_taken")->as_string().find("Orphans: 2"), std::string::npos)
      << entry.dump();
}

// Who sleeps is said to who waits.
TEST(Sleep, WaitsForAnotherCycleAndSaysWhoHasTheTurn) {
  const TemporaryDirectory folder("anima-sleep-turn");
  store::SpaceOptions options;
  options.create = true;
  std::shared_ptr<store::Space> space = store::Space::open(folder.file("space"), options).value();
  const auto sleeper = Sleeper::open(space).value();
  Request request;
  request.wait_milliseconds = 60;
  ASSERT_TRUE(sleeper->run(request));
  EXPECT_FALSE(file_exists(system_files(), folder.file("space/sleep.holder")));
  {
    const auto held =
        system_files().lock(folder.file("space/sleep.lock"), LockMode::kExclusive, false);
    ASSERT_TRUE(held);
    ASSERT_TRUE(replace_file(system_files(), folder.file("space/sleep.holder"),
                             "process 7, since yesterday: a cycle, a timer\n"));
    const auto busy = sleeper->run(request);
    ASSERT_FALSE(busy);
    EXPECT_EQ(busy.error().code, ErrorCode::kBusy);
    EXPECT_NE(busy.error().message.find("process 7"), std::string::npos) << busy.error().message;
    request.dry_run = true;
    EXPECT_TRUE(sleeper->run(request)) << "a rehearsal writes nothing and waits for nobody";
    request.dry_run = false;
  }
  EXPECT_TRUE(sleeper->run(request));
}

}  // namespace
}  // namespace anima::sleep::cycle_test
