#include "store/space.h"

#include <algorithm>
#include <filesystem>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#include "base/config.h"
#include "base/files/file_owner.h"
#include "store/archive.h"
#include "store/backup.h"
#include "store/base/base_file.h"
#include "store/compact.h"
#include "store/log/archived.h"
#include "store/log/attachment.h"
#include "store/log/entry_codec.h"
#include "store/log/memory_log.h"
#include "store/log/operations.h"
#include "store/log/redacted.h"
#include "store/log/salvaged_log.h"
#include "store/log/sealed.h"
#include "store/log/stored_rows.h"
#include "store/space/space_impl.h"
#include "store/space/witnesses.h"
#include "store/space_place.h"
#include "store/state/state.h"

namespace anima::store {
namespace detail {
namespace {

bool exceeds(const IdBounds& a, const IdBounds& b) {
  return a.entities > b.entities || a.literals > b.literals || a.graphs > b.graphs;
}

// What an agent remembers is nobody else's to read, unless its owner says so. An empty folder was
// made for it; one that holds anything keeps its permissions, for others may use it (`anima doctor`
// warns).
Status make_folder(FileSystem& files, const std::string& folder) {
  const auto entries = files.list(folder);
  if (!entries) return files.make_directories(folder, 0700);
  std::error_code not_ours;
  if (entries->empty())
    std::filesystem::permissions(folder, std::filesystem::perms::owner_all, not_ours);
  return {};
}

}  // namespace

// --- opening ------------------------------------------------------------------------------------

Status SpaceImpl::open() {
  ViewsOptions views;
  views.folder = folder_;
  views.files = options_.files;
  views.read_only = options_.read_only;
  views.text_index = options_.text_index;
  views.max_value_bytes = options_.max_value_bytes;
  views.max_nesting = options_.max_nesting;
  if (folder_.empty()) {
    log_ = make_memory_log();
  } else {
    ANIMA_TRY(open_log());
  }
  if (!folder_.empty()) follow_owner(folder_);
  ANIMA_ASSIGN(views_, Views::open(views));
  {
    const MutexLock guard(state_mutex_);
    ANIMA_TRY(start_from_base());
    if (const Status read = catch_up(); !read) return fail(with_way_back(read.error()));
    publish();
    if (views_->text_outdated()) {
      note(
          "the index of words is of an older program: it is made again from the texts, and the "
          "next checkpoint keeps it");
    } else if (options_.read_only && base_is_due()) {
      note("the log is " + std::to_string(replay_work_.rows()) +
           " rows ahead of its base, which each opening reads again");
    }
  }
  if (published_ == 0 && !options_.read_only) {
    const Origin genesis{"anima", "genesis", Trust::kSystem, Sequence::kNone};
    const ActScope of_no_act("", ActKind::kOwn);
    ANIMA_TRY(write(genesis, [](Transaction&) { return Status(); }));
  }
  if (bases_outdated_ && !options_.read_only) ANIMA_TRY(forget_old_bases());
  if (!folder_.empty() && !options_.read_only) {
    tidy();
    take_back_left_acts();
  }
  // What SQLite and the shared head have made, too.
  if (!folder_.empty()) follow_owner(folder_);
  return {};
}

Result<bool> SpaceImpl::has_archived() { return has_archived_entries(*log_); }

Status SpaceImpl::open_log() {
  FileSystem& files = *options_.files;
  const Witness witness = newest_witness(files, folder_);
  ANIMA_ASSIGN(const LogPlace place, log_place(files, folder_));
  LogOpening opening;
  opening.read_only = options_.read_only;
  opening.wait = wait_;
  if (options_.log_tuning != nullptr) opening.tuning = *options_.log_tuning;
  Result<std::unique_ptr<Log>> opened = open_log_at(place, opening);
  const bool none = !opened && opened.error().code == ErrorCode::kNotFound;
  if (opened) ANIMA_TRY(keep_place(files, place, **opened, options_.read_only));
  std::vector<std::string> unread;
  const bool from_base = options_.salvage && open_newest_base(files, folder_, unread) != nullptr;
  if (options_.salvage) ANIMA_TRY(salvage(opened, from_base));
  const Result<Head> head = opened ? (*opened)->head() : Head{};
  const bool empty = none || (opened && head && head->sequence == Sequence::kNone);
  if (empty && !from_base) {
    // Nobody's memory begins anew over one that was lost.
    const std::vector<std::string> remains = remains_of_space(files, folder_);
    if (!remains.empty()) return fail(lost_log(files, folder_, remains));
  }
  if (none && options_.create) {
    ANIMA_TRY(make_folder(files, folder_));
    opening.create = true;
    opened = open_log_at(place, opening);
    if (opened) ANIMA_TRY(keep_place(files, place, **opened, false));
  }
  if (!opened) {
    Error error = std::move(opened).error();
    if (error.code == ErrorCode::kCorrupt) error.hint = way_back(files, folder_);
    return fail(std::move(error));
  }
  log_ = std::move(*opened);
  // A damaged head is the replay's to tell of.
  const Status whole = head ? check_witness(files, folder_, witness, head->sequence) : Status();
  if (whole) return {};
  if (!options_.read_only) return whole;
  note(whole.error().describe());
  return {};
}

// From here on the log is what comes before its damage. One that cannot be opened holds nothing,
// where there is a base to read in its place.
Status SpaceImpl::salvage(Result<std::unique_ptr<Log>>& log, bool from_base) {
  const bool lost =
      !log && (log.error().code == ErrorCode::kCorrupt || log.error().code == ErrorCode::kNotFound);
  if (!log && !(lost && from_base)) return {};
  if (!log) {
    note(log.error().describe());
    log = make_memory_log();
  }
  ANIMA_ASSIGN(Salvaged salvaged, salvage_log(std::move(*log)));
  log = std::move(salvaged.log);
  ANIMA_ASSIGN(const Head last, (*log)->head());
  if (salvaged.damage) {
    note(salvaged.damage->describe() + "; read up to entry " +
         std::to_string(to_number(last.sequence)));
  }
  return {};
}

// Says of a damage how far the log is whole.
Error SpaceImpl::with_way_back(Error error) const {
  if (error.code != ErrorCode::kCorrupt || folder_.empty()) return error;
  error.hint = way_back(*options_.files, folder_, views_->head().sequence);
  return error;
}

// A base that cannot be believed is as good as none.
Status SpaceImpl::start_from_base() {
  const Head base = views_->head();
  if (base.sequence == Sequence::kNone) {
    begin_at_log();
    return {};
  }
  if (const Status believed = believe_base(base); !believed) {
    if (believed.error().code != ErrorCode::kConflict) return believed;
    note("the base at entry " + std::to_string(to_number(base.sequence)) + " " +
         believed.error().message + "; rebuilt from the log");
    bases_outdated_ = true;
    return clear_views();
  }
  holds_erased_ = false;
  forgotten_until_ = base.sequence;
  base_sequence_ = to_number(base.sequence);
  replay_work_.clear();
  return {};
}

// What the log says up to its head was taken from its entries before it said so.
void SpaceImpl::begin_at_log() {
  const Result<Head> head = log_->head();
  forgotten_until_ = head ? head->sequence : Sequence::kNone;
}

// Only while the log holds the very entry that it was made at, and the base knows all erasures up
// to there; one that lacks what a key seals is of no use once the key is back. kConflict: it is not
// to be believed. What is archived can be read from a base only.
Status SpaceImpl::believe_base(const Head& base) {
  const Result<LogEntry> entry = log_->entry(base.sequence);
  if (!entry && entry.error().code != ErrorCode::kNotFound) {
    Error error = entry.error();
    if (error.code == ErrorCode::kCorrupt) error.hint = way_back(*options_.files, folder_);
    return fail(std::move(error));
  }
  if (!entry && options_.salvage) {
    note("the base at entry " + std::to_string(to_number(base.sequence)) +
         " is read in the place of entries of the log that are lost: `anima --salvage export -o "
         "FILE` keeps what it holds, and a backup does not");
  } else if (!entry) {
    return fail(ErrorCode::kConflict, "is newer than the log");
  } else if (entry->hash != base.hash) {
    return fail(ErrorCode::kConflict, "does not belong to this log");
  }
  ANIMA_ASSIGN(const bool archived, has_archived());
  Result<BaseSeals> seals = views_->base_seals();
  old_base_ = !seals && seals.error().code == ErrorCode::kVersionMismatch && archived;
  if (old_base_) seals = BaseSeals{};
  if (!seals) return fail(ErrorCode::kConflict, "is not used: " + seals.error().message);
  for (const auto& [seal, said] : keys_->destroyed()) {
    if (said <= to_number(base.sequence) && !seals->destroyed.contains(seal))
      return fail(ErrorCode::kConflict, "does not know of an erasure");
  }
  for (const auto& [seal, away] : seals->away) {
    if (!key_is_back(seal, away.last)) continue;
    if (!archived)
      return fail(ErrorCode::kConflict, "lacks what is sealed under a key that is back");
    note("the key " + seal +
         " is back: what it seals is read again when the archives are restored");
  }
  for (const auto& [seal, said] : seals->destroyed) {
    keys_->mark_destroyed(seal, said);
    see_compaction(seal);
  }
  away_ = std::move(seals->away);
  opened_ = std::move(seals->opened);
  return {};
}

Status SpaceImpl::clear_views() {
  opened_.clear();
  away_.clear();
  old_base_ = holds_erased_ = false;
  base_sequence_ = 0;
  replay_work_.clear();
  begin_at_log();
  return views_->clear();
}

// --- reading ------------------------------------------------------------------------------------

Result<Snapshot> SpaceImpl::snapshot() {
  const std::optional<Sequence> known = log_->known_head();
  if (known && to_number(*known) <= published_.load()) return views_->knowledge();
  // The catch-up of our own turn was published before in_turn_ was set, and what came since is not
  // acknowledged yet. It is lowered before the turn ends, so that no commit of another process can
  // come in between. A turn that can be lost keeps nobody out; but the function that runs in it has
  // the state, which nobody else changes meanwhile.
  if (in_turn_.load() && (log_->keeps_turns() || leader_.load() == std::this_thread::get_id()))
    return views_->knowledge();
  if (looks_.load() == std::this_thread::get_id()) return views_->knowledge();
  if (!known) {
    const std::uint64_t read = published_.load();  // before the log: it only grows
    ANIMA_ASSIGN(const Head head, log_->head());
    if (to_number(head.sequence) < read) return fail(shorter_log());
    if (to_number(head.sequence) <= published_.load()) return views_->knowledge();
  }
  const MutexLock guard(state_mutex_);
  ANIMA_TRY(follow_log());
  if (known && views_->head().sequence < *known) return fail(shorter_log());
  return views_->knowledge();
}

Error SpaceImpl::shorter_log() const {
  return Error{ErrorCode::kCorrupt, "the log is shorter than what was read from it or acknowledged",
               folder_, "open the space again"};
}

// What could be read is published also where the rest cannot.
Status SpaceImpl::follow_log() {
  const Status caught_up = catch_up();
  publish();
  return caught_up;
}

// An erasure that this process has not seen: what it took away is in the base, or in memory, and
// nobody sees the state before it is gone from there, whatever else is wrong with the log. Who
// erases writes a base that lacks it, so the log is replayed only where there is none yet.
Status SpaceImpl::catch_up() {
  Status read = replay_rest();
  if (holds_erased_ && !folder_.empty()) {
    ANIMA_TRY(views_->restart());
    ANIMA_TRY(start_from_base());
    if (views_->head().sequence == Sequence::kNone) ANIMA_TRY(clear_views());
    read = replay_rest();
  }
  if (holds_erased_) {
    ANIMA_TRY(clear_views());
    read = replay_rest();
  }
  if (shred_ && !options_.read_only) {
    if (const Status shredded = keys_->shred_destroyed(); !shredded)
      note("a destroyed key is still there: " + shredded.error().describe());
  }
  shred_ = false;
  return read;
}

// Where another process has archived what this one has not read yet, the base that it left behind
// holds it.
Status SpaceImpl::replay_rest() {
  for (bool again = true;; again = false) {
    const Sequence next{to_number(views_->head().sequence) + 1};
    met_archived_ = false;
    Status read = log_->read(
        next, [this](const LogEntry& entry) ANIMA_REQUIRES(state_mutex_) { return replay(entry); });
    if (read || !met_archived_ || !again) return read;
    ANIMA_TRY(views_->restart());
    if (views_->head().sequence < next) return read;
    ANIMA_TRY(start_from_base());
  }
}

Status SpaceImpl::replay(const LogEntry& entry) {
  if (is_archived(entry)) {
    met_archived_ = true;
    return archived_error(entry.sequence);
  }
  ANIMA_TRY(
      visit_erasures(entry, [&](const std::string& seal) { see_erasure(seal, entry.sequence); }));
  const std::uint64_t rows = views_->rows_written();
  ANIMA_TRY(apply(entry));
  replay_work_.add(entry.sequence, stored_bytes(entry), views_->rows_written() - rows);
  return {};
}

Status SpaceImpl::apply(const LogEntry& entry) {
  if (entry.seal.empty()) return views_->apply(entry);
  ANIMA_ASSIGN(OpenedPayload opened, open_payload(entry, *keys_));
  if (opened.state != SealState::kOpen) {
    const bool defines = exceeds(opened.bounds, views_->bounds());
    ANIMA_TRY(views_->apply_erased(entry, opened.bounds));
    if (opened.state == SealState::kDestroyed) return {};
    AwayKey& away = away_[entry.seal];
    away = {to_number(entry.sequence), away.defines || defines};
    return {};
  }
  opened_.insert(entry.seal);
  LogEntry open = entry;
  open.payload = std::move(opened.operations);
  return views_->apply(open);
}

void SpaceImpl::publish() {
  tell_horizon();
  const Snapshot published = views_->publish();
  published_.store(to_number(published.sequence()));
  replay_bytes_ = replay_work_.bytes();
  replay_rows_ = replay_work_.rows();
  if (base_is_due() && work() >= next_try_ && !wanted_.load()) want_base();
}

Status SpaceImpl::changes(Sequence after, const std::function<Status(const LogEntry&)>& visit) {
  if (to_number(after) == ~std::uint64_t{0}) return {};  // nothing lies behind the last number
  // Before the log: it only grows.
  const Sequence there = std::max(Sequence{published_.load()}, log_->known_head().value_or(after));
  Sequence last = after;
  ANIMA_TRY(log_->read(Sequence{to_number(after) + 1}, [&](const LogEntry& entry) -> Status {
    last = entry.sequence;
    if (entry.seal.empty()) return visit(entry);
    ANIMA_ASSIGN(const LogEntry open, opened(entry));
    return visit(open);
  }));
  if (last < there) return fail(shorter_log());
  return {};
}

Result<LogEntry> SpaceImpl::opened(LogEntry entry) {
  if (entry.seal.empty()) return entry;
  ANIMA_ASSIGN(OpenedPayload payload, open_payload(entry, *keys_));
  entry.payload = std::move(payload.operations);
  return entry;
}

Status SpaceImpl::visit_written(Sequence after, Sequence last,
                                const std::function<Status(const WrittenKey&)>& visit) {
  const Sequence oldest = oldest_state(views_->snapshot());
  if (after < std::min(oldest, last)) {
    return fail(ErrorCode::kNotFound, views_->snapshot().state().horizon->said,
                entry_place(Sequence{to_number(after) + 1}),
                views_->snapshot().state().horizon->hint);
  }
  const auto visit_one = [&](const LogEntry& entry) -> Status {
    bool forgot = false;
    ANIMA_TRY(visit_forgotten(entry, [&](const Json&) { forgot = true; }));
    if (forgot) {
      return fail(ErrorCode::kNotFound, "what entries before it wrote was forgotten",
                  entry_place(entry.sequence));
    }
    const SealState seal = entry.seal.empty() ? SealState::kOpen : keys_->find(entry.seal).state;
    if (seal != SealState::kOpen && entry.payload.empty()) {
      const bool erased = seal == SealState::kDestroyed;
      return fail(ErrorCode::kNotFound,
                  erased ? "its content was erased" : "it is sealed, and its key is not here",
                  entry_place(entry.sequence));
    }
    return views_->visit_written(entry, visit, [](EntityId) -> Status { return {}; });
  };
  // One alone is read without the one before it, which may be damaged.
  if (to_number(last) == to_number(after) + 1) {
    Result<LogEntry> entry = log_->entry(last);
    if (!entry && entry.error().code == ErrorCode::kNotFound) return {};
    if (!entry) return fail(std::move(entry).error());
    ANIMA_ASSIGN(const LogEntry open, opened(*std::move(entry)));
    return visit_one(open);
  }
  bool there = false;  // the log went on beyond `last` while it was read
  const Status read = changes(after, [&](const LogEntry& entry) -> Status {
    there = entry.sequence > last;
    return there ? fail(ErrorCode::kCancelled, "read far enough") : visit_one(entry);
  });
  return there ? Status{} : read;
}

SpaceStats SpaceImpl::stats() {
  SpaceStats out;
  views_->stats(out);
  out.entries = published_.load();
  out.log_bytes = log_->stored_bytes().value_or(0);
  out.replay_bytes = replay_bytes_.load();
  out.replay_rows = replay_rows_.load();
  return out;
}

std::vector<std::string> SpaceImpl::notes() {
  std::vector<std::string> all = views_->notes();
  {
    const MutexLock guard(notes_mutex_);
    all.insert(all.end(), notes_.begin(), notes_.end());
  }
  const MutexLock guard(state_mutex_);
  for (const auto& [seal, away] : away_) {
    all.push_back("up to " + entry_place(Sequence{away.last}) + " something is sealed under " +
                  seal +
                  ", a key that is not here or cannot be read: it is missing until the key is "
                  "back in keys/");
  }
  return all;
}

}  // namespace detail

namespace {

Result<std::shared_ptr<Space>> open_space(std::string folder, const SpaceOptions& options) {
  SpaceOptions complete = options;
  if (complete.clock == nullptr) complete.clock = std::make_shared<SystemClock>();
  if (complete.random == nullptr) complete.random = std::make_shared<SystemRandom>();
  complete.read_only = complete.read_only || complete.salvage;
  if (complete.files == nullptr) complete.files = &system_files();
  auto space = std::make_shared<detail::SpaceImpl>(std::move(folder), std::move(complete));
  ANIMA_TRY(space->open());
  return space;
}

}  // namespace

Result<std::shared_ptr<Space>> Space::open(const std::string& place, const SpaceOptions& options) {
  if (place.empty()) return fail(ErrorCode::kInvalidArgument, "a space needs a folder");
  ANIMA_ASSIGN(std::string folder,
               space_folder(place, user_directories(system_environment()).data));
  return open_space(std::move(folder), options);
}

Result<std::shared_ptr<Space>> Space::in_memory(const SpaceOptions& options) {
  SpaceOptions memory = options;
  memory.read_only = memory.salvage = false;
  return open_space({}, memory);
}

Status visit_records(const LogEntry& entry,
                     const std::function<Status(RecordKind, std::string_view)>& visit) {
  return detail::visit_entry_records(entry, visit);
}

Status visit_all_records(Log& log, const LogEntry& entry,
                         const std::function<Status(RecordKind, std::string_view)>& visit) {
  ANIMA_TRY(detail::visit_entry_records(entry, visit));
  if (!detail::has_attachment(entry)) return {};
  ANIMA_ASSIGN(const std::string attachment, log.attachment(entry.sequence));
  if (attachment.empty()) return {};
  ANIMA_ASSIGN(const std::string_view records, detail::attached_records(entry, attachment));
  return detail::visit_encoded_records(records, visit);
}

}  // namespace anima::store
