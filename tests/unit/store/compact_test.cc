// What is compacted is gone from the log, and every state from its last entry on is what it was.
#include "store/compact.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "base/files/file.h"
#include "store/act.h"
#include "store/archive.h"
#include "store/backup.h"
#include "store/forget.h"
#include "store/history.h"
#include "store/log/entry_codec.h"
#include "store/log/redacted.h"
#include "store/log/sqlite.h"
#include "store/log/sqlite_log.h"
#include "store/space.h"
#include "store/verify/audit.h"
#include "store/verify/offline_audit.h"
#include "store/verify/verify_views.h"
#include "support/files_with.h"
#include "support/small_space.h"

namespace anima::store::compact_test {
namespace {

using test::files_with;
using test::from_log_alone;
using test::open_space;
using test::say;
using test::told;

const Origin kAda{"ada", "desk", Trust::kStandard, Sequence::kNone};

void write(Space& space, const std::function<Status(Transaction&)>& change) {
  const auto receipt = space.write(kAda, change);
  ASSERT_TRUE(receipt) << receipt.error().describe();
}

Status remove(Transaction& transaction, const std::string& name) {
  const auto entity = transaction.view().find_concept(kEntityType, name);
  return entity ? transaction.retract_concept(*entity, GraphId::kDefault, true) : Status();
}

Sequence head(Space& space) { return space.snapshot()->sequence(); }

std::uint64_t log_bytes(Space& space) {
  std::uint64_t bytes = 0;
  for (const char* name : {"log.db", "log.db-wal"}) {
    if (const auto info = system_files().info(join_path(space.folder(), name))) bytes += info->size;
  }
  return bytes;
}

bool in_log(Space& space, std::string_view text) {
  for (const std::string& path : files_with(space.folder(), text)) {
    if (path.starts_with(join_path(space.folder(), "log.db"))) return true;
  }
  return false;
}

CompactReport compact_to(Space& space, Sequence until) {
  Compaction what;
  what.until = until;
  auto report = compact(space, kAda, what, SystemClock().now(), false);
  EXPECT_TRUE(report) << report.error().describe();
  return report ? *report : CompactReport{};
}

// Sixty versions of a text, and a thing that came and went.
void fill(Space& space) {
  write(space, [](Transaction& t) { return say(t, "Carl", "city", "Bremen"); });
  write(space, [](Transaction& t) { return say(t, "Shortlived", "city", "Nowhere"); });
  for (int i = 0; i < 60; ++i) {
    write(space, [&](Transaction& t) {
      return say(t, "Alice", "story", "version " + std::to_string(i) + std::string(2'000, 'x'));
    });
  }
  write(space, [](Transaction& t) { return remove(t, "Shortlived"); });
}

// What is said under a number that a withdrawn value would leave as its mark.
TEST(Compact, AMarkTakesNobodysNumber) {
  const TemporaryDirectory folder;
  auto space = open_space(folder.file("space"));
  const auto put = [&](const std::vector<Value>& values) {
    write(*space, [&](Transaction& t) -> Status {
      ANIMA_ASSIGN(const EntityId probe, t.upsert_concept(kEntityType, "probe"));
      std::vector<Term> terms;
      for (const Value& value : values) {
        ANIMA_ASSIGN(const Term term, t.term(value.view()));
        terms.push_back(term);
      }
      return t.set_attribute(probe, "reading", terms);
    });
  };
  std::vector<Value> numbers;
  for (int i = 1; i < 400; ++i) numbers.push_back(Value::of(std::int64_t{-i}));
  put(numbers);
  numbers.push_back(Value::string("warm"));
  put(numbers);
  numbers.pop_back();
  put(numbers);
  compact_to(*space, head(*space));
  for (int round = 0; round < 2; ++round) {
    const Snapshot now = space->snapshot().value();
    Scratch scratch;
    EXPECT_EQ(now.objects(*now.find_concept(kEntityType, "probe"),
                          Predicate::attribute(*now.find_string("reading")), scratch)
                  .size(),
              399u);
    space = from_log_alone(std::move(space));
  }
}

// A mark can be longer than the value whose place it takes.
TEST(Compact, NeverTellsLessThanNothing) {
  const TemporaryDirectory folder;
  auto space = open_space(folder.file("space"));
  write(*space, [](Transaction& t) { return say(t, "Carl", "k", "x"); });
  write(*space, [](Transaction& t) { return say(t, "Carl", "k", "y"); });
  EXPECT_LT(compact_to(*space, head(*space)).payload_bytes, 100u);
}

// Its key is here: the entry is empty because what it said was forgotten.
TEST(Compact, ASealedEntryThatWasEmptiedNeedsNoKey) {
  const TemporaryDirectory folder;
  auto space = open_space(folder.file("space"));
  for (const char* name : {"Alice", "Carl"}) {
    ASSERT_TRUE(space->write_sealed(
        kAda, "diary", [&](Transaction& t) { return say(t, name, "city", "Bremen"); }));
  }
  Forgetting what;
  what.entities = {*space->snapshot()->find_concept(kEntityType, "Alice")};
  ASSERT_TRUE(forget(*space, kAda, what, SystemClock().now(), false));
  compact_to(*space, head(*space));
  EXPECT_EQ(told(*space, "Carl", "city"), "Bremen");
}

TEST(Compact, WhatNoStateNeedsIsGoneAndTheDiskIsGivenBack) {
  const TemporaryDirectory folder;
  auto space = open_space(folder.file("space"));
  fill(*space);
  ASSERT_TRUE(space->checkpoint());
  SystemRandom random;
  const auto key = obtain_signing_key(*space, kAda, system_files(), random);
  const auto checkpoint = make_checkpoint(space->log(), *key);
  ASSERT_TRUE(checkpoint);
  const auto alice = *space->snapshot()->find_concept(kEntityType, "Alice");
  const std::vector<Sequence> history = space->snapshot()->history(alice);
  const std::uint64_t before = log_bytes(*space);

  Compaction dry;
  dry.until = head(*space);
  const auto looked = compact(*space, kAda, dry, SystemClock().now(), true);
  ASSERT_TRUE(looked) << looked.error().describe();
  EXPECT_EQ(looked->receipt.sequence, Sequence::kNone);
  EXPECT_EQ(log_bytes(*space), before);
  EXPECT_TRUE(in_log(*space, "version 3x"));

  const CompactReport report = compact_to(*space, head(*space));
  EXPECT_EQ(report.payload_bytes, looked->payload_bytes);
  EXPECT_EQ(report.emptied, 59u);
  EXPECT_EQ(report.statements, 2u) << "the short-lived thing and its city";
  EXPECT_EQ(report.things, 1u);
  EXPECT_LT(report.bytes_after + 100'000, report.bytes_before);
  EXPECT_LT(log_bytes(*space) + 100'000, before);
  EXPECT_FALSE(in_log(*space, "version 3x"));
  EXPECT_FALSE(in_log(*space, "Shortlived"));
  for (int round = 0; round < 2; ++round) {
    EXPECT_EQ(told(*space, "Carl", "city"), "Bremen");
    EXPECT_TRUE(told(*space, "Alice", "story").starts_with("version 59x"));
    EXPECT_EQ(space->snapshot()->history(alice), history) << "its versions stay counted";
    const auto audited = verify_log(space->log(), *checkpoint);
    EXPECT_TRUE(audited) << audited.error().describe();
    const auto views = verify_views(space->folder(), system_files());
    EXPECT_TRUE(views) << views.error().describe();
    if (round == 0) space = from_log_alone(std::move(space));
  }
  EXPECT_EQ(compact_to(*space, head(*space)).receipt.sequence, Sequence::kNone) << "nothing more";
}

TEST(Compact, OlderStatesAndUndosSayWhatIsGone) {
  const TemporaryDirectory folder;
  auto space = open_space(folder.file("space"));
  fill(*space);
  const Sequence until = head(*space);
  write(*space, [](Transaction& t) { return say(t, "Carl", "city", "Kiel"); });
  Compaction what;
  what.until = until;
  what.kept = "/backups/all.anima";
  ASSERT_TRUE(compact(*space, kAda, what, SystemClock().now(), false));
  for (int round = 0; round < 2; ++round) {
    const Snapshot now = space->snapshot().value();
    EXPECT_EQ(oldest_state(now), until);
    EXPECT_TRUE(now.as_of(until));
    const auto older = now.as_of(Sequence{3});
    ASSERT_FALSE(older);
    EXPECT_EQ(older.error().code, ErrorCode::kNotFound);
    EXPECT_NE(older.error().describe().find("anima compact"), std::string::npos);
    EXPECT_NE(older.error().describe().find("/backups/all.anima"), std::string::npos);
    const auto undone = space->undo(kAda, Sequence{3}, Sequence{3}, false, true);
    ASSERT_FALSE(undone);
    EXPECT_EQ(undone.error().code, ErrorCode::kNotFound);
    EXPECT_NE(undone.error().describe().find("compact"), std::string::npos);
    EXPECT_FALSE(
        space->visit_written(Sequence{3}, until, [](const WrittenKey&) { return Status(); }));
    EXPECT_EQ(changes_between(*space, now, Sequence{3}, now.sequence()).error().code,
              ErrorCode::kNotFound);
    const auto change = changes_between(*space, now, until, now.sequence());
    ASSERT_TRUE(change) << change.error().describe();
    EXPECT_EQ(change->added.size(), 1u);
    space.reset();
    space = open_space(folder.file("space"));
  }
  const auto newest = newest_act_to_undo(*space, *space->snapshot());
  ASSERT_TRUE(newest) << newest.error().describe();
  ASSERT_TRUE(undo_entries(*space, kAda, newest->entries, {}));
  EXPECT_EQ(told(*space, "Carl", "city"), "Bremen");
  EXPECT_EQ(newest_act_to_undo(*space, *space->snapshot()).error().code, ErrorCode::kNotFound);
  what.until = Sequence{3};
  EXPECT_EQ(compact(*space, kAda, what, SystemClock().now(), true).error().code,
            ErrorCode::kInvalidArgument);
}

TEST(Compact, AnotherProcessGoesOn) {
  const TemporaryDirectory folder;
  const auto one = open_space(folder.file("space"));
  fill(*one);
  const auto other = open_space(folder.file("space"));
  const Snapshot was = other->snapshot().value();
  compact_to(*one, head(*one));
  EXPECT_TRUE(told(*other, "Alice", "story").starts_with("version 59x"));
  EXPECT_FALSE(other->snapshot()->as_of(Sequence{3}));
  EXPECT_TRUE(was.as_of(Sequence{3})) << "what is held stays what it was";
  EXPECT_TRUE(other->visit_written(was.sequence(), head(*other),
                                   [](const WrittenKey&) { return Status(); }));
  write(*other, [](Transaction& t) { return say(t, "Carl", "city", "Kiel"); });
  EXPECT_EQ(told(*one, "Carl", "city"), "Kiel");
}

// The log is read without the writer's turn. What somebody writes meanwhile may need a text that
// was to go: then it is read again, the last time in the turn.
TEST(Compact, OthersWriteWhileTheLogIsRead) {
  for (const int conflicts : {0, 1, 3}) {
    SCOPED_TRACE(conflicts);
    const TemporaryDirectory folder;
    auto space = open_space(folder.file("space"));
    fill(*space);
    for (int i = 0; i < 300; ++i)  // so that the reading is told of
      write(*space, [&](Transaction& t) { return say(t, "Carl", "n" + std::to_string(i), "x"); });
    auto other = open_space(folder.file("space"));
    const auto story = [](int version) {
      return "version " + std::to_string(version) + std::string(2'000, 'x');
    };
    ASSERT_TRUE(told(*other, "Alice", "story").starts_with("version 59x"));
    Compaction what;
    what.until = head(*space);
    int calls = 0;
    what.progress = [&](std::uint64_t) {
      const int call = calls++;
      if (call > std::max(conflicts, 1) - 1) return true;
      write(*other, [&](Transaction& t) {
        return say(t, "Bob", "story " + std::to_string(call),
                   conflicts == 0 ? "a story of his own" : story(call));
      });
      return true;
    };
    const auto report = compact(*space, kAda, what, SystemClock().now(), false);
    ASSERT_TRUE(report) << report.error().describe();
    EXPECT_GE(calls, std::max(conflicts, 1));
    EXPECT_GT(report->entries, 0u);
    EXPECT_FALSE(in_log(*space, "version 7x"));
    EXPECT_FALSE(space->snapshot()->as_of(Sequence{5}));
    other.reset();
    for (int round = 0; round < 2; ++round) {
      EXPECT_TRUE(told(*space, "Alice", "story").starts_with("version 59x"));
      for (int i = 0; i < std::max(conflicts, 1); ++i) {
        EXPECT_EQ(told(*space, "Bob", "story " + std::to_string(i)),
                  conflicts == 0 ? "a story of his own" : story(i));
      }
      EXPECT_TRUE(verify_log(space->log()));
      EXPECT_TRUE(verify_views(space->folder(), system_files()));
      space = from_log_alone(std::move(space));
    }
    const auto left = system_files().list(folder.file("space"));
    ASSERT_TRUE(left);
    for (const DirectoryEntry& entry : *left)
      EXPECT_FALSE(entry.name.starts_with("compact")) << entry.name;
  }
}

TEST(Compact, ForgettingArchivesAndBackupsGoOn) {
  const TemporaryDirectory folder;
  auto space = open_space(folder.file("space"));
  fill(*space);
  const std::string archive = folder.file("old.archive");
  ASSERT_TRUE(archive_entries(*space, Sequence{20}, archive, system_files()));
  Compaction what;
  what.until = head(*space);
  EXPECT_EQ(compact(*space, kAda, what, SystemClock().now(), false).error().code,
            ErrorCode::kConflict);
  ASSERT_TRUE(restore_archive(space->folder(), archive, system_files()));
  compact_to(*space, head(*space));
  EXPECT_TRUE(verify_archive(space->folder(), archive, system_files())) << "it is of this log";

  write(*space, [](Transaction& t) { return say(t, "Carl", "city", "Kiel"); });
  const auto moved =
      archive_entries(*space, head(*space), folder.file("new.archive"), system_files());
  ASSERT_TRUE(moved) << moved.error().describe();
  EXPECT_TRUE(verify_log(space->log()));
  ASSERT_TRUE(restore_archive(space->folder(), folder.file("new.archive"), system_files()));

  // What is forgotten now was cut before, some of it.
  Forgetting forgetting;
  forgetting.entities = {*space->snapshot()->find_concept(kEntityType, "Alice")};
  const auto forgotten = forget(*space, kAda, forgetting, SystemClock().now(), false);
  ASSERT_TRUE(forgotten) << forgotten.error().describe();
  EXPECT_FALSE(in_log(*space, "version 59x"));
  const auto audited = verify_log(space->log());
  EXPECT_TRUE(audited) << audited.error().describe();
  forgetting.entities = {*space->snapshot()->find_concept(kEntityType, "Carl")};
  ASSERT_TRUE(forget(*space, kAda, forgetting, SystemClock().now(), false));
  EXPECT_TRUE(verify_log(space->log()));
  write(*space, [](Transaction& t) { return say(t, "Dora", "city", "Kiel"); });
  write(*space, [](Transaction& t) { return say(t, "Dora", "city", "Hagen"); });
  compact_to(*space, head(*space));
  EXPECT_TRUE(verify_log(space->log()));

  SystemClock clock;
  ASSERT_TRUE(backup_space(*space, folder.file("backup"), clock, system_files()));
  ASSERT_TRUE(restore_space(folder.file("backup"), folder.file("restored"), system_files()));
  const auto restored = open_space(folder.file("restored"));
  EXPECT_EQ(told(*restored, "Dora", "city"), "Hagen");
  EXPECT_EQ(oldest_state(*restored->snapshot()), oldest_state(*space->snapshot()));
  std::string lines;
  ASSERT_TRUE(space->log().read(Sequence{1}, [&](const LogEntry& entry) -> Status {
    lines += entry_to_json(entry).dump() + "\n";
    return {};
  }));
  EXPECT_TRUE(verify_exported_log(lines, "export", {}));
}

// In a process whose files must not grow beyond so many bytes.
void compact_in_little_room(const std::string& folder, rlim_t bytes) {
  const pid_t child = ::fork();
  if (child == 0) {
    std::signal(SIGXFSZ, SIG_IGN);
    const auto space = open_space(folder);
    const rlimit limit{bytes, bytes};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    Compaction what;
    what.until = head(*space);
    (void)compact(*space, kAda, what, SystemClock().now(), false);
    _exit(0);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status)) << status;
}

TEST(Compact, AFullDiskLosesNothing) {
  const TemporaryDirectory folder;
  fill(*open_space(folder.file("origin")));
  int done = 0, left = 0;
  for (const rlim_t bytes : {1'000U, 20'000U, 60'000U, 100'000U, 200'000U, 400'000U, 4'000'000U}) {
    SCOPED_TRACE(bytes);
    const std::string path = folder.file("space");
    std::filesystem::remove_all(path);
    std::filesystem::copy(folder.file("origin"), path, std::filesystem::copy_options::recursive);
    compact_in_little_room(path, bytes);
    auto space = open_space(path);
    ASSERT_NE(space, nullptr);
    const bool compacted = oldest_state(*space->snapshot()) != Sequence::kNone;
    ++(compacted ? done : left);
    EXPECT_TRUE(told(*space, "Alice", "story").starts_with("version 59x"));
    EXPECT_EQ(told(*space, "Carl", "city"), "Bremen");
    EXPECT_EQ(space->snapshot()->as_of(Sequence{5}).has_value(), !compacted);
    EXPECT_TRUE(verify_log(space->log()));
    EXPECT_TRUE(verify_views(path, system_files()));
    compact_to(*space, Sequence{64});
    EXPECT_FALSE(in_log(*space, "version 3x"));
    space.reset();
  }
  EXPECT_GT(done, 0);
  EXPECT_GT(left, 0);
}

TEST(Compact, WhatIsLeftCannotBeChangedUnnoticed) {
  const TemporaryDirectory folder;
  auto space = open_space(folder.file("space"));
  fill(*space);
  write(*space, [](Transaction& t) { return say(t, "Carl", "city", "Kiel"); });
  compact_to(*space, head(*space));
  const std::string path = space->folder();
  space.reset();
  auto log =
      detail::Database::open(detail::log_path(path), detail::DatabaseMode::kReadWrite, {}, 1'000);
  ASSERT_TRUE(log);
  // One entry's rest is put in the place of another with all its digests made anew.
  LogEntry changed;
  ASSERT_TRUE((*open_log(path))->read(Sequence{1}, [&](const LogEntry& entry) -> Status {
    if (detail::is_redacted(entry)) changed = entry;
    return {};
  }));
  ASSERT_NE(changed.sequence, Sequence::kNone);
  changed.payload += std::string(1, '\x07') + std::string(1, '\0');
  auto update = log->prepare("UPDATE log SET entry = ?2 WHERE sequence = ?1");
  update->bind(1, static_cast<std::int64_t>(changed.sequence));
  const std::string row = detail::encode_redacted(changed, detail::kPartBytes);
  update->bind_blob(2, row);
  ASSERT_TRUE(update->run());
  const auto verified = verify_log(**open_log(path));
  ASSERT_FALSE(verified);
  EXPECT_EQ(verified.error().code, ErrorCode::kCorrupt);
  EXPECT_NE(verified.error().describe().find("no entry answers"), std::string::npos)
      << verified.error().describe();
}

TEST(Compact, WhatIsSealedUnderALostKeyIsInTheWay) {
  const TemporaryDirectory folder;
  auto space = open_space(folder.file("space"));
  fill(*space);
  ASSERT_TRUE(space->write_sealed(
      kAda, "diary", [](Transaction& t) { return say(t, "Alice", "secret", "none"); }));
  ASSERT_TRUE(space->write_sealed(kAda, "diary",
                                  [](Transaction& t) { return say(t, "Alice", "secret", "two"); }));
  const std::string path = space->folder();
  space.reset();
  std::filesystem::rename(path + "/keys", folder.file("keys"));
  space = open_space(path);
  Compaction what;
  what.until = head(*space);
  EXPECT_EQ(compact(*space, kAda, what, SystemClock().now(), true).error().code,
            ErrorCode::kConflict);
  space.reset();
  std::filesystem::remove_all(path + "/keys");
  std::filesystem::rename(folder.file("keys"), path + "/keys");
  space = open_space(path);
  compact_to(*space, head(*space));
  space = from_log_alone(std::move(space));
  EXPECT_EQ(told(*space, "Alice", "secret"), "two");
  EXPECT_TRUE(verify_log(space->log()));
  EXPECT_TRUE(verify_views(space->folder(), system_files()));
  ASSERT_TRUE(space->erase("diary"));
  EXPECT_EQ(told(*space, "Alice", "secret"), "");
}

// --- against a model ----------------------------------------------------------------------------

std::string word(const Snapshot& snapshot, Term term) {
  return term.is_entity() ? std::to_string(static_cast<std::uint32_t>(term.as_entity())) + "=" +
                                std::string(snapshot.name(term.as_entity()))
                          : snapshot.display(term);
}

// All that one can see of a state: statements with who says them since when, and versions.
std::set<std::string> seen(const Snapshot& snapshot, bool with_times = true) {
  std::set<std::string> all;
  for (const auto kind : {PredicateClass::kLink, PredicateClass::kStructural,
                          PredicateClass::kAttribute, PredicateClass::kMetadata}) {
    Pattern pattern;
    pattern.predicate_class = kind;
    Cursor cursor = snapshot.scan(pattern);
    for (Triple triple; cursor.next({&triple, 1}) != 0;) {
      const StatementWords words = statement_words(snapshot, triple);
      std::string line = word(snapshot, Term::entity(triple.subject)) + " " + words.predicate +
                         " " + word(snapshot, triple.object);
      for (const Assertion& one : snapshot.assertions(triple)) {
        line += " " + std::to_string(static_cast<std::uint32_t>(one.graph)) + ":" +
                std::to_string(one.confidence);
        if (with_times) line += "@" + std::to_string(static_cast<std::uint64_t>(one.born));
      }
      const auto link = kind == PredicateClass::kLink ? snapshot.find_proposition(triple)
                                                      : std::optional<EntityId>{};
      if (link) line += " P" + std::to_string(static_cast<std::uint32_t>(*link));
      for (const EntityId entity : {triple.subject, link.value_or(EntityId::kNone)}) {
        line += " |";
        if (entity == EntityId::kNone || !with_times) continue;
        for (const Sequence at : snapshot.history(entity))
          line += " " + std::to_string(static_cast<std::uint64_t>(at));
      }
      all.insert(line);
    }
  }
  return all;
}

// Things, attributes, links, statements about links, graphs: made, changed and taken back.
Status random_change(Transaction& t, std::mt19937& random, int round) {
  const auto pick = [&](int bound) {
    return static_cast<int>(random() % static_cast<unsigned>(bound));
  };
  const std::string name = "thing " + std::to_string(pick(6));
  AssertOptions options;
  options.graph = pick(3) == 0 ? t.graph("graph " + std::to_string(pick(2))) : GraphId::kDefault;
  options.confidence = 0.5 + 0.1 * pick(4);
  ANIMA_ASSIGN(const EntityId predicate, t.upsert_predicate("p" + std::to_string(pick(2))));
  ANIMA_ASSIGN(const EntityId a, t.upsert_concept(kEntityType, name, options));
  ANIMA_ASSIGN(const EntityId b,
               t.upsert_concept(kEntityType, "thing " + std::to_string(pick(6)), options));
  const Triple link{a, Predicate::link(predicate), Term::entity(b)};
  switch (pick(7)) {
    case 0:
    case 1: {
      std::vector<Term> values;
      for (int i = pick(3); i >= 0; --i) {
        const std::string text = "v" + std::to_string(pick(9)) + "." + std::to_string(round / 20);
        ANIMA_ASSIGN(const Term term, t.term(Value::string(text).view()));
        // A number, also one that looks like the mark of a value that went.
        const int number = pick(2) == 0 ? pick(9) : -1 - static_cast<int>(term.place());
        values.push_back(pick(4) == 0 ? Term::integer(number) : term);
      }
      return t.set_attribute(a, "k" + std::to_string(pick(2)), values, options);
    }
    case 2:
      return t.assert_link(link, options).map([](EntityId) {});
    case 3: {
      ANIMA_ASSIGN(const EntityId said, t.assert_link(link, options));
      ANIMA_ASSIGN(const Term term, t.term(Value::string("why " + std::to_string(round)).view()));
      ANIMA_TRY(t.set_metadata(said, "reason", std::span(&term, 1), options));
      return pick(2) == 0
                 ? Status()
                 : t.assert_link({said, Predicate::link(predicate), Term::entity(a)}, options)
                       .map([](EntityId) {});
    }
    case 4: {
      const auto known = t.view().find_proposition(link);
      if (known && t.view().contains(link)) (void)t.retract_link(link, options.graph);
      return {};
    }
    case 5:
      return pick(2) == 0 ? t.retract_concept(a, options.graph, true) : Status();
    default:
      return pick(6) == 0 && options.graph != GraphId::kDefault ? t.drop_graph(options.graph)
                                                                : Status();
  }
}

void expect_same(Space& space, Sequence until, const std::vector<std::set<std::string>>& states) {
  const Snapshot now = space.snapshot().value();
  for (std::size_t at = static_cast<std::size_t>(until); at < states.size(); ++at) {
    const auto then = now.as_of(Sequence{at});
    ASSERT_TRUE(then) << then.error().describe();
    EXPECT_EQ(seen(*then), states[at])
        << "as of " << at << ", compacted to " << static_cast<std::uint64_t>(until);
  }
}

// The same entry is undone in the whole log and in the compacted one.
void expect_same_undo(const TemporaryDirectory& folder, Sequence entry) {
  std::vector<std::set<std::string>> after;
  std::vector<bool> undone;
  for (const char* name : {"whole", "cut"}) {
    const auto space = open_space(folder.file(name));
    const auto report = space->undo(kAda, entry, entry, true, false);
    undone.push_back(report.has_value());
    after.push_back(seen(*space->snapshot(), false));
  }
  EXPECT_EQ(undone[0], undone[1]);
  EXPECT_EQ(after[0], after[1]) << "undone: " << static_cast<std::uint64_t>(entry);
  for (const char* name : {"whole", "cut"}) std::filesystem::remove_all(folder.file(name));
}

void random_space(unsigned seed) {
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  const TemporaryDirectory folder;
  auto space = open_space(folder.file("space"));
  std::vector<std::set<std::string>> states;
  const auto look = [&] {
    const Snapshot now = space->snapshot().value();
    states.resize(static_cast<std::size_t>(now.sequence()) + 1);
    states.back() = seen(now);
  };
  for (int round = 0; round < 90; ++round) {
    write(*space, [&](Transaction& t) { return random_change(t, random, round); });
    look();
    if (round % 37 == 5) {
      ASSERT_TRUE(space->checkpoint());
    }
    if (round % 30 == 29) {
      const Sequence until{static_cast<std::uint64_t>(head(*space)) - random() % 12};
      if (until < oldest_state(*space->snapshot())) continue;
      const std::set<std::string> before = seen(*space->snapshot());
      std::filesystem::copy(space->folder(), folder.file("whole"));
      compact_to(*space, until);
      std::filesystem::copy(space->folder(), folder.file("cut"));
      expect_same_undo(folder, Sequence{static_cast<std::uint64_t>(until) + 1});
      if (round % 60 == 29) space = from_log_alone(std::move(space));
      look();
      EXPECT_EQ(states.back(), before);
      expect_same(*space, std::max(until, Sequence{1}), states);
      const auto audited = verify_log(space->log());
      EXPECT_TRUE(audited) << audited.error().describe();
      const auto views = verify_views(space->folder(), system_files());
      EXPECT_TRUE(views) << views.error().describe();
    }
    if (testing::Test::HasFailure()) return;
  }
}

// Things with three values each; every tenth thing gets new values once.
Status tell_many(Transaction& t, int first, int count, int step, int round) {
  for (int i = first; i < first + count; i += step) {
    ANIMA_ASSIGN(const EntityId entity,
                 t.upsert_concept(kEntityType, "thing number " + std::to_string(i)));
    for (const char* key : {"story", "place", "note"}) {
      const std::string text =
          std::string(key) + " of " + std::to_string(i) + " as of " + std::to_string(round);
      ANIMA_ASSIGN(const Term term, t.term(Value::string(text).view()));
      ANIMA_TRY(t.set_attribute(entity, key, std::span(&term, 1)));
    }
  }
  return {};
}

TEST(Compact, AMillionStatementsInTheLongRun) {
  const char* full = std::getenv("ANIMA_TEST_FULL");
  const int things = full != nullptr && *full != '\0' ? 250'000 : 500;
  const TemporaryDirectory folder;
  const auto space = open_space(folder.file("space"));
  constexpr int kAtOnce = 250;
  for (int first = 0; first < things; first += kAtOnce)
    write(*space, [&](Transaction& t) { return tell_many(t, first, kAtOnce, 1, 0); });
  for (int first = 0; first < things; first += kAtOnce)
    write(*space, [&](Transaction& t) { return tell_many(t, first, kAtOnce, 10, 1); });
  ASSERT_TRUE(space->checkpoint());
  const auto began = std::chrono::steady_clock::now();
  const CompactReport report = compact_to(*space, head(*space));
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  EXPECT_EQ(report.emptied, static_cast<std::uint64_t>(things / 10 * 3));
  EXPECT_EQ(report.values, static_cast<std::uint64_t>(things / 10 * 3));
  std::cout << "compacted " << things * 4 << " statements in " << seconds
            << " s: " << report.bytes_before << " bytes before, " << report.bytes_after
            << " after\n";
}

TEST(Compact, RandomSpacesStayWhatTheyWere) {
  const char* full = std::getenv("ANIMA_TEST_FULL");
  const unsigned seeds = full != nullptr && *full != '\0' ? 300 : 4;
  for (unsigned seed = 1; seed <= seeds; ++seed) {
    random_space(seed);
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace anima::store::compact_test
