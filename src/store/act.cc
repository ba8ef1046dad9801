#include "store/act.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "base/trace/trace.h"
#include "store/compact.h"
#include "store/history.h"
#include "store/log/act_operation.h"
#include "store/log/archived.h"
#include "store/log/entry_codec.h"
#include "store/space/act_marks.h"
#include "store/space/undo.h"
#include "store/state/state.h"
#include "store/undone_acts.h"

namespace anima::store {

using detail::to_number;

namespace {

thread_local ActScope* running = nullptr;
thread_local WholeAct* whole = nullptr;
thread_local const RepeatedAct* repeated = nullptr;

// A folder may be open several times.
std::string key_of(const Space& space) {
  if (!space.folder().empty()) return space.folder();
  return std::to_string(reinterpret_cast<std::uintptr_t>(&space));
}

// Who looks at a trace finds what it wrote, and the other way round.
std::string with_trace(std::string_view name) {
  const auto trace = name.empty() ? std::nullopt : TraceScope::current();
  return trace ? std::string(name) + ", trace " + trace->trace_id() : std::string(name);
}

}  // namespace

ActScope::ActScope(std::string_view name, ActKind kind)
    : name_(with_trace(name)),
      around_(running),
      part_(kind == ActKind::kPart && running != nullptr) {
  if (!part_) running = this;
}

ActScope::~ActScope() {
  if (!part_) running = around_;
}

EntryAct ActScope::current(const Space& space) {
  if (repeated != nullptr) return repeated->act_;
  if (running == nullptr) return {};
  const auto first = running->firsts_.find(key_of(space));
  const auto mark = running->marks_.find(key_of(space));
  EntryAct act;
  if (first == running->firsts_.end()) {
    act.name = running->name_;
  } else {
    act.first = first->second;
  }
  if (mark != running->marks_.end()) act.mark = mark->second;
  return act;
}

void ActScope::began(const Space& space, Sequence first) {
  if (running == nullptr || running->name_.empty()) return;
  running->firsts_.try_emplace(key_of(space), first);
  running->marks_.erase(key_of(space));
}

RepeatedAct::RepeatedAct(EntryAct act) : act_(std::move(act)) { repeated = this; }
RepeatedAct::~RepeatedAct() { repeated = nullptr; }

Status ActScope::may_write(const Space& space) {
  if (running == nullptr || running->refused_.empty()) return {};
  const auto refused = running->refused_.find(key_of(space));
  return refused == running->refused_.end() ? Status() : fail(refused->second);
}

void ActScope::doubted(const Space& space) {
  if (running != nullptr) running->doubted_.insert(key_of(space));
}

WholeAct::WholeAct(Space& space) {
  if (running == nullptr || running->name_.empty()) return;
  if (runs()) {
    around_ = whole;
    return;
  }
  auto* const undoing = dynamic_cast<UndoingSpace*>(&space);
  const auto head = space.log().head();
  if (undoing == nullptr || !head) return;
  space_ = key_of(space);
  auto mark = undoing->mark_act();
  if (mark && mark->second != nullptr) running->marks_[space_] = mark->first;
  if (mark) {
    mark_ = std::move(mark->second);
  } else {  // an act that could not be taken back is not begun
    running->refused_.insert_or_assign(space_, mark.error());
  }
  running->doubted_.erase(space_);
  written_ = &space;
  before_ = head->sequence;
  scope_ = running;
  outer_ = std::exchange(whole, this);
}

WholeAct::~WholeAct() {
  if (over_) return;
  if (around_ != nullptr && !around_->part_failed_)
    around_->part_failed_ = Error{ErrorCode::kIo, "a part of it failed", {}, {}};
  (void)take_back();
}

// Whoever writes next in the scope is no part of it.
void WholeAct::leave() {
  over_ = true;
  if (scope_ == nullptr) return;
  scope_->marks_.erase(space_);
  scope_->refused_.erase(space_);
  scope_ = nullptr;
  mark_ = nullptr;
  whole = outer_;
}

Status WholeAct::goes_on() {
  if (whole == nullptr) return {};
  ANIMA_TRY(whole->mark_ == nullptr ? Status() : whole->mark_->end());
  whole->leave();
  return {};
}

bool WholeAct::runs() { return whole != nullptr && whole->scope_ == running; }

Status WholeAct::done() {
  if (scope_ == nullptr) {
    over_ = true;
    return {};
  }
  if (part_failed_) return fail(failed(*std::exchange(part_failed_, std::nullopt)));
  const Status ended = mark_ == nullptr ? Status() : mark_->end();
  if (!ended) return fail(failed(ended.error()));
  leave();
  return {};
}

Error WholeAct::failed(Error why) {
  if (around_ != nullptr && !over_) {
    around_->part_failed_ = why;
    over_ = true;
    return why;
  }
  const Status taken = take_back();
  if (taken) return why;
  const bool stays = !detail::may_pass(taken.error());
  if (!why.hint.empty()) why.hint += "; ";
  why.hint += stays ? "a part of it stays: " + taken.error().message
                    : std::string(
                          "a part of it may be there until the next command that writes takes it "
                          "back");
  return why;
}

Status WholeAct::take_back() {
  if (scope_ == nullptr) {
    over_ = true;
    return {};
  }
  Status taken = ActScope::undo_since(*scope_, *written_, before_);
  const bool decided = taken || !detail::may_pass(taken.error());
  if (decided && mark_ != nullptr) (void)mark_->end();
  leave();
  return taken;
}

Status ActScope::undo_since(const ActScope& scope, Space& space, Sequence before) {
  const auto first = scope.firsts_.find(key_of(space));
  ANIMA_ASSIGN(const Snapshot now, space.snapshot());
  std::vector<Sequence> entries;
  for (std::uint64_t at = to_number(before) + 1; at <= to_number(now.sequence()); ++at) {
    if (first != scope.firsts_.end() && act_of(now, Sequence{at}) == first->second)
      entries.push_back(Sequence{at});
  }
  // The undo is the log's next entry in the place of one that may be there.
  if (entries.empty() && scope.doubted_.contains(key_of(space)))
    return fail(ErrorCode::kIo, "it is not known whether something was written");
  if (entries.empty()) return {};
  const ActScope of_no_act("", ActKind::kOwn);
  const Origin origin{"anima", std::string(kCutOffSource), Trust::kSystem, Sequence::kNone};
  const auto undone = undo_entries(space, origin, entries, {});
  return undone || detail::is_nothing_left(undone.error()) ? Status() : fail(undone.error());
}

ActStep::ActStep(Space& space) {
  if (running == nullptr || running->name_.empty()) return;
  const auto head = space.log().head();
  if (dynamic_cast<UndoingSpace*>(&space) == nullptr || !head) return;
  written_ = &space;
  before_ = head->sequence;
  around_ = WholeAct::runs() ? whole : nullptr;
}

Result<bool> ActStep::take_back() {
  if (written_ == nullptr || running == nullptr) return true;
  if (around_ != (WholeAct::runs() ? whole : nullptr)) return false;
  const Status taken = ActScope::undo_since(*running, *written_, before_);
  if (taken) return true;
  if (around_ != nullptr && !around_->part_failed_) around_->part_failed_ = taken.error();
  return fail(taken.error());
}

Result<EntryAct> act_stated(const LogEntry& entry) {
  if (!entry.seal.empty() || detail::is_archived(entry)) return EntryAct();
  return detail::read_act(entry);
}

Sequence act_of(const Snapshot& now, Sequence entry) {
  const std::uint64_t at = to_number(entry);
  if (at == 0 || at > to_number(now.sequence())) return Sequence::kNone;
  const std::uint32_t first = now.state().entry(at).act;
  return first == 0 ? entry : Sequence{first};
}

Result<Act> act_at(Space& space, const Snapshot& now, Sequence entry) {
  Act act;
  act.first = act_of(now, entry);
  if (act.first == Sequence::kNone)
    return fail(ErrorCode::kNotFound, "there is no such entry; the log ends at " +
                                          std::to_string(to_number(now.sequence())));
  act.info = now.entry(act.first);
  for (std::uint64_t at = to_number(act.first); at <= to_number(now.sequence()); ++at) {
    if (act_of(now, Sequence{at}) == act.first) act.entries.push_back(Sequence{at});
  }
  ANIMA_ASSIGN(const LogEntry stored, space.log().entry(act.first));
  ANIMA_ASSIGN(EntryAct said, act_stated(stored));
  act.name = std::move(said.name);
  if (act.name.empty()) act.name = act.info.source;
  return act;
}

bool notes_readings(const EntryInfo& entry) {
  return entry.trust == Trust::kSystem && entry.source == kReadingsSource;
}

bool keeps_record(const EntryInfo& entry) {
  return entry.trust == Trust::kSystem &&
         (entry.source == kStateSource || entry.source.starts_with(kSleepBookSource));
}

bool is_of_somebody(const EntryInfo& entry) {
  const bool begins = entry.trust == Trust::kSystem && entry.source == kBootstrapSource;
  return !begins && !notes_readings(entry) && !keeps_record(entry);
}

namespace {

// What "undo the last" passes over, from the newest entry on.
class NewestAct {
 public:
  NewestAct(Space& space, const Snapshot& now, std::string_view author, CountsAsDone counts)
      : space_(space), now_(now), author_(author), counts_(std::move(counts)) {}

