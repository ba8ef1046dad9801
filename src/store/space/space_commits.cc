// Writing to a space: batches of changes in one turn of the log, quota, undo, sealing.
#include <algorithm>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "base/text/valid_text.h"
#include "store/act.h"
#include "store/log/act_operation.h"
#include "store/log/attachment.h"
#include "store/log/entry_codec.h"
#include "store/log/sealed.h"
#include "store/space/act_marks.h"
#include "store/space/space_impl.h"
#include "store/space/undo.h"
#include "store/space_place.h"
#include "store/undone_acts.h"

namespace anima::store::detail {
namespace {

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

// Who and whence are told as JSON, and exported.
Origin readable(Origin origin) {
  origin.author = valid_text(origin.author);
  origin.source = valid_text(origin.source);
  return origin;
}

// Failures of the log that end the whole batch: SQLite may have rolled everything back.
bool ends_batch(const Error& error) {
  return error.code != ErrorCode::kLimitExceeded && error.code != ErrorCode::kInvalidArgument;
}

// Behind a clock that was set back each entry comes after the one before it (store/present.h).
Timestamp time_after(const Head& head, Clock& clock) {
  const Timestamp time = clock.now();
  return time < head.time ? Timestamp{head.time.microseconds + 1} : time;
}

}  // namespace

Result<Receipt> SpaceImpl::submit(const Origin& origin,
                                  const std::function<Status(Transaction&)>& change,
                                  std::string seal_name) {
  if (options_.read_only) {
    return fail(ErrorCode::kDenied, kOpenedReadOnly, folder_);
  }
  ANIMA_TRY(ActScope::may_write(*this));
  CommitRequest request;
  const Origin told = readable(origin);
  request.origin = &told;
  request.change = &change;
  request.seal_name = std::move(seal_name);
  request.act = ActScope::current(*this);
  queue_.submit(request);
  if (request.in_doubt) ActScope::doubted(*this);
  if (request.result && request.result->changed) ActScope::began(*this, request.result->sequence);
  return std::move(request.result);
}

SeriesResult SpaceImpl::write_series(const Origin& origin,
                                     const std::function<const Change*()>& next) {
  SeriesResult series;
  if (options_.read_only) {
    series.status = fail(ErrorCode::kDenied, kOpenedReadOnly, folder_);
    return series;
  }
  series.status = ActScope::may_write(*this);
  if (!series.status) return series;
  CommitRequest request;
  const Origin told = readable(origin);
  request.origin = &told;
  request.next = &next;
  request.act = ActScope::current(*this);
  queue_.submit(request);
  if (request.in_doubt) ActScope::doubted(*this);
  for (const Receipt& receipt : request.receipts) {
    if (receipt.changed) ActScope::began(*this, receipt.sequence);
  }
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
  const MutexLock guard(state_mutex_);
  if (turn->head().sequence != views_->head().sequence) {
    const Status caught_up = catch_up();
    publish();
    if (!caught_up) return fail_all(caught_up.error());
    if (turn->head().sequence != views_->head().sequence) {
      return fail_all(shorter_log());
    }
  }
  leader_ = std::this_thread::get_id();
  in_turn_ = true;
  run_in_turn(batch, *turn);
  in_turn_ = false;
}

void SpaceImpl::run_in_turn(CommitQueue::Batch batch, Log::Turn& turn) {
  log_bytes_.reset();
  batch_erasures_.clear();
  const Mark start = views_->mark();
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
  if (!appended) {
    views_->settle();
    return;
  }
  if (const Status committed = turn.commit(); !committed) {
    const bool in_doubt = committed.error().code == ErrorCode::kIo;
    for (CommitRequest* request : batch) request->in_doubt = in_doubt;
    return fail_batch(committed.error());
  }
  for (const auto& [seal, sequence] : batch_erasures_) see_erasure(seal, sequence);
  if (!batch_erasures_.empty()) {
    // erase() takes what could not be done here once more, and tells of it.
    (void)catch_up();
  }
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
  info.time = time_after(head, *options_.clock);
  info.trust = request.origin->trust;
  info.author = request.origin->author;
  info.source = request.origin->source;
  preparing_ = info.sequence;
  const IdBounds before = views_->bounds();
  const Mark mark = views_->mark();
  const auto fail_request = [&](Error error) {
    views_->rollback(mark);
    request.result = fail(std::move(error));
    return false;
  };
  const std::uint64_t rows = views_->rows_written();
  if (Status room = views_->check_entry(info, request.origin->cause); !room) {
    return fail_request(std::move(room).error());
  }
  Transaction transaction(views_->begin(info, request.origin->cause));
  if (Status status = run_change(*request.change, transaction); !status) {
    return fail_request(std::move(status).error());
  }
  Result<Finished> finished = views_->finish();
  if (!finished) return fail_request(std::move(finished).error());
  if (finished->payload.empty() && finished->attached.empty()) {
    request.result = Receipt{head.sequence, head.time, head.hash, false};
    return false;
  }
  if (Status nameable = check_nameable(before, finished->bounds); !nameable) {
    return fail_request(std::move(nameable).error());
  }
  if (Status status =
          append(request, info, std::move(*finished), views_->rows_written() - rows, turn);
      !status) {
    if (ends_batch(status.error())) return fail(std::move(status).error());
    return fail_request(std::move(status).error());
  }
  return true;
}

// What cannot be read may have given a number to the very same value or name; when its key comes
// back, there would be two. Records define nothing.
Status SpaceImpl::check_nameable(const IdBounds& before, const IdBounds& after) const {
  const bool same = before.entities == after.entities && before.literals == after.literals &&
                    before.graphs == after.graphs;
  if (same) return {};
  for (const auto& [seal, away] : away_) {
    if (!away.defines) continue;
    return fail(ErrorCode::kConflict,
                "nothing new can be named while " + seal +
                    " is not here, a key that hides what was named before",
                folder_,
                "bring it back into keys/, or give up what it seals: `anima erase " +
                    seal.substr(0, seal.rfind('#')) + " --confirm`");
  }
  return {};
}

Status SpaceImpl::append(CommitRequest& request, const EntryInfo& info, Finished finished,
                         std::uint64_t rows, Log::Turn& turn) {
  LogEntry entry;
  entry.origin = *request.origin;
  put_act(request.act, finished.payload, entry.format);
  views_->mark_act(static_cast<std::uint32_t>(to_number(request.act.first)));
  entry.origin.trust = std::min(entry.origin.trust, finished.most_trust);
  const bool sealed = !request.seal_name.empty();
  if (sealed || finished.attached.size() > kMaxAttachmentBytes) {
    finished.payload += std::exchange(finished.attached, {});
  }
  if (!sealed) {
    entry.payload = std::move(finished.payload);
    if (!finished.attached.empty()) attach(entry, finished.attached, *options_.random);
  } else {
    ANIMA_ASSIGN(const NamedKey key, keys_->obtain(request.seal_name, *options_.random));
    entry.seal = key.seal;
    entry.payload = seal_payload(finished, key.key, *options_.random);
    opened_.insert(key.seal);
  }
  entry.sequence = info.sequence;
  ANIMA_TRY(visit_erasures(
      entry, [&](const std::string& seal) { batch_erasures_.emplace_back(seal, info.sequence); }));
  const std::uint64_t bytes = stored_bytes(entry);
  ANIMA_TRY(check_quota(bytes + entry.attachment.size()));
  ANIMA_ASSIGN(const Head head, turn.append(std::move(entry), info.time));
  request.result = Receipt{head.sequence, head.time, head.hash, true};
  if (!request.act.name.empty()) request.act.first = head.sequence;
  request.act.name.clear();
  request.act.mark = 0;
  replay_work_.add(head.sequence, bytes, rows);
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
  UndoRequest request;
  request.cascade = cascade;
  const std::uint64_t end = std::min(to_number(last), published_ + 1);  // names what is not there
  for (std::uint64_t at = to_number(first); at <= end; ++at)
    request.entries.push_back(Sequence{at});
  ANIMA_ASSIGN(UndoneActs undone, undo(origin, request, dry_run));
  return std::move(undone.report);
}

Result<UndoneActs> SpaceImpl::undo_entries(const Origin& origin, std::span<const Sequence> entries,
                                           const UndoActsOptions& options) {
  UndoRequest request{{entries.begin(), entries.end()}, options.cascade, true, options.checks};
  std::sort(request.entries.begin(), request.entries.end());
  request.entries.erase(std::unique(request.entries.begin(), request.entries.end()),
                        request.entries.end());
  return undo(origin, request, options.dry_run);
}

Result<UndoneActs> SpaceImpl::undo(const Origin& origin, const UndoRequest& asked, bool dry_run) {
  UndoRequest request = asked;
  request.rules = &options_.undo;
  const EntryReader read = [this](Sequence from, Sequence to, const auto& visit) -> Status {
    if (from == to) {
      ANIMA_ASSIGN(const LogEntry stored, log_->entry(from));
      ANIMA_ASSIGN(const LogEntry open, opened(stored));
      return visit(open);
    }
    bool through = false;
    const Status done =
        changes(Sequence{to_number(from) - 1}, [&](const LogEntry& entry) -> Status {
          through = entry.sequence > to;
          if (through) return fail(ErrorCode::kCancelled, "read far enough");
          return visit(entry);
        });
    return through ? Status{} : done;
  };
  UndoneActs undone;
  bool crowded = false;
  const auto plan_it = [&](Transaction& transaction) -> Status {
    ANIMA_ASSIGN(UndoPlan plan, detail::undo(request, read, *views_, transaction));
    undone.report.entries = std::move(plan.entries);
    undone.report.keys = plan.keys;
    undone.going = std::move(plan.going);
    undone.coming = std::move(plan.coming);
    undone.taken_from = plan.taken_from;
    return {};
  };
  if (dry_run) {
    ANIMA_TRY(try_out(readable(origin), plan_it));
    return undone;
  }
  const auto change = [&](Transaction& transaction) -> Status {
    // Entries of this very batch are not in the log yet, and could depend on the range.
    ANIMA_ASSIGN(const Head head, log_->head());
    crowded = head.sequence != views_->snapshot().sequence() ||
              to_number(head.sequence) + 1 != to_number(preparing_);
    if (crowded) return fail(ErrorCode::kBusy, "other writers were faster");
    return plan_it(transaction);
  };
  for (int attempt = 0;; ++attempt) {
    Result<Receipt> receipt = write(origin, change);
    if (!receipt && crowded && attempt < 1000) continue;
    if (!receipt) return fail(std::move(receipt).error());
    undone.report.receipt = *receipt;
    return undone;
  }
}

// Without a turn: whoever writes meanwhile is not waited for, and the log may be one that is only
// read.
Status SpaceImpl::try_out(const Origin& origin, const std::function<Status(Transaction&)>& change) {
  const MutexLock guard(state_mutex_);
  ANIMA_TRY(follow_log());
  const Head head = views_->head();
  EntryInfo info;
  info.sequence = Sequence{to_number(head.sequence) + 1};
  info.time = time_after(head, *options_.clock);
  info.trust = origin.trust;
  info.author = origin.author;
  info.source = origin.source;
  const Mark mark = views_->mark();
  Transaction transaction(views_->begin(info, origin.cause));
  looks_ = std::this_thread::get_id();
  const Status done = run_change(change, transaction);
  looks_ = std::thread::id();
  views_->rollback(mark);
  views_->settle();
  return done;
}

Result<std::pair<std::uint32_t, std::unique_ptr<ActUnderWay>>> SpaceImpl::mark_act() {
  std::pair<std::uint32_t, std::unique_ptr<ActUnderWay>> marked;
  if (folder_.empty() || options_.read_only) return marked;
  if (act_left_.exchange(false)) take_back_left_acts();
  ANIMA_ASSIGN(const Head head, log_->head());
  const auto random = [this] {
    const MutexLock guard(state_mutex_);  // who writes uses it, too
    std::uint32_t number = 0;
    while (number == 0) number = static_cast<std::uint32_t>(options_.random->next());
    return number;
  };
  for (int attempt = 0;; ++attempt) {
    marked.first = random();
    auto mark = detail::mark_act(*options_.files, folder_, head.sequence, marked.first, act_left_);
    const bool looked_at = !mark && mark.error().code == ErrorCode::kBusy && attempt < 100;
    if (looked_at) continue;
    ANIMA_ASSIGN(marked.second, std::move(mark));
    return marked;
  }
}

// What processes left of acts that are to be whole. It is of no act of who opens the space: to undo
// that one would bring the other back.
void SpaceImpl::take_back_left_acts() {
  const ActScope of_no_act("", ActKind::kOwn);
  for (const LeftAct& left : left_acts(*options_.files, folder_, act_left_)) {
    if (take_back(left)) (void)left.held->end();
  }
}

// False: somebody is to try it again.
bool SpaceImpl::take_back(const LeftAct& left) {
  std::optional<EntryAct> act;
  Sequence from = Sequence::kNone;
  const Status read = changes(left.after, [&](const LogEntry& entry) -> Status {
    ANIMA_ASSIGN(EntryAct said, read_act(entry));
    if (said.mark != left.mark) return {};
    from = entry.sequence;
    act = std::move(said);
    return fail(ErrorCode::kCancelled, "found");
  });
  if (!act) {
    if (!read) note("whether an act was cut off is not known: " + read.error().describe());
    return read.has_value();
  }
  const Snapshot now = views_->snapshot();
  UndoRequest request;
  for (std::uint64_t at = to_number(from); at <= to_number(now.sequence()); ++at) {
    if (act_of(now, Sequence{at}) == act_of(now, from)) request.entries.push_back(Sequence{at});
  }
  const Origin origin{"anima", std::string(kCutOffSource), Trust::kSystem, Sequence::kNone};
  const auto undone = undo(origin, request, false);
  if (undone) {
    note("an act was cut off, and is taken back: " + entry_place(from));
    return true;
  }
  if (undone.error().code == ErrorCode::kNotFound) return true;
  const bool stays = !may_pass(undone.error());
  note(std::string("an act was cut off, and ") +
       (stays ? "stays as it is: " : "cannot be taken back yet: ") + undone.error().describe());
  return stays;
}

Result<SealedText> SpaceImpl::seal(const std::string& key, std::string_view text) {
  ANIMA_ASSIGN(const NamedKey named, keys_->obtain(key, *options_.random));
  return SealedText{named.seal, anima::seal(named.key, text, *options_.random)};
}

Result<UnsealedText> SpaceImpl::unseal(const SealedText& sealed) {
  const FoundKey found = keys_->find(sealed.seal);
  UnsealedText text;
  text.state = found.state;
  if (found.state != SealState::kOpen) return text;
  // What lies in the log is what was sealed, so that it is the key that is not what it was.
  if (auto plain = anima::unseal(found.key, sealed.bytes)) {
    text.text = std::move(*plain);
  } else {
    text.state = SealState::kSealed;
  }
  return text;
}

}  // namespace anima::store::detail
