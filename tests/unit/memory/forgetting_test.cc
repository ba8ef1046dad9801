// What is planned to be forgotten, what goes with it, and what is recalled of a time.
#include "memory/forgetting.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>

#include "memory/ingest.h"
#include "memory/provenance.h"
#include "memory/recall/recall_context.h"
#include "memory/turns.h"
#include "store/forget.h"
#include "support/lent_clock.h"

namespace anima::memory::forgetting_test {
namespace {

using govern::Trust;
using store::EntityId;

const store::Origin kDesk{"ada", "desk", store::Trust::kStandard, store::Sequence::kNone};
const store::Origin kImport{"ada", "crm", store::Trust::kStandard, store::Sequence::kNone};

class Forgetting : public ::testing::Test {
 protected:
  EntityId person(const std::string& name, const std::string& note) {
    EntityId made = EntityId::kNone;
    EXPECT_TRUE(space_->write(kImport, [&](store::Transaction& t) -> Status {
      ANIMA_ASSIGN(const EntityId type, t.upsert_type("Person"));
      ANIMA_ASSIGN(made, t.upsert_concept(type, name));
      ANIMA_ASSIGN(const store::Term text, t.term(store::Value::string(note).view()));
      ANIMA_TRY(t.set_attribute(made, "note", std::span(&text, 1)));
      ProvenanceBatch batch(t);
      ProvenanceRecord record;
      record.derived = made;
      record.kind = ProvenanceKind::kTold;
      record.text = name + " said: " + note;
      batch.add(record);
      return batch.write();
    }));
    return made;
  }
  void called_too(EntityId who, const char* aliases) {
    ASSERT_TRUE(space_->write(kImport, [&](store::Transaction& t) -> Status {
      const auto value = store::Value::from_json(parse_json(aliases).value());
      ANIMA_ASSIGN(const store::Term term, t.term(value.view()));
      return t.set_attribute(who, "aliases", std::span(&term, 1));
    }));
  }
  void own(const std::string& who, const std::string& what, const char* from, const char* to) {
    ASSERT_TRUE(space_->write(kImport, [&](store::Transaction& t) -> Status {
      ANIMA_ASSIGN(const EntityId type, t.upsert_type("Thing"));
      ANIMA_ASSIGN(const EntityId owned_by, t.upsert_predicate("owned_by"));
      ANIMA_ASSIGN(const EntityId owner, t.upsert_concept(type, who));
      ANIMA_ASSIGN(const EntityId thing, t.upsert_concept(type, what));
      ANIMA_ASSIGN(const EntityId link, t.assert_link({thing, store::Predicate::link(owned_by),
                                                       store::Term::entity(owner)}));
      for (const auto& [key, time] : {std::pair{"valid_from", from}, std::pair{"valid_to", to}}) {
        if (time == nullptr) continue;
        ANIMA_ASSIGN(const store::Term text, t.term(store::Value::string(time).view()));
        ANIMA_TRY(t.set_metadata(link, key, std::span(&text, 1)));
      }
      return {};
    }));
  }
  std::string first_recalled(const std::string& question) {
    ContextOptions options;
    options.now = parse_timestamp("2026-06-17T12:00:00Z").value();
    const auto context = recall_context(manager_, space_->snapshot().value(), question, options);
    EXPECT_TRUE(context) << context.error().describe();
    for (const ContextItem& item : context->items) {
      if (item.content.find("owned_by") != std::string::npos) return item.content;
    }
    return {};
  }

