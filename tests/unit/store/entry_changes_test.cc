// What one entry of the log changed, and states by the number or the time of an entry.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "store/history.h"
#include "store/symbols.h"

namespace anima::store {
namespace {

using ::testing::UnorderedElementsAre;

class EntryChangesTest : public ::testing::Test {
 protected:
  Sequence write(const std::function<Status(Transaction&)>& change) {
    return space_->write({}, change).value().sequence;
  }
  Sequence link(const char* subject, const char* object, bool there) {
    return write([&](Transaction& transaction) -> Status {
      SymbolWriter symbols(transaction, {});
      ANIMA_ASSIGN(const Triple triple, symbols.link(subject, "near", object));
      if (there) return transaction.assert_link(triple).map([](EntityId) {});
      return transaction.retract_link(triple, GraphId::kDefault);
    });
  }
  std::vector<std::string> words(const std::vector<Triple>& triples) {
    const Snapshot now = space_->snapshot().value();
    std::vector<std::string> list;
    for (const Triple& triple : triples) {
      const StatementWords one = statement_words(now, triple);
      list.push_back(one.subject + "|" + one.predicate + "|" + one.object);
    }
    return list;
  }
  EntryChange changes(Sequence entry) {
    return entry_changes(*space_, space_->snapshot().value(), entry).value();
  }

  std::shared_ptr<Space> space_ = Space::in_memory().value();
};

TEST_F(EntryChangesTest, AreWhatTheStateBeforeLacksAndWhatThisOneLacks) {
  link("a", "b", true);
  const Sequence second = link("a", "c", true);
  const Sequence third = link("a", "b", false);
  link("a", "b", true);
  EXPECT_THAT(words(changes(second).added),
              UnorderedElementsAre("c|is named|\"c\"", "a|near|c", "c|is a|Entity"));
  EXPECT_TRUE(changes(second).removed.empty());
  EXPECT_TRUE(changes(third).added.empty());
  EXPECT_EQ(words(changes(third).removed), std::vector<std::string>{"a|near|b"});
  EXPECT_FALSE(entry_changes(*space_, space_->snapshot().value(), Sequence{90}));
}

TEST_F(EntryChangesTest, StatesAreFoundByNumberAndByTime) {
  const Sequence first = link("a", "b", true);
  link("a", "c", true);
  const Snapshot now = space_->snapshot().value();
  EXPECT_EQ(state_at(now, std::to_string(static_cast<std::uint64_t>(first)))->sequence(), first);
  EXPECT_EQ(state_at(now, "2999-01-01T00:00:00Z")->sequence(), now.sequence());
  EXPECT_FALSE(state_at(now, "soon"));
  EXPECT_EQ(state_at(now, "900").error().code, ErrorCode::kNotFound);
}

}  // namespace
}  // namespace anima::store
