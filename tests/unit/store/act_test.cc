// Acts: what belongs together in the log, is kept in the base, and is undone in one step.
#include "store/act.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/files/file.h"
#include "store/log/act_operation.h"
#include "store/log/entry_codec.h"
#include "store/space.h"
#include "store/verify/audit.h"
#include "store/verify/verify_views.h"
#include "support/forwarding_files.h"
#include "support/small_space.h"

namespace anima::store::act_test {
namespace {

using detail::to_number;
using test::open_space;

const Origin kAda{"ada", "test", Trust::kStandard, Sequence::kNone};

Status add(Transaction& transaction, std::string_view name) {
  return transaction.upsert_concept(kEntityType, name).map([](EntityId) {});
}

Sequence write(Space& space, std::string_view name) {
  const auto receipt =
      space.write(kAda, [&](Transaction& transaction) { return add(transaction, name); });
  EXPECT_TRUE(receipt) << receipt.error().describe();
  return receipt ? receipt->sequence : Sequence::kNone;
}

Sequence link(Space& space, std::string_view from, std::string_view to) {
  const auto receipt = space.write(kAda, [&](Transaction& transaction) -> Status {
    ANIMA_ASSIGN(const EntityId knows, transaction.upsert_predicate("knows"));
    ANIMA_ASSIGN(const EntityId a, transaction.upsert_concept(kEntityType, from));
    ANIMA_ASSIGN(const EntityId b, transaction.upsert_concept(kEntityType, to));
    return transaction.assert_link({a, Predicate::link(knows), Term::entity(b)}).map([](EntityId) {
    });
  });
  EXPECT_TRUE(receipt) << receipt.error().describe();
  return receipt ? receipt->sequence : Sequence::kNone;
}

bool knows(Space& space, std::string_view name) {
  return space.snapshot()->find_concept(kEntityType, name).has_value();
}

std::vector<Sequence> entries_of(Space& space, Sequence entry) {
  const auto act = act_at(space, *space.snapshot(), entry);
  EXPECT_TRUE(act) << act.error().describe();
  return act ? act->entries : std::vector<Sequence>();
}

std::string name_of(Space& space, Sequence entry) {
  const auto act = act_at(space, *space.snapshot(), entry);
  EXPECT_TRUE(act) << act.error().describe();
  return act ? act->name : "";
}

using Entries = std::vector<Sequence>;

TEST(Act, EntriesOfAScopeAreOneActAndOthersAreActsOfTheirOwn) {
  const auto space = *Space::in_memory();
  const Sequence before = write(*space, "before");
  Sequence one, two, other;
  {
    const ActScope act("chat line");
    one = write(*space, "one");
    {
      const ActScope part("tool call");
      two = write(*space, "two");
    }
    std::thread([&] { other = write(*space, "other"); }).join();
  }
  const Sequence after = write(*space, "after");
  EXPECT_EQ(entries_of(*space, two), (Entries{one, two}));
  EXPECT_EQ(name_of(*space, two), "chat line");
  for (const Sequence alone : {before, other, after}) {
    EXPECT_EQ(entries_of(*space, alone), Entries{alone});
    EXPECT_EQ(name_of(*space, alone), "test") << "the source, where nobody said what was done";
  }
}

TEST(Act, AScopeOfItsOwnIsNoPartOfTheOneAroundIt) {
  const auto space = *Space::in_memory();
  const ActScope shell("chat");
  const Sequence one = write(*space, "one");
  Sequence line;
  {
    const ActScope own("chat line", ActKind::kOwn);
    line = write(*space, "line");
  }
  const Sequence two = write(*space, "two");
  EXPECT_EQ(entries_of(*space, line), Entries{line});
  EXPECT_EQ(entries_of(*space, one), (Entries{one, two}));
  const ActScope none("", ActKind::kOwn);
  for (const char* name : {"three", "four"}) {
    const Sequence outside = write(*space, name);
    EXPECT_EQ(entries_of(*space, outside), Entries{outside});
  }
}

TEST(Act, ASeriesIsOneAct) {
  const auto space = *Space::in_memory();
  const std::vector<std::string> names{"a", "b", "c"};
  std::size_t at = 0;
  Change change;
  const ActScope act("load");
  const SeriesResult series = space->write_series(kAda, [&]() -> const Change* {
    if (at == names.size()) return nullptr;
    change = [name = names[at++]](Transaction& transaction) { return add(transaction, name); };
    return &change;
  });
  ASSERT_TRUE(series.status);
  ASSERT_EQ(series.receipts.size(), 3u);
  const Sequence last = write(*space, "d");
  EXPECT_EQ(entries_of(*space, last),
            (Entries{series.receipts[0].sequence, series.receipts[1].sequence,
                     series.receipts[2].sequence, last}));
}

TEST(Act, AChangeThatChangesNothingBeginsNoAct) {
  const auto space = *Space::in_memory();
  write(*space, "one");
  const ActScope act("command");
  ASSERT_FALSE(space->write(kAda, [](Transaction& t) { return add(t, "one"); })->changed);
  const Sequence two = write(*space, "two");
  EXPECT_EQ(entries_of(*space, two), Entries{two});
  EXPECT_EQ(name_of(*space, two), "command");
}

TEST(Act, IsInTheLogAndInTheBase) {
  const TemporaryDirectory folder;
  Sequence alone, one, two;
  {
    const auto space = open_space(folder.file("space"));
    alone = write(*space, "alone");
    const ActScope act("load");
    one = write(*space, "one");
    two = write(*space, "two");
  }
  const auto check = [&](Space& space) {
    EXPECT_EQ(entries_of(space, one), (Entries{one, two}));
    EXPECT_EQ(name_of(space, two), "load");
    EXPECT_EQ(entries_of(space, alone), Entries{alone});
    EXPECT_TRUE(verify_log(space.log()));
    const auto verified = verify_views(space.folder(), system_files());
    EXPECT_TRUE(verified) << verified.error().describe();
  };
  {
    const auto space = open_space(folder.file("space"));  // replayed
    check(*space);
    EXPECT_EQ(space->log().entry(alone)->format, 1u) << "as an older program wrote it";
    EXPECT_EQ(space->log().entry(two)->format, 17u);
    ASSERT_TRUE(space->checkpoint());
  }
  const auto space = open_space(folder.file("space"));  // mapped
  check(*space);
}

TEST(Act, IsSealedWithItsEntry) {
  const TemporaryDirectory folder;
  const auto space = open_space(folder.file("space"));
  Sequence first, sealed;
  {
    const ActScope act("message");
    first = write(*space, "open");
    sealed = space->write_sealed(kAda, "secret", [](Transaction& t) { return add(t, "secret"); })
                 ->sequence;
  }
  EXPECT_EQ(entries_of(*space, sealed), (Entries{first, sealed}));
  ASSERT_TRUE(space->erase("secret"));
  EXPECT_EQ(entries_of(*space, first), Entries{first}) << "the rest can still be undone";
  const auto undone = undo_entries(*space, kAda, entries_of(*space, first), {});
  ASSERT_TRUE(undone) << undone.error().describe();
  EXPECT_FALSE(knows(*space, "open"));
}

TEST(Act, AnActThatBeganAfterItsEntryIsDamage) {
  const auto space = *Space::in_memory();
  LogEntry entry = *space->log().entry(Sequence{1});
  detail::put_act({Sequence{7}, {}}, entry.payload, entry.format);
  entry.sequence = Sequence{7};
  EXPECT_EQ(detail::read_act(entry).error().code, ErrorCode::kCorrupt);
  entry.sequence = Sequence{8};
  EXPECT_EQ(detail::read_act(entry)->first, Sequence{7});
}

TEST(Act, UndoingOneTellsWhatGoesAndComes) {
  const auto space = *Space::in_memory();
  link(*space, "Ada", "Carl");
  Sequence one;
  {
    const ActScope act("command");
    one = link(*space, "Ada", "Berta");
    ASSERT_TRUE(space->write(kAda, [](Transaction& transaction) -> Status {
      const Snapshot now = transaction.view();
      const auto predicate = now.find_concept(kPropositionType, "knows");
      const auto ada = now.find_concept(kEntityType, "Ada");
      const auto carl = now.find_concept(kEntityType, "Carl");
      return transaction.retract_link({*ada, Predicate::link(*predicate), Term::entity(*carl)},
                                      GraphId::kDefault);
    }));
  }
  const Snapshot now = *space->snapshot();
  const auto dry = undo_entries(*space, kAda, entries_of(*space, one), {.dry_run = true});
  ASSERT_TRUE(dry) << dry.error().describe();
  EXPECT_EQ(space->snapshot()->sequence(), now.sequence());
  EXPECT_EQ(dry->coming.count, 1u);  // Ada knows Carl
  EXPECT_EQ(dry->going.count, 2u);   // Ada knows Berta, and Berta is there
  const auto undone = undo_entries(*space, kAda, entries_of(*space, one), {});
  ASSERT_TRUE(undone) << undone.error().describe();
  EXPECT_EQ(undone->report.entries.size(), 2u);
  for (const Triple& triple : dry->going.statements)
    EXPECT_FALSE(space->snapshot()->contains(triple));
  for (const Triple& triple : dry->coming.statements)
    EXPECT_TRUE(space->snapshot()->contains(triple));
}

TEST(Act, WhatDependsIsUndoneByWholeActs) {
  const auto space = *Space::in_memory();
  const Sequence ada = write(*space, "Ada");
  {
    const ActScope act("command");
    write(*space, "beside");
    link(*space, "Ada", "Berta");
  }
  const Entries first = entries_of(*space, ada);
  EXPECT_EQ(undo_entries(*space, kAda, first, {}).error().code, ErrorCode::kConflict);
  EXPECT_TRUE(knows(*space, "beside"));
  const auto undone = undo_entries(*space, kAda, first, {.cascade = true});
  ASSERT_TRUE(undone) << undone.error().describe();
  EXPECT_EQ(undone->report.entries.size(), 3u);
  for (const char* name : {"Ada", "Berta", "beside"}) EXPECT_FALSE(knows(*space, name)) << name;
}

// What a program does first is not the taking back of what another one left: an undo of the one
// does not bring the other back.
TEST(Act, WhatWasCutOffIsTakenBackByNoActOfWhoComesNext) {
  const TemporaryDirectory folder;
  const std::string path = folder.file("space");
  open_space(path);
  const pid_t child = ::fork();
  if (child == 0) {  // ends without destructors, as by a kill
    const auto space = open_space(path);
    const ActScope act("message");
    const WholeAct whole(*space);
    write(*space, "torn");
    ::_exit(0);
  }
  ASSERT_GT(child, 0);
  ASSERT_EQ(::waitpid(child, nullptr, 0), child);
  Sequence next;
  {
    const ActScope act("message");
    const auto space = open_space(path);
    EXPECT_FALSE(knows(*space, "torn"));
    next = write(*space, "next");
    EXPECT_EQ(entries_of(*space, next), Entries{next});
  }
  const auto space = open_space(path);
  const auto newest = newest_act_to_undo(*space, *space->snapshot());
  ASSERT_TRUE(newest) << newest.error().describe();
  EXPECT_EQ(newest->first, next);
  const auto undone = undo_entries(*space, kAda, newest->entries, {});
  ASSERT_TRUE(undone) << undone.error().describe();
  for (const char* name : {"torn", "next"}) EXPECT_FALSE(knows(*space, name)) << name;
}

// --- WholeAct: whole or not there, whatever ends it ---------------------------------------------

const Error kCause{ErrorCode::kInvalidArgument, "the cause", {}, {}};

Status try_write(Space& space, std::string_view name) {
  return space.write(kAda, [&](Transaction& transaction) { return add(transaction, name); })
      .map([](const Receipt&) {});
}

std::size_t marks_in(const std::string& space) {
  const auto entries = system_files().list(join_path(space, "acts"));
  return entries ? entries->size() : 0;
}

TEST(WholeAct, ThatFailsIsTakenBackAndTheNextOneIsNot) {
  const TemporaryDirectory folder;
  const std::string path = folder.file("space");
  for (const auto& space : {open_space(path), *Space::in_memory()}) {
    write(*space, "before");
    const ActScope act("message");
    const Status failed = as_whole_act(*space, [&]() -> Status {
      write(*space, "one");
      write(*space, "two");
      return fail(kCause);
    });
    ASSERT_FALSE(failed);
    EXPECT_EQ(failed.error().message, kCause.message);
    for (const char* name : {"one", "two"}) EXPECT_FALSE(knows(*space, name)) << name;
    const Status done = as_whole_act(*space, [&] { return try_write(*space, "three"); });
    EXPECT_TRUE(done);
    for (const char* name : {"before", "three"}) EXPECT_TRUE(knows(*space, name)) << name;
  }
  EXPECT_EQ(marks_in(path), 0u);
  const auto again = open_space(path);
  EXPECT_TRUE(knows(*again, "three"));
}

TEST(WholeAct, FailsWithAPartOfIt) {
  const auto space = *Space::in_memory();
  const ActScope act("message");
  const Status done = as_whole_act(*space, [&]() -> Status {
    write(*space, "one");
    (void)as_whole_act(*space, [&]() -> Status {
      write(*space, "two");
      return fail(kCause);
    });
    write(*space, "three");
    return {};
  });
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().message, kCause.message);
  for (const char* name : {"one", "two", "three"}) EXPECT_FALSE(knows(*space, name)) << name;
}

TEST(WholeAct, ThatSomebodyGoesOnWithStaysAndItsPartsAreWholeThemselves) {
  const auto space = *Space::in_memory();
  const ActScope act("message");
  const Status failed = as_whole_act(*space, [&]() -> Status {
    write(*space, "one");
    ANIMA_TRY(WholeAct::goes_on());
    return as_whole_act(*space, [&]() -> Status {
      write(*space, "two");
      return fail(kCause);
    });
  });
  EXPECT_FALSE(failed);
  EXPECT_TRUE(knows(*space, "one"));
  EXPECT_FALSE(knows(*space, "two"));
}

// The log takes no more, so that the part cannot be taken back either: not by this process, and by
// who comes next.
TEST(WholeAct, ThatCannotBeTakenBackIsSoByWhoComesNext) {
  const TemporaryDirectory folder;
  for (std::uint64_t room = 0; room < 1500; room += 100) {
    SCOPED_TRACE(room);
    const std::string path = folder.file("space" + std::to_string(room));
    std::uint64_t bytes = 0;
    {
      const auto space = open_space(path);
      write(*space, "before");
      bytes = *space->log().stored_bytes();
    }
    SpaceOptions full;
    full.max_log_bytes = bytes + room;
    bool done = false;
    {
      const auto space = *Space::open(path, full);
      const ActScope act("message");
      const Status told = as_whole_act(*space, [&]() -> Status {
        for (const char* name : {"one", "two", "three"}) ANIMA_TRY(try_write(*space, name));
        return {};
      });
      done = told.has_value();
    }
    const auto space = open_space(path);
    for (const char* name : {"one", "two", "three"}) EXPECT_EQ(knows(*space, name), done) << name;
    EXPECT_TRUE(knows(*space, "before"));
    EXPECT_EQ(marks_in(path), 0u);
  }
}

// --- ActStep: taken back by itself --------------------------------------------------------------

TEST(ActStep, ThatFailsIsTakenBackAndTheActGoesOn) {
  const auto space = *Space::in_memory();
  for (const bool is_whole : {false, true}) {
    const ActScope act("message", ActKind::kOwn);
    std::optional<WholeAct> whole;
    if (is_whole) whole.emplace(*space);
    write(*space, "one");
    ActStep step(*space);
    write(*space, "two");
    write(*space, "three");
    const auto taken = step.take_back();
    ASSERT_TRUE(taken) << taken.error().describe();
    EXPECT_TRUE(*taken);
    write(*space, "four");
    if (is_whole) {
      EXPECT_TRUE(whole->done());
    }
    for (const char* name : {"two", "three"}) EXPECT_FALSE(knows(*space, name)) << name;
    for (const char* name : {"one", "four"}) EXPECT_TRUE(knows(*space, name)) << name;
  }
}

TEST(ActStep, GoesWithItsActAndStaysWithOneThatIsKept) {
  const auto space = *Space::in_memory();
  {
    const ActScope act("message");
    WholeAct whole(*space);
    ActStep step(*space);
    write(*space, "gone");
    ASSERT_TRUE(*step.take_back());
    write(*space, "with it");
    EXPECT_TRUE(whole.take_back());
  }
  for (const char* name : {"gone", "with it"}) EXPECT_FALSE(knows(*space, name)) << name;
  const ActScope act("message");
  WholeAct whole(*space);
  ActStep step(*space);
  write(*space, "kept");
  ASSERT_TRUE(WholeAct::goes_on());
  EXPECT_FALSE(*step.take_back());
  EXPECT_TRUE(knows(*space, "kept"));
}

// The log takes no more: the act around it cannot be told as done.
TEST(ActStep, ThatCannotBeTakenBackFailsItsAct) {
  const TemporaryDirectory folder;
  const std::string path = folder.file("space");
  std::uint64_t bytes = 0;
  {
    const auto space = open_space(path);
    write(*space, "before");
    bytes = *space->log().stored_bytes();
  }
  SpaceOptions full;
  full.max_log_bytes = bytes + 100;
  {
    const auto space = *Space::open(path, full);
    const ActScope act("message");
    WholeAct whole(*space);
    ActStep step(*space);
    Status written;
    for (int i = 0; written && i < 1000; ++i)
      written = try_write(*space, "step " + std::to_string(i));
    ASSERT_FALSE(written);
    if (!step.take_back()) {
      EXPECT_FALSE(whole.done());
    }
  }
  const auto space = open_space(path);
  EXPECT_FALSE(knows(*space, "step 0"));
  EXPECT_TRUE(knows(*space, "before"));
}

// Files that refuse some operations on the marks of acts.
class StuckMarks final : public ForwardingFiles {
 public:
  bool keeps = false, unwritable = false, takes_none = false;

