// What is forgotten is nowhere, what is not stays, and the log still proves itself.
#include "store/forget.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "base/crypto.h"
#include "base/files/file.h"
#include "store/backup.h"
#include "store/bulk.h"
#include "store/log/sqlite.h"
#include "store/log/sqlite_log.h"
#include "store/space.h"
#include "store/verify/audit.h"
#include "store/verify/erasure_certificate.h"
#include "store/verify/offline_audit.h"
#include "store/verify/verify_views.h"
#include "support/files_with.h"
#include "support/small_space.h"

namespace anima::store::forget_test {
namespace {

using test::files_with;
using test::from_log_alone;
using test::open_space;
using test::say;
using test::told;

const Origin kAda{"ada", "desk", Trust::kStandard, Sequence::kNone};
const Origin kBob{"bob", "import", Trust::kStandard, Sequence::kNone};

void write(Space& space, const Origin& origin, const std::function<Status(Transaction&)>& change) {
  const auto receipt = space.write(origin, change);
  ASSERT_TRUE(receipt) << receipt.error().describe();
}

Status link(Transaction& transaction, const std::string& from, const std::string& predicate,
            const std::string& to, double confidence = 1.0) {
  ANIMA_ASSIGN(const EntityId kind, transaction.upsert_predicate(predicate));
  ANIMA_ASSIGN(const EntityId subject, transaction.upsert_concept(kEntityType, from));
  ANIMA_ASSIGN(const EntityId object, transaction.upsert_concept(kEntityType, to));
  AssertOptions options;
  options.confidence = confidence;
  return transaction.assert_link({subject, Predicate::link(kind), Term::entity(object)}, options)
      .map([](EntityId) {});
}

EntityId thing(Space& space, const std::string& name) {
  return space.snapshot()->find_concept(kEntityType, name).value_or(EntityId::kNone);
}

ForgetReport forget_things(Space& space, std::vector<EntityId> things) {
  Forgetting what;
  what.entities = std::move(things);
  auto report = forget(space, kAda, what, Timestamp{}, false);
  EXPECT_TRUE(report) << report.error().describe();
  return report ? std::move(*report) : ForgetReport{};
}

TEST(Forget, AThingLeavesEveryFileAndTheRestStays) {
  const TemporaryDirectory temporary;
  auto space = open_space(temporary.path());
  write(*space, kAda,
        [](Transaction& t) { return say(t, "Alice Secretname", "phone", "0170-112"); });
  write(*space, kAda, [](Transaction& t) { return link(t, "Alice Secretname", "knows", "Carl"); });
  write(*space, kAda, [](Transaction& t) { return say(t, "Carl", "phone", "0170-999"); });
  write(*space, kAda,
        [](Transaction& t) { return say(t, "Alice Secretname", "phone", "0170-113"); });
  ASSERT_TRUE(space->checkpoint());
  const EntityId alice = thing(*space, "Alice Secretname");
  SystemRandom random;
  const auto key = obtain_signing_key(*space, kAda, system_files(), random);
  ASSERT_TRUE(key);
  const auto checkpoint = make_checkpoint(space->log(), *key);
  ASSERT_TRUE(checkpoint);

  const ForgetReport report = forget_things(*space, {alice});
  EXPECT_EQ(report.things, 1u);
  EXPECT_EQ(report.entries.size(), 3u);
  EXPECT_EQ(thing(*space, "Alice Secretname"), EntityId::kNone);
  EXPECT_EQ(told(*space, "Carl", "phone"), "0170-999");
  EXPECT_TRUE(verify_log(space->log(), *checkpoint)) << "the old checkpoint still holds";
  EXPECT_TRUE(verify_views(space->folder(), system_files()));
  for (const char* secret : {"Secretname", "0170-112", "0170-113"})
    EXPECT_EQ(files_with(space->folder(), secret), std::vector<std::string>{}) << secret;

  space = from_log_alone(std::move(space));
  EXPECT_EQ(thing(*space, "Alice Secretname"), EntityId::kNone);
  EXPECT_EQ(told(*space, "Carl", "phone"), "0170-999");
  write(*space, kAda, [](Transaction& t) { return say(t, "Alice Secretname", "phone", "1"); });
  EXPECT_NE(thing(*space, "Alice Secretname"), alice) << "a number is never given again";
  EXPECT_TRUE(verify_log(space->log()));
}

TEST(Forget, ValuesThatOthersUseStay) {
  auto space = *Space::in_memory();
  write(*space, kAda, [](Transaction& t) { return say(t, "Alice", "city", "Bremen"); });
  write(*space, kAda, [](Transaction& t) { return say(t, "Carl", "city", "Bremen"); });
  forget_things(*space, {thing(*space, "Alice")});
  EXPECT_EQ(told(*space, "Carl", "city"), "Bremen");
  EXPECT_EQ(thing(*space, "Alice"), EntityId::kNone);
}

TEST(Forget, ASourceGoesAndWhatOthersSaidStays) {
  const TemporaryDirectory temporary;
  auto space = open_space(temporary.path());
  write(*space, kBob, [](Transaction& t) { return link(t, "Mill", "grinds", "Wheat"); });
  write(*space, kBob, [](Transaction& t) { return say(t, "Mill", "owner", "Old Owner"); });
  // What is said again in the same way is no new entry; with another confidence it is.
  write(*space, kAda, [](Transaction& t) { return link(t, "Mill", "grinds", "Wheat", 0.9); });
  write(*space, kBob, [](Transaction& t) { return link(t, "Mill", "grinds", "Rye"); });
  write(*space, kAda, [](Transaction& t) { return say(t, "Mill", "owner", "New Owner"); });
  Forgetting what;
  what.entries = [](const LogEntry& entry) { return entry.origin.source == "import"; };
  const auto report = forget(*space, kAda, what, Timestamp{}, false);
  ASSERT_TRUE(report) << report.error().describe();
  for (int round = 0; round < 2; ++round) {
    const Snapshot now = space->snapshot().value();
    const auto mill = now.find_concept(kEntityType, "Mill");
    ASSERT_TRUE(mill);
    const auto grinds = now.find_predicate("grinds");
    ASSERT_TRUE(grinds) << "the vocabulary stays";
    Scratch scratch;
    EXPECT_EQ(now.objects(*mill, Predicate::link(*grinds), scratch).size(), 1u);
    EXPECT_EQ(told(*space, "Mill", "owner"), "New Owner");
    EXPECT_FALSE(now.find_concept(kEntityType, "Rye"));
    EXPECT_TRUE(files_with(space->folder(), "Old Owner").empty());
    EXPECT_TRUE(verify_log(space->log()));
    if (round == 0) space = from_log_alone(std::move(space));
  }
}

TEST(Forget, WhatWasWithdrawnIsNotRevived) {
  auto space = *Space::in_memory();
  write(*space, kAda, [](Transaction& t) { return say(t, "Mill", "owner", "First"); });
  write(*space, kBob, [](Transaction& t) { return say(t, "Mill", "owner", "Second"); });
  Forgetting what;
  what.entries = [](const LogEntry& entry) { return entry.origin.source == "import"; };
  ASSERT_TRUE(forget(*space, kAda, what, Timestamp{}, false));
  EXPECT_EQ(told(*space, "Mill", "owner"), "");
}

TEST(Forget, WhatIsLeftOfASealedEntryStaysSealed) {
  const TemporaryDirectory temporary;
  auto space = open_space(temporary.path());
  ASSERT_TRUE(space->write_sealed(kAda, "diary", [](Transaction& t) -> Status {
    ANIMA_TRY(say(t, "Alice", "secret", "she left in May"));
    return say(t, "Carl", "secret", "he stays at home");
  }));
  forget_things(*space, {thing(*space, "Alice")});
  space = from_log_alone(std::move(space));
  EXPECT_EQ(told(*space, "Carl", "secret"), "he stays at home");
  EXPECT_EQ(thing(*space, "Alice"), EntityId::kNone);
  EXPECT_TRUE(verify_log(space->log()));
  const auto log = read_file(system_files(), detail::log_path(temporary.path()));
  ASSERT_TRUE(log);
  EXPECT_EQ(log->find("he stays at home"), std::string::npos);
  ASSERT_TRUE(space->erase("diary"));
  EXPECT_EQ(thing(*space, "Carl"), EntityId::kNone);
  EXPECT_TRUE(verify_log(space->log()));
}

TEST(Forget, DryRunTellsAndChangesNothing) {
  auto space = *Space::in_memory();
  write(*space, kAda, [](Transaction& t) { return say(t, "Alice", "city", "Bremen"); });
  const Head before = *space->log().head();
  Forgetting what;
  what.entities = {thing(*space, "Alice")};
  const auto report = forget(*space, kAda, what, Timestamp{}, true);
  ASSERT_TRUE(report);
  EXPECT_EQ(report->statements.size(), 2u);
  EXPECT_EQ(space->log().head()->hash, before.hash);
  EXPECT_EQ(told(*space, "Alice", "city"), "Bremen");
}

TEST(Forget, AnotherProcessSeesItGo) {
  const TemporaryDirectory temporary;
  auto one = open_space(temporary.path());
  write(*one, kAda, [](Transaction& t) { return say(t, "Alice", "city", "Bremen"); });
  auto other = open_space(temporary.path());
  const Snapshot was = other->snapshot().value();
  EXPECT_EQ(told(*other, "Alice", "city"), "Bremen");
  forget_things(*one, {thing(*one, "Alice")});
  EXPECT_EQ(thing(*other, "Alice"), EntityId::kNone);
  const Status written = other->visit_written(was.sequence(), other->snapshot()->sequence(),
                                              [](const WrittenKey&) { return Status(); });
  ASSERT_FALSE(written) << "a view of the space has to be made again";
  EXPECT_EQ(written.error().code, ErrorCode::kNotFound);
  write(*other, kBob, [](Transaction& t) { return say(t, "Carl", "city", "Bremen"); });
  EXPECT_EQ(told(*one, "Carl", "city"), "Bremen");
}

TEST(Forget, RefusesWhatOthersNeed) {
  auto space = *Space::in_memory();
  write(*space, kAda, [](Transaction& t) { return link(t, "Mill", "grinds", "Rye"); });
  Forgetting what;
  what.entities = {*space->snapshot()->find_predicate("grinds")};
  EXPECT_EQ(forget(*space, kAda, what, Timestamp{}, false).error().code, ErrorCode::kConflict);
  what.entities = {kEntityType};
  EXPECT_EQ(forget(*space, kAda, what, Timestamp{}, false).error().code, ErrorCode::kDenied);
  what.entities = {EntityId{4'000}};
  EXPECT_EQ(forget(*space, kAda, what, Timestamp{}, false).error().code, ErrorCode::kNotFound);
}

TEST(Forget, TheCertificateHoldsAndAForgedOneDoesNot) {
  const TemporaryDirectory temporary;
  auto space = open_space(temporary.path());
  write(*space, kAda, [](Transaction& t) { return say(t, "Alice", "city", "Bremen"); });
  const ForgetReport report = forget_things(*space, {thing(*space, "Alice")});
  SystemRandom random;
  const auto certificate = make_certificate(*space, {report.receipt.sequence, "Alice", {}}, kAda,
                                            system_files(), random);
  ASSERT_TRUE(certificate) << certificate.error().describe();
  const auto check = verify_certificate(*certificate, &space->log());
  ASSERT_TRUE(check) << check.error().describe();
  EXPECT_EQ(check->entries, 1u);
  EXPECT_NE(certificate_text(*certificate).find("Alice"), std::string::npos);
  Json forged = *certificate;
  forged.set("values", 99);
  EXPECT_EQ(verify_certificate(forged, nullptr).error().code, ErrorCode::kCorrupt);
  // A second forgetting takes more from the same log, and the first certificate still holds.
  write(*space, kAda, [](Transaction& t) { return say(t, "Carl", "city", "Kiel"); });
  forget_things(*space, {thing(*space, "Carl")});
  EXPECT_TRUE(verify_certificate(*certificate, &space->log()));
}

// Each member, and one more: nobody can change, add or leave out anything.
TEST(Forget, TheCertificateIsSignedAsAWhole) {
  const TemporaryDirectory temporary;
  auto space = open_space(temporary.path());
  write(*space, kAda, [](Transaction& t) { return say(t, "Alice", "city", "Bremen"); });
  const ForgetReport report = forget_things(*space, {thing(*space, "Alice")});
  SystemRandom random;
  CertificateRequest request{report.receipt.sequence, "Alice", {"alice"}};
  request.not_touched = {"C:12 Alice Springs"};
  const auto certificate = make_certificate(*space, request, kAda, system_files(), random);
  ASSERT_TRUE(certificate) << certificate.error().describe();
  const auto check = verify_certificate(*certificate, &space->log());
  ASSERT_TRUE(check) << check.error().describe();
  EXPECT_TRUE(check->signed_whole);
  for (const JsonMember& member : certificate->as_object()) {
    Json changed = *certificate, without = Json::object();
    changed.set(member.first, "something else");
    for (const JsonMember& other : certificate->as_object())
      if (other.first != member.first) without.set(other.first, other.second);
    EXPECT_FALSE(verify_certificate(changed, &space->log())) << member.first;
    EXPECT_FALSE(verify_certificate(without, &space->log())) << member.first;
  }
  Json more = *certificate;
  more.set("note", "all backups are gone, too");
  EXPECT_FALSE(verify_certificate(more, &space->log()));
  // As if an older program had written it: the record knows better.
  Json older = Json::object();
  for (const JsonMember& member : certificate->as_object())
    if (member.first != "signature") older.set(member.first, member.second);
  older.set("anima_certificate_of_erasure", 1);
  EXPECT_FALSE(verify_certificate(older, nullptr));
  Json newer = *certificate;
  newer.set("anima_certificate_of_erasure", 3);
  EXPECT_EQ(verify_certificate(newer, nullptr).error().code, ErrorCode::kVersionMismatch);
}

TEST(Forget, TheCertificateSaysWhatIsWrongWithTheNoteOfBackups) {
  const TemporaryDirectory temporary;
  const std::string folder = join_path(temporary.path(), "space");
  auto space = open_space(folder);
  write(*space, kAda, [](Transaction& t) { return say(t, "Alice", "city", "Bremen"); });
  SystemClock clock;
  const std::string notes = join_path(folder, "backups.jsonl");
  for (const char* name : {"one", "two", "three"})
    ASSERT_TRUE(backup_space(*space, join_path(temporary.path(), name), clock, system_files()));
  const std::string whole = *read_file(system_files(), notes);
  Forgetting what;
  what.entities = {thing(*space, "Alice")};
  const ForgetReport report = *forget(*space, kAda, what, clock.now(), false);
  SystemRandom random;
  const auto certificate = [&] {
    return *make_certificate(*space, {report.receipt.sequence, "Alice", {}}, kAda, system_files(),
                             random);
  };
  EXPECT_EQ(certificate().find("backups")->as_array().size(), 3u);
  EXPECT_EQ(*certificate().find("backups_note"), Json(""));

  // A byte of the second line, a line that is missing, a torn tail, and none at all.
  std::string damaged = whole;
  damaged[whole.find("/two") + 1] = 'T';
  const std::size_t second = whole.find('\n') + 1, third = whole.find('\n', second) + 1;
  for (const auto& [text, listed, line] :
       {std::tuple{damaged, 2u, "line 2"},
        std::tuple{whole.substr(0, second) + whole.substr(third), 2u, "line 2"},
        std::tuple{whole.substr(0, whole.size() - 9), 2u, "line 3"}}) {
    ASSERT_TRUE(replace_file(system_files(), notes, text));
    const Json told = certificate();
    EXPECT_EQ(told.find("backups")->as_array().size(), listed);
    EXPECT_NE(told.find("backups_note")->as_string().find(line), std::string::npos) << text;
    EXPECT_NE(certificate_text(told).find("may exist that are not listed"), std::string::npos);
  }
  // A backup after the damage is noted, and the damage is still seen.
  ASSERT_TRUE(backup_space(*space, join_path(temporary.path(), "four"), clock, system_files()));
  EXPECT_EQ(known_backups(folder, system_files())->back().path,
            join_path(temporary.path(), "four"));
  EXPECT_TRUE(backup_notes(folder, system_files())->damaged_from);
  ASSERT_TRUE(system_files().remove(notes));
  const std::string gone = certificate_text(certificate());
  EXPECT_NE(gone.find("may exist that are not listed"), std::string::npos) << gone;
  EXPECT_EQ(gone.find("knows of no backup"), std::string::npos) << gone;
}

TEST(Forget, KeysGraphsAndUnusedPredicatesGo) {
  const TemporaryDirectory temporary;
  auto space = open_space(temporary.path());
  write(*space, kAda, [](Transaction& t) -> Status {
    ANIMA_TRY(say(t, "Carl", "zorbel_phone", "0170-1"));
    ANIMA_TRY(say(t, "Carl", "city", "Kiel"));
    ANIMA_TRY(link(t, "Carl", "knows_zorbel", "Dora"));
    AssertOptions there;
    there.graph = t.graph("http://x/zorbel");
    ANIMA_ASSIGN(const EntityId erik, t.upsert_concept(kEntityType, "Erik", there));
    (void)erik;
    return {};
  });
  const EntityId predicate = *space->snapshot()->find_predicate("knows_zorbel");
  const Triple linked{thing(*space, "Carl"), Predicate::link(predicate),
                      Term::entity(thing(*space, "Dora"))};
  const EntityId proposition = *space->snapshot()->find_proposition(linked);
  Forgetting what;
  what.entities = {predicate, proposition};
  what.keys = {*space->snapshot()->find_string("zorbel_phone")};
  what.graphs = {*space->snapshot()->find_graph("http://x/zorbel")};
  const auto report = forget(*space, kAda, what, Timestamp{}, false);
  ASSERT_TRUE(report) << report.error().describe();
  EXPECT_EQ(report->graphs, 1u);
  EXPECT_EQ(files_with(space->folder(), "zorbel"), std::vector<std::string>{});
  EXPECT_EQ(told(*space, "Carl", "city"), "Kiel");
  EXPECT_NE(thing(*space, "Erik"), EntityId::kNone) << "what stands in the graph stays";
  EXPECT_TRUE(verify_views(space->folder(), system_files()));
  space = from_log_alone(std::move(space));
  EXPECT_NE(thing(*space, "Erik"), EntityId::kNone);
  EXPECT_FALSE(space->snapshot()->find_graph("http://x/zorbel"));
}

TEST(Forget, WhatIsLeftCannotBeChangedUnnoticed) {
  const TemporaryDirectory temporary;
  auto space = open_space(temporary.path());
  write(*space, kAda, [](Transaction& t) -> Status {
    ANIMA_TRY(say(t, "Alice", "city", "Bremen"));
    return say(t, "Carl", "city", "Hagen");
  });
  const ForgetReport report = forget_things(*space, {thing(*space, "Alice")});
  ASSERT_EQ(report.entries.size(), 1u);
  space.reset();
  auto log = detail::Database::open(detail::log_path(temporary.path()),
                                    detail::DatabaseMode::kReadWrite, {}, 1'000);
  ASSERT_TRUE(log);
  auto read = log->prepare("SELECT entry FROM log WHERE sequence = ?");
  read->bind(1, static_cast<std::int64_t>(report.entries[0].sequence));
  ASSERT_TRUE(*read->step());
  std::string row(read->blob(0));
  read->reset();
  row[row.find("Hagen")] = 'W';
  auto update = log->prepare("UPDATE log SET entry = ?2 WHERE sequence = ?1");
  update->bind(1, static_cast<std::int64_t>(report.entries[0].sequence));
  update->bind_blob(2, row);
  ASSERT_TRUE(update->run());
  const auto opened = open_log(temporary.path());
  ASSERT_TRUE(opened);
  const auto verified = verify_log(**opened);
  ASSERT_FALSE(verified);
  EXPECT_EQ(verified.error().code, ErrorCode::kCorrupt);
}

// --- against a model ----------------------------------------------------------------------------

using Row = std::tuple<std::string, std::string, std::string>;

std::string word(const Snapshot& snapshot, Term term) {
  return term.is_entity() ? std::string(snapshot.name(term.as_entity())) : snapshot.display(term);
}

std::set<Row> rows_of(const Snapshot& snapshot, const std::string& without) {
  std::set<Row> rows;
  for (const auto kind : {PredicateClass::kLink, PredicateClass::kStructural,
                          PredicateClass::kAttribute, PredicateClass::kMetadata}) {
    Pattern all;
    all.predicate_class = kind;
    Cursor cursor = snapshot.scan(all);
    for (Triple triple; cursor.next({&triple, 1}) != 0;) {
      Triple about = triple;
      while (snapshot.kind(about.subject) == EntityKind::kProposition)
        about = snapshot.triple_of(about.subject);
      const std::string subject(snapshot.name(about.subject));
      if (subject == without || word(snapshot, about.object) == without ||
          word(snapshot, triple.object) == without) {
        continue;
      }
      rows.emplace(subject + "/" + std::to_string(static_cast<std::uint32_t>(triple.subject)),
                   std::to_string(triple.predicate.code), word(snapshot, triple.object));
    }
  }
  return rows;
}

Status random_change(Transaction& t, std::mt19937& dice) {
  const auto name = [&] { return "thing" + std::to_string(dice() % 12); };
  switch (dice() % 6) {
    case 0:
    case 1:
      return say(t, name(), "key" + std::to_string(dice() % 3),
                 "value" + std::to_string(dice() % 9));
    case 2:
      return link(t, name(), "rel" + std::to_string(dice() % 2), name());
    case 3: {
      ANIMA_ASSIGN(const EntityId kind, t.upsert_predicate("rel0"));
      ANIMA_ASSIGN(const EntityId subject, t.upsert_concept(kEntityType, name()));
      ANIMA_ASSIGN(const EntityId object, t.upsert_concept(kEntityType, name()));
      ANIMA_ASSIGN(const EntityId proposition,
                   t.assert_link({subject, Predicate::link(kind), Term::entity(object)}));
      ANIMA_ASSIGN(const Term term,
                   t.term(Value::string("note" + std::to_string(dice() % 5)).view()));
      return t.set_metadata(proposition, "note", std::span(&term, 1));
    }
    case 4: {
      const auto found = t.view().find_concept(kEntityType, name());
      if (!found) return {};
      return t.retract_concept(*found, GraphId::kDefault, true);
    }
    default: {
      ANIMA_ASSIGN(const EntityId kind, t.upsert_predicate("rel1"));
      BulkWriter bulk(t, {});
      for (int i = 0; i < 4; ++i) {
        ANIMA_ASSIGN(const EntityId subject, bulk.upsert_concept(kEntityType, name()));
        ANIMA_ASSIGN(const EntityId object, bulk.upsert_concept(kEntityType, name()));
        bulk.add({subject, Predicate::link(kind), Term::entity(object)});
      }
      return bulk.finish();
    }
  }
}

TEST(Forget, LeavesExactlyTheRestInEveryPast) {
  for (unsigned seed = 1; seed <= 25; ++seed) {
    std::mt19937 dice(seed);
    auto space = *Space::in_memory();
    for (int i = 0; i < 60; ++i) {
      const Origin& origin = i % 3 == 0 ? kBob : kAda;
      ASSERT_TRUE(space->write(origin, [&](Transaction& t) { return random_change(t, dice); }));
    }
    const std::string victim = "thing" + std::to_string(dice() % 12);
    const Snapshot before = space->snapshot().value();
    std::vector<EntityId> things;
    for (std::uint32_t id = 4; id < before.entity_bound(); ++id) {
      if (before.kind(EntityId{id}) == EntityKind::kConcept && before.name(EntityId{id}) == victim)
        things.push_back(EntityId{id});
    }
    if (things.empty()) continue;
    forget_things(*space, things);
    const Snapshot after = space->snapshot().value();
    for (std::uint64_t at = 2; at <= static_cast<std::uint64_t>(before.sequence()); at += 7) {
      EXPECT_EQ(rows_of(*after.as_of(Sequence{at}), victim),
                rows_of(*before.as_of(Sequence{at}), victim))
          << "seed " << seed << " entry " << at;
    }
    EXPECT_EQ(rows_of(after, {}), rows_of(before, victim)) << "seed " << seed;
    EXPECT_TRUE(verify_log(space->log()));
  }
}

}  // namespace
}  // namespace anima::store::forget_test
