#include "store/space.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "store/archive.h"
#include "store/detail/archived.h"
#include "store/detail/commit_queue.h"
#include "store/detail/entry_codec.h"
#include "store/detail/key_store.h"
#include "store/detail/memory_log.h"
#include "store/detail/sealed.h"
#include "store/detail/sqlite_log.h"
#include "store/detail/undo.h"
#include "store/detail/views.h"

namespace anima::store {
namespace {

using detail::CommitQueue;
using detail::CommitRequest;
using detail::to_number;

// What an entry takes in the log besides its payload and names: hashes, numbers, the row itself.
constexpr std::uint64_t kEntryOverhead = 128;

// Runs the caller's function; what it throws stays inside the store.
Status run_change(const std::function<Status(Transaction&)>& change, Transaction& transaction) {
  try {
    return change(transaction);
  } catch (const std::exception& error) {
    return fail(ErrorCode::kInternal, std::string("the change threw: ") + error.what());
  } catch (...) {
    return fail(ErrorCode::kInternal, "the change threw");
  }
}

// Failures of the log that end the whole batch: SQLite may have rolled everything back.
bool ends_batch(const Error& error) {
  return error.code != ErrorCode::kLimitExceeded && error.code != ErrorCode::kInvalidArgument;
}

class SpaceImpl final : public Space {
 public:
  SpaceImpl(std::string folder, SpaceOptions options)
      : folder_(std::move(folder)),
        options_(std::move(options)),
        keys_(*options_.files, folder_.empty() ? "" : join_path(folder_, "keys")),
        queue_([this] { turn_ = log_->take_turn(); },
               [this](CommitQueue::Batch batch) { run(batch); }) {}

  ~SpaceImpl() override {
    checkpointer_.request_stop();
    if (checkpointer_.joinable()) {
      checkpoint_wanted_.notify_all();
      checkpointer_.join();
    }
  }

  Status open();

  Snapshot snapshot() override;
  Result<Receipt> write(const Origin& origin,
                        const std::function<Status(Transaction&)>& change) override {
    return submit(origin, change, {});
  }
  SeriesResult write_series(const Origin& origin,
                            const std::function<const Change*()>& next) override;
  Result<Receipt> write_sealed(const Origin& origin, const std::string& key,
                               const std::function<Status(Transaction&)>& change) override {
    if (key.empty()) return fail(ErrorCode::kInvalidArgument, "a sealed write needs a key's name");
    return submit(origin, change, key);
  }
  Result<SealedText> seal(const std::string& key, std::string_view text) override;
  Result<std::optional<std::string>> unseal(const SealedText& sealed) override;
  Status erase(const std::string& key) override;
  Result<std::vector<std::string>> keys() override { return keys_.names(); }

  std::unique_ptr<WhatIf> what_if(const Snapshot& from) override { return views_->branch(from); }
  Result<Receipt> commit(const Origin& origin, WhatIf& branch) override {
    return write(origin, [&](Transaction&) { return views_->merge(branch); });
  }

  Log& log() override { return *log_; }
  Status changes(Sequence after, const std::function<Status(const LogEntry&)>& visit) override;
  Status visit_written(Sequence after, Sequence last,
                       const std::function<Status(const WrittenKey&)>& visit) override;
  Result<UndoReport> undo(const Origin& origin, Sequence first, Sequence last, bool cascade,
                          bool dry_run) override;

  Status checkpoint() override;
  SpaceStats stats() override;
  std::vector<std::string> notes() override;
  const std::string& folder() const override { return folder_; }

 private:
  Result<Receipt> submit(const Origin& origin, const std::function<Status(Transaction&)>& change,
                         std::string seal_name);
  void run(CommitQueue::Batch batch);
  void run_in_turn(CommitQueue::Batch batch, Log::Turn& turn);
  // True when it appended. A failure is the request's, unless it ends the batch.
  Result<bool> prepare_all(CommitRequest& request, Log::Turn& turn);
  Result<bool> prepare(CommitRequest& request, Log::Turn& turn);
  Status append(CommitRequest& request, const EntryInfo& info, detail::Finished finished,
                Log::Turn& turn);

  Status check_quota(std::uint64_t more);

  // Under state_mutex_:
  Status catch_up();
  Status replay_rest();
  Status replay(const LogEntry& entry);
  void publish();

