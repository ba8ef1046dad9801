// Counters and the audit of a store of learnings.
#include <algorithm>
#include <utility>

#include "base/text/text.h"
#include "learn/detail/database.h"
#include "learn/learning_store.h"

namespace anima::learn {
namespace {

using detail::Database;
using detail::Statement;
using detail::Turn;

constexpr std::int64_t kDaySeconds = 86'400;
constexpr std::int64_t kUnseenSeconds = 30 * kDaySeconds;    // then a count begins at nothing
constexpr std::int64_t kEvidenceSeconds = 90 * kDaySeconds;  // longer than what it was counted for
constexpr std::size_t kMostExampleBytes = 400;
constexpr std::size_t kMostKeyBytes = 1024;
constexpr std::int64_t kMostAuditRows = 10'000;

std::optional<PatternKind> kind_named(std::string_view name) {
  for (const PatternKind kind :
       {PatternKind::kRejection, PatternKind::kAcceptance, PatternKind::kCorrection,
        PatternKind::kFailure, PatternKind::kSuccess}) {
    if (to_string(kind) == name) return kind;
  }
  return std::nullopt;
}

store::Trust trust_of(std::int64_t number) {
  const auto most = static_cast<std::int64_t>(store::Trust::kSystem);
  return number < 0 || number > most ? store::Trust::kHostile : static_cast<store::Trust>(number);
}

Result<std::optional<PatternCount>> read_count(Database& database, std::string_view kind,
                                               std::string_view key, std::int64_t since) {
  ANIMA_ASSIGN(Statement statement,
               database.prepare("SELECT n, example, trust FROM pattern_counts WHERE kind = ?1 AND "
                                "key = ?2 AND last_ts >= ?3"));
  ANIMA_ASSIGN(const bool there, statement.bind(1, kind).bind(2, key).bind(3, since).step());
  const auto known = kind_named(kind);
  if (!there || !known) return std::optional<PatternCount>();
  return std::optional<PatternCount>(PatternCount{*known, std::string(key), statement.integer(0),
                                                  statement.text(1),
                                                  trust_of(statement.integer(2))});
}

// What is too old, and the rarest of too many.
Status trim_counts(Database& database, std::int64_t now, std::size_t most) {
  ANIMA_ASSIGN(Statement old, database.prepare("DELETE FROM pattern_counts WHERE last_ts < ?1"));
  ANIMA_TRY(old.bind(1, now - kUnseenSeconds).run());
  ANIMA_ASSIGN(Statement rare,
               database.prepare("DELETE FROM pattern_counts WHERE rowid IN (SELECT rowid FROM "
                                "pattern_counts ORDER BY n DESC, last_ts DESC, kind, key "
                                "LIMIT -1 OFFSET ?1)"));
  ANIMA_TRY(rare.bind(1, static_cast<std::int64_t>(most)).run());
  ANIMA_ASSIGN(Statement seen, database.prepare("DELETE FROM evidence WHERE ts < ?1"));
  return seen.bind(1, now - kEvidenceSeconds).run();
}

// False: it was there already.
Result<bool> add_evidence(Database& database, const PatternHit& hit, std::int64_t now) {
  if (hit.evidence.empty()) return true;
  ANIMA_ASSIGN(Statement statement, database.prepare("INSERT OR IGNORE INTO evidence(id, kind, "
                                                     "key, ts) VALUES(?1, ?2, ?3, ?4)"));
  ANIMA_TRY(statement.bind(1, hit.evidence)
                .bind(2, to_string(hit.kind))
                .bind(3, hit.key)
                .bind(4, now)
                .run());
  return database.changes() > 0;
}

// The numbers of the rows of a text that `names` says yes to.
Result<std::vector<std::int64_t>> rows_naming(Database& database, const std::string& table,
                                              const std::string& text,
                                              const std::function<bool(std::string_view)>& names) {
  std::vector<std::int64_t> found;
  ANIMA_ASSIGN(Statement statement, database.prepare("SELECT rowid, " + text + " FROM " + table));
  for (;;) {
    ANIMA_ASSIGN(const bool there, statement.step());
    if (!there) return found;
    if (names(statement.text(1))) found.push_back(statement.integer(0));
  }
}

}  // namespace

Result<std::optional<PatternCount>> LearningStore::count(std::string_view shard,
                                                         const PatternHit& given) {
  PatternHit hit = given;
  hit.key = std::string(beginning_of(hit.key, kMostKeyBytes));
  ANIMA_ASSIGN(Database* const database, to_write(shard));
  ANIMA_ASSIGN(Turn turn, Turn::begin(*database));
  const std::int64_t now = seconds_now();
  ANIMA_ASSIGN(const bool fresh, add_evidence(*database, hit, now));
  if (!fresh) return std::optional<PatternCount>();
  const std::string_view kind = to_string(hit.kind);
  ANIMA_ASSIGN(const std::optional<PatternCount> before,
               read_count(*database, kind, hit.key, now - kUnseenSeconds));
  PatternCount count{hit.kind, hit.key, 0,
                     std::string(beginning_of(hit.example, kMostExampleBytes)),
                     before ? std::min(before->trust, hit.trust) : hit.trust};
  count.n = std::max(before ? before->n : 0, hit.at_least) + 1;
  ANIMA_ASSIGN(
      Statement statement,
      database->prepare("INSERT INTO pattern_counts(kind, key, n, last_ts, example, trust) "
                        "VALUES(?1, ?2, ?3, ?4, ?5, ?6) ON CONFLICT(kind, key) DO UPDATE "
                        "SET n = ?3, last_ts = ?4, example = ?5, trust = ?6"));
  ANIMA_TRY(statement.bind(1, kind)
                .bind(2, count.key)
                .bind(3, count.n)
                .bind(4, now)
                .bind(5, count.example)
                .bind(6, static_cast<std::int64_t>(count.trust))
                .run());
  ANIMA_TRY(trim_counts(*database, now, options_.most_patterns));
  ANIMA_TRY(turn.commit());
  return std::optional<PatternCount>(std::move(count));
}

Result<std::optional<PatternCount>> LearningStore::uncount(std::string_view shard,
                                                           std::string_view evidence) {
  ANIMA_ASSIGN(const std::shared_ptr<Database> there, to_read(shard));
  if (there == nullptr) return std::optional<PatternCount>();
  ANIMA_ASSIGN(Statement look, there->prepare("SELECT kind, key FROM evidence WHERE id = ?1"));
  ANIMA_ASSIGN(const bool known, look.bind(1, evidence).step());
  if (!known) return std::optional<PatternCount>();
  const std::string kind = look.text(0), key = look.text(1);
  ANIMA_TRY(look.run());
  ANIMA_ASSIGN(Database* const database, to_write(shard));
  ANIMA_ASSIGN(Turn turn, Turn::begin(*database));
  ANIMA_ASSIGN(Statement gone, database->prepare("DELETE FROM evidence WHERE id = ?1"));
  ANIMA_TRY(gone.bind(1, evidence).run());
  if (database->changes() == 0) return std::optional<PatternCount>();  // somebody was faster
  ANIMA_ASSIGN(Statement less, database->prepare("UPDATE pattern_counts SET n = max(0, n - 1) "
                                                 "WHERE kind = ?1 AND key = ?2"));
  ANIMA_TRY(less.bind(1, kind).bind(2, key).run());
  ANIMA_ASSIGN(std::optional<PatternCount> count, read_count(*database, kind, key, 0));
  ANIMA_TRY(turn.commit());
  return count;
}

Result<std::vector<PatternCount>> LearningStore::patterns(std::string_view shard) {
  std::vector<PatternCount> counts;
  ANIMA_ASSIGN(const std::shared_ptr<Database> database, to_read(shard));
  if (database == nullptr) return counts;
  ANIMA_ASSIGN(Statement statement,
               database->prepare("SELECT kind, key, n, example, trust FROM pattern_counts WHERE "
                                 "last_ts >= ?1 AND n > 0 ORDER BY kind, key"));
  statement.bind(1, seconds_now() - kUnseenSeconds);
  for (;;) {
    ANIMA_ASSIGN(const bool there, statement.step());
    if (!there) return counts;
    const auto kind = kind_named(statement.text(0));
    if (!kind) continue;
    counts.push_back({*kind, statement.text(1), statement.integer(2), statement.text(3),
                      trust_of(statement.integer(4))});
  }
}

Result<std::set<std::string>> LearningStore::evidence(std::string_view shard) {
  std::set<std::string> ids;
  ANIMA_ASSIGN(const std::shared_ptr<Database> database, to_read(shard));
  if (database == nullptr) return ids;
  ANIMA_ASSIGN(Statement statement, database->prepare("SELECT id FROM evidence"));
  for (;;) {
    ANIMA_ASSIGN(const bool there, statement.step());
    if (!there) return ids;
    ids.insert(statement.text(0));
  }
}

Status LearningStore::reset(std::string_view shard, PatternKind kind, std::string_view key) {
  ANIMA_ASSIGN(Database* const database, to_write(shard));
  ANIMA_ASSIGN(Statement statement,
               database->prepare("DELETE FROM pattern_counts WHERE kind = ?1 AND key = ?2"));
  return statement.bind(1, to_string(kind)).bind(2, key).run();
}

// --- forgetting ---------------------------------------------------------------------------------

Result<std::size_t> LearningStore::forget(std::string_view shard,
                                          const std::function<bool(std::string_view)>& names,
                                          bool dry_run) {
  ANIMA_ASSIGN(const std::shared_ptr<Database> there, to_read(shard));
  if (there == nullptr) return std::size_t{0};
  Database* database = there.get();
  if (!dry_run) {
    ANIMA_ASSIGN(database, to_write(shard));
  }
  std::optional<Turn> turn;
  if (!dry_run) {
    ANIMA_ASSIGN(Turn begun, Turn::begin(*database));
    turn.emplace(std::move(begun));
  }
  std::size_t gone = 0;
  for (const auto& [table, text] :
       {std::pair<std::string, std::string>{"learnings", "fact_args || ' ' || source_campaign"},
        {"pattern_counts", "key || ' ' || coalesce(example, '')"},
        {"evidence", "id || ' ' || key"},
        {"learning_audit", "coalesce(args, '') || ' ' || coalesce(detail, '')"}}) {
    ANIMA_ASSIGN(const auto rows, rows_naming(*database, table, text, names));
    gone += rows.size();
    for (std::size_t i = 0; !dry_run && i < rows.size(); ++i) {
      ANIMA_ASSIGN(Statement statement,
                   database->prepare("DELETE FROM " + table + " WHERE rowid = ?1"));
      ANIMA_TRY(statement.bind(1, rows[i]).run());
    }
  }
  if (dry_run || gone == 0) return gone;
  ANIMA_TRY(turn->commit());
  turn.reset();
  // What was deleted is in the file of the log until then.
  ANIMA_TRY(database->execute("PRAGMA wal_checkpoint(TRUNCATE)"));
  return gone;
}

// --- audit --------------------------------------------------------------------------------------

Status LearningStore::write_audit(Database& database, std::string_view op,
                                  std::string_view predicate, std::string_view arguments,
                                  std::string_view outcome, std::string_view detail) {
  ANIMA_ASSIGN(Statement statement,
               database.prepare("INSERT INTO learning_audit(ts, op, predicate, args, outcome, "
                                "detail) VALUES(?1, ?2, ?3, ?4, ?5, ?6)"));
  ANIMA_TRY(statement.bind(1, seconds_now())
                .bind(2, op)
                .bind(3, beginning_of(predicate, kMostKeyBytes))
                .bind(4, arguments)
                .bind(5, outcome)
                .bind(6, beginning_of(detail, kMostKeyBytes))
                .run());
  ANIMA_ASSIGN(Statement old, database.prepare("DELETE FROM learning_audit WHERE rowid <= "
                                               "(SELECT max(rowid) FROM learning_audit) - ?1"));
  return old.bind(1, kMostAuditRows).run();
}

Status LearningStore::note(std::string_view shard, std::string_view op, std::string_view outcome,
                           std::string_view detail) {
  ANIMA_ASSIGN(Database* const database, to_write(shard));
  return write_audit(*database, op, {}, {}, outcome, detail);
}

Result<std::vector<LearningAudit>> LearningStore::audit(std::string_view shard) {
  std::vector<LearningAudit> rows;
  ANIMA_ASSIGN(const std::shared_ptr<Database> database, to_read(shard));
  if (database == nullptr) return rows;
  ANIMA_ASSIGN(Statement statement, database->prepare("SELECT ts, op, predicate, args, outcome, "
                                                      "detail FROM learning_audit ORDER BY rowid"));
  for (;;) {
    ANIMA_ASSIGN(const bool there, statement.step());
    if (!there) return rows;
    rows.push_back({{statement.integer(0) * kMicrosecondsPerSecond},
                    statement.text(1),
                    statement.text(2),
                    statement.text(3),
                    statement.text(4),
                    statement.text(5)});
  }
}

// --- import -------------------------------------------------------------------------------------

// Why the row is not taken; empty: it is in.
Result<std::string> LearningStore::import_row(Database& database, std::string_view shard,
                                              const ImportedLearning& row, ImportReport& report) {
  const Timestamp now = clock_.now();
  if (!row.wrong.empty())
    return std::string(to_string(SaveEnd::kSchemaMismatch)) + ": " + row.wrong;
  if (const auto refusal = refused(shard, row.learning))
    return std::string(to_string(refusal->end)) + ": " + refusal->detail;
  if (!(row.confidence > 0) || row.confidence > 1)
    return std::string("SchemaMismatch: a confidence is more than 0 and at most 1");
  if (row.learned_at > now) return std::string("SchemaMismatch: learned_at lies in the future");
  const Learnable& declared = *table_.find(row.learning.predicate);
  const std::string arguments = canonical_arguments(declared, row.learning.arguments).dump();
  Learning taken;
  taken.confidence = row.confidence;
  // Times are kept in whole seconds: a fraction would make the same file news each time.
  taken.learned_at = {row.learned_at.microseconds -
                      row.learned_at.microseconds % kMicrosecondsPerSecond};
  taken.decay_steps = windows_between(taken.learned_at, std::min(row.valued_at, now));
  taken.trust = row.learning.trust;
  taken.campaign = row.learning.campaign;
  ANIMA_ASSIGN(const std::optional<Learning> known, find(database, declared.predicate, arguments));
  if (known) {
    const double mine = confidence_now(*known), theirs = confidence_now(taken);
    const bool changes = theirs > mine || taken.learned_at > known->learned_at;
    if (!changes || taken.trust < known->trust) {
      ++report.unchanged;
      return std::string();
    }
    taken.confidence = std::max(mine, theirs);
    taken.learned_at = std::max(taken.learned_at, known->learned_at);
    taken.decay_steps = windows_between(taken.learned_at, now);
  } else {
    ANIMA_ASSIGN(const bool room, make_room(database));
    if (!room) return std::string("CapacityExceeded: the store is full");
  }
  ANIMA_ASSIGN(Statement statement,
               database.prepare("INSERT INTO learnings(shard_type, fact_predicate, fact_args, "
                                "learned_at, source_campaign, confidence, decay_steps, created_at, "
                                "trust) VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9) "
                                "ON CONFLICT(fact_predicate, fact_args) DO UPDATE SET learned_at = "
                                "?4, confidence = ?6, decay_steps = ?7, trust = ?9"));
  ANIMA_TRY(statement.bind(1, shard)
                .bind(2, declared.predicate)
                .bind(3, arguments)
                .bind(4, sql_time(taken.learned_at))
                .bind(5, taken.campaign)
                .bind(6, taken.confidence)
                .bind(7, taken.decay_steps)
                .bind(8, sql_time(now))
                .bind(9, static_cast<std::int64_t>(taken.trust))
                .run());
  ++(known ? report.updated : report.added);
  return std::string();
}

Result<ImportReport> LearningStore::import(std::string_view shard,
                                           const std::vector<ImportedLearning>& rows,
                                           bool skip_invalid) {
  ANIMA_ASSIGN(Database* const database, to_write(shard));
  ANIMA_ASSIGN(Turn turn, Turn::begin(*database));
  ImportReport report;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    ANIMA_ASSIGN(const std::string why, import_row(*database, shard, rows[i], report));
    if (why.empty()) continue;
    const std::string place = "learnings[" + std::to_string(i) + "]";
    if (!skip_invalid) {
      return fail(ErrorCode::kInvalidArgument, why, place, "--skip-invalid takes the other rows");
    }
    report.invalid.push_back(place + ": " + why);
  }
  ANIMA_TRY(write_audit(*database, "import", {}, {}, "done",
                        "added " + std::to_string(report.added) + ", updated " +
                            std::to_string(report.updated) + ", invalid " +
                            std::to_string(report.invalid.size())));
  ANIMA_TRY(turn.commit());
  return report;
}

}  // namespace anima::learn