  Result<Act> find() {
    const std::uint64_t oldest = std::max<std::uint64_t>(1, to_number(oldest_state(now_)));
    for (std::uint64_t at = to_number(now_.sequence()); at > oldest; --at) {
      ANIMA_ASSIGN(const bool wanted, is_wanted(Sequence{at}));
      if (!wanted) continue;
      ANIMA_ASSIGN(Act act, act_at(space_, now_, Sequence{at}));
      ANIMA_ASSIGN(const bool left, is_left(act));
      if (left) return act;
      undone_.insert(act.entries.begin(), act.entries.end());
    }
    if (oldest > 1)
      return fail(ErrorCode::kNotFound,
                  "there is nothing left to undo: " + now_.state().horizon->said);
    return fail(ErrorCode::kNotFound, "there is nothing left to undo", {},
                "what a space begins with is undone by the number of its entry alone");
  }

 private:
  Result<bool> is_wanted(Sequence entry) {
    if (undone_.contains(entry)) return false;
    const EntryInfo info = now_.entry(entry);
    if (!is_of_somebody(info)) return false;
    ANIMA_ASSIGN(const LogEntry stored, space_.log().entry(entry));
    if (detail::is_archived(stored)) return detail::archived_error(entry);
    if (now_.state().entry(to_number(entry)).undo) {
      ANIMA_TRY(visit_records(stored, [&](RecordKind kind, std::string_view payload) -> Status {
        if (kind != RecordKind::kUndo) return {};
        const auto undone = detail::undone_entries(payload);
        undone_.insert(undone.begin(), undone.end());
        return {};
      }));
      return false;
    }
    if (!author_.empty() && info.author != author_) return false;
    bool wrote = false;
    const Status read = space_.visit_written(Sequence{to_number(entry) - 1}, entry,
                                             [&](const WrittenKey& key) -> Status {
                                               if (counts_ && !counts_(key)) return {};
                                               wrote = true;
                                               return fail(ErrorCode::kCancelled, "one is enough");
                                             });
    if (!wrote && !read && read.error().code != ErrorCode::kNotFound) return fail(read.error());
    return wrote;
  }

