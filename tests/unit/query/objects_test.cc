// Values::objects against the store's own answers, from the store and from arrays.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "query/executor.h"
#include "store/space.h"

namespace anima::query {
namespace {

using store::EntityId;
using store::Predicate;
using store::Term;

class Objects : public testing::Test {
 protected:
  void SetUp() override {
    space_ = store::Space::in_memory().value();
    ASSERT_TRUE(space_->write({}, [&](store::Transaction& transaction) -> Status {
      for (int i = 0; i < 600; ++i) {
        ANIMA_ASSIGN(const EntityId entity,
                     transaction.upsert_concept(store::kEntityType, "e" + std::to_string(i)));
        entities_.push_back(static_cast<std::uint32_t>(entity));
        for (int k = 0; k < i % 3; ++k)
          ANIMA_TRY(transaction.add_attribute(entity, "size", Term::integer(i * 10 + k)));
      }
      return {};
    }));
  }
  // Subjects in runs, with unbound cells and a number among them.
  std::vector<std::uint32_t> subjects() const {
    std::vector<std::uint32_t> list;
    for (const std::uint32_t entity : entities_) list.insert(list.end(), entity % 4, entity);
    list.push_back(0);
    list.push_back(Term::integer(5).code);
    return list;
  }
  void expect_right(Values& values) {
    const store::Snapshot& snapshot = values.snapshot();
    const Predicate size = Predicate::attribute(*snapshot.find_string("size"));
    const std::vector<std::uint32_t> list = subjects();
    std::vector<std::uint32_t> out(list.size(), 7);
    values.objects(size, {list.data(), false}, list.size(), out.data());
    store::Scratch scratch;
    for (std::size_t i = 0; i < list.size(); ++i) {
      const Term subject{list[i]};
      std::uint32_t right = 0;
      if (subject.code != 0 && subject.is_entity()) {
        const auto objects = snapshot.objects(subject.as_entity(), size, scratch);
        right = objects.empty() ? 0 : objects.size() == 1 ? objects[0] : Values::kSeveral;
      }
      EXPECT_EQ(out[i], right) << i;
    }
  }
  std::shared_ptr<store::Space> space_;
  std::vector<std::uint32_t> entities_;
};

TEST_F(Objects, ReadFromTheStore) {
  Values values(space_->snapshot().value());
  expect_right(values);
}

TEST_F(Objects, ReadFromArraysOnceTheyWereAskedForOften) {
  Statistics statistics;
  for (int round = 0; round < 4; ++round) {
    Values values(space_->snapshot().value());
    values.read_from(statistics.shelves());
    expect_right(values);
  }
  // Another state of the space is another answer.
  ASSERT_TRUE(space_->write({}, [&](store::Transaction& transaction) -> Status {
    const Term now = Term::integer(1);
    for (const std::uint32_t entity : entities_)
      ANIMA_TRY(transaction.set_attribute(EntityId{entity}, "size", std::span(&now, 1)));
    return {};
  }));
  for (int round = 0; round < 4; ++round) {
    Values values(space_->snapshot().value());
    values.read_from(statistics.shelves());
    expect_right(values);
  }
}

}  // namespace
}  // namespace anima::query
