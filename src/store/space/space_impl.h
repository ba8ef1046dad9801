// SpaceImpl: a space over a log and the views of it.
//
// Three files, by what they do: space.cc opens and reads (catching up with the log),
// space_commits.cc writes (batches of changes, undo), space_upkeep.cc takes away (erasures) and
// folds (checkpoints). Thread-safety: as Space. checkpoint_mutex_ and the log's turn are taken
// before state_mutex_, never after it.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "base/files/file.h"
#include "base/mutex.h"
#include "base/result.h"
#include "store/act.h"
#include "store/base/base_seals.h"
#include "store/keys/folder_keys.h"
#include "store/keys/key_service.h"
#include "store/log.h"
#include "store/log/commit_queue.h"
#include "store/log/sealed.h"
#include "store/log/shared_head.h"
#include "store/place/log_place.h"
#include "store/space.h"
#include "store/space/act_marks.h"
#include "store/space/replay_work.h"
#include "store/space/undo.h"
#include "store/space/views.h"

namespace anima::store::detail {

class SpaceImpl final : public Space, public UndoingSpace {
 public:
  SpaceImpl(std::string folder, SpaceOptions options)
      : folder_(std::move(folder)),
        options_(std::move(options)),
        keys_(std::make_unique<FolderKeys>(*options_.files,
                                           folder_.empty() ? "" : join_path(folder_, "keys"))),
        wait_{options_.turn_wait_milliseconds, options_.stop},
        queue_([this] { turn_ = log_->take_turn(); },
               [this](CommitQueue::Batch batch) { run(batch); }) {}

  ~SpaceImpl() override {
    upkeep_.request_stop();
    if (upkeep_.joinable()) {
      upkeep_wanted_.notify_all();
      upkeep_.join();
    }
  }

  Status open();

  Result<Snapshot> snapshot() override;
  const UndoRules* rules() const override { return &options_.undo; }
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
  Result<UnsealedText> unseal(const SealedText& sealed) override;
  Status erase(const std::string& key) override;
  Result<std::vector<std::string>> keys() override { return keys_->names(); }

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
  Result<UndoneActs> undo_entries(const Origin& origin, std::span<const Sequence> entries,
                                  const UndoActsOptions& options) override;
  Result<std::pair<std::uint32_t, std::unique_ptr<ActUnderWay>>> mark_act() override;

  Status checkpoint() override;
  SpaceStats stats() override;
  std::vector<std::string> notes() override;
  const std::string& folder() const override { return folder_; }

 private:
  Result<Receipt> submit(const Origin& origin, const std::function<Status(Transaction&)>& change,
                         std::string seal_name);
  void run(CommitQueue::Batch batch);
  void run_in_turn(CommitQueue::Batch batch, Log::Turn& turn) ANIMA_REQUIRES(state_mutex_);
  // True when it appended. A failure is the request's, unless it ends the batch.
  Result<bool> prepare_all(CommitRequest& request, Log::Turn& turn) ANIMA_REQUIRES(state_mutex_);
  Result<bool> prepare(CommitRequest& request, Log::Turn& turn) ANIMA_REQUIRES(state_mutex_);
  Status append(CommitRequest& request, const EntryInfo& info, Finished finished,
                std::uint64_t rows, Log::Turn& turn) ANIMA_REQUIRES(state_mutex_);

  Result<LogEntry> opened(LogEntry entry);  // its payload unsealed; empty when it was erased
  void take_back_left_acts();
  bool take_back(const LeftAct& left);
  // Makes the change on the newest state and takes it back; nothing is written.
  Status try_out(const Origin& origin, const std::function<Status(Transaction&)>& change);
  Error no_such_key(const std::string& key) const;
  Status check_quota(std::uint64_t more);
  Result<UndoneActs> undo(const Origin& origin, const UndoRequest& request, bool dry_run);

  // Under state_mutex_:
  Status catch_up() ANIMA_REQUIRES(state_mutex_);
  Status follow_log() ANIMA_REQUIRES(state_mutex_);
  Error shorter_log() const;
  Status replay_rest() ANIMA_REQUIRES(state_mutex_);
  Status replay(const LogEntry& entry) ANIMA_REQUIRES(state_mutex_);
  Status apply(const LogEntry& entry) ANIMA_REQUIRES(state_mutex_);
  void publish() ANIMA_REQUIRES(state_mutex_);
  bool base_is_due() ANIMA_REQUIRES(state_mutex_);    // a reopening would replay too much
  std::uint64_t work() ANIMA_REQUIRES(state_mutex_);  // grows with what it would replay
  void want_base();

