// LearningStore: what shards learnt, in one SQLite file a shard: <folder>/<shard>_learnings.db.
//
//   LearningStore store(folder, table, clock);
//   ANIMA_ASSIGN(const SaveReport saved, store.save("coder", {"avoid_pattern", args}));
//   ANIMA_ASSIGN(const LoadedLearnings known, store.load("coder"));
//
// save() refuses in this order: a shard that is none, a predicate that is not to be learnt,
// arguments of another shape, text that is too large or none, more than ten a minute, a full store.
// A refusal is a report and leaves a row of the audit. What is there already is reinforced. Nobody
// who is trusted less than what taught a learning changes it.
// Writing makes the folder (0700) and the file; reading makes nothing. Loading never writes:
// decay() writes the law of learning.h down, when a session begins and when somebody asks.
// Several processes may use one store. Thread-safety: one thread at a time. Ownership: clock and
// files outlive it. Errors: of the file (kIo, kBusy, kDiskFull, kCorrupt, kVersionMismatch), and
// kInvalidArgument for a shard's name. Complexity: save O(log rows); load, decay O(rows), and a
// shard has a thousand at most. On disk: docs/formats.md. Source: learning_and_psyche 1.5 to 1.7.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/files/file.h"
#include "learn/learnable.h"
#include "learn/learning.h"
#include "learn/patterns.h"

namespace anima::learn {

namespace detail {
class Database;
}

struct StoreOptions {
  DecayLaw law = {};
  std::size_t capacity = 1000;       // learnings of a shard
  std::size_t saves_a_minute = 10;   // of a shard, over all processes
  std::size_t most_patterns = 2000;  // counters of a shard
};

struct NewLearning {
  std::string predicate;
  Json arguments;
  std::string campaign = {};
  store::Trust trust = store::Trust::kStandard;
};

// On disk by name in the audit, never rename.
enum class SaveEnd : std::uint8_t {
  kInserted,
  kReinforced,
  kInvalidShard,
  kPredicateNotAllowed,
  kSchemaMismatch,
  kTooLarge,
  kInvalidText,
  kRateLimited,
  kCapacityExceeded,
  kLessTrusted,
};
std::string_view to_string(SaveEnd end);  // "Inserted", "PredicateNotAllowed" ..

struct SaveReport {
  SaveEnd end = SaveEnd::kInserted;
  std::string shard;
  std::string predicate;         // without its alias
  Json arguments;                // canonical, when they are those of the declaration
  std::string detail;            // why it was refused
  std::int64_t retry_after = 0;  // seconds, when rate limited
  double confidence = 0;         // when it was saved
  bool saved() const { return end == SaveEnd::kInserted || end == SaveEnd::kReinforced; }
};

struct LoadedLearnings {
  std::vector<Learning> learnings;
  std::vector<std::string> skipped;  // rows that cannot be used, and why
};

struct DecayReport {
  std::size_t decayed = 0;    // that are less sure now
  std::size_t forgotten = 0;  // that are gone
};

struct LearningStats {
  std::size_t total = 0;
  double average = 0;  // of the effective confidences; 0 of nothing
  std::map<std::string, std::size_t> by_predicate;
  // {"total_learnings":2,"avg_confidence":0.75,"by_predicate":{"avoid_pattern":2}}
  Json to_json() const;
};

struct PatternCount {
  PatternKind kind = PatternKind::kRejection;
  std::string key;
  std::int64_t n = 0;
  std::string example;                            // the last reason as it was given
  store::Trust trust = store::Trust::kUntrusted;  // of the least trusted that was counted
};

struct PatternHit {
  PatternKind kind = PatternKind::kRejection;
  std::string key;
  std::string example = {};
  store::Trust trust = store::Trust::kStandard;
  std::string evidence = {};  // what is counted once; empty: it is counted each time
  std::int64_t at_least = 0;  // the count before this hit is taken as no less
};

// A row of an import.
struct ImportedLearning {
  NewLearning learning;
  double confidence = 1.0;
  Timestamp learned_at;
  Timestamp valued_at;     // when the confidence was that
  std::string wrong = {};  // why it is no row at all; empty: it is one
};

struct ImportReport {
  std::size_t added = 0, updated = 0, unchanged = 0;
  std::vector<std::string> invalid;  // "learnings[3]: PredicateNotAllowed: ..", left out
};

struct LearningAudit {
  Timestamp time;
  std::string op, predicate, arguments, outcome, detail;
};

class LearningStore {
 public:
  LearningStore(std::string folder, LearnableTable table, Clock& clock, StoreOptions options = {},
                FileSystem& files = system_files());
  ~LearningStore();
  LearningStore(const LearningStore&) = delete;
  LearningStore& operator=(const LearningStore&) = delete;

