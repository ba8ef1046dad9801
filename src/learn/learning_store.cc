#include "learn/learning_store.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "base/text/text.h"
#include "learn/detail/database.h"
#include "learn/detail/rows.h"

namespace anima::learn {
namespace {

using detail::Database;
using detail::Statement;
using detail::Turn;

constexpr std::string_view kFileEnd = "_learnings.db";
constexpr std::uint32_t kPrivateFolder = 0700;
constexpr std::size_t kMostArgumentBytes = 4096;
constexpr std::size_t kMostStringBytes = 1024;
constexpr std::size_t kMostCampaignBytes = 128;
constexpr std::int64_t kRateSeconds = 60;

Error no_shard(std::string_view shard) {
  return {ErrorCode::kInvalidArgument,
          "InvalidShard: '" + visible_text(shard) + "' is no shard's name",
          {},
          "a letter a to z, then letters, digits and _, at most 32"};
}

// Why a text is not kept.
SaveEnd judge_text(std::string_view text, std::size_t most) {
  if (text.size() > most) return SaveEnd::kTooLarge;
  const bool good = is_valid_utf8(text) && text.find('\0') == std::string_view::npos;
  return good ? SaveEnd::kInserted : SaveEnd::kInvalidText;
}

bool surer(const LearningStore& store, const Learning& a, const Learning& b) {
  const double left = store.confidence_now(a), right = store.confidence_now(b);
  if (left != right) return left > right;
  if (a.learned_at != b.learned_at) return a.learned_at > b.learned_at;
  return a.id < b.id;
}

}  // namespace

std::string_view to_string(SaveEnd end) {
  switch (end) {
    case SaveEnd::kInserted:
      return "Inserted";
    case SaveEnd::kReinforced:
      return "Reinforced";
    case SaveEnd::kInvalidShard:
      return "InvalidShard";
    case SaveEnd::kPredicateNotAllowed:
      return "PredicateNotAllowed";
    case SaveEnd::kSchemaMismatch:
      return "SchemaMismatch";
    case SaveEnd::kTooLarge:
      return "TooLarge";
    case SaveEnd::kInvalidText:
      return "InvalidText";
    case SaveEnd::kRateLimited:
      return "RateLimited";
    case SaveEnd::kCapacityExceeded:
      return "CapacityExceeded";
    case SaveEnd::kLessTrusted:
      return "LessTrusted";
  }
  return "Inserted";
}

Json LearningStats::to_json() const {
  Json predicates = Json::object();
  for (const auto& [predicate, rows] : by_predicate)
    predicates.set(predicate, static_cast<std::uint64_t>(rows));
  return Json::object({{"total_learnings", static_cast<std::uint64_t>(total)},
                       {"avg_confidence", average},
                       {"by_predicate", std::move(predicates)}});
}

LearningStore::LearningStore(std::string folder, LearnableTable table, Clock& clock,
                             StoreOptions options, FileSystem& files)
    : folder_(std::move(folder)),
      table_(std::move(table)),
      clock_(clock),
      options_(options),
      files_(files) {}

LearningStore::~LearningStore() = default;

std::string LearningStore::path_of(std::string_view shard) const {
  return join_path(folder_, std::string(shard) + std::string(kFileEnd));
}

std::int64_t LearningStore::seconds_now() const {
  return clock_.now().microseconds / kMicrosecondsPerSecond;
}

double LearningStore::confidence_now(const Learning& learning) const {
  return effective_confidence(learning, options_.law, clock_.now());
}

Result<std::vector<std::string>> LearningStore::shards() {
  std::vector<std::string> names;
  const auto entries = files_.list(folder_);
  if (!entries && entries.error().code == ErrorCode::kNotFound) return names;
  if (!entries) return fail(entries.error());
  for (const DirectoryEntry& entry : *entries) {
    if (!entry.name.ends_with(kFileEnd)) continue;
    std::string name = entry.name.substr(0, entry.name.size() - kFileEnd.size());
    if (is_shard_name(name)) names.push_back(std::move(name));
  }
  return names;
}

Result<Database*> LearningStore::to_write(std::string_view shard) {
  if (!is_shard_name(shard)) return fail(no_shard(shard));
  if (const auto open = open_.find(shard); open != open_.end()) return open->second.get();
  ANIMA_TRY(files_.make_directories(folder_, kPrivateFolder));
  ANIMA_ASSIGN(Database database, Database::open(path_of(shard), Database::Mode::kCreate));
  ANIMA_TRY(detail::prepare_schema(database));
  auto& kept = open_[std::string(shard)];
  kept = std::make_shared<Database>(std::move(database));
  return kept.get();
}

// Null: nothing was learnt there yet.
Result<std::shared_ptr<Database>> LearningStore::to_read(std::string_view shard) {
  if (!is_shard_name(shard)) return fail(no_shard(shard));
  if (const auto open = open_.find(shard); open != open_.end()) return open->second;
  if (!file_exists(files_, path_of(shard))) return std::shared_ptr<Database>();
  ANIMA_ASSIGN(Database database, Database::open(path_of(shard), Database::Mode::kRead));
  ANIMA_ASSIGN(const std::int64_t tables, database.integer("PRAGMA user_version"));
  if (tables == 0) return std::shared_ptr<Database>();
  return std::make_shared<Database>(std::move(database));
}

// --- reading ------------------------------------------------------------------------------------

Result<LoadedLearnings> LearningStore::read(std::string_view shard, bool all,
                                            std::string_view predicate) {
  LoadedLearnings loaded;
  ANIMA_ASSIGN(const std::shared_ptr<Database> database, to_read(shard));
  if (database == nullptr) return loaded;
  const Learnable* const asked = predicate.empty() ? nullptr : table_.find(predicate);
  const std::string_view wanted = asked == nullptr ? predicate : asked->predicate;
  ANIMA_ASSIGN(std::vector<Learning> rows, detail::read_rows(*database, wanted, loaded.skipped));
  const Timestamp now = clock_.now();
  for (Learning& row : rows) {
    const Learnable* const declared = table_.find(row.predicate);
    const std::string wrong = declared == nullptr ? row.predicate + " is not to be learnt"
                                                  : wrong_arguments(*declared, row.arguments);
    if (!wrong.empty()) {
      loaded.skipped.push_back("row " + std::to_string(row.id) + ": " + wrong);
      continue;
    }
    const bool visible = effective_confidence(row, options_.law, now) > kVisibleAbove &&
                         !is_forgotten(row, options_.law, now);
    if (all || visible) loaded.learnings.push_back(std::move(row));
  }
  std::ranges::sort(loaded.learnings,
                    [&](const Learning& a, const Learning& b) { return surer(*this, a, b); });
  return loaded;
}

Result<LoadedLearnings> LearningStore::load(std::string_view shard, std::string_view predicate) {
  return read(shard, false, predicate);
}

Result<LoadedLearnings> LearningStore::load_all(std::string_view shard) {
  return read(shard, true, {});
}

Result<LearningStats> LearningStore::stats(std::string_view shard) {
  ANIMA_ASSIGN(const LoadedLearnings loaded, load_all(shard));
  LearningStats stats;
  double sum = 0;
  for (const Learning& row : loaded.learnings) {
    sum += confidence_now(row);
    ++stats.by_predicate[row.predicate];
  }
  stats.total = loaded.learnings.size();
  if (stats.total > 0) stats.average = sum / static_cast<double>(stats.total);
  return stats;
}

Result<std::optional<Learning>> LearningStore::find(Database& database,
                                                    const std::string& predicate,
                                                    const std::string& arguments) const {
  ANIMA_ASSIGN(const std::string rows, detail::rows_query(database));
  ANIMA_ASSIGN(Statement statement,
               database.prepare(rows + " WHERE fact_predicate = ?1 AND fact_args = ?2"));
  ANIMA_ASSIGN(const bool there, statement.bind(1, predicate).bind(2, arguments).step());
  if (!there) return std::optional<Learning>();
  ANIMA_ASSIGN(Learning row, detail::read_row(statement));
  return std::optional<Learning>(std::move(row));
}

// --- saving -------------------------------------------------------------------------------------

// Steps 1 to 4, which need no file.
std::optional<LearningStore::Refusal> LearningStore::refused(std::string_view shard,
                                                             const NewLearning& learning) const {
  if (!is_shard_name(shard)) return Refusal{SaveEnd::kInvalidShard, no_shard(shard).message};
  const Learnable* const declared = table_.find(learning.predicate);
  if (declared == nullptr || (!declared->only_in.empty() && declared->only_in != shard)) {
    return Refusal{
        SaveEnd::kPredicateNotAllowed,
        "'" + visible_text(learning.predicate) + "' is not to be learnt in " + std::string(shard)};
  }
  if (std::string wrong = wrong_arguments(*declared, learning.arguments); !wrong.empty())
    return Refusal{SaveEnd::kSchemaMismatch, std::move(wrong)};
  for (const Json& each : learning.arguments.as_array()) {
    const SaveEnd end = judge_text(each.as_string(), kMostStringBytes);
    if (end != SaveEnd::kInserted)
      return Refusal{end, "an argument is longer than 1,024 bytes, or no text"};
  }
  if (const SaveEnd end = judge_text(learning.campaign, kMostCampaignBytes);
      end != SaveEnd::kInserted)
    return Refusal{end, "the campaign's name is longer than 128 bytes, or no text"};
  if (canonical_arguments(*declared, learning.arguments).dump().size() > kMostArgumentBytes)
    return Refusal{SaveEnd::kTooLarge, "the arguments are longer than 4,096 bytes"};
  return std::nullopt;
}

Result<std::int64_t> LearningStore::wait_of_rate(Database& database) const {
  const std::int64_t now = seconds_now();
  // A clock that was set back leaves entries of the future, which must not block for long.
  ANIMA_ASSIGN(Statement statement, database.prepare("SELECT count(*), min(ts) FROM save_log "
                                                     "WHERE ts > ?1 AND ts <= ?2"));
  ANIMA_TRY(
      statement.bind(1, now - kRateSeconds).bind(2, now + kRateSeconds).step().map([](bool) {}));
  const auto saves = static_cast<std::size_t>(statement.integer(0));
  if (saves < options_.saves_a_minute) return std::int64_t{0};
  return std::max<std::int64_t>(1, statement.integer(1) + kRateSeconds - now);
}

Result<bool> LearningStore::make_room(Database& database) {
  const auto capacity = static_cast<std::int64_t>(options_.capacity);
  ANIMA_ASSIGN(std::int64_t rows, database.integer("SELECT count(*) FROM learnings"));
  if (rows < capacity) return true;
  ANIMA_TRY(write_decay(database, options_.law, true).map([](const DecayReport&) {}));
  ANIMA_ASSIGN(rows, database.integer("SELECT count(*) FROM learnings"));
  if (rows < capacity) return true;
  std::vector<std::string> skipped;
  ANIMA_ASSIGN(const std::vector<Learning> all, detail::read_rows(database, {}, skipped));
  const auto weaker = [&](const Learning& a, const Learning& b) {
    return std::tuple(confidence_now(a), a.learned_at, a.id) <
           std::tuple(confidence_now(b), b.learned_at, b.id);
  };
  const auto weakest = std::ranges::min_element(all, weaker);
  // What is visible never goes for a newcomer: else a flood of news would make Anima forget.
  if (weakest == all.end() || confidence_now(*weakest) > kVisibleAbove) return false;
  ANIMA_ASSIGN(Statement statement, database.prepare("DELETE FROM learnings WHERE id = ?1"));
  ANIMA_TRY(statement.bind(1, weakest->id).run());
  ANIMA_TRY(write_audit(database, "evict", weakest->predicate, weakest->arguments.dump(), "done",
                        "the store is full"));
  return true;
}

// Steps 5 to 7, in a writer's turn. Sets the end of the report.
Status LearningStore::upsert(Database& database, SaveReport& report, const NewLearning& learning) {
  const auto refuse = [&](SaveEnd end, std::string detail) {
    report.end = end;
    report.detail = std::move(detail);
    return Status();
  };
  ANIMA_ASSIGN(const std::int64_t wait, wait_of_rate(database));
  if (wait > 0) {
    report.retry_after = wait;
    return refuse(SaveEnd::kRateLimited,
                  std::to_string(options_.saves_a_minute) + " a minute are saved at most");
  }
  const Timestamp now = clock_.now();
  const std::string arguments = report.arguments.dump();
  ANIMA_ASSIGN(std::optional<Learning> known, find(database, report.predicate, arguments));
  if (known && is_forgotten(*known, options_.law, now)) {
    ANIMA_ASSIGN(Statement gone, database.prepare("DELETE FROM learnings WHERE id = ?1"));
    ANIMA_TRY(gone.bind(1, known->id).run());
    known.reset();
  }
  if (known && learning.trust < known->trust)
    return refuse(SaveEnd::kLessTrusted, "what taught it is trusted further");
  if (!known) {
    ANIMA_ASSIGN(const bool room, make_room(database));
    if (!room) {
      return refuse(SaveEnd::kCapacityExceeded,
                    "the store holds " + std::to_string(options_.capacity) + " learnings");
    }
  }
  report.end = known ? SaveEnd::kReinforced : SaveEnd::kInserted;
  report.confidence = known ? std::min(1.0, confidence_now(*known) + kReinforcement) : 1.0;
  ANIMA_ASSIGN(
      Statement statement,
      database.prepare("INSERT INTO learnings(shard_type, fact_predicate, fact_args, learned_at, "
                       "source_campaign, confidence, created_at, trust) "
                       "VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?4, ?7) "
                       "ON CONFLICT(fact_predicate, fact_args) DO UPDATE SET confidence = ?6, "
                       "learned_at = ?4, decay_steps = 0, reinforcements = reinforcements + 1, "
                       "source_campaign = ?5, trust = ?7"));
  ANIMA_TRY(statement.bind(1, report.shard)
                .bind(2, report.predicate)
                .bind(3, arguments)
                .bind(4, sql_time(now))
                .bind(5, learning.campaign)
                .bind(6, report.confidence)
                .bind(7, static_cast<std::int64_t>(learning.trust))
                .run());
  const std::int64_t seconds = seconds_now();
  ANIMA_ASSIGN(Statement old, database.prepare("DELETE FROM save_log WHERE ts <= ?1 OR ts > ?2"));
  ANIMA_TRY(old.bind(1, seconds - kRateSeconds).bind(2, seconds + kRateSeconds).run());
  ANIMA_ASSIGN(Statement log, database.prepare("INSERT INTO save_log(ts) VALUES(?1)"));
  return log.bind(1, seconds).run();
}

Result<SaveReport> LearningStore::save(std::string_view shard, const NewLearning& learning) {
  SaveReport report;
  report.shard = std::string(shard);
  report.predicate = learning.predicate;
  const std::optional<Refusal> refusal = refused(shard, learning);
  if (refusal) {
    report.end = refusal->end;
    report.detail = refusal->detail;
    if (refusal->end == SaveEnd::kInvalidShard) return report;  // there is nowhere to note it
  } else {
    const Learnable& declared = *table_.find(learning.predicate);
    report.predicate = declared.predicate;
    report.arguments = canonical_arguments(declared, learning.arguments);
  }
  ANIMA_ASSIGN(Database* const database, to_write(shard));
  ANIMA_ASSIGN(Turn turn, Turn::begin(*database));
  if (!refusal) ANIMA_TRY(upsert(*database, report, learning));
  const std::string arguments = refusal ? std::string() : report.arguments.dump();
  ANIMA_TRY(write_audit(*database, "save", report.predicate, arguments, to_string(report.end),
                        report.detail));
  ANIMA_TRY(turn.commit());
  return report;
}

// --- forgetting ---------------------------------------------------------------------------------

// Requires a writer's turn.
Result<DecayReport> LearningStore::write_decay(Database& database, const DecayLaw& law,
                                               bool forget_only) {
  DecayReport report;
  std::vector<std::string> skipped;
  ANIMA_ASSIGN(const std::vector<Learning> rows, detail::read_rows(database, {}, skipped));
  ANIMA_ASSIGN(Statement forget, database.prepare("DELETE FROM learnings WHERE id = ?1"));
  ANIMA_ASSIGN(Statement fade, database.prepare("UPDATE learnings SET confidence = ?2, "
                                                "decay_steps = ?3 WHERE id = ?1"));
  const Timestamp now = clock_.now();
  for (const Learning& row : rows) {
    if (is_forgotten(row, law, now)) {
      ANIMA_TRY(forget.bind(1, row.id).run());
      ++report.forgotten;
      continue;
    }
    const std::int64_t windows = windows_between(row.learned_at, now);
    if (forget_only || windows <= row.decay_steps) continue;
    ANIMA_TRY(
        fade.bind(1, row.id).bind(2, effective_confidence(row, law, now)).bind(3, windows).run());
    ++report.decayed;
  }
  return report;
}

Result<DecayReport> LearningStore::decay(std::string_view shard) {
  return decay(shard, options_.law.factor);
}

Result<DecayReport> LearningStore::decay(std::string_view shard, double factor) {
  ANIMA_TRY(check_factor(factor));
  ANIMA_ASSIGN(const std::shared_ptr<Database> there, to_read(shard));
  if (there == nullptr) return DecayReport();
  ANIMA_ASSIGN(Database* const database, to_write(shard));
  ANIMA_ASSIGN(Turn turn, Turn::begin(*database));
  DecayLaw law = options_.law;
  law.factor = factor;
  ANIMA_ASSIGN(const DecayReport report, write_decay(*database, law, false));
  if (report.decayed + report.forgotten > 0) {
    ANIMA_TRY(write_audit(*database, "decay", {}, {}, "done",
                          "decayed " + std::to_string(report.decayed) + ", forgotten " +
                              std::to_string(report.forgotten)));
  }
  ANIMA_TRY(turn.commit());
  return report;
}

Result<bool> LearningStore::remove(std::string_view shard, std::string_view predicate,
                                   const Json& arguments) {
  ANIMA_ASSIGN(const std::shared_ptr<Database> there, to_read(shard));
  const Learnable* const declared = table_.find(predicate);
  if (there == nullptr || declared == nullptr || !wrong_arguments(*declared, arguments).empty())
    return false;
  ANIMA_ASSIGN(Database* const database, to_write(shard));
  ANIMA_ASSIGN(Turn turn, Turn::begin(*database));
  const std::string canonical = canonical_arguments(*declared, arguments).dump();
  ANIMA_ASSIGN(Statement statement, database->prepare("DELETE FROM learnings WHERE fact_predicate "
                                                      "= ?1 AND fact_args = ?2"));
  ANIMA_TRY(statement.bind(1, declared->predicate).bind(2, canonical).run());
  const bool gone = database->changes() > 0;
  ANIMA_TRY(write_audit(*database, "remove", declared->predicate, canonical,
                        gone ? "done" : "not there", {}));
  ANIMA_TRY(turn.commit());
  return gone;
}

Result<std::size_t> LearningStore::clear(std::string_view shard) {
  ANIMA_ASSIGN(const std::shared_ptr<Database> there, to_read(shard));
  if (there == nullptr) return std::size_t{0};
  ANIMA_ASSIGN(Database* const database, to_write(shard));
  ANIMA_ASSIGN(Turn turn, Turn::begin(*database));
  ANIMA_ASSIGN(const std::int64_t rows, database->integer("SELECT count(*) FROM learnings"));
  // What was counted already stays evidence: it does not teach the same again.
  ANIMA_TRY(database->execute(
      "DELETE FROM learnings; DELETE FROM pattern_counts; DELETE FROM learning_audit"));
  ANIMA_TRY(write_audit(*database, "clear", {}, {}, "done", std::to_string(rows) + " learnings"));
  ANIMA_TRY(turn.commit());
  return static_cast<std::size_t>(rows);
}

}  // namespace anima::learn