  Status open_log();
  Result<bool> has_archived();  // payloads of the log
  Status salvage(Result<std::unique_ptr<Log>>& log, bool from_base);
  Error with_way_back(Error error) const;
  Status start_from_base() ANIMA_REQUIRES(state_mutex_);
  Status believe_base(const Head& base) ANIMA_REQUIRES(state_mutex_);
  Status clear_views() ANIMA_REQUIRES(state_mutex_);
  void see_erasure(const std::string& seal, Sequence sequence);
  void see_compaction(const std::string& seal);
  void tell_horizon() ANIMA_REQUIRES(state_mutex_);  // to the views
  void begin_at_log();  // the state is empty, and the log is read from its first entry
  // What an entry says that is sealed under a key which was not here.
  bool key_is_back(const std::string& seal, std::uint64_t sequence);
  Status take_returned_keys() ANIMA_REQUIRES(state_mutex_);
  BaseSeals seals_now() { return {keys_->destroyed(), away_, opened_}; }

  Status check_nameable(const IdBounds& before, const IdBounds& after) const;

  Status install_base() ANIMA_REQUIRES(state_mutex_);  // under state_mutex_
  void tidy();
  Status forget_old_bases();
  Result<std::unique_ptr<FileLock>> lock_bases();
  // Under checkpoint_mutex_:
  Status adopt_newer_base() ANIMA_REQUIRES(checkpoint_mutex_);
  Status write_base() ANIMA_REQUIRES(checkpoint_mutex_);
  Status keep_base_fresh() ANIMA_EXCLUDES(checkpoint_mutex_);
  void keep_up_in_background(const std::stop_token& stop);
  void note(std::string text) {
    const MutexLock guard(notes_mutex_);
    notes_.push_back(std::move(text));
  }

  const std::string folder_;
  const SpaceOptions options_;
  std::unique_ptr<Log> log_;
  std::unique_ptr<Views> views_;
  const std::unique_ptr<KeyService> keys_;
  const TurnWait wait_;
  CommitQueue queue_;
  Result<std::unique_ptr<Log::Turn>> turn_;  // the running batch's
  Sequence preparing_ = Sequence::kNone;     // the entry whose function runs
  std::atomic<bool> act_left_{false};        // one of this process could not be taken back
  std::optional<std::uint64_t> log_bytes_;   // of the log with the running batch, once asked for

  Mutex state_mutex_;                        // the writer side of views_
  std::atomic<std::uint64_t> published_{0};  // sequence of views_->snapshot()
  // From after the catch-up of a batch until it is published, all within its turn: the head then
  // moves by our own hand only.
  std::atomic<bool> in_turn_{false};
  std::atomic<std::thread::id> leader_{};  // that runs the batch
  std::atomic<std::thread::id> looks_{};   // that tries something out

  // What the state holds of sealed entries; under state_mutex_.
  std::set<std::string> opened_;         // seals whose content is in it
  std::map<std::string, AwayKey> away_;  // seals without a key
  bool old_base_ = false;                // it began with a base that does not say what is in it
  bool holds_erased_ = false;            // it began before an erasure that it has met
  // What was forgotten up to here was gone from the log, or the base, that the state began with.
  Sequence forgotten_until_ = Sequence::kNone;
  CompactedSeal compacted_;   // the one that cut furthest
  bool horizon_told_ = true;  // the views know of it
  bool shred_ = true;         // key files of destroyed keys may lie there
  std::vector<std::pair<std::string, Sequence>> batch_erasures_;  // of the running batch

  bool met_archived_ = false;    // the replay met an entry whose payload lies elsewhere
  bool bases_outdated_ = false;  // what is on disk must not be there, or cannot be used

  Mutex checkpoint_mutex_ ANIMA_ACQUIRED_BEFORE(state_mutex_);  // one checkpoint at a time
  std::atomic<std::uint64_t> base_sequence_{0};  // of the newest base on disk that is known
  std::atomic<std::uint64_t> replay_bytes_{0}, replay_rows_{0};  // as last published
  // Under state_mutex_:
  ReplayWork replay_work_ ANIMA_GUARDED_BY(state_mutex_);
  std::uint64_t next_try_ ANIMA_GUARDED_BY(state_mutex_) =
      0;  // work at which a base is wanted again after a try that gave none

  Mutex wanted_mutex_;
  std::condition_variable_any upkeep_wanted_;
  std::atomic<bool> wanted_{false};
  std::jthread upkeep_;  // started when there is something to do

  Mutex notes_mutex_;
  std::vector<std::string> notes_ ANIMA_GUARDED_BY(notes_mutex_);
};

}  // namespace anima::store::detail
