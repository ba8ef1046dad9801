// What the random model does not reach: branches and their conflicts, limits, damaged bases,
// hostile payloads, readers beside the writer.
#include "store/space/views.h"

#include <gtest/gtest.h>

#include <atomic>
#include <limits>
#include <optional>
#include <set>
#include <thread>

#include "base/files/file.h"
#include "base/random.h"
#include "store/base/bulk_rows.h"
#include "store/bulk.h"
#include "store/log/operations.h"
#include "store/space.h"

namespace anima::store::views_test {
namespace {

using detail::Views;
using detail::ViewsOptions;

std::shared_ptr<Space> memory_space(const SpaceOptions& options = {}) {
  auto space = Space::in_memory(options);
  EXPECT_TRUE(space);
  return *space;
}

class Branches : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(space->write({}, [&](Transaction& t) -> Status {
      ANIMA_ASSIGN(type, t.upsert_type("Person"));
      ANIMA_ASSIGN(knows, t.upsert_predicate("knows"));
      ANIMA_ASSIGN(ada, t.upsert_concept(type, "Ada"));
      ANIMA_ASSIGN(bob, t.upsert_concept(type, "Bob"));
      ANIMA_TRY(t.assert_link({ada, Predicate::link(knows), Term::entity(bob)}));
      const Term one = *t.term(Value::of(std::int64_t{1}).view());
      return t.set_attribute(ada, "age", {&one, 1});
    }));
  }
  std::optional<std::int64_t> age(const Snapshot& snapshot, EntityId id) {
    const auto term = snapshot.attribute(id, "age");
    if (!term) return std::nullopt;
    return snapshot.value(*term).integer;
  }
  Status set_age(Transaction& t, EntityId id, std::int64_t years) {
    const Term value = *t.term(Value::of(years).view());
    return t.set_attribute(id, "age", {&value, 1});
  }

  std::shared_ptr<Space> space = memory_space();
  EntityId type{}, knows{}, ada{}, bob{};
};

TEST_F(Branches, AreSeenByNobodyUntilCommitted) {
  auto branch = space->what_if(space->snapshot().value());
  Transaction& t = branch->transaction();
  const EntityId cid = *t.upsert_concept(type, "Cid");
  ASSERT_TRUE(t.assert_link({bob, Predicate::link(knows), Term::entity(cid)}));
  ASSERT_TRUE(set_age(t, cid, 7));
  ASSERT_TRUE(t.retract_link({ada, Predicate::link(knows), Term::entity(bob)}, GraphId::kDefault));
  const Snapshot inside = branch->view();
  EXPECT_TRUE(inside.exists(cid));
  EXPECT_FALSE(inside.contains({ada, Predicate::link(knows), Term::entity(bob)}));
  EXPECT_EQ(age(inside, cid), 7);
  Pattern pattern;
  pattern.predicate = Predicate::link(knows);
  EXPECT_EQ(inside.count(pattern), 1u);
  const Snapshot outside = space->snapshot().value();
  EXPECT_FALSE(outside.find_concept(type, "Cid"));
  EXPECT_TRUE(outside.contains({ada, Predicate::link(knows), Term::entity(bob)}));

  // The space moves on elsewhere and takes the branch's numbers; the commit finds its own.
  ASSERT_TRUE(space->write({}, [&](Transaction& other) -> Status {
    ANIMA_ASSIGN(const EntityId dot, other.upsert_concept(type, "Dot"));
    return set_age(other, dot, 99);
  }));
  const auto receipt = space->commit({}, *branch);
  ASSERT_TRUE(receipt) << receipt.error().describe();
  const Snapshot after = space->snapshot().value();
  const auto committed = after.find_concept(type, "Cid");
  ASSERT_TRUE(committed);
  EXPECT_EQ(age(after, *committed), 7);
  EXPECT_EQ(age(after, *after.find_concept(type, "Dot")), 99);
  EXPECT_TRUE(after.contains({bob, Predicate::link(knows), Term::entity(*committed)}));
  EXPECT_FALSE(after.contains({ada, Predicate::link(knows), Term::entity(bob)}));
}

