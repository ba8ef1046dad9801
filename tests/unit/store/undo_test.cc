// Undo and history: what was undone has no say, and both read no more than what they concern.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "base/crypto.h"
#include "base/files/file.h"
#include "store/history.h"
#include "store/log/entry_codec.h"
#include "store/space.h"
#include "support/allocations.h"
#include "support/small_space.h"

namespace anima::store::undo_test {
namespace {

using test::open_space;

using detail::to_number;

const Origin kAda{"ada", "test", Trust::kStandard, Sequence::kNone};

Sequence write(Space& space, const Change& change, Sequence cause = Sequence::kNone) {
  Origin origin = kAda;
  origin.cause = cause;
  const auto receipt = space.write(origin, change);
  EXPECT_TRUE(receipt) << receipt.error().describe();
  return receipt ? receipt->sequence : Sequence::kNone;
}

Status add(Transaction& transaction, std::string_view name) {
  return transaction.upsert_concept(kEntityType, name).map([](EntityId) {});
}

Status set(Transaction& transaction, std::string_view name, std::string_view key,
           std::string_view value) {
  const auto entity = transaction.view().find_concept(kEntityType, name);
  if (!entity) return fail(ErrorCode::kNotFound, "no such concept");
  ANIMA_ASSIGN(const Term term, transaction.term(Value::string(value).view()));
  return transaction.set_attribute(*entity, key, std::span(&term, 1));
}

Result<Triple> link(Transaction& transaction, std::string_view from, std::string_view to) {
  ANIMA_ASSIGN(const EntityId knows, transaction.upsert_predicate("knows"));
  ANIMA_ASSIGN(const EntityId a, transaction.upsert_concept(kEntityType, from));
  ANIMA_ASSIGN(const EntityId b, transaction.upsert_concept(kEntityType, to));
  const Triple triple{a, Predicate::link(knows), Term::entity(b)};
  ANIMA_TRY(transaction.assert_link(triple));
  return triple;
}

std::string attribute(const Snapshot& snapshot, std::string_view name, std::string_view key) {
  const auto entity = snapshot.find_concept(kEntityType, name);
  if (!entity) return "(no entity)";
  const auto term = snapshot.attribute(*entity, key);
  return term ? std::string(snapshot.value(*term).text) : "(none)";
}

Status undo(Space& space, Sequence first, Sequence last, bool cascade = false) {
  return space.undo(kAda, first, last, cascade, false).map([](const UndoReport&) {});
}
Status undo(Space& space, Sequence one) { return undo(space, one, one); }

ErrorCode code_of(const Status& status) {
  return status ? ErrorCode::kInternal : status.error().code;
}

TEST(UndoneEntries, WhatIsUndoneIsNoDependent) {
  const TemporaryDirectory folder;
  const auto space = open_space(folder.path());
  const Sequence made = write(*space, [](Transaction& t) { return add(t, "Ada"); });
  const Sequence used = write(*space, [](Transaction& t) { return set(t, "Ada", "job", "poet"); });
  const Sequence caused = write(
      *space, [](Transaction& t) { return add(t, "concluded"); }, made);
  EXPECT_EQ(code_of(undo(*space, made)), ErrorCode::kConflict);
  ASSERT_TRUE(undo(*space, used));
  EXPECT_EQ(code_of(undo(*space, made)), ErrorCode::kConflict) << "what it caused is still there";
  ASSERT_TRUE(space->checkpoint());  // the marks of causes and undos are in the base too
  ASSERT_TRUE(undo(*space, caused));
  ASSERT_TRUE(undo(*space, made));
  EXPECT_EQ(attribute(space->snapshot().value(), "Ada", "job"), "(no entity)");
}

TEST(UndoneEntries, TheUndoOfAnUndoneEntryCounts) {
  const auto space = *Space::in_memory();
  const Sequence made = write(*space, [](Transaction& t) { return add(t, "Ada"); });
  const Sequence used = write(*space, [](Transaction& t) { return set(t, "Ada", "job", "poet"); });
  ASSERT_TRUE(undo(*space, used));
  const Sequence took_back = space->snapshot().value().sequence();
  ASSERT_TRUE(undo(*space, took_back));
  EXPECT_EQ(attribute(space->snapshot().value(), "Ada", "job"), "poet");
  const Status refused = undo(*space, made);
  ASSERT_EQ(code_of(refused), ErrorCode::kConflict) << "it has a say again";
  EXPECT_NE(refused.error().message.find(": " + std::to_string(to_number(used))), std::string::npos)
      << "the writer is named, not who put it back: " << refused.error().message;
  EXPECT_EQ(code_of(undo(*space, used, took_back)), ErrorCode::kInternal) << "it can go again";
}

TEST(UndoneEntries, AnUndoneEntryIsNotUndoneTwice) {
  const auto space = *Space::in_memory();
  write(*space, [](Transaction& t) { return add(t, "Ada"); });
  write(*space, [](Transaction& t) { return set(t, "Ada", "city", "London"); });
  const Sequence paris =
      write(*space, [](Transaction& t) { return set(t, "Ada", "city", "Paris"); });
  ASSERT_TRUE(undo(*space, paris));
  EXPECT_EQ(code_of(undo(*space, paris)), ErrorCode::kNotFound);
  EXPECT_EQ(attribute(space->snapshot().value(), "Ada", "city"), "London");
}

// A statement that a third entry had made stands in the way again when the undo put it back.
TEST(UndoneEntries, WhatAnUndoPutBackIsWhoeversItWas) {
  const auto space = *Space::in_memory();
  const Sequence made = write(*space, [](Transaction& t) { return add(t, "Ada"); });
  Triple knows;
  const Sequence linked = write(*space, [&](Transaction& t) -> Status {
    ANIMA_ASSIGN(knows, link(t, "Charles", "Ada"));
    return {};
  });
  const Sequence gone =
      write(*space, [&](Transaction& t) { return t.retract_link(knows, GraphId::kDefault); });
  ASSERT_TRUE(undo(*space, gone));
  const auto cascade = space->undo(kAda, made, made, true, true);
  ASSERT_TRUE(cascade) << cascade.error().describe();
  EXPECT_EQ(cascade->entries, (std::vector<Sequence>{made, linked}));
}

// --- history and undo, by what they concern ------------------------------------------------------

using Statements = std::set<Triple>;

Statements about(const Snapshot& snapshot, EntityId entity) {
  Statements found;
  const auto take = [&](const Pattern& pattern) {
    Cursor cursor = snapshot.scan(pattern);
    for (Triple row; cursor.next({&row, 1}) != 0;) found.insert(row);
  };
  for (const auto kind : {PredicateClass::kStructural, PredicateClass::kLink,
                          PredicateClass::kAttribute, PredicateClass::kMetadata}) {
    Pattern pattern;
    pattern.subject = entity;
    pattern.predicate_class = kind;
    take(pattern);
  }
  Pattern incoming;
  incoming.object = Term::entity(entity);
  take(incoming);
  return found;
}

Statements everything(const Snapshot& snapshot) {
  Statements found;
  for (std::uint32_t id = 1; id < snapshot.entity_bound(); ++id) {
    found.merge(about(snapshot, EntityId{id}));
  }
  return found;
}

// A write of one of the kinds, among eight entities and two graphs.
Status random_change(Transaction& t, std::mt19937& random) {
  const auto name = [&] { return "E" + std::to_string(random() % 8); };
  AssertOptions options;
  options.graph = random() % 3 == 0 ? t.graph("other") : GraphId::kDefault;
  options.confidence = random() % 2 == 0 ? 1.0 : 0.5;
  ANIMA_ASSIGN(const EntityId knows, t.upsert_predicate("knows"));
  ANIMA_ASSIGN(const EntityId a, t.upsert_concept(kEntityType, name(), options));
  ANIMA_ASSIGN(const EntityId b, t.upsert_concept(kEntityType, name(), options));
  const Triple triple{a, Predicate::link(knows), Term::entity(b)};
  switch (random() % 6) {
    case 0: {
      const std::array<Term, 2> values{Term::integer(random() % 4), Term::integer(random() % 4)};
      return t.set_attribute(a, "n", std::span(values).first(random() % 3), options);
    }
    case 1:
      return t.retract_concept(a, options.graph, true);
    case 2:
      return t.drop_graph(t.graph("other"));
    case 3: {
      ANIMA_ASSIGN(const EntityId quoted, t.quote_link(triple));
      return t.assert_link({b, Predicate::link(knows), Term::entity(quoted)}, options)
          .map([](EntityId) {});
    }
    default:
      return t.assert_link(triple, options).map([](EntityId) {});
  }
}

class History : public testing::TestWithParam<unsigned> {};

TEST_P(History, HistoryIsWhatThePastStatesSay) {
  const TemporaryDirectory folder;
  const auto space = open_space(folder.path());
  std::mt19937 random(GetParam());
  for (int i = 0; i < 60; ++i) {
    ASSERT_TRUE(space->write(kAda, [&](Transaction& t) { return random_change(t, random); }));
    if (i == 25 || i == 40) {
      ASSERT_TRUE(space->checkpoint());
    }
  }
  const Snapshot newest = space->snapshot().value();
  for (const std::uint64_t at :
       {to_number(newest.sequence()), std::uint64_t{35}, std::uint64_t{12}}) {
    const Snapshot now = newest.as_of(Sequence{at}).value();
    for (std::uint32_t id = 1; id < now.entity_bound(); ++id) {
      const EntityId entity{id};
      const auto changes = entity_changes(now, entity, 1000);
      ASSERT_EQ(changes.size(), now.history(entity).size());
      for (const EntityChange& change : changes) {
        const Statements after = about(now.as_of(change.sequence).value(), entity);
        const Statements before =
            about(now.as_of(Sequence{to_number(change.sequence) - 1}).value(), entity);
        Statements added, removed;
        std::set_difference(after.begin(), after.end(), before.begin(), before.end(),
                            std::inserter(added, added.end()));
        std::set_difference(before.begin(), before.end(), after.begin(), after.end(),
                            std::inserter(removed, removed.end()));
        ASSERT_EQ(Statements(change.added.begin(), change.added.end()), added)
            << "entity " << id << " at " << to_number(change.sequence) << " seen from " << at;
        ASSERT_EQ(Statements(change.removed.begin(), change.removed.end()), removed)
            << "entity " << id << " at " << to_number(change.sequence) << " seen from " << at;
      }
    }
  }
}

TEST_P(History, UndoingTheRestBringsThePastBack) {
  const TemporaryDirectory folder;
  const auto space = open_space(folder.path());
  std::mt19937 random(GetParam());
  for (int i = 0; i < 40; ++i) {
    ASSERT_TRUE(space->write(kAda, [&](Transaction& t) { return random_change(t, random); }));
    if (i == 20) {
      ASSERT_TRUE(space->checkpoint());
    }
  }
  for (int round = 0; round < 6; ++round) {
    const Snapshot now = space->snapshot().value();
    const Sequence first{2 + random() % (to_number(now.sequence()) - 1)};
    const Status done = undo(*space, first, now.sequence());
    if (!done && done.error().code == ErrorCode::kNotFound) continue;  // nothing to put back
    ASSERT_TRUE(done) << done.error().describe();
    EXPECT_EQ(everything(space->snapshot().value()),
              everything(now.as_of(Sequence{to_number(first) - 1}).value()))
        << "from " << to_number(first);
    if (round == 2) {
      ASSERT_TRUE(space->checkpoint());
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, History,
                         testing::Range(1u, std::getenv("ANIMA_TEST_FULL") != nullptr ? 41u : 5u));

// A space with one entity that changed three times, and so much around it before and after.
struct Crowd {
  explicit Crowd(int size) : space(open_space(folder.path())) {
    crowd(size);
    write(*space, [](Transaction& t) { return add(t, "Ada"); });
    write(*space, [](Transaction& t) { return set(t, "Ada", "city", "London"); });
    moved = write(*space, [](Transaction& t) { return set(t, "Ada", "city", "Paris"); });
    crowd(size);
    EXPECT_TRUE(space->checkpoint());
    crowd(size / 10);
  }
  void crowd(int size) {
    for (int done = 0; done < size;) {
      write(*space, [&](Transaction& t) -> Status {
        for (int i = 0; i < 50; ++i) ANIMA_TRY(add(t, "E" + std::to_string(++made)));
        return {};
      });
      done += 50;
    }
  }

  const TemporaryDirectory folder;
  const std::shared_ptr<Space> space;
  int made = 0;
  Sequence moved = Sequence::kNone;
};

TEST(HistoryWork, HistoryAndUndoCostWhatTheyConcern) {
  struct Cost {
    std::size_t history = 0, undo = 0;
  };
  const auto cost = [](int size) {
    Crowd crowd(size);
    Cost found;
    const Snapshot now = crowd.space->snapshot().value();
    const EntityId ada = *now.find_concept(kEntityType, "Ada");
    found.history =
        test::bytes_allocated_by([&] { EXPECT_EQ(entity_changes(now, ada, 100).size(), 3u); });
    // What others wrote since is in the log, and not read.
    found.undo = test::bytes_allocated_by([&] {
      const auto report = crowd.space->undo(kAda, crowd.moved, crowd.moved, false, true);
      ASSERT_TRUE(report) << report.error().describe();
      EXPECT_EQ(report->keys, 1u);
    });
    return found;
  };
  const bool full = std::getenv("ANIMA_TEST_FULL") != nullptr;
  const Cost small = cost(500);
  const Cost large = cost(full ? 200'000 : 10'000);
  EXPECT_LT(large.history, small.history + 4096) << small.history;
  EXPECT_LT(large.undo, small.undo + 16'384) << small.undo;
}

// A base as the program before wrote it: without causes, undo marks and the two newest orders.
void make_older(const std::string& path) {
  std::string bytes = *read_file(system_files(), path);
  constexpr std::size_t kFront = 96;
  constexpr std::size_t kPlace = 24;
  std::string header = bytes.substr(0, kFront + 8) + bytes.substr(kFront + 16, 43 * kPlace);
  const std::uint32_t version_and_sections[] = {2, 43};
  std::memcpy(header.data() + 8, version_and_sections, sizeof version_and_sections);
  const std::uint64_t checksum = checksum64(header);
  header.append(reinterpret_cast<const char*>(&checksum), sizeof checksum);
  bytes.replace(0, header.size(), header);
  ASSERT_TRUE(replace_file(system_files(), path, bytes));
}

TEST(HistoryOlder, ABaseOfTheVersionBeforeAnswersTheSame) {
  const TemporaryDirectory folder;
  Sequence cause = Sequence::kNone, undone = Sequence::kNone, last = Sequence::kNone;
  {
    const auto space = open_space(folder.path());
    cause = write(*space, [](Transaction& t) { return add(t, "Ada"); });
    write(
        *space, [](Transaction& t) { return add(t, "concluded"); }, cause);
    undone = write(*space, [](Transaction& t) { return set(t, "Ada", "job", "poet"); });
    write(*space, [](Transaction& t) -> Status {
      ANIMA_TRY(t.upsert_concept(kEntityType, "there", {.graph = t.graph("other")}));
      return link(t, "Charles", "Ada").map([](const Triple&) {});
    });
    last = space->snapshot().value().sequence();
    ASSERT_TRUE(undo(*space, undone));
    ASSERT_TRUE(undo(*space, last));
    ASSERT_TRUE(space->checkpoint());
  }
  const std::vector<DirectoryEntry> entries = system_files().list(folder.path()).value();
  for (const DirectoryEntry& entry : entries) {
    if (entry.name.ends_with(".anima")) make_older(folder.file(entry.name));
  }
  for (const bool again : {false, true}) {
    const auto space = open_space(folder.path());
    EXPECT_TRUE(space->notes().empty()) << space->notes().front();
    const auto report = space->undo(kAda, cause, cause, true, true);
    ASSERT_TRUE(report) << report.error().describe();
    EXPECT_EQ(report->entries, (std::vector<Sequence>{cause, Sequence{to_number(cause) + 1}}))
        << "the cause counts, what was undone does not";
    const Snapshot now = space->snapshot().value();
    const GraphId other = *now.find_graph("other");
    Pattern types;
    types.predicate = kTypePredicate;
    EXPECT_EQ(now.in_graphs(std::span(&other, 1)).count(types), 0u);
    if (!again) {
      write(*space, [](Transaction& t) { return add(t, "newer"); });
      ASSERT_TRUE(space->checkpoint());  // a base of this version, with what the older one lacks
    }
  }
}

// --- what fails leaves nothing -------------------------------------------------------------------

TEST(UndoMemory, RequestsThatFailGiveTheirMemoryBack) {
  const auto space = *Space::in_memory();
  write(*space, [](Transaction& t) -> Status {
    for (int i = 0; i < 3000; ++i) ANIMA_TRY(add(t, "E" + std::to_string(i)));
    return {};
  });
  const Sequence named = write(*space, [](Transaction& t) { return set(t, "E1", "n", "one"); });
  int fresh = 0;
  const auto fail_some = [&](int requests) {
    for (int i = 0; i < requests; ++i) {
      const auto failed = space->write(kAda, [&](Transaction& t) -> Status {
        ANIMA_TRY(add(t, "a name that nobody had before " + std::to_string(++fresh)));
        ANIMA_TRY(set(t, "E2", "n", "a value of its own " + std::to_string(fresh)));
        return fail(ErrorCode::kInvalidArgument, "given up");
      });
      ASSERT_FALSE(failed);
      if (i % 50 == 0) {
        ASSERT_TRUE(space->undo(kAda, named, named, false, true)) << "a dry run";
      }
    }
  };
  const Snapshot reader = space->snapshot().value();  // one that stays does not hold on to the rest
  fail_some(1000);
  const std::uint64_t after_some = space->stats().heap_bytes;
  fail_some(std::getenv("ANIMA_TEST_FULL") != nullptr ? 1'000'000 : 20'000);
  EXPECT_LE(space->stats().heap_bytes, after_some + after_some / 20);
  const Snapshot now = space->snapshot().value();
  EXPECT_EQ(everything(now), everything(reader));
  EXPECT_EQ(attribute(now, "E1", "n"), "one");
  ASSERT_TRUE(undo(*space, named));
  EXPECT_EQ(attribute(space->snapshot().value(), "E1", "n"), "(none)");
}

}  // namespace
}  // namespace anima::store::undo_test
