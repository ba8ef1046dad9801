// Is a statement there? For subjects of every small number of links, where rows are compared four
// at a time, up to the end of the columns.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/files/file.h"
#include "store/space.h"

namespace anima::store::contains_test {
namespace {

TEST(Contains, SubjectsOfFewAndOfManyLinks) {
  constexpr std::size_t kThings = 24;  // thing i has i links
  const TemporaryDirectory folder;
  SpaceOptions options;
  options.create = true;
  const auto space = Space::open(folder.path(), options).value();
  std::vector<EntityId> things(kThings);
  std::vector<EntityId> relations(2);
  ASSERT_TRUE(space->write({}, [&](Transaction& transaction) -> Status {
    ANIMA_ASSIGN(relations[0], transaction.upsert_predicate("knows"));
    ANIMA_ASSIGN(relations[1], transaction.upsert_predicate("needs"));
    ANIMA_ASSIGN(const EntityId type, transaction.upsert_type("Thing"));
    for (std::size_t i = 0; i < kThings; ++i) {
      ANIMA_ASSIGN(things[i], transaction.upsert_concept(type, "thing " + std::to_string(i)));
    }
    for (std::size_t i = 0; i < kThings; ++i) {
      for (std::size_t k = 0; k < i; ++k) {
        ANIMA_TRY(transaction.assert_link(
            {things[i], Predicate::link(relations[k % 2]), Term::entity(things[k])}));
      }
    }
    return {};
  }));
  const auto expect_all = [&] {
    const Snapshot snapshot = space->snapshot().value();
    for (std::size_t i = 0; i < kThings; ++i) {
      for (std::size_t k = 0; k < kThings; ++k) {
        for (std::size_t relation = 0; relation < 2; ++relation) {
          const Triple triple{things[i], Predicate::link(relations[relation]),
                              Term::entity(things[k])};
          EXPECT_EQ(snapshot.contains(triple), k < i && k % 2 == relation) << i << " " << k;
        }
      }
    }
  };
  expect_all();
  ASSERT_TRUE(space->checkpoint());
  expect_all();
}

}  // namespace
}  // namespace anima::store::contains_test
