// The speaker of a memory: part of what it is, kept with it, forgotten with the person; and spaces
// that were written before there was one.
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "base/crypto.h"
#include "memory/detail/provenance_codec.h"
#include "memory/forgetting.h"
#include "memory/memory_manager.h"
#include "store/forget.h"
#include "support/lent_clock.h"

namespace anima::memory::speakers_test {
namespace {

using govern::Trust;

const store::Origin kOperator{"grace", "terminal", store::Trust::kOperator, store::Sequence::kNone};

class SpeakersOfMemories : public ::testing::Test {
 protected:
  void SetUp() override { open(); }
  // As another process would find it.
  void open() {
    manager_.reset();
    manager_ =
        std::make_unique<MemoryManager>(*space_, ledger_, guardian_, events_, clock_, random_);
  }
  StoredMemory say(const std::string& text, const std::string& speaker,
                   Partition partition = Partition::kPublic) {
    NewMemory memory;
    memory.content = text;
    memory.speaker = speaker;
    memory.partition = partition;
    memory.trust = Trust::kOperator;
    const auto stored = manager_->store(memory);
    EXPECT_TRUE(stored) << stored.error().describe();
    return stored.value_or(StoredMemory());
  }
  void person(const std::string& name) {
    ASSERT_TRUE(space_->write(kOperator, [&](store::Transaction& t) -> Status {
      ANIMA_ASSIGN(const store::EntityId type, t.upsert_type("Person"));
      return t.upsert_concept(type, name).map([](store::EntityId) {});
    }));
  }
  ForgetPlan forget(const std::string& name, bool mentions = false) {
    ForgetRequest request;
    request.things = {name};
    request.mentions = mentions;
    auto plan = plan_forgetting(*space_, request);
    EXPECT_TRUE(plan) << plan.error().describe();
    if (!plan) return {};
    const auto report = store::forget(*space_, kOperator, plan->what, clock_.now(), false);
    EXPECT_TRUE(report) << report.error().describe();
    open();
    return *std::move(plan);
  }
  std::vector<MemoryItem> items(std::string_view speaker = {}) {
    return manager_->list("operator", std::nullopt, speaker).value();
  }

  ManualClock clock_{Timestamp{1'767'225'600'000'000}};
  SeededRandom random_{7};
  std::shared_ptr<store::Space> space_ =
      store::Space::in_memory({.clock = test::lent(clock_)}).value();
  govern::Ledger ledger_{*space_, clock_, random_};
  govern::Guardian guardian_{govern::PatternSet::shipped().value()};
  bus::EventBus events_;
  std::unique_ptr<MemoryManager> manager_;
};

// A space that was written without speakers has items without the attribute and these ids.
TEST_F(SpeakersOfMemories, WhatHasNoSpeakerIsAsItEverWas) {
  const std::string id = "doc_" + to_hex(sha256("The gate is in the north")).substr(0, 16);
  EXPECT_EQ(say("The gate is in the north", "").id, id);
  const store::Snapshot now = space_->snapshot().value().with_books();
  EXPECT_FALSE(now.find_string(kSpeakerKey));
  EXPECT_TRUE(say("The gate is in the north", "").known_before);
  EXPECT_FALSE(say("The gate is in the north", "Ann").known_before);
  EXPECT_EQ(items().size(), 2U);
  EXPECT_EQ(items("Bob").size(), 1U);
  EXPECT_EQ(items("Bob").at(0).id, id);
}

TEST_F(SpeakersOfMemories, EqualTextsOfTwoAreTwoAlsoWhereTheyAreClosed) {
  for (const Partition partition : {Partition::kPublic, Partition::kSensitive}) {
    const StoredMemory ann = say("My code is 17", "Ann", partition);
    const StoredMemory bob = say("My code is 17", "Bob", partition);
    EXPECT_NE(ann.id, bob.id);
    EXPECT_EQ(say("My code is 17", "Ann", partition).id, ann.id);
    open();
    EXPECT_EQ(manager_->find(ann.id, "operator").value()->speaker, "Ann");
  }
}

TEST_F(SpeakersOfMemories, TheRecordsOfWhatWasToldAreReadInBothForms) {
  ProvenanceRecord record;
  record.id = 3;
  record.kind = ProvenanceKind::kTold;
  record.text = "Ada works at Initech";
  const std::string before = detail::encode_provenance({record});
  EXPECT_EQ(before.at(0), 1);
  EXPECT_EQ(decode_provenance(before).value().at(0).speaker, "");
  ProvenanceRecord other = record;
  other.id = 4;
  other.speaker = "Ann";
  const std::string bytes = detail::encode_provenance({record, other});
  EXPECT_EQ(bytes.at(0), 2);
  const auto both = decode_provenance(bytes).value();
  EXPECT_EQ(both.at(0).speaker, "");
  EXPECT_EQ(both.at(1).speaker, "Ann");
  EXPECT_EQ(both.at(1).text, record.text);
}

TEST_F(SpeakersOfMemories, WhatAPersonSaidIsForgottenWithThePerson) {
  for (const bool mentions : {false, true}) {
    person("Ann");
    say("My phone is 555-0199", "Ann");
    say("My phone is 555-0199", "Bob");
    say("My knee hurts", "Ann", Partition::kSensitive);
    say("The gate is in the north", "");
    const ForgetPlan plan = forget("Ann", mentions);
    EXPECT_EQ(plan.said.size(), 2U);
    EXPECT_NE(plan.asked.find("2 texts that this person said"), std::string::npos) << plan.asked;
    ASSERT_EQ(items().size(), 2U);
    for (const MemoryItem& item : items()) {
      EXPECT_NE(item.speaker, "Ann");
      EXPECT_FALSE(item.content.empty()) << item.id;
    }
    EXPECT_EQ(items("Bob").size(), 2U);
  }
}

TEST_F(SpeakersOfMemories, WhoIsNoThingIsForgottenByName) {
  say("Jazz is wonderful", "Ann");
  say("Jazz is wonderful", "Anna");
  EXPECT_EQ(forget("Ann").said.size(), 1U);
  ASSERT_EQ(items().size(), 1U);
  EXPECT_EQ(items().at(0).speaker, "Anna");
}

}  // namespace
}  // namespace anima::memory::speakers_test
