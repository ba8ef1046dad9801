// A base that somebody changed, its checksums recomputed: it may be left out or answer wrongly, but
// nothing that is read from it runs wild. And a base that was cut is left out.
//
// ANIMA_TEST_FULL=1: 1,000 bases; otherwise 60.
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "base/crypto.h"
#include "base/files/file.h"
#include "base/random.h"
#include "store/base/base.h"
#include "store/space.h"
#include "store/verify/verify_views.h"

namespace anima::store::tampered_base_test {
namespace {

const Origin kOrigin{"tester", "tampering", Trust::kStandard, Sequence::kNone};
constexpr std::size_t kFront = 96;
constexpr std::size_t kSections = static_cast<std::size_t>(detail::Section::kCount);

bool full_run() {
  const char* value = std::getenv("ANIMA_TEST_FULL");
  return value != nullptr && *value != '\0';
}

Status fill(Transaction& transaction, int round) {
  ANIMA_ASSIGN(const EntityId knows, transaction.upsert_predicate("knows"));
  const GraphId other = transaction.graph("urn:other");
  EntityId before = EntityId::kNone;
  for (int i = 0; i < 20; ++i) {
    const std::string name = "person " + std::to_string(round) + " " + std::to_string(i);
    ANIMA_ASSIGN(const EntityId person, transaction.upsert_concept(kEntityType, name));
    ANIMA_ASSIGN(const Term text, transaction.term(Value::string("the story of " + name).view()));
    ANIMA_TRY(transaction.set_attribute(person, "story", std::span(&text, 1)));
    if (before != EntityId::kNone) {
      const Triple link{before, Predicate::link(knows), Term::entity(person)};
      ANIMA_TRY(transaction.assert_link(link));
      AssertOptions elsewhere;
      elsewhere.graph = other;
      if (i % 3 == 0) ANIMA_TRY(transaction.assert_link(link, elsewhere));
    }
    before = person;
  }
  return {};
}

Status unlink(Transaction& transaction, const Snapshot& snapshot) {
  Pattern all;
  all.predicate_class = PredicateClass::kLink;
  Cursor cursor = snapshot.scan(all);
  Triple rows[64];
  const std::size_t count = cursor.next(rows);
  for (std::size_t i = 0; i < count; i += 7) {
    ANIMA_TRY(transaction.retract_link(rows[i], GraphId::kDefault));
  }
  return {};
}

// Everything that a program asks for; the answers do not matter.
void ask(Space& space) {
  const Snapshot now = space.snapshot().value();
  const auto past = now.as_of(Sequence{2});
  std::size_t seen = 0;
  for (const Snapshot& snapshot : std::vector<Snapshot>{now, past ? *past : now}) {
    for (const auto part : {PredicateClass::kLink, PredicateClass::kStructural,
                            PredicateClass::kAttribute, PredicateClass::kMetadata}) {
      Pattern all;
      all.predicate_class = part;
      for (const Order order :
           {Order::kAny, Order::kPredicateObjectSubject, Order::kObjectPredicateSubject}) {
        Cursor cursor = snapshot.scan(all, order);
        Triple rows[64];
        while (const std::size_t count = cursor.next(rows)) {
          for (std::size_t i = 0; i < count; ++i) {
            seen += snapshot.value(rows[i].object).text.size();
            seen += snapshot.name(rows[i].subject).size();
          }
          if ((seen += count) > 1'000'000) break;
        }
      }
    }
    for (std::uint32_t id = 1; id < snapshot.entity_bound(); ++id) {
      seen += snapshot.name(EntityId{id}).size() +
              static_cast<std::size_t>(snapshot.kind(EntityId{id}));
      if (id % 16 == 0) seen += snapshot.history(EntityId{id}).size();
    }
    TextQuery query;
    query.text = "story person";
    seen += snapshot.search(query).size();
    seen += snapshot.concepts_named("person 1 3").size() +
            snapshot.concepts_labelled("PERSON 1 3").size();
  }
  (void)space.write(kOrigin, [&](Transaction& transaction) { return unlink(transaction, now); });
  (void)space.write(kOrigin, [&](Transaction& transaction) { return fill(transaction, 1); });
  (void)space.checkpoint();
  EXPECT_GT(seen, 0u);
}

std::uint64_t number_at(const std::string& bytes, std::size_t at) {
  std::uint64_t value = 0;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}
void put_number(std::string& bytes, std::size_t at, std::uint64_t value) {
  std::memcpy(bytes.data() + at, &value, sizeof value);
}

class Tampered : public ::testing::Test {
 protected:
  void SetUp() override {
    SpaceOptions options;
    options.create = true;
    const auto space = Space::open(folder_, options);
    ASSERT_TRUE(space);
    for (int round = 0; round < 3; ++round) {
      ASSERT_TRUE((*space)->write(
          kOrigin, [&](Transaction& transaction) { return fill(transaction, round); }));
      ASSERT_TRUE((*space)->write(kOrigin, [&](Transaction& transaction) {
        return unlink(transaction, (*space)->snapshot().value());
      }));
    }
    ASSERT_TRUE((*space)->checkpoint());
    base_ = "base-" +
            std::to_string(static_cast<std::uint64_t>((*space)->snapshot().value().sequence())) +
            ".anima";
  }
  std::string fresh() {
    const std::string copy = temporary_.file("copy");
    EXPECT_TRUE(remove_tree(system_files(), copy));
    EXPECT_TRUE(system_files().make_directories(copy));
    for (const std::string& name : {std::string("log.db"), base_}) {
      EXPECT_TRUE(replace_file(system_files(), join_path(copy, name),
                               *read_file(system_files(), join_path(folder_, name))));
    }
    return copy;
  }

