// Whose word a merge leaves: the other name is the word of who merges, and what was said of the
// other thing stays the word of who said it.
#include <gtest/gtest.h>

#include <vector>

#include "kip/engine.h"
#include "store/holds.h"
#include "store/space.h"
#include "store/symbols.h"

namespace anima::kip::merge_trust_test {
namespace {

constexpr auto kOwner = store::Trust::kOperator, kLess = store::Trust::kUntrusted;

class MergeTrust : public ::testing::Test {
 protected:
  void tell(const std::string& command, store::Trust trust = kOwner, bool as_sleep = false) {
    Caller caller;
    caller.origin.trust = trust;
    caller.keeps_words = as_sleep;
    const Json answer = engine_->execute(Json::object({{"command", command}}), caller);
    ASSERT_FALSE(has_error(answer)) << answer.dump();
  }
  void define() {
    tell(R"(UPSERT { CONCEPT { {type: "$ConceptType", name: "Clerk"} }
                     CONCEPT { {type: "$PropositionType", name: "knows"} } })");
  }
  void merge(bool as_sleep = false) {
    tell(R"(MERGE CONCEPT ?o INTO ?k WHERE { ?o {type: "Clerk", name: "Eva"}
                                             ?k {type: "Clerk", name: "Ann"} })",
         kOwner, as_sleep);
  }
  store::Snapshot now() { return space_->snapshot().value(); }
  store::EntityId ann() {
    return now().find_concept(*now().find_type("Clerk"), "Ann").value_or(store::EntityId::kNone);
  }
  store::Trust trust_of(const char* attribute) {
    const auto key = now().find_string(attribute);
    store::Scratch scratch;
    const auto codes = now().objects(ann(), store::Predicate::attribute(*key), scratch);
    EXPECT_EQ(codes.size(), 1U) << attribute;
    return store::standing_of(
               now(), {ann(), store::Predicate::attribute(*key), store::Term{codes.front()}})
        .trust;
  }
  store::Sequence newest() { return now().sequence(); }
  void undo(store::Sequence entry) {
    const auto undone =
        space_->undo({"Ada", "undo", kOwner, store::Sequence::kNone}, entry, entry, false, false);
    ASSERT_TRUE(undone) << undone.error().describe();
  }

  std::shared_ptr<store::Space> space_ = store::Space::in_memory().value();
  std::shared_ptr<Engine> engine_ = Engine::open(space_).value();
};

TEST_F(MergeTrust, TheOtherNameIsTheWordOfWhoMerges) {
  define();
  tell(R"(UPSERT { CONCEPT { {type: "Clerk", name: "Ann"} SET ATTRIBUTES {desk: 1} }
                   CONCEPT { {type: "Clerk", name: "Eva"} SET ATTRIBUTES {floor: 2} } })");
  tell(R"(UPSERT { CONCEPT { {type: "Clerk", name: "Eva"} SET ATTRIBUTES {room: 7} } })", kLess);
  merge();
  EXPECT_EQ(trust_of("aliases"), kOwner);
  EXPECT_EQ(trust_of("floor"), kOwner);
  EXPECT_EQ(trust_of("room"), kLess);
}

TEST_F(MergeTrust, NamesAndConflictsOfOthersStayTheirs) {
  define();
  tell(R"(UPSERT { CONCEPT { {type: "Clerk", name: "Ann"} SET ATTRIBUTES {desk: 1} }
                   CONCEPT { {type: "Clerk", name: "Eva"} } })");
  tell(R"(UPSERT { CONCEPT { {type: "Clerk", name: "Eva"}
                     SET ATTRIBUTES {desk: 2, aliases: ["Boss"]} } })",
       kLess);
  merge();
  EXPECT_EQ(trust_of("aliases"), kLess);
  EXPECT_EQ(trust_of("merge_conflicts"), kLess);
}

TEST_F(MergeTrust, WhatSleepMergesIsCalledSoByWhoNamedIt) {
  define();
  tell(R"(UPSERT { CONCEPT { {type: "Clerk", name: "Ann"} } })");
  tell(R"(UPSERT { CONCEPT { {type: "Clerk", name: "Eva"} } })", kLess);
  merge(true);
  EXPECT_EQ(trust_of("aliases"), kLess);
}

// What KIP said of a link goes with the link, though a merge moved it.
TEST_F(MergeTrust, AnUndoneLinkLeavesNothingThatWasSaidOfIt) {
  define();
  tell(R"(UPSERT { CONCEPT { {type: "Clerk", name: "Ann"} } CONCEPT { {type: "Clerk", name: "Eva"} }
                   CONCEPT { {type: "Clerk", name: "Tom"} } })");
  const std::string knows =
      R"(UPSERT { CONCEPT { {type: "Clerk", name: "Eva"}
           SET PROPOSITIONS { ("knows", {type: "Clerk", name: "Tom"}) WITH METADATA {note: "old"} } } })";
  tell(knows);
  const store::Sequence stated = newest();
  merge();
  undo(stated);
  const auto note = now().find_string("note");
  ASSERT_TRUE(note);
  store::Pattern pattern;
  pattern.predicate = store::Predicate::metadata(*note);
  EXPECT_EQ(now().count(pattern), 0U);
}

// What was deleted with its thing comes back with no undo of an earlier deletion of a part.
TEST_F(MergeTrust, AnUndoBringsNothingBackOfWhatIsGone) {
  define();
  tell(R"(UPSERT { CONCEPT { {type: "Clerk", name: "Ann"} SET ATTRIBUTES {desk: 1} } })");
  tell(R"(DELETE ATTRIBUTES {"desk"} FROM ?c WHERE { ?c {type: "Clerk", name: "Ann"} })");
  const store::Sequence part = newest();
  tell(R"(DELETE CONCEPT ?c DETACH WHERE { ?c {type: "Clerk", name: "Ann"} })");
  const store::Sequence all = newest();
  undo(part);
  EXPECT_EQ(ann(), store::EntityId::kNone);
  undo(all);
  EXPECT_NE(ann(), store::EntityId::kNone);
  EXPECT_EQ(trust_of("desk"), kOwner);
}

}  // namespace
}  // namespace anima::kip::merge_trust_test