  Status start_from_base();
  Status finish_erasure(const std::vector<std::string>& seals);  // under state_mutex_
  Status forget_old_bases();
  void checkpoint_in_background(const std::stop_token& stop);
  void note(std::string text) {
    const std::lock_guard guard(notes_mutex_);
    notes_.push_back(std::move(text));
  }

  const std::string folder_;
  const SpaceOptions options_;
  std::unique_ptr<Log> log_;
  std::unique_ptr<detail::Views> views_;
  detail::KeyStore keys_;
  CommitQueue queue_;
  Result<std::unique_ptr<Log::Turn>> turn_;  // the running batch's
  Sequence preparing_ = Sequence::kNone;     // the entry whose function runs
  std::optional<std::uint64_t> log_bytes_;   // of the log with the running batch, once asked for

  std::mutex state_mutex_;                   // the writer side of views_
  std::atomic<std::uint64_t> published_{0};  // sequence of views_->snapshot()
  // From after the catch-up of a batch to its end: the head then moves by our own hand only.
  std::atomic<bool> in_turn_{false};

  std::vector<std::string> erased_;  // seals that the replay saw destroyed
  bool met_archived_ = false;        // the replay met an entry whose payload lies elsewhere
  bool bases_hold_erased_ = false;

  std::mutex checkpoint_mutex_;  // one checkpoint at a time
  std::atomic<std::uint64_t> base_sequence_{0};
  std::mutex wanted_mutex_;
  std::condition_variable_any checkpoint_wanted_;
  std::atomic<bool> wanted_{false};
  std::jthread checkpointer_;