  const LearnableTable& table() const { return table_; }
  const StoreOptions& options() const { return options_; }
  std::string path_of(std::string_view shard) const;
  // Those that have a file, sorted.
  Result<std::vector<std::string>> shards();

  Result<SaveReport> save(std::string_view shard, const NewLearning& learning);
  // Visible ones, the surest first, then the newest, then by id.
  Result<LoadedLearnings> load(std::string_view shard, std::string_view predicate = {});
  // The invisible ones too, in the same order.
  Result<LoadedLearnings> load_all(std::string_view shard);
  Result<LearningStats> stats(std::string_view shard);
  double confidence_now(const Learning& learning) const;

  // With the factor of the options, or another. Errors: kInvalidArgument (check_factor).
  Result<DecayReport> decay(std::string_view shard);
  Result<DecayReport> decay(std::string_view shard, double factor);
  // Whether it was there.
  Result<bool> remove(std::string_view shard, std::string_view predicate, const Json& arguments);
  Result<std::size_t> clear(std::string_view shard);  // how many went; counters too
  // Every row of a text that `names` says yes to: learnings, counts, evidence and the audit of
  // them, and their bytes. How many went, or with `dry_run` would.
  Result<std::size_t> forget(std::string_view shard,
                             const std::function<bool(std::string_view)>& names, bool dry_run);
  // All or nothing; with `skip_invalid` without the rows that are refused. A row that is there
  // becomes the surer of both, with the later date. Not rate limited. Errors: kInvalidArgument with
  // the first invalid row.
  Result<ImportReport> import(std::string_view shard, const std::vector<ImportedLearning>& rows,
                              bool skip_invalid);

  // Counts once more; the new count, or nothing when the evidence was counted before. What nobody
  // saw for thirty days begins at nothing.
  Result<std::optional<PatternCount>> count(std::string_view shard, const PatternHit& hit);
  // Takes back what was counted for the evidence; the key's count by now, or nothing.
  Result<std::optional<PatternCount>> uncount(std::string_view shard, std::string_view evidence);
  Result<std::vector<PatternCount>> patterns(std::string_view shard);
  Result<std::set<std::string>> evidence(std::string_view shard);  // that was counted
  Status reset(std::string_view shard, PatternKind kind, std::string_view key);
  // What was not counted or saved, and why.
  Status note(std::string_view shard, std::string_view op, std::string_view outcome,
              std::string_view detail);
  // The newest last. At most the last ten thousand are kept.
  Result<std::vector<LearningAudit>> audit(std::string_view shard);

 private:
  struct Refusal {
    SaveEnd end = SaveEnd::kInserted;
    std::string detail;
  };
  Result<detail::Database*> to_write(std::string_view shard);
  Result<std::shared_ptr<detail::Database>> to_read(std::string_view shard);
  Result<LoadedLearnings> read(std::string_view shard, bool all, std::string_view predicate);
  std::optional<Refusal> refused(std::string_view shard, const NewLearning& learning) const;
  Result<std::optional<Learning>> find(detail::Database& database, const std::string& predicate,
                                       const std::string& arguments) const;
  // Of the last minute; how long to wait when there are too many.
  Result<std::int64_t> wait_of_rate(detail::Database& database) const;
  // Makes room for one more row. False: there is none.
  Result<bool> make_room(detail::Database& database);
  Result<DecayReport> write_decay(detail::Database& database, const DecayLaw& law,
                                  bool forget_only);
  Status upsert(detail::Database& database, SaveReport& report, const NewLearning& learning);
  Result<std::string> import_row(detail::Database& database, std::string_view shard,
                                 const ImportedLearning& row, ImportReport& report);
  Status write_audit(detail::Database& database, std::string_view op, std::string_view predicate,
                     std::string_view arguments, std::string_view outcome, std::string_view detail);
  std::int64_t seconds_now() const;

  std::string folder_;
  LearnableTable table_;
  Clock& clock_;
  StoreOptions options_;
  FileSystem& files_;
  std::map<std::string, std::shared_ptr<detail::Database>, std::less<>> open_;  // for writing
};

}  // namespace anima::learn
