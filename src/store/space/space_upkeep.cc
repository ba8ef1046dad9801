// Upkeep of a space: erasures and checkpoints.
#include <algorithm>
#include <chrono>
#include <mutex>
#include <thread>

#include "base/files/output_file.h"
#include "store/archive.h"
#include "store/base/base_file.h"
#include "store/log/entry_codec.h"
#include "store/log/redacted.h"
#include "store/log/sealed.h"
#include "store/log/stored_rows.h"
#include "store/space/redact_log.h"
#include "store/space/space_impl.h"
#include "store/space_place.h"
#include "store/state/state.h"

namespace anima::store::detail {

// The entry comes first: whoever opens or follows the space afterwards, after a crash too, sees it
// and carries the erasure out (catch_up, open). Nobody writes a base at that entry or behind it
// before it is carried out in his state, so that no base is newer than an erasure that it does not
// know.
Status SpaceImpl::erase(const std::string& key) {
  if (options_.read_only) {
    return fail(ErrorCode::kDenied, kOpenedReadOnly, folder_);
  }
  if (!folder_.empty()) {
    ANIMA_ASSIGN(const bool archived, has_archived());
    if (archived) {
      return fail(ErrorCode::kConflict,
                  "an erasure replays the whole log, and some of its payloads lie in archives",
                  folder_, "bring them back first with `anima archive --restore FILE`");
    }
  }
  ANIMA_TRY(check_takes_base(folder_));
  const Origin origin{"anima", std::string(kErasureSource), Trust::kSystem, Sequence::kNone};
  ANIMA_TRY(write(origin, [&](Transaction& transaction) -> Status {
    // In the turn, so that nobody seals anything under them meanwhile.
    ANIMA_ASSIGN(std::vector<std::string> seals, keys_->seals(key));
    // Or their content is here, and they are not.
    const auto add = [&](const std::string& seal) {
      const bool named = seal.substr(0, seal.rfind('#')) == key;
      if (named && std::find(seals.begin(), seals.end(), seal) == seals.end())
        seals.push_back(seal);
    };
    for (const auto& [seal, away] : away_) add(seal);
    for (const std::string& seal : opened_) add(seal);
    if (seals.empty()) return fail(no_such_key(key));
    return transaction.record(RecordKind::kAudit, erasure_record(seals));
  }));
  {
    const MutexLock guard(state_mutex_);
    ANIMA_TRY(catch_up());
    publish();
  }
  ANIMA_TRY(keys_->shred_destroyed());
  return forget_old_bases();
}

Error SpaceImpl::no_such_key(const std::string& key) const {
  std::uint64_t entry = 0;
  for (const auto& [seal, said] : keys_->destroyed()) {
    if (seal.substr(0, seal.rfind('#')) == key) entry = std::max(entry, said);
  }
  if (entry == 0) return {ErrorCode::kNotFound, "there is no such key", key, {}};
  return {ErrorCode::kNotFound,
          "the key was destroyed by " + entry_place(Sequence{entry}) +
              ", and what was sealed under it is gone",
          key,
          {}};
}

void SpaceImpl::see_erasure(const std::string& seal, Sequence sequence) {
  keys_->mark_destroyed(seal, to_number(sequence));
  see_compaction(seal);
  away_.erase(seal);
  const bool held =
      seal.starts_with(kForgottenSeal) ? sequence > forgotten_until_ : opened_.contains(seal);
  holds_erased_ = holds_erased_ || old_base_ || held;
  shred_ = bases_outdated_ = true;
}

void SpaceImpl::see_compaction(const std::string& seal) {
  const auto found = compacted_seal(seal);
  if (!found || found->until <= compacted_.until) return;
  compacted_ = *found;
  horizon_told_ = false;
}

// Where it was kept, its entry says.
void SpaceImpl::tell_horizon() {
  if (horizon_told_) return;
  horizon_told_ = true;
  auto horizon = std::make_shared<Horizon>();
  horizon->oldest = compacted_.until;
  std::string kept;
  if (const auto entry = log_->entry(Sequence{compacted_.entry})) {
    (void)visit_compacted(*entry, [&](const Json& compacted) {
      const Json* path = compacted.find("kept");
      if (path != nullptr && path->is_string()) kept = path->as_string();
    });
  }
  const std::string oldest = std::to_string(compacted_.until);
  horizon->said = "what was withdrawn up to entry " + oldest +
                  " was given up by `anima compact` in entry " + std::to_string(compacted_.entry) +
                  ", so no older state can be read";
  horizon->hint = kept.empty()
                      ? "the oldest that can is that of entry " + oldest +
                            "; a backup from before has older ones"
                      : "the whole log is in " + kept + ": `anima restore` makes a space of it";
  views_->set_horizon(std::move(horizon));
}

bool SpaceImpl::key_is_back(const std::string& seal, std::uint64_t sequence) {
  if (keys_->find(seal).state != SealState::kOpen) return false;
  const Result<LogEntry> entry = log_->entry(Sequence{sequence});
  if (!entry || entry->seal != seal) return false;
  const Result<OpenedPayload> opened = open_payload(*entry, *keys_);
  return opened && opened->state == SealState::kOpen;
}

Status SpaceImpl::take_returned_keys() {
  const bool back = std::any_of(away_.begin(), away_.end(), [this](const auto& away) {
    return key_is_back(away.first, away.second.last);
  });
  if (!back) return {};
  ANIMA_ASSIGN(const bool archived, has_archived());
  if (archived) return {};
  ANIMA_TRY(clear_views());
  return replay_rest();
}

// What processes that ended half-way have left. Nothing of it stops anybody.
void SpaceImpl::tidy() {
  const auto lock =
      options_.files->lock(join_path(folder_, "checkpoint.lock"), LockMode::kExclusive, false);
  if (!lock) return;  // somebody makes a base, and tidies up behind himself
  const MutexLock guard(state_mutex_);
  remove_dead_drafts(*options_.files, folder_);
  remove_dead_drafts(*options_.files, join_path(folder_, "keys"));
  Status removed = remove_base_drafts(*options_.files, folder_);
  if (removed) removed = views_->remove_bases(false);
  if (!removed) note("what was left behind stays there: " + removed.error().describe());
}

Status SpaceImpl::forget_old_bases() {
  if (folder_.empty()) return {};
  ANIMA_ASSIGN(StoredRows* const rows, rows_of(*log_));
  ANIMA_ASSIGN(const bool swept, rows->sweep(false));
  if (!swept) {
    note("another program reads the log: until it ends, files of " + rows->place() +
         " may hold bytes of what was taken from it");
  }
  ANIMA_TRY(checkpoint());
  const MutexLock guard(state_mutex_);
  return views_->remove_bases(false);
}

// Another process may stop with the lock in its hands, so the wait has an end.
Result<std::unique_ptr<FileLock>> SpaceImpl::lock_bases() {
  using std::chrono::milliseconds;
  using std::chrono::steady_clock;
  constexpr milliseconds kStep{10};
  const auto end = steady_clock::now() + milliseconds(wait_.milliseconds);
  while (true) {
    auto lock =
        options_.files->lock(join_path(folder_, "checkpoint.lock"), LockMode::kExclusive, false);
    if (lock || lock.error().code != ErrorCode::kBusy) return lock;
    if (wait_.stopped()) {
      return fail(ErrorCode::kCancelled, "stopped while another process writes a base", folder_);
    }
    if (steady_clock::now() >= end) {
      return fail(ErrorCode::kBusy,
                  "another process has been writing a base for the " +
                      std::to_string(wait_.milliseconds) +
                      " ms that this one waits (turn_wait_milliseconds)",
                  join_path(folder_, "checkpoint.lock"), "try again");
    }
    std::this_thread::sleep_for(kStep);
  }
}

Status SpaceImpl::checkpoint() {
  if (folder_.empty()) return {};
  if (options_.read_only) {
    return fail(ErrorCode::kDenied, kOpenedReadOnly, folder_);
  }
  const MutexLock one_at_a_time(checkpoint_mutex_);
  ANIMA_ASSIGN(const auto lock, lock_bases());
  ANIMA_TRY(adopt_newer_base());
  return write_base();
}

// What another process wrote since. It is checked before the state is locked: that takes long.
Status SpaceImpl::adopt_newer_base() {
  views_->find_newer_base();
  const MutexLock guard(state_mutex_);
  ANIMA_TRY(catch_up());
  const Status installed = install_base();
  publish();
  return installed;
}

Status SpaceImpl::write_base() {
  BaseSeals seals;
  const auto settled = [&]() -> Result<Snapshot> {
    const MutexLock guard(state_mutex_);
    ANIMA_TRY(catch_up());
    ANIMA_TRY(take_returned_keys());
    publish();
    seals = seals_now();
    return views_->snapshot();
  };
  ANIMA_ASSIGN(const Snapshot now, settled());
  if (to_number(now.sequence()) == base_sequence_.load()) return {};
  ANIMA_ASSIGN(const LogEntry entry, log_->entry(now.sequence()));
  ANIMA_TRY(views_->write_base(now, Head{entry.sequence, entry.time, entry.hash}, seals));
  const MutexLock guard(state_mutex_);
  ANIMA_TRY(install_base());
  publish();
  return {};
}

// Not a base that was made before the newest erasure, nor one that lacks what this state has.
Status SpaceImpl::install_base() {
  const BaseSeals known = seals_now();
  const auto acceptable = [&](const Head& base, const BaseSeals& seals) {
    // As when opening: the log must hold the very entry that it was made at.
    const Result<LogEntry> entry = log_->entry(base.sequence);
    return entry && entry->hash == base.hash && seals.erasure() == known.erasure() &&
           std::all_of(seals.away.begin(), seals.away.end(),
                       [&](const auto& away) { return known.away.contains(away.first); });
  };
  // A base that lies in memory alone, as a big bulk makes one, spares no reopening anything.
  ANIMA_ASSIGN(const bool installed, views_->install_base(acceptable));
  if (!installed) return {};
  const Result<BaseSeals> seals = views_->base_seals();
  const std::uint64_t base = to_number(views_->base_sequence());
  if (base == base_sequence_.load() || !seals) return {};
  base_sequence_ = base;
  replay_work_.covered(Sequence{base});
  opened_.insert(seals->opened.begin(), seals->opened.end());
  std::erase_if(away_, [&](const auto& away) {
    return away.second.last <= base && !seals->away.contains(away.first);
  });
  return {};
}

// --- in the background --------------------------------------------------------------------------

// Writing a base costs what it holds, so a large one is written after more: each row is then
// written a bounded number of times.
bool SpaceImpl::base_is_due() {
  constexpr std::uint64_t kPart = 16;
  if (folder_.empty() || options_.checkpoint_after_bytes == 0 ||
      options_.checkpoint_after_rows == 0) {
    return false;
  }
  if (views_->text_outdated()) return true;
  const auto [bytes, rows] = views_->base_size();
  return replay_work_.bytes() >= std::max(options_.checkpoint_after_bytes, bytes / kPart) ||
         replay_work_.rows() >= std::max(options_.checkpoint_after_rows, rows / kPart);
}

std::uint64_t SpaceImpl::work() { return replay_work_.bytes() + replay_work_.rows(); }

void SpaceImpl::want_base() {
  {
    const MutexLock guard(wanted_mutex_);
    wanted_ = true;
  }
  if (!upkeep_.joinable()) {
    upkeep_ = std::jthread([this](const std::stop_token& stop) { keep_up_in_background(stop); });
  }
  upkeep_wanted_.notify_one();
}

// Who comes later finds the base of who was first. A process that is writing one is not waited for:
// what it writes is adopted when more has come.
Status SpaceImpl::keep_base_fresh() {
  const MutexLock one_at_a_time(checkpoint_mutex_);
  const auto still_due = [this] {
    const MutexLock guard(state_mutex_);
    return base_is_due();
  };
  ANIMA_TRY(adopt_newer_base());
  if (options_.read_only || !still_due()) return {};
  const auto lock =
      options_.files->lock(join_path(folder_, "checkpoint.lock"), LockMode::kExclusive, false);
  if (!lock) {
    if (lock.error().code == ErrorCode::kBusy) return {};
    return fail(lock.error());
  }
  ANIMA_TRY(adopt_newer_base());
  return still_due() ? write_base() : Status();
}

void SpaceImpl::keep_up_in_background(const std::stop_token& stop) {
  while (true) {
    {
      const MutexLock guard(wanted_mutex_);
      upkeep_wanted_.wait(wanted_mutex_, stop, [this] { return wanted_.load(); });
    }
    // A short-lived process writes the base that it owes before it goes, or none ever would.
    if (stop.stop_requested() && (!wanted_.load() || options_.read_only || wait_.stopped())) return;
    if (const Status done = keep_base_fresh(); !done) {
      note("a checkpoint failed: " + done.error().describe());
    }
    const MutexLock guard(state_mutex_);
    // Not again at once where there was none to be had.
    next_try_ = base_is_due() ? work() + work() / 4 : 0;
    wanted_ = false;
  }
}

}  // namespace anima::store::detail
