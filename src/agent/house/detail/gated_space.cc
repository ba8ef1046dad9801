#include "agent/house/detail/gated_space.h"

#include <utility>

namespace anima::agent::detail {
using govern::LineLook;

GatedSpace::GatedSpace(std::shared_ptr<Gate> gate, DoorCall reader, DoorCall writer, Judged how,
                       Act writes)
    : gate_(std::move(gate)),
      space_(gate_->space()),
      reader_(std::move(reader)),
      writer_(std::move(writer)),
      how_(how),
      writes_(writes),
      reads_freely_(how == Judged::kBefore || gate_->undeniable(reader_, Act::kReads)),
      writes_freely_(writes != Act::kReads && gate_->undeniable(writer_, writes)) {}

Status GatedSpace::may_write() {
  if (writes_ == Act::kReads)
    return fail(ErrorCode::kDenied, "it was opened to be read only", name_of(writer_));
  return writes_freely_ ? Status() : may(writer_, writes_);
}

Status GatedSpace::may(const DoorCall& call, Act act) {
  if (how_ == Judged::kBefore) return {};
  return gate_->pass(call, act, how_ == Judged::kAtOnce ? &was_approved_ : nullptr);
}

store::Change GatedSpace::unless_stopped(const store::Change& change, bool& stopped) {
  if (writes_freely_) return change;
  return [this, &change, &stopped](store::Transaction& transaction) -> Status {
    stopped = gate_->line().look() != LineLook::kRuns;
    if (stopped) return fail(ErrorCode::kDenied, "the line was stopped before its turn came");
    return change(transaction);
  };
}

Result<store::Snapshot> GatedSpace::snapshot() {
  ANIMA_TRY(may_read());
  return space_.snapshot();
}

Result<store::Receipt> GatedSpace::write(const store::Origin& origin, const store::Change& change) {
  ANIMA_TRY(may_write());
  bool stopped = false;
  auto written = space_.write(origin, unless_stopped(change, stopped));
  if (stopped) ANIMA_TRY(may_write());
  return written;
}

store::SeriesResult GatedSpace::write_series(const store::Origin& origin,
                                             const std::function<const store::Change*()>& next) {
  if (Status allowed = may_write(); !allowed) return {{}, std::move(allowed)};
  bool stopped = false;
  store::Change guarded;
  auto written = space_.write_series(origin, [&]() -> const store::Change* {
    const store::Change* change = next();
    if (change == nullptr) return nullptr;
    guarded = unless_stopped(*change, stopped);
    return &guarded;
  });
  if (!stopped) return written;
  if (Status allowed = may_write(); !allowed) written.status = std::move(allowed);
  return written;
}

Result<store::Receipt> GatedSpace::write_sealed(const store::Origin& origin, const std::string& key,
                                                const store::Change& change) {
  ANIMA_TRY(may_write());
  bool stopped = false;
  auto written = space_.write_sealed(origin, key, unless_stopped(change, stopped));
  if (stopped) ANIMA_TRY(may_write());
  return written;
}

Status GatedSpace::erase(const std::string& key) {
  ANIMA_TRY(may_write());
  return space_.erase(key);
}

Result<store::Receipt> GatedSpace::commit(const store::Origin& origin, store::WhatIf& branch) {
  ANIMA_TRY(may_write());
  return space_.commit(origin, branch);
}

Status GatedSpace::changes(store::Sequence after,
                           const std::function<Status(const store::LogEntry&)>& visit) {
  ANIMA_TRY(may_read());
  return space_.changes(after, visit);
}

Result<store::UndoReport> GatedSpace::undo(const store::Origin& origin, store::Sequence first,
                                           store::Sequence last, bool cascade, bool dry_run) {
  ANIMA_TRY(dry_run ? may_read() : may_write());
  return space_.undo(origin, first, last, cascade, dry_run);
}

Result<std::pair<std::uint32_t, std::unique_ptr<store::ActUnderWay>>> GatedSpace::mark_act() {
  auto* const undoing = dynamic_cast<store::UndoingSpace*>(&space_);
  if (undoing == nullptr) return std::pair<std::uint32_t, std::unique_ptr<store::ActUnderWay>>();
  return undoing->mark_act();
}

Result<store::UndoneActs> GatedSpace::undo_entries(const store::Origin& origin,
                                                   std::span<const store::Sequence> entries,
                                                   const store::UndoActsOptions& options) {
  ANIMA_TRY(options.dry_run ? may_read() : may_write());
  return store::undo_entries(space_, origin, entries, options);
}

Status GatedSpace::checkpoint() {
  ANIMA_TRY(may_write());
  return space_.checkpoint();
}

}  // namespace anima::agent::detail