  TemporaryDirectory temporary_{"anima-tampered"};
  std::string folder_ = temporary_.file("space");
  std::string base_;
};
using TamperedBase = Tampered;

TEST_F(TamperedBase, AnUntouchedBaseIsUsed) {
  const auto space = Space::open(fresh(), {});
  ASSERT_TRUE(space);
  EXPECT_TRUE((*space)->notes().empty()) << (*space)->notes()[0];
  EXPECT_NE((*space)->stats().base_sequence, Sequence::kNone);
  ask(**space);
}

// Also one that was made out of another, by a process that began there.
TEST_F(TamperedBase, WhatWasMadeOfTheLogSaysWhatTheLogSays) {
  for (int round = 0; round < 12; ++round) {
    SCOPED_TRACE(round);
    {
      SpaceOptions options;
      options.checkpoint_after_rows = 0;
      const auto space = Space::open(folder_, options).value();
      ASSERT_TRUE(space->write(kOrigin, [&](Transaction& t) { return fill(t, round % 5); }));
      const Snapshot now = space->snapshot().value();
      // Not where the default graph has withdrawn one of them before.
      (void)space->write(kOrigin, [&](Transaction& t) { return unlink(t, now); });
      if (round % 3 == 1) {
        ASSERT_TRUE(space->write(
            kOrigin, [&](Transaction& t) -> Status { return t.drop_graph(t.graph("urn:other")); }));
      }
      if (round % 4 == 2) {
        ASSERT_TRUE(space->write_sealed(kOrigin, "key" + std::to_string(round),
                                        [&](Transaction& t) { return fill(t, 100 + round); }));
      }
      if (round == 7) {
        ASSERT_TRUE(space->erase("key2"));
      }
      if (round % 2 == 0) {
        ASSERT_TRUE(space->checkpoint());
      }
    }
    const auto views = verify_views(folder_, system_files());
    ASSERT_TRUE(views) << views.error().describe();
    ASSERT_EQ(views->bases.size(), 1u);
    EXPECT_EQ(views->bases[0].unused, "");
    EXPECT_GT(views->bases[0].statements, 100u);
  }
}

TEST_F(TamperedBase, ALostBaseIsNoDifference) {
  const std::string copy = fresh();
  ASSERT_TRUE(system_files().remove(join_path(copy, base_)));
  const auto views = verify_views(copy, system_files());
  ASSERT_TRUE(views) << views.error().describe();
  EXPECT_TRUE(views->bases.empty());
}

TEST_F(TamperedBase, NoTamperedBaseCrashes) {
  const std::string whole = read_file(system_files(), join_path(folder_, base_)).value();
  const std::size_t table = kFront + sizeof(detail::BaseMarks);
  const std::size_t checksum = table + kSections * 24;
  ASSERT_EQ(checksum64(std::string_view(whole).substr(0, checksum)), number_at(whole, checksum));
  const int bases = full_run() ? 1000 : 60;
  SeededRandom random(20);
  for (int i = 0; i < bases; ++i) {
    std::string bytes = whole;
    std::size_t section = 0;
    std::size_t size = 0;
    for (std::size_t at = static_cast<std::size_t>(i); size < 4; ++at) {
      section = at % kSections;
      size = number_at(bytes, table + section * 24 + 8);
    }
    SCOPED_TRACE("base " + std::to_string(i) + ", section " + std::to_string(section));
    const std::size_t start = number_at(bytes, table + section * 24);
    const std::size_t changes = 1 + random.below(3);
    for (std::size_t change = 0; change < changes; ++change) {
      const std::size_t at = start + random.below(size / 4) * 4;
      constexpr std::uint32_t kNumbers[] = {0,          1,          2,          77,
                                            0x00ffffff, 0x7fffffff, 0x80000000, 0xffffffff};
      std::uint32_t value = kNumbers[random.below(8)];
      if (i % 3 == 0) {
        std::memcpy(&value, bytes.data() + at, sizeof value);
        value += static_cast<std::uint32_t>(random.below(9)) - 4;
      }
      std::memcpy(bytes.data() + at, &value, sizeof value);
    }
    put_number(bytes, table + section * 24 + 16,
               checksum64(std::string_view(bytes).substr(start, size)));
    put_number(bytes, checksum, checksum64(std::string_view(bytes).substr(0, checksum)));
    const std::string copy = fresh();
    ASSERT_TRUE(replace_file(system_files(), join_path(copy, base_), bytes));
    const auto views = verify_views(copy, system_files());
    EXPECT_EQ(views.has_value(), bytes == whole);
    if (!views) {
      EXPECT_EQ(views.error().code, ErrorCode::kCorrupt) << views.error().describe();
      EXPECT_NE(views.error().where.find(base_), std::string::npos) << views.error().describe();
    }
    if (const auto space = Space::open(copy, {})) ask(**space);
  }
}

TEST_F(TamperedBase, ACutBaseIsLeftOut) {
  const std::string whole = read_file(system_files(), join_path(folder_, base_)).value();
  for (const std::size_t left : {std::size_t{0}, std::size_t{10}, std::size_t{96},
                                 std::size_t{1000}, whole.size() / 2, whole.size() - 1}) {
    SCOPED_TRACE(left);
    const std::string copy = fresh();
    ASSERT_TRUE(replace_file(system_files(), join_path(copy, base_), whole.substr(0, left)));
    const auto views = verify_views(copy, system_files());
    ASSERT_FALSE(views);
    EXPECT_EQ(views.error().code, ErrorCode::kCorrupt) << views.error().describe();
    const auto space = Space::open(copy, {});
    ASSERT_TRUE(space) << space.error().describe();
    EXPECT_FALSE((*space)->notes().empty());
    EXPECT_TRUE((*space)->snapshot().value().find_concept(kEntityType, "person 0 3"));
    ask(**space);
  }
}

}  // namespace
}  // namespace anima::store::tampered_base_test
