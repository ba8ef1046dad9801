// Upkeep of a space: erasures and checkpoints.
#include <mutex>

#include "store/archive.h"
#include "store/log/entry_codec.h"
#include "store/log/sealed.h"
#include "store/space/space_impl.h"

namespace anima::store::detail {

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
  const Origin origin{"anima", std::string(kErasureSource), Trust::kSystem, Sequence::kNone};
  const std::string record = erasure_record(seals);
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

}  // namespace anima::store::detail