TEST_F(Branches, ConflictOnWhatTheyWroteOnly) {
  auto branch = space->what_if(space->snapshot().value());
  ASSERT_TRUE(set_age(branch->transaction(), ada, 2));
  auto other = space->what_if(space->snapshot().value());
  ASSERT_TRUE(set_age(other->transaction(), bob, 3));
  ASSERT_TRUE(space->write({}, [&](Transaction& t) { return set_age(t, ada, 5); }));
  const auto lost = space->commit({}, *branch);
  ASSERT_FALSE(lost);
  EXPECT_EQ(lost.error().code, ErrorCode::kConflict);
  EXPECT_NE(lost.error().message.find("Ada"), std::string::npos);
  EXPECT_EQ(age(space->snapshot().value(), ada), 5);
  ASSERT_TRUE(space->commit({}, *other));
  EXPECT_EQ(age(space->snapshot().value(), bob), 3);
}

TEST_F(Branches, OnBranchesAndOnEarlierStates) {
  const Snapshot early = space->snapshot().value();
  ASSERT_TRUE(space->write({}, [&](Transaction& t) { return set_age(t, ada, 40); }));
  ASSERT_TRUE(space->checkpoint());
  const auto then = space->snapshot().value().as_of(early.sequence());
  ASSERT_TRUE(then);
  auto outer = space->what_if(*then);
  EXPECT_EQ(age(outer->view(), ada), 1);
  ASSERT_TRUE(set_age(outer->transaction(), ada, 10));
  auto inner = space->what_if(outer->view());
  ASSERT_TRUE(set_age(inner->transaction(), ada, 20));
  ASSERT_TRUE(inner->transaction().retract_link({ada, Predicate::link(knows), Term::entity(bob)},
                                                GraphId::kDefault));
  EXPECT_EQ(age(inner->view(), ada), 20);
  EXPECT_FALSE(inner->view().contains({ada, Predicate::link(knows), Term::entity(bob)}));
  EXPECT_EQ(age(outer->view(), ada), 10);
  EXPECT_TRUE(outer->view().contains({ada, Predicate::link(knows), Term::entity(bob)}));
  EXPECT_EQ(age(space->snapshot().value(), ada), 40);
  EXPECT_FALSE(space->commit({}, *inner));
}

TEST_F(Branches, SearchTheirOwnText) {
  auto branch = space->what_if(space->snapshot().value());
  ASSERT_TRUE(branch->transaction().upsert_concept(type, "Zebulon"));
  TextQuery query;
  query.text = "zebulon";
  EXPECT_EQ(branch->view().search(query).size(), 1u);
  EXPECT_TRUE(space->snapshot().value().search(query).empty());
}

TEST(Limits, AreNamed) {
  SpaceOptions options;
  options.max_value_bytes = 100;
  options.max_nesting = 3;
  const auto space = memory_space(options);
  const auto written = space->write({}, [&](Transaction& t) -> Status {
    const auto large = t.term(Value::string(std::string(101, 'x')).view());
    EXPECT_FALSE(large);
    EXPECT_EQ(large.error().code, ErrorCode::kLimitExceeded);
    EXPECT_NE(large.error().message.find("max_value_bytes"), std::string::npos);
    Value deep;
    deep.kind = ValueKind::kJson;
    deep.text = "[[[[1]]]]";
    const auto nested = t.term(deep.view());
    EXPECT_FALSE(nested);
    EXPECT_EQ(nested.error().code, ErrorCode::kLimitExceeded);
    EXPECT_NE(nested.error().message.find("max_nesting"), std::string::npos);
    deep.text = "[[[\"]]][[[[\"]]]";
    EXPECT_TRUE(t.term(deep.view()));
    AssertOptions sure;
    sure.confidence = 1.5;
    EXPECT_FALSE(t.upsert_concept(kEntityType, "a", sure));
    EXPECT_FALSE(t.upsert_concept(kPropositionType, "ok").value() == EntityId::kNone);
    EXPECT_FALSE(t.upsert_concept(static_cast<EntityId>(77), "no type"));
    EXPECT_FALSE(
        t.assert_link({kEntityType, Predicate::link(kEntityType), Term::entity(kEntityType)}));
    EXPECT_FALSE(t.assert_link(
        {static_cast<EntityId>(5000), Predicate::link(kEntityType), Term::integer(1)}));
    return {};
  });
  ASSERT_TRUE(written);
}

