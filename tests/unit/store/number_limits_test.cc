// Numbers that are kept in 32 bits, or less: a space that is full says which limit it has reached,
// keeps what it holds, and cuts nothing.
#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <string>

#include "base/crypto.h"
#include "base/files/file.h"
#include "store/base/base.h"
#include "store/base/limits.h"
#include "store/bulk.h"
#include "store/space/views.h"

namespace anima::store::number_limits_test {
namespace {

using detail::NumberLimits;
using detail::Views;
using detail::ViewsOptions;

// Views whose limits are smaller, and a second one of the usual size that follows the same entries.
class NumberBounds : public testing::Test {
 protected:
  using Fill = std::function<Status(Transaction&, int)>;

  static std::unique_ptr<Views> make(const NumberLimits& limits) {
    ViewsOptions options;
    options.numbers = limits;
    options.big_bulk_rows = 8;
    return *Views::open(options);
  }
  // As the space writes; the entry's payload.
  static Result<LogEntry> write(Views& views, const std::function<Status(Transaction&)>& change,
                                Origin origin = {"ada", "test", Trust::kOperator, {}}) {
    EntryInfo info;
    info.sequence = Sequence{static_cast<std::uint64_t>(views.head().sequence) + 1};
    info.author = origin.author;
    info.source = origin.source;
    info.trust = origin.trust;
    ANIMA_TRY(views.check_entry(info, origin.cause));
    const detail::Mark mark = views.mark();
    Transaction transaction(views.begin(info, origin.cause));
    if (Status done = change(transaction); !done) {
      views.rollback(mark);
      return fail(std::move(done).error());
    }
    ANIMA_ASSIGN(detail::Finished finished, views.finish());
    views.publish();
    LogEntry entry;
    entry.sequence = info.sequence;
    entry.origin = origin;
    entry.payload = std::move(finished.payload);
    entry.format = 1;
    return entry;
  }
  // Until it is full: then the error names the limit, again and again, also in a replay; what was
  // there is read, also from a base.
  void fill_up(const NumberLimits& limits, const std::string& what, const Fill& fill) {
    const auto small = make(limits);
    const auto usual = make({});
    const auto replayed = make(limits);
    int rounds = 0;
    for (;; ++rounds) {
      ASSERT_LT(rounds, 200) << "no limit";
      const auto step = [&](Transaction& transaction) { return fill(transaction, rounds); };
      const Result<LogEntry> entry = write(*small, step);
      const Result<LogEntry> more = write(*usual, step);
      ASSERT_TRUE(more) << more.error().describe();
      const Status applied = replayed->apply(*more);
      replayed->publish();
      if (entry) {
        ASSERT_TRUE(applied) << applied.error().describe();
        continue;
      }
      expect_named(entry.error(), what);
      ASSERT_FALSE(applied);
      expect_named(applied.error(), what);
      const Result<LogEntry> again = write(*small, step);
      ASSERT_FALSE(again);
      expect_named(again.error(), what);
      break;
    }
    ASSERT_GT(rounds, 0);
    for (Views* views : {small.get(), replayed.get()}) {
      expect_filled(views->snapshot(), rounds);
      Head head;
      head.sequence = views->head().sequence;
      ASSERT_TRUE(views->write_base(views->snapshot(), head, {}));
      ASSERT_TRUE(*views->install_base([](auto, const auto&) { return true; }));
      expect_filled(views->snapshot(), rounds);
    }
  }
  static void expect_named(const Error& error, const std::string& what) {
    EXPECT_EQ(error.code, ErrorCode::kLimitExceeded) << error.describe();
    EXPECT_NE(error.message.find(what), std::string::npos) << error.describe();
  }
  static void expect_filled(const Snapshot& now, int rounds) {
    EXPECT_EQ(static_cast<int>(now.sequence()), rounds);
    for (int round = 0; round < rounds; ++round) {
      EXPECT_TRUE(now.find_concept(kEntityType, name_of(round))) << round;
    }
  }
  static std::string name_of(int round) { return "n" + std::to_string(round); }
  static Result<EntityId> named(Transaction& transaction, int round, AssertOptions options = {}) {
    return transaction.upsert_concept(kEntityType, name_of(round), options);
  }
};

TEST_F(NumberBounds, Entities) {
  fill_up({.entities = 12}, "12 concepts and propositions",
          [](Transaction& t, int round) -> Status {
            ANIMA_ASSIGN(const EntityId entity, named(t, round));
            ANIMA_ASSIGN(const EntityId knows, t.upsert_predicate("knows"));
            return t.quote_link({entity, Predicate::link(knows), Term::entity(entity)})
                .map([](EntityId) {});
          });
}

TEST_F(NumberBounds, EntitiesOfABulk) {
  fill_up({.entities = 60}, "60 concepts and propositions",
          [](Transaction& t, int round) -> Status {
            ANIMA_ASSIGN(const EntityId entity, named(t, round));
            ANIMA_ASSIGN(const EntityId knows, t.upsert_predicate("knows"));
            BulkWriter bulk(t, {});
            for (std::uint32_t i = 1; i <= 9; ++i) {
              const Term object = Term::integer(static_cast<std::int64_t>(i));
              bulk.add({entity, Predicate::link(knows), object});
            }
            return bulk.finish();
          });
}

TEST_F(NumberBounds, Values) {
  fill_up({.literals = 14}, "14 distinct values",
          [](Transaction& t, int round) -> Status { return named(t, round).map([](EntityId) {}); });
}

TEST_F(NumberBounds, Graphs) {
  fill_up({.graphs = 5}, "5 graphs", [](Transaction& t, int round) -> Status {
    ANIMA_TRY(named(t, round));
    AssertOptions options;
    options.graph = t.graph("urn:" + std::to_string(round));
    return named(t, round, options).map([](EntityId) {});
  });
}

TEST_F(NumberBounds, Statements) {
  fill_up({.rows = 40}, "40 statements", [](Transaction& t, int round) -> Status {
    ANIMA_ASSIGN(const EntityId entity, named(t, round));
    const Term value = Term::integer(round);
    return t.set_attribute(entity, "age", {&value, 1});
  });
}

// What is no more counts too: the one table is told from the other by a bit.
TEST_F(NumberBounds, StatementsThatAreNoMore) {
  fill_up({.rows = 60}, "60 statements", [](Transaction& t, int round) -> Status {
    ANIMA_ASSIGN(const EntityId entity, named(t, round));
    for (int i = 0; i < 5; ++i) {
      const Term value = Term::integer(100 * round + i);
      ANIMA_TRY(t.set_attribute(entity, "age", {&value, 1}));
    }
    return {};
  });
}

TEST_F(NumberBounds, WordsOfGraphs) {
  fill_up({.contexts = 9}, "9 distinct words",
          [](Transaction& t, int round) -> Status { return named(t, round).map([](EntityId) {}); });
}

TEST_F(NumberBounds, ListsOfGraphs) {
  fill_up({.lists = 64}, "64 places", [](Transaction& t, int round) -> Status {
    ANIMA_TRY(named(t, round));
    AssertOptions options;
    options.graph = t.graph("urn:other");
    return named(t, round, options).map([](EntityId) {});
  });
}

TEST_F(NumberBounds, DroppingAGraph) {
  const auto views = make({.rows = 30});
  const auto fill = [](Transaction& t) -> Status {
    AssertOptions options;
    options.graph = t.graph("urn:other");
    for (int i = 0; i < 8; ++i) {
      ANIMA_TRY(named(t, i));
      ANIMA_TRY(named(t, i, options));
    }
    return {};
  };
  ASSERT_TRUE(write(*views, fill));
  const auto dropped =
      write(*views, [](Transaction& t) { return t.drop_graph(t.graph("urn:other")); });
  ASSERT_FALSE(dropped);
  expect_named(dropped.error(), "30 statements");
  const Snapshot now = views->snapshot();
  EXPECT_EQ(now.graph_size(*now.find_graph("urn:other")), 16u);
}

TEST_F(NumberBounds, Entries) {
  fill_up({.entries = 4}, "4 log entries",
          [](Transaction& t, int round) { return named(t, round).map([](EntityId) {}); });
}

TEST_F(NumberBounds, AuthorsAndSources) {
  const auto views = make({.names = 20});
  const auto change = [](Transaction& t) { return named(t, 0).map([](EntityId) {}); };
  ASSERT_TRUE(write(*views, change, {"ada", "test", Trust::kOperator, {}}));
  const auto refused = write(*views, change, {"somebody", "from far away", Trust::kOperator, {}});
  ASSERT_FALSE(refused);
  expect_named(refused.error(), "20 bytes of authors");
  expect_filled(views->snapshot(), 1);
}

TEST_F(NumberBounds, ALongValue) {
  const auto views = make({.value = 100});
  ASSERT_TRUE(write(*views, [](Transaction& t) { return named(t, 0).map([](EntityId) {}); }));
  const std::string text(200, 'x');
  const auto refused = write(
      *views, [&](Transaction& t) { return t.term(Value::string(text).view()).map([](Term) {}); });
  ASSERT_FALSE(refused);
  expect_named(refused.error(), "100 bytes");
  expect_filled(views->snapshot(), 1);
}

// A base holds 32 bits of it, and one that is not before its effect is none.
TEST_F(NumberBounds, ACauseThatIsNoEarlierEntry) {
  const auto views = make({});
  const auto change = [](Transaction& t) { return named(t, 0).map([](EntityId) {}); };
  for (const std::uint64_t cause : {std::uint64_t{1}, std::uint64_t{0x100000001}}) {
    const auto refused = write(*views, change, {"ada", "test", Trust::kOperator, Sequence{cause}});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::kInvalidArgument);
  }
  auto entry = write(*views, change);
  ASSERT_TRUE(entry);
  entry->origin.cause = Sequence{0x100000001};  // an older program took it
  const auto other = make({});
  ASSERT_TRUE(other->apply(*entry));
  const Snapshot now = other->publish();
  expect_filled(now, 1);
  Head head;
  head.sequence = now.sequence();
  EXPECT_TRUE(other->write_base(now, head, {}));
}

TEST_F(NumberBounds, ABulkThatDoesNotFitInABaseStaysReadable) {
  const auto views = make({.rows = 60});
  const auto add = [](int count) {
    return [count](Transaction& t) -> Status {
      ANIMA_ASSIGN(const EntityId entity, named(t, 0));
      const Term key = *t.term(Value::string("age").view());
      BulkWriter bulk(t, {});
      for (int i = 0; i < count; ++i)
        bulk.add({entity, Predicate::attribute(key), Term::integer(i)});
      return bulk.finish();
    };
  };
  ASSERT_TRUE(write(*views, add(30)));
  const auto refused = write(*views, add(90));
  ASSERT_FALSE(refused);
  expect_named(refused.error(), "60 statements");
  expect_filled(views->snapshot(), 1);
  Pattern ages;
  ages.predicate_class = PredicateClass::kAttribute;
  EXPECT_EQ(views->snapshot().count(ages), 30u);
}

// --- a header that says more than 32 bits -------------------------------------------------------

constexpr std::size_t kFront = 96;
constexpr std::size_t kSequenceAt = 24;

class NumberBoundsHeader : public testing::Test {
 protected:
  void SetUp() override {
    SpaceOptions options;
    options.create = true;
    const auto space = Space::open(folder_, options);
    ASSERT_TRUE(space);
    ASSERT_TRUE((*space)->write({}, [](Transaction& t) {
      return t.upsert_concept(kEntityType, "Ada").map([](EntityId) {});
    }));
    ASSERT_TRUE((*space)->checkpoint());
    base_ = join_path(folder_, "base-2.anima");
    whole_ = read_file(system_files(), base_).value();
    ASSERT_EQ(number(whole_, kSequenceAt), 2u);
  }
  static std::uint64_t number(const std::string& bytes, std::size_t at) {
    std::uint64_t value = 0;
    std::memcpy(&value, bytes.data() + at, sizeof value);
    return value;
  }
  static std::size_t size_of(detail::Section section) {
    return kFront + sizeof(detail::BaseMarks) + static_cast<std::size_t>(section) * 24 + 8;
  }
  // The header with this number in it is refused by name, and the space is read from its log.
  void refuse(std::size_t at, std::uint64_t value, const std::string& what) {
    SCOPED_TRACE(what);
    std::string bytes = whole_;
    std::memcpy(bytes.data() + at, &value, sizeof value);
    const std::size_t end =
        kFront + sizeof(detail::BaseMarks) + static_cast<std::size_t>(detail::Section::kCount) * 24;
    const std::uint64_t checksum = checksum64(std::string_view(bytes).substr(0, end));
    std::memcpy(bytes.data() + end, &checksum, sizeof checksum);
    const auto base = detail::Base::from_bytes(bytes, nullptr);
    ASSERT_FALSE(base);
    EXPECT_EQ(base.error().code, ErrorCode::kLimitExceeded) << base.error().describe();
    EXPECT_NE(base.error().message.find(what), std::string::npos) << base.error().describe();
    ASSERT_TRUE(replace_file(system_files(), base_, bytes));
    SpaceOptions options;
    options.read_only = true;
    const auto space = Space::open(folder_, options);
    ASSERT_TRUE(space) << space.error().describe();
    EXPECT_TRUE((*space)->snapshot().value().find_concept(kEntityType, "Ada"));
    ASSERT_FALSE((*space)->notes().empty());
    EXPECT_NE((*space)->notes()[0].find(what), std::string::npos) << (*space)->notes()[0];
  }

  TemporaryDirectory temporary_;
  std::string folder_ = temporary_.file("space");
  std::string base_, whole_;
};

TEST_F(NumberBoundsHeader, IsRefusedByName) {
  using detail::Section;
  const std::uint64_t beyond = std::uint64_t{1} << 32;
  refuse(kSequenceAt, beyond, "4294967294 log entries");
  refuse(size_of(Section::kEntityA), 4 * beyond, "1073741823 concepts and propositions");
  refuse(size_of(Section::kTermOffsets), 8 * beyond, "1073741823 distinct values");
  refuse(size_of(Section::kGraphSizes), 8 * beyond, "1073741823 graphs");
  refuse(size_of(Section::kSpoS), 4 * (beyond / 2), "2147483647 statements");
  refuse(size_of(Section::kRetiredS), 4 * (beyond / 2), "2147483647 statements");
  refuse(size_of(Section::kContexts), 32 * (beyond / 2), "2147483647 distinct words");
  refuse(size_of(Section::kSets), 4 * (beyond / 2), "2147483647 places");
  refuse(size_of(Section::kEntryBytes), beyond, "4294967295 bytes of authors");
}

}  // namespace
}  // namespace anima::store::number_limits_test