  std::mutex notes_mutex_;
  std::vector<std::string> notes_;
};

// --- opening ------------------------------------------------------------------------------------

Status SpaceImpl::open() {
  detail::ViewsOptions views;
  views.folder = folder_;
  views.files = options_.files;
  views.read_only = options_.read_only;
  views.text_index = options_.text_index;
  views.max_value_bytes = options_.max_value_bytes;
  views.max_nesting = options_.max_nesting;
  if (folder_.empty()) {
    log_ = detail::make_memory_log();
  } else {
    // What an agent remembers is nobody else's to read, unless its owner says so.
    if (options_.create) ANIMA_TRY(options_.files->make_directories(folder_, 0700));
    detail::SqliteLogOptions log;
    log.create = options_.create;
    log.read_only = options_.read_only;
    log.vfs = options_.log_vfs;
    log.part_bytes = options_.log_part_bytes;
    ANIMA_ASSIGN(log_, detail::open_sqlite_log(folder_, log));
  }
  ANIMA_ASSIGN(views_, detail::Views::open(views));
  {
    const std::lock_guard guard(state_mutex_);
    ANIMA_TRY(start_from_base());
    ANIMA_TRY(catch_up());
    publish();
  }
  if (published_ == 0 && !options_.read_only) {
    const Origin genesis{"anima", "genesis", Trust::kSystem, Sequence::kNone};
    ANIMA_TRY(write(genesis, [](Transaction&) { return Status(); }));
  }
  if (bases_hold_erased_ && !options_.read_only) ANIMA_TRY(forget_old_bases());
  if (!folder_.empty() && !options_.read_only && options_.checkpoint_after_entries != 0) {
    checkpointer_ =
        std::jthread([this](const std::stop_token& stop) { checkpoint_in_background(stop); });
  }
  return {};
}

// The base is believed only while the log holds the very entry that it was made at.
Status SpaceImpl::start_from_base() {
  const Head base = views_->head();
  if (base.sequence == Sequence::kNone) return {};
  const Result<LogEntry> entry = log_->entry(base.sequence);
  if (entry && entry->hash == base.hash) {
    base_sequence_ = to_number(base.sequence);
    return {};
  }
  if (!entry && entry.error().code != ErrorCode::kNotFound) return fail(entry.error());
  note("the base at entry " + std::to_string(to_number(base.sequence)) +
       " does not belong to this log; rebuilt from the log");
  return views_->clear();
}

// --- reading ------------------------------------------------------------------------------------

Snapshot SpaceImpl::snapshot() {
  const std::optional<Sequence> known = log_->known_head();
  if (known && to_number(*known) <= published_.load()) return views_->snapshot();
  // The catch-up of our own turn was published before in_turn_ was set, and what came since is not
  // acknowledged yet.
  if (in_turn_.load()) return views_->snapshot();
  if (!known) {
    const Result<Head> head = log_->head();
    if (!head || to_number(head->sequence) <= published_.load()) return views_->snapshot();
  }
  const std::lock_guard guard(state_mutex_);
  // A damaged entry ends the catch-up; readers keep what is good, writers get the error.
  if (to_number(views_->head().sequence) == published_.load()) {
    (void)catch_up();
    publish();
  }
  return views_->snapshot();
}

Status SpaceImpl::catch_up() {
  ANIMA_TRY(replay_rest());
  if (erased_.empty()) return {};
  // An erasure that this process has not seen: what it took away is in the base, or in memory.
  bases_hold_erased_ = true;
  return finish_erasure(std::exchange(erased_, {}));
}

// Where another process has archived what this one has not read yet, the base that it left behind
// holds it.
Status SpaceImpl::replay_rest() {
  for (bool again = true;; again = false) {
    const Sequence next{to_number(views_->head().sequence) + 1};
    met_archived_ = false;
    Status read = log_->read(next, [this](const LogEntry& entry) { return replay(entry); });
    if (read || !met_archived_ || !again) return read;
    ANIMA_TRY(views_->restart());
    if (views_->head().sequence < next) return read;
    ANIMA_TRY(start_from_base());
  }
}

Status SpaceImpl::replay(const LogEntry& entry) {
  if (detail::is_archived(entry)) {
    met_archived_ = true;
    return detail::archived_error(entry.sequence);
  }
  ANIMA_TRY(detail::visit_erasures(
      entry, [this](std::string seal) { erased_.push_back(std::move(seal)); }));
  if (entry.seal.empty()) return views_->apply(entry);
  ANIMA_ASSIGN(detail::OpenedPayload opened, detail::open_payload(entry, keys_));
  if (opened.erased) return views_->apply_erased(entry, opened.bounds);
  LogEntry open = entry;
  open.payload = std::move(opened.operations);
  return views_->apply(open);
}

void SpaceImpl::publish() {
  const Snapshot published = views_->publish();
  published_.store(to_number(published.sequence()));
  const std::uint64_t limit = options_.checkpoint_after_entries;
  if (limit != 0 && published_.load() - base_sequence_.load() >= limit && !wanted_.load()) {
    {
      const std::lock_guard guard(wanted_mutex_);
      wanted_ = true;
    }
    checkpoint_wanted_.notify_one();
  }
}

Status SpaceImpl::changes(Sequence after, const std::function<Status(const LogEntry&)>& visit) {
  return log_->read(Sequence{to_number(after) + 1}, [&](const LogEntry& entry) -> Status {
    if (entry.seal.empty()) return visit(entry);
    ANIMA_ASSIGN(detail::OpenedPayload opened, detail::open_payload(entry, keys_));
    LogEntry open = entry;
    open.payload = std::move(opened.operations);
    return visit(open);
  });
}

Status SpaceImpl::visit_written(Sequence after, Sequence last,
                                const std::function<Status(const WrittenKey&)>& visit) {
  bool there = false;  // the log went on beyond `last` while it was read
  const Status read = changes(after, [&](const LogEntry& entry) -> Status {
    there = entry.sequence > last;
    if (there) return fail(ErrorCode::kCancelled, "read far enough");
    if (!entry.seal.empty() && entry.payload.empty()) {
      return fail(ErrorCode::kNotFound, "its content was erased",
                  detail::entry_place(entry.sequence));
    }
    return views_->visit_written(entry, visit, [](EntityId) -> Status { return {}; });
  });
  return there ? Status{} : read;
}

// --- writing ------------------------------------------------------------------------------------

Result<Receipt> SpaceImpl::submit(const Origin& origin,
                                  const std::function<Status(Transaction&)>& change,
                                  std::string seal_name) {
  if (options_.read_only) {
    return fail(ErrorCode::kDenied, "the space was opened read-only", folder_);
  }
  CommitRequest request;
  request.origin = &origin;
  request.change = &change;
  request.seal_name = std::move(seal_name);
  queue_.submit(request);
  return std::move(request.result);
}

SeriesResult SpaceImpl::write_series(const Origin& origin,
                                     const std::function<const Change*()>& next) {
  SeriesResult series;
  if (options_.read_only) {
    series.status = fail(ErrorCode::kDenied, "the space was opened read-only", folder_);
    return series;
  }
  CommitRequest request;
  request.origin = &origin;
  request.next = &next;
  queue_.submit(request);
  series.receipts = std::move(request.receipts);
  if (!request.result) series.status = fail(std::move(request.result).error());
  return series;
}

void SpaceImpl::run(CommitQueue::Batch batch) {
  const auto fail_all = [&](const Error& error) {
    for (CommitRequest* request : batch) request->result = fail(error);
  };
  if (!turn_) return fail_all(turn_.error());
  const std::unique_ptr<Log::Turn> turn = std::move(*turn_);
  const std::lock_guard guard(state_mutex_);
  if (turn->head().sequence != views_->head().sequence) {
    const Status caught_up = catch_up();
    publish();
    if (!caught_up) return fail_all(caught_up.error());
    if (turn->head().sequence != views_->head().sequence) {
      return fail_all(Error{ErrorCode::kCorrupt, "the log is shorter than what was read from it",
                            folder_, "open the space again"});
    }
  }
  in_turn_ = true;
  run_in_turn(batch, *turn);
  in_turn_ = false;
}

void SpaceImpl::run_in_turn(CommitQueue::Batch batch, Log::Turn& turn) {
  log_bytes_.reset();
  const detail::Mark start = views_->mark();
  const auto fail_batch = [&](const Error& error) {
    views_->rollback(start);
    for (CommitRequest* request : batch) {
      if (request->result && !request->result->changed && request->receipts.empty()) continue;
      request->receipts.clear();
      request->result = fail(error);
    }
  };
  bool appended = false;
  for (CommitRequest* request : batch) {
    const Result<bool> prepared = prepare_all(*request, turn);
    if (!prepared) return fail_batch(prepared.error());
    appended = appended || *prepared;
  }
  if (!appended) return;
  if (const Status committed = turn.commit(); !committed) return fail_batch(committed.error());
  publish();
}

// One change, or the whole series.
Result<bool> SpaceImpl::prepare_all(CommitRequest& request, Log::Turn& turn) {
  if (request.next == nullptr) return prepare(request, turn);
  bool appended = false;
  const auto advance = [&request]() -> Status {
    try {
      request.change = (*request.next)();
      return {};
    } catch (const std::exception& error) {
      return fail(ErrorCode::kInternal, std::string("the series threw: ") + error.what());
    }
  };
  while (true) {
    if (const Status given = advance(); !given) {
      request.result = fail(given.error());
      return appended;
    }
    if (request.change == nullptr) return appended;
    ANIMA_ASSIGN(const bool prepared, prepare(request, turn));
    if (!request.result) return appended;
    request.receipts.push_back(*request.result);
    appended = appended || prepared;
  }
}

Result<bool> SpaceImpl::prepare(CommitRequest& request, Log::Turn& turn) {
  const Head head = turn.head();
  EntryInfo info;
  info.sequence = Sequence{to_number(head.sequence) + 1};
  info.time = std::max(options_.clock->now(), head.time);
  info.trust = request.origin->trust;
  info.author = request.origin->author;
  info.source = request.origin->source;
  preparing_ = info.sequence;
  const detail::Mark mark = views_->mark();
  const auto fail_request = [&](Error error) {
    views_->rollback(mark);
    request.result = fail(std::move(error));
    return false;
  };
  Transaction transaction(views_->begin(info));
  if (Status status = run_change(*request.change, transaction); !status) {
    return fail_request(std::move(status).error());
  }
  Result<detail::Finished> finished = views_->finish();
  if (!finished) return fail_request(std::move(finished).error());
  if (finished->payload.empty()) {
    request.result = Receipt{head.sequence, head.time, head.hash, false};
    return false;
  }
  if (Status status = append(request, info, std::move(*finished), turn); !status) {
    if (ends_batch(status.error())) return fail(std::move(status).error());
    return fail_request(std::move(status).error());
  }
  return true;
}

Status SpaceImpl::append(CommitRequest& request, const EntryInfo& info, detail::Finished finished,
                         Log::Turn& turn) {
  LogEntry entry;
  entry.origin = *request.origin;
  entry.origin.trust = std::min(entry.origin.trust, finished.most_trust);
  if (request.seal_name.empty()) {
    entry.payload = std::move(finished.payload);
  } else {
    ANIMA_ASSIGN(const detail::NamedKey key, keys_.obtain(request.seal_name, *options_.random));
    entry.seal = key.seal;
    entry.payload = detail::seal_payload(finished, key.key, *options_.random);
  }
  ANIMA_TRY(check_quota(entry.payload.size() + entry.origin.author.size() +
                        entry.origin.source.size() + kEntryOverhead));
  ANIMA_ASSIGN(const Head head, turn.append(std::move(entry), info.time));
  request.result = Receipt{head.sequence, head.time, head.hash, true};
  return {};
}

// By what is committed and what this batch has appended so far; an entry that would pass the quota
// fails alone.
Status SpaceImpl::check_quota(std::uint64_t more) {
  if (options_.max_log_bytes == 0) return {};
  if (!log_bytes_) {
    ANIMA_ASSIGN(log_bytes_, log_->stored_bytes());
  }
  if (*log_bytes_ + more <= options_.max_log_bytes) {
    *log_bytes_ += more;
    return {};
  }
  return fail(ErrorCode::kLimitExceeded,
              "the log has reached its quota of " + std::to_string(options_.max_log_bytes) +
                  " bytes (store.max_log_bytes)",
              folder_);
}

Result<UndoReport> SpaceImpl::undo(const Origin& origin, Sequence first, Sequence last,
                                   bool cascade, bool dry_run) {
  const detail::UndoRequest request{first, last, cascade};
  const detail::EntryReader read = [this](Sequence from, const auto& visit) {
    return changes(Sequence{to_number(from) - 1}, visit);
  };
  UndoReport report;
  bool crowded = false;
  bool planned = false;
  const auto change = [&](Transaction& transaction) -> Status {
    // Entries of this very batch are not in the log yet, and could depend on the range.
    ANIMA_ASSIGN(const Head head, log_->head());
    crowded = head.sequence != views_->snapshot().sequence() ||
              to_number(head.sequence) + 1 != to_number(preparing_);
    if (crowded) return fail(ErrorCode::kBusy, "other writers were faster");
    ANIMA_ASSIGN(detail::UndoPlan plan, detail::undo(request, read, *views_, transaction));
    report.entries = std::move(plan.entries);
    report.keys = plan.keys;
    planned = true;
    if (dry_run) return fail(ErrorCode::kCancelled, "a dry run");
    return {};
  };
  for (int attempt = 0;; ++attempt) {
    Result<Receipt> receipt = write(origin, change);
    if (!receipt && crowded && attempt < 1000) continue;
    if (!receipt && !(dry_run && planned)) return fail(std::move(receipt).error());
    if (receipt) report.receipt = *receipt;
    return report;
  }
}

Result<SealedText> SpaceImpl::seal(const std::string& key, std::string_view text) {
  ANIMA_ASSIGN(const detail::NamedKey named, keys_.obtain(key, *options_.random));
  return SealedText{named.seal, anima::seal(named.key, text, *options_.random)};
}

Result<std::optional<std::string>> SpaceImpl::unseal(const SealedText& sealed) {
  ANIMA_ASSIGN(const std::optional<SealKey> key, keys_.find(sealed.seal));
  if (!key) return std::optional<std::string>();
  ANIMA_ASSIGN(std::string text, anima::unseal(*key, sealed.bytes));
  return std::optional(std::move(text));
}

// --- erasure and checkpoints --------------------------------------------------------------------

// The entry comes first: whoever opens or follows the space afterwards, after a crash too, sees it
// and carries the erasure out (finish_erasure). Destroying a key twice does no harm.
Status SpaceImpl::erase(const std::string& key) {
  if (options_.read_only) {
    return fail(ErrorCode::kDenied, "the space was opened read-only", folder_);
  }
  ANIMA_ASSIGN(const std::vector<std::string> seals, keys_.seals(key));
  if (seals.empty()) return fail(ErrorCode::kNotFound, "there is no such key", key);
  if (!folder_.empty()) {
    ANIMA_ASSIGN(const bool archived, has_archived_entries(folder_));
    if (archived) {
      return fail(ErrorCode::kConflict,
                  "an erasure replays the whole log, and some of its payloads lie in archives",
                  folder_, "bring them back first with `anima archive --restore FILE`");
    }
  }
  const Origin origin{"anima", std::string(detail::kErasureSource), Trust::kSystem,
                      Sequence::kNone};
  const std::string record = detail::erasure_record(seals);
  ANIMA_TRY(write(origin, [&](Transaction& transaction) {
    return transaction.record(RecordKind::kAudit, record);
  }));
  {
    const std::lock_guard guard(state_mutex_);
    ANIMA_TRY(finish_erasure(seals));
    publish();
  }
  return forget_old_bases();
}

Status SpaceImpl::finish_erasure(const std::vector<std::string>& seals) {
  if (!options_.read_only) ANIMA_TRY(keys_.destroy(seals));
  ANIMA_TRY(views_->clear());
  base_sequence_ = 0;
  const Status replayed = replay_rest();
  erased_.clear();  // what the second reading has seen again
  return replayed;
}

Status SpaceImpl::forget_old_bases() {
  if (folder_.empty()) return {};
  ANIMA_TRY(checkpoint());
  const std::lock_guard guard(state_mutex_);
  return views_->remove_bases(false);
}

Status SpaceImpl::checkpoint() {
  if (folder_.empty()) return {};
  if (options_.read_only) {
    return fail(ErrorCode::kDenied, "the space was opened read-only", folder_);
  }
  const std::lock_guard one_at_a_time(checkpoint_mutex_);
  ANIMA_ASSIGN(const auto lock, options_.files->lock(join_path(folder_, "checkpoint.lock"),
                                                     LockMode::kExclusive, true));
  const Snapshot now = snapshot();
  ANIMA_ASSIGN(const LogEntry entry, log_->entry(now.sequence()));
  ANIMA_TRY(views_->write_base(now, Head{entry.sequence, entry.time, entry.hash}));
  const std::lock_guard guard(state_mutex_);
  ANIMA_TRY(views_->install_base());
  base_sequence_ = to_number(entry.sequence);
  publish();
  return {};
}

void SpaceImpl::checkpoint_in_background(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    {
      std::unique_lock guard(wanted_mutex_);
      checkpoint_wanted_.wait(guard, stop, [this] { return wanted_.load(); });
    }
    if (stop.stop_requested()) return;
    if (const Status done = checkpoint(); !done) {
      note("a checkpoint failed: " + done.error().describe());
      // Not again before as many entries have come once more.
      base_sequence_ = published_.load();
    }
    wanted_ = false;
  }
}

SpaceStats SpaceImpl::stats() {
  SpaceStats out;
  views_->stats(out);
  out.entries = published_.load();
  out.log_bytes = log_->stored_bytes().value_or(0);
  return out;
}

std::vector<std::string> SpaceImpl::notes() {
  std::vector<std::string> all = views_->notes();
  const std::lock_guard guard(notes_mutex_);
  all.insert(all.end(), notes_.begin(), notes_.end());
  return all;
}

Result<std::shared_ptr<Space>> open_space(std::string folder, const SpaceOptions& options) {
  SpaceOptions complete = options;
  if (complete.clock == nullptr) complete.clock = std::make_shared<SystemClock>();
  if (complete.random == nullptr) complete.random = std::make_shared<SystemRandom>();
  if (complete.files == nullptr) complete.files = &system_files();
  auto space = std::make_shared<SpaceImpl>(std::move(folder), std::move(complete));
  ANIMA_TRY(space->open());
  return space;
}

}  // namespace

Result<std::shared_ptr<Space>> Space::open(const std::string& folder, const SpaceOptions& options) {
  if (folder.empty()) return fail(ErrorCode::kInvalidArgument, "a space needs a folder");
  return open_space(folder, options);
}

Result<std::shared_ptr<Space>> Space::in_memory(const SpaceOptions& options) {
  SpaceOptions memory = options;
  memory.read_only = false;
  return open_space({}, memory);
}

Status visit_records(const LogEntry& entry,
                     const std::function<Status(RecordKind, std::string_view)>& visit) {
  return detail::Views::visit_records(entry, visit);
}

}  // namespace anima::store