  Result<std::unique_ptr<File>> open(const std::string& path, OpenMode mode,
                                     std::uint32_t permissions) override {
    if (unwritable && is_mark(path)) return refused(path);
    return beneath_.open(path, mode, permissions);
  }
  Result<std::unique_ptr<FileLock>> lock(const std::string& path, LockMode mode,
                                         bool wait) override {
    if (takes_none && is_mark(path)) return refused(path);
    return beneath_.lock(path, mode, wait);
  }
  Status remove(const std::string& path) override {
    if (keeps && is_mark(path)) return refused(path);
    return beneath_.remove(path);
  }

 private:
  static bool is_mark(const std::string& path) { return path.ends_with(".act"); }
  static Unexpected<Error> refused(const std::string& path) {
    return fail(ErrorCode::kIo, "not permitted", path);
  }
};

TEST(WholeAct, IsThereWhenItIsSaidToBeDoneWhateverBecomesOfItsMark) {
  struct Case {
    bool keeps, unwritable, takes_none, done;
  };
  const Case cases[] = {{false, false, false, true},
                        {true, false, false, true},
                        {true, true, false, false},
                        {false, false, true, false}};
  for (const Case& each : cases) {
    SCOPED_TRACE(&each - cases);
    const TemporaryDirectory folder;
    const std::string path = folder.file("space");
    open_space(path);
    StuckMarks files;
    files.keeps = each.keeps;
    files.unwritable = each.unwritable;
    files.takes_none = each.takes_none;
    {
      SpaceOptions options;
      options.files = &files;
      const auto space = *Space::open(path, options);
      const ActScope act("message");
      const Status done = as_whole_act(*space, [&] { return try_write(*space, "one"); });
      EXPECT_EQ(done.has_value(), each.done);
      EXPECT_EQ(knows(*space, "one"), each.done);
    }
    const auto space = open_space(path);
    EXPECT_EQ(knows(*space, "one"), each.done);
    EXPECT_EQ(marks_in(path), 0u);
  }
}

TEST(Act, TheLastIsTheNewestThatChangedSomethingAndNotTheBootstrap) {
  const auto space = *Space::in_memory();
  const auto newest = [&]() -> Result<Sequence> {
    return newest_act_to_undo(*space, *space->snapshot()).map([](const Act& act) {
      return act.first;
    });
  };
  EXPECT_EQ(newest().error().code, ErrorCode::kNotFound) << "only the genesis";
  const Origin system{"$system", "SystemBootstrap", Trust::kSystem, Sequence::kNone};
  ASSERT_TRUE(space->write(system, [](Transaction& t) { return add(t, "schema"); }));
  EXPECT_EQ(newest().error().code, ErrorCode::kNotFound);
  const Sequence one = write(*space, "one");
  Sequence two;
  {
    const ActScope act("chat line");
    two = write(*space, "two");
    write(*space, "three");
    ASSERT_TRUE(space->write(
        kAda, [](Transaction& t) { return t.record(RecordKind::kEvent, "nothing changed"); }));
  }
  EXPECT_EQ(*newest(), two);
  {  // What is as it was before is passed over.
    const ActScope act("chat line");
    write(*space, "for a moment");
    ASSERT_TRUE(space->write(kAda, [](Transaction& t) {
      return t.retract_concept(*t.view().find_concept(kEntityType, "for a moment"),
                               GraphId::kDefault, false);
    }));
  }
  EXPECT_EQ(*newest(), two);
  ASSERT_TRUE(undo_entries(*space, kAda, entries_of(*space, two), {}));
  EXPECT_FALSE(knows(*space, "three"));
  EXPECT_EQ(*newest(), one);
  ASSERT_TRUE(undo_entries(*space, kAda, entries_of(*space, one), {}));
  EXPECT_EQ(newest().error().code, ErrorCode::kNotFound);
}

}  // namespace
}  // namespace anima::store::act_test
