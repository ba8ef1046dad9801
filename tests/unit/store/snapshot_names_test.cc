// Many concepts found by name at once, against finding them one by one.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/files/file.h"
#include "store/space.h"

namespace anima::store::snapshot_names_test {
namespace {

void expect_same(const Snapshot& snapshot, const std::vector<ConceptName>& names) {
  std::vector<EntityId> found(names.size());
  snapshot.find_concepts(names, found);
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto alone = snapshot.find_concept(names[i].type, names[i].name);
    EXPECT_EQ(found[i], alone.value_or(EntityId::kNone)) << names[i].name;
  }
}

TEST(SnapshotNames, ManyAtOnceAreFoundAsOneByOne) {
  const TemporaryDirectory folder;
  SpaceOptions options;
  options.create = true;
  const auto space = Space::open(folder.path(), options).value();
  EntityId city = EntityId::kNone, person = EntityId::kNone;
  std::vector<std::string> texts;
  for (int i = 0; i < 200; ++i) texts.push_back("name " + std::to_string(i));
  const auto write = [&](int from, int to) {
    ASSERT_TRUE(space->write({}, [&](Transaction& transaction) -> Status {
      ANIMA_ASSIGN(city, transaction.upsert_type("City"));
      ANIMA_ASSIGN(person, transaction.upsert_type("Person"));
      for (int i = from; i < to; ++i) {
        ANIMA_TRY(transaction.upsert_concept(city, texts[static_cast<std::size_t>(i)]));
        if (i % 3 == 0)
          ANIMA_TRY(transaction.upsert_concept(person, texts[static_cast<std::size_t>(i)]));
      }
      return {};
    }));
  };
  write(0, 60);
  ASSERT_TRUE(space->checkpoint());
  write(60, 150);
  ASSERT_TRUE(space->write({}, [&](Transaction& transaction) -> Status {
    for (const int i : {7, 9, 100}) {
      const auto gone = transaction.view().find_concept(city, texts[static_cast<std::size_t>(i)]);
      ANIMA_TRY(transaction.retract_concept(*gone, GraphId::kDefault, true));
    }
    return {};
  }));
  std::vector<ConceptName> names;
  for (const std::string& text : texts) {
    names.push_back({city, text});
    names.push_back({person, text});
    names.push_back({EntityId::kNone, text});
  }
  names.push_back({city, ""});
  expect_same(space->snapshot().value(), names);
  expect_same(space->snapshot().value(), {});
  const std::vector<GraphId> nowhere;
  expect_same(space->snapshot().value().in_graphs(nowhere), names);
  // In a transaction the names that it has just written are found, too.
  ASSERT_TRUE(space->write({}, [&](Transaction& transaction) -> Status {
    ANIMA_TRY(transaction.upsert_concept(person, texts[199]));
    expect_same(transaction.live(), names);
    EXPECT_TRUE(transaction.live().find_concept(person, texts[199]));
    return {};
  }));
}

TEST(SnapshotNames, FetchingAheadChangesNothing) {
  auto space = Space::in_memory().value();
  const Snapshot empty = space->snapshot().value();
  empty.prefetch_link({kConceptType, Predicate::link(kEntityType), Term::entity(kEntityType)});
  EXPECT_EQ(space->snapshot().value().sequence(), empty.sequence());
}

}  // namespace
}  // namespace anima::store::snapshot_names_test