// --- values
// -------------------------------------------------------------------------------------------------------

TEST(Values, CompareByValueAndStayDistinct) {
  const auto space = memory_space();
  ASSERT_TRUE(space->write({}, [&](Transaction& t) -> Status {
    const auto term = [&](const Value& value) { return *t.term(value.view()); };
    const Term one = term(Value::of(std::int64_t{1}));
    const Term one_and_nothing = term(Value::of(1.0));
    const Term padded = term(Value::typed("01", "http://www.w3.org/2001/XMLSchema#integer"));
    const Term big = term(Value::of(std::int64_t{9007199254740993}));
    const Term near = term(Value::of(9007199254740992.0));
    const Term no = term(Value::boolean(false));
    const Term nothing = term(Value::null());
    const Term early = term(Value::date_time("2026-01-01T01:00:00+02:00"));
    const Term late = term(Value::date_time("2025-12-31T23:30:00Z"));
    const Term text = term(Value::string("a"));
    const Term german = term(Value::language_string("a", "de"));
    const Snapshot view = t.view();
    EXPECT_NE(one, one_and_nothing);
    EXPECT_NE(one, padded);
    EXPECT_EQ(view.compare(one, one_and_nothing), 0);
    EXPECT_EQ(view.compare(padded, one), 0);
    EXPECT_EQ(view.compare(big, near), 1);
    EXPECT_EQ(view.compare(nothing, no), -1);
    EXPECT_EQ(view.compare(no, one), -1);
    EXPECT_EQ(view.compare(one, early), -1);
    EXPECT_EQ(view.compare(early, late), -1);
    EXPECT_EQ(view.compare(late, text), -1);
    EXPECT_EQ(view.compare(text, german), std::nullopt);
    const Term nan = term(Value::of(std::numeric_limits<double>::quiet_NaN()));
    EXPECT_EQ(t.view().compare(nan, nan), std::nullopt);
    EXPECT_EQ(view.display(Term::entity(kEntityType)), "C:3");
    EXPECT_EQ(view.display(text), "\"a\"");
    EXPECT_EQ(term(Value::of(std::int64_t{-5})).as_integer(), -5);
    const Term least = term(Value::of(std::numeric_limits<std::int64_t>::min()));
    EXPECT_EQ(t.view().value(least).integer, std::numeric_limits<std::int64_t>::min());
    return {};
  }));
}

// --- damage
// -------------------------------------------------------------------------------------------------------

