// Text search through a space: what a snapshot finds is what it holds, whatever was written since.
#include <gtest/gtest.h>

#include <array>
#include <map>
#include <set>

#include "base/files/file.h"
#include "base/random.h"
#include "base/text/text.h"
#include "store/rare_words.h"
#include "store/space.h"

namespace anima::store::text_snapshot_test {
namespace {

std::vector<std::string> found(const Snapshot& snapshot, const std::string& text,
                               std::optional<EntityId> type = {}) {
  TextQuery query;
  query.text = text;
  query.type = type;
  std::vector<std::string> names;
  for (const TextHit& hit : snapshot.search(query)) names.emplace_back(snapshot.name(hit.entity));
  return names;
}

using Names = std::vector<std::string>;

class TextSnapshot : public testing::Test {
 protected:
  Snapshot write(const std::function<Status(Transaction&)>& change) {
    const auto receipt = space_->write({}, change);
    EXPECT_TRUE(receipt.has_value()) << receipt.error().describe();
    return space_->snapshot().value();
  }
  static Status set(Transaction& transaction, EntityId entity, const char* key, const char* text,
                    GraphId graph = GraphId::kDefault) {
    ANIMA_ASSIGN(const Term term, transaction.term(Value::string(text).view()));
    AssertOptions options;
    options.graph = graph;
    return transaction.set_attribute(entity, key, std::span(&term, 1), options);
  }
  std::shared_ptr<Space> space_ = *Space::in_memory();
  EntityId thing_ = EntityId::kNone;
};

TEST_F(TextSnapshot, EachSnapshotFindsItsOwn) {
  const Snapshot first = write([&](Transaction& transaction) -> Status {
    ANIMA_ASSIGN(thing_, transaction.upsert_concept(kEntityType, "Ada"));
    return set(transaction, thing_, "note", "analytical engine");
  });
  const Snapshot second = write([&](Transaction& transaction) {
    return set(transaction, thing_, "note", "difference engine");
  });
  const Snapshot third = write([&](Transaction& transaction) {
    return transaction.retract_concept(thing_, GraphId::kDefault, true);
  });
  EXPECT_EQ(found(first, "analytical"), Names{"Ada"});
  EXPECT_EQ(found(first, "difference"), Names{});
  EXPECT_EQ(found(second, "analytical"), Names{});
  EXPECT_EQ(found(second, "difference engine"), Names{"Ada"});
  EXPECT_EQ(found(third, "ada"), Names{});
  EXPECT_EQ(found(third, "engine"), Names{});
  EXPECT_EQ(found(*third.as_of(first.sequence()), "analytical"), Names{"Ada"});
  EXPECT_EQ(found(*third.as_of(second.sequence()), "analytical"), Names{});
}

TEST_F(TextSnapshot, CommonWordsArePassedOver) {
  const Snapshot now = write([&](Transaction& transaction) -> Status {
    for (int i = 0; i < 30; ++i)
      ANIMA_TRY(transaction.upsert_concept(kEntityType, "dish " + std::to_string(2000 + i)));
    for (const char* name : {"Ada Lovelace", "Ada Lovelas", "dish", "fish 7"})
      ANIMA_TRY(transaction.upsert_concept(kEntityType, name));
    return {};
  });
  const auto rare = [&](const std::string& text, std::size_t most) {
    TextQuery query;
    query.text = text;
    query.prefix = false;
    query.limit = 100;
    std::set<std::string> names;
    for (const TextHit& hit : search_rare_words(now, query, most))
      names.emplace(now.name(hit.entity));
    return names;
  };
  using Set = std::set<std::string>;
  EXPECT_EQ(rare("dish 2003", 20), Set{"dish 2003"});  // no typo in a number
  EXPECT_EQ(rare("dish 2003", 100).size(), 31u + 1);   // with "fish 7"
  EXPECT_EQ(rare("Dish", 20), Set{"dish"});            // the whole name
  EXPECT_EQ(rare("ada lovelace", 20), (Set{"Ada Lovelace", "Ada Lovelas"}));
  EXPECT_EQ(rare("ada lovelace", 1), Set{"Ada Lovelace"});
  // A rare word that is close to a common one does not bring that in.
  EXPECT_EQ(rare("fish", 20), Set{"fish 7"});
}

TEST_F(TextSnapshot, ATransactionAndABranchFindTheirOwnWords) {
  const Snapshot before = write([&](Transaction& transaction) -> Status {
    ANIMA_ASSIGN(thing_, transaction.upsert_concept(kEntityType, "Ada"));
    EXPECT_EQ(found(transaction.view(), "ada"), Names{"Ada"});
    return {};
  });
  const auto branch = space_->what_if(before);
  ASSERT_TRUE(set(branch->transaction(), thing_, "note", "hypothetical").has_value());
  // The space moves on: its new words take the places that the branch's own words have.
  write([&](Transaction& transaction) { return set(transaction, thing_, "note", "established"); });
  EXPECT_EQ(found(space_->snapshot().value(), "established"), Names{"Ada"});
  EXPECT_EQ(found(branch->view(), "hypothetical"), Names{"Ada"});
  EXPECT_EQ(found(branch->view(), "established"), Names{});
  EXPECT_EQ(found(space_->snapshot().value(), "hypothetical"), Names{});
}

TEST_F(TextSnapshot, GraphsTypesAndLinks) {
  EntityId drug{};
  EntityId link{};
  EntityId predicate{};
  GraphId graph{};
  const Snapshot now = write([&](Transaction& transaction) -> Status {
    graph = transaction.graph("g");
    AssertOptions there;
    there.graph = graph;
    ANIMA_ASSIGN(drug, transaction.upsert_type("Drug"));
    ANIMA_ASSIGN(thing_, transaction.upsert_concept(drug, "Aspirin"));
    ANIMA_ASSIGN(const EntityId other, transaction.upsert_concept(kEntityType, "Aspirin rival"));
    ANIMA_TRY(transaction.upsert_concept(kEntityType, "Graph thing", there));
    ANIMA_TRY(set(transaction, thing_, "note", "scoped", graph));
    ANIMA_ASSIGN(predicate, transaction.upsert_predicate("competes_with"));
    ANIMA_ASSIGN(
        link, transaction.assert_link({thing_, Predicate::link(predicate), Term::entity(other)}));
    return set(transaction, link, "evidence", "market study");
  });
  EXPECT_EQ(found(now, "aspirin"), (Names{"Aspirin", "Aspirin rival"}));
  EXPECT_EQ(found(now, "aspirin", drug), Names{"Aspirin"});
  EXPECT_EQ(found(now, "scoped"), Names{"Aspirin"});
  const std::array<GraphId, 1> only_default{GraphId::kDefault};
  const std::array<GraphId, 1> only_graph{graph};
  EXPECT_EQ(found(now.in_graphs(only_default), "scoped"), Names{});
  EXPECT_EQ(found(now.in_graphs(only_default), "thing"), Names{});
  EXPECT_EQ(found(now.in_graphs(only_graph), "thing"), Names{"Graph thing"});
  EXPECT_EQ(found(now, "market"), Names{});
  TextQuery query;
  query.propositions = true;
  for (const char* text : {"market", "competes", "COMPETES_with", "studi"}) {
    query.text = text;
    const auto hits = now.search(query);
    ASSERT_EQ(hits.size(), 1u) << text;
    EXPECT_EQ(hits[0].entity, link);
  }
  query.type = drug;
  EXPECT_TRUE(now.search(query).empty());
}

// Random writes with checkpoints in between; after each, every word is looked up and compared with
// the attributes.
TEST(TextSnapshotModel, FindsWhatTheAttributesSay) {
  const TemporaryDirectory folder;
  SpaceOptions options;
  options.create = true;
  options.checkpoint_after_rows = 0;
  auto space = *Space::open(folder.file("space"), options);
  SeededRandom random(3);
  const auto word = [&] { return "word" + std::to_string(random.below(12)) + "x"; };
  std::map<std::string, std::string> notes;
  for (int round = 0; round < 120; ++round) {
    const std::string name = "thing" + std::to_string(random.below(15));
    const std::string note = word() + " " + word();
    const auto receipt = space->write({}, [&](Transaction& transaction) -> Status {
      ANIMA_ASSIGN(const EntityId entity, transaction.upsert_concept(kEntityType, name));
      ANIMA_ASSIGN(const Term term, transaction.term(Value::string(note).view()));
      return transaction.set_attribute(entity, "note", std::span(&term, 1));
    });
    ASSERT_TRUE(receipt.has_value());
    notes[name] = note;
    if (random.below(20) == 0) {
      ASSERT_TRUE(space->checkpoint().has_value());
    }
    if (random.below(40) == 0) {
      space.reset();
      space = *Space::open(folder.file("space"), options);
    }
    const Snapshot now = space->snapshot().value();
    TextQuery query;
    query.text = word();
    query.fuzzy = false;
    query.prefix = false;
    query.limit = 100;
    std::vector<std::string> want;
    for (const auto& [who, text] : notes) {
      for (const std::string_view part : split(text, ' ')) {
        if (part == query.text && (want.empty() || want.back() != who)) want.push_back(who);
      }
    }
    std::vector<std::string> got;
    for (const TextHit& hit : now.search(query)) got.emplace_back(now.name(hit.entity));
    std::sort(got.begin(), got.end());
    ASSERT_EQ(got, want) << "round " << round << " " << query.text;
  }
}

}  // namespace
}  // namespace anima::store::text_snapshot_test