  // Whether undoing it would change anything: a line of a conversation may have written only what
  // was there, or what was written again since. Of an act that wrote much the undo itself says so.
  Result<bool> is_left(const Act& act) {
    constexpr std::size_t kMostTried = 10'000;  // keys
    std::size_t keys = 0;
    for (const Sequence entry : act.entries) {
      const Status read = space_.visit_written(Sequence{to_number(entry) - 1}, entry,
                                               [&](const WrittenKey&) -> Status {
                                                 if (++keys <= kMostTried) return {};
                                                 return fail(ErrorCode::kCancelled, "enough");
                                               });
      if (keys > kMostTried) return true;
      if (!read && read.error().code != ErrorCode::kNotFound) return fail(read.error());
    }
    const auto tried = undo_entries(space_, {}, act.entries, {.dry_run = true});
    return tried ? tried->report.keys > 0 : !detail::is_nothing_left(tried.error());
  }

  Space& space_;
  const Snapshot& now_;
  const std::string_view author_;  // empty: anybody
  const CountsAsDone counts_;
  std::set<Sequence> undone_;  // and what needs no undo
};

}  // namespace

Result<std::vector<Sequence>> undone_by(Space& space, Sequence entry) {
  std::vector<Sequence> undone;
  ANIMA_ASSIGN(const LogEntry stored, space.log().entry(entry));
  ANIMA_TRY(visit_records(stored, [&](RecordKind kind, std::string_view payload) -> Status {
    if (kind == RecordKind::kUndo) undone = detail::undone_entries(payload);
    return {};
  }));
  return undone;
}

bool undoes(const Snapshot& now, Sequence entry) {
  return entry > Sequence::kNone && entry <= now.sequence() &&
         now.state().entry(to_number(entry)).undo;
}

Result<std::set<Sequence>> undone_among(Space& space, const Snapshot& now,
                                        std::span<const Sequence> ascending) {
  std::set<Sequence> undone;
  for (auto entry = ascending.rbegin(); entry != ascending.rend(); ++entry) {
    if (undone.contains(*entry) || !undoes(now, *entry)) continue;
    ANIMA_ASSIGN(const std::vector<Sequence> entries, undone_by(space, *entry));
    undone.insert(entries.begin(), entries.end());
  }
  return undone;
}

Result<Act> newest_act_of(Space& space, const Snapshot& now, std::string_view author,
                          CountsAsDone counts) {
  return NewestAct(space, now, author, std::move(counts)).find();
}

Result<Act> newest_act_to_undo(Space& space, const Snapshot& now) {
  return newest_act_of(space, now, {});
}

Result<UndoneActs> undo_entries(Space& space, const Origin& origin,
                                std::span<const Sequence> entries, const UndoActsOptions& options) {
  auto* const undoing = dynamic_cast<UndoingSpace*>(&space);
  if (undoing == nullptr)
    return fail(ErrorCode::kInvalidArgument, "nothing can be undone through this view of a space");
  return undoing->undo_entries(origin, entries, options);
}

}  // namespace anima::store