  ManualClock clock_{Timestamp{1'767'225'600'000'000}};
  SeededRandom random_{9};
  std::shared_ptr<store::Space> space_ =
      store::Space::in_memory({.clock = test::lent(clock_)}).value();
  bus::EventBus events_;
  govern::Guardian guardian_{govern::PatternSet::shipped().value()};
  govern::Ledger ledger_{*space_, clock_, random_};
  MemoryManager manager_{*space_, ledger_, guardian_, events_, clock_, random_};
};

// `forget "$NAME"` of a variable that is not set.
TEST_F(Forgetting, AnEmptyNameIsNoValueAtAll) {
  person("Alice", "");
  for (const char* text : {"", "  "}) {
    ForgetRequest request;
    request.things = {text};
    const auto plan = plan_forgetting(*space_, request);
    ASSERT_FALSE(plan.has_value());
    EXPECT_EQ(plan.error().code, ErrorCode::kInvalidArgument);
  }
}

TEST_F(Forgetting, ANumberIsFoundAsItIsWritten) {
  const EntityId alice = person("Alice", "likes tea");
  ASSERT_TRUE(space_->write(kImport, [&](store::Transaction& t) -> Status {
    for (const auto& [key, value] :
         {std::pair{"phone", store::Value::of(std::int64_t{4'917'055'512})},
          std::pair{"weight", store::Value::of(61.5)},
          std::pair{"phones", store::Value::from_json(parse_json("[4917055512]").value())},
          std::pair{"active", store::Value::boolean(true)}}) {
      ANIMA_ASSIGN(const store::Term term, t.term(value.view()));
      ANIMA_TRY(t.set_attribute(alice, key, std::span(&term, 1)));
    }
    return {};
  }));
  for (const auto& [text, values] : {std::pair{"4917055512", 2u}, std::pair{"61.5", 1u}}) {
    ForgetRequest request;
    request.things = {text};
    const auto plan = plan_forgetting(*space_, request);
    ASSERT_TRUE(plan.has_value()) << plan.error().describe();
    EXPECT_TRUE(plan->what.entities.empty());
    EXPECT_EQ(plan->what.values.size(), values) << text;
  }
}

TEST_F(Forgetting, TextsOfProvenanceGoAndIdsStay) {
  const EntityId alice = person("Alice", "likes tea");
  const EntityId carl = person("Carl", "Alice owes me money");
  ForgetRequest request;
  request.things = {"Alice"};
  const auto plan = plan_forgetting(*space_, request);
  ASSERT_TRUE(plan) << plan.error().describe();
  EXPECT_EQ(plan->what.entities, std::vector<EntityId>{alice});
  ASSERT_EQ(plan->mentions.size(), 1u);
  EXPECT_EQ(plan->mentions[0].entity, carl);
  ASSERT_TRUE(store::forget(*space_, kImport, plan->what, Timestamp{}, false));
  ProvenanceLedger ledger(*space_);
  ASSERT_TRUE(ledger.refresh());
  ASSERT_EQ(ledger.size(), 2u);
  EXPECT_EQ(ledger.find(1)->text, "");
  EXPECT_EQ(ledger.find(2)->text, "") << "it names her";
  EXPECT_EQ(ledger.find(2)->derived, carl);
}

TEST_F(Forgetting, AWithdrawnThingIsFoundByItsName) {
  const EntityId alice = person("Alice", "likes tea");
  ASSERT_TRUE(space_->write(kImport, [&](store::Transaction& t) {
    return t.retract_concept(alice, store::GraphId::kDefault, true);
  }));
  ForgetRequest request;
  request.things = {"Alice"};
  const auto plan = plan_forgetting(*space_, request);
  ASSERT_TRUE(plan) << plan.error().describe();
  EXPECT_EQ(plan->what.entities, std::vector<EntityId>{alice});
}

// As MERGE leaves them: the other is withdrawn, and its name is one of a list of aliases.
TEST_F(Forgetting, WhatWasMergedIntoItGoesWithIt) {
  const EntityId carl = person("Carl", "likes tea");
  const EntityId mia = person("Mia Zorbel", "likes coffee");
  const EntityId ally = person("Ally Zorbel", "likes milk");
  const EntityId dora = person("Dora", "knows nobody");
  const auto merge = [&](EntityId into, EntityId other, const char* aliases) {
    ASSERT_TRUE(space_->write(kImport, [&](store::Transaction& t) -> Status {
      const auto value = store::Value::from_json(parse_json(aliases).value());
      ANIMA_ASSIGN(const store::Term term, t.term(value.view()));
      ANIMA_TRY(t.set_attribute(into, "aliases", std::span(&term, 1)));
      return t.retract_concept(other, store::GraphId::kDefault, true);
    }));
  };
  merge(mia, ally, R"(["Ally Zorbel"])");
  merge(carl, mia, R"(["Mia Zorbel"])");
  ForgetRequest request;
  request.things = {"Carl"};
  const auto plan = plan_forgetting(*space_, request);
  ASSERT_TRUE(plan) << plan.error().describe();
  EXPECT_EQ(plan->what.entities, (std::vector<EntityId>{carl, mia, ally}));
  EXPECT_EQ(plan->names, (std::vector<std::string>{"Carl", "Mia Zorbel", "Ally Zorbel"}));
  EXPECT_TRUE(plan->others.empty());
  ASSERT_TRUE(store::forget(*space_, kImport, plan->what, Timestamp{}, false));
  const store::Snapshot now = space_->snapshot().value();
  for (std::uint32_t id = 1; id < now.entity_bound(); ++id)
    EXPECT_EQ(now.name(EntityId{id}).find("Zorbel"), std::string_view::npos);
  EXPECT_TRUE(now.exists(dora));
}

TEST_F(Forgetting, WhatIsAnothersNameNowIsNotMergedIntoIt) {
  const EntityId carl = person("Carl", "likes tea");
  const EntityId was = person("Mia Zorbel", "likes coffee");
  ASSERT_TRUE(space_->write(kImport, [&](store::Transaction& t) -> Status {
    ANIMA_ASSIGN(const store::Term term, t.term(store::Value::string("Mia Zorbel").view()));
    ANIMA_TRY(t.set_attribute(carl, "alias", std::span(&term, 1)));
    return t.set_attribute(carl, "alias", {});
  }));
  ForgetRequest request;
  request.things = {"Carl"};
  const auto plan = plan_forgetting(*space_, request);
  ASSERT_TRUE(plan) << plan.error().describe();
  EXPECT_EQ(plan->what.entities, std::vector<EntityId>{carl});
  EXPECT_EQ(plan->names, std::vector<std::string>{"Carl"});
  EXPECT_TRUE(space_->snapshot()->exists(was));
}

TEST_F(Forgetting, WhatNobodyStatesAnyMoreGoesUnasked) {
  const EntityId carl = person("Carl", "met Mia Zorbel twice");
  const EntityId mia = person("Mia Zorbel", "likes coffee");
  ASSERT_TRUE(space_->write(kImport, [&](store::Transaction& t) -> Status {
    ANIMA_ASSIGN(const store::Term text, t.term(store::Value::string("likes tea").view()));
    return t.set_attribute(carl, "note", std::span(&text, 1));
  }));
  ForgetRequest request;
  request.things = {"Mia Zorbel"};
  const auto plan = plan_forgetting(*space_, request);
  ASSERT_TRUE(plan) << plan.error().describe();
  EXPECT_EQ(plan->what.entities, std::vector<EntityId>{mia});
  EXPECT_TRUE(plan->mentions.empty());
  ASSERT_TRUE(store::forget(*space_, kImport, plan->what, Timestamp{}, false));
  EXPECT_FALSE(space_->snapshot()->find_string("met Mia Zorbel twice"));
  EXPECT_TRUE(space_->snapshot()->find_string("likes tea"));
}

TEST_F(Forgetting, TypesAndPredicatesGoWhenNothingUsesThem) {
  own("Carl", "boat", nullptr, nullptr);
  ForgetRequest request;
  request.things = {"owned_by"};
  const auto used = plan_forgetting(*space_, request);
  ASSERT_FALSE(used);
  EXPECT_EQ(used.error().code, ErrorCode::kDenied);
  EXPECT_NE(used.error().message.find("boat owned_by Carl"), std::string::npos)
      << used.error().message;
  ASSERT_TRUE(space_->write(kImport, [&](store::Transaction& t) -> Status {
    const store::Snapshot& now = t.view();
    const EntityId predicate = *now.find_predicate("owned_by");
    const EntityId type = *now.find_type("Thing");
    return t.retract_link({*now.find_concept(type, "boat"), store::Predicate::link(predicate),
                           store::Term::entity(*now.find_concept(type, "Carl"))},
                          store::GraphId::kDefault);
  }));
  const auto unused = plan_forgetting(*space_, request);
  ASSERT_TRUE(unused) << unused.error().describe();
  ASSERT_TRUE(store::forget(*space_, kImport, unused->what, Timestamp{}, false));
  EXPECT_FALSE(space_->snapshot()->find_predicate("owned_by"));
  EXPECT_TRUE(space_->snapshot()->find_type("Thing"));
}

TEST_F(Forgetting, KeysPredicatesTypesAndGraphsThatNameItAreFound) {
  const EntityId carl = person("Carl", "likes tea");
  ASSERT_TRUE(space_->write(kImport, [&](store::Transaction& t) -> Status {
    ANIMA_ASSIGN(const store::Term phone, t.term(store::Value::string("0170-1").view()));
    ANIMA_TRY(t.set_attribute(carl, "mia_zorbel_phone", std::span(&phone, 1)));
    ANIMA_TRY(t.upsert_predicate("knows_mia_zorbel").map([](EntityId) {}));
    ANIMA_TRY(t.upsert_type("MiaZorbelFan").map([](EntityId) {}));
    store::AssertOptions there;
    there.graph = t.graph("http://x/Mia%20Zorbel");
    ANIMA_ASSIGN(const EntityId type, t.upsert_type("Person"));
    return t.upsert_concept(type, "Erik", there).map([](EntityId) {});
  }));
  ForgetRequest request;
  request.things = {"Mia Zorbel"};
  const auto refused = plan_forgetting(*space_, request);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kNotFound);
  for (const char* place : {"mia_zorbel_phone", "knows_mia_zorbel", "MiaZorbelFan", "Mia%20Zorbel"})
    EXPECT_NE(refused.error().message.find(place), std::string::npos) << refused.error().message;
  request.mentions = true;
  const auto plan = plan_forgetting(*space_, request);
  ASSERT_TRUE(plan) << plan.error().describe();
  EXPECT_EQ(plan->what.graphs.size(), 1u);
  EXPECT_EQ(plan->what.entities.size(), 2u);
  ASSERT_TRUE(store::forget(*space_, kImport, plan->what, Timestamp{}, false));
  const store::Snapshot now = space_->snapshot().value();
  EXPECT_FALSE(now.find_predicate("knows_mia_zorbel"));
  EXPECT_FALSE(now.find_type("MiaZorbelFan"));
  EXPECT_FALSE(now.attribute(carl, "mia_zorbel_phone"));
  EXPECT_TRUE(now.attribute(carl, "note"));
}

TEST_F(Forgetting, AValueGoesAndWhatItIsSaidOfStays) {
  const EntityId pier = person("Pier 4", "Tomas Rey");
  const EntityId quay = person("Quay 7", "tomas rey");  // any case
  const EntityId letter = person("Letter", "Ask Tomas Rey about the keys");
  person("Crane", "Tomas Reynolds");
  ForgetRequest request;
  request.things = {"Tomas Rey"};
  const auto plan = plan_forgetting(*space_, request);
  ASSERT_TRUE(plan) << plan.error().describe();
  EXPECT_TRUE(plan->what.entities.empty());
  EXPECT_EQ(plan->values, std::vector<std::string>{"Tomas Rey"});
  ASSERT_EQ(plan->mentions.size(), 1u);
  EXPECT_EQ(plan->mentions[0].entity, letter);
  const auto report = store::forget(*space_, kImport, plan->what, Timestamp{}, false);
  ASSERT_TRUE(report) << report.error().describe();
  EXPECT_EQ(report->statements.size(), 2u);
  const store::Snapshot now = space_->snapshot().value();
  EXPECT_FALSE(now.attribute(pier, "note"));
  EXPECT_FALSE(now.attribute(quay, "note"));
  EXPECT_EQ(now.name(pier), "Pier 4");
  EXPECT_TRUE(now.attribute(letter, "note"));
  ASSERT_EQ(now.concepts_named("Crane").size(), 1u);
  EXPECT_TRUE(now.attribute(now.concepts_named("Crane")[0], "note"));
  ProvenanceLedger ledger(*space_);
  ASSERT_TRUE(ledger.refresh());
  EXPECT_EQ(ledger.find(1)->text, "") << "it names him";
}

TEST_F(Forgetting, AWithdrawnValueGoesToo) {
  const EntityId pier = person("Pier 4", "Tomas Rey");
  person("Pier 4", "Jens");
  ForgetRequest request;
  request.things = {"Tomas Rey"};
  const auto plan = plan_forgetting(*space_, request);
  ASSERT_TRUE(plan) << plan.error().describe();
  const auto report = store::forget(*space_, kImport, plan->what, Timestamp{}, false);
  ASSERT_TRUE(report) << report.error().describe();
  const store::Snapshot now = space_->snapshot().value();
  EXPECT_FALSE(now.find_string("Tomas Rey"));
  EXPECT_EQ(now.value(now.attribute(pier, "note").value()).text, "Jens");
}

TEST_F(Forgetting, WhatOnlyTextsNameIsListedAndTakenWhenAskedFor) {
  const EntityId letter = person("Letter", "Ask Tomas Rey about the keys");
  const EntityId pier = person("Pier 4", "empty");
  ForgetRequest request;
  request.things = {"Tomas Rey"};
  const auto refused = plan_forgetting(*space_, request);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kNotFound);
  EXPECT_NE(refused.error().describe().find("Letter"), std::string::npos);
  EXPECT_NE(refused.error().describe().find("--mentions"), std::string::npos);
  request.mentions = true;
  const auto plan = plan_forgetting(*space_, request);
  ASSERT_TRUE(plan) << plan.error().describe();
  EXPECT_TRUE(plan->what.entities.empty());
  ASSERT_TRUE(store::forget(*space_, kImport, plan->what, Timestamp{}, false));
  const store::Snapshot now = space_->snapshot().value();
  EXPECT_TRUE(now.exists(letter));
  EXPECT_FALSE(now.attribute(letter, "note"));
  EXPECT_TRUE(now.attribute(pier, "note"));
  request.things = {"Nobody at all"};
  request.mentions = false;
  EXPECT_EQ(plan_forgetting(*space_, request).error().code, ErrorCode::kNotFound);
}

// "Anna Zorbels" alone may be another name; in the text that it was taken from it is this one.
TEST_F(Forgetting, WhatWasTakenFromATextGoesWithIt) {
  const auto turn = [](const char* id, const char* text) {
    return Turn{"s", id, "Ben", text, {}, parse_timestamp("2023-05-10T09:00:00Z").value()};
  };
  IngestOptions options;
  options.origin = kImport;
  ASSERT_TRUE(ingest_turns(
      manager_, *space_, guardian_,
      {turn("1", "Wir haben gestern mit Anna Zorbels Bruder gesprochen."),
       turn("2",
            "\u0412\u0447\u0435\u0440\u0430 \u044f \u0433\u043e\u0432\u043e\u0440\u0438\u043b "
            "\u0441 \u0418\u0440\u0438\u043d\u043e\u0439 "
            "\u0417\u043e\u0440\u0431\u0438\u043d\u043e\u0439."),
       turn("3", "Eilen puhuin pitk\u00e4\u00e4n Aino Virtasen kanssa."),
       turn("4", "Wir haben gestern mit Tom Berger gesprochen.")},
      options));
  person("Anna Zorbel", "x");
  person("\u0418\u0440\u0438\u043d\u0430 \u0417\u043e\u0440\u0431\u0438\u043d\u0430", "y");
  person("Aino Virtanen", "z");
  ForgetRequest request;
  request.things = {"Anna Zorbel",
                    "\u0418\u0440\u0438\u043d\u0430 \u0417\u043e\u0440\u0431\u0438\u043d\u0430",
                    "Aino Virtanen"};
  request.mentions = true;
  const auto plan = plan_forgetting(*space_, request);
  ASSERT_TRUE(plan) << plan.error().describe();
  ASSERT_TRUE(store::forget(*space_, kDesk, plan->what,
                            parse_timestamp("2026-01-01T00:00:00Z").value(), false));
  const auto now = space_->snapshot().value();
  const auto type = now.find_type(kEventType);
  ASSERT_TRUE(type);
  for (const char* id : {"s#1", "s#2", "s#3"}) {
    const auto event = now.find_concept(*type, id);
    EXPECT_TRUE(!event || !now.attribute(*event, kEventMentioned)) << id;
  }
  const auto other = now.find_concept(*type, "s#4");
  ASSERT_TRUE(other);
  EXPECT_TRUE(now.attribute(*other, kEventMentioned));
}

TEST_F(Forgetting, MentionsTakeNoOtherThing) {
  struct Pair {
    const char *forgotten, *other;
  };
  for (const Pair& pair :
       {Pair{"Paul", "Paula Berg"}, Pair{"Petr", "Petra Novák"}, Pair{"Ben", "Ben Berger"},
        Pair{"Jose", "José"}, Pair{"Müller", "Mueller"}, Pair{"王小", "王小明"},
        Pair{"Mia", "Mia-Sophie"}}) {
    const EntityId gone = person(pair.forgotten, "likes tea");
    const EntityId other = person(pair.other, "likes coffee");
    const EntityId sister = person("Vera", std::string("sister of ") + pair.forgotten + ".");
    const EntityId friends = person("Nils", std::string("met ") + pair.other + " there");
    ForgetRequest request;
    request.things = {pair.forgotten};
    request.mentions = true;
    const auto plan = plan_forgetting(*space_, request);
    ASSERT_TRUE(plan) << plan.error().describe();
    EXPECT_EQ(plan->what.entities, std::vector<EntityId>{gone});
    ASSERT_EQ(plan->others.size(), 1u) << pair.other;
    EXPECT_EQ(plan->others[0].entity, other);
    ASSERT_EQ(plan->mentions.size(), 1u) << pair.other;
    EXPECT_EQ(plan->mentions[0].entity, sister);
    ASSERT_TRUE(store::forget(*space_, kImport, plan->what, Timestamp{}, false));
    const store::Snapshot now = space_->snapshot().value();
    EXPECT_FALSE(now.exists(gone));
    EXPECT_EQ(now.name(other), pair.other);
    EXPECT_TRUE(now.attribute(other, "note"));
    EXPECT_TRUE(now.exists(sister));
    EXPECT_FALSE(now.attribute(sister, "note"));
    EXPECT_TRUE(now.attribute(friends, "note"));
    ForgetRequest next;
    next.things = {pair.other};
    next.mentions = true;
    ASSERT_TRUE(
        store::forget(*space_, kImport, plan_forgetting(*space_, next)->what, Timestamp{}, false));
  }
}

// Where no thing is called so, no other is taken in its place.
TEST_F(Forgetting, WhatOnlyResemblesIsNotFound) {
  person("Ben Berger", "likes coffee");
  ForgetRequest request;
  request.things = {"Ben"};
  for (const bool mentions : {false, true}) {
    request.mentions = mentions;
    const auto plan = plan_forgetting(*space_, request);
    ASSERT_FALSE(plan);
    EXPECT_EQ(plan.error().code, ErrorCode::kNotFound);
    EXPECT_NE(plan.error().describe().find("Ben Berger"), std::string::npos);
  }
}

TEST_F(Forgetting, ADecomposedNameIsTheSameName) {
  const EntityId gone = person("J\u00fcrgen Zorb", "likes tea");
  const EntityId told = person("Vera", "met Ju\u0308rgen Zorb");
  const EntityId value = person("Nils", "Ju\u0308rgen Zorb");
  ForgetRequest request;
  request.things = {"J\u00fcrgen Zorb"};
  request.mentions = true;
  const auto plan = plan_forgetting(*space_, request);
  ASSERT_TRUE(plan) << plan.error().describe();
  ASSERT_TRUE(store::forget(*space_, kImport, plan->what, Timestamp{}, false));
  const store::Snapshot now = space_->snapshot().value();
  EXPECT_FALSE(now.exists(gone));
  EXPECT_FALSE(now.attribute(told, "note"));
  EXPECT_FALSE(now.attribute(value, "note"));
}

// Not touched is not touched: what has a name of two things may mean either.
TEST_F(Forgetting, ANameThatAnotherThingHasTakesNoText) {
  const EntityId gone = person("Alice Zorb", "likes tea");
  called_too(gone, R"(["Ally"])");
  const EntityId other = person("Ally", "likes coffee");
  const EntityId either = person("Vera", "met Ally there");
  const EntityId sure = person("Nils", "met Alice Zorb there");
  const EntityId both = person("Olaf", "Alice Zorb is Ally");
  ForgetRequest request;
  request.things = {"Alice Zorb"};
  request.mentions = true;
  const auto plan = plan_forgetting(*space_, request);
  ASSERT_TRUE(plan) << plan.error().describe();
  EXPECT_EQ(plan->what.entities, std::vector<EntityId>{gone});
  EXPECT_EQ(plan->shared, std::vector<std::string>{"Ally"});
  ASSERT_EQ(plan->others.size(), 1u);
  EXPECT_EQ(plan->others[0].entity, other);
  ASSERT_EQ(plan->alike.size(), 1u);
  EXPECT_EQ(plan->alike[0].entity, either);
  EXPECT_FALSE(plan->named("a letter to Ally"));
  EXPECT_TRUE(plan->named("a letter to Alice Zorb"));
  ASSERT_TRUE(store::forget(*space_, kImport, plan->what, Timestamp{}, false));
  const store::Snapshot now = space_->snapshot().value();
  EXPECT_TRUE(now.exists(other));
  EXPECT_TRUE(now.attribute(other, "note"));
  EXPECT_TRUE(now.attribute(either, "note"));
  EXPECT_FALSE(now.attribute(sure, "note"));
  EXPECT_FALSE(now.attribute(both, "note"));
}

TEST_F(Forgetting, OfTwoThingsOfOneNameEachIsTakenAlone) {
  const EntityId gone = person("Berlin", "likes tea");
  own("Berlin", "Spree", "2024-01-01", nullptr);
  const EntityId either = person("Vera", "was in Berlin");
  ForgetRequest request;
  request.things = {"C:" + std::to_string(static_cast<std::uint32_t>(gone))};
  request.mentions = true;
  const auto plan = plan_forgetting(*space_, request);
  ASSERT_TRUE(plan) << plan.error().describe();
  EXPECT_EQ(plan->what.entities, std::vector<EntityId>{gone});
  ASSERT_EQ(plan->alike.size(), 1u);
  EXPECT_EQ(plan->alike[0].entity, either);
  ASSERT_TRUE(store::forget(*space_, kImport, plan->what, Timestamp{}, false));
  EXPECT_TRUE(space_->snapshot()->attribute(either, "note"));
  EXPECT_EQ(space_->snapshot()->concepts_named("Berlin").size(), 1u);
}

// Whose own name it is has it, though another has it as an alias, as after a merge.
TEST_F(Forgetting, AnOwnNameIsNoAliasOfAnother) {
  person("Alice Zorb", "likes tea");
  const EntityId other = person("Carl", "likes coffee");
  called_too(other, R"(["Alice Zorb", "Charly"])");
  const EntityId told = person("Nils", "met Alice Zorb there");
  ForgetRequest request;
  request.things = {"Alice Zorb"};
  request.mentions = true;
  const auto plan = plan_forgetting(*space_, request);
  ASSERT_TRUE(plan) << plan.error().describe();
  EXPECT_TRUE(plan->shared.empty());
  ASSERT_TRUE(store::forget(*space_, kImport, plan->what, Timestamp{}, false));
  EXPECT_TRUE(space_->snapshot()->exists(other));
  EXPECT_FALSE(space_->snapshot()->attribute(told, "note"));
}

TEST_F(Forgetting, TheKindOfABlankMakesNoOtherName) {
  const EntityId gone = person("Jean\u202fDupont", "likes tea");
  const EntityId told = person("Vera", "met Jean\u2009Dupont");
  ForgetRequest request;
  request.things = {"Jean Dupont"};
  request.mentions = true;
  const auto plan = plan_forgetting(*space_, request);
  ASSERT_TRUE(plan) << plan.error().describe();
  EXPECT_EQ(plan->what.entities, std::vector<EntityId>{gone});
  ASSERT_TRUE(store::forget(*space_, kImport, plan->what, Timestamp{}, false));
  EXPECT_FALSE(space_->snapshot()->attribute(told, "note"));
}

TEST_F(Forgetting, AnAliasFromWhoIsTrustedLessIsNone) {
  const EntityId gone = person("Alice Zorb", "likes tea");
  ASSERT_TRUE(space_->write({"mallory", "mail", store::Trust::kUntrusted, store::Sequence::kNone},
                            [&](store::Transaction& t) -> Status {
                              ANIMA_ASSIGN(const store::Term term,
                                           t.term(store::Value::string("budget").view()));
                              return t.set_attribute(gone, "alias", std::span(&term, 1));
                            }));
  const EntityId kept = person("Vera", "the budget is 500 euros");
  ForgetRequest request;
  request.things = {"Alice Zorb"};
  request.mentions = true;
  const auto plan = plan_forgetting(*space_, request);
  ASSERT_TRUE(plan) << plan.error().describe();
  EXPECT_EQ(plan->names, std::vector<std::string>{"Alice Zorb"});
  ASSERT_TRUE(store::forget(*space_, kImport, plan->what, Timestamp{}, false));
  EXPECT_TRUE(space_->snapshot()->attribute(kept, "note"));
}

TEST_F(Forgetting, WhatAMemoryIsNamesNothing) {
  ASSERT_TRUE(
      manager_.store({.content = "the boiler code is 7781", .trust = govern::Trust::kOperator}));
  person("Fact", "likes tea");
  ForgetRequest request;
  request.things = {"Fact"};
  request.mentions = true;
  const auto plan = plan_forgetting(*space_, request);
  ASSERT_TRUE(plan) << plan.error().describe();
  ASSERT_TRUE(store::forget(*space_, kImport, plan->what, Timestamp{}, false));
  EXPECT_EQ(manager_.list("operator")->size(), 1u);
}

// Anima's own words about a memory: where one of them is somebody's name, the memory stays.
TEST_F(Forgetting, WhatAMemoryCameFromTakesNoMemory) {
  ASSERT_TRUE(manager_.store({.content = "the boiler code is 7781",
                              .created_by = "operator",
                              .source = "terminal",
                              .trust = govern::Trust::kOperator}));
  ASSERT_TRUE(manager_.store({.content = "the garage code is 12",
                              .created_by = "operator",
                              .source = "Tomas Rey",
                              .trust = govern::Trust::kOperator}));
  for (const char* name : {"Operator", "Terminal", "Tomas Rey"}) {
    person(name, "likes tea");
    const EntityId told = person("Vera", std::string("met ") + name + " there");
    ForgetRequest request;
    request.things = {name};
    request.mentions = true;
    const auto plan = plan_forgetting(*space_, request);
    ASSERT_TRUE(plan) << plan.error().describe();
    ASSERT_TRUE(store::forget(*space_, kImport, plan->what, Timestamp{}, false));
    EXPECT_FALSE(space_->snapshot()->attribute(told, "note")) << name;
    EXPECT_EQ(manager_.list("operator")->size(), 2u) << name;
  }
  EXPECT_FALSE(space_->snapshot()->with_books().find_string("Tomas Rey"));
  EXPECT_TRUE(space_->snapshot()->with_books().find_string("terminal"));
}

TEST_F(Forgetting, WhatMayNameItIsListedAndStays) {
  const EntityId gone = person("C", "a letter");
  const EntityId other = person("C++", "a language");
  const EntityId told = person("Vera", "writes C, not C++");
  const EntityId about_other = person("Nils", "writes C++");
  const EntityId open = person("Olaf", "got a C+ there");
  ForgetRequest request;
  request.things = {"C"};
  request.mentions = true;
  const auto plan = plan_forgetting(*space_, request);
  ASSERT_TRUE(plan) << plan.error().describe();
  EXPECT_EQ(plan->what.entities, std::vector<EntityId>{gone});
  EXPECT_TRUE(plan->others.empty());
  ASSERT_EQ(plan->in_doubt.size(), 1u);
  EXPECT_EQ(plan->in_doubt[0].entity, open);
  ASSERT_TRUE(store::forget(*space_, kImport, plan->what, Timestamp{}, false));
  const store::Snapshot now = space_->snapshot().value();
  EXPECT_TRUE(now.attribute(other, "note"));
  EXPECT_FALSE(now.attribute(told, "note"));
  EXPECT_TRUE(now.attribute(about_other, "note"));
  EXPECT_TRUE(now.attribute(open, "note"));
  // Where that is all there is.
  const auto none = plan_forgetting(*space_, request);
  ASSERT_FALSE(none);
  EXPECT_NE(none.error().describe().find("Olaf"), std::string::npos) << none.error().describe();
}

TEST_F(Forgetting, AValueIsFoundWithItsSigns) {
  struct Case {
    const char *value, *text;
    bool found;
  };
  for (const Case& each : {Case{"1-2", "room 1-2", true},
                           Case{"1-2", "(1-2), then", true},
                           Case{"1-2", "1-2.", true},
                           Case{"1-2", "Pier:1-2", true},
                           Case{"1-2", "1 2", false},
                           Case{"1-2", "1.2", false},
                           Case{"1-2", "1--2", false},
                           Case{"1-2", "1-2-3", false},
                           Case{"1-2", "0-1-2", false},
                           Case{"1-2", "2026-1-2", false},
                           Case{"1.2", "1.2.3", false},
                           Case{"1.2", "version 1.2", true},
                           Case{"1.2", "1,2", false},
                           Case{"0170-55512", "tel-0170-55512-home", true},
                           Case{"0170-55512", "0170-55512/0171-4", true},
                           Case{"0170-55512", "0170 55512", false},
                           Case{"+49 170 5", "call +49 170 5 now", true},
                           Case{"+49 170 5", "49 170 5", false},
                           Case{"(030) 12", "at (030) 12", true},
                           Case{"-5", "it is -5 there", true},
                           Case{"-5", "5", false},
                           Case{"-5", "3-5", false},
                           Case{"55512", "0170-55512", false},
                           Case{"55512", "55512", true},
                           Case{"55512", "no. 55512, or", true}}) {
    const auto named = naming({each.value});
    EXPECT_EQ(named(each.text), each.found) << each.value << " in " << each.text;
  }
}

// What one source states of a thing goes, and what others state of it stays, and it with that.
TEST_F(Forgetting, ASourceThatIsClaimedTakesWhatItStated) {
  const auto state = [&](const std::string& name, const std::string& key, const std::string& value,
                         const char* source) {
    ASSERT_TRUE(space_->write(kDesk, [&](store::Transaction& t) -> Status {
      ANIMA_ASSIGN(const EntityId type, t.upsert_type("Person"));
      ANIMA_ASSIGN(const EntityId made, t.upsert_concept(type, name));
      ANIMA_ASSIGN(const store::Term text, t.term(store::Value::string(value).view()));
      ANIMA_TRY(t.set_attribute(made, key, std::span(&text, 1)));
      if (source == nullptr) return {};
      ANIMA_ASSIGN(const store::Term from, t.term(store::Value::string(source).view()));
      return t.set_metadata(made, "source", std::span(&from, 1));
    }));
  };
  state("Eva", "phone", "0171-1", "crm-x");
  state("Eva", "city", "Kiel", nullptr);
  state("Carl", "city", "Bremen", nullptr);
  state("Carl", "nick", "Charly", "crm-x");
  state("Dora", "phone", "0171-2", "crm-x");
  state("Finn", "phone", "0171-3", "crm-x");
  state("Finn", "city", "Oslo", "crm-y");
  state("Gina", "city", "Rome", "crm-y");
  ForgetRequest request;
  request.source = "crm-x";
  const auto plan = plan_forgetting(*space_, request);
  ASSERT_TRUE(plan) << plan.error().describe();
  const auto report = store::forget(*space_, kDesk, plan->what, Timestamp{}, false);
  ASSERT_TRUE(report) << report.error().describe();
  const store::Snapshot now = space_->snapshot().value();
  const auto has = [&](const char* name, const char* key) {
    const auto named = now.concepts_named(name);
    return !named.empty() && now.attribute(named.front(), key).has_value();
  };
  EXPECT_TRUE(has("Eva", "city"));
  EXPECT_FALSE(has("Eva", "phone"));
  EXPECT_TRUE(has("Carl", "city"));
  EXPECT_FALSE(has("Carl", "nick"));
  EXPECT_TRUE(now.concepts_named("Dora").empty());
  EXPECT_TRUE(has("Finn", "city")) << "another source replaced the first one";
  EXPECT_FALSE(has("Finn", "phone"));
  EXPECT_TRUE(has("Gina", "city"));
  for (const char* text : {"0171-1", "0171-2", "0171-3", "Charly", "crm-x"})
    EXPECT_FALSE(now.find_string(text)) << text;
}

TEST_F(Forgetting, ASourceOrATime) {
  person("Alice", "likes tea");
  ForgetRequest request;
  request.source = "crm";
  const auto plan = plan_forgetting(*space_, request);
  ASSERT_TRUE(plan);
  const auto report = store::forget(*space_, kImport, plan->what, Timestamp{}, false);
  ASSERT_TRUE(report) << report.error().describe();
  EXPECT_TRUE(space_->snapshot()->concepts_named("Alice").empty());
  EXPECT_EQ(plan_forgetting(*space_, {}).error().code, ErrorCode::kInvalidArgument);
}

TEST_F(Forgetting, RecallRanksWhatHeldThen) {
  own("Ada", "Mill", "2024-01-01", "2026-03-10");
  own("Ben", "Mill", "2026-03-10", nullptr);
  EXPECT_NE(first_recalled("who owned the Mill in February 2026").find("Ada"), std::string::npos);
  EXPECT_NE(first_recalled("who owned the Mill in May 2026").find("Ben"), std::string::npos);
  EXPECT_NE(first_recalled("who is the Mill owned by").find("Ben"), std::string::npos);
  EXPECT_NE(first_recalled("Mill in 2025").find("until 2026-03-10"), std::string::npos);
}

}  // namespace
}  // namespace anima::memory::forgetting_test
