// A word that Anima reads its own books by, where somebody forgets it as a value: it stays in the
// books, and goes elsewhere.
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "memory/forgetting.h"
#include "memory/memory_manager.h"
#include "store/forget.h"

namespace anima::memory::words_of_books_test {
namespace {

using store::EntityId;

const store::Origin kOwner{"tester", "test", store::Trust::kOperator, store::Sequence::kNone};

EntityId desk(store::Space& space, const std::string& note) {
  EntityId made = EntityId::kNone;
  EXPECT_TRUE(space.write(kOwner, [&](store::Transaction& transaction) -> Status {
    ANIMA_ASSIGN(const EntityId type, transaction.upsert_type("Desk"));
    ANIMA_ASSIGN(made, transaction.upsert_concept(type, "desk"));
    ANIMA_ASSIGN(const store::Term text, transaction.term(store::Value::string(note).view()));
    return transaction.set_attribute(made, "kind", std::span(&text, 1));
  }));
  return made;
}

std::size_t uses_in_books(store::Space& space, const std::string& key, const std::string& value) {
  const store::Snapshot books = space.snapshot()->with_books();
  const auto name = books.find_string(key), word = books.find_string(value);
  store::Scratch scratch;
  return name && word ? books.subjects(store::Predicate::attribute(*name), *word, scratch).size()
                      : 0;
}

TEST(WordsOfBooks, StayThereAndGoElsewhere) {
  const std::shared_ptr<store::Space> space = store::Space::in_memory().value();
  ManualClock clock{Timestamp{1'767'225'600'000'000}};
  SeededRandom random{9};
  bus::EventBus events;
  govern::Guardian guardian{govern::PatternSet::shipped().value()};
  govern::Ledger ledger{*space, clock, random};
  MemoryManager manager{*space, ledger, guardian, events, clock, random};
  ASSERT_TRUE(manager.store({.content = "the boiler code is 7781",
                             .created_by = "operator",
                             .source = "terminal",
                             .trust = govern::Trust::kOperator}));
  const std::pair<const char*, const char*> words[] = {{"created_by", "operator"},
                                                       {"source", "terminal"}};
  for (const auto& [key, word] : words) {
    const std::size_t before = uses_in_books(*space, key, word);
    ASSERT_GE(before, 1u) << key;
    ForgetRequest request;
    request.things = {word};
    const auto alone = plan_forgetting(*space, request);
    ASSERT_FALSE(alone) << word;
    EXPECT_EQ(alone.error().code, ErrorCode::kDenied);
    const EntityId other = desk(*space, word);
    const auto plan = plan_forgetting(*space, request);
    ASSERT_TRUE(plan) << plan.error().describe();
    ASSERT_TRUE(store::forget(*space, kOwner, plan->what, Timestamp{}, false));
    EXPECT_FALSE(space->snapshot()->attribute(other, "kind")) << word;
    EXPECT_EQ(uses_in_books(*space, key, word), before) << word;
    EXPECT_EQ(manager.list("operator")->size(), 1u);
  }
}

}  // namespace
}  // namespace anima::memory::words_of_books_test