TEST(BaseFile, AnyFlippedBitIsNoticedAndTheLogTellsAll) {
  TemporaryDirectory folder;
  SpaceOptions options;
  options.create = true;
  EntityId thing{};
  {
    auto space = *Space::open(folder.path(), options);
    ASSERT_TRUE(space->write({}, [&](Transaction& t) -> Status {
      ANIMA_ASSIGN(thing, t.upsert_concept(kEntityType, "thing"));
      const Term value = *t.term(Value::string("what it is").view());
      return t.set_attribute(thing, "about", {&value, 1});
    }));
    ASSERT_TRUE(space->checkpoint());
  }
  std::string base;
  const auto listed = system_files().list(folder.path());
  ASSERT_TRUE(listed);
  for (const auto& entry : *listed) {
    if (entry.name.ends_with(".anima")) base = folder.file(entry.name);
  }
  ASSERT_FALSE(base.empty());
  const std::string good = *read_file(system_files(), base);
  SeededRandom random(3);
  for (int round = 0; round < 60; ++round) {
    std::string bad = good;
    if (round % 10 == 9) {
      bad.resize(random.below(bad.size()));
    } else {
      // Padding between sections is nobody's; headers and sections are.
      const std::size_t place = round < 20 ? random.below(900) : random.below(bad.size());
      bad[place] = static_cast<char>(bad[place] ^ (1 << random.below(8)));
    }
    ASSERT_TRUE(replace_file(system_files(), base, bad));
    ViewsOptions views_options;
    views_options.folder = folder.path();
    views_options.files = &system_files();
    const auto views = Views::open(views_options);
    ASSERT_TRUE(views);
    const bool noticed = !(*views)->notes().empty();
    EXPECT_EQ(noticed, (*views)->head().sequence == Sequence::kNone);
    auto space = Space::open(folder.path(), options);
    ASSERT_TRUE(space) << space.error().describe();
    const Snapshot now = (*space)->snapshot().value();
    EXPECT_EQ(now.find_concept(kEntityType, "thing"), thing);
    ASSERT_TRUE(now.attribute(thing, "about"));
    EXPECT_EQ(now.value(*now.attribute(thing, "about")).text, "what it is");
  }
}

// --- hostile payloads
// ---------------------------------------------------------------------------------------------

LogEntry entry_of(std::uint64_t sequence, std::string payload) {
  LogEntry entry;
  entry.sequence = static_cast<Sequence>(sequence);
  entry.time = {static_cast<std::int64_t>(sequence)};
  entry.payload = std::move(payload);
  return entry;
}

TEST(Payloads, DamagedOnesAreRefusedAndLeaveNoTrace) {
  auto views = *Views::open({});
  EntryInfo info;
  info.sequence = Sequence{1};
  Transaction t(views->begin(info));
  const EntityId type = *t.upsert_type("T");
  const EntityId p = *t.upsert_predicate("p");
  for (int i = 0; i < 20; ++i) {
    const EntityId a = *t.upsert_concept(type, "a" + std::to_string(i));
    const Term value = *t.term(Value::string("v" + std::to_string(i % 3)).view());
    ASSERT_TRUE(t.set_attribute(a, "k", {&value, 1}));
    ASSERT_TRUE(t.assert_link({a, Predicate::link(p), Term::entity(type)}));
    ASSERT_TRUE(t.quote_link({a, Predicate::link(p), Term::entity(a)}));
  }
  BulkWriter bulk(t, {});
  for (int i = 0; i < 50; ++i) {
    const EntityId a = *bulk.upsert_concept(type, "b" + std::to_string(i));
    bulk.add({a, Predicate::link(p), Term::entity(p)});
  }
  ASSERT_TRUE(bulk.finish());
  ASSERT_TRUE(t.graph("g") != GraphId::kDefault);
  ASSERT_TRUE(t.record(RecordKind::kEvent, "something"));
  const std::string good = views->finish()->payload;

  SeededRandom random(11);
  const int rounds = 4000;
  int refused = 0;
  auto target = *Views::open({});
  for (int round = 0; round < rounds; ++round) {
    std::string bad = good;
    for (std::uint64_t n = 1 + random.below(3); n-- > 0;) {
      switch (random.below(3)) {
        case 0:
          bad[random.below(bad.size())] = static_cast<char>(random.below(256));
          break;
        case 1:
          bad.erase(random.below(bad.size()), 1 + random.below(4));
          break;
        default:
          bad.insert(random.below(bad.size()), 1, static_cast<char>(random.below(256)));
      }
      if (bad.empty()) bad = good;
    }
    const auto mark = target->mark();
    const Status applied = target->apply(entry_of(1, bad));
    if (applied) {
      target->rollback(mark);
    } else {
      EXPECT_EQ(applied.error().code, ErrorCode::kCorrupt);
      ++refused;
    }
    ASSERT_EQ(target->head().sequence, Sequence::kNone);
  }
  EXPECT_GT(refused, rounds / 2);
  ASSERT_TRUE(target->apply(entry_of(1, good)));
  const Snapshot now = target->publish();
  EXPECT_EQ(now.find_concept(type, "a7"), views->publish().find_concept(type, "a7"));
  EXPECT_FALSE(target->apply(entry_of(3, "")));
  LogEntry newer = entry_of(2, "");
  newer.format = 99;
  EXPECT_EQ(target->apply(newer).error().code, ErrorCode::kVersionMismatch);
}

