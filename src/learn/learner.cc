#include "learn/learner.h"

#include <algorithm>
#include <tuple>

#include "base/text/text.h"
#include "learn/detail/kernel.h"

namespace anima::learn {
namespace {

using detail::Row;

constexpr std::size_t kMostActionBytes = 400;

std::string counter_key(PatternKind kind, std::string_view key) {
  return std::string(to_string(kind)) + " " + std::string(key);
}

std::string fact_key(std::string_view predicate, const Json& arguments) {
  return std::string(predicate) + " " + arguments.dump();
}

std::string count_predicate(PatternKind kind) {
  return "shard_" + std::string(to_string(kind)) + "_count";
}

std::string_view trust_word(store::Trust trust) {
  switch (trust) {
    case store::Trust::kHostile:
      return "hostile";
    case store::Trust::kUntrusted:
      return "untrusted";
    case store::Trust::kStandard:
      return "standard";
    case store::Trust::kVerified:
      return "verified";
    case store::Trust::kOperator:
      return "operator";
    case store::Trust::kSystem:
      return "system";
  }
  return "hostile";
}

}  // namespace

Learner::Learner(LearningStore& store, LearnerOptions options,
                 std::unique_ptr<detail::Kernel> kernel)
    : store_(store), options_(std::move(options)), kernel_(std::move(kernel)) {}

Learner::~Learner() = default;

Result<std::unique_ptr<Learner>> Learner::open(LearningStore& store, LearnerOptions options) {
  ANIMA_ASSIGN(auto kernel, detail::Kernel::open(store.table(), options.rules));
  for (const auto& [kind, enough] : {std::pair("rejection", options.thresholds.rejection),
                                     std::pair("acceptance", options.thresholds.acceptance),
                                     std::pair("correction", options.thresholds.correction),
                                     std::pair("failure", options.thresholds.failure),
                                     std::pair("success", options.thresholds.success)}) {
    if (enough < 1)
      return fail(ErrorCode::kInvalidArgument, "a threshold of learning is 1 or more", kind);
    ANIMA_TRY(kernel->put("threshold", {kernel->name(kind), kernel->integer(enough)}, 1));
  }
  for (const std::string& shard : options.detailed)
    ANIMA_TRY(kernel->put("detailed_shard", {kernel->name(shard)}, 1));
  return std::unique_ptr<Learner>(new Learner(store, std::move(options), std::move(kernel)));
}

std::int64_t Learner::threshold(PatternKind kind) const {
  switch (kind) {
    case PatternKind::kRejection:
      return options_.thresholds.rejection;
    case PatternKind::kAcceptance:
      return options_.thresholds.acceptance;
    case PatternKind::kCorrection:
      return options_.thresholds.correction;
    case PatternKind::kFailure:
      return options_.thresholds.failure;
    case PatternKind::kSuccess:
      return options_.thresholds.success;
  }
  return options_.thresholds.rejection;
}

// --- hits ---------------------------------------------------------------------------------------

Result<Tracked> Learner::track_rejection(std::string_view shard, std::string_view action,
                                         std::string_view reason, const Hit& hit) {
  return track(shard,
               {PatternKind::kRejection,
                std::string(action),
                normalise_reason(reason),
                {},
                std::string(reason)},
               hit);
}

Result<Tracked> Learner::track_acceptance(std::string_view shard, std::string_view action,
                                          const Hit& hit) {
  return track(shard, {PatternKind::kAcceptance, std::string(action), {}, {}, {}}, hit);
}

Result<Tracked> Learner::track_correction(std::string_view shard, std::string_view original,
                                          std::string_view corrected, const Hit& hit) {
  return track(shard,
               {PatternKind::kCorrection, std::string(original), std::string(corrected), {}, {}},
               hit);
}

Result<Tracked> Learner::track_failure(std::string_view shard, std::string_view action,
                                       std::string_view reason, const Hit& hit) {
  return track(shard,
               {PatternKind::kFailure, std::string(action), normalise_reason(reason), {}, {}}, hit);
}

Result<Tracked> Learner::track_success(std::string_view shard, std::string_view action,
                                       const Hit& hit) {
  return track(shard, {PatternKind::kSuccess, std::string(action), {}, {}, {}}, hit);
}

Result<Tracked> Learner::track(std::string_view shard, Pattern pattern, const Hit& hit) {
  const MutexLock lock(mutex_);
  const auto least = options_.least_trust.find(shard);
  const store::Trust wanted =
      least == options_.least_trust.end() ? store::Trust::kStandard : least->second;
  pattern.first = std::string(beginning_of(pattern.first, kMostActionBytes));
  pattern.second = std::string(beginning_of(pattern.second, kMostActionBytes));
  pattern.key = pattern.kind == PatternKind::kCorrection
                    ? correction_key(pattern.first, pattern.second)
                : pattern.kind == PatternKind::kAcceptance || pattern.kind == PatternKind::kSuccess
                    ? acceptance_key(pattern.first)
                    : rejection_key(pattern.first, pattern.second);
  if (hit.trust < wanted) {
    ANIMA_TRY(store_.note(shard, "count", "LessTrusted",
                          std::string(to_string(pattern.kind)) + " of " + pattern.key));
    return Tracked();
  }
  ANIMA_TRY(put_pattern(pattern));
  ANIMA_ASSIGN(
      const std::vector<Row> known,
      kernel_->rows("known_pattern", {kernel_->name(shard), kernel_->name(to_string(pattern.kind)),
                                      kernel_->string(pattern.key)}));
  ANIMA_ASSIGN(const std::optional<PatternCount> count,
               store_.count(shard, {pattern.kind, pattern.key, pattern.example, hit.trust,
                                    hit.evidence, known.empty() ? 0 : threshold(pattern.kind)}));
  if (!count) return Tracked();
  ANIMA_TRY(put_count(shard, *count));
  Tracked tracked{true, count->n, {}};
  ANIMA_ASSIGN(tracked.saves, promote(shard, &pattern, hit.campaign));
  return tracked;
}

Status Learner::put_pattern(const Pattern& pattern) {
  const auto key = kernel_->string(pattern.key);
  const auto first = kernel_->string(pattern.first), second = kernel_->string(pattern.second);
  switch (pattern.kind) {
    case PatternKind::kRejection:
      return kernel_->put("rejected_pattern", {key, first, second}, 1);
    case PatternKind::kAcceptance:
      return kernel_->put("accepted_pattern", {key, first}, 1);
    case PatternKind::kCorrection:
      return kernel_->put("corrected_pattern", {key, first, second}, 1);
    case PatternKind::kFailure:
      return kernel_->put("failed_pattern", {key, first, second}, 1);
    case PatternKind::kSuccess:
      return kernel_->put("succeeded_pattern", {key, first}, 1);
  }
  return {};
}

Status Learner::put_count(std::string_view shard, const PatternCount& count) {
  counters_[std::string(shard)][counter_key(count.kind, count.key)].count = count;
  return kernel_->put(count_predicate(count.kind),
                      {kernel_->name(shard), kernel_->string(count.key), kernel_->integer(count.n)},
                      2);
}

Status Learner::drop_counter(std::string_view shard, PatternKind kind, const std::string& key) {
  const auto counters = counters_.find(shard);
  if (counters == counters_.end()) return {};
  const auto counter = counters->second.find(counter_key(kind, key));
  if (counter == counters->second.end()) return {};
  ANIMA_TRY(kernel_->drop(count_predicate(kind), {kernel_->name(shard), kernel_->string(key),
                                                  kernel_->integer(counter->second.count.n)}));
  counters->second.erase(counter);
  return {};
}

Status Learner::take_back(std::string_view shard, std::string_view evidence) {
  const MutexLock lock(mutex_);
  ANIMA_ASSIGN(const std::optional<PatternCount> count, store_.uncount(shard, evidence));
  if (!count) return {};
  const Row pattern{kernel_->name(shard), kernel_->name(to_string(count->kind)),
                    kernel_->string(count->key)};
  ANIMA_ASSIGN(const std::vector<Row> before, kernel_->rows("promotion", pattern));
  ANIMA_TRY(drop_counter(shard, count->kind, count->key));
  if (count->n > 0) ANIMA_TRY(put_count(shard, *count));
  ANIMA_ASSIGN(const std::vector<Row> after, kernel_->rows("promotion", {kernel_->name(shard)}));
  for (const Row& row : before) {
    const bool still = std::ranges::any_of(
        after, [&](const Row& other) { return other[3] == row[3] && other[4] == row[4]; });
    if (still) continue;
    const std::string predicate(kernel_->text(row[3]).substr(1));
    ANIMA_TRY(store_.remove(shard, predicate, kernel_->json_of(row[4])).map([](bool) {}));
  }
  return before.empty() ? Status() : rehydrate_locked(shard).map([](const LoadedLearnings&) {});
}

// --- promotion ----------------------------------------------------------------------------------

Result<std::vector<SaveReport>> Learner::promote(std::string_view shard, const Pattern* pattern,
                                                 const std::string& campaign) {
  Row first{kernel_->name(shard)};
  if (pattern != nullptr) {
    first.push_back(kernel_->name(to_string(pattern->kind)));
    first.push_back(kernel_->string(pattern->key));
  }
  ANIMA_ASSIGN(const std::vector<Row> rows, kernel_->rows("promotion", first));
  struct Wanted {
    std::string predicate;
    Json arguments;
    std::string fact;
    Counter* counter = nullptr;
  };
  std::vector<Wanted> wanted;
  for (const Row& row : rows) {
    const std::string key =
        std::string(kernel_->text(row[1]).substr(1)) + " " + std::string(kernel_->text(row[2]));
    Wanted each{std::string(kernel_->text(row[3]).substr(1)),
                kernel_->json_of(row[4]),
                {},
                &counters_[std::string(shard)][key]};
    each.fact = fact_key(each.predicate, each.arguments);
    wanted.push_back(std::move(each));
  }
  std::ranges::sort(wanted, {}, [](const Wanted& each) { return each.fact; });
  std::vector<SaveReport> saves;
  for (const Wanted& each : wanted) {
    std::int64_t& saved_at = each.counter->saved_at[each.fact];
    if (each.counter->count.n <= saved_at) continue;
    ANIMA_ASSIGN(SaveReport report, save_locked(shard, {each.predicate, each.arguments, campaign,
                                                        each.counter->count.trust}));
    if (report.saved()) saved_at = each.counter->count.n;
    saves.push_back(std::move(report));
  }
  return saves;
}

Result<SaveReport> Learner::save_locked(std::string_view shard, const NewLearning& learning) {
  ANIMA_ASSIGN(SaveReport report, store_.save(shard, learning));
  if (report.end == SaveEnd::kInserted) {
    Learning learnt;
    learnt.shard = std::string(shard);
    learnt.predicate = report.predicate;
    learnt.arguments = report.arguments;
    learnt.campaign = learning.campaign;
    learnt.trust = learning.trust;
    ANIMA_TRY(put_learning(learnt));
    learnt_[std::string(shard)].push_back(std::move(learnt));
  }
  return report;
}

Result<SaveReport> Learner::save(std::string_view shard, const NewLearning& learning) {
  const MutexLock lock(mutex_);
  return save_locked(shard, learning);
}

Result<std::vector<SaveReport>> Learner::persist(std::string_view shard) {
  const MutexLock lock(mutex_);
  return promote(shard, nullptr, {});
}

// --- sessions -----------------------------------------------------------------------------------

Status Learner::put_learning(const Learning& learning) {
  const Learnable* const declared = store_.table().find(learning.predicate);
  if (declared == nullptr) return {};
  const Row arguments = kernel_->codes_of(*declared, learning.arguments);
  ANIMA_TRY(kernel_->put(learning.predicate, arguments, arguments.size()));
  return kernel_->put("learnt",
                      {kernel_->name(learning.shard), kernel_->name(learning.predicate),
                       kernel_->list(arguments), kernel_->name(trust_word(learning.trust))},
                      3);
}

Status Learner::drop_learning(const Learning& learning) {
  const Learnable* const declared = store_.table().find(learning.predicate);
  if (declared == nullptr) return {};
  const Row arguments = kernel_->codes_of(*declared, learning.arguments);
  const auto list = kernel_->list(arguments);
  ANIMA_TRY(
      kernel_->drop("learnt", {kernel_->name(learning.shard), kernel_->name(learning.predicate),
                               list, kernel_->name(trust_word(learning.trust))}));
  // Another shard may have learnt the same.
  ANIMA_ASSIGN(const std::vector<Row> left, kernel_->rows("learnt"));
  const auto name = kernel_->name(learning.predicate);
  const bool still =
      std::ranges::any_of(left, [&](const Row& row) { return row[1] == name && row[2] == list; });
  return still ? Status() : kernel_->drop(learning.predicate, arguments);
}

Result<LoadedLearnings> Learner::rehydrate(std::string_view shard) {
  const MutexLock lock(mutex_);
  return rehydrate_locked(shard);
}

Result<LoadedLearnings> Learner::rehydrate_locked(std::string_view shard) {
  ANIMA_TRY(store_.decay(shard).map([](const DecayReport&) {}));
  ANIMA_ASSIGN(LoadedLearnings loaded, store_.load(shard));
  ANIMA_ASSIGN(const std::vector<PatternCount> counts, store_.patterns(shard));
  for (const Learning& before : learnt_[std::string(shard)]) ANIMA_TRY(drop_learning(before));
  for (Learning& each : loaded.learnings) {
    each.shard = std::string(shard);  // the file's own word does not count
    ANIMA_TRY(put_learning(each));
  }
  learnt_[std::string(shard)] = loaded.learnings;
  for (const PatternCount& count : counts) {
    const PatternParts parts = parts_of_key(count.kind, count.key);
    ANIMA_TRY(put_pattern({count.kind, parts.first, parts.second, count.key, count.example}));
    ANIMA_TRY(put_count(shard, count));
  }
  ANIMA_TRY(mark_saved(shard));
  return loaded;
}

Status Learner::mark_saved(std::string_view shard) {
  std::set<std::string> known;
  for (const Learning& each : learnt_[std::string(shard)])
    known.insert(fact_key(each.predicate, each.arguments));
  ANIMA_ASSIGN(const std::vector<Row> rows, kernel_->rows("promotion", {kernel_->name(shard)}));
  for (const Row& row : rows) {
    const std::string key =
        std::string(kernel_->text(row[1]).substr(1)) + " " + std::string(kernel_->text(row[2]));
    const std::string fact = fact_key(kernel_->text(row[3]).substr(1), kernel_->json_of(row[4]));
    Counter& counter = counters_[std::string(shard)][key];
    if (known.contains(fact)) counter.saved_at[fact] = counter.count.n;
  }
  return {};
}

Result<bool> Learner::forget(std::string_view shard, std::string_view predicate,
                             const Json& arguments) {
  const MutexLock lock(mutex_);
  const Learnable* const declared = store_.table().find(predicate);
  if (declared == nullptr || !wrong_arguments(*declared, arguments).empty()) return false;
  ANIMA_TRY(rehydrate_locked(shard).map([](const LoadedLearnings&) {}));
  ANIMA_ASSIGN(const bool gone, store_.remove(shard, predicate, arguments));
  if (!gone) return false;
  const Json canonical = canonical_arguments(*declared, arguments);
  const auto list = kernel_->list(kernel_->codes_of(*declared, canonical));
  ANIMA_ASSIGN(const std::vector<Row> rows,
               kernel_->rows("brought_by", {kernel_->name(declared->predicate), list}));
  for (const Row& row : rows) {
    for (const PatternKind kind :
         {PatternKind::kRejection, PatternKind::kAcceptance, PatternKind::kCorrection,
          PatternKind::kFailure, PatternKind::kSuccess}) {
      if (kernel_->text(row[2]).substr(1) != to_string(kind)) continue;
      const std::string key(kernel_->text(row[3]));
      ANIMA_TRY(store_.reset(shard, kind, key));
      ANIMA_TRY(drop_counter(shard, kind, key));
    }
  }
  ANIMA_TRY(rehydrate_locked(shard).map([](const LoadedLearnings&) {}));
  return true;
}

// --- guidance -----------------------------------------------------------------------------------

Result<std::vector<SetAside>> Learner::set_aside(
    const std::vector<std::pair<std::string, std::string>>& proposals) {
  const MutexLock lock(mutex_);
  std::vector<Row> told;
  for (const auto& [call, action] : proposals) {
    told.push_back({kernel_->string(call), kernel_->string(action)});
    ANIMA_TRY(kernel_->put("proposed", told.back(), 2));
  }
  std::vector<SetAside> aside;
  for (const Row& proposal : told) {
    ANIMA_ASSIGN(const std::vector<Row> rows, kernel_->rows("set_aside", proposal));
    if (rows.empty()) continue;
    const Row& row = rows.front();
    aside.push_back({std::string(kernel_->text(row[0])), std::string(kernel_->text(row[1])),
                     std::string(kernel_->text(row[2]))});
  }
  for (const Row& proposal : told) ANIMA_TRY(kernel_->drop("proposed", proposal));
  return aside;
}

Status Learner::assert_fact(std::string_view fact) {
  const MutexLock lock(mutex_);
  return kernel_->assert_fact(fact);
}

Status Learner::retract_fact(std::string_view fact) {
  const MutexLock lock(mutex_);
  return kernel_->retract_fact(fact);
}

Result<std::vector<std::string>> Learner::query(std::string_view atom) {
  const MutexLock lock(mutex_);
  return kernel_->query(atom);
}

}  // namespace anima::learn