TEST(Payloads, RowsOfABulkReadBack) {
  SeededRandom random(5);
  for (int round = 0; round < 50; ++round) {
    std::vector<detail::BulkRow> rows;
    for (std::uint64_t n = random.below(300); n-- > 0;) {
      rows.push_back({SubjectCode{static_cast<std::uint32_t>(1 + random.below(40))},
                      PredicateCode{static_cast<std::uint32_t>(random.next())},
                      ObjectCode{static_cast<std::uint32_t>(random.next())}});
    }
    detail::sort_unique(rows);
    ASSERT_TRUE(std::is_sorted(rows.begin(), rows.end()));
    const auto again = detail::decode_rows(detail::encode_rows(rows));
    ASSERT_TRUE(again) << again.error().describe();
    EXPECT_EQ(*again, rows);
  }
}

TEST(Payloads, ErasedEntriesKeepTheirNumbers) {
  auto views = *Views::open({});
  EntryInfo info;
  info.sequence = Sequence{1};
  Transaction first(views->begin(info));
  const EntityId a = *first.upsert_concept(kEntityType, "a");
  const Predicate said = Predicate::link(*first.upsert_predicate("said"));
  const auto one = views->finish();
  info.sequence = Sequence{2};
  Transaction second(views->begin(info));
  const EntityId secret = *second.upsert_concept(kEntityType, "secret");
  const Term value = *second.term(Value::string("told to nobody").view());
  const EntityId quoted = *second.quote_link({a, said, Term::entity(a)});
  ASSERT_TRUE(second.set_attribute(secret, "is", {&value, 1}));
  const auto two = views->finish();
  info.sequence = Sequence{3};
  Transaction third(views->begin(info));
  const EntityId b = *third.upsert_concept(kEntityType, "b");
  ASSERT_TRUE(third.set_attribute(a, "mentions", {&value, 1}));
  AssertOptions elsewhere;
  elsewhere.graph = third.graph("elsewhere");
  ASSERT_TRUE(third.upsert_concept(kEntityType, "secret", elsewhere));
  ASSERT_EQ(third.assert_link({a, said, Term::entity(a)}), quoted);
  const auto three = views->finish();

  auto copy = *Views::open({});
  ASSERT_TRUE(copy->apply(entry_of(1, one->payload)));
  ASSERT_TRUE(copy->apply_erased(entry_of(2, "sealed"), two->bounds));
  const Status applied = copy->apply(entry_of(3, three->payload));
  ASSERT_TRUE(applied) << applied.error().describe();
  const Snapshot now = copy->publish();
  EXPECT_EQ(now.find_concept(kEntityType, "b"), b);
  EXPECT_EQ(now.kind(secret), EntityKind::kNone);
  EXPECT_FALSE(now.find_string("told to nobody"));
  ASSERT_TRUE(now.attribute(a, "mentions"));
  EXPECT_EQ(now.value(*now.attribute(a, "mentions")).kind, ValueKind::kNull);
  Head head;
  head.sequence = now.sequence();
  ASSERT_TRUE(copy->write_base(now, head, {}));
  ASSERT_TRUE(copy->install_base([](auto, const auto&) { return true; }));
  EXPECT_EQ(copy->snapshot().find_concept(kEntityType, "b"), b);
  EXPECT_EQ(copy->snapshot().kind(secret), EntityKind::kNone);
  EXPECT_EQ(copy->snapshot().find_proposition({a, said, Term::entity(a)}), quoted);
  EXPECT_EQ(copy->snapshot().triple_of(quoted), (Triple{a, said, Term::entity(a)}));
}

// --- threads
// ------------------------------------------------------------------------------------------------------

// Every entry keeps n statements of one predicate whose objects sum to a number that an attribute
// tells: a reader that sees half an entry, or one too early, finds a difference.
TEST(Threads, ReadersSeeWholeEntriesBesideWriterAndCheckpoints) {
  TemporaryDirectory folder;
  SpaceOptions options;
  options.create = true;
  options.checkpoint_after_rows = 40;
  auto space = *Space::open(folder.path(), options);
  EntityId p{}, hub{};
  ASSERT_TRUE(space->write({}, [&](Transaction& t) -> Status {
    ANIMA_ASSIGN(p, t.upsert_predicate("p"));
    ANIMA_ASSIGN(hub, t.upsert_concept(kEntityType, "hub"));
    const Term zero = Term::integer(0);
    return t.set_attribute(hub, "sum", {&zero, 1});
  }));
  std::atomic<bool> stop{false};
  std::atomic<int> reads{0};
  const auto check = [&](const Snapshot& snapshot) {
    Scratch scratch;
    std::int64_t sum = 0;
    for (const std::uint32_t o : snapshot.objects(hub, Predicate::link(p), scratch))
      sum += Term{o}.as_integer();
    const auto told = snapshot.attribute(hub, "sum");
    ASSERT_TRUE(told);
    ASSERT_EQ(told->as_integer(), sum);
    Pattern pattern;
    pattern.subject = hub;
    pattern.predicate = Predicate::link(p);
    std::int64_t scanned = 0;
    Cursor cursor = snapshot.scan(pattern, Order::kSubjectPredicateObject);
    std::uint64_t rows = 0;
    Triple row[8];
    for (std::size_t got = cursor.next(row); got > 0; got = cursor.next(row)) {
      for (std::size_t i = 0; i < got; ++i) scanned += row[i].object.as_integer();
      rows += got;
    }
    ASSERT_EQ(scanned, sum);
    ASSERT_EQ(snapshot.count(pattern), rows);
  };
  std::vector<std::thread> readers;
  for (int i = 0; i < 2; ++i) {
    readers.emplace_back([&] {
      std::vector<Snapshot> pinned;
      while (!stop) {
        const Snapshot now = space->snapshot().value();
        check(now);
        if (reads.fetch_add(1) % 50 == 0) pinned.push_back(now);
        if (testing::Test::HasFatalFailure()) return;
        if (const auto then = now.as_of(
                static_cast<Sequence>(static_cast<std::uint64_t>(now.sequence()) / 2 + 2)))
          check(*then);
      }
      for (const Snapshot& snapshot : pinned) check(snapshot);
    });
  }
  std::int64_t sum = 0;
  std::set<std::int64_t> there;
  SeededRandom random(17);
  for (int i = 0; i < 300; ++i) {
    const auto wrote = space->write({}, [&](Transaction& t) -> Status {
      std::int64_t next = sum;
      auto after = there;
      for (int k = 0; k < 3; ++k) {
        const auto n = static_cast<std::int64_t>(random.below(200));
        const Triple link{hub, Predicate::link(p), Term::integer(n)};
        if (after.contains(n)) {
          ANIMA_TRY(t.retract_link(link, GraphId::kDefault));
          after.erase(n);
          next -= n;
        } else {
          ANIMA_TRY(t.assert_link(link));
          after.insert(n);
          next += n;
        }
      }
      const Term told = Term::integer(next);
      ANIMA_TRY(t.set_attribute(hub, "sum", {&told, 1}));
      if (i % 7 == 6) return fail(ErrorCode::kCancelled, "thought better of it");
      sum = next;
      there = after;
      return {};
    });
    EXPECT_EQ(wrote.has_value(), i % 7 != 6);
  }
  stop = true;
  for (std::thread& reader : readers) reader.join();
  check(space->snapshot().value());
  EXPECT_GT(reads.load(), 10);
}

}  // namespace
}  // namespace anima::store::views_test
